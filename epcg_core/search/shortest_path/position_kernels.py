"""The kernels of a table of packed positions: numbers in the order of their first appearance.

A slot of the hash table is one 64-bit word: the upper half of the position's hash, then its number plus one;
0 is free. The home of a position is its upper half scaled to the number of slots, which may be any number,
so the table grows by steps smaller than doubling. Collisions go to the next slot. Rows are handled in groups:
all slots of a group are read before any is searched, so that memory accesses overlap.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit

GROUP = 32
_LOW = np.uint64(0xFFFFFFFF)
_HALF = np.uint64(32)
_SHIFT = np.uint64(29)
_FREE = np.uint64(0)
_SEED = np.uint64(0x9E3779B97F4A7C15)
_FACTOR = np.uint64(0xBF58476D1CE4E5B9)
_LAST = np.uint64(0x94D049BB133111EB)


@njit
def _tag(rows: NDArray[np.uint64], row: int) -> np.uint64:
    """Return the upper half of a row's hash, in which every input bit flips about half of the bits."""
    mixed = _SEED
    for word in range(rows.shape[1]):
        mixed = (mixed ^ rows[row, word]) * _FACTOR
        mixed ^= mixed >> _SHIFT
    mixed *= _LAST
    return (mixed ^ (mixed >> _HALF)) & _LOW


@njit
def add_rows(
    rows: NDArray[np.uint64],
    known: int,
    positions: NDArray[np.uint64],
    slots: NDArray[np.uint64],
    numbers: NDArray[np.int32],
) -> int:
    """Give numbers to the (m, words) `rows`, appending those that are not among the first `known` positions.

    Returns the new number of positions. `positions` has room for m more, and at most three quarters of
    `slots` are taken. `numbers`, (m,), receives the number of each row.
    """
    size = np.uint64(slots.size)
    words = rows.shape[1]
    tags = np.empty(GROUP, np.uint64)
    homes = np.empty(GROUP, np.int64)
    found = np.empty(GROUP, np.uint64)
    for low in range(0, rows.shape[0], GROUP):
        count = min(GROUP, rows.shape[0] - low)
        for i in range(count):
            tag = _tag(rows, low + i)
            tags[i] = tag
            homes[i] = np.int64((tag * size) >> _HALF)
        for i in range(count):
            found[i] = slots[homes[i]]
        for i in range(count):
            tag = tags[i]
            home = homes[i]
            # Only a slot that was free may have been taken by this group meanwhile.
            slot = found[i]
            if slot == _FREE:
                slot = slots[home]
            number: int | np.int64 = -1
            while slot != _FREE:
                if slot >> _HALF == tag:
                    candidate = np.int64(slot & _LOW) - 1
                    equal = True
                    for word in range(words):
                        if positions[candidate, word] != rows[low + i, word]:
                            equal = False
                            break
                    if equal:
                        number = candidate
                        break
                home += 1
                if home == slots.size:
                    home = 0
                slot = slots[home]
            if number < 0:
                number = known
                for word in range(words):
                    positions[number, word] = rows[low + i, word]
                known += 1
                slots[home] = (tag << _HALF) | np.uint64(known)
            numbers[low + i] = number
    return known


@njit
def rebuild(known: int, positions: NDArray[np.uint64], slots: NDArray[np.uint64]) -> None:
    """Enter the first `known` positions, all different, into `slots`, discarding their old content."""
    slots[:] = _FREE
    size = np.uint64(slots.size)
    tags = np.empty(GROUP, np.uint64)
    homes = np.empty(GROUP, np.int64)
    found = np.empty(GROUP, np.uint64)
    for low in range(0, known, GROUP):
        count = min(GROUP, known - low)
        for i in range(count):
            tags[i] = _tag(positions, low + i)
            homes[i] = np.int64((tags[i] * size) >> _HALF)
        for i in range(count):
            found[i] = slots[homes[i]]
        for i in range(count):
            home = homes[i]
            # What the group wrote meanwhile is only where a slot was free.
            while found[i] != _FREE or slots[home] != _FREE:
                found[i] = _FREE
                home += 1
                if home == slots.size:
                    home = 0
            slots[home] = (tags[i] << _HALF) | np.uint64(low + i + 1)


@njit
def record_parents(
    first: int,
    known: int,
    counts: NDArray[np.int64],
    numbers: NDArray[np.int32],
    actions: NDArray[np.uint8],
    parents: NDArray[np.int32],
    incoming: NDArray[np.uint8],
) -> None:
    """Note the predecessor and action by which the positions from number `known` on were first reached.

    `counts` holds the number of successors of the positions `first`, `first` + 1, ..; `numbers` and `actions`
    those of all their successors.
    """
    at = 0
    for i in range(counts.size):
        for _ in range(counts[i]):
            if numbers[at] == known:
                parents[known] = first + i
                incoming[known] = actions[at]
                known += 1
            at += 1
