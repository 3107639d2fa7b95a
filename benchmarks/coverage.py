"""How often intervals of studies hold the true value, by simulation: `python -m benchmarks.coverage`.

300 repetitions each, with fixed seeds, so a share of 95 % has a standard error of 1.3 %. The truth of a
correlation is that of the whole population: with normal variables of correlation r, Spearman's rho is
6 / pi asin(r / 2) and Kendall's tau 2 / pi asin(r).
"""

from __future__ import annotations

import math
import sys
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import numpy as np
from epcg_research import statistics as own
from epcg_research.statistics import Estimate

from benchmarks import coverage_of_people

REPETITIONS = 300
Random = np.random.Generator
TRUE: dict[str, Callable[[float], float]] = {
    "pearson": lambda r: r,
    "spearman": lambda r: 6 / math.pi * math.asin(r / 2),
    "kendall": lambda r: 2 / math.pi * math.asin(r),
}


def pairs(random: Random, n: int, r: float) -> tuple[Any, Any]:
    """Draw n pairs of normal variables with correlation r."""
    x = random.standard_normal(n)
    return x, r * x + math.sqrt(1 - r**2) * random.standard_normal(n)


def answers(random: Random, people: int, puzzles: int, r: float, noise: float) -> tuple[Any, Any]:
    """Draw a measure and people's answers: how hard a puzzle is, the person's level, and noise."""
    measure, hard = pairs(random, puzzles, r)
    level = random.standard_normal((people, 1))
    return measure, hard + level + noise * random.standard_normal((people, puzzles))


def formulas() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    for method, truth in TRUE.items():
        for n in (12, 25, 60):
            for r in (0.0, 0.5, 0.85):
                yield (
                    f"{method}, n = {n}, {truth(r):.2f}",
                    truth(r),
                    partial(
                        lambda n, r, method, random: own.correlation(*pairs(random, n, r), method),
                        n,
                        r,
                        method,
                    ),
                )


def differences() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    """Two measures with correlations r and s to the response, through what they have in common with it."""

    def drawn(random: Random, n: int, r: float, s: float) -> tuple[Any, Any, Any]:
        y = random.standard_normal(n)
        return (
            y,
            r * y + math.sqrt(1 - r**2) * random.standard_normal(n),
            s * y + math.sqrt(1 - s**2) * random.standard_normal(n),
        )

    for method in ("pearson", "spearman", "kendall"):
        truth = TRUE[method]
        for n in (25, 60):
            for r, s in ((0.5, 0.5), (0.8, 0.4)):
                yield (
                    f"difference (Zou), {method}, n = {n}, {truth(r):.2f} and {truth(s):.2f}",
                    truth(r) - truth(s),
                    partial(
                        lambda n, r, s, method, random: own.difference(*drawn(random, n, r, s), method),
                        n,
                        r,
                        s,
                        method,
                    ),
                )


def people() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    """Resampled intervals, of puzzles for the same people, and of both for all people that there are.

    Means of m people scatter about how hard a puzzle is with noise^2 / m, which lowers the correlation.
    """
    for puzzles, persons in ((12, 20), (25, 40), (60, 40)):
        for r, noise in ((0.0, 1.0), (0.6, 1.0), (0.6, 4.0)):
            lowered = r / math.sqrt(1 + noise**2 / persons)
            for over in ("puzzles", "both"):
                yield (
                    f"bootstrap of {over}, {puzzles} puzzles, {persons} people, noise {noise:g}, r {r:g}",
                    TRUE["spearman"](lowered if over == "puzzles" else r),
                    partial(
                        lambda puzzles, persons, r, noise, over, random: own.bootstrap(
                            *answers(random, persons, puzzles, r, noise),
                            over,
                            average="mean",
                            repetitions=500,
                        ),
                        puzzles,
                        persons,
                        r,
                        noise,
                        over,
                    ),
                )


