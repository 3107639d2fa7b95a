"""The numbers of the incremental design study (Sturtevant, Decroocq, Tripodi & Guzdial 2020).

They are the lengths of the shortest solutions of levels, and how long single changes of tiles can make them.
"""

from __future__ import annotations

from collections.abc import Sequence
from statistics import median
from typing import Literal

import attrs

from epcg_core.plugin import EpcgError

FEWEST = 3
"""Levels: the Shapiro-Wilk test needs as many."""
Outcome = Literal["counted", "limit", "unsolvable", "unreadable"]


@attrs.frozen
class StudiedLevel:
    """A level and what its single changes do; lengths are in moves."""

    name: str
    outcome: Outcome
    """Only those that are counted are in the distributions."""
    note: str = ""
    """The reason why the level is not counted."""
    run: int | None = None
    """The run over its variants."""
    original: int = 0
    longest: int = 0
    """The longest solution of the variants that have one."""
    shortest: int = 0
    longest_changes: tuple[str, ...] = ()
    """'(8, 12) ground to spikes: 57 moves', all ties."""
    shortest_changes: tuple[str, ...] = ()
    variants: int = 0
    unsolvable: int = 0
    over_limit: int = 0


@attrs.frozen
class Sample:
    """One of the three distributions, with the Shapiro-Wilk test of normality."""

    name: str
    values: tuple[int, ...]
    w: float
    p: float
    """NaN if all values are equal."""

    @property
    def median(self) -> float:
        """In moves."""
        return float(median(self.values))


@attrs.frozen
class Comparison:
    """A two-sample Wilcoxon rank-sum test of the original lengths against others, two-sided."""

    name: str
    u: float
    p: float


@attrs.frozen
class PairedComparison:
    """A Wilcoxon signed-rank test of the original lengths against others of the same levels, two-sided."""

    name: str
    n: int
    """The levels whose two lengths differ."""
    w: float
    p: float
    """NaN if no two lengths differ."""


@attrs.frozen
class Statistics:
    """The study's samples and tests."""

    samples: tuple[Sample, ...]
    comparisons: tuple[Comparison, ...]
    """As published: between samples, as if these were of different levels."""
    paired: tuple[PairedComparison, ...]
    """Between the lengths of each level, because the samples are of the same levels."""


def statistics(levels: Sequence[StudiedLevel]) -> Statistics:
    """Compute the study's tests over the levels that are counted. Raises EpcgError for fewer than 3.

    The rank-sum test is the one of Mann and Whitney with mid-ranks for ties, the normal approximation and a
    continuity correction, since lengths are whole numbers with many ties. It is the published one, and
    ignores that the samples are of the same levels; the signed-rank test does not.
    """
    counted = [level for level in levels if level.outcome == "counted"]
    if len(counted) < FEWEST:
        raise EpcgError(f"{len(counted)} levels are counted; the tests need {FEWEST} or more.")
    original = [level.original for level in counted]
    longest = [level.longest for level in counted]
    shortest = [level.shortest for level in counted]
    return Statistics(
        samples=(
            _sample("original", original),
            _sample("longest", longest),
            _sample("shortest", shortest),
        ),
        comparisons=(
            _rank_sum("original and longest", original, longest),
            _rank_sum("original and shortest", original, shortest),
            _rank_sum("original and original + 1", original, [length + 1 for length in original]),
        ),
        paired=(
            _signed_rank("original and longest", original, longest),
            _signed_rank("original and shortest", original, shortest),
        ),
    )


def _sample(name: str, values: Sequence[int]) -> Sample:
    from scipy.stats import shapiro

    if min(values) == max(values):
        return Sample(name, tuple(values), float("nan"), float("nan"))
    found = shapiro(values)
    return Sample(name, tuple(values), float(found.statistic), float(found.pvalue))


def _rank_sum(name: str, left: Sequence[int], right: Sequence[int]) -> Comparison:
    from scipy.stats import mannwhitneyu

    found = mannwhitneyu(left, right, alternative="two-sided", method="asymptotic", use_continuity=True)
    return Comparison(name, float(found.statistic), float(found.pvalue))


def _signed_rank(name: str, left: Sequence[int], right: Sequence[int]) -> PairedComparison:
    from scipy.stats import wilcoxon

    n = sum(a != b for a, b in zip(left, right, strict=True))
    if not n:
        return PairedComparison(name, 0, float("nan"), float("nan"))
    found = wilcoxon(left, right, zero_method="wilcox", alternative="two-sided", method="asymptotic")
    return PairedComparison(name, n, float(found.statistic), float(found.pvalue))
