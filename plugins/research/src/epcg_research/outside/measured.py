"""What a list of contents has of a whole space: how much of it, which part, and how evenly."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Metric
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate

Ints = NDArray[np.int64]
Floats = NDArray[np.float64]
MOST_VALUES = 20
"""Different values that are bins of their own; more are cut into as many bins of about equal size."""
BEST = 0.01
"""The share of all candidates that are called the best."""
DRAWS = 2_000
"""Lists that are drawn evenly to say how far one of this length lies from the whole by chance."""


@attrs.frozen
class Copies:
    """How often contents are there several times: the same ones, or up to symmetry."""

    different: int
    of: int | None
    """All that there are in the space; None if that was not counted."""
    pairs: int
    """Pairs of contents of the list that are the same."""
    expected: float | None
    """How many would be different if as many were drawn evenly; None if `of` is not known."""
    worth: float | None
    """As many equally likely contents make as many pairs, on average; None without a pair."""


@attrs.frozen
class Bin:
    """Candidates with values, or ranks, from one number to another."""

    low: float
    high: float
    listed: int
    whole: int
    share: float
    """Of the list."""
    of_all: float
    """Of the whole."""
    share_low: float
    share_high: float
    """Wilson's interval of the share, adjusted for the number of bins."""

    @property
    def off(self) -> bool:
        """Whether the share of the whole is outside of the interval."""
        return not self.share_low <= self.of_all <= self.share_high


@attrs.frozen
class Distance:
    """How far a list lies from the whole in bins: half the sum of what shares differ by (total variation)."""

    value: float
    by_chance: float
    """The mean over lists that are drawn evenly."""
    p: float
    """How often such a list is as far away, or farther."""
    bins: tuple[Bin, ...]


@attrs.frozen
class Beside:
    """A measure of a list of contents, beside that of the whole space."""

    metric: Metric
    valued: int
    """Contents of the list with a value."""
    whole: int
    """Candidates with a value."""
    mean: float
    mean_of_all: float
    median: float
    median_of_all: float
    best: float
    """The best of the list, by the direction of the metric."""
    best_rank: int
    best_of_all: float
    better: int
    """Candidates of the whole that are better than the best of the list."""
    among_best: Estimate
    """The share of the list that is among the best of all, beside `among_best_of_all`."""
    among_best_of_all: float
    more: Estimate
    """How often a content of the list has more than a candidate of the whole, minus how often it has less."""
    distance: Distance
    more_adjusted: float | None = None
    distance_adjusted: float | None = None
    """p, adjusted for all measures that were asked together."""


