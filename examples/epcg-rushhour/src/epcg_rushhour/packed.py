"""The order of the packed boards, in which the boards of a cluster lie together, and the graph in parts.

Moves change no signature of a line (see `epcg_rushhour.lines`). So ranks go by the signatures of the rows,
then by those of the columns, then by the numbers that boards of equal signatures have. How many boards each
choice of rows has is known from a walk over the rows; one choice is listed by its columns when it is asked
for.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cache, lru_cache

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import RankError, read_only
from epcg_rushhour import kernels, line_kernels
from epcg_rushhour.cells import MORE, steps, walk
from epcg_rushhour.graph import tables, words_of
from epcg_rushhour.line_kernels import Boxes, Part
from epcg_rushhour.lines import Lines, lines

ENOUGH = 2**15
"""Boards of a part, with which it ends: they fit into a processor's own memory."""


@attrs.frozen(eq=False)
class ClosedPart:
    """All boards with some signatures; see `ClosedPart` of the core."""

    count: int
    edges: NDArray[np.int32]
    goals: NDArray[np.int32]
    ranked: NDArray[np.int32]
    ranks: NDArray[np.int64]


@attrs.frozen(eq=False)
class Rows:
    """The packed boards with some rows, by their columns."""

    signatures: NDArray[np.int64]
    """Those of the rows, (size,)."""
    codes: NDArray[np.int64]
    """The columns that occur, as numbers, increasing, (n,)."""
    begins: NDArray[np.int64]
    """The ranks of their first boards, and the one after the last, (n + 1,)."""

    def index(self, rank: int) -> int:
        """Return which columns the board of a rank has."""
        return int(np.searchsorted(self.begins, rank, "right")) - 1


