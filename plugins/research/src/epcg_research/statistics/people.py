"""Responses of people to puzzles, with each person as a block."""

from __future__ import annotations

import warnings
from typing import Any, Literal, get_args

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.censored import medians, scores_within
from epcg_research.statistics.estimates import (
    CONFIDENCE,
    Estimate,
    check_confidence,
    equally_many,
    finite,
    is_constant,
    numbers,
)

Average = Literal["median", "mean", "ranks"]
AVERAGES: tuple[Average, ...] = get_args(Average)
NO_MEDIANS = "Of no puzzle half of the people are known to solve it: take ranks within people."
MEAN_OF_GIVEN_UP = (
    "Some people gave up, so the mean of how long people need is not known: take medians, or ranks within "
    "people."
)
MOST_CROSSED = 1_500
"""Answers: above, the covariance matrix of people crossed with puzzles takes minutes."""
LEAST_PUZZLES = 4


def ranks_within(responses: ArrayLike, longer: NDArray[np.bool_] | None = None) -> NDArray[np.float64]:
    """Rank each person's responses, as shares of the number of puzzles that the person answered.

    A rank r of k becomes (r - 1/2) / k, so that people who answered different numbers of puzzles can be
    averaged; ties share their mean rank. It is the ranking within blocks of M. Friedman, JASA 32 (1937),
    675-701. A person with one answer orders nothing and is left out.

    Args:
        responses: (people, puzzles) numbers; NaN where there is no answer.
        longer: (people, puzzles) whether a person gave up then, whose ranks are `scores_within`; None if all
            responses are whole.

    Returns:
        (people, puzzles) shares between 0 and 1; NaN where there is no answer.
    """
    from scipy import stats

    matrix = np.asarray(responses, np.float64)
    if longer is not None:
        return scores_within(matrix, longer)
    ranks = stats.rankdata(matrix, axis=1, nan_policy="omit")
    counts = np.isfinite(matrix).sum(axis=1, keepdims=True)
    found: NDArray[np.float64] = np.where(counts >= 2, (ranks - 0.5) / np.maximum(counts, 1), np.nan)
    return np.where(np.isfinite(matrix), found, np.nan)


