"""The coordinator: reuse, resumption, rows, estimates, and one digest however the work was cut."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs
import pytest
from hypothesis import given, strategies as st

from epcg_core.base.errors import EpcgError, ParamsError, QueryError, RunInterruptedError, StoreError
from epcg_core.chunks.codec import BIT_CHUNK_SIZE, CHUNK_SIZE
from epcg_core.execution import Executors, Unit, WorkFailedError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import parse_query
from epcg_core.query.spec import make_generator, space_spec
from epcg_core.runs.coordinator import Options, execute, materialize, plan, resume
from epcg_core.runs.dry_run import estimate
from epcg_core.runs.expenses import NO_COST
from epcg_core.runs.ledger import space_of
from epcg_core.runs.units import missing_units, unit_size
from epcg_core.runs.worker import UnitSolver
from epcg_core.store import Reader, RunRecord, Store
from tests.toy_queries import LAYERS, numbers, those_with
from tests.workplace import SERIAL, Numbers, Workplace

MIXED = numbers(700, "mixed", "digits")
FILTERED = MIXED + those_with("digits", 4)


@pytest.fixture
def stopping(monkeypatch: pytest.MonkeyPatch) -> list[BaseException]:
    """The errors that the next units' solving raises, one each; after the last it goes on as ever."""
    errors: list[BaseException] = []
    genuine = UnitSolver.__call__

    def solve(self: UnitSolver, unit: Unit) -> Any:
        if unit.start >= 300 and errors:
            raise errors.pop()
        return genuine(self, unit)

    monkeypatch.setattr(UnitSolver, "__call__", solve)
    return errors


# --- one digest -------------------------------------------------------------------------------------------


WAYS = [
    pytest.param(MIXED, {"serial": (7, 65_536), "threads": (64,)}, id="few"),
    pytest.param(MIXED, {"serial": (1, 64, 65_536), "threads": (64,)}, id="mixed", marks=pytest.mark.slow),
    # a filter is a table like any other, so the worker processes of one case are enough
    pytest.param(
        FILTERED,
        {"serial": (7, 64, 65_536), "threads": (64,), "processes": (64,)},
        id="filtered",
        marks=pytest.mark.slow,
    ),
]


@pytest.mark.parametrize(("text", "ways"), WAYS)
def test_one_digest_whatever_the_units_and_the_executor(
    bench: Workplace, tmp_path: Path, text: str, ways: dict[str, tuple[int, ...]]
) -> None:
    found: dict[tuple[str, int], RunRecord] = {}
    for executor, sizes in ways.items():
        for size in sizes:
            outcome = bench.run(
                text,
                database=tmp_path / f"{executor}-{size}.db",
                executor=executor,
                workers=2,
                unit_size=size,
            )
            found[executor, size] = outcome.goal
    assert {run.unit_size for run in found.values()} == {size for sizes in ways.values() for size in sizes}
    assert len({run.digest for run in found.values()}) == 1
    assert len({(run.evaluated, run.excluded) for run in found.values()}) == 1


def test_units_and_chunks_are_as_large_as_was_asked_for(bench: Workplace) -> None:
    run = bench.run(MIXED, unit_size=50, chunk_size=128).goal
    assert (run.unit_size, run.chunk_size) == (50, 128)
    again = bench.run(MIXED, unit_size=64, chunk_size=64).goal  # a run that exists keeps its own
    assert (again.id, again.unit_size, again.chunk_size) == (run.id, 50, 128)


@pytest.mark.parametrize("size", [0, -1, 2.0, True, "64"])
@pytest.mark.parametrize("field", ["unit_size", "chunk_size"])
def test_a_size_that_is_not_a_positive_integer_is_refused(field: str, size: object) -> None:
    with pytest.raises(ParamsError, match=f"^{field}: .* is not allowed; expected an integer of 1 or more"):
        Options(**{field: size})  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("pegs", "sizes"),
    [(2, (13, BIT_CHUNK_SIZE)), pytest.param(4, (1, 13, BIT_CHUNK_SIZE), marks=pytest.mark.slow)],
)
def test_layers_have_one_digest_whatever_the_units(
    bench: Workplace, tmp_path: Path, pegs: int, sizes: tuple[int, ...]
) -> None:
    digests = set()
    for size in sizes:
        outcome = bench.run(
            LAYERS, f"generator.pegs={pegs}", database=tmp_path / f"{size}.db", unit_size=size
        )
        digests.add(tuple(run.digest for run in outcome.runs))
    assert len(digests) == 1
    assert len(set(digests.pop())) == pegs


