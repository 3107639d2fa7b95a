"""Compiled helpers of the retrograde kernels: ranks by table, moves on lines of cells, runs of bits.

Bitboards are uint64 with cell c in bit c. A line is a mask of cells, `step` bits apart: a row (step 1) or a
column (step width), of the whole board or of one half of it.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import binomial_table, bit_count, highest_bit, njit, read_only

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ALL = np.uint64(2**64 - 1)
_WORD = np.uint64(64)
_CHUNK = 12
_PATTERN = np.uint64(2**_CHUNK - 1)
_S12, _S24, _S36 = np.uint64(_CHUNK), np.uint64(2 * _CHUNK), np.uint64(3 * _CHUNK)

HALF_CELLS = 3 * _CHUNK
"""The most cells of half a board."""


@lru_cache(maxsize=16)
def rank_table(cells: int, pieces: int) -> NDArray[np.int64]:
    """Return what `rank_half` and `rank_board` subtract for twelve cells of a bitboard, read-only int64.

    Its shape is (3, pieces + 1, 4096) for up to HALF_CELLS cells, else (6, pieces + 1, 4096). Entry
    [i, above, pattern] is the sum of C(cells - 1 - c, a) over the cells c of `pattern` in the i-th twelve,
    where a counts the pieces from c on when `above` pieces lie in later twelves: the number of combinations
    that come after this one because of these pieces. Entries for more than `pieces` pieces are 0.
    """
    binomials = binomial_table(max(cells, 1), pieces)
    table = np.zeros((3 if cells <= HALF_CELLS else 6, pieces + 1, 2**_CHUNK), dtype=np.int64)
    patterns = np.arange(2**_CHUNK)
    for chunk in range(-(-cells // _CHUNK)):
        for above in range(pieces + 1):
            count = np.full(patterns.size, above)
            for bit in reversed(range(min(_CHUNK, cells - _CHUNK * chunk))):
                held = (patterns >> bit) & 1 == 1
                count += held
                usable = held & (count <= pieces)
                table[chunk, above, usable] += binomials[cells - 1 - _CHUNK * chunk - bit, count[usable]]
    return read_only(table)


@njit
def rank_half(bits: np.uint64, last: int, table: NDArray[np.int64]) -> np.int64:
    """Return the lexicographic rank of up to HALF_CELLS cells; `last` is the highest rank of that count."""
    # One look-up for twelve cells; how many pieces lie above them selects the row of the table.
    low, middle, high = bits & _PATTERN, (bits >> _S12) & _PATTERN, bits >> _S24
    above_1 = np.uint64(bit_count(high))
    above_0 = above_1 + np.uint64(bit_count(middle))
    return np.int64(last - table[0, above_0, low] - table[1, above_1, middle] - table[2, 0, high])


@njit
def rank_board(bits: np.uint64, last: int, table: NDArray[np.int64]) -> np.int64:
    """Return the lexicographic rank of any board; `last` is the highest rank of as many pieces."""
    # As for a half; without a loop the look-ups do not wait for each other.
    rank = np.int64(last)
    above = _ZERO
    if table.shape[0] > 3:
        higher = bits >> _S36
        low, middle, high = higher & _PATTERN, (higher >> _S12) & _PATTERN, higher >> _S24
        rank -= table[5, 0, high]
        above = np.uint64(bit_count(high))
        rank -= table[4, above, middle]
        above += np.uint64(bit_count(middle))
        rank -= table[3, above, low]
        above += np.uint64(bit_count(low))
    low, middle, high = bits & _PATTERN, (bits >> _S12) & _PATTERN, (bits >> _S24) & _PATTERN
    rank -= table[2, above, high]
    above += np.uint64(bit_count(high))
    rank -= table[1, above, middle]
    above += np.uint64(bit_count(middle))
    return np.int64(rank - table[0, above, low])


@njit
def fling_back(bits: np.uint64, piece: np.uint64, line: np.uint64, step: np.uint64) -> np.uint64:
    """Fling `piece` along `line` towards lower cells and return the board.

    Without a piece to hit it just leaves: whether the move is legal is the caller's to know.
    """
    # All pieces before it end one cell nearer to where it stood.
    before = bits & line & (piece - _ONE)
    return np.uint64((bits & ~(before | piece)) | (before << step))


@njit
def fling_on(bits: np.uint64, piece: np.uint64, line: np.uint64, step: np.uint64) -> np.uint64:
    """Fling `piece` along `line` towards higher cells and return the board; see `fling_back`."""
    after = bits & line & ~(piece | (piece - _ONE))
    return np.uint64((bits & ~(after | piece)) | (after >> step))


@njit
def two_apart(pieces: np.uint64, step: np.uint64) -> bool:
    """Return whether the pieces of a line, one or more, lie two cells apart."""
    # Then, and only then, flinging the outermost two of them inward reaches the same board.
    return bool((pieces & (pieces - _ONE)) == ((pieces ^ highest_bit(pieces)) << (step + step)))


@njit
def read_run(
    words: NDArray[np.uint64],
    tail: np.uint64,
    position: int | np.int64,
    length: int | np.int64,
    out: NDArray[np.uint64],
    base: int,
) -> None:
    """Write `length` bits from bit `position` on as whole words from out[base] on, filled up with zeros.

    `tail` is the word that follows `words`.
    """
    # Each word comes from two neighbours: vector code, except where the run may end beyond `words`.
    index = position >> 6
    offset = np.uint64(position & 63)
    count = (length + 63) >> 6
    if offset != _ZERO and index + count < words.size:
        back = _WORD - offset
        low = words[index : index + count]
        high = words[index + 1 : index + 1 + count]
        filled = out[base : base + count]
        for i in range(count):
            filled[i] = (low[i] >> offset) | (high[i] << back)
    else:
        for i in range(index, index + count):
            bits = (words[i] if i < words.size else tail) >> offset
            if offset != _ZERO and i < words.size:
                bits |= (words[i + 1] if i + 1 < words.size else tail) << (_WORD - offset)
            out[base + i - index] = bits
    if length & 63 != 0:
        out[base + count - 1] &= _ALL >> np.uint64(64 - (length & 63))


@njit
def write_run(
    source: NDArray[np.uint64], base: int, first: int, last: int, out: NDArray[np.uint64], position: int
) -> None:
    """Combine (OR) the bits first .. last - 1 of the words from source[base] with `out` from `position` on.

    `out` needs one word more than its bits fill.
    """
    # A word at a time: cut off what lies outside of the run, shift it to its place, spill into the next word.
    if last <= first:
        return
    shift = position - first
    for word in range(first >> 6, ((last - 1) >> 6) + 1):
        bits = source[base + word]
        at = 64 * word + shift
        if 64 * word < first:
            skipped = np.uint64(first - 64 * word)
            bits = (bits >> skipped) << skipped
        if 64 * word + 64 > last:
            bits &= _ALL >> np.uint64(64 * word + 64 - last)
        if at < 0:
            out[0] |= bits >> np.uint64(-at)
            continue
        offset = np.uint64(at & 63)
        out[at >> 6] |= bits << offset
        if offset != _ZERO:
            out[(at >> 6) + 1] |= bits >> (_WORD - offset)
