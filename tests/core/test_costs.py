"""Estimates before a run: units of known cost, bytes beside real databases, filters and sequences."""

from __future__ import annotations

import json
import random
import time
from collections.abc import Sequence
from typing import Any

import numpy as np
import pytest
from hypothesis import given, strategies as st

from epcg_core.chunks.blocks import Block
from epcg_core.chunks.objective import Objective
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Evaluation, Metric
from epcg_core.execution import Progress, Unit
from epcg_core.query.query import parse_query
from epcg_core.query.spec import RunSpec
from epcg_core.runs import rehearsal, trials
from epcg_core.runs.coordinator import plan
from epcg_core.runs.dry_run import estimate, together
from epcg_core.runs.expenses import Cost, Tried, extrapolated, volume
from epcg_core.runs.trials import Ground, attempt, improve, make, unit_solver
from epcg_core.store import Store
from tests.core.test_run import FILTERED, MIXED
from tests.toy_queries import LAYERS
from tests.workplace import Numbers, Workplace

pytestmark = pytest.mark.usefixtures("bench")


class Machine:
    """A clock that only work moves on, and a solver whose ranks take known times."""

    def __init__(self, spec: RunSpec, cost: Any, first: float = 0.0, block: int = 1) -> None:
        self.now, self.spec, self.cost, self.left = 0.0, spec, cost, first
        self.units: list[tuple[int, int]] = []

    def clock(self) -> float:
        return self.now

    def solve(self, unit: Unit) -> UnitResult:
        self.units.append((unit.start, unit.count))
        self.now += self.left + sum(self.cost(rank) for rank in range(unit.start, unit.start + unit.count))
        self.left = 0.0
        ranks = np.arange(unit.start, unit.start + unit.count)
        values: list[Any] = [ranks % 7 for _ in self.spec.metrics]
        spec = trials.attrs.evolve(self.spec, objective=None)
        plain = unit_solver(lambda start, count: Block(start, count, Evaluation(values)), spec)
        return plain(Unit(unit.start, unit.count))


def spec_of(size: int) -> RunSpec:
    text = MIXED.replace("700", str(size)).replace('{ name = "mixed" }, ', "")
    return plan(parse_query(text))[1]


@pytest.mark.parametrize(("size", "each"), [(50, 0.001), (5_000, 0.001), (40_000, 0.0001), (300, 0.2)])
def test_units_of_one_cost_tell_the_whole(size: int, each: float) -> None:
    machine = Machine(spec_of(size), lambda _: each)
    trial = attempt(Ground(machine.spec, machine.solve), 1.0, machine.clock)
    cost = trial.cost(size)
    assert cost is not None
    assert cost.expected == pytest.approx(size * each)
    assert cost.low < cost.expected < cost.high
    assert machine.now < min(3.0, 3 * size * each + 2.0)


