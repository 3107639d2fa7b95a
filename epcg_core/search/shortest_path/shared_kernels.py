"""The kernels of a state graph that puzzles of the same shape share.

A node's expansions are a list of entries: in an entry stand the features that the expansion depended on
(`reads`) and in which of these the puzzle differed from the first one (`values`). It is the expansion of
every puzzle that agrees on these features; each feature has two values. `tops[node]` is the node's newest
entry and `links` lead to older ones, -1 for none.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import bare_njit, njit

FOUND, EXHAUSTED, LIMITED, WANTING = range(4)
"""Why a traversal stopped; WANTING: at a node that has no entry for this puzzle."""
HEAD, TAIL, DEPTH, LAYER_END = range(4)
"""The entries of a traversal's state; LAYER_END is where in the queue the next depth begins."""
FIRST, DEGREE = range(2)
"""Columns of `spans`: where an entry's successors begin in `edges`, and how many there are."""


@bare_njit
def _entry_of(
    node: int | np.int64,
    changed: NDArray[np.uint64],
    tops: NDArray[np.int32],
    links: NDArray[np.int32],
    reads: NDArray[np.uint64],
    values: NDArray[np.uint64],
) -> np.int64:
    """Return the entry of a node that holds for a puzzle with these changed features; -1 if none does."""
    entry = np.int64(tops[node])
    while entry >= 0:
        different = np.uint64(0)
        for word in range(changed.size):
            different |= (changed[word] ^ values[entry, word]) & reads[entry, word]
        if different == np.uint64(0):
            return entry
        entry = np.int64(links[entry])
    return np.int64(-1)


@njit
def traverse_shared(
    state: NDArray[np.int64],
    limit: int,
    generation: int,
    changed: NDArray[np.uint64],
    goals: NDArray[np.bool_],
    tops: NDArray[np.int32],
    links: NDArray[np.int32],
    reads: NDArray[np.uint64],
    values: NDArray[np.uint64],
    spans: NDArray[np.int64],
    edges: NDArray[np.int32],
    queue: NDArray[np.int32],
    stamps: NDArray[np.int32],
) -> int:
    """Go on with a breadth-first search as far as there are entries; returns why it stopped.

    A goal is recognised when it joins the queue, at place TAIL - 1, and the limit when a node that is none
    takes place `limit`: all nodes before it would be expanded first. Nodes stamped with `generation` have
    been met.
    """
    head, tail, depth, layer_end = state[HEAD], state[TAIL], state[DEPTH], state[LAYER_END]
    outcome = EXHAUSTED
    while head < tail:
        entry = _entry_of(queue[head], changed, tops, links, reads, values)
        if entry < 0:
            outcome = WANTING
            break
        if head == layer_end:
            depth += 1
            layer_end = tail
        head += 1
        first = spans[entry, FIRST]
        for at in range(first, first + spans[entry, DEGREE]):
            child = np.int64(edges[at])
            if stamps[child] == generation:
                continue
            stamps[child] = generation
            queue[tail] = child
            tail += 1
            if goals[child]:
                outcome = FOUND
                break
            if tail > limit:
                outcome = LIMITED
                break
        if outcome != EXHAUSTED:
            break
    state[HEAD] = head
    state[TAIL] = tail
    state[DEPTH] = depth
    state[LAYER_END] = layer_end
    return outcome


@njit
def without_entry(
    state: NDArray[np.int64],
    changed: NDArray[np.uint64],
    tops: NDArray[np.int32],
    links: NDArray[np.int32],
    reads: NDArray[np.uint64],
    values: NDArray[np.uint64],
    queue: NDArray[np.int32],
    found: NDArray[np.int32],
) -> int:
    """Write into `found` the next nodes of the queue that have no entry for this puzzle; returns how many."""
    count = 0
    place = state[HEAD]
    while place < state[TAIL] and count < found.size:
        if _entry_of(queue[place], changed, tops, links, reads, values) < 0:
            found[count] = queue[place]
            count += 1
        place += 1
    return count


@njit
def keep_entries(
    found: NDArray[np.int32],
    counts: NDArray[np.int64],
    children: NDArray[np.int32],
    footprints: NDArray[np.uint64],
    changed: NDArray[np.uint64],
    entries: int,
    used: int,
    tops: NDArray[np.int32],
    links: NDArray[np.int32],
    reads: NDArray[np.uint64],
    values: NDArray[np.uint64],
    spans: NDArray[np.int64],
    edges: NDArray[np.int32],
) -> int:
    """Add the expansions of the nodes `found` from entry `entries` on; returns how many edges are taken."""
    at = 0
    for i in range(found.size):
        entry = entries + i
        node = found[i]
        links[entry] = tops[node]
        tops[node] = entry
        spans[entry, FIRST] = used
        spans[entry, DEGREE] = counts[i]
        for word in range(changed.size):
            reads[entry, word] = footprints[i, word]
            values[entry, word] = footprints[i, word] & changed[word]
        for _ in range(counts[i]):
            edges[used] = children[at]
            used += 1
            at += 1
    return used
