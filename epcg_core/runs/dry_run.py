"""Estimates of what a query would take: candidates, CPU time, bytes and memory. Nothing is recorded."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import chunk_size_for
from epcg_core.domain import EditedContent
from epcg_core.execution import SMALL_RUN_SECONDS, default_workers
from epcg_core.query.query import Query
from epcg_core.query.spec import InputSpec, RunSpec
from epcg_core.runs import expenses, room
from epcg_core.runs.coordinator import plan, resolve_filter
from epcg_core.runs.expenses import NO_COST, Cost
from epcg_core.runs.materialize import rows_policy
from epcg_core.runs.rehearsal import Rehearsal, Unknown, generator_of
from epcg_core.runs.reuse import newest
from epcg_core.runs.sampling import checked_sample, drawn_ranks, missing_ranks
from epcg_core.runs.sequence import difference, in_order, is_sequence, read_run
from epcg_core.runs.trials import Budget
from epcg_core.runs.units import UNIT_SECONDS
from epcg_core.store import RunRecord, Store
from epcg_core.store.records import Sample

TRY_SECONDS = 1.5
"""CPU seconds that an estimate takes, beyond starting and compiling (`trials.LONG_SHARE` adds some)."""
PROBED_RANKS = 1024
"""Most single ranks of a sample that are tried."""


@attrs.frozen
class Estimate:
    """The estimated cost of a run."""

    spec: RunSpec
    state: str
    """'done', 'partial', 'new', or 'outdated': it is recorded, and was computed with other sources."""
    remaining: int
    """Candidates still to do."""
    seconds: float | None
    """CPU seconds, without those of `Estimates.start`; None if unknown."""
    bytes: int | None
    """On disk, rows included; None like the time."""
    unknown: str = ""
    """Why they cannot be told."""
    sample: Sample | None = None
    """The subset of candidates that the estimate covers; None for all."""
    seconds_range: tuple[float, float] | None = None
    """The range in which the time should lie."""
    bytes_range: tuple[int, int] | None = None
    evaluated: int | None = None
    """Number of candidates that will be evaluated, about: those that a filter admits; None if unknown."""
    tried: str = ""
    """The ground of the estimate, in words."""
    longest: float | None = None
    """CPU seconds of its units, or of those of the longest run of a sequence."""


@attrs.frozen
class Estimates:
    """The estimated costs of all runs of a query."""

    runs: tuple[Estimate, ...]
    start: Cost = NO_COST
    """CPU seconds to start the command and its workers, and of what each makes before its first unit."""
    compiled: float = 0.0
    """Seconds that compiling kernels took now; the run finds them compiled."""
    processes: int = 1
    """Number of processes: this one, and workers if the runs are long."""
    memory: int | None = None
    """Bytes of memory of all processes; None if the system does not tell what this one took."""
    seconds: float = 0.0
    """CPU seconds that trying took."""
    working: int = 0
    """Bytes of the working folder while the largest run is computed: tables and inputs."""

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def remaining(self) -> int:
        return sum(run.remaining for run in self.runs)

    @property
    def total(self) -> Cost | None:
        """CPU seconds of all runs whose time is known, start included; None if none is known or to do."""
        known = [run for run in self.runs if run.seconds is not None and run.remaining]
        cost = self.start if known else None
        for run in known:
            cost = _plus(cost, run.seconds or 0.0, run.seconds_range)
        return cost

    @property
    def bytes(self) -> Cost | None:
        """Bytes on disk of all runs whose size is known; None like the time."""
        known = [run for run in self.runs if run.bytes is not None and run.remaining]
        cost = NO_COST if known else None
        for run in known:
            cost = _plus(cost, run.bytes or 0, run.bytes_range)
        return cost

    @property
    def unknown(self) -> tuple[str, ...]:
        """The reasons why the cost of some runs cannot be told."""
        return tuple(dict.fromkeys(run.unknown for run in self.runs if run.unknown))


def together(estimates: Sequence[Estimates]) -> Estimates:
    """Return the estimates of several queries that are answered by one command, each run once."""
    runs = {run.spec.identity: run for found in estimates for run in reversed(found.runs)}
    largest = max(estimates, key=lambda found: found.start.expected, default=Estimates(()))
    return attrs.evolve(
        largest,
        runs=tuple(runs.values()),
        compiled=sum(found.compiled for found in estimates),
        processes=max((found.processes for found in estimates), default=1),
        memory=max((found.memory or 0 for found in estimates), default=0) or None,
        seconds=sum(found.seconds for found in estimates),
    )


def _plus(cost: Cost | None, expected: float, ends: tuple[float, float] | None) -> Cost:
    low, high = ends or (expected, expected)
    return (cost or NO_COST) + Cost(low, expected, high)


def estimate(
    query: Query, store: Store | None, sample: Sample | None = None, seconds: float = TRY_SECONDS
) -> Estimates:
    """Estimate each run of a query without recording anything; a sample limits the last run.

    About `seconds` of CPU time go into trying. Raises EpcgError if the query or the sample is invalid.
    """
    budget, compiled = Budget(seconds), _compile_seconds()
    query = query if store is None else resolve_filter(query, store)
    _, goal = plan(query)
    specs = in_order(goal)
    answers = [goal, *(needed.run for spec in specs for needed in spec.inputs if needed.last)]
    sequences = {spec.identity for spec in answers if is_sequence(spec)}
    planned = budget.spent  # each process plans, too, and makes the generators
    budget.seconds += planned
    rehearsal = Rehearsal(store, budget, specs, planned)
    costing = _Costing(query, goal, store, rehearsal)
    found = tuple(
        costing.run(spec, sample if spec is goal else None, spec.identity in sequences) for spec in specs
    )
    compiled = _compile_seconds() - compiled
    set_up = max(0.0, rehearsal.set_up - compiled)
    busy = any(run.remaining for run in found)
    processes = [1 + default_workers() * any(_needs_workers(run, f) for run in found) for f in (0.5, 1, 2)]
    times = [_start_seconds(number, set_up) if busy else 0.0 for number in processes]
    start = Cost(times[0] / (1 + expenses.NOISE), times[1], times[2] * (1 + expenses.NOISE))
    if busy and store is None:
        first = next(i for i, run in enumerate(found) if run.remaining)
        found = (*found[:first], _with_database(found[first]), *found[first + 1 :])
    memory, tables = _peak_memory(), [room.table_bytes(run.spec) for run in found if run.remaining]
    return Estimates(
        found, start, compiled, processes[1],
        None if memory is None else memory * processes[1] + max(tables, default=0),
        max(0.0, budget.spent - rehearsal.set_up),
        max((room.working_bytes(run.spec) for run in found if run.remaining), default=0),
    )  # fmt: skip


def _start_seconds(processes: int, set_up: float) -> float:
    """Return the CPU seconds to start a command with workers, each of which plans and makes solvers, too."""
    return expenses.START_SECONDS + set_up + (processes - 1) * (expenses.WORKER_SECONDS + set_up)


def _needs_workers(run: Estimate, factor: float) -> bool:
    """Return whether a run is long enough for processes of its own if it takes `factor` times as long."""
    if run.longest is None:
        return run.remaining > 0
    return run.longest * factor > SMALL_RUN_SECONDS


def _with_database(run: Estimate) -> Estimate:
    """Add the bytes of a database without runs, which is made for the first."""
    if run.bytes is None or run.bytes_range is None:
        return run
    own = expenses.DATABASE_BYTES
    low, high = run.bytes_range
    return attrs.evolve(run, bytes=run.bytes + own, bytes_range=(low + own, high + own))


class _Costing:
    """Turns what was tried into estimates."""

    def __init__(self, query: Query, goal: RunSpec, store: Store | None, rehearsal: Rehearsal) -> None:
        self._query, self._goal, self._store, self._rehearsal = query, goal, store, rehearsal

    def run(self, spec: RunSpec, sample: Sample | None, in_sequence: bool) -> Estimate:
        """Estimate a run, or a sample of it; of a sequence, all runs that follow it."""
        record, state = self._recorded(spec)
        if sample is not None:
            sample = checked_sample(sample, spec, record)
        if record is not None and record.done and (not in_sequence or self._answered(spec)):
            return Estimate(spec, "done", 0, 0.0, 0, longest=0.0)
        remaining = spec.stop - spec.start
        if record is not None and not in_sequence:
            remaining -= record.evaluated + record.excluded + record.pruned
        ranks = None
        if sample is not None:
            ranks = self._sampled(spec, record, sample)
            remaining = len(ranks)
        if not remaining:
            return Estimate(spec, state, 0, 0.0, 0, sample=sample, longest=0.0)
        if ranks is not None:
            found = self._singles(spec, ranks)
        elif in_sequence:
            found = self._rehearsal.unfolded(spec)
        else:
            found = self._rehearsal.tried(spec)
        if isinstance(found, Unknown):
            return Estimate(spec, state, remaining, None, None, found.reason, sample)
        if ranks is None and not in_sequence:
            share = remaining / (spec.stop - spec.start)
            found = attrs.evolve(
                found, seconds=found.seconds.times(share), evaluated=found.evaluated.times(share)
            )
        seconds, size = self._recording(spec, found, remaining, ranks is not None)
        seconds += found.seconds
        size += found.extra_bytes
        return Estimate(
            spec, state, remaining, seconds.expected, round(size.expected), "", sample,
            (seconds.low, seconds.high), (math.floor(size.low), math.ceil(size.high)),
            round(found.evaluated.expected), found.told,
            found.seconds.expected if found.longest is None else found.longest,
        )  # fmt: skip

    def _recorded(self, spec: RunSpec) -> tuple[RunRecord | None, str]:
        if self._store is None:
            return None, "new"
        with self._store.reader() as reader:
            record = newest(reader, spec)
            if record is None:
                return None, "new"
            if difference(reader, record, spec):
                return None, "outdated"
        return record, "partial"

    def _answered(self, goal: RunSpec) -> bool:
        """Return whether all runs of a sequence are recorded."""
        if self._store is None:
            return False
        with self._store.reader() as reader:
            return read_run(InputSpec("", goal, "", last=True), reader) is not None

    def _sampled(self, spec: RunSpec, record: RunRecord | None, sample: Sample) -> NDArray[np.int64]:
        """Return the ranks of a sample that are to be evaluated."""
        if record is None or self._store is None:
            return drawn_ranks(sample, spec.start, spec.stop)
        with self._store.reader() as reader:
            return missing_ranks(drawn_ranks(sample, spec.start, spec.stop), list(reader.units(record.id)))

    def _singles(self, spec: RunSpec, ranks: NDArray[np.int64]) -> expenses.Tally | Unknown:
        """Estimate single ranks, which take more time and space than the ranks of a whole unit."""
        few = np.random.default_rng(0).permutation(ranks)[:PROBED_RANKS]
        return self._rehearsal.singles(spec, few, len(ranks))

    def _recording(
        self, spec: RunSpec, found: expenses.Tally, remaining: int, single: bool
    ) -> tuple[Cost, Cost]:
        """Return the CPU seconds and the bytes of recording a run, rows and edits included."""
        generator = generator_of(spec)
        edits = 0.0
        policy = "none" if spec.objective is not None else rows_policy(spec, self._query)
        if policy == "all" and isinstance(generator, EditedContent):
            edits = 1.0 if remaining <= len(generator.edits) + 1 else 2.0
        chunk_size = 1 if single else chunk_size_for(spec.metrics, spec.filter is not None)
        units = remaining if single else 1 + math.ceil(found.seconds.expected / UNIT_SECONDS)
        return expenses.recording(
            found,
            metrics=spec.metrics,
            ranks=remaining,
            chunk_size=remaining if spec.objective is not None else chunk_size,
            units=found.units or units,
            filtered=spec.filter is not None,
            rows=policy == "all",
            values=self._query.record.values == "all" or spec.identity != self._goal.identity,
            edits=edits,
        )


def _compile_seconds() -> float:
    module = sys.modules.get("epcg_core.compiled")
    return 0.0 if module is None else float(module.compile_seconds())


def _peak_memory() -> int | None:
    """Return the most bytes of memory that this process has had; None where the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
