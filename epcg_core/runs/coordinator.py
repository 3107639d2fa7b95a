"""The coordinator: from a query to finished runs in the database.

    query -> runs -> units (rank ranges) -> executor -> encoded chunks -> writer -> selection

An existing run is reused, an unfinished one continues where it stopped, and the inputs of a run are made
first. Everything is recorded unit by unit, so an interruption loses at most a second's work.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial

import attrs

from epcg_core.base.documents import places
from epcg_core.base.errors import CheckFailedError, QueryError, StoreError
from epcg_core.domain.toml_tables import placing
from epcg_core.execution import Executors
from epcg_core.plugins.registry import registry
from epcg_core.query.query import Query, from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse, winners
from epcg_core.runs.begin import begin, cut_for
from epcg_core.runs.close import close
from epcg_core.runs.computing import Computation
from epcg_core.runs.counts import check_kept, counted_runs
from epcg_core.runs.first_unit import check_first_unit
from epcg_core.runs.here import Here
from epcg_core.runs.keep import choose, keep, name_variants
from epcg_core.runs.materialize import materialize as materialize, rows_policy
from epcg_core.runs.options import Options as Options
from epcg_core.runs.outcome import Outcome as Outcome, UnitsMissingError, how_to_resume, stopped
from epcg_core.runs.parts import check_part, is_complete
from epcg_core.runs.room import check_room
from epcg_core.runs.sampling import checked_sample
from epcg_core.runs.scope import WHOLE, Scope
from epcg_core.runs.sequence import (
    difference,
    in_order,
    is_sequence,
    next_run,
    objection,
    search_of,
    sequences_before,
    total_of,
)
from epcg_core.runs.standing_alone import standing_alone
from epcg_core.runs.tables import WorkingFolder
from epcg_core.runs.units import block_size
from epcg_core.runs.winners import Ask, Plain
from epcg_core.runs.worker import compile_kernels, make_solver, mapped_inputs
from epcg_core.search import planner
from epcg_core.search.protocol import EvenSearch, RunSequenceSearch, Search
from epcg_core.store import Reader, RunRecord, Store, facts, run_digest, writer
from epcg_core.store.records import Part, Sample


def plan(query: Query) -> tuple[Search, RunSpec]:
    """Plan the search and the run that answer a query. Raises EpcgError if the query is invalid."""
    with placing(query.source if query.file else "", query.file):
        return planner.plan(registry(), query)


def execute(
    query: Query,
    store: Store,
    options: Options | None = None,
    sample: Sample | None = None,
    part: Part | None = None,
) -> Outcome:
    """Answer a query: make or reuse its runs, record everything, keep the selected candidates.

    With a sample, only the ranks drawn from the last run are evaluated, unless the run is already finished.
    Such a run can be resumed like an interrupted one, and no rank is evaluated twice. With a part, only its
    units of the last run are computed, to be merged (`epcg_core.runs.merging`). With both, the sample is
    drawn from the part.

    Raises RunInterruptedError, with how to resume, if a run stopped before its end, and other EpcgErrors
    if the query, a plugin or the database is at fault.
    """
    with Coordinator(store, options or Options()) as coordinator:
        return coordinator.answer(query, sample, part)


def made_to_stand_alone(query: Query, store: Store, options: Options | None = None) -> Query:
    """Make the libraries of a query, running their queries first, and return the query with them."""
    with Coordinator(store, options or Options()) as coordinator:
        return coordinator.standing_alone(query)


def resume(run_id: int, store: Store, options: Options | None = None) -> Outcome:
    """Finish a run that stopped, by executing the query that asked for it."""
    with store.reader() as reader:
        run = reader.run(run_id)
        found = reader.query_of(run_id)
    if found is None:
        raise StoreError(f"Run {run_id} has no recorded query; run the original query again.")
    with places(run.files):
        return execute(from_data(found[1]), store, options, part=run.part)


class Coordinator:
    """Executes queries on one store, keeping its worker processes between runs."""

    def __init__(self, store: Store, options: Options) -> None:
        self._store = store
        self._options = options
        self._executors = Executors(
            options.executor, options.workers, options.unit_timeout, options.scheduler
        )
        self._computed: list[int] = []
        self._made: set[int] = set()
        """The runs that were begun now."""
        self._anew: set[str] = set()
        """The requests of the answer, and of the runs whose last one it is, which `again` repeats."""
        self._counted: set[str] = set()
        """The runs that are to keep counts instead of values."""
        self._choices: dict[str, str] = {}
        """The rules by which libraries were chosen, by the digest of each."""
        self._again: dict[int, winners.Again] = {}
        """The winners of runs that were computed again, by the number of the run."""
        self._closing = False
        """Whether runs are only closed whose units are all recorded, and none is computed."""
        reuse.look_again()

    def __enter__(self) -> Coordinator:
        return self

    def __exit__(self, *exception: object) -> None:
        self._executors.close()

    def standing_alone(self, query: Query) -> Query:
        """Make what a query reads of other runs a part of it; the runs of its libraries are made first."""
        return standing_alone(query, self._store, self._run_of_library, self._choices)

    def _run_of_library(self, query: Query) -> RunRecord:
        with Coordinator(self._store, attrs.evolve(self._options, again=False)) as coordinator:
            outcome = coordinator.answer(query)
        self._computed += outcome.computed
        return outcome.goal

    def close_recorded(self, query: Query) -> Outcome:
        """Close runs all of whose units are recorded, and keep what the query selects; compute nothing."""
        self._closing = True
        return self.answer(query)

    def answer(self, query: Query, sample: Sample | None = None, part: Part | None = None) -> Outcome:
        query = self.standing_alone(query)
        _, goal = plan(query)
        if sample is not None:
            with self._store.reader() as reader:
                known = None if self._options.again else reuse.find(reader, goal)
                sample = checked_sample(sample, goal, known, part)
        scope = Scope(part, sample)
        self._counted |= counted_runs(query, goal, scope)
        specs = in_order(goal)
        self._anew.add(goal.request)
        self._check_before(specs)
        with self._store.transaction() as connection:
            query_id = writer.save_query(connection, query.name, query.title, query.resolved())
        records: list[RunRecord] = []
        try:
            for spec, sequences in sequences_before(specs):
                for first in sequences:
                    self._continue_sequence(first, query, query_id, records)
                own = scope if spec is goal and not is_sequence(goal) else WHOLE
                answers = spec is goal and not spec.on_the_way
                records.append(self._ensure(spec, query, query_id, records, own, answers=answers))
            last = self._continue_sequence(goal, query, query_id, records, scope, answers=True)
        except UnitsMissingError:
            return Outcome(tuple(records), tuple(self._computed), 0)
        kept = self._keep(query, records[-1], last) if records[-1].done else 0
        return Outcome(tuple(records), tuple(self._computed), kept, self._again.get(records[-1].id))

    def _check_before(self, specs: Sequence[RunSpec]) -> None:
        """Check that workers elsewhere have the plugins of all runs, and that tables have room."""
        with self._store.reader() as reader:
            missing = [spec for spec in specs if self._options.again or not reuse.is_done(reader, spec)]
            check_room(() if self._closing else missing, self._store.path, reader)
        if missing:
            self._executors.check(version for spec in specs for version in spec.versions)

    def _continue_sequence(
        self,
        goal: RunSpec,
        query: Query,
        query_id: int,
        records: list[RunRecord],
        scope: Scope = WHOLE,
        answers: bool = False,
    ) -> RunSpec:
        """Make the runs that follow `goal`, which is finished; returns the last of them, the answer.

        Of the next one only the scope is computed. With `answers`, the last answers the query.
        """
        last = goal
        while not records or records[-1].done:
            with self._store.reader() as reader:
                spec = next_run(goal, last, reader)
            if spec is None:
                return last
            if goal.request in self._anew:
                self._anew.add(spec.request)
            own = answers and not spec.on_the_way
            records.append(self._ensure(spec, query, query_id, records, scope, answers=own))
            if records[-1].done:
                self._drop_superseded(spec)
            last = spec
        return last

    def _drop_superseded(self, spec: RunSpec) -> None:
        """Drop the values of the run that is obsolete once `spec` is finished, if there is one."""
        search = search_of(spec)
        old = search.obsolete_run(spec) if isinstance(search, RunSequenceSearch) else None
        if old is None:
            return
        with self._store.transaction() as connection:
            record = reuse.find(Reader(connection), old)
            if record is not None and record.done and not record.dropped:
                facts.drop_values(connection, record.id)

    def _ensure(
        self,
        spec: RunSpec,
        query: Query,
        query_id: int,
        before: Sequence[RunRecord],
        scope: Scope,
        *,
        answers: bool,
    ) -> RunRecord:
        """Find or compute the run of `spec`, finished, or as much of it as the scope asks for.

        `answers` says that it is the answer to the query, not a run on the way to it.
        """
        record, before_it = self._known(spec)
        check_kept(record, spec.identity in self._counted)
        policy = rows_policy(spec, query)
        if record is not None and not record.done:
            check_part(record, scope.part, self._store.location)
            with self._store.reader() as reader:
                complete = is_complete(reader, record)
            record = self._finish(record, spec) if complete else record
        if record is not None and record.done:
            record = self._with_rows(record, policy)
            self._link(query_id, before, record, answers)
            return record
        if self._closing:
            raise UnitsMissingError
        with self._store.reader() as reader:
            if (reason := objection(spec, partial(total_of, reader))) is not None:
                raise QueryError(f"search: {reason}")
        with WorkingFolder(self._store.path) as folder:
            search = search_of(spec)
            if isinstance(search, EvenSearch):
                search.workers = self._executors.workers
            tables = folder.tables(search, spec, self._store, record)
            solver = make_solver(search, spec, tables)
            compile_kernels(solver, spec)
            limited = self._options.executor != "serial" or self._options.unit_timeout is not None
            check = partial(check_first_unit, search, spec, mapped_inputs(tables))
            plain = Plain(search, spec, mapped_inputs(tables))
            with Here(solver, spec, check, plain, in_a_fork=limited) as here:
                block = block_size(search, spec, here.measure, here.piecewise, self._options.unit_timeout)
                if record is None:
                    record = self._create(spec, query, block, before_it, scope.part)
                    if not record.candidates:
                        self._computed.append(record.id)  # nothing to compute is soon computed
                self._link(query_id, before, record, answers)
                scope = scope.within(record)
                means = Computation(
                    self._store, self._executors, self._options, record, spec, here, tables, block
                )
                if means.compute(scope):
                    self._computed.append(record.id)
                if not scope.is_whole:
                    return self._pause(record)
                with self._store.reader() as reader:
                    record = reader.run(record.id)
                found = self._finish(record, spec, plain, here.plain)
        return self._with_rows(found, policy)

    def _known(self, spec: RunSpec) -> tuple[RunRecord | None, RunRecord | None]:
        """Return (the run that stands for `spec`, the earlier run that it is computed again beside).

        Raises OutdatedRunError if the recorded run has other sources, and the user has not decided.
        """
        with self._store.reader() as reader:
            record = reuse.newest(reader, spec)
            reason = "" if record is None else difference(reader, record, spec)
            replaced = record is not None and reuse.differs_in_cells_only(reader, record, spec)
        if record is None or record.id in self._made:
            return record, None
        again = replaced and not self._options.accept_older
        if again or (self._options.again and (reason or spec.request in self._anew)):
            return None, record
        if reason:
            if not self._options.accept_older:
                raise reuse.refusal(record, reason)
            with self._store.transaction() as connection:
                writer.accept(connection, record.id, reuse.sources(spec))
        return record, None

    def _link(self, query_id: int, before: Sequence[RunRecord], record: RunRecord, answers: bool) -> None:
        with self._store.transaction() as connection:
            writer.link_query(connection, query_id, [*(run.id for run in before), record.id], answers)

    def _create(
        self, spec: RunSpec, query: Query, block: int, before: RunRecord | None, part: Part | None
    ) -> RunRecord:
        cut = cut_for(spec, query, block, part, self._options, self._executors.workers)
        with self._store.transaction() as connection:
            record = begin(
                connection, spec, cut, before, part, self._choices, counted=spec.identity in self._counted
            )
        self._made.add(record.id)
        return record

    def _with_rows(self, record: RunRecord, wanted: str) -> RunRecord:
        """Make the rows of a finished run that has none yet, if the query wants them."""
        if record.merged_of is not None and record.rows == "none" != wanted:
            with self._store.transaction() as connection:
                facts.set_rows(connection, record.id, "kept")
                record = Reader(connection).run(record.id)
        if wanted != "all" or record.rows == "all":
            return record
        return materialize(self._store, record.id)

    def _pause(self, record: RunRecord) -> RunRecord:
        """Mark a run as stopped of which as much is recorded as was asked for."""
        with self._store.transaction() as connection:
            facts.set_state(connection, record.id, "stopped")
            return Reader(connection).run(record.id)

    def _finish(
        self, record: RunRecord, spec: RunSpec, plain: Plain | None = None, ask: Ask | None = None
    ) -> RunRecord:
        """Close a run whose units are all recorded, if its extremes agree with plain code.

        `ask` has `plain` compute a rank in a fork; without them a fork is started.
        """
        with self._open_if_refused(record):
            with self._store.reader() as reader:
                found = winners.of_run(reader, record)
            self._again[record.id] = winners.again(self._store, record, spec, found, plain, ask)
        try:
            with self._store.transaction() as connection:
                reader = Reader(connection)
                if spec.objective is not None:
                    close(reader, record, spec)
                digest = run_digest.run_digest(reader, record.id)
                writer.finish_run(connection, record.id, digest, run_digest.histograms(reader, record.id))
                name_variants(connection, record.id)
                return reader.run(record.id)
        except StoreError as error:
            raise stopped(record, self._store, f"it is computed, but not closed. {error}") from error

    @contextmanager
    def _open_if_refused(self, record: RunRecord) -> Iterator[None]:
        """Mark a computed run as stopped if it is not closed, and say in the error that it is computed."""
        try:
            yield
        except BaseException as error:
            self._pause(record)
            if isinstance(error, KeyboardInterrupt):
                reason = "it is computed, and was interrupted before it was closed"
                raise stopped(record, self._store, reason) from None
            if isinstance(error, CheckFailedError):
                text = f"Run {record.id} is computed, and cannot be closed: {error}"
                raise CheckFailedError(text) from error
            error.add_note(
                f"Run {record.id} is computed, and cannot be closed, because plain code did not compute its "
                f"winners again. {how_to_resume(record, self._store)}"
            )
            raise

    def _keep(self, query: Query, record: RunRecord, spec: RunSpec) -> int:
        """Keep what a query selects, if it agrees with plain code; return the number of candidates."""
        if not query.select:
            return 0
        with self._store.reader() as reader:
            choice = choose(reader, query, record, spec)
        before = self._again.get(record.id, winners.Again({}))
        found = winners.again(self._store, record, spec, before.to_do(choice.winners))
        self._again[record.id] = before.followed_by(found, choice.winners)
        with self._store.transaction() as connection:
            return keep(
                connection, choice, record, spec, dict.fromkeys(found.slow, winners.note(found.seconds))
            )
