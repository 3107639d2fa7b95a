"""Reading and changing single planes: what the interpreter's kernels share.

A plane has a bit for each cell: cell (x, y) is bit x * (height + 1) + y, so that a step is a shift and a bit
below each column stays empty. There is a plane for each object, then one for each of the five movements of
each layer, then that of the cells of the board.

All kernels take the arrays `table`, `planes` and `state` of `columns`; `rule`, `cell` and the like are
addresses in `table`, `plane` is one in `planes`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bare_njit
from epcg_puzzlescript.rules import columns as at

Table = NDArray[np.int64]
Planes = NDArray[np.uint64]

ZERO, ONE, S64 = np.uint64(0), np.uint64(1), np.uint64(64)


@bare_njit
def word_shifted(planes: Planes, plane: int, by: int, w: int, words: int) -> np.uint64:
    """Return word `w` of a plane after each bit went up by `by` places, or down if it is negative."""
    if by >= 0:
        k, s = w - (by >> 6), np.uint64(by & 63)
        found = ZERO
        if k >= 0:
            found = planes[plane + k] << s
            if s and k >= 1:
                found |= planes[plane + k - 1] >> (S64 - s)
        return found
    k, s = w + (-by >> 6), np.uint64(-by & 63)
    found = ZERO
    if k < words:
        found = planes[plane + k] >> s
        if s and k + 1 < words:
            found |= planes[plane + k + 1] << (S64 - s)
    return found


@bare_njit
def has(planes: Planes, plane: int, bit: int) -> bool:
    """Return whether a plane has a bit."""
    return bool((planes[plane + (bit >> 6)] >> np.uint64(bit & 63)) & ONE)


@bare_njit
def touch(planes: Planes, state: Table, plane: int, words: int, some: np.uint64) -> None:
    """Note that a plane changed, and whether anything is left on it."""
    state[at.CLOCK] += 1
    planes[plane + words] = some
    planes[plane + words + 1] = np.uint64(state[at.CLOCK])


@bare_njit
def scratch(table: Table, number: int) -> int:
    """Return a plane to work with."""
    return int(table[at.VALID] + table[at.SIZE] * (1 + number))
