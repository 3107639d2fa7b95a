"""Positions of a level as rows of words: the planes of the objects that can change."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import read_only
from epcg_core.domain import PackedModel, Successors
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.planes import PlaneEngine
from epcg_puzzlescript.rules.search_kernels import expand
from epcg_puzzlescript.rules.tables import Tables
from epcg_puzzlescript.rules.turn import INPUTS, Cells


class PackedLevel:
    """The positions of a level as rows of 64-bit words (`epcg_core.domain.PackedModel`).

    A row has the plane of each object that can change, and the bit below the first column tells if it is won.

    Args:
        level: the level.
        restart: the board after a restart, before the ticks that follow.
        restart_again: whether ticks follow a restart.
        tables: those of the game for boards of this size.
    """

    def __init__(self, level: Level, restart: Cells, restart_again: bool, tables: Tables) -> None:
        self.level = level
        self._engine = PlaneEngine(level.game, level.width, level.height, tables=tables)
        self._tables = tables
        self._changing = np.array(tables.changing)
        self.words = len(self._changing) * tables.words
        self.features = 0
        self._restart_again = restart_again
        self._restart = tables.planes_of(restart)[self._changing].reshape(-1)
        self._here = np.zeros(self.words, np.uint64)
        self._still = tables.planes_of(level.cells)
        self._engine.load(level.cells)
        self._won = int(tables.table[at.WON_WORD]), np.uint64(1 << int(tables.table[at.WON_BIT]))

    def pack(self, state: Position) -> NDArray[np.uint64]:
        """Return the row of a position: (words,) uint64."""
        row: NDArray[np.uint64] = self._tables.planes_of(state.cells)[self._changing].reshape(-1)
        if state.won:
            row[self._won[0]] |= self._won[1]
        return row

    def unpack(self, row: NDArray[np.uint64]) -> Position:
        """Return the position of a row."""
        planes = self._still.copy()
        planes[self._changing] = row.reshape(len(self._changing), -1)
        won = bool(row[self._won[0]] & self._won[1])
        return Position(self.level, self._tables.cells_of(planes), won)

    def action(self, number: int) -> str:
        """Return the input of a number."""
        return INPUTS[number]

    def solved(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return which positions are won: (n,) bool."""
        found: NDArray[np.bool_] = positions[:, self._won[0]] & self._won[1] != 0
        return found

    def successors(self, positions: NDArray[np.uint64], traced: bool = False) -> Successors:
        """Return the successors of (n, words) positions that differ from them. Raises EndlessError."""
        n = len(positions)
        most = n * int(self._tables.table[at.INPUTS])
        found = np.empty((most, self.words), np.uint64)
        counts = np.empty(n, np.int64)
        actions = np.empty(most, np.uint8)
        rows = read_only(positions).reshape(-1)
        while True:
            table = self._engine.tables.table.copy()
            table[at.RESTART_AGAIN] = self._restart_again
            total = expand(
                read_only(table), self._engine.planes, self._engine.state, self._restart, self._here, rows,
                found.reshape(-1), counts, actions,
            )  # fmt: skip
            if not self._engine.grow():
                break
        self._engine.check()
        return Successors(found[:total], counts, actions[:total])

    def differences(self, other: PackedModel[Position, str]) -> NDArray[np.uint64] | None:
        """Return None: changes of a level are searched anew."""
        return None
