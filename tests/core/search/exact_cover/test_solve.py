"""Exact covers: the same as Algorithm X finds, with and without symmetry, at any depth and width of words."""

from __future__ import annotations

import math
from typing import Any

import attrs
import numpy as np
import pytest
from hypothesis import given, settings

from epcg_core.base.errors import EpcgError, ParamsError, RankError
from epcg_core.compiled import read_only
from epcg_core.search.exact_cover import solver
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import (
    CoverSearch,
    PartialCovers,
    estimate_cost,
    estimate_nodes,
    solve,
)
from tests.core.search.exact_cover.algorithm_x import Cover, all_covers, boards, modulo_symmetry
from tests.core.search.exact_cover.polyforms import packing, rectangle as polyominoes, shapes
from tests.sweeps import most

DOMINO = CoverProblem(4, [(0, (0, 1)), (0, (1, 2)), (0, (2, 3)), (0, (3, 0))], [0], [2])


def as_tuples(rows: Any) -> list[Cover]:
    return [tuple(number for number in row if number >= 0) for row in rows.tolist()]


def rectangle(width: int, height: int, copies: int) -> CoverProblem:
    """Dominoes on a rectangle."""
    cell = lambda x, y: y * width + x  # noqa: E731
    across = [(cell(x, y), cell(x + 1, y)) for y in range(height) for x in range(width - 1)]
    down = [(cell(x, y), cell(x, y + 1)) for y in range(height - 1) for x in range(width)]
    mirrors = [
        [cell(width - 1 - x, y) for y in range(height) for x in range(width)],
        [cell(x, height - 1 - y) for y in range(height) for x in range(width)],
    ]
    return CoverProblem(width * height, [(0, c) for c in across + down], [0], [copies], (), mirrors)


@settings(max_examples=most(60))
@given(boards())
def test_covers_are_those_of_algorithm_x_modulo_symmetry(problem: CoverProblem) -> None:
    assert as_tuples(solve(problem).covers) == modulo_symmetry(problem, all_covers(problem))


@settings(max_examples=most(30))
@given(boards())
def test_without_symmetries_every_cover_counts(problem: CoverProblem) -> None:
    assert as_tuples(solve(attrs.evolve(problem, symmetries=())).covers) == all_covers(problem)


@settings(max_examples=most(30))
@given(boards())
def test_the_frontier_at_any_depth_leads_to_each_cover_once(problem: CoverProblem) -> None:
    whole = solve(problem)
    for depth in range(4):
        space = PartialCovers(problem, depth)
        below = [space.covers(rank) for rank in range(space.max_rank)]
        found = np.concatenate([part.covers for part in below] or [space.search.nothing])
        assert len(found) == len(whole.covers)
        assert (space.search.canonical(found) == whole.covers).all()
        assert space.nodes + sum(part.nodes for part in below) == whole.nodes
        for rank in range(space.max_rank):
            state = space.unrank(rank)
            assert space.rank(state) == rank
            assert all(row[: len(state)] == state for row in as_tuples(below[rank].covers))


@settings(max_examples=most(60))
@given(boards())
def test_many_words_give_what_one_word_gives(problem: CoverProblem) -> None:
    """The same board behind 70 cells that a piece of its own covers."""
    shift = 70
    extra = problem.pieces
    moved = CoverProblem(
        problem.cells + shift,
        [
            *((piece, tuple(c + shift for c in cells)) for piece, cells in problem.placements),
            *((extra, (c,)) for c in range(shift)),
        ],
        [*problem.least, 0],
        [*problem.most, shift],
        [c + shift for c in problem.optional],
        [
            (
                *range(shift),
                *(c + shift for c in symmetry[: problem.cells]),
                *symmetry[problem.cells :],
                *[extra][: len(symmetry) - problem.cells],
            )
            for symmetry in problem.symmetries
        ],
        empty=problem.empty,
        unused=problem.unused,
    )
    assert CoverSearch(moved).layout().words == 2
    one, many = solve(problem), solve(moved)
    added = set(range(len(problem.placements), len(moved.placements)))
    assert sorted(tuple(sorted(set(row) - added)) for row in as_tuples(many.covers)) == sorted(
        as_tuples(one.covers)
    )


