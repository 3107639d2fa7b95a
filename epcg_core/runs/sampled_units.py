"""Units in which single ranks are sampled, or have been."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.solutions import Solution
from epcg_core.domain import VALUE, Evaluation
from epcg_core.execution import Unit
from epcg_core.search.protocol import Solver

_NONE = np.zeros(0, np.int64)


@attrs.frozen(order=True)
class SampledRanks(Unit):
    """Single ranks, each to be recorded as a unit of its own, between `start` and `start + count - 1`."""

    ranks: tuple[int, ...] = attrs.field(default=(), order=False)

    def __str__(self) -> str:
        return f"{len(self.ranks)} sampled ranks from {self.start} to {self.start + self.count - 1}"


@attrs.frozen(order=True)
class SampledUnit(Unit):
    """A unit some of whose ranks are recorded already."""

    known: Known | None = attrs.field(default=None, order=False, eq=False)


@attrs.frozen(eq=False)
class Known:
    """The recorded values of single ranks."""

    ranks: NDArray[np.int64]
    """All of them, increasing."""
    evaluated: NDArray[np.int64]
    """The ranks that no filter excluded; the arrays below cover these."""
    values: list[NDArray[Any]]
    status: NDArray[np.uint8] | None
    """(metrics, evaluated), or None if all have values."""
    solutions: list[Solution]
    """The solutions found at these ranks."""


def singles(block: Block, ranks: NDArray[np.int64]) -> Iterator[Block]:
    """Yield the part of a block that is about each of `ranks`, increasing, which it was evaluated at."""
    there, status = ranks_of(block), block.evaluation.status
    columns = [as_array(column) for column in block.evaluation.values]
    errors = dict(block.errors)
    place = 0
    for rank in ranks.tolist():
        stop = place + int(place < len(there) and there[place] == rank)
        evaluation = Evaluation(
            [column[place:stop] for column in columns], None if status is None else status[..., place:stop]
        )
        error = [(rank, errors[rank])] if rank in errors else []
        yield Block(rank, 1, evaluation, None if stop > place else _NONE, error, compiled=block.compiled)
        place = stop


def completed(unit: SampledUnit, solver: Solver) -> Block:
    """Complete a unit: solve its unknown ranks and merge them with the known ones."""
    known = unit.known
    assert known is not None
    gaps, position = [], unit.start
    for rank in [*known.ranks.tolist(), unit.start + unit.count]:
        if position < rank:
            gaps.append(solver(position, rank - position))
        position = rank + 1
    ranks = np.concatenate([*(ranks_of(gap) for gap in gaps), known.evaluated])
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
        limits=[limit for gap in gaps for limit in gap.limits],
        solutions=sorted([*known.solutions, *(found for gap in gaps for found in gap.solutions or ())]),
    )


def ranks_of(block: Block) -> NDArray[np.int64]:
    """Return the evaluated ranks of a block."""
    if block.ranks is not None:
        return block.ranks
    return np.arange(block.start, block.start + block.count, dtype=np.int64)


def _column(gaps: list[NDArray[Any]], known: NDArray[Any]) -> NDArray[Any]:
    """Return a metric's values: those of the gaps, then the known ones, cast to the gaps' type."""
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
