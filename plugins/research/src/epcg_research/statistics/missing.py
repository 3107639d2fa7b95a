"""Whether what is left out goes with a measure: then what remains is not a fair picture of the whole."""

from __future__ import annotations

import math
from collections.abc import Sequence
from statistics import NormalDist

import numpy as np
from numpy.typing import NDArray

from epcg_research.statistics.estimates import CONFIDENCE, Estimate

NAME = "dominance of what is left out"


def left_out(
    values: Sequence[NDArray[np.float64]],
    missing: Sequence[NDArray[np.bool_]],
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Ask whether answers that are left out are about puzzles with more, or less, of a measure.

    Within each person, puzzles without an answer are compared with those that have one. The test is that of
    N. Mantel, "Chi-square tests with one degree of freedom; extensions of the Mantel-Haenszel procedure",
    JASA 58 (1963), 690-700, of ranks, with each person as a stratum: each choice of as many puzzles of a
    person is taken for equally likely.

    Args:
        values: for each person, (k,) the measure of the puzzles that the person was given.
        missing: for each person, (k,) whether the answer is left out.
        confidence: stands in the estimate; there is no interval.

    Returns:
        How often a puzzle that is left out has more than another one of the same person, minus how often it
        has less, from -1 to 1; n counts what is left out by people who answered other puzzles. Without a
        value if there is nothing to compare.
    """
    from scipy import stats

    total = variance = 0.0
    pairs = number = 0
    for own, gone in zip(values, missing, strict=True):
        n, m = int(gone.sum()), int((~gone).sum())
        if not n or not m:
            continue
        ranks = stats.rankdata(own)
        total += 2 * float(ranks[gone].sum()) - n * (n + m + 1)
        variance += n * m / ((n + m) * (n + m - 1)) * float(((2 * ranks - (n + m + 1)) ** 2).sum())
        pairs, number = pairs + n * m, number + n
    assumes = "people who are independent of each other"
    if not variance:
        note = "Nothing is left out of people who answered other puzzles with another value."
        return Estimate(NAME, None, number, "not computed", assumes, note=note, confidence=confidence)
    p = min(1.0, 2 * NormalDist().cdf(-abs(total) / math.sqrt(variance)))
    method = "ranks within people (Mantel 1963, normal approximation with correction for ties)"
    return Estimate(NAME, total / pairs, number, method, assumes, p=p, confidence=confidence)
