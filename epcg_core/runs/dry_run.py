"""Estimates of a query's cost from short probes: candidates, CPU time and bytes."""

from __future__ import annotations

import time

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import CHUNK_SIZE
from epcg_core.execution import Unit
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import plan, resolve_filter
from epcg_core.runs.reuse import newest
from epcg_core.runs.sampling import checked_sample, drawn, missing_ranks
from epcg_core.runs.sequence import difference, in_order, is_sequence, search_of
from epcg_core.runs.units import PROBE_SECONDS, UNIT_SECONDS, probe
from epcg_core.runs.worker import UnitSolver, make_solver, warm
from epcg_core.search.protocol import Solver
from epcg_core.store import RunRecord, Store
from epcg_core.store.records import Sample

PRUNES = "how much branch and bound prunes shows only while it searches"
WAITS = "it is computed from runs that are made first"
UNFOLDS = "how many runs follow shows only while they are made"
PROBED_RANKS = 256
UNIT_BYTES, CHUNK_BYTES = 50, 102
"""Bytes of a sampled rank on disk: its unit and the chunk of each metric, with indexes (measured)."""


@attrs.frozen
class Estimate:
    """The estimated cost of a run."""

    spec: RunSpec
    state: str
    """'done', 'partial', 'new', or 'outdated': it is recorded, and was computed with other sources."""
    remaining: int
    """Candidates still to do."""
    seconds: float | None
    """CPU seconds; None if unknown."""
    bytes: int | None
    """On disk, for the chunks; None like the time."""
    unknown: str = ""
    """Why they cannot be told."""
    sample: Sample | None = None
    """The subset of candidates that the estimate covers; None for all."""


def estimate(query: Query, store: Store | None, sample: Sample | None = None) -> list[Estimate]:
    """Estimate each run of a query without recording anything; a sample limits the last run.

    Raises EpcgError if the query or the sample is invalid.
    """
    _, goal = plan(query if store is None else resolve_filter(query, store))
    specs = in_order(goal)
    answers = [goal, *(needed.run for spec in specs for needed in spec.inputs if needed.last)]
    sequences = {spec.identity for spec in answers if is_sequence(spec)}
    return [
        _estimate(spec, store, sample if spec is goal else None, spec.identity in sequences) for spec in specs
    ]


def _estimate(spec: RunSpec, store: Store | None, sample: Sample | None, in_sequence: bool) -> Estimate:
    record = older = None
    if store is not None:
        with store.reader() as reader:
            record = newest(reader, spec)
            if record is not None and difference(reader, record, spec):
                record, older = None, record
    if sample is not None:
        sample = checked_sample(sample, spec, record)
    if record is not None and record.done and not in_sequence:
        return Estimate(spec, "done", 0, 0.0, 0)
    state = "partial" if record else "new" if older is None else "outdated"
    if sample is not None:
        return _estimate_sample(spec, store, record, sample, state)
    search = search_of(spec)
    remaining = spec.stop - spec.start
    if record is not None:
        remaining -= record.evaluated + record.excluded + record.pruned
    if in_sequence:
        return Estimate(spec, state, remaining, None, None, UNFOLDS)
    block = search.block_size(spec)
    if spec.objective is not None:
        if not _waits(spec):
            make_solver(search, spec, ())  # refuses what cannot be searched
        return Estimate(spec, state, remaining, None, None, PRUNES)
    if block is not None:
        bits = sum(1 for metric in spec.metrics if metric.kind == "bool")
        return Estimate(spec, state, remaining, remaining / block * UNIT_SECONDS, remaining * bits // 8)
    if _waits(spec):
        return Estimate(spec, state, remaining, None, None, WAITS)
    rate, size = probe(spec, _solver(spec))
    return Estimate(spec, state, remaining, remaining / rate, int(remaining * size))


def _estimate_sample(
    spec: RunSpec, store: Store | None, record: RunRecord | None, sample: Sample, state: str
) -> Estimate:
    """Estimate a sample: single ranks take more time and space than the ranks of a whole unit."""
    if record is None or store is None:
        remaining = sample.size
        few = drawn(Sample(min(sample.size, PROBED_RANKS), sample.seed), spec.start, spec.stop)
    else:
        with store.reader() as reader:
            few = missing_ranks(drawn(sample, spec.start, spec.stop), list(reader.units(record.id)))
        remaining = len(few)
    if _waits(spec):
        return Estimate(spec, state, remaining, None, None, WAITS, sample)
    seconds = _seconds_a_rank(spec, _solver(spec), few) if remaining else 0.0
    size = UNIT_BYTES + CHUNK_BYTES * len(spec.metrics)
    return Estimate(spec, state, remaining, remaining * seconds, remaining * size, sample=sample)


def _seconds_a_rank(spec: RunSpec, solver: Solver, ranks: NDArray[np.int64]) -> float:
    """Measure the CPU seconds per rank on as many of `ranks` as time allows."""
    solve = UnitSolver(solver, spec, CHUNK_SIZE)
    solve(Unit(int(ranks[0]), 1))  # what plain parts make at their first candidate
    begun, done = time.thread_time(), 0
    for rank in np.random.default_rng(0).permutation(ranks)[:PROBED_RANKS].tolist():
        solve(Unit(rank, 1))
        done += 1
        if time.thread_time() - begun > PROBE_SECONDS:
            break
    return (time.thread_time() - begun) / done


def _waits(spec: RunSpec) -> bool:
    return any(needed.required for needed in spec.inputs)


def _solver(spec: RunSpec) -> Solver:
    solver = make_solver(search_of(spec), spec, ())
    warm(solver, spec)
    return solver
