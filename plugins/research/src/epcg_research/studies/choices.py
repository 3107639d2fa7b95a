"""Choices of one of two puzzles: which was more fun, which is harder."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

import attrs
import numpy as np

from epcg_core.plugin import UnknownNameError
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.answers import Choice, Puzzle, SetAside

PLAYED_FIRST = "played first"
"""What is asked about if neither a label nor a measure is."""


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
    """Each person's choices of the one beside those of the other, at balanced orders if two are known."""
    when_first: float | None = None
    """Its share of the choices before which it was played first; None if there are no such choices."""
    when_second: float | None = None
    """Its share of the choices before which it was played second."""
    order: Estimate | None = None
    """Whether what was played first is chosen more often; None without two orders, or if that is asked."""
    order_adjusted: float | None = None
    """p of it, adjusted for the number of questions."""
    order_unknown: int = 0
    """Choices whose order is not known; within people they count only if no orders can be weighed."""
    weighed: bool = False
    """Whether what is said within people is that at balanced orders."""
    adjusted: float | None = None
    """p within people, adjusted for the number of questions."""
    set_aside: SetAside = SetAside()
    """Choices that the filter leaves out."""


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
    set_aside: SetAside | None = None,
) -> list[Chosen]:
    """Estimate for each question how often one of two was chosen.

    Args:
        sorted_out: choices, and whether the one that is asked about was chosen.
        of: what that is called.
        questions: in this order.
        adjust: how p is adjusted for the number of questions.
        set_aside: the choices that the filter leaves out; None for none.

    Returns:
        The share of choices with Wilson's interval, and within people the preference if both orders were
        equally frequent, with the effect of order (`statistics.preferences`); choices of unknown order do not
        count there. Without two orders it is the signed-rank test of how often each chose the one and the
        other.
    """
    statistics.need_statistics("Studies need")
    found = []
    for question in questions:
        own = [(each, hit) for each, hit in sorted_out if each.question == question]
        counted = [(each, hit) for each, hit in own if not each.equal]
        people = sorted({each.person for each, _ in counted})
        hit = np.array([hit for _, hit in counted], bool)
        first, sides = _orders(counted)
        balanced = None if None in sides else sum(each for each in sides if each is not None) / 2
        unknown = sum(each.first is None for each, _ in counted)
        if of == PLAYED_FIRST:
            first, sides = None, (None, None)
        share = statistics.preferred(int(hit.sum()), len(counted))
        if len(people) < len(counted):
            share = attrs.evolve(share, p=None, method="share of all choices")
        within, order = _within(counted, of, sides)
        found.append(
            Chosen(
                question, of, len(people), len(own) - len(counted), share, first, balanced, within,
                *sides, order, None, unknown, balanced is not None, set_aside=set_aside or SetAside(),
            )
        )  # fmt: skip
    adjusted = statistics.adjusted([each.within.p for each in found], adjust)
    of_order = statistics.adjusted([each.order.p if each.order else None for each in found], adjust)
    return [
        attrs.evolve(each, adjusted=p, order_adjusted=q)
        for each, p, q in zip(found, adjusted, of_order, strict=True)
    ]


def _within(
    counted: Sequence[tuple[Choice, bool]], of: str, sides: tuple[float | None, float | None]
) -> tuple[Estimate, Estimate | None]:
    """Return what people prefer at balanced orders, and the effect of order; that is None if it is not known.

    Without two orders people are compared with themselves.
    """
    weighed = None not in sides
    own = [(each, hit) for each, hit in counted if not weighed or each.first is not None]
    places = {person: i for i, person in enumerate(sorted({each.person for each, _ in own}))}
    who = np.array([places[each.person] for each, _ in own], int)
    hit = np.array([hit for _, hit in own], bool)
    if not weighed:
        number = len(places)
        return statistics.paired(np.bincount(who, hit, number), np.bincount(who, ~hit, number)), None
    one_first = np.array([bool(each.first) == hit for each, hit in own], bool)
    within, order = statistics.preferences(who, 2.0 * hit - 1, 2.0 * one_first - 1)
    return within, None if of == PLAYED_FIRST else order


def _orders(
    counted: Sequence[tuple[Choice, bool]],
) -> tuple[float | None, tuple[float | None, float | None]]:
    """Return how often the one asked about was played first, and its share if it was and if not.

    They are of the choices whose order is known.
    """
    known = np.array([each.first is not None for each, _ in counted], bool)
    if not known.any():
        return None, (None, None)
    hit = np.array([hit for _, hit in counted], bool)
    first = np.array([bool(each.first) == hit for each, hit in counted], bool) & known
    sides = tuple(float(hit[side].mean()) if side.any() else None for side in (first, known & ~first))
    return float(first.sum() / known.sum()), (sides[0], sides[1])
