"""Positions of a level as short rows of words, played by the game's own kernel if there is one."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import PackedModel, Successors, read_only
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.changes import bits_of
from epcg_puzzlescript.rules.game_kernels import Expand, kernel_of
from epcg_puzzlescript.rules.kernel_source import LEFT
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.planes import PlaneEngine
from epcg_puzzlescript.rules.row_kernels import merge_successors
from epcg_puzzlescript.rules.rows import level_data, rows_of
from epcg_puzzlescript.rules.search_kernels import expand
from epcg_puzzlescript.rules.tables import Tables
from epcg_puzzlescript.rules.turn import INPUTS, Cells

Words = NDArray[np.uint64]


class PackedLevel:
    """The positions of a level as rows of 64-bit words (`epcg_core.domain.PackedModel`).

    A row has the plane of each object that can change (see `rows`) and a bit that tells if it is won.

    Args:
        level: the level.
        first: the board when play begins, after the rules of the start.
        restart: the board after a restart, before the ticks that follow.
        restart_again: whether ticks follow a restart.
        tables: those of the game for boards of this size.
        anywhere: the mask of objects that may lie in other cells than play takes them to.
    """

    def __init__(
        self,
        level: Level,
        first: Cells,
        restart: Cells,
        restart_again: bool,
        tables: Tables,
        anywhere: int = 0,
    ) -> None:
        self.level = level
        self._engine = PlaneEngine(level.game, level.width, level.height, tables=tables)
        self._tables = tables
        self._changing = np.array(tables.changing)
        self._rows = rows_of(tables, (first, level.cells, restart), anywhere)
        self.words = self._rows.size
        self.features = 0
        self._inputs = bits_of(int(tables.table[at.INPUTS]))
        self._restart_again = restart_again
        self._restart = tables.planes_of(restart)[self._changing].reshape(-1)
        self._here = np.zeros(self._rows.wide, np.uint64)
        self._still = tables.planes_of(level.cells)
        self._engine.load(level.cells)
        self._won = self._rows.won >> 6, np.uint64(1 << (self._rows.won & 63))
        self.kernel = kernel_of(tables)
        self._level_data: Words | None = None

    def pack(self, state: Position) -> Words:
        """Return the row of a position: (words,) uint64. Raises GameError for one of another level."""
        planes: Words = self._tables.planes_of(state.cells)[self._changing].reshape(1, -1)
        if state.won:
            word, bit = divmod(self._rows.wide_won, 64)
            planes[0, word] |= np.uint64(1 << bit)
        row: Words = self._rows.shorten(planes)[0]
        return row

    def short(self, planes: Words) -> Words:
        """Return the rows of (n, objects that change * words) planes. Raises GameError."""
        return self._rows.shorten(planes)

    def long(self, rows: Words) -> Words:
        """Return the planes of rows, as `short` takes them."""
        return self._rows.lengthen(rows)

    def unpack(self, row: Words) -> Position:
        """Return the position of a row."""
        planes = self._still.copy()
        wide = self._rows.lengthen(row.reshape(1, -1))[0]
        planes[self._changing] = wide.reshape(len(self._changing), -1)
        return Position(self.level, self._tables.cells_of(planes), bool(row[self._won[0]] & self._won[1]))

    def unpack_all(self, rows: Words) -> list[Position]:
        """Return the positions of (n, words) rows."""
        planes = np.repeat(self._still[None], len(rows), axis=0)
        planes[:, self._changing] = self._rows.lengthen(rows).reshape(len(rows), len(self._changing), -1)
        boards = self._tables.boards_of(planes)
        won = self.solved(rows).tolist()
        return [Position(self.level, *each) for each in zip(boards, won, strict=True)]

    def action(self, number: int) -> str:
        """Return the input of a number."""
        return INPUTS[number]

    def solved(self, positions: Words) -> NDArray[np.bool_]:
        """Return which positions are won: (n,) bool."""
        found: NDArray[np.bool_] = positions[:, self._won[0]] & self._won[1] != 0
        return found

    def successors(self, positions: Words, traced: bool = False) -> Successors:
        """Return the successors of (n, words) positions that differ from them. Raises EndlessError."""
        own = self.kernel.ready(len(positions))
        return self.by_interpreter(positions) if own is None else self.by_kernel(own, positions)

    def _room(self, positions: Words) -> tuple[Words, NDArray[np.int64], NDArray[np.uint8]]:
        most = len(positions) * len(self._inputs)
        counts, actions = np.empty(len(positions), np.int64), np.empty(most, np.uint8)
        return np.empty((most, self.words), np.uint64), counts, actions

    def by_kernel(self, own: Expand, positions: Words) -> Successors:
        """Return successors by the game's kernel, and by the interpreter for inputs that it leaves."""
        found, counts, actions = self._room(positions)
        rows = read_only(positions)
        total = own(self._data(), rows, found, counts, actions, self._rows.room(self.kernel.room), len(rows))
        left = counts >> LEFT
        inputs = self._inputs
        if not left.any():
            self.kernel.note(len(rows) * len(inputs), 0)
            return Successors(found[:total], counts, actions[:total])
        counts &= (1 << LEFT) - 1
        some = left != 0
        self.kernel.note(len(rows) * len(inputs), sum(int((left >> given & 1).sum()) for given in inputs))
        other = self._interpreted(np.ascontiguousarray(rows[some]), left[some])
        joined = np.empty((total + len(other.positions), self.words), np.uint64)
        joined_actions = np.empty(len(joined), np.uint8)
        merge_successors(
            counts, left, other.counts, self.words, found.reshape(-1), actions,
            np.ascontiguousarray(other.positions).reshape(-1), np.ascontiguousarray(other.actions),
            joined.reshape(-1), joined_actions,
        )  # fmt: skip
        return Successors(joined, counts, joined_actions)

    def left_by_kernel(self, own: Expand, positions: Words) -> NDArray[np.int64]:
        """Return the inputs that the interpreter must play after the kernel, (n,), as bits."""
        found, counts, actions = self._room(positions)
        room = self._rows.room(self.kernel.room)
        own(self._data(), read_only(positions), found, counts, actions, room, len(positions))
        return counts >> LEFT

    def _data(self) -> Words:
        if self._level_data is None:
            self._level_data = level_data(
                self._tables, self._rows, self.kernel.statics, self._still, self.kernel.table
            )
        return self._level_data

    def by_interpreter(self, positions: Words) -> Successors:
        """Return successors by the interpreter. Raises EndlessError."""
        every = int(self._tables.table[at.INPUTS])
        return self._interpreted(positions, np.full(len(positions), every, np.int64))

    def _interpreted(self, positions: Words, wanted: NDArray[np.int64]) -> Successors:
        """Return the successors by inputs that are `wanted`, as bits, (n,)."""
        n = len(positions)
        most = n * len(self._inputs)
        found = np.empty((most, self._rows.wide), np.uint64)
        counts, actions = np.empty(n, np.int64), np.empty(most, np.uint8)
        rows = read_only(self._rows.lengthen(positions)).reshape(-1)
        while True:
            table = self._engine.tables.table.copy()
            table[at.RESTART_AGAIN] = self._restart_again
            total = expand(
                read_only(table), self._engine.planes, self._engine.state, self._restart, self._here, rows,
                read_only(wanted), found.reshape(-1), counts, actions,
            )  # fmt: skip
            if not self._engine.grow():
                break
        self._engine.check()
        return Successors(self._rows.shorten(found[:total]), counts, actions[:total])

    def differences(self, other: PackedModel[Position, str]) -> Words | None:
        """Return None: changes of a level are searched anew."""
        return None
