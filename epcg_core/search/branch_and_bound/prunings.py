"""Prunings: making, merging and checking the ranges of ranks that a search left out."""

from __future__ import annotations

import numpy as np

from epcg_core.base.errors import EpcgError
from epcg_core.domain import BOUND, INFEASIBLE, BlockResult, Prunings, Value

EXACT = 2**53
"""Bounds are recorded as reals, which hold whole numbers exactly up to here."""


class PruningList:
    """Prunings as they come, in the order of ranks; neighbours with one reason become one."""

    def __init__(self, sign: int) -> None:
        self._sign = sign
        self._rows: list[tuple[int, int, float, int]] = []

    def add(self, start: int, count: int, bound: Value | None) -> None:
        """Record that `count` ranks from `start` on are pruned; a bound of None: none of them has a value."""
        real, reason = (np.nan, INFEASIBLE) if bound is None else (recorded_bound(bound), BOUND)
        if self._rows:
            before, length, weakest, why = self._rows[-1]
            if before + length == start and why == reason:
                weakest = self._sign * max(self._sign * weakest, self._sign * real)
                self._rows[-1] = (before, length + count, weakest, reason)
                return
        self._rows.append((start, count, real, reason))

    def prunings(self) -> Prunings:
        starts, counts, bounds, reasons = zip(*self._rows, strict=True) if self._rows else ((), (), (), ())
        return Prunings(
            np.array(starts, np.int64), np.array(counts, np.int64),
            np.array(bounds, np.float64), np.array(reasons, np.uint8),
        )  # fmt: skip


def recorded_bound(bound: Value) -> float:
    """Convert a bound to its recorded form. Raises EpcgError if that would change it."""
    if bound != bound:
        raise EpcgError("An evaluator's bound is not a number: a partial without completions has None.")
    if isinstance(bound, int) and abs(bound) > EXACT:
        raise EpcgError(f"The bound {bound} is larger than 2^53, so it cannot be recorded exactly.")
    return float(bound)


def merged(prunings: Prunings, sign: int) -> Prunings:
    """Merge neighbours with the same reason, keeping the weakest bound."""
    n = len(prunings.start)
    if n < 2:
        return prunings
    follows = prunings.start[1:] == prunings.start[:-1] + prunings.count[:-1]
    first = np.flatnonzero(np.append(True, ~(follows & (prunings.reason[1:] == prunings.reason[:-1]))))
    weakest = np.maximum.reduceat if sign > 0 else np.minimum.reduceat
    return Prunings(
        prunings.start[first],
        np.add.reduceat(prunings.count, first),
        weakest(prunings.bound, first),
        prunings.reason[first],
    )


def check_block(found: BlockResult, start: int, count: int, who: str) -> None:
    """Raise EpcgError if a compiled search does not account for every rank of its block exactly once."""
    starts, counts = found.prunings.start, found.prunings.count
    ends = starts + counts
    pruned = int(counts.sum())
    if found.evaluated + pruned != count:
        raise EpcgError(
            f"{who} evaluated {found.evaluated:,} and pruned {pruned:,} of the {count:,} ranks from {start} "
            "on: together they must be all of them."
        )
    inside = not len(starts) or (starts[0] >= start and ends[-1] <= start + count and counts.min() > 0)
    if not inside or (starts[1:] < ends[:-1]).any():
        raise EpcgError(f"{who} pruned ranges that overlap or leave the block of ranks from {start} on.")
    ranks = found.ranks
    if len(ranks) != len(found.values) or len(ranks) > found.evaluated or (ranks[1:] <= ranks[:-1]).any():
        raise EpcgError(f"{who} found ranks that are not increasing, or not as many as their values.")
    before = np.searchsorted(starts, ranks, "right") - 1
    if len(ranks) and (
        ranks[0] < start or ranks[-1] >= start + count
        or (len(starts) and ((before >= 0) & (ranks < ends[before])).any())
    ):  # fmt: skip
        raise EpcgError(f"{who} found a candidate among the ranks that it pruned or was not asked for.")
