"""The coordinator: from a query to finished runs in the database.

    query -> runs -> units (rank ranges) -> executor -> encoded chunks -> writer -> selection

A run that exists is reused, an unfinished one goes on where it stopped, and what a run is computed from is
made first. Everything is recorded unit by unit, so whatever ends the process loses at most a second's work.
"""

from __future__ import annotations

import math
import platform
import sys
import time
from collections.abc import Callable, Generator, Iterator, Sequence
from contextlib import AbstractContextManager, closing, contextmanager, nullcontext
from typing import Any

import attrs
import sqlalchemy as sa

import epcg_core
from epcg_core import proof
from epcg_core.domain import resolve
from epcg_core.errors import EpcgError, QueryError, RunInterruptedError, StoreError
from epcg_core.execution import Executor, Progress, Unit, default_workers, make_executor
from epcg_core.plugins import registry
from epcg_core.query import Query, from_data
from epcg_core.rendering import format_state
from epcg_core.search.blocks import Block
from epcg_core.search.incumbent import Improvement
from epcg_core.search.plan import RunSpec, Search, Solver, make_generator, puzzle_id
from epcg_core.selection import rule_text, select
from epcg_core.store import Reader, RunRecord, Store, finishing, rows, sparse, writer
from epcg_core.store.chunks import BIT_CHUNK_SIZE, chunk_size_for, encode_block
from epcg_core.tables import WorkingFolder
from epcg_core.work import InformedUnit, RunWork, TableFile, UnitSolver, make_solver

UNIT_SECONDS = 0.5
SMALL_RUN_SECONDS = 2.0
"""A run that takes less is not worth starting processes for."""
ALL_ROWS_LIMIT = 5_000_000
PROBE_SECONDS = 0.05


@attrs.frozen
class Options:
    """How to run, as opposed to what: none of it changes a result."""

    executor: str | None = None
    """"serial", "processes" or "threads"; None: processes, but serial where a run takes under 2 seconds."""
    workers: int | None = None
    quiet: bool = False


@attrs.frozen
class Outcome:
    """What a query led to."""

    runs: tuple[RunRecord, ...]
    """The runs behind the answer, in the order in which they were computed; the last is the answer."""
    computed: tuple[int, ...]
    """Which of them were computed now, wholly or in part; the others were there."""
    kept: int
    """How many candidates the query's selections kept."""

    @property
    def goal(self) -> RunRecord:
        return self.runs[-1]


@attrs.frozen
class Estimate:
    """What a run would take."""

    spec: RunSpec
    state: str
    """'done', 'partial' or 'new'."""
    remaining: int
    """Candidates still to do."""
    seconds: float | None
    """CPU seconds; None where that cannot be told before the layers below are solved."""
    bytes: int | None
    """On disk, for the chunks."""


def plan(query: Query) -> tuple[Search, RunSpec]:
    """The search and the run that answer a query. Raises EpcgError where the query is impossible."""
    info = registry().search(query.search.name, "search")
    search: Search = resolve(info.factory)(registry())
    return search, search.plan(query)


def execute(query: Query, store: Store, options: Options | None = None) -> Outcome:
    """Answer a query: make or reuse its runs, record everything, keep what it selects.

    Raises RunInterruptedError, with how to resume, where a run stopped before its end, and other EpcgErrors
    where the query, a plugin or the database is at fault.
    """
    with Coordinator(store, options or Options()) as coordinator:
        return coordinator.answer(query)


def resume(run_id: int, store: Store, options: Options | None = None) -> Outcome:
    """Finish a run that stopped, by executing the query that asked for it."""
    with store.reader() as reader:
        reader.run(run_id)
        found = reader.query_of(run_id)
    if found is None:
        raise StoreError(f"Run {run_id} belongs to no query.")
    return execute(from_data(found[1]), store, options)


def estimate(query: Query, store: Store | None) -> list[Estimate]:
    """What each run of a query would take, from a short probe; nothing is recorded."""
    _, goal = plan(query if store is None else resolve_filter(query, store))
    return [_estimate(spec, store) for spec in in_order(goal)]


def resolve_filter(query: Query, store: Store) -> Query:
    """Replace a filter's run number by the search that made the run, so that the query stands alone."""
    if query.filter is None or query.filter.run is None:
        return query
    with store.reader() as reader:
        run = reader.run(query.filter.run)
    data = run.spec["query"]
    search = {"name": data["search"]["name"], **data["search"]["params"]}
    evaluators = tuple({"name": e["name"], **e["params"]} for e in data["evaluators"])
    found = attrs.evolve(
        query, filter=attrs.evolve(query.filter, run=None, search=search, evaluators=evaluators)
    )
    _, spec = plan(found)
    if run.identity not in [needed.run.identity for needed in spec.inputs]:
        raise QueryError(
            f"filter: run {run.id} covers {run.space}, or a part of it, so it cannot filter all of "
            f"{spec.space.name}."
        )
    return found


