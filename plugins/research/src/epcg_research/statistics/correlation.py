"""Correlations of two measures, and whether one of two measures correlates more with a response."""

from __future__ import annotations

import math
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.estimates import (
    CONFIDENCE,
    Estimate,
    check_confidence,
    equally_many,
    is_constant,
    numbers,
    quantile,
)

Method = Literal["pearson", "spearman", "kendall"]
METHODS: tuple[Method, ...] = get_args(Method)
NAMES = {"pearson": "Pearson's r", "spearman": "Spearman's rho", "kendall": "Kendall's tau-b"}
INTERVALS = {
    "pearson": "Fisher's z, variance 1 / (n - 3)",
    "spearman": "Fisher's z, variance (1 + rho^2 / 2) / (n - 3) (Bonett & Wright 2000)",
    "kendall": "Fisher's z, variance 0.437 / (n - 4) (Fieller, Hartley & Pearson 1957)",
}
ASSUMES = {
    "pearson": "pairs that are independent of each other, and both sides normal",
    "spearman": "pairs that are independent of each other, and a monotonic relation with few ties",
    "kendall": "pairs that are independent of each other, with few ties",
}
MOST_EXACT = 8
"""Pairs: up to so many, p of rank correlations is that of all n! orders (40,320 of 8)."""
MOST_EXACT_OF_KENDALL = 33
"""Pairs without ties, as scipy chooses."""
_LEAST = {"pearson": 4, "spearman": 4, "kendall": 5}
"""The fewest pairs for which the variance of Fisher's z is a positive number."""
PERFECT = 1 - 1e-12


def correlation(
    x: ArrayLike, y: ArrayLike, method: Method = "spearman", confidence: float = CONFIDENCE
) -> Estimate:
    """Correlate two measures of the same things.

    The intervals are those of Fisher's z with a variance for each coefficient: D. G. Bonett & T. A. Wright,
    "Sample size requirements for estimating Pearson, Kendall and Spearman correlations", Psychometrika 65
    (2000), 23-28. scipy gives coefficients and p: Pearson's by Student's t; those of rank
    correlations over all orders of up to 8 pairs, of more by t (Spearman), exactly up to 33 pairs
    without ties or by the normal approximation (Kendall's tau-b).

    Args:
        x: (n,) the values of one measure.
        y: (n,) those of the other, in the same order.
        method: 'pearson', 'spearman' or 'kendall'.
        confidence: of the interval.

    Returns:
        The coefficient. Without a value if there are fewer than two pairs or one side is constant; without an
        interval below four pairs (Kendall: five) or if the relation is perfect.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    one, other = numbers(x, "x"), numbers(y, "y")
    equally_many(one, other, "A correlation")
    check_confidence(confidence)
    if method not in METHODS:
        raise EpcgError(f"'{method}' is not a correlation: there are {', '.join(METHODS)}.")
    n = len(one)
    value, p, test = None, None, ""
    if note := _undetermined(one, other):
        low = high = None
    else:
        value, p, test = _computed(one, other, method)
        low, high, note = interval(value, n, method, confidence)
    return Estimate(
        NAMES[method], value, n, test or "not computed", ASSUMES[method], low, high,
        "" if low is None else INTERVALS[method], p, note, confidence,
    )  # fmt: skip


def _undetermined(one: NDArray[np.float64], other: NDArray[np.float64]) -> str:
    """Say why two measures have no correlation; '' if they have one."""
    if len(one) < 2:
        return f"No correlation: there {'is one pair' if len(one) else 'are no pairs'}, and two are needed."
    for side, values in (("first", one), ("second", other)):
        if is_constant(values):
            return f"No correlation: the {side} measure is {values[0]:g} for all {len(values)}."
    return ""


def _computed(
    one: NDArray[np.float64], other: NDArray[np.float64], method: Method
) -> tuple[float, float | None, str]:
    """Return (coefficient, p, words for the test)."""
    from scipy import stats

    n = len(one)
    if method == "pearson":
        if n == 2:
            return (
                _clipped(stats.pearsonr(one, other).statistic),
                None,
                "scipy's pearsonr, no test of two pairs",
            )
        both = stats.pearsonr(one, other)
        return _clipped(both.statistic), float(both.pvalue), "scipy's pearsonr, Student's t test"
    of = stats.kendalltau if method == "kendall" else stats.spearmanr
    value, name = _clipped(of(one, other).statistic), f"scipy's {of.__name__}"
    if n <= MOST_EXACT:
        return value, _exact_p(one, other, method), f"{name}, test over all {math.factorial(n):,} orders"
    if method == "spearman":
        return value, float(of(one, other).pvalue), f"{name}, Student's t test of the ranks"
    ties = len(np.unique(one)) < n or len(np.unique(other)) < n
    exact = not ties and n <= MOST_EXACT_OF_KENDALL
    p = float(of(one, other, method="exact" if exact else "asymptotic").pvalue)
    return value, p, f"{name}, {'exact test' if exact else 'normal approximation of the test'}"


def _exact_p(one: NDArray[np.float64], other: NDArray[np.float64], method: Method) -> float:
    """Return the share of all orders of one side that correlate, by rank, at least as strongly."""
    from scipy import stats

    first, second = stats.rankdata(one), stats.rankdata(other)
    i, j = np.triu_indices(len(one), 1)
    signs, centred = np.sign(second[i] - second[j]), second - second.mean()

    def score(ranks: NDArray[np.float64], axis: int = -1) -> Any:
        if method == "kendall":
            return (np.sign(ranks[..., i] - ranks[..., j]) * signs).sum(axis=-1)
        return np.round((ranks * centred).sum(axis=-1), 6)  # of halves: equal sums must be equal

    found = stats.permutation_test(
        (first,), score, permutation_type="pairings", n_resamples=np.inf, vectorized=True, axis=-1
    )
    return float(found.pvalue)


def _clipped(value: Any) -> float:
    return min(1.0, max(-1.0, float(value)))


def deviation(value: float, n: int, method: Method) -> float:
    """Return the standard deviation of Fisher's z of a coefficient of `n` pairs."""
    if method == "kendall":
        return math.sqrt(0.437 / (n - 4))
    return math.sqrt((1 + value**2 / 2 if method == "spearman" else 1) / (n - 3))