def test_a_finished_run_holds_whole_chunks_only(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.cut(unit_size=7)
    run = bench.run(MIXED).goal
    chunks: Any = bench.read(lambda reader: [(c.start, c.count) for c in reader.chunks(run.id, "curve")])
    assert chunks == [(0, 700)]
    units: Any = bench.read(lambda reader: [(u.start, u.count) for u in reader.units(run.id)])
    assert units == [(start, 7) for start in range(0, 700, 7)]


def test_small_work_is_done_without_processes() -> None:
    executors = Executors(None, None, None, None)
    assert executors.choose(1.9) is None
    assert executors.choose(2.1) is executors.choose(9.9)
    executor = executors.choose(2.1)
    assert executor is not None
    assert executor.name == "processes"
    executors.close()


# --- reuse and resumption ---------------------------------------------------------------------------------


def test_a_finished_run_is_used_again(bench: Workplace) -> None:
    first = bench.run(MIXED)
    again = bench.run(MIXED, "name=another")
    assert (first.computed, again.computed) == ((first.goal.id,), ())
    assert again.goal == first.goal
    queries: Any = bench.read(
        lambda reader: reader.connection.exec_driver_sql("SELECT queries FROM runs").scalars().all()
    )
    assert queries == ["query, another"]


@pytest.mark.sweep(2)
@pytest.mark.parametrize(
    ("error", "raised", "rows"),
    [
        (KeyboardInterrupt(), RunInterruptedError, "all"),
        (KeyboardInterrupt(), RunInterruptedError, "none"),
        (QueryError("a reason"), QueryError, "all"),
        (OSError("odd"), WorkFailedError, "none"),
        pytest.param(QueryError("a reason"), QueryError, "none", marks=pytest.mark.slow),
        pytest.param(OSError("odd"), WorkFailedError, "all", marks=pytest.mark.slow),
    ],
)
def test_what_was_recorded_is_kept_and_the_rest_is_done_later(
    bench: Workplace,
    monkeypatch: pytest.MonkeyPatch,
    stopping: list[BaseException],
    error: BaseException,
    raised: type[BaseException],
    rows: str,
) -> None:
    whole = bench.other("whole").given(MIXED).goal
    bench.cut(unit_size=64)
    stopping.append(error)
    with pytest.raises(raised) as stopped:
        bench.run(MIXED, f"record.rows={rows}")
    told = f"{stopped.value} {' '.join(getattr(stopped.value, '__notes__', []))}"
    assert f"epcg resume 1 --db {bench.database}" in told
    partial: Any = bench.read(lambda reader: reader.run(1))
    assert (partial.state, partial.coverage, partial.digest) == ("stopped", "partial", None)
    assert partial.evaluated == 320
    with Store.open(bench.database, write=True) as store:
        outcome = resume(1, store, SERIAL)
    assert outcome.computed == (1,)
    assert (outcome.goal.digest, outcome.goal.evaluated) == (whole.digest, 700)
    count = "SELECT count(*) FROM score"
    scores: Any = bench.read(lambda reader: reader.connection.exec_driver_sql(count).scalar())
    assert scores == (700 * 5 if rows == "all" else 0)


def test_a_run_that_died_before_its_digest_is_finished(bench: Workplace) -> None:
    whole = bench.run(MIXED).goal
    bench.change("UPDATE run SET state = 'running', digest = NULL, finished_at = NULL",
                 "DELETE FROM score_histogram")  # fmt: skip
    outcome = bench.run(MIXED)
    assert outcome.computed == ()
    assert attrs.evolve(outcome.goal, finished_at=None) == attrs.evolve(whole, finished_at=None)
    count = "SELECT sum(count) FROM score_histogram"
    assert bench.read(lambda reader: reader.connection.exec_driver_sql(count).scalar()) > 700  # type: ignore[operator]


def test_resuming_what_is_not_there(bench: Workplace) -> None:
    nothing = r"^There is no run 3 in the database: it has no run yet\."
    with Store.open(bench.database, write=True) as store, pytest.raises(StoreError, match=nothing):
        resume(3, store)
    bench.run(MIXED)
    with Store.open(bench.database, write=True) as store:
        with pytest.raises(StoreError, match=r"^There is no run 3 in the database: its only run is 1\."):
            resume(3, store)
        assert resume(1, store).computed == ()


ranges = st.integers(0, 500).flatmap(lambda start: st.tuples(st.just(start), st.integers(start, 600)))


@given(ranges, st.sampled_from([1, 7, 64, 1000]), st.data())
def test_missing_units_and_finished_ones_tile_the_range(
    interval: tuple[int, int], size: int, data: st.DataObject
) -> None:
    start, stop = interval
    run = _record(start, stop, size)
    units = list(missing_units(run, {}))
    finished = data.draw(st.sets(st.sampled_from(units))) if units else set()
    missing = list(missing_units(run, {unit.start: unit.count for unit in finished}))
    assert sorted([*missing, *finished]) == units
    ranks = [rank for unit in units for rank in range(unit.start, unit.start + unit.count)]
    assert ranks == list(range(start, stop))
    assert all(unit.start == start or unit.start % size == 0 for unit in units)


def _record(start: int, stop: int, size: int) -> RunRecord:
    return RunRecord(
        id=1, identity="", space="", domain="", search="", spec={}, layer=None, start=start, stop=stop,
        max_rank=stop, unit_size=size, chunk_size=CHUNK_SIZE, state="running", rows="all", evaluated=0,
        pruned=0, excluded=0, cpu_seconds=0.0, digest=None, created_at="", finished_at=None,
    )  # fmt: skip


@given(
    st.integers(1, 10**8), st.integers(0, 10**9), st.sampled_from([CHUNK_SIZE, BIT_CHUNK_SIZE]),
    st.integers(1, 64),
)  # fmt: skip
def test_units_are_multiples_or_divisors_of_chunks(block: int, total: int, chunk: int, workers: int) -> None:
    size = unit_size(block, total, chunk, workers)
    assert size >= 1
    assert size % chunk == 0 or chunk % size == 0
    assert size <= max(block, chunk)
    if 4 * block <= total and 4 * workers * chunk <= total:  # enough work to share
        assert size <= block or block < 1
        assert size <= -(-total // (4 * workers))


# --- rows and selections ----------------------------------------------------------------------------------

TOP = 'select = [{ metric = "digits", count = 3 }, { metric = "curve", keep = "best" }]\n'


def scores(reader: Reader) -> dict[str, dict[int, Any]]:
    found: dict[str, dict[int, Any]] = {}
    for metric, rank, value in reader.connection.exec_driver_sql(
        "SELECT metric, rank, value FROM materialized_scores"
    ):
        found.setdefault(metric, {})[rank] = value
    return found


def expected_scores(reader: Reader) -> dict[str, dict[int, Any]]:
    names = [metric.name for metric in reader.metrics(1)]
    return {name: {rank: reader.value(1, name, rank) for rank in range(700)} for name in names}


def test_all_rows(bench: Workplace) -> None:
    for overrides in (["record.rows=all"], []):
        run = bench.run(MIXED, *overrides).goal
        assert run.rows == "all"
        assert bench.read(scores) == bench.read(expected_scores)


@pytest.mark.parametrize("rows", ["kept", "none"])
def test_rows_of_kept_candidates_only(bench: Workplace, rows: str) -> None:
    outcome = bench.run(TOP + MIXED, f"record.rows={rows}")
    everything: Any = bench.read(expected_scores)
    found: Any = bench.read(scores)
    kept = set(found["digits"])
    assert outcome.kept == len(kept) >= 4
    assert found == {name: {r: v for r, v in by.items() if r in kept} for name, by in everything.items()}
    assert outcome.goal.rows == rows


def test_auto_rows_are_all_for_small_runs(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("epcg_core.runs.materialize.ALL_ROWS_LIMIT", 699)
    assert bench.run(MIXED).goal.rows == "kept"
    monkeypatch.setattr("epcg_core.runs.materialize.ALL_ROWS_LIMIT", 700)
    again = bench.run(MIXED)
    assert (again.computed, again.goal.rows) == ((), "all")
    assert bench.read(scores) == bench.read(expected_scores)


def test_materialize_makes_the_rows_later(bench: Workplace) -> None:
    bench.given(MIXED, "record.rows=none")
    assert bench.read(scores) == {}
    with Store.open(bench.database, write=True) as store:
        assert materialize(store, 1).rows == "all"
        assert materialize(store, 1).rows == "all"
    assert bench.read(scores) == bench.read(expected_scores)


def test_materialize_where(bench: Workplace) -> None:
    kept = bench.run(TOP + MIXED, "record.rows=all").kept
    with Store.open(bench.database, write=True) as store:
        assert materialize(store, 1, "digits = 6 AND third = 1 AND rank < 500").rows == "kept"
    everything: Any = bench.read(expected_scores)
    wanted = {r for r in range(500) if everything["digits"][r] == 6 and everything["third"][r]}
    assert len(wanted) > 3
    query = "SELECT rank FROM candidate WHERE kept = 1"
    stay: Any = bench.read(lambda reader: set(reader.connection.exec_driver_sql(query).scalars()))
    assert len(stay) == kept
    found: Any = bench.read(scores)
    assert set(found["curve"]) == wanted | stay
    # so a query that wants all rows makes them again
    bench.run(MIXED, "record.rows=all")
    assert bench.read(scores) == everything


@pytest.mark.parametrize("where", ["digts > 3", "digits >", "1); DROP TABLE score; --"])
def test_a_condition_that_is_none_is_refused_and_nothing_changes(bench: Workplace, where: str) -> None:
    bench.given(MIXED, "record.rows=all")
    with (
        Store.open(bench.database, write=True) as store,
        pytest.raises(StoreError, match="a condition over rank"),
    ):
        materialize(store, 1, where)
    assert bench.read(scores) == bench.read(expected_scores)


def test_what_is_kept_is_shown_with_its_scores(bench: Workplace) -> None:
    bench.run('select = [{ metric = "effort", count = 2 }, { metric = "effort", keep = "best" }]\n' + MIXED)
    sql = "SELECT puzzle, kept_by, state, json_extract(scores, '$.effort') FROM kept ORDER BY rank DESC"
    rows: Any = bench.read(lambda reader: reader.connection.exec_driver_sql(sql).all())
    assert rows[0] == ("numbers:range?size=700#699", "top 2 by effort; best by effort", "number 699", 699)
    assert rows[1][1] == "top 2 by effort"


def test_another_query_adds_its_rule_to_what_is_kept(bench: Workplace) -> None:
    bench.run('select = [{ metric = "effort", count = 2 }]\n' + MIXED)
    bench.run('select = [{ metric = "effort", keep = "best" }]\n' + MIXED)
    bench.run('select = [{ metric = "effort", count = 1 }, { metric = "effort", count = 2 }]\n' + MIXED)
    sql = "SELECT rank, kept_by FROM kept ORDER BY rank DESC"
    rows: Any = bench.read(lambda reader: reader.connection.exec_driver_sql(sql).all())
    assert rows == [(699, "top 2 by effort; best by effort; top 1 by effort"), (698, "top 2 by effort")]


def test_what_is_kept_is_not_written_again(bench: Workplace, monkeypatch: pytest.MonkeyPatch) -> None:
    text = 'select = [{ metric = "effort", count = 2 }]\n' + MIXED
    bench.run(text)
    before = Path(bench.database).read_bytes()
    formatted: list[Any] = []
    monkeypatch.setattr("epcg_core.runs.keep.format_state", lambda *_: formatted.append(1))
    assert bench.run(text).kept == 2
    assert formatted == []
    assert Path(bench.database).read_bytes() == before


def test_a_kept_candidate_without_a_value_keeps_its_status(bench: Workplace) -> None:
    """A metric that always has a value can select a candidate that reached a limit."""
    bench.run('select = [{ metric = "effort", keep = "threshold", max = 0 }]\n' + MIXED, "generator.size=20")
    sql = "SELECT rank, status FROM candidate ORDER BY rank"
    rows: Any = bench.read(lambda reader: reader.connection.exec_driver_sql(sql).all())
    assert rows == [(0, "value"), (2, "none"), (3, "limit"), (9, "none"), (14, "limit"), (16, "none")]


def test_distinct_needs_symmetries(bench: Workplace) -> None:
    with pytest.raises(
        QueryError, match=r"numbers:stepped\?size=700 has no symmetries, so there are no classes"
    ):
        bench.run('select = [{ metric = "digits", distinct = true }]\n' + MIXED, "generator.name=stepped")
    outcome = bench.run('select = [{ metric = "digits", count = 4, distinct = true }]\n' + MIXED)
    sql = "SELECT rank FROM candidate WHERE kept = 1 ORDER BY rank"
    rows: Any = bench.read(lambda reader: reader.connection.exec_driver_sql(sql).scalars().all())
    assert outcome.kept == 4
    assert len({"".join(sorted(str(rank))) for rank in rows}) == 4


# --- estimates --------------------------------------------------------------------------------------------


def test_an_estimate_records_nothing(bench: Workplace) -> None:
    found = estimate(parse_query(MIXED), None)
    (new,) = found
    assert (new.state, new.remaining) == ("new", 700)
    assert new.seconds is not None
    assert new.bytes is not None
    assert new.seconds.expected > 0
    assert 700 < new.bytes < 100_000
    assert found.bytes == new.bytes + found.database
    assert not bench.database.exists()


def test_an_estimate_counts_what_is_there(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, stopping: list[BaseException]
) -> None:
    bench.cut(unit_size=64)
    stopping.append(KeyboardInterrupt())
    with pytest.raises(RunInterruptedError):
        bench.run(MIXED)
    with Store.open(bench.database) as store:
        (partial,) = estimate(parse_query(MIXED), store)
    assert (partial.state, partial.remaining) == ("partial", 380)
    bench.run(MIXED)
    with Store.open(bench.database) as store:
        (done,) = estimate(parse_query(MIXED), store)
        assert (done.state, done.remaining, done.seconds, done.bytes) == ("done", 0, NO_COST, 0)
        by_number = MIXED.replace("domain", 'filter = { metric = "digits", run = 1 }\ndomain')
        first, second = estimate(parse_query(by_number), store)
        assert (first.state, second.state, second.unknown) == ("done", "new", "")


def test_an_estimate_of_layers(bench: Workplace) -> None:
    found = estimate(parse_query(LAYERS), None)
    assert [(e.spec.layer, e.state, e.remaining) for e in found] == [
        (1, "new", 9), (2, "new", 36), (3, "new", 84), (4, "new", 126)
    ]  # fmt: skip
    assert all(e.seconds is not None for e in found)


# --- puzzle ids -------------------------------------------------------------------------------------------


def test_a_puzzle_id_rebuilds_the_puzzle(bench: Workplace) -> None:
    _, spec = plan(parse_query(LAYERS))
    text = puzzle_id(spec.space.name, 77)
    assert text == "pegs:line?cells=9&pegs=4#77"
    space, rank = parse_puzzle_id(registry(), text)
    assert (space, rank) == (spec.space, 77)
    reordered, _ = parse_puzzle_id(registry(), "pegs:line?pegs=4&cells=9#77")
    assert reordered.name == spec.space.name
    defaults, _ = parse_puzzle_id(registry(), "pegs:line#0")
    assert defaults == space_spec(registry(), "pegs", "line", {})


@pytest.mark.parametrize(("pegs", "rank"), [(1, 7), pytest.param(4, 77, marks=pytest.mark.slow)])
def test_a_puzzle_id_has_the_version_of_a_generator_whose_ranks_changed(
    bench: Workplace, monkeypatch: pytest.MonkeyPatch, pegs: int, rank: int
) -> None:
    before = bench.run(LAYERS, f"generator.pegs={pegs}").goal
    first = f"pegs:line?cells=9&pegs={pegs}#{rank}"
    assert parse_puzzle_id(registry(), first)[0].version == 1
    assert parse_puzzle_id(registry(), first.replace("line", "line@1"))[0].name == before.space
    info = registry().generator("pegs", "line")
    found = registry()._found[type(info)]
    monkeypatch.setitem(found, ("pegs", "line"), newer := attrs.evolve(info, version=2))
    monkeypatch.setitem(registry()._origin, id(newer), registry().version_of(info))
    second = f"pegs:line@2?cells=9&pegs={pegs}#{rank}"
    space, found_rank = parse_puzzle_id(registry(), second)
    assert found_rank == rank
    assert puzzle_id(space.name, rank) == second
    for old in (first, first.replace("line", "line@1"), first.replace("line", "line@3")):
        with pytest.raises(QueryError, match=r"of version \d of its generator, and in use is version 2"):
            parse_puzzle_id(registry(), old)
    after = bench.run(LAYERS, f"generator.pegs={pegs}").goal
    assert (after.space, before.space) == (
        f"pegs:line@2?cells=9&pegs={pegs}",
        f"pegs:line?cells=9&pegs={pegs}",
    )
    with Store.open(bench.database) as store, store.reader() as reader:
        assert make_generator(registry(), space_of(reader.run(after.id))).max_rank == after.max_rank
        with pytest.raises(QueryError, match="of version 1 of its generator"):
            make_generator(registry(), space_of(reader.run(before.id)))


@pytest.mark.sweep(3)
@pytest.mark.parametrize(
    ("text", "sentence"),
    [
        ("pegs:line@0?cells=9#1", "'pegs:line@0?cells=9#1' is not a puzzle id"),
        ("pegs", "'pegs' is not a puzzle id; one looks like domain:generator?key=value&key=value#rank."),
        ("pegs:line?cells=9#-1", "'pegs:line?cells=9#-1': '-1' is not a rank, which is a whole number"),
        ("pegs:line?cells=nine#1", 'generator.cells: "nine" is not an integer from 1 to 64.'),
        ("pegs:line?cells=[#1", "puzzle id: the value of 'cells', '[', cannot be read."),
        ("pegs:line?cells=9&cells=8#1", "puzzle id: the key 'cells' is there 2 times."),
        ("pegs:lines#1", "puzzle id: unknown generator 'lines'. Did you mean 'line'?"),
        ("pags:line#1", "puzzle id: unknown domain 'pags'. Did you mean 'pegs'?"),
        ("pegs:line?cell=9#1", "generator: unknown key 'cell'. Did you mean 'cells'?"),
    ],
)
def test_what_is_no_puzzle_id(bench: Workplace, text: str, sentence: str) -> None:
    with pytest.raises(EpcgError) as raised:
        parse_puzzle_id(registry(), text)
    assert str(raised.value).startswith(sentence)


def test_the_filter_reads_whole_spaces_only(bench: Workplace) -> None:
    part = bench.run(MIXED, "range.stop=99").goal
    text = MIXED.replace("domain", f'filter = {{ metric = "digits", run = {part.id} }}\ndomain')
    with pytest.raises(QueryError, match=r"^filter: run 1 covers numbers:range\?size=700, or a part of it"):
        bench.run(text)
    with Store.open(bench.database, write=True) as store:
        assert execute(parse_query(MIXED), store, SERIAL).goal.id == 2


@pytest.mark.parametrize("chunk", [pytest.param(1, marks=pytest.mark.slow), 7, 50])
def test_a_filter_reads_chunks_of_any_size(bench: Workplace, chunk: int) -> None:
    text = (
        MIXED
        + """
[filter]
metric = "even"
min = 1
search = { name = "exhaustive" }
evaluators = [{ name = "even" }]
"""
    )
    run = bench.run(text, chunk_size=chunk).goal

    def ranks(reader: Reader) -> list[int]:
        return [rank for chunk in reader.chunks(run.id, "curve") for rank in reader.ranks(run.id, chunk)]

    assert bench.read(ranks) == list(range(0, run.stop, 2))


TWICE = """
name = "twice"
domain = "numbers"
[generator]
name = "range"
size = 50
[[evaluators]]
name = "digits"
[[evaluators]]
name = "digits"
as = "again"
[filter]
metric = "other_digits"
min = 3
search = { name = "exhaustive" }
evaluators = [{ name = "digits", as = "other" }]
[[select]]
metric = "again_digits"
keep = "best"
"""


def test_one_evaluator_twice_under_two_names(toy: Numbers) -> None:
    """The names are kept by the record, so the query is planned again and verified from it."""
    outcome = toy.run(TWICE)
    assert toy.sql("SELECT DISTINCT metric FROM metrics WHERE run_id = 2 ORDER BY 1") == [
        ("again_digits",),
        ("digits",),
    ]
    assert toy.sql("SELECT rank FROM kept WHERE run_id = 2 ORDER BY rank") == [(49,)]
    assert toy.failed(outcome.goal.id) == {}
    assert toy.run(TWICE).computed == ()
    assert toy.run(TWICE.replace('"again"', '"anew"').replace("again_", "anew_")).computed == (3,)
    shown = toy.epcg("show", 2).stdout
    assert "Evaluator again" in shown


@pytest.mark.parametrize("alias", ["two words", "", 3])
def test_names_that_an_evaluator_cannot_have(toy: Numbers, alias: Any) -> None:
    text = TWICE.replace('as = "again"', f"as = {json.dumps(alias)}")
    message = (
        "give the metric 'digits'" if alias == "" else r"line \d+, column 1: evaluators 2: as = .*: expected"
    )
    with pytest.raises(QueryError, match=message):
        toy.run(text)
