"""Rows from chunks: the projection that plain SQL reads, one row per candidate and metric."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.errors import StoreError
from epcg_core.store import schema
from epcg_core.store.chunks import EVALUATED, Chunk, decode, missing_of
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord

_BATCH = 8_000
"""Rows an INSERT: two bound values each, below SQLite's limit of 32,766."""


def insert_rows(
    connection: sa.Connection, run_id: int, columns: Mapping[str, MetricRecord], chunks: Sequence[Chunk]
) -> int:
    """Insert the scores that `chunks` (all columns of some ranges) hold; returns how many."""
    masks = {chunk.start: chunk for chunk in chunks if chunk.column == EVALUATED}
    total = 0
    for chunk in chunks:
        metric = columns[chunk.column].metric
        if metric is None:
            continue
        ranks: Sequence[int] = range(chunk.start, chunk.start + chunk.count)
        if chunk.start in masks:
            ranks = (chunk.start + np.flatnonzero(decode(masks[chunk.start]))).tolist()
        values, missing = decode(chunk), missing_of(chunk, metric.always)
        if missing is not None:
            values = _with_nulls(values, missing)
        _insert(connection, run_id, columns[chunk.column].id, ranks, _plain_values(values))
        total += len(ranks)
    return total


def index_values(connection: sa.Connection, run_id: int) -> None:
    """An index by value over one run's rows, for those who sort them in SQL often."""
    connection.exec_driver_sql(
        f"CREATE INDEX IF NOT EXISTS ix_score_value_run_{run_id} ON score (metric_id, value) "
        f"WHERE run_id = {run_id}"
    )


def _with_nulls(values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    mixed = _integers(values).astype(object)
    mixed[missing] = None
    return mixed


def _integers(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(np.uint8) if values.dtype == np.bool_ else values


def _plain_values(values: NDArray[Any]) -> list[Any]:
    """Python's own numbers: SQLite would store numpy's as blobs."""
    plain: list[Any] = _integers(values).tolist()
    return plain


def _insert(
    connection: sa.Connection, run_id: int, metric_id: int, ranks: Sequence[int], values: list[Any]
) -> None:
    if connection.dialect.name != "sqlite":
        connection.execute(
            sa.insert(schema.score),
            [
                {"run_id": run_id, "metric_id": metric_id, "rank": rank, "value": value}
                for rank, value in zip(ranks, values, strict=True)
            ],
        )
        return
    # Multi-row VALUES with the run and the metric written out: three times as fast as executemany.
    for low in range(0, len(values), _BATCH):
        part = values[low : low + _BATCH]
        bound: list[Any] = [None] * (2 * len(part))
        bound[0::2] = ranks[low : low + _BATCH]
        bound[1::2] = part
        connection.exec_driver_sql(_statement(run_id, metric_id, len(part)), tuple(bound))


@cache
def _placeholders(run_id: int, metric_id: int) -> str:
    return f"({run_id},{metric_id},?,?)"


def _statement(run_id: int, metric_id: int, rows: int) -> str:
    row = _placeholders(run_id, metric_id)
    return f"INSERT INTO score (run_id, metric_id, rank, value) VALUES {row}{f',{row}' * (rows - 1)}"


def materialize(connection: sa.Connection, reader: Reader, run_id: int, where: str | None) -> int:
    """Make rows of a run's chunks, replacing those that are there; returns how many.

    `where` is an SQL condition over `rank` and the run's metrics; None makes all rows. The rows of kept
    candidates stay.
    """
    columns = {column.name: column for column in reader.columns(run_id)}
    metrics = [column for column in columns.values() if column.metric is not None]
    connection.execute(sa.delete(schema.score).where(schema.score.c.run_id == run_id))
    starts = [chunk.start for chunk in reader.chunks(run_id, metrics[0].name)]
    total = 0
    for start in starts:
        chunks = [
            chunk
            for name in columns
            if (chunk := reader.chunk_at(run_id, name, start)) is not None and chunk.start == start
        ]
        total += insert_rows(connection, run_id, columns, chunks)
        if where is not None:
            total -= _drop_others(connection, run_id, [m.name for m in metrics], chunks[0], where)
    policy = "all" if where is None else "kept"
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(rows=policy))
    return total


def _drop_others(
    connection: sa.Connection, run_id: int, metrics: Sequence[str], chunk: Chunk, where: str
) -> int:
    """Delete the rows of one chunk's ranks for which the condition does not hold."""
    columns = ", ".join(f"max(CASE WHEN metric = '{name}' THEN value END) AS \"{name}\"" for name in metrics)
    last = chunk.start + chunk.count - 1
    inside = f"run_id = {run_id} AND rank BETWEEN {chunk.start} AND {last}"
    wanted = (
        f"SELECT rank FROM (SELECT rank, {columns} FROM scores WHERE {inside} GROUP BY rank) WHERE {where}"
    )
    try:
        gone = connection.exec_driver_sql(
            f"DELETE FROM score WHERE {inside} AND rank NOT IN ({wanted}) AND rank NOT IN "
            f"(SELECT rank FROM candidate WHERE {inside} AND kept = 1)"
        )
    except sa.exc.DBAPIError as error:
        raise StoreError(
            f"--where {where}: {error.orig}. It is a condition over rank, {', '.join(metrics)}."
        ) from None
    return gone.rowcount
