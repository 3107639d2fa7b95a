"""Computing the units of one run: here or by workers, recorded as they come, interrupted without a loss."""

from __future__ import annotations

import math
from collections.abc import Callable, Generator, Iterator
from contextlib import closing, contextmanager
from functools import partial
from itertools import chain

import attrs
import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.documents import known_places
from epcg_core.base.errors import EpcgError, EvaluationError, StoreError
from epcg_core.chunks.objective import IncumbentTracker
from epcg_core.execution import SMALL_RUN_SECONDS, Executors, Progress, Unit, Work, interrupts
from epcg_core.execution.apart import DiedError, Worked
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.here import Here
from epcg_core.runs.options import Options
from epcg_core.runs.outcome import how_to_resume, stopped
from epcg_core.runs.sampled_units import Known
from epcg_core.runs.sampling import recorded_singles
from epcg_core.runs.scope import Scope
from epcg_core.runs.units import UNIT_SECONDS
from epcg_core.runs.worker import InformedUnit, Results, RunWork, TableFile
from epcg_core.store import RunRecord, Store, facts, sparse, writer


@attrs.frozen
class Computation:
    """The means by which one run is computed."""

    store: Store
    executors: Executors
    options: Options
    record: RunRecord
    spec: RunSpec
    here: Here
    """The means to compute units in this process."""
    tables: tuple[TableFile, ...]
    """The tables that workers map."""
    block: int
    """The number of ranks that are solved in about the time of a unit."""

    def compute(self, scope: Scope) -> bool:
        """Compute what is missing of a scope; return whether anything was.

        Finished units are recorded in any case. Raises RunInterruptedError, with how to resume, if it stops
        before the end, and other EpcgErrors if a plugin or the database is at fault.
        """
        with self.store.reader() as reader:
            finished = list(reader.units(self.record.id))
        tasks = scope.tasks(self.record, finished, self.block, self.executors.workers, self._sampled)
        with self.store.transaction() as connection:
            facts.set_state(connection, self.record.id, "running")
            if scope.sample is not None:
                facts.set_sample(connection, self.record.id, scope.sample)
        left = tasks.total - tasks.done
        seconds = left / self.block * UNIT_SECONDS if self.spec.objective is None else None
        expected = seconds
        if seconds is not None and seconds >= SMALL_RUN_SECONDS:
            expected = seconds / self.executors.workers
        title = self.spec.title(registry())
        progress = Progress(title, tasks.total, tasks.done, expected_s=expected, quiet=self.options.quiet)
        resume = how_to_resume(self.record, self.store)
        unit_writer = writer.UnitWriter(self.store.engine, self.record)
        with progress, interrupts.resumable(resume), self._interruptions(unit_writer):
            self._record(tasks.units, seconds, unit_writer, progress)
            unit_writer.flush()
        return left > 0

    def _record(
        self,
        units: Iterator[Unit],
        seconds: float | None,
        unit_writer: writer.UnitWriter,
        progress: Progress,
    ) -> None:
        """Compute units and record them; the first is compared with plain code before."""
        tracker = self._tracker()
        if tracker is not None:
            units = (InformedUnit(unit.start, unit.count, best) for unit, best in tracker.next_to(units))
        checked = False
        with closing(self._results(units, seconds)) as results:
            for _, found in results:
                for result in found if isinstance(found, list) else (found,):
                    if not checked:
                        self.here.check(result)
                        checked = True
                    unit_writer.add(result)
                    progress.advance(result.count - result.replaces)
                    if tracker is not None and tracker.learn(result.best):
                        value, rank = tracker.best or (None, 0)
                        puzzle = puzzle_id(self.spec.space.name, rank)
                        progress.note(f"{self.spec.metrics[0].name} {value} at {puzzle}")

    def _sampled(self, unit: Unit, ranks: NDArray[np.int64]) -> Known:
        with self.store.reader() as reader:
            return recorded_singles(reader, self.record, unit, ranks)

    def _work(self) -> Work[Results]:
        sources = reuse.sources(self.spec)
        return RunWork(
            self.spec.query_data(),
            self.spec.identity,
            self.tables,
            self.record.chunk_size,
            self.spec.versions,
            sources.digest if sources.can_be_compared else "",
            sources.has_kernels,
            places=known_places(),
        )

    def _tracker(self) -> IncumbentTracker | None:
        """Track the incumbent of a search that improves, from the best recorded one; else None."""
        objective = self.spec.objective
        if objective is None or objective.phase != "search":
            return None
        with self.store.reader() as reader:
            return IncumbentTracker(objective, sparse.recorded_best(reader, self.record, objective))

    def _results(self, units: Iterator[Unit], seconds: float | None) -> Generator[tuple[Unit, Results]]:
        """Compute units, here or by workers; `seconds` is the expected time, None if unknown."""
        solve: Callable[[Unit], Results] = partial(self.here.compute, chunk_size=self.record.chunk_size)
        unknown = seconds is None and self.options.executor is None and self.options.unit_timeout is None
        executor = None if unknown else self.executors.choose(seconds or 0.0)
        if executor is None:
            worked = Worked()
            for unit in units:
                try:
                    result = solve(unit)
                except DiedError:  # workers try it once more, and name it if it ends them, too
                    executor, units = self.executors.choose(math.inf), chain([unit], units)
                    break
                yield unit, result
                if unknown and worked.seconds > SMALL_RUN_SECONDS:
                    executor = self.executors.choose(math.inf)  # it takes long: go on with workers
                    break
        if executor is not None:
            yield from executor.results(self._work(), units)

    @contextmanager
    def _interruptions(self, unit_writer: writer.UnitWriter) -> Iterator[None]:
        """Record finished units when a run is interrupted, and add how to resume to the error."""
        try:
            yield
        except BaseException as error:
            try:
                unit_writer.flush()
                with self.store.transaction() as connection:
                    facts.set_state(connection, self.record.id, "stopped")
            except (sa.exc.DBAPIError, StoreError) as failure:
                if isinstance(error, KeyboardInterrupt | sa.exc.DBAPIError):
                    raise stopped(self.record, self.store, str(failure)) from error
            if isinstance(error, KeyboardInterrupt):
                raise stopped(self.record, self.store, "it was interrupted") from None
            if isinstance(error, sa.exc.DBAPIError):
                raise stopped(self.record, self.store, str(error.orig)) from error
            if isinstance(error, EvaluationError):
                error.recordable = "on_error" not in registry().search(self.record.search).refuses
            if isinstance(error, EpcgError):
                error.add_note(how_to_resume(self.record, self.store))
            raise
