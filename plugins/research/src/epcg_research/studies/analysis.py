"""Measures of puzzles against what people did with them: correlations, baselines, two conditions."""

from __future__ import annotations

import math
from collections.abc import Sequence
from typing import Literal, get_args

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import StoreError
from epcg_core.plugin import UnknownNameError
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Average, Estimate, Method, Resampled
from epcg_research.studies.answers import Answers, Puzzle, SetAside
from epcg_research.studies.measures import Measure, scaled
from epcg_research.studies.omitted import Omitted, omitted, together

People = Literal["median", "mean", "ranks", "mixed", "hazards"]
PEOPLE: tuple[People, ...] = get_args(People)
PEOPLE_IN_WORDS = {
    "median": "the median of a puzzle's people",
    "mean": "the mean of a puzzle's people",
    "ranks": "the mean of the ranks that a puzzle has within its people",
    "mixed": "each answer, in a mixed model",
    "hazards": "each answer, in a proportional-hazards model",
}


@attrs.frozen
class How:
    """How measures and responses are compared."""

    method: Method = "spearman"
    people: People = "median"
    """How the answers of people to a puzzle are taken together."""
    resample: Resampled | None = None
    """What the bootstrap draws; None for the interval by formula."""
    adjust: Adjustment = "holm"
    repetitions: int = 2_000
    seed: int = 0

    @property
    def average(self) -> Average:
        """How answers are averaged; the mixed model has the mean beside it, that of hazards ranks."""
        if self.people == "hazards":
            return "ranks"
        return "mean" if self.people == "mixed" else self.people


@attrs.frozen
class Finding:
    """A measure beside a response."""

    metric: str
    runs: tuple[int, ...]
    response: str
    estimate: Estimate
    adjusted: float | None
    """p, adjusted for all measures and responses that were asked together; None for a baseline."""
    puzzles: int
    """Puzzles with a value and at least one answer."""
    people: int
    gave_up: int
    """Answers of people who gave up, of whom it is known that they would have needed longer."""
    left_out: int
    """Answers that do not count: without the response, or of puzzles without a value."""
    points: tuple[tuple[float, float], ...]
    """The puzzles: (value, response of its people taken together), but for those that half do not solve."""
    baseline: str = ""
    omitted: Omitted | None = None
    """Whether being left out goes with the measure; None if nothing of puzzles with a value is left out."""


@attrs.frozen
class Beside:
    """A measure and another one, over the same puzzles: which correlates more with a response."""

    metric: str
    other: str
    response: str
    first: float | None
    """The correlation of the measure."""
    second: float | None
    """That of the other."""
    estimate: Estimate
    """The difference of the two."""
    resampled: Estimate | None = None
    """The difference with an interval by resampling, if one was asked for."""
    set_aside: SetAside = SetAside()
    """Answers that the filter leaves out."""
    omitted: tuple[Omitted, ...] = ()
    """Whether being left out goes with either measure, if the two were asked alone."""


@attrs.frozen
class Correlated:
    """Measures correlated with responses, and with baselines beside them."""

    study: str
    people: int
    puzzles: int
    answers: int
    unmeasured: int
    """Answers to puzzles without any value."""
    how: How
    found: tuple[Finding, ...]
    beside: tuple[Beside, ...]
    unanswered: int = 0
    """Puzzles that people were given and did not come to, or of whose answers no number is known."""
    set_aside: SetAside = SetAside()
    """Answers that the filter leaves out."""


def correlate(
    answers: Answers, measured: Sequence[Measure], responses: Sequence[str] = (), how: How | None = None
) -> Correlated:
    """Correlate measures with responses, by puzzle, with baselines beside.

    Args:
        answers: the data set.
        measured: the measures, baselines among them.
        responses: the names of responses; none for all.
        how: how to compare; None for the usual way.

    Returns:
        A finding for each measure and response; p is adjusted for all of them but baselines.

    Raises:
        UnknownNameError: if there is no such response.
    """
    statistics.need_statistics("Studies need")
    how = how or How()
    names = list(dict.fromkeys(responses)) or [each.name for each in answers.responses]
    found = [_finding(answers, scaled(m), name, how) for m in measured for name in names]
    own = [each for each in found if not each.baseline]
    adjusted = iter(statistics.adjusted([each.estimate.p for each in own], how.adjust))
    found = [each if each.baseline else attrs.evolve(each, adjusted=next(adjusted)) for each in found]
    gone = together((each.omitted for each in found), how.adjust)
    found = [attrs.evolve(each, omitted=own) for each, own in zip(found, gone, strict=True)]
    baselines = [m for m in measured if m.baseline]
    beside = [
        against(answers, m, scaled(b), name, how)
        for m in measured
        if not m.baseline
        for b in baselines
        for name in names
    ]
    valued = {puzzle for m in measured for puzzle in m.values}
    given = answers.answered
    return Correlated(
        answers.study,
        len({answer.person for answer in given}),
        len({answer.puzzle for answer in given}),
        len(given),
        sum(answer.puzzle not in valued for answer in given),
        how,
        tuple(found),
        tuple(beside),
        len(answers.answers) - len(given) - answers.set_aside.given_up,
        answers.set_aside,
    )


