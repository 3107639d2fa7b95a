"""Compiled bookkeeping of the search for components: who met a position first, and which starts are the same.

Many starts are explored side by side. Positions have numbers, in the order in which they are met. `owner` is
the start that met a position, and `parents` a forest over the starts (Tarjan 1975): starts that met are one
tree, whose root is the lowest of them. `closed` says of a root why nothing more of it is explored.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit

_FACTOR, _LAST = np.uint64(0x9E3779B97F4A7C15), np.uint64(0xBF58476D1CE4E5B9)
_SHIFT, _HALF = np.uint64(29), np.uint64(32)
OPEN, LOWER, POSTPONED = 0, 1, 2
"""Bits of `closed`: a state of lower rank was met; the component is large, and explored by itself."""


@njit
def root_of(parents: NDArray[np.int32], start: int) -> int:
    """Return the root of a start, halving the way to it."""
    at = start
    while parents[at] != at:
        parents[at] = parents[parents[at]]
        at = parents[at]
    return at


@njit
def join(
    sources: NDArray[np.int32],
    counts: NDArray[np.int64],
    numbers: NDArray[np.int32],
    known: int,
    owner: NDArray[np.int32],
    parents: NDArray[np.int32],
    closed: NDArray[np.uint8],
) -> None:
    """Give new positions to the starts whose positions they were met from, and join starts that met.

    `sources`, (n,), are expanded positions and `counts` the number of neighbours of each; `numbers`, (m,),
    are these neighbours, new ones from `known` on.
    """
    at = 0
    for i in range(sources.size):
        root = root_of(parents, owner[sources[i]])
        for _ in range(counts[i]):
            number = numbers[at]
            at += 1
            if number == known:
                known += 1
                owner[number] = root
                continue
            other = root_of(parents, owner[number])
            if other != root:
                low, high = min(root, other), max(root, other)
                parents[high] = low
                closed[low] |= closed[high]
                root = low


@njit
def close_lower(
    first: int,
    ranks: NDArray[np.int64],
    starts: NDArray[np.int64],
    owner: NDArray[np.int32],
    parents: NDArray[np.int32],
    closed: NDArray[np.uint8],
) -> None:
    """Close the starts that met a state of a lower rank, among `ranks` of the positions from `first` on."""
    for i in range(ranks.size):
        if ranks[i] >= 0:
            root = root_of(parents, owner[first + i])
            if ranks[i] < starts[root]:
                closed[root] |= np.uint8(LOWER)


@njit
def open_positions(
    first: int,
    stop: int,
    owner: NDArray[np.int32],
    parents: NDArray[np.int32],
    closed: NDArray[np.uint8],
    numbers_out: NDArray[np.int32],
) -> int:
    """Write those of the positions first .. stop - 1 whose start is open; return how many there are."""
    found = 0
    for number in range(first, stop):
        if closed[root_of(parents, owner[number])] == OPEN:
            numbers_out[found] = number
            found += 1
    return found


@njit
def largest(
    count: int, owner: NDArray[np.int32], parents: NDArray[np.int32], closed: NDArray[np.uint8]
) -> int:
    """Return the open root with most positions; -1 if all are closed."""
    sizes = np.zeros(parents.size, np.int64)
    best = -1
    for number in range(count):
        root = root_of(parents, owner[number])
        if closed[root] == OPEN:
            sizes[root] += 1
            if best < 0 or sizes[root] > sizes[best]:
                best = root
    return best


@njit
def distances(
    goals: NDArray[np.int32],
    begin: NDArray[np.int64],
    degree: NDArray[np.int32],
    edges: NDArray[np.int32],
    depth_out: NDArray[np.int32],
) -> None:
    """Write the distance to the nearest of the positions `goals` into `depth_out`, (positions,), -1 for none.

    The positions from which one action leads to number n are edges[begin[n] : begin[n] + degree[n]].
    """
    queue = np.empty(depth_out.size, np.int32)
    depth_out[:] = -1
    tail = 0
    for i in range(goals.size):
        depth_out[goals[i]] = 0
        queue[tail] = goals[i]
        tail += 1
    head = 0
    while head < tail:
        number = queue[head]
        head += 1
        for at in range(begin[number], begin[number] + degree[number]):
            before = edges[at]
            if depth_out[before] < 0:
                depth_out[before] = depth_out[number] + 1
                queue[tail] = before
                tail += 1


@njit
def summary(
    numbers: NDArray[np.int32],
    owner: NDArray[np.int32],
    parents: NDArray[np.int32],
    depth: NDArray[np.int32],
    sizes_out: NDArray[np.int64],
    hardest_out: NDArray[np.int64],
) -> None:
    """Add up, by root, the open positions and the greatest distance to a goal, which is -1 at first."""
    for i in range(numbers.size):
        root = root_of(parents, owner[numbers[i]])
        sizes_out[root] += 1
        hardest_out[root] = max(hardest_out[root], depth[numbers[i]])


@njit
def lowest_hardest(
    numbers: NDArray[np.int32],
    ranks: NDArray[np.int64],
    owner: NDArray[np.int32],
    parents: NDArray[np.int32],
    lowest_out: NDArray[np.int64],
) -> None:
    """Write, by root, the lowest of the `ranks` of the positions `numbers` into `lowest_out`; -1 for none."""
    for i in range(numbers.size):
        if ranks[i] >= 0:
            root = root_of(parents, owner[numbers[i]])
            if lowest_out[root] < 0 or ranks[i] < lowest_out[root]:
                lowest_out[root] = ranks[i]


@njit
def roots(parents: NDArray[np.int32], roots_out: NDArray[np.int32]) -> None:
    """Write the root of each start into `roots_out`."""
    for start in range(parents.size):
        roots_out[start] = root_of(parents, start)


@njit
def edge_sum(
    numbers: NDArray[np.int32],
    begin: NDArray[np.int64],
    degree: NDArray[np.int32],
    ends: NDArray[np.int32],
    turned: int,
) -> np.uint64:
    """Return a sum over the edges of positions, or over these edges turned round, if `turned` is 1.

    Equal edges have equal sums, in whatever order; others hardly ever.
    """
    total = np.uint64(0)
    for i in range(numbers.size):
        number = numbers[i]
        for at in range(begin[number], begin[number] + degree[number]):
            one, other = np.uint64(number), np.uint64(ends[at])
            if turned:
                one, other = other, one
            mixed = one * _FACTOR + other
            mixed = (mixed ^ (mixed >> _SHIFT)) * _LAST
            total += mixed ^ (mixed >> _HALF)
    return total


@njit
def claim(ranks: NDArray[np.int64], reached: NDArray[np.uint8], new_out: NDArray[np.int64]) -> int:
    """Set the bits of (m,) ranks; write those that were not set into `new_out` and return their number."""
    found = 0
    for i in range(ranks.size):
        rank = ranks[i]
        bit = np.uint8(1 << (rank & 7))
        if reached[rank >> 3] & bit == 0:
            reached[rank >> 3] |= bit
            new_out[found] = rank
            found += 1
    return found
