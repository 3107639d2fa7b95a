"""Kept candidates as rows: their scores, states as text, keeping rules and solutions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from types import MappingProxyType

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.params import canonical_json
from epcg_core.domain import STATUS_NAMES, VALUE
from epcg_core.store import schema, statements
from epcg_core.store.reader import Reader
from epcg_core.store.records import RunRecord
from epcg_core.store.rows import chunks_at, insert_rows

BETWEEN = "; "
"""Between the rules that kept a candidate."""


def kept_by(connection: sa.Connection, run_id: int) -> dict[int, str]:
    """Map the ranks of a run's kept candidates to the rules that keep them."""
    table = schema.candidate.c
    rows = sa.select(table.rank, table.kept_by).where(table.run_id == run_id, table.kept == 1)
    return {int(row.rank): str(row.kept_by) for row in connection.execute(rows)}


def kept_notes(connection: sa.Connection, run_id: int) -> dict[int, str]:
    """Map the ranks of a run's kept candidates that have a note to it."""
    table = schema.candidate.c
    noted = sa.select(table.rank, table.note).where(
        table.run_id == run_id, table.kept == 1, table.note.is_not(None)
    )
    return {int(row.rank): str(row.note) for row in connection.execute(noted.order_by(table.rank))}


def save_kept(
    connection: sa.Connection,
    run: RunRecord,
    kept: Sequence[tuple[int, str]],
    format_state: Callable[[int], str | None],
    notes: Mapping[int, str] = MappingProxyType({}),
) -> list[int]:
    """Record the kept candidates, (rank, rule) each, with their scores, states and notes as rows.

    Rules that kept a candidate before stay recorded, and existing rows are not written again. Returns the
    ranks that are new or kept by an additional rule, in increasing order.
    """
    table = schema.candidate.c
    known = kept_by(connection, run.id)
    rules: dict[int, str] = {}
    for rank, rule in kept:
        before = rules.get(rank, known.get(rank))
        if before is None:
            rules[rank] = rule
        elif rule not in before.split(BETWEEN):
            rules[rank] = f"{before}{BETWEEN}{rule}"
    ranks = sorted(rules)
    again = [{"at": rank, "by": rules[rank]} for rank in ranks if rank in known]
    if again:
        connection.execute(
            sa.update(schema.candidate)
            .where(table.run_id == run.id, table.rank == sa.bindparam("at"))
            .values(kept_by=sa.bindparam("by")),
            again,
        )
    new = np.array([rank for rank in ranks if rank not in known], np.int64)
    for part, status in _by_chunk(connection, run, new):
        _delete(connection, schema.candidate, run.id, part)
        statements.insert_many(connection, schema.candidate, [
            {"run_id": run.id, "rank": rank, "status": STATUS_NAMES[code], "kept": 1, "kept_by": rules[rank],
             "state": format_state(rank), "note": notes.get(rank)}
            for rank, code in zip(part.tolist(), status.tolist(), strict=True)
        ])  # fmt: skip
    return ranks


def save_solutions(
    connection: sa.Connection, run_id: int, solutions: Mapping[int, Sequence[Sequence[str]]]
) -> None:
    """Record the solutions of candidates, by rank, each as its actions; replaces those that are there."""
    _delete(connection, schema.solution, run_id, list(solutions))
    rows = [
        {"run_id": run_id, "rank": rank, "position": position, "actions": canonical_json(list(actions))}
        for rank, found in solutions.items()
        for position, actions in enumerate(found)
    ]
    statements.insert_many(connection, schema.solution, rows)


def _by_chunk(
    connection: sa.Connection, run: RunRecord, ranks: NDArray[np.int64]
) -> Iterator[tuple[NDArray[np.int64], NDArray[np.uint8]]]:
    """Insert rows of scores for the increasing `ranks`; yield the ranks of each chunk with their statuses."""
    reader = Reader(connection)
    columns = {column.name: column for column in (*reader.columns(run.id), *reader.imported(run.id))}
    first = next(name for name, column in columns.items() if column.metric is not None)
    low = 0
    while low < len(ranks):
        chunk = reader.chunk_at(run.id, first, int(ranks[low]))
        assert chunk is not None  # kept candidates were read from chunks
        high = int(np.searchsorted(ranks, chunk.start + chunk.count))
        part = ranks[low:high]
        if run.rows != "all":
            for column in columns.values():
                _delete(connection, schema.score, run.id, part, schema.score.c.metric_id == column.id)
            insert_rows(connection, run.id, columns, chunks_at(reader, run.id, columns, chunk.start), part)
        status = reader.status(run.id, chunk.start)
        if status is None:
            yield part, np.full(len(part), VALUE, np.uint8)
        else:
            yield part, status[np.searchsorted(reader.ranks(run.id, chunk), part)]
        low = high


def _delete(
    connection: sa.Connection,
    table: sa.Table,
    run_id: int,
    ranks: Sequence[int] | NDArray[np.int64],
    *where: sa.ColumnElement[bool],
) -> None:
    if len(ranks):
        connection.execute(
            sa.delete(table).where(table.c.run_id == run_id, *where, table.c.rank == sa.bindparam("at")),
            [{"at": int(rank)} for rank in ranks],
        )