@given(st.integers(0, 2**32))
def test_units_of_different_costs_tell_the_whole_within_their_range(seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randrange(200, 3_000)
    costs = [rng.choice([0.001, 0.01]) for _ in range(size)]
    machine = Machine(spec_of(size), costs.__getitem__)
    cost = attempt(Ground(machine.spec, machine.solve), 2.0, machine.clock).cost(size)
    assert cost is not None
    assert cost.low / 1.5 < sum(costs) < cost.high * 1.5


def test_the_first_candidate_is_no_part_of_the_others() -> None:
    machine = Machine(spec_of(1_000), lambda _: 0.01, first=5.0)
    trial = attempt(Ground(machine.spec, machine.solve), 1.0, machine.clock)
    assert trial.first == pytest.approx(5.0)
    cost = trial.cost(1_000)
    assert cost is not None
    assert cost.expected == pytest.approx(10.0)


def test_no_unit_is_tried_twice_at_its_size() -> None:
    machine = Machine(spec_of(4_000), lambda _: 0.02)
    attempt(Ground(machine.spec, machine.solve, block=2), 3.0, machine.clock)
    assert len(set(machine.units)) == len(machine.units)
    assert all(start % 2 == 0 and count == 2 for start, count in machine.units)


def test_a_part_that_raises_ends_trying_with_its_words() -> None:
    spec = spec_of(100)

    def fails(unit: Unit) -> UnitResult:
        raise ValueError(f"no number {unit.start}")

    trial = attempt(Ground(spec, fails), 1.0, lambda: 0.0)
    assert (trial.results, trial.failed) == ([], "no number 50")
    assert trial.cost(100) is None


def test_few_units_leave_a_wide_range() -> None:
    few = extrapolated([Tried(10, 1.0)] * 2, 1_000)
    many = extrapolated([Tried(10, 1.0)] * 20, 1_000)
    all_of_them = extrapolated([Tried(10, 1.0)] * 100, 1_000)
    assert few is not None
    assert many is not None
    assert all_of_them is not None
    assert few.expected == many.expected == all_of_them.expected == 100.0
    assert few.high > 2 * few.expected > many.high
    assert extrapolated([Tried(0, 1.0)], 10) is None


def test_a_whole_run_in_memory_has_the_values_of_the_record(bench: Workplace) -> None:
    goal = bench.run(FILTERED).goal
    tables = {name: bench.read(lambda reader, name=name: dict(_values(reader, goal.id, name)))
              for name in ("value", "half", "digits") if name in _metrics(bench, goal.id)}  # fmt: skip
    with Store.open(bench.database) as store:
        found = rehearsal.Rehearsal(store, trials.Budget(60.0), [], 0.0)
        _, spec = plan(parse_query(FILTERED))
        ground, _ = found._ground(spec, found._tables(spec))
    made, _ = make(ground, 64, 60.0, time.thread_time)
    assert made is not None
    assert tables
    for name, values in tables.items():
        bits = np.unpackbits(made.bits(name, -1e9, 1e9).data, bitorder="little")[: spec.max_rank]
        assert np.flatnonzero(bits).tolist() == sorted(values)
        assert [made.values[name][rank] for rank in sorted(values)] == [values[r] for r in sorted(values)]


def _values(reader: Any, run: int, name: str) -> list[tuple[int, Any]]:
    return [
        pair
        for ranks, values in reader.values(run, name)
        for pair in zip(ranks.tolist(), values.tolist(), strict=True)
    ]


def _metrics(bench: Workplace, run: int) -> list[str]:
    names: list[str] = bench.read(lambda reader: [metric.name for metric in reader.metrics(run)])
    return names


# --- bytes ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "rows"),
    [
        pytest.param(MIXED, "all", id="mixed-all"),
        pytest.param(FILTERED, "none", id="filtered-none"),
        pytest.param(MIXED, "none", id="mixed-none", marks=pytest.mark.slow),
        pytest.param(FILTERED, "all", id="filtered-all", marks=pytest.mark.slow),
    ],
)
def test_the_bytes_are_those_of_a_database(bench: Workplace, text: str, rows: str) -> None:
    text = text.replace("700", "20000") + f'[record]\nrows = "{rows}"\n'
    found = estimate(parse_query(text), None)
    assert found.bytes is not None
    bench.run(text)
    bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    size = bench.database.stat().st_size
    assert size / 2 < found.bytes.expected < 2 * size
    if rows == "all":
        ((number,),) = bench.sql("SELECT count(*) FROM score")
        assert found.bytes.expected > 8 * number


def test_the_bytes_of_values_are_those_of_chunks() -> None:
    """Encoded together, because small pieces compress badly."""
    values: Sequence[Any] = (np.arange(5_000) % 3, np.linspace(0, 1, 5_000))
    metrics = (Metric("m", "int"), Metric("x", "real"))
    spec = spec_of(5_000)
    solve = trials.UnitSolver(
        lambda start, count: Block(start, count, Evaluation([v[start : start + count] for v in values])),
        trials.attrs.evolve(spec, metrics=metrics), 65_536,
    )  # fmt: skip
    small, whole = ([solve(Unit(start, step)) for start in range(0, 5_000, step)] for step in (100, 5_000))
    stored = sum(len(chunk.data) for chunk in whole[0].chunks)
    assert volume(whole, metrics).data * 5_000 == pytest.approx(stored)
    assert volume(small, metrics).data == pytest.approx(volume(whole, metrics).data)


# --- filters, inputs, layers ------------------------------------------------------------------------------


def test_a_filtered_run_is_estimated_by_what_the_filter_admits(bench: Workplace) -> None:
    first, second = estimate(parse_query(FILTERED), None)
    assert (first.tried, first.unknown, second.unknown) == ("computed in memory", "", "")
    outcome = bench.run(FILTERED)
    assert second.evaluated == outcome.goal.evaluated
    assert second.seconds is not None


def test_what_takes_too_long_to_make_is_drawn(monkeypatch: pytest.MonkeyPatch, bench: Workplace) -> None:
    monkeypatch.setattr(rehearsal, "MAKE_RANKS", 0)
    _, second = estimate(parse_query(FILTERED), None)
    assert "drawn candidates pass the filter" in second.tried
    evaluated = bench.run(FILTERED).goal.evaluated
    assert second.evaluated is not None
    assert evaluated / 2 < second.evaluated < 2 * evaluated
    nothing = FILTERED.replace("min = 4", "min = 1000000")
    _, second = estimate(parse_query(nothing), None)
    assert second.seconds is None
    assert second.unknown.startswith("none of ")


