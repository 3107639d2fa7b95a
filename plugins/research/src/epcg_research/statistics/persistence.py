"""How many people go on: shares that still play, with intervals, and whether conditions differ in it."""

from __future__ import annotations

import math

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.estimates import CONFIDENCE, Estimate, check_confidence, quantile


def still_there(
    at_risk: ArrayLike, left: ArrayLike, confidence: float = CONFIDENCE
) -> list[tuple[float, float, float]]:
    """Estimate which share of people goes on, step by step.

    The product of the shares that go on at each step: E. L. Kaplan & P. Meier, "Nonparametric estimation
    from incomplete observations", JASA 53 (1958), 457-481. The interval is Wilson's of as many people as
    would give the share Greenwood's variance: K. J. Rothman, "Estimation of confidence limits for the
    cumulative probability of survival in life table analysis", J. Chronic Diseases 31 (1978), 557-560.

    Args:
        at_risk: (steps,) the people who came to each step.
        left: (steps,) how many of them went no further.
        confidence: of the intervals.

    Returns:
        For each step the share that goes on, with the lower and the upper end of its interval.

    Raises:
        EpcgError: if more people leave than there are.
    """
    numbers, gone = np.asarray(at_risk, np.float64), np.asarray(left, np.float64)
    check_confidence(confidence)
    if numbers.shape != gone.shape or (gone > numbers).any() or (gone < 0).any():
        raise EpcgError("Of the people at each step, some or all may leave, and not more than there are.")
    found, share, total, z = [], 1.0, 0.0, quantile(confidence)
    effective = float(numbers[0]) if len(numbers) else 0.0
    for n, d in zip(numbers.tolist(), gone.tolist(), strict=True):
        if n:
            share *= 1 - d / n
            total += d / (n * (n - d)) if n > d else math.inf
        if 0 < share < 1:
            effective = (1 - share) / (share * total)  # share (1 - share) / variance
        elif share == 1:
            effective = n or effective
        found.append((share, *_wilson(share, effective, z)))
    return found


def _wilson(share: float, n: float, z: float) -> tuple[float, float]:
    if not n:
        return 0.0, 1.0
    middle, below = share + z**2 / (2 * n), 1 + z**2 / n
    half = z * math.sqrt(share * (1 - share) / n + z**2 / (4 * n**2))
    return max(0.0, (middle - half) / below), min(1.0, (middle + half) / below)


def log_rank(at_risk: ArrayLike, left: ArrayLike) -> Estimate:
    """Compare how many leave under several conditions, step by step.

    N. Mantel, "Evaluation of survival data and two new rank order statistics arising in its consideration",
    Cancer Chemotherapy Reports 50 (1966), 163-170. A person may be under another condition at each step.

    Args:
        at_risk: (conditions, steps) the people who came to each step under each condition.
        left: (conditions, steps) how many of them went no further.

    Returns:
        Chi-squared with p; n counts who left. Without a value if none left, or there are not two conditions.
    """
    n, d = np.asarray(at_risk, np.float64), np.asarray(left, np.float64)
    name, assumes = "chi-squared of leaving", "people who are independent of each other"
    levels, gone = len(n), int(d.sum())
    excess, variance = np.zeros(levels), np.zeros((levels, levels))
    for step in range(n.shape[1] if n.ndim == 2 else 0):
        own: NDArray[np.float64] = n[:, step]
        all_, lost = float(own.sum()), float(d[:, step].sum())
        if all_ < 2:
            continue
        excess += d[:, step] - own * lost / all_
        shares = own / all_
        variance += lost * (all_ - lost) / (all_ - 1) * (np.diag(shares) - np.outer(shares, shares))
    rank = int(np.linalg.matrix_rank(variance)) if levels else 0
    if not rank:
        note = "No test: none left while people were there under two conditions."
        return Estimate(name, None, gone, "not computed", assumes, note=note)
    from scipy import stats

    value = float(excess @ np.linalg.pinv(variance) @ excess)
    method = f"log-rank test (Mantel 1966) over the places in the order, {levels} conditions"
    return Estimate(name, value, gone, method, assumes, p=float(stats.chi2.sf(value, rank)))
