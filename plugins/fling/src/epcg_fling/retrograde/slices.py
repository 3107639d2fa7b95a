"""Bit slices: 64 rows of a table transposed, and their moves combined, a word of 64 boards at a time.

A board's successors are accumulated as two bits: s, some successor is solvable, and u, exactly one is and it
is unique. A successor's own bits (s', u') come in as u = (u ^ u') & ~(s & s'), s = s | s'. In the end (s, u)
are the board's own bits. Where the words of working arrays are is told in `move_lists`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_fling.retrograde.bits import write_run
from epcg_fling.retrograde.move_lists import CLASS_SHIFT, EMPTY, place

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_PLACE = np.uint64((1 << CLASS_SHIFT) - 1)
_CLASS = np.uint64(CLASS_SHIFT)
_IN_PLACE = np.uint64(EMPTY - 1)
_FLAG = np.uint64(31)
_UNIQUE = np.uint64(64)
_TWO, _THREE = np.uint64(2), np.uint64(3)

_M32 = np.uint64(0x00000000FFFFFFFF)
_M16 = np.uint64(0x0000FFFF0000FFFF)
_M8 = np.uint64(0x00FF00FF00FF00FF)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_M2 = np.uint64(0x3333333333333333)
_M1 = np.uint64(0x5555555555555555)
_S32, _S16, _S8, _S4, _S2, _S1 = (np.uint64(s) for s in (32, 16, 8, 4, 2, 1))


@njit
def _swap(a: np.uint64, b: np.uint64, shift: np.uint64, mask: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Exchange the high fields of `a` with the low fields of `b`."""
    difference = ((a >> shift) ^ b) & mask
    return a ^ (difference << shift), b ^ difference


@njit
def transpose(tile: NDArray[np.uint64]) -> None:
    """Transpose 64 by 64 bits in place: bit c of word r and bit r of word c change places."""
    # Six rounds of exchanges, three at a time in eight registers.
    for i in range(8):
        a, b, c, d = tile[i], tile[i + 8], tile[i + 16], tile[i + 24]
        e, f, g, h = tile[i + 32], tile[i + 40], tile[i + 48], tile[i + 56]
        a, e = _swap(a, e, _S32, _M32)
        b, f = _swap(b, f, _S32, _M32)
        c, g = _swap(c, g, _S32, _M32)
        d, h = _swap(d, h, _S32, _M32)
        a, c = _swap(a, c, _S16, _M16)
        b, d = _swap(b, d, _S16, _M16)
        e, g = _swap(e, g, _S16, _M16)
        f, h = _swap(f, h, _S16, _M16)
        a, b = _swap(a, b, _S8, _M8)
        c, d = _swap(c, d, _S8, _M8)
        e, f = _swap(e, f, _S8, _M8)
        g, h = _swap(g, h, _S8, _M8)
        tile[i], tile[i + 8], tile[i + 16], tile[i + 24] = a, b, c, d
        tile[i + 32], tile[i + 40], tile[i + 48], tile[i + 56] = e, f, g, h
    for i in range(0, 64, 8):
        a, b, c, d = tile[i], tile[i + 1], tile[i + 2], tile[i + 3]
        e, f, g, h = tile[i + 4], tile[i + 5], tile[i + 6], tile[i + 7]
        a, e = _swap(a, e, _S4, _M4)
        b, f = _swap(b, f, _S4, _M4)
        c, g = _swap(c, g, _S4, _M4)
        d, h = _swap(d, h, _S4, _M4)
        a, c = _swap(a, c, _S2, _M2)
        b, d = _swap(b, d, _S2, _M2)
        e, g = _swap(e, g, _S2, _M2)
        f, h = _swap(f, h, _S2, _M2)
        a, b = _swap(a, b, _S1, _M1)
        c, d = _swap(c, d, _S1, _M1)
        e, f = _swap(e, f, _S1, _M1)
        g, h = _swap(g, h, _S1, _M1)
        tile[i], tile[i + 1], tile[i + 2], tile[i + 3] = a, b, c, d
        tile[i + 4], tile[i + 5], tile[i + 6], tile[i + 7] = e, f, g, h


@njit
def gather(
    table: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    words: int,
    out: NDArray[np.uint64],
    at: int | np.int64,
) -> None:
    """Transpose 64 rows of the table, given by their first words, into `out` from word `at` on."""
    # Tile by tile, first the solvable, then the unique bits, each transposed where it will stay.
    for word in range(words):
        for plane in range(2):
            column = np.uint64(word + plane * words)
            first = at + 128 * word + 64 * plane
            tile = out[first : first + 64]
            for i in range(64):
                tile[i] = table[rows[i] + column]
            transpose(tile)


