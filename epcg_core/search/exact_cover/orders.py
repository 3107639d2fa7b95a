"""Orders of the cells in which a search keeps the border of the filled part short.

A problem has no coordinates, but its placements tell which cells are neighbours: those that lie together in
most of them. A *sweep* from cell a to cell b fills cells by the sum of their distances from both, then by
their distance from a: from one corner of a rectangle to the next that is row by row. Of all sweeps from a
corner two are offered: with the fewest cells at the border, and with the fewest edges.
"""

from __future__ import annotations

from collections import Counter
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from epcg_core.search.exact_cover.problem import CoverProblem

SWEEPS = 500
"""Sweeps that are compared; of more an even choice."""
MOST_OPEN = 48
"""A longer border costs no more: the sum for some thousand cells is a 64-bit integer."""


def neighbours(problem: CoverProblem) -> list[tuple[int, int]]:
    """Return pairs of cells, ascending, so that every placement is connected by them.

    Pairs that lie together in many placements, for how many there are through each, are taken first, if they
    connect what is not connected yet. For pieces of a lattice these are the cells with a common edge.
    """
    shared: Counter[tuple[int, int]] = Counter()
    for _, cells in problem.placements:
        shared.update(combinations(cells, 2))
    total = [0] * problem.cells
    through: list[set[int]] = [set() for _ in range(problem.cells)]
    for (one, other), count in shared.items():
        total[one] += count
        total[other] += count
    for number, (_, cells) in enumerate(problem.placements):
        for cell in cells:
            through[cell].add(number)
    part = [{cell: cell for cell in cells} for _, cells in problem.placements]
    found = []
    # integers, so that the order is the same on every machine
    for one, other in sorted(
        shared, key=lambda p: (-(shared[p] ** 2 << 64) // (total[p[0]] * total[p[1]]), p)
    ):
        joins = False
        for number in through[one] & through[other]:
            own = part[number]
            old, new = own[one], own[other]
            if old != new:
                joins = True
                for cell, name in own.items():
                    if name == old:
                        own[cell] = new
        if joins:
            found.append((one, other))
    return sorted(found)


def sweeps(problem: CoverProblem) -> list[tuple[int, ...]]:
    """Return up to two orders of the cells, the cells of each in the order in which they are filled."""
    pairs = np.array(neighbours(problem), np.int64).reshape(-1, 2)
    if not len(pairs):
        return []
    distances = _distances(problem.cells, pairs)
    farthest = distances.max(axis=1)
    corner = np.ones(problem.cells, np.bool_)
    for one, other in (pairs.T, pairs.T[::-1]):
        np.logical_and.at(corner, one, farthest[one] >= farthest[other])
    starts, ends = (grid.ravel() for grid in np.meshgrid(np.flatnonzero(corner), np.arange(problem.cells)))
    step = -(-len(starts) // SWEEPS)
    starts, ends = starts[::step], ends[::step]
    sums = distances[starts] + distances[ends]
    orders = np.argsort(sums * (problem.cells + 1) + distances[starts], axis=1, kind="stable")
    positions = np.argsort(orders, axis=1)
    earlier = np.minimum(positions[:, pairs[:, 0]], positions[:, pairs[:, 1]])
    later = np.maximum(positions[:, pairs[:, 0]], positions[:, pairs[:, 1]])
    touched = positions.copy()
    for k, (one, other) in enumerate(pairs):
        touched[:, one] = np.minimum(touched[:, one], earlier[:, k])
        touched[:, other] = np.minimum(touched[:, other], earlier[:, k])
    best = (int(np.argmin(_cost(begin, end))) for begin, end in ((touched, positions), (earlier, later)))
    return list(dict.fromkeys(tuple(orders[number].tolist()) for number in best))


def _distances(cells: int, pairs: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the distances of all cells from all; to another part of the board it is the number of cells."""
    beside: list[list[int]] = [[] for _ in range(cells)]
    for one, other in pairs.tolist():
        beside[one].append(other)
        beside[other].append(one)
    found = np.full((cells, cells), cells, np.int64)
    for start in range(cells):
        distances = {start: 0}
        for cell in (queue := [start]):
            for other in beside[cell]:
                if other not in distances:
                    distances[other] = distances[cell] + 1
                    queue.append(other)
        found[start, queue] = [distances[cell] for cell in queue]
    return found


def _cost(begin: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return for each sweep the sum over all steps of 2 to the power of what is open: begun and not ended.

    Integers, so that the best sweep is the same on every machine.
    """
    sweep, steps = np.arange(len(begin))[:, None], int(end.max()) + 1
    change = np.zeros((len(begin), steps), np.int64)
    np.add.at(change, (sweep, begin), 1)
    np.add.at(change, (sweep, end), -1)
    opened = np.minimum(np.cumsum(change, axis=1), MOST_OPEN)
    return np.asarray(np.left_shift(np.int64(1), opened).sum(axis=1))
