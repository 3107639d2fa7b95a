"""The tables of a panel that tests of its regions use (see `epcg_witness.solving.region_kernels`)."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.solving.region_kernels import DOTTED, ERASER, PIECE, SQUARES, STARS, TRIANGLES
from epcg_witness.solving.tiling_kernels import BELOW, BESIDE_LEFT, BESIDE_RIGHT, BESIDE_UPPER, Pieces


def cell_rows(panel: Panel, pieces: tuple[Polyomino, ...]) -> NDArray[np.int64]:
    """Return a row for each cell, (cells, 8).

    The columns: the four edges around, the number of triangles (0: none), the piece as an index of `pieces`
    (-1: none), which of the four edges have dots, as bits, and the kind of the eraser (-1: none; erasers of
    one kind are interchangeable for all stars of the panel).
    """
    grid = panel.grid
    rows = _empty_rows(grid).copy()
    starred = sorted({symbol.colour for _, symbol in panel.symbols if isinstance(symbol, Star)})
    for cell, symbol in panel.symbols:
        if isinstance(symbol, Triangles):
            rows[cell, TRIANGLES] = symbol.count
        elif isinstance(symbol, Polyomino):
            rows[cell, PIECE] = pieces.index(symbol)
        elif isinstance(symbol, Eraser):
            rows[cell, ERASER] = starred.index(symbol.colour) if symbol.colour in starred else len(starred)
    dotted = np.zeros(grid.edges, np.int64)
    dotted[list(panel.edge_dots)] = 1
    for bit in range(4):
        rows[:, DOTTED] |= dotted[rows[:, bit]] << bit
    return read_only(rows)


@lru_cache
def _empty_rows(grid: Grid) -> NDArray[np.int64]:
    rows = np.zeros((grid.cells, 8), np.int64)
    rows[:, PIECE] = rows[:, ERASER] = -1
    for cell in range(grid.cells):
        rows[cell, :TRIANGLES] = grid.cell_edges(cell)
    return read_only(rows)


def colour_rows(panel: Panel) -> NDArray[np.uint64]:
    """Return the cells with squares, with stars and with any symbols of each colour, (colours, 3).

    Colours of neither squares nor stars have no row.
    """
    rows = []
    for colour in sorted({symbol.colour for _, symbol in panel.symbols}):
        own = [(cell, symbol) for cell, symbol in panel.symbols if symbol.colour == colour]
        rows.append(
            (
                word_of(cell for cell, symbol in own if isinstance(symbol, Square)),
                word_of(cell for cell, symbol in own if isinstance(symbol, Star)),
                word_of(cell for cell, _ in own),
            )
        )
    return read_only(np.array([row for row in rows if row[SQUARES] | row[STARS]], np.uint64).reshape(-1, 3))


def word_of(numbers: Iterable[int]) -> int:
    """Return the set of `numbers` as bits of one number."""
    word = 0
    for number in numbers:
        word |= 1 << number
    return word


@lru_cache(maxsize=256)
def piece_rows(grid: Grid, pieces: tuple[Polyomino, ...]) -> Pieces:
    """Return the tables of pieces on a grid, under the default rules. They are shared, so never written."""
    shapes = [shape for piece in pieces for shape in piece.orientations()]
    first = np.cumsum([0, *(len(piece.orientations()) for piece in pieces)])
    lain = np.zeros((len(shapes), grid.cells), np.uint64)
    for i, shape in enumerate(shapes):
        lain[i] = _places(grid.width, grid.height, shape)
    return Pieces(
        width=grid.width,
        height=grid.height,
        area=read_only(np.array([piece.area for piece in pieces], np.int64)),
        first=read_only(first.astype(np.int64)),
        lain=read_only(lain),
        reach=read_only(np.array([max(piece.width, piece.height) for piece in pieces], np.int64)),
        shape_first=read_only(np.cumsum([0, *map(len, shapes)]).astype(np.int64)),
        shape_x=read_only(np.array([x for shape in shapes for x, _ in shape], np.int64)),
        shape_y=read_only(np.array([y for shape in shapes for _, y in shape], np.int64)),
        shape_beside=read_only(
            np.array([_beside(cell, shape) for shape in shapes for cell in shape], np.int64)
        ),
        pillar=grid.pillar,
        inside=False,
        shapes=False,
        slits=np.zeros(2, np.uint64),
    )


def _beside(cell: tuple[int, int], shape: tuple[tuple[int, int], ...]) -> int:
    x, y = cell
    around = {BESIDE_RIGHT: (x + 1, y), BESIDE_UPPER: (x, y + 1), BESIDE_LEFT: (x - 1, y), BELOW: (x, y - 1)}
    return sum(bit for bit, other in around.items() if other in shape)


@lru_cache(maxsize=4096)
def _places(width: int, height: int, shape: tuple[tuple[int, int], ...]) -> NDArray[np.uint64]:
    """Return for each cell the cells covered if the shape's first cell lies there; 0 if they leave."""
    found = np.zeros(width * height, np.uint64)
    first_x, first_y = shape[0]
    for cell in range(width * height):
        y, x = divmod(cell, width)
        lain = [(x + dx - first_x, y + dy - first_y) for dx, dy in shape]
        if all(0 <= a < width and 0 <= b < height for a, b in lain):
            found[cell] = np.uint64(sum(1 << (b * width + a) for a, b in lain))
    return found
