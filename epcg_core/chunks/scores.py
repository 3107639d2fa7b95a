"""Scores of single candidates: read from chunks or blocks, and compared."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import EVALUATED, Chunk, chunk_status, decode_chunk
from epcg_core.domain import ERROR, STATUS_NAMES, VALUE, Metric, Value

Score: TypeAlias = "tuple[int, Value | None]"
"""The status of a candidate for a metric, and its value if it has one."""
CLOSE = 1e-9
"""The relative difference of reals that plain and compiled code may sum in another order."""


class RecordedScores:
    """The scores that chunks hold of single ranks. The last chunk of each column stays decoded."""

    def __init__(self, find: Callable[[str, int], Chunk | None], metrics: Sequence[Metric]) -> None:
        """`find(column, rank)` returns the chunk that holds a rank."""
        self._find = find
        self._metrics = metrics
        self._decoded: dict[str, tuple[Chunk, NDArray[Any], NDArray[np.uint8] | None]] = {}

    def at(self, rank: int) -> list[Score] | None:
        """Read the scores of a rank; None if it was not evaluated."""
        found: list[Score] = []
        for metric in self._metrics:
            chunk = self._find(metric.name, rank)
            if chunk is None:
                return None
            position = rank - chunk.start
            if chunk.evaluated != chunk.count:
                listed = self._find(EVALUATED, rank)
                if listed is None:
                    return None
                mask, _ = self._columns(listed)
                if not mask[position]:
                    return None
                position = int(np.count_nonzero(mask[:position]))
            values, status = self._columns(chunk)
            found.append(_score(metric, 0 if status is None else int(status[position]), values[position]))
        return found

    def _columns(self, chunk: Chunk) -> tuple[NDArray[Any], NDArray[np.uint8] | None]:
        """Return (values, status) of a chunk."""
        known, values, status = self._decoded.get(chunk.column, (None, None, None))
        if known is not chunk or values is None:
            status, values = chunk_status(chunk), decode_chunk(chunk)
            self._decoded[chunk.column] = chunk, values, status
        return values, status


def block_scores(block: Block, metrics: Sequence[Metric], rank: int) -> list[Score] | None:
    """Return the scores of a rank in a block; None if it was not evaluated."""
    position = rank - block.start
    if block.ranks is not None:
        position = int(np.searchsorted(block.ranks, rank))
        if position == len(block.ranks) or block.ranks[position] != rank:
            return None
    statuses = [VALUE] * len(metrics)
    if block.evaluation.status is not None:
        status = np.broadcast_to(block.evaluation.status, (len(metrics), block.evaluated))
        statuses = status[:, position].tolist()
    columns = block.evaluation.values
    return [
        _score(metric, own, as_array(column)[position])
        for metric, column, own in zip(metrics, columns, statuses, strict=True)
    ]


def _score(metric: Metric, status: int, value: np.generic) -> Score:
    missing = status == ERROR if metric.always else status != VALUE
    if missing:
        return status, None
    return status, bool(value) if metric.kind == "bool" else value.item()


def score_difference(
    metrics: Sequence[Metric], recorded: Sequence[Score] | None, now: Sequence[Score] | None, close: bool
) -> str | None:
    """Say how scores differ from the recorded ones; None if they agree.

    `close` lets reals differ by rounding.
    """
    if recorded is None or now is None:
        return None if recorded is now else "nothing is recorded." if now else "it should not be recorded."
    for (known, _), (status, _) in zip(recorded, now, strict=True):
        if known != status:
            return f"recorded is '{STATUS_NAMES[known]}', computed again '{STATUS_NAMES[status]}'."
    for metric, (_, was), (_, value) in zip(metrics, recorded, now, strict=True):
        near = close and isinstance(was, float) and isinstance(value, float)
        if was != value and not (near and math.isclose(was, value, rel_tol=CLOSE, abs_tol=CLOSE)):  # type: ignore[arg-type]
            return f"the recorded {metric.name} is {was}, computed again {value}."
    return None
