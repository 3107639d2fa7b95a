"""Runs that keep counts: the distributions of their whole numbers, added up while the run goes on.

Until the run is finished, the bin of a value stands at the position of the value itself, so that a unit's
counts are added where they belong.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray
from sqlalchemy.dialects import sqlite

from epcg_core.chunks.codec import EVALUATED, Chunk, decode_chunk, missing_of, without_values
from epcg_core.store import schema
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord


def add(
    connection: sa.Connection, run_id: int, columns: Mapping[str, MetricRecord], chunks: Iterable[Chunk]
) -> None:
    """Add the values of chunks to the distributions of their metrics; booleans have their chunks' sums."""
    table = schema.score_histogram
    for chunk in chunks:
        column = columns[chunk.column]
        if chunk.column == EVALUATED or column.metric is None or column.metric.kind == "bool":
            continue
        values = decode_chunk(chunk)
        missing = missing_of(chunk, column.metric.always)
        found, repeats = np.unique(values if missing is None else values[~missing], return_counts=True)
        if not len(found):
            continue
        insert = sqlite.insert(table)
        connection.execute(
            insert.on_conflict_do_update(
                index_elements=["run_id", "metric_id", "position"],
                set_={"count": table.c.count + insert.excluded.count},
            ),
            [
                {"run_id": run_id, "metric_id": column.id, "position": value, "low": value, "high": value,
                 "count": count}
                for value, count in zip(found.tolist(), repeats.tolist(), strict=True)
            ],
        )  # fmt: skip


def forget_values(
    connection: sa.Connection, run_id: int, columns: Mapping[str, MetricRecord], start: int, stop: int
) -> None:
    """Count the values of the chunks of ranks start .. stop - 1, and keep no more than their sums."""
    reader, table = Reader(connection), schema.score_chunk
    for column in columns.values():
        for chunk in list(reader.chunks(run_id, column.name, start, stop)):
            add(connection, run_id, columns, [chunk])
            left = without_values(chunk)
            connection.execute(
                sa.update(table)
                .where(
                    table.c.run_id == run_id, table.c.metric_id == column.id, table.c.start == chunk.start
                )
                .values(codec=left.codec, data=left.data, status=left.status)
            )  # fmt: skip


def added(reader: Reader, run_id: int, metric_id: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the values that were added, increasing, and how often each was."""
    table = schema.score_histogram.c
    rows = reader.connection.execute(
        sa.select(table.low, table.count)
        .where(table.run_id == run_id, table.metric_id == metric_id)
        .order_by(table.low)
    ).all()
    values, counts = zip(*rows, strict=True) if rows else ((), ())
    return np.array(values, np.int64), np.array(counts, np.int64)