def test_a_cell_with_more_than_64_placements_and_more_than_64_pieces() -> None:
    dominoes = rectangle(2, 3, 1).placements
    many = [(piece, cells) for piece in range(70) for _, cells in dominoes]
    problem = CoverProblem(6, many, [0] * 70, [1] * 2 + [0] * 66 + [1] * 2)
    placed_first = [cells for _, cells in problem.placements if cells[0] == 0]
    assert len(placed_first) > 2 * 64
    search = CoverSearch(problem)
    found, plain = search.whole(), search.whole(plain=True)
    assert found.nodes == plain.nodes
    assert found.covers.tolist() == plain.covers.tolist()
    assert as_tuples(solve(problem).covers) == all_covers(problem) != []


@settings(max_examples=most(60))
@given(boards())
def test_what_the_areas_rule_out_has_no_cover(problem: CoverProblem) -> None:
    if problem.impossible() is not None:
        assert all_covers(problem) == []
        assert solve(problem).nodes == 0


@pytest.mark.parametrize(
    ("width", "height", "tilings", "distinct"),
    [(2, 2, 2, 2), (4, 4, 36, 17), (8, 3, 153, 46), (6, 6, 6728, 1860)],
)
def test_domino_tilings(width: int, height: int, tilings: int, distinct: int) -> None:
    """A004003 and Kasteleyn's counts; the distinct ones under the two mirrors by Burnside."""
    problem = rectangle(width, height, width * height)
    raw = attrs.evolve(problem, symmetries=())
    assert len(solve(raw).covers) == tilings
    covers = as_tuples(solve(raw).covers)
    images = ((image, cover) for image in problem.images for cover in covers)
    fixed = sum(tuple(sorted(image[n] for n in cover)) == cover for image, cover in images)
    assert len(solve(problem).covers) == fixed // 4 == distinct


def test_the_eight_queens_as_exact_cover() -> None:
    """Rows and columns must be covered, diagonals may be: 92 ways, 12 up to symmetry."""
    n = 8
    diagonal = 2 * n - 1

    def cells(x: int, y: int) -> tuple[int, ...]:
        return x, n + y, 2 * n + x + y, 2 * n + diagonal + x - y + n - 1

    def symmetry(to: Any) -> list[int]:
        image = [0] * (2 * n + 2 * diagonal)
        for x in range(n):
            for y in range(n):
                a, b = cells(x, y), cells(*to(x, y))
                rows = (b[1], b[0]) if to(0, 0)[0] == to(1, 0)[0] else (b[0], b[1])
                along = (b[3], b[2]) if (sum(to(0, 1)) != sum(to(1, 0))) else (b[2], b[3])
                for one, other in zip(a, rows + along, strict=True):
                    image[one] = other
        return image

    queens = [(0, cells(x, y)) for x in range(n) for y in range(n)]
    optional = range(2 * n, 2 * n + 2 * diagonal)
    mirror, transpose = symmetry(lambda x, y: (n - 1 - x, y)), symmetry(lambda x, y: (y, x))
    problem = CoverProblem(2 * n + 2 * diagonal, queens, [n], [n], optional, [mirror, transpose])
    assert len(problem.group) == 8
    assert len(solve(attrs.evolve(problem, symmetries=())).covers) == 92
    assert len(solve(problem).covers) == 12


