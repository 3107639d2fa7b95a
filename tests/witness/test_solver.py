"""The compiled solver, the plain one and brute force agree; and the numbers that are known."""

from __future__ import annotations

import itertools
import json
import random
from collections import Counter
from collections.abc import Iterator
from functools import cache

import numpy as np
import pytest
from epcg_witness.formats.windmill import read_windmill
from epcg_witness.rules.grid import Grid, PanelError, grid_of
from epcg_witness.rules.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.reference import all_paths, regions, solutions
from epcg_witness.rules.tiling import covers
from epcg_witness.solving.counting import count_line_solutions, count_paths
from epcg_witness.solving.paths import TooManyPathsError, path_table
from epcg_witness.solving.solver import count_solutions, first_solutions, solve_panel

from tests.witness import small_panels as known
from tests.witness.random_panels import KINDS, kinds_of, random_panel
from tests.workplace import SHARED

PUZZLES = SHARED / "data/windmill/puzzles_103.json"


# --- paths ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("size", "count"), [(1, 2), (2, 12), (3, 184), (4, 8512)])
def test_corner_paths_are_listed_and_counted(size: int, count: int) -> None:
    grid = grid_of(size, size)
    assert count_paths(grid, [0], [grid.vertices - 1]) == count
    assert path_table(grid, (0,), (grid.vertices - 1,)).count == count


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("width", "height", "count"), [(5, 5, 1_262_816), (4, 6, 752_061), (7, 4, 7_110_272), (6, 6, 575_780_564)]
)
def test_more_paths_are_counted_without_listing_them(width: int, height: int, count: int) -> None:
    grid = grid_of(width, height)
    assert count_paths(grid, [0], [grid.vertices - 1]) == count


@pytest.mark.slow
def test_the_paths_of_the_largest_panel_are_counted() -> None:
    assert count_solutions(Panel(width=7, height=7)) == 789_360_053_252


@pytest.mark.slow
def test_all_paths_of_five_by_five_are_listed() -> None:
    table = path_table(grid_of(5, 5), (0,), (35,))
    assert table.count == 1_262_816
    assert len(set(map(table.path, range(0, table.count, 1009)))) == len(range(0, table.count, 1009))


def test_a_panel_with_too_many_paths_is_refused_with_their_number() -> None:
    panel = Panel(width=5, height=6, symbols={0: Square("black")})
    with pytest.raises(TooManyPathsError, match=r"20,562,673 paths, which would take 1\.9 GB"):
        solve_panel(panel)
    with pytest.raises(PanelError, match="1 symbols in its cells"):
        count_line_solutions(panel)


def test_a_table_knows_its_paths() -> None:
    r = random.Random(5)
    for _ in range(30):
        grid = grid_of(r.randint(1, 4), r.randint(1, 3))
        some = r.sample(range(grid.vertices), 4)
        starts, ends = tuple(sorted(some[: r.randint(1, 2)])), tuple(sorted(some[2 : r.randint(3, 4)]))
        table = path_table(grid, starts, ends)
        paths = list(all_paths(grid, starts, ends))
        assert [table.path(i) for i in range(table.count)] == paths
        assert table.lengths.tolist() == [len(path) - 1 for path in paths]
        for i in r.sample(range(len(paths)), min(5, len(paths))):
            separated = [
                sum(1 << c for c in region) for region in regions(grid, set(grid.path_edges(paths[i])))
            ]
            assert [int(table.masks[k]) for k in table.ids[table.first[i] : table.first[i + 1]]] == separated


@pytest.mark.sweep
@pytest.mark.parametrize(
    ("starts", "ends"), [((0,), (24,)), ((0, 4), (12, 24)), (tuple(range(5)), (20, 21, 22, 23, 24))]
)
def test_listing_and_counting_agree_where_several_paths_begin_and_end(
    starts: tuple[int, ...], ends: tuple[int, ...]
) -> None:
    """One pair of vertices fits at once, four take a second pass, 25 are counted first."""
    grid = grid_of(4, 4)
    table = path_table(grid, starts, ends)
    assert table.count == len(table.lengths) == count_paths(grid, starts, ends)
    some = range(0, table.count, 101)
    assert len(set(map(table.path, some))) == len(some)
    assert table.path(table.count - 1)[0] == starts[-1]


