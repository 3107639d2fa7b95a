"""A sample first, the rest later: every rank once, and the end that a run without a sample has."""

from __future__ import annotations

import hashlib
import importlib
import json
import math
import signal
import sqlite3
import sys
from collections import Counter
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import attrs
import numpy as np
import pytest
from click.testing import Result
from hypothesis import given, strategies as st

import epcg_core
from epcg_core.base.errors import QueryError, RunInterruptedError, StoreError
from epcg_core.chunks.blocks import Block
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Bits
from epcg_core.execution import Unit
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, plan, resume
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.estimates import about_all, estimates
from epcg_core.runs.expenses import NO_COST
from epcg_core.runs.sampling import drawn_ranks, missing_ranks
from epcg_core.runs.worker import UnitSolver
from epcg_core.search.planner import FILTER
from epcg_core.store import Store
from epcg_core.store.records import Sample, UnitRecord
from epcg_core.verification.verify import verify
from tests.faces import only
from tests.forks.forked import python_forked
from tests.toy_queries import LAYERS, numbers, those_with
from tests.workplace import Numbers, Workplace, epcg, recorded

MIXED = numbers(700, "mixed", "digits")
FILTERED = MIXED + those_with("digits", 9)


@pytest.fixture
def evaluated(monkeypatch: pytest.MonkeyPatch, game: object) -> Counter[int]:
    """How often each number was evaluated, but for the probe that times a few of them."""
    calls: Counter[int] = Counter()
    module = importlib.import_module("epcg_game")
    genuine = module.Mixed.evaluate

    def counted(self: Any, state: int) -> Any:
        calls[state] += 1
        return genuine(self, state)

    monkeypatch.setattr(module.Mixed, "evaluate", counted)
    monkeypatch.setattr("epcg_core.runs.units.pace", lambda *_: 1000.0)
    return calls


# --- before it is drawn -----------------------------------------------------------------------------------


def test_a_dry_run_of_a_sample_speaks_of_the_sample(bench: Workplace) -> None:
    (new,) = estimate(parse_query(MIXED), None, Sample(50, 3))
    assert (new.state, new.remaining, new.sample) == ("new", 50, Sample(50, 3))
    assert new.seconds is not None
    assert new.seconds.expected > 0
    bench.run(MIXED, sample=Sample(20, 3))
    size = bench.database.stat().st_size
    with Store.open(bench.database) as store:
        (more,) = estimate(parse_query(MIXED), store, Sample(50, 3))
        (less,) = estimate(parse_query(MIXED), store, Sample(20, 3))
        (rest,) = estimate(parse_query(MIXED), store)
        with pytest.raises(QueryError, match="ask for --seed 3"):
            estimate(parse_query(MIXED), store, Sample(50, 4))
    assert [(e.state, e.remaining) for e in (more, less, rest)] == [
        ("partial", 30), ("partial", 0), ("partial", 680)
    ]  # fmt: skip
    assert (less.seconds, less.bytes) == (NO_COST, 0)
    assert bench.database.stat().st_size == size


def test_a_dry_run_of_a_sample_that_is_everything(bench: Workplace) -> None:
    (found,) = estimate(parse_query(MIXED), None, Sample(700))
    assert (found.remaining, found.sample) == (700, None)
    with pytest.raises(QueryError, match="leave --sample out"):
        estimate(parse_query(LAYERS), None, Sample(5))


def test_the_command_line_says_that_a_dry_run_is_of_a_sample(bench: Workplace) -> None:
    Path("query.toml").write_text(MIXED, encoding="utf-8")
    words = ["run", "query.toml", "--sample", "50", "--seed", "3", "--dry-run"]
    told = epcg(*words)
    assert "The last run is a sample: 50 of its 700 candidates, drawn with seed 3." in told.stderr
    assert "Together 50 candidates" in told.stderr
    (run,) = json.loads(epcg(*words, "--json").stdout)["runs"]
    assert (run["remaining"], run["sample"]) == (50, {"size": 50, "seed": 3})
    assert not bench.database.exists()


# --- drawing ----------------------------------------------------------------------------------------------


