"""The plain form of the search for solutions that checks regions as they close.

It yields the solutions of `epcg_witness.rules.reference`, and is quick enough for panels whose paths are too
many to be listed, if their symbols say much.
"""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.plugin import LimitReachedError
from epcg_witness.rules.panel import Panel, Square, Triangles
from epcg_witness.rules.reference import (
    Path,
    both_lines,
    half_steps,
    is_solution,
    line_origins,
    region_satisfied,
    regions,
    walls,
)


def search_solutions(panel: Panel, limit: int) -> Iterator[Path]:
    """Yield every solution of a panel, in the order of `reference.solutions`.

    Args:
        panel: the panel.
        limit: the most paths that are begun.

    Raises:
        LimitReachedError: if more than `limit` paths are begun.
    """
    grid = panel.grid
    must = _must_draw(panel)
    last = {*panel.line_ends, *(v for edge in panel.line_edge_ends for v in grid.edge_ends(edge))}
    begun = 0
    for origin in line_origins(panel):
        allowed = frozenset(panel.line_vertices(origin[-1]))
        stack: list[Path] = [origin] if origin[-1] in allowed else []
        while stack:
            path = stack.pop()
            begun += 1
            if begun > limit:
                raise LimitReachedError(f"The search for solutions begins more than {limit:,} paths.")
            drawn, visited = both_lines(panel, path)
            within_reach = _within_reach(panel, path[-1], allowed - visited)
            if not panel.closed_edges.isdisjoint(grid.path_edges(path)):
                continue
            if len(path) > len(origin) and not (
                _may_go_on(panel, path, must, drawn, visited, within_reach)
                and _closed_regions_hold(panel, path, drawn, visited, within_reach)
            ):
                continue
            ends = [path] if path[-1] in panel.line_ends else []
            yield from (end for end in (*ends, *half_steps(panel, path)) if is_solution(panel, end))
            if within_reach.isdisjoint(last):
                continue
            stack += [
                grid.step(path, v, edge)
                for v, edge in reversed(grid.neighbours[path[-1]])
                if v in within_reach and edge not in drawn
            ]


def _within_reach(panel: Panel, head: int, free: frozenset[int]) -> set[int]:
    """Return the vertices of `free` to which steps inside `free` lead from `head`."""
    found: set[int] = set()
    front = [head]
    while front:
        for vertex, edge in panel.grid.neighbours[front.pop()]:
            if vertex in free and vertex not in found and edge not in panel.closed_edges:
                found.add(vertex)
                front.append(vertex)
    return found


def _must_draw(panel: Panel) -> frozenset[int]:
    """Return the edges with dots, and those between squares of different colours, with their images.

    Edges in which lines can end are not among them: a line can draw them last, from either vertex.
    """
    found = set(panel.edge_dots)
    for edge in range(panel.grid.edges):
        cells = [c for c in panel.grid.edge_cells(edge) if c is not None and c not in panel.outside]
        beside = [panel.symbol_at.get(c) for c in cells]
        if len({symbol.colour for symbol in beside if isinstance(symbol, Square)}) == 2:
            found.add(edge)
    return frozenset(found | set(map(panel.twin_edge, found))) - frozenset(panel.line_edge_ends)


def _may_go_on(
    panel: Panel,
    path: Path,
    must: frozenset[int],
    drawn: set[int],
    visited: set[int],
    within_reach: set[int],
) -> bool:
    """Return whether further steps can satisfy the dots, squares and triangles; True with erasers."""
    grid = panel.grid
    if panel.has_erasers:
        return True
    onward = within_reach | set(map(panel.twin_vertex, within_reach))
    if not (visited | onward).issuperset(panel.vertex_dots):
        return False
    behind = path[-2] if path[-2] < grid.vertices else path[-3]
    if any(edge in must and edge not in drawn for _, edge in grid.neighbours[behind]):
        return False
    alive = onward | {path[-1], panel.twin_vertex(path[-1])}
    for cell, symbol in panel.symbols:
        if isinstance(symbol, Triangles) and cell not in panel.outside:
            count = len(drawn.intersection(grid.cell_edges(cell)))
            left = [edge for edge in grid.cell_edges(cell) if edge not in drawn]
            possible = sum(
                alive.issuperset(grid.edge_ends(edge))
                or (edge in panel.line_edge_ends and not alive.isdisjoint(grid.edge_ends(edge)))
                for edge in left
            )
            if not count <= symbol.count <= count + possible:
                return False
    return True


def _closed_regions_hold(
    panel: Panel, path: Path, drawn: set[int], visited: set[int], within_reach: set[int]
) -> bool:
    """Return whether the regions are satisfied that no vertex within reach touches, nor its image."""
    grid = panel.grid
    touched = {
        cell
        for vertex in within_reach
        for both in (vertex, panel.twin_vertex(vertex))
        for cell in grid.vertex_cells[both]
    }
    for half in half_steps(panel, path):
        edge = half[-1] - grid.vertices
        touched |= {
            cell
            for both in (edge, panel.twin_edge(edge))
            for cell in grid.edge_cells(both)
            if cell is not None
        }
    found = regions(grid, walls(panel, path, drawn, visited), panel.outside)
    closed = (region for region in found if region.isdisjoint(touched))
    return all(region_satisfied(panel, region, drawn, visited) for region in closed)