def test_one_asymmetric_piece_is_fixed_and_nothing_is_left_to_test() -> None:
    square = [[3 * (c % 3) + 2 - c // 3 for c in range(9)], [3 * (c // 3) + 2 - c % 3 for c in range(9)]]
    corner = [(0, (0, 1, 3))]
    group = CoverProblem(9, (), (), (), (), square).group
    placements = sorted({(0, tuple(sorted(s[c] for c in cells))) for _, cells in corner for s in group})
    rest = [(1, (c,)) for c in range(9)]
    problem = CoverProblem(9, placements + rest, [1, 0], [1, 9], (), square)
    roots = CoverSearch(problem).roots
    assert [len(root.fixed) for root in roots] == [1]
    assert len(roots[0].kept_by) == 1  # the mirror along the corner's own diagonal
    assert len(solve(problem).covers) == 1
    assert len(solve(attrs.evolve(problem, symmetries=())).covers) == 4


def test_a_limit_is_a_sentence() -> None:
    problem = rectangle(4, 4, 8)
    assert len(solve(problem, limit=17).covers) == 17
    with pytest.raises(EpcgError, match="more than 16 covers"):
        solve(problem, limit=16)


def test_a_frontier_too_large_is_a_sentence(monkeypatch: pytest.MonkeyPatch) -> None:
    problem = rectangle(4, 4, 8)
    size = PartialCovers(problem, 4).max_rank
    monkeypatch.setattr(solver, "FRONTIER_LIMIT", size)
    assert PartialCovers(problem, 4).max_rank == size
    monkeypatch.setattr(solver, "FRONTIER_LIMIT", size - 1)
    with pytest.raises(ParamsError, match="partial covers of 4 placements: choose a smaller depth"):
        PartialCovers(problem, 4)


def test_estimates_are_near_the_nodes() -> None:
    problem = attrs.evolve(rectangle(6, 6, 18), symmetries=())
    nodes = solve(problem).nodes
    assert math.isclose(estimate_nodes(problem, 4000), nodes, rel_tol=0.25)
    assert estimate_nodes(DOMINO, 10) == solve(DOMINO).nodes == 4
    assert estimate_nodes(attrs.evolve(DOMINO, most=(1,))) == 0.0


@pytest.mark.parametrize(
    ("width", "height", "copies"), [(5, 4, 8), pytest.param(6, 5, 13, marks=pytest.mark.slow)]
)
def test_costs_are_near_the_nodes_of_the_way_that_is_searched(width: int, height: int, copies: int) -> None:
    assert estimate_cost(DOMINO) == solve(DOMINO).nodes == 4
    assert estimate_cost(attrs.evolve(DOMINO, most=(1,))) == 0.0
    every = rectangle(width, height, copies)
    some = attrs.evolve(every, least=(copies,), optional=range(width * height), symmetries=())
    for problem in (rectangle(6, 6, 18), some):
        assert math.isclose(estimate_cost(problem), solve(problem).nodes, rel_tol=0.25)


def test_costs_of_a_board_turned_the_bad_way_are_of_the_order_of_its_nodes() -> None:
    lying = packing(polyominoes(20, 3), shapes(5))
    assert solve(lying).nodes / 3 < estimate_cost(lying) < 3 * solve(lying).nodes


@pytest.mark.parametrize(
    ("change", "sentence"),
    [
        ({"cells": 0}, "needs cells"),
        ({"least": [3]}, "0 <= least <= most"),
        ({"least": [0, 0]}, "0 <= least <= most"),
        ({"optional": [4]}, "optional cells are not all from 0 to 3"),
        ({"placements": [(1, (0, 1))]}, "Placement 0 is of piece 1"),
        ({"placements": [(0, (0, 4))]}, "Placement 0 covers"),
        ({"placements": [(0, ())]}, "Placement 0 covers"),
        ({"placements": [(0, (0, 0))]}, "Placement 0 covers"),
        ({"placements": [(0, (0, 1)), (0, (1, 0))]}, "Placement 1 is listed twice"),
        ({"symmetries": [(0, 1, 2, 2)]}, "is not a permutation of 4 cells"),
    ],
)
def test_malformed_problems_are_refused(change: dict[str, Any], sentence: str) -> None:
    with pytest.raises(ParamsError, match=sentence):
        attrs.evolve(DOMINO, **change)


def test_symmetries_must_keep_the_problem() -> None:
    half = attrs.evolve(DOMINO, placements=DOMINO.placements[:2], symmetries=[(1, 2, 3, 0)])
    with pytest.raises(ParamsError, match="makes no placement of placement 1"):
        solve(half)
    with pytest.raises(ParamsError, match="moves an optional cell"):
        solve(attrs.evolve(DOMINO, optional=[0], symmetries=[(1, 2, 3, 0)]))
    with pytest.raises(ParamsError, match=r"group of more than 10,000"):
        solve(CoverProblem(8, [(0, (c,)) for c in range(8)], [8], [8], (), [
            (1, 0, *range(2, 8)), (*range(1, 8), 0),
        ]))  # fmt: skip


def test_why_areas_rule_covers_out() -> None:
    assert DOMINO.impossible() is None
    assert attrs.evolve(DOMINO, most=(1,)).impossible() == (
        "No choice of the pieces has an area of 4 cells: 2 at most."
    )
    alone = CoverProblem(2, [(0, (0, 1))], [0, 1], [1, 1])
    assert alone.impossible() == "Piece 1 must be used and has no placement."


def test_ranks_outside_the_frontier_are_refused() -> None:
    space = PartialCovers(DOMINO, 1)
    assert space.max_rank == 2
    with pytest.raises(RankError, match="ranks are 0 to 1"):
        space.unrank(2)
    with pytest.raises(RankError, match="is not a partial cover of 1 placements"):
        space.rank((3, 3))
    with pytest.raises(ParamsError, match="depth must be 0 or more"):
        PartialCovers(DOMINO, -1)


def test_covers_come_as_read_only_tables_can_take_them() -> None:
    assert solve(DOMINO).covers.tolist() == [[0, 2], [1, 3]]
    assert read_only(solve(DOMINO).covers).dtype == np.int32
