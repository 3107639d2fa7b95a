"""What goes with a measure or a choice: people who give up, and the order in which puzzles were played."""

from __future__ import annotations

import math
from collections.abc import Callable
from itertools import product

import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.statistics.censored import medians
from epcg_research.studies.analysis import How, correlate, halves
from epcg_research.studies.answers import Answer, Answers, Choice, Response
from epcg_research.studies.choices import shares
from epcg_research.studies.conditions import By, conditions
from epcg_research.studies.measures import Measure

from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

LIMIT = 25.0
SECONDS = Response("seconds", "s", 0, of_finished=True)


def simulated(
    seed: int, slope: float, persons: int = 40, puzzles: int = 14, noise: float = 1.0
) -> tuple[Answers, list[Measure]]:
    """People who need longer by the measure, some of them quick everywhere, and who give up after a time."""
    random = np.random.default_rng(seed)
    hard = random.standard_normal(puzzles)
    quick = random.random(persons) < 0.15
    log = 3.4 + slope * hard + noise * random.standard_normal((persons, puzzles)) - 2.0 * quick[:, None]
    found = []
    for who, which in np.ndindex(persons, puzzles):
        seconds = math.exp(log[who, which])
        done = seconds <= LIMIT
        found.append(
            Answer(f"p{who:02}", ("s", which), {"seconds": min(seconds, LIMIT)}, which, finished=done)
        )
    values = {("s", which): float(own) for which, own in enumerate(hard)}
    return Answers("simulated", (SECONDS,), tuple(found)), [Measure("hard", (1,), values)]


@pytest.mark.parametrize("seed", range(5))
def test_scores_without_give_ups_are_ranks(seed: int) -> None:
    random = np.random.default_rng(seed)
    matrix = random.integers(0, 5, (6, 7)).astype(float)
    matrix[random.random(matrix.shape) < 0.3] = np.nan
    found = statistics.ranks_within(matrix, np.zeros(matrix.shape, bool))
    np.testing.assert_allclose(found, statistics.ranks_within(matrix))


@pytest.mark.parametrize("seed", range(5))
def test_scores_count_what_is_known(seed: int) -> None:
    random = np.random.default_rng(seed)
    values, longer = random.integers(0, 4, (1, 6)).astype(float), random.random((1, 6)) < 0.4
    expected = []
    for one in range(6):
        total = 0
        for other in range(6):
            for sign, a, b in ((1, one, other), (-1, other, one)):
                above = values[0, a] > values[0, b] or (values[0, a] == values[0, b] and longer[0, a])
                total += sign * (above and not longer[0, b])
        expected.append(0.5 + total / 12)
    np.testing.assert_allclose(statistics.ranks_within(values, longer)[0], expected)


@pytest.mark.parametrize("seed", range(10))
def test_medians_are_those_of_another_program(seed: int) -> None:
    from statsmodels.duration.survfunc import SurvfuncRight

    random = np.random.default_rng(seed)
    values, longer = random.integers(1, 30, (9, 1)).astype(float), random.random((9, 1)) < 0.3
    other = SurvfuncRight(values[:, 0], ~longer[:, 0])
    if not np.isclose(other.surv_prob, 0.5).any():
        assert medians(values, longer)[0] == (
            other.quantile(0.5) if other.surv_prob.min() < 0.5 else math.inf
        )


def test_a_median_that_is_not_reached_is_above_all() -> None:
    values, longer = np.array([[3.0, 5], [9, 5], [9, 5]]), np.array([[0, 0], [1, 0], [1, 0]], bool)
    assert medians(values, longer).tolist() == [math.inf, 5]
    assert statistics.ordered(np.array([math.inf, 5, math.nan]))[0] == 6


@pytest.mark.parametrize("way", ["median", "ranks"])
def test_what_makes_puzzles_hard_is_found_though_most_give_up(way: statistics.Average) -> None:
    for seed in range(8):
        answers, measured = simulated(seed, 0.7)
        seconds, solved = correlate(answers.with_solved(), measured, how=How(people=way)).found
        assert (seconds.response, solved.response) == ("seconds", "solved")
        assert 200 < seconds.gave_up < 400
        assert seconds.left_out == solved.left_out == solved.gave_up == 0
        assert seconds.estimate.value is not None
        assert solved.estimate.value is not None
        assert seconds.estimate.value > 0.5
        if way == "ranks":  # the median of ones and zeros says little
            assert solved.estimate.value < -0.5


