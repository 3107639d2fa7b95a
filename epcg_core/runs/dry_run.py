"""Estimates of what a query would take: candidates, CPU time, bytes and memory. Nothing is recorded."""

from __future__ import annotations

import math
import sys
from collections.abc import Iterator, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import chunk_size_for
from epcg_core.execution import SMALL_RUN_SECONDS, default_workers
from epcg_core.execution.apart import compile_seconds
from epcg_core.query.query import Query
from epcg_core.query.spec import InputSpec, RunSpec
from epcg_core.runs import room
from epcg_core.runs.coordinator import plan
from epcg_core.runs.counts import counted_runs
from epcg_core.runs.expenses import NO_COST, NOISE, CannotTellError, Cost, recording
from epcg_core.runs.materialize import rows_policy
from epcg_core.runs.parts import part_unit_size
from epcg_core.runs.reuse import newest
from epcg_core.runs.sampling import checked_sample, drawn_ranks, missing_ranks
from epcg_core.runs.scope import WHOLE, Scope
from epcg_core.runs.sequence import difference, in_order, is_sequence, read_run
from epcg_core.runs.standing_alone import standing_alone
from epcg_core.runs.trials import Trials, working_seconds
from epcg_core.store import RunRecord, Store
from epcg_core.store.connection import PAGE_BYTES
from epcg_core.store.records import Part, Sample

TRY_SECONDS = 1.5
"""CPU seconds of trying, beyond starting and compiling."""

START_SECONDS = 1.0
"""A command that runs a query: the interpreter, plugins, a new database, and printing the answer."""
WORKER_SECONDS = 0.7
"""The start of a worker process, without what the solver of a run needs."""
PART_OF_A_LAYER = "a part is of the next layer, and which is next depends on what is recorded then"
CLOSE = 1.5
"""Factor below and above the time of a long run between which a run may get workers or not."""
DATABASE_BYTES = 50 * PAGE_BYTES
"""A database without runs: a page for each of its tables and indexes."""


@attrs.frozen
class Estimate:
    """The estimated cost of a run."""

    spec: RunSpec
    state: str
    """'done', 'partial', 'new', or 'outdated': it is recorded, and was computed with other sources."""
    remaining: int
    """Candidates still to do."""
    seconds: Cost | None
    """CPU seconds, without those of `Estimates.start`; None if unknown."""
    bytes: int | None
    """On disk, rows included, about; None like the time."""
    unknown: str = ""
    """Why they cannot be told."""
    sample: Sample | None = None
    """The subset of candidates that the estimate covers; None for all."""
    evaluated: int | None = None
    """Number of candidates that will be evaluated, about: those that a filter admits; None if unknown."""
    tried: str = ""
    """The ground of the estimate, in words."""
    longest: float | None = None
    """CPU seconds of its units, or of the longest run of a sequence; None if unknown."""


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
    database: int = 0
    """Bytes of the database that is made for the first run; 0 if there is one."""

    def __iter__(self) -> Iterator[Estimate]:
        return iter(self.runs)

    def __len__(self) -> int:
        return len(self.runs)

    @property
    def remaining(self) -> int:
        """Number of candidates still to do; those that several runs look at count once."""
        found: dict[str, int] = {}
        for run in self.runs:
            space = run.spec.space.name
            found[space] = max(found.get(space, 0), run.remaining)
        return sum(found.values())

    @property
    def repeats(self) -> bool:
        """Whether several runs look at the same candidates: one proves what another one found, say."""
        spaces = [run.spec.space.name for run in self.runs if run.remaining]
        return len(set(spaces)) < len(spaces)

    @property
    def total(self) -> Cost | None:
        """CPU seconds of all runs whose time is known, start included; None if none is known or to do."""
        known = [run.seconds for run in self.runs if run.seconds is not None and run.remaining]
        return sum(known, self.start) if known else None

    @property
    def bytes(self) -> int | None:
        """Bytes on disk of all runs whose size is known; None like the time."""
        known = [run.bytes for run in self.runs if run.bytes is not None and run.remaining]
        return sum(known, self.database) if known else None

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
        database=max((found.database for found in estimates), default=0),
    )


