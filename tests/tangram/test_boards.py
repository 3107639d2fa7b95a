"""Solved boards: the golden numbers, the order of the ranks, and boards that there are not."""

from __future__ import annotations

from collections import Counter

import numpy as np
import pytest
from epcg_tangram.evaluation.boards import BoardFacts, Colours
from epcg_tangram.formats.boards import format_board, parse_board
from epcg_tangram.generators.boards import partial_boards, solved_boards
from epcg_tangram.params import BoardsParams, PartialBoardsParams
from epcg_tangram.rules.adjacency import shared, shared_table
from epcg_tangram.rules.boards import Board, excluded_piece
from epcg_tangram.rules.covers import cover_problem

from epcg_core.base.errors import EpcgError, ParamsError, RankError, UnknownNameError
from epcg_core.domain import NoParams
from tests.core.search.exact_cover.algorithm_x import all_covers, modulo_symmetry
from tests.tangram.hexagon import GAME, PIECE_ORDER, geometry, of_side
from tests.workplace import facts

USUAL = solved_boards(BoardsParams())


def test_every_board_modulo_symmetry_by_excluded_piece() -> None:
    assert USUAL.max_rank == facts("tangram")["solutions_total"]
    found = Counter(excluded_piece(USUAL.unrank(rank)) for rank in range(USUAL.max_rank))
    named = {PIECE_ORDER[number]: count for number, count in found.items() if number is not None}
    assert named == facts("tangram")["solutions_by_excluded_piece"]


def sets_of(covers: np.ndarray) -> set[bytes]:
    """The placements of each board, in order."""
    return {row.tobytes() for row in np.sort(covers.astype(np.int64), axis=1)}


def test_every_raw_board_is_an_image_of_one() -> None:
    every = solved_boards(BoardsParams(boards="all"))
    assert every.max_rank == facts("tangram")["raw_solutions_total"] == 12 * USUAL.max_rank
    covers = USUAL.covers
    mapped = [np.where(covers >= 0, np.asarray(own)[covers], -1) for own in USUAL.cover_problem.images]
    assert sets_of(np.concatenate(mapped)) == sets_of(every.covers)


@pytest.mark.parametrize(("side", "trapezoids"), [(1, 2), (2, 2), pytest.param(2, 4, marks=pytest.mark.slow)])
def test_small_boards_are_those_of_algorithm_x(side: int, trapezoids: int) -> None:
    boards = solved_boards(BoardsParams(sizes=(side,), copies=(f"Trapezoid {trapezoids}",)))
    problem = boards.cover_problem
    found = [boards.unrank(rank).placements for rank in range(boards.max_rank)]
    assert found == modulo_symmetry(problem, all_covers(problem))


def test_one_family_alone() -> None:
    without_hexagon = solved_boards(BoardsParams(without=("Hexagon",)))
    assert without_hexagon.max_rank == facts("tangram")["solutions_by_excluded_piece"]["Hexagon"]
    nine = solved_boards(BoardsParams(copies=("Trapezoid 0",)))
    assert nine.max_rank == facts("tangram")["solutions_by_excluded_piece"]["Trapezoid"]


def test_ranks_are_in_order_and_turned_boards_have_the_same_rank() -> None:
    states = [USUAL.unrank(rank).placements for rank in range(USUAL.max_rank)]
    assert states == sorted(states)
    for rank in range(0, USUAL.max_rank, 250):
        board = USUAL.unrank(rank)
        assert sorted(cell for _, cells in board.pieces for cell in cells) == list(range(54))
        for image in USUAL.cover_problem.images:
            assert USUAL.rank(Board(GAME, tuple(image[n] for n in board.placements))) == rank
        assert parse_board(format_board(board)) == board
    with pytest.raises(RankError, match="not one of this space"):
        USUAL.rank(Board(GAME, board.placements[:-1]))
    with pytest.raises(RankError, match="ranks are 0 to 2507"):
        USUAL.unrank(2508)


def test_arrays_are_the_boards() -> None:
    assert USUAL.states_block(10, 3).tolist() == USUAL.states_at(np.array([10, 11, 12])).tolist()
    assert tuple(n for n in USUAL.states_block(10, 1)[0].tolist() if n >= 0) == USUAL.unrank(10).placements


