"""Which factors go with answers, all together: against other programs, by hand, and planted."""

from __future__ import annotations

import json
from collections.abc import Callable
from itertools import product
from typing import Any

import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.studies.answers import Answer, Answers, Choice, Response
from epcg_research.studies.choices import shares
from epcg_research.studies.conditions import conditions
from epcg_research.studies.factors import TOGETHER, Factors, factors, factors_of_choices

import epcg_core as epcg
from epcg_core.base.errors import StoreError
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")


@pytest.mark.parametrize("seed", range(4))
def test_ones_alone_are_hotellings_test(seed: int) -> None:
    from scipy import stats

    random = np.random.default_rng(seed)
    n, q = 9 + seed, 1 + seed
    values = random.standard_normal((n, q)) + 0.3
    found = statistics.multivariate(values, np.ones((n, 1)), [0])
    mean, covariance = values.mean(axis=0), np.cov(values.T).reshape(q, q)
    squared = n * mean @ np.linalg.solve(covariance, mean)
    f = squared * (n - q) / (q * (n - 1))
    assert found.p == pytest.approx(float(stats.f.sf(f, q, n - q)))
    assert found.f == pytest.approx(f)
    assert found.value == pytest.approx(squared / (squared + n - 1))
    if q == 1:
        assert found.p == pytest.approx(float(stats.ttest_1samp(values[:, 0], 0).pvalue))


def test_the_trace_of_a_factor_with_levels_is_that_by_hand() -> None:
    """Of three groups: the sum of the eigenvalues of H (H + E)^-1, by definition."""
    random = np.random.default_rng(3)
    values, group = random.standard_normal((14, 2)), np.arange(14) % 3
    values[:, 0] += group
    design = np.column_stack([np.ones(14), group == 1, group == 2]).astype(float)
    found = statistics.multivariate(values, design, [1, 2])
    centre = values.mean(axis=0)
    between, within = np.zeros((2, 2)), np.zeros((2, 2))
    for level in range(3):
        own = values[group == level]
        apart = own.mean(axis=0) - centre
        between += len(own) * np.outer(apart, apart)
        within += (own - own.mean(axis=0)).T @ (own - own.mean(axis=0))
    assert found.value == pytest.approx(np.trace(between @ np.linalg.inv(between + within)))
    assert (found.df, found.df_error) == (4, 22)


def test_p_is_near_that_of_all_signs() -> None:
    """Of eight people, and two responses: each of the 256 ways to exchange the two kinds is tried."""
    values = np.random.default_rng(1).standard_normal((8, 2)) + np.array([0.7, 0.2])

    def trace(own: np.ndarray) -> float:
        mean, squares = own.mean(axis=0), own.T @ own
        return float(len(own) * mean @ np.linalg.solve(squares, mean))

    all_signs = [trace(values * np.array(signs)[:, None]) for signs in product((1.0, -1.0), repeat=8)]
    found = statistics.multivariate(values, np.ones((8, 1)), [0])
    assert found.value == pytest.approx(trace(values))
    assert found.p == pytest.approx(np.mean(np.array(all_signs) >= trace(values) - 1e-12), abs=0.03)


@pytest.mark.parametrize(
    ("values", "design", "note"),
    [
        (np.eye(3), np.ones((3, 1)), "take at least 4"),
        (np.arange(20.0).reshape(10, 2) % 7, np.ones((10, 2)), "one factor follows from the others"),
        (np.column_stack([np.arange(10.0) % 3] * 2), np.ones((10, 1)), "one response follows"),
        (np.ones((9, 1)), np.ones((9, 1)), "one response follows"),
    ],
)
def test_what_determines_no_test_is_said(values: Any, design: Any, note: str) -> None:
    found = statistics.multivariate(values, design, [0])
    assert (found.value, found.p) == (None, None)
    assert note in found.note


