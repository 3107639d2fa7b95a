"""Branch and bound as runs: search, then proof; recorded, resumed and verified."""

from __future__ import annotations

import json
import signal
import sqlite3
import sys
from collections.abc import Sequence
from contextlib import suppress
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

import pytest

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import parse_query
from epcg_core.query.spec import make_generator
from epcg_core.runs.coordinator import plan
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.expenses import RUN_SECONDS
from epcg_core.runs.ledger import space_of
from epcg_core.verification.verdicts import Check
from tests.core.search.branch_and_bound.place import Sets
from tests.core.search.branch_and_bound.toy_sets import (
    Common,
    Cost,
    JointParams,
    Multisets,
    SetsParams,
    digits,
    subsets,
)
from tests.forks.forked import Coordinators
from tests.processes import wait_until
from tests.timed import timed
from tests.workplace import ask_sql, epcg

GENERATORS: dict[str, Any] = {"multisets": Multisets, "subsets": subsets, "digits": digits}


@cache
def optima(kind: str, sets: SetsParams, evaluator: str, joint: int) -> tuple[int, list[tuple[int, Any]]]:
    """(max_rank, (rank, value) of the optima), by evaluating everything."""
    generator = GENERATORS[kind](sets)
    scorer: Any = (Cost if evaluator == "cost" else Common)(JointParams(joint), generator)
    every = [(rank, scorer.evaluate(generator.unrank(rank))) for rank in range(generator.max_rank)]
    valued = [(rank, row[0]) for rank, row in every if row is not None]
    best = (min if evaluator == "cost" else max)((value for _, value in valued), default=None)
    return generator.max_rank, [one for one in valued if one[1] == best]


INSTANCES = [
    ("multisets", "common", SetsParams(n=9, k=3, elements=8, seed=4), 1),
    ("multisets", "common_compiled", SetsParams(n=14, k=3, elements=12, seed=1), 1),
    ("multisets", "common_compiled", SetsParams(n=7, k=5, elements=10, seed=2), 2),
    ("subsets", "cost", SetsParams(n=13, k=4, elements=9, seed=3), 21),
    ("subsets", "common", SetsParams(n=12, k=3, elements=20, seed=5), 3),
    ("digits", "common", SetsParams(n=5, k=4, elements=6, seed=6), 1),
    ("digits", "cost", SetsParams(n=6, k=3, elements=6, seed=7), 10),
    ("multisets", "common", SetsParams(n=6, k=3, elements=4, seed=8), 5),  # nothing has a value
]
FAST = [(2, "first"), (3, "all"), (7, "all")]
"""A maximum by a kernel, a minimum in plain code, and an instance where nothing has a value."""
CASES = [
    *((*INSTANCES[number], keep, (16,)) for number, keep in FAST),
    *(
        pytest.param(*instance, keep, (16, None) if keep == "all" else (16,), marks=pytest.mark.slow)
        for instance in INSTANCES
        for keep in ("all", "first")
    ),
]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(("kind", "evaluator", "sets", "joint", "keep", "units"), CASES)
def test_the_optima_are_those_of_an_exhaustive_search(
    place: Sets,
    kind: str,
    evaluator: str,
    sets: SetsParams,
    joint: int,
    keep: str,
    units: tuple[int | None, ...],
) -> None:
    max_rank, expected = optima(kind, sets, evaluator, joint)
    query = place.query(
        generator=kind,
        params=f"n = {sets.n}, k = {sets.k}, elements = {sets.elements}, seed = {sets.seed}",
        search=f'keep = "{keep}"',
        evaluators=(f"{evaluator} joint = {joint}",),
    )
    digests = set()
    for unit in units:
        database = place.folder / f"{unit}.db"
        search, proof = place.run(query, database=database, unit_size=unit).runs
        assert place.optima(proof.id, database) == (expected if keep == "all" else expected[:1])
        assert set(expected[:1]) <= set(place.optima(search.id, database))
        for run in (search, proof):
            assert (run.candidates, run.coverage) == (max_rank, "exhaustive")
            assert run.evaluated + run.pruned == max_rank
            assert run.excluded == 0
        digests.add((search.digest, proof.digest))
    assert len(digests) == 1
    for run in (search, proof):
        report = place.verify(run.id, 100, database=place.folder / "16.db")
        assert report.passed, report


