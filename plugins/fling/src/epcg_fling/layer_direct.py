"""Retrograde analysis board by board: the pseudo-code of Algorithm 5 (Sturtevant & Ota 2018), compiled.

The reference for the bit-sliced kernel, the fallback for boards that cannot be halved, and what solves the
few rows for which setting up bit slices costs more than it saves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import (
    bit_count,
    bit_index,
    increment_combination_bits,
    unrank_combination_bits,
)
from epcg_core.compiled import njit
from epcg_fling.layer_bits import fling_back, fling_on, rank_bits, two_apart

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

BASE, STRIDE, UNIQUE = 0, 1, 2
"""Columns of a layout: where a block's first solvable bit is, bits from row to row, from solvable to unique."""


@njit
def table_position(
    bits: np.uint64,
    pieces: int,
    top: int,
    layout: NDArray[np.int64],
    binomials: NDArray[np.int64],
    top_ranks: NDArray[np.int64],
    bottom_ranks: NDArray[np.int64],
    cells: int,
) -> tuple[np.int64, np.int64]:
    """The positions of a board's solvable and unique bits in a table whose upper half has `top` cells."""
    # The block belongs to the number of pieces in the upper half, the row to these, the bit to the others.
    upper, lower = bits, _ZERO
    if top < cells:
        upper = bits & ((_ONE << np.uint64(top)) - _ONE)
        lower = bits >> np.uint64(top)
    held = bit_count(upper)
    row = rank_bits(upper, binomials[top, held] - 1, top_ranks)
    position = layout[held, BASE] + row * layout[held, STRIDE]
    if top < cells:
        position += rank_bits(lower, binomials[cells - top, pieces - held] - 1, bottom_ranks)
    return position, position + layout[held, UNIQUE]


@njit
def solve_boards(
    first: np.uint64,
    count: int,
    pieces: int,
    distinct: int,
    width: int,
    top: int,
    lines: NDArray[np.uint64],
    layout: NDArray[np.int64],
    binomials: NDArray[np.int64],
    top_ranks: NDArray[np.int64],
    bottom_ranks: NDArray[np.int64],
    table: NDArray[np.uint64],
    solvable: NDArray[np.uint64],
    unique: NDArray[np.uint64],
    position: int,
) -> None:
    """Set the bits of `count` boards from `first` on, from bit `position` of `solvable` and `unique` on.

    `lines` is (2, cells): the mask of each cell's row and column. `distinct` (0 or 1): count a successor that
    two moves reach once.
    """
    # For each board: for each piece and direction, look the successor up; stop at the second solvable one.
    bits = np.uint64(first)
    cells = lines.shape[1]
    for index in range(position, position + count):
        solutions = np.int64(0)
        unique_solutions = np.int64(0)
        rest = bits
        while rest != _ZERO and solutions < 2:
            piece = rest & (~rest + _ONE)
            rest ^= piece
            cell = bit_index(piece)
            for axis in range(2):
                line = lines[axis, cell]
                step = np.uint64(width) if axis == 1 else _ONE
                held = bits & line
                before = held & (piece - _ONE)
                after = held ^ before ^ piece
                for way in range(2):
                    if way == 0:
                        # Towards higher cells.
                        if after == _ZERO or after & (piece << step) != _ZERO:
                            continue
                        reached = fling_on(bits, piece, line, step)
                    else:
                        if before == _ZERO or before & (piece >> step) != _ZERO:
                            continue
                        if distinct != 0 and after == _ZERO and two_apart(held, step):
                            continue
                        reached = fling_back(bits, piece, line, step)
                    at, at_unique = table_position(
                        reached, pieces - 1, top, layout, binomials, top_ranks, bottom_ranks, cells
                    )
                    if (table[at >> 6] >> np.uint64(at & 63)) & _ONE != _ZERO:
                        solutions += 1
                        unique_solutions += np.int64(
                            (table[at_unique >> 6] >> np.uint64(at_unique & 63)) & _ONE
                        )
        if solutions > 0:
            bit = _ONE << np.uint64(index & 63)
            solvable[index >> 6] |= bit
            # Every solvable board of two pieces counts as unique: "excepting the last move".
            if pieces == 2 or (solutions == 1 and unique_solutions == 1):
                unique[index >> 6] |= bit
        bits = increment_combination_bits(bits, cells)


@njit
def solve_rows_directly(
    first_row: int,
    last_row: int,
    held: int,
    start: int,
    count: int,
    pieces: int,
    distinct: int,
    width: int,
    top: int,
    lines: NDArray[np.uint64],
    layout: NDArray[np.int64],
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    top_ranks: NDArray[np.int64],
    bottom_ranks: NDArray[np.int64],
    table: NDArray[np.uint64],
    solvable: NDArray[np.uint64],
    unique: NDArray[np.uint64],
) -> None:
    """Set the bits of the boards of some rows that lie in ranks start .. start + count - 1.

    The rows are those of `held` pieces in the upper half, first_row .. last_row - 1 in rank order.
    """
    # A row's boards have consecutive ranks: cut the run to the range and solve it board by board.
    cells = lines.shape[1]
    below = pieces - held
    length = binomials[cells - top, below]
    lowest = (((_ONE << np.uint64(below)) - _ONE)) << np.uint64(top)
    if last_row <= first_row:
        return
    upper = unrank_combination_bits(first_row, top, held, binomials)
    for _ in range(first_row, last_row):
        rank = rank_bits(upper | lowest, binomials[cells, pieces] - 1, ranks)
        first = max(np.int64(0), start - rank)
        last = min(length, start + count - rank)
        if last > first:
            board = upper
            if below > 0:
                board |= unrank_combination_bits(first, cells - top, below, binomials) << np.uint64(top)
            solve_boards(
                board,
                last - first,
                pieces,
                distinct,
                width,
                top,
                lines,
                layout,
                binomials,
                top_ranks,
                bottom_ranks,
                table,
                solvable,
                unique,
                rank + first - start,
            )
        upper = increment_combination_bits(upper, top)
