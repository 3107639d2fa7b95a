"""How fast people solve puzzles by a measure: a proportional-hazards model, with people as blocks."""

from __future__ import annotations

import math
import warnings

import numpy as np
from numpy.typing import ArrayLike, NDArray

from epcg_core.plugin import EpcgError
from epcg_research.statistics.estimates import (
    CONFIDENCE,
    Estimate,
    check_confidence,
    equally_many,
    is_constant,
    numbers,
)

NAME = "hazard ratio"
LEAST_EVENTS, LEAST_PUZZLES, LEAST_PEOPLE = 10, 5, 2
"""Solved puzzles that are compared with others of their person: P. Peduzzi & others, "Importance of events
per independent variable in proportional hazards regression analysis. II", J. Clin. Epidemiology 48 (1995),
1503-1510; and puzzles and people."""
OF_TIMES = "A hazard is that of solving a puzzle: ask for a time, or for moves, and not for another response."


def hazard_ratio(
    people: ArrayLike,
    puzzles: ArrayLike,
    measure: ArrayLike,
    times: ArrayLike,
    longer: ArrayLike,
    confidence: float = CONFIDENCE,
) -> Estimate:
    """Fit a proportional-hazards model of times with give-ups, and return the hazard ratio of a measure.

    Each person is a stratum with a hazard of its own, so that puzzles are compared within people:
    D. R. Cox, "Regression models and life-tables", JRSS B 34 (1972), 187-220; by statsmodels' PHReg, ties as
    B. Efron, JASA 72 (1977), 557-565. The measure varies between puzzles only, so the error is that of the
    one-step jackknife over puzzles (S. R. Lipsitz & M. Parzen, "A jackknife estimator of variance for Cox
    regression for correlated survival data", Biometrics 52 (1996), 291-298), and interval and p are of
    Student's t with puzzles - 2 degrees of freedom. The sandwich that is usual for many puzzles is too narrow
    for few: without an effect, p was below 0.05 in 21 of 200 simulated studies, and in 12 with this error.

    Args:
        people: (n,) a number for the person of each answer.
        puzzles: (n,) a number for its puzzle.
        measure: (n,) the measure of its puzzle.
        times: (n,) how long the person needed, or played before giving up.
        longer: (n,) whether the person gave up.
        confidence: of the interval.

    Returns:
        By which factor the rate of solving changes with one standard deviation of the measure over puzzles:
        below 1 if puzzles with more take longer. n counts puzzles. Without a value if the answers determine
        none; the note says why.

    Raises:
        EpcgError: if a value is not finite, a time is negative, or the numbers of values differ.
    """
    x, t = numbers(measure, "measure"), numbers(times, "times")
    persons, groups, open_ = np.asarray(people), np.asarray(puzzles), np.asarray(longer, bool)
    for each in (t, persons, groups, open_):
        equally_many(x, each, "A proportional-hazards model")
    check_confidence(confidence)
    if len(t) and t.min() < 0:
        raise EpcgError(f"times: {t.min():g} is negative, and no puzzle is solved before it begins.")
    _, first = np.unique(groups, return_index=True)
    n, assumes = len(first), (
        "rates of solving that the measure multiplies, at all times and for all people, by the same factor; "
        "who gives up would have needed as long as the others, or longer; puzzles that are independent"
    )  # fmt: skip
    note = _undetermined(persons, x, t, open_, n)
    if note:
        return Estimate(NAME, None, n, "not computed", assumes, note=note, confidence=confidence)
    spread = float(x[first].std(ddof=1))
    fitted = _fitted(persons, groups, (x - x[first].mean()) / spread, t, open_)
    events = int((~open_).sum())
    method = (
        f"proportional-hazards model (statsmodels' PHReg), {len(np.unique(persons))} people as strata, "
        f"{events:,} puzzles solved and {int(open_.sum()):,} given up; for one standard deviation of the "
        f"measure, {spread:.4g}"
    )
    if fitted is None:
        note = "No hazard ratio: the model did not converge; ranks within people need no model."
        return Estimate(NAME, None, n, method, assumes, note=note, confidence=confidence)
    from scipy import stats

    slope, error = fitted
    half = float(stats.t.ppf(0.5 + confidence / 2, n - 2)) * error
    p = float(2 * stats.t.sf(abs(slope / error), n - 2))
    free = f"{n - 2} degrees of freedom"
    made = f"one-step jackknife over puzzles (Lipsitz & Parzen 1996), Student's t with {free}"
    return Estimate(
        NAME, math.exp(slope), n, method, assumes, math.exp(slope - half), math.exp(slope + half), made, p,
        "", confidence,
    )  # fmt: skip


