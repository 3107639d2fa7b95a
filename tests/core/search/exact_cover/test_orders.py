"""Orders of the cells: neighbours are found without coordinates, and a search goes along the short side."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import product

import pytest
from hypothesis import given

from epcg_core.search.exact_cover.orders import neighbours, sweeps
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch
from tests.core.search.exact_cover.algorithm_x import boards
from tests.core.search.exact_cover.polyforms import Cell, beside, packing, rectangle, rhomboid, shapes


@pytest.mark.parametrize(
    ("board", "size"),
    [(rectangle(6, 10), 5), (rectangle(7, 4), 4), (rhomboid(6, 6), 6), (rhomboid(9, 4), 6)],
)
def test_the_neighbours_of_a_lattice_have_a_common_edge(board: list[Cell], size: int) -> None:
    found = neighbours(packing(board, shapes(size, len(board[0]) == 3)))
    pairs = {tuple(sorted((board.index(a), board.index(b)))) for a in board for b in beside(a) if b in board}
    assert found == sorted(pairs)


@given(boards())
def test_neighbours_connect_every_placement(problem: CoverProblem) -> None:
    pairs = neighbours(problem)
    for _, cells in problem.placements:
        reached, further = set(), {cells[0]}
        while further:
            reached |= further
            further = {
                b for pair in pairs for a, b in (pair, pair[::-1]) if a in reached and b in cells
            } - reached
        assert reached == set(cells)


def open_edges(order: Sequence[int], pairs: list[tuple[int, int]]) -> list[int]:
    filled: set[int] = set()
    found = []
    for cell in order:
        filled.add(cell)
        found.append(sum((a in filled) != (b in filled) for a, b in pairs))
    return found


def open_cells(order: Sequence[int], pairs: list[tuple[int, int]]) -> list[int]:
    filled: set[int] = set()
    found = []
    for cell in order:
        filled.add(cell)
        beyond = {b for pair in pairs for a, b in (pair, pair[::-1]) if a in filled and b not in filled}
        found.append(len(beyond))
    return found


@pytest.mark.parametrize(("width", "height"), [(3, 7), (7, 3), (5, 4)])
def test_no_sweep_from_a_corner_has_a_shorter_border(width: int, height: int) -> None:
    problem = packing(rectangle(width, height), shapes(4))
    pairs, cells = neighbours(problem), range(problem.cells)
    steps = [[abs(a % width - b % width) + abs(a // width - b // width) for b in cells] for a in cells]
    corners = (0, width - 1, width * (height - 1), width * height - 1)
    every = [
        sorted(cells, key=lambda c: (steps[a][c] + steps[b][c], steps[a][c], c))
        for a, b in product(corners, cells)
    ]
    for measure in (open_cells, open_edges):
        cost = lambda order, measure=measure: sum(2**n for n in measure(order, pairs))  # noqa: E731
        assert min(map(cost, sweeps(problem))) == min(map(cost, every))


def test_the_edges_of_a_straight_border_are_fewest() -> None:
    """Row by row of a board that is three wide: two open edges to the side, and three ahead, at most."""
    problem = packing(rectangle(7, 3), shapes(4))
    pairs = neighbours(problem)
    assert min(max(open_edges(order, pairs)) for order in sweeps(problem)) == 4
    assert max(open_edges(range(21), pairs)) == 8


def test_a_board_without_neighbours_has_no_other_order() -> None:
    assert sweeps(packing(rectangle(2, 2), [((0, 0),)], [4], [4])) == []


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("board", "size", "distinct"),
    [
        (rectangle(6, 10), 5, 2339), (rectangle(10, 6), 5, 2339), (rectangle(12, 5), 5, 1010),
        (rhomboid(6, 6), 6, 156), (rhomboid(12, 3), 6, 0),
    ],
)  # fmt: skip
def test_famous_boards_take_few_steps_whatever_the_numbers_of_cells(
    board: list[Cell], size: int, distinct: int
) -> None:
    search = CoverSearch(packing(board, shapes(size, len(board[0]) == 3)))
    assert search.method.together
    found = search.whole()
    assert len(found.covers) == distinct
    assert found.nodes < 10_000_000
