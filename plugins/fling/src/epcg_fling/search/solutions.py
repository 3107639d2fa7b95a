"""Runs the compiled measures over arrays of boards, with as much memory as they turn out to need."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LIMIT, VALUE, Bits, binomial_table, read_only
from epcg_fling.rules.move_kernels import geometry
from epcg_fling.rules.moves import BoardShape
from epcg_fling.search.endgame import TableMetric, loaded_layers
from epcg_fling.search.kernels import Endgame, new_frames, new_memo

_FIRST_MEMO = 1 << 16
_LARGEST_MEMO = 1 << 26
"""Slots: 600 MB, for one board with 33 million boards below it."""

Kernel = Callable[..., int]


def packed(states: NDArray[Any]) -> NDArray[np.uint64]:
    """Pack boards for kernels: (n,) uint64, contiguous, read-only."""
    return read_only(np.asarray(states, dtype=np.uint64))


def single(state: int) -> NDArray[np.uint64]:
    """Pack one board as an array."""
    return packed(np.array([state], dtype=np.uint64))


class SolutionSearch:
    """Searches boards of a shape for solutions, with the endgame tables that are at hand.

    `tables` maps roles (`endgame.table_role`) to Bits by rank. The methods may run in several
    threads at once: each call has its own memory.
    """

    def __init__(
        self, shape: BoardShape, tables: Mapping[str, Bits] | None = None, uniqueness: str = "successors"
    ) -> None:
        self.shape = shape
        self.by_moves = int(uniqueness == "moves")
        self.geometry = geometry(shape)
        self._solvable = _endgame(shape, tables or {}, "solvable", uniqueness)
        self._unique = _endgame(shape, tables or {}, "unique", uniqueness)

    def run(
        self, kernel: Kernel, states: NDArray[Any], columns: int
    ) -> tuple[NDArray[np.int64], NDArray[np.uint8]]:
        """Measure boards with a kernel of `measure_kernels`: (columns, n) int64 and (n,) status.

        When the memo is full the board at hand is measured again with one of twice the size; a board for
        which the largest is too small gets the status LIMIT and zeros.
        """
        boards = packed(states)
        out = np.zeros((columns, boards.size), dtype=np.int64)
        status = np.full(boards.size, VALUE, dtype=np.uint8)
        memo, frames = new_memo(_FIRST_MEMO), new_frames()
        row = 0
        while True:
            row = kernel(
                self.geometry, boards, row, self.by_moves, self._solvable, self._unique, memo, frames, out
            )
            if row == boards.size:
                return out, status
            if memo.keys.size < _LARGEST_MEMO:
                memo = new_memo(2 * memo.keys.size)
                continue
            out[:, row] = 0
            status[row] = LIMIT
            memo.keys[:] = 0
            memo.used[:] = 0
            row += 1


def _endgame(shape: BoardShape, tables: Mapping[str, Bits], metric: TableMetric, uniqueness: str) -> Endgame:
    slots = np.full(65, -1, dtype=np.int64)
    data = [read_only(np.zeros(0, dtype=np.uint8))] * 3
    for slot, (layer, bits) in enumerate(loaded_layers(shape, tables, metric, uniqueness).items()):
        slots[layer] = slot
        data[slot] = read_only(bits.data)
    return Endgame(read_only(slots), binomial_table(64), shape.cells, *data)
