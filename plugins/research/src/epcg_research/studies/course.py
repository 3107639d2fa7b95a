"""How a study goes on: what people do at each place of the order, and how many still play."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import StoreError
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.answers import Answer, Answers, Given, Puzzle, SetAside

Places = Mapping[Given, str]
"""The group, condition or label under which a person played a puzzle."""
NO_ORDER = (
    "In which order people played is not known here: `epcg import study` knows it, and so does a table with "
    "--order."
)
ONE_ORDER = (
    "No trend: each puzzle was at one place for all people, so what comes from the place cannot be told from "
    "what comes from the puzzle."
)


@attrs.frozen
class AtPlace:
    """A response at a place of the order."""

    response: str
    by: str
    """The group, condition or label; '' if it was not asked for."""
    place: int
    """From 1, the first puzzle that a person was given after training."""
    people: int
    gave_up: int
    """People of whom all that is known is that they would have needed longer."""
    what: str
    """'share' of a response that is 1 or 0, else 'median'."""
    value: float | None
    """None if half of the people are not known to solve the puzzle."""
    low: float | None
    high: float | None


@attrs.frozen
class Trend:
    """Whether people have more, or less, of a response the later they play a puzzle."""

    response: str
    by: str
    estimate: Estimate
    adjusted: float | None = None
    """p, adjusted for all responses and conditions that were asked together."""


@attrs.frozen
class Learned:
    """What people did at each place of the order."""

    study: str
    people: int
    unordered: int
    """People of whose answers the order is not known, who are left out."""
    places: tuple[AtPlace, ...]
    trends: tuple[Trend, ...]
    set_aside: SetAside
    """Answers that the filter leaves out."""


@attrs.frozen
class Stay:
    """How many people came to a place of the order, and what share of those who began still plays there."""

    by: str
    place: int
    came: int
    """People who played the puzzle before, and were given one at this place; at 1 those who began."""
    left: int
    """Those of them who did not play it, and none after it."""
    share: float
    """Of those who began, who still play, by the product of the shares that went on (Kaplan and Meier)."""
    low: float
    high: float


@attrs.frozen
class Engaged:
    """How many people went on until when."""

    study: str
    people: int
    """People who began."""
    never: int
    """People who were given puzzles and have no answer to any."""
    finished: int
    """People who played the last puzzle that they were given."""
    unordered: int
    """People of whose answers the order is not known, who are left out."""
    stays: tuple[Stay, ...]
    test: Estimate | None
    """Whether conditions differ in how many leave; None if none were asked for."""
    set_aside: SetAside
    """Answers that the filter leaves out."""


def _ordered(answers: Answers) -> tuple[dict[str, list[Answer]], int]:
    """Return the puzzles that each person was given, in order, and of how many people there is none.

    Raises StoreError if the order is known of no person.
    """
    own: dict[str, list[Answer]] = {}
    for answer in answers.answers:
        own.setdefault(answer.person, []).append(answer)
    found = {
        person: sorted(each, key=lambda answer: answer.position or 0.0)
        for person, each in own.items()
        if all(answer.position is not None for answer in each)
    }
    if not found:
        raise StoreError(NO_ORDER)
    return found, len(own) - len(found)


def learned(
    answers: Answers,
    places: Places | None = None,
    responses: Sequence[str] = (),
    adjust: Adjustment = "holm",
) -> Learned:
    """Ask what people do at each place of the order: how often they solve, how long they need.

    A trend compares people with others who played the same puzzle: each answer scores by how many of the
    puzzle's other answers are known to be smaller and larger (Gehan), and of each person it is asked whether
    scores rise with the place. So neither hard puzzles that come late nor people who stop make one.

    Args:
        answers: the data set.
        places: the conditions to tell apart; None for none.
        responses: the names of responses; none for all.
        adjust: how p of trends is adjusted for their number.

    Raises:
        StoreError: if the order is not known.
        UnknownNameError: if there is no such response.
        PluginError: without scipy and statsmodels.
    """
    statistics.need_statistics("Studies need")
    own, unordered = _ordered(answers)
    at = {(a.person, a.puzzle): place for each in own.values() for place, a in enumerate(each, 1)}
    rows, trends = list[AtPlace](), list[Trend]()
    for response in list(dict.fromkeys(responses)) or [each.name for each in answers.responses]:
        counted = [each for each in answers.counted(response) if (each.person, each.puzzle) in at]
        levels: dict[str, list[Answer]] = {}
        for answer in counted:
            level = "" if places is None else places.get((answer.person, answer.puzzle))
            if level is not None:
                levels.setdefault(level, []).append(answer)
        share = {each.values.get(response) for each in counted} <= {0.0, 1.0}
        for level in sorted(levels):
            rows += _at_places(answers, levels[level], at, response, level, share)
            trends.append(Trend(response, level, _trend(answers, levels[level], at, response)))
    adjusted = statistics.adjusted([each.estimate.p for each in trends], adjust)
    return Learned(
        answers.study,
        len(own),
        unordered,
        tuple(rows),
        tuple(attrs.evolve(each, adjusted=p) for each, p in zip(trends, adjusted, strict=True)),
        answers.set_aside,
    )


def _numbers(
    answers: Answers, own: Sequence[Answer], response: str
) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
    values = np.array([each.values.get(response, 0.0) for each in own], float)
    return values, np.array([answers.is_longer(each, response) for each in own], bool)


def _at_places(
    answers: Answers,
    own: Sequence[Answer],
    at: Mapping[tuple[str, Puzzle], int],
    response: str,
    level: str,
    share: bool,
) -> Iterator[AtPlace]:
    by_place: dict[int, list[Answer]] = {}
    for answer in own:
        by_place.setdefault(at[answer.person, answer.puzzle], []).append(answer)
    for place in sorted(by_place):
        values, longer = _numbers(answers, by_place[place], response)
        value: float | None
        if share:
            found = statistics.preferred(int(values.sum()), len(values))
            value, low, high = found.value, found.low, found.high
        elif longer.any():
            middle = float(statistics.averages(values[:, None], "median", longer[:, None])[0])
            value = middle if np.isfinite(middle) else None
            low, high = statistics.median_interval(values, longer, statistics.CONFIDENCE)
        else:
            value, (low, high) = float(np.median(values)), statistics.centre_interval(values)
        yield AtPlace(
            response, level, place, len(values), int(longer.sum()), "share" if share else "median", value,
            low, high,
        )  # fmt: skip


def _trend(
    answers: Answers, own: Sequence[Answer], at: Mapping[tuple[str, Puzzle], int], response: str
) -> Estimate:
    """Compare whether scores among a puzzle's people rise or fall with the place, within people."""
    by_puzzle: dict[Puzzle, list[Answer]] = {}
    for answer in own:
        by_puzzle.setdefault(answer.puzzle, []).append(answer)
    scored: dict[str, list[tuple[int, float]]] = {}
    several = False
    for each in by_puzzle.values():
        values, longer = _numbers(answers, each, response)
        scores = statistics.ranks_within(values[None], longer[None])[0]
        several = several or len({at[answer.person, answer.puzzle] for answer in each}) > 1
        for answer, score in zip(each, scores.tolist(), strict=True):
            if np.isfinite(score):
                scored.setdefault(answer.person, []).append((at[answer.person, answer.puzzle], score))
    rises = []
    for places in scored.values():
        where, score = np.array(places, float).reshape(-1, 2).T
        if len(where) > 1:
            i, j = np.triu_indices(len(where), 1)
            rises.append(float((np.sign(where[j] - where[i]) * np.sign(score[j] - score[i])).mean()))
    found = statistics.paired(rises, np.zeros(len(rises)))
    note, value = found.note, found.value
    if not several:
        found, value, note = attrs.evolve(found, low=None, high=None, interval="", p=None), None, ONE_ORDER
    elif value is None:
        note = "No trend: no person did better or worse, the later a puzzle came."
    return attrs.evolve(
        found, name="trend over the order", value=value, note=note,
        method=f"scores among a puzzle's people, over the place, within people; {found.method}",
        assumes="people who are independent of each other, and no person who is given easier puzzles later",
    )  # fmt: skip


