"""Forgetting a run: it, and all that only it needs, leaves the database."""

from __future__ import annotations

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.store import chunk_queries, schema
from epcg_core.store.curricula import labels
from epcg_core.store.reader import Reader
from epcg_core.store.rows import drop_index


@attrs.frozen
class Loss:
    """The data that are lost with a run."""

    evaluated: int
    kept: int
    """Number of kept candidates."""
    bytes: int
    """The size of its chunks."""
    queries: tuple[str, ...]
    """The queries whose answer it is, which would have to be answered again."""
    curricula: tuple[str, ...]
    """The curricula that chose from it: they keep their puzzles, and no longer know where these are from."""


def loss_of(reader: Reader, run_id: int) -> Loss:
    """Find what is lost with a run.

    Raises StoreError if there is no such run, or if others were computed from it.
    """
    run = reader.run(run_id)
    ask = reader.connection.execute
    used = schema.run_input.c
    others = ask(sa.select(used.run_id).distinct().where(used.input_run_id == run_id).order_by(used.run_id))
    numbers = [str(number) for (number,) in others]
    if numbers:
        several = " and ".join(filter(None, (", ".join(numbers[:-1]), numbers[-1])))
        listed = f"un{'' if len(numbers) == 1 else 's'} {several}"
        raise StoreError(
            f"R{listed} {'was' if len(numbers) == 1 else 'were'} computed from run {run_id}, which therefore "
            f"stays: forget r{listed} first."
        )
    candidate, query = schema.candidate.c, schema.query.c
    size = chunk_queries.data_bytes(reader, run_id)
    kept = ask(sa.select(sa.func.count()).where(candidate.run_id == run_id, candidate.kept == 1))
    queries = ask(
        sa.select(query.name)
        .join(schema.query_run, schema.query_run.c.query_id == query.id)
        .where(schema.query_run.c.run_id == run_id, schema.query_run.c.goal == 1)
        .order_by(query.id)
    )
    chose = schema.curriculum_run.c
    curricula = ask(
        sa.select(chose.curriculum_id).where(chose.run_id == run_id).order_by(chose.curriculum_id)
    )
    builds = labels(reader.connection)
    return Loss(
        run.evaluated,
        int(kept.scalar_one()),
        size,
        tuple(name for (name,) in queries),
        tuple(builds[number] for (number,) in curricula),
    )


def forget(connection: sa.Connection, run_id: int) -> None:
    """Delete a run from which no other was computed, and the queries, spaces and sources that only it needs.

    Raises StoreError if there is no such run, or if others were computed from it.
    """
    loss_of(Reader(connection), run_id)
    puzzle = schema.puzzle
    connection.execute(sa.update(puzzle).where(puzzle.c.run_id == run_id).values(run_id=None))
    for table in schema.metadata.tables.values():
        if "run_id" in table.c and table is not puzzle:
            connection.execute(sa.delete(table).where(table.c.run_id == run_id))
    drop_index(connection, run_id)
    connection.execute(sa.delete(schema.run).where(schema.run.c.id == run_id))
    _delete_unused(connection, schema.query, (schema.query_run.c.query_id,))
    needed = (schema.run.c.space_id, puzzle.c.space_id)
    for table in (schema.variant_edit, schema.edit):
        used = sa.union_all(*map(sa.select, needed)).scalar_subquery()
        connection.execute(sa.delete(table).where(table.c.space_id.not_in(used)))
    _delete_unused(connection, schema.space, needed)
    _delete_unused(
        connection, schema.sources, (schema.run.c.sources_id, schema.accepted_sources.c.sources_id)
    )


def _delete_unused(connection: sa.Connection, table: sa.Table, users: tuple[sa.Column[int], ...]) -> None:
    """Delete the rows of a table to whose number no column of `users` refers."""
    used = sa.union_all(*(sa.select(column).where(column.is_not(None)) for column in users)).scalar_subquery()
    connection.execute(sa.delete(table).where(table.c.id.not_in(used)))