def prepared(
    matrix: NDArray[np.float64], average: Average, longer: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Return the numbers that are averaged: ranks within people, or the responses themselves."""
    return ranks_within(matrix, longer) if average == "ranks" else matrix


def averaging(average: Average) -> Average:
    """Return how `prepared` numbers are averaged."""
    return "mean" if average == "ranks" else average


def averages(
    responses: ArrayLike, average: Average = "median", longer: NDArray[np.bool_] | None = None
) -> NDArray[np.float64]:
    """Average the responses of people to each puzzle.

    Args:
        responses: (people, puzzles) numbers; NaN where there is no answer.
        average: 'median', 'mean', or 'ranks': the mean of `ranks_within`.
        longer: (people, puzzles) whether a person gave up then; None if all responses are whole.

    Returns:
        (puzzles,) the averages; NaN of a puzzle without an answer; infinite if half of the people are not
        known to solve it.

    Raises:
        EpcgError: if there is no such average, or people gave up and their mean is asked for.
    """
    if average not in AVERAGES:
        raise EpcgError(f"'{average}' is not an average: there are {', '.join(AVERAGES)}.")
    if longer is not None and average == "mean" and longer.any():
        raise EpcgError(MEAN_OF_GIVEN_UP)
    if longer is not None and average == "median":
        return medians(np.asarray(responses, np.float64), longer)
    matrix = prepared(np.asarray(responses, np.float64), average, longer)
    of = np.nanmedian if average == "median" else np.nanmean
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", RuntimeWarning)  # a puzzle without an answer gives NaN
        found: NDArray[np.float64] = np.asarray(of(matrix, axis=0), np.float64)
    return found


def centre_interval(
    values: ArrayLike, average: Average = "median", confidence: float = CONFIDENCE
) -> tuple[float | None, float | None]:
    """Return the interval of the median or the mean of one puzzle's people.

    Of a median by order statistics (W. J. Conover, Practical Nonparametric Statistics, 1999, by scipy's
    quantile_test), which assumes only that people are independent; of a mean by Student's t.

    Args:
        values: (people,) numbers; of the average 'ranks' the ranks within people.
        average: what the interval is of.
        confidence: of the interval.

    Returns:
        The lower and the upper end; None for ends that so few people do not have.

    Raises:
        EpcgError: if a number is not finite.
    """
    own = numbers(values, "responses")
    check_confidence(confidence)
    if len(own) < 2:
        return None, None
    from scipy import stats

    if average == "median":
        found = stats.quantile_test(own, q=float(np.median(own)), p=0.5).confidence_interval(confidence)
        return finite(found.low), finite(found.high)
    half = float(stats.t.ppf(0.5 + confidence / 2, len(own) - 1)) * float(own.std(ddof=1)) / len(own) ** 0.5
    return float(own.mean()) - half, float(own.mean()) + half


def mixed_slope(
    people: ArrayLike,
    puzzles: ArrayLike,
    measure: ArrayLike,
    response: ArrayLike,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Fit a linear mixed model of the response on a measure, and return its standardized slope.

    People and puzzles have random intercepts that are crossed, so that neither the people nor the puzzles
    count as all there are: R. H. Baayen, D. J. Davidson & D. M. Bates, Journal of Memory and Language 59
    (2008), 390-412. Restricted maximum likelihood by statsmodels' MixedLM, the better of two optimizers.
    Above 1,500 answers each person's mean is taken off response and measure instead, and puzzles alone are
    random. The measure varies between puzzles only, so interval and p are of Student's t with puzzles - 2
    degrees of freedom.

    Args:
        people: (n,) a number for the person of each answer.
        puzzles: (n,) a number for its puzzle.
        measure: (n,) the measure of its puzzle.
        response: (n,) the answer.
        confidence: of the interval.

    Returns:
        By how many of its standard deviations the response rises with one of the measure; n counts puzzles.
        Without a value if the model does not converge; the note says so.

    Raises:
        EpcgError: if a value is not finite, or the numbers of values differ.
    """
    x, y = numbers(measure, "measure"), numbers(response, "response")
    persons, groups = np.asarray(people), np.asarray(puzzles)
    for each in (y, persons, groups):
        equally_many(x, each, "A mixed model")
    check_confidence(confidence)
    n, m = len(np.unique(groups)), len(np.unique(persons))
    name = "standardized slope"
    assumes = "residuals and random intercepts that are normal, and a linear relation"
    note = ""
    if n < LEAST_PUZZLES or m < 2:
        note = f"No model: there are {n} puzzles and {m} people, and it takes {LEAST_PUZZLES} and 2."
    elif is_constant(x) or is_constant(y):
        which = "measure" if is_constant(x) else "response"
        note = f"No model: the {which} is {(x if which == 'measure' else y)[0]:g} throughout."
    if note:
        return Estimate(name, None, n, "not computed", assumes, note=note, confidence=confidence)
    x, y = (x - x.mean()) / x.std(), (y - y.mean()) / y.std()
    crossed = len(x) <= MOST_CROSSED
    if not crossed:
        x, y = _without_means(x, persons), _without_means(y, persons)
    slope, error = _fitted(x, y, persons if crossed else None, groups)
    method = f"linear mixed model (statsmodels' MixedLM, REML) of {len(x):,} answers of {m} people: " + (
        "people and puzzles with crossed random intercepts" if crossed else
        "people's means taken off, puzzles with random intercepts"
    )  # fmt: skip
    if slope is None or error is None:
        note = "No slope: the mixed model did not converge; ranks within people need no model."
        return Estimate(name, None, n, method, assumes, note=note, confidence=confidence)
    from scipy import stats

    half = float(stats.t.ppf(0.5 + confidence / 2, n - 2)) * error
    p = float(2 * stats.t.sf(abs(slope / error), n - 2))
    made = f"Student's t with {n - 2} degrees of freedom"
    return Estimate(name, slope, n, method, assumes, slope - half, slope + half, made, p, "", confidence)


def _without_means(values: NDArray[np.float64], persons: NDArray[Any]) -> NDArray[np.float64]:
    _, own = np.unique(persons, return_inverse=True)
    return values - (np.bincount(own, values) / np.bincount(own))[own]


def _fitted(
    x: NDArray[np.float64], y: NDArray[np.float64], persons: NDArray[Any] | None, groups: NDArray[Any]
) -> tuple[float | None, float | None]:
    """Return (slope, standard error) of a mixed model, or (None, None) if it does not converge."""
    from statsmodels.regression.mixed_linear_model import MixedLM, VCSpec

    design = np.column_stack([np.ones_like(x), x])
    if persons is None:
        model = MixedLM(y, design, groups)
    else:
        names, matrices = [], []
        for labels in (persons, groups):
            levels, own = np.unique(labels, return_inverse=True)
            matrices.append([np.eye(len(levels))[own]])
            names.append([[str(level) for level in levels]])
        components = VCSpec(["person", "puzzle"], names, matrices)
        model = MixedLM(y, design, np.zeros(len(x)), exog_vc=components)
    fits = []
    for optimizer in ("bfgs", "powell"):  # L-BFGS-B calls slopes converged that are far from any optimum
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # what they say is whether it converged, which is asked below
            try:
                fit = model.fit(reml=True, method=[optimizer])
            except (np.linalg.LinAlgError, ValueError, FloatingPointError):
                continue
            fits.append((fit.converged, float(fit.llf), float(fit.fe_params[1]), float(fit.bse_fe[1])))
    proper = [fit for fit in fits if fit[0] and np.isfinite(fit[1:]).all() and fit[3] > 0]
    if not proper:
        return None, None
    _, _, slope, error = max(proper, key=lambda fit: fit[1])
    return slope, error