@given(st.integers(0, 10**9), st.integers(1, 400), st.integers(0, 500), st.integers(0, 2**32))
def test_a_larger_sample_contains_the_smaller(start: int, total: int, size: int, seed: int) -> None:
    small, large = (drawn_ranks(Sample(n, seed), start, start + total).tolist() for n in (size // 2, size))
    assert set(small) <= set(large)
    assert large == sorted(set(large))
    assert len(large) == min(size, total)
    assert all(start <= rank < start + total for rank in large)


def test_ranks_are_drawn_evenly() -> None:
    """Each of 10 ranks is in a sample of 3 with probability 0.3: 4 standard deviations over 5,000 seeds."""
    counts = Counter(rank for seed in range(5000) for rank in drawn_ranks(Sample(3, seed), 0, 10).tolist())
    deviation = math.sqrt(5000 * 0.3 * 0.7)
    assert all(abs(counts[rank] - 1500) < 4 * deviation for rank in range(10))


def test_a_seed_that_the_database_cannot_have_is_a_sentence(toy: Numbers, cli: Callable[..., Result]) -> None:
    large = ("--sample", 5, "--seed", 2**63)
    for more in ((), ("--dry-run",), ("--part", "1/2")):
        said = cli("run", toy.file("digits"), *large, *more, code=1).stderr
        assert f"seed: {2**63} is not allowed; expected 0 to {2**63 - 1}." in said
    assert not toy.database.exists() or toy.sql("SELECT count(*) FROM run") == [(0,)]
    cli("run", toy.file("digits"), "--sample", 5, "--seed", 2**63 - 1, "--quiet")
    assert toy.sql("SELECT sample_seed FROM run") == [(2**63 - 1,)]


def test_a_seed_means_the_same_ranks_for_ever() -> None:
    expected = [333427918787, 660568315427, 769936856312, 870417941960, 901531455612]
    assert drawn_ranks(Sample(5, 7), 0, 10**12).tolist() == expected
    assert not set(drawn_ranks(Sample(5, 8), 0, 10**12).tolist()) & set(expected)


@given(st.lists(st.tuples(st.integers(1, 9), st.integers(0, 9)), max_size=9), st.sets(st.integers(0, 200)))
def test_missing_ranks_are_those_in_no_unit(units: list[tuple[int, int]], ranks: set[int]) -> None:
    finished, inside, position = [], set(), 0
    for count, gap in units:
        finished.append(UnitRecord(position, count, count, 0, 0, 0.0, b""))
        inside |= set(range(position, position + count))
        position += count + gap
    found = missing_ranks(np.array(sorted(ranks), np.int64), finished)
    assert found.tolist() == sorted(ranks - inside)


# --- the same run -----------------------------------------------------------------------------------------


CUTS = [
    (MIXED, "all", 128, 128, 40),
    (FILTERED, "all", 32, 128, 40),
]
"""Query, rows, ranks a unit and a chunk, size of the sample."""
MORE_CUTS = [
    (MIXED, "none", 50, 128, 600),
    (FILTERED, "none", 1024, 1024, 300),
    (MIXED, "none", 256, 128, 600),
    (MIXED, "none", 50, 128, 40),
    (MIXED, "all", 8, 128, 40),
    (MIXED, "all", 1, 128, 40),
    (MIXED, "all", 1024, 1024, 1),
    (FILTERED, "none", 50, 128, 300),
    (FILTERED, "all", 1024, 1024, 40),
]
CUTS_TOO = [*CUTS, *(pytest.param(*cut, marks=pytest.mark.slow) for cut in MORE_CUTS)]


@pytest.mark.sweep
@pytest.mark.parametrize(("text", "rows", "unit", "chunk", "size"), CUTS_TOO, ids=range(len(CUTS_TOO)))
def test_a_sample_and_the_rest_are_the_whole_run(
    bench: Workplace,
    monkeypatch: pytest.MonkeyPatch,
    evaluated: Counter[int],
    tmp_path: Path,
    text: str,
    rows: str,
    unit: int,
    chunk: int,
    size: int,
) -> None:
    bench.cut(unit, chunk)
    whole = tmp_path / "whole.db"
    bench.run(text, f"record.rows={rows}", database=whole)
    population = set(evaluated)
    evaluated.clear()

    sampled = bench.run(text, f"record.rows={rows}", sample=Sample(size, 3)).goal
    ranks = drawn_ranks(Sample(size, 3), 0, 700).tolist()
    assert evaluated == Counter(population & set(ranks))
    assert (sampled.state, sampled.evaluated, sampled.evaluated + sampled.excluded) == (
        "stopped", len(population & set(ranks)), size,
    )  # fmt: skip
    outcome = bench.run(text, f"record.rows={rows}")
    assert evaluated == Counter(population)
    assert outcome.computed == (sampled.id,)
    assert outcome.goal.done
    assert outcome.goal.sample == Sample(size, 3)
    assert recorded(bench.database) == recorded(whole)
    units = "SELECT run_id, start, count, evaluated, excluded, hex(digest) FROM unit ORDER BY 1, 2"
    found = [sqlite3.connect(path).execute(units).fetchall() for path in (bench.database, whole)]
    assert found[0] == found[1]


def test_a_sample_grows_and_is_not_drawn_twice(bench: Workplace, evaluated: Counter[int]) -> None:
    for size in (10, 50, 20, 50):
        run = bench.run(MIXED, sample=Sample(size, 3)).goal
        largest = 10 if size == 10 else 50
        assert run.sample == Sample(largest, 3)
        assert evaluated == Counter(drawn_ranks(Sample(largest, 3), 0, 700).tolist())
    with pytest.raises(QueryError, match=r"^Run 1 has a sample drawn with seed 3, .*: ask for --seed 3\.$"):
        bench.run(MIXED, sample=Sample(60, 4))


def test_the_sample_of_a_run_that_stopped(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, evaluated: Counter[int]
) -> None:
    """What the units have is not evaluated again; estimates read it from them."""
    bench.cut(64, 128)
    stop_at(monkeypatch, 320)
    with pytest.raises(RunInterruptedError):
        bench.run(MIXED)
    monkeypatch.undo()
    run = bench.run(MIXED, sample=Sample(100, 5)).goal
    ranks = set(drawn_ranks(Sample(100, 5), 0, 700).tolist())
    assert run.evaluated == 320 + len({rank for rank in ranks if rank >= 320})
    found: Any = bench.read(lambda reader: estimates(reader, reader.run(1)))
    digits = [sum(map(int, str(rank))) for rank in ranks]
    assert {m.metric.name: m for m in found.metrics}["digits"].mean.value == pytest.approx(sum(digits) / 100)


def stop_at(monkeypatch: pytest.MonkeyPatch, rank: int) -> None:
    genuine = UnitSolver._encoded

    def encoded(self: UnitSolver, block: Block, *rest: Any) -> UnitResult:
        if block.start >= rank:
            raise KeyboardInterrupt
        return genuine(self, block, *rest)

    monkeypatch.setattr(UnitSolver, "_encoded", encoded)


@pytest.mark.sweep
@pytest.mark.parametrize("text", [MIXED, FILTERED])
def test_ranks_that_are_solved_at_once_are_as_if_solved_alone(bench: Workplace, text: str) -> None:
    """Values of all statuses, ranks that the filter excludes, the first and the last."""
    bench.run(text)
    search, spec = plan(parse_query(text))
    admitted = None
    if spec.filter is not None:
        high = np.array([sum(map(int, str(rank))) >= 9 for rank in range(700)])
        admitted = Bits(np.packbits(high, bitorder="little"), 700)
    inputs = {} if admitted is None else {FILTER: admitted}
    solve = UnitSolver(search.solver(spec, inputs, {}), spec, 128)
    ranks = np.array([0, 3, *drawn_ranks(Sample(200, 1), 4, 699).tolist(), 699])
    together, alone = solve.singly(ranks), [solve(Unit(rank, 1)) for rank in ranks.tolist()]
    for one, other in zip(together, alone, strict=True):
        assert one.chunks
        assert attrs.asdict(one) | {"seconds": 0} == attrs.asdict(other) | {"seconds": 0}


def test_the_whole_space_as_a_sample_is_the_whole_run(bench: Workplace) -> None:
    run = bench.run(MIXED, sample=Sample(700)).goal
    assert (run.state, run.sample, run.coverage) == ("done", None, "exhaustive")
    again = bench.run(MIXED, sample=Sample(5))
    assert (again.computed, again.goal) == ((), run)


@pytest.mark.sweep
@pytest.mark.parametrize("executor", ["threads", "processes"])
def test_every_executor_completes_a_sample(bench: Workplace, tmp_path: Path, executor: str) -> None:
    whole = bench.run(MIXED, database=tmp_path / "whole.db").goal
    options = Options(executor, 2, quiet=True)
    assert bench.run(MIXED, sample=Sample(90), options=options).goal.evaluated == 90
    with Store.open(bench.database, write=True) as store:
        assert resume(1, store, options).goal.digest == whole.digest


KILLED = """
import os, signal, sys
from epcg_core.query.query import parse_query
from epcg_core.runs.coordinator import Options, execute
from epcg_core.store import Store, writer
from epcg_core.store.records import Sample

text, database, size, moment = sys.argv[1:]
writer.FLUSH_ROWS = 1
write, calls = writer.UnitWriter._write, [0]

def dying(self, connection, units):
    calls[0] += 1
    if calls[0] == int(moment):
        write(self, connection, units)  # and never committed
        os.kill(os.getpid(), signal.SIGKILL)
    write(self, connection, units)

writer.UnitWriter._write = dying
with Store.open(database, write=True) as store:
    sample = Sample(int(size)) if int(size) else None
    options = Options("serial", quiet=True, unit_size=64, chunk_size=128)
    print(execute(parse_query(text), store, options, sample).goal.evaluated)
"""


@pytest.mark.slow
@pytest.mark.skipif(sys.platform == "win32", reason="kills processes")
def test_killed_in_the_sample_and_after_it(
    bench: Workplace, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    bench.cut(64, 128)
    whole = tmp_path / "whole.db"
    bench.run(MIXED, database=whole)
    done = []
    for size, moment in ((100, 30), (100, 40), (100, 999), (0, 4), (0, 3), (0, 999)):
        ended = python_forked(KILLED, MIXED, bench.database, size, moment, folder=bench.folder)
        assert ended.returncode == (0 if moment == 999 else -signal.SIGKILL), ended.stderr
        run: Any = bench.read(lambda reader: reader.run(1))
        done.append(run.evaluated)
    assert done[0] == 29
    assert done[1] == 29 + 39
    assert done[2] == 100
    assert 100 < done[3] < done[4] < done[5] == 700
    assert recorded(bench.database) == recorded(whole)


# --- verification -----------------------------------------------------------------------------------------


def failed(bench: Workplace, sample: int = 100) -> dict[str, str]:
    with Store.open(bench.database) as store:
        with store.reader() as reader:
            number = reader.runs()[-1].id
        return {c.name: c.detail for c in verify(store, number, sample).checks if not c.passed}


@pytest.mark.parametrize(
    "text", [pytest.param(MIXED, marks=pytest.mark.slow), FILTERED], ids=["all", "filtered"]
)
def test_a_sample_is_verified_as_one(bench: Workplace, monkeypatch: pytest.MonkeyPatch, text: str) -> None:
    bench.cut(64, 128)
    run = bench.run(text, sample=Sample(30, 2)).goal
    report = bench.verify(run.id, 100)
    assert [check for check in report.checks if not check.passed] == []
    checks = {check.name: check.detail for check in report.checks}
    assert checks["coverage"].startswith("The 30 ranks that seed 2 draws of 700 are recorded, and no others")
    assert "run digest" not in checks
    bench.run(text)
    assert failed(bench) == {}


def test_ranks_that_were_not_drawn_are_no_sample(bench: Workplace) -> None:
    bench.given(MIXED, sample=Sample(90, 2))
    missing = next(rank for rank in range(700) if rank not in drawn_ranks(Sample(90, 2), 0, 700).tolist())
    taken = int(drawn_ranks(Sample(90, 2), 0, 700)[4])
    bench.change(
        f"UPDATE unit SET start = {missing} WHERE start = {taken}",
        f"UPDATE score_chunk SET start = {missing} WHERE start = {taken}",
    )
    assert failed(bench)["coverage"] == (
        "The ranks recorded are not those that seed 2 draws, so they are not its sample."
    )


@pytest.mark.parametrize("size", [30, pytest.param(90, marks=pytest.mark.slow)])
def test_a_sample_that_lost_something_is_not_finished(bench: Workplace, size: int) -> None:
    bench.given(MIXED, sample=Sample(size, 2))
    first = int(drawn_ranks(Sample(size, 2), 0, 700)[0])
    bench.change(f"DELETE FROM unit WHERE start = {first}")
    assert "coverage" in failed(bench)
    bench.change(f"DELETE FROM score_chunk WHERE start = {first}", f"UPDATE run SET evaluated = {size - 1}")
    assert failed(bench)["coverage"].endswith("the run is not finished; epcg resume 1.")


def test_a_false_value_in_a_sample(bench: Workplace) -> None:
    bench.given(MIXED, sample=Sample(90, 2))
    rank = int(drawn_ranks(Sample(90, 2), 0, 700)[7])
    bench.change(
        "UPDATE score_chunk SET data = (SELECT data FROM score_chunk o WHERE o.start <> score_chunk.start "
        "AND o.metric_id = score_chunk.metric_id AND o.data <> score_chunk.data AND "
        f"o.dtype = score_chunk.dtype LIMIT 1) WHERE start = {rank} AND dtype = '<f8'"
    )
    assert {"chunks", "sample"} <= set(failed(bench, 200))  # all that were evaluated are drawn


# --- estimates --------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("seeds", "misses"),
    [(4, 2), *(pytest.param(*more, marks=pytest.mark.slow) for more in ((12, 3), (40, 6)))],
)
def test_estimates_hold_for_the_whole(bench: Workplace, seeds: int, misses: int) -> None:
    """More misses of so many at 5 % have a chance below 0.4 %; the seeds are fixed."""
    missed: Counter[str] = Counter()
    whole: dict[str, Any] = {
        "digits": [sum(map(int, str(n))) for n in range(700)],
        "even": [n % 2 == 0 for n in range(700)],
        "divisor": [next(d for d in range(2, n + 1) if n % d == 0) for n in range(2, 700)],
    }
    text = MIXED.replace(
        '[{ name = "mixed" }, { name = "digits" }]',
        '[{ name = "digits" }, { name = "even" }, { name = "divisor" }]',
    )
    for seed in range(seeds):
        bench.database.unlink(missing_ok=True)
        run = bench.run(text, "record.rows=none", sample=Sample(100, seed)).goal
        found: Any = bench.read(partial(estimates, run=run))
        assert (found.size, found.population) == (100, 700)
        for metric in found.metrics:
            name, values = metric.metric.name, whole[metric.metric.name]
            truth = sum(values) / len(values)
            if name == "divisor" and metric.mean.low is None:  # half are 2, and some are hundreds
                assert metric.mean.why.startswith("few values decide it")
            else:
                missed[name] += not metric.mean.low <= truth <= metric.mean.high
            sign = 1 if metric.metric.direction == "max" else -1
            better = sum(sign * value > sign * metric.best.value for value in values)
            missed[f"best {name}"] += better > metric.best.better
            missed[f"values {name}"] += not metric.share.low <= len(values) / 700 <= metric.share.high
            assert sum(count for _, _, count in metric.bins) == metric.valued
    assert set(missed) >= {"digits", "even", "best digits"}
    assert max(missed.values()) <= misses


RARE = """
from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams
EPCG_API_VERSION = 1

class Numbers:
    max_rank = 100_000
    def unrank(self, rank): return rank

class Few:
    metrics = (
        Metric("never", "int"),
        Metric("seldom", "int", at_least=0, at_most=4),
        Metric("rare", "real", at_least=0),
        Metric("heavy", "real"),
        Metric("even", "bool"),
    )
    def evaluate(self, n):
        rare = float(n % 20 == 0) * (1 + n % 7)
        return int(n == 77_777), int(n == 77_777), rare, 1.01 ** (n % 5000), n % 2 == 0

@hookimpl
def epcg_register_domains(register): register(DomainInfo("few", "Few", "numbers of which few matter"))
@hookimpl
def epcg_register_generators(register):
    register(GeneratorInfo(domain="few", name="all", summary="numbers", params=NoParams,
                           factory=lambda params: Numbers()))
@hookimpl
def epcg_register_evaluators(register):
    register(EvaluatorInfo(domain="few", name="few", summary="few", metrics=Few.metrics,
                           factory=lambda params, generator, tables: Few()))
"""


def test_a_mean_that_few_values_decide_has_no_interval_but_a_reason_on_every_face(
    bench: Workplace, install_plugin: Callable[..., None], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("EPCG_PLUGINS", only("few"))
    install_plugin("few", "epcg_few", RARE, "epcg-few")
    query = bench.folder / "few.toml"
    query.write_text('domain = "few"\nevaluators = [{ name = "few" }]\n[generator]\nname = "all"\n')
    common = ("run", query, "--sample", 300, "--executor", "serial")
    told = epcg(*common).stdout
    means = {
        m["metric"]: m["mean"] for m in json.loads(epcg(*common, "--json").stdout)["estimates"]["metrics"]
    }
    reasons = {
        "never": "all 300 values are equal, and up to 1.22% of all can be any other",
        "heavy": "few values decide it",
    }
    for name, why in reasons.items():
        assert (means[name]["low"], means[name]["high"], means[name]["no_interval"]) == (None, None, why)
        assert f"The mean of {name} has no interval: {why}." in told
        record = epcg_core.open(bench.database).run(1).record
        sentence = bench.read(lambda reader, name=name, record=record: about_all(reader, record, name))
        assert f"confidence each: the mean has no interval: {why}; at most" in sentence
    seldom = means["seldom"]  # at most 1.22 %, of 4 each
    assert (seldom["low"], seldom["high"]) == (0, pytest.approx(4 * 0.0122, abs=1e-3))
    rare = means["rare"]  # a twentieth, from 1 to 7
    assert 0 < rare["low"] <= 0.2 <= rare["high"] < 0.6
    assert "no_interval" not in rare | seldom | means["even"]
    python = {m.metric.name: m.mean for m in epcg_core.open(bench.database).run(1).estimates().metrics}
    assert {name: (mean.low, mean.high) for name, mean in python.items()} == {
        name: (mean["low"], mean["high"]) for name, mean in means.items()
    }


def test_few_values_have_a_mean_without_an_interval(bench: Workplace) -> None:
    run = bench.run(MIXED, sample=Sample(20)).goal
    found: Any = bench.read(lambda reader: estimates(reader, run))
    assert all(m.mean.low is None for m in found.metrics if m.metric.kind != "bool")


def test_there_are_no_estimates_without_a_whole_sample(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch
) -> None:
    run = bench.run(MIXED).goal
    with pytest.raises(StoreError, match=r"^Run 1 has no sample\.$"):
        bench.read(lambda reader: estimates(reader, run))
    stop_at(monkeypatch, 300)
    with pytest.raises(RunInterruptedError):
        bench.run(MIXED, "range.start=1", sample=Sample(50))
    with pytest.raises(StoreError, match=r"^Of the sample of run 2 only \d+ of 50 ranks are recorded"):
        bench.read(lambda reader: estimates(reader, reader.run(2)))


# --- refusals and the command line ------------------------------------------------------------------------


def test_layers_are_not_sampled(bench: Workplace) -> None:
    refusal = r"^The search retrograde takes no sample, because .* leave --sample out\.$"
    with pytest.raises(QueryError, match=refusal):
        bench.run(LAYERS, sample=Sample(5))


def test_the_command_line(bench: Workplace) -> None:
    query = bench.database.with_name("mixed.toml")
    query.write_text('select = [{ metric = "digits", count = 3 }]\n' + MIXED)
    common = (query, "--db", bench.database, "--quiet")
    said = epcg("run", *common, "--sample", 100, "--seed", 1)
    assert "Run 1 is a sample: 100 of its 700 candidates, drawn with seed 1." in said.stdout
    assert "Kept by" not in said.stdout
    shown = epcg("show", 1, "--db", bench.database).stdout
    assert "partial: 100 of 700 candidates (14.29 %), with a sample of 100 drawn with seed 1" in shown
    data = json.loads(epcg("run", *common, "--sample", 100, "--seed", 1, "--json").stdout)
    assert data["kept"] == []
    assert data["runs"][-1]["computed"] is False
    found = data["estimates"]
    assert (found["size"], found["seed"], found["population"], found["confidence"]) == (100, 1, 700, 0.95)
    assert found["statuses"]["limit"]["low"] <= 64 / 700 <= found["statuses"]["limit"]["high"]
    digits = found["metrics"][-1]
    assert digits["metric"] == "digits"
    assert digits["best"]["value"] == digits["histogram"][-1][0]
    refused = epcg("run", *common, "--sample", 100, "--seed", 2, code=1)
    assert "--seed 1" in refused.stderr
    epcg("run", *common, "--seed", 2, code=2)
    whole = epcg("run", *common)
    assert "exhaustive" in whole.stdout
    assert "Kept by 'top 3 by digits': 3" in whole.stdout


# --- who chooses the seed chooses the answer


QUESTIONS: tuple[tuple[str, ...], ...] = (
    (),
    ("record.candidate_timeout=2170",),
    ("record.on_error=record", "evaluators=[{name='digits'}, {name='even'}]"),
    ("record.candidate_timeout=2171", "record.on_error=record", "evaluators=[{name='even'}]"),
)


@pytest.mark.parametrize("questions", [QUESTIONS[2:], pytest.param(QUESTIONS, marks=pytest.mark.slow)])
def test_all_questions_about_a_space_share_one_sample(
    bench: Workplace, questions: tuple[tuple[str, ...], ...]
) -> None:
    """Nothing that a request may have is left to be tried until the sample is as wished."""
    seeds = {bench.run(MIXED, *more, sample=Sample(20)).goal.sample.seed for more in questions}
    assert len(seeds) == 1
    drawn = set(bench.sql("SELECT start FROM unit WHERE run_id = 1"))
    for number in range(2, len(questions) + 1):
        assert set(bench.sql(f"SELECT start FROM unit WHERE run_id = {number}")) == drawn
    filtered = bench.run(FILTERED, sample=Sample(30)).goal
    assert drawn < set(bench.sql(f"SELECT start FROM unit WHERE run_id = {filtered.id}"))
    assert bench.run(MIXED, "generator.size=650", sample=Sample(20)).goal.sample.seed not in seeds


def said_of(bench: Workplace, number: int) -> tuple[str, str]:
    """What is said of the seed of a run's sample: beside its intervals, and by `verify`."""
    found: Any = bench.read(lambda reader: estimates(reader, reader.run(number)))
    with Store.open(bench.database) as store:
        (coverage,) = (c.detail for c in verify(store, number, 1).checks if c.name == "coverage")
    return found.condition, coverage


def test_a_seed_that_nobody_chose_has_its_condition_beside_the_intervals(bench: Workplace) -> None:
    query = bench.folder / "query.toml"
    query.write_text(MIXED)
    common = ("run", query, "--sample", 30, "--executor", "serial")
    said = "The seed follows from the space, so the intervals hold if the size was chosen before looking."
    told = epcg(*common).stdout
    ((seed,),) = bench.sql("SELECT sample_seed FROM run")
    assert f"drawn with seed {seed}.\n{said}\nEstimates" in told
    found = json.loads(epcg(*common, "--json").stdout)["estimates"]
    assert (found["seed"], found["seed_chosen"], found["holds_if"]) == (seed, False, said)
    assert "chosen by hand" not in told
    assert said in said_of(bench, 1)[1]


def test_a_part_of_a_space_is_chosen_too(bench: Workplace) -> None:
    bench.run(MIXED, "range.stop=650", sample=Sample(20))
    for told in said_of(bench, 1):
        assert "if the size and the range were chosen before looking" in told


def test_a_sample_that_an_earlier_version_drew_goes_on(bench: Workplace) -> None:
    """Its seed followed from the request, so another request had another."""
    request = plan(parse_query(MIXED))[1].request
    seed = int.from_bytes(hashlib.sha256(f"sample\0{request}".encode()).digest()[:4], "big")
    bench.run(MIXED, sample=Sample(20, seed))
    assert bench.run(MIXED, sample=Sample(30)).goal.sample == Sample(30, seed)
    for told in said_of(bench, 1):
        assert "The seed follows from what was asked for, as in earlier versions" in told


@pytest.mark.parametrize("size", [20, pytest.param(100, marks=pytest.mark.slow)])
def test_a_chosen_seed_is_named_beside_every_interval(bench: Workplace, size: int) -> None:
    query = bench.folder / "query.toml"
    query.write_text(MIXED)
    common = ("run", query, "--sample", size, "--seed", 5, "--executor", "serial")
    told = epcg(*common)
    assert (
        "The seed was chosen by hand, so the intervals hold only if no other seed was tried." in told.stdout
    )
    data = json.loads(epcg(*common, "--json").stdout)
    assert data["estimates"]["seed_chosen"] is True
    assert "drawn with seed 5, which was chosen by hand" in " ".join(epcg("show", 1).stdout.split())
    assert "The seed was chosen by hand" in " ".join(epcg("verify", 1).stdout.split())
    more = epcg(
        "run", query, "--sample", 2 * size, "--executor", "serial"
    )  # goes on with the seed that it began with
    assert f"{2 * size} of its 700 candidates, drawn with seed 5." in more.stdout


def test_a_seed_that_is_changed_in_the_record_draws_other_ranks(bench: Workplace) -> None:
    bench.run(MIXED, sample=Sample(100, 5))
    bench.change("UPDATE run SET sample_seed = 6")
    assert "not those that seed 6 draws" in bench.failed(1)["coverage"]
