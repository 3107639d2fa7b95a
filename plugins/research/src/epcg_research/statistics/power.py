"""Power of a study before it is made, by simulation."""

from __future__ import annotations

import attrs
import numpy as np

from epcg_core.plugin import EpcgError
from epcg_research.statistics.comparisons import preferred
from epcg_research.statistics.correlation import Method, correlation
from epcg_research.statistics.estimates import CONFIDENCE, Estimate
from epcg_research.statistics.people import Average, averages

REPETITIONS = 1_000


@attrs.frozen
class Power:
    """The result of simulated studies."""

    power: Estimate
    """The share of studies whose p is below alpha, with Wilson's interval over the simulated studies."""
    mean: float
    """The mean of their estimates."""
    width: float | None
    """The mean width of their intervals; None if none had one."""


def power_of_correlation(
    puzzles: int,
    people: int,
    rho: float,
    noise: float = 1.0,
    *,
    method: Method = "spearman",
    average: Average = "median",
    alpha: float = 0.05,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Power:
    """Simulate studies of a correlation between a measure and people's responses.

    In each, the measure and how hard the puzzles really are, are normal with correlation `rho` over puzzles.
    All people answer all puzzles: how hard one is, plus a level of the person, plus normal noise. Responses
    are averaged by puzzle and correlated with the measure. With noise, the correlation that is found is
    smaller than `rho`, because averages of few people are not how hard a puzzle really is.

    Args:
        puzzles: how many.
        people: how many.
        rho: Pearson's correlation of the measure with how hard puzzles are.
        noise: the standard deviation of a person's answer about how hard a puzzle is, which has 1.
        method: the correlation that the study computes.
        average: how responses of people are averaged.
        alpha: the p below which a study finds a correlation.
        repetitions: how many studies.
        seed: of the random numbers.

    Returns:
        The share of studies that find a correlation, and the mean of what they find.

    Raises:
        EpcgError: if a number is not possible.
    """
    if puzzles < 4 or people < 1:
        raise EpcgError(f"{puzzles} puzzles and {people} people: a correlation needs 4 puzzles and a person.")
    if not -1 <= rho <= 1:
        raise EpcgError(f"rho {rho:g} is not from -1 to 1.")
    if not 0 <= noise < np.inf:
        raise EpcgError(f"The noise {noise:g} is not 0 or more.")
    _check(alpha, repetitions)
    random = np.random.default_rng(seed)
    found = []
    for _ in range(repetitions):
        measure = random.standard_normal(puzzles)
        hard = rho * measure + np.sqrt(1 - rho**2) * random.standard_normal(puzzles)
        level = random.standard_normal((people, 1))
        answers = hard + level + noise * random.standard_normal((people, puzzles))
        found.append(correlation(measure, averages(answers, average), method))
    assumes = "normal measures and answers, all people answering all puzzles, and the rho and noise given"
    return _summary(found, alpha, repetitions, "simulated studies whose test finds a correlation", assumes)


def power_of_preference(
    pairs: int,
    share: float,
    *,
    alpha: float = 0.05,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Power:
    """Simulate studies in which each of some pairs is a choice of one of two, and the binomial test is made.

    Args:
        pairs: how many independent choices.
        share: how often the one is really preferred.
        alpha: the p below which a study finds a preference.
        repetitions: how many studies.
        seed: of the random numbers.

    Returns:
        The share of studies that find a preference, and the mean share in them.

    Raises:
        EpcgError: if a number is not possible.
    """
    if pairs < 1:
        raise EpcgError(f"{pairs} pairs: a study of preferences needs one or more.")
    if not 0 <= share <= 1:
        raise EpcgError(f"The share {share:g} is not from 0 to 1.")
    _check(alpha, repetitions)
    chosen = np.random.default_rng(seed).binomial(pairs, share, repetitions).tolist()
    known = {count: preferred(count, pairs) for count in set(chosen)}
    assumes = "choices that are independent of each other, and the share given"
    found = [known[count] for count in chosen]
    return _summary(found, alpha, repetitions, "simulated studies whose test finds a preference", assumes)


def _check(alpha: float, repetitions: int) -> None:
    if not 0 < alpha < 1:
        raise EpcgError(f"alpha {alpha:g} is not between 0 and 1: 0.05 is usual.")
    if repetitions < 1:
        raise EpcgError("Power needs at least one simulated study; 1,000 are usual.")


def _summary(found: list[Estimate], alpha: float, repetitions: int, method: str, assumes: str) -> Power:
    hits = sum(each.p is not None and each.p < alpha for each in found)
    share = preferred(hits, repetitions, CONFIDENCE)
    power = attrs.evolve(
        share, name="power", method=f"{method} (p < {alpha:g})", assumes=assumes, p=None,
        interval=f"{share.interval}, over the simulated studies",
    )  # fmt: skip
    widths = [each.high - each.low for each in found if each.low is not None and each.high is not None]
    values = [each.value for each in found if each.value is not None]
    return Power(
        power, float(np.mean(values)) if values else float("nan"), float(np.mean(widths)) if widths else None
    )