# --- choices ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(3))
def test_one_choice_a_person_is_a_line_over_the_order(seed: int) -> None:
    from scipy import stats

    random = np.random.default_rng(seed)
    first = np.where(np.arange(16) < 11, 1.0, -1.0)
    chosen = np.where(random.random(16) < 0.6, 1.0, -1.0)
    preference, order = statistics.preferences(np.arange(16), chosen, first)
    line = stats.linregress(first, chosen)
    assert (preference.value, order.value) == (pytest.approx(line.intercept), pytest.approx(line.slope))
    assert order.p == pytest.approx(float(line.pvalue))
    assert preference.p == pytest.approx(
        float(2 * stats.t.sf(abs(line.intercept / line.intercept_stderr), 14))
    )


@pytest.mark.slow
def test_several_choices_are_those_of_another_program() -> None:
    """Where people differ in taste, and each had both orders, a mixed model by statsmodels says the same."""
    from scipy import stats
    from statsmodels.regression.mixed_linear_model import MixedLM

    random = np.random.default_rng(8)
    who, first = np.repeat(np.arange(60), 6), np.tile([1.0, 1, 1, -1, -1, -1], 60)
    chance = 0.6 + 0.1 * first + 0.2 * random.standard_normal(60)[who]
    chosen = np.where(random.random(360) < chance, 1.0, -1.0)
    preference, order = statistics.preferences(who, chosen, first)
    other = MixedLM(chosen, np.column_stack([np.ones(360), first]), who).fit()
    assert preference.value == pytest.approx(other.params[0], abs=1e-6)
    assert order.value == pytest.approx(other.params[1], abs=1e-6)
    assert preference.p is not None
    error = (preference.value or 0.0) / float(stats.t.isf(preference.p / 2, 58))
    assert error == pytest.approx(float(other.bse[0]), rel=0.05)


def test_all_who_choose_alike_are_a_preference_in_either_order() -> None:
    who, first = np.arange(10), np.where(np.arange(10) < 5, 1.0, -1.0)
    preference, order = statistics.preferences(who, np.ones(10), first)
    assert (preference.value, order.value) == (pytest.approx(1), pytest.approx(0, abs=1e-9))
    assert preference.p == pytest.approx(2 / 2**10)
    assert "nothing scatters" in preference.note
    by_order, all_first = statistics.preferences(who, first, first)
    assert (by_order.p, all_first.value) == (1.0, pytest.approx(1))
    few, _ = statistics.preferences(np.arange(4), np.array([1.0, 1, -1, 1]), np.array([1.0, -1, 1, -1]))
    assert (few.p, "it takes 6" in few.note) == (None, True)


@pytest.mark.parametrize("several", [1, 3])
def test_intervals_at_balanced_orders_hold_what_was_planted(several: int) -> None:
    """Of 40 people, with 0.9 and 0.5 by order, which scatter differently; of 60 draws nine may miss."""
    held, ends = 0, []
    for seed in range(60):
        random = np.random.default_rng(seed)
        who, first = np.repeat(np.arange(40), several), np.where(random.random(40 * several) < 0.8, 1.0, -1.0)
        chosen = np.where(random.random(40 * several) < 0.7 + 0.2 * first, 1.0, -1.0)
        preference, order = statistics.preferences(who, chosen, first)
        for found in (preference, order):
            if found.low is not None and found.high is not None:
                held += found.low <= 0.4 <= found.high
                ends += [found.low, found.high]
    assert held >= 102
    assert -1 <= min(ends) <= max(ends) <= 1