def in_order(goal: RunSpec) -> list[RunSpec]:
    """A run and all that it requires, what is needed first first."""
    found: dict[str, RunSpec] = {}

    def visit(spec: RunSpec) -> None:
        for needed in spec.inputs:
            if needed.required and needed.run.identity not in found:
                visit(needed.run)
        found[spec.identity] = spec

    visit(goal)
    return list(found.values())


class Coordinator:
    """Executes queries on one store, keeping its worker processes between runs."""

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._executors: dict[str, Executor] = {}
        self._computed: list[int] = []

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, *exception: object) -> None:
        for executor in self._executors.values():
            executor.close()

    def answer(self, query: Query) -> Outcome:
        query = resolve_filter(query, self._store)
        _, goal = plan(query)
        specs = in_order(goal)
        with self._store.transaction() as connection:
            query_id = writer.save_query(connection, query.name, query.title, query.resolved())
        records: list[RunRecord] = []
        for spec in specs:
            records.append(self._ensure(spec, query, query_id, records))
        kept = self._keep(query, records[-1], goal)
        return Outcome(tuple(records), tuple(self._computed), kept)

    # --- one run

    def _ensure(self, spec: RunSpec, query: Query, query_id: int, before: Sequence[RunRecord]) -> RunRecord:
        """The finished run of `spec`: found, or computed now."""
        with self._store.reader() as reader:
            record = reader.find(spec.identity)
        if record is not None and record.done:
            record = self._with_rows(record, self._rows_policy(spec, query))
            self._link(query_id, before, record)
            return record
        with WorkingFolder(self._store.path) as folder:
            search = _search_of(spec)
            tables = folder.tables(search, spec, self._store)
            solver = make_solver(search, spec, tables)
            _warm(solver, spec)
            block = _block_size(search, spec, solver)
            if record is None:
                record = self._create(spec, query, block)
            self._link(query_id, before, record)
            self._compute(record, spec, solver, tables, block)
        return self._finish(record, spec)

    def _link(self, query_id: int, before: Sequence[RunRecord], record: RunRecord) -> None:
        with self._store.transaction() as connection:
            writer.link_query(connection, query_id, [*(run.id for run in before), record.id])

    def _create(self, spec: RunSpec, query: Query, block: int) -> RunRecord:
        chunk_size = chunk_size_for(spec.metrics, spec.filter is not None)
        workers = self._options.workers or default_workers()
        size = unit_size(block, spec.stop - spec.start, chunk_size, workers)
        if spec.objective is not None and size % chunk_size:
            chunk_size = size  # sparse chunks lie inside units, and are not merged
        domain = registry().domain(spec.space.domain)
        with self._store.transaction() as connection:
            reader = Reader(connection)
            inputs = []
            for needed in spec.inputs:
                run = reader.find(needed.run.identity)
                if run is not None and run.done:
                    inputs.append((needed.role, run.id, run.digest))
            run_id = writer.create_run(
                connection,
                writer.NewRun(
                    identity=spec.identity,
                    domain=domain,
                    domain_version=registry().version_of(domain),
                    space=spec.space.name,
                    generator=spec.space.generator.name,
                    params=spec.space.generator.params,
                    max_rank=spec.max_rank,
                    search=spec.search.name,
                    search_params=spec.search.params,
                    spec=spec.data() | {"query": spec.query_data()},
                    versions=spec.versions,
                    metrics=spec.metrics,
                    inputs=inputs,
                    layer=spec.layer,
                    start=spec.start,
                    stop=spec.stop,
                    unit_size=size,
                    chunk_size=chunk_size,
                    rows=self._rows_policy(spec, query),
                    environment=environment(),
                    represents=spec.represents,
                ),
            )
            return Reader(connection).run(run_id)

    def _rows_policy(self, spec: RunSpec, query: Query) -> str:
        if query.record.rows != "auto":
            return query.record.rows
        return "all" if spec.stop - spec.start <= ALL_ROWS_LIMIT else "kept"

    def _with_rows(self, record: RunRecord, wanted: str) -> RunRecord:
        """Make the rows of a finished run that has none yet, where the query wants them."""
        if wanted != "all" or record.rows == "all":
            return record
        return materialize(self._store, record.id)

    def _compute(
        self, record: RunRecord, spec: RunSpec, solver: Solver, tables: tuple[TableFile, ...], block: int
    ) -> None:
        """Compute what is missing of a run. Whatever ends it early, what is finished is recorded."""
        with self._store.reader() as reader:
            finished = {unit.start: unit.count for unit in reader.units(record.id)}
        done = sum(finished.values())
        units = missing_units(record, finished)
        with self._store.transaction() as connection:
            writer.set_state(connection, record.id, "running")
        if done < record.candidates:
            self._computed.append(record.id)
        unit_writer = writer.UnitWriter(self._store.engine, record)
        work = RunWork(spec.query_data(), spec.identity, tables, record.chunk_size)
        solve = UnitSolver(solver, spec, record.chunk_size)
        seconds = (record.candidates - done) / block * UNIT_SECONDS if spec.objective is None else None
        improvement = self._improvement(record, spec)
        if improvement is not None:
            units = (InformedUnit(unit.start, unit.count, best) for unit, best in improvement.next_to(units))
        progress = Progress(spec.title, record.candidates, done, quiet=self._options.quiet)
        with progress, self._interruptions(record, unit_writer):
            with closing(self._results(work, solve, units, seconds)) as results:
                for unit, result in results:
                    unit_writer.add(result)
                    progress.advance(unit.count)
                    if improvement is not None and improvement.learn(result.best):
                        value, rank = improvement.best or (None, 0)
                        progress.note(f"{spec.metrics[0].name} {value} at {puzzle_id(spec.space.name, rank)}")
            unit_writer.flush()

    def _improvement(self, record: RunRecord, spec: RunSpec) -> Improvement | None:
        """The course of a search that improves, from the best that is recorded; None for any other run."""
        if spec.objective is None or spec.objective.phase != "search":
            return None
        with self._store.reader() as reader:
            return Improvement(spec.objective, sparse.best(reader, record, spec.objective))

    def _results(
        self, work: RunWork, solve: UnitSolver, units: Iterator[Unit], seconds: float | None
    ) -> Generator[tuple[Unit, writer.UnitResult]]:
        """Compute units, here or by workers; `seconds` is what they will take, None where nobody can tell."""
        unknown = seconds is None and self._options.executor is None
        executor = None if unknown else self._executor(seconds or 0.0)
        if executor is None:
            begun = time.perf_counter()
            for unit in units:
                yield unit, solve(unit)
                if unknown and time.perf_counter() - begun > SMALL_RUN_SECONDS:
                    executor = self._executor(math.inf)  # it takes long: go on with workers
                    break
        if executor is not None:
            yield from executor.results(work, units)

    @contextmanager
    def _interruptions(self, record: RunRecord, unit_writer: writer.UnitWriter) -> Iterator[None]:
        """Record what is finished, and say how to go on, whatever ends a run."""
        try:
            yield
        except BaseException as error:
            try:
                unit_writer.flush()
                with self._store.transaction() as connection:
                    writer.set_state(connection, record.id, "stopped")
            except (sa.exc.DBAPIError, StoreError) as failure:
                if isinstance(error, KeyboardInterrupt | sa.exc.DBAPIError):
                    raise _stopped(record, self._store, str(failure)) from error
            if isinstance(error, KeyboardInterrupt):
                raise _stopped(record, self._store, "it was interrupted") from None
            if isinstance(error, sa.exc.DBAPIError):
                raise _stopped(record, self._store, str(error.orig)) from error
            if isinstance(error, EpcgError):
                error.add_note(_how_to_resume(record, self._store))
            raise

    def _executor(self, seconds: float) -> Executor | None:
        """The executor for so much work; None where it is done here, in the coordinator."""
        name = self._options.executor or ("serial" if seconds < SMALL_RUN_SECONDS else "processes")
        if name == "serial":
            return None
        if name not in self._executors:
            self._executors[name] = make_executor(name, self._options.workers)
        return self._executors[name]

    def _finish(self, record: RunRecord, spec: RunSpec) -> RunRecord:
        try:
            with self._store.transaction() as connection:
                reader = Reader(connection)
                if spec.objective is not None:
                    proof.close(reader, record, spec)
                digest = finishing.run_digest(reader, record.id)
                writer.finish_run(connection, record.id, digest, finishing.histograms(reader, record.id))
                return reader.run(record.id)
        except StoreError as error:
            raise _stopped(record, self._store, f"it is computed, but not closed. {error}") from error

    def _keep(self, query: Query, record: RunRecord, spec: RunSpec) -> int:
        if not query.select:
            return 0
        generator = make_generator(registry(), spec.space)
        canonical = getattr(generator, "canonical_rank", None)
        kept: list[tuple[int, str]] = []
        with self._store.transaction() as connection:
            reader = Reader(connection)
            for rule in query.select:
                if rule.distinct and canonical is None:
                    raise QueryError(f"{spec.space.name} has no symmetries: remove select.distinct.")
                found = select(reader, record.id, rule, canonical)
                kept += [(rank, rule_text(rule)) for rank, _ in found]
            writer.save_kept(
                connection, record, kept, lambda rank: format_state(generator, generator.unrank(rank))
            )
        return len({rank for rank, _ in kept})