def test_colour_puzzles_are_the_golden_ones() -> None:
    evaluator = Colours(NoParams(), USUAL, {})
    values = evaluator.evaluate_states(USUAL.states_block(0, USUAL.max_rank)).values
    totals = {m.name: int(v.sum()) for m, v in zip(evaluator.metrics, values, strict=True)}  # type: ignore[union-attr]
    assert totals == facts("tangram")["colour_puzzles_on_2508"]


def test_plain_and_array_evaluators_agree() -> None:
    ranks = np.arange(0, USUAL.max_rank, 97)
    states = USUAL.states_at(ranks)
    for evaluator in (BoardFacts(NoParams(), USUAL, {}), Colours(NoParams(), USUAL, {})):
        evaluation = evaluator.evaluate_states(states)
        assert evaluation.status is None
        rows = list(zip(*(v.tolist() for v in evaluation.values), strict=True))  # type: ignore[union-attr]
        assert rows == [tuple(evaluator.evaluate(USUAL.unrank(rank))) for rank in ranks.tolist()]


def test_a_board_with_all_pieces_excludes_none() -> None:
    kinds = [placement.piece for placement in geometry(3).placements]
    every = Board(GAME, tuple(kinds.index(number) for number in range(10)))
    assert excluded_piece(every) is None
    assert excluded_piece(Board(GAME, ())) == 0
    evaluator = BoardFacts(NoParams(), USUAL, {})
    status = evaluator.evaluate_states(np.array([every.placements], np.int32)).status
    assert status is not None
    assert status.tolist() == [[1], [0], [0], [0], [0]]


def test_what_two_pieces_share() -> None:
    table = shared_table(geometry(3))
    assert (table == table.T).all()
    board = USUAL.unrank(7)
    for one in range(len(board.placements)):
        for other in range(one):
            assert table[board.placements[one], board.placements[other]] == shared(board, one, other)


def test_partial_boards_lead_to_every_board_once() -> None:
    partial = partial_boards(PartialBoardsParams(depth=2))
    covers = partial.partial_covers
    found = np.concatenate([covers.covers(rank).covers for rank in range(covers.max_rank)])
    assert (covers.search.canonical(found) == USUAL.covers).all()
    board = partial.unrank(5)
    assert len(board.placements) == 2
    assert partial.rank(board) == 5
    with pytest.raises(RankError, match="another size"):
        partial.rank(Board(of_side(2), board.placements))


@pytest.mark.parametrize(
    ("params", "sentence"),
    [
        (BoardsParams(sizes=(4,)), "it has 96 cells, and all of them together cover 60"),
        (BoardsParams(without=PIECE_ORDER[:9], copies=("Trapezoid 1",)), "all of them together cover 3"),
        (BoardsParams(sizes=(1,), without=PIECE_ORDER[:9], copies=("Trapezoid 1",)), "together cover 3"),
    ],
)
def test_what_pieces_cannot_cover_is_a_sentence(params: BoardsParams, sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        solved_boards(params)


def test_pieces_must_be_known() -> None:
    with pytest.raises(UnknownNameError, match="Did you mean 'Hexagon'"):
        cover_problem(BoardsParams(without=("Hexagone",)))


def test_a_board_too_large_is_estimated_first() -> None:
    boards = solved_boards(BoardsParams(sizes=(4,), copies=tuple(f"{name} 2" for name in PIECE_ORDER[:9])))
    with pytest.raises(ParamsError, match=r"about 10\^1\d partial boards, some [\d,]+ CPU hours"):
        boards.max_rank  # noqa: B018


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("Line 0 1 2 3 4 5", "begins with its side"),
        ("side 99", "The board has 58,806 cells; at most 1,000"),
        ("side 3; Lime 0 1 2 3 4 5", "Did you mean 'Line'"),
        ("side 3; Line 0 1 2 3 4 x", "Cells of a board are numbers"),
        ("side 3; Line 0 1 2 3 4 53", "cannot lie on the cells"),
        ("side 3; Line 0 1 2 3 4 5; Trapezoid 4 5 6", "covered already"),
    ],
)
def test_boards_that_cannot_be_read(text: str, sentence: str) -> None:
    with pytest.raises(EpcgError, match=sentence):
        parse_board(text)