def copies(classes: Ints, of: int | None) -> Copies:
    """Count contents that are there several times.

    Args:
        classes: (n,) a number for each content of the list; equal ones are the same.
        of: how many there are in the space; None if that is not known.
    """
    n = len(classes)
    _, counts = np.unique(classes, return_counts=True)
    pairs = int((counts * (counts - 1) // 2).sum())
    expected = None if not of else -of * math.expm1(n * math.log1p(-1 / of)) if of > 1 else 1.0
    worth = n * (n - 1) / 2 / pairs if pairs else None
    return Copies(len(counts), of, pairs, expected, worth)


def beside(
    metric: Metric, ranks: Ints, values: Floats, all_values: Floats, all_counts: Ints, seed: int = 0
) -> Beside | None:
    """Compare a measure of a list with that of all candidates.

    Args:
        metric: the measure.
        ranks: (n,) the contents.
        values: (n,) their values, NaN for none.
        all_values: (m,) the different values of all candidates, ascending.
        all_counts: (m,) how many candidates have each.
        seed: of the lists that are drawn evenly.

    Returns:
        None if no content of the list has a value.
    """
    there = np.isfinite(values)
    own, at = values[there], ranks[there]
    if not len(own):
        return None
    whole = int(all_counts.sum())
    sign = -1.0 if metric.direction == "min" else 1.0
    best = int(np.argmax(sign * own))
    better = int(all_counts[sign * all_values > sign * own[best]].sum())
    order = np.argsort(-sign * all_values, kind="stable")
    reach = np.cumsum(all_counts[order])
    limit = all_values[order][int(np.searchsorted(reach, BEST * whole - 1e-9 * whole))]
    among = int((sign * own >= sign * limit).sum())
    return Beside(
        metric,
        len(own),
        whole,
        float(own.mean()),
        float((all_values * all_counts).sum() / whole),
        float(np.median(own)),
        _quantile(all_values, all_counts, 0.5),
        float(own[best]),
        int(at[best]),
        float(all_values[order][0]),
        better,
        statistics.preferred(among, len(own)),
        float(all_counts[sign * all_values >= sign * limit].sum() / whole),
        _more(own, all_values, all_counts),
        distance(own, *_bins(all_values, all_counts), seed=seed),
    )


def together(found: Sequence[Beside], adjust: Adjustment) -> list[Beside]:
    """Return comparisons with p adjusted for their number."""
    more = statistics.adjusted([each.more.p for each in found], adjust)
    far = statistics.adjusted([each.distance.p for each in found], adjust)
    return [
        attrs.evolve(each, more_adjusted=p, distance_adjusted=q)
        for each, p, q in zip(found, more, far, strict=True)
    ]


def _quantile(values: Floats, counts: Ints, share: float) -> float:
    """Return the quantile as numpy has it, of values with counts."""
    ends, place = np.cumsum(counts), share * (int(counts.sum()) - 1)
    low, high = (
        float(values[int(np.searchsorted(ends, index, side="right"))])
        for index in (math.floor(place), math.ceil(place))
    )
    return low + (high - low) * (place - math.floor(place))


def _more(own: Floats, values: Floats, counts: Ints) -> Estimate:
    """Compare a list with the whole, of which all is known: by the share of it that each content exceeds.

    Of contents that are drawn evenly the mean is 0, and the variance that of the whole, so p is by the normal
    distribution; below ten contents, or if all candidates are equal, there is none.
    """
    whole = int(counts.sum())
    below = np.cumsum(counts) - counts
    scores = (2 * below + counts - whole) / whole  # how much more often it has more than less
    value = float(scores[np.searchsorted(values, own)].mean())
    variance = float((scores**2 * counts).sum() / whole)
    p, note = None, ""
    if len(own) >= 10 and variance > 0:
        p = math.erfc(abs(value) / math.sqrt(2 * variance / len(own)))
    else:
        note = "No p: there are fewer than ten contents, or all candidates have the same value."
    return Estimate(
        "dominance over the whole", value, len(own), "normal approximation, with the variance of the whole",
        "contents that were made independently of each other", p=p, note=note,
    )  # fmt: skip


def _bins(values: Floats, counts: Ints) -> tuple[Floats, Floats, Ints]:
    """Return the lowest and the highest value of each bin, and how many candidates lie in it."""
    if len(values) <= MOST_VALUES:
        return values, values, counts
    ends = np.cumsum(counts)
    cuts = np.searchsorted(ends, ends[-1] * np.arange(1, MOST_VALUES) / MOST_VALUES)
    starts = np.unique(np.concatenate([[0], cuts + 1]))
    starts = starts[starts < len(values)]
    stops = np.append(starts[1:], len(values))
    return values[starts], values[stops - 1], np.add.reduceat(counts, starts)


def distance(own: Floats, low: Floats, high: Floats, counts: Ints, seed: int = 0) -> Distance:
    """Compare a list with the whole in bins.

    Args:
        own: (n,) values of the list.
        low: (m,) the lowest value of each bin, ascending.
        high: (m,) the highest.
        counts: (m,) how many candidates lie in each.
        seed: of the lists that are drawn evenly.
    """
    n, shares = len(own), counts / counts.sum()
    listed = np.bincount(np.searchsorted(high, own), minlength=len(counts))
    drawn = np.random.default_rng(seed).multinomial(n, shares, DRAWS)
    far = np.abs(drawn / n - shares).sum(axis=1) / 2
    value = float(np.abs(listed / n - shares).sum() / 2)
    p = float((1 + (far >= value - 1e-12).sum()) / (1 + DRAWS))
    confidence = 1 - 0.05 / len(counts)
    bins = []
    for i, number in enumerate(listed.tolist()):
        share = statistics.preferred(number, n, confidence)
        bins.append(
            Bin(float(low[i]), float(high[i]), number, int(counts[i]), number / n, float(shares[i]),
                share.low or 0.0, 1.0 if share.high is None else share.high)
        )  # fmt: skip
    return Distance(value, float(far.mean()), p, tuple(bins))
