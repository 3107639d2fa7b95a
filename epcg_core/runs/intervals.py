"""Intervals for all candidates of a run from a sample that was drawn evenly, without replacement.

A share has the exact interval of Clopper and Pearson (1934). A mean has none that holds for every
distribution: values that were not drawn can be anything (Bahadur & Savage 1956). So a mean has an interval if
the drawn values tell enough of the others, and otherwise a sentence that says why it has none.

- One value and rare others: the others' share times their mean, with the uncertainty of both (Zou, Huang &
  Zhang 2009). Two values are a share. One value alone says nothing of the others, but that they are rare.
- Else Student's t, corrected for the skewness of the values (Hall 1992), which is as good as the bootstrap-t.
  A sample shows less skewness than there is, so a third is added, and the interval is wider by as much.
- No interval if a few values decide the skewness, or the largest values lie as far apart as those of a
  distribution without a variance do (Hill 1975).

`benchmarks/estimates.py` measures how often the intervals hold.
"""

from __future__ import annotations

import math
from functools import lru_cache
from statistics import NormalDist
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

CONFIDENCE = 0.95
LEAST_FOR_A_MEAN = 30
"""Fewest values of which a mean has an interval."""
RARE = 50
"""If fewer values, and fewer than half, differ from the most frequent one, they are a share of their own."""
FEWEST_RARE = 5
"""Fewest of them that tell how they differ among themselves."""
MOST_SKEWED = 0.6
"""Above it a few values decide the mean: skewness / sqrt(n), which is 1 if only one value differs."""
HEAVIEST = 0.65
"""The logarithm of how far the largest tenth of the values exceeds its least one, in the mean; far out, a
distribution with a variance has less than 0.5."""
FEWEST_FREE = 4
"""Fewest degrees of freedom of an error that says anything."""
UNSEEN_SKEWNESS = 1.3
MADE_FOR = 0.96
"""The confidence for which means are computed: the approximation may fail by the rest."""
Z = NormalDist().inv_cdf(0.5 + MADE_FOR / 2)


@attrs.frozen
class Estimated:
    """An estimate and the ends of its interval; None for ends that there are not."""

    value: float
    low: float | None
    high: float | None
    why: str = ""
    """Why there is no interval, as in 'few values decide it'; empty if there is one."""


@attrs.frozen
class Limits:
    """Between which values a metric lies; None for ends that are not known."""

    low: float | None = None
    high: float | None = None

    def within(self, found: Estimated) -> Estimated:
        """Return an estimate whose interval does not leave the limits."""
        if found.low is None or found.high is None:
            return found
        low = found.low if self.low is None else max(found.low, self.low)
        high = found.high if self.high is None else min(found.high, self.high)
        return attrs.evolve(found, low=low, high=high)

    def admit(self, values: NDArray[np.float64]) -> bool:
        """Return whether no value contradicts the limits."""
        return not (
            (self.low is not None and values.min() < self.low)
            or (self.high is not None and values.max() > self.high)
        )


UNLIMITED = Limits()


def sampled_share(count: int, size: int, population: int) -> Estimated:
    """Estimate the share of which `count` were found in a sample, with Clopper and Pearson's interval.

    Of a finite population the sample counts as a larger one (Korn & Graubard 1998), and the ends are whole
    numbers of candidates.
    """
    found = count / size
    if size >= population:
        return Estimated(found, found, found)
    weight = (population - 1) / (population - size)
    low = _lowest_share(count * weight, size * weight)
    high = 1 - _lowest_share((size - count) * weight, size * weight)
    # the observed extremes bound the interval
    low = max(math.floor(low * population + 1e-9) / population, count / population)
    high = min(math.ceil(high * population - 1e-9) / population, 1 - (size - count) / population)
    return Estimated(found, min(low, found), max(high, found))


