"""Two conditions within people who had them in different orders: their difference, and that of order."""

from __future__ import annotations

import math
from statistics import NormalDist
from typing import Any

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
PREFERENCE, OF_ORDER = "preference at balanced orders", "effect of order"
LEAST_CHOOSERS = 6
"""People: with fewer no arrangement of their choices would be unlikely."""
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
    return attrs.evolve(found, name=OF_ORDER, method=f"Koch 1972: {found.method}", assumes=ASSUMES)


def preferences(
    people: ArrayLike, chosen: ArrayLike, first: ArrayLike, confidence: float = CONFIDENCE
) -> tuple[Estimate, Estimate]:
    """Ask which of two people choose if both orders were equally frequent, and what order does to it.

    A linear model of choices: 1 or -1, by a preference and an effect of order, with what people differ in
    both as variances, which are estimated from products of each person's residuals (generalized least
    squares: C. R. Henderson, "Estimation of variance and covariance components", Biometrics 9 (1953),
    226-252). If nothing is preferred, choices scatter equally in both orders, so that Student's t holds its
    level. Ranks of people would not: choices of the rarer order, which count more, would have the largest.
    If something is preferred, the two orders scatter differently, so intervals are made of Wilson's of both
    (R. G. Newcombe, "Interval estimation for the difference between independent proportions", Statistics in
    Medicine 17 (1998), 873-890), for as many independent choices as the model says they are worth.

    Args:
        people: (n,) a number for the person of each choice.
        chosen: (n,) 1 if the one was chosen, -1 if the other.
        first: (n,) 1 if the one was played first, -1 if the other; both must be there.
        confidence: of the intervals.

    Returns:
        The preference and the effect of order, each from -1 to 1: half of the one is by how much the share
        at balanced orders is above one half, half of the other by how much more it is if the one came first.
        n counts people.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    from scipy import stats

    y, x = numbers(chosen, "chosen"), numbers(first, "first")
    equally_many(y, x, "Orders")
    check_confidence(confidence)
    who = np.unique(np.asarray(people), return_inverse=True)[1]
    n = int(who.max()) + 1
    values, covariance, scatter = _with_people(who, y, np.column_stack([np.ones(len(y)), x]))
    errors = np.sqrt(np.diag(covariance)).tolist()
    assumes = "people who are independent of each other, and an order that chance decided"
    method = f"linear model of {len(y):,} choices with what people differ in (Henderson 1953)"
    found, quantile = [], float(stats.t.ppf(0.5 + confidence / 2, max(1, n - 2)))
    for name, value, error, sign in zip(
        (PREFERENCE, OF_ORDER), values.tolist(), errors, (1, -1), strict=True
    ):
        if n < LEAST_CHOOSERS:
            note = f"No interval and no p: there are {n} people, and it takes {LEAST_CHOOSERS}."
            found.append(Estimate(name, value, n, method, assumes, note=note, confidence=confidence))
        elif not error > 0:
            note = "No interval: the order and one number say what all people chose, so nothing scatters."
            p = _unanimous(who, x, value) if name == PREFERENCE else None
            found.append(Estimate(name, value, n, method, assumes, p=p, note=note, confidence=confidence))
        else:
            p = float(2 * stats.t.sf(abs(value) / error, n - 2))
            low, high = _of_both_orders(values, covariance, scatter, quantile, sign)
            made = (
                f"of Wilson's of both orders (Newcombe 1998), with Student's t of {n - 2} degrees of freedom"
            )
            found.append(Estimate(name, value, n, method, assumes, low, high, made, p, "", confidence))
    return found[0], found[1]


def _of_both_orders(
    values: NDArray[np.floating[Any]],
    covariance: NDArray[np.floating[Any]],
    scatter: float,
    quantile: float,
    sign: int,
) -> tuple[float, float]:
    """Return the interval of half the sum, or of half the difference, of what is chosen in both orders."""
    both = np.array([[1.0, 1.0], [1.0, -1.0]])  # of preference and order to the one first, and second
    spread = both @ covariance @ both.T
    shares = ((1 + both @ values) / 2).clip(0, 1)
    number = scatter / np.diag(spread)
    middle = (shares + quantile**2 / (2 * number)) / (1 + quantile**2 / number)
    half = quantile * np.sqrt(shares * (1 - shares) / number + quantile**2 / (4 * number**2))
    low, high = (middle + end * half / (1 + quantile**2 / number) for end in (-1, 1))
    below, above = shares - low, high - shares
    together = sign * float(spread[0, 1] / math.sqrt(spread[0, 0] * spread[1, 1]))
    first, second = (below, above) if sign > 0 else ((below[0], above[1]), (above[0], below[1]))
    value = float(shares[0] + sign * shares[1] - (sign > 0))
    ends = [math.sqrt(max(0.0, a**2 + b**2 + 2 * together * a * b)) for a, b in (first, second)]
    return max(-1.0, value - ends[0]), min(1.0, value + ends[1])


def _with_people(
    who: NDArray[np.int64], y: NDArray[np.float64], design: NDArray[np.float64]
) -> tuple[NDArray[np.floating[Any]], NDArray[np.floating[Any]], float]:
    """Return the two slopes of a design, their covariance, and the variance of choices, 0 if none is left."""
    x = design[:, 1]
    slopes: NDArray[np.floating[Any]] = np.linalg.lstsq(design, y, rcond=None)[0]
    rows = [np.flatnonzero(who == person) for person in range(int(who.max()) + 1)]
    one = np.concatenate([own[np.triu_indices(len(own), 1)[0]] for own in rows])
    other = np.concatenate([own[np.triu_indices(len(own), 1)[1]] for own in rows])
    information, total = np.eye(2), 0.0
    for _ in range(2):
        rest = y - design @ slopes
        total = float(rest @ rest) / max(1, len(y) - 2)
        if total < 1e-12:
            return slopes, np.zeros((2, 2)), 0.0
        shared = orders = 0.0
        if len(one):
            same = np.column_stack([np.ones(len(one)), x[one] * x[other]])
            shared, orders = np.linalg.lstsq(same, rest[one] * rest[other], rcond=None)[0].clip(min=0.0)
        own_variance = max(total - shared - orders, 1e-3 * total)
        information, right = np.zeros((2, 2)), np.zeros(2)
        for own in rows:
            variance = own_variance * np.eye(len(own)) + shared + orders * np.outer(x[own], x[own])
            solved = np.linalg.solve(variance, np.column_stack([design[own], y[own]]))
            information += design[own].T @ solved[:, :2]
            right += design[own].T @ solved[:, 2]
        slopes = np.linalg.solve(information, right)
    covariance: NDArray[np.floating[Any]] = np.linalg.inv(information)
    return slopes, covariance, total


def _unanimous(who: NDArray[np.int64], first: NDArray[np.float64], value: float) -> float | None:
    """Return p of people who all chose alike, or all by order alone; None if their choices are others.

    By the effect of order that makes it most likely, with one choice counted of each person.
    """
    if math.isclose(value, 0.0, abs_tol=1e-9):
        return 1.0
    if not math.isclose(abs(value), 1.0):
        return None
    orders = np.bincount(who, first)
    one, other = int((orders > 0).sum()), int((orders < 0).sum())
    known = max(1, one + other)
    chance = (one / known) ** one * (other / known) ** other * 0.5 ** (len(orders) - one - other)
    return float(min(1.0, 2 * chance))


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
