"""Two conditions compared: pairs, groups, and choices of one of two."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.estimates import (
    CONFIDENCE,
    Estimate,
    check_confidence,
    equally_many,
    numbers,
)
from epcg_research.statistics.resampling import REPETITIONS, bias_corrected

LEAST_PAIRS = 6
"""Differences: below, no arrangement of signs has a two-sided p under 0.05."""
MOST_EXACT_PAIRS, MOST_EXACT_GROUP = 50, 8
"""Pairs, and values of the smaller group, up to which p is exact if there are no ties, as scipy chooses."""
MOST_ARRANGEMENTS = 20_000
"""Of signs, or of values in two groups: up to so many all are counted if there are ties."""


def paired(
    first: ArrayLike,
    second: ArrayLike,
    confidence: float = CONFIDENCE,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Estimate:
    """Compare two numbers of each person: Wilcoxon's signed-rank test, and its effect size.

    The effect size is the matched-pairs rank-biserial correlation: the sum of the ranks of positive
    differences minus that of negative ones, as a share of both (D. S. Kerby, "The simple difference formula",
    Comprehensive Psychology 3, 2014). Differences of 0 are left out, as Wilcoxon did. The interval resamples
    pairs (bias-corrected percentiles).

    Args:
        first: (n,) one number of each person.
        second: (n,) the other.
        confidence: of the interval.
        repetitions: of the bootstrap.
        seed: of the bootstrap.

    Returns:
        The effect size from -1 to 1, positive if the first numbers are larger; n counts pairs that differ.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    from scipy import stats

    one, other = numbers(first, "first"), numbers(second, "second")
    equally_many(one, other, "Pairs")
    check_confidence(confidence)
    change = one - other
    differing = change[change != 0]
    n = len(differing)
    name = "matched rank-biserial correlation"
    assumes = "pairs that are independent of each other, and differences that can be ranked"
    if not n:
        note = f"No effect size: no two numbers of the {len(one)} pairs differ." if len(one) else "No pairs."
        return Estimate(name, None, 0, "not computed", assumes, note=note, confidence=confidence)
    value = float(_biserial(differing[None, :])[0])
    ties = len(np.unique(np.abs(differing))) < n
    how, test = _test(2**n, ties, n <= MOST_EXACT_PAIRS)
    p = float(stats.wilcoxon(differing, method=how).pvalue)
    method = f"Wilcoxon's signed-rank test (scipy's wilcoxon, {test}), {len(one) - n} equal pairs left out"
    low = high = None
    note = f"No interval: {n} pairs differ, and it takes {LEAST_PAIRS}." if n < LEAST_PAIRS else ""
    if not note and abs(value) == 1:
        note = f"No interval: all {n} differences have one sign, and resampling them says nothing else."
    if not note:
        draws = np.random.default_rng(seed).integers(0, n, (repetitions, n))
        low, high = bias_corrected(_biserial(differing[draws]), value, confidence)
    made = "" if low is None else f"bias-corrected bootstrap, {repetitions:,} resamples of the pairs"
    return Estimate(name, value, n, method, assumes, low, high, made, p, note, confidence)


def _test(arrangements: int, ties: bool, small: bool) -> tuple[Any, str]:
    """Return how scipy is to find p, and words for it; the same with every version of scipy."""
    from scipy import stats

    if not ties and small:
        return "exact", "exact"
    if arrangements <= MOST_ARRANGEMENTS:
        return stats.PermutationMethod(n_resamples=np.inf), f"over all {arrangements:,} arrangements"
    return "asymptotic", "normal approximation with correction for ties"


def _biserial(differences: NDArray[np.float64]) -> NDArray[np.float64]:
    """Return (r,) the effect sizes of (r, n) differences, none of them 0."""
    from scipy import stats

    ranks = stats.rankdata(np.abs(differences), axis=1)
    share: NDArray[np.float64] = (np.sign(differences) * ranks).sum(axis=1) / ranks.sum(axis=1)
    return share


