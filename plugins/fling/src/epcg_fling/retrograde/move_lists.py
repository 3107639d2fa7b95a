"""The moves of the lower half's configurations, as lists that the bit-sliced kernel walks.

For q pieces in the lower half, whose C(nB, q) configurations Q are numbered by rank, the lists say for every
Q where to look successors up:

- `inner`: moves within the half that the upper half has no part in (along rows; along columns away from it).
  Those that reach the same board as another one come last.
- `up`: moves along a column towards the upper half. Both what remains if no piece comes down from the upper
  half (q - 1 pieces) and if one does (q pieces) is listed.
- `down`: what becomes of each Q when the pieces of a column of it are hit from the upper half.

What is looked up are words of the kernel's working arrays. These hold 64 words of solvable bits for the
first 64 configurations, then 64 words of unique bits, then the same for the next 64 and so on; `place` is
where a configuration's word of solvable bits is. The array that `up` and `down` refer to has the
configurations of q pieces, then from `space(C(nB, q))` on those of q - 1, then zeros; the one that `inner`
refers to has only those of q - 1.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_index, increment_combination_bits, njit
from epcg_fling.retrograde.bits import fling_back, fling_on, rank_half, two_apart

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

CLASS_SHIFT = 24
"""In the first number of an `up` entry the class stands above the place."""
EMPTY = 2**31
"""In `down`: the column of this configuration is empty."""
FIRST = 4
"""Class bit: the flung piece is the first of its column in the lower half."""
SPACED_FROM_0, SPACED_FROM_1, SPACED = 1, 2, 3
"""Low class bits: the last of pieces two apart in a column is flung; the first is in row 0, 1 or later."""


@njit
def space(configurations: int) -> np.int64:
    """Return the number of 64-bit words that a number of configurations takes in a working array."""
    return np.int64((configurations + 63) // 64 * 128)


@njit
def place(rank: int | np.int64) -> np.int64:
    """Return the position of a configuration's solvable word; its unique word is 64 later."""
    return np.int64(2 * rank - (rank & 63))


@njit
def count_moves_below(
    pieces: int, width: int, lines: NDArray[np.uint64], configurations: int, counts: NDArray[np.int64]
) -> None:
    """Write into `counts` the number of `inner` moves, then where the `up` entries of each column end."""
    # One pass over the configurations without ranking anything.
    counts[:] = 0
    bits = (_ONE << np.uint64(pieces)) - _ONE
    cells = lines.shape[1]
    step = np.uint64(width)
    for _ in range(configurations):
        rest = bits
        while rest != _ZERO:
            piece = rest & (~rest + _ONE)
            rest ^= piece
            cell = bit_index(piece)
            across = bits & lines[0, cell]
            if across & (piece - _ONE) != _ZERO and across & (piece >> _ONE) == _ZERO:
                counts[0] += 1
            if across & ~(piece | (piece - _ONE)) != _ZERO and across & (piece << _ONE) == _ZERO:
                counts[0] += 1
            along = bits & lines[1, cell]
            if along & ~(piece | (piece - _ONE)) != _ZERO and along & (piece << step) == _ZERO:
                counts[0] += 1
            if along & (piece >> step) == _ZERO:
                counts[1 + cell % width] += 1
        bits = increment_combination_bits(bits, cells)
    for x in range(2, counts.size):
        counts[x] += counts[x - 1]


