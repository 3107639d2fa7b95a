"""The generator `edits`: a panel's neighbours, and what the evaluators say of them."""

from __future__ import annotations

import re
import sqlite3
from pathlib import Path

import pytest
from epcg_witness.formats.drawing import format_panel
from epcg_witness.generators.edits import EditedPanels
from epcg_witness.params import EditsParams
from epcg_witness.rules.panel import Panel, Square, Star
from epcg_witness.rules.reference import solutions
from hypothesis import given, strategies as st

from epcg_core.base.errors import ParamsError
from epcg_core.domain import EditedContent
from epcg_core.query.query import from_data
from epcg_core.rendering.render import render
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store
from epcg_core.verification.verify import verify
from tests.workplace import ask_sql, epcg

BLACK, WHITE = Square("black"), Square("white")
PANEL = Panel(width=2, height=2, symbols={0: BLACK, 3: WHITE}, dots=(1, 14), gaps=(5,))
DRAWN = format_panel(PANEL)


@st.composite
def panels_with_symbols(draw: st.DrawFn) -> Panel:
    width, height = draw(st.integers(1, 4)), draw(st.integers(1, 4))
    cells = st.dictionaries(st.integers(0, width * height - 1), st.sampled_from([BLACK, WHITE]), min_size=1)
    return Panel(width=width, height=height, symbols=draw(cells))


def panels(**params: object) -> EditedPanels:
    return EditedPanels(EditsParams(DRAWN, **params))  # type: ignore[arg-type]


def test_symbols_are_changed_and_removed() -> None:
    space = panels()
    assert [edit.description for edit in space.edits] == [
        "column 1, row 2: square black to square white",
        "column 1, row 2: square black to none",
        "column 2, row 1: square white to square black",
        "column 2, row 1: square white to none",
        "edge from column 2, row 3 to column 3, row 3: dot to none",
        "vertex column 3, row 3: dot to none",
        "edge from column 2, row 1 to column 3, row 1: gap to none",
    ]
    assert space.unrank(0).symbols == ((0, WHITE), (3, WHITE))
    assert space.unrank(1).symbols == ((3, WHITE),)
    assert [space.unrank(rank).dots for rank in (4, 5)] == [(14,), (1,)]
    assert space.unrank(6).gaps == ()
    assert isinstance(space, EditedContent)


@given(panels_with_symbols())
def test_a_cell_is_named_by_its_column_and_row_in_the_drawing(panel: Panel) -> None:
    """The drawing's line 2r, from its third character on, four for each column, holds row r of the cells."""
    lines = format_panel(panel).splitlines()
    for edit in EditedPanels(EditsParams(format_panel(panel))).edits:
        place = re.match(r"column (\d+), row (\d+): ", edit.description)
        if place is not None:
            column, row = map(int, place.groups())
            assert lines[2 * row - 1][4 * column - 3 : 4 * column].strip()
            assert panel.grid.cell_at(edit.change["cell"]) == (column - 1, panel.height - row)


def test_two_edits_are_of_different_places() -> None:
    space = panels(edits=2)
    # e2(2, 2, 1, 1, 1) = 4 + 2 * 2 * 3 + 3
    assert space.max_rank == 7 + 19
    assert len({space.unrank(rank) for rank in range(space.max_rank)}) == space.max_rank


def test_other_symbols_and_empty_cells() -> None:
    assert {space.max_rank for space in (panels(symbols=("star red",)), panels(add=True))} == {7, 11}
    assert panels(symbols=("star red",)).unrank(0).symbol_at[0] == Star("red")
    assert panels(add=True).unrank(2).symbols == ((0, BLACK), (1, BLACK), (3, WHITE))


def test_a_run_counts_the_solutions_of_every_variant(tmp_path: Path) -> None:
    data = {
        "name": "edits",
        "domain": "witness",
        "generator": {"name": "edits", "params": {"panel": DRAWN, "edits": 2}},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": "solutions", "params": {}}, {"name": "unique", "params": {}}],
    }
    space = panels(edits=2)
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        outcome = execute(from_data(data), store, Options("serial", quiet=True))
        with store.reader() as reader:
            for rank in range(space.max_rank):
                count = sum(1 for _ in solutions(space.unrank(rank)))
                assert reader.scores_at(outcome.goal.id, [rank]) == [
                    {"solutions": count, "unique": count == 1}
                ]
            best = reader.connection.exec_driver_sql(
                "SELECT rank, edit FROM best_edits WHERE metric = 'solutions' AND extreme = 'largest'"
            ).all()
    counts = [sum(1 for _ in solutions(space.unrank(rank))) for rank in range(7)]
    assert [tuple(row) for row in best] == [
        (rank, space.edits[rank].description) for rank in range(7) if counts[rank] == max(counts)
    ]
    assert render(f"{outcome.goal.space}#0", "svg").startswith("<svg")