def unpaired(first: ArrayLike, second: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Compare two groups: the rank-sum test of Mann and Whitney, and Cliff's delta.

    Delta is the probability that a value of the first group is larger than one of the second, minus that it
    is smaller: N. Cliff, "Dominance statistics: ordinal analyses to answer ordinal questions", Psychological
    Bulletin 114 (1993), 494-509. The interval is asymmetric, from his unbiased variance and Student's t:
    D. Feng & N. Cliff, "Monte Carlo evaluation of ordinal d with improved confidence interval", Journal of
    Modern Applied Statistical Methods 3 (2004), 322-332.

    Args:
        first: (n,) the values of one group.
        second: (m,) those of the other.
        confidence: of the interval.

    Returns:
        Delta from -1 to 1; n counts the values of both groups.

    Raises:
        EpcgError: if a value is not finite.
    """
    from scipy import stats

    one, other = numbers(first, "first"), numbers(second, "second")
    check_confidence(confidence)
    n, m = len(one), len(other)
    name, assumes = "Cliff's delta", "values that are independent of each other, within groups and between"
    if not n or not m:
        note = f"No comparison: the groups have {n} and {m} values, and each needs one."
        return Estimate(name, None, n + m, "not computed", assumes, note=note, confidence=confidence)
    signs = np.sign(one[:, None] - other[None, :])
    delta = float(signs.mean())
    ties = len(np.unique(np.concatenate([one, other]))) < n + m
    if min(n, m) < 2:
        note = f"No interval and no test: the groups have {n} and {m} values, and each needs two."
        return Estimate(name, delta, n + m, "dominance", assumes, note=note, confidence=confidence)
    how, test = _test(math.comb(n + m, n), ties, min(n, m) <= MOST_EXACT_GROUP)
    p = float(stats.mannwhitneyu(one, other, alternative="two-sided", method=how).pvalue)
    method = f"rank-sum test of Mann and Whitney (scipy's mannwhitneyu, {test}), groups of {n} and {m}"
    low = high = None
    note = ""
    if abs(delta) == 1:
        note = "No interval: the groups do not overlap."
    else:
        low, high = _interval_of_delta(signs, delta, confidence)
    made = "" if low is None else "asymmetric, from the unbiased variance (Feng & Cliff 2004)"
    return Estimate(name, delta, n + m, method, assumes, low, high, made, p, note, confidence)


def _interval_of_delta(signs: NDArray[np.float64], delta: float, confidence: float) -> tuple[float, float]:
    from scipy import stats

    n, m = signs.shape
    rows, columns = signs.mean(axis=1) - delta, signs.mean(axis=0) - delta
    total = m**2 * (rows**2).sum() + n**2 * (columns**2).sum() - ((signs - delta) ** 2).sum()
    variance = float(total) / (n * m * (n - 1) * (m - 1))
    variance = max(variance, (1 - delta**2) / (n * m - 1))  # an unbiased variance can be negative
    z = float(stats.t.ppf(0.5 + confidence / 2, n + m - 2))
    half = z * math.sqrt(variance * ((1 - delta**2) ** 2 + z**2 * variance))
    below = 1 - delta**2 + z**2 * variance
    return max(-1.0, (delta - delta**3 - half) / below), min(1.0, (delta - delta**3 + half) / below)


def preferred(chosen: int, of: int, confidence: float = CONFIDENCE) -> Estimate:
    """Estimate the share of choices that went to one of two: Wilson's interval and the exact binomial test.

    The interval is that of E. B. Wilson, "Probable inference, the law of succession, and statistical
    inference", JASA 22 (1927), 209-212, without continuity correction.

    Args:
        chosen: how many choices went to it.
        of: how many choices there were; those of equal preference are not among them.
        confidence: of the interval.

    Returns:
        The share; p is of the hypothesis that both are chosen equally often.

    Raises:
        EpcgError: if the numbers are not counts with 0 <= chosen <= of.
    """
    from scipy import stats

    check_confidence(confidence)
    if not 0 <= chosen <= of:
        raise EpcgError(f"{chosen} of {of} choices: both must be counts, and the first not the larger one.")
    name, assumes = "share preferred", "choices that are independent of each other: one of each person, say"
    if not of:
        note = "No share: there are no choices."
        return Estimate(name, None, 0, "not computed", assumes, note=note, confidence=confidence)
    found: Any = stats.binomtest(chosen, of, 0.5)
    low, high = found.proportion_ci(confidence, method="wilson")
    return Estimate(
        name, chosen / of, of, "exact binomial test against one half (scipy's binomtest)", assumes,
        float(low), float(high), "Wilson 1927", float(found.pvalue), "", confidence,
    )  # fmt: skip
