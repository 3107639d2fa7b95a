"""Strata of a sample: the states that begin with the same items are neighbours, and each such range is one.

An even sample of a space of 10^15 hardly ever meets what only a small part of it has. With strata as many
ranks are drawn from a small part as from a large one, and each counts with the weight of its stratum: the
number of its ranks over the number of those drawn. So estimates are unbiased, and the record has all weights.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import QueryError
from epcg_core.domain import PrefixSpace
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import SpaceSpec, make_generator
from epcg_core.runs.intervals import (
    CONFIDENCE,
    LEAST_FOR_A_MEAN,
    UNLIMITED,
    Estimated,
    Limits,
    gamma_quantile,
    skewed,
)

MOST_STRATA = 1000
MOST_UNSEEN = 0.01
"""The largest share of ranks in strata that show no difference, if a mean has an interval."""
FEWEST_DRAWN = 2
"""The least number of ranks of each stratum: one alone does not tell how others differ from it."""


def cuts_of(space: SpaceSpec, by: int, start: int, stop: int) -> tuple[int, ...]:
    """Return the first ranks of all strata of start .. stop - 1 but the first.

    A stratum holds the states whose first `by` items are the same. Raises QueryError if the states are not
    sequences of that many items, or there are more than `MOST_STRATA` strata.
    """
    from epcg_core.search.branch_and_bound.search import prefix_space  # a search, which few samples need

    generator = make_generator(registry(), space)
    try:
        found = prefix_space(generator, space.name)
    except QueryError as error:
        raise QueryError(
            f"by: {space.name} does not say how its states are made item by item (see PrefixSpace), so there "
            "are no strata: leave --by out."
        ) from error
    if not 1 <= by < found.length:
        raise QueryError(
            f"by: {by} is not allowed; the states of {space.name} have {found.length} items, so expected is "
            f"1 to {found.length - 1}: how many first items the states of a stratum share."
        )
    cuts: list[int] = []
    for first in _firsts(found, (), by):
        if start < first < stop:
            cuts.append(first)
        if len(cuts) >= MOST_STRATA:
            raise QueryError(
                f"by: the first {by} items of {space.name} make more than {MOST_STRATA:,} strata: take fewer."
            )
    return tuple(cuts)


def _firsts(space: PrefixSpace, prefix: tuple[int, ...], more: int) -> Iterator[int]:
    """Yield the first rank of each prefix with `more` items more that has states, ascending."""
    if not space.completions(prefix):
        return
    if not more:
        yield space.first_rank(prefix)
        return
    for item in space.following(prefix):
        yield from _firsts(space, (*prefix, item), more - 1)


def quotas(sizes: NDArray[np.int64], number: int) -> NDArray[np.int64]:
    """Return how many of `number` ranks are drawn from each stratum: in turn, while there are any."""
    found = np.zeros(len(sizes), np.int64)
    left = min(number, int(sizes.astype(object).sum()))
    while left:
        room = np.flatnonzero(found < sizes)
        each = min(left // len(room), int((sizes[room] - found[room]).min()))
        if each:
            found[room] += each
            left -= each * len(room)
        else:
            found[room[:left]] += 1
            left = 0
    return found


class Strata:
    """A stratified sample: how many ranks each stratum has, and how many of them were drawn."""

    def __init__(self, cuts: tuple[int, ...], size: int, start: int, stop: int) -> None:
        self.firsts = np.array([start, *cuts], np.int64)
        self.sizes: NDArray[np.int64] = np.array([*cuts, stop], np.int64) - self.firsts
        self.drawn = quotas(self.sizes, size)
        self.weights = self.sizes / np.maximum(self.drawn, 1) / (stop - start)
        """(strata,) the share of all ranks that a drawn one stands for."""

    def at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the stratum of each rank."""
        return np.searchsorted(self.firsts, ranks, side="right") - 1

    def share(self, ranks: NDArray[np.int64]) -> Estimated:
        """Estimate the share of all ranks that are like `ranks`, with Fay and Feuer's interval (1997)."""
        counts = np.bincount(self.at(ranks), minlength=len(self.sizes))
        low, value, high = self._rare(counts)
        if value > 0.5:
            low, value, high = (1 - end for end in reversed(self._rare(self.drawn - counts)))
        return Estimated(value, max(0.0, min(low, value)), min(1.0, max(high, value)))

    def _rare(self, counts: NDArray[np.int64]) -> tuple[float, float, float]:
        """Return (lowest, estimated, highest) share, as a weighted sum of Poisson numbers."""
        open_strata = self.drawn < self.sizes  # a stratum that was drawn whole is known
        known = float((self.weights * counts)[~open_strata].sum())
        weights, found = self.weights[open_strata], counts[open_strata]
        if not len(weights):
            return known, known, known
        value, variance = float((weights * found).sum()), float((weights**2 * found).sum())
        most = float(weights.max())
        low = variance / value * gamma_quantile(value**2 / variance, 0.025) if value else 0.0
        above, wider = value + most, variance + most**2
        high = wider / above * gamma_quantile(above**2 / wider, 0.975)
        return known + low, known + value, known + high

    def better(self) -> int:
        """Bound the number of candidates better than the best of the sample, with 95 % confidence.

        Each was missed with at most the chance that it had in the stratum of which the least share was drawn.
        """
        left = int((self.sizes - self.drawn).sum())
        if not left:
            return 0
        least = float((self.drawn / self.sizes)[self.drawn < self.sizes].min())
        return min(left, math.floor(math.log(1 - CONFIDENCE) / math.log1p(-least)))

    def mean(self, ranks: NDArray[np.int64], values: NDArray[Any], limits: Limits = UNLIMITED) -> Estimated:
        """Estimate the mean of all candidates with a value, from the (n,) sampled ranks that have one."""
        numbers, place = values.astype(np.float64), self.at(ranks)
        weights = self.weights[place]
        with np.errstate(over="ignore", invalid="ignore"):
            value = float((weights * numbers).sum() / weights.sum())
        if not math.isfinite(value):
            return Estimated(value, None, None, "values are infinite, or too large to add up")
        if (self.drawn == self.sizes).all():
            return Estimated(value, value, value)
        if len(numbers) < LEAST_FOR_A_MEAN:
            return Estimated(value, None, None, f"there are fewer than {LEAST_FOR_A_MEAN} values")
        found = np.unique(numbers)
        if len(found) == 2 and len(numbers) == self.drawn.sum():
            share = self.share(ranks[numbers == found[1]])
            assert share.low is not None
            assert share.high is not None
            low, high = (float(found[0] + end * (found[1] - found[0])) for end in (share.low, share.high))
            return limits.within(Estimated(value, min(low, value), max(high, value)))
        if len(found) == 1:
            return self._equal(ranks, float(found[0]), limits)
        return limits.within(self._skewed(place, numbers - value, weights, value))

    def _equal(self, ranks: NDArray[np.int64], value: float, limits: Limits) -> Estimated:
        others = self.share(ranks[:0]).high
        assert others is not None
        if limits.low is None or limits.high is None or not limits.low <= value <= limits.high:
            why = f"all {len(ranks):,} values are equal, and up to {others:.2%} of all can be any other"
            return Estimated(value, None, None, why)
        low, high = (value + others * (end - value) for end in (limits.low, limits.high))
        return Estimated(value, low, high)

    def _skewed(
        self,
        place: NDArray[np.int64],
        deviations: NDArray[np.float64],
        weights: NDArray[np.float64],
        value: float,
    ) -> Estimated:
        """Estimate a mean, as a ratio of two sums, from what each drawn rank adds to its error."""
        count = len(self.sizes)
        own = np.bincount(place, deviations, count) / self.drawn  # without a value, a rank adds nothing
        many = self.drawn > 1
        factor = np.where(many, self.drawn / np.maximum(self.drawn - 1, 1), 0.0)
        factor *= 1 - self.drawn / self.sizes
        scale = np.sqrt(factor) * self.weights / weights.sum()
        within = deviations - own[place]
        absent = self.drawn - np.bincount(place, minlength=count)
        rest = np.repeat(-scale * own, absent)
        squares = np.bincount(place, within**2, count) + absent * own**2
        blind = (squares <= 1e-24 * np.abs(deviations).max() ** 2) & (self.drawn < self.sizes)
        unseen = float(self.sizes[blind].sum() / self.sizes.sum())
        if unseen > MOST_UNSEEN:
            told = "whose drawn values do not differ, and others may have any"
            return Estimated(value, None, None, f"{unseen:.1%} of all candidates are in strata {told}")
        parts = squares * scale**2
        total = float(parts.sum())
        if not total:
            return Estimated(value, None, None, "all values of each stratum are equal")
        freedom = total**2 / float((parts[many] ** 2 / (self.drawn[many] - 1)).sum())
        added = np.concatenate([scale[place] * within, rest])
        skew = float((added**3).sum()) / total**1.5
        alike = np.sqrt(squares / self.drawn)[place]
        told_apart = alike > 0
        return skewed(value, math.sqrt(total), skew, freedom, within[told_apart] / alike[told_apart])
