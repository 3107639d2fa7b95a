"""Rows from chunks: the projection that plain SQL reads, one row per candidate and metric."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cache
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base import documents
from epcg_core.base.errors import StoreError
from epcg_core.chunks.codec import EVALUATED, Chunk, decode_chunk, missing_of
from epcg_core.domain import Metric
from epcg_core.store import schema
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord

_BOUND = 32_000
"""Values bound in a statement, below SQLite's limit of 32,766."""
_BATCH = _BOUND // 4
"""Rows an INSERT into `score`, two bound values each."""


def insert_rows(
    connection: sa.Connection,
    run_id: int,
    columns: Mapping[str, MetricRecord],
    chunks: Sequence[Chunk],
    wanted: NDArray[np.int64] | None = None,
) -> int:
    """Insert the scores that `chunks` (all columns of some ranges) hold; returns how many.

    `wanted` limits them to some ranks, in increasing order.
    """
    total = 0
    for column, ranks, values in _scores(chunks, columns):
        if wanted is not None:
            chosen = np.isin(ranks, wanted, assume_unique=True)
            ranks, values = ranks[chosen], values[chosen]
        _insert(connection, run_id, column.id, ranks.tolist(), _plain_values(values))
        total += len(ranks)
    return total


def _scores(
    chunks: Sequence[Chunk], columns: Mapping[str, MetricRecord]
) -> Iterator[tuple[MetricRecord, NDArray[np.int64], NDArray[Any]]]:
    """Yield (metric, evaluated ranks, their values) of every chunk, with None for missing values."""
    masks = {chunk.start: chunk for chunk in chunks if chunk.column == EVALUATED}
    for chunk in chunks:
        metric = columns[chunk.column].metric
        if metric is None:
            continue
        ranks = np.arange(chunk.start, chunk.start + chunk.count, dtype=np.int64)
        if chunk.start in masks:
            ranks = chunk.start + np.flatnonzero(decode_chunk(masks[chunk.start]))
        values, missing = decode_chunk(chunk), missing_of(chunk, metric.always)
        if missing is not None:
            values = _with_nulls(values, missing)
        yield columns[chunk.column], ranks, values


def scores_of(reader: Reader, run_id: int, column: MetricRecord, chunk: Chunk) -> Iterator[tuple[int, Any]]:
    """Yield (rank, value) of every evaluated candidate of a metric's chunk, as its rows have them."""
    mask = reader.chunk_at(run_id, EVALUATED, chunk.start) if chunk.evaluated != chunk.count else None
    columns = {chunk.column: column, EVALUATED: MetricRecord(0, EVALUATED, None)}
    for _, ranks, values in _scores([chunk] if mask is None else [chunk, mask], columns):
        yield from zip(ranks.tolist(), _plain_values(values), strict=True)


def index_values(connection: sa.Connection, run_id: int) -> None:
    """Add an index by value over one run's rows, for frequent sorting in SQL."""
    connection.exec_driver_sql(index_statement(run_id).replace("INDEX", "INDEX IF NOT EXISTS", 1))


def index_statement(run_id: int) -> str:
    """Return the SQL of the index by value over one run's rows, as SQLite records it."""
    return f"CREATE INDEX ix_score_value_run_{run_id} ON score (metric_id, value) WHERE run_id = {run_id}"


def drop_index(connection: sa.Connection, run_id: int) -> None:
    """Remove the index by value of one run's rows, if there is one."""
    connection.exec_driver_sql(f"DROP INDEX IF EXISTS ix_score_value_run_{run_id}")


def _with_nulls(values: NDArray[Any], missing: NDArray[np.bool_]) -> NDArray[Any]:
    mixed = _integers(values).astype(object)
    mixed[missing] = None
    return mixed


def _integers(values: NDArray[Any]) -> NDArray[Any]:
    return values.view(np.uint8) if values.dtype == np.bool_ else values


def _plain_values(values: NDArray[Any]) -> list[Any]:
    """Return Python's numbers, because SQLite would store numpy's as blobs."""
    plain: list[Any] = _integers(values).tolist()
    return plain