def test_those_who_remain_would_say_the_opposite() -> None:
    """What was done before: give-ups were left out, so of hard puzzles quick people remain."""
    turned = 0
    for seed in range(8):
        answers, measured = simulated(seed, 0.7, noise=0.1)
        rest = tuple(each for each in answers.answers if each.finished)
        (found,) = correlate(Answers("rest", (SECONDS,), rest), measured).found
        assert found.estimate.value is not None
        turned += found.estimate.value < 0
    assert turned >= 6


@pytest.mark.parametrize("seeds", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_where_nothing_is_little_is_found(seeds: int) -> None:
    for way in ("median", "ranks"):
        found = [correlate(*simulated(seed, 0.0), how=How(people=way)).found[0] for seed in range(seeds)]
        false = sum(each.estimate.p is not None and each.estimate.p < 0.05 for each in found)
        assert false <= (3 if seeds == 12 else 27), "of more, the chance is below 2 and 0.2 %"


def test_what_has_no_number_is_said() -> None:
    answers, measured = simulated(1, 0.7)
    for how in (How(people="mean"), How(people="mixed"), How(method="pearson")):
        (found,) = correlate(answers, measured, how=how).found
        assert found.estimate.value is None
        assert found.estimate.note.startswith("seconds: ")
        assert "gave up" in found.estimate.note or "not known to solve" in found.estimate.note


@pytest.mark.sweep
@pytest.mark.parametrize("over", ["puzzles", "people", "both"])
def test_intervals_by_resampling(over: statistics.Resampled) -> None:
    answers, measured = simulated(2, 0.7, persons=15, puzzles=10)
    for way in ("median", "ranks"):
        (found,) = correlate(answers, measured, how=How(people=way, resample=over, repetitions=200)).found
        assert found.estimate.low is not None
        assert found.estimate.value is not None
        assert found.estimate.low <= found.estimate.value


def test_halves_and_groups_have_the_sign_that_was_planted() -> None:
    for seed in range(4):
        answers, measured = simulated(seed, 0.7)
        (half,) = halves(answers, measured)
        for part in (half.within, half.between):
            assert part.value is not None
            assert part.value > 0.3
        slow = {f"p{who:02}" for who in range(20)}  # they need twice as long
        changed = tuple(
            Answer(
                each.person, each.puzzle, {"seconds": min(LIMIT, each.values["seconds"] * 2)}, None,
                bool(each.finished) and each.values["seconds"] * 2 <= LIMIT,
            )
            if each.person in slow
            else each
            for each in answers.answers
        )  # fmt: skip
        places = {
            (person, puzzle): "slow" if person in slow else "usual"
            for person, puzzle in product(answers.people, answers.puzzles)
        }
        (found,) = conditions(Answers("two", (SECONDS,), changed), places, "group")
        assert (found.one, found.other, found.scored) == ("slow", "usual", True)
        assert found.estimate.value is not None
        assert found.estimate.value > 0.1


def planted(seed: int, preferred: float, by_order: float, first: float) -> list[tuple[Choice, bool]]:
    """Choices of 30 people, four each, between two, of which one is played first so often."""
    random, found = np.random.default_rng(seed), []
    for who, which in np.ndindex(30, 4):
        one, other = ("s", 2 * which), ("s", 2 * which + 1)
        earlier = random.random() < first
        hit = random.random() < preferred + (by_order if earlier else -by_order)
        chosen = (one, other) if hit else (other, one)
        found.append((Choice(f"p{who}", "q", "", chosen[0], "", chosen[1], "", earlier == hit), hit))
    return found


@pytest.mark.parametrize("seeds", [40, pytest.param(300, marks=pytest.mark.slow)])
def test_an_order_that_is_not_balanced_makes_no_preference(seeds: int) -> None:
    """People choose what they played first, which one of the two was in four of five pairs."""
    plain = false = 0
    for seed in range(seeds):
        sorted_out = planted(seed, 0.5, 0.2, 0.8)
        (found,) = shares(sorted_out, "one", ["q"])
        false += found.within.p is not None and found.within.p < 0.05
        plain += found.share.low is not None and found.share.low > 0.5
        assert found.share.p is None
        assert found.played_first is not None
        assert 0.6 < found.played_first < 0.95
    assert plain > 0.5 * seeds, "the share of all is taken for a preference"
    assert false <= (6 if seeds == 40 else 26), "of more, the chance is below 2 and 0.5 %"


def test_a_preference_is_found_against_the_order() -> None:
    for seed in range(5):
        (found,) = shares(planted(seed, 0.75, 0.15, 0.2), "one", ["q"])
        assert found.balanced is not None
        assert abs(found.balanced - 0.75) < 0.13
        assert found.within.p is not None
        assert found.within.p < 0.01


@pytest.mark.sweep
@pytest.mark.parametrize("by", ["label", "condition"])
@pytest.mark.parametrize("quitters", [0, 1, 6])
def test_conditions_within_people_keep_their_effect_if_people_give_up(by: By, quitters: int) -> None:
    """Conditions are of different puzzles; one person of twelve, or half of them, gives up the hard one."""
    found = []
    for who in range(12):
        found.append(Answer(f"p{who:02}", ("s", 0), {"seconds": 10.0 + who}, finished=True))
        hard = 100.0 + who
        found.append(Answer(f"p{who:02}", ("s", 1), {"seconds": hard}, finished=who >= quitters))
    answers = Answers("two", (SECONDS,), tuple(found))
    places = {(each.person, each.puzzle): ("easy", "hard")[each.puzzle[1]] for each in answers.answers}
    (compared,) = conditions(answers, places, by)
    assert compared.scored == (quitters > 0)
    assert compared.estimate.value == -1
    assert compared.estimate.p is not None
    assert compared.estimate.p < 0.001


def test_if_hardly_a_puzzle_is_solved_that_is_said() -> None:
    answers, measured = simulated(1, 0.7)
    none = tuple(
        Answer(each.person, each.puzzle, {"seconds": 9.0}, finished=False) for each in answers.answers
    )
    (found,) = correlate(Answers("none", (SECONDS,), none), measured).found
    assert (found.estimate.value, found.puzzles) == (None, 14)
    assert "Of no puzzle half of the people are known to solve it" in found.estimate.note


def test_choices_that_are_equal_at_balanced_orders_say_so() -> None:
    """Both people choose by order alone: what came first in two of three, whichever it was."""
    asked = [(True, True), (True, True), (False, True)] + [(True, False)] * 2 + [(False, False)]
    found = []
    for who in ("c", "e"):  # each one's firsts and seconds weigh the same
        for earlier, hit in asked:
            one, other = (("s", 0), ("s", 1)) if hit else (("s", 1), ("s", 0))
            found.append((Choice(who, "q", "", one, "", other, "", earlier == hit), hit))
    (chosen,) = shares(found, "one", ["q"])
    assert chosen.played_first == pytest.approx(2 / 3)
    assert chosen.within.value == pytest.approx(0, abs=1e-9)
    assert "it takes 6" in chosen.within.note


def test_who_gives_up_in_training_changes_no_means() -> None:
    answers = Answers(
        "training",
        (SECONDS,),
        tuple(
            Answer(f"p{who}", ("s", which), {"seconds": 10.0 * which + who}, finished=which > 0)
            for who, which in product(range(6), range(3))
        ),
    )
    places = {(f"p{who}", ("s", which)): f"set {which}" for who, which in product(range(6), (1, 2))}
    (compared,) = conditions(answers, places, "condition")
    assert (compared.scored, compared.first, compared.second) == (False, 12.5, 22.5)


def test_commands_say_what_give_ups_leave_unknown(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=20))
    rows = [f"p{who},{rank},{rank + who},0" for who, rank in product(range(4), range(0, 20, 2))]
    (toy.folder / "none.csv").write_text("\n".join(["who,rank,s,done", *rows]) + "\n")
    cli(
        "import", "responses", "none.csv", "--space", "1", "--puzzle", "rank", "--person", "who", "--time",
        "seconds=s[s]", "--finished", "done",
    )  # fmt: skip
    for way in ("mean", "mixed"):
        assert "Some people gave up, so the mean" in said(cli("study", "correlate", "--people", way).stderr)
    told = cli("study", "correlate")
    assert "gave up" in told.stdout
    assert "Of no puzzle half of the people are known to solve it" in said(told.stderr)
    for way in ("median", "mean"):
        refused = cli(
            "study", "plot", "digits", "--response", "seconds", "--people", way, "--output", "x.svg", code=1
        )
        assert ("nothing to draw" if way == "median" else "the mean of how long") in said(refused.stderr)
    assert not (toy.folder / "x.svg").exists()


def said(text: str) -> str:
    return " ".join(text.split())
