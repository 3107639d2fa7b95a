"""The order of the cells is chosen by the search: it changes how long it takes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from hypothesis import given

from epcg_core.search.exact_cover import solver
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch, Method, PartialCovers, solve
from tests.core.search.exact_cover.algorithm_x import boards
from tests.core.search.exact_cover.polyforms import packing, rectangle, shapes

PENTOMINOES = shapes(5)

SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
"""A sudoku of 17 clues, from Gordon Royle's collection, with one solution."""
SOLUTION = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"


def sudoku(clues: str) -> tuple[CoverProblem, list[tuple[int, int]]]:
    """The problem of a sudoku, and the (place, digit) of each placement."""
    marks = [(i, d) for i, clue in enumerate(clues) for d in range(9) if clue in ("0", str(d + 1))]
    placements = []
    for i, d in marks:
        row, column = divmod(i, 9)
        box = row // 3 * 3 + column // 3
        placements.append((0, [i, 81 + 9 * row + d, 162 + 9 * column + d, 243 + 9 * box + d]))
    return CoverProblem(324, placements, [81], [81]), marks


def test_a_rectangle_turned_the_bad_way_takes_no_more_nodes() -> None:
    upright, lying = (
        solve(packing(rectangle(3, 20), PENTOMINOES)),
        solve(packing(rectangle(20, 3), PENTOMINOES)),
    )
    assert len(upright.covers) == len(lying.covers) == 2
    assert lying.nodes <= 2 * upright.nodes


def test_a_sudoku_of_few_clues_is_solved_at_once() -> None:
    problem, marks = sudoku(SEVENTEEN)
    found = solve(problem)
    assert len(found.covers) == 1
    assert found.nodes < 1_000
    digits = {place: str(digit + 1) for place, digit in (marks[number] for number in found.covers[0])}
    assert "".join(digits[i] for i in range(81)) == SOLUTION


def test_the_frontier_of_a_sudoku_is_searched_as_fast() -> None:
    space = PartialCovers(sudoku(SEVENTEEN)[0], 1)
    found = [space.covers(rank) for rank in range(space.max_rank)]
    assert sum(len(each.covers) for each in found) == 1
    assert sum(each.nodes for each in found) < 100_000


WAYS = ("small", "own", "sweep", "fewest")


@contextmanager
def chosen(way: str) -> Iterator[None]:
    """All searches as small ones, or in one of the ways of large ones."""
    never, always = float("inf"), 0.0
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "LARGE", never if way == "small" else -1.0)
        patch.setattr(solver, "ORDER_RATIO", always if way == "sweep" else never)
        patch.setattr(solver, "FEWEST_RATIO", always if way == "fewest" else never)
        yield


@pytest.mark.parametrize("depths", [(2,), pytest.param((0, 1, 2, 3), marks=pytest.mark.slow)])
@given(problem=boards())
def test_the_choice_changes_neither_ranks_nor_covers_nor_their_order(
    problem: CoverProblem, depths: tuple[int, ...]
) -> None:
    found = {}
    for way in WAYS:
        with chosen(way):
            own: list[object] = [CoverSearch(problem).whole().covers.tolist(), solve(problem).covers.tolist()]
            for depth in depths:
                space = PartialCovers(problem, depth)
                for rank in range(space.max_rank):
                    own.append((depth, space.unrank(rank), space.covers(rank).covers.tolist()))
            found[way] = own
    assert found["own"] == found["sweep"] == found["fewest"] == found["small"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize("way", WAYS)
@given(problem=boards())
def test_the_kernels_do_what_the_plain_form_does(problem: CoverProblem, way: str) -> None:
    with chosen(way):
        for depth in range(3):
            space = PartialCovers(problem, depth)
            for rank in range(space.max_rank):
                compiled, plain = space.covers(rank), space.covers(rank, plain=True)
                assert compiled.covers.tolist() == plain.covers.tolist()
                assert compiled.nodes == plain.nodes


def test_each_way_is_taken_when_it_is_forced() -> None:
    problem = packing(rectangle(4, 3), shapes(3), [0, 0], [4, 4])
    taken = {}
    for way in WAYS:
        with chosen(way):
            taken[way] = CoverSearch(problem).method
    order = taken["sweep"].order
    assert order is not None
    assert sorted(order) == list(range(12))
    assert taken == {
        "small": Method(),
        "own": Method(together=True),
        "sweep": Method(order, together=True),
        "fewest": Method(fewest=True, together=True),
    }
