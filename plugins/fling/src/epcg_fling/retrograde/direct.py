"""Retrograde analysis board by board: the pseudo-code of Algorithm 5 (Sturtevant & Ota 2018), compiled.

The reference for the bit-sliced kernel, the fallback for boards that cannot be halved, and what solves the
few rows for which setting up bit slices costs more than it saves.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    bit_count,
    bit_index,
    increment_combination_bits,
    njit,
    unrank_combination_bits,
)
from epcg_fling.retrograde.bits import fling_back, fling_on, rank_board, rank_half, two_apart

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ALL = np.uint64(2**64 - 1)
_SIX, _IN_WORD = np.uint64(6), np.uint64(63)

BASE, STRIDE, UNIQUE = 0, 1, 2
"""Columns of a layout, in bits: where a block begins, from row to row, from solvable to unique."""


@njit
def solve_boards(
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

    The rows are those of `held` pieces in the first `top` cells, first_row .. last_row - 1 in rank order.
    If `top` is the whole board a row is a board. Bit 0 of `solvable` and `unique` belongs to rank `start`.
    `lines` is (2, cells), the row and the column of each cell. `distinct` (0 or 1): count a successor that
    two moves reach once.
    """
    # For each board: for each piece and direction, look the successor up; stop at the second solvable one.
    # What follows is one loop nest without calls that take arrays: these cost more than all the rest.
    if last_row <= first_row:
        return
    cells = lines.shape[1]
    below = pieces - held
    length = binomials[cells - top, below]
    lowest = _ZERO if below == 0 else ((_ONE << np.uint64(below)) - _ONE) << np.uint64(top)
    upper_cells = _ALL >> np.uint64(64 - top)
    whole = top == cells
    ways = 4 if width < cells else 2
    last_board = binomials[cells, pieces - 1] - 1
    upper = unrank_combination_bits(first_row, top, held, binomials)
    for _ in range(first_row, last_row):
        # A row's boards have consecutive ranks: cut the run to the range.
        rank = rank_board(upper | lowest, binomials[cells, pieces] - 1, ranks)
        first = max(np.int64(0), start - rank)
        last = min(length, start + count - rank)
        lower = _ZERO
        if below > 0 and last > first:
            lower = unrank_combination_bits(int(first), cells - top, below, binomials)
        for index in range(rank + first - start, rank + last - start):
            bits = upper
            if below > 0:
                bits |= lower << np.uint64(top)
                lower = increment_combination_bits(lower, cells - top)
            solutions = np.int64(0)
            unique_solutions = np.int64(0)
            for way in range(ways):
                along_rows = way < 2
                step = _ONE if along_rows else np.uint64(width)
                onward = way & 1 == 0
                # The pieces with an empty cell ahead; whether another lies further on is asked one by one.
                rest = bits & ~(bits >> step) if onward else bits & ~(bits << step)
                while rest != _ZERO:
                    piece = rest & (~rest + _ONE)
                    rest ^= piece
                    cell = np.uint64(bit_index(piece))
                    line = lines[0, cell] if along_rows else lines[1, cell]
                    line_pieces = bits & line
                    before = line_pieces & (piece - _ONE)
                    after = line_pieces ^ before ^ piece
                    if onward:
                        if after == _ZERO:
                            continue
                        reached = fling_on(bits, piece, line, step)
                    else:
                        if before == _ZERO:
                            continue
                        if distinct != 0 and after == _ZERO and two_apart(line_pieces, step):
                            continue
                        reached = fling_back(bits, piece, line, step)
                    # The number of pieces above gives the block, these the row, the others the bit.
                    if whole:
                        block = np.int64(pieces - 1)
                        at = rank_board(reached, last_board, top_ranks)
                    else:
                        above = reached & upper_cells
                        block = bit_count(above)
                        at = layout[block, BASE] + layout[block, STRIDE] * rank_half(
                            above, binomials[top, block] - 1, top_ranks
                        )
                        at += rank_half(
                            reached >> np.uint64(top),
                            binomials[cells - top, pieces - 1 - block] - 1,
                            bottom_ranks,
                        )
                    if (table[np.uint64(at) >> _SIX] >> (np.uint64(at) & _IN_WORD)) & _ONE != _ZERO:
                        solutions += 1
                        at += layout[block, UNIQUE]
                        if (table[np.uint64(at) >> _SIX] >> (np.uint64(at) & _IN_WORD)) & _ONE != _ZERO:
                            unique_solutions += 1
                        if solutions > 1:
                            break
                if solutions > 1:
                    break
            if solutions > 0:
                bit = _ONE << np.uint64(index & 63)
                solvable[index >> 6] |= bit
                # Every solvable board of two pieces counts as unique: "excepting the last move".
                if pieces == 2 or (solutions == 1 and unique_solutions == 1):
                    unique[index >> 6] |= bit
        upper = increment_combination_bits(upper, top)
