"""Entropy over Fling! boards: the inference rule of the 2013 paper, and what it leaves of a board's moves."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product
from math import inf, log2
from typing import Any, Literal

import numpy as np
import pytest
from epcg_fling.formats.boards import parse_board
from epcg_fling.generators.boards import Boards
from epcg_fling.inference.rules import IndependentMoves
from epcg_fling.params import BoardEntropyParams, BoardsParams, IndependentParams
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, Move, fling, independent, legal_moves
from epcg_fling.rules.solving import Solver, tree_size
from hypothesis import given, strategies as st

from epcg_core.difficulty import Answer, StateSpace, adversarial, msi, muse, remuse, tsi
from epcg_core.domain import resolve
from epcg_core.plugins.registry import registry

SHAPE = BoardShape(7, 8)
SMALL = BoardShape(4, 4)


def space(
    bits: int, exclude: Literal["both", "one"] | None = "both", shape: BoardShape = SHAPE
) -> StateSpace:
    boards = Boards(BoardsParams(shape.width, shape.height, bits.bit_count()))
    rules = [IndependentMoves(IndependentParams(exclude), boards)] if exclude else []
    return StateSpace(boards.transition_model, bits, rules)


def boards_of(shape: BoardShape, pieces: int) -> st.SearchStrategy[int]:
    cells = st.lists(st.integers(0, shape.cells - 1), min_size=pieces, max_size=pieces, unique=True)
    return cells.map(lambda chosen: sum(1 << cell for cell in chosen))


def test_two_pieces() -> None:
    """Either piece can be flung at the other: one choice of two, and both are right."""
    board = parse_board(BoardShape(4, 1), "o..o")
    found = space(board, shape=BoardShape(4, 1))
    assert muse(found).value == 1.0
    assert tsi(found).value == 0.0
    assert muse(found, collapse_zero=True).value == 0.0
    assert len(found) == 3


def test_independent_moves_are_excluded() -> None:
    """Two pairs far apart: either move of one pair can be made before or after either move of the other.

    Of those two orders, `both` excludes both and `one` the order that begins with the higher move.
    """
    board = parse_board(SHAPE, "o..o.../......./......./......./......./......./......./...o..o")
    upper, lower = [(0, RIGHT), (3, LEFT)], [(52, RIGHT), (55, LEFT)]
    assert legal_moves(SHAPE, board) == [(0, RIGHT), (3, DOWN), (3, LEFT), (52, UP), (52, RIGHT), (55, LEFT)]
    for first, second in product(upper, lower):
        assert answer(board, first, second, "both") is answer(board, second, first, "both") is Answer.CANNOT
        assert answer(board, first, second, "one") is Answer.UNKNOWN
        assert answer(board, second, first, "one") is Answer.CANNOT
    # The column's move takes away a piece that the upper pair needs, so nothing can be said.
    assert answer(board, (0, RIGHT), (3, DOWN), "both") is Answer.UNKNOWN


def answer(before: int, first: Move, second: Move, exclude: Literal["both", "one"]) -> Answer:
    rule = IndependentMoves(IndependentParams(exclude), Boards(BoardsParams()))
    return rule.after(before, first, fling(SHAPE, before, first), second)


@given(boards_of(SMALL, 5))
def test_the_rule_is_the_papers_independence(board: int) -> None:
    rule = IndependentMoves(IndependentParams("both"), Boards(BoardsParams(4, 4, 5)))
    for first in legal_moves(SMALL, board):
        after = fling(SMALL, board, first)
        for second in legal_moves(SMALL, after):
            said = rule.after(board, first, after, second) is Answer.CANNOT
            assert said == independent(SMALL, board, first, second)


@given(boards_of(SMALL, 5))
def test_the_player_who_knows_the_rule_walks_the_experts_tree(board: int) -> None:
    """The nodes of the tree behind `expert_ratio`, counted over the walk's states."""
    found = space(board, "both", SMALL)
    order = found.acyclic_order("the tree")
    nodes = [0] * len(found)
    for state in order:
        nodes[state] = 1 + sum(nodes[child] for child in found.children[state])
    assert nodes[0] == tree_size(SMALL, board, 10**6, expert=True)


