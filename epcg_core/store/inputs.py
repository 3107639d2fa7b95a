"""The recorded inputs of a run, and the queries that it answers."""

from __future__ import annotations

from typing import Any

import sqlalchemy as sa

from epcg_core.store import recorded, schema
from epcg_core.store.reader import Reader
from epcg_core.store.records import InputRecord


def all_inputs(reader: Reader, run_id: int) -> list[InputRecord]:
    """Return the inputs of a run: runs, libraries, files, and the parts that it was merged of."""
    table = schema.run_input.c
    columns = (table.role, table.kind, table.input_run_id, table.digest, table.source, table.choice)
    rows = reader.connection.execute(
        sa.select(*columns).where(table.run_id == run_id).order_by(table.kind, table.role)
    )
    return [InputRecord(*row) for row in rows]


def answered_by(reader: Reader, run_id: int) -> list[dict[str, Any]]:
    """Return the resolved queries that a run answers."""
    query, link = schema.query.c, schema.query_run.c
    rows = reader.connection.execute(
        sa.select(query.id, query.source)
        .join(schema.query_run, link.query_id == query.id)
        .where(link.run_id == run_id, link.goal == 1)
        .order_by(query.id)
    )
    return [recorded.parsed(row.source, f"The query {row.id}", recorded.ASKED) for row in rows]
