"""What people look at is computed again: a search for the best selects the errors of a kernel."""

from __future__ import annotations

import importlib
import json
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import Result

from epcg_core.base.errors import CheckFailedError
from epcg_core.curriculum.build import build
from epcg_core.curriculum.plan import parse_plan
from epcg_core.domain import Evaluation
from epcg_core.runs import winners
from epcg_core.store import Store
from tests.workplace import Workplace, looks_away, new_database

SIZE = 1000
QUERY = f"""
domain = "numbers"
evaluators = [{{ name = "mixed_array" }}]
generator = {{ name = "range", size = {SIZE} }}
"""
SELECT = '[[select]]\nmetric = "curve"\nkeep = "{keep}"\n{more}\n'
Wrong = Callable[[Callable[[Any], Any]], None]


def top(keep: str, more: str) -> str:
    """Return a query that keeps the best in some way."""
    return QUERY + SELECT.format(keep=keep, more=more)


@pytest.fixture
def wrong(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> Wrong:
    """Let the array form of `curve` give other values, from the right ones; the plain form stays."""
    kind = importlib.import_module("epcg_game").ArrayMixed
    genuine = kind.evaluate_states

    def change(values: Callable[[Any], Any]) -> None:
        def evaluate_states(self: Any, states: Any) -> Evaluation:
            found = genuine(self, states)
            return Evaluation([values(np.asarray(found.values[0])), *found.values[1:]], found.status)

        monkeypatch.setattr(kind, "evaluate_states", evaluate_states)

    return change


def written(bench: Workplace, text: str) -> Path:
    path = bench.folder / "asked.toml"
    path.write_text(text, encoding="utf-8")
    return path


def run_here(
    bench: Workplace, file: Path, *more: object, database: Path | None = None, code: int = 0
) -> Result:
    """Run a query by the command line in this process alone, where parts are changed."""
    where = ("--executor", "serial", "--db", database or bench.database)
    return bench.epcg("run", file, *more, *where, code=code)


def curve() -> Any:
    """All values, increasing, by their definition."""
    every = map(importlib.import_module("epcg_game").curve, range(SIZE))
    return np.sort([values[0] for status, values in every if not status])


@pytest.mark.parametrize(
    ("keep", "more", "where"),
    [
        ("highest", "count = 12", -12),
        pytest.param("top", 'count = 3\ndirection = "max"', -1, marks=pytest.mark.slow),
        pytest.param("lowest", "count = 3", 2, marks=pytest.mark.slow),
        pytest.param("best", 'direction = "max"', -1, marks=pytest.mark.slow),
    ],
)
def test_a_kernel_that_is_wrong_for_the_best_stops_the_run(
    bench: Workplace, wrong: Wrong, keep: str, more: str, where: int
) -> None:
    edge = curve()[where]
    if keep == "lowest":
        wrong(lambda values: np.where(values <= edge, values - 1000, values))
    else:
        wrong(lambda values: np.where(values >= edge, values + 1000, values))
    result = run_here(bench, written(bench, top(keep=keep, more=more)), code=4)
    assert "the recorded curve is" in result.stderr
    assert "computed again" in result.stderr
    assert "the evaluator numbers:mixed_array" in result.stderr
    assert bench.sql("SELECT count(*) FROM candidate") == [(0,)]


def test_the_first_that_is_not_kept_is_computed_again(
    bench: Workplace, wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best is said to be as good as what comes next to the kept ones, and comes first by its rank."""
    values = curve()
    best, fourth = values[-1], values[-4]
    wrong(lambda found: np.where(found == best, fourth, found))
    monkeypatch.setattr(winners, "extremes", lambda *_: {})
    with pytest.raises(CheckFailedError, match=r"\(.*\): the recorded curve is"):
        bench.run(top(keep="highest", more="count = 3"))


def test_the_first_that_is_not_the_best_under_conditions_is_computed_again(
    bench: Workplace, wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The best are said to be as good as the third best were, and the second best are kept instead."""
    third, _, best = np.unique(curve())[-3:]
    wrong(lambda found: np.where(found == best, third, np.where(found == third, third - 1, found)))
    monkeypatch.setattr("epcg_core.runs.first_unit.RANKS", 0)
    monkeypatch.setattr(winners, "extremes", lambda *_: {})
    with pytest.raises(CheckFailedError, match=r"\(first not kept\): the recorded curve is"):
        bench.run(top(keep="best", more='direction = "max"\nwhere = [{ metric = "curve", min = 0 }]'))


def test_a_run_that_is_interrupted_before_it_is_closed_can_be_resumed(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    def interrupted(*_: object) -> None:
        raise KeyboardInterrupt

    file = written(bench, top(keep="highest", more="count = 3"))
    with monkeypatch.context() as instant:
        instant.setattr(winners, "again", interrupted)
        result = run_here(bench, file, code=3)
    assert "interrupted before it was closed" in result.stderr
    ((number, state),) = bench.sql("SELECT id, state FROM run")
    assert f"epcg resume {number}" in result.stderr
    assert state == "stopped"
    bench.epcg("resume", number, "--db", bench.database, code=0)
    assert bench.failed(number, sample=50) == {}


def test_a_run_is_not_closed_if_plain_code_fails_at_a_winner(
    bench: Workplace, wrong: Wrong, monkeypatch: pytest.MonkeyPatch
) -> None:
    def broken(*_: object) -> None:
        raise ValueError("it broke")

    monkeypatch.setattr("epcg_core.runs.first_unit.RANKS", 0)
    monkeypatch.setattr(importlib.import_module("epcg_game").ArrayMixed, "evaluate", broken)
    result = run_here(bench, written(bench, QUERY), code=3)
    assert "it broke" in result.stderr
    assert "is computed, and cannot be closed" in result.stderr
    assert "--on-error" not in result.stderr
    assert bench.sql("SELECT state FROM run ORDER BY id DESC LIMIT 1") == [("stopped",)]


@pytest.fixture
def recorded(bench: Workplace, wrong: Wrong, monkeypatch: pytest.MonkeyPatch) -> Workplace:
    """A run whose three best are wrong, recorded by a program that does not look at winners."""
    edge = curve()[-3]
    wrong(lambda values: np.where(values >= edge, values + 1000, values))
    with monkeypatch.context() as lie:
        looks_away(lie)
        bench.run(top(keep="highest", more="count = 3"))
    return bench


@pytest.mark.parametrize("seed", [1, *(pytest.param(seed, marks=pytest.mark.slow) for seed in (2, 3))])
def test_verify_finds_wrong_winners_whatever_is_drawn(recorded: Workplace, seed: int) -> None:
    run = recorded.sql("SELECT max(id) FROM run")[0][0]
    result = recorded.epcg("verify", run, "--sample", 1, "--seed", seed, "--db", recorded.database, code=4)
    assert "winners" in result.output
    text = recorded.epcg("verify", run, "--sample", 1, "--db", recorded.database, "--json").stdout
    checks = {check["name"]: check for check in json.loads(text)["checks"]}
    assert "(kept): the recorded curve is" in checks["winners"]["detail"]


def test_half_of_a_sample_comes_from_the_ends(recorded: Workplace) -> None:
    """Of 1,000 the three greatest are wrong: an even sample of 40 meets them in one case of nine."""
    run = recorded.sql("SELECT max(id) FROM run")[0][0]
    assert "sample" in recorded.failed(run, sample=40)


def test_a_plan_that_chose_wrong_winners_is_refused(recorded: Workplace) -> None:
    run = recorded.sql("SELECT max(id) FROM run")[0][0]
    plan = parse_plan(f"""
        name = "p"
        [[chapters]]
        name = "c"
        count = 2
        run = {run}
        measure = "curve"
        strategy = "highest"
    """)
    with (
        Store.open(recorded.database, write=True) as store,
        pytest.raises(CheckFailedError, match=r"\(chosen\): the recorded curve is"),
    ):
        build(plan, store)


def test_a_merged_run_is_closed_if_its_winners_are_right(bench: Workplace, wrong: Wrong) -> None:
    edge = curve()[-3]
    wrong(lambda values: np.where(values >= edge, values + 1000, values))
    file = written(bench, top(keep="highest", more="count = 3"))
    parts = [bench.folder / f"part{number}.db" for number in (1, 2)]
    for number, part in enumerate(parts, 1):
        run_here(bench, file, "--part", f"{number}/2", database=new_database(part))
    result = bench.epcg("merge", bench.folder / "all.db", *parts, code=4)
    assert "the recorded curve is" in result.stderr


def test_a_winner_for_which_plain_code_has_no_time_says_so(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    kind = importlib.import_module("epcg_game").ArrayMixed
    genuine = kind.evaluate

    def slow(self: Any, state: Any) -> Any:
        end = time.process_time() + 0.08  # the limit is one of CPU time
        while time.process_time() < end:
            pass
        return genuine(self, state)

    monkeypatch.setattr(kind, "evaluate", slow)
    monkeypatch.setattr(winners, "LEAST", 0.05)
    monkeypatch.setattr("epcg_core.runs.first_unit.RANKS", 0)
    result = run_here(bench, written(bench, top(keep="highest", more="count = 2")))
    assert "not, because plain code had 0.05 s" in result.stderr
    number = bench.sql("SELECT max(id) FROM run")[0][0]
    notes = bench.sql(f"SELECT note FROM kept WHERE run_id = {number}")
    assert notes == [("not computed again: plain code had 0.05 s for all winners",)] * 2
    assert "not computed again" in bench.epcg("show", number, "--db", bench.database, code=0).stdout
    assert "candidates" not in bench.failed(number, sample=1)


def test_a_plan_over_two_runs_of_a_space_takes_each_puzzle_where_it_is_recorded(bench: Workplace) -> None:
    """The filtered run leaves out what the other one gives; that is no contradiction."""
    odd = '[filter]\nmetric = "even"\nmax = 0\nsearch = { name = "exhaustive" }\n'
    odd += 'evaluators = [{ name = "even" }]\n'
    every, some = bench.run(QUERY).goal, bench.run(QUERY + odd).goal
    chapters = [
        f'[[chapters]]\nname = "c{run.id}"\ncount = 3\nrun = {run.id}\nmeasure = "curve"\nstrategy = "{by}"\n'
        for run, by in ((some, "highest"), (every, "lowest"))
    ]
    with Store.open(bench.database, write=True) as store:
        built = build(parse_plan('name = "p"\n' + "".join(chapters)), store)
    assert "computed again by plain code" in built.again
    assert "come from no run" not in built.again


def test_a_range_that_keeps_very_many_is_tried_in_bounds(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(winners, "FIRST", 5)  # before the first that is not kept
    monkeypatch.setattr(winners, "MOST_TRIED", 20)
    run = bench.run(top(keep="threshold", more="min = 0"))
    assert run.again is not None
    kept, left = run.kept, run.again.left
    assert kept > 100
    assert 0 <= kept - left <= 20
    assert bench.sql(f"SELECT count(note) FROM kept WHERE run_id = {run.goal.id}") == [(left,)]
    assert not bench.failed(run.goal.id, sample=5)
