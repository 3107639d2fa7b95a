"""The kernels of a state graph that is kept between searches of variants of one puzzle.

Nodes are numbered. `nodes[node]` holds FIRST, where its successors begin in `edges`, or GOAL, or UNKNOWN;
and DEGREE, how many there are; `stamps[node]` is the last search that met it. What an expansion depended on
are the bits of its footprint: word w of node n is `footprints[n >> 8, w, n & 255]`, so that the one or two
words of a change are read as a stream. The features in which a variant differs are given as `words` and
`masks`: bits `masks[i]` of word `words[i]`, and only words that have any.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit

GOAL, UNKNOWN = -2, -1
FIRST, DEGREE = range(2)
"""The columns of `nodes`: side by side, because a search needs them together."""
BLOCK_BITS = 8
BLOCK = 1 << BLOCK_BITS
FOUND, EXHAUSTED, LIMITED, WANTING = range(4)
"""Why a traversal stopped; WANTING: at a node whose successors in this variant are not known."""
HEAD, TAIL, DEPTH, LAYER_END, RESOLVED = range(5)
"""The entries of a traversal's state. LAYER_END is where in the queue the next depth begins; of all nodes
before place RESOLVED the successors are known."""


@njit
def meets(
    footprints: NDArray[np.uint64], node: int | np.int64, words: NDArray[np.int64], masks: NDArray[np.uint64]
) -> bool:
    """Return whether a node's footprint holds one of the changed features."""
    found = np.uint64(0)
    for i in range(words.size):
        found |= footprints[node >> BLOCK_BITS, words[i], node & (BLOCK - 1)] & masks[i]
    return bool(found != np.uint64(0))


@njit
def enqueue_met(
    start: int,
    stop: int,
    words: NDArray[np.int64],
    masks: NDArray[np.uint64],
    nodes: NDArray[np.int32],
    footprints: NDArray[np.uint64],
    queue: NDArray[np.int32],
) -> None:
    """Put the nodes `start` .. `stop` - 1 at these places of the queue, as `traverse` does."""
    for node in range(start, stop):
        wanting = nodes[node, FIRST] == UNKNOWN or meets(footprints, node, words, masks)
        queue[node] = ~node if wanting else node


@njit
def traverse(
    state: NDArray[np.int64],
    limit: int,
    prefix: int,
    generation: int,
    words: NDArray[np.int64],
    masks: NDArray[np.uint64],
    nodes: NDArray[np.int32],
    edges: NDArray[np.int32],
    footprints: NDArray[np.uint64],
    own_nodes: NDArray[np.int32],
    own_ends: NDArray[np.int64],
    own_edges: NDArray[np.int32],
    queue: NDArray[np.int32],
    stamps: NDArray[np.int32],
    tails: NDArray[np.int32],
) -> int:
    """Go on with a breadth-first search as far as successors are known; returns why it stopped.

    The node at place p of the queue is expansion p + 1; it is stored as its complement if its successors were
    not in `edges`, or not this variant's. The successors of `own_nodes[i]`, which are the variant's own, in
    the order of the queue, end at `own_ends[i]` of `own_edges`.

    A goal is recognised when it joins the queue, at place TAIL - 1, and the limit when a node that is none
    takes place `limit`: all nodes before it would be expanded first. Nodes below `prefix`
    and those stamped with `generation` have been met. `tails[p]` receives how many had been met when the node
    at place p was taken from the queue; it is empty if not requested.
    """
    head, tail, depth, layer_end = state[HEAD], state[TAIL], state[DEPTH], state[LAYER_END]
    resolved = state[RESOLVED]
    taken = 0
    outcome = EXHAUSTED
    while head < tail:
        node = np.int64(queue[head])
        own = False
        if node < 0:
            if head >= resolved:
                outcome = WANTING
                break
            node = ~node
            own = taken < own_nodes.size and own_nodes[taken] == node
        if head == layer_end:
            depth += 1
            layer_end = tail
        if tails.size:
            tails[head] = tail
        if own:
            low, high = own_ends[taken - 1] if taken else 0, own_ends[taken]
            taken += 1
        else:
            low = np.int64(nodes[node, FIRST])
            high = low + nodes[node, DEGREE]
        head += 1
        for at in range(low, high):
            child = np.int64(own_edges[at] if own else edges[at])
            if child >= prefix and stamps[child] != generation:
                stamps[child] = generation
                first = nodes[child, FIRST]
                queue[tail] = child
                tail += 1
                if first == GOAL:
                    outcome = FOUND
                    break
                if first == UNKNOWN or meets(footprints, child, words, masks):
                    queue[tail - 1] = ~child
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
def wanting(state: NDArray[np.int64], queue: NDArray[np.int32], found: NDArray[np.int32]) -> int:
    """Write into `found` the next nodes of the queue whose successors are not known, and move RESOLVED.

    Returns how many: as many as `found` has room for, or fewer if the queue ends.
    """
    count = 0
    place = state[RESOLVED]
    while place < state[TAIL] and count < found.size:
        node = queue[place]
        place += 1
        if node < 0:
            found[count] = ~node
            count += 1
    state[RESOLVED] = place
    return count


