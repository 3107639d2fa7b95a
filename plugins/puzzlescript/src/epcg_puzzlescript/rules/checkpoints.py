"""Positions of games in which restarts go back to checkpoints, as rows of words.

Such games are rare, so they have no kernels of their own: each turn is played on bit planes, and what follows
it in Python.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import PackedModel, Successors, TransitionModel
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.tables import Tables
from epcg_puzzlescript.rules.turn import INPUTS, Cells

Words = NDArray[np.uint64]
_WON, _KEPT, _RESTARTS = 1, 2, 4
"""Flags of a position, in its last word."""


class CheckpointLevel:
    """The positions of a level as rows of 64-bit words (`epcg_core.domain.PackedModel`).

    A row has the planes of the objects that can change on the board, the same of the checkpoint's board, or
    nothing if no checkpoint is kept, and a word of flags.

    Args:
        level: the level.
        tables: those of the game for boards of this size.
        model: plays the level; for this search alone.
    """

    features = 0

    def __init__(self, level: Level, tables: Tables, model: TransitionModel[Position, str]) -> None:
        self.level = level
        self._tables, self._model = tables, model
        self._changing = np.array(tables.changing)
        self._still = tables.planes_of(level.cells)
        self._board = len(self._changing) * tables.words
        self.words = 2 * self._board + 1

    def pack(self, state: Position) -> Words:
        """Return the row of a position: (words,) uint64."""
        row = np.zeros(self.words, np.uint64)
        row[: self._board] = self._planes(state.cells)
        if state.checkpoint is not None:
            row[self._board : -1] = self._planes(state.checkpoint)
        row[-1] = _WON * state.won | _KEPT * (state.checkpoint is not None) | _RESTARTS * state.restarts
        return row

    def unpack(self, row: Words) -> Position:
        """Return the position of a row."""
        flags = int(row[-1])
        checkpoint = self._cells(row[self._board : -1]) if flags & _KEPT else None
        cells = self._cells(row[: self._board])
        return Position(self.level, cells, bool(flags & _WON), checkpoint, bool(flags & _RESTARTS))

    def _planes(self, cells: Cells) -> Words:
        planes: Words = self._tables.planes_of(cells)[self._changing].reshape(-1)
        return planes

    def _cells(self, board: Words) -> Cells:
        planes = self._still.copy()
        planes[self._changing] = board.reshape(len(self._changing), -1)
        return self._tables.cells_of(planes)

    def action(self, number: int) -> str:
        """Return the input of a number."""
        return INPUTS[number]

    def solved(self, positions: Words) -> NDArray[np.bool_]:
        """Return which positions are won: (n,) bool."""
        found: NDArray[np.bool_] = positions[:, -1] & np.uint64(_WON) != 0
        return found

    def successors(self, positions: Words, traced: bool = False) -> Successors:
        """Return the successors of (n, words) positions that differ from them. Raises EndlessError."""
        counts, actions, rows = [], [], []
        for row in positions:
            position = self.unpack(row)
            given = list(self._model.actions(position))
            counts.append(len(given))
            actions += [INPUTS.index(each) for each in given]
            rows += [self.pack(self._model.apply(position, each)) for each in given]
        found = np.array(rows, np.uint64).reshape(-1, self.words)
        return Successors(found, np.array(counts, np.int64), np.array(actions, np.uint8))

    def differences(self, other: PackedModel[Position, str]) -> Words | None:
        """Return None: changes of a level are searched anew."""
        return None
