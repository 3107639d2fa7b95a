"""Simulate studies of planted people: give-ups, orders that are off, noise, few people, what is left out.

Groups of `python -m benchmarks.coverage`, 300 repetitions each with fixed seeds. Each line has how often the
interval held the truth, and how often p was below 5 %: with the planted sign where there is something, and
at all where there is nothing.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import Any

import attrs
import numpy as np
from epcg_research import statistics as own
from epcg_research.statistics import Estimate
from epcg_research.studies.answers import Answer, Answers, Choice, Response
from epcg_research.studies.choices import shares
from epcg_research.studies.course import learned
from epcg_research.studies.factors import TOGETHER, factors_of_choices

REPETITIONS = 300
Random = np.random.Generator
SECONDS = Response("seconds", "s", 0, of_finished=True)


@attrs.frozen
class Case:
    """Studies of one design."""

    what: str
    sign: int
    """The sign of what was planted; 0 for nothing."""
    study: Callable[[Random], Estimate]
    truth: float | None = None
    """The value that the interval should hold; None if it is not known."""
    nothing: float = 0.0
    """The value that stands for no relation."""


@attrs.frozen
class Counted:
    """The outcome of a case."""

    held: float | None
    """The share of intervals that held the truth; None if it is not known."""
    found: float
    """The share with p below 5 %, and the planted sign if there is one."""
    without: int
    """Studies without a value."""


def phi(z: float) -> float:
    return math.erfc(-z / math.sqrt(2)) / 2


def times(
    random: Random, persons: int, puzzles: int, r: float, noise: float, give_up: float
) -> tuple[Any, Any, Any]:
    """Draw a measure, and logarithms of times: how hard a puzzle is, the person's level, and noise.

    A person gives up after a time that this share of all answers exceeds.
    """
    measure = random.standard_normal(puzzles)
    hard = r * measure + math.sqrt(1 - r**2) * random.standard_normal(puzzles)
    level = random.standard_normal((persons, 1))
    answers = hard + level + noise * random.standard_normal((persons, puzzles))
    if not give_up:
        return measure, answers, None
    low, high = -9.0, 9.0
    for _ in range(50):  # the quantile of a normal variable by halving
        middle = (low + high) / 2
        low, high = (middle, high) if phi(middle) < 1 - give_up else (low, middle)
    limit = low * math.sqrt(2 + noise**2)
    longer = answers > limit
    return measure, np.minimum(answers, limit), longer if longer.any() else None


def correlated(average: Any, bootstrap: bool, random: Random, **design: Any) -> Estimate:
    """Correlate as `epcg study correlate` does."""
    measure, answers, longer = times(random, **design)
    if bootstrap:
        return own.bootstrap(measure, answers, "both", average=average, longer=longer, repetitions=300)
    return own.correlation(measure, own.ordered(own.averages(answers, average, longer)))


def hazard(random: Random, **design: Any) -> Estimate:
    measure, answers, longer = times(random, **design)
    who, which = (each.ravel() for each in np.indices(answers.shape))
    open_ = np.zeros(len(who), bool) if longer is None else longer.ravel()
    return own.hazard_ratio(who, which, measure[which], np.exp(answers).ravel(), open_)


DESIGNS = {
    "14 puzzles, 40 people": {"puzzles": 14, "persons": 40, "noise": 1.0},
    "14 puzzles, 40 people, noise 3": {"puzzles": 14, "persons": 40, "noise": 3.0},
    "14 puzzles, 8 people": {"puzzles": 14, "persons": 8, "noise": 1.0},
}


def _given_up(name: str, study: Callable[..., Estimate], value: bool) -> Iterator[Case]:
    for design, numbers in DESIGNS.items():
        for r in (0.0, 0.7):
            for give_up in (0.0, 0.2, 0.6):
                yield Case(
                    f"{name}, {design}, {100 * give_up:.0f} % give up, r {r:g}",
                    int(r > 0) * (1 if value else -1),
                    partial(study, r=r, give_up=give_up, **numbers),
                    (6 / math.pi * math.asin(r / 2)) if value else 1.0 if not r else None,
                    0.0 if value else 1.0,
                )


def given_up() -> Iterator[Case]:
    for average in ("median", "ranks"):
        yield from _given_up(f"Spearman's rho of {average}", partial(correlated, average, False), True)


def hazards() -> Iterator[Case]:
    yield from _given_up("hazard ratio", hazard, False)


def resampled_give_ups() -> Iterator[Case]:
    yield from _given_up("bootstrap of both, ranks", partial(correlated, "ranks", True), True)


def ordered_differences(random: Random, persons: int, share: float, effect: float, order: float) -> Any:
    """Draw differences of people between two conditions, of which the one came first so often."""
    orders = np.where(random.random(persons) < share, 1.0, -1.0)
    return effect + order * orders + random.standard_normal(persons), orders


def orders() -> Iterator[Case]:
    """An order that makes 1 standard deviation; the truth is that over pairs of people of opposite orders."""
    for persons in (15, 40):
        for share in (0.5, 0.8):
            for effect in (0.0, 0.7):
                design: dict[str, Any] = {"persons": persons, "share": share, "effect": effect, "order": 1.0}
                what = f"{persons} people, one first in {100 * share:.0f} %, effect {effect:g}"
                truth = 2 * phi(math.sqrt(2) * effect) - 1
                yield Case(f"signed ranks, {what}", int(effect > 0), partial(_plain, **design))
                yield Case(
                    f"at balanced orders, {what}", int(effect > 0), partial(_balanced, **design), truth
                )


def _plain(random: Random, **design: Any) -> Estimate:
    change, _ = ordered_differences(random, **design)
    return own.paired(change, np.zeros(len(change)), repetitions=100)


def _balanced(random: Random, **design: Any) -> Estimate:
    return own.at_balanced_orders(*ordered_differences(random, **design))


def choices() -> Iterator[Case]:
    """One or four choices a person; people choose what they played first by 20 % more often than not."""

    def study(random: Random, persons: int, each: int, first: float, preferred: float) -> Estimate:
        found = []
        for who, which in np.ndindex(persons, each):
            earlier = bool(random.random() < first)
            hit = bool(random.random() < preferred + (0.2 if earlier else -0.2))
            one, other = ("s", 2 * which + 1 - hit), ("s", 2 * which + hit)
            found.append((Choice(f"p{who}", "q", "", one, "", other, "", earlier == hit), hit))
        return shares(found, "one", ["q"])[0].within

    for persons in (15, 40):
        for each in (1, 4):
            for first in (0.5, 0.8):
                for preferred in (0.5, 0.7):
                    number = "one" if each == 1 else "four"
                    first_in = f"first in {100 * first:.0f} %"
                    yield Case(
                        f"{number} a person, {persons} people, {first_in}, preferred {preferred:g}",
                        int(preferred > 0.5),
                        partial(study, persons=persons, each=each, first=first, preferred=preferred),
                        2 * preferred - 1,
                    )


def factors() -> Iterator[Case]:
    """Six questions about two pairs; the truth of Pillai's trace is not known.

    Choices of a person go together; half of the people are of a group that prefers the one in two questions.
    """

    def study(random: Random, persons: int, preferred: float, group: float, factor: str) -> Estimate:
        found, about = [], {}
        for who in range(persons):
            about[f"p{who}"] = "gh"[own_group := int(random.random() < 0.5)]
            taste = 0.3 * random.standard_normal()
            for which in range(2):
                earlier = bool(random.random() < 0.5)
                for question in range(6):
                    more = preferred + group * (own_group - 0.5) * (question < 2)
                    draw = 0.8 * random.standard_normal() + taste + more + (0.5 if earlier else -0.5)
                    hit = bool(draw > 0)
                    one, other = ("s", 2 * which + 1 - hit), ("s", 2 * which + hit)
                    found.append(
                        (
                            Choice(f"p{who}", f"q{question}", f"{which}", one, "", other, "", earlier == hit),
                            hit,
                        )
                    )
        names = [f"q{question}" for question in range(6)]
        tested = factors_of_choices("study", found, "one", names, {"group": about}).tested
        return next(
            each.test for each in tested if each.responses == TOGETHER and each.factor.startswith(factor)
        )

    for persons in (20, 58):
        for preferred, group in ((0.0, 0.0), (0.6, 0.0), (0.0, 1.2)):
            for factor, sign in (("'one'", preferred > 0), ("group", group > 0)):
                what = f"six questions, {persons} people, preference {preferred:g}, group {group:g}"
                yield Case(
                    f"{what}: {factor}", int(sign),
                    partial(study, persons=persons, preferred=preferred, group=group, factor=factor),
                )  # fmt: skip


def left_out() -> Iterator[Case]:
    """Leave answers out: by chance, or more often of puzzles with more of the measure."""

    def study(random: Random, persons: int, puzzles: int, goes: float, share: float) -> Estimate:
        measure = random.standard_normal(puzzles)
        gone = random.random((persons, puzzles)) < share * np.exp(goes * measure - goes**2 / 2)
        return own.left_out([measure] * persons, list(gone))

    for persons in (8, 40):
        for goes in (0.0, 1.0):
            yield Case(
                f"what is left out, {persons} people, 14 puzzles, 15 % missing, goes with it {goes:g}",
                int(goes > 0),
                partial(study, persons=persons, puzzles=14, goes=goes, share=0.15),
            )


def learning() -> Iterator[Case]:
    """People who get faster with each puzzle; hard ones come late, and many give up."""

    def study(random: Random, persons: int, faster: float) -> Estimate:
        hard, found = np.linspace(-1, 1, 8), []
        for who in range(persons):
            order = np.argsort(hard + 0.8 * random.standard_normal(8))
            for place, which in enumerate(order.tolist(), 1):
                log = 3 + hard[which] - faster * place + 0.6 * float(random.standard_normal())
                values = {"seconds": math.exp(min(log, 3.5))}
                found.append(Answer(f"p{who}", ("s", which), values, float(place), log <= 3.5))
        answers = Answers("study", (SECONDS,), tuple(found))
        return learned(answers, responses=["seconds"]).trends[0].estimate

    for persons in (10, 30):
        for faster in (0.0, 0.1):
            yield Case(
                f"trend over the order, {persons} people, faster by {100 * faster:.0f} % a puzzle",
                -int(faster > 0), partial(study, persons=persons, faster=faster),
            )  # fmt: skip


ALL: dict[str, Callable[[], Iterator[Case]]] = {
    "orders": orders,
    "choices": choices,
    "factors": factors,
    "left_out": left_out,
    "given_up": given_up,
    "learning": learning,
    "hazards": hazards,
    "resampled_give_ups": resampled_give_ups,
}


def counted(case: Case, repetitions: int = REPETITIONS) -> Counted:
    """Repeat a study; a bootstrap, which has no p, finds something if its interval leaves out nothing."""
    held, intervals, found, without = 0, 0, 0, 0
    for seed in range(repetitions):
        one = case.study(np.random.default_rng(seed))
        if one.value is None:
            without += 1
            continue
        right = not case.sign or (one.value - case.nothing) * case.sign > 0
        if one.low is not None and one.high is not None:
            intervals += 1
            held += case.truth is not None and one.low - 1e-9 <= case.truth <= one.high + 1e-9
            outside = not one.low <= case.nothing <= one.high
        else:
            outside = False
        found += right and (one.p < 0.05 if one.p is not None else outside)
    share = held / intervals if case.truth is not None and intervals else None
    return Counted(share, found / max(1, repetitions - without), without)


def show(name: str) -> None:
    """Print what comes out of the designs of a group."""
    for case in ALL[name]():
        found = counted(case)
        held = "     -" if found.held is None else f"{100 * found.held:5.1f} %"
        what = "found" if case.sign else "false"
        note = f"   {found.without} without a value" if found.without else ""
        print(f"{case.what:<80} held {held}   {what} {100 * found.found:5.1f} %{note}", flush=True)
