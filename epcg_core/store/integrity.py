"""Detection and location of damage in a database file."""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from itertools import zip_longest

import sqlalchemy as sa

from epcg_core.base.errors import CheckFailedError, EpcgError, UncheckedError
from epcg_core.store import schema
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord, RunRecord
from epcg_core.store.rows import scores_of

UNREADABLE = (
    ValueError,
    TypeError,
    LookupError,
    ArithmeticError,
    AssertionError,
    AttributeError,
)
"""Exceptions that parsing corrupted bytes can raise."""
_DAMAGE = {sqlite3.SQLITE_ERROR, sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB, sqlite3.SQLITE_MISMATCH}
"""Primary result codes of SQLite that speak of the file; all others, such as SQLITE_FULL, of the means."""
_SHORT_READ = 522
"""SQLITE_IOERR_SHORT_READ: the file ends within a page."""


@contextmanager
def damage_named(what: str) -> Iterator[None]:
    """Turn errors from damaged bytes into a CheckFailedError: `what` cannot be read.

    Raises UncheckedError if SQLite lacks the means to read it: memory, or room for temporary files.
    """
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise _unreadable(what, error.orig) from error
    except sqlite3.Error as error:
        raise _unreadable(what, error) from error
    except UNREADABLE as error:
        raise CheckFailedError(f"{what} cannot be read: {type(error).__name__}: {error}.") from error


def _unreadable(what: str, error: BaseException | None) -> EpcgError:
    code = getattr(error, "sqlite_errorcode", sqlite3.SQLITE_ERROR)
    if code & 0xFF in _DAMAGE or code == _SHORT_READ:
        return CheckFailedError(f"{what} cannot be read: {error}.")
    return UncheckedError(f"{what} cannot be read here: {error}.")


def integrity(connection: sa.Connection) -> str:
    """Run SQLite's own check of the whole file: its pages, indexes, types and constraints.

    Raises CheckFailedError with the tables that are damaged.
    """
    problem = _problem(connection, "")
    if problem is None:
        size = connection.exec_driver_sql("SELECT page_count FROM pragma_page_count").scalar()
        return f"SQLite finds all {size or 0:,} pages of the file in order."
    with damage_named("The list of tables"):
        names = connection.exec_driver_sql(
            "SELECT name FROM sqlite_schema WHERE type = 'table' ORDER BY name"
        ).scalars()
        damaged = [name for name in names.all() if _problem(connection, f", '{name}'") is not None]
    where = f"the tables {', '.join(damaged)}" if damaged else "pages that belong to no table"
    raise CheckFailedError(f"SQLite finds damage in {where}: {problem}.")


def _problem(connection: sa.Connection, table: str) -> str | None:
    """Return the first problem of the file, or of one of its tables."""
    pragma = f"PRAGMA integrity_check({table.removeprefix(', ')})" if table else "PRAGMA integrity_check(1)"
    try:
        found = str(connection.exec_driver_sql(pragma).scalar())
    except sa.exc.DBAPIError as error:
        found = str(error.orig)
    return None if found == "ok" else " ".join(found.split())


def check_rows(reader: Reader, run: RunRecord) -> str:
    """Check that every row for plain SQL equals its chunk's value; if all are wanted, none is missing."""
    total = 0
    for column in (*reader.columns(run.id), *reader.imported(run.id)):
        if column.metric is not None:
            with damage_named(f"The rows of '{column.name}'"):
                total += (_all_rows if run.rows == "all" else _some_rows)(reader, run, column)
    return f"{total:,} rows for plain SQL have the values of the chunks."


def _all_rows(reader: Reader, run: RunRecord, column: MetricRecord) -> int:
    """Compare rows chunk by chunk; return the number of rows."""
    table, total = schema.score.c, 0
    own = (table.run_id == run.id, table.metric_id == column.id)
    for chunk in reader.chunks(run.id, column.name):
        inside = table.rank.between(chunk.start, chunk.start + chunk.count - 1)
        found = reader.connection.execute(
            sa.select(table.rank, table.value).where(*own, inside).order_by(table.rank)
        )
        wanted = scores_of(reader, run.id, column, chunk)
        for row, score in zip_longest(map(tuple, found), wanted):
            if row != score:
                raise CheckFailedError(_different(column.name, row, score))
        total += chunk.evaluated
    number = reader.connection.scalar(sa.select(sa.func.count()).where(*own))
    if number != total:
        raise CheckFailedError(f"There are {number:,} rows of '{column.name}' of {total:,} candidates.")
    return total


def _some_rows(reader: Reader, run: RunRecord, column: MetricRecord) -> int:
    table, total = schema.score.c, 0
    rows = sa.select(table.rank, table.value).where(table.run_id == run.id, table.metric_id == column.id)
    for rank, value in reader.connection.execute(rows.order_by(table.rank)):
        recorded = reader.value(run.id, column.name, rank)
        if value != recorded or reader.status_at(run.id, rank) is None:
            raise CheckFailedError(_different(column.name, (rank, value), (rank, recorded)))
        total += 1
    return total


def _different(name: str, row: tuple[int, object] | None, score: tuple[int, object] | None) -> str:
    if row is None or (score is not None and row[0] > score[0]):
        assert score is not None
        return f"The row of '{name}' at rank {score[0]} is missing."
    if score is None or row[0] < score[0]:
        return f"There is a row of '{name}' at rank {row[0]}, which was not evaluated."
    return f"The row of '{name}' at rank {row[0]} has the value {row[1]!r}, its chunk {score[1]!r}."
