"""Measures of levels, and the search through chains, compiled.

They find what `epcg_segments.passing` and `epcg_segments.chaining` find. A cell is its number in `CELLS`,
and a place is column * ROWS + height.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import BOUND, INFEASIBLE, add_pruning, bit_count, copy_row, njit
from epcg_segments.rules import IMPULSE, ROWS

NEVER = -1
"""Instead of a number of jumps, or of a place: there is none."""
ENDLESS = 1 << 30
"""The margin of a way without jumps."""
GROUND, PLATFORM, ENEMY = 1, 2, 3


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
def carries(cell: int) -> bool:
    """Return whether a cell stops what falls on it."""
    return cell in (GROUND, PLATFORM)


@njit
def land(level: NDArray[np.uint8], column: int, height: int, velocity: int) -> int:
    """Return where the player stands next, column * ROWS + height; NEVER if it is lost first.

    Args:
        level: (columns, rows) cells.
        column: where it stands.
        height: where it stands.
        velocity: of the first tick.
    """
    while column < len(level) - 1:
        for _ in range(velocity):
            if height + 1 == ROWS or level[column, height + 1] == GROUND:
                velocity = 0
                break
            height += 1
            if level[column, height] == ENEMY:
                return NEVER
        column += 1
        if level[column, height] in (GROUND, ENEMY):
            return NEVER
        for _ in range(-velocity):
            if height > 0 and carries(level[column, height - 1]):
                break
            height -= 1
            if height < 0 or level[column, height] == ENEMY:
                return NEVER
        if velocity <= 0 and height > 0 and carries(level[column, height - 1]):
            return column * ROWS + height
        velocity -= 1
    return NEVER


@njit
def stands(level: NDArray[np.uint8], column: int, height: int) -> bool:
    """Return whether the player can stand in a cell."""
    return (
        height > 0
        and level[column, height] != GROUND
        and level[column, height] != ENEMY
        and carries(level[column, height - 1])
    )


@njit
def measure_levels(levels: NDArray[np.uint8], values_out: NDArray[np.int64]) -> None:
    """Measure levels, from the last column to the first.

    Args: levels: (n, columns, rows) cells. values_out: (n, 4) the entries, the exits, the fewest jumps or
    NEVER, and the margin: NEVER without a way, ENDLESS without a jump.
    """
    columns = levels.shape[1]
    last, places = columns - 1, columns * ROWS
    run, jump = np.empty(places, np.int64), np.empty(places, np.int64)
    jumps, exits, margin = np.empty(places, np.int64), np.empty(places, np.int64), np.empty(places, np.int64)
    for number in range(len(levels)):
        level = levels[number]
        for place in range(places - 1, -1, -1):
            column, height = place // ROWS, place % ROWS
            run[place] = jump[place] = jumps[place] = margin[place] = NEVER
            exits[place] = 0
            if not stands(level, column, height):
                continue
            if column == last:
                jumps[place], exits[place], margin[place] = 0, 1 << height, ENDLESS
                continue
            run[place], jump[place] = land(level, column, height, 0), land(level, column, height, IMPULSE)
            if run[place] != NEVER:
                jumps[place], exits[place] = jumps[run[place]], exits[run[place]]
            if jump[place] != NEVER and jumps[jump[place]] != NEVER:
                exits[place] |= exits[jump[place]]
                if jumps[place] == NEVER or jumps[jump[place]] + 1 < jumps[place]:
                    jumps[place] = jumps[jump[place]] + 1
            best, width, reached, at = NEVER, 0, NEVER, place
            while True:
                wins = jump[at] != NEVER and jumps[jump[at]] != NEVER
                if wins:
                    width += 1
                    reached = max(reached, margin[jump[at]])
                if width > 0 and (not wins or run[at] != at + ROWS):
                    best, width, reached = max(best, min(width - 1, reached)), 0, NEVER
                if run[at] != at + ROWS:
                    if run[at] != NEVER:
                        best = max(best, margin[run[at]])
                    break
                at = run[at]
                if at // ROWS == last:
                    best = ENDLESS
                    break
            margin[place] = best
        begin, entries = NEVER, 0
        for height in range(ROWS - 1, 0, -1):
            if stands(level, 0, height):
                begin = height
                entries += 1 if jumps[height] != NEVER else 0
        values_out[number, 0] = entries
        values_out[number, 1] = bit_count(np.uint64(exits[begin])) if begin != NEVER else 0
        values_out[number, 2] = jumps[begin] if begin != NEVER else NEVER
        values_out[number, 3] = margin[begin] if begin != NEVER else NEVER


@njit
def measure_chains(levels: NDArray[np.uint8], columns: int, jumps_out: NDArray[np.int64]) -> None:
    """Write the fewest jumps through levels whose segments are entered on the ground, or NEVER.

    Args:
        levels: (n, segments * columns, rows) cells.
        columns: of a segment.
        jumps_out: (n,).
    """
    fewest = np.empty(columns * ROWS, np.int64)
    for number in range(len(levels)):
        for begin in range(0, levels.shape[1], columns):
            segment = levels[number, begin : begin + columns]
            for height in range(ROWS):
                before = fewest[(columns - 1) * ROWS + height]
                fewest[height] = before if begin and stands(segment, 0, height) else NEVER
            fewest[ROWS:] = NEVER
            if begin == 0:
                for height in range(ROWS - 1, 0, -1):
                    if stands(segment, 0, height):
                        fewest[:ROWS] = NEVER
                        fewest[height] = 0
            for place in range((columns - 1) * ROWS):
                if fewest[place] != NEVER:
                    for cost in range(2):
                        after = land(segment, place // ROWS, place % ROWS, cost * IMPULSE)
                        jumps = fewest[place] + cost
                        if after != NEVER and (fewest[after] == NEVER or jumps < fewest[after]):
                            fewest[after] = jumps
        jumps_out[number] = fewest_of(fewest[(columns - 1) * ROWS :])


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
        most: (length + 1, heights) the most jumps that a number of segments can need from a height.
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
                copy_row(first[item], costs[1])
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
