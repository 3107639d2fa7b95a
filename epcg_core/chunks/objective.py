"""The best candidate known, on its way from a search to the units that build on it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.domain import Cutoff, Metric, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

Best = tuple[Value, int]
"""(value, rank) of the best candidate: the lowest rank among equal values."""

LAST_RANK = 2**63 - 1
INCUMBENT = "incumbent"
"""The role of the run that a proof takes its incumbent from, and the name of the table that holds it."""


@attrs.frozen
class Objective:
    """What a run optimizes: part of what it is, and of its record."""

    metric: str
    direction: Literal["max", "min"]
    keep: Literal["all", "first"]
    phase: Literal["search", "proof"]

    @property
    def sign(self) -> int:
        return 1 if self.direction == "max" else -1

    def better(self, one: Best | None, other: Best | None) -> Best | None:
        """The better of two candidates: by value, then by rank."""
        if one is None or other is None:
            return other if one is None else one
        return min(one, other, key=lambda best: (-self.sign * best[0], best[1]))

    def cutoff(self, best: Best | None) -> Cutoff:
        """What candidates must reach where `best` is known.

        In a search, what is better than it, or equal at a lower rank. In a proof, `best` is the optimum: all
        that equal it, or only the first.
        """
        fixed = self.phase == "proof"
        if best is None:
            return Cutoff(None, LAST_RANK, fixed, self.sign)
        ties_to = LAST_RANK if fixed and self.keep == "all" else best[1]
        return Cutoff(best[0], ties_to, fixed, self.sign)


def best_of(objective: Objective, ranks: NDArray[np.int64], values: NDArray[Any]) -> Best | None:
    """The best of (n,) candidates; None where there is none."""
    if not len(ranks):
        return None
    top = values.max() if objective.sign > 0 else values.min()
    return top.item(), int(ranks[values == top].min())


# --- as a table that workers map ----------------------------------------------------------------------------


def as_words(best: Best | None, metric: Metric) -> NDArray[np.uint64]:
    """(3,) whether there is one, its value, its rank."""
    import numpy as np

    value, rank = best if best is not None else (0, 0)
    bits = np.array([value], np.float64 if metric.kind == "real" else np.int64).view(np.uint64)
    return np.array([best is not None, bits[0], rank], np.uint64)


def from_words(words: NDArray[np.uint64], metric: Metric) -> Best | None:
    """The inverse of `as_words`."""
    import numpy as np

    if not int(words[0]):
        return None
    value = words[1:2].view(np.float64 if metric.kind == "real" else np.int64)[0].item()
    return value, int(words[2])


class IncumbentTracker:
    """The course of a search: what units find is handed to those that start after them."""

    def __init__(self, objective: Objective, best: Best | None) -> None:
        self._objective = objective
        self.best = best

    def learn(self, found: Best | None) -> bool:
        """Take what a unit found; whether it is the new best."""
        before, self.best = self.best, self._objective.better(self.best, found)
        return self.best != before

    def next_to(self, units: Iterable[Any]) -> Iterator[tuple[Any, Best | None]]:
        """Each unit with the best that is known when it is asked for."""
        for unit in units:
            yield unit, self.best
