"""SQL from users, restricted to reading."""

from __future__ import annotations

import re
import sqlite3
from collections.abc import Sequence
from typing import Any

import sqlalchemy as sa

from epcg_core import documents
from epcg_core.errors import StoreError
from epcg_core.store import chunk_rows, schema, sql_functions

INTERRUPTIBLE = 100_000
"""Instructions of SQLite's machine between two moments at which Ctrl-C is heard: some milliseconds."""
_WRITES = (
    "readonly",
    "read-only",
    "too many attached databases",
    "VACUUM",
    "because it is a view",
)
"""SQLite's messages for statements that would change something."""


def ask(connection: sa.Connection, statement: str) -> sa.CursorResult[Any]:
    """Run a statement on a connection that is open for reading.

    Raises StoreError if the statement is invalid or would change the database.
    """
    documents.check(statement, "SQL", StoreError)
    view, runs = runs_without_rows(connection, statement)
    if view == "scores" and runs:
        connection.exec_driver_sql(chunk_rows.VIEW)
    restrict(connection)
    try:
        return connection.execution_options(stream_results=True).exec_driver_sql(statement)
    except sa.exc.DBAPIError as error:
        raise problem_of(connection, error) from error


_ROWS = frozenset({"score", "scores", "edit_effects", "best_edits"})
"""Tables and views that show rows only."""
_TOKENS = re.compile(r'"[^"]*"|\[[^\]]*\]|`[^`]*`|\w+|[(),;]')
_ENDS = frozenset(
    {"(", ")", ";", "select", "where", "on", "using", "group", "having", "order", "limit", "window", "union",
     "except", "intersect", "values"}
)  # fmt: skip
"""What ends the tables of a FROM; a comma before it goes on with another table."""
_RUN = re.compile(r"\brun_id\s*=\s*(\d{1,9})\b", re.IGNORECASE)
_STRINGS = re.compile(r"'[^']*'|--[^\n]*")


def runs_without_rows(connection: sa.Connection, statement: str) -> tuple[str, list[int]]:
    """Return what a statement reads that shows rows only, and the runs of which some rows are missing there.

    A statement that names runs (`run_id = 3`) is about those alone. The name is empty if it reads nothing of
    the kind. Chunks hold the values of all runs, with rows or without; of them `ask` lets the view `scores`
    show all (`epcg_core.store.chunk_rows`).
    """
    plain = _STRINGS.sub(" ", statement)
    found = _rows_read(plain)
    if not found:
        return "", []
    run, edit = schema.run.c, schema.edit.c
    missing = sa.select(run.id).where(run.rows != "all", run.evaluated > 0).order_by(run.id)
    if not found.startswith("score"):
        missing = missing.where(run.space_id.in_(sa.select(edit.space_id)))
    named = {int(number) for number in _RUN.findall(plain)}
    ids = connection.scalars(missing).all()
    return found, [number for number in ids if not named or number in named]


def values_in_chunks(connection: sa.Connection, runs: Sequence[int]) -> int:
    """Return how many values some runs have, counting all their metrics."""
    chunk, metric = schema.score_chunk.c, schema.metric.c
    reserved = sa.select(metric.id).where(metric.domain_id.is_(None))
    statement = sa.select(sa.func.sum(chunk.evaluated)).where(
        chunk.run_id.in_(runs), chunk.metric_id.not_in(reserved)
    )
    return int(connection.scalar(statement) or 0)


def _rows_read(statement: str) -> str:
    """Return the first of `_ROWS` that stands where a statement names tables; '' if none does.

    Not every mention: the view `kept` has a column `scores`, which is whole.
    """
    expecting = listing = False
    for token in _TOKENS.findall(statement):
        word = token.strip('"[]`').lower()
        if word in ("from", "join"):
            expecting = listing = True
        elif expecting and token != "(":
            if word in _ROWS:
                return str(word)
            expecting = False
            listing = word not in _ENDS
        elif token == ",":
            expecting = listing
        elif word in _ENDS:
            listing = False
    return ""


def problem_of(connection: sa.Connection, error: sa.exc.DBAPIError) -> StoreError:
    """Describe an SQL error."""
    own = connection.info.pop(sql_functions.PROBLEM, None)  # what one of our SQL functions said
    return StoreError(f"SQL: {own}" if own else _sentence(str(error.orig).rstrip(".")))


def restrict(connection: sa.Connection) -> None:
    """Forbid ATTACH, which makes a file though the database is open for reading, and allow interrupts.

    Not by an authorizer: SQLite takes an interrupt that arrives inside one for a refusal.
    """
    raw: Any = connection.connection.driver_connection
    if isinstance(raw, sqlite3.Connection):
        raw.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
        raw.set_progress_handler(lambda: 0, INTERRUPTIBLE)  # an interrupt in it ends the statement
        if not sa.event.contains(connection.engine, "handle_error", _interrupt):
            sa.event.listen(connection.engine, "handle_error", _interrupt)


def _interrupt(context: sa.engine.ExceptionContext) -> None:
    """Raise an interrupt again, which SQLite has turned into an error of its own."""
    noted = None if context.connection is None else context.connection.info.get(sql_functions.PROBLEM)
    if isinstance(noted, KeyboardInterrupt) or str(context.original_exception) == "interrupted":
        raise KeyboardInterrupt


def _sentence(problem: str) -> str:
    if any(part in problem for part in _WRITES):
        return (
            "`epcg sql` only reads, and so does a plan: a statement that would change the database is "
            "refused."
        )
    if "no such table" in problem or "no such column" in problem:
        return f"SQL: {problem}. `epcg sql` without a statement lists tables, views and columns."
    return f"SQL: {problem}."
