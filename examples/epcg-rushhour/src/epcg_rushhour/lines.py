"""Signatures of lines, which moves never change: the lengths of their pieces; and tables of lines by them.

Pieces of a line cannot pass each other, so the lengths of a line's pieces, its signature, are the same in
all boards of a cluster. A line of six cells has six signatures: none, 2, 3, 2 2, 2 3 and 3 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache
from itertools import combinations
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_rushhour.graph import Arrangement, arrangements
from epcg_rushhour.rules import red_row

Signature = tuple[int, ...]


class Lines(NamedTuple):
    """Tables about the lines of a size, by signature. Sets of a line's places and of cells are words.

    G is the number of signatures, P the most arrangements of one, M the most moves, S the number of sets of a
    line's places.
    """

    pieces: NDArray[np.int64]
    """How many pieces a signature has. (G,)"""
    after: NDArray[np.int64]
    """The signature after one more piece of 2 or 3 cells; -1 for none. (G, 4)"""
    kinds: NDArray[np.int64]
    """How many arrangements a signature has. (G,)"""
    places: NDArray[np.int64]
    """The places that an arrangement takes. (G, P)"""
    before: NDArray[np.int64]
    """The places before its pieces that the line itself does not take. (G, P)"""
    of_all: NDArray[np.int64]
    """The number of an arrangement among those of all signatures. (G, P)"""
    signature: NDArray[np.int64]
    """The signature of each arrangement among all. (arrangements,)"""
    own: NDArray[np.int64]
    """Its number among those of the signature. (arrangements,)"""
    moves: NDArray[np.int64]
    """Moves, each once: an arrangement, a later one, and the places taken or crossed. (G, M, 3)"""
    move_count: NDArray[np.int64]
    """How many moves a signature has. (G,)"""
    fitting: NDArray[np.int64]
    """How many arrangements leave some places free. (G, S)"""
    fits: NDArray[np.int64]
    """Which they are. (G, S, P)"""
    digit: NDArray[np.int64]
    """The number of an arrangement among them; -1 for others. (G, S, P)"""
    down: NDArray[np.int64]
    """The cells of places of a column. (size, S)"""
    size: int
    red: int
    """The row of the red car."""
    car: int
    """The signature of that row."""
    exit: int
    """Its arrangement that wins."""


@cache
def lines(size: int) -> Lines:
    """Return the tables of a size."""
    every = arrangements(size)
    signatures = sorted({_signature(lying) for lying in every}, key=lambda each: (len(each), each))
    groups = [[lying for lying in every if _signature(lying) == each] for each in signatures]
    many, most, sets = len(groups), max(map(len, groups)), 1 << size
    after = np.full((many, 4), -1, np.int64)
    places, before, of_all = (np.zeros((many, most), np.int64) for _ in range(3))
    signature, own = np.zeros((2, len(every)), np.int64)
    fitting = np.zeros((many, sets), np.int64)
    fits, digit = np.zeros((many, sets, most), np.int64), np.full((many, sets, most), -1, np.int64)
    moves = []
    for index, group in enumerate(groups):
        for length in (2, 3):
            if (*signatures[index], length) in signatures:
                after[index, length] = signatures.index((*signatures[index], length))
        for at, lying in enumerate(group):
            taken = {place for begin, length in lying for place in range(begin, begin + length)}
            places[index, at] = _set(taken)
            before[index, at] = _set({begin - 1 for begin, _ in lying if begin} - taken)
            of_all[index, at] = every.index(lying)
        signature[of_all[index, : len(group)]], own[of_all[index, : len(group)]] = (
            index,
            np.arange(len(group)),
        )
        for free in range(sets):
            left = [at for at in range(len(group)) if not places[index, at] & free]
            fitting[index, free] = len(left)
            fits[index, free, : len(left)] = left
            digit[index, free, left] = np.arange(len(left))
        moves.append(
            [
                (one, two, span)
                for one, two in combinations(range(len(group)), 2)
                if (span := _span(group[one], group[two])) is not None
            ]
        )
    padded = np.zeros((many, max(map(len, moves)), 3), np.int64)
    for index, listed in enumerate(moves):
        padded[index, : len(listed)] = np.array(listed, np.int64).reshape(-1, 3)
    down = [
        [
            sum(1 << (place * size + column) for place in range(size) if free >> place & 1)
            for free in range(sets)
        ]
        for column in range(size)
    ]
    car = signatures.index((2,))
    return Lines(
        read_only(np.array([len(each) for each in signatures], np.int64)),
        read_only(after),
        read_only(np.array([len(group) for group in groups], np.int64)),
        read_only(places),
        read_only(before),
        read_only(of_all),
        read_only(signature),
        read_only(own),
        read_only(padded),
        read_only(np.array([len(listed) for listed in moves], np.int64)),
        read_only(fitting),
        read_only(fits),
        read_only(digit),
        read_only(np.array(down, np.int64)),
        size,
        red_row(size),
        car,
        groups[car].index(((size - 2, 2),)),
    )


def _set(places: Iterable[int]) -> int:
    return sum(1 << place for place in places)


def _signature(lying: Arrangement) -> Signature:
    return tuple(length for _, length in lying)


def _span(lying: Arrangement, other: Arrangement) -> int | None:
    """Return the places that one move between arrangements takes or crosses; None if it is no move."""
    moved = [(one, two) for one, two in zip(lying, other, strict=True) if one != two]
    if len(moved) != 1:
        return None
    (begin, _), (end, length) = sorted(moved[0])
    return _set(range(begin, end + length))