def mean(values: NDArray[Any], size: int, population: int, limits: Limits = UNLIMITED) -> Estimated:
    """Estimate the mean of all candidates with a value, from those among `size` sampled ones.

    Args:
        values: (n,) the values of the sampled candidates that have one, n >= 1.
        size: how many candidates were sampled.
        population: how many there are.
        limits: between which values the metric lies.
    """
    numbers = values.astype(np.float64)
    with np.errstate(over="ignore", invalid="ignore"):  # the mean of infinities is NaN
        found = float(numbers.mean())
    if not math.isfinite(found) or not np.isfinite(numbers).all():
        return Estimated(found, None, None, "values are infinite, or too large to add up")
    if size >= population:
        return Estimated(found, found, found)
    if len(numbers) < LEAST_FOR_A_MEAN:
        return Estimated(found, None, None, f"there are fewer than {LEAST_FOR_A_MEAN} values")
    if not limits.admit(numbers):
        limits = UNLIMITED
    most = len(numbers) + population - size  # of those that are not sampled, any may have a value
    scale = float(np.abs(numbers).max()) or 1.0  # so that no power overflows
    within = Limits(*(None if end is None else end / scale for end in (limits.low, limits.high)))
    told = _mean(numbers / scale, most, 1 - size / population, within)
    if told.low is None or told.high is None:
        return Estimated(found, None, None, told.why)
    ends = Estimated(found, min(told.low * scale, found), max(told.high * scale, found))
    return limits.within(ends)


def at_most_better(size: int, population: int) -> int:
    """Bound the number of candidates better than the best of a sample, with 95 % confidence.

    If more were better, a sample would miss all of them with a probability below 5 %.
    """
    taken = np.arange(size, dtype=np.float64)

    def log_missed(better: int) -> float:
        return float(np.log1p(-better / (population - taken)).sum())

    low, high = 0, population - size
    while low < high:  # the largest number that is missed with 5 % or more
        middle = (low + high + 1) // 2
        if log_missed(middle) >= math.log(1 - CONFIDENCE):
            low = middle
        else:
            high = middle - 1
    return low


def _mean(values: NDArray[np.float64], most: int, left: float, limits: Limits) -> Estimated:
    """Estimate a mean; `left` is the share of the candidates that were not sampled."""
    found, counts = np.unique(values, return_counts=True)
    common = float(found[np.argmax(counts)])
    rare = values[values != common] - common
    if len(found) > 2 and len(rare) >= min(RARE, len(values) / 2):
        return _skewed(values, left)
    share = sampled_share(len(rare), len(values), most)
    told = _rare(rare, share, left)
    if told is not None:
        assert told.low is not None
        assert told.high is not None
        return Estimated(common + told.value, common + told.low, common + told.high)
    whole = _skewed(values, left) if len(rare) >= 2 else Estimated(float(values.mean()), None, None)
    if whole.low is not None:
        return whole
    assert share.high is not None
    if limits.low is not None and limits.high is not None:
        low, high = (share.high * (end - common) for end in (limits.low, limits.high))
        return Estimated(float(values.mean()), common + low, common + high)
    return attrs.evolve(whole, why=_few(len(values), len(rare), share.high))


def _few(size: int, rare: int, high: float) -> str:
    """Say why rare values give no interval."""
    if rare:
        return f"few values decide it ({rare:,} of {size:,} differ from the others)"
    return f"all {size:,} values are equal, and up to {high:.2%} of all can be any other"


def _rare(others: NDArray[np.float64], share: Estimated, left: float) -> Estimated | None:
    """Estimate a share times the mean of `others`; None if these do not tell enough of each other."""
    if len(others) < 2:
        return None
    if (others == others[0]).all():
        theirs = Estimated(float(others[0]), float(others[0]), float(others[0]))
    elif len(others) < FEWEST_RARE:
        return None
    else:
        theirs = _skewed(others, left)
    if theirs.low is None or theirs.high is None:
        return None
    assert share.low is not None
    assert share.high is not None
    product = share.value * theirs.value
    ends = (share.low * theirs.value, share.high * theirs.value)
    low = math.hypot(product - min(ends), share.value * (theirs.value - theirs.low))
    high = math.hypot(max(ends) - product, share.value * (theirs.high - theirs.value))
    return Estimated(product, product - low, product + high)