def test_dots_and_gaps_are_counted_over_the_frontier() -> None:
    r = random.Random(11)
    solvable = 0
    for _ in range(150):
        panel = random_panel(r)
        lines = Panel(
            width=panel.width,
            height=panel.height,
            dots=panel.dots,
            gaps=panel.gaps,
            starts=panel.starts,
            ends=panel.ends,
        )
        count = sum(1 for _ in solutions(lines))
        assert count_line_solutions(lines) == count
        solvable += count > 0
    assert solvable > 100


# --- panels --------------------------------------------------------------------------------------------


def compare(panel: Panel) -> bool:
    """Assert that plain and compiled find the same solutions; returns whether there are any."""
    expected = list(solutions(panel))
    assert first_solutions(panel, len(expected) + 1) == expected, panel
    solved = solve_panel(panel, lengths=True)
    lengths = [len(path) - 1 for path in expected] or [0]
    assert solved.solutions[0] == len(expected)
    assert (solved.shortest[0], solved.longest[0]) == (min(lengths), max(lengths))
    return bool(expected)


def check_random_panels(count: int, seed: int, at_least: int) -> None:
    r = random.Random(seed)
    solvable: Counter[str] = Counter()
    unsolvable = 0
    for _ in range(count):
        panel = random_panel(r)
        if compare(panel):
            solvable.update(kinds_of(panel))
        else:
            unsolvable += 1
    assert min(solvable[kind] for kind in KINDS) >= at_least, solvable
    assert unsolvable >= at_least


def test_plain_and_compiled_agree_on_random_panels() -> None:
    check_random_panels(150, seed=1, at_least=5)


@pytest.mark.slow
def test_plain_and_compiled_agree_on_more_random_panels() -> None:
    check_random_panels(400, seed=1, at_least=25)


@pytest.mark.slow
def test_plain_and_compiled_agree_on_ten_thousand_random_panels() -> None:
    check_random_panels(16_000, seed=2, at_least=1000)


@pytest.mark.parametrize(
    ("panel", "count"),
    [
        (known.panel(1, 1), 2), (known.panel(1, 2), 4), (known.panel(4, 4), 8512), (known.STACKED, 2),
        (known.DIAGONAL, 0), (known.HALVES, 2), (known.CORNERS, 24), (known.CENTRE, 16),
        (known.CONFLICTING, 0), (known.THREE_TRIANGLES, 24), (known.TWO_STARS, 24), (known.PAIRS, 18),
        (known.EDGE_DOT, 5), (known.VERTEX_DOT, 5), (known.ACROSS, 5866),
    ],
)  # fmt: skip
def test_small_panels_have_the_published_numbers_of_solutions(panel: Panel, count: int) -> None:
    assert count_solutions(panel) == count


def test_community_puzzles_have_the_published_numbers_of_solutions() -> None:
    if not PUZZLES.is_file():
        pytest.skip("the puzzles of The Windmill are not at hand")
    puzzles = [p for p in json.loads(PUZZLES.read_text()) if "published" in p]
    found = {p["id"]: count_solutions(read_windmill(p["contents"], p["id"])) for p in puzzles}
    assert len(found) == 52
    assert found == {p["id"]: p["published"]["solutions"] for p in puzzles}


def test_a_star_counts_symbols_of_any_kind_by_their_colour() -> None:
    piece = Polyomino.parse("#")
    for other in (Star("yellow"), Square("yellow"), Triangles(1, "yellow"), piece):
        panel = Panel(width=1, height=2, symbols={0: Star("yellow"), 1: other})
        for path in first_solutions(panel, 10):
            assert len(regions(panel.grid, set(panel.grid.path_edges(path)))) == 1
    assert count_solutions(Panel(width=1, height=2, symbols={0: Star("yellow"), 1: Square("red")})) == 0
    orange = Panel(width=1, height=2, symbols={0: Star("orange"), 1: Triangles(1)})
    assert count_solutions(orange) == sum(1 for _ in solutions(orange)) > 0


# --- tilings -------------------------------------------------------------------------------------------


