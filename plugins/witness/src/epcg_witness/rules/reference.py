"""The plain solver: every path, every symbol, straight from the rules. It is what the compiled one counts.

A path is the tuple of its vertices. With symmetry two lines move together, each the image of the other; all
symbols look at both. They never touch: no vertex is visited by both, so the axis and the centre are visited
by neither. A line begins at a start whose image is a start and ends at an end whose image is an end.

Paths come in the order of their starts, then in lexicographic order of
their moves up, right, down, left, a path before those that go on from its end.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from collections.abc import Set as AbstractSet
from typing import TypeAlias

from epcg_witness.rules.erasers import erasers_suffice, symbols_agree
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Eraser, Panel, Triangles

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
        visited = [False] * grid.vertices
        visited[start] = True
        if start in ends:
            yield (start,)
        while ways:
            for vertex, _ in ways[-1]:
                if not visited[vertex]:
                    visited[vertex] = True
                    path.append(vertex)
                    ways.append(iter(grid.neighbours[vertex]))
                    if vertex in ends:
                        yield tuple(path)
                    break
            else:
                visited[path.pop()] = False
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
    """Return whether a path from a start to an end satisfies every symbol of the panel.

    With symmetry the path is one of the two lines; they must not touch.
    """
    grid = panel.grid
    drawn, visited = both_lines(panel, path)
    if panel.symmetry is not None and len(visited) < 2 * len(path):
        return False
    if drawn.intersection(panel.gaps):
        return False
    if not panel.has_erasers and not drawn.issuperset(panel.edge_dots):
        return False
    return all(region_satisfied(panel, region, drawn, visited) for region in regions(grid, drawn))


def both_lines(panel: Panel, path: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the edges and the vertices of a path, and with symmetry those of the other line too."""
    drawn = set(panel.grid.path_edges(path))
    visited = set(path)
    if panel.symmetry is None:
        return drawn, visited
    return drawn | set(map(panel.twin_edge, drawn)), visited | set(map(panel.twin_vertex, visited))


def region_satisfied(
    panel: Panel, region: frozenset[int], drawn: AbstractSet[int], visited: AbstractSet[int]
) -> bool:
    """Return whether a region satisfies its symbols, and the dots on its lines.

    Args:
        panel: the panel.
        region: the cells of the region.
        drawn: the edges that are drawn.
        visited: the vertices on the path.
    """
    grid = panel.grid
    held = [(cell, symbol) for cell, symbol in panel.symbols if cell in region]
    violated = frozenset(
        cell
        for cell, symbol in held
        if isinstance(symbol, Triangles) and len(drawn & set(grid.cell_edges(cell))) != symbol.count
    )
    missed = [
        dot for dot in panel.edge_dots if dot not in drawn and region.intersection(grid.edge_cells(dot))
    ]
    missed += [v for v in panel.vertex_dots if v not in visited and region & grid.vertex_cells[v]]
    if not held:
        return not missed
    cells = [grid.cell_at(cell) for cell in region]
    if any(isinstance(symbol, Eraser) for _, symbol in held):
        return erasers_suffice(held, violated, len(missed), cells)
    return not violated and not missed and symbols_agree([symbol for _, symbol in held], cells)


def solutions(panel: Panel) -> Iterator[Path]:
    """Yield every solution of the panel, in the order of `all_paths`.

    With symmetry a pair of lines is one solution: the path is the line from the lower start.
    """
    paths = all_paths(panel.grid, panel.line_starts, panel.line_ends)
    return (path for path in paths if is_solution(panel, path))
