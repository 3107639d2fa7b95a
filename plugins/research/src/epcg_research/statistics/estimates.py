"""What a statistic is reported as: the value, its interval, the method, the number, what is assumed."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError, require

CONFIDENCE = 0.95


@attrs.frozen
class Estimate:
    """A statistic with all that its reader must know."""

    name: str
    """What is estimated: 'Spearman's rho'."""
    value: float | None
    """None if the numbers determine none; `note` says why."""
    n: int
    """The number of units that count: puzzles, pairs or people."""
    method: str
    """How the value was computed, and with which test."""
    assumes: str
    """What must hold for the interval and p to mean what they say."""
    low: float | None = None
    high: float | None = None
    interval: str = ""
    """How the interval was made; '' without one."""
    p: float | None = None
    """Two-sided, of the hypothesis that there is no relation or difference."""
    note: str = ""
    """Why there is no value or no interval; '' if there is."""
    confidence: float = CONFIDENCE

    def told(self) -> list[str]:
        """Say method, number and assumptions in lines, as they stand below a printed number."""
        interval = f"{100 * self.confidence:g} % interval: {self.interval}. " if self.interval else ""
        lines = [f"{self.name}: {self.method}; n = {self.n:,}. {interval}Assumes {self.assumes}."]
        return [*lines, *([self.note] if self.note else [])]


def need_statistics(what: str) -> None:
    """Raise PluginError, which names the extra to install, if scipy or statsmodels is missing."""
    require(what, "scipy", "statsmodels", extra="epcg-research[statistics]")


def quantile(confidence: float) -> float:
    """Return the z within which a normal variable lies with a probability."""
    return NormalDist().inv_cdf(0.5 + confidence / 2)


def check_confidence(confidence: float) -> None:
    """Raise EpcgError if a confidence is not between 0 and 1."""
    if not 0 < confidence < 1:
        raise EpcgError(f"The confidence {confidence:g} is not between 0 and 1: 0.95 is usual.")


def numbers(values: ArrayLike, what: str) -> NDArray[np.float64]:
    """Return values as a (n,) float64 array. Raises EpcgError if one is not a finite number."""
    found = np.asarray(values, np.float64)
    if found.ndim != 1:
        raise EpcgError(f"{what}: a list of numbers is expected, not {found.ndim} dimensions.")
    if not np.isfinite(found).all():
        place = int(np.flatnonzero(~np.isfinite(found))[0])
        raise EpcgError(f"{what}: value {place + 1} is {found[place]}, which is not a finite number.")
    return found


def equally_many(first: NDArray[Any], second: NDArray[Any], what: str) -> None:
    """Raise EpcgError if two arrays differ in length."""
    if len(first) != len(second):
        raise EpcgError(
            f"{what}: there are {len(first)} and {len(second)} values, and equally many are needed."
        )


def is_constant(values: NDArray[np.float64]) -> bool:
    """Return whether all values are the same."""
    return len(values) == 0 or bool((values == values[0]).all())


def finite(value: Any) -> float | None:
    """Return a number of a library, or None for NaN and infinities."""
    found = float(value)
    return found if math.isfinite(found) else None
