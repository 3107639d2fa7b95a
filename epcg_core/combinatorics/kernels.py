"""Compiled unranking of combinations, as cell lists and as ranked bitboards, for spaces below 2^63.

Ranks follow the lexicographic order of the ascending cell lists (Sturtevant & Ota 2018, Algorithms 2 to 4):
rank 0 is 0, 1, .., k-1. With a table of binomials the rank of c_0 < c_1 < .. is
C(n, k) - 1 - sum over i of C(n - 1 - c_i, k - i): one look-up a piece. `binomials` is `binomial_table(n)`, or
a larger one, with at least k + 1 columns. A bitboard holds cell c in bit c of a uint64; n <= 64. Python code
passes it as np.uint64 and gets an int back.

Kernels check nothing: ranks must lie in the space and cells must be ascending and below n. The plain classes
of `epcg_core.combinatorics` check and are exact at any size.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import ParamsError
from epcg_core.compiled import njit, read_only

TABLE_LIMIT = 2**27
"""The most entries of a table of binomials: 1 GiB."""
_KEPT_ENTRIES = 2**13
"""Tables of so few entries are kept for the next time: 64 KiB each."""

_INT64_MAX = 2**63 - 1

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_PAIRS = np.uint64(0x5555555555555555)
_NIBBLES = np.uint64(0x3333333333333333)
_BYTES = np.uint64(0x0F0F0F0F0F0F0F0F)
_SUM_OF_BYTES = np.uint64(0x0101010101010101)
_S1, _S2, _S4, _S8, _S16, _S32 = (np.uint64(s) for s in (1, 2, 4, 8, 16, 32))
_S56, _S58, _S63, _S64 = (np.uint64(s) for s in (56, 58, 63, 64))
_DE_BRUIJN = np.uint64(0x022FDD63CC95386D)


def _de_bruijn_indices() -> NDArray[np.int64]:
    table = np.zeros(64, dtype=np.int64)
    for bit in range(64):
        table[((int(_DE_BRUIJN) << bit) & (2**64 - 1)) >> 58] = bit
    return table


_BIT_INDEX = _de_bruijn_indices()


def binomial_table(n: int, k: int | None = None) -> NDArray[np.int64]:
    """Return the binomials C(x, j) for 0 <= x <= n and 0 <= j <= k (default n) as an array for kernels.

    Returns a read-only (n + 1, k + 1) int64 array; entries that exceed int64 saturate at 2^63 - 1, which is
    larger than every rank, so a space below 2^63 is ranked exactly. Raises ParamsError for a negative size
    or a table of more than 2^27 entries.
    """
    columns = (n if k is None else k) + 1
    if n < 0 or columns < 1:
        raise ParamsError(f"A table of binomials needs sizes of 0 or more, not n = {n} and k = {k}.")
    if (n + 1) * columns > TABLE_LIMIT:
        raise ParamsError(
            f"The table of binomials for n = {n} and k = {columns - 1} would have more than {TABLE_LIMIT} "
            "entries; use the plain form of the space."
        )
    if (n + 1) * columns <= _KEPT_ENTRIES:
        return _kept_binomials(n, columns)
    return _binomials(n, columns)


@lru_cache(maxsize=64)
def _kept_binomials(n: int, columns: int) -> NDArray[np.int64]:
    return _binomials(n, columns)


def _binomials(n: int, columns: int) -> NDArray[np.int64]:
    table = np.zeros((n + 1, columns), dtype=np.int64)
    column = np.ones(n + 1, dtype=np.uint64)
    table[:, 0] = 1
    for j in range(1, columns):
        # C(x, j) is the sum of C(y, j - 1) over y < x. The terms are below 2^63, so the first sum that leaves
        # int64 has not wrapped around in uint64; the column grows, so all below it leaves int64 too.
        sums = np.concatenate([[_ZERO], np.cumsum(column[:-1], dtype=np.uint64)])
        beyond = np.flatnonzero(sums > np.uint64(_INT64_MAX))
        if beyond.size:
            sums[beyond[0] :] = _INT64_MAX
        table[:, j] = sums
        column = sums
    return read_only(table)


@njit
def copy_row(source: NDArray[Any], target: NDArray[Any]) -> None:
    """Copy a row into one that is at least as long: numba's assignment compiles for three seconds."""
    for i in range(source.size):
        target[i] = source[i]


@njit
def bit_count(bits: np.uint64) -> np.int64:
    """Return the number of set bits."""
    # Sums in parallel fields of 2, 4 and 8 bits; a multiplication adds the eight bytes into the highest.
    pairs = bits - ((bits >> _S1) & _PAIRS)
    nibbles = (pairs & _NIBBLES) + ((pairs >> _S2) & _NIBBLES)
    return np.int64((((nibbles + (nibbles >> _S4)) & _BYTES) * _SUM_OF_BYTES) >> _S56)


@njit
def bit_index(bit: np.uint64) -> np.int64:
    """Return the index of the one set bit of `bit`."""
    # Each shift of a de Bruijn sequence has other high bits, which index a table of 64.
    return np.int64(_BIT_INDEX[(bit * _DE_BRUIJN) >> _S58])


@njit
def highest_bit(bits: np.uint64) -> np.uint64:
    """Return `bits` with all but its highest set bit cleared; 0 for 0."""
    # Smear the highest bit over all lower ones, then keep the edge: no branch and no index.
    smeared = bits | (bits >> _S1)
    smeared |= smeared >> _S2
    smeared |= smeared >> _S4
    smeared |= smeared >> _S8
    smeared |= smeared >> _S16
    smeared |= smeared >> _S32
    return np.uint64(smeared ^ (smeared >> _S1))