def engaged(answers: Answers, places: Places | None = None) -> Engaged:
    """Ask how many of those who began still play at each place of the order.

    A person leaves at a place if the person played before, was given a puzzle there, and played neither that
    nor one after it. With conditions the share is that of people who had only puzzles of one: at each place
    those count who were given a puzzle of it (R. Simon & R. W. Makuch, "A non-parametric graphical
    representation of the relationship between survival and the occurrence of an event: application to
    responder versus non-responder bias", Statistics in Medicine 3 (1984), 35-44).

    Args:
        answers: the data set, with an empty answer for each puzzle that a person did not come to.
        places: the conditions to tell apart; None for none.

    Raises:
        StoreError: if the order is not known, or no person has an answer.
        PluginError: without scipy and statsmodels.
    """
    statistics.need_statistics("Studies need")
    own, unordered = _ordered(answers)
    last = {
        person: max((place for place, a in enumerate(each, 1) if not a.empty), default=0)
        for person, each in own.items()
    }
    began = {person: each for person, each in own.items() if last[person]}
    if not began:
        raise StoreError(f"Study '{answers.study}' has no answers, so none of its people began.")
    levels = sorted({""} if places is None else {
        places[a.person, a.puzzle] for each in began.values() for a in each if (a.person, a.puzzle) in places
    })  # fmt: skip
    most = max(map(len, began.values()))
    came = np.zeros((len(levels), most), np.int64)
    left = np.zeros_like(came)
    for person, each in began.items():
        for place, answer in enumerate(each[: last[person] + 1], 1):
            level = "" if places is None else places.get((person, answer.puzzle))
            if level is not None:
                came[levels.index(level), place - 1] += 1
                left[levels.index(level), place - 1] += place > last[person]
    stays = [
        Stay(level, place, int(came[row, place - 1]), int(left[row, place - 1]), *numbers)
        for row, level in enumerate(levels)
        for place, numbers in enumerate(statistics.still_there(came[row], left[row]), 1)
        if came[row, place - 1]
    ]
    return Engaged(
        answers.study,
        len(began),
        len(own) - len(began),
        sum(last[person] == len(each) for person, each in began.items()),
        unordered,
        tuple(stays),
        None if places is None else statistics.log_rank(came, left),
        answers.set_aside,
    )
