"""Correlation of measures with players' votes. The only module of the plugin that imports scipy."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError

FEWEST = 3
"""Puzzles: two points lie on a line, whatever they are."""


@attrs.frozen
class Correlation:
    """Pearson's correlation of a measure with the detrended votes."""

    measure: str
    r: float
    p: float
    """Two-sided: the probability of an r as far from 0 if both are independent and normal."""
    values: tuple[float, ...]
    """The measure of each puzzle."""
    residuals: tuple[float, ...]
    """The detrended votes of each puzzle."""


def detrended(votes: Sequence[float], times: Sequence[float]) -> NDArray[np.float64]:
    """Return what ordinary least squares on the times leaves of the votes.

    If all times are equal there is no trend, and the mean is taken off.
    """
    y, x = np.asarray(votes, np.float64), np.asarray(times, np.float64)
    y, x = y - y.mean(), x - x.mean()
    spread = float(x @ x)
    slope = float(x @ y) / spread if spread > 0.0 else 0.0
    residuals: NDArray[np.float64] = y - slope * x
    return residuals


def correlations(
    measures: Mapping[str, Sequence[float]], votes: Sequence[float], times: Sequence[float]
) -> list[Correlation]:
    """Return Pearson's r and p of each measure with the votes, detrended on the times.

    Args:
        measures: the values of each measure, by name.
        votes: the upvotes of each puzzle.
        times: the times of publication of each puzzle.

    Returns:
        A correlation for each measure; r and p are NaN for a measure that is the same for all puzzles.

    Raises:
        EpcgError: for fewer than 3 puzzles.
    """
    if len(votes) < FEWEST:
        raise EpcgError(
            f"{len(votes)} puzzles have measures and votes; a correlation needs {FEWEST} or more."
        )
    from scipy.stats import pearsonr

    residuals = detrended(votes, times)
    constant = np.ptp(residuals) == 0.0
    found = []
    for name, values in measures.items():
        r = p = float("nan")
        if not constant and min(values) < max(values):
            result = pearsonr(values, residuals)
            r, p = float(result.statistic), float(result.pvalue)
        found.append(Correlation(name, r, p, tuple(values), tuple(residuals.tolist())))
    return found
