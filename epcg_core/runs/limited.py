"""Candidates that are given up after a time (`record.candidate_timeout`): their status is "limit".

Ranks are computed in a fork. If some together take longer than is usual for a unit, they are divided until
the slow ones are alone; only these get all the seconds that a candidate may take.
"""

from __future__ import annotations

import math
import time
from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import QueryError
from epcg_core.chunks.blocks import BLANKS, Block, concatenate
from epcg_core.chunks.scores import Score
from epcg_core.domain import LIMIT, Bits, Evaluation
from epcg_core.execution.apart import Apart, TimeUpError
from epcg_core.query.spec import RunSpec
from epcg_core.runs.sampled_units import ranks_of
from epcg_core.search.protocol import Solver

TOGETHER_SECONDS = 1.0, 2.0
"""Seconds of several ranks, at least and at most, before they are divided."""
PARTS = 8
FIRST_SECONDS = 10.0
"""Seconds more for the first candidate of all: kernels are loaded, and parts make their tables."""


def limited(solver: Solver, spec: RunSpec) -> Solver:
    """Return a solver that gives up candidates after the run's time limit; the same one if there is none.

    Raises QueryError if the search does not compute candidates one by one.
    """
    if spec.candidate_timeout is None:
        return solver
    if not getattr(solver, "one_by_one", False):
        raise QueryError(
            f"The search {spec.search.name} takes no record.candidate_timeout, because it does not compute "
            "candidates one by one: remove it."
        )
    return _Limited(solver, spec, spec.candidate_timeout)


def note(seconds: float) -> str:
    """Return the recorded reason of a candidate without a value."""
    return f"it took longer than {seconds:g} s, the time limit of a candidate"


def given_up(spec: RunSpec, recorded: Sequence[Score] | None) -> bool:
    """Return whether time decided the recorded scores of a rank, which computing it again cannot show."""
    if spec.candidate_timeout is None or recorded is None:
        return False
    return all(status == LIMIT for status, _ in recorded)


class _Limited:
    def __init__(self, solver: Solver, spec: RunSpec, seconds: float) -> None:
        self.piecewise = getattr(solver, "piecewise", False)
        self._solver = solver
        self._apart: Apart[tuple[int, int], Block] = Apart(lambda asked: solver(*asked))
        self._spec, self._seconds = spec, seconds
        self._quick: int | None = None
        """A rank that is soon computed."""
        self._took = math.inf

    def __call__(self, start: int, count: int) -> Block:
        if not count:
            return self._solver(start, 0)
        with suppress(TimeUpError):
            return self._in_time(start, count)
        if count == 1:
            return self._given_up(start)
        size = -(-count // PARTS)
        parts = [self(low, min(size, start + count - low)) for low in range(start, start + count, size)]
        return _joined(parts, len(self._spec.metrics))

    def _in_time(self, start: int, count: int) -> Block:
        """Compute ranks in a fork that has computed before, so that no candidate pays for set-up."""
        least, most = TOGETHER_SECONDS
        seconds = self._seconds if count == 1 else min(most, max(least, self._seconds))
        if not self._apart.running:
            if self._quick is not None:
                self._apart((self._quick, 1))
            elif count > 1:
                raise TimeUpError  # the first candidate of all is tried alone
            else:
                seconds += FIRST_SECONDS
        begun = time.monotonic()
        block = self._apart((start, count), seconds)
        took = time.monotonic() - begun
        if block.evaluated and took < self._took:
            self._quick, self._took = start if block.ranks is None else int(block.ranks[0]), took
        return block

    def _given_up(self, rank: int) -> Block:
        values: list[NDArray[Any] | Bits] = [
            np.zeros(1, BLANKS[metric.kind]) for metric in self._spec.metrics
        ]
        there = None if self._spec.filter is None else np.array([rank], np.int64)
        return Block(
            rank, 1, Evaluation(values, np.array([LIMIT], np.uint8)), there,
            solutions=() if self._spec.solutions else None, limits=[(rank, note(self._seconds))],
        )  # fmt: skip


def _joined(parts: Sequence[Block], metrics: int) -> Block:
    """Join the blocks of neighbouring ranks."""
    ranks: NDArray[np.int64] | None = None
    if any(part.ranks is not None for part in parts):
        ranks = np.concatenate([ranks_of(part) for part in parts])
    first = parts[0]
    return Block(
        first.start,
        sum(part.count for part in parts),
        concatenate([part.evaluation for part in parts], metrics),
        ranks,
        [error for part in parts for error in part.errors],
        solutions=None if first.solutions is None else [s for part in parts for s in part.solutions or ()],
        limits=[limit for part in parts for limit in part.limits],
    )
