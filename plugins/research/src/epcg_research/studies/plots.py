"""A measure of puzzles beside what people did with them, as a figure."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import partial
from typing import TYPE_CHECKING

import numpy as np

from epcg_core.inside import StoreError
from epcg_research import statistics
from epcg_research.figures.drawing import Drawing
from epcg_research.figures.relations import Point, draw_points, least_squares
from epcg_research.statistics import Average
from epcg_research.studies.analysis import PEOPLE_IN_WORDS, How, correlate, taken_together
from epcg_research.studies.answers import Answers
from epcg_research.studies.measures import Measure
from epcg_research.studies.omitted import lines_of_omitted
from epcg_research.studies.shown import OF_GIVEN_UP

if TYPE_CHECKING:
    from matplotlib.axes import Axes

INTERVALS: dict[Average, str] = {
    "median": "95 % by order statistics",
    "mean": "95 % by Student's t",
    "ranks": "95 % by Student's t",
}


def study_drawing(
    answers: Answers,
    measure: Measure,
    response: str,
    how: How,
    *,
    fit: bool = True,
    log: bool = False,
    title: str = "",
) -> Drawing:
    """Draw a response over a measure: a point for each puzzle, with the interval of its people.

    Args:
        answers: the data set.
        measure: the measure.
        response: the name of the response.
        how: how the answers of people are taken together, and the correlation that the caption tells.
        fit: whether there is a line by least squares, with the band of its mean.
        log: whether the vertical axis is logarithmic.
        title: the title; '' for none.

    Raises:
        UnknownNameError: if there is no such response.
        StoreError: if no puzzle has both.
        PluginError: without scipy.
    """
    found = correlate(answers, [measure], [response], how).found[0]
    puzzles, _, matrix, longer = taken_together(answers, [measure], response)
    if not puzzles:
        raise StoreError(f"No puzzle has both '{measure.metric}' and '{response}': there is nothing to draw.")
    average = how.average
    if longer is not None and average == "mean":
        raise StoreError(statistics.MEAN_OF_GIVEN_UP)
    own = statistics.ranks_within(matrix, longer) if average == "ranks" else matrix
    middles = statistics.averages(matrix, average, longer)
    points = []
    for i, puzzle in enumerate(puzzles):
        if math.isfinite(middles[i]):
            there = np.isfinite(own[:, i])
            low = high = None
            if average == "ranks" or longer is None or not longer[there, i].any():
                low, high = statistics.centre_interval(own[there, i], average)
            points.append(Point(measure.values[puzzle], float(middles[i]), low, high))
    unsolved = int(np.isinf(middles).sum())
    if not points:
        raise StoreError(f"There is nothing to draw of '{response}'. {statistics.NO_MEDIANS}")
    about = answers.response(response)
    unit = f" ({about.unit})" if about.unit else ""

    words = [f"{response}{unit}: {PEOPLE_IN_WORDS[average]}, over {measure.metric}; study {answers.study}, "]
    words.append(f"{len(points)} puzzles, {found.people} people. Vertical: {INTERVALS[average]}, of people. ")
    if few := sum(point.low is None for point in points):
        words.append(f"{few} {'has' if few == 1 else 'have'} no interval. ")
    if unsolved:
        words.append(f"{unsolved} more, which half of the people did not solve, lie above all. ")
    if longer is not None:
        words.append(f"{OF_GIVEN_UP} ")
    words += [f"{line} " for line in answers.set_aside.told()]
    words[:0] = [f"{line} " for line in lines_of_omitted([found.omitted])]
    estimate = found.estimate
    if estimate.value is not None:
        ends = "" if estimate.low is None else f" (95 %: {estimate.low:.3f} to {estimate.high:.3f})"
        words.append(f"{estimate.name} = {estimate.value:.3f}{ends}. ")
    words.append(" ".join(estimate.told()))
    x, y = np.array([point.x for point in points]), np.array([point.y for point in points])
    if fit and len(points) > 2 and (line := least_squares(x, y)) is not None:
        words.append(
            f" Line: least squares, {line.height:.4g} + {line.slope:.4g} times {measure.metric}; band: "
            "95 % of its mean. That assumes independent puzzles, and residuals of one variance."
        )
    names = measure.metric, f"{response}, {average}{unit}", title
    return Drawing((partial(_draw, points=points, fit=fit, log=log, names=names),), "".join(words))


def _draw(axes: Axes, points: Sequence[Point], fit: bool, log: bool, names: tuple[str, str, str]) -> None:
    draw_points(axes, points, fit, log)
    axes.set_xlabel(names[0])
    axes.set_ylabel(names[1])
    axes.set_title(names[2])