def estimate(
    query: Query,
    store: Store | None,
    sample: Sample | None = None,
    seconds: float = TRY_SECONDS,
    part: Part | None = None,
) -> Estimates:
    """Estimate each run of a query without recording anything; a sample or a part limits the last run.

    About `seconds` of CPU time go into trying. Raises EpcgError if the query or the sample is invalid.
    """
    begun, compiled = working_seconds(), compile_seconds()
    query = standing_alone(query, store)
    _, goal = plan(query)
    counted_runs(query, goal, Scope(part, sample))
    specs = in_order(goal)
    answers = [goal, *(needed.run for spec in specs for needed in spec.inputs if needed.last)]
    sequences = {spec.identity for spec in answers if is_sequence(spec)}
    planned = max(0.0, working_seconds() - begun)  # each process plans, too
    found: list[Estimate] = []
    with Trials(store, specs, seconds) as trials:
        for spec in specs:
            own, values = Scope(part, sample), query.record.values == "all"
            if spec is not goal:
                own, values = WHOLE, True
            kept = rows_policy(spec, query), values
            found.append(_run(spec, own, kept, store, trials, spec.identity in sequences))
    compiled = compile_seconds() - compiled
    busy = [run for run in found if run.remaining]
    set_up = planned + trials.set_up
    processes = [
        1 + default_workers() * any(_needs_workers(run, f) for run in busy) for f in (1 / CLOSE, 1, CLOSE)
    ]
    times = [START_SECONDS + set_up + (number - 1) * (WORKER_SECONDS + set_up) for number in processes]
    middle = math.sqrt(times[0] * times[2])  # of with and without workers, if it may get them
    start = Cost(times[0] / (1 + NOISE), middle, times[2] * (1 + NOISE)) if busy else NO_COST
    memory, tables = _peak_memory(), max((room.table_bytes(run.spec) for run in busy), default=0)
    return Estimates(
        tuple(found), start, compiled, processes[1],
        None if memory is None else memory * processes[1] + tables,
        trials.spent,
        max((room.working_bytes(run.spec) for run in busy), default=0),
        DATABASE_BYTES if busy and store is None else 0,
    )  # fmt: skip


def _needs_workers(run: Estimate, factor: float) -> bool:
    """Return whether a run is long enough for processes of its own if it takes `factor` times as long."""
    return run.longest is None or run.longest * factor > SMALL_RUN_SECONDS


def _run(
    spec: RunSpec,
    scope: Scope,
    kept: tuple[str, bool],
    store: Store | None,
    trials: Trials,
    in_sequence: bool,
) -> Estimate:
    """Estimate a run, or a sample or part of it; of a sequence, all runs that follow it.

    Args:
        spec: the run.
        scope: what of it is computed.
        kept: which of its candidates get rows, and whether values are kept, not only their counts.
        store: the database; None if there is none.
        trials: where its units are tried.
        in_sequence: whether runs follow it.
    """
    record, state, answered = _recorded(spec, store, in_sequence)
    sample, (low, high) = scope.sample, _extent(spec, scope, record)
    if sample is not None:
        sample = checked_sample(sample, spec, record, scope.part)
    if record is not None and record.done and answered:
        return Estimate(spec, "done", 0, NO_COST, 0, longest=0.0)
    total, ranks = spec.stop - spec.start, None
    remaining = high - low
    if record is not None and not in_sequence:
        remaining -= record.evaluated + record.excluded + record.pruned
    if sample is not None:
        ranks = _missing(drawn_ranks(sample, low, high), record, store)
        remaining = len(ranks)
    if not remaining:
        return Estimate(spec, state, 0, NO_COST, 0, sample=sample, longest=0.0)
    if in_sequence and scope.part is not None:
        return Estimate(spec, state, remaining, None, None, PART_OF_A_LAYER)
    try:
        if ranks is not None:
            tally = trials.singles(spec, ranks)
        else:
            tally = trials.sequence(spec) if in_sequence else trials.run(spec).times(remaining / total)
    except CannotTellError as error:
        return Estimate(spec, state, remaining, None, None, str(error), sample)
    seconds, size = recording(spec, tally, *kept, remaining, single=ranks is not None)
    longest = tally.seconds.expected if tally.longest is None else tally.longest
    evaluated = round(tally.evaluated)
    return Estimate(spec, state, remaining, seconds, size, "", sample, evaluated, tally.told, longest)


def _recorded(spec: RunSpec, store: Store | None, in_sequence: bool) -> tuple[RunRecord | None, str, bool]:
    """Return the recorded run, if it can be used, its state, and whether all that follow are there, too."""
    if store is None:
        return None, "new", False
    with store.reader() as reader:
        record = newest(reader, spec)
        if record is None:
            return None, "new", False
        if difference(reader, record, spec):
            return None, "outdated", False
        answered = not in_sequence or read_run(InputSpec("", spec, "", last=True), reader) is not None
    return record, "partial", answered


def _extent(spec: RunSpec, scope: Scope, record: RunRecord | None) -> tuple[int, int]:
    """Return (first rank, one past the last) of what is to be computed of a run."""
    if scope.part is None or is_sequence(spec):
        return spec.start, spec.stop
    chunk = chunk_size_for(spec.metrics, spec.filter is not None)
    size = part_unit_size(spec, chunk, scope.part, None) if record is None else record.unit_size
    return scope.part.within(spec.start, spec.stop, size)


def _missing(ranks: NDArray[np.int64], record: RunRecord | None, store: Store | None) -> NDArray[np.int64]:
    """Return those of a sample's ranks that are to be evaluated."""
    if record is None or store is None:
        return ranks
    with store.reader() as reader:
        return missing_ranks(ranks, list(reader.units(record.id)))


def _peak_memory() -> int | None:
    """Return the most bytes of memory that this process has had; None if the system does not tell."""
    try:
        import resource
    except ImportError:
        return None
    peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    return peak if sys.platform == "darwin" else peak * 1024
