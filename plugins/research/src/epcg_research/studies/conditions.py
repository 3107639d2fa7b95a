"""Groups, conditions and labels of a study: what people did under each."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations, product

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_research import statistics
from epcg_research.statistics import Adjustment, Estimate
from epcg_research.studies.answers import Answers, By, Puzzle, SetAside
from epcg_research.studies.omitted import LIKELY


@attrs.frozen
class Orders:
    """In which order people were under two conditions."""

    first: int
    """People who were under the one first; of several answers, in more of the pairs."""
    last: int
    """People who were under the other first."""
    equal: int
    """People who were under each first as often."""
    unknown: int
    """People of whom the order is not known."""
    p: float | None
    """Of the hypothesis that each is first by a toss of a coin; None if no order is known."""

    @property
    def share(self) -> float | None:
        """How often the one came first; None if no order is known."""
        known = self.first + self.last + self.equal
        return (self.first + self.equal / 2) / known if known else None

    @property
    def off(self) -> bool:
        """Whether orders are off by more than chance."""
        return self.p is not None and self.p < LIKELY


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
    orders: Orders | None = None
    """In which order people were under both; None between people."""
    balanced: Estimate | None = None
    """The effect if each of the two had come first as often; None between people, or if no order is known."""
    balanced_adjusted: float | None = None
    """p of it, adjusted for as many comparisons."""
    order: Estimate | None = None
    """The effect of order: positive if what came first has more; None as above."""
    interaction: Estimate | None = None
    """Whether the effect of order differs between the two; None as above. People who had the one first are
    compared with the others by the mean of both, so it may also be a difference of these people."""
    missing: Estimate | None = None
    """Whether answers that are left out go with the condition; None if none is left out."""
    missing_adjusted: float | None = None
    """p of that, adjusted for all comparisons."""
    set_aside: SetAside = SetAside()
    """Answers that the filter leaves out."""

    @property
    def goes_with(self) -> bool:
        """Whether being left out goes with the condition."""
        return self.missing_adjusted is not None and self.missing_adjusted < LIKELY


def conditions(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    by: By,
    responses: Sequence[str] = (),
    adjust: Adjustment = "holm",
) -> list[Compared]:
    """Compare responses under each two conditions.

    Each person counts once: with the mean of the person's answers under a condition. Where people were under
    both, the signed-rank test compares them with themselves, else the rank-sum test compares people. Where
    orders are known, the effect at balanced orders stands beside, and that of order.

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
        values, scored = values_of(answers, places, response, by)
        means = {level: _means(answers, places, values, response, level) for level in levels}
        for one, other in combinations(levels, 2):
            compared = _compared(response, by, one, other, means, scored)
            if by != "group":
                orders = _orders(answers, places, values, response, one, other)
                compared = _with_orders(compared, means, orders)
                if compared.order is not None:
                    compared = attrs.evolve(
                        compared, interaction=_interaction(answers, places, response, (one, other), orders)
                    )
            missing = _missing(answers, places, response, by, one, other)
            found.append(attrs.evolve(compared, missing=missing, set_aside=answers.set_aside))
    p = statistics.adjusted([each.estimate.p for each in found], adjust)
    at_balance = statistics.adjusted([each.balanced.p if each.balanced else None for each in found], adjust)
    gone = statistics.adjusted([each.missing.p if each.missing else None for each in found], adjust)
    return [
        attrs.evolve(each, adjusted=a, balanced_adjusted=b, missing_adjusted=m)
        for each, a, b, m in zip(found, p, at_balance, gone, strict=True)
    ]


def _orders(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    values: Mapping[int, float],
    response: str,
    one: str,
    other: str,
) -> dict[str, float | None]:
    """Return for each person under both whether the one came first, from 1 to -1; None if it is not known.

    Of several answers under each, it is the mean over all pairs of one of each.
    """
    at: dict[str, tuple[list[float | None], list[float | None]]] = {}
    for answer in answers.counted(response):
        level = places.get((answer.person, answer.puzzle))
        if level in (one, other) and np.isfinite(values.get(id(answer), np.nan)):
            at.setdefault(answer.person, ([], []))[level == other].append(answer.position)
    found: dict[str, float | None] = {}
    for person, (first, second) in at.items():
        if first and second:
            pairs = list(product(first, second))
            signs = [float(np.sign(b - a)) for a, b in pairs if a is not None and b is not None]
            found[person] = float(np.mean(signs)) if len(signs) == len(pairs) else None
    return found


def _with_orders(
    compared: Compared, means: Mapping[str, Mapping[str, float]], orders: Mapping[str, float | None]
) -> Compared:
    """Return a comparison within people with its effect at balanced orders, and that of order."""
    own = {person: order for person, order in orders.items() if order is not None}
    first, last = sum(each > 0 for each in own.values()), sum(each < 0 for each in own.values())
    p = statistics.preferred(first, first + last).p if first + last else 1.0 if own else None
    told = Orders(first, last, len(own) - first - last, len(orders) - len(own), p)
    if not own:
        return attrs.evolve(compared, orders=told)
    change = [means[compared.one][person] - means[compared.other][person] for person in own]
    each = list(own.values())
    return attrs.evolve(
        compared,
        orders=told,
        balanced=statistics.at_balanced_orders(change, each),
        order=statistics.of_order(change, each),
    )


def _interaction(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    response: str,
    levels: tuple[str, str],
    orders: Mapping[str, float | None],
) -> Estimate:
    """Compare the means of both conditions between people of opposite orders.

    If order matters more under the one condition than under the other, those who had the one first have more,
    or less, of both together: J. E. Grizzle, "The two-period change-over design and its use in clinical
    trials", Biometrics 21 (1965), 467-480; by ranks as G. G. Koch, Biometrics 28 (1972), 577-584.
    """
    values, _ = values_of(answers, places, response, "group")
    first, second = (_means(answers, places, values, response, level) for level in levels)
    both = {person: (first[person] + second[person]) / 2 for person in first.keys() & second.keys()}
    sides = [
        [both[who] for who, order in sorted(orders.items()) if who in both and order and order * sign > 0]
        for sign in (1, -1)
    ]
    found = statistics.unpaired(sides[0], sides[1])
    return attrs.evolve(
        found, name="interaction of order and condition", method=f"Grizzle 1965, Koch 1972: {found.method}",
        assumes="people who are independent of each other, and of whom chance decided the order",
    )  # fmt: skip


def _missing(
    answers: Answers,
    places: Mapping[tuple[str, Puzzle], str],
    response: str,
    by: By,
    one: str,
    other: str,
) -> Estimate | None:
    """Ask whether people left out more under the one than under the other; None if nothing is left out.

    Within people puzzles are compared, between groups the share that each person left out.
    """
    counted = {id(each) for each in answers.counted(response)}
    own: dict[str, list[tuple[float, bool]]] = {}
    for answer in answers.answers:
        level = places.get((answer.person, answer.puzzle))
        if level in (one, other):
            own.setdefault(answer.person, []).append((float(level == one), id(answer) not in counted))
    if not any(gone for each in own.values() for _, gone in each):
        return None
    if by == "group":
        shares = {who: float(np.mean([gone for _, gone in each])) for who, each in own.items()}
        first, second = (
            [share for who, share in shares.items() if own[who][0][0] == side] for side in (1.0, 0.0)
        )
        return statistics.unpaired(first, second)
    return statistics.left_out(
        [np.array([value for value, _ in each]) for each in own.values()],
        [np.array([gone for _, gone in each], bool) for each in own.values()],
    )


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


def values_of(
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
