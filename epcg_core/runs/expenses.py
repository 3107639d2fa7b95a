"""Extrapolate a run's CPU time and database size from a few of its units.

Times are CPU seconds. An amount is a range, because a few units never tell the rest exactly; its ends are
meant for about 95 % of runs.
"""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.codec import Chunk, chunk_status, decode_chunk, encode_metric, missing_of
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import Metric
from epcg_core.store.connection import PAGE_BYTES

START_SECONDS = 1.4
"""A command that runs a query: the interpreter, plugins, a new database, and printing the answer."""
WORKER_SECONDS = 0.7
"""The start of a worker process, without what the solver of a run needs."""
RUN_SECONDS = 0.06
"""The record of a run: its transactions, digest and histograms."""
ROW_SECONDS = 0.9e-6
"""A row of a value; the row of a candidate's edit takes three times as long."""
VALUE_SECONDS, BIT_SECONDS = 4e-8, 1e-9
"""A value that is read again for the digest and the histogram of a finished run, and a bit."""
RECORD_SECONDS = 3e-5
"""A unit or chunk that is recorded in a transaction with others."""

DATABASE_BYTES = 50 * PAGE_BYTES
"""A database without runs: a page for each of its tables and indexes."""
RUN_BYTES = 6_000
"""The record of a run without values: its query, sources and versions."""
UNIT_BYTES, CHUNK_BYTES = 50, 102
"""A unit, and a chunk without its data, with their indexes."""
_CELL_BYTES = 10
"""A row of `score` without rank and value: pointer, lengths, types, and the numbers of run and metric."""
PRUNING_BYTES, SOLUTION_BYTES, EDIT_BYTES = 30, 16, 12

NOISE = 0.25
"""How far equal work differs from time to time, as a share."""
FEW = 5
"""Fewer units than these say little of how others differ."""


@attrs.frozen
class Cost:
    """An amount and the ends of the range that it should lie in."""

    low: float
    expected: float
    high: float

    @classmethod
    def about(cls, expected: float, spread: float = NOISE) -> Cost:
        """Return an amount known but for a factor of 1 + `spread` to either side."""
        return cls(expected / (1 + spread), expected, expected * (1 + spread))

    def __add__(self, other: Cost) -> Cost:
        return Cost(self.low + other.low, self.expected + other.expected, self.high + other.high)

    def times(self, factor: float) -> Cost:
        return Cost(self.low * factor, self.expected * factor, self.high * factor)


NO_COST = Cost(0.0, 0.0, 0.0)


@attrs.frozen
class Tried:
    """One unit that was tried."""

    weight: int
    """Its ranks, or those of them that a filter admits."""
    seconds: float


def extrapolated(tried: Sequence[Tried], total: int, noise: float = NOISE) -> Cost | None:
    """Estimate the time of `total` ranks from units drawn at random; None if they hold no rank that counts.

    The ratio of time and ranks with its large-sample variance (Cochran, "Sampling Techniques", 1977, 6.4),
    two standard errors to either side as a factor, and at least `noise`.
    """
    weight = sum(unit.weight for unit in tried)
    if not weight:
        return None
    ratio = sum(unit.seconds for unit in tried) / weight
    if weight >= total:
        return Cost.about(ratio * total, noise)
    number = len(tried)
    squares = sum((unit.seconds - ratio * unit.weight) ** 2 for unit in tried)
    error = math.sqrt(squares * number / max(1, number - 1) * (1 - weight / total)) / weight
    spread = 2 * error / ratio if ratio else 0.0
    if number < FEW:
        spread = max(spread, 1.0)
    found = Cost.about(ratio * total, math.hypot(spread, noise))
    return attrs.evolve(found, low=max(found.low, sum(unit.seconds for unit in tried)))


@attrs.frozen
class Volume:
    """The bytes that some units leave in the database, by evaluated candidate or by rank."""

    evaluated: int
    data: float
    """Bytes of chunks for an evaluated candidate."""
    rows: float
    """Bytes of the rows of an evaluated candidate."""
    extra: float
    """Bytes of prunings and solutions for a rank."""


def volume(results: Sequence[UnitResult], metrics: Sequence[Metric]) -> Volume:
    """Measure what units leave in the database; their values are encoded together, as those of a chunk."""
    evaluated = sum(result.evaluated for result in results)
    ranks = sum(result.count for result in results)
    data = rows = extra = 0.0
    valued = 0
    for metric in metrics:
        chunks = [chunk for result in results for chunk in result.chunks if chunk.column == metric.name]
        values = [decode_chunk(chunk) for chunk in chunks]
        if not any(map(len, values)):
            continue
        whole = encode_metric(metric, 0, sum(map(len, values)), np.concatenate(values), _statuses(chunks))
        valued = whole.evaluated
        data += (len(whole.data) + len(whole.status or b"")) / valued
        rows += sum(_row_bytes(chunk, metric) for chunk in chunks) / valued
    for result in results:
        extra += sum(SOLUTION_BYTES + len(actions) for _, _, actions in result.solutions)
        extra += 0 if result.prunings is None else PRUNING_BYTES * len(result.prunings.start)
    return Volume(evaluated, data, rows, extra / max(1, ranks))


