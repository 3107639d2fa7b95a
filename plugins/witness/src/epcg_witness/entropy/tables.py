"""The tables of one panel for the compiled walk through its partial paths.

Sets of vertices and of cells are words, bit v and bit c. Colours and pieces that do not occur have no row.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_witness.inference.rules import end_cells
from epcg_witness.params import RULE_NAMES, Counting
from epcg_witness.rules.grid import STEPS, Grid
from epcg_witness.rules.panel import Panel, Polyomino, Square, Triangles
from epcg_witness.solving.regions import cell_rows, colour_rows, piece_rows, word_of
from epcg_witness.solving.tiling_kernels import Pieces

(TO, EDGE, LEFT_CELL, RIGHT_CELL, FRONT, BEHIND, OPPOSITE, WALL, WALL_CELL, MARK) = (
    0, 1, 2, 3, 4, 6, 8, 10, 11, 12,
)  # fmt: skip
"""Columns of `Board.steps`. FRONT, BEHIND and OPPOSITE are pairs, in the order in which rule 4 asks: left, or
below, first."""
_COLUMNS = 13
LEFTWARD = STEPS.index((-1, 0))
"""The direction of a move to the left."""
NO_WALL, WALL_ON_RIGHT, WALL_ABOVE = range(3)
"""The values of WALL: an edge is on the border, or lies to the right of the cell WALL_CELL, or above it."""
DOT, GAP, SEPARATES = 1, 2, 4
"""Bits of a mark."""
(VERTICES, BORDER, NOT_LEFT, NOT_RIGHT, ENDS, VERTEX_DOTS, CELLS, LAST_COLUMN, END_CELLS, TRIANGLE_CELLS,
 DOTTED_CELLS, PIECE_CELLS, CORNERS) = range(13)  # fmt: skip
"""Entries of `Board.sets`."""
START, ON_BORDER = range(2)
"""Columns of `Board.starts`."""
RULE_BITS = {name: 1 << index for index, name in enumerate(RULE_NAMES)}
"""The rules as bits of one number."""
PUBLISHED_COUNTING = 1 << len(RULE_NAMES)
"""The bit beside those of the rules which says that `triangle` counts as the published program does."""


class Board(NamedTuple):
    """The tables of one panel, as kernels want them."""

    steps: NDArray[np.int64]
    """(vertices, 4, 13): for each direction the vertex it leads to (-1: none), the edge, the cells on its
    left and right, those beside it and behind the head, the edges opposite in the cells beside it, the wall
    between two cells that the edge is, and the mark of what the panel has there. No cell is -1."""
    cells: NDArray[np.int64]
    """(cells, 8), see `epcg_witness.solving.regions.cell_rows`."""
    sets: NDArray[np.uint64]
    """Sets of vertices and of cells; from CORNERS on the vertices around each cell."""
    colours: NDArray[np.uint64]
    """(colours, 3), see `epcg_witness.solving.regions.colour_rows`."""
    starts: NDArray[np.int64]
    """(starts, 2): the vertex, and 1 if it is on the border."""
    log2: NDArray[np.float64]
    """log2 of 0 (as 0), 1, 2, ..., from scalar `math`."""
    pieces: Pieces
    width: int
    dots: int
    """Edges with a dot."""


def board_of(panel: Panel) -> Board:
    """Return the tables of a panel."""
    grid = panel.grid
    pieces = tuple(dict.fromkeys(symbol for _, symbol in panel.symbols if isinstance(symbol, Polyomino)))
    marks = np.array([_mark(panel, edge) for edge in range(grid.edges)], np.int64)
    steps = _steps(grid).copy()
    steps[:, :, MARK] = np.where(steps[:, :, TO] < 0, 0, marks[steps[:, :, EDGE]])
    return Board(
        steps=read_only(steps),
        cells=cell_rows(panel, pieces),
        sets=_sets(panel),
        colours=colour_rows(panel),
        starts=read_only(np.array([(v, grid.on_border(v)) for v in panel.starts], np.int64)),
        log2=_logarithms(max(len(panel.starts), 5) + 1),
        pieces=piece_rows(grid, pieces),
        width=grid.width,
        dots=len(panel.edge_dots),
    )


def rule_bits(rules: Iterable[str], counting: Counting = "exact") -> int:
    """Return a set of rules, given by name, and the counting of `triangle` as one number."""
    return sum(RULE_BITS[name] for name in set(rules)) | PUBLISHED_COUNTING * (counting == "published")


@lru_cache
def _steps(grid: Grid) -> NDArray[np.int64]:
    table = np.full((grid.vertices, len(STEPS), _COLUMNS), -1, np.int64)
    table[:, :, WALL] = NO_WALL
    for vertex in range(grid.vertices):
        x, y = grid.vertex_at(vertex)
        edges = dict(grid.neighbours[vertex])
        for direction, (dx, dy) in enumerate(STEPS):
            if not (0 <= x + dx <= grid.width and 0 <= y + dy <= grid.height):
                continue
            row = table[vertex, direction]
            row[TO] = grid.vertex(x + dx, y + dy)
            row[EDGE] = edges[row[TO]]
            low, high = grid.edge_cells(int(row[EDGE]))
            ascending_is_left = (dx, dy) in ((0, 1), (-1, 0))
            pair = [-1 if cell is None else cell for cell in (low, high)]
            row[LEFT_CELL], row[RIGHT_CELL] = pair if ascending_is_left else pair[::-1]
            for side, front in enumerate(pair):
                if front < 0:
                    continue
                row[FRONT + side] = front
                fx, fy = grid.cell_at(front)
                if 0 <= fx - dx < grid.width and 0 <= fy - dy < grid.height:
                    row[BEHIND + side] = grid.cell(fx - dx, fy - dy)
                below, above, left, right = grid.cell_edges(front)
                opposite = {below: above, above: below, left: right, right: left}
                row[OPPOSITE + side] = opposite[int(row[EDGE])]
            if low is not None and high is not None:
                row[WALL] = WALL_ABOVE if grid.is_horizontal(int(row[EDGE])) else WALL_ON_RIGHT
                row[WALL_CELL] = low
    return read_only(table)


@lru_cache
def _corners(grid: Grid) -> NDArray[np.uint64]:
    corners = np.zeros(grid.cells, np.uint64)
    for cell in range(grid.cells):
        corners[cell] = word_of(vertex for edge in grid.cell_edges(cell) for vertex in grid.edge_ends(edge))
    return read_only(corners)


@lru_cache
def _logarithms(count: int) -> NDArray[np.float64]:
    return read_only(np.array([0.0, *(log2(number) for number in range(1, count))]))


def _mark(panel: Panel, edge: int) -> int:
    mark = (DOT if edge in panel.dots else 0) | (GAP if edge in panel.gaps else 0)
    low, high = panel.grid.edge_cells(edge)
    one = None if low is None else panel.symbol_at.get(low)
    other = None if high is None else panel.symbol_at.get(high)
    if isinstance(one, Square) and isinstance(other, Square) and one.colour != other.colour:
        mark |= SEPARATES
    return mark


def _sets(panel: Panel) -> NDArray[np.uint64]:
    grid = panel.grid
    sets = np.zeros(CORNERS + grid.cells, np.uint64)
    vertices = range(grid.vertices)
    sets[VERTICES] = word_of(vertices)
    sets[BORDER] = word_of(filter(grid.on_border, vertices))
    sets[NOT_LEFT] = word_of(v for v in vertices if grid.vertex_at(v)[0] > 0)
    sets[NOT_RIGHT] = word_of(v for v in vertices if grid.vertex_at(v)[0] < grid.width)
    sets[ENDS] = word_of(panel.ends)
    sets[VERTEX_DOTS] = word_of(panel.vertex_dots)
    sets[CELLS] = word_of(range(grid.cells))
    sets[LAST_COLUMN] = word_of(c for c in range(grid.cells) if grid.cell_at(c)[0] == grid.width - 1)
    sets[END_CELLS] = word_of(end_cells(panel))
    sets[TRIANGLE_CELLS] = word_of(c for c, symbol in panel.symbols if isinstance(symbol, Triangles))
    sets[PIECE_CELLS] = word_of(c for c, symbol in panel.symbols if isinstance(symbol, Polyomino))
    sets[CORNERS:] = _corners(grid)
    dots = set(panel.vertex_dots)
    dotted = {e for e in range(grid.edges) if e in panel.dots or not dots.isdisjoint(grid.edge_ends(e))}
    sets[DOTTED_CELLS] = word_of(c for c in range(grid.cells) if not dotted.isdisjoint(grid.cell_edges(c)))
    return read_only(sets)