@njit
def list_inner(
    pieces: int,
    width: int,
    lines: NDArray[np.uint64],
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    offsets: NDArray[np.uint32],
    targets: NDArray[np.uint32],
) -> None:
    """Fill `inner`: the moves of Q are targets[offsets[2 Q]: offsets[2 Q + 2]].

    From offsets[2 Q + 1] on stand those whose successor another move reaches too.
    """
    # Two sweeps over the pieces of each Q: first all moves but the duplicates, then these.
    cells = lines.shape[1]
    last = binomials[cells, pieces - 1] - 1
    bits = (_ONE << np.uint64(pieces)) - _ONE
    step = np.uint64(width)
    filled = 0
    for index in range(configurations):
        offsets[2 * index] = filled
        for sweep in range(2):
            if sweep == 1:
                offsets[2 * index + 1] = filled
            rest = bits
            while rest != _ZERO:
                piece = rest & (~rest + _ONE)
                rest ^= piece
                cell = bit_index(piece)
                line = lines[0, cell]
                across = bits & line
                before = across & (piece - _ONE)
                after = across ^ before ^ piece
                duplicate = after == _ZERO and two_apart(across, _ONE)
                if before != _ZERO and before & (piece >> _ONE) == _ZERO and duplicate == (sweep == 1):
                    reached = fling_back(bits, piece, line, _ONE)
                    targets[filled] = place(rank_half(reached, last, ranks))
                    filled += 1
                if sweep == 1:
                    continue
                if after != _ZERO and after & (piece << _ONE) == _ZERO:
                    targets[filled] = place(rank_half(fling_on(bits, piece, line, _ONE), last, ranks))
                    filled += 1
                line = lines[1, cell]
                after = bits & line & ~(piece | (piece - _ONE))
                if after != _ZERO and after & (piece << step) == _ZERO:
                    targets[filled] = place(rank_half(fling_on(bits, piece, line, step), last, ranks))
                    filled += 1
        bits = increment_combination_bits(bits, cells)
    offsets[2 * configurations] = filled


@njit
def list_up(
    pieces: int,
    width: int,
    lines: NDArray[np.uint64],
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    ends: NDArray[np.int64],
    entries: NDArray[np.uint32],
    entered: NDArray[np.uint8],
) -> None:
    """Fill `up`: three numbers an entry, column after column, by rank; ends[x] is where column x stands.

    They are the place of Q with the class of the move, the place of what remains, and that of what remains
    when a piece comes down. `ends` is used up: afterwards it holds the ends of the columns. `entered`,
    (width, words), becomes 1 for the words of 64 configurations into which a piece can have come down in
    column x.
    """
    # The pieces before the flung one come one cell nearer, which leaves the first row free for one more.
    cells = lines.shape[1]
    last = binomials[cells, pieces - 1] - 1
    last_with = binomials[cells, pieces] - 1
    here = space(configurations)
    nothing = here + space(binomials[cells, pieces - 1])
    bits = (_ONE << np.uint64(pieces)) - _ONE
    step = np.uint64(width)
    for index in range(configurations):
        rest = bits
        while rest != _ZERO:
            piece = rest & (~rest + _ONE)
            rest ^= piece
            cell = bit_index(piece)
            if bits & (piece >> step) != _ZERO:
                continue
            x = cell % width
            line = lines[1, x]
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
            entries[at] = place(index) + (kind << CLASS_SHIFT)
            entries[at + 1] = here + place(rank_half(reached, last, ranks))
            if cell < width:
                entries[at + 2] = nothing
            else:
                with_entering = rank_half(reached | (_ONE << np.uint64(x)), last_with, ranks)
                entries[at + 2] = place(with_entering)
                entered[x, with_entering >> 6] = 1
            ends[x] += 1
        bits = increment_combination_bits(bits, cells)


@njit
def list_down(
    pieces: int,
    width: int,
    lines: NDArray[np.uint64],
    configurations: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    targets: NDArray[np.uint32],
    occupied: NDArray[np.uint64],
) -> None:
    """Fill `down`: targets[x, Q] is the place of what becomes of Q; of Q itself, and EMPTY, if x is empty.

    Set in `occupied`, (width, words), the bits of the Q that have a piece in column x.
    """
    # The column moves one cell towards the upper half; a piece of the first row passes into it.
    cells = lines.shape[1]
    last = binomials[cells, pieces - 1] - 1
    last_with = binomials[cells, pieces] - 1
    here = space(configurations)
    bits = (_ONE << np.uint64(pieces)) - _ONE
    step = np.uint64(width)
    for index in range(configurations):
        for x in range(width):
            line = lines[1, x]
            along = bits & line
            if along == _ZERO:
                targets[x, index] = place(index) + EMPTY
                continue
            occupied[x, index >> 6] |= _ONE << np.uint64(index & 63)
            entry = _ONE << np.uint64(x)
            if along & entry == _ZERO:
                targets[x, index] = place(rank_half((bits & ~line) | (along >> step), last_with, ranks))
            else:
                reached = (bits & ~line) | ((along ^ entry) >> step)
                targets[x, index] = here + place(rank_half(reached, last, ranks))
        bits = increment_combination_bits(bits, cells)