def _skewed(values: NDArray[np.float64], left: float) -> Estimated:
    """Estimate a mean by Student's t, corrected for skewness."""
    size = len(values)
    middle, deviation = float(values.mean()), float(values.std())
    if not deviation:
        return Estimated(middle, None, None, "all values are equal")
    skew = float((((values - middle) / deviation) ** 3).mean()) / math.sqrt(size)
    error = deviation / math.sqrt(size - 1) * math.sqrt(left)
    return skewed(middle, error, skew, size, values)


def skewed(
    middle: float, error: float, skew: float, freedom: float, values: NDArray[np.float64]
) -> Estimated:
    """Return an estimate with an interval by Student's t, corrected for skewness.

    Args:
        middle: the estimate.
        error: its standard error.
        skew: the third moment of what the values add to it, over the second to the power of 3/2.
        freedom: the degrees of freedom of the error.
        values: (n,) the values, or what each adds.
    """
    if abs(skew) > MOST_SKEWED or freedom < FEWEST_FREE or _is_heavy(values):
        return Estimated(middle, None, None, "few values decide it")
    skew *= UNSEEN_SKEWNESS
    quantile = Z + (Z**3 + Z) / (4 * freedom) + abs(skew)  # of Student's t, to the first order
    low, high = (middle - _turned(q, skew) * error for q in (quantile, -quantile))
    return Estimated(middle, low, high)


def _turned(quantile: float, skew: float) -> float:
    """Return the quantile of t for skewed values that belongs to one of the normal distribution."""
    if abs(skew) < 1e-6:
        return quantile
    return 3 / skew * (math.cbrt(1 + skew * (quantile - skew / 6)) - 1)


def _is_heavy(values: NDArray[np.float64]) -> bool:
    """Return whether the largest or the smallest values lie as far apart as without a variance."""
    for side in (values, -values):
        ordered = np.sort(side)
        distances = ordered - ordered[len(ordered) // 4]
        distances = distances[distances > 0]
        number = max(10, len(distances) // 10)
        if len(distances) > 4 * number:
            excess = np.log(distances[-number:] / distances[-number - 1]).mean()
            if excess > HEAVIEST + 0.4 / math.sqrt(number):
                return True
    return False


def gamma_quantile(shape: float, tail: float) -> float:
    """Return the quantile of the gamma distribution of scale 1: that of a beta distribution, far away."""
    return 1e9 * _lowest_share(shape, 1e9, tail)


@lru_cache(maxsize=4096)
def _lowest_share(count: float, size: float, tail: float = (1 - CONFIDENCE) / 2) -> float:
    """Return the share with which `count` or more of `size` are found in a share `tail` of all samples."""
    if count <= 0:
        return 0.0
    a, b = count, size - count + 1
    scale = math.lgamma(a + b) - math.lgamma(a) - math.lgamma(b)
    low, high = 0.0, 1.0
    share = count / size / 2
    for _ in range(200):  # Newton's steps, within an interval that holds the solution
        found = _incomplete_beta(share, a, b, scale)
        low, high = (share, high) if found < tail else (low, share)
        slope = math.exp(scale + (a - 1) * math.log(share) + (b - 1) * math.log1p(-share))
        step = share - (found - tail) / slope if slope else low
        step = step if low < step < high else (low + high) / 2
        if abs(step - share) <= 1e-12 * share or high - low <= 1e-14 * high:
            return step
        share = step
    return low


def _incomplete_beta(x: float, a: float, b: float, scale: float) -> float:
    """Return the regularized incomplete beta function by its continued fraction (DLMF 8.17.22, Lentz 1976).

    `scale` is the logarithm of 1 / B(a, b).
    """
    if x > (a + 1) / (a + b + 2):
        return 1 - _incomplete_beta(1 - x, b, a, scale)
    tiny = 1e-300
    c, d = 1.0, 1 - (a + b) * x / (a + 1)
    d = 1 / (d if abs(d) > tiny else tiny)
    found = d
    for m in range(1, 100_000):
        for term in (
            m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m)),
            -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1)),
        ):
            d = 1 + term * d
            d = 1 / (d if abs(d) > tiny else tiny)
            c = 1 + term / c
            c = c if abs(c) > tiny else tiny
            found *= c * d
        if abs(c * d - 1) < 1e-14:
            break
    return found * math.exp(scale + a * math.log(x) + b * math.log1p(-x)) / a
