"""The search that checks regions as they close: equal to listing all paths, and fit for large panels."""

from __future__ import annotations

import random

import pytest
from epcg_witness.evaluation.solutions import make_longest_solution, make_solutions, make_unique
from epcg_witness.params import SolutionsParams
from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import Eraser, Panel, Polyomino, Square, Triangles
from epcg_witness.rules.reference import is_solution, regions
from epcg_witness.rules.search import search_solutions
from epcg_witness.solving.search import search_panel
from epcg_witness.solving.solver import count_solutions, first_solutions, solve_panel

from epcg_core.domain import LimitReachedError, NoParams
from tests.witness.random_panels import random_panel


def random_path(r: random.Random, width: int, height: int) -> tuple[int, ...]:
    """A path between the corners of a panel, which wanders; most of its steps keep the end within reach."""
    grid = grid_of(width, height)
    while True:
        path = [0]
        while path[-1] != grid.vertices - 1:
            free = [v for v, _ in grid.neighbours[path[-1]] if v not in path]
            if not free:
                break
            path.append(r.choice(free))
        else:
            return tuple(path)


def crowded_panel(r: random.Random, width: int, height: int) -> tuple[Panel, tuple[int, ...]]:
    """A large panel with a symbol in most cells, and a path that solves it."""
    grid = grid_of(width, height)
    path = random_path(r, width, height)
    drawn = set(grid.path_edges(path))
    symbols: dict[int, object] = {}
    for i, region in enumerate(regions(grid, drawn)):
        for cell in region:
            count = len(drawn.intersection(grid.cell_edges(cell)))
            if count and r.random() < 0.6:
                symbols[cell] = Triangles(min(count, 3))
            elif r.random() < 0.7:
                symbols[cell] = Square(("black", "white", "red", "blue")[i % 4])
        if len(region) < 6 and r.random() < 0.5:
            symbols[min(region)] = Polyomino([grid.cell_at(cell) for cell in region])
    return Panel(width=width, height=height, symbols=symbols), path


@pytest.mark.parametrize("panels", [300, pytest.param(1000, marks=pytest.mark.slow)])
def test_the_search_finds_what_the_table_of_all_paths_has(panels: int) -> None:
    r = random.Random(31)
    solvable = 0
    for _ in range(panels):
        panel = random_panel(r)
        solved = solve_panel(panel, lengths=True, sets=True)
        found = search_panel(panel, first=5)
        expected = tuple(array[0] for array in (solved.solutions, solved.shortest, solved.longest))
        assert (found.solutions, found.shortest, found.longest) == expected, panel
        assert list(found.first) == first_solutions(panel, 5)
        solvable += found.solutions > 0
    assert solvable > panels / 2


def test_empty_panels_have_all_their_paths() -> None:
    assert search_panel(Panel(width=4, height=4)).solutions == 8512
    inside = Panel(width=3, height=3, starts=[5], ends=[10])
    assert search_panel(inside).solutions == count_solutions(inside)


@pytest.mark.parametrize(("width", "height"), [(5, 5), pytest.param(4, 7, marks=pytest.mark.slow), (6, 6)])
def test_large_panels_made_around_a_path_have_it(width: int, height: int) -> None:
    panel, path = crowded_panel(random.Random(f"{width} {height}"), width, height)
    found = search_panel(panel, first=1000)
    assert found.solutions < 1000
    assert path in found.first
    assert all(is_solution(panel, other) for other in found.first)
    if found.nodes < 3000:
        assert tuple(search_solutions(panel, 10**5)) == found.first


def test_the_plain_search_agrees() -> None:
    r = random.Random(33)
    for _ in range(3):
        panel, path = crowded_panel(r, 4, 3)
        plain = tuple(search_solutions(panel, 10**6))
        assert path in plain
        assert plain == search_panel(panel, first=1000).first


def test_large_panels_are_evaluated() -> None:
    panel, path = crowded_panel(random.Random(32), 6, 6)
    found = search_panel(panel)
    assert make_solutions(SolutionsParams(), None).evaluate(panel) == (found.solutions,)
    assert make_longest_solution(NoParams(), None).evaluate(panel) == (found.longest,)
    assert make_unique(NoParams(), None).evaluate(panel) == (found.solutions == 1,)
    assert count_solutions(panel) == found.solutions >= 1
    assert found.shortest <= len(path) - 1 <= found.longest


def test_a_search_stops_at_as_many_solutions_as_are_asked_for() -> None:
    panel = Panel(width=7, height=7, symbols={0: Eraser(), 1: Square("red"), 2: Square("blue")})
    found = search_panel(panel, first=3, stop=3)
    assert found.solutions == len(found.first) == 3
    assert all(is_solution(panel, path) for path in found.first)


def test_a_search_that_takes_too_long_says_so() -> None:
    panel = Panel(width=7, height=7, symbols={24: Square("red")})
    with pytest.raises(LimitReachedError, match="more than 5,000 nodes"):
        search_panel(panel, limit=5000)
    with pytest.raises(LimitReachedError, match="more than 50 paths"):
        list(search_solutions(panel, 50))
    small = Panel(width=2, height=2)
    nodes = search_panel(small).nodes
    assert search_panel(small, limit=nodes).solutions == 12
    with pytest.raises(LimitReachedError):
        search_panel(small, limit=nodes - 1)
