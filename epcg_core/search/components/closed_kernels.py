"""Compiled components of a part of a graph whose edges are all known."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit
from epcg_core.search.components.kernels import root_of


@njit
def list_neighbours(
    count: int, edges: NDArray[np.int32], begins_out: NDArray[np.int64], ends_out: NDArray[np.int32]
) -> None:
    """Write the neighbours of each position n: ends_out[begins_out[n] : begins_out[n + 1]].

    Args:
        count: the positions.
        edges: (m, 2), each leads both ways.
        begins_out: (count + 1,).
        ends_out: (2 m,).
    """
    for at in range(count + 1):
        begins_out[at] = 0
    for at in range(edges.shape[0]):
        begins_out[edges[at, 0]] += 1
        begins_out[edges[at, 1]] += 1
    total = 0
    for at in range(count + 1):
        total += begins_out[at]
        begins_out[at] = total
    for at in range(edges.shape[0]):
        one = edges[at, 0]
        two = edges[at, 1]
        begins_out[one] -= 1
        ends_out[begins_out[one]] = two
        begins_out[two] -= 1
        ends_out[begins_out[two]] = one


@njit
def summarize(
    count: int,
    edges: NDArray[np.int32],
    goals: NDArray[np.int32],
    ranked: NDArray[np.int32],
    ranks: NDArray[np.int64],
    start: int,
    begins: NDArray[np.int64],
    ends: NDArray[np.int32],
    component: NDArray[np.int32],
    depth: NDArray[np.int32],
    queue: NDArray[np.int32],
    size: NDArray[np.int32],
    size_out: NDArray[np.int64],
    hardest_out: NDArray[np.int64],
    hardest_rank_out: NDArray[np.int64],
    seen_out: NDArray[np.bool_],
) -> None:
    """Write the facts about each component at the lowest of its ranks.

    Args:
        count: the positions of the part.
        edges: (m, 2), each leads both ways.
        goals: (g,) positions.
        ranked: (p,) positions.
        ranks: their ranks, (p,).
        start: the rank of the first entry of what is written.
        begins: room, (count + 1,).
        ends: room, (2 m,).
        component: room, (count,).
        depth: room, (count,).
        queue: room, (count,).
        size: room, (count,).
        size_out: the positions of a component, (n,).
        hardest_out: the most actions to a goal; -1 if there is none, (n,).
        hardest_rank_out: the lowest rank of a position that needs them; -1 for none, (n,).
        seen_out: set for each rank that the part has, (n,).
    """
    list_neighbours(count, edges, begins, ends)
    for at in range(count):
        component[at] = -1
        depth[at] = -1
    # From all goals side by side: what two of them reach is one component, a tree of the forest `parents`.
    parents = np.empty(count, np.int32)
    tail = 0
    for at in range(goals.size):
        if component[goals[at]] < 0:
            component[goals[at]] = tail
            parents[tail] = tail
            queue[tail] = goals[at]
            tail += 1
    components = tail
    head = 0
    level = 0
    beyond = tail
    while head < tail:
        if head == beyond:
            level += 1
            beyond = tail
        at = queue[head]
        head += 1
        depth[at] = level
        own = root_of(parents, component[at])
        component[at] = own
        for edge in range(begins[at], begins[at + 1]):
            other = ends[edge]
            met = component[other]
            if met < 0:
                component[other] = own
                queue[tail] = other
                tail += 1
            elif met != own:
                root = root_of(parents, met)
                if root != own:
                    low = min(root, own)
                    parents[max(root, own)] = low
                    own = low
    for at in range(components):
        size[at] = 0
    last = np.full(count, -1, np.int32)  # the most actions to a goal, by component
    for at in range(tail):
        own = root_of(parents, component[queue[at]])
        component[queue[at]] = own
        size[own] += 1
        last[own] = depth[queue[at]]
    for first in range(count if tail < count else 0):
        if component[first] >= 0:
            continue
        component[first] = components
        queue[0] = first
        head = 0
        tail = 1
        while head < tail:
            at = queue[head]
            head += 1
            for edge in range(begins[at], begins[at + 1]):
                other = ends[edge]
                if component[other] < 0:
                    component[other] = components
                    queue[tail] = other
                    tail += 1
        size[components] = tail
        components += 1
    lowest = np.full(components, -1, np.int64)
    hardest = np.full(components, -1, np.int64)
    for at in range(ranked.size):
        own = component[ranked[at]]
        if lowest[own] < 0 or ranks[at] < lowest[own]:
            lowest[own] = ranks[at]
        if depth[ranked[at]] < 0 or depth[ranked[at]] < last[own]:
            continue
        if hardest[own] < 0 or ranks[at] < hardest[own]:
            hardest[own] = ranks[at]
    for at in range(ranked.size):
        entry = ranks[at] - start
        if entry < 0 or entry >= size_out.size:
            continue
        seen_out[entry] = True
        own = component[ranked[at]]
        if ranks[at] == lowest[own]:
            size_out[entry] = size[own]
            hardest_out[entry] = last[own]
            hardest_rank_out[entry] = hardest[own]
