"""Estimates before a run: ranks of known cost, bytes beside real databases, filters, layers and sequences."""

from __future__ import annotations

import json
import random
from typing import Any

import pytest

from epcg_core.execution import Progress
from epcg_core.query.query import parse_query
from epcg_core.runs import dry_run, trials
from epcg_core.runs.dry_run import Estimate, estimate, together
from epcg_core.runs.expenses import RUN_SECONDS, Cost
from epcg_core.runs.sampled_units import SampledRanks
from epcg_core.store import Store
from epcg_core.store.records import Sample
from tests.core.test_run import FILTERED, MIXED
from tests.timed import Machine, timed
from tests.toy_queries import LAYERS, numbers, those_with
from tests.workplace import Numbers, Workplace

pytestmark = pytest.mark.usefixtures("bench")


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    """The machine by which trials are timed."""
    return timed(monkeypatch)


def last(text: str, *more: Any) -> Estimate:
    """Estimate the last run of a query."""
    return list(estimate(parse_query(text), *(more or (None,))))[-1]


def seconds_of(found: Estimate) -> Cost:
    """Return the time of a run that can be told, without that of its record."""
    assert found.seconds is not None, found.unknown
    return found.seconds


# --- time -------------------------------------------------------------------------------------------------


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("size", "each"), [(50, 0.001), (5_000, 0.001), (3_000, 0.01), (300, 0.2)])
def test_ranks_of_one_cost_tell_the_whole(machine: Machine, size: int, each: float) -> None:
    machine.cost = lambda rank: each
    cost = seconds_of(last(numbers(size, "digits")))
    whole = size * each + RUN_SECONDS
    assert cost.low < whole < cost.high
    assert cost.expected == pytest.approx(whole, rel=0.05)


@pytest.mark.sweep(2)
@pytest.mark.parametrize("seed", range(6))
def test_ranks_of_different_costs_tell_the_whole_within_a_factor_of_two(machine: Machine, seed: int) -> None:
    rng = random.Random(seed)
    size = rng.randrange(500, 3_000)
    costs = [rng.choice([0.001, 0.01, 0.05]) for _ in range(size)]
    machine.cost = costs.__getitem__
    cost = seconds_of(last(numbers(size, "digits")))
    assert sum(costs) / 2 < cost.expected < 2 * sum(costs)
    assert cost.low < sum(costs) < cost.high


def test_ranks_that_grow_dear_are_seen_wherever_they_lie(machine: Machine) -> None:
    machine.cost = lambda rank: 0.001 if rank < 3_000 else 0.02
    cost = seconds_of(last(numbers(4_000, "digits")))
    assert 23 / 2 < cost.expected < 2 * 23
    assert cost.high > 1.5 * cost.expected


def test_trying_takes_about_its_time(machine: Machine) -> None:
    machine.cost = lambda rank: 0.01
    found = estimate(parse_query(numbers(100_000, "digits")), None)
    assert 1.0 < found.seconds < 2.0
    assert len({unit.start for unit in machine.units}) == len(machine.units) >= trials.UNITS


def test_the_first_candidate_is_no_part_of_the_others(machine: Machine) -> None:
    machine.cost, machine.first = lambda rank: 0.01, 5.0
    found = estimate(parse_query(numbers(1_000, "digits")), None)
    assert seconds_of(found.runs[0]).expected == pytest.approx(10.0, rel=0.05)
    assert found.start.expected > 5.0


def test_few_units_leave_a_wide_range(machine: Machine) -> None:
    machine.cost = lambda rank: 1.0
    few = seconds_of(last(numbers(1_000, "digits")))
    assert few.high > 1.9 * few.expected
    assert few.low < few.expected / 1.9


def test_a_sample_costs_what_its_ranks_do(machine: Machine) -> None:
    machine.cost = lambda rank: 0.01
    found = last(numbers(10_000, "digits"), None, Sample(500, 1))
    assert found.remaining == 500
    assert seconds_of(found).expected == pytest.approx(5.0, rel=0.1)
    assert all(isinstance(unit, SampledRanks) for unit in machine.units)


def test_what_is_recorded_costs_nothing_again(machine: Machine, bench: Workplace) -> None:
    machine.cost = lambda rank: 0.01
    bench.run(numbers(1_000, "digits"), sample=Sample(250))
    with Store.open(bench.database) as store:
        found = last(numbers(1_000, "digits"), store)
    assert found.remaining == 750
    assert seconds_of(found).expected == pytest.approx(7.5, rel=0.05)


def test_a_part_that_raises_ends_trying_with_its_words() -> None:
    (found,) = estimate(parse_query(numbers(10, "fails") + "[range]\nstart = 9\n"), None)
    assert found.unknown == ""
    (found,) = estimate(parse_query(numbers(14, "fails") + "[range]\nstart = 13\n"), None)
    assert found.seconds is None
    assert found.unknown.startswith("the units that were tried did not end well: ")
    assert "13 brings bad luck" in found.unknown


