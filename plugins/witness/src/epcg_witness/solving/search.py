"""Count the solutions of one panel of any size by a search that checks regions as they close, compiled.

For panels whose paths are too many to be listed, and for those with erasers or symmetry. The plain form is
`epcg_witness.rules.search`.
"""

from __future__ import annotations

from functools import lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LimitReachedError, read_only
from epcg_witness.rules.grid import UP, Grid
from epcg_witness.rules.panel import Eraser, Panel, Polyomino, Square, Triangles
from epcg_witness.rules.reference import line_origins
from epcg_witness.solving import search_kernels as kernels, search_tables as places
from epcg_witness.solving.regions import cell_rows, colour_rows, piece_rows, word_of

MOST_NODES = 20_000_000
"""Steps of paths, and choices of erased symbols, after which a search gives up: some 20 seconds of work."""


@attrs.frozen
class Found:
    """The solutions of one panel."""

    solutions: int
    shortest: int
    """Edges of the shortest solution (of one line, if there are two); 0 if there is none."""
    longest: int
    nodes: int
    """Steps of paths, and choices of erased symbols."""
    first: tuple[tuple[int, ...], ...]
    """The vertices of the first solutions, in the order of `reference.all_paths`."""


def search_panel(panel: Panel, *, first: int = 0, stop: int = 0, limit: int = MOST_NODES) -> Found:
    """Count the solutions of a panel.

    Args:
        panel: the panel.
        first: how many solutions to return.
        stop: if not 0, the number of solutions after which the search ends.
        limit: the most nodes.

    Raises:
        LimitReachedError: if the search takes more than `limit` nodes.
    """
    if panel.outside:
        inside = [(cell, symbol) for cell, symbol in panel.symbols if cell not in panel.outside]
        panel = attrs.evolve(panel, symbols=inside)
    grid, variant = panel.grid, panel.variant
    pieces = tuple(dict.fromkeys(symbol for _, symbol in panel.symbols if isinstance(symbol, Polyomino)))
    paths = np.full((first, places.DEPTHS), -1, np.int64)
    out = np.zeros(4, np.int64)
    ended = kernels.search(
        _tables(panel, pieces),
        piece_rows(grid, pieces)._replace(
            inside=variant.off_panel == "forbidden",
            shapes=variant.equal_areas == "shapes",
            slits=np.zeros(2, np.uint64),
        ),
        limit,
        stop,
        np.zeros((places.DEPTHS, places.WORDS), np.uint64),
        np.zeros((places.DEPTHS, 3), np.int64),
        np.zeros(grid.edges, np.int64),
        np.zeros(grid.cells, np.int64),
        np.zeros((places.MEMO, 3), np.uint64),
        np.zeros(1, np.int64),
        np.full((4, 2), -1, np.int64),
        paths,
        out,
    )
    solutions, shortest, longest, nodes = out.tolist()
    if ended == places.LIMIT:
        raise LimitReachedError(
            f"The search for solutions takes more than {limit:,} nodes; {solutions:,} solutions were found."
        )
    rows = paths[: min(first, solutions)].tolist()
    return Found(solutions, shortest, longest, nodes, tuple(tuple(v for v in row if v >= 0) for row in rows))


