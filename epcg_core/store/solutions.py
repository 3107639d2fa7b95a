"""The solutions that a search finds itself: part of a run's record, and of its digests.

One row for each, by rank and position. A search that finds them says so (`RunSpec.solutions`); then every
unit's digest covers the rows of its ranks, and the run's digest all of them, however it was cut. The
solutions of kept candidates, which evaluators tell, lie in the same table and are no part of the record:
whoever keeps more adds some.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator

import sqlalchemy as sa

from epcg_core.store import schema
from epcg_core.store.reader import Reader

Solution = tuple[int, int, str]
"""(rank, position, actions as JSON)."""


def to_bytes(actions: str) -> bytes:
    """The actions as the database holds them, damaged ones too."""
    return actions.encode(errors="surrogateescape")


def to_text(actions: bytes) -> str:
    """The inverse. Bytes that are no text become what no search finds."""
    return actions.decode(errors="surrogateescape")


def recorded(reader: Reader, run_id: int, start: int, stop: int) -> list[Solution]:
    """The recorded solutions of ranks start .. stop - 1, in order."""
    rows = _rows(reader, run_id, start, stop)
    return [(rank, position, to_text(actions)) for rank, position, actions in rows]


def digest(solutions: Iterable[Solution]) -> bytes:
    """A digest of solutions in the order of their ranks and positions."""
    return _digest((rank, position, to_bytes(actions)) for rank, position, actions in solutions)[0]


def recorded_digest(
    reader: Reader, run_id: int, start: int | None = None, stop: int | None = None
) -> tuple[bytes, int]:
    """(digest, number) of the recorded solutions of ranks start .. stop - 1, or of all."""
    return _digest(_rows(reader, run_id, start, stop))


def number(reader: Reader, run_id: int) -> int:
    """How many solutions are recorded of a run, at whatever rank."""
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


def _digest(rows: Iterable[tuple[int, int, bytes]]) -> tuple[bytes, int]:
    found, count = hashlib.sha256(b"solutions\0"), 0
    for rank, position, actions in rows:
        found.update(f"{rank}\0{position}\0{len(actions)}\0".encode() + actions)
        count += 1
    return found.digest(), count
