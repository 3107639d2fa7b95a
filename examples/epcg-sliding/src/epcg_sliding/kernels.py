"""Compiled boards and moves. Ranks are those of `epcg_sliding.boards`."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit


@njit
def step(ahead: int, tiles: int, digits: NDArray[np.int64], order_out: NDArray[np.int64]) -> int:
    """Read the choice `ahead` of the one whose digits are known: its digits, and its tiles, counted from 0.

    The last two tiles come out ascending; their digits are 0. Returns 0 if an even number of pairs then
    stands in the wrong order, else 1.
    """
    # Digit i counts the later tiles that tile i is larger than, so the digits' sum is the number of wrong
    # pairs. Choices come in increasing order, a small step apart: the step is added to the last digit, and
    # the carry ends soon. Then, from the end, each digit makes room among those behind it.
    digits[tiles - 2] = 0
    carry = ahead
    i = tiles - 3
    while carry > 0 and i >= 0:
        value = digits[i] + carry
        carry = value // (tiles - i)
        digits[i] = value - carry * (tiles - i)
        i -= 1
    wrong = 0
    order_out[tiles - 2] = 0
    order_out[tiles - 1] = 1
    for i in range(tiles - 3, -1, -1):
        digit = digits[i]
        wrong += digit
        order_out[i] = digit
        for j in range(i + 1, tiles):
            order_out[j] += np.int64(order_out[j] >= digit)
    return wrong & 1


@njit
def swap_last(tiles: int, digits: NDArray[np.int64], order: NDArray[np.int64]) -> None:
    """Turn the last two tiles round, which changes whether the order is even."""
    order[tiles - 2], order[tiles - 1] = order[tiles - 1], order[tiles - 2]
    digits[tiles - 2] = 1 - digits[tiles - 2]


@njit
def boards_at(ranks: NDArray[np.int64], rows: int, columns: int, boards_out: NDArray[np.uint8]) -> None:
    """Write the boards of some ranks.

    Args:
        ranks: increasing ranks, (n,) int64.
        rows: the rows of the frame.
        columns: the columns of the frame.
        boards_out: the boards, (n, cells) uint8, row by row; 0 is the hole.
    """
    cells = rows * columns
    tiles = cells - 1
    digits = np.zeros(tiles, np.int64)
    order = np.empty(tiles, np.int64)
    known = 0
    for row in range(ranks.size):
        choice = ranks[row] // cells
        hole = ranks[row] - choice * cells
        odd = step(choice - known, tiles, digits, order)
        known = choice
        if odd != ((rows - 1 - hole // columns) * (columns - 1)) & 1:
            swap_last(tiles, digits, order)
        for cell in range(cells):
            if cell < hole:
                boards_out[row, cell] = order[cell] + 1
            elif cell > hole:
                boards_out[row, cell] = order[cell - 1] + 1
        boards_out[row, hole] = 0


@njit
def weights(tiles: int) -> NDArray[np.int64]:
    """Return what a digit counts in the rank of a choice, (tiles,); the last two count nothing."""
    found = np.zeros(tiles, np.int64)
    weight = 1
    for i in range(tiles - 3, -1, -1):
        found[i] = weight
        weight *= tiles - i
    return found


@njit
def successors(ranks: NDArray[np.int64], rows: int, columns: int, successors_out: NDArray[np.int64]) -> None:
    """Write the ranks of the boards that one move makes of the boards of some ranks.

    Args:
        ranks: increasing ranks, (n,) int64.
        rows: the rows of the frame.
        columns: the columns of the frame.
        successors_out: the ranks after the hole goes left, right, up and down, (n, 4) int64; -1 if it cannot.
    """
    # Left and right are the neighbouring ranks. Up and down pass one tile over the columns - 1 between the
    # hole and its new cell: those move by a place, and their digits change by one if they are larger than
    # it; its own digit changes by how many of them are smaller. So the rank changes by a few products, and
    # neither the order nor the rank is made again. Neighbouring ranks mostly share their choice of tiles.
    cells = rows * columns
    tiles = cells - 1
    weight = weights(tiles)
    digits = np.zeros(tiles, np.int64)
    order = np.empty(tiles, np.int64)
    known = np.int64(-1)
    odd = 0
    for row in range(ranks.size):
        rank = ranks[row]
        choice = rank // cells
        hole = rank - choice * cells
        line = hole // columns
        column = hole - line * columns
        successors_out[row, 0] = rank - 1 if column > 0 else -1
        successors_out[row, 1] = rank + 1 if column < columns - 1 else -1
        successors_out[row, 2] = -1
        successors_out[row, 3] = -1
        if choice != known:
            odd = step(choice - max(known, 0), tiles, digits, order)
            known = choice
        if odd != ((rows - 1 - line) * (columns - 1)) & 1:
            swap_last(tiles, digits, order)
            odd = 1 - odd
        if line > 0:  # the tile above comes down: behind the columns - 1 after it
            low = hole - columns
            tile = order[low]
            change = 0
            smaller = 0
            for i in range(low + 1, hole):
                larger = int(order[i] > tile)
                smaller += 1 - larger
                change += (digits[i] + larger) * weight[i - 1] - digits[i] * weight[i]
            change += (digits[low] - smaller) * weight[hole - 1] - digits[low] * weight[low]
            successors_out[row, 2] = (choice + change) * cells + low
        if line < rows - 1:  # the tile below goes up: before the columns - 1 ahead of it
            high = hole + columns - 1
            tile = order[high]
            change = 0
            smaller = 0
            for i in range(hole, high):
                larger = int(order[i] > tile)
                smaller += 1 - larger
                change += (digits[i] - larger) * weight[i + 1] - digits[i] * weight[i]
            change += (digits[high] + smaller) * weight[hole] - digits[high] * weight[high]
            successors_out[row, 3] = (choice + change) * cells + hole + columns


@njit
def manhattan(boards: NDArray[np.uint8], columns: int, distance_out: NDArray[np.int64]) -> None:
    """Write how far the tiles of some boards are from their own cells.

    Args:
        boards: the boards, (n, cells) uint8.
        columns: the columns of the frame.
        distance_out: the sums of the distances, (n,).
    """
    for row in range(boards.shape[0]):
        total = 0
        for cell in range(boards.shape[1]):
            own = int(boards[row, cell]) - 1
            if own >= 0:
                total += abs(cell // columns - own // columns) + abs(cell % columns - own % columns)
        distance_out[row] = total