@njit
def keep_successors(
    found: NDArray[np.int32],
    counts: NDArray[np.int64],
    children: NDArray[np.int32],
    traced: NDArray[np.uint64],
    words: NDArray[np.int64],
    masks: NDArray[np.uint64],
    used: int,
    nodes: NDArray[np.int32],
    edges: NDArray[np.int32],
    footprints: NDArray[np.uint64],
    own_nodes: NDArray[np.int32],
    own_ends: NDArray[np.int64],
    own_edges: NDArray[np.int32],
) -> tuple[int, int]:
    """Sort the expansions of the nodes `found` into the graph's and the variant's own.

    An expansion that looked at no changed feature is that of every variant which agrees on its footprint, so
    it is kept: in `edges`, of which `used` are taken, with its footprint. Others are the variant's own, as in
    `traverse`; and so are all if `traced` is empty. Returns how many edges are taken then, and how many
    expansions are the variant's own.
    """
    at = 0
    own = 0
    own_used = 0
    for i in range(found.size):
        node = np.int64(found[i])
        own_now = nodes[node, FIRST] != UNKNOWN or traced.shape[0] == 0
        if not own_now:
            for k in range(words.size):
                own_now |= (traced[i, words[k]] & masks[k]) != np.uint64(0)
        if own_now:
            for _ in range(counts[i]):
                own_edges[own_used] = children[at]
                own_used += 1
                at += 1
            own_nodes[own] = node
            own_ends[own] = own_used
            own += 1
        else:
            nodes[node, FIRST] = used
            nodes[node, DEGREE] = counts[i]
            for _ in range(counts[i]):
                edges[used] = children[at]
                used += 1
                at += 1
            for word in range(traced.shape[1]):
                footprints[node >> BLOCK_BITS, word, node & (BLOCK - 1)] = traced[i, word]
    return used, own


@njit
def first_dependents(count: int, footprints: NDArray[np.uint64], first: NDArray[np.int32]) -> None:
    """Write into `first`, of 64 entries a word, the first of nodes 0 .. count - 1 that depends on a feature.

    Entries of features on which none of them depends stay as they are.
    """
    seen = np.zeros(footprints.shape[1], np.uint64)
    one = np.uint64(1)
    for node in range(count):
        for word in range(footprints.shape[1]):
            fresh = footprints[node >> BLOCK_BITS, word, node & (BLOCK - 1)] & ~seen[word]
            if fresh != np.uint64(0):
                seen[word] |= fresh
                for bit in range(64):
                    if (fresh >> np.uint64(bit)) & one:
                        first[word * 64 + bit] = node
