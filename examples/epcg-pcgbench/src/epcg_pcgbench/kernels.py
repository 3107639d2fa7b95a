"""Compiled measures. A set of cells is a word with a bit for each, the first cell the lowest.

A step of all cells of a set to their neighbours is four shifts; `inner` has no bit in the first column, so
that nothing goes around the edge: what is shifted to a first column, or away from one, is left out.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit

UNDEFINED = -1


@njit
def inner_cells(rows: int, columns: int) -> int:
    """Return the set of all cells that are not in the first column."""
    found = 0
    for cell in range(rows * columns):
        if cell % columns:
            found |= 1 << cell
    return found


@njit
def spread(cells: int, columns: int, inner: int) -> int:
    """Return the neighbours of a set of cells; bits past the last cell may be set."""
    return (cells << columns) | (cells >> columns) | ((cells << 1) & inner) | ((cells & inner) >> 1)


@njit
def flooded(start: int, free: int, columns: int, inner: int) -> int:
    """Return the free cells that can be reached from a set of them."""
    found = start
    while True:
        after = (found | spread(found, columns, inner)) & free
        if after == found:
            return found
        found = after


@njit
def regions_of(free: int, columns: int, inner: int) -> int:
    """Count the regions of a set of cells."""
    number = 0
    while free:
        free &= ~flooded(free & -free, free, columns, inner)
        number += 1
    return number


@njit
def farthest(start: int, free: int, columns: int, inner: int) -> int:
    """Return the moves from a cell to the farthest that can be reached."""
    found = start
    moves = 0
    while True:
        after = (found | spread(found, columns, inner)) & free
        if after == found:
            return moves
        found = after
        moves += 1


@njit
def distance(start: int, end: int, free: int, columns: int, inner: int) -> int:
    """Return the moves from a cell to another; UNDEFINED if there is not a way."""
    found = start
    moves = 0
    while not found & end:
        after = (found | spread(found, columns, inner)) & free
        if after == found:
            return UNDEFINED
        found = after
        moves += 1
    return moves


@njit
def how_many(cells: int) -> int:
    """Count the cells of a set."""
    return int(bit_count(np.uint64(cells)))


@njit
def cells_of(content: NDArray[np.uint8], sign: int) -> int:
    """Return the set of cells that hold a sign."""
    found = 0
    for cell in range(content.size):
        if content[cell] == sign:
            found |= 1 << cell
    return found


@njit
def maze_values(
    contents: NDArray[np.uint8], rows: int, columns: int,
    regions_out: NDArray[np.int64], longest_out: NDArray[np.int64],
) -> None:  # fmt: skip
    """Write the regions and longest paths of contents, (n, cells); UNDEFINED if there is not one region."""
    inner = inner_cells(rows, columns)
    every = (1 << (rows * columns)) - 1
    for i in range(contents.shape[0]):
        free = every & ~cells_of(contents[i], 0)
        regions_out[i] = regions_of(free, columns, inner)
        longest = UNDEFINED
        if regions_out[i] == 1:
            left = free
            while left:
                start = left & -left
                left ^= start
                longest = max(longest, farthest(start, free, columns, inner))
        longest_out[i] = longest


@njit
def room_values(
    contents: NDArray[np.uint8], rows: int, columns: int, fewest: int, most: int,
    to_key_out: NDArray[np.int64], to_door_out: NDArray[np.int64], good_out: NDArray[np.bool_],
) -> None:  # fmt: skip
    """Write both paths of contents, (n, cells), or UNDEFINED, and whether they are good."""
    inner = inner_cells(rows, columns)
    every = (1 << (rows * columns)) - 1
    for i in range(contents.shape[0]):
        content = contents[i]
        free = every & ~cells_of(content, 0)
        player = cells_of(content, 2)
        key = cells_of(content, 3)
        door = cells_of(content, 4)
        enemies = how_many(cells_of(content, 5))
        to_key_out[i] = UNDEFINED
        to_door_out[i] = UNDEFINED
        good_out[i] = False
        if how_many(player) == 1 and how_many(key) == 1 and how_many(door) == 1:
            to_key_out[i] = distance(player, key, free & ~door, columns, inner)
            to_door_out[i] = distance(key, door, free, columns, inner)
            good_out[i] = (
                to_key_out[i] >= 0
                and to_door_out[i] >= 0
                and to_key_out[i] + to_door_out[i] >= rows + columns
                and fewest <= enemies <= most
                and flooded(player, free, columns, inner) == free
            )


@njit
def crate_moves(
    player: int, crates: int, targets: int, free: int, columns: int, inner: int, stamp: int,
    met: NDArray[np.int32], queue: NDArray[np.int64],
) -> int:  # fmt: skip
    """Return the moves of a shortest solution, by breadth-first search; UNDEFINED without one.

    A position is the player's cell and the set of crates, one number below cells << cells. `met` holds the
    stamp of the last content whose search has met it, so that it is never emptied.
    """
    cells = 0
    while free >> cells:
        cells += 1
    first = (bit_index(np.uint64(player)) << cells) | crates
    met[first] = stamp
    queue[0] = first
    begin = 0
    end = 1
    moves = 0
    every = (1 << cells) - 1
    while begin < end:
        layer = end
        while begin < layer:
            position = queue[begin]
            begin += 1
            lying = position & every
            at = 1 << (position >> cells)
            if lying == targets:
                return moves
            for way in range(4):
                if way == 0:
                    to = (at << 1) & inner
                    beyond = (to << 1) & inner
                elif way == 1:
                    to = (at & inner) >> 1
                    beyond = (to & inner) >> 1
                elif way == 2:
                    to = at << columns
                    beyond = to << columns
                else:
                    to = at >> columns
                    beyond = to >> columns
                if not to & free:
                    continue
                after = lying
                if to & lying:
                    if not beyond & free & ~lying:
                        continue
                    after = lying ^ to ^ beyond
                reached = (bit_index(np.uint64(to)) << cells) | after
                if met[reached] != stamp:
                    met[reached] = stamp
                    queue[end] = reached
                    end += 1
        moves += 1
    return UNDEFINED


@njit
def crate_values(contents: NDArray[np.uint8], rows: int, columns: int, moves_out: NDArray[np.int64]) -> None:
    """Write the moves of shortest solutions of contents, (n, cells), or UNDEFINED."""
    inner = inner_cells(rows, columns)
    cells = rows * columns
    met = np.full(cells << cells, -1, np.int32)
    queue = np.empty(cells << cells, np.int64)
    for i in range(contents.shape[0]):
        free = ((1 << cells) - 1) & ~cells_of(contents[i], 0)
        player = cells_of(contents[i], 2)
        crates = cells_of(contents[i], 6)
        targets = cells_of(contents[i], 7)
        moves_out[i] = UNDEFINED
        if how_many(player) == 1 and crates and how_many(crates) == how_many(targets):
            moves_out[i] = crate_moves(player, crates, targets, free, columns, inner, i, met, queue)


@njit
def differences(contents: NDArray[np.uint8], pairs_out: NDArray[np.int64]) -> None:
    """Count the pairs of contents, (n, cells), by how many cells differ, (cells + 1,)."""
    for i in range(contents.shape[0]):
        for j in range(i):
            different = 0
            for cell in range(contents.shape[1]):
                different += int(contents[i, cell] != contents[j, cell])
            pairs_out[different] += 1
