"""The generator `edits`: a panel's neighbours, and what the evaluators say of them."""

from __future__ import annotations

from pathlib import Path

import pytest
from epcg_witness.formats.drawing import format_panel
from epcg_witness.generators.edits import EditedPanels
from epcg_witness.params import EditsParams
from epcg_witness.rules.panel import Panel, Square, Star
from epcg_witness.rules.reference import solutions

from epcg_core.domain import EditedContent
from epcg_core.errors import ParamsError
from epcg_core.query.query import from_data
from epcg_core.rendering.render import render
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store

BLACK, WHITE = Square("black"), Square("white")
PANEL = Panel(width=2, height=2, symbols={0: BLACK, 3: WHITE}, dots=(1, 14), gaps=(5,))
DRAWN = format_panel(PANEL)


def panels(**params: object) -> EditedPanels:
    return EditedPanels(EditsParams(DRAWN, **params))  # type: ignore[arg-type]


def test_symbols_are_changed_and_removed() -> None:
    space = panels()
    assert [edit.description for edit in space.edits] == [
        "cell (0, 0): square black to square white",
        "cell (0, 0): square black to none",
        "cell (1, 1): square white to square black",
        "cell (1, 1): square white to none",
        "edge 1: dot to none",
        "vertex (2, 0): dot to none",
        "edge 5: gap to none",
    ]
    assert space.unrank(0).symbols == ((0, WHITE), (3, WHITE))
    assert space.unrank(1).symbols == ((3, WHITE),)
    assert [space.unrank(rank).dots for rank in (4, 5)] == [(14,), (1,)]
    assert space.unrank(6).gaps == ()
    assert isinstance(space, EditedContent)


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


def test_bad_symbols_are_refused() -> None:
    with pytest.raises(ParamsError, match=r"^symbols\[0\]: 'dot' is not a symbol of a cell\."):
        panels(symbols=("dot",))
    with pytest.raises(ParamsError, match=r"^symbols\[1\]: 'star red' is named twice\.$"):
        panels(symbols=("star red", "star red"))
    with pytest.raises(ParamsError, match=r"^fewest: 3 places at least and 2 at most cannot both be edited"):
        panels(edits=2, fewest=3)