def of_sets(n: int) -> dict[str, Any]:
    """What is asked about three of `n` sets: 364 candidates for 12, 4,960 for 30."""
    return {
        "params": f"n = {n}, k = 3, elements = 40, seed = 12",
        "evaluators": ("common_compiled joint = 8", "weight"),
    }


SIZES = pytest.mark.parametrize("n", [12, pytest.param(30, marks=pytest.mark.slow)])


HOW: tuple[dict[str, Any], ...] = (
    {"unit_size": 64},
    {"executor": "processes", "workers": 2, "unit_size": 100},
    {"executor": "threads", "workers": 2, "unit_size": 50},
)
ONE_WORKER = {"executor": "processes", "workers": 1, "unit_size": 300}


@pytest.mark.parametrize(
    ("n", "search", "ways"),
    [
        (12, 'keep = "all"', (HOW[0], HOW[2])),
        pytest.param(30, 'keep = "all"', HOW, marks=pytest.mark.slow),
        pytest.param(30, 'keep = "first"', (*HOW, ONE_WORKER), marks=pytest.mark.slow),
    ],
)
def test_the_result_is_the_same_however_it_is_computed(
    place: Sets, n: int, search: str, ways: Sequence[dict[str, Any]]
) -> None:
    expected = optima("multisets", SetsParams(n=n, k=3, elements=40, seed=12), "common", 8)[1]
    assert expected
    query = place.query(search=search, **of_sets(n))
    results = set()
    for number, how in enumerate(ways):
        database = place.folder / f"{number}.db"
        options: Any = {"executor": "serial"} | how
        found, proof = place.run(query, database=database, **options).runs
        assert place.verify(proof.id, 60, database=database).passed
        assert place.verify(found.id, 60, database=database).passed
        kept = place.sql(
            f"SELECT rank, state, scores, kept_by FROM kept WHERE run_id = {proof.id} ORDER BY rank", database
        )
        assert [rank for rank, *_ in kept] == [r for r, _ in expected][: 1 if "first" in search else None]
        prunings = place.sql(
            f"SELECT start, count, bound, reason FROM pruning WHERE run_id = {proof.id} ORDER BY start",
            database,
        )
        results.add((found.digest, proof.digest, proof.evaluated, str(kept), str(prunings)))
    assert len(results) == 1


@SIZES
def test_what_is_recorded_of_the_optima(place: Sets, n: int) -> None:
    expected = optima("multisets", SetsParams(n=n, k=3, elements=40, seed=12), "common", 8)[1]
    more = '[[select]]\nmetric = "common"\nkeep = "best"\n[record]\nrows = "kept"'
    outcome = place.run(place.query(more=more, **of_sets(n)))
    search, proof = outcome.runs
    assert outcome.kept == len(expected) > 0
    generator = Multisets(SetsParams(n=n, k=3, elements=40, seed=12))
    rows = place.sql(
        f"SELECT rank, metric, value FROM materialized_scores WHERE run_id = {proof.id} ORDER BY 1, 2"
    )
    assert rows == [
        row
        for rank, value in expected
        for row in (
            (rank, "common", value),
            (rank, "weight", generator.quotient.weight(generator.unrank(rank))),
        )
    ]
    assert place.sql("SELECT DISTINCT max_rank, represents FROM space") == [
        (str(generator.max_rank), str(generator.represents))
    ]
    incumbents = place.optima(search.id)
    assert [value for _, value in incumbents] == sorted({value for _, value in incumbents})
    assert incumbents[-1] == expected[0]
    assert place.sql(f"SELECT DISTINCT kept_by FROM candidate WHERE run_id = {search.id}") == [("incumbent",)]
    histogram = place.sql(
        f"SELECT low, count FROM histograms WHERE run_id = {proof.id} AND metric = 'common'"
    )
    assert histogram == [(expected[0][1], len(expected))]
    assert place.sql(f"SELECT role, input_run_id FROM run_input WHERE run_id = {proof.id}") == [
        ("incumbent", search.id)
    ]
    assert make_generator(registry(), space_of(proof)).max_rank == proof.max_rank


def test_prunings_of_neighbouring_units_are_one(place: Sets) -> None:
    """Every border between two units lies inside a pruning or between two reasons."""
    outcome = place.run(place.query(**of_sets(30)), unit_size=10)
    for run in outcome.runs:
        rows = place.sql(f"SELECT start, count, reason FROM pruning WHERE run_id = {run.id} ORDER BY start")
        assert sum(count for _, count, _ in rows) == run.pruned > run.evaluated
        for (start, count, reason), (after, _, other) in pairwise(rows):
            assert start + count < after or (start + count == after and reason != other)
        assert any(count > 20 for _, count, _ in rows)


