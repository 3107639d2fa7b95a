"""The generator `edits`: a board's neighbours, and what the evaluators say of them."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from epcg_fling.evaluation.solutions import EditEffect, Solvable, Unique
from epcg_fling.formats.boards import parse_board
from epcg_fling.generators.edits import EditedBoards
from epcg_fling.params import EditsParams, UniquenessParams
from epcg_fling.rules.moves import BoardShape
from epcg_fling.rules.solving import Solver

from epcg_core.base.errors import EpcgError, ParamsError, QueryError
from epcg_core.domain import ArrayGenerator, EditedContent
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store

SHAPE = BoardShape(4, 3)
BOARD = "o..o/..../.o.."
QUERY = f"""
name = "edits"
domain = "fling"
evaluators = [{{ name = "solvable" }}, {{ name = "unique" }}]
[generator]
name = "edits"
board = "{BOARD}"
width = 4
height = 3
"""


def boards(**params: int) -> EditedBoards:
    return EditedBoards(EditsParams(BOARD, 4, 3, **params))


def test_each_cell_is_edited_once() -> None:
    space, board = boards(), parse_board(SHAPE, BOARD)
    assert [space.unrank(rank) for rank in range(space.max_rank)] == [board ^ 1 << c for c in range(12)]
    assert space.edits[0].description == "column 1, row 1: piece removed"
    assert space.edits[1].description == "column 2, row 1: piece added"
    assert isinstance(space, EditedContent)
    assert isinstance(space, ArrayGenerator)


def test_two_cells_are_edited() -> None:
    space, board = boards(edits=2, fewest=0), parse_board(SHAPE, BOARD)
    found = [space.unrank(rank) for rank in range(space.max_rank)]
    assert len(set(found)) == len(found) == 1 + 12 + 66
    assert {(state ^ board).bit_count() for state in found} == {0, 1, 2}
    assert space.states_block(3, 20).tolist() == found[3:23]
    assert space.states_at(np.array([0, 7, 78])).tolist() == [found[0], found[7], found[78]]


def test_the_evaluators_work_on_edited_boards() -> None:
    space = boards()
    solver = Solver(SHAPE, "successors")
    states = space.states_block(0, space.max_rank)
    solvable = Solvable(UniquenessParams(), space).evaluate_states(states).values[0]
    unique = Unique(UniquenessParams(), space).evaluate_states(states).values[0]
    assert np.asarray(solvable).tolist() == [solver.solvable(state) for state in states.tolist()]
    assert np.asarray(unique).tolist() == [solver.unique(state) for state in states.tolist()]
    before = solver.solvable(space.original)
    changes = sum(found != before for found in np.asarray(solvable).tolist())
    assert EditEffect(UniquenessParams(), space).evaluate(space.original)[0] == changes


def test_a_run_records_what_each_edit_leads_to(tmp_path: Path) -> None:
    solver = Solver(SHAPE, "successors")
    with Store.open(tmp_path / "epcg.db", write=True) as store:
        execute(parse_query(QUERY), store, Options("serial", quiet=True))
        with store.reader() as reader:
            rows = reader.connection.exec_driver_sql(
                "SELECT edits, value FROM edit_effects WHERE metric = 'unique' ORDER BY rank"
            ).all()
    space = boards()
    assert [tuple(row) for row in rows] == [
        (edit.description, int(solver.unique(space.unrank(rank)))) for rank, edit in enumerate(space.edits)
    ]


def test_what_is_no_board_is_refused() -> None:
    with pytest.raises(EpcgError, match=r"'o\.\.', has 3 cells, but the board is 4 wide"):
        EditedBoards(EditsParams("o../..../....", 4, 3))
    with pytest.raises(ParamsError, match="has 81 cells; at most 64 are possible"):
        EditsParams(BOARD, 9, 9)
    with pytest.raises(ParamsError, match=r"^fewest: 2 cells at least and 1 at most cannot both be"):
        EditsParams(BOARD, 4, 3, 1, 2)


def test_a_query_depends_on_the_board_in_a_file_and_not_on_its_name(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = 'domain = "fling"\ngenerator = {{ name = "edits", board = "{}", width = 4, height = 2 }}\n'
    monkeypatch.chdir(tmp_path)
    Path("mine.txt").write_text("o..o\n.o..\n", encoding="utf-8")
    named = parse_query(text.format("mine.txt"), ["generator.fewest=0"])
    assert named.generator.params["board"] == "o..o\n.o.."
    set_later = parse_query(text.format("o"), ["generator.board=mine.txt", "generator.fewest=0"])
    assert set_later.resolved() == named.resolved()
    Path("mine.txt").unlink()
    with pytest.raises(QueryError, match=r"There is no board 'mine\.txt'"):
        parse_query(text.format("mine.txt"))


def test_params_that_are_no_texts_are_not_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("evenly").write_text("a file", encoding="utf-8")
    read = parse_query('domain = "fling"\ngenerator = { name = "edits", board = "o", note = "evenly" }\n')
    assert read.generator.params == {"board": "o", "note": "evenly"}
