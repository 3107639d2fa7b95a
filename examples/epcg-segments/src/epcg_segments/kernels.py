"""The search through chains, compiled. It finds what `epcg_segments.chaining` finds segment by segment."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import BOUND, INFEASIBLE, add_pruning, njit

NEVER = -1
"""Instead of a number of jumps: there is no way."""


@njit
def go_on(before: NDArray[np.int64], ways: NDArray[np.int64], after_out: NDArray[np.int64]) -> None:
    """Write the fewest jumps to each exit of a segment.

    Args:
        before: (heights,) the fewest jumps to each entry, or NEVER.
        ways: (heights, heights) the segment's jumps from each entry to each exit, or NEVER.
        after_out: (heights,).
    """
    heights = len(before)
    for height in range(heights):
        after_out[height] = NEVER
    for entry in range(heights):
        if before[entry] == NEVER:
            continue
        for height in range(heights):
            if ways[entry, height] != NEVER:
                jumps = before[entry] + ways[entry, height]
                if after_out[height] == NEVER or jumps < after_out[height]:
                    after_out[height] = jumps


@njit
def limit_of(costs: NDArray[np.int64], most: NDArray[np.int64]) -> int:
    """Return the most jumps that a completion can need, or NEVER if none can be passed."""
    limit = NEVER
    for height in range(len(costs)):
        if costs[height] != NEVER and most[height] != NEVER:
            limit = max(limit, costs[height] + most[height])
    return limit


@njit
def fewest_of(costs: NDArray[np.int64]) -> int:
    """Return the fewest jumps to any exit, or NEVER."""
    fewest = NEVER
    for height in range(len(costs)):
        if costs[height] != NEVER and (fewest == NEVER or costs[height] < fewest):
            fewest = costs[height]
    return fewest


@njit
def measure_chains(
    chains: NDArray[np.int64], first: NDArray[np.int64], ways: NDArray[np.int64], jumps_out: NDArray[np.int64]
) -> None:
    """Write the fewest jumps through chains, or NEVER.

    Args:
        chains: (n, length) the segments of each.
        first: as of `search_chains`.
        ways: as of `search_chains`.
        jumps_out: (n,).
    """
    costs, after = np.empty(first.shape[1], np.int64), np.empty(first.shape[1], np.int64)
    for number in range(len(chains)):
        costs[:] = first[chains[number, 0]]
        for place in range(1, chains.shape[1]):
            go_on(costs, ways[chains[number, place]], after)
            costs[:] = after
        jumps_out[number] = fewest_of(costs)


@njit
def search_chains(
    start: int,
    count: int,
    first: NDArray[np.int64],
    ways: NDArray[np.int64],
    most: NDArray[np.int64],
    best: int,
    ties_to: int,
    fixed: int,
    ranks_out: NDArray[np.int64],
    values_out: NDArray[np.int64],
    starts_out: NDArray[np.int64],
    counts_out: NDArray[np.int64],
    bounds_out: NDArray[np.float64],
    reasons_out: NDArray[np.uint8],
    used_out: NDArray[np.int64],
) -> None:
    """Search a block of chains, of which more jumps are better.

    Args:
        start: the first rank.
        count: how many ranks.
        first: (segments, heights) the jumps to each exit of a segment with which a chain begins.
        ways: (segments, heights, heights) the jumps from each entry to each exit.
        most: (length + 1, heights) the most jumps that so many segments can need from a height.
        best: the incumbent's value, or NEVER: every value reaches it.
        ties_to: the last rank at which an equal value reaches it.
        fixed: 1 if the incumbent stays, 0 if a better chain takes its place.
        ranks_out: the chains that reach it.
        values_out: their jumps.
        starts_out: prunings, as `add_pruning` writes them.
        counts_out: prunings.
        bounds_out: prunings.
        reasons_out: prunings.
        used_out: how many chains were evaluated, how many reached the incumbent, and how many prunings there
            are. One of the last two is larger than its arrays if they are full: then the rest is missing.
    """
    segments, heights = first.shape
    length = len(most) - 1
    size = np.ones(length + 1, np.int64)  # chains that begin with the same segments, by their number
    for depth in range(length - 1, -1, -1):
        size[depth] = size[depth + 1] * segments
    costs = np.empty((length + 1, heights), np.int64)
    evaluated = found = used = known = 0
    rank, end = start, start + count
    while rank < end:
        depth, following, pruned = known, rank + 1, False
        while depth < length and not pruned:
            item = rank // size[depth + 1] % segments
            if depth == 0:
                costs[1, :] = first[item]
            else:
                go_on(costs[depth], ways[item], costs[depth + 1])
            depth += 1
            if depth < length:
                limit = limit_of(costs[depth], most[length - depth])
                beaten = best != NEVER and (limit < best or (limit == best and rank > ties_to))
                if limit == NEVER or beaten:
                    pruned = True
                    following = min(end, (rank // size[depth] + 1) * size[depth])
                    reason, bound = (INFEASIBLE, np.nan) if limit == NEVER else (BOUND, float(limit))
                    used = add_pruning(
                        used, rank, following - rank, bound, reason, 1, starts_out, counts_out, bounds_out,
                        reasons_out,
                    )  # fmt: skip
        if not pruned:
            evaluated += 1
            value = fewest_of(costs[length])
            if value != NEVER and (value > best or (value == best and rank <= ties_to)):
                if found < len(ranks_out):
                    ranks_out[found] = rank
                    values_out[found] = value
                found += 1
                if fixed == 0:
                    best, ties_to = value, rank
        if found > len(ranks_out) or used > len(starts_out):
            break
        known = depth
        while known > 0 and rank // size[known] != following // size[known]:
            known -= 1
        rank = following
    used_out[0] = evaluated
    used_out[1] = found
    used_out[2] = used
