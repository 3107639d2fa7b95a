"""Groups, conditions and labels of a study that ran on pages: what people did under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Literal, get_args

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Reader, StoreError, has_tables
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.answers import TABLES, Answers, Puzzle

By = Literal["group", "condition", "label"]
BY: tuple[By, ...] = get_args(By)
_COLUMNS = {"group": "group_name", "condition": "condition", "label": "label"}


@attrs.frozen
class Compared:
    """A response under one condition beside that under another."""

    response: str
    by: By
    one: str
    other: str
    within: bool
    """Whether each person was under both, so that people are compared with themselves."""
    first: float | None
    """The mean over people of their means under the one; None if there are no answers."""
    second: float | None
    scored: bool
    """Whether people gave up, so that the means are of scores from 0 to 1 instead of the response."""
    estimate: Estimate
    adjusted: float | None = None
    """p, adjusted for all comparisons that were asked together."""


def placed(reader: Reader, study: str, by: By) -> dict[tuple[str, Puzzle], str]:
    """Return under which condition each person played each puzzle, of those that have one; not of training.

    Args:
        reader: the database.
        study: the name of a study that ran on pages.
        by: what a condition is: the person's group, the condition of the set, or what the puzzle is in it.

    Raises:
        StoreError: if it did not run on pages, or has no such conditions.
    """
    rows = (
        reader.connection.exec_driver_sql(
            f"SELECT played.person, space, rank, {_COLUMNS[by]} FROM responses_played AS played "
            "JOIN responses_study AS study ON study.id = played.study_id JOIN responses_person AS person "
            "ON person.study_id = study.id AND person.person = played.person "
            "WHERE study.name = ? AND set_name <> ''",
            (study,),
        ).all()
        if has_tables(reader, TABLES)
        else []
    )
    if not rows:
        raise StoreError(
            f"Study '{study}' did not run on pages, so its groups and conditions are not known; puzzles are "
            "compared by `epcg study pairs`."
        )
    found = {(person, (space, rank)): name for person, space, rank, name in rows if name}
    if len(set(found.values())) < 2:
        raise StoreError(f"Study '{study}' has not two of what --by {by} asks for, so none are compared.")
    return found


def conditions(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    by: By,
    responses: Sequence[str] = (),
    adjust: Adjustment = "holm",
) -> list[Compared]:
    """Compare responses under each two conditions.

    Each person counts once: with the mean of the person's answers under a condition. Where people were under
    both, the signed-rank test compares them with themselves, else the rank-sum test compares people.

    Args:
        answers: the data set.
        places: the condition under which each person played each puzzle.
        by: what a condition is.
        responses: the names of responses; none for all.
        adjust: how p is adjusted for the number of comparisons.

    Raises:
        UnknownNameError: if there is no such response.
        PluginError: without scipy and statsmodels.
    """
    statistics.need_statistics("Studies need")
    levels = sorted(set(places.values()))
    found = []
    for response in list(dict.fromkeys(responses)) or [each.name for each in answers.responses]:
        values, scored = _values(answers, places, response, by)
        means = {level: _means(answers, places, values, response, level) for level in levels}
        found += [
            _compared(response, by, one, other, means, scored) for one, other in combinations(levels, 2)
        ]
    adjusted = statistics.adjusted([each.estimate.p for each in found], adjust)
    return [attrs.evolve(each, adjusted=p) for each, p in zip(found, adjusted, strict=True)]


def _means(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    values: Mapping[int, float],
    response: str,
    level: str,
) -> dict[str, float]:
    """Return each person's mean answer under a condition."""
    own: dict[str, list[float]] = {}
    for answer in answers.counted(response):
        value = values.get(id(answer), np.nan)
        if places.get((answer.person, answer.puzzle)) == level and np.isfinite(value):
            own.setdefault(answer.person, []).append(value)
    return {person: float(np.mean(each)) for person, each in own.items()}


def _values(
    answers: Answers, places: Mapping[tuple[str, Puzzle], str], response: str, by: By
) -> tuple[dict[int, float], bool]:
    """Return what each answer counts, by its id, and whether these are scores of what is known.

    Within people an answer is compared with the person's others. Between groups it is compared with those of
    others to the puzzle, if groups share each puzzle, else with all.
    """
    counted = [each for each in answers.counted(response) if (each.person, each.puzzle) in places]
    found = {id(each): each.values.get(response, 0.0) for each in counted}
    if not any(answers.is_longer(each, response) for each in counted):
        return found, False
    puzzles = sorted({each.puzzle for each in counted})
    if by != "group":
        blocks = [[each for each in counted if each.person == person] for person in answers.people]
    elif all(len({places[e.person, e.puzzle] for e in counted if e.puzzle == one}) > 1 for one in puzzles):
        blocks = [[each for each in counted if each.puzzle == puzzle] for puzzle in puzzles]
    else:
        blocks = [counted]
    for block in blocks:
        values = np.array([[each.values.get(response, 0.0) for each in block]], float)
        longer = np.array([[answers.is_longer(each, response) for each in block]], bool)
        scores = statistics.ranks_within(values, longer)
        found |= {id(each): float(score) for each, score in zip(block, scores.ravel(), strict=True)}
    return found, True


def _compared(
    response: str,
    by: By,
    one: str,
    other: str,
    means: Mapping[str, Mapping[str, float]],
    scored: bool,
) -> Compared:
    first, second = means[one], means[other]
    within = by != "group"
    people = sorted(first.keys() & second.keys())
    x = np.array([first[each] for each in (people if within else first)], float)
    y = np.array([second[each] for each in (people if within else second)], float)
    estimate = statistics.paired(x, y) if within else statistics.unpaired(x, y)
    return Compared(response, by, one, other, within, _mean(x), _mean(y), scored, estimate)


def _mean(values: NDArray[np.float64]) -> float | None:
    return float(values.mean()) if len(values) else None
