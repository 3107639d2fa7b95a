"""Kernels that find all sets of clue sites that make a solution the only one.

A clue of a determined kind says at its place what the solution has there, so a puzzle is a solution and a set
P of places. It is fair if P meets, for every other solution, a place where the two differ. For one solution,
the sets that are not fair are therefore all subsets of its *agreements*, the sets of places where another
solution has the same values: they are marked among all 2^n sets, one bit each, and handed down to their
subsets, one place after the other, 64 sets at a time. Nothing is hashed, so nothing can collide.

Bit p of word w of such a row of bits is the set whose members are the bits of 64 w + p. A value of -1 says
that there can be no clue at a place: sets with that place are never fair.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_SIX = 6


def _bits(chosen: list[int]) -> int:
    return sum(1 << position for position in chosen)


_WITHOUT = np.array([_bits([p for p in range(64) if not p >> x & 1]) for x in range(_SIX)], np.uint64)
"""(6,): the positions of a word whose sets lack place x."""
_OF_SIZE = np.array([_bits([p for p in range(64) if p.bit_count() == k]) for k in range(_SIX + 1)], np.uint64)
"""(7,): the positions of a word whose sets have k of the first six places."""


@njit
def mark_agreements(values: NDArray[np.int16], own: int, agree: NDArray[np.int32]) -> None:
    """Write into `agree`, (solutions,), the places where each solution has the values of one.

    Args:
        values: (places, solutions) int16: the value of a clue; -1: there can be none.
        own: the number of the one.
        agree: (solutions,) int32: bit x for place x.
    """
    places, solutions = values.shape
    for other in range(solutions):
        agree[other] = 0
    for place in range(places):
        value = values[place, own]
        bit = np.int32(1 << place)
        row = values[place]
        for other in range(solutions):
            if row[other] == value:
                agree[other] |= bit


@njit
def hand_down(row: NDArray[np.uint64], places: int) -> None:
    """Add to a row of bits all subsets of its sets."""
    for place in range(min(places, _SIX)):
        shift = np.uint64(1 << place)
        lacking = _WITHOUT[place]
        for word in range(row.size):
            row[word] |= (row[word] >> shift) & lacking
    for place in range(_SIX, places):
        step = 1 << (place - _SIX)
        start = 0
        while start < row.size:
            for word in range(start, start + step):
                row[word] |= row[word + step]
            start += 2 * step


@njit
def fair_sets(
    values: NDArray[np.int16], own: int, minimal: bool, agree: NDArray[np.int32], row: NDArray[np.uint64]
) -> None:
    """Write into `row` the sets of places that make a solution the only one.

    Args:
        values: (places, solutions) int16, as in `mark_agreements`; at most 30 places.
        own: the number of the solution.
        minimal: only sets that no longer do so when a place is taken away.
        agree: (solutions,) int32, working space.
        row: (max(1, 2^places / 64),) uint64.
    """
    places, solutions = values.shape
    mark_agreements(values, own, agree)
    for word in range(row.size):
        row[word] = _ZERO
    for other in range(solutions):
        if other != own:
            row[agree[other] >> _SIX] |= _ONE << np.uint64(agree[other] & 63)
    hand_down(row, places)
    for word in range(row.size):
        row[word] = ~row[word]
    if places < _SIX:
        row[0] &= (_ONE << np.uint64(1 << places)) - _ONE
    for place in range(places):
        if values[place, own] < 0:
            _drop(row, place)
    if minimal:
        _keep_minimal(row, places)


@njit
def _drop(row: NDArray[np.uint64], place: int) -> None:
    """Take the sets that have a place out of a row."""
    if place < _SIX:
        for word in range(row.size):
            row[word] &= _WITHOUT[place]
    else:
        for word in range(row.size):
            if word >> (place - _SIX) & 1:
                row[word] = _ZERO


@njit
def _keep_minimal(row: NDArray[np.uint64], places: int) -> None:
    """Take the sets out of an upward closed row that have a place too many.

    Words are visited from the highest on, so that what lies below a set is still there when it is asked.
    """
    for word in range(row.size - 1, -1, -1):
        larger = _ZERO
        for place in range(min(places, _SIX)):
            larger |= (row[word] & _WITHOUT[place]) << np.uint64(1 << place)
        for place in range(_SIX, places):
            bit = 1 << (place - _SIX)
            if word & bit:
                larger |= row[word - bit]
        row[word] &= ~larger


@njit
def add_counts(row: NDArray[np.uint64], out: NDArray[np.int64]) -> None:
    """Add to `out`, (places + 1 or more,), the number of sets of each size in a row."""
    for word in range(row.size):
        if row[word] != _ZERO:
            high = bit_count(np.uint64(word))
            for size in range(_SIX + 1):
                found = bit_count(row[word] & _OF_SIZE[size])
                if found:
                    out[high + size] += found


@njit
def count_fair(
    values: NDArray[np.int16],
    first: int,
    minimal: bool,
    agree: NDArray[np.int32],
    row: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> None:
    """Write into `out` how many sets of each size make each of some solutions the only one.

    Args:
        values: (places, solutions) int16, as in `mark_agreements`.
        first: the number of the first of these solutions.
        minimal: only sets of which no place can go.
        agree: (solutions,) int32, working space.
        row: (max(1, 2^places / 64),) uint64, working space.
        out: (solutions asked for, places + 1) int64.
    """
    for number in range(out.shape[0]):
        for size in range(out.shape[1]):
            out[number, size] = 0
        fair_sets(values, first + number, minimal, agree, row)
        add_counts(row, out[number])


@njit
def list_sets(row: NDArray[np.uint64], size: int, skip: int, out: NDArray[np.int64]) -> int:
    """Write sets of a size in a row into `out`, ascending, after `skip` of them; return how many fit."""
    written = 0
    for word in range(row.size):
        low = size - bit_count(np.uint64(word))
        if low < 0 or low > _SIX or row[word] == _ZERO:
            continue
        left = row[word] & _OF_SIZE[low]
        count = int(bit_count(left))
        if skip >= count:
            skip -= count
            continue
        while left != _ZERO:
            bit = left & (_ZERO - left)
            left ^= bit
            if skip > 0:
                skip -= 1
                continue
            if written == out.size:
                return written
            out[written] = word * 64 + bit_index(bit)
            written += 1
    return written


@njit
def position_in(row: NDArray[np.uint64], size: int, wanted: int) -> int:
    """Return how many sets of a size in a row are below a set, which may be in it or not."""
    found = 0
    for word in range(wanted >> _SIX):
        low = size - bit_count(np.uint64(word))
        if 0 <= low <= _SIX:
            found += int(bit_count(row[word] & _OF_SIZE[low]))
    low = size - bit_count(np.uint64(wanted >> _SIX))
    below = (_ONE << np.uint64(wanted & 63)) - _ONE
    return found + int(bit_count(row[wanted >> _SIX] & _OF_SIZE[low] & below))
