"""The division of runs into units: aligned rank ranges of about half a second's work."""

from __future__ import annotations

from collections.abc import Callable, Iterator

from epcg_core.base.errors import PLUGIN_EXCEPTIONS
from epcg_core.chunks.codec import BIT_CHUNK_SIZE, CHUNK_SIZE, encode_block
from epcg_core.execution import SMALL_RUN_SECONDS, Unit
from epcg_core.execution.apart import TimeUpError, Worked
from epcg_core.execution.executor import overdue
from epcg_core.query.spec import RunSpec
from epcg_core.search.protocol import Search, Solver
from epcg_core.store import RunRecord

UNIT_SECONDS = 0.5
PROBE_SECONDS = 0.05
PROBED_CHUNKS = 10
PATIENCE_SECONDS = 10.0
"""A probe that takes longer is given up: units then have as few ranks as possible."""


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


def unit_size(block: int, total: int, chunk_size: int, workers: int, a_worker: int = 4) -> int:
    """Return the ranks per unit: about `block`, at least `a_worker` units a worker, aligned with chunks."""
    small = total * UNIT_SECONDS < SMALL_RUN_SECONDS * block
    wanted = max(1, min(block, total if small else -(-total // (a_worker * workers))))
    if wanted >= min(chunk_size, total):
        return max(1, wanted // chunk_size) * chunk_size
    return int(1 << (wanted.bit_length() - 1))


Measure = Callable[[int, int, float], float]
"""(start, count, limit) to the seconds that these ranks take; raises TimeUpError beyond the limit."""


def block_size(
    search: Search, spec: RunSpec, measure: Measure, piecewise: bool, unit_timeout: float | None = None
) -> int:
    """Estimate the ranks that fit a unit's time; no probe may take longer than `unit_timeout` s."""
    known = search.block_size(spec)
    if known is not None:
        return known
    return max(1, int(pace(spec, measure, piecewise, unit_timeout) * UNIT_SECONDS))


def measured(solver: Solver, spec: RunSpec, start: int, count: int) -> float:
    """Return the seconds of work that some ranks take, encoding included."""
    if count == 1:
        solver(start, count)  # what plain parts make at their first candidate
    worked = Worked()
    encode_block(solver(start, count), spec.metrics, BIT_CHUNK_SIZE)
    return worked.seconds


def pace(spec: RunSpec, measure: Measure, piecewise: bool, unit_timeout: float | None) -> float:
    """Measure the candidates per second on a few blocks of growing size."""
    total = spec.stop - spec.start
    rate, before, spent = 1000.0, 0, 0.0
    for count in _probe_sizes(total, piecewise):
        # the middle of the range: the first ranks of a space are seldom typical
        start = spec.start + (total - count) // 2
        try:
            took = measure(start, count, unit_timeout or PATIENCE_SECONDS)
        except TimeUpError:
            if unit_timeout is not None:
                raise overdue(Unit(start, count), unit_timeout) from None
            return count / PATIENCE_SECONDS
        except PLUGIN_EXCEPTIONS:
            break  # a candidate at fault is met, and named, when its turn comes
        known, rate = rate, count / max(took, 1e-6)
        if count == before:  # what else the machine does makes it slower, never faster
            rate = max(rate, known)
        before, spent = count, spent + took
        if spent > PROBE_SECONDS:
            break
    return rate


def _probe_sizes(total: int, piecewise: bool) -> Iterator[int]:
    """Yield 1, 8, 64 ... up to `total`, or up to a chunk and then again for chunkwise solvers."""
    most = min(total, CHUNK_SIZE) if piecewise else total
    count = 1
    while count <= most:
        yield count
        count *= 8
    if most == CHUNK_SIZE:
        yield from (CHUNK_SIZE,) * PROBED_CHUNKS
