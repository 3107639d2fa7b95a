"""Orders that are off and answers that are missing: planted, found, and said in the first line."""

from __future__ import annotations

import json
import math
from collections.abc import Callable
from itertools import combinations, product
from statistics import NormalDist

import attrs
import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.studies.analysis import correlate, halves
from epcg_research.studies.answers import Answer, Answers, Choice, Response
from epcg_research.studies.choices import shares
from epcg_research.studies.conditions import conditions
from epcg_research.studies.measures import Measure
from epcg_research.studies.shown import lines_of, lines_of_chosen

from tests.research.pages import Page, record
from tests.research.test_planted import planted
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")


# --- the statistics ---------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_the_effect_at_balanced_orders_is_that_over_pairs_of_opposite_orders(seed: int) -> None:
    random = np.random.default_rng(seed)
    change = random.integers(-6, 7, 14).astype(float)
    order = random.choice([-1.0, 0.0, 1.0] if seed % 2 else [-1.0, 1.0], 14)
    order[:4] = [-1, -1, 1, 1]
    signs = [
        np.sign(a + b)
        for (a, of_a), (b, of_b) in combinations(zip(change, order, strict=True), 2)
        if of_a == -of_b and (of_a or (a and b))
    ]
    signs += [np.sign(a) for a, of_a in zip(change, order, strict=True) if not of_a and a]
    found = statistics.at_balanced_orders(change, order, repetitions=200)
    assert found.value == pytest.approx(np.mean(signs))
    assert found.n == 14
    mirrored = statistics.at_balanced_orders(-change, -order, repetitions=200)
    assert mirrored.value == pytest.approx(-np.mean(signs))


def test_p_at_balanced_orders_is_that_of_all_arrangements() -> None:
    """Three people of each order, and two who had both: the variance is that of all arrangements."""
    change, order = np.array([3.0, 1, 2, -1, 4, 2, 5, -2]), np.array([1.0, 1, 1, -1, -1, -1, 0, 0])
    found = statistics.at_balanced_orders(change, order, repetitions=200)
    in_time, own = (change * order)[:6], np.abs(change[6:])
    sums = []
    for chosen in combinations(range(6), 3):
        rest = [i for i in range(6) if i not in chosen]
        between = sum(np.sign(in_time[i] - in_time[j]) for i, j in product(chosen, rest))
        for signs in product((-1, 1), repeat=2):
            walsh = [
                (np.sign(a * s + b * t)) for (a, s), (b, t) in combinations(zip(own, signs, strict=True), 2)
            ]
            sums.append(between + sum(walsh) + sum(signs))
    deviation = math.sqrt(np.mean(np.square(sums)))
    assert found.value is not None
    expected = 2 * NormalDist().cdf(-abs(found.value * (9 + 3)) / deviation)
    assert found.p == pytest.approx(expected)


def test_one_order_has_no_estimate_at_balanced_orders() -> None:
    found = statistics.at_balanced_orders([1.0, 2, 3], [1.0, 1, 1])
    assert (found.value, found.p) == (None, None)
    assert "all people had one order" in found.note
    both = statistics.at_balanced_orders(np.arange(1.0, 9), np.zeros(8))
    assert (both.value, both.p) == (1.0, 2 / 2**8)


def test_what_is_left_out_has_the_variance_of_all_choices() -> None:
    values = [np.array([1.0, 2, 2, 5, 7]), np.array([3.0, 1, 4])]
    missing = [np.array([0, 1, 0, 0, 1], bool), np.array([0, 0, 1], bool)]
    found = statistics.left_out(values, missing)

    def signs(own: np.ndarray, chosen: tuple[int, ...]) -> float:
        rest = [i for i in range(len(own)) if i not in chosen]
        return float(sum(np.sign(own[i] - own[j]) for i, j in product(chosen, rest)))

    sums = [
        signs(values[0], one) + signs(values[1], other)
        for one, other in product(combinations(range(5), 2), combinations(range(3), 1))
    ]
    total = signs(values[0], (1, 4)) + signs(values[1], (2,))
    assert found.value == pytest.approx(total / 8)
    assert found.p == pytest.approx(2 * NormalDist().cdf(-abs(total) / math.sqrt(np.mean(np.square(sums)))))
    assert found.n == 3
    none = statistics.left_out(values, [np.zeros(5, bool), np.ones(3, bool)])
    assert (none.value, none.p) == (None, None)


# --- conditions -------------------------------------------------------------------------------------------

SECONDS = Response("seconds", "s", 0, of_finished=True)


