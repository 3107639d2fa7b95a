"""Statements that every run asks again and again, built once.

Building a statement takes SQLAlchemy longer than its answer takes SQLite: a quarter of the time of verifying
small runs went there.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache
from typing import Any

import sqlalchemy as sa

from epcg_core.store import schema

RUNS = (
    sa.select(
        schema.run,
        schema.space.c.name.label("space"),
        schema.space.c.max_rank,
        schema.domain.c.name.label("domain"),
    )
    .join(schema.space, schema.space.c.id == schema.run.c.space_id)
    .join(schema.domain, schema.domain.c.id == schema.space.c.domain_id)
    .order_by(schema.run.c.id)
)
RUN = RUNS.where(schema.run.c.id == sa.bindparam("number"))
REQUESTED = RUNS.where(schema.run.c.request == sa.bindparam("request"))
INPUTS = sa.select(schema.run_input.c.role, schema.run_input.c.input_run_id, schema.run_input.c.digest).where(
    schema.run_input.c.run_id == sa.bindparam("run"), schema.run_input.c.kind == "run"
)
UNITS = (
    sa.select(
        schema.unit.c.start,
        schema.unit.c.count,
        schema.unit.c.evaluated,
        schema.unit.c.pruned,
        schema.unit.c.excluded,
        schema.unit.c.seconds,
        schema.unit.c.digest,
    )
    .where(schema.unit.c.run_id == sa.bindparam("run"))
    .order_by(schema.unit.c.start)
)
FILES = sa.select(schema.sources.c.files).where(schema.sources.c.id == sa.bindparam("number"))
"""The source files of runs, which many runs share: joined to each run they would be read once for each."""
COLUMNS = sa.union_all(
    sa.select(schema.metric, schema.run_metric.c.position, schema.run.c.imported)
    .join(schema.run_metric, schema.run_metric.c.metric_id == schema.metric.c.id)
    .join(schema.run, schema.run.c.id == schema.run_metric.c.run_id)
    .where(schema.run_metric.c.run_id == sa.bindparam("run")),
    sa.select(schema.metric, sa.null(), sa.null()).where(schema.metric.c.domain_id.is_(None)),
).order_by("position", "id")
"""A run's metrics, with the list of those that were imported, and the reserved columns, without a place."""
RESERVED = (
    sa.select(schema.metric.c.name, schema.metric.c.id)
    .where(schema.metric.c.domain_id.is_(None))
    .order_by(schema.metric.c.id)
)
_OF_A_COLUMN = (
    schema.score_chunk.c.run_id == sa.bindparam("run"),
    schema.score_chunk.c.metric_id == sa.bindparam("metric"),
)
DIGESTS = (
    sa.select(schema.score_chunk.c.start, schema.score_chunk.c.count, schema.score_chunk.c.digest)
    .where(*_OF_A_COLUMN)
    .order_by(schema.score_chunk.c.start)
)
LAYOUT = (
    sa.select(schema.score_chunk.c.start, schema.score_chunk.c.count, schema.score_chunk.c.evaluated)
    .where(*_OF_A_COLUMN)
    .order_by(schema.score_chunk.c.start)
)
CHUNKS = (
    sa.select(schema.score_chunk)
    .where(
        *_OF_A_COLUMN,
        schema.score_chunk.c.start > sa.bindparam("low"),
        schema.score_chunk.c.start + schema.score_chunk.c.count > sa.bindparam("start"),
    )
    .order_by(schema.score_chunk.c.start)
)
CHUNKS_BELOW = CHUNKS.where(schema.score_chunk.c.start < sa.bindparam("stop"))


@cache
def row_with(table: sa.Table, names: tuple[str, ...], number: str) -> sa.Select[Any]:
    """Return the question for the column `number` of the row with given values, of which any may be NULL."""
    same = (table.c[name].is_not_distinct_from(sa.bindparam(name)) for name in names)
    return sa.select(table.c[number]).where(*same)


@cache
def prunings(reaching: bool, ending: bool) -> sa.Select[Any]:
    """Return the question for a run's prunings, by rank.

    `reaching`: only from the last one on that begins at or before :first, which may reach into the range;
    `ending`: only those that begin before :stop.
    """
    table, mine = schema.pruning.c, schema.pruning.c.run_id == sa.bindparam("run")
    found = sa.select(table.start, table.count, table.bound, table.reason).where(mine)
    if reaching:
        before = sa.select(sa.func.max(table.start)).where(mine, table.start <= sa.bindparam("first"))
        found = found.where(table.start >= sa.func.coalesce(before.scalar_subquery(), 0))
    if ending:
        found = found.where(table.start < sa.bindparam("stop"))
    return found.order_by(table.start)


def insert_many(connection: sa.Connection, table: sa.Table, rows: Sequence[Mapping[str, Any]]) -> None:
    """Insert rows of numbers and texts, which name the same columns in the same order.

    SQLAlchemy's own way looks at each value: 4,000 rows of six columns take 20 instead of 7.5 ms of CPU time.
    """
    if rows:
        values = [tuple(row.values()) for row in rows]
        connection.exec_driver_sql(_insert(table, tuple(rows[0])), values)


@cache
def _insert(table: sa.Table, names: tuple[str, ...]) -> str:
    columns = ", ".join(f'"{table.c[name].name}"' for name in names)
    return f"INSERT INTO {table.name} ({columns}) VALUES ({', '.join('?' * len(names))})"
