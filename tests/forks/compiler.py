"""What a process does before it is forked: it imports what commands need, and compiles once.

Setting up the compiler takes a second, importing the commands a quarter of most forks' time.
"""

from __future__ import annotations

import gc

import epcg_research.certificate  # noqa: F401
import numba
import numpy as np

import epcg_core.api.ledger
import epcg_core.cli.run
import epcg_core.cli.runs
import epcg_core.cli.work.answers
import epcg_core.compiled
import epcg_core.plugins.builtin
import epcg_core.verification.verify  # noqa: F401  # what most commands import


@numba.njit
def _sum(numbers: np.ndarray) -> int:
    found = np.zeros(1, np.int64)
    for number in numbers:
        found[0] += number
    return int(found[0])


_sum(np.arange(3))
gc.collect()
gc.freeze()  # forks look for garbage among their own objects alone