@SIZES
def test_the_search_alone_is_one_run_and_the_proof_uses_it(place: Sets, n: int) -> None:
    (alone,) = place.run(place.query(search='phase = "search"', **of_sets(n))).runs
    for keep in ("all", "first"):
        outcome = place.run(place.query(search=f'keep = "{keep}"', **of_sets(n)))
        assert outcome.runs[0].id == alone.id
        assert outcome.computed == (outcome.goal.id,)


@pytest.mark.parametrize(
    ("n", "start", "stop"), [(12, 20, 300), pytest.param(30, 100, 900, marks=pytest.mark.slow)]
)
def test_a_part_of_the_ranks(place: Sets, n: int, start: int, stop: int) -> None:
    query = place.query(more=f"[range]\nstart = {start}\nstop = {stop}", **of_sets(n))
    _, proof = place.run(query, unit_size=64).runs
    generator = Multisets(SetsParams(n=n, k=3, elements=40, seed=12))
    evaluator = Common(JointParams(8), generator)
    values = [(rank, evaluator.evaluate(generator.unrank(rank))) for rank in range(start, stop)]
    best = max(row[0] for _, row in values if row is not None)
    assert place.optima(proof.id) == [(rank, best) for rank, row in values if row == (best,)]
    assert (proof.evaluated + proof.pruned, proof.coverage) == (stop - start, "semi-exhaustive")
    assert place.verify(proof.id).passed


@pytest.mark.parametrize(
    ("n", "executor"),
    [(40, "serial"), *(pytest.param(n, None, marks=pytest.mark.slow) for n in (1200, 7200))],
)
def test_a_huge_space_is_recorded_in_few_rows(place: Sets, n: int, executor: str | None) -> None:
    """11,480, 300 million or 60,000 million multisets, nearly all of them pruned in long ranges."""
    query = place.query(params=f"n = {n}, k = 3, elements = 4, seed = 1",
                        search='keep = "first"', evaluators=("common_compiled joint = 4",))  # fmt: skip
    proof = place.run(query, executor=executor).goal
    assert proof.max_rank == proof.evaluated + proof.pruned > n**3 / 6
    assert place.optima(proof.id) == [(0, 4)]
    assert place.sql("SELECT count(*) FROM pruning")[0][0] < 100
    assert place.sql("SELECT max(end) FROM (SELECT sum(count) AS end FROM unit GROUP BY run_id)") == [
        (proof.max_rank,)
    ]
    report = place.verify(proof.id)
    assert report.passed, report
    assert f"together all {proof.max_rank:,}" in next(
        c.detail for c in report.checks if c.name == "optimality"
    )


# --- refusals ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("parts", "message"),
    [
        ({"evaluators": ()}, "names no evaluator"),
        ({"evaluators": ("weight",)}, "'weight' scores whole states only"),
        ({"generator": "range"}, "does not say how its states are made"),
        ({"search": 'keep = "some"'}, "search.keep: unknown value 'some'"),
        ({"more": '[record]\non_error = "record"'}, "remove record.on_error"),
        (
            {"more": '[filter]\nmetric = "common"\nmin = 1\nsearch = { name = "exhaustive" }'},
            "remove .filter.",
        ),
        ({"evaluators": ("careless",)}, "together they must be all of them"),
        ({"evaluators": ("fragile",)}, "contains element 0"),
    ],
)
def test_what_branch_and_bound_cannot_do(place: Sets, parts: dict[str, Any], message: str) -> None:
    with pytest.raises(EpcgError, match=message):
        place.run(place.query(**parts))


def test_nothing_is_recorded_of_a_question_that_cannot_be_answered(place: Sets) -> None:
    with pytest.raises(QueryError):
        place.run(place.query(evaluators=("weight",)))
    assert place.sql("SELECT count(*) FROM run") == [(0,)]


def test_an_estimate_searches_some_candidates(place: Sets) -> None:
    found = estimate(place.query(), None)
    assert [(e.remaining, e.unknown) for e in found] == [(120, ""), (120, "")]
    assert [e.tried for e in found] == ["120 of 120 candidates searched", "120 of 120 candidates tried"]
    assert all(e.seconds is not None for e in found)
    with pytest.raises(QueryError, match="'weight' scores whole states only"):
        estimate(place.query(evaluators=("weight",)), None)