def planted_choices(
    seed: int, preferred: float, order: float, group: float = 0.0, people: int = 40
) -> tuple[list[tuple[Choice, bool]], dict[str, str]]:
    """Two questions about two pairs, of people of two groups, one of which prefers 'one' in the first."""
    random, found, groups = np.random.default_rng(seed), [], {}
    for number in range(people):
        who = f"p{number:02}"
        groups[who] = "gh"[number % 2]
        for which, question in product(range(2), ("fun", "hard")):
            earlier = bool((number // 2 + which) % 3)
            chance = preferred + (order if earlier else -order)
            chance += (group if question == "fun" else 0.0) * (1 if number % 2 else -1)
            hit = bool(random.random() < chance)
            one, other = ("s", 2 * which + 1 - hit), ("s", 2 * which + hit)
            found.append((Choice(who, question, f"{which}", one, "", other, "", earlier == hit), hit))
    return found, groups


def p_of(found: Factors) -> dict[tuple[str, str], float | None]:
    return {(each.factor, each.of): each.test.p for each in found.tested if each.responses == TOGETHER}


def test_planted_factors_of_choices_are_found_and_no_others() -> None:
    names = ["fun", "hard"]

    def asked(**how: float) -> dict[tuple[str, str], float | None]:
        choices, groups = planted_choices(5, **how)  # type: ignore[arg-type]
        places = {(f"p{n:02}", f"{s}"): float(s + 1) for n, s in product(range(40), range(2))}
        found = factors_of_choices("s", choices, "one", names, {"team": groups}, places)
        assert (found.people, found.incomplete) == (40, 0)
        return p_of(found)

    kinds = ("'one' or not", "order", "team, with 'one' or not", "place of the set, with 'one' or not")
    for how, planted in (
        ({"preferred": 0.5, "order": 0.0}, None),
        ({"preferred": 0.8, "order": 0.0}, kinds[0]),
        ({"preferred": 0.5, "order": 0.3}, kinds[1]),
        ({"preferred": 0.5, "order": 0.0, "group": 0.35}, kinds[2]),
    ):
        found = asked(**how)
        assert set(found) == {(kind, "difference") for kind in kinds}
        for kind in kinds:
            p = found[kind, "difference"]
            assert p is not None
            assert (p < 0.001) == (kind == planted), (how, kind, p)


def test_order_stands_beside_a_share_and_an_interaction_cannot_be_there() -> None:
    choices, _ = planted_choices(2, 0.5, 0.3)
    fun, hard = shares(choices, "one", ["fun", "hard"])
    for found in (fun, hard):
        assert found.order is not None
        assert found.order.value is not None
        assert found.order.value > 0.3
        assert found.order_adjusted is not None
        assert found.order_adjusted < 0.01
        assert found.when_first is not None
        assert found.when_second is not None
        # by how much more often what is first is chosen is the same number for the one and for the other
        assert found.when_first - found.when_second == pytest.approx(
            (1 - found.when_second) - (1 - found.when_first)
        )


# --- responses --------------------------------------------------------------------------------------------

FUN, HARD = Response("fun", "", -99, 99), Response("hard", "", -99, 99)


def planted_answers(
    seed: int, label: float = 0.0, order: float = 0.0, interaction: float = 0.0, team: float = 0.0
) -> tuple[Answers, dict[str, str]]:
    """Forty people, a pair each in an order that alternates; an interaction is of order with 'spiked'."""
    random, found, groups = np.random.default_rng(seed), [], {}
    for number in range(40):
        who, spiked_first = f"p{number:02}", bool(number % 2)
        groups[who] = str(20 + (number * 7) % 40)
        for which, name in enumerate(("plain", "spiked")):
            is_first = spiked_first == (which == 1)
            fun = random.standard_normal() + label * which + order * is_first
            fun += interaction * which * is_first + team * (float(groups[who]) - 40) / 10
            values = {"fun": fun, "hard": float(random.standard_normal())}
            found.append(
                Answer(
                    who, ("s", which), values, 2.0 - is_first, None, False, "a", name, "", "gh"[number // 20]
                )
            )
    return Answers("planted", (FUN, HARD), tuple(found)), groups


def test_planted_factors_of_responses_are_found_and_no_others() -> None:
    kinds = "'plain' or 'spiked'"
    all_factors = {
        (kinds, "difference"), ("order", "difference"), (f"age, with {kinds}", "difference"),
        (f"order, with {kinds}", "mean"), ("age", "mean"),
    }  # fmt: skip
    for how, planted in (
        ({}, None),
        ({"label": 1.0}, (kinds, "difference")),
        ({"order": 1.0}, ("order", "difference")),
        ({"interaction": 2.5}, (f"order, with {kinds}", "mean")),
        ({"team": 1.0}, ("age", "mean")),
    ):
        answers, groups = planted_answers(4, **how)
        found = p_of(factors(answers, "label", about={"age": groups}))
        assert set(found) == all_factors
        for factor, p in found.items():
            assert p is not None
            if planted is not None and planted[0].startswith("order, with") and factor[1] == "difference":
                continue  # an interaction is an effect of order, and of the label, too
            assert (p < 0.005) == (factor == planted), (how, factor, p)


def test_the_interaction_of_order_and_label_is_the_comparison_of_both_answers_between_orders() -> None:
    answers, _ = planted_answers(4, interaction=2.5)
    found, nothing = conditions(answers, answers.under("label"), "label")
    assert found.interaction is not None
    assert nothing.interaction is not None
    both = {
        person: float(np.mean([a.values["fun"] for a in answers.answers if a.person == person]))
        for person in answers.people
    }
    plain_first, spiked_first = ([both[f"p{n:02}"] for n in range(at, 40, 2)] for at in (0, 1))
    expected = float(np.mean(np.sign(np.subtract.outer(plain_first, spiked_first))))
    assert found.interaction.value == pytest.approx(expected)
    assert found.interaction.value < 0
    assert found.interaction.p is not None
    assert found.interaction.p < 0.01
    assert nothing.interaction.p is not None
    assert nothing.interaction.p > 0.05


def test_factors_need_two_kinds() -> None:
    answers, _ = planted_answers(1)
    with pytest.raises(StoreError, match="has not two of what --by condition"):
        factors(answers, "condition")


TABLE = "who,rank,fun,hard,kind,nr,years,wrote"


def test_the_command_and_python_ask_a_table(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=100))
    answers, ages = planted_answers(4, label=1.0)
    rows = [
        f"{a.person},{a.puzzle[1]},{a.values['fun']},{a.values['hard']},{a.label},{a.position:g},"
        f"{ages[a.person]},words of {a.person}"
        for a in answers.answers
    ]
    (toy.folder / "play.csv").write_text("\n".join([TABLE, *rows]) + "\n")
    cli("import", "responses", "play.csv", "--space", 1, "--puzzle", "rank", "--person", "who", "--response",
        "fun", "--response", "hard", "--label", "kind", "--order", "nr", "--about", "age=years", "--about",
        "wrote")  # fmt: skip
    told = cli("study", "factors")
    assert "Pillai" in told.stdout
    assert "40 people with all 2 responses" in " ".join(told.stderr.split())
    found = json.loads(cli("study", "factors", "--format", "json").stdout)
    together = {each["factor"]: each for each in found["tested"] if each["responses"] == TOGETHER}
    assert together["'plain' or 'spiked'"]["test"]["p"] < 0.001
    assert {"age", "order"} < set(together), "free text is not a factor"
    said = cli("study", "factors", "--about", "wrote", "--response", "fun").stderr
    assert "'wrote' cannot be a factor: it has 40 different answers" in " ".join(said.split())
    assert "unknown question about people 'agge'" in cli("study", "factors", "--about", "agge", code=1).stderr
    assert "--of asks choices" in cli("study", "factors", "--of", "x", "--response", "fun", code=2).stderr
    study = epcg.open(toy.database).study().factors("fun", about=())
    assert [row[0] for row in study.table.rows] == [
        "'plain' or 'spiked'",
        "order",
        "order, with 'plain' or 'spiked'",
    ]