def _statuses(chunks: Sequence[Chunk]) -> NDArray[np.uint8] | None:
    known = [chunk_status(chunk) for chunk in chunks]
    if all(status is None for status in known):
        return None
    return np.concatenate([
        np.zeros(chunk.evaluated, np.uint8) if status is None else status
        for chunk, status in zip(chunks, known, strict=True)
    ])  # fmt: skip


def _row_bytes(chunk: Chunk, metric: Metric) -> float:
    """Return the bytes of a chunk's values as rows (SQLite's record format, as integers are short in it)."""
    values, missing = decode_chunk(chunk), missing_of(chunk, metric.always)
    present = values if missing is None else values[~missing]
    own = 0 if present.dtype == np.bool_ else 8 * len(present)
    if present.dtype.kind in "iu":
        own = int(_widths(np.abs(present.astype(np.int64)), zero=2).sum())
    ranks = np.array([chunk.start, chunk.start + chunk.count - 1])
    return float(own + chunk.evaluated * (_CELL_BYTES + _widths(ranks, zero=2).mean()))


def _widths(numbers: NDArray[np.int64], zero: int) -> NDArray[np.int64]:
    """Return the bytes of integers in a record of SQLite; those below `zero` are part of their type."""
    widths = np.array([1, 2, 3, 4, 6, 8])
    limits = np.array([2**7, 2**15, 2**23, 2**31, 2**47])
    found: NDArray[np.int64] = widths[np.searchsorted(limits, numbers, side="right")]
    return np.where(numbers < zero, 0, found)


def mask_bytes(ranks: int, evaluated: float) -> float:
    """Return the bytes of which of `ranks` were evaluated: bits that compress as if each stood alone."""
    share = evaluated / max(1, ranks)
    if not 0 < share < 1:
        return 0.0
    return -ranks / 8 * (share * math.log2(share) + (1 - share) * math.log2(1 - share))


@attrs.frozen
class Tally:
    """The cost of a run's missing units, from those that were tried, without their record."""

    seconds: Cost
    evaluated: Cost
    """Candidates that are evaluated and recorded."""
    volume: Volume
    told: str
    """A description of the trial."""
    extra_bytes: Cost = NO_COST
    """Bytes of further runs on the way."""
    units: int | None = None
    """Number of units, if the search says how many."""
    longest: float | None = None
    """CPU seconds of the longest run, if there are several."""


@attrs.frozen
class Layer:
    """The cost of a layer of retrograde or breadth-first search."""

    number: int
    pace: float
    """CPU seconds a rank."""
    data: float
    """Bytes of chunks a rank."""


def from_smaller(known: Sequence[Layer], number: int, ranks: int, meant: float | None) -> Tally:
    """Extrapolate layer `number` of `ranks` ranks from those below it, the smallest first.

    `meant` are the CPU seconds a rank that the search makes its units for, if it does.
    """
    last, before = known[-1], known[max(0, len(known) - 2)]
    steps, apart = number - last.number, max(1, last.number - before.number)
    growth = min(2.0, max(1.0, last.pace / before.pace)) ** (1 / apart) if before.pace else 1.0
    paces = [last.pace * growth ** min(steps, 3), last.pace]
    paces += [meant] if meant is not None else []
    expected = ranks * sum(paces) / len(paces)
    told = f"from {len(known)} smaller layer{'s' if len(known) > 1 else ''}"
    own = Volume(ranks, last.data, 0.0, 0.0)
    return Tally(Cost.about(expected, 1.0), Cost.about(ranks, 0.0), own, told)


def recording(
    tally: Tally,
    *,
    metrics: Sequence[Metric],
    ranks: int,
    chunk_size: int,
    units: int,
    filtered: bool,
    rows: bool,
    values: bool,
    edits: float,
) -> tuple[Cost, Cost]:
    """Return the CPU seconds and bytes of recording a run of `ranks` ranks.

    Args:
        tally: what its units take.
        metrics: the recorded metrics.
        ranks: number of ranks to do.
        chunk_size: ranks of a chunk.
        units: number of units.
        filtered: whether only some ranks are evaluated, so that each chunk says which.
        rows: whether every candidate gets its rows.
        values: whether values are kept, and not only their counts.
        edits: edits of a candidate, if these get rows, too; else 0.
    """
    columns = len(metrics) + filtered
    chunks = columns * min(-(-ranks // chunk_size), ranks)
    cells = tally.evaluated.times(len(metrics))
    bits = sum(metric.kind == "bool" for metric in metrics)
    closing = VALUE_SECONDS * (len(metrics) - bits) + BIT_SECONDS * bits
    seconds = Cost.about(RUN_SECONDS + RECORD_SECONDS * (units + chunks)) + tally.evaluated.times(closing)
    size = Cost.about(RUN_BYTES + UNIT_BYTES * units + CHUNK_BYTES * chunks + ranks * tally.volume.extra)
    if values:
        size += tally.evaluated.times(tally.volume.data)
    if values and filtered:
        size += Cost.about(mask_bytes(ranks, tally.evaluated.expected))
    if rows:
        seconds += cells.times(ROW_SECONDS) + tally.evaluated.times(3 * ROW_SECONDS * edits)
        size += tally.evaluated.times(tally.volume.rows + EDIT_BYTES * edits)
    return seconds, size