class _Room:
    """Memory that the kernels write to, for boards of a size."""

    def __init__(self, size: int) -> None:
        self._lines, self._boxes, self._part = lines(size), boxes_for(size), part_for(4 * ENOUGH)

    def boards(self, rows: Rows, codes: NDArray[np.int64]) -> tuple[ClosedPart, int]:
        """Return the boards with some rows and the first of some columns; and how many columns these are.

        Their packed boards have the ranks from 0 on.
        """
        counts = np.empty(4, np.int64)
        while True:
            done = line_kernels.add_boards(
                rows.signatures, read_only(codes), self._lines, self._boxes, self._part, ENOUGH, counts
            )
            if done:
                boards, edges, goals, packed = counts.tolist()
                own = self._part
                ranks = np.arange(packed, dtype=np.int64)
                return ClosedPart(
                    boards, own.edges[:edges], own.goals[:goals], own.packed[:packed], ranks
                ), done
            self._part = part_for(2 * len(self._part.goals))

    def words(self, rows: Rows, code: int, numbers: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the words of boards with some rows and columns, from their numbers, which increase, (n,)."""
        words = np.empty(len(numbers), np.int64)
        line_kernels.words_at(rows.signatures, code, self._lines, self._boxes, read_only(numbers), words)
        return words

    def numbers(self, rows: Rows, code: int, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the numbers of boards with some rows and columns, from their words, (n,)."""
        numbers = np.empty(len(words), np.int64)
        line_kernels.numbers_of(rows.signatures, code, self._lines, self._boxes, read_only(words), numbers)
        return numbers


def boxes_for(size: int) -> Boxes:
    """Return room for the boxes of any signatures of a size."""
    ways = int(lines(size).kinds.max()) ** size
    return Boxes(
        np.empty(ways, np.int64),
        np.empty(ways, np.int64),
        np.empty(ways + 1, np.int64),
        np.full(8**size, -1, np.int32),
    )


def part_for(boards: int) -> Part:
    """Return room for a part of so many boards."""
    return Part(np.empty((8 * boards, 2), np.int32), np.empty(boards, np.int32), np.empty(boards, np.int32))


class PackedBoards:
    """The packed boards of a size. Arrays of boards hold the digits of `epcg_rushhour.cells`, or words."""

    def __init__(self, size: int) -> None:
        self._walk = walk(size, packed=True)
        self.size = size
        self.max_rank = self._walk.max_rank
        self._rows = lru_cache(64)(self._listed)
        self._packed = lru_cache(64)(self._numbered)

    def unrank(self, rank: int) -> list[int]:
        found: list[int] = self.states_block(rank, 1)[0].tolist()
        return found

    def rank(self, digits: Sequence[int]) -> int:
        """Return the rank of a board. Raises RankError if it is none of these."""
        self._walk.rank(digits)
        return int(self.ranks_of(words_of(np.array([digits], np.int64), self.size))[0])

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return self.states_at(np.arange(start, start + count, dtype=np.int64))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        digits = np.empty((len(ranks), self.size**2), np.int64)
        kernels.digits_of_words(read_only(self.words_at(ranks)), self.size, tables(self.size).kinds, digits)
        return digits

    def words_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the words of boards, (n,). Raises RankError for a rank that is none."""
        order = np.argsort(ranks, kind="stable")
        wanted, found, room = ranks[order], np.empty(len(ranks), np.int64), _Room(self.size)
        if len(wanted) and not 0 <= wanted[0] <= wanted[-1] < self.max_rank:
            raise RankError(f"Ranks from {wanted[0]} to {wanted[-1]} are not all below {self.max_rank}.")
        at = 0
        while at < len(wanted):
            number = self._number(wanted[at])
            rows = self._rows(number)
            index = rows.index(wanted[at])
            stop = int(np.searchsorted(wanted, rows.begins[index + 1]))
            code = int(rows.codes[index])
            numbers = self._packed(number, code)[wanted[at:stop] - rows.begins[index]]
            found[order[at:stop]] = room.words(rows, code, numbers)
            at = stop
        return found

    def ranks_of(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the ranks of packed boards, (n,)."""
        kinds, found, room = (
            np.empty((2, len(words)), np.int64),
            np.empty(len(words), np.int64),
            _Room(self.size),
        )
        line_kernels.signatures_of(read_only(words), lines(self.size), kinds[0], kinds[1])
        both = kinds[0] * len(lines(self.size).pieces) ** self.size + kinds[1]
        order = np.argsort(both, kind="stable")
        for mine in np.split(order, np.flatnonzero(np.diff(both[order])) + 1) if len(words) else []:
            number, code = kinds[:, mine[0]].tolist()
            rows = self._rows(number)
            begin = rows.begins[np.searchsorted(rows.codes, code)]
            found[mine] = begin + np.searchsorted(
                self._packed(number, code), room.numbers(rows, code, words[mine])
            )
        return found

    def parts(self, start: int, count: int) -> Iterator[ClosedPart]:
        """Yield all boards with the signatures of some packed ones, and the moves between them."""
        if not count:  # compiles the kernels
            next(self.parts(0, 1))
            return
        room = _Room(self.size)
        for rows, index, beyond in self.lying(start, count):
            while index < beyond:
                part, done = room.boards(rows, rows.codes[index:beyond])
                yield attrs.evolve(part, ranks=part.ranks + rows.begins[index])
                index += done

    def lying(self, start: int, count: int) -> Iterator[tuple[Rows, int, int]]:
        """Yield the rows that packed boards have, and between which of their codes of columns they lie."""
        low, stop = start, start + count
        while low < stop:
            rows = self._rows(self._number(low))
            yield rows, rows.index(low), min(rows.index(stop - 1) + 1, len(rows.codes))
            low = int(rows.begins[-1])

    def _number(self, rank: int) -> int:
        """Return the number of the rows that the board of a rank has."""
        return int(np.searchsorted(_ways(self.size).offsets, rank, "right")) - 1

    def _numbered(self, number: int, code: int) -> NDArray[np.int64]:
        """Return the numbers of the packed boards of some rows and columns, increasing."""
        part, _ = _Room(self.size).boards(self._rows(number), np.array([code], np.int64))
        return part.ranked.astype(np.int64)

    def _listed(self, number: int) -> Rows:
        own = lines(self.size)
        signatures, rest = np.full(self.size, own.car, np.int64), number
        for row in reversed(range(self.size)):
            if row != own.red:
                rest, signatures[row] = divmod(rest, len(own.pieces))
        counts = np.zeros(len(own.pieces) ** self.size, np.int64)
        ways = _ways(self.size)
        line_kernels.count_packed(read_only(signatures), own, ways.firsts, ways.targets, ways.begun, counts)
        codes = np.flatnonzero(counts)
        begins = _ways(self.size).offsets[number] + np.concatenate([[0], np.cumsum(counts[codes])])
        return Rows(read_only(signatures), codes, begins)


@attrs.frozen(eq=False)
class _Ways:
    """The ways to fill packed boards row by row, by what `follow` knows of the columns before: the state."""

    firsts: NDArray[np.int64]
    """The first way on from a state with a signature; see `line_kernels.count_packed`."""
    targets: NDArray[np.int64]
    """The state after each way."""
    begun: NDArray[np.int64]
    """The pieces that begin to lie down, two bits a column."""
    offsets: NDArray[np.int64]
    """How many packed boards there are with earlier rows, for each number of rows, and all."""


@cache
def _ways(size: int) -> _Ways:
    own = lines(size)
    groups = len(own.pieces)
    states, counts = np.zeros(1, np.int64), np.ones((1, 1))
    known, firsts, targets, begun = 0, [np.zeros(1, np.int64)], [], []
    for row in range(size):
        keys, after, begins = _ways_on(states, row, own)
        known += len(states)
        number = np.bincount(keys, minlength=len(states) * groups)
        firsts.append(firsts[-1][-1] + np.cumsum(number))
        states, target = np.unique(after, return_inverse=True)
        targets.append(known + target)
        begun.append(begins)
        source, kind = np.divmod(keys, groups)
        chosen = [kind == each for each in ([own.car] if row == own.red else range(groups))]
        counts = np.array(
            [
                np.bincount(target[mine], before[source[mine]], len(states))  # exact: far below 2 ** 53
                for before in counts
                for mine in chosen
            ]
        )
    return _Ways(
        read_only(np.concatenate(firsts)),
        read_only(np.concatenate(targets)),
        read_only(np.concatenate(begun)),
        np.concatenate([[0], np.cumsum(counts[:, 0].astype(np.int64))]),
    )


def _ways_on(
    states: NDArray[np.int64], row: int, own: Lines
) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
    """Return the ways to fill a row: state and signature as a number, the state after, what begins."""
    source, kind, begun = (
        np.arange(len(states)),
        np.zeros(len(states), np.int64),
        np.zeros(len(states), np.int64),
    )
    for column in range(own.size):
        after = np.empty((len(states), MORE + 1), np.int64)
        steps(read_only(states), row * own.size + column, own.size, own.red, True, False, after)
        kinds = np.repeat(kind[:, None], MORE + 1, axis=1)
        kinds[:, 1:3] = own.after[kind, 2:4]
        there = (after >= 0) & (kinds >= 0)
        way, digit = np.nonzero(there)
        source, states, kind = source[way], after[there], kinds[there]
        begun = begun[way] + (np.array([0, 0, 0, 1, 2, 0])[digit] << (2 * column))
    keys = source * len(own.pieces) + kind
    order = np.argsort(keys, kind="stable")
    return keys[order], states[order], begun[order]
