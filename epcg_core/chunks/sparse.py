"""Chunks of blocks in which only some candidates are recorded."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.blocks import Block, as_array
from epcg_core.chunks.codec import CHUNK_SIZE, Chunk, encode_block
from epcg_core.domain import Evaluation, Metric

GAP = 1024
"""A gap of this many unrecorded ranks ends a chunk: its bits would take more than a new chunk."""


def encode_sparse(block: Block, metrics: Sequence[Metric]) -> list[Chunk]:
    """Encode the stretches of a block that hold recorded candidates, by rank."""
    ranks = block.ranks
    assert ranks is not None
    found: list[Chunk] = []
    for low, high in _stretches(ranks):
        first, count = int(ranks[low]), int(ranks[high - 1] - ranks[low] + 1)
        status = block.evaluation.status
        evaluation = Evaluation(
            [as_array(column)[low:high] for column in block.evaluation.values],
            None if status is None else status[..., low:high],
        )
        # one piece: a stretch is no longer than a chunk, and its chunks are cut nowhere else
        found += encode_block(Block(first, count, evaluation, ranks[low:high]), metrics, first + count)
    return found


def _stretches(ranks: NDArray[np.int64]) -> Iterator[tuple[int, int]]:
    """Yield (low, high) among the increasing `ranks`: no gaps inside, and no longer than a chunk."""
    low = 0
    for cut in [*(np.flatnonzero(np.diff(ranks) > GAP) + 1).tolist(), len(ranks)]:
        while low < cut:
            high = min(cut, int(np.searchsorted(ranks, ranks[low] + CHUNK_SIZE)))
            yield low, high
            low = high
