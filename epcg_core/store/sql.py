"""Anybody's SQL, which may read and do nothing else."""

from __future__ import annotations

import sqlite3
from typing import Any

import sqlalchemy as sa

from epcg_core.errors import StoreError
from epcg_core.store import functions


def ask(connection: sa.Connection, statement: str) -> sa.CursorResult[Any]:
    """The result of a statement on a connection that is open for reading.

    Raises StoreError where it is wrong, or would change anything.
    """
    forbid_attach(connection)
    try:
        return connection.execution_options(stream_results=True).exec_driver_sql(statement)
    except sa.exc.DBAPIError as error:
        raise problem_of(connection, error) from error


def problem_of(connection: sa.Connection, error: sa.exc.DBAPIError) -> StoreError:
    """What went wrong, as a sentence."""
    own = connection.info.pop(functions.PROBLEM, None)  # what one of our SQL functions said
    return StoreError(f"SQL: {own}" if own else _sentence(str(error.orig).rstrip(".")))


def forbid_attach(connection: sa.Connection) -> None:
    """ATTACH would make a file, although the database itself is opened for reading only."""
    raw: Any = connection.connection.driver_connection
    if isinstance(raw, sqlite3.Connection):
        raw.set_authorizer(
            lambda action, *_: sqlite3.SQLITE_DENY if action == sqlite3.SQLITE_ATTACH else sqlite3.SQLITE_OK
        )


def _sentence(problem: str) -> str:
    if any(part in problem for part in ("readonly", "read-only", "not authorized", "VACUUM")):
        return (
            "`epcg sql` only reads, and so does a plan: a statement that would change the database is "
            "refused."
        )
    if "no such table" in problem or "no such column" in problem:
        return f"SQL: {problem}. `epcg sql` without a statement lists tables, views and columns."
    return f"SQL: {problem}."
