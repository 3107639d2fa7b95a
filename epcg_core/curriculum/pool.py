"""The candidates among which a strategy chooses, and what it chose."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray


@attrs.frozen(eq=False)
class Pool:
    """n candidates, sorted by their measure."""

    values: NDArray[np.float64]
    """(n,) the measure, ascending and finite."""
    shapes: NDArray[np.int64] | None = None
    """(n,) equal numbers for equal shapes; None: they do not matter."""
    needs: NDArray[np.bool_] | None = None
    """(n, rules) whether a puzzle needs a rule; None: it does not matter."""
    distance: Callable[[int, int], float] | None = None
    """How much two candidates differ, 0 to 1, by their positions; None: it does not matter."""
    listed: NDArray[np.int64] | None = None
    """(n,) the place in the plan's list by hand, from 0; -1 if it is not in it; None: there is no list."""
    apart: Callable[[int, Sequence[int]], bool] | None = None
    """Whether a candidate is unlike enough to stand beside some others, by positions; None: any may."""
    measure: Callable[[str], NDArray[np.float64]] | None = None
    """Give (n,) the values of a measure that is among the strategy's `columns`, NaN if there is none."""
    puzzle: Callable[[int], str] | None = None
    """Give the id of a candidate, by its position."""
    state: Callable[[int], Any] | None = None
    """Give what the generator makes of a candidate, by its position."""

    def part(self, kept: NDArray[np.int64]) -> Pool:
        """Return the pool of some of the candidates, at the positions `kept`, ascending; without a list."""
        distance, apart = self.distance, self.apart
        measure, puzzle, state = self.measure, self.puzzle, self.state
        return Pool(
            self.values[kept],
            None if self.shapes is None else self.shapes[kept],
            None if self.needs is None else self.needs[kept],
            None if distance is None else lambda a, b: distance(int(kept[a]), int(kept[b])),
            None,
            None if apart is None else lambda p, others: apart(int(kept[p]), [int(kept[o]) for o in others]),
            None if measure is None else lambda name: measure(name)[kept],
            None if puzzle is None else lambda place: puzzle(int(kept[place])),
            None if state is None else lambda place: state(int(kept[place])),
        )


@attrs.frozen
class Pick:
    """A candidate that was chosen, and why."""

    position: int
    reason: str