def _insert(
    connection: sa.Connection, run_id: int, metric_id: int, ranks: Sequence[int], values: list[Any]
) -> None:
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
    """Make rows of a run's chunks, replacing existing ones; return their number.

    `where` is an SQL condition over `rank` and the run's metrics; None makes all rows. Rows of kept
    candidates stay.
    """
    columns = {column.name: column for column in (*reader.columns(run_id), *reader.imported(run_id))}
    metrics = [column for column in columns.values() if column.metric is not None]
    connection.execute(sa.delete(schema.score).where(schema.score.c.run_id == run_id))
    condition = None if where is None else _Condition(connection, run_id, metrics, where)
    starts = [chunk.start for chunk in reader.chunks(run_id, metrics[0].name)]
    total = 0
    for start in starts:
        chunks = chunks_at(reader, run_id, columns, start)
        wanted = None if condition is None else condition.ranks(chunks, columns)
        total += insert_rows(connection, run_id, columns, chunks, wanted)
    if condition is not None:
        condition.close()
    policy = "all" if where is None else "kept"
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(rows=policy))
    return total


def chunks_at(reader: Reader, run_id: int, names: Iterable[str], start: int) -> list[Chunk]:
    """Return the chunks of some columns that begin at a rank."""
    found = (reader.chunk_at(run_id, name, start) for name in names)
    return [chunk for chunk in found if chunk is not None and chunk.start == start]


def condition_columns(metrics: Mapping[str, Metric | None]) -> Iterator[str]:
    """Yield the columns of a table over which conditions are written: metrics, and `is_NAME` for booleans.

    Some metrics have the name of an SQL word, such as unique; `is_unique` needs no quotes.
    """
    for name, metric in metrics.items():
        quoted = '"' + name.replace('"', '""') + '"'
        yield quoted
        if metric is not None and metric.kind == "bool" and f"is_{name}" not in metrics:
            yield f'"is_{name}" AS ({quoted})'


class _Condition:
    """An SQL condition over `rank` and the metrics, asked of one chunk at a time.

    The chunk's scores lie, a column each, in a temporary table without indexes while it is asked, which costs
    a tenth of making their rows.
    """

    def __init__(
        self, connection: sa.Connection, run_id: int, metrics: Sequence[MetricRecord], where: str
    ) -> None:
        documents.check(where, "--where", StoreError)
        self._connection, self._run_id, self._where = connection, run_id, where
        self._names = [metric.name for metric in metrics]
        columns = ", ".join(condition_columns({metric.name: metric.metric for metric in metrics}))
        self.close()
        connection.exec_driver_sql(f"CREATE TEMP TABLE wanted (rank INTEGER, {columns})")

    def ranks(self, chunks: Sequence[Chunk], columns: Mapping[str, MetricRecord]) -> NDArray[np.int64]:
        """Return the increasing ranks that satisfy the condition, and those of kept candidates."""
        values: dict[str, list[Any]] = {}
        ranks: list[int] = []
        for column, evaluated, scores in _scores(chunks, columns):
            values[column.name], ranks = _plain_values(scores), evaluated.tolist()
        width = len(self._names) + 1
        rows = list(zip(ranks, *(values[name] for name in self._names), strict=True))
        step = _BOUND // width
        for low in range(0, len(rows), step):
            part = rows[low : low + step]
            row = f"({', '.join('?' * width)})"
            self._connection.exec_driver_sql(
                f"INSERT INTO temp.wanted VALUES {', '.join([row] * len(part))}",
                tuple(value for each in part for value in each),
            )
        found = self._chosen()
        kept = self._connection.exec_driver_sql(
            "SELECT rank FROM candidate WHERE run_id = ? AND kept = 1 AND rank BETWEEN ? AND ?",
            (self._run_id, chunks[0].start, chunks[0].start + chunks[0].count - 1),
        )
        self._connection.exec_driver_sql("DELETE FROM temp.wanted")
        return np.unique(np.array([*found, *kept.scalars()], np.int64))

    def close(self) -> None:
        self._connection.exec_driver_sql("DROP TABLE IF EXISTS temp.wanted")

    def _chosen(self) -> list[int]:
        try:
            found = self._connection.exec_driver_sql(f"SELECT rank FROM temp.wanted WHERE {self._where}")
            return [int(rank) for rank in found.scalars()]
        except (TypeError, ValueError):
            raise StoreError(
                f"--where {self._where}: it gives other values than ranks. Write a condition only."
            ) from None
        except sa.exc.DBAPIError as error:
            raise StoreError(
                f"--where {self._where}: {str(error.orig).rstrip('.')}. It is a condition over rank, "
                f"{', '.join(self._names)}."
            ) from None