def test_an_estimate_begins_where_the_search_does(place: Sets, monkeypatch: pytest.MonkeyPatch) -> None:
    """The first candidates take long, because nothing is known that prunes."""
    timed(monkeypatch).cost = lambda rank: 0.0004 if rank < 512 else 0.00004
    search, _ = estimate(place.query(params="n = 24, k = 3, elements = 20, seed = 12"), None, seconds=0.5)
    assert search.remaining == 2600
    assert search.seconds is not None
    whole = 512 * 0.0004 + 2088 * 0.00004 + RUN_SECONDS
    assert whole / 2 < search.seconds.expected < 2 * whole


def test_the_command_line_tells_what_was_pruned(place: Sets) -> None:
    query = place.file()
    before = epcg("run", query, "--dry-run", "--db", place.database)
    assert "candidates searched" in before.stdout
    runs = json.loads(epcg("run", query, "--dry-run", "--json").stdout)["runs"]
    assert [run["unknown"] for run in runs] == [""] * 2
    # the run that finds the optimum and the one that lists it look at the same candidates
    [whole] = {run["candidates"] for run in runs}
    assert f"Together {whole:,} candidates in 2 runs, about" in before.stderr + before.stdout

    lines = epcg("run", query, "--db", place.database, "--quiet").stdout.splitlines()
    header = lines[0].split()
    counted = place.sql("SELECT sum(evaluated), sum(pruned) FROM unit GROUP BY run_id ORDER BY run_id")
    for line, (evaluated, pruned) in zip(lines[1:3], counted, strict=True):
        cells = dict(zip(header, line.split(), strict=False))
        assert (cells["evaluated"], cells["pruned"]) == (str(evaluated), str(pruned))
    assert counted[0][1] > 0


def test_the_plan_stands_alone(place: Sets) -> None:
    """A worker plans the same run from the data that it is sent."""
    for search in ('keep = "all"', 'keep = "first"', 'phase = "search"'):
        _, spec = plan(place.query(search=search))
        query = parse_query(place.text(search=search))
        assert plan(query)[1].identity == spec.identity
        assert spec.data()["objective"]["metric"] == "common"


# --- verification ------------------------------------------------------------------------------------------


@pytest.fixture
def verified(place: Sets) -> Sets:
    """Runs 1 (search) and 2 (proof), small enough that a sample draws everything."""
    place.given(place.query(params="n = 9, k = 3, elements = 8, seed = 4"), unit_size=32)
    return place


def test_the_record_passes_as_it_was_made(verified: Sets) -> None:
    assert verified.verify(2, 2000).passed


def failures(place: Sets, run: int = 2, sample: int = 2000) -> list[str]:
    report = place.verify(run, sample)
    found: list[Check] = [check for check in report.checks if not check.passed]
    return [f"{check.name}: {check.detail}" for check in found]


@pytest.mark.parametrize(
    ("statement", "check", "wrong"),
    [
        ("UPDATE pruning SET bound = bound + 9 WHERE reason = 'bound'", "optimality", "as good as the best"),
        ("UPDATE pruning SET bound = -1 WHERE reason = 'bound'", "sample", "with the bound -1"),
        ("UPDATE pruning SET reason = 'infeasible', bound = NULL", "sample", "pruned for 'infeasible'"),
        ("UPDATE pruning SET reason = 'taste'", "optimality", "an unknown reason"),
        ("UPDATE pruning SET count = count + 1 WHERE run_id = 2 AND start = (SELECT max(start) FROM pruning "
         "WHERE run_id = 2)", "optimality", ""),
        ("DELETE FROM pruning WHERE start = (SELECT min(start) FROM pruning WHERE run_id = 2)",
         "optimality", "recorded are"),
        ("UPDATE unit SET pruned = pruned + 1, evaluated = evaluated - 1 WHERE start = 64 AND run_id = 2",
         "coverage", "sums"),
        ("UPDATE unit SET start = start + 1 WHERE start = 64 AND run_id = 2", "coverage", "gap"),
        ("UPDATE unit SET digest = x'00' WHERE start = 64 AND run_id = 2", "unit digests", "another"),
        ("UPDATE run SET digest = 'x' WHERE id = 2", "run digest", "does not follow"),
        ("UPDATE run SET digest = 'x' WHERE id = 1", "inputs", "has changed"),
        ("DELETE FROM score_chunk WHERE run_id = 2 AND start = (SELECT min(start) FROM score_chunk "
         "WHERE run_id = 2)", "run digest", "does not follow"),
    ],
)  # fmt: skip
@pytest.mark.sweep
def test_a_record_that_was_changed_does_not_pass(
    verified: Sets, statement: str, check: str, wrong: str
) -> None:
    verified.change(statement)
    assert any(f.startswith(f"{check}: ") and wrong in f for f in failures(verified)), failures(verified)