def brute_force_covers(pieces: list[Polyomino], region: list[tuple[int, int]], reach: int) -> bool:
    """Try every place of every piece up to `reach` cells around the region, without any cleverness."""
    if sum(piece.area for piece in pieces) == 0:
        return True
    xs, ys = zip(*region, strict=True)
    places = [
        [
            [(x + dx, y + dy) for x, y in shape]
            for shape in piece.orientations()
            for dx in range(min(xs) - reach, max(xs) + reach + 1)
            for dy in range(min(ys) - reach, max(ys) + reach + 1)
        ]
        for piece in pieces
    ]
    wanted = Counter(region)
    for choice in itertools.product(*places):
        total: Counter[tuple[int, int]] = Counter()
        for piece, lain in zip(pieces, choice, strict=True):
            for cell in lain:
                total[cell] += -1 if piece.negative else 1
        if {cell: n for cell, n in total.items() if n} == wanted:
            return True
    return False


def brute_force_solutions(panel: Panel, reach: int) -> int:
    """Every set of edges that is a path, regions by merging cells, tilings by trying all places."""
    grid = panel.grid
    count = 0
    for drawn in _edge_sets(panel):
        owner = list(range(grid.cells))
        for edge in set(range(grid.edges)) - drawn:
            one, other = grid.edge_cells(edge)
            if one is not None and other is not None:
                owner = [owner[one] if o == owner[other] else o for o in owner]
        count += all(_satisfied(panel, drawn, [c for c in range(grid.cells) if owner[c] == o], reach)
                     for o in set(owner))  # fmt: skip
    return count


def _edge_sets(panel: Panel) -> Iterator[set[int]]:
    grid = panel.grid
    if grid.edges <= 12:
        yield from (set(drawn) for drawn, tips in _all_edge_sets(grid) if _is_drawn(panel, drawn, tips))
        return
    stack = [(start, frozenset([start]), frozenset[int]()) for start in panel.starts]
    while stack:
        vertex, seen, drawn = stack.pop()
        if vertex in panel.ends and (tips := _tips(grid, drawn)) and _is_drawn(panel, drawn, tips):
            yield set(drawn)
        for neighbour, edge in grid.neighbours[vertex]:
            if neighbour not in seen:
                stack.append((neighbour, seen | {neighbour}, drawn | {edge}))


@cache
def _all_edge_sets(grid: Grid) -> list[tuple[frozenset[int], list[int]]]:
    """The sets of edges that are a path, with its two ends: all sets of edges are looked at."""
    every = (
        frozenset(chosen)
        for size in range(grid.edges + 1)
        for chosen in itertools.combinations(range(grid.edges), size)
    )
    return [(drawn, tips) for drawn in every if (tips := _tips(grid, drawn))]


def _tips(grid: Grid, drawn: frozenset[int]) -> list[int]:
    """The two ends of a path; empty if the edges are not one."""
    degree = Counter(v for edge in drawn for v in grid.edge_ends(edge))
    tips = [v for v, n in degree.items() if n == 1]
    if len(tips) != 2 or max(degree.values()) > 2:
        return []
    reached, front = {tips[0]}, [tips[0]]
    while front:
        for neighbour, edge in grid.neighbours[front.pop()]:
            if edge in drawn and neighbour not in reached:
                reached.add(neighbour)
                front.append(neighbour)
    return tips if len(reached) == len(degree) else []


def _is_drawn(panel: Panel, drawn: frozenset[int], tips: list[int]) -> bool:
    """Whether a path goes from a start to an end, and over all dots and no gap."""
    grid = panel.grid
    if not (set(tips) & set(panel.starts) and set(tips) & set(panel.ends)):
        return False
    on = drawn | {grid.vertex_location(v) for edge in drawn for v in grid.edge_ends(edge)}
    return set(panel.dots) <= on and not drawn & set(panel.gaps)


