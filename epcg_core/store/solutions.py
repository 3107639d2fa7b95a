"""The solutions that a search finds itself: part of a run's record, and of its digests.

One row for each, by rank and position. If a search finds solutions (`RunSpec.solutions`), every unit's digest
covers the rows of its ranks, and the run's digest covers all rows. The solutions of kept candidates, which
evaluators find, are in the same table, but not part of these digests: keeping more candidates adds solutions.
"""

from __future__ import annotations

from collections.abc import Iterator

import sqlalchemy as sa

from epcg_core.chunks.solutions import Solution, actions_to_text, digest_of_rows
from epcg_core.store import schema
from epcg_core.store.reader import Reader


def recorded_solutions(reader: Reader, run_id: int, start: int, stop: int) -> list[Solution]:
    """Return the recorded solutions of ranks start .. stop - 1, in order."""
    rows = _rows(reader, run_id, start, stop)
    return [(rank, position, actions_to_text(actions)) for rank, position, actions in rows]


def recorded_digest(
    reader: Reader, run_id: int, start: int | None = None, stop: int | None = None
) -> tuple[bytes, int]:
    """Return (digest, number) of the recorded solutions of ranks start .. stop - 1, or of all."""
    return digest_of_rows(_rows(reader, run_id, start, stop))


def number(reader: Reader, run_id: int) -> int:
    """Return the number of a run's recorded solutions."""
    table = schema.solution
    return reader.connection.scalar(
        sa.select(sa.func.count()).select_from(table).where(table.c.run_id == run_id)
    ) or 0  # fmt: skip


def _rows(
    reader: Reader, run_id: int, start: int | None, stop: int | None
) -> Iterator[tuple[int, int, bytes]]:
    table = schema.solution.c
    actions = sa.cast(table.actions, sa.LargeBinary)
    statement = sa.select(table.rank, table.position, actions).where(table.run_id == run_id)
    if start is not None:
        statement = statement.where(table.rank >= start)
    if stop is not None:
        statement = statement.where(table.rank < stop)
    ordered = statement.order_by(table.rank, table.position)
    for row in reader.connection.execution_options(stream_results=True).execute(ordered):
        yield row[0], row[1], row[2]
