"""A table of packed positions: each has a number, in the order in which they appear.

One table serves many searches: its memory is kept, and only as many slots as a search fills are cleared.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.search.shortest_path.position_kernels import add_rows, rebuild

_SMALL = 2048
_QUICK = 2**16
"""Below, arrays and slots double; above they grow by an eighth and a half: memory counts more than time."""
_MOST = 2**31 - 2
"""Numbers are 32 bits wide."""


class PositionTable:
    """Positions of (words,) 64-bit words, numbered from 0 in the order in which they were added.

    Takes 8 * words bytes a position, an eighth of it more at most for those to come, and 11 to 16 for slots.
    """

    def __init__(self, words: int) -> None:
        self.words = words
        self.count = 0
        self._positions = np.empty((_SMALL, words), np.uint64)
        self._buffer = np.empty(_SMALL, np.uint64)
        self._slots = self._buffer
        self.clear()

    def clear(self, words: int | None = None) -> None:
        """Forget all positions, and keep the memory, unless those to come have other `words`."""
        if words is not None and words != self.words:
            self.words = words
            self._positions = np.empty((_SMALL, words), np.uint64)
        self.count = 0
        self._slots = self._buffer[:_SMALL]
        self._slots[:] = 0

    def truncate(self, count: int) -> None:
        """Forget the positions from number `count` on."""
        if count < self.count:
            self.count = count
            rebuild(count, self._positions, self._slots)

    def add(self, rows: NDArray[np.uint64]) -> NDArray[np.int32]:
        """Return the (m,) numbers of (m, words) rows, adding new rows to the table in their order."""
        m = len(rows)
        needed = self.count + m
        if needed > _MOST:
            raise EpcgError(f"A search holds at most {_MOST} positions: set a lower limit.")
        self._positions = grown(self._positions, needed)
        if 4 * needed > 3 * len(self._slots):
            self._enlarge(needed)
        numbers = np.empty(m, np.int32)
        self.count = add_rows(read_only(rows), self.count, self._positions, self._slots, numbers)
        return numbers

    def rows(self, start: int, stop: int) -> NDArray[np.uint64]:
        """Return a read-only copy of the rows start .. stop - 1, because the table itself may move."""
        return read_only(self._positions[start:stop].copy())

    def rows_of(self, numbers: NDArray[np.int32]) -> NDArray[np.uint64]:
        """Return the rows of (n,) numbers, read-only."""
        return read_only(self._positions[numbers])

    @property
    def nbytes(self) -> int:
        """The memory it holds, in bytes."""
        return self._positions.nbytes + self._buffer.nbytes

    def _enlarge(self, needed: int) -> None:
        size = len(self._slots)
        while 4 * needed > 3 * size:
            size += size if size < _QUICK else size // 2
        if size > len(self._buffer):
            del self._slots, self._buffer  # given back before the larger one is taken
            self._buffer = np.empty(size, np.uint64)
        self._slots = self._buffer[:size]
        rebuild(self.count, self._positions, self._slots)


def grown(array: NDArray[np.generic], needed: int) -> NDArray[Any]:
    """Grow `array` to `needed` entries along its first axis, keeping its content.

    The operating system moves the memory instead of copying it, if possible. There must be no views of it.
    """
    length = len(array)
    if needed > length:
        step = length if length < _QUICK else length // 8
        array.resize((max(needed, length + step), *array.shape[1:]), refcheck=False)
    return array
