"""Choices of one of two puzzles: which was more fun, which is harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import StoreError
from epcg_core.plugin import Reader, UnknownNameError, has_tables
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.training import TABLES, Puzzle, given

PLAYED_FIRST = "played first"
"""What is asked about if neither a label nor a measure is."""


@attrs.frozen
class Choice:
    """One person's choice between two puzzles."""

    person: str
    question: str
    set: str
    """'' if the puzzles are not of one set."""
    chosen: Puzzle
    label: str
    """What the chosen one is in its set, such as 'variant'; '' if that is not known."""
    other: Puzzle
    other_label: str
    first: bool | None = None
    """Whether the chosen one was played before the other; None if that is not known."""
    equal: bool = False
    """Whether the person saw no difference; which is called chosen means nothing then."""


@attrs.frozen
class Chosen:
    """How often one of two was chosen, for one question."""

    question: str
    of: str
    """Which of the two: 'variant', or 'the higher muse'."""
    people: int
    equal: int
    """Answers without a difference, which do not count."""
    share: Estimate
    """Of all choices; p only if no person chose twice."""
    played_first: float | None
    """The share of choices before which that one was played first, of known orders; None if none is known."""
    balanced: float | None
    """The share if both orders were equally frequent: the mean of the two; None if it is not known."""
    within: Estimate
    """Each person's choices of the one beside those of the other, both orders with the same weight."""
    when_first: float | None = None
    """Its share of the choices before which it was played first; None if there are no such choices."""
    when_second: float | None = None
    """Its share of the choices before which it was played second."""
    order_unknown: int = 0
    """Choices whose order is not known; within people they count only if no orders can be weighed."""
    weighed: bool = False
    """Whether both orders have the same weight within people."""
    adjusted: float | None = None
    """p within people, adjusted for the number of questions."""
    training: int = 0
    """Choices that are left out because they are about training puzzles."""


@attrs.frozen
class Choices:
    """The choices of a study."""

    counted: list[Choice]
    training: int
    """How many are left out because one of the two puzzles was one of training."""


def recorded_choices(reader: Reader, study: str | None = None) -> Choices:
    """Return the choices of a study.

    Args:
        reader: the database.
        study: its name; None for the only one that has choices.

    Raises:
        StoreError: if there are no choices, or several studies have some and no name is given.
        UnknownNameError: if no study of that name has choices.
    """
    rows: list[Any] = []
    if has_tables(reader, TABLES):
        rows += reader.connection.exec_driver_sql(
            "SELECT study.name, person, question, set_name, space, rank, label, other_space, other_rank, "
            "other_label, first, equal FROM responses_choice AS choice "
            "JOIN responses_study AS study ON study.id = study_id ORDER BY choice.id"
        ).all()
    names = sorted({row[0] for row in rows})
    if not names:
        raise StoreError(
            "There are no choices here: bring some in with `epcg import study FILE... --plan FOLDER`, or as "
            "a table with `epcg import choices FILE ...`."
        )
    if study is None and len(names) > 1:
        raise StoreError(f"Several studies have choices, {', '.join(names)}: choose one with --study.")
    if study is not None and study not in names:
        raise UnknownNameError("study with choices", study, names, "--study")
    name = study or names[0]
    found = [
        Choice(
            row[1], row[2], row[3], (row[4], row[5]), row[6], (row[7], row[8]), row[9],
            None if row[10] is None else bool(row[10]), bool(row[11]),
        )
        for row in rows
        if row[0] == name
    ]  # fmt: skip
    trained = given(reader, name).training
    kept = [each for each in found if not {(each.person, each.chosen), (each.person, each.other)} & trained]
    return Choices(kept, len(found) - len(kept))


