"""The division of runs into units: aligned rank ranges of about half a second's work."""

from __future__ import annotations

import time
from collections.abc import Callable, Iterator
from contextlib import closing

import attrs

from epcg_core.chunks.blocks import Block
from epcg_core.chunks.codec import BIT_CHUNK_SIZE, CHUNK_SIZE, encode_block
from epcg_core.errors import PLUGIN_EXCEPTIONS
from epcg_core.execution import SMALL_RUN_SECONDS, Unit, make_executor
from epcg_core.query.spec import RunSpec
from epcg_core.search.protocol import Search, Solver
from epcg_core.store import RunRecord

UNIT_SECONDS = 0.5
PROBE_SECONDS = 0.05
PROBED_CHUNKS = 10


def missing_units(record: RunRecord, finished: dict[int, int]) -> Iterator[Unit]:
    """Yield the unfinished units of a run, cut at multiples of its unit size.

    `finished` maps the start of each recorded unit to its number of ranks; a sampled rank is not a whole
    unit.
    """
    start = record.start
    while start < record.stop:
        count = record.unit_at(start)[1]
        if finished.get(start) != count:
            yield Unit(start, count)
        start += count


def unit_size(block: int, total: int, chunk_size: int, workers: int) -> int:
    """Return the ranks per unit: about `block`, at least four units per worker, aligned with chunks."""
    small = total * UNIT_SECONDS < SMALL_RUN_SECONDS * block
    wanted = max(1, min(block, total if small else -(-total // (4 * workers))))
    if wanted >= min(chunk_size, total):
        return max(1, wanted // chunk_size) * chunk_size
    return int(1 << (wanted.bit_length() - 1))


def block_size(search: Search, spec: RunSpec, solver: Solver, unit_timeout: float | None = None) -> int:
    """Estimate the ranks that fit a unit's time; no probe may take longer than `unit_timeout` s."""
    known = search.block_size(spec)
    if known is not None:
        return known
    tried = solver if unit_timeout is None else _limited(solver, unit_timeout)
    return max(1, int(probe(spec, tried)[0] * UNIT_SECONDS))


def _limited(solver: Solver, seconds: float) -> Solver:
    """Wrap a solver so that it raises UnitTimeoutError after so many seconds."""

    def solve(start: int, count: int) -> Block:
        with closing(
            make_executor("serial", unit_timeout=seconds).results(_SetUp(solver), [Unit(start, count)])
        ) as results:
            return next(results)[1]

    return solve


@attrs.frozen
class _SetUp:
    """A work whose solver exists already."""

    solver: Solver

    def set_up(self) -> Callable[[Unit], Block]:
        return lambda unit: self.solver(unit.start, unit.count)


def probe(spec: RunSpec, solver: Solver) -> tuple[float, float]:
    """Measure (candidates per second, recorded bytes per candidate) on a few blocks of growing size."""
    total = spec.stop - spec.start
    rate, size, before, spent = 1000.0, 1.0, 0, 0.0
    for count in _probe_sizes(total, getattr(solver, "piecewise", False)):
        # the middle of the range: the first ranks of a space are seldom typical
        start = spec.start + (total - count) // 2
        try:
            if count == 1:
                solver(start, count)  # what plain parts make at their first candidate
            begun = time.perf_counter()
            size = _encoded_size(solver(start, count), spec) / count
            took = time.perf_counter() - begun
        except PLUGIN_EXCEPTIONS:
            break  # a candidate at fault is met, and named, when its turn comes
        known, rate = rate, count / max(took, 1e-6)
        if count == before:  # what else the machine does makes it slower, never faster
            rate = max(rate, known)
        before, spent = count, spent + took
        if spent > PROBE_SECONDS:
            break
    return rate, size


def _probe_sizes(total: int, piecewise: bool) -> Iterator[int]:
    """Yield 1, 8, 64 ... up to `total`, or up to a chunk and then again for chunkwise solvers."""
    most = min(total, CHUNK_SIZE) if piecewise else total
    count = 1
    while count <= most:
        yield count
        count *= 8
    if most == CHUNK_SIZE:
        yield from (CHUNK_SIZE,) * PROBED_CHUNKS


def _encoded_size(block: Block, spec: RunSpec) -> int:
    return sum(len(chunk.data) for chunk in encode_block(block, spec.metrics, BIT_CHUNK_SIZE))
