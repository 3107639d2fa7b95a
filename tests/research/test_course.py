"""How a study goes on: planted learning and leaving are found; numbers are those of other programs."""

from __future__ import annotations

import json
import math
from collections.abc import Callable

import numpy as np
import pytest
from click.testing import Result
from epcg_research import statistics
from epcg_research.studies.answers import Answer, Answers, Response
from epcg_research.studies.course import engaged, learned

import epcg_core as epcg
from tests.research.pages import Page, record
from tests.workplace import Numbers

pytest.importorskip("scipy", reason="the extra 'statistics' is not installed")
pytest.importorskip("statsmodels", reason="the extra 'statistics' is not installed")

SECONDS = Response("seconds", "s", 0, of_finished=True)
LIMIT = 40.0


def played(seed: int, learning: float, persons: int = 24, puzzles: int = 8, fixed: bool = False) -> Answers:
    """People who get faster by so much with each puzzle, and give up after a time; hard puzzles come late."""
    random, found = np.random.default_rng(seed), []
    hard = np.linspace(-1, 1, puzzles)
    for who in range(persons):
        order = np.arange(puzzles) if fixed else np.argsort(hard + 0.8 * random.standard_normal(puzzles))
        for place, which in enumerate(order.tolist(), 1):
            took = math.exp(3 + hard[which] - learning * place + 0.6 * random.standard_normal())
            values = {"seconds": min(took, LIMIT)}
            found.append(Answer(f"p{who:02}", ("s", which), values, float(place), finished=took <= LIMIT))
    return Answers("played", (SECONDS,), tuple(found)).with_solved()


def test_learning_is_found_though_hard_puzzles_come_late() -> None:
    for seed in range(4):
        found = learned(played(seed, 0.25))
        seconds, solved = found.trends
        assert (seconds.response, solved.response) == ("seconds", "solved")
        assert seconds.estimate.value is not None
        assert seconds.adjusted is not None
        assert solved.estimate.value is not None
        assert seconds.estimate.value < -0.4
        assert seconds.adjusted < 0.01
        assert solved.estimate.value > 0
        last = [each for each in found.places if each.place == 8 and each.what == "share"]
        assert 0 <= (last[0].low or 0) <= (last[0].value or 0) <= (last[0].high or 0) <= 1


@pytest.mark.parametrize("seeds", [12, pytest.param(300, marks=pytest.mark.slow)])
def test_who_does_not_learn_has_no_trend(seeds: int) -> None:
    false = 0
    for seed in range(seeds):
        (found,) = learned(played(seed, 0.0), responses=["seconds"]).trends
        false += found.estimate.p is not None and found.estimate.p < 0.05
    assert false <= (3 if seeds == 12 else 26), "of more, the chance is below 2 and 1 %"


def test_one_order_for_all_tells_no_learning() -> None:
    (seconds,) = learned(played(1, 0.4, fixed=True), responses=["seconds"]).trends
    assert (seconds.estimate.value, seconds.estimate.p) == (None, None)
    assert "each puzzle was at one place for all people" in seconds.estimate.note


def test_medians_at_a_place_have_the_interval_of_another_program() -> None:
    from statsmodels.duration.survfunc import SurvfuncRight

    answers = played(3, 0.1)
    rows = [each for each in learned(answers, responses=["seconds"]).places if each.gave_up]
    assert rows
    for row in rows:
        own = [each for each in answers.answers if each.position == row.place]
        values = np.array([each.values["seconds"] for each in own])
        other = SurvfuncRight(values, np.array([bool(each.finished) for each in own]))
        low, high = other.quantile_ci(0.5)
        assert row.low == (low if math.isfinite(low) else None)
        assert row.high == (high if math.isfinite(high) else None)
        assert row.value is None or (row.low or 0) <= row.value <= (row.high or math.inf)


# --- who goes on ------------------------------------------------------------------------------------------


def test_shares_without_censoring_are_shares_with_wilsons_interval() -> None:
    came, left = [20, 20, 15, 9, 4], [0, 5, 6, 5, 4]
    for (share, low, high), still in zip(statistics.still_there(came, left), (20, 15, 9, 4, 0), strict=True):
        found = statistics.preferred(still, 20)
        assert (share, low, high) == pytest.approx((found.value, found.low, found.high))


def test_shares_with_censoring_are_those_of_another_program() -> None:
    from statsmodels.duration.survfunc import SurvfuncRight

    random = np.random.default_rng(4)
    last, stopped = random.integers(1, 7, 40), random.random(40) < 0.6
    came = [int((last >= step).sum()) for step in range(1, 7)]
    left = [int(((last == step) & stopped).sum()) for step in range(1, 7)]
    other = SurvfuncRight(last, stopped)
    found = [share for share, _, _ in statistics.still_there(came, left)]
    expected = dict(zip(other.surv_times.tolist(), other.surv_prob.tolist(), strict=True))
    for step, share in enumerate(found, 1):
        if step in expected:
            assert share == pytest.approx(expected[step])


def test_the_log_rank_test_is_that_of_another_program() -> None:
    from statsmodels.duration.survfunc import survdiff

    random = np.random.default_rng(6)
    last, stopped, group = random.integers(1, 7, 60), random.random(60) < 0.7, random.integers(0, 3, 60)
    came = [[int(((last >= step) & (group == g)).sum()) for step in range(1, 7)] for g in range(3)]
    left = [[int(((last == step) & stopped & (group == g)).sum()) for step in range(1, 7)] for g in range(3)]
    chi, p = survdiff(last, stopped, group)
    found = statistics.log_rank(came, left)
    assert (found.value, found.p) == pytest.approx((chi, p))
    assert statistics.log_rank(came[:1], left[:1]).value is None