# --- bytes ------------------------------------------------------------------------------------------------


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("text", "rows"),
    [(MIXED, "all"), (FILTERED, "none"), (MIXED, "none"), (FILTERED, "all")],
    ids=["mixed-all", "filtered-none", "mixed-none", "filtered-all"],
)
def test_the_bytes_are_those_of_a_database(bench: Workplace, text: str, rows: str) -> None:
    text = text.replace("700", "4000") + f'[record]\nrows = "{rows}"\n'
    found = estimate(parse_query(text), None)
    assert found.bytes is not None
    bench.run(text)
    bench.sql("PRAGMA wal_checkpoint(TRUNCATE)")
    size = bench.database.stat().st_size
    assert size / 2 < found.bytes < 2 * size
    if rows == "all":
        assert size - found.database < 2 * (found.bytes - found.database)
        ((number,),) = bench.sql("SELECT count(*) FROM score")
        assert found.bytes > 8 * number


def test_the_bytes_do_not_depend_on_the_size_of_units(machine: Machine) -> None:
    """Values are encoded together, as in a recorded chunk, because small pieces compress badly."""
    text = numbers(4_000, "digits", "root")
    machine.cost = lambda rank: 0.00001
    whole = last(text)
    machine.cost = lambda rank: 0.01
    small = last(text)
    assert max(unit.count for unit in machine.units[-trials.UNITS :]) < 100
    assert whole.bytes is not None
    assert small.bytes is not None
    assert small.bytes == pytest.approx(whole.bytes, rel=0.3)


# --- filters, inputs, layers ------------------------------------------------------------------------------


def dear(rank: int) -> float:
    """The time of a rank, if only those that the filter below admits are evaluated."""
    return 0.01 if sum(map(int, str(rank))) >= 20 else 0.0


LARGE = numbers(20_000, "root") + those_with("digits", 20)


def test_a_filtered_run_is_estimated_by_what_the_filter_admits(machine: Machine, bench: Workplace) -> None:
    machine.cost = dear
    text = LARGE.replace("20000", "1500").replace("min = 20", "min = 4")
    first, second = estimate(parse_query(text), None)
    assert (first.unknown, second.unknown) == ("", "")
    assert second.evaluated == bench.run(text).goal.evaluated


def test_of_a_filter_that_takes_too_long_drawn_candidates_are_asked(machine: Machine) -> None:
    machine.cost = dear
    passing = sum(1 for rank in range(20_000) if dear(rank))
    first, second = estimate(parse_query(LARGE), None)
    assert first.tried != "20,000 of 20,000 candidates tried"
    cost = seconds_of(second)
    assert second.tried.endswith(" drawn candidates pass the filter")
    assert second.evaluated is not None
    assert passing / 2 < second.evaluated < 2 * passing
    assert 0.01 * passing / 2 < cost.expected < 0.01 * passing * 2
    machine.cost = lambda rank: 0.01
    _, second = estimate(parse_query(LARGE.replace("min = 20", "min = 1000000")), None)
    assert second.seconds is None
    assert second.unknown.startswith("none of ")


def test_layers_above_those_that_were_tried_are_extrapolated(machine: Machine, bench: Workplace) -> None:
    found = list(estimate(parse_query(LAYERS), None))
    assert [e.tried for e in found][-1] == "126 of 126 candidates tried"
    machine.cost = lambda rank: 0.1
    found = list(estimate(parse_query(LAYERS), None))
    assert found[-1].tried == "from the same over 36 smaller candidates"
    assert seconds_of(found[-1]).expected == pytest.approx(0.1 * 126, rel=0.1)
    assert seconds_of(found[-1]).high > 3 * 0.1 * 126
    bench.run(LAYERS.replace("pegs = 4", "pegs = 3"))
    with Store.open(bench.database) as store:
        *done, top = estimate(parse_query(LAYERS), store)
    assert [e.state for e in done] == ["done"] * 3
    assert top.tried.endswith(" of 126 candidates tried")


# --- together, and as it is shown -------------------------------------------------------------------------


@pytest.mark.parametrize("pegs", [2, pytest.param(4, marks=pytest.mark.slow)])
def test_the_runs_of_several_queries_count_once(pegs: int) -> None:
    one, other = (estimate(parse_query(LAYERS, [f"generator.pegs={n}"]), None) for n in (pegs, pegs - 1))
    both = together([other, one])
    assert len(both) == len(one) == pegs
    assert both.start in (one.start, other.start)
    assert len(together([])) == 0


def test_the_parts_of_an_estimate_add_up() -> None:
    found = estimate(parse_query(FILTERED), None)
    assert found.total is not None
    assert found.total.expected == pytest.approx(
        found.start.expected + sum(seconds_of(run).expected for run in found)
    )
    assert found.bytes == found.database + sum(run.bytes or 0 for run in found)
    assert found.total.low < found.total.expected < found.total.high
    assert found.memory is None or found.memory > 10**7


def test_workers_are_started_for_long_runs_only(machine: Machine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(dry_run, "default_workers", lambda: 4)
    few, perhaps, many = (
        estimate(parse_query(numbers(size, "digits")), None) for size in (100, 2_000, 50_000)
    )
    assert (few.processes, many.processes) == (1, 5)
    assert few.start.high < perhaps.start.expected < many.start.expected
    assert perhaps.start.low < few.start.expected
    assert perhaps.start.high > many.start.expected


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
    assert data["bytes"] > run["bytes"] > 0


def test_a_full_disk_is_told_before(toy: Numbers, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.api.costs._free", lambda location: 1000)
    said = toy.epcg("run", toy.file("digits"), "--dry-run").stderr
    assert "has 1 kB free" in said
    assert "make room" in said


def test_costs_add() -> None:
    assert Cost(1, 2, 3) + Cost(1, 1, 1) == Cost(2, 3, 4)
