"""The plain form of the search for solutions that checks regions as they close.

It yields the solutions of `epcg_witness.rules.reference`, and is quick enough for panels whose paths are too
many to be listed, if their symbols say much.
"""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.domain import LimitReachedError
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import Path, both_lines, is_solution, region_satisfied, regions


def search_solutions(panel: Panel, limit: int) -> Iterator[Path]:
    """Yield every solution of a panel, in the order of `reference.solutions`.

    Args:
        panel: the panel.
        limit: the most paths that are begun.

    Raises:
        LimitReachedError: if more than `limit` paths are begun.
    """
    grid = panel.grid
    begun = 0
    for start in panel.line_starts:
        allowed = frozenset(panel.line_vertices(start))
        stack: list[Path] = [(start,)]
        while stack:
            path = stack.pop()
            begun += 1
            if begun > limit:
                raise LimitReachedError(f"The search for solutions begins more than {limit:,} paths.")
            _, visited = both_lines(panel, path)
            within_reach = _within_reach(panel, path[-1], allowed - visited)
            if len(path) > 1 and not _closed_regions_hold(panel, path, within_reach):
                continue
            if path[-1] in panel.line_ends and is_solution(panel, path):
                yield path
            if within_reach.isdisjoint(panel.line_ends):
                continue
            stack += [(*path, v) for v, _ in reversed(grid.neighbours[path[-1]]) if v in within_reach]


def _within_reach(panel: Panel, head: int, free: frozenset[int]) -> set[int]:
    """Return the vertices of `free` to which steps inside `free` lead from `head`."""
    found: set[int] = set()
    front = [head]
    while front:
        for vertex, edge in panel.grid.neighbours[front.pop()]:
            gap = edge in panel.gaps or panel.twin_edge(edge) in panel.gaps
            if vertex in free and vertex not in found and not gap:
                found.add(vertex)
                front.append(vertex)
    return found


def _closed_regions_hold(panel: Panel, path: Path, within_reach: set[int]) -> bool:
    """Return whether the regions are satisfied that no vertex within reach touches, nor its image."""
    grid = panel.grid
    drawn, visited = both_lines(panel, path)
    if drawn.intersection(panel.gaps):
        return False
    touched = {
        cell
        for vertex in within_reach
        for both in (vertex, panel.twin_vertex(vertex))
        for cell in grid.vertex_cells[both]
    }
    closed = (region for region in regions(grid, drawn) if region.isdisjoint(touched))
    return all(region_satisfied(panel, region, drawn, visited) for region in closed)
