"""Compiled bookkeeping of breadth-first search: bits by rank, eight a byte, the lowest first.

Neighbours are (n, k) int64 ranks, -1 if there is none. A unit's own table begins at its first rank.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit


@njit
def members(
    table: NDArray[np.uint8], start: int, stop: int, flipped: int, ranks_out: NDArray[np.int64]
) -> tuple[int, int]:
    """Write the ranks from `start` up to `stop` - 1 whose bit differs from `flipped` into `ranks_out`.

    Returns (count, next rank); the next rank is `stop`, or lower if `ranks_out` is full.
    """
    # Whole bytes of nothing are passed over, which is most of them in the first layers and in the last.
    nothing = 255 * flipped
    found = 0
    rank = start
    while rank < stop and found < ranks_out.size:
        byte = np.int64(table[rank >> 3])
        if byte == nothing:
            rank = (rank | 7) + 1
            continue
        if (byte >> (rank & 7)) & 1 != flipped:
            ranks_out[found] = rank
            found += 1
        rank += 1
    return found, min(rank, stop)


@njit
def mark(neighbours: NDArray[np.int64], start: int, count: int, table: NDArray[np.uint8]) -> int:
    """Set the bits of those neighbours that lie in start .. start + count - 1; returns how many there are.

    `table` is the unit's own, bit 0 for rank `start`.
    """
    edges = 0
    for row in range(neighbours.shape[0]):
        for i in range(neighbours.shape[1]):
            rank = neighbours[row, i]
            edges += int(rank >= 0)
            place = rank - start
            if 0 <= place < count:
                table[place >> 3] |= np.uint8(1 << (place & 7))
    return edges


@njit
def mark_met(
    ranks: NDArray[np.int64],
    neighbours: NDArray[np.int64],
    frontier: NDArray[np.uint8],
    start: int,
    table: NDArray[np.uint8],
) -> int:
    """Set the bits of those of (n,) `ranks` that have a neighbour in `frontier`.

    Returns how many neighbours were looked at.

    `table` is the unit's own, bit 0 for rank `start`.
    """
    edges = 0
    for row in range(neighbours.shape[0]):
        for i in range(neighbours.shape[1]):
            rank = neighbours[row, i]
            if rank >= 0:
                edges += 1
                if (frontier[rank >> 3] >> np.uint8(rank & 7)) & 1:
                    place = ranks[row] - start
                    table[place >> 3] |= np.uint8(1 << (place & 7))
                    break
    return edges
