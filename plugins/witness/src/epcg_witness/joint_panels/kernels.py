"""The compiled search for sets of sub-panels that share few solutions only when all are there.

A class of panels is a row of words, one bit for each path (see `classes`). The value of a
multiset of k classes is the fewest paths that any k - 1 of them share, if exactly one path, an allowed
one, solves all.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import add_pruning, bit_count, increment_multiset, njit, unrank_multiset

_ALL = ~np.uint64(0)
_ZERO = np.uint64(0)
_BOUND, _INFEASIBLE = 0, 1

SHORT = 8
"""Stretches of up to as many ranks are evaluated, because a pruning is a row of the record."""


class Record(NamedTuple):
    """Room for what a search finds: prunings, and candidates that reached the incumbent."""

    starts: NDArray[np.int64]
    counts: NDArray[np.int64]
    bounds: NDArray[np.float64]
    reasons: NDArray[np.uint8]
    ranks: NDArray[np.int64]
    values: NDArray[np.int64]


class Room(NamedTuple):
    """Room for one walk."""

    items: NDArray[np.int64]
    """(k,) the classes chosen so far."""
    tried: NDArray[np.int64]
    """(k,) the classes of a rank that is evaluated by itself."""
    shared: NDArray[np.uint64]
    """(k, words): the paths that solve the first d of them."""
    joint: NDArray[np.uint64]
    """(k, words): the allowed ones of these."""
    without: NDArray[np.uint64]
    """(k, words): the paths that solve all of the first k - 1 but one."""
    partner: NDArray[np.int64]
    """(k, classes): the classes that may come next after the first d."""
    common: NDArray[np.int64]
    """(k, classes): how many paths each of them shares with all before it."""
    weakest: NDArray[np.int64]
    """(k, classes + 1): the most that is shared by a class left out before each of them; -1 if none of
    those left out shares an allowed path."""
    length: NDArray[np.int64]
    """(k,) how many of them there are."""
    position: NDArray[np.int64]
    """(k,) which of them is next."""
    pending: NDArray[np.int64]
    """(k,) as `weakest`, of the ranks that are left behind and not accounted for yet."""
    end: NDArray[np.int64]
    """(k,) the rank after the last that begins with the first d classes."""


@njit
def joint_value(items: NDArray[np.int64], sets: NDArray[np.uint64], allowed: NDArray[np.uint64]) -> int:
    """Return the value of a multiset of classes, (k,) int64; -1 if it has none."""
    k, words = items.size, sets.shape[1]
    common, possible = 0, _ZERO
    for word in range(words):
        both, may = _ALL, _ALL
        for i in range(k):
            both &= sets[items[i], word]
            may &= allowed[items[i], word]
        common += int(bit_count(both))
        possible |= may
    if common != 1 or possible == _ZERO:
        return -1
    fewest = -1
    for left_out in range(k):
        shared = 0
        for word in range(words):
            both = _ALL
            for i in range(k):
                if i != left_out:
                    both &= sets[items[i], word]
            shared += int(bit_count(both))
        if fewest < 0 or shared < fewest:
            fewest = shared
    return fewest


@njit
def joint_values(
    states: NDArray[np.int64], sets: NDArray[np.uint64], allowed: NDArray[np.uint64], out: NDArray[np.int64]
) -> None:
    """Write the value of each row of `states`, (n, k) int64, into `out`, (n,); -1 if it has none."""
    for row in range(states.shape[0]):
        out[row] = joint_value(states[row], sets, allowed)


@njit
def search_joint(
    start: int,
    count: int,
    k: int,
    binomials: NDArray[np.int64],
    sets: NDArray[np.uint64],
    allowed: NDArray[np.uint64],
    value: int,
    ties_to: int,
    fixed: int,
    room: Room,
    record: Record,
) -> tuple[int, int, int]:
    """Branch and bound over ranks start .. start + count - 1 of the multisets of k classes.

    `binomials` is `binomial_table(classes + k - 1, k)`, `value` -1 if no incumbent is known. Returns
    (evaluated, prunings, candidates found); more than the record's length if it is too short.
    """
    # Depth first, in the order of ranks. After the first d < k - 1 classes only those can come next that
    # share enough with all of them; they are listed once, from the list before, with what they share. What
    # lies between two of them is pruned as one range. The last class comes from the list before the last
    # one too: with the others not listed, the set lacks enough paths when the class before it is left out,
    # which decides it, so these count as evaluated.
    n = sets.shape[0]
    evaluated = used = found = 0
    at, stop = start, start + count
    if count == 0:
        return evaluated, used, found
    for word in range(sets.shape[1]):
        room.shared[0, word] = _ALL
        room.joint[0, word] = _ALL
    room.end[0] = binomials[n + k - 1, k]
    depth = 0
    _list_partners(0, 0, value, sets, allowed, room)
    while at < stop and used <= record.starts.size and found <= record.ranks.size:
        left = k - depth
        if left == 1:
            last = min(stop, room.end[depth])
            value, ties_to, found = _try_last(
                at, last, k, sets, allowed, value, ties_to, fixed, found, room, record
            )
            evaluated += last - at
            at = last
            depth -= 1
            room.position[depth] += 1
            continue
        place = room.position[depth]
        pending = max(room.pending[depth], room.weakest[depth, place])
        if place == room.length[depth]:
            first = room.end[depth]
        else:
            item = room.partner[depth, place]
            after = room.end[depth] - binomials[n - item + left - 2, left]
            if after <= at:  # it lies before the start
                room.position[depth] += 1
                room.pending[depth] = -1
                continue
            first = max(at, room.end[depth] - binomials[n - item + left - 1, left])
            common = room.common[depth, place]
            if common < value or (common == value and first > ties_to):
                room.pending[depth] = max(pending, common)
                room.position[depth] += 1
                continue
        if first > at:
            gap = min(first, stop) - at
            if gap <= SHORT:
                value, ties_to, found = _evaluate(
                    at, gap, k, binomials, sets, allowed, value, ties_to, fixed, found, room, record
                )
                evaluated += gap
            else:
                reason = _INFEASIBLE if pending < 0 else _BOUND
                bound = np.nan if pending < 0 else float(pending)
                used = add_pruning(
                    used, at, gap, bound, reason, 1,
                    record.starts, record.counts, record.bounds, record.reasons,
                )  # fmt: skip
            at += gap
        room.pending[depth] = -1
        if place == room.length[depth]:
            depth -= 1
            if depth >= 0:
                room.position[depth] += 1
        elif at < stop:
            room.items[depth] = item
            depth += 1
            room.end[depth] = after
            for word in range(sets.shape[1]):
                room.shared[depth, word] = room.shared[depth - 1, word] & sets[item, word]
                room.joint[depth, word] = room.joint[depth - 1, word] & allowed[item, word]
            if depth < k - 1:
                _list_partners(depth, room.position[depth - 1], value, sets, allowed, room)
            else:
                _leave_one_out(k, sets, room)
    return evaluated, used, found


@njit
def _list_partners(
    depth: int, begin: int, value: int, sets: NDArray[np.uint64], allowed: NDArray[np.uint64], room: Room
) -> None:
    """List what may come after the first `depth` classes, from place `begin` of the list before on."""
    above = depth - 1
    total = room.length[above] if depth > 0 else sets.shape[0]
    length, weakest = 0, -1
    for place in range(begin, total):
        item = room.partner[above, place] if depth > 0 else place
        if depth > 0:
            weakest = max(weakest, room.weakest[above, place])
        common, possible = 0, _ZERO
        for word in range(sets.shape[1]):
            common += int(bit_count(room.shared[depth, word] & sets[item, word]))
            possible |= room.joint[depth, word] & allowed[item, word]
        if possible == _ZERO:
            continue
        if common < value:
            weakest = max(weakest, common)
            continue
        room.partner[depth, length] = item
        room.common[depth, length] = common
        room.weakest[depth, length] = weakest
        length += 1
        weakest = -1
    if depth > 0:
        weakest = max(weakest, room.weakest[above, total])
    room.weakest[depth, length] = weakest
    room.length[depth] = length
    room.position[depth] = 0
    room.pending[depth] = -1


@njit
def _leave_one_out(k: int, sets: NDArray[np.uint64], room: Room) -> None:
    """Write into row i of `without` the paths that solve all of the first k - 1 classes but class i."""
    for i in range(k - 2):
        for word in range(sets.shape[1]):
            both = _ALL
            for other in range(k - 1):
                if other != i:
                    both &= sets[room.items[other], word]
            room.without[i, word] = both


@njit
def _try_last(
    at: int,
    last: int,
    k: int,
    sets: NDArray[np.uint64],
    allowed: NDArray[np.uint64],
    value: int,
    ties_to: int,
    fixed: int,
    found: int,
    room: Room,
    record: Record,
) -> tuple[int, int, int]:
    """Evaluate ranks at .. last - 1, which differ in the last class only: (value, ties_to, found) then."""
    before = k - 2
    words = sets.shape[1]
    place = room.position[before]
    prefix = room.common[before, place]
    end = room.end[k - 1]
    for other in range(place, room.length[before]):
        item = room.partner[before, other]
        rank = end - (sets.shape[0] - item)
        if rank < at:
            continue
        if rank >= last:
            break
        fewest = min(prefix, room.common[before, other])
        if fewest < value:
            continue
        common, possible = 0, _ZERO
        for word in range(words):
            common += int(bit_count(room.shared[k - 1, word] & sets[item, word]))
            possible |= room.joint[k - 1, word] & allowed[item, word]
            if common > 1:
                break
        if common != 1 or possible == _ZERO:
            continue
        for i in range(k - 2):
            shared = 0
            for word in range(words):
                shared += int(bit_count(room.without[i, word] & sets[item, word]))
            fewest = min(fewest, shared)
        if fewest > value or (fewest == value and rank <= ties_to):
            value, ties_to, found = _found(rank, fewest, value, ties_to, fixed, found, record)
    return value, ties_to, found


@njit
def _evaluate(
    at: int,
    count: int,
    k: int,
    binomials: NDArray[np.int64],
    sets: NDArray[np.uint64],
    allowed: NDArray[np.uint64],
    value: int,
    ties_to: int,
    fixed: int,
    found: int,
    room: Room,
    record: Record,
) -> tuple[int, int, int]:
    """Evaluate `count` ranks from `at` on, one by one: (value, ties_to, found) then."""
    items = room.tried
    unrank_multiset(at, sets.shape[0], k, binomials, items)
    for rank in range(at, at + count):
        own = joint_value(items, sets, allowed)
        if own >= 0 and (own > value or (own == value and rank <= ties_to)):
            value, ties_to, found = _found(rank, own, value, ties_to, fixed, found, record)
        increment_multiset(items, sets.shape[0], k)
    return value, ties_to, found


@njit
def _found(
    rank: int, own: int, value: int, ties_to: int, fixed: int, found: int, record: Record
) -> tuple[int, int, int]:
    """Record a candidate that reached the incumbent: (value, ties_to, found) then."""
    if found < record.ranks.size:
        record.ranks[found] = rank
        record.values[found] = own
    if fixed:
        return value, ties_to, found + 1
    return own, rank, found + 1