@njit
def unrank_combination(
    rank: int, n: int, k: int, binomials: NDArray[np.int64], cells_out: NDArray[np.int64]
) -> None:
    """Write the cells of `rank` into `cells_out`, (k,) int64."""
    # Counted from the end, the rank is a sum of one binomial a piece: C(y, k) + C(y', k - 1) + .. with
    # y > y' > .. the distances of the cells from the last one (the combinatorial number system), so one
    # walk down the table, n steps in all, takes the largest that fits for each piece.
    rest = binomials[n, k] - 1 - rank
    distance = n - 1
    for i in range(k):
        while binomials[distance, k - i] > rest:
            distance -= 1
        rest -= binomials[distance, k - i]
        cells_out[i] = n - 1 - distance
        distance -= 1


@njit
def increment_combination(cells: NDArray[np.int64], n: int, k: int) -> bool:
    """Make `cells` the next combination in place; False, and unchanged, at the last one."""
    # The pieces that stand at the end cannot move; the last that can moves one on and they line up behind it.
    i = k - 1
    while i >= 0 and cells[i] == n - k + i:
        i -= 1
    if i < 0:
        return False
    cell = cells[i] + 1
    for j in range(i, k):
        cells[j] = cell
        cell += 1
    return True


@njit
def combination_block(
    start: int, count: int, n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Write the cells of ranks start .. start + count - 1 into `out`, (count, k) int64."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_combination(start, n, k, binomials, out[0])
    for row in range(1, count):
        for i in range(k):
            out[row, i] = out[row - 1, i]
        increment_combination(out[row], n, k)


@njit
def combinations_at(
    ranks: NDArray[np.int64], n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Write the cells of each of `ranks`, (m,) int64 in any order, into `out`, (m, k) int64."""
    for row in range(ranks.size):
        unrank_combination(ranks[row], n, k, binomials, out[row])


@njit
def unrank_combination_bits(rank: int, n: int, k: int, binomials: NDArray[np.int64]) -> np.uint64:
    """Return the bitboard of `rank`; n <= 64."""
    # The walk of `unrank_combination`; the cell that belongs to a distance is a bit of a word.
    rest = binomials[n, k] - 1 - rank
    distance = n - 1
    bits = _ZERO
    for i in range(k):
        while binomials[distance, k - i] > rest:
            distance -= 1
        rest -= binomials[distance, k - i]
        bits |= _ONE << np.uint64(n - 1 - distance)
        distance -= 1
    return bits


@njit
def rank_combination_bits(bits: np.uint64, n: int, k: int, binomials: NDArray[np.int64]) -> int:
    """Return the rank of a bitboard of k pieces; n <= 64."""
    # The combinations after this one that first differ at a piece on cell c, with `left` pieces from there
    # on, are C(n - 1 - c, left). The lowest bit is the next piece, its index a multiplication and a table.
    after = 0
    left = k
    while bits != _ZERO:
        low = bits & (~bits + _ONE)
        after += binomials[n - 1 - bit_index(low), left]
        left -= 1
        bits ^= low
    return int(binomials[n, k] - 1 - after)


@njit
def increment_combination_bits(bits: np.uint64, n: int) -> np.uint64:
    """Return the bitboard of the next rank, with the same number of pieces; 0 at the last one.

    The order is that of the ascending cell lists, not of the bitboards as numbers.
    """
    # If the last cell is empty, the highest piece moves one on: adding its bit to the word does that.
    # Otherwise the highest piece below the full run at the end moves one on and the run of m lines up behind
    # it: m + 1 pieces, made by a subtraction (which for n = 64 rightly wraps around).
    if n < 1:
        return _ZERO
    last = _ONE << np.uint64(n - 1)
    if bits & last == _ZERO:
        return np.uint64(bits + highest_bit(bits))
    gap = highest_bit(~bits & ((last - _ONE) | last))
    if gap == _ZERO:
        return _ZERO
    below = bits & (gap - _ONE)
    piece = highest_bit(below)
    if piece == _ZERO:
        return _ZERO
    first = piece << _S1
    length = np.uint64(bit_count(bits ^ below)) + _ONE
    return np.uint64((below ^ piece) | ((first << length) - first))


@njit
def combination_bits_block(
    start: int, count: int, n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.uint64]
) -> None:
    """Write the bitboards of ranks start .. start + count - 1 into `out`, (count,) uint64; n <= 64."""
    # Unrank once. While only the highest piece moves, the boards are one word with one bit walking to the
    # end: a store and a shift a board. The general increment runs when it has arrived.
    if count < 1:
        return
    bits = unrank_combination_bits(start, n, k, binomials)
    if bits == _ZERO:
        out[0] = bits
        return
    last = _ONE << np.uint64(n - 1)
    row = 0
    while True:
        piece = highest_bit(bits)
        others = bits ^ piece
        while row < count:
            out[row] = others | piece
            row += 1
            if piece == last:
                break
            piece <<= _S1
        if row >= count:
            return
        bits = increment_combination_bits(others | last, n)


@njit
def combination_bits_at(
    ranks: NDArray[np.int64], n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.uint64]
) -> None:
    """Write the bitboard of each of `ranks`, (m,) int64 in any order, into `out`, (m,) uint64; n <= 64."""
    for row in range(ranks.size):
        out[row] = unrank_combination_bits(ranks[row], n, k, binomials)


@njit
def combination_ranks_of(
    bits: NDArray[np.uint64], n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Write the rank of each of `bits`, (m,) bitboards of k pieces, into `out`, (m,) int64; n <= 64."""
    for row in range(bits.size):
        out[row] = rank_combination_bits(bits[row], n, k, binomials)
