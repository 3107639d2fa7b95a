"""What a process does before it is forked: it compiles once, for setting up the compiler takes a second."""

from __future__ import annotations

import gc

import numba
import numpy as np

import epcg_core.compiled  # noqa: F401


@numba.njit
def _sum(numbers: np.ndarray) -> int:
    found = np.zeros(1, np.int64)
    for number in numbers:
        found[0] += number
    return int(found[0])


_sum(np.arange(3))
gc.collect()
gc.freeze()  # forks look for garbage among their own objects alone
