"""Levels of one game and size as arrays: the planes of all objects, one after the other."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.game_kernels import solver_of
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.solver_source import ELSEWHERE
from epcg_puzzlescript.rules.tables import Tables, make_tables

MOST = 2**13
"""Larger searches are not made here: their positions do not fit into a processor's own memory."""
_SLOTS = 2**14
Words = NDArray[np.uint64]


@attrs.frozen(eq=False)
class Levels:
    """The common properties of levels that are given as arrays of (n, objects * words) uint64."""

    game: Game
    width: int
    height: int
    tables: Tables = attrs.field(init=False)

    @tables.default
    def _tables(self) -> Tables:
        return make_tables(self.game, self.width, self.height)

    def row(self, level: Level) -> Words:
        """Return a level as its row."""
        row: Words = self.tables.planes_of(level.cells).reshape(-1)
        return row

    def level(self, row: Words) -> Level:
        """Return the level of a row."""
        cells = self.tables.cells_of(row.reshape(len(self.game.objects), -1))
        return Level(self.game, self.width, self.height, cells)

    def bit(self, thing: int, cell: int) -> tuple[int, int]:
        """Return the column of a row, and the bit there, of an object on a cell."""
        word, bit = divmod(int(self.tables.places[cell]), 64)
        return thing * self.tables.words + word, 1 << bit


class BatchSearch:
    """Searches levels by the game's own kernel, one by one, as `shortest_path` does; for one thread."""

    def __init__(self, levels: Levels) -> None:
        tables = levels.tables
        self._kernel = solver_of(tables)
        self._generation = 0
        self._slots = np.zeros(_SLOTS, np.uint64)
        self._keys = np.empty(MOST * len(tables.changing) * tables.words, np.uint64)
        everywhere = tables.spread(np.ones((1, len(tables.places)), np.uint8))[0]
        self._level = np.array([tables.stride, *everywhere, _SLOTS - 1], np.uint64)

    def search(self, rows: Words, limit: int, wait: bool = False) -> NDArray[np.int64] | None:
        """Return how the searches ended, their moves and expansions: (n, 3) (see `solver_source`).

        ELSEWHERE stands for levels that are to be searched in another way. None if the kernel is not there;
        with `wait` it is compiled now.
        """
        own = self._kernel.compile() if wait else self._kernel.ready(len(rows))
        if own is None:
            return None
        if self._generation + len(rows) >= 2**32:
            self._slots[:], self._generation = 0, 0
        found = np.empty((len(rows), 3), np.uint64)
        own(
            np.ascontiguousarray(rows), len(rows), self._level, found, self._keys, self._slots, limit, MOST,
            self._generation,
        )  # fmt: skip
        self._generation += len(rows)
        return found.astype(np.int64)


__all__ = ["ELSEWHERE", "MOST", "BatchSearch", "Levels"]
