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
"""The last rank that a search with bounds can have."""
INCUMBENT = "incumbent"
"""The role of the run that provides a proof's incumbent, and the name of its table."""


@attrs.frozen
class Objective:
    """The objective of a run, part of its identity and its record."""

    metric: str
    direction: Literal["max", "min"]
    keep: Literal["all", "first", "feasible"]
    """All candidates with the best value, the first of them, or all that have a value."""
    phase: Literal["search", "proof"]

    @property
    def sign(self) -> int:
        return 1 if self.direction == "max" else -1

    def better(self, one: Best | None, other: Best | None) -> Best | None:
        """Return the better of two candidates: by value, then by rank."""
        if one is None or other is None:
            return other if one is None else one
        return min(one, other, key=lambda best: (-self.sign * best[0], best[1]))

    def cutoff(self, best: Best | None) -> Cutoff:
        """Return the cutoff that candidates must reach when `best` is known.

        In a search, only better values count, or equal ones at a lower rank. In a proof, `best` is the
        optimum, and all candidates that equal it count, or only the first. All that have a value count if
        they are kept.
        """
        if self.keep == "feasible":
            return Cutoff(None, LAST_RANK, True, self.sign)
        fixed = self.phase == "proof"
        if best is None:
            return Cutoff(None, LAST_RANK, fixed, self.sign)
        ties_to = LAST_RANK if fixed and self.keep == "all" else best[1]
        return Cutoff(best[0], ties_to, fixed, self.sign)


def best_of(objective: Objective, ranks: NDArray[np.int64], values: NDArray[Any]) -> Best | None:
    """Return the best of (n,) candidates; None if there are none."""
    if not len(ranks):
        return None
    top = values.max() if objective.sign > 0 else values.min()
    return top.item(), int(ranks[values == top].min())


def as_words(best: Best | None, metric: Metric) -> NDArray[np.uint64]:
    """Return (3,) whether there is one, its value, its rank."""
    import numpy as np

    value, rank = best if best is not None else (0, 0)
    bits = np.array([value], np.float64 if metric.kind == "real" else np.int64).view(np.uint64)
    return np.array([best is not None, bits[0], rank], np.uint64)


def from_words(words: NDArray[np.uint64], metric: Metric) -> Best | None:
    """Invert `as_words`."""
    import numpy as np

    if not int(words[0]):
        return None
    value = words[1:2].view(np.float64 if metric.kind == "real" else np.int64)[0].item()
    return value, int(words[2])


class IncumbentTracker:
    """The best candidate found so far, handed to units that start later."""

    def __init__(self, objective: Objective, best: Best | None) -> None:
        self._objective = objective
        self.best = best

    def learn(self, found: Best | None) -> bool:
        """Take a unit's best candidate and return whether it is the new best."""
        before, self.best = self.best, self._objective.better(self.best, found)
        return self.best != before

    def next_to(self, units: Iterable[Any]) -> Iterator[tuple[Any, Best | None]]:
        """Yield each unit with the best candidate known when it is requested."""
        for unit in units:
            yield unit, self.best
