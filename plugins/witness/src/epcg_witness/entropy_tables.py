"""What the compiled walk through a panel's partial paths looks up: the tables of one panel.

Sets of vertices and of cells are words, bit v and bit c. Colours and pieces that do not occur have no row.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache
from math import log2
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_witness.grid import STEPS, Grid
from epcg_witness.panel import Panel, Polyomino, Square, Star, Triangles
from epcg_witness.pieces import Pieces, pack_pieces
from epcg_witness.rules import RULES, end_cells

TO, EDGE, LEFT_CELL, RIGHT_CELL, FRONT, BEHIND, OPPOSITE, WALL, WALL_CELL = 0, 1, 2, 3, 4, 6, 8, 10, 11
"""Columns of `Board.steps`. FRONT, BEHIND and OPPOSITE are pairs, in the order in which rule 4 asks: left, or
below, first."""
NO_WALL, WALL_ON_RIGHT, WALL_ABOVE = range(3)
DOT, GAP, SEPARATES = 1, 2, 4
"""Bits of `Board.marks`."""
TRIANGLES, PIECE = 4, 5
"""Columns of `Board.cells`, behind the four edges."""
(VERTICES, BORDER, NOT_LEFT, NOT_RIGHT, ENDS, VERTEX_DOTS, CELLS, LAST_COLUMN, END_CELLS, TRIANGLE_CELLS,
 DOTTED_CELLS, PIECE_CELLS, MASKS) = range(13)  # fmt: skip
"""Entries of `Board.masks`."""
SQUARES, STARS, COLOURED = range(3)
"""Columns of `Board.colours`."""
RULE_BITS = {name: 1 << index for index, name in enumerate(RULES)}
"""The rules as bits of one number."""


class Board(NamedTuple):
    """The tables of one panel, as kernels want them."""

    width: int
    steps: NDArray[np.int64]
    """(vertices, 4, 12): for each direction the vertex it leads to (-1: none), the edge, the cells on its
    left and right, those beside it and behind the head, the edges opposite in the cells beside it, and the
    wall between two cells that the edge is. A cell outside the panel is -1."""
    marks: NDArray[np.int64]
    """(edges,) DOT, GAP and SEPARATES."""
    cells: NDArray[np.int64]
    """(cells, 6): the four edges around, the number of triangles (0: none), the piece (-1: none)."""
    corners: NDArray[np.uint64]
    """(cells,) the vertices around."""
    masks: NDArray[np.uint64]
    colours: NDArray[np.uint64]
    """(colours, 3): the cells with squares, with stars and with any symbols of each colour."""
    starts: NDArray[np.int64]
    dots: int
    """Edges with a dot."""
    start_on_border: NDArray[np.bool_]
    """(starts,)"""
    log2: NDArray[np.float64]
    """log2 of 0 (as 0), 1, 2, ..., from scalar `math`."""
    pieces: Pieces


def board_of(panel: Panel) -> Board:
    """The tables of a panel."""
    grid = panel.grid
    cells = _cells(grid).copy()
    for cell, symbol in panel.symbols:
        if isinstance(symbol, Triangles):
            cells[cell, TRIANGLES] = symbol.count
    pieces, cells[:, PIECE] = pack_pieces(panel)
    marks = np.zeros(grid.edges, np.int64)
    for edge in range(grid.edges):
        marks[edge] = _mark(panel, edge)
    return Board(
        width=grid.width,
        steps=_steps(grid),
        marks=read_only(marks),
        cells=read_only(cells),
        corners=_corners(grid),
        masks=_masks(panel),
        colours=_colours(panel),
        starts=read_only(np.array(panel.starts, np.int64)),
        dots=len(panel.edge_dots),
        start_on_border=read_only(np.array([grid.on_border(v) for v in panel.starts])),
        log2=_logarithms(max(len(panel.starts), 5) + 1),
        pieces=pieces,
    )


def rule_bits(rules: tuple[str, ...]) -> int:
    """A set of rules by name as one number."""
    return sum({RULE_BITS[name] for name in rules})


@lru_cache
def _steps(grid: Grid) -> NDArray[np.int64]:
    table = np.full((grid.vertices, len(STEPS), 12), -1, np.int64)
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
def _cells(grid: Grid) -> NDArray[np.int64]:
    table = np.zeros((grid.cells, 6), np.int64)
    for cell in range(grid.cells):
        table[cell, :4] = grid.cell_edges(cell)
    return read_only(table)


@lru_cache
def _corners(grid: Grid) -> NDArray[np.uint64]:
    corners = np.zeros(grid.cells, np.uint64)
    for cell in range(grid.cells):
        corners[cell] = _word(vertex for edge in grid.cell_edges(cell) for vertex in grid.edge_ends(edge))
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


def _masks(panel: Panel) -> NDArray[np.uint64]:
    grid = panel.grid
    masks = np.zeros(MASKS, np.uint64)
    vertices = range(grid.vertices)
    masks[VERTICES] = _word(vertices)
    masks[BORDER] = _word(filter(grid.on_border, vertices))
    masks[NOT_LEFT] = _word(v for v in vertices if grid.vertex_at(v)[0] > 0)
    masks[NOT_RIGHT] = _word(v for v in vertices if grid.vertex_at(v)[0] < grid.width)
    masks[ENDS] = _word(panel.ends)
    masks[VERTEX_DOTS] = _word(panel.vertex_dots)
    masks[CELLS] = _word(range(grid.cells))
    masks[LAST_COLUMN] = _word(c for c in range(grid.cells) if grid.cell_at(c)[0] == grid.width - 1)
    masks[END_CELLS] = _word(end_cells(panel))
    masks[TRIANGLE_CELLS] = _word(c for c, symbol in panel.symbols if isinstance(symbol, Triangles))
    masks[PIECE_CELLS] = _word(c for c, symbol in panel.symbols if isinstance(symbol, Polyomino))
    dotted = set(panel.vertex_dots)
    masks[DOTTED_CELLS] = _word(
        cell
        for cell in range(grid.cells)
        if any(e in panel.edge_dots or not dotted.isdisjoint(grid.edge_ends(e)) for e in grid.cell_edges(cell))
    )
    return read_only(masks)


def _colours(panel: Panel) -> NDArray[np.uint64]:
    rows = []
    for colour in sorted({symbol.colour for _, symbol in panel.symbols}):
        own = [(cell, symbol) for cell, symbol in panel.symbols if symbol.colour == colour]
        rows.append(
            (
                _word(cell for cell, symbol in own if isinstance(symbol, Square)),
                _word(cell for cell, symbol in own if isinstance(symbol, Star)),
                _word(cell for cell, _ in own),
            )
        )
    # Colours of neither squares nor stars say nothing.
    return read_only(np.array([row for row in rows if row[SQUARES] | row[STARS]], np.uint64).reshape(-1, 3))


def _word(numbers: Iterable[int]) -> int:
    word = 0
    for number in numbers:
        word |= 1 << number
    return word
