"""The plain solver: every path, every symbol, straight from the rules. It is what the compiled one counts.

A path is the tuple of its points: its vertices, and if it begins or ends in the middle of an edge, that
middle (see `epcg_witness.rules.grid`). Such an edge counts as drawn; but round its far vertex, unless a
line visits that or draws the edges across there, the cells beside it are joined.

With symmetry two lines move together, each the image of the other; all
symbols look at both. They never touch: no vertex is visited by both, so the axis and the centre are visited
by neither. A line begins at a start whose image is a start and ends at an end whose image is an end. The
path is the first of the two lines.

Paths come in the order of their starts, vertices before edges, then in lexicographic order of their moves up,
right, down, left, a path before those that go on from its end, those that end in an edge first. From the
middle of an edge those over its left or lower vertex come first.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence, Set as AbstractSet
from typing import TypeAlias

from epcg_witness.rules.erasers import erasers_suffice, symbols_agree
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Eraser, Panel, Triangles
from epcg_witness.rules.tiling import floor_of

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


def panel_paths(panel: Panel) -> Iterator[Path]:
    """Yield every self-avoiding path of a panel from a start to an end, gaps and symbols disregarded.

    With symmetry it is the first line of each pair of lines, which may yet touch.
    """
    if not panel.edge_starts and not panel.edge_ends and not panel.pillar:
        yield from all_paths(panel.grid, panel.line_starts, panel.line_ends)
        return
    for origin in line_origins(panel):
        yield from _paths_on(panel, origin)


def line_origins(panel: Panel) -> Iterator[Path]:
    """Yield what lines begin with: a start vertex, or the middle of a start edge and one of its vertices."""
    for start in panel.line_starts:
        yield (start,)
    for edge in panel.line_edge_starts:
        for vertex in panel.grid.edge_ends(edge):
            yield panel.grid.vertices + edge, vertex


def _paths_on(panel: Panel, path: Path) -> Iterator[Path]:
    """Yield the paths that go on from `path`, and first itself if its last vertex is an end."""
    grid = panel.grid
    if path[-1] in panel.line_ends:
        yield path
    yield from half_steps(panel, path)
    for vertex, edge in grid.neighbours[path[-1]]:
        if vertex not in path and path[0] != grid.vertices + edge:
            yield from _paths_on(panel, grid.step(path, vertex, edge))


def half_steps(panel: Panel, path: Path) -> Iterator[Path]:
    """Yield a path with a last step more, into the middle of an edge that is an end."""
    grid = panel.grid
    drawn = grid.path_edges(path) if panel.edge_ends else []
    for _, edge in grid.neighbours[path[-1]] if panel.edge_ends else ():
        if edge in panel.line_edge_ends and edge not in drawn:
            yield (*path, grid.vertices + edge)


def regions(
    grid: Grid, drawn: AbstractSet[int], outside: AbstractSet[int] = frozenset()
) -> list[frozenset[int]]:
    """Return the sets of cells that the edges `drawn` separate, without those outside, by lowest cell."""
    found: list[frozenset[int]] = []
    seen: set[int] = set(outside)
    for cell in range(grid.cells):
        if cell in seen:
            continue
        region, front = {cell}, [cell]
        while front:
            for neighbour, edge in grid.cell_neighbours[front.pop()]:
                if edge not in drawn and neighbour not in region and neighbour not in outside:
                    region.add(neighbour)
                    front.append(neighbour)
        seen |= region
        found.append(frozenset(region))
    return found


def walls(
    panel: Panel, path: Sequence[int], drawn: AbstractSet[int], visited: AbstractSet[int]
) -> AbstractSet[int]:
    """Return the drawn edges that part cells: not halves that leave a way round the far vertex."""
    grid = panel.grid
    open_edges = set()
    for middle, vertex in (path[:2], path[:-3:-1]) if len(path) > 1 else ():
        if middle >= grid.vertices:
            edge = middle - grid.vertices
            far = sum(grid.edge_ends(edge)) - vertex
            for half, end in ((edge, far), (panel.twin_edge(edge), panel.twin_vertex(far))):
                if end not in visited and drawn.isdisjoint(grid.edges_across(half, end)):
                    open_edges.add(half)
    return drawn - open_edges if open_edges else drawn


def is_solution(panel: Panel, path: Sequence[int]) -> bool:
    """Return whether a path from a start to an end satisfies every symbol of the panel.

    With symmetry the path is the first of the two lines; they must not touch.
    """
    grid = panel.grid
    drawn, visited = both_lines(panel, path)
    if panel.symmetry is not None and not _apart(panel, path, visited):
        return False
    if not drawn.isdisjoint(panel.gaps) or not drawn.isdisjoint(panel.missing):
        return False
    if not panel.has_erasers and not drawn.issuperset(panel.edge_dots):
        return False
    if _lost_dot(panel, drawn, visited):
        return False
    found = regions(grid, walls(panel, path, drawn, visited), panel.outside)
    return all(region_satisfied(panel, region, drawn, visited) for region in found)


def _apart(panel: Panel, path: Sequence[int], visited: AbstractSet[int]) -> bool:
    """Return whether two lines do not touch, and neither covers a dot of the other."""
    grid = panel.grid
    vertices = [point for point in path if point < grid.vertices]
    if len(visited) < 2 * len(vertices) or any(panel.twin_point(end) == end for end in (path[0], path[-1])):
        return False
    if not panel.first_dots and not panel.second_dots:
        return True
    edges = grid.path_edges(path)
    first = {*edges, *map(grid.vertex_location, vertices)}
    second = {*map(panel.twin_edge, edges), *map(grid.vertex_location, map(panel.twin_vertex, vertices))}
    return first.isdisjoint(panel.second_dots) and second.isdisjoint(panel.first_dots)


def _lost_dot(panel: Panel, drawn: AbstractSet[int], visited: AbstractSet[int]) -> bool:
    """Return whether the lines miss a dot that no region touches."""
    if not panel.outside and not panel.edge_starts and not panel.edge_ends:
        return False
    missed = (dot for dot in panel.edge_dots if dot not in drawn)
    if any(panel.outside.issuperset(_cells_beside(panel, (dot,))) for dot in missed):
        return True
    vertices = (vertex for vertex in panel.vertex_dots if vertex not in visited)
    return any(panel.outside.issuperset(_touched_by(panel, vertex, drawn)) for vertex in vertices)


def _touched_by(panel: Panel, vertex: int, drawn: AbstractSet[int]) -> set[int]:
    """Return the cells from which a way leads to a vertex that no line visits: along edges not drawn."""
    return _cells_beside(panel, (edge for _, edge in panel.grid.neighbours[vertex] if edge not in drawn))


def _cells_beside(panel: Panel, edges: Iterable[int]) -> set[int]:
    return {cell for edge in edges for cell in panel.grid.edge_cells(edge) if cell is not None}


def both_lines(panel: Panel, path: Sequence[int]) -> tuple[set[int], set[int]]:
    """Return the edges and the vertices of a path, and with symmetry those of the other line too."""
    drawn = set(panel.grid.path_edges(path))
    visited = {point for point in path if point < panel.grid.vertices}
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
    missed += [v for v in panel.vertex_dots if v not in visited and region & _touched_by(panel, v, drawn)]
    if not held:
        return not missed
    floor = floor_of(panel, region, drawn)
    if any(isinstance(symbol, Eraser) for _, symbol in held):
        return erasers_suffice(held, violated, len(missed), floor, panel.variant)
    return not violated and not missed and symbols_agree([symbol for _, symbol in held], floor)


def solutions(panel: Panel) -> Iterator[Path]:
    """Yield every solution of the panel, in the order of `all_paths`.

    With symmetry a pair of lines is one solution: the path is the line from the lower start; or if the
    panel's variant counts pairs twice, either of them.
    """
    return (path for path in panel_paths(panel) if is_solution(panel, path))
