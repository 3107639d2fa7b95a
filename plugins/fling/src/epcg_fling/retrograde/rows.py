"""The rows of a layer cut in halves: the table of the layer below laid out by rows; rows of a rank range.

A row is a configuration of the upper half; its boards, one for each configuration of the lower half, have
consecutive ranks.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import increment_combination_bits, njit, unrank_combination_bits
from epcg_fling.retrograde.bits import rank_board, read_run

_ONE = np.uint64(1)
_ALL = np.uint64(2**64 - 1)


@njit
def fill_rows(
    held: int,
    first_row: int,
    last_row: int,
    pieces: int,
    cells: int,
    top: int,
    base: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    solvable: NDArray[np.uint64],
    solvable_tail: np.uint64,
    unique: NDArray[np.uint64],
    unique_tail: np.uint64,
    table: NDArray[np.uint64],
) -> None:
    """Write the rows first_row .. last_row - 1 of `held` pieces in the upper half into `table`.

    Row 0 stands at word `base`. Each row is a whole number of words of solvable bits, then as many of unique
    bits.
    """
    # The bits of a row are consecutive in the tables by rank: shift each run to a word's beginning.
    below = pieces - held
    length = binomials[cells - top, below]
    words = (length + 63) // 64
    lowest = ((_ONE << np.uint64(below)) - _ONE) << np.uint64(top)
    base += 2 * words * first_row
    upper = unrank_combination_bits(first_row, top, held, binomials)
    for _ in range(first_row, last_row):
        rank = rank_board(upper | lowest, binomials[cells, pieces] - 1, ranks)
        read_run(solvable, solvable_tail, rank, length, table, base)
        read_run(unique, unique_tail, rank, length, table, base + words)
        base += 2 * words
        upper = increment_combination_bits(upper, top)


@njit
def rows_before(
    rank: int,
    held: int,
    pieces: int,
    cells: int,
    top: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> np.int64:
    """Return how many rows of `held` pieces in the upper half begin before `rank`."""
    # Rows of one block lie in rank order: bisection.
    low, high = np.int64(0), np.int64(binomials[top, held])
    lowest = ((_ONE << np.uint64(pieces - held)) - _ONE) << np.uint64(top)
    while low < high:
        middle = (low + high) // 2
        board = unrank_combination_bits(int(middle), top, held, binomials) | lowest
        if rank_board(board, binomials[cells, pieces] - 1, ranks) < rank:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def rows_of_ranks(
    start: int,
    count: int,
    held: int,
    pieces: int,
    cells: int,
    top: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """Return the rows first .. last - 1 that have boards of ranks start .. start + count - 1."""
    # A row's ranks are consecutive.
    length = binomials[cells - top, pieces - held]
    first = rows_before(start - length + 1, held, pieces, cells, top, binomials, ranks)
    if count == 0:
        return first, first
    return first, rows_before(start + count, held, pieces, cells, top, binomials, ranks)


@njit
def set_bits(words: NDArray[np.uint64], count: int) -> None:
    """Set the first `count` bits."""
    # Whole words, then the rest.
    words[: count >> 6] = _ALL
    if count & 63 != 0:
        words[count >> 6] = _ALL >> np.uint64(64 - (count & 63))
