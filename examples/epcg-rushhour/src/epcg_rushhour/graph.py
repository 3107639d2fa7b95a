"""The graph of moves over words, and the tables that it reads.

A line of six cells has 22 arrangements of pieces of two and three cells that do not fill it, so five bits say
how the pieces of a line lie, and a board is one word. A table has the moves of each arrangement: the
arrangement after it, and the cells that have to be free. Pieces of other lines are masks of cells.
"""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import RankError, read_only
from epcg_rushhour import kernels
from epcg_rushhour.cells import MORE, board_of, digits_of, walk
from epcg_rushhour.rules import Board, fills_a_line, red_row

if TYPE_CHECKING:
    from epcg_rushhour.packed import PackedBoards

Arrangement = tuple[tuple[int, int], ...]
"""The pieces of a line in order: the first cell and the length of each."""


def arrangements(size: int) -> list[Arrangement]:
    """Return how pieces can lie in a line, without filling it."""

    def after(begin: int) -> list[Arrangement]:
        found: list[Arrangement] = [()]
        for at in range(begin, size - 1):
            for length in (2, 3):
                if at + length <= size:
                    found += [((at, length), *rest) for rest in after(at + length)]
        return found

    return [lying for lying in after(0) if sum(length for _, length in lying) < size]


class Tables:
    """The tables about lines of a size that the kernels read."""

    def __init__(self, size: int) -> None:
        self.size = size
        self.all = arrangements(size)
        number = {lying: index for index, lying in enumerate(self.all)}
        self.kinds = np.zeros((len(self.all), size), np.int64)
        self.arrangement = np.full(3**size, -1, np.int64)
        first, target, ways = [0], [], []
        before = []
        for index, lying in enumerate(self.all):
            code = 0
            for at, length in lying:
                self.kinds[index, at : at + length] = MORE
                self.kinds[index, at] = length - 1
                code += (length - 1) * 3 ** (size - 1 - at)
            self.arrangement[code] = index
            held = set(np.flatnonzero(self.kinds[index]).tolist())
            before.append([at - 1 for at, _ in lying if at and at - 1 not in held])
            for nth, (at, length) in enumerate(lying):
                for places in (range(at - 1, -1, -1), range(at + length, size)):
                    crossed: list[int] = []
                    for place in places:
                        if place in held:
                            break
                        crossed.append(place)
                        begin = place if place < at else place - length + 1
                        target.append(number[(*lying[:nth], (begin, length), *lying[nth + 1 :])])
                        ways.append(list(crossed))
            first.append(len(target))
        self.first, self.target = np.array(first), np.array(target)
        self.most = 2 * size * int(np.diff(self.first).max())
        """No board has more moves."""
        self.cells = self._masks([np.flatnonzero(row).tolist() for row in self.kinds])
        self.before, self.way = self._masks(before), self._masks(ways)
        self.fewer = np.full((len(self.all), 2), -1, np.int64)
        """The arrangement without its first and without its second piece; -1 for none."""
        for index, lying in enumerate(self.all):
            for nth in range(len(lying)):
                self.fewer[index, nth] = number[(*lying[:nth], *lying[nth + 1 :])]
        self.solved = number[((size - 2, 2),)]

    def _masks(self, places: list[list[int]]) -> NDArray[np.int64]:
        """Return sets of places as masks of cells, for each line."""
        size = self.size
        masks = [[sum(1 << (line * size + at) for at in each) for each in places] for line in range(size)] + [
            [sum(1 << (at * size + line) for at in each) for each in places] for line in range(size)
        ]
        return np.array(masks, np.int64)


@cache
def tables(size: int) -> Tables:
    return Tables(size)


def words_of(digits: NDArray[np.int64], size: int) -> NDArray[np.int64]:
    """Return the words of boards, (n,), from their digits, (n, cells)."""
    words = np.empty(len(digits), np.int64)
    kernels.words_of(read_only(digits), size, tables(size).arrangement, words)
    return words


class BoardGraph:
    """A `position_graph`: positions are all boards. States of the space are those, or the packed ones."""

    reversible = True
    words = 1

    def __init__(self, size: int, packed: PackedBoards | None = None) -> None:
        self.size = size
        self._packed_only = packed
        self._walk = walk(size)
        self._tables = tables(size)

    def positions(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        if self._packed_only is not None:
            return self._packed_only.words_at(ranks).view(np.uint64).reshape(-1, 1)
        return self._packed(self._walk.states_at(ranks))

    def ranks(self, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the ranks of boards; -1 for those that are not packed, if only those have one."""
        words = _plain(positions)
        if self._packed_only is None:
            return self._walk.ranks_of(self._digits(words))
        packed = np.empty(len(words), np.bool_)
        kernels.are_packed(words, self._tables.cells, self._tables.before, packed)
        found = np.full(len(words), -1, np.int64)
        mine = np.flatnonzero(packed)
        found[mine] = self._packed_only.ranks_of(words[mine])
        return found

    def goals(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        red: NDArray[np.int64] = (_plain(positions) >> (5 * red_row(self.size))) & 31
        solved: NDArray[np.bool_] = red == self._tables.solved
        return solved

    def successors(self, positions: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        words, own = _plain(positions), self._tables
        found = np.empty(len(words) * own.most, np.int64)
        counts = np.empty(len(words), np.int64)
        number = kernels.successors(words, own.cells, own.first, own.target, own.way, found, counts)
        return found[:number].view(np.uint64).reshape(-1, 1), counts

    def word_of(self, board: Board) -> NDArray[np.uint64]:
        """Return the position of one board, (1, 1). Raises RankError if its own pieces fill a line."""
        if len(board) != self.size**2 or fills_a_line(board):
            raise RankError(f"The board {board!r} is none of this space: pieces fill their line.")
        return self._packed(np.array([digits_of(board)], np.int64))

    def board_at(self, position: NDArray[np.uint64]) -> Board:
        """Return the board of one position, (1,)."""
        return board_of(self._digits(_plain(position))[0].tolist(), self.size)

    def _packed(self, digits: NDArray[np.int64]) -> NDArray[np.uint64]:
        return words_of(digits, self.size).view(np.uint64).reshape(-1, 1)

    def _digits(self, words: NDArray[np.int64]) -> NDArray[np.int64]:
        digits = np.empty((len(words), self.size**2), np.int64)
        kernels.digits_of_words(read_only(words), self.size, self._tables.kinds, digits)
        return digits


def _plain(positions: NDArray[np.uint64]) -> NDArray[np.int64]:
    """Return positions as the kernels take them: fewer than 63 bits are used."""
    return read_only(np.ascontiguousarray(positions).view(np.int64).reshape(-1))