def interval(
    value: float, n: int, method: Method, confidence: float = CONFIDENCE
) -> tuple[float | None, float | None, str]:
    """Return (low, high, '') of a coefficient of `n` pairs, or (None, None, why there is no interval)."""
    if n < _LEAST[method]:
        return None, None, f"No interval: {n} pairs are too few, it takes {_LEAST[method]}."
    if abs(value) >= PERFECT:
        return None, None, f"No interval: the relation of these {n} is perfect, and Fisher's z is infinite."
    half = quantile(confidence) * deviation(value, n, method)
    return math.tanh(math.atanh(value) - half), math.tanh(math.atanh(value) + half), ""


def difference(
    y: ArrayLike,
    first: ArrayLike,
    second: ArrayLike,
    method: Method = "spearman",
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Compare the correlations of two measures with one response, over the same puzzles.

    The interval joins those of the two correlations, with the correlation between them: G. Y. Zou, "Toward
    using confidence intervals to compare correlations", Psychological Methods 12 (2007), 399-413, with
    I. Olkin & M. Siotani's covariance. For rank correlations the covariance is an approximation.

    Args:
        y: (n,) the response.
        first: (n,) one measure.
        second: (n,) the other.
        method: the correlation.
        confidence: of the interval.

    Returns:
        The first correlation minus the second, without p: a difference is there if 0 is outside the interval.

    Raises:
        EpcgError: as `correlation`.
    """
    one, other = correlation(first, y, method, confidence), correlation(second, y, method, confidence)
    between = correlation(first, second, method, confidence)
    name = f"difference of two {NAMES[method]}"
    assumes = f"{ASSUMES[method]}; n that is not small"
    parts = (one, other, between)
    if note := next((part.note for part in parts if part.value is None), ""):
        return Estimate(name, None, one.n, "not computed", assumes, note=note, confidence=confidence)
    assert one.value is not None
    assert other.value is not None
    assert between.value is not None
    value, low, high = one.value - other.value, None, None
    note = next((part.note for part in (one, other) if part.low is None), "")
    if not note:
        low, high = _joined(one, other, between.value)
    made = "" if low is None else "Zou 2007, of two correlations that depend on each other"
    return Estimate(
        name, value, one.n, "the correlations of two measures with one response, subtracted", assumes,
        low, high, made, None, note, confidence,
    )  # fmt: skip


def _joined(one: Estimate, other: Estimate, r23: float) -> tuple[float, float]:
    r12, r13 = one.value, other.value
    assert r12 is not None
    assert r13 is not None
    assert one.low is not None
    assert one.high is not None
    assert other.low is not None
    assert other.high is not None
    c = (r23 - r12 * r13 / 2) * (1 - r12**2 - r13**2 - r23**2) + r23**3
    c = min(1.0, max(-1.0, c / ((1 - r12**2) * (1 - r13**2))))
    down, up = r12 - one.low, other.high - r13
    below = math.sqrt(max(0.0, down**2 + up**2 - 2 * c * down * up))
    up, down = one.high - r12, r13 - other.low
    above = math.sqrt(max(0.0, up**2 + down**2 - 2 * c * up * down))
    return r12 - r13 - below, r12 - r13 + above
