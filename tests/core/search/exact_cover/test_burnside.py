"""Covers modulo the symmetries: as many as a symmetry fixes covers on average, by Burnside's lemma."""

from __future__ import annotations

import attrs
import pytest
from hypothesis import given, settings

from epcg_core.search.exact_cover.choices import count_covers
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import PartialCovers, solve
from tests.core.search.exact_cover.algorithm_x import all_covers, boards
from tests.core.search.exact_cover.polyforms import hexagon, packing, rectangle, rhomboid, shapes
from tests.core.search.exact_cover.test_fewest import WAYS, chosen
from tests.sweeps import most

I3, L3 = sorted(
    shapes(3), key=lambda shape: len({x for x, _ in shape}) != 1 and len({y for _, y in shape}) != 1
)
MONO, DOMINO = shapes(1)[0], shapes(2)[0]
DIAMOND, TRAPEZOID = shapes(2, triangles=True)[0], shapes(3, triangles=True)[0]
TRIANGLE = shapes(1, triangles=True)[0]
TETRIAMONDS = shapes(4, triangles=True)

PROBLEMS = {
    "dominoes on a square": packing(rectangle(4, 4), [DOMINO], [8], [8]),
    "two symmetric pieces on a square": packing(rectangle(3, 3), [I3, MONO], [1, 6], [1, 6]),
    "corners, some left in the box": packing(rectangle(4, 3), [L3, I3], [0, 0], [3, 2]),
    "one of each": packing(rectangle(3, 4), [L3, I3, DOMINO, shapes(4)[0]], [0, 1, 1, 0], [2, 1, 1, 1]),
    "corners of a square may stay empty": packing(
        rectangle(4, 4), [L3, I3, DOMINO], [0, 0, 0], [2, 2, 4], [(0, 0), (0, 3), (3, 0), (3, 3)]
    ),
    "a ring": packing(
        [c for c in rectangle(5, 5) if 0 in c or 4 in c], [L3, I3, DOMINO], [0, 1, 0], [4, 4, 3]
    ),
    "diamonds on a hexagon": packing(hexagon(2), [DIAMOND], [12], [12]),
    "trapezoids, a diamond and a triangle on a hexagon": packing(
        hexagon(2), [TRAPEZOID, DIAMOND, TRIANGLE], [7, 0, 1], [8, 1, 1]
    ),
    "trapezoids on a star": packing(
        hexagon(1, points=True), [TRAPEZOID, DIAMOND, TRIANGLE], [0, 0, 0], [4, 6, 2]
    ),
    "tetriamonds turned, not flipped": packing(rhomboid(4, 3), TETRIAMONDS, [0] * 3, [3] * 3, flip=False),
    "a rhombus whose middle may stay empty": packing(
        rhomboid(3, 3), [*TETRIAMONDS, DIAMOND], [0, 0, 0, 0], [1, 2, 1, 2], [(1, 1, -1), (1, 1, 0)]
    ),
}


def orbits_by_burnside(problem: CoverProblem) -> int:
    """Count orbits from all covers as sets of pieces on cells: nothing of it is the search's."""
    covers = [
        frozenset((problem.placements[n][0], frozenset(problem.placements[n][1])) for n in cover)
        for cover in all_covers(problem)
    ]
    fixed = 0
    for symmetry in group(problem):
        for cover in covers:
            image = frozenset(
                (symmetry[problem.cells + piece], frozenset(symmetry[c] for c in cells))
                for piece, cells in cover
            )
            fixed += image == cover
    assert fixed % len(group(problem)) == 0
    return fixed // len(group(problem))


def group(problem: CoverProblem) -> set[tuple[int, ...]]:
    """All products of the symmetries, as images of the cells and then of the pieces."""
    cells, same = problem.cells, tuple(range(problem.pieces))
    found = {(*range(cells), *same), *((*own[:cells], *(own[cells:] or same)) for own in problem.symmetries)}
    while True:
        products = {
            (*(a[c] for c in b[:cells]), *(a[cells + piece] for piece in b[cells:]))
            for a in found
            for b in found
        }
        if products <= found:
            return found
        found |= products


@pytest.mark.sweep(2)
@pytest.mark.parametrize("name", PROBLEMS)
def test_as_many_covers_as_symmetries_fix_on_average(name: str) -> None:
    problem = PROBLEMS[name]
    expected = orbits_by_burnside(problem)
    assert expected > 0
    assert len(group(problem)) > 1
    assert count_covers(problem, [problem.least], [problem.most]).tolist() == [expected]
    for way in WAYS:
        with chosen(way):
            assert len(solve(problem).covers) == expected
            space = PartialCovers(problem, 2)
            assert sum(len(space.covers(rank).covers) for rank in range(space.max_rank)) == expected


@settings(max_examples=most(60))
@given(boards())
def test_as_many_as_on_average_on_random_boards(problem: CoverProblem) -> None:
    expected = orbits_by_burnside(problem)
    assert len(solve(problem).covers) == expected
    assert count_covers(problem, [problem.least], [problem.most]).tolist() == [expected]


def test_some_covers_are_symmetric_and_some_pieces_alike() -> None:
    """The lemma is not needed where every orbit has the size of the group: here they have not."""
    shorter = 0
    for problem in PROBLEMS.values():
        raw = len(solve(attrs.evolve(problem, symmetries=())).covers)
        shorter += len(solve(problem).covers) * len(problem.group) > raw
    assert shorter >= 8
