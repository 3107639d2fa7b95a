"""The bytes of a run's chunks, checked on all cores: reading is what they wait for."""

from __future__ import annotations

from collections.abc import Iterator

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.codec import Chunk, check, how_many_set
from epcg_core.execution import map_in_threads
from epcg_core.store import Reader, RunRecord
from epcg_core.store.records import MetricRecord


def checked_chunks(reader: Reader, run: RunRecord, column: MetricRecord) -> Iterator[Chunk]:
    """Yield a column's chunks by rank, each once its bytes are found to be as recorded.

    Raises CheckFailedError if they are not, or if the list of evaluated ranks of a chunk does not fit it.
    """
    always = column.metric is not None and column.metric.always

    def checked(chunk: Chunk) -> Chunk:
        check(chunk, always)
        return chunk

    for chunk in map_in_threads(checked, reader.chunks(run.id, column.name)):
        mask = None if column.metric is None else reader.mask_at(run.id, chunk)
        if mask is not None and how_many_set(mask) != chunk.evaluated:
            raise CheckFailedError(f"The list of evaluated ranks from {chunk.start} on is another.")
        yield chunk
