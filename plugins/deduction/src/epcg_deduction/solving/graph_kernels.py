"""Graphs in kernels: a spanning forest with low points, components, matchings."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit

Ints = NDArray[np.int64]


@njit
def root_of(parent: Ints, node: int) -> int:
    """Return the root of a node, halving the path to it."""
    while parent[node] != node:
        parent[node] = parent[parent[node]]
        node = parent[node]
    return node


@njit
def forest(
    words: Ints,
    base: int,
    lists: int,
    count: int,
    state: Ints,
    order: Ints,
    found: Ints,
    parent: Ints,
    low: Ints,
    last: Ints,
    top: Ints,
    spare: Ints,
) -> int:
    """Walk through a graph depth first; return how many nodes were met.

    Nodes with state 2 are roots before those with state 1; those with state 0 are not in the graph.

    Args:
        words: holds the lists of neighbours; (words,) int64.
        base: where the instance's words begin.
        lists: where its lists begin in them.
        count: the number of nodes.
        state: of each node; (count,) int64.
        order: returns the nodes as they were met.
        found: returns the place of each node in `order`, -1 outside the graph.
        parent: returns the node from which each was met, -1 for a root.
        low: returns the lowest place that a node's subtree touches by one other pair.
        last: returns the last place of a node's subtree.
        top: returns the place of the root of a node's component.
        spare: of `count` values.
    """
    for node in range(count):
        found[node] = -1
    met = 0
    for wanted in range(2, 0, -1):
        for root in range(count):
            if state[root] != wanted or found[root] >= 0:
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
                    near = words[base + spare[node]]
                    spare[node] += 1
                    if state[near] == 0:
                        continue
                    if found[near] < 0:
                        parent[near] = node
                        found[near] = low[near] = met
                        top[near] = begin
                        order[met] = near
                        met += 1
                        spare[near] = words[base + lists + near]
                        node = near
                    elif near != parent[node] and found[near] < low[node]:
                        low[node] = found[near]
                else:
                    last[node] = met - 1
                    above = parent[node]
                    if above >= 0 and low[node] < low[above]:
                        low[above] = low[node]
                    node = above
    return met


@njit
def augmented(
    words: Ints,
    base: int,
    lists: int,
    node: int,
    barred: int,
    usable: Ints,
    partner: Ints,
    before: Ints,
    queue: Ints,
    count: int,
    change: bool,
) -> bool:
    """Return whether one more node of the left side can have a partner of the right side, and give it one.

    Args:
        words: holds the lists of the left side's possible partners; (words,) int64.
        base: where the instance's words begin.
        lists: where those lists begin in them.
        node: the node of the left side.
        barred: a node of the right side that takes no part; -1: none.
        usable: whether each node of the right side takes part; (count,) int64.
        partner: the partner of each node of the right side, or -1; changed; (count,) int64.
        before: of `count` values.
        queue: of as many values as the left side has nodes, and one.
        count: the number of nodes on the right side.
        change: whether to write the new partners.
    """
    for right in range(count):
        before[right] = -1
    queue[0] = node
    head, tail = 0, 1
    while head < tail:
        left = queue[head]
        head += 1
        for index in range(words[base + lists + left], words[base + lists + left + 1]):
            right = words[base + index]
            if usable[right] == 0 or right == barred or before[right] >= 0 or partner[right] == left:
                continue
            before[right] = left
            if partner[right] < 0:
                if change:
                    while True:
                        left = before[right]
                        old = -1
                        if left != node:
                            for other in range(count):
                                if partner[other] == left:
                                    old = other
                                    break
                        partner[right] = left
                        if old < 0:
                            break
                        partner[old] = -1
                        right = old
                return True
            queue[tail] = partner[right]
            tail += 1
    return False