def test_an_optimum_that_is_not_recorded_is_found_again(verified: Sets) -> None:
    """All traces of one optimum removed but the claim that its rank was evaluated."""
    verified.change("DELETE FROM score_chunk WHERE run_id = 2")
    assert any("as good as the best, and not recorded" in f for f in failures(verified))


# --- killed and resumed ------------------------------------------------------------------------------------


@pytest.mark.skipif(sys.platform != "linux", reason="kills processes and reads /proc")
@pytest.mark.parametrize(
    "killed",
    [
        pytest.param([(2, "serial")], id="in the proof"),
        pytest.param([(1, "processes"), (2, "serial")], id="in both", marks=pytest.mark.slow),
    ],
)
def test_a_run_killed_in_the_search_or_in_the_proof_ends_like_one_that_was_not(
    place: Sets, killed: list[tuple[int, str]]
) -> None:
    parts: dict[str, Any] = {
        "params": "n = 16, k = 3, elements = 20, seed = 4", "evaluators": ("common joint = 3",)
    }  # fmt: skip
    whole = place.folder / "whole.db"
    outcome = place.run(place.query(**parts), database=whole, unit_size=25)
    path = place.folder / "query.toml"
    path.write_text(place.text(**parts), encoding="utf-8")

    for run, executor in killed:
        with Coordinators(place.folder) as coordinators:
            process = coordinators.start(
                "run", path, "--db", place.database, "--executor", executor, "--workers", 2, "--quiet",
                EPCG_TEST_UNIT=25, EPCG_TEST_PAUSE=0.004,
            )  # fmt: skip
            wait_until(lambda: _units(place.database, run) >= 3 or process.poll() is not None, "three units")  # noqa: B023
            assert process.poll() is None, process.ended()
            process.kill()
            assert process.ended().exit_code == -signal.SIGKILL
        assert 3 <= _units(place.database, run) < _units(whole, run), "the kill must fall inside the run"

    assert place.run(place.query(**parts)).goal.digest == outcome.goal.digest
    assert len(place.optima(2)) == 11
    for statement in (
        "SELECT start, count, bound, reason FROM pruning WHERE run_id = 2 ORDER BY start",
        "SELECT evaluated, pruned, digest FROM run WHERE id = 2",
        "SELECT rank, kept_by, state FROM candidate WHERE run_id = 2 ORDER BY rank",
        "SELECT digest FROM run WHERE id = 1",
    ):
        assert place.sql(statement) == place.sql(statement, whole)
    assert place.verify(1).passed
    assert place.verify(2).passed


def _units(database: Path, run: int) -> int:
    with suppress(sqlite3.OperationalError):  # no file or no tables yet
        found: int = ask_sql(database, f"SELECT count(*) FROM unit WHERE run_id = {run}")[0][0]
        return found
    return 0


@pytest.mark.parametrize(("n", "unit"), [(12, 50), pytest.param(30, 500, marks=pytest.mark.slow)])
def test_ctrl_c_in_the_proof_and_on(place: Sets, monkeypatch: pytest.MonkeyPatch, n: int, unit: int) -> None:
    """The incumbent is the search's, which is not computed again."""
    import epcg_core.runs.worker

    query = place.query(**of_sets(n))
    search = place.run(place.query(search='phase = "search"', **of_sets(n))).goal
    calls, own = [0], epcg_core.runs.worker.UnitSolver.__call__

    def interrupted(self: Any, asked: Any) -> Any:
        calls[0] += 1
        if calls[0] == 4:
            raise KeyboardInterrupt
        return own(self, asked)

    monkeypatch.setattr(epcg_core.runs.worker.UnitSolver, "__call__", interrupted)
    with pytest.raises(EpcgError, match="epcg resume 2"):
        place.run(query, unit_size=unit)
    assert place.sql("SELECT state FROM run WHERE id = 2") == [("stopped",)]
    outcome = place.run(query)
    assert outcome.computed == (2,)
    assert outcome.runs[0].digest == search.digest
    assert place.verify(2).passed