@given(boards_of(SMALL, 5))
def test_a_unique_solution_is_never_excluded(board: int) -> None:
    if Solver(SMALL).unique(board):
        plain, both, one = (muse(space(board, exclude, SMALL)) for exclude in (None, "both", "one"))
        assert both.value <= one.value <= plain.value < inf


@given(boards_of(SMALL, 6))
def test_excluding_one_order_keeps_every_solvable_board_solvable(board: int) -> None:
    assert (muse(space(board, "one", SMALL)).value < inf) == Solver(SMALL).solvable(board)


def test_excluding_both_orders_can_exclude_all_solutions() -> None:
    """As the 2018 paper's expert can: only unique solutions are safe. Among the 4 x 4 boards of 4 pieces."""
    boards = Boards(BoardsParams(4, 4, 4))
    solver = Solver(SMALL)
    solvable = [b for b in map(boards.unrank, range(boards.max_rank)) if solver.solvable(b)]
    lost = [b for b in solvable if muse(space(b, "both", SMALL)).value == inf]
    assert (len(solvable), len(lost)) == (173, 33)
    assert not any(solver.unique(board) for board in lost)


@given(boards_of(SMALL, 5))
def test_paths_are_solutions(board: int) -> None:
    found = space(board, "one", SMALL)
    for measure in (muse, remuse, msi, tsi):
        bits = board
        for move in measure(found).path:
            assert move in legal_moves(SMALL, bits)
            bits = fling(SMALL, bits, move)
        assert bits.bit_count() == 1 or measure(found).value == inf


def evaluate(states: Sequence[int], pieces: int, **params: Any) -> list[Any]:
    info = registry().evaluator("fling", "entropy")
    part = resolve(info.factory)(BoardEntropyParams(**params), Boards(BoardsParams(pieces=pieces)), {})
    assert [metric.name for metric in part.metrics] == [metric.name for metric in info.metrics]
    return [part.evaluate(state) for state in states]


def test_a_board_of_the_game_through_the_registry() -> None:
    """What the evaluator says is what the measures say."""
    states = [6656, 37154696925872128]
    for state in states:
        pieces = state.bit_count()
        (values,) = evaluate([state], pieces)
        found = space(state)
        measured = [measure(found).value for measure in (muse, remuse, adversarial, msi, tsi)]
        assert list(values) == [*measured, len(found)]
        assert values[0] == values[3] >= values[4] > 0.0
    (free,) = evaluate([6656], 3, rules=())
    assert free[0] >= evaluate([6656], 3)[0][0]


@pytest.mark.parametrize("count", [1000, pytest.param(3000, marks=pytest.mark.slow)])
def test_rule_params_reach_the_rule(count: int) -> None:
    boards = Boards(BoardsParams(7, 8, 5))
    ranks = np.random.default_rng(5).integers(0, boards.max_rank, count).tolist()
    solver = Solver(SHAPE)
    solvable = [b for b in map(boards.unrank, ranks) if solver.solvable(b)]
    one = evaluate(solvable, 5, rule_params={"independent": {"exclude": "one"}})
    both = evaluate(solvable, 5)
    assert None not in [values[0] for values in one]
    assert None in [values[0] for values in both]


def test_of_unsolvable_boards_only_what_is_finite_is_known() -> None:
    found = space(0b111)
    assert evaluate([0b111], 3) == [(None, None, adversarial(found).value, None, None, len(found))]


@pytest.mark.parametrize("exclude", ["both", "one"])
def test_entropy_by_hand(exclude: Literal["both", "one"]) -> None:
    """Three pieces in a row, 'o..o.o'. The first can be flung right ('..o.o.'), the second left ('.o...o')
    or right ('o...o.'), the third left ('.o..o.'). Each leaves two pieces, either of which ends the game:
    log2 4 + log2 2 bits, and no way fails.
    """
    shape = BoardShape(6, 1)
    found = space(parse_board(shape, "o..o.o"), exclude, shape)
    assert muse(found).value == log2(4) + 1
    assert tsi(found).value == 0.0
    assert muse(found, collapse_zero=True).value == 0.0
    assert adversarial(found).value == 0.0
