"""Candidates that are taken out of a record by calling them pruned, or left out.

The honest program records each lie: its solver hides the best candidates of every unit, so chunks, digests,
histograms and selections all agree. Only the specification says that these ranks must be evaluated.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal

import attrs
import numpy as np
import pytest

from epcg_core.base.errors import EpcgError
from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Evaluation
from epcg_core.execution import Unit
from epcg_core.runs import worker
from epcg_core.runs.merging import merge
from epcg_core.runs.worker import UnitSolver
from tests.conftest import TOY_SOURCE
from tests.research.test_omissions import LAYERS, PLACES, Alone, text_of
from tests.toy_queries import numbers, those_with
from tests.workplace import SERIAL, Numbers, Workplace, looks_away, sweep

Call = Literal["pruned", "excluded"]
FULL = {name: place for name, place in PLACES.items() if name not in ("branch_and_bound", "feasible")}
"""The searches that evaluate every rank."""


def without_best(block: Block) -> Block:
    """The block without the candidates that have the highest value of its first metric."""
    values = [as_array(column) for column in block.evaluation.values]
    if not block.evaluated:
        return block
    ranks = block.ranks
    if ranks is None:
        ranks = np.arange(block.start, block.start + block.count, dtype=np.int64)
    kept = values[0] != values[0].max()
    status = block.evaluation.status
    there = set(ranks[kept].tolist())
    return attrs.evolve(
        block,
        ranks=ranks[kept],
        evaluation=Evaluation(
            tuple(column[kept] for column in values), None if status is None else status[..., kept]
        ),
        solutions=None if block.solutions is None else [s for s in block.solutions if s[0] in there],
        errors=[error for error in block.errors if error[0] in there],
    )


def hide_best(monkeypatch: pytest.MonkeyPatch, called: Call, runs: Callable[[UnitSolver], bool]) -> None:
    """Let the program record the runs that `runs` accepts without their best candidates."""
    genuine = UnitSolver.__call__

    def solve(self: UnitSolver, unit: Unit) -> UnitResult:
        if not runs(self):
            return genuine(self, unit)
        solver, before = self._solver, self._piecewise
        self._solver, self._piecewise = (lambda *given: without_best(solver(*given))), False
        try:
            found = genuine(self, unit)
        finally:
            self._solver, self._piecewise = solver, before
        if called == "pruned":
            found = attrs.evolve(found, pruned=found.excluded, excluded=0)
        return found

    monkeypatch.setattr(worker, "_check_accounts", lambda *_: None)
    looks_away(monkeypatch)
    monkeypatch.setattr(UnitSolver, "__call__", solve)


def every(_: UnitSolver) -> bool:
    return True


def assert_found(place: Workplace, run: int) -> None:
    """The verdict is that the run does not hold, whoever asks, and nothing calls it exhaustive."""
    told = place.epcg("verify", run, "--sample", 5, code=4)
    assert "accounts" in told.stderr
    assert "FAILED" in told.stdout
    place.epcg("verify", run, "--sample", 0, "--this-run-only", code=4)
    place.epcg("certificate", run, code=4)
    assert "exhaustive" not in {
        coverage for number, coverage in place.sql("SELECT run_id, coverage FROM runs") if number == run
    }
    listed = [line for line in place.epcg("runs").stdout.splitlines() if line.split()[:1] == [str(run)]]
    assert "semi-exhaustive" in listed[0]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("search", "called"),
    [
        *sweep([(search, "excluded") for search in FULL], lambda search: search == "exhaustive"),
        *((search, "pruned") for search in FULL),
    ],
)
def test_candidates_that_are_absent_are_missed(
    search: str, called: Call, alone: Alone, monkeypatch: pytest.MonkeyPatch
) -> None:
    domain, source, kind = FULL[search]
    place = kind(alone(domain, f"epcg_{domain}", text_of(source)), SERIAL)
    text: dict[str, Callable[[], str]] = {
        "exhaustive": lambda: place.text("digits"),
        "retrograde": lambda: LAYERS,
        "breadth_first": lambda: place.text(size=13, lost=3),
    }
    query = text.get(search, place.text)()
    hide_best(monkeypatch, called, lambda solver: True)
    outcome = place.run(query)
    assert outcome.goal.evaluated < outcome.goal.candidates
    assert_found(place, outcome.goal.id)


@pytest.mark.parametrize("called", ["pruned", pytest.param("excluded", marks=pytest.mark.slow)])
def test_a_filter_admits_what_its_run_says(
    bench: Workplace, called: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = numbers(60, "mixed", "digits") + those_with("even", 1)
    hide_best(monkeypatch, called, lambda solver: len(solver._metrics) > 1)
    run = bench.run(text).goal
    assert run.evaluated < 30
    assert_found(bench, run.id)


def test_a_filter_that_admits_nothing_must_say_so(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    """All candidates are called left out: no rank is left to be drawn."""
    text = numbers(60, "digits") + those_with("even", 1)
    genuine = UnitSolver.__call__

    def nothing(solver: Any) -> Any:
        def solve(start: int, count: int) -> Block:
            block: Block = solver(start, count)
            none = tuple(as_array(column)[:0] for column in block.evaluation.values)
            return attrs.evolve(block, ranks=np.zeros(0, np.int64), evaluation=Evaluation(none))

        return solve

    def call(self: UnitSolver, unit: Unit) -> UnitResult:
        if [metric.name for metric in self._metrics] == ["even"]:
            return genuine(self, unit)
        solver, self._solver = self._solver, nothing(self._solver)
        self._piecewise = False
        try:
            return genuine(self, unit)
        finally:
            self._solver = solver

    monkeypatch.setattr(UnitSolver, "__call__", call)
    run = bench.run(text).goal
    assert run.evaluated == 0
    assert_found(bench, run.id)


def test_counts_without_values_account_for_all_ranks(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_best(monkeypatch, "excluded", every)
    run = bench.run(numbers(600, "digits"), "record.values=counts").goal
    assert run.evaluated < 600
    assert "accounts" in bench.epcg("verify", run.id, "--sample", 0, code=4).stderr


@pytest.mark.parametrize("called", ["pruned", "excluded"])
def test_a_part_that_lacks_candidates_is_not_merged(
    alone: Alone, called: Call, monkeypatch: pytest.MonkeyPatch
) -> None:
    place = Numbers(alone("numbers", "epcg_numbers", text_of(TOY_SOURCE)), SERIAL)
    query = place.folder / "query.toml"
    query.write_text(place.text("digits"))
    parts = [place.folder / f"part{i}.db" for i in (1, 2)]
    with monkeypatch.context() as lie:
        hide_best(lie, called, every)
        place.epcg("run", query, "--part", "1/2", "--executor", "serial", "--db", parts[0])
    place.epcg("run", query, "--part", "2/2", "--executor", "serial", "--db", parts[1])
    with pytest.raises(EpcgError, match=f"recorded as {'pruned' if called == 'pruned' else 'left out'}"):
        merge(str(place.folder / "all.db"), list(map(str, parts)), options=SERIAL)
    assert not (place.folder / "all.db").exists()


def test_a_curriculum_over_a_run_that_lacks_candidates_does_not_verify(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    hide_best(monkeypatch, "excluded", every)
    query = bench.folder / "digits.toml"
    query.write_text(numbers(60, "digits"))
    bench.run(numbers(60, "digits"))
    plan = bench.folder / "plan.toml"
    plan.write_text(PLAN)
    bench.epcg("curriculum", "build", plan)
    told = bench.epcg("curriculum", "verify", "short", code=4)
    assert "does not hold" in told.stdout


PLAN = """
name = "short"

[[chapters]]
name = "first"
query = "digits.toml"
measure = "digits"
strategy = "highest"
count = 3
"""


def test_a_search_that_leaves_ranks_out_must_say_so(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Nothing is recorded that could not be verified."""
    genuine = UnitSolver.__call__

    def solve(self: UnitSolver, unit: Unit) -> UnitResult:
        solver, self._solver = self._solver, lambda *given: without_best(genuine_solver(*given))
        genuine_solver = solver
        self._piecewise = False
        return genuine(self, unit)

    monkeypatch.setattr(UnitSolver, "__call__", solve)
    with pytest.raises(EpcgError, match=r"its plan should have RunSpec\.chooses"):
        bench.run(numbers(600, "digits"))


def test_pruned_ranks_need_a_search_that_prunes(bench: Workplace) -> None:
    bench.given(numbers(600, "digits"))
    bench.change("INSERT INTO pruning (run_id, start, count, bound, reason) VALUES (1, 5, 3, 1.0, 'bound')")
    assert bench.failed(1, sample=0)["accounts"] == (
        "A pruning is recorded at rank 5, and the search exhaustive prunes nothing."
    )