def _undetermined(
    persons: NDArray[np.generic],
    x: NDArray[np.float64],
    t: NDArray[np.float64],
    longer: NDArray[np.bool_],
    puzzles: int,
) -> str:
    """Say why there is no hazard ratio; '' if there is one."""
    number = len(np.unique(persons))
    if puzzles < LEAST_PUZZLES or number < LEAST_PEOPLE:
        return (
            f"No hazard ratio: there are {puzzles} puzzles and {number} people, and it takes {LEAST_PUZZLES} "
            f"and {LEAST_PEOPLE}."
        )
    if is_constant(x):
        return f"No hazard ratio: the measure is {x[0]:g} throughout."
    events, up, down = 0, False, False
    for person in np.unique(persons):
        own = persons == person
        values, ends, done = x[own], t[own], ~longer[own]
        for value, end in zip(values[done], ends[done], strict=True):
            at_risk = values[ends >= end]
            if at_risk.min() < at_risk.max():
                events += 1
                up, down = up or value < at_risk.max(), down or value > at_risk.min()
    if events < LEAST_EVENTS:
        return (
            f"No hazard ratio: {events} puzzles were solved while the same person had others with another "
            f"value before them, and it takes {LEAST_EVENTS} (Peduzzi and others 1995)."
        )
    if not up or not down:
        which = "least" if up else "most"
        return (
            f"No hazard ratio: each person solves first what has {which} of the measure, without an "
            "exception, so the ratio has no bound (separation); ranks within people say so without a model."
        )
    return ""


def _fitted(
    persons: NDArray[np.generic],
    groups: NDArray[np.generic],
    x: NDArray[np.float64],
    t: NDArray[np.float64],
    longer: NDArray[np.bool_],
) -> tuple[float, float] | None:
    """Return (logarithm of the ratio, standard error), or None if the model does not converge.

    The error is that of the values without each puzzle in turn, each one Newton step from the whole's.
    """
    from statsmodels.duration.hazard_regression import PHReg

    def of(own: NDArray[np.bool_]) -> PHReg:
        labels = np.unique(persons[own], return_inverse=True)[1]
        return PHReg(t[own], x[own, None], status=(~longer[own]).astype(int), strata=labels, ties="efron")

    def step(model: PHReg, slope: float) -> tuple[float, float]:
        at = np.array([slope])
        return float(model.score(at)[0]), -float(model.hessian(at)[0, 0])

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # what they say is whether it converged, which is asked below
        try:
            model = of(np.ones(len(x), bool))
            slope = float(model.fit(disp=0).params[0])
            steps = [step(of(groups != each), slope) for each in np.unique(groups)]
            gradient, information = step(model, slope)
        except (np.linalg.LinAlgError, ValueError, FloatingPointError):
            return None
    if not math.isfinite(slope) or not information > 0 or abs(gradient) > 1e-3 * math.sqrt(information):
        return None
    if not all(without > 0 for _, without in steps):
        return None
    n, moved = len(steps), np.array([score / without for score, without in steps])
    return slope, math.sqrt((n - 1) / n * float((moved**2).sum()))