def by_label(choices: Sequence[Choice], label: str) -> list[tuple[Choice, bool]]:
    """Return choices between a puzzle with this label and one without, and whether it was chosen.

    Raises:
        UnknownNameError: if no puzzle has the label.
    """
    known = sorted({name for each in choices for name in (each.label, each.other_label) if name})
    if label not in known:
        raise UnknownNameError("label", label, known, "--of")
    return [
        (each, each.label == label)
        for each in choices
        if (each.label == label) != (each.other_label == label) and each.other_label and each.label
    ]


def by_measure(choices: Sequence[Choice], values: Mapping[Puzzle, float]) -> list[tuple[Choice, bool]]:
    """Return choices between puzzles whose values differ, and whether that of the higher value was chosen."""
    return [
        (each, values[each.chosen] > values[each.other])
        for each in choices
        if each.chosen in values and each.other in values and values[each.chosen] != values[each.other]
    ]


def by_order(choices: Sequence[Choice]) -> list[tuple[Choice, bool]]:
    """Return choices whose order is known, and whether the puzzle that was played first was chosen."""
    return [(each, bool(each.first)) for each in choices if each.first is not None or each.equal]


def shares(
    sorted_out: Sequence[tuple[Choice, bool]],
    of: str,
    questions: Sequence[str],
    adjust: Adjustment = "holm",
    training: int = 0,
) -> list[Chosen]:
    """Estimate for each question how often one of two was chosen.

    Args:
        sorted_out: choices, and whether the one that is asked about was chosen.
        of: what that is called.
        questions: in this order.
        adjust: how p is adjusted for the number of questions.
        training: how many choices are left out because they are about training puzzles.

    Returns:
        The share of choices with Wilson's interval, and within people the signed-rank test of how often each
        chose the one and the other. If one was played first more often than the other, choices of the rarer
        order count more within people, as much together as those of the other; choices of unknown order
        do not count there then.
    """
    statistics.need_statistics("Studies need")
    found = []
    for question in questions:
        own = [(each, hit) for each, hit in sorted_out if each.question == question]
        counted = [(each, hit) for each, hit in own if not each.equal]
        people = sorted({each.person for each, _ in counted})
        hit = np.array([hit for _, hit in counted], bool)
        who = np.array([people.index(each.person) for each, _ in counted], int)
        first, sides, weights = _orders(counted)
        balanced = None if None in sides else sum(each for each in sides if each is not None) / 2
        unknown = sum(each.first is None for each, _ in counted)
        if of == PLAYED_FIRST:
            first, sides = None, (None, None)
        share = statistics.preferred(int(hit.sum()), len(counted))
        if len(people) < len(counted):
            share = attrs.evolve(share, p=None, method="share of all choices")
        number = len(people)
        found.append(
            Chosen(
                question, of, number, len(own) - len(counted), share, first, balanced,
                statistics.paired(
                    np.bincount(who, weights * hit, number), np.bincount(who, weights * ~hit, number)
                ),
                *sides, unknown, balanced is not None, training=training,
            )
        )  # fmt: skip
    adjusted = statistics.adjusted([each.within.p for each in found], adjust)
    return [attrs.evolve(each, adjusted=p) for each, p in zip(found, adjusted, strict=True)]


def _orders(
    counted: Sequence[tuple[Choice, bool]],
) -> tuple[float | None, tuple[float | None, float | None], NDArray[np.float64]]:
    """Return how often the one asked about was played first, its share if it was and if not, and weights.

    They are of the choices whose order is known. By the weights both orders count as much if both are there,
    and unknown ones nothing; else each choice counts 1.
    """
    equal = np.ones(len(counted))
    known = np.array([each.first is not None for each, _ in counted], bool)
    if not known.any():
        return None, (None, None), equal
    hit = np.array([hit for _, hit in counted], bool)
    first = np.array([bool(each.first) == hit for each, hit in counted], bool) & known
    second = known & ~first
    sides = tuple(float(hit[side].mean()) if side.any() else None for side in (first, second))
    share = float(first.sum() / known.sum())
    if None in sides:
        return share, (sides[0], sides[1]), equal
    return share, (sides[0], sides[1]), float(second.sum()) * first + float(first.sum()) * second
