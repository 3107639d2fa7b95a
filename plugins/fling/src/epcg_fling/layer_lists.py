"""The moves of the lower half's configurations, as lists that the bit-sliced kernel walks.

For q pieces in the lower half, whose C(nB, q) configurations Q are numbered by rank, the lists say for every
Q where to look successors up. Indices refer to the kernel's working arrays, one entry of two words for each
configuration:

- `inner`: moves within the half that the upper half has no part in (along rows; along columns away from it):
  ranks among the configurations of q - 1 pieces. Those that reach the same board as another one come last.
- `up`: moves along a column towards the upper half. Both what remains if no piece comes down from the upper
  half (q - 1 pieces) and if one does (q pieces) is listed.
- `down`: what becomes of each Q when the pieces of a column of it are hit from the upper half.

The working array of both lists holds `size(q)` entries for q pieces, then `size(q - 1)` for q - 1 pieces, then
one empty entry.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import increment_combination_bits
from epcg_core.compiled import njit
from epcg_fling.layer_bits import fling_back, fling_on, rank_bits, two_apart

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

CLASS_SHIFT = 24
"""In the first number of an `up` entry the class stands above the rank."""
FIRST = 4
"""Class bit: the flung piece is the first of its column in the lower half."""
SPACED_FROM_0, SPACED_FROM_1, SPACED = 1, 2, 3
"""Low class bits: the last piece of a column is flung whose pieces here are two apart, from row 0, 1 or later."""


@njit
def padded(configurations: int) -> np.int64:
    """Entries for so many configurations: whole words of 64."""
    return np.int64((configurations + 63) // 64 * 64)


@njit
def count_moves_below(
    pieces: int, width: int, cells: int, configurations: int, counts: NDArray[np.int64]
) -> None:
    """Write into `counts` the number of `inner` moves, then where the `up` entries of each column end."""
    # One pass over the configurations without ranking anything.
    counts[:] = 0
    bits = (_ONE << np.uint64(pieces)) - _ONE
    row, column = line_masks(width, cells)
    step = np.uint64(width)
    for _ in range(configurations):
        for cell in range(cells):
            piece = _ONE << np.uint64(cell)
            if bits & piece == _ZERO:
                continue
            across = bits & (row << np.uint64(cell // width * width))
            if across & (piece - _ONE) != _ZERO and across & (piece >> _ONE) == _ZERO:
                counts[0] += 1
            if across & ~(piece | (piece - _ONE)) != _ZERO and across & (piece << _ONE) == _ZERO:
                counts[0] += 1
            along = bits & (column << np.uint64(cell % width))
            if along & ~(piece | (piece - _ONE)) != _ZERO and along & (piece << step) == _ZERO:
                counts[0] += 1
            if along & (piece >> step) == _ZERO:
                counts[1 + cell % width] += 1
        bits = increment_combination_bits(bits, cells)
    for x in range(2, counts.size):
        counts[x] += counts[x - 1]


@njit
def line_masks(width: int, cells: int) -> tuple[np.uint64, np.uint64]:
    """The first row and the first column of a board."""
    row = _ZERO
    column = _ZERO
    for x in range(width):
        row |= _ONE << np.uint64(x)
    for cell in range(0, cells, width):
        column |= _ONE << np.uint64(cell)
    return row, column


@njit
def list_inner(
    pieces: int,
    width: int,
    cells: int,
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    offsets: NDArray[np.int32],
    targets: NDArray[np.int32],
) -> None:
    """Fill `inner`: the moves of Q are targets[offsets[2 Q]: offsets[2 Q + 2]].

    From offsets[2 Q + 1] on stand those whose successor another move reaches too.
    """
    # Two sweeps over the pieces of each Q: first all moves but the duplicates, then these.
    last = binomials[cells, pieces - 1] - 1
    bits = (_ONE << np.uint64(pieces)) - _ONE
    row, column = line_masks(width, cells)
    step = np.uint64(width)
    filled = 0
    for index in range(configurations):
        offsets[2 * index] = filled
        for sweep in range(2):
            if sweep == 1:
                offsets[2 * index + 1] = filled
            for cell in range(cells):
                piece = _ONE << np.uint64(cell)
                if bits & piece == _ZERO:
                    continue
                line = row << np.uint64(cell // width * width)
                across = bits & line
                before = across & (piece - _ONE)
                after = across ^ before ^ piece
                if before != _ZERO and before & (piece >> _ONE) == _ZERO:
                    if (sweep == 1) == (after == _ZERO and two_apart(across, _ONE)):
                        targets[filled] = rank_bits(fling_back(bits, piece, line, _ONE), last, ranks)
                        filled += 1
                if sweep == 1:
                    continue
                if after != _ZERO and after & (piece << _ONE) == _ZERO:
                    targets[filled] = rank_bits(fling_on(bits, piece, line, _ONE), last, ranks)
                    filled += 1
                line = column << np.uint64(cell % width)
                after = bits & line & ~(piece | (piece - _ONE))
                if after != _ZERO and after & (piece << step) == _ZERO:
                    targets[filled] = rank_bits(fling_on(bits, piece, line, step), last, ranks)
                    filled += 1
        bits = increment_combination_bits(bits, cells)
    offsets[2 * configurations] = filled


@njit
def list_up(
    pieces: int,
    width: int,
    cells: int,
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    ends: NDArray[np.int64],
    entries: NDArray[np.int32],
) -> None:
    """Fill `up`: three numbers an entry, column after column, by rank; ends[x] is where column x stands.

    They are the rank of Q with the class of the move, the index of what remains, and the index of what
    remains when a piece comes down. `ends` is used up: afterwards it holds the ends of the columns.
    """
    # The pieces before the flung one come one cell nearer to it, which leaves the first row free for one more.
    last = binomials[cells, pieces - 1] - 1
    last_with = binomials[cells, pieces] - 1
    here = padded(configurations)
    nothing = here + padded(binomials[cells, pieces - 1])
    bits = (_ONE << np.uint64(pieces)) - _ONE
    _, column = line_masks(width, cells)
    step = np.uint64(width)
    for index in range(configurations):
        for cell in range(cells):
            piece = _ONE << np.uint64(cell)
            if bits & piece == _ZERO or (cell >= width and bits & (piece >> step) != _ZERO):
                continue
            x = cell % width
            line = column << np.uint64(x)
            along = bits & line
            before = along & (piece - _ONE)
            kind = FIRST if before == _ZERO else 0
            if along ^ before ^ piece == _ZERO and two_apart(along, step):
                top = along & (~along + _ONE)
                if top == _ONE << np.uint64(x):
                    kind += SPACED_FROM_0
                elif top == (_ONE << np.uint64(x)) << step:
                    kind += SPACED_FROM_1
                else:
                    kind += SPACED
            reached = fling_back(bits, piece, line, step)
            at = 3 * ends[x]
            entries[at] = index + (kind << CLASS_SHIFT)
            entries[at + 1] = here + rank_bits(reached, last, ranks)
            if cell < width:
                entries[at + 2] = nothing
            else:
                entries[at + 2] = rank_bits(reached | (_ONE << np.uint64(x)), last_with, ranks)
            ends[x] += 1
        bits = increment_combination_bits(bits, cells)


@njit
def list_down(
    pieces: int,
    width: int,
    cells: int,
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    targets: NDArray[np.int32],
    occupied: NDArray[np.uint64],
) -> None:
    """Fill `down`: targets[x, Q] is the index of what becomes of Q; of ~Q (< 0) where column x is empty.

    Set in `occupied`, (width, words), the bits of the Q that have a piece in column x.
    """
    # The column moves one cell towards the upper half; a piece of the first row passes into it.
    last = binomials[cells, pieces - 1] - 1
    last_with = binomials[cells, pieces] - 1
    here = padded(configurations)
    bits = (_ONE << np.uint64(pieces)) - _ONE
    _, column = line_masks(width, cells)
    step = np.uint64(width)
    for index in range(configurations):
        for x in range(width):
            line = column << np.uint64(x)
            along = bits & line
            if along == _ZERO:
                targets[x, index] = ~index
                continue
            occupied[x, index >> 6] |= _ONE << np.uint64(index & 63)
            entry = _ONE << np.uint64(x)
            if along & entry == _ZERO:
                targets[x, index] = rank_bits((bits & ~line) | (along >> step), last_with, ranks)
            else:
                reached = (bits & ~line) | ((along ^ entry) >> step)
                targets[x, index] = here + rank_bits(reached, last, ranks)
        bits = increment_combination_bits(bits, cells)