def _finding(answers: Answers, measure: Measure, response: str, how: How) -> Finding:
    counted = [answer for answer in answers.counted(response) if answer.puzzle in measure.values]
    _, values, matrix, longer = taken_together(answers, [measure], response)
    points, note = _points(matrix, longer, how)
    there = ~np.isnan(points)
    x, y = values[0][there], points[there]
    if note:
        name = statistics.NAMES[how.method]
        estimate = Estimate(name, None, len(values[0]), "not computed", "", note=f"{response}: {note}")
    elif how.people == "mixed":
        who, which = np.nonzero(np.isfinite(matrix))
        estimate = statistics.mixed_slope(who, which, values[0][which], matrix[who, which])
    elif how.people == "hazards" and not answers.response(response).of_finished:
        note = f"{response}: {statistics.OF_TIMES}"
        estimate = Estimate("hazard ratio", None, len(x), "not computed", "", note=note)
    elif how.people == "hazards":
        who, which = np.nonzero(np.isfinite(matrix))
        open_ = np.zeros(len(who), bool) if longer is None else longer[who, which]
        estimate = statistics.hazard_ratio(who, which, values[0][which], matrix[who, which], open_)
    else:
        estimate = statistics.correlation(x, statistics.ordered(y), how.method)
        if how.resample is not None and estimate.value is not None:
            estimate = _resampled(estimate, values[0], matrix, longer, how)
    return Finding(
        measure.metric,
        measure.runs,
        response,
        estimate,
        None,
        int(np.isfinite(matrix).any(axis=0).sum()) if note else len(x),
        len({answer.person for answer in counted}),
        sum(answers.is_longer(answer, response) for answer in counted),
        len(answers.answers) - len(counted),
        tuple((a, b) for a, b in zip(x.tolist(), y.tolist(), strict=True) if math.isfinite(b)),
        measure.baseline,
        omitted(answers, measure, response),
    )


def _points(
    matrix: NDArray[np.float64], longer: NDArray[np.bool_] | None, how: How
) -> tuple[NDArray[np.float64], str]:
    """Return what people did with each puzzle, taken together, or why there is no such number."""
    none = np.full(matrix.shape[1], np.nan)
    if not len(matrix):
        return none, ""
    if longer is not None and how.average == "mean":
        return none, statistics.MEAN_OF_GIVEN_UP
    points = statistics.averages(matrix, how.average, longer)
    if np.isinf(points).any() and not np.isfinite(points).any():
        return none, statistics.NO_MEDIANS
    if how.method == "pearson" and np.isinf(points).any():
        return none, statistics.NO_PRODUCT_MOMENT
    return points, ""


def _resampled(
    estimate: Estimate,
    values: NDArray[np.float64],
    matrix: NDArray[np.float64],
    longer: NDArray[np.bool_] | None,
    how: How,
) -> Estimate:
    """Return an estimate with the interval of the bootstrap instead of the formula's."""
    assert how.resample is not None
    found = statistics.bootstrap(
        values, matrix, how.resample, method=how.method, average=how.average, longer=longer,
        repetitions=how.repetitions, seed=how.seed,
    )  # fmt: skip
    return attrs.evolve(
        estimate, low=found.low, high=found.high, interval=found.interval, note=found.note,
        assumes=found.assumes,
    )  # fmt: skip


def taken_together(
    answers: Answers, measured: Sequence[Measure], response: str
) -> tuple[list[Puzzle], list[NDArray[np.float64]], NDArray[np.float64], NDArray[np.bool_] | None]:
    """Return the puzzles that all measures have and people answered, the values, and `Answers.matrix`."""
    answered = {answer.puzzle for answer in answers.counted(response)}
    puzzles = sorted(answered.intersection(*(measure.values for measure in measured)))
    values = [np.array([measure.values[puzzle] for puzzle in puzzles], float) for measure in measured]
    _, matrix, longer = answers.matrix(response, puzzles)
    return puzzles, values, matrix, longer


def against(answers: Answers, one: Measure, other: Measure, response: str, how: How) -> Beside:
    """Compare the correlations of two measures with a response, over the puzzles that have both.

    Args:
        answers: the data set.
        one: a measure.
        other: another.
        response: the name of the response.
        how: how to compare; the mixed model counts as the mean of people here.

    Returns:
        The two correlations and their difference.

    Raises:
        UnknownNameError: if there is no such response.
    """
    _, (first, second), matrix, longer = taken_together(answers, [one, other], response)
    points, note = _points(matrix, longer, how)
    there = ~np.isnan(points)
    first, second, points, matrix = first[there], second[there], points[there], matrix[:, there]
    points = statistics.ordered(points)
    estimate = statistics.difference(points, first, second, how.method)
    if note:
        estimate = attrs.evolve(estimate, note=f"{response}: {note}")
    resampled = None
    if how.resample is not None and estimate.value is not None:
        resampled = statistics.bootstrap(
            first, matrix, how.resample, other=second, method=how.method, average=how.average,
            longer=None if longer is None else longer[:, there], repetitions=how.repetitions, seed=how.seed,
        )  # fmt: skip
    return Beside(
        one.metric,
        f"{other.metric} ({other.baseline})" if other.baseline else other.metric,
        response,
        statistics.correlation(first, points, how.method).value,
        statistics.correlation(second, points, how.method).value,
        estimate,
        resampled,
        answers.set_aside,
    )


