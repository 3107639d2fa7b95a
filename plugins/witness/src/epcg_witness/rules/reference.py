"""The plain solver: every path, every symbol, straight from the rules. It is what the compiled one counts.

A path is the tuple of its vertices. Paths come in the order of their starts, then in lexicographic order of
their moves up, right, down, left, a path before those that go on from its end.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from typing import TypeAlias

from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.tiling import covers

Path: TypeAlias = tuple[int, ...]


def all_paths(grid: Grid, starts: Sequence[int], ends: Sequence[int]) -> Iterator[Path]:
    """Yield every self-avoiding path along the edges from one of `starts` to one of `ends`.

    Args:
        grid: the grid.
        starts: the vertices where paths begin.
        ends: the vertices where paths end.
    """
    for start in starts:
        path, ways = [start], [iter(grid.neighbours[start])]
        if start in ends:
            yield (start,)
        while ways:
            for vertex, _ in ways[-1]:
                if vertex not in path:
                    path.append(vertex)
                    ways.append(iter(grid.neighbours[vertex]))
                    if vertex in ends:
                        yield tuple(path)
                    break
            else:
                path.pop()
                ways.pop()


def regions(grid: Grid, drawn: set[int]) -> list[frozenset[int]]:
    """Return the sets of cells that the edges `drawn` separate, by their lowest cell."""
    found: list[frozenset[int]] = []
    seen: set[int] = set()
    for cell in range(grid.cells):
        if cell in seen:
            continue
        region, front = {cell}, [cell]
        while front:
            for neighbour, edge in grid.cell_neighbours[front.pop()]:
                if edge not in drawn and neighbour not in region:
                    region.add(neighbour)
                    front.append(neighbour)
        seen |= region
        found.append(frozenset(region))
    return found


def is_solution(panel: Panel, path: Sequence[int]) -> bool:
    """Return whether a path from a start to an end satisfies every symbol of the panel."""
    grid = panel.grid
    drawn = set(grid.path_edges(path))
    if not drawn.issuperset(panel.edge_dots) or drawn.intersection(panel.gaps):
        return False
    if not set(path).issuperset(panel.vertex_dots):
        return False
    for cell, symbol in panel.symbols:
        around = drawn.intersection(grid.cell_edges(cell))
        if isinstance(symbol, Triangles) and len(around) != symbol.count:
            return False
    return all(region_satisfied(panel, region) for region in regions(grid, drawn))


def region_satisfied(panel: Panel, region: frozenset[int]) -> bool:
    """Return whether the squares, stars and polyominoes of a region are satisfied."""
    symbols = [symbol for cell, symbol in panel.symbols if cell in region]
    if len({symbol.colour for symbol in symbols if isinstance(symbol, Square)}) > 1:
        return False
    colours = Counter(symbol.colour for symbol in symbols)
    if any(colours[symbol.colour] != 2 for symbol in symbols if isinstance(symbol, Star)):
        return False
    pieces = [symbol for symbol in symbols if isinstance(symbol, Polyomino)]
    return covers(pieces, [panel.grid.cell_at(cell) for cell in region]) if pieces else True


def solutions(panel: Panel) -> Iterator[Path]:
    """Yield every solution of the panel, in the order of `all_paths`."""
    return (path for path in all_paths(panel.grid, panel.starts, panel.ends) if is_solution(panel, path))
