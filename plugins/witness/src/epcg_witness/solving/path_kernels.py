"""Compiled enumeration of the paths of a grid, and the tables that a solver needs of them.

Sets of vertices and of cells are 64-bit words; a set of edges takes two (edges 0 to 63, then the rest). Sets
of paths are rows of words, bit p % 64 of word p // 64 for path p, so that a constraint of the panel is one
row, and applying it is one AND for 64 paths.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_index, njit

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@njit
def flood(seed: np.uint64, free: np.uint64, not_left: np.uint64, not_right: np.uint64, row: int) -> np.uint64:
    """Return the vertices of `free` that can be reached from the vertices of `seed` by steps inside `free`.

    `not_left` and `not_right` are the vertices outside the first and the last column, `row` the vertices of
    one row.
    """
    # All reached vertices step in all four directions at once; a few rounds reach everything.
    up = np.uint64(row)
    reached = seed
    while True:
        wider = reached | ((reached & not_right) << _ONE) | ((reached & not_left) >> _ONE)
        wider = (wider | (reached << up) | (reached >> up)) & free | reached
        if wider == reached:
            return np.uint64(reached)
        reached = wider


@njit
def flood_around(
    seed: np.uint64, free: np.uint64, not_left: np.uint64, not_right: np.uint64, row: int
) -> np.uint64:
    """Return what `flood` returns, on a pillar, where the first column follows the last one."""
    up = np.uint64(row)
    back = np.uint64(row - 1)
    reached = seed
    while True:
        wider = reached | ((reached & not_right) << _ONE) | ((reached & not_left) >> _ONE)
        wider |= ((reached & ~not_right) >> back) | ((reached & ~not_left) << back)
        wider = (wider | (reached << up) | (reached >> up)) & free | reached
        if wider == reached:
            return np.uint64(reached)
        reached = wider


@njit
def enumerate_paths(
    start: int,
    ends: np.uint64,
    all_vertices: np.uint64,
    not_left: np.uint64,
    not_right: np.uint64,
    row: int,
    neighbours: NDArray[np.int64],
    edges: NDArray[np.int64],
    at: int,
    low_out: NDArray[np.uint64],
    high_out: NDArray[np.uint64],
    vertices_out: NDArray[np.uint64],
    length_out: NDArray[np.int64],
) -> int:
    """Write the paths from `start` to the vertices of `ends` from index `at` on; returns the index behind.

    If the arrays are too short, the index behind is larger than they are, and the last paths are missing.
    `neighbours` and `edges`, (vertices, 4) int64, hold for each direction the next vertex and the edge to it,
    or -1. Out: the sets of edges and of vertices, and the number of edges, of each path.
    """
    # Depth first with one word for the vertices visited. After each step a flood tells whether an end is
    # still within reach, so that every path begun is finished: no dead ends.
    head = np.zeros(65, np.int64)
    direction = np.zeros(65, np.int64)
    low = np.zeros(65, np.uint64)
    high = np.zeros(65, np.uint64)
    depth = 0
    head[0] = start
    direction[0] = 0
    visited = _ONE << np.uint64(start)
    while depth >= 0:
        if direction[depth] == 4:
            visited ^= _ONE << np.uint64(head[depth])
            depth -= 1
            continue
        way = direction[depth]
        direction[depth] += 1
        vertex = neighbours[head[depth], way]
        if vertex < 0:
            continue
        bit = _ONE << np.uint64(vertex)
        if visited & bit != _ZERO:
            continue
        free = all_vertices & ~visited
        at_end = ends & bit != _ZERO
        reached = flood(bit, free, not_left, not_right, row)
        if reached & ends == _ZERO:
            continue
        edge = edges[head[depth], way]
        depth += 1
        head[depth] = vertex
        direction[depth] = 0
        low[depth] = low[depth - 1]
        high[depth] = high[depth - 1]
        if edge < 64:
            low[depth] |= _ONE << np.uint64(edge)
        else:
            high[depth] |= _ONE << np.uint64(edge - 64)
        visited |= bit
        if at_end:
            if at < low_out.size:
                low_out[at] = low[depth]
                high_out[at] = high[depth]
                vertices_out[at] = visited
                length_out[at] = depth
            at += 1
            if ends & free & ~bit == _ZERO:
                direction[depth] = 4
    return at


@njit
def scatter(sets: NDArray[np.uint64], first_row: int, rows_out: NDArray[np.uint64]) -> None:
    """Write (paths,) sets of up to 64 items as rows of paths: bit b of set p into row first_row + b."""
    # 64 paths fill one word of each row; only the bits that are set are touched.
    for path in range(sets.size):
        word = path >> 6
        mark = _ONE << np.uint64(path & 63)
        rest = sets[path]
        while rest != _ZERO:
            bit = rest & (~rest + _ONE)
            rows_out[first_row + bit_index(bit), word] |= mark
            rest ^= bit


@njit
def split_regions(
    low: NDArray[np.uint64],
    high: NDArray[np.uint64],
    walls: NDArray[np.int64],
    open_right: np.uint64,
    open_up: np.uint64,
    width: int,
    all_cells: np.uint64,
    first_out: NDArray[np.int64],
    regions_out: NDArray[np.uint64],
) -> int:
    """Write the regions of each path as sets of cells; returns how many there are in all.

    `walls`, (edges, 2) int64: the cell whose right side the edge is, and the cell whose upper side it is, -1
    for none. `open_right` and `open_up` are the cells that have a neighbour there. Out: where the regions of
    each path begin, (paths + 1,), and the regions, lowest cell first. If `regions_out` is too small, only
    the count is right.
    """
    # The edges of a path become two words, the cells with a wall on their right and above them; a region
    # grows from its lowest cell by stepping through what is open, all cells at once.
    up = np.uint64(width)
    total = 0
    for path in range(low.size):
        first_out[path] = total
        right, above = open_right, open_up
        for half in range(2):
            rest = low[path] if half == 0 else high[path]
            while rest != _ZERO:
                bit = rest & (~rest + _ONE)
                rest ^= bit
                edge = bit_index(bit) + 64 * half
                if walls[edge, 0] >= 0:
                    right &= ~(_ONE << np.uint64(walls[edge, 0]))
                if walls[edge, 1] >= 0:
                    above &= ~(_ONE << np.uint64(walls[edge, 1]))
        left = all_cells
        while left != _ZERO:
            region = left & (~left + _ONE)
            while True:
                wider = region | ((region & right) << _ONE) | ((region >> _ONE) & right)
                wider |= ((region & above) << up) | ((region >> up) & above)
                if wider == region:
                    break
                region = wider
            left &= ~region
            if total < regions_out.size:
                regions_out[total] = region
            total += 1
    first_out[low.size] = total
    return total


@njit
def mark_pairs(
    first: NDArray[np.int64],
    ids: NDArray[np.int32],
    masks: NDArray[np.uint64],
    together_out: NDArray[np.uint64],
) -> None:
    """Set bit p of row b (b - 1) / 2 + a if path p leaves the cells a < b in one region."""
    # Every pair of set bits of a region; the rows of pairs with the same higher cell lie side by side.
    for path in range(first.size - 1):
        word = path >> 6
        mark = _ONE << np.uint64(path & 63)
        for index in range(first[path], first[path + 1]):
            rest = masks[ids[index]]
            below = _ZERO
            while rest != _ZERO:
                bit = rest & (~rest + _ONE)
                rest ^= bit
                b = bit_index(bit)
                base = b * (b - 1) // 2
                lower = below
                while lower != _ZERO:
                    other = lower & (~lower + _ONE)
                    lower ^= other
                    together_out[base + bit_index(other), word] |= mark
                below |= bit