def under_two(
    seed: int, share: float, effect: float, order: float, persons: int = 40
) -> tuple[Answers, dict[tuple[str, tuple[str, int]], str]]:
    """Two puzzles a person, one timed, which comes first so often; what comes second is solved faster."""
    random, found, places = np.random.default_rng(seed), [], {}
    for number in range(persons):
        who, timed_first = f"p{number:02}", random.random() < share
        for which, condition in enumerate(("calm", "timed")):
            first = timed_first == (condition == "timed")
            log = 3 + effect * (condition == "timed") - order * (not first) + 0.7 * random.standard_normal()
            puzzle = "s", 2 * (number % 3) + which
            places[who, puzzle] = condition
            found.append(Answer(who, puzzle, {"seconds": math.exp(log)}, float(1 + (not first)), True))
    return Answers("two", (SECONDS,), tuple(found)), places


@pytest.mark.parametrize("seeds", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_orders_that_are_off_make_no_effect(seeds: int) -> None:
    plain = balanced = order = 0
    for seed in range(seeds):
        (found,) = conditions(*under_two(seed, 0.8, 0.0, 1.0), "condition")
        assert found.balanced is not None
        if found.balanced.p is None:  # one person has the other order, in a draw of a thousand or so
            assert "each needs two" in found.balanced.note
            continue
        assert found.order is not None
        assert found.order.p is not None
        assert found.estimate.p is not None
        assert found.orders is not None
        plain += found.estimate.p < 0.05 and found.orders.off
        balanced += found.balanced.p < 0.05
        order += found.order.p < 0.05 and (found.order.value or 0) > 0.3
    assert plain > 0.55 * seeds, "the order is taken for the condition, and that is said"
    assert balanced <= (3 if seeds == 12 else 25), "of more, the chance is below 1 %"
    assert order > 0.8 * seeds


def test_an_effect_against_the_order_is_found() -> None:
    for seed in range(4):
        (found,) = conditions(*under_two(seed, 0.8, -0.9, 0.9, 60), "condition")
        assert found.balanced is not None
        assert found.balanced.value is not None
        assert found.balanced_adjusted is not None
        assert found.balanced.value > 0.35, "calm takes longer"
        assert found.balanced_adjusted < 0.01
        assert found.orders is not None
        assert found.orders.share is not None
        assert found.orders.share < 0.4


def pages_of(seed: int, share: float, order: float, persons: int = 30) -> dict[str, list[Page]]:
    random, people = np.random.default_rng(seed), {}
    for number in range(persons):
        names = ["timed", "calm"] if number % 5 < 5 * share else ["calm", "timed"]
        people[f"p{number}"] = [
            Page(
                10 * place + (name == "timed"), name, "", name,
                {"seconds": 60.0 - order * place + float(random.integers(0, 20))},
            )
            for place, name in enumerate(names)
        ]  # fmt: skip
    return people


def test_the_first_line_says_that_orders_are_off(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=100))
    record(toy, pages_of(1, 0.8, 40.0))
    asked = ("study", "conditions", "--study", "planted", "--by", "condition", "--response", "seconds")
    (found,) = json.loads(cli(*asked, "--format", "json").stdout)
    assert found["estimate"]["p"] < 0.01
    assert found["balanced"]["p"] > 0.05
    assert found["order"]["value"] == 1.0
    told = " ".join(cli(*asked).stderr.split())
    assert told.startswith("Orders are off: 'calm' came before 'timed' for 6 of 30 people")
    assert "read 'balanced' instead of 'effect'" in told
    assert "Koch 1972" in told