@pytest.mark.parametrize("another", [False, pytest.param(True, marks=pytest.mark.slow)])
def test_words_that_were_recorded_before_are_recorded_anew(tmp_path: Path, another: bool) -> None:
    """An edit's words may change; a recorded change that is another stays, for `epcg verify` to tell of."""
    data = {
        "name": "edits",
        "domain": "witness",
        "generator": {"name": "edits", "params": {"panel": DRAWN}},
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": "solutions", "params": {}}],
    }
    words = [edit.description for edit in panels().edits]
    path = tmp_path / "epcg.db"

    def run(again: bool) -> tuple[int, list[str], bool]:
        with Store.open(path, write=True) as store:
            goal = execute(from_data(data), store, Options("serial", quiet=True, again=again)).goal
        found = [word for (word,) in ask_sql(path, "SELECT description FROM edit ORDER BY position")]
        with Store.open(path) as store:
            checks = {check.name: check for check in verify(store, goal.id).checks}
        return goal.id, found, checks["edits"].passed

    assert run(False) == (1, words, True)
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE edit SET description = 'cell (0, ' || position || ')'")
    assert run(False)[1:] == ([f"cell (0, {position})" for position in range(7)], False)
    assert run(True) == (2, words, True)
    if not another:
        return
    with sqlite3.connect(path) as connection:
        connection.execute("UPDATE edit SET description = 'x', change = '{}' WHERE position = 3")
    assert run(True)[1:] == ([*words[:3], "x", *words[4:]], False)


def test_bad_symbols_are_refused() -> None:
    with pytest.raises(ParamsError, match=r"^symbols 1: 'dot' is not a symbol of a cell\."):
        panels(symbols=("dot",))
    with pytest.raises(ParamsError, match=r"^symbols 2: 'star red' is named twice\.$"):
        panels(symbols=("star red", "star red"))
    with pytest.raises(ParamsError, match=r"^fewest: 3 places at least and 2 at most cannot both be edited"):
        panels(edits=2, fewest=3)


PILLAR = """
# the first row begins with the mark of a start
t-1-+---+---t
|   |   | a |
F...+- -+-*-F
a: square red
shape: pillar
variant: game
"""


def test_what_lies_on_edges_of_panels_that_depart_is_taken_away() -> None:
    space = EditedPanels(EditsParams(PILLAR, fewest=0))
    words = [edit.description.partition(": ")[2] for edit in space.edits]
    assert words == [
        "square red to none", "dot to none", "dot first to none", "dot first to none", "dot second to none",
        "gap to none", "missing to none",
    ]  # fmt: skip
    drawn = [format_panel(space.unrank(rank)).splitlines() for rank in range(space.max_rank)]
    assert drawn[0][:3] == PILLAR.splitlines()[2:5]
    assert {lines[0] for lines in drawn[1:]} == {"t-1-+---+---t", "t---+---+---t", "S-1-+---+---S"}
    assert {lines[2] for lines in drawn[1:]} == {
        "F...+- -+-*-F", "F...+- -+---F", "E...+- -+-*-E", "F...+---+-*-F", "F---+- -+-*-F",
    }  # fmt: skip
    assert len({"\n".join(lines) for lines in drawn}) == space.max_rank == 8


def test_a_drawing_that_begins_with_any_mark_is_measured(tmp_path: Path) -> None:
    path = tmp_path / "panel.txt"
    for first in "+*12SsTtEeFf":
        rest = "S---E" if first in "+*12" else "+---E" if first in "SsTt" else "S---+"
        path.write_text(f"# a note\nvariant: game\n{first}---+\n|   |\n{rest}\n", "utf-8")
        assert "solutions" in epcg("score", path, "--db", tmp_path / "x.db").stdout
