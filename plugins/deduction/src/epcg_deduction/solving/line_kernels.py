"""Kernels of `connected`, of one loop and of paths: what one instance excludes, exactly.

Each reads the masks of its instance's sites and writes into `left` what remains of each when this instance
alone has excluded all that it can; it returns False if its test fails.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_deduction.solving.graph_kernels import forest, root_of

Ints = NDArray[np.int64]


@njit
def connected(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude what would part two sure sites, or could not be reached from one.

    Args:
        words: holds the instance; (words,) int64.
        base: where the instance begins in them.
        masks: of the instance's sites; (sites,) int64.
        left: returns what remains of them.
        spare: (rows, sites or more) int64.
    """
    mask, count = words[base], words[base + 1]
    state, sums = spare[0], spare[1]
    sure = 0
    for site in range(count):
        left[site] = masks[site]
        if masks[site] & mask == 0:
            state[site] = 0
        elif masks[site] & ~mask != 0:
            state[site] = 1
        else:
            state[site] = 2
            sure += 1
    if sure == 0:
        return True
    order, found, parent, low, last, top = spare[2], spare[3], spare[4], spare[5], spare[6], spare[7]
    met = forest(words, base, 2, count, state, order, found, parent, low, last, top, spare[8])
    total = 0
    for place in range(met):
        if state[order[place]] == 2:
            total += 1
            if top[order[place]] != 0:
                return False
        sums[place] = total
    for site in range(count):
        if state[site] == 1 and top[site] != 0:
            left[site] &= ~mask
    for place in range(1, met):
        node = order[place]
        if top[node] != 0:
            break
        above = parent[node]
        if state[above] == 1 and low[node] >= found[above] and sums[last[node]] > sums[place - 1]:
            left[above] &= mask
    return True


@njit
def one_loop(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64], sites: int) -> bool:
    """Exclude lines that would close a loop beside other lines, and no line where there must be one.

    Args: as in `connected`; `sites`: how many the instance has.
    """
    count = words[base]
    parent, degree = spare[0], spare[1]
    for node in range(count):
        parent[node] = node
        degree[node] = 0
    sure = possible = touched = unions = 0
    top_degree = 0
    for site in range(sites):
        left[site] = masks[site]
        possible += masks[site] & 1
        if masks[site] != 1:
            continue
        sure += 1
        one, other = words[base + 1 + 2 * site], words[base + 2 + 2 * site]
        for end in (one, other):
            if degree[end] == 0:
                touched += 1
            degree[end] += 1
            top_degree = max(top_degree, degree[end])
        one, other = root_of(parent, one), root_of(parent, other)
        if one != other:
            parent[one] = other
            unions += 1
    if possible == 0:
        return False
    if unions < sure:
        if unions != sure - 1 or touched != sure or top_degree != 2 or touched - unions != 1:
            return False
        for site in range(sites):
            if masks[site] & 1 and masks[site] != 1:
                left[site] &= ~1
        return True
    whole = touched - unions == 1 and top_degree <= 2
    for site in range(sites):
        if masks[site] & 1 == 0 or masks[site] == 1:
            continue
        one, other = words[base + 1 + 2 * site], words[base + 2 + 2 * site]
        ends = whole and degree[one] == 1 and degree[other] == 1
        if not ends and root_of(parent, one) == root_of(parent, other):
            left[site] &= ~1
        if possible == 1:
            left[site] &= 1
    return True


@njit
def link_forest(
    words: Ints,
    base: int,
    lists: int,
    ends: int,
    count: int,
    masks: Ints,
    bit: int,
    order: Ints,
    found: Ints,
    parent: Ints,
    low: Ints,
    last: Ints,
    top: Ints,
    spare: Ints,
) -> int:
    """Walk depth first through the cells whose links have a mark in `bit`; return the number of cells.

    Args: as in `forest`, where the lists have the sites at each cell; `ends`: where the two cells of each
    site begin; `parent` returns the site by which a cell was met, or -1.
    """
    for node in range(count):
        found[node] = -1
    met = 0
    for root in range(count):
        if found[root] >= 0:
            continue
        begin = met
        parent[root] = -1
        found[root] = low[root] = met
        top[root] = begin
        order[met] = root
        met += 1
        spare[root] = words[base + lists + root]
        node = root
        while node >= 0:
            if spare[node] < words[base + lists + node + 1]:
                site = words[base + spare[node]]
                spare[node] += 1
                if masks[site] & bit == 0 or site == parent[node]:
                    continue
                near = words[base + ends + 2 * site] + words[base + ends + 2 * site + 1] - node
                if found[near] < 0:
                    parent[near] = site
                    found[near] = low[near] = met
                    top[near] = begin
                    order[met] = near
                    met += 1
                    spare[near] = words[base + lists + near]
                    node = near
                elif found[near] < low[node]:
                    low[node] = found[near]
            else:
                last[node] = met - 1
                above = -1
                if parent[node] >= 0:
                    site = parent[node]
                    above = words[base + ends + 2 * site] + words[base + ends + 2 * site + 1] - node
                    if low[node] < low[above]:
                        low[above] = low[node]
                node = above
    return met


@njit
def joined(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude lines that close a loop or join unequal clues, and no line where a clue's only way is.

    Args: as in `connected`.
    """
    count, sites = words[base], words[base + 1]
    clue, ends = base + 2, 2 + words[base]
    lists = ends + 2 * sites
    piece, value = spare[0], spare[1]
    for node in range(count):
        piece[node] = node
        value[node] = words[clue + node]
    for site in range(sites):
        left[site] = masks[site]
        if masks[site] != 1:
            continue
        one = root_of(piece, words[base + ends + 2 * site])
        other = root_of(piece, words[base + ends + 2 * site + 1])
        if one == other or (value[one] >= 0 and value[other] >= 0 and value[one] != value[other]):
            return False
        piece[one] = other
        value[other] = max(value[one], value[other])
    order, found, parent, low, last, top = spare[2], spare[3], spare[4], spare[5], spare[6], spare[7]
    link_forest(words, base, lists, ends, count, masks, 1, order, found, parent, low, last, top, spare[8])
    clues = 0
    cells = spare[8]
    for place in range(count):
        if words[clue + order[place]] >= 0:
            cells[clues] = order[place]
            clues += 1
    for index in range(clues):
        cell, partner = cells[index], False
        for other_index in range(clues):
            other = cells[other_index]
            if other != cell and words[clue + other] == words[clue + cell] and top[other] == top[cell]:
                partner = True
                break
        if not partner:
            return False
    for site in range(sites):
        if masks[site] & 1 == 0 or masks[site] == 1:
            continue
        one = root_of(piece, words[base + ends + 2 * site])
        other = root_of(piece, words[base + ends + 2 * site + 1])
        if one == other or (value[one] >= 0 and value[other] >= 0 and value[one] != value[other]):
            left[site] &= ~1
    for node in range(count):
        site = parent[node]
        if site < 0 or masks[site] == 1 or low[node] < found[node]:
            continue
        begin, end = found[node], last[node]
        for index in range(clues):
            cell, partner = cells[index], False
            inside = begin <= found[cell] <= end
            for other_index in range(clues):
                other = cells[other_index]
                if (
                    other != cell
                    and words[clue + other] == words[clue + cell]
                    and top[other] == top[cell]
                    and inside == (begin <= found[other] <= end)
                ):
                    partner = True
                    break
            if not partner:
                left[site] &= 1
                break
    return True