def resampled_people() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    """Other people for the same puzzles: the truth is the correlation with these puzzles' own difficulty."""
    measure, hard = pairs(np.random.default_rng(99), 25, 0.6)
    truth = own.correlation(measure, hard, "pearson").value
    assert truth is not None

    def drawn(noise: float, random: Random) -> Estimate:
        level = random.standard_normal((40, 1))
        responses = hard + level + noise * random.standard_normal((40, 25))
        return own.bootstrap(measure, responses, "people", method="pearson", average="mean", repetitions=500)

    for noise in (1.0, 3.0):
        what = f"bootstrap of people, 25 puzzles, 40 people, noise {noise:g}, Pearson"
        yield what, truth, partial(drawn, noise)


def slopes() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    """The slope in units of the whole standard deviation of answers: r / sqrt(1 + 1 + noise^2)."""
    for puzzles, persons in ((12, 20), (25, 20)):
        for r in (0.0, 0.5):

            def drawn(
                random: Random, puzzles: int = puzzles, persons: int = persons, r: float = r
            ) -> Estimate:
                measure, responses = answers(random, persons, puzzles, r, 1.0)
                who, which = np.indices(responses.shape)
                return own.mixed_slope(who.ravel(), which.ravel(), measure[which.ravel()], responses.ravel())

            yield f"mixed model, {puzzles} puzzles, {persons} people, r {r:g}", r / math.sqrt(3), drawn


def comparisons() -> Iterator[tuple[str, float, Callable[[Random], Estimate]]]:
    from scipy import stats

    for n in (15, 40):
        for shift in (0.0, 0.5, 1.0):
            delta = 2 * stats.norm.cdf(shift / math.sqrt(2)) - 1
            yield (
                f"Cliff's delta, groups of {n}, {delta:.2f}",
                float(delta),
                partial(
                    lambda n, shift, random: own.unpaired(
                        random.standard_normal(n) + shift, random.standard_normal(n)
                    ),
                    n,
                    shift,
                ),
            )
            # of independent differences d and e: P(d + e > 0) - P(d + e < 0), for ranks of Walsh averages
            biserial = 2 * stats.norm.cdf(shift * math.sqrt(2)) - 1
            truth = (2 * (2 * stats.norm.cdf(shift) - 1) + (n - 1) * biserial) / (n + 1)
            yield (
                f"matched rank-biserial, {n} pairs, {truth:.2f}",
                float(truth),
                partial(
                    lambda n, shift, random: own.paired(
                        random.standard_normal(n) + shift, np.zeros(n), repetitions=500
                    ),
                    n,
                    shift,
                ),
            )
    for n in (10, 40):
        for share in (0.5, 0.7, 0.9):
            yield (
                f"Wilson, {n} choices, {share:g}",
                share,
                partial(lambda n, share, random: own.preferred(int(random.binomial(n, share)), n), n, share),
            )


def covered(truth: float, study: Callable[[Random], Estimate]) -> tuple[float, float, int]:
    """Return (share that covers the truth, mean width, studies without an interval)."""
    hits, widths, without = 0, [], 0
    for seed in range(REPETITIONS):
        found = study(np.random.default_rng(seed))
        if found.low is None or found.high is None:
            without += 1
            continue
        hits += found.low - 1e-9 <= truth <= found.high + 1e-9
        widths.append(found.high - found.low)
    return hits / max(1, len(widths)), float(np.mean(widths)) if widths else math.nan, without


ALL = {
    "formulas": formulas,
    "differences": differences,
    "people": people,
    "resampled_people": resampled_people,
    "slopes": slopes,
    "comparisons": comparisons,
}


def main(names: list[str]) -> None:
    """Print the coverage of all intervals, or of those of the named groups, and what planted people give."""
    known = [*ALL, *coverage_of_people.ALL]
    for name in names or known:
        if name not in known:
            raise SystemExit(f"There is no group '{name}'. There are: {', '.join(known)}.")
        if name in coverage_of_people.ALL:
            coverage_of_people.show(name)
            continue
        for what, truth, study in ALL[name]():
            share, width, without = covered(truth, study)
            note = f"   {without} without an interval" if without else ""
            print(f"{what:<75} {100 * share:5.1f} %   mean width {width:.2f}{note}", flush=True)


if __name__ == "__main__":
    main(sys.argv[1:])