def _tables(panel: Panel, pieces: tuple[Polyomino, ...]) -> places.SearchTables:
    grid, closed = panel.grid, panel.closed_edges
    neighbours = np.full((grid.vertices, 4), -1, np.int64)
    edges = np.full((grid.vertices, 8), -1, np.int64)
    for vertex, around in enumerate(grid.neighbours):
        x, y = grid.vertex_at(vertex)
        present = [y < grid.height, grid.pillar or x < grid.width, y > 0, grid.pillar or x > 0]
        ways = [way for way, there in enumerate(present, start=UP) if there]
        for way, (neighbour, edge) in zip(ways, around, strict=True):
            edges[vertex, 4 + way] = edge
            if edge not in closed:
                neighbours[vertex, way], edges[vertex, way] = neighbour, edge
    must = set(panel.edge_dots)
    between: set[int] = set()
    walls = np.full((grid.edges, 2), -1, np.int64)
    standing = [0, 0]
    beside = np.zeros(grid.edges, np.uint64)
    for edge in range(grid.edges):
        one, other = grid.edge_cells(edge)
        if one is not None and other is not None:
            parted = (one in panel.outside) != (other in panel.outside)
            standing[1 if grid.is_horizontal(edge) else 0] |= (1 << one) if parted else 0
            walls[edge, 1 if grid.is_horizontal(edge) else 0] = one
        beside[edge] = word_of(cell for cell in (one, other) if cell is not None)
        squares = {panel.symbol_at.get(cell) for cell in (one, other) if cell is not None}
        if len(squares) == 2 and all(isinstance(symbol, Square) for symbol in squares):
            between.add(edge)
    must |= between
    must |= {panel.twin_edge(edge) for edge in must}
    cells, vertices = range(grid.cells), range(grid.vertices)
    own_ends = {edge for edge in panel.line_edge_ends if edge not in closed}
    half_ends = own_ends | {panel.twin_edge(edge) for edge in own_ends}
    must -= half_ends  # a line can draw them last, from either vertex
    between -= half_ends
    last_column = 0 if grid.pillar else word_of(c for c in cells if grid.cell_at(c)[0] == grid.width - 1)
    origins = []
    for origin in line_origins(panel):
        free = panel.line_vertices(origin[-1])
        if origin[-1] in free and origin[0] - grid.vertices not in closed:
            origins.append((origin[-1], origin[0] - grid.vertices if len(origin) > 1 else -1, word_of(free)))

    def holding(kind: type) -> np.uint64:
        return np.uint64(word_of(cell for cell, symbol in panel.symbols if isinstance(symbol, kind)))

    return places.SearchTables(
        neighbours=read_only(neighbours),
        edges=read_only(edges),
        twin_vertex=read_only(np.array([panel.twin_vertex(v) for v in vertices], np.int64)),
        twin_edge=read_only(np.array([panel.twin_edge(e) for e in range(grid.edges)], np.int64)),
        walls=read_only(walls),
        must=read_only(
            np.array([2 if e in between else int(e in must) for e in range(grid.edges)], np.int64)
        ),
        edge_ends=read_only(np.array([word_of(grid.edge_ends(e)) for e in range(grid.edges)], np.uint64)),
        edge_marks=_edge_marks(panel, half_ends),
        edge_cells=read_only(beside),
        vertex_cells=read_only(np.array([word_of(around) for around in grid.vertex_cells], np.uint64)),
        edge_dots=read_only(np.array(panel.edge_dots, np.int64)),
        cells=cell_rows(panel, pieces),
        colours=colour_rows(panel),
        starts=read_only(np.array([origin[:2] for origin in origins], np.int64).reshape(-1, 2)),
        free=read_only(np.array([free for _, _, free in origins], np.uint64)),
        ends=np.uint64(word_of(panel.line_ends)),
        reach_ends=np.uint64(
            word_of({*panel.line_ends, *(v for edge in own_ends for v in grid.edge_ends(edge))})
        ),
        vertex_dots=np.uint64(word_of(panel.vertex_dots)),
        border=np.uint64(
            word_of(v for v in vertices if grid.on_border(v) or grid.vertex_cells[v] & panel.outside)
        ),
        not_left=np.uint64(word_of(v for v in vertices if grid.vertex_at(v)[0] > 0)),
        not_right=np.uint64(word_of(v for v in vertices if grid.vertex_at(v)[0] < grid.columns - 1)),
        all_cells=np.uint64(word_of(c for c in cells if c not in panel.outside)),
        last_column=np.uint64(last_column),
        right_walls=np.uint64(last_column | standing[0]),
        upper_walls=np.uint64(standing[1]),
        triangle_cells=holding(Triangles),
        piece_cells=holding(Polyomino),
        eraser_cells=holding(Eraser),
        symbol_cells=np.uint64(word_of(cell for cell, _ in panel.symbols)),
        settings=read_only(
            np.array(
                [
                    panel.symmetry is not None,
                    grid.pillar,
                    grid.columns,
                    bool(half_ends),
                    bool(panel.outside or panel.edge_starts or panel.edge_ends),
                    panel.variant.erasers == "stay",
                    panel.variant.erased == "any",
                    panel.variant.crossing == "allowed",
                ],
                np.int64,
            )
        ),
    )


def _edge_marks(panel: Panel, half_ends: set[int]) -> NDArray[np.int64]:
    """Return `SearchTables.edge_marks`, given the edges in which either line can end."""
    grid = panel.grid
    loose = [
        dot
        for dot in (panel.edge_dots if panel.outside else ())
        if panel.outside.issuperset({*grid.edge_cells(dot)} - {None})
    ]
    marks = _bare_marks(grid)
    if half_ends or loose:
        marks = marks.copy()
        marks[list(half_ends), places.ENDS_HERE] = 1
        marks[loose, places.LOOSE_DOT] = 1
    return read_only(marks)


@lru_cache(maxsize=256)
def _bare_marks(grid: Grid) -> NDArray[np.int64]:
    rows = []
    for edge in range(grid.edges):
        across = [grid.edges_across(edge, vertex) for vertex in grid.edge_ends(edge)]
        second = len(grid.step((), 0, edge)) == 2
        beside = (number for found in across for number in (*found, -1)[:2])
        rows.append([0, 0, int(second), grid.edge_ends(edge)[0], *beside])
    return read_only(np.array(rows, np.int64))
