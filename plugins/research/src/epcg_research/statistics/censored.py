"""Times of people who gave up: all that is known is that they would have needed longer.

A matrix `longer` says of which responses this is so. Left out, they would turn results round: of hard puzzles
only quick people remain.
"""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import NDArray

from epcg_research.statistics.estimates import finite


def scores_within(responses: NDArray[np.float64], longer: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Score each person's responses: by how many of the person's others are known to be smaller or larger.

    E. A. Gehan, "A generalized Wilcoxon test for comparing arbitrarily singly-censored samples", Biometrika
    52 (1965), 203-223, within people. A response that is smaller than s of the person's k, and larger than l,
    scores 1/2 + (l - s) / 2k, which without any that are longer is the rank as a share of k.

    Args:
        responses: (people, puzzles) numbers; NaN where there is no answer.
        longer: (people, puzzles) whether the person gave up then.

    Returns:
        (people, puzzles) scores between 0 and 1; NaN where there is no answer, and of people with one.
    """
    found = np.full(responses.shape, np.nan)
    for row, (own, open_) in enumerate(zip(responses, longer, strict=True)):
        there = np.flatnonzero(np.isfinite(own))
        if len(there) < 2:
            continue
        value, later = own[there], open_[there]
        # [i, j]: whether i is known to be larger than j, which then was measured to its end
        larger = (value[:, None] > value) | ((value[:, None] == value) & later[:, None])
        larger &= ~later
        known = larger.sum(axis=1) - larger.sum(axis=0)
        found[row, there] = 0.5 + known / (2 * len(there))
    return found


def medians(responses: NDArray[np.float64], longer: NDArray[np.bool_]) -> NDArray[np.float64]:
    """Return the median of each puzzle's people by the estimate of the shares that need longer.

    E. L. Kaplan & P. Meier, "Nonparametric estimation from incomplete observations", JASA 53 (1958), 457-481.
    It takes for granted that who gives up at a time would have needed as long as others who had not solved
    the puzzle then, or longer.

    Args:
        responses: (people, puzzles) numbers; NaN where there is no answer.
        longer: (people, puzzles) whether the person gave up then.

    Returns:
        (puzzles,) medians: infinite if half are not known to solve the puzzle at all, NaN without an answer.
    """
    found = np.full(responses.shape[1], np.nan)
    for column in range(responses.shape[1]):
        there = np.isfinite(responses[:, column])
        values, open_ = responses[there, column], longer[there, column]
        if not len(values):
            continue
        found[column] = np.median(values) if not open_.any() else _median(values, open_)
    return found


def _median(values: NDArray[np.float64], longer: NDArray[np.bool_]) -> float:
    share, half_at = 1.0, None
    for time in np.unique(values[~longer]).tolist():
        if half_at is not None:  # half need longer than then: the middle between there and here, as usual
            return (half_at + float(time)) / 2
        share *= 1 - float(((values == time) & ~longer).sum()) / float((values >= time).sum())
        if math.isclose(share, 0.5):
            half_at = float(time)
        elif share < 0.5:
            return float(time)
    return math.inf


def median_interval(
    values: NDArray[np.float64], longer: NDArray[np.bool_], confidence: float
) -> tuple[float | None, float | None]:
    """Return the interval of a median of times with give-ups.

    Those times at which the share that needs longer is not known to differ from a half: R. Brookmeyer &
    J. Crowley, "A confidence interval for the median survival time", Biometrics 38 (1982), 29-41, by
    statsmodels' SurvfuncRight with Greenwood's variance of log(-log) of the share.

    Args:
        values: (n,) numbers.
        longer: (n,) whether the person gave up then.
        confidence: of the interval.

    Returns:
        The lower and the upper end; None for an end that the answers do not have.
    """
    if len(values) < 2 or longer.all():
        return None, None
    from statsmodels.duration.survfunc import SurvfuncRight

    with np.errstate(all="ignore"):
        low, high = SurvfuncRight(values, ~longer).quantile_ci(0.5, alpha=1 - confidence)
    return finite(low), finite(high)


def ordered(points: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return points for a correlation of ranks: those that are infinite are above all others, and equal."""
    known = points[np.isfinite(points)]
    return np.where(np.isposinf(points), (known.max() if len(known) else 0.0) + 1.0, points)
