"""Two conditions within people who had them in different orders: their difference, and that of order."""

from __future__ import annotations

import math
from statistics import NormalDist

import attrs
import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_research.statistics.comparisons import paired, unpaired
from epcg_research.statistics.estimates import CONFIDENCE, Estimate, check_confidence, equally_many, numbers
from epcg_research.statistics.resampling import REPETITIONS, bias_corrected

NAME = "rank-biserial correlation at balanced orders"
ASSUMES = (
    "people who are independent of each other, and an effect of order that is the same for both conditions"
)
ONE_ORDER = "No estimate at balanced orders: all people had one order, so conditions cannot be told from it."


def at_balanced_orders(
    differences: ArrayLike,
    orders: ArrayLike,
    confidence: float = CONFIDENCE,
    repetitions: int = REPETITIONS,
    seed: int = 0,
) -> Estimate:
    """Compare two conditions of each person, as if both orders were equally frequent.

    If what comes first has more by some number, a person's difference rises by it in one order, and falls in
    the other: between the orders, what came first minus what came second differs by twice the effect of the
    conditions and by nothing of order. So the rank-sum test compares these between the orders: G. G. Koch,
    "The use of nonparametric methods in the statistical analysis of the two-period change-over design",
    Biometrics 28 (1972), 577-584. Cliff's delta is then the matched rank-biserial correlation over those
    pairs of people alone that had opposite orders. People who had both orders equally often are compared with
    themselves (signed ranks), and both sums are added.

    Args:
        differences: (n,) each person's number under the one condition minus that under the other.
        orders: (n,) from 1, if the one came first, to -1, if the other did; 0 if each did as often.
        confidence: of the interval.
        repetitions: of the bootstrap, which is made if both kinds of people are there.
        seed: of the bootstrap.

    Returns:
        The effect from -1 to 1, positive if the one has more; n counts people. Without a value if all people
        had the same order.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    change, order = numbers(differences, "differences"), numbers(orders, "orders")
    equally_many(change, order, "Orders")
    check_confidence(confidence)
    one, other = (change[at] / order[at] for at in (order > 0, order < 0))
    same = change[order == 0]
    if len(one) and len(other) and not len(same):
        found = unpaired(one, other, confidence)
        method = f"Koch 1972: {found.method}"
    elif not len(same):
        note = ONE_ORDER if len(change) else "No people with both conditions, of whom the order is known."
        return Estimate(NAME, None, len(change), "not computed", ASSUMES, note=note, confidence=confidence)
    elif not len(one) or not len(other):
        found = paired(same, np.zeros(len(same)), confidence, repetitions, seed)
        method = f"{found.method}; only people who had both orders equally often"
    else:
        return _added(one, other, same[same != 0], len(change), confidence, repetitions, seed)
    return attrs.evolve(found, name=NAME, method=method, assumes=ASSUMES)


def of_order(differences: ArrayLike, orders: ArrayLike, confidence: float = CONFIDENCE) -> Estimate:
    """Compare what each person had first with what came later, as if both conditions were as often first.

    Args:
        differences: (n,) each person's number under the one condition minus that under the other.
        orders: (n,) as `at_balanced_orders` has them.
        confidence: of the interval.

    Returns:
        Cliff's delta of the differences between both orders: positive if what came first has more.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    change, order = numbers(differences, "differences"), numbers(orders, "orders")
    equally_many(change, order, "Orders")
    found = unpaired(change[order > 0], change[order < 0], confidence)
    return attrs.evolve(found, name="effect of order", method=f"Koch 1972: {found.method}", assumes=ASSUMES)


def _added(
    one: NDArray[np.float64],
    other: NDArray[np.float64],
    same: NDArray[np.float64],
    people: int,
    confidence: float,
    repetitions: int,
    seed: int,
) -> Estimate:
    """Add the signs over pairs of opposite orders to those over pairs of people who had both orders."""
    n, m, k = len(one), len(other), len(same)
    value = float(_signs(one[None], other[None], same[None])[0])
    between, own = _ranks(np.concatenate([one, other])[None])[0], _ranks(np.abs(same)[None])[0]
    variance = float((own**2).sum())
    variance += n * m / ((n + m) * (n + m - 1)) * float(((2 * between - (n + m + 1)) ** 2).sum())
    p = None
    if variance > 0:
        z = value * (n * m + k * (k + 1) / 2) / math.sqrt(variance)
        p = min(1.0, 2 * NormalDist().cdf(-abs(z)))
    method = (
        f"Koch 1972: rank-sum of {n} and {m} people of opposite orders, and signed ranks of {k} who had both "
        "equally often, added (normal approximation with correction for ties)"
    )
    low = high = None
    made, note = "", "No interval: all differences have one sign, and resampling them says nothing else."
    if abs(value) < 1:
        random, note = np.random.default_rng(seed), ""
        drawn = [each[random.integers(0, len(each), (repetitions, len(each)))] for each in (one, other, same)]
        low, high = bias_corrected(_signs(*drawn), value, confidence)
        made = f"bias-corrected bootstrap, {repetitions:,} resamples of the people of each order"
    return Estimate(NAME, value, people, method, ASSUMES, low, high, made, p, note, confidence)


def _signs(
    one: NDArray[np.float64], other: NDArray[np.float64], same: NDArray[np.float64]
) -> NDArray[np.float64]:
    """Return (r,) mean signs over pairs, of rows of (r, n), (r, m) and (r, k) numbers."""
    n, m, k = one.shape[1], other.shape[1], same.shape[1]
    ranks = _ranks(np.concatenate([one, other], axis=1))[:, :n]
    total = 2 * ranks.sum(axis=1) - n * (n + m + 1)
    total += (np.sign(same) * _ranks(np.abs(same))).sum(axis=1)
    found: NDArray[np.float64] = total / (n * m + k * (k + 1) / 2)
    return found


def _ranks(values: NDArray[np.float64]) -> NDArray[np.float64]:
    from scipy import stats

    found: NDArray[np.float64] = stats.rankdata(values, axis=1) if values.shape[1] else values
    return found