def test_layers_that_are_too_large_are_extrapolated(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rehearsal, "MAKE_RANKS", 40)
    found = list(estimate(parse_query(LAYERS), None))
    assert [e.tried for e in found[:2]] == ["computed in memory"] * 2
    assert found[-1].tried == "from 3 smaller layers"
    assert all(e.seconds is not None for e in found)


def test_layers_above_recorded_ones_are_extrapolated(
    monkeypatch: pytest.MonkeyPatch, bench: Workplace
) -> None:
    bench.run(LAYERS.replace("pegs = 4", "pegs = 2"))
    monkeypatch.setattr(rehearsal, "MAKE_RANKS", 0)
    monkeypatch.setattr(rehearsal, "MAKE_BITS", 0)
    with Store.open(bench.database) as store:
        found = list(estimate(parse_query(LAYERS), store))
    assert [e.tried for e in found[-2:]] == ["from 2 smaller layers"] * 2
    assert all(e.bytes for e in found[-2:])


def test_the_runs_of_several_queries_count_once() -> None:
    one, other = (
        estimate(parse_query(LAYERS), None),
        estimate(parse_query(LAYERS.replace("pegs = 4", "pegs = 3")), None),
    )
    both = together([other, one])
    assert len(both) == len(one) == 4
    assert both.start in (one.start, other.start)
    assert len(together([])) == 0


def test_the_parts_of_an_estimate_add_up() -> None:
    found = estimate(parse_query(FILTERED), None)
    assert found.total is not None
    assert found.bytes is not None
    assert found.total.expected == pytest.approx(
        found.start.expected + sum(run.seconds or 0.0 for run in found)
    )
    assert found.bytes.expected == sum(run.bytes or 0 for run in found)
    assert found.total.low < found.total.expected < found.total.high
    assert found.memory is None or found.memory > 10**7


def test_a_search_that_prunes_is_tried_from_its_beginning() -> None:
    spec = trials.attrs.evolve(spec_of(1_000), objective=Objective("digits", "max", "all", "search"))
    machine = Machine(spec, lambda rank: 0.01 if rank < 100 else 0.001)
    ground = Ground(spec, machine.solve, block=10)
    found = improve(ground, None, 60.0, machine.clock)
    assert found.complete
    assert found.cost.expected == pytest.approx(1.9)
    machine = Machine(spec, lambda rank: 0.01 if rank < 100 else 0.001)
    found = improve(Ground(spec, machine.solve, block=10), None, 1.5, machine.clock)
    assert not found.complete
    assert found.cost.low <= 1.9 <= found.cost.high


def test_the_time_left_begins_with_what_was_expected() -> None:
    now = [0.0]
    progress = Progress("x", 1_000, expected_s=100.0, quiet=True, clock=lambda: now[0])
    with progress:
        assert progress.eta_s == 100.0
        now[0] = 10.0
        progress.advance(25)  # at this rate 390 s are left
        assert progress.eta_s == pytest.approx(0.5 * 390 + 0.5 * 97.5)
        progress.advance(75)
        assert progress.eta_s == pytest.approx(90.0)


def test_the_command_line_tells_ranges_and_what_they_rest_on(toy: Numbers) -> None:
    query = toy.file("digits", size=2_000)
    said = toy.epcg("run", query, "--dry-run")
    assert "rests on" in said.stdout
    assert "candidates tried" in said.stdout
    for words in ("of one processor (", "Start-up takes ", "of memory", "Trying for this estimate took"):
        assert words in said.stderr
    data = json.loads(toy.epcg("run", query, "--dry-run", "--json").stdout)
    low, expected, high = data["cpu_seconds"]
    assert low < expected < high
    (run,) = data["runs"]
    assert run["cpu_seconds_range"][0] < run["cpu_seconds"] < run["cpu_seconds_range"][1]


def test_a_full_disk_is_told_before(toy: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.cli.work.costs._free", lambda location: 1000)
    said = toy.epcg("run", toy.file("digits"), "--dry-run").stderr
    assert "has 1000 bytes free" in said
    assert "make room" in said


def test_costs_scale_and_add() -> None:
    assert Cost(1, 2, 3) + Cost(1, 1, 1) == Cost(2, 3, 4)
    assert Cost(1, 2, 3).times(2) == Cost(2, 4, 6)
