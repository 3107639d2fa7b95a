"""Propagation and search in kernels: a queue of touched instances, a trail of masks, counted work."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import array_njit, bare_njit, lean_njit
from epcg_deduction.solving.arrays import Arrays
from epcg_deduction.solving.instance_kernels import MEMO_COLUMNS, SPARE_ROWS, remaining

Ints = NDArray[np.int64]


class Desk(NamedTuple):
    """What a search writes on.

    `masks`: the position; `trail`: changes as (site, old mask); `height[0]`: how many; `queue`: the instances
    to look at, local ones first, as two rings; `ends`: where each ring begins and how many it holds; `waits`:
    whether an instance is in its ring; `active`: whether it belongs to the puzzle; `failures`: how often each
    failed; `failed[0]`: which failed last; `own`, `left`, `alive`, `spare`, `memo`: see `remaining`;
    `work[0]`: the number of sites looked at.
    """

    masks: Ints
    trail: Ints
    height: Ints
    queue: Ints
    ends: Ints
    waits: NDArray[np.uint8]
    active: NDArray[np.uint8]
    failures: Ints
    failed: Ints
    own: Ints
    left: Ints
    alive: NDArray[np.uint8]
    spare: Ints
    work: Ints
    memo: Ints


def new_desk(arrays: Arrays) -> Desk:
    """Return an empty desk for a problem, without a memo."""
    sites, instances, marks = arrays.start.size, arrays.kind.size, arrays.marks
    return Desk(
        np.zeros(sites, np.int64),
        np.zeros((marks + sites + 1, 2), np.int64),
        np.zeros(1, np.int64),
        np.zeros((2, instances + 1), np.int64),
        np.zeros((2, 2), np.int64),
        np.zeros(instances, np.uint8),
        np.ones(instances, np.uint8),
        np.ones(instances, np.int64),
        np.zeros(1, np.int64),
        np.zeros(arrays.longest + 1, np.int64),
        np.zeros(arrays.longest + 1, np.int64),
        np.zeros(arrays.nodes + 1, np.uint8),
        np.zeros((SPARE_ROWS, arrays.graph + 1), np.int64),
        np.zeros(1, np.int64),
        np.zeros((0, MEMO_COLUMNS), np.int64),
    )


@bare_njit
def wake(arrays: Arrays, desk: Desk, instance: int) -> None:
    """Put an instance into its ring, if it belongs to the puzzle and is not there."""
    if desk.waits[instance] or not desk.active[instance]:
        return
    desk.waits[instance] = 1
    ring = 0 if arrays.local[instance] else 1
    place = desk.ends[ring, 0] + desk.ends[ring, 1]
    size = desk.queue.shape[1]
    desk.queue[ring, place - size if place >= size else place] = instance
    desk.ends[ring, 1] += 1


@bare_njit
def write(arrays: Arrays, desk: Desk, site: int, mask: int, author: int) -> None:
    """Give a site a smaller mask, and wake the instances that look at it, except the author."""
    height = desk.height[0]
    desk.trail[height, 0] = site
    desk.trail[height, 1] = desk.masks[site]
    desk.height[0] = height + 1
    desk.masks[site] = mask
    for index in range(arrays.touch_at[site], arrays.touch_at[site + 1]):
        if arrays.touch[index] != author:
            wake(arrays, desk, arrays.touch[index])


@bare_njit
def take_back(desk: Desk, height: int) -> None:
    """Undo the changes above a height of the trail."""
    while desk.height[0] > height:
        desk.height[0] -= 1
        desk.masks[desk.trail[desk.height[0], 0]] = desk.trail[desk.height[0], 1]


@lean_njit
def look(arrays: Arrays, desk: Desk, instance: int) -> bool:
    """Write what an instance excludes; return whether its test holds."""
    begin, end = arrays.sites_at[instance], arrays.sites_at[instance + 1]
    for index in range(begin, end):
        desk.own[index - begin] = desk.masks[arrays.sites[index]]
    desk.work[0] += end - begin
    if not remaining(arrays, instance, desk.own, desk.left, desk.alive, desk.spare, desk.memo):
        return False
    author = instance if arrays.local[instance] else -1
    for index in range(begin, end):
        left = desk.left[index - begin]
        if left != desk.own[index - begin]:
            if left == 0:
                return False
            write(arrays, desk, arrays.sites[index], left, author)
    return True


@lean_njit
def settle(arrays: Arrays, desk: Desk) -> bool:
    """Look at all instances that wait until none does; False (and none waits) if the position cannot hold."""
    holds = True
    while True:
        ring = 0 if desk.ends[0, 1] else 1
        if desk.ends[ring, 1] == 0:
            return holds
        instance = desk.queue[ring, desk.ends[ring, 0]]
        desk.ends[ring, 0] += 1
        if desk.ends[ring, 0] == desk.queue.shape[1]:
            desk.ends[ring, 0] = 0
        desk.ends[ring, 1] -= 1
        desk.waits[instance] = 0
        if holds and not look(arrays, desk, instance):
            holds = False
            desk.failures[instance] += 1
            desk.failed[0] = instance


@lean_njit
def _branch(arrays: Arrays, desk: Desk) -> int:
    """Return the open site with fewest marks for the failures of its instances, the first one; -1: none."""
    desk.work[0] += desk.masks.size
    best, best_marks, best_failures = -1, 1, 1
    for site in range(desk.masks.size):
        mask = desk.masks[site]
        if mask & (mask - 1) == 0:
            continue
        marks = 0
        while mask:
            mask &= mask - 1
            marks += 1
        failures = 1
        for index in range(arrays.touch_at[site], arrays.touch_at[site + 1]):
            instance = arrays.touch[index]
            if desk.active[instance]:
                failures += desk.failures[instance]
        if best < 0 or marks * best_failures < best_marks * failures:
            best, best_marks, best_failures = site, marks, failures
    return best


@lean_njit
def begin(desk: Desk, start: Ints, active: NDArray[np.bool_]) -> None:
    """Put a puzzle on the desk: its position, and which instances belong to it."""
    for site in range(start.size):
        desk.masks[site] = start[site]
    for instance in range(active.size):
        desk.active[instance] = active[instance]
        desk.failures[instance] = 1
    desk.height[0] = 0
    desk.work[0] = 0


@lean_njit
def _note(desk: Desk, found: NDArray[np.uint8], number: int) -> None:
    """Write the marks of a complete position into a row, if there is one."""
    if number < found.shape[0]:
        for site in range(desk.masks.size):
            mark = 0
            while desk.masks[site] >> mark != 1:
                mark += 1
            found[number, site] = mark


@lean_njit
def _ready(arrays: Arrays, desk: Desk) -> bool:
    """Let all instances wait; return whether every site has a mark."""
    for site in range(desk.masks.size):
        if desk.masks[site] == 0:
            return False
    for instance in range(arrays.kind.size):
        wake(arrays, desk, instance)
    return True


@array_njit
def search(
    arrays: Arrays,
    desk: Desk,
    starts: Ints,
    active: NDArray[np.bool_],
    limit: int,
    budget: int,
    found: NDArray[np.uint8],
    counts: Ints,
) -> None:
    """Search for the solutions of puzzles that differ in where they start and in what belongs to them.

    All is in one function, since each that calls it would be compiled with all of it once more.

    Args:
        arrays: a problem with all instances.
        desk: of this problem.
        starts: the positions; (puzzles, sites) int64.
        active: which instances belong to each; (puzzles or 1, instances).
        limit: the number of solutions after which a search ends, as not complete.
        budget: the work after which it ends.
        found: returns the first solutions of the last puzzle; (rows, sites) uint8.
        counts: returns the number of solutions, whether these are all, and the work; (puzzles, 3) int64.
    """
    sites = arrays.start.size
    chosen = np.zeros(sites + 1, np.int64)
    rest = np.zeros(sites + 1, np.int64)
    heights = np.zeros(sites + 1, np.int64)
    for puzzle in range(starts.shape[0]):
        begin(desk, starts[puzzle], active[puzzle if active.shape[0] > 1 else 0])
        number, complete, depth = 0, 1, 0
        goes_on = _ready(arrays, desk)
        while goes_on:
            holds = settle(arrays, desk)
            site = _branch(arrays, desk) if holds else -1
            if holds and site < 0:
                _note(desk, found, number)
                number += 1
                if number >= limit:
                    complete = 0
                    break
            if site >= 0:
                chosen[depth] = site
                rest[depth] = desk.masks[site]
                heights[depth] = desk.height[0]
                depth += 1
            elif depth:
                take_back(desk, heights[depth - 1])
            while depth and rest[depth - 1] == 0:
                depth -= 1
                if depth:
                    take_back(desk, heights[depth - 1])
            if depth == 0:
                break
            if desk.work[0] >= budget:
                complete = 0
                break
            bit = rest[depth - 1] & -rest[depth - 1]
            rest[depth - 1] ^= bit
            write(arrays, desk, chosen[depth - 1], bit, -1)
        counts[puzzle, 0], counts[puzzle, 1], counts[puzzle, 2] = number, complete, desk.work[0]