def stopping(seed: int, leave: dict[str, float], persons: int = 40) -> dict[str, list[Page]]:
    """People who leave before a puzzle of a condition with its probability, and play nothing then."""
    random, people = np.random.default_rng(seed), {}
    names = list(leave)
    for who in range(persons):
        pages, gone = [], False
        for place in range(8):
            name = names[(place + who) % 2]
            gone = gone or (place > 0 and random.random() < leave[name])
            values = None if gone else {"seconds": 5.0}
            pages.append(Page(10 * place + who % 2, f"s{place}", "", name, values))
        people[f"p{who:02}"] = pages
    return people


def test_leaving_is_told_by_place_and_condition(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=100))
    people = stopping(1, {"calm": 0.04, "timed": 0.3})
    people["p99"] = [Page(1, values=None), Page(2, values=None)]
    record(toy, people, lambda who: "gh"[int(who[1:]) % 2])
    asked = ("study", "engagement", "--study", "planted", "--format", "json")
    found = json.loads(cli(*asked).stdout)
    assert (found["people"], found["never"], found["test"]) == (40, 1, None)
    still = [
        sum(page.values is not None for person in people.values() for page in person[place : place + 1])
        for place in range(8)
    ]
    assert [each["share"] for each in found["stays"]] == pytest.approx([each / 40 for each in still])
    assert found["finished"] == still[-1]
    by_condition = json.loads(cli(*asked, "--by", "condition").stdout)
    assert by_condition["test"]["p"] < 0.01
    last = {each["by"]: each["share"] for each in by_condition["stays"]}
    assert last["calm"] > last["timed"] + 0.3
    by_group = json.loads(cli(*asked, "--by", "group").stdout)
    assert by_group["test"]["p"] > 0.01
    told = " ".join(cli(*asked[:4]).stderr.split())
    assert "40 people began" in told
    assert "1 more were given puzzles and have no answer" in told


def test_groups_that_leave_alike_rarely_differ() -> None:
    false = 0
    for seed in range(40):
        random = np.random.default_rng(seed)
        answers, places = [], {}
        for who in range(20):
            last = int(random.geometric(0.25))
            for place in range(1, 8):
                values = {"seconds": 1.0} if place <= last else {}
                answers.append(Answer(f"p{who}", ("s", place), values, float(place)))
                places[f"p{who}", ("s", place)] = "gh"[who % 2]
        found = engaged(Answers("alike", (SECONDS,), tuple(answers)), places)
        assert found.test is not None
        false += found.test.p is not None and found.test.p < 0.05
    assert false <= 6, "of more, the chance is below 2 %"


def test_learning_on_the_command_line(toy: Numbers, cli: Callable[..., Result]) -> None:
    toy.given(toy.query("digits", size=100))
    random, people = np.random.default_rng(3), {}
    for who in range(16):
        people[f"p{who:02}"] = [
            Page(rank, values={"seconds": 50.0 + rank - 9 * place + random.random(), "hard": 1.0})
            for place, rank in enumerate(random.permutation(8).tolist())
        ]
    record(toy, people)
    asked = ("study", "learning", "--study", "planted")
    found = json.loads(cli(*asked, "--response", "seconds", "--format", "json").stdout)
    assert [each["place"] for each in found["places"]] == list(range(1, 9))
    (trend,) = found["trends"]
    assert trend["estimate"]["value"] == -1.0
    assert trend["adjusted"] < 0.01
    study = epcg.open(toy.database).study("planted")
    assert study.learning("seconds").data.trends[0].estimate.value == -1.0
    assert [row[4] for row in study.engagement().table.rows] == [1.0] * 8
    said = cli(*asked)
    assert "Whether it rises or falls over the order" in said.stderr
    told = " ".join(said.stderr.split())
    assert "No trend: no person did better or worse" in told, "all call each puzzle as hard"
    (toy.folder / "no_order.csv").write_text("who,rank,s\na,1,2\nb,1,3\n")
    cli("import", "responses", "no_order.csv", "--space", "1", "--puzzle", "rank", "--person", "who",
        "--time", "s=s[s]")  # fmt: skip
    for command in ("learning", "engagement"):
        refused = cli("study", command, "--study", "no_order", code=1).stderr
        assert "In which order people played is not known" in " ".join(refused.split())


@pytest.mark.slow
def test_both_are_drawn(toy: Numbers, cli: Callable[..., Result]) -> None:
    pytest.importorskip("matplotlib")
    toy.given(toy.query("digits", size=100))
    record(toy, stopping(1, {"calm": 0.04, "timed": 0.3}), lambda who: "gh"[int(who[1:]) % 2])
    for command in ("learning", "engagement"):
        for by in ((), ("--by", "condition"), ("--by", "group")):
            said = cli("study", command, "--study", "planted", *by, "--plot", f"{command}.svg")
            assert "place in the order" in (toy.folder / f"{command}.svg").read_text(encoding="utf-8")
            assert f"{command}.svg" in said.stderr
    assert "must end in .svg" in cli("study", "learning", "--plot", "x.gif", code=2).stderr