@njit
def gather_some(
    table: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    words: int,
    wanted: NDArray[np.uint8],
    out: NDArray[np.uint64],
) -> None:
    """Run `gather` to the beginning of `out`, but only for the tiles of the `wanted` words."""
    for word in range(words):
        if wanted[word] == 0:
            continue
        for plane in range(2):
            column = np.uint64(word + plane * words)
            first = 128 * word + 64 * plane
            tile = out[first : first + 64]
            for i in range(64):
                tile[i] = table[rows[i] + column]
            transpose(tile)


@njit
def combine_inner(
    offsets: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    configurations: int,
    distinct: int,
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves within the lower half into entries that were empty."""
    # Entries of `source` are those of the same 64 rows with one piece less below.
    skip = 1 if distinct != 0 else 2
    for index in range(configurations):
        some = _ZERO
        one = _ZERO
        for move in range(np.int64(offsets[2 * index]), np.int64(offsets[2 * index + skip])):
            at = np.uint64(targets[move])
            s = source[at]
            one = (one ^ source[at + _UNIQUE]) & ~(some & s)
            some |= s
        to = np.uint64(place(index))
        out[to] = some
        out[to + _UNIQUE] = one


@njit
def combine_up(
    entries: NDArray[np.uint32],
    first: int,
    last: int,
    masks: NDArray[np.uint64],
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves of a column towards the upper half; `masks` says which rows have those of a class."""
    # For a row either no piece comes down, or one does: of two entries one has its bit, so OR joins them.
    for entry in range(np.uint64(first), np.uint64(last)):
        packed = np.uint64(entries[_THREE * entry])
        mask = masks[packed >> _CLASS]
        to = packed & _PLACE
        without = np.uint64(entries[_THREE * entry + _ONE])
        entering = np.uint64(entries[_THREE * entry + _TWO])
        s = (source[without] | source[entering]) & mask
        u = (source[without + _UNIQUE] | source[entering + _UNIQUE]) & mask
        some = out[to]
        out[to + _UNIQUE] = (out[to + _UNIQUE] ^ u) & ~(some & s)
        out[to] = some | s


@njit
def combine_down(
    targets: NDArray[np.uint32],
    configurations: int,
    beyond: np.uint64,
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine a move of a column of the upper half towards the lower one.

    If that column is empty below, only the rows `beyond` have a piece to hit.
    """
    # The flag of an empty column, 0 or 1, less 1 is the mask that lets all rows through.
    for index in range(configurations):
        target = np.uint64(targets[index])
        mask = beyond | ((target >> _FLAG) - _ONE)
        at = target & _IN_PLACE
        to = np.uint64(place(index))
        s = source[at] & mask
        u = source[at + _UNIQUE] & mask
        some = out[to]
        out[to + _UNIQUE] = (out[to + _UNIQUE] ^ u) & ~(some & s)
        out[to] = some | s


@njit
def combine_rows(
    table: NDArray[np.uint64],
    inner: NDArray[np.int64],
    counts: NDArray[np.int64],
    size: int,
    words: int,
    occupied: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves that leave the lower half alone into `size` rows of `out`.

    Row r has counts[r] moves, each two numbers of `inner[r]`: a row of the table, and a column, or -1; only
    if that column is occupied below the move counts.
    """
    # Whole rows, word by word: vector code.
    for row in range(size):
        some = out[2 * words * row : 2 * words * row + words]
        one = out[2 * words * row + words : 2 * words * row + 2 * words]
        for move in range(counts[row]):
            first = inner[row, 2 * move]
            column = inner[row, 2 * move + 1]
            solvable = table[first : first + words]
            unique = table[first + words : first + 2 * words]
            if column < 0:
                for word in range(words):
                    s = solvable[word]
                    one[word] = (one[word] ^ unique[word]) & ~(some[word] & s)
                    some[word] |= s
            else:
                for word in range(words):
                    mask = occupied[column, word]
                    s = solvable[word] & mask
                    one[word] = (one[word] ^ (unique[word] & mask)) & ~(some[word] & s)
                    some[word] |= s


@njit
def write_rows(
    solved: NDArray[np.uint64],
    first_ranks: NDArray[np.int64],
    size: int,
    length: int,
    words: int,
    start: int,
    count: int,
    pieces: int,
    solvable: NDArray[np.uint64],
    unique: NDArray[np.uint64],
) -> None:
    """Write the bits of `size` rows that lie in ranks start .. start + count - 1 to their ranks."""
    # Every solvable board of two pieces counts as unique: "excepting the last move".
    unique_at = 0 if pieces == 2 else words
    for row in range(size):
        at = 2 * words * row
        position = first_ranks[row] - start
        low = max(np.int64(0), -position)
        high = min(length, count - position)
        write_run(solved, at, low, high, solvable, position + low)
        write_run(solved, at + unique_at, low, high, unique, position + low)
