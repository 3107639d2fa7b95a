"""Kernels of groups and of pairings: what one instance excludes, exactly by its test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_deduction.solving.graph_kernels import augmented, forest

Ints = NDArray[np.int64]
_FAR = 1 << 40


@njit
def groups(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude marks by the sizes and clues of groups.

    Args:
        words: holds the instance; (words,) int64.
        base: where the instance begins in them.
        masks: of the instance's sites; (sites,) int64.
        left: returns what remains of them.
        spare: (rows, sites or more) int64.
    """
    mask, count = words[base], words[base + 1]
    every = 0
    for site in range(count):
        left[site] = masks[site]
        every |= masks[site]
    if mask:
        return _class_of_groups(words, base, mask, -1, masks, left, spare)
    mark = 0
    while every >> mark:
        if (every >> mark) & 1 and not _class_of_groups(words, base, 1 << mark, mark, masks, left, spare):
            return False
        mark += 1
    return True


@njit
def _class_of_groups(
    words: Ints, base: int, own: int, mark: int, masks: Ints, left: Ints, spare: NDArray[np.int64]
) -> bool:
    """Exclude marks by the groups of sites whose marks are in `own`; `mark`: which one, -1: several."""
    count = words[base + 1]
    if words[base + 2] == 0:
        mark = -1
    least, most, exactly, clue = words[base + 3], words[base + 4], words[base + 5], base + 6
    lists = 6 + count
    state = spare[0]
    for site in range(count):
        state[site] = 0
        if masks[site] & own:
            state[site] = 1 if masks[site] & ~own else 2
    order, found, parent, low, last, top = spare[1], spare[2], spare[3], spare[4], spare[5], spare[6]
    met = forest(words, base, lists, count, state, order, found, parent, low, last, top, spare[7])
    group, size, lower, upper, held = spare[7], spare[8], spare[9], spare[10], spare[11]
    _sure_groups(words, base, lists, count, state, group, size, lower, upper, held, spare[12])
    for site in range(count):
        if group[site] != site:
            continue
        if mark >= 0:
            lower[site], upper[site] = max(lower[site], mark + 1), min(upper[site], mark + 1)
        if least >= 0:
            lower[site] = max(lower[site], least)
        if most >= 0:
            upper[site] = min(upper[site], most)
    clues = spare[12]
    total = 0
    for place in range(met):
        total += words[clue + order[place]] != -1
        clues[place] = total
    for site in range(count):
        if group[site] == site:
            begin = top[site]
            end = last[order[begin]]
            if size[site] > upper[site] or end + 1 - begin < lower[site]:
                return False
            if exactly >= 0 and not held[site] <= exactly <= _between(clues, begin, end):
                return False
    seen = spare[13]
    for site in range(count):
        seen[site] = -1
    for site in range(count):
        if state[site] != 1:
            continue
        begin = top[site]
        end = last[order[begin]]
        total, low_bound, high_bound = 1, max(least, 0), _FAR
        if most >= 0:
            high_bound = most
        if mark >= 0:
            low_bound, high_bound = max(low_bound, mark + 1), min(high_bound, mark + 1)
        number = words[clue + site]
        inside = 1 if number != -1 else 0
        if number >= 0:
            low_bound, high_bound = max(low_bound, number), min(high_bound, number)
        for index in range(words[base + lists + site], words[base + lists + site + 1]):
            near = words[base + index]
            if state[near] == 2 and seen[group[near]] != site:
                near = group[near]
                seen[near] = site
                total += size[near]
                inside += held[near]
                low_bound, high_bound = max(low_bound, lower[near]), min(high_bound, upper[near])
        if (
            total > high_bound
            or end + 1 - begin < low_bound
            or (exactly >= 0 and not inside <= exactly <= _between(clues, begin, end))
        ):
            left[site] &= ~own
        if state[order[begin]] == 2 and _needs(
            words,
            base,
            lists,
            site,
            begin,
            end,
            exactly,
            order,
            found,
            parent,
            low,
            last,
            group,
            lower,
            clues,
            state,
        ):
            left[site] &= own
    return True


