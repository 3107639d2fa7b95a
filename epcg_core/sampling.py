"""A uniform random sample of a run's ranks, evaluated before the rest.

A sampled rank is recorded as a unit of its own. When its whole unit's turn comes, the worker is handed what
is recorded, evaluates the other ranks only, and the whole unit replaces the single ones: a run that began
with a sample ends with the same units, chunks and digest as one that did not.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import VALUE, Evaluation
from epcg_core.errors import QueryError
from epcg_core.execution import Unit
from epcg_core.search.blocks import Block, as_array
from epcg_core.search.plan import RunSpec, Solver
from epcg_core.store import Reader, RunRecord, solutions
from epcg_core.store.chunks import decode, status_of
from epcg_core.store.records import Sample, UnitRecord
from epcg_core.store.solutions import Solution

MOST_IN_A_BATCH = 256


def drawn(sample: Sample, start: int, stop: int) -> NDArray[np.int64]:
    """(size,) the sample's ranks of start .. stop - 1, increasing, none twice.

    A shuffle (Durstenfeld 1964) that is broken off: a larger sample with the same seed contains the smaller
    one. The numbers come from SHA-256, so they are the same in every version of Python; how far a remainder
    of 256 bits is from uniform is below 2^-190.
    """
    total = stop - start
    moved: dict[int, int] = {}
    found = np.empty(min(sample.size, total), np.int64)
    for i in range(len(found)):
        number = hashlib.sha256(f"{sample.seed}:{i}".encode()).digest()
        position = i + int.from_bytes(number, "big") % (total - i)
        found[i] = start + moved.get(position, position)
        moved[position] = moved.pop(i, i)
    found.sort()
    return found


def checked_sample(sample: Sample, goal: RunSpec, record: RunRecord | None) -> Sample | None:
    """The sample that a run has to have afterwards; None where that is all of it.

    Raises QueryError where the run has another sample, or there can be none.
    """
    if goal.objective is not None or goal.layer is not None:
        kind = "solves whole layers" if goal.objective is None else "prunes instead of evaluating every rank"
        raise QueryError(
            f"The search {goal.search.name} {kind}, so a sample says nothing of it: leave --sample out."
        )
    if record is not None and record.sample is not None and not record.done:
        if record.sample.seed != sample.seed:
            raise QueryError(
                f"Run {record.id} has a sample drawn with seed {record.sample.seed}, and ranks drawn with "
                f"two seeds are no sample: ask for --seed {record.sample.seed}."
            )
        sample = max(sample, record.sample, key=lambda drawn: drawn.size)
    return None if sample.size >= goal.stop - goal.start else sample


# --- evaluating the sample --------------------------------------------------------------------------------


@attrs.frozen(order=True)
class SampledRanks(Unit):
    """Single ranks, each to be recorded as a unit of its own, between `start` and `start + count - 1`."""

    ranks: tuple[int, ...] = attrs.field(default=(), order=False)

    def __str__(self) -> str:
        return f"{len(self.ranks)} sampled ranks from {self.start} to {self.start + self.count - 1}"


def missing_ranks(ranks: NDArray[np.int64], finished: Sequence[UnitRecord]) -> NDArray[np.int64]:
    """Those of the increasing `ranks` that lie in none of the finished units, which are by rank."""
    if not finished:
        return ranks
    starts = np.array([unit.start for unit in finished], np.int64)
    stops = np.array([unit.start + unit.count for unit in finished], np.int64)
    unit = np.searchsorted(starts, ranks, side="right") - 1
    return ranks[(unit < 0) | (ranks >= stops[unit])]


def batches(ranks: NDArray[np.int64], block: int, workers: int) -> Iterator[SampledRanks]:
    """The ranks in parts of at most `block`'s work, at least four for each worker."""
    size = max(1, min(block, MOST_IN_A_BATCH, -(-len(ranks) // (4 * workers))))
    for low in range(0, len(ranks), size):
        part = tuple(ranks[low : low + size].tolist())
        yield SampledRanks(part[0], part[-1] - part[0] + 1, part)


# --- completing units in which ranks were sampled ---------------------------------------------------------


@attrs.frozen(order=True)
class SampledUnit(Unit):
    """A unit some of whose ranks are recorded already."""

    known: Known | None = attrs.field(default=None, order=False, eq=False)


@attrs.frozen(eq=False)
class Known:
    """What is recorded of single ranks."""

    ranks: NDArray[np.int64]
    """All of them, increasing."""
    evaluated: NDArray[np.int64]
    """Those that no filter left out; the arrays below are theirs."""
    values: list[NDArray[Any]]
    status: NDArray[np.uint8] | None
    """(metrics, evaluated), or None where all have values."""
    solutions: list[Solution]
    """What the search found at these ranks."""


def with_samples(
    read: Callable[[Unit, NDArray[np.int64]], Known], units: Iterator[Unit], singles: NDArray[np.int64]
) -> Iterator[Unit]:
    """The units, and with those that hold some of the single ranks recorded, what `read` finds of these."""
    for unit in units:
        low, high = np.searchsorted(singles, (unit.start, unit.start + unit.count))
        if low == high:
            yield unit
        else:
            yield SampledUnit(unit.start, unit.count, read(unit, singles[low:high]))


def recorded_singles(reader: Reader, run: RunRecord, unit: Unit, ranks: NDArray[np.int64]) -> Known:
    """What is recorded of the single `ranks`, all that are recorded of a unit."""
    values, statuses = [], []
    evaluated = np.zeros(0, np.int64)
    for metric in reader.metrics(run.id):
        chunks = [
            chunk
            for chunk in reader.chunks(run.id, metric.name, unit.start, unit.start + unit.count)
            if chunk.evaluated
        ]
        evaluated = np.array([chunk.start for chunk in chunks], np.int64)
        own = [status_of(chunk) for chunk in chunks]
        values.append(np.concatenate([decode(chunk) for chunk in chunks]) if chunks else np.zeros(0, np.int8))
        statuses.append([VALUE if status is None else int(status[0]) for status in own])
    status = np.array(statuses, np.uint8)
    found = solutions.recorded(reader, run.id, unit.start, unit.start + unit.count)
    return Known(ranks, evaluated, values, status if status.any() else None, found)


def completed(unit: SampledUnit, solver: Solver) -> Block:
    """A whole unit: what is known of it, and the other ranks, which alone are solved."""
    known = unit.known
    assert known is not None
    gaps, position = [], unit.start
    for rank in [*known.ranks.tolist(), unit.start + unit.count]:
        if position < rank:
            gaps.append(solver(position, rank - position))
        position = rank + 1
    ranks = np.concatenate([*(_ranks(gap) for gap in gaps), known.evaluated])
    order = np.argsort(ranks)
    evaluation = Evaluation(
        [
            _column([as_array(gap.evaluation.values[m]) for gap in gaps], column)[order]
            for m, column in enumerate(known.values)
        ],
        _status(gaps, known, len(known.values), order),
    )
    return Block(
        unit.start,
        unit.count,
        evaluation,
        None if len(ranks) == unit.count else ranks[order],
        [error for gap in gaps for error in gap.errors],
        solutions=sorted([*known.solutions, *(found for gap in gaps for found in gap.solutions or ())]),
    )


def _ranks(block: Block) -> NDArray[np.int64]:
    if block.ranks is not None:
        return block.ranks
    return np.arange(block.start, block.start + block.count, dtype=np.int64)


def _column(gaps: list[NDArray[Any]], known: NDArray[Any]) -> NDArray[Any]:
    """A metric's values, the gaps' before those that are known, which take the gaps' type."""
    own = next((part for part in gaps if len(part)), None)
    if own is None:
        return known
    filled = [part for part in gaps if len(part)]
    return np.concatenate([*filled, known.astype(own.dtype)])


def _status(
    gaps: list[Block], known: Known, metrics: int, order: NDArray[np.int64]
) -> NDArray[np.uint8] | None:
    parts = [(gap.evaluation.status, gap.evaluated) for gap in gaps]
    parts.append((known.status, len(known.evaluated)))
    if all(status is None for status, _ in parts):
        return None
    wide = [
        np.broadcast_to(np.uint8(VALUE) if status is None else status, (metrics, count))
        for status, count in parts
    ]
    found: NDArray[np.uint8] = np.concatenate(wide, axis=1)[:, order]
    return found
