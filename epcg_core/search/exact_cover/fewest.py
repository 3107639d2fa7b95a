"""The kernels of exact cover that fill the cell with the fewest placements first.

After Knuth, "Dancing Links" (2000).

They find the covers that `kernels` finds, in another order. A node costs more, because all empty cells are
looked at, and problems without geometry, or with cells in a bad order, have far fewer of them.

Arguments are those of `kernels`, but for `begin`, (cells + 1,), and `through`, where the placements through
each cell begin, and their places: all that cover it, not only those whose first cell it is.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import copy_row
from epcg_core.compiled import njit
from epcg_core.search.exact_cover.kernels import FIRST_ROWS, is_smallest, meets, satisfied, with_room

_ONE = np.uint64(1)
_SIX = np.int64(6)
_LOW = np.int64(63)
_MULTIPLIER = np.uint64(6364136223846793005)
_INCREMENT = np.uint64(1442695040888963407)
_THIRTY_THREE = np.uint64(33)


@njit
def _is_set(bits: NDArray[np.uint64], cell: int) -> bool:
    return bool((bits[cell >> _SIX] >> np.uint64(cell & _LOW)) & _ONE != 0)


@njit
def choose_cell(
    begin: NDArray[np.int64],
    through: NDArray[np.int64],
    masks: NDArray[np.uint64],
    piece: NDArray[np.int64],
    optional: NDArray[np.uint64],
    filled: NDArray[np.uint64],
    left: NDArray[np.int64],
) -> int:
    """Return the first cell with the fewest ways; -1 if none is empty.

    To leave an optional cell empty is a way, too.
    """
    best, ways = -1, np.int64(0x7FFFFFFFFFFFFFFF)
    for cell in range(begin.size - 1):
        if _is_set(filled, cell):
            continue
        own = np.int64(1 if _is_set(optional, cell) else 0)
        for k in range(begin[cell], begin[cell + 1]):
            if own >= ways:
                break
            i = through[k]
            if left[piece[i]] > 0 and not meets(masks[i], filled):
                own += 1
        if own < ways:
            best, ways = cell, own
            if ways == 0:
                break
    return best


@njit
def search_fewest(
    begin: NDArray[np.int64],
    through: NDArray[np.int64],
    masks: NDArray[np.uint64],
    piece: NDArray[np.int64],
    optional: NDArray[np.uint64],
    filled_first: NDArray[np.uint64],
    prefix: NDArray[np.int64],
    left_first: NDArray[np.int64],
    slack: NDArray[np.int64],
    labels: NDArray[np.int32],
    images: NDArray[np.int32],
    tests: NDArray[np.int32],
    spare: int,
    still_spare: int,
    still_left: int,
    width: int,
    limit: int,
) -> tuple[NDArray[np.int32], int]:
    """Find the covers that extend `prefix`, like `kernels.search_cells` without a depth; `width` is not 0."""
    rows = np.full((FIRST_ROWS, width), -1, np.int32)
    found, nodes = 0, 0
    cells, words = begin.size - 1, masks.shape[1]
    filled = np.empty((cells + 1, words), np.uint64)
    position = np.empty(cells + 1, np.int64)
    chosen_cell = np.empty(cells + 1, np.int64)
    may_skip = np.empty(cells + 1, np.bool_)
    chosen = np.empty(cells + 1, np.int64)
    left = left_first.copy()
    stack = np.empty(width, np.int64)
    own = np.empty(width, np.int32)
    other = np.empty(width, np.int32)
    placed = prefix.size
    for i in range(placed):
        stack[i] = prefix[i]
    level = 0
    copy_row(filled_first, filled[0])
    cell = choose_cell(begin, through, masks, piece, optional, filled[0], left)
    chosen_cell[0], position[0], may_skip[0] = cell, begin[cell], _is_set(optional, cell)
    while level >= 0:
        k = position[level]
        cell = chosen_cell[level]
        stop = begin[cell + 1]
        while k < stop:
            i = through[k]
            if left[piece[i]] > 0 and not meets(masks[i], filled[level]):
                break
            k += 1
        if k < stop:
            i = through[k]
            position[level] = k + 1
            chosen[level] = i
            left[piece[i]] -= 1
            stack[placed] = i
            placed += 1
            nodes += 1
            for word in range(words):
                filled[level + 1, word] = filled[level, word] | masks[i, word]
        elif may_skip[level] and spare > 0:
            position[level] = stop
            chosen[level] = -1
            spare -= 1
            may_skip[level] = False
            copy_row(filled[level], filled[level + 1])
            filled[level + 1, cell >> _SIX] |= _ONE << np.uint64(cell & _LOW)
        else:
            level -= 1
            if level >= 0:
                if chosen[level] >= 0:
                    left[piece[chosen[level]]] += 1
                    placed -= 1
                else:
                    spare += 1
            continue
        cell = choose_cell(begin, through, masks, piece, optional, filled[level + 1], left)
        if cell < 0:
            if (
                spare <= still_spare
                and satisfied(left, slack, still_left)
                and is_smallest(stack, placed, labels, images, tests, own, other)
            ):
                rows = with_room(rows, found)
                for j in range(placed):
                    rows[found, j] = stack[j]
                found += 1
                if found > limit:
                    break
            if chosen[level] >= 0:
                left[piece[chosen[level]]] += 1
                placed -= 1
            else:
                spare += 1
            continue
        level += 1
        chosen_cell[level], position[level], may_skip[level] = cell, begin[cell], _is_set(optional, cell)
    return rows[:found].copy(), nodes


@njit
def dives_fewest(
    begin: NDArray[np.int64],
    through: NDArray[np.int64],
    masks: NDArray[np.uint64],
    piece: NDArray[np.int64],
    optional: NDArray[np.uint64],
    filled_first: NDArray[np.uint64],
    left_first: NDArray[np.int64],
    spare_first: int,
    probes: int,
) -> float:
    """Estimate the nodes of a search by random dives (Knuth 1975), with random numbers of its own."""
    words = masks.shape[1]
    state = np.uint64(1)
    total = 0.0
    filled = np.empty(words, np.uint64)
    ways = np.empty(through.size + 1, np.int64)
    for _ in range(probes):
        copy_row(filled_first, filled)
        left = left_first.copy()
        spare, weight = spare_first, 1.0
        while True:
            cell = choose_cell(begin, through, masks, piece, optional, filled, left)
            if cell < 0:
                break
            number = 0
            for k in range(begin[cell], begin[cell + 1]):
                i = through[k]
                if left[piece[i]] > 0 and not meets(masks[i], filled):
                    ways[number] = i
                    number += 1
            placements = number
            if spare > 0 and _is_set(optional, cell):
                ways[number] = -1
                number += 1
            if number == 0:
                break
            total += weight * placements
            weight *= number
            state = state * _MULTIPLIER + _INCREMENT
            i = ways[np.int64(state >> _THIRTY_THREE) % number]
            if i < 0:
                spare -= 1
                filled[cell >> _SIX] |= _ONE << np.uint64(cell & _LOW)
                continue
            left[piece[i]] -= 1
            for word in range(words):
                filled[word] |= masks[i, word]
    return total / probes
