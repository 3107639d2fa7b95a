"""Which factors go with what people answer, all responses together: what it is, its order, and the people.

A person counts once, with two rows of numbers: what the person's answers to the one kind of puzzle have more
than those to the other, and the mean of both. So a multivariate model of people asks what a repeated-measures
MANOVA asks, and answers of one person are not taken for independent (M. Hills & P. Armitage, "The two-period
cross-over clinical trial", British Journal of Clinical Pharmacology 8 (1979), 7-20).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import product

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import StoreError
from epcg_core.plugin import Reader, UnknownNameError
from epcg_research import statistics
from epcg_research.statistics import Adjustment, Multivariate
from epcg_research.studies.answers import Answers, By, Choice, Given, SetAside
from epcg_research.studies.choices import by_label
from epcg_research.studies.conditions import values_of
from epcg_research.studies.reading import about_people, asked, recorded_choices

MOST_LEVELS = 6
"""What people say of themselves in more different words, and not in numbers, is not a factor."""
LEAST_LEVEL = 2
"""People who must share an answer about themselves for it to be a level of its own."""
TOGETHER = "all together"
ORDER = "order"


@attrs.frozen
class Tested:
    """A factor beside responses."""

    factor: str
    of: str
    """What of the answers: 'difference' between the two kinds of puzzle, or 'mean' of both."""
    responses: str
    """'all together', or one response."""
    test: Multivariate
    adjusted: float | None = None
    """p, adjusted for the number of factors, or for that of responses of a factor."""


@attrs.frozen
class Factors:
    """The factors of a study."""

    study: str
    one: str
    other: str
    """The two kinds of puzzle: differences are of the one minus the other."""
    responses: tuple[str, ...]
    people: int
    incomplete: int
    """People who are left out, because they lack an answer to one kind, or one about themselves."""
    tested: tuple[Tested, ...]
    left_out: tuple[str, ...]
    """Why what was asked about people is not a factor."""
    choices: bool = False
    """Whether what people chose is asked: differences are then from -1 to 1, and means say nothing."""
    scored: tuple[str, ...] = ()
    """Responses of which some people gave up, so that they are scores from 0 to 1."""
    set_aside: SetAside = SetAside()


@attrs.frozen
class _Person:
    """The numbers of a person, by response, each a list of (place of the set, difference, mean)."""

    numbers: dict[str, list[tuple[float, float, float]]]
    orders: list[float]
    """Of each pair of answers 1 if the one kind came first, -1 if the other did; empty if it is not known."""

    def mean(self, response: str, at: int) -> float:
        return float(np.mean([each[at] for each in self.numbers[response]]))

    def slope(self, response: str, at: int) -> float:
        """Return by how much a number rises from one set to the next; NaN of one set."""
        places, values = (np.array([each[i] for each in self.numbers[response]]) for i in (0, at))
        if len(set(places.tolist())) < 2 or not np.isfinite(places).all():
            return float("nan")
        centred = places - places.mean()
        return float((centred * values).sum() / (centred**2).sum())


def factors(
    answers: Answers,
    by: By = "label",
    responses: Sequence[str] = (),
    about: Mapping[str, Mapping[str, str]] = {},
    adjust: Adjustment = "holm",
) -> Factors:
    """Ask which factors go with the responses of people to two kinds of puzzle.

    Args:
        answers: the data set.
        by: what the two kinds are: labels or conditions, of which there must be two.
        responses: the names of responses; none for all.
        about: what is known of people: by question, the answer of each person.
        adjust: how p is adjusted.

    Raises:
        StoreError: if there are not exactly two kinds.
        UnknownNameError: if there is no such response.
        PluginError: without scipy and statsmodels.
    """
    statistics.need_statistics("Studies need")
    places = answers.under(by)
    levels = sorted(set(places.values()))
    if by == "group" or len(levels) != 2:
        raise StoreError(
            f"Factors are asked of two kinds of puzzle that each person had, and --by {by} has "
            f"{len(levels)}: {', '.join(levels[:6])}."
        )
    one, other = levels
    names = list(dict.fromkeys(responses)) or [each.name for each in answers.responses]
    people = {person: _Person({}, []) for person in answers.people}
    scored = []
    sets = _sets(answers)
    for response in names:
        within, some = values_of(answers, places, response, by)
        between, _ = values_of(answers, places, response, "group")
        scored += [response] if some else []
        for person, name, pair in _pairs(answers, places, response, (one, other), within, between):
            first, second = ([each[0] for each in side] for side in pair)
            mean = [each[1] for side in pair for each in side]
            place = sets.get((person, name), float("nan"))
            row = place, float(np.mean(first) - np.mean(second)), float(np.mean(mean))
            people[person].numbers.setdefault(response, []).append(row)
    for person, orders in _orders(answers, places, (one, other)).items():
        people[person].orders.extend(orders)
    found = _tested(people, names, about, f"'{one}' or '{other}'", adjust, choices=False)
    return attrs.evolve(
        found, study=answers.study, one=one, other=other, scored=tuple(scored), set_aside=answers.set_aside
    )


def factors_of_choices(
    study: str,
    sorted_out: Sequence[tuple[Choice, bool]],
    of: str,
    questions: Sequence[str],
    about: Mapping[str, Mapping[str, str]] = {},
    sets: Mapping[tuple[str, str], float] = {},
    adjust: Adjustment = "holm",
) -> Factors:
    """Ask which factors go with what people chose, all questions together.

    Args:
        study: the name of the study.
        sorted_out: choices, and whether the one that is asked about was chosen.
        of: what that is called.
        questions: the questions.
        about: what is known of people: by question, the answer of each person.
        sets: the place of each set of a person among the person's sets.
        adjust: how p is adjusted.

    Raises:
        PluginError: without scipy and statsmodels.
    """
    statistics.need_statistics("Studies need")
    people: dict[str, _Person] = {}
    for choice, hit in sorted_out:
        if choice.question in questions:
            own = people.setdefault(choice.person, _Person({}, []))
            value = 0.0 if choice.equal else 1.0 if hit else -1.0
            row = sets.get((choice.person, choice.set), float("nan")), value, 0.0
            own.numbers.setdefault(choice.question, []).append(row)
            if choice.first is not None:
                own.orders.append(1.0 if choice.first == hit else -1.0)
    found = _tested(people, list(questions), about, f"'{of}' or not", adjust, choices=True)
    return attrs.evolve(found, study=study, one=of, other="the other")


def asked_factors(
    reader: Reader,
    study: str | None,
    by: By = "label",
    label: str | None = None,
    names: Sequence[str] = (),
    about: Sequence[str] | None = None,
    only_solved: bool = False,
    adjust: Adjustment = "holm",
) -> Factors:
    """Ask which factors go with the responses, or the choices, of a study of a database.

    Args:
        reader: the database.
        study: the name of the study; None for the only one.
        by: what the two kinds of puzzle are.
        label: what was chosen, to ask choices; None to ask responses.
        names: the responses, or the questions of choices; none for all.
        about: the questions about people that are factors; None for all that can be.
        only_solved: whether answers of people who gave up are left out.
        adjust: how p is adjusted.

    Raises:
        StoreError: if there is no such study, or it has not two kinds of puzzle.
        UnknownNameError: if there is no such response or question.
        PluginError: without scipy and statsmodels.
    """
    recorded = None if label is None else recorded_choices(reader, study)
    name = study if recorded is None else recorded.study
    answers = asked(reader, name, only_solved)
    said = about_people(reader, answers.study)
    chosen = set() if recorded is None else {each.question for each in recorded.counted}
    for question in about or ():
        if question not in said:
            raise UnknownNameError("question about people", question, sorted(said), "--about")
    if about is None:
        about = [
            each for each in said if each not in chosen and _columns([*said[each].values()])[0] is not None
        ]
    people = {question: said[question] for question in about}
    if recorded is None or label is None:
        return factors(answers, by, names, people, adjust)
    known = list(dict.fromkeys(each.question for each in recorded.counted))
    for question in names:
        if question not in known:
            raise UnknownNameError("question", question, known, "--question")
    found = factors_of_choices(
        recorded.study, by_label(recorded.counted, label), label, list(names) or known, people,
        _sets(answers), adjust,
    )  # fmt: skip
    return attrs.evolve(found, set_aside=recorded.set_aside)


def _sets(answers: Answers) -> dict[tuple[str, str], float]:
    first: dict[str, dict[str, float]] = {}
    for each in answers.answers:
        if each.position is not None:
            own = first.setdefault(each.person, {})
            own[each.set] = min(each.position, own.get(each.set, each.position))
    return {
        (person, name): float(place)
        for person, own in first.items()
        for place, name in enumerate(sorted(own, key=lambda name: own[name]), 1)
    }


def _pairs(
    answers: Answers,
    places: Mapping[Given, str],
    response: str,
    levels: tuple[str, str],
    within: Mapping[int, float],
    between: Mapping[int, float],
) -> Iterable[tuple[str, str, tuple[list[tuple[float, float]], list[tuple[float, float]]]]]:
    """Yield the numbers of each person and set under both kinds: (within people, between people)."""
    own: dict[tuple[str, str], tuple[list[tuple[float, float]], list[tuple[float, float]]]] = {}
    for answer in answers.counted(response):
        level = places.get((answer.person, answer.puzzle))
        number = within.get(id(answer), np.nan), between.get(id(answer), np.nan)
        if level is not None and np.isfinite(number).all():
            own.setdefault((answer.person, answer.set), ([], []))[level == levels[1]].append(number)
    for (person, name), pair in own.items():
        if all(pair):
            yield person, name, pair


def _orders(answers: Answers, places: Mapping[Given, str], levels: tuple[str, str]) -> dict[str, list[float]]:
    """Return for each person whether the one kind came first, of each pair of a set."""
    at: dict[tuple[str, str], tuple[list[float], list[float]]] = {}
    for each in answers.answered:
        level = places.get((each.person, each.puzzle))
        if level is not None and each.position is not None:
            at.setdefault((each.person, each.set), ([], []))[level == levels[1]].append(each.position)
    found: dict[str, list[float]] = {}
    for (person, _), (first, second) in at.items():
        signs = [float(np.sign(b - a)) for a, b in product(first, second)]
        found.setdefault(person, []).extend(signs)
    return found


@attrs.frozen
class _Asked:
    """A test to be made."""

    factor: str
    of: str
    values: NDArray[np.float64]
    """(people, responses)"""
    design: NDArray[np.float64]
    tested: list[int]

    def alone(self, response: int) -> Multivariate:
        return statistics.multivariate(self.values[:, [response]], self.design, self.tested)

    def together(self) -> Multivariate:
        return statistics.multivariate(self.values, self.design, self.tested)


def _tested(
    people: Mapping[str, _Person],
    names: list[str],
    about: Mapping[str, Mapping[str, str]],
    kinds: str,
    adjust: Adjustment,
    *,
    choices: bool,
) -> Factors:
    """Test each factor on differences and means, all responses together and each alone."""
    complete = [
        person
        for person, own in people.items()
        if all(name in own.numbers for name in names) and all(person in each for each in about.values())
    ]
    parts, left_out = _parts([people[person] for person in complete], complete, about)
    found = list[Tested]()
    asked = list(_asked([people[person] for person in complete], names, parts, kinds, choices))
    together = [each.together() for each in asked]
    of_factors = statistics.adjusted([each.p for each in together], adjust)
    for each, test, p in zip(asked, together, of_factors, strict=True):
        found.append(Tested(each.factor, each.of, TOGETHER, test, p))
        if len(names) > 1:
            alone = [each.alone(i) for i in range(len(names))]
            of_responses = statistics.adjusted([one.p for one in alone], adjust)
            found += [
                Tested(each.factor, each.of, name, one, q)
                for name, one, q in zip(names, alone, of_responses, strict=True)
            ]
    return Factors(
        "", "", "", tuple(names), len(complete), len(people) - len(complete), tuple(found), tuple(left_out),
        choices,
    )  # fmt: skip


def _parts(
    people: Sequence[_Person], names: Sequence[str], about: Mapping[str, Mapping[str, str]]
) -> tuple[list[tuple[str, NDArray[np.float64]]], list[str]]:
    """Return the columns of each factor, '' for the ones, and why others are none."""
    parts, left_out = [("", np.ones((len(people), 1)))], []
    order = np.array([np.mean(own.orders) if own.orders else np.nan for own in people], float)
    if np.isfinite(order).all() and len(set(order.tolist())) > 1:
        parts.append((ORDER, order[:, None]))
    else:
        left_out.append(
            "The order within sets cannot be a factor: it is not known of all people, or all had the same."
        )
    for question, said in about.items():
        made, why = _columns([said[person] for person in names])
        if made is None:
            left_out.append(f"'{question}' cannot be a factor: {why}.")
        else:
            parts.append((question, made))
    return parts, left_out


def _asked(
    people: Sequence[_Person],
    names: Sequence[str],
    parts: Sequence[tuple[str, NDArray[np.float64]]],
    kinds: str,
    choices: bool,
) -> Iterator[_Asked]:
    """Yield the tests: of each factor, and of the place of the set, on differences and on means.

    Which kind it is, and the order, are asked of all people whatever they are: with factors of people beside
    them, they would be asked of people like these, and how many of each kind came by chance would count less.
    """
    if not people:
        return
    design = np.concatenate([part for _, part in parts], axis=1)
    usual = np.concatenate([part for name, part in parts if name in ("", ORDER)], axis=1)
    for of, at in (("difference", 1),) if choices else (("difference", 1), ("mean", 2)):
        values = np.array([[own.mean(name, at) for name in names] for own in people])
        column = 0
        for name, part in parts:
            tested = list(range(column, column + part.shape[1]))
            column += part.shape[1]
            own_design = usual if name in ("", ORDER) else design
            if not name and of == "difference":
                yield _Asked(kinds, of, values, own_design, tested)
            elif name:
                crossed = (name == ORDER) != (of == "difference")
                yield _Asked(f"{name}, with {kinds}" if crossed else name, of, values, own_design, tested)
        slopes = np.array([[own.slope(name, at) for name in names] for own in people])
        there = np.isfinite(slopes).all(axis=1)
        if there.any():
            said = "place of the set" + (f", with {kinds}" if of == "difference" else "")
            yield _Asked(said, of, slopes[there], np.ones((int(there.sum()), 1)), [0])


def _columns(said: Sequence[str]) -> tuple[NDArray[np.float64] | None, str]:
    """Return what people said of themselves as centred columns: a number, or one for each level but a first.

    Levels of one person are taken together, because such a level says who it is. None, and why, of what
    cannot be a factor.
    """
    try:
        numbers = np.array([float(text) for text in said])
    except ValueError:
        numbers = np.array([np.nan])
    if len(numbers) and np.isfinite(numbers).all():
        if len(set(numbers.tolist())) < 2:
            return None, "all people said the same"
        return (numbers - numbers.mean())[:, None], ""
    levels = sorted(set(said))
    if len(levels) > MOST_LEVELS:
        return None, f"it has {len(levels)} different answers, and at most {MOST_LEVELS} are levels"
    rare = {level for level in levels if said.count(level) < LEAST_LEVEL}
    own = ["\0rare" if text in rare else text for text in said]
    levels = sorted(set(own))
    if len(levels) < 2:
        return None, "all people said the same, or each something else"
    found = np.array([[float(text == level) for level in levels[1:]] for text in own])
    centred: NDArray[np.float64] = found - found.mean(axis=0)
    return centred, ""