def test_one_order_for_all_is_said_and_balanced_orders_are_not_called_off(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    toy.given(toy.query("digits", size=100))
    record(toy, pages_of(1, 1.0, 40.0), study="one")
    record(toy, pages_of(2, 0.5, 40.0), study="balanced")
    asked = ("study", "conditions", "--by", "condition", "--response", "seconds", "--study")
    told = " ".join(cli(*asked, "one").stderr.split())
    assert told.startswith("Orders are off: 'timed' came before 'calm' for all 30 people")
    (found,) = json.loads(cli(*asked, "one", "--format", "json").stdout)
    assert found["balanced"]["value"] is None
    assert "Orders are off" not in cli(*asked, "balanced").stderr


# --- choices ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("unknown", [1, 20])
def test_choices_of_unknown_order_do_not_switch_balancing_off(unknown: int) -> None:
    known = planted(3, 0.5, 0.2, 0.8)
    lost = [(attrs.evolve(each, first=None), hit) for each, hit in known[:unknown]]
    (found,) = shares([*lost, *known[unknown:]], "one", ["q"])
    (rest,) = shares(known[unknown:], "one", ["q"])
    assert (found.order_unknown, found.weighed) == (unknown, True)
    assert (found.played_first, found.balanced) == (rest.played_first, rest.balanced)
    assert (found.within.value, found.within.p) == (rest.within.value, rest.within.p)
    assert found.when_first is not None
    assert found.when_second is not None
    assert found.when_first > found.when_second + 0.1, "people choose what they played first"
    assert found.share.n == len(known)
    told = " ".join(lines_of_chosen([found], "holm", 0))
    assert f"of {unknown} of 120 choices it is not known which puzzle was played first" in told
    assert "do not count within people" in told


def test_choices_of_unknown_orders_alone_count_as_before() -> None:
    none = [(attrs.evolve(each, first=None), hit) for each, hit in planted(3, 0.8, 0.0, 0.5)]
    (found,) = shares(none, "one", ["q"])
    assert (found.played_first, found.weighed, found.order_unknown) == (None, False, 120)
    assert found.within.p is not None
    assert found.within.p < 0.01
    assert isinstance(none[0][0], Choice)


# --- what is left out -------------------------------------------------------------------------------------


def rated(seed: int, goes: float, missing: float) -> tuple[Answers, list[Measure]]:
    """Twelve people rate fifteen puzzles, and leave some out: by chance, or the harder the more."""
    random = np.random.default_rng(seed)
    hard = random.standard_normal(15)
    answers = []
    for who, which in np.ndindex(12, 15):
        gone = random.random() < missing * math.exp(goes * hard[which])
        values = {} if gone else {"fun": float(hard[which] + random.standard_normal())}
        answers.append(Answer(f"p{who:02}", ("s", which), values))
    measure = Measure("hard", (1,), {("s", i): float(each) for i, each in enumerate(hard)})
    return Answers("rated", (Response("fun"),), tuple(answers)), [measure]


def test_what_is_left_out_and_goes_with_the_measure_is_said_first() -> None:
    for seed in range(5):
        found = correlate(*rated(seed, 1.2, 0.2))
        (one,) = found.found
        assert one.omitted is not None
        assert one.omitted.estimate.value is not None
        assert one.omitted.estimate.value > 0.2
        first = next(lines_of(found))
        assert first.startswith(
            "What is left out goes with 'hard': 'fun' is missing more often of puzzles with more"
        )
        (half,) = halves(*rated(seed, 1.2, 0.2))
        assert half.omitted is not None
        assert half.omitted.goes_with


@pytest.mark.parametrize("seeds", [25, pytest.param(300, marks=pytest.mark.slow)])
def test_what_is_left_out_by_chance_is_rarely_said_to_go_with_it(seeds: int) -> None:
    said = 0
    for seed in range(seeds):
        (found,) = correlate(*rated(seed, 0.0, 0.15)).found
        assert found.omitted is not None
        said += found.omitted.goes_with
    assert said <= (5 if seeds == 25 else 26), "of more, the chance is below 1 %"
    (whole,) = correlate(*rated(1, 0.0, 0.0)).found
    assert whole.omitted is None


def test_pages_that_were_not_finished_are_known(toy: Numbers, cli: Callable[..., Result]) -> None:
    """All have easy puzzles first, and half of the people stop after five of ten."""
    toy.given(toy.query("digits", size=100))
    ranks = [1, 2, 3, 4, 5, 66, 77, 88, 89, 98]
    record(toy, {
        f"p{who}": [
            Page(rank, values={"seconds": 10.0 + rank + who} if place < 5 or who % 2 else None)
            for place, rank in enumerate(ranks)
        ]
        for who in range(8)
    })  # fmt: skip
    asked = ("study", "correlate", "--study", "planted", "--response", "seconds")
    found = json.loads(cli(*asked, "--format", "json").stdout)
    assert (found["answers"], found["unanswered"], found["people"]) == (60, 20, 8)
    (one,) = found["found"]
    assert (one["left_out"], one["omitted"]["estimate"]["value"]) == (20, 1.0)
    told = " ".join(cli(*asked).stderr.split())
    assert told.startswith("What is left out goes with 'digits': 'seconds' is missing more often")
    assert "the 20 puzzles that people were given and have no answer to" in told


def test_answers_that_are_missing_under_a_condition_are_said(
    toy: Numbers, cli: Callable[..., Result]
) -> None:
    toy.given(toy.query("digits", size=100))
    random, people = np.random.default_rng(2), {}
    for who in range(20):
        pages = []
        for place, name in enumerate(random.permutation(["calm", "timed"] * 3).tolist()):
            gone = name == "timed" and random.random() < 0.6
            values = {"hard": 3.0, "seconds": 5.0} if not gone else {"seconds": 5.0}
            pages.append(Page(place, f"{name}{place}", "", name, values))
        people[f"p{who}"] = pages
    record(toy, people)
    asked = ("study", "conditions", "--study", "planted", "--by", "condition", "--response", "hard")
    (found,) = json.loads(cli(*asked, "--format", "json").stdout)
    assert found["missing"]["value"] < -0.4
    told = " ".join(cli(*asked).stderr.split())
    assert (
        "What is left out goes with the condition: of 'hard' more answers are missing under 'timed'" in told
    )