def _satisfied(panel: Panel, drawn: set[int], region: list[int], reach: int) -> bool:
    grid = panel.grid
    here = {cell: panel.symbol_at[cell] for cell in region if cell in panel.symbol_at}
    for cell, symbol in here.items():
        if isinstance(symbol, Triangles) and sum(e in drawn for e in grid.cell_edges(cell)) != symbol.count:
            return False
        same = sum(other.colour == symbol.colour for other in here.values())
        if isinstance(symbol, Star) and same != 2:
            return False
        for other in here.values():
            if isinstance(symbol, Square) and isinstance(other, Square) and symbol.colour != other.colour:
                return False
    pieces = [symbol for symbol in here.values() if isinstance(symbol, Polyomino)]
    if not pieces:
        return True
    if sum(piece.area for piece in pieces) not in (0, len(region)):
        return False
    return brute_force_covers(pieces, [grid.cell_at(cell) for cell in region], reach)


def test_two_by_two_agrees_with_brute_force() -> None:
    r = random.Random(3)
    tried: Counter[str] = Counter()
    for _ in range(220):
        panel = random_panel(r, largest=2)
        if sum(isinstance(s, Polyomino) for _, s in panel.symbols) > 2:
            continue
        count = count_solutions(panel)
        assert count == brute_force_solutions(panel, reach=2), panel
        tried.update(kinds_of(panel) if count else [])
    assert all(tried[kind] >= 2 for kind in KINDS), tried


def test_three_by_three_agrees_with_brute_force() -> None:
    r = random.Random(4)
    for _ in range(10):
        symbols = {
            cell: r.choice((Square("black"), Square("white"), Star("white"), Triangles(1), Triangles(2),
                            Polyomino.parse("##/#."), Polyomino.parse("###", free=True)))
            for cell in r.sample(range(9), 3)
        }  # fmt: skip
        panel = Panel(width=3, height=3, symbols=symbols)
        assert count_solutions(panel) == brute_force_solutions(panel, reach=0)
    negative = Panel(
        width=3, height=3, symbols={4: Polyomino.parse("##/##"), 0: Polyomino.parse("#", negative=True)}
    )
    assert count_solutions(negative) == brute_force_solutions(negative, reach=1) > 0


def test_pieces_may_leave_the_panel_where_they_cancel() -> None:
    # A row of two needs the T to stand out of the panel, where the negative bar takes it back.
    row = [(0, 0), (1, 0)]
    pieces = [Polyomino.parse("##/##"), Polyomino.parse("##", negative=True)]
    assert covers(pieces, row)
    assert not covers([Polyomino.parse("##/##"), Polyomino.parse("#/#", negative=True)], row)
    panel = Panel(width=2, height=1, symbols=dict(enumerate(pieces)))
    assert count_solutions(panel) == sum(1 for _ in solutions(panel)) == 2


def test_a_net_area_of_zero_is_accepted_by_count_alone() -> None:
    panel = Panel(
        width=2, height=2, symbols={0: Polyomino.parse("###"), 1: Polyomino.parse("##/#.", negative=True)}
    )
    together = [
        path
        for path in all_paths(panel.grid, panel.starts, panel.ends)
        if any({0, 1} <= region for region in regions(panel.grid, set(panel.grid.path_edges(path))))
    ]
    assert first_solutions(panel, 20) == together != []


def test_free_pieces_are_turned_and_never_reflected() -> None:
    region = [(0, 0), (0, 1), (0, 2), (1, 0)]  # an L
    assert covers([Polyomino.parse("###/#..", free=True)], region) == (
        Polyomino(region).cells in Polyomino.parse("###/#..", free=True).orientations()
    )
    shape = Polyomino(region)
    mirrored = Polyomino([(-x, y) for x, y in region], free=True)
    assert covers([Polyomino([(y, -x) for x, y in region], free=True)], region)
    assert not covers([Polyomino([(y, -x) for x, y in region])], region)
    assert not covers([mirrored], region)
    panels = [
        Panel(width=2, height=3, symbols={0: piece})
        for piece in (shape, mirrored, Polyomino(region, free=True))
    ]
    assert [count_solutions(p) for p in panels] == [sum(1 for _ in solutions(p)) for p in panels]


def test_sets_of_solutions_are_sets_of_paths() -> None:
    panel = known.CORNERS
    table = path_table(panel.grid, panel.starts, panel.ends)
    found = solve_panel(panel, sets=True).sets
    assert found.shape == (1, table.words)
    assert found.dtype == np.uint64
    assert [table.path(int(i)) for i in table.indices(found[0])] == list(solutions(panel))
    with pytest.raises(IndexError):
        table.path(table.count)