def materialize(store: Store, run_id: int, where: str | None = None, index: bool = False) -> RunRecord:
    """Make rows of a run's chunks: all of them, or those of ranks for which the SQL condition `where` holds.

    `where` is over `rank` and the run's metrics, for example 'expansions > 100'. With `index`, also an index
    by value: it takes longer than the rows themselves (0.7 against 2 million rows a CPU-second).
    """
    with store.transaction() as connection:
        rows.materialize(connection, Reader(connection), run_id, where)
        if index:
            rows.index_values(connection, run_id)
        return Reader(connection).run(run_id)


def missing_units(record: RunRecord, finished: dict[int, int]) -> Iterator[Unit]:
    """The units of a run that are not finished, cut at multiples of its unit size."""
    start = record.start
    while start < record.stop:
        stop = min(record.stop, (start // record.unit_size + 1) * record.unit_size)
        if start not in finished:
            yield Unit(start, stop - start)
        start = stop


def unit_size(block: int, total: int, chunk_size: int, workers: int) -> int:
    """Ranks a unit: about `block`, at least four units a worker, a multiple or divisor of the chunk size."""
    small = total * UNIT_SECONDS < SMALL_RUN_SECONDS * block
    wanted = max(1, min(block, total if small else -(-total // (4 * workers))))
    if wanted >= min(chunk_size, total):
        return max(1, wanted // chunk_size) * chunk_size
    return int(1 << (wanted.bit_length() - 1))


def environment() -> dict[str, Any]:
    """With what a run was made, for the record."""
    return {
        "epcg": epcg_core.__version__,
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
    }


def _block_size(search: Search, spec: RunSpec, solver: Solver) -> int:
    known = search.block_size(spec)
    return known if known is not None else max(1, int(probe(spec, solver)[0] * UNIT_SECONDS))


def probe(spec: RunSpec, solver: Solver) -> tuple[float, float]:
    """(candidates a second, recorded bytes a candidate), from a few blocks of growing size."""
    count, total = 1, spec.stop - spec.start
    rate, size = 1000.0, 1.0
    while count <= total:
        # the middle of the range: the first ranks of a space are seldom typical
        start = spec.start + (total - count) // 2
        try:
            if count == 1:
                solver(start, count)  # what compiles only when there is something to do
            begun = time.perf_counter()
            block = solver(start, count)
            took = time.perf_counter() - begun
            size = _encoded_size(block, spec) / count
        except EpcgError:
            break  # a candidate at fault is met, and named, when its turn comes
        rate = count / max(took, 1e-6)
        if took > PROBE_SECONDS:
            break
        count *= 8
    return rate, size


def _encoded_size(block: Block, spec: RunSpec) -> int:
    return sum(len(chunk.data) for chunk in encode_block(block, spec.metrics, BIT_CHUNK_SIZE))


def _estimate(spec: RunSpec, store: Store | None) -> Estimate:
    record = None
    if store is not None:
        with store.reader() as reader:
            record = reader.find(spec.identity)
    total = spec.stop - spec.start
    if record is not None and record.done:
        return Estimate(spec, "done", 0, 0.0, 0)
    done = 0 if record is None else record.evaluated + record.excluded + record.pruned
    state = "partial" if record else "new"
    search = _search_of(spec)
    remaining = total - done
    block = search.block_size(spec)
    if spec.objective is not None:
        return Estimate(spec, state, remaining, None, None)
    if block is not None:
        bits = sum(1 for metric in spec.metrics if metric.kind == "bool")
        return Estimate(spec, state, remaining, remaining / block * UNIT_SECONDS, remaining * bits // 8)
    if any(needed.required for needed in spec.inputs):
        return Estimate(spec, state, remaining, None, None)
    solver = make_solver(search, spec, ())
    _warm(solver, spec)
    rate, size = probe(spec, solver)
    return Estimate(spec, state, remaining, remaining / rate, int(remaining * size))


def _search_of(spec: RunSpec) -> Search:
    info = registry().search(spec.search.name)
    search: Search = resolve(info.factory)(registry())
    return search


def _warm(solver: Solver, spec: RunSpec) -> None:
    """Compile every kernel here, once, so that workers find them in the cache."""
    lock: Callable[[], AbstractContextManager[None]] = nullcontext
    if "epcg_core.compiled" in sys.modules:
        from epcg_core.compiled import compile_lock as lock
    with lock():
        solver(spec.start, 0)


def _how_to_resume(record: RunRecord, store: Store) -> str:
    return f"What was recorded is kept; go on with: epcg resume {record.id} --db {store.location}"


def _stopped(record: RunRecord, store: Store, reason: str) -> RunInterruptedError:
    return RunInterruptedError(f"Run {record.id} stopped: {reason}. {_how_to_resume(record, store)}")
