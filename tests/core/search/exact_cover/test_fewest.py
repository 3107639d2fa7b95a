"""The order of the cells is chosen by the search: it changes how long it takes, and nothing else."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import product

import pytest
from hypothesis import given

from epcg_core.search.exact_cover import solver
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import CoverSearch, PartialCovers, solve
from tests.core.search.exact_cover.algorithm_x import boards

PENTOMINOES = [".##/##./.#.", "#####", "####/#...", "##../.###", "###/##.", "###/.#./.#.", "#.#/###",
               "#../#../###", "#../##./.##", ".#./###/.#.", "####/.#..", "##./.#./.##"]  # fmt: skip
SEVENTEEN = "000000010400000000020000000000050407008000300001090000300400200050100000000806000"
"""A sudoku of 17 clues, from Gordon Royle's collection, with one solution."""
SOLUTION = "693784512487512936125963874932651487568247391741398625319475268856129743274836159"


def pentominoes(width: int, height: int) -> CoverProblem:
    """Twelve pentominoes on a rectangle, with cells numbered row by row."""
    placements = []
    for piece, text in enumerate(PENTOMINOES):
        cells = [(x, y) for y, row in enumerate(text.split("/")) for x, mark in enumerate(row) if mark == "#"]
        shapes = set()
        for turn, mirror in product(range(4), (1, -1)):
            turned = [(mirror * x, y) for x, y in cells]
            for _ in range(turn):
                turned = [(-y, x) for x, y in turned]
            left, top = min(x for x, _ in turned), min(y for _, y in turned)
            shapes.add(tuple(sorted((x - left, y - top) for x, y in turned)))
        for shape in sorted(shapes):
            for dx, dy in product(range(width), range(height)):
                at = [(x + dx, y + dy) for x, y in shape]
                if all(x < width and y < height for x, y in at):
                    placements.append((piece, [x + width * y for x, y in at]))
    cells = list(product(range(height), range(width)))
    mirrors = [
        [width - 1 - x + width * y for y, x in cells],
        [x + width * (height - 1 - y) for y, x in cells],
    ]
    return CoverProblem(width * height, placements, [1] * 12, [1] * 12, (), mirrors)


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
    upright, lying = solve(pentominoes(3, 20)), solve(pentominoes(20, 3))
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


@contextmanager
def chosen(fewest: bool) -> Iterator[None]:
    """All searches by the cell with the fewest placements, or none."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(solver, "FEWEST_FROM", -1.0 if fewest else float("inf"))
        patch.setattr(solver, "FEWEST_RATIO", 0.0)
        yield


@given(boards())
def test_the_choice_changes_neither_ranks_nor_covers_nor_their_order(problem: CoverProblem) -> None:
    found = {}
    for fewest in (True, False):
        with chosen(fewest):
            own: list[object] = [CoverSearch(problem).whole().covers.tolist(), solve(problem).covers.tolist()]
            for depth in range(4):
                space = PartialCovers(problem, depth)
                for rank in range(space.max_rank):
                    own.append((depth, space.unrank(rank), space.covers(rank).covers.tolist()))
            found[fewest] = own
    assert found[True] == found[False]


@given(boards())
def test_the_kernel_does_what_the_plain_form_does(problem: CoverProblem) -> None:
    with chosen(True):
        for depth in range(3):
            space = PartialCovers(problem, depth)
            for rank in range(space.max_rank):
                compiled, plain = space.covers(rank), space.covers(rank, plain=True)
                assert compiled.covers.tolist() == plain.covers.tolist()
                assert compiled.nodes == plain.nodes