def compare(
    answers: Answers, measured: Sequence[Measure], metric: str, other: str, response: str, how: How
) -> Beside:
    """Compare two measures by their names, as `against` does.

    Raises:
        UnknownNameError: if there is no such measure or response.
        StoreError: if several runs have a measure.
    """
    statistics.need_statistics("Studies need")
    both = one_measure(measured, metric), one_measure(measured, other)
    gone = together((omitted(answers, each, response) for each in both), how.adjust)
    found = against(answers, *both, response, how)
    return attrs.evolve(found, omitted=tuple(each for each in gone if each is not None))


def one_measure(measured: Sequence[Measure], name: str) -> Measure:
    """Return a measure by its name. Raises UnknownNameError, or StoreError if several runs have it."""
    found = [measure for measure in measured if measure.metric == name]
    if not found:
        raise UnknownNameError("metric", name, sorted({m.metric for m in measured}), "--metric")
    if len(found) > 1:
        runs = ", ".join(str(run) for measure in found for run in measure.runs)
        raise StoreError(f"Several runs over one space have '{name}' (runs {runs}): choose one with --run.")
    return found[0]


# --- two conditions ---------------------------------------------------------------------------------------


@attrs.frozen
class Halves:
    """Puzzles above a value of a measure beside those below it."""

    metric: str
    runs: tuple[int, ...]
    response: str
    at: float
    """Puzzles with more are the upper ones, all others the lower."""
    upper: int
    """Puzzles."""
    lower: int
    people: int
    """People who answered puzzles of both."""
    within: Estimate
    """Within people: each one's mean response to upper puzzles beside that to lower ones."""
    share: Estimate
    """The share of people whose mean is larger for the upper puzzles, of those with two means that differ."""
    between: Estimate
    """Between puzzles: the responses to upper ones beside those to lower ones, people taken together."""
    scored: bool = False
    """Whether people gave up, so that means within people are of scores from 0 to 1."""
    adjusted: float | None = None
    """p between puzzles, adjusted for all measures and responses that were asked together."""
    set_aside: SetAside = SetAside()
    """Answers that the filter leaves out."""
    omitted: Omitted | None = None
    """Whether being left out goes with the measure; None if nothing of puzzles with a value is left out."""


def halves(
    answers: Answers,
    measured: Sequence[Measure],
    responses: Sequence[str] = (),
    at: float | None = None,
    how: How | None = None,
) -> list[Halves]:
    """Compare responses to puzzles above a value of each measure with those to the others.

    Args:
        answers: the data set.
        measured: the measures; baselines are not asked.
        responses: the names of responses; none for all.
        at: the value; None for the median of the measure's values.
        how: how people are taken together, and p is adjusted; None for the usual way.

    Returns:
        For each measure and response the tests within people and between puzzles.

    Raises:
        UnknownNameError: if there is no such response.
    """
    statistics.need_statistics("Studies need")
    how = how or How()
    names = list(dict.fromkeys(responses)) or [each.name for each in answers.responses]
    found = [_halves(answers, m, name, at, how) for m in measured if not m.baseline for name in names]
    adjusted = statistics.adjusted([each.between.p for each in found], how.adjust)
    gone = together((each.omitted for each in found), how.adjust)
    return [
        attrs.evolve(each, adjusted=p, omitted=own)
        for each, p, own in zip(found, adjusted, gone, strict=True)
    ]


def _halves(answers: Answers, measure: Measure, response: str, at: float | None, how: How) -> Halves:
    _, (values,), matrix, longer = taken_together(answers, [measure], response)
    limit = at if at is not None else float(np.median(values)) if len(values) else 0.0
    upper = values > limit
    both = np.array(
        [np.isfinite(row[upper]).any() and np.isfinite(row[~upper]).any() for row in matrix], bool
    )
    own = matrix[both] if len(matrix) else matrix
    if longer is not None:  # a mean of times is not known then; that of what is known of their order is
        own = statistics.ranks_within(own, longer[both])
    first = np.nanmean(own[:, upper], axis=1) if len(own) else np.zeros(0)
    second = np.nanmean(own[:, ~upper], axis=1) if len(own) else np.zeros(0)
    points, note = _points(matrix, longer, how)
    there = ~np.isnan(points)
    between = statistics.unpaired(
        statistics.ordered(points)[upper & there], statistics.ordered(points)[~upper & there]
    )
    if note:
        between = attrs.evolve(between, note=f"{response}: {note}")
    return Halves(
        measure.metric,
        measure.runs,
        response,
        limit,
        int(upper.sum()),
        int((~upper).sum()),
        len(own),
        statistics.paired(first, second, seed=how.seed),
        statistics.preferred(int((first > second).sum()), int((first != second).sum())),
        between,
        longer is not None,
        set_aside=answers.set_aside,
        omitted=omitted(answers, measure, response),
    )