@njit
def _between(sums: Ints, begin: int, end: int) -> int:
    """Return the sum of the places from `begin` to `end`."""
    return sums[end] - (sums[begin - 1] if begin > 0 else 0) if end >= begin else 0


@njit
def _sure_groups(
    words: Ints,
    base: int,
    lists: int,
    count: int,
    state: Ints,
    group: Ints,
    size: Ints,
    lower: Ints,
    upper: Ints,
    held: Ints,
    stack: Ints,
) -> None:
    """Find the groups of sure sites: of each its first site, size, bounds by its clues, number of clues."""
    for site in range(count):
        group[site] = -1
    for first in range(count):
        if state[first] != 2 or group[first] >= 0:
            continue
        group[first] = first
        size[first] = held[first] = lower[first] = 0
        upper[first] = _FAR
        stack[0] = first
        height = 1
        while height:
            height -= 1
            site = stack[height]
            size[first] += 1
            number = words[base + 6 + site]
            if number != -1:
                held[first] += 1
            if number >= 0:
                lower[first], upper[first] = max(lower[first], number), min(upper[first], number)
            for index in range(words[base + lists + site], words[base + lists + site + 1]):
                near = words[base + index]
                if state[near] == 2 and group[near] < 0:
                    group[near] = first
                    stack[height] = near
                    height += 1


@njit
def _needs(
    words: Ints,
    base: int,
    lists: int,
    site: int,
    begin: int,
    end: int,
    exactly: int,
    order: Ints,
    found: Ints,
    parent: Ints,
    low: Ints,
    last: Ints,
    group: Ints,
    lower: Ints,
    clues: Ints,
    state: Ints,
) -> bool:
    """Return whether some sure group of the component can reach too little without the open site."""
    place = found[site]
    cut_size = cut_clues = 0
    for index in range(words[base + lists + site], words[base + lists + site + 1]):
        child = words[base + index]
        if found[child] < 0 or parent[child] != site or low[child] < place:
            continue
        first, final = found[child], last[child]
        part = final + 1 - first
        inside = _between(clues, first, final)
        cut_size += part
        cut_clues += inside
        for at in range(first, final + 1):
            node = order[at]
            if state[node] == 2 and (lower[group[node]] > part or inside < exactly):
                return True
    rest = end - begin - cut_size
    inside = _between(clues, begin, end) - cut_clues - (clues[place] - (clues[place - 1] if place > 0 else 0))
    at = begin
    while at <= end:
        node = order[at]
        if parent[node] == site and low[node] >= place:
            at = last[node] + 1
            continue
        if state[node] == 2 and (lower[group[node]] > rest or inside < exactly):
            return True
        at += 1
    return False


@njit
def matched(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude marks by pairing clues with sites.

    Args: as in `groups`.
    """
    mask, count, clues, second = words[base], words[base + 1], words[base + 2], words[base + 3]
    usable, site_partner, clue_partner = spare[0], spare[1], spare[2]
    before, queue, everyone = spare[3], spare[4], spare[5]
    for site in range(count):
        left[site] = masks[site]
        usable[site] = 1 if masks[site] & mask else 0
        site_partner[site] = -1
    for clue in range(clues):
        clue_partner[clue] = -1
        everyone[clue] = 1
    for clue in range(clues):
        if not augmented(words, base, 4, clue, -1, usable, site_partner, before, queue, count, True):
            return False
    for site in range(count):
        if masks[site] & ~mask == 0 and not augmented(
            words, base, second, site, -1, everyone, clue_partner, before, queue, clues, True
        ):
            return False
    for site in range(count):
        if masks[site] & mask == 0 or masks[site] & ~mask == 0:
            continue
        if not augmented(words, base, second, site, -1, everyone, clue_partner, before, queue, clues, False):
            left[site] &= ~mask
        if site_partner[site] >= 0 and not augmented(
            words, base, 4, site_partner[site], site, usable, site_partner, before, queue, count, False
        ):
            left[site] &= mask
    return True
