"""SQL from users: the one door, which shows every recorded value and admits nothing but reading."""

from __future__ import annotations

import difflib
import re
import sqlite3
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base import documents
from epcg_core.base.errors import StoreError
from epcg_core.store import sql_functions, views

INTERRUPTIBLE = 100_000
"""Instructions of SQLite's machine between two moments at which Ctrl-C is heard: some milliseconds."""
_READS = frozenset(
    {sqlite3.SQLITE_SELECT, sqlite3.SQLITE_READ, sqlite3.SQLITE_FUNCTION, sqlite3.SQLITE_RECURSIVE}
)
_PRAGMAS_OF = frozenset(
    {"table_info", "table_xinfo", "index_info", "index_xinfo", "index_list", "foreign_key_list"}
)
"""Pragmas whose argument is the name of what they describe."""
_PRAGMAS = _PRAGMAS_OF | {
    "table_list", "database_list", "collation_list", "function_list", "compile_options", "encoding",
    "user_version", "schema_version", "page_count", "page_size", "freelist_count", "data_version",
}  # fmt: skip
"""Pragmas that say something, and change nothing without an argument."""
_SCHEMA = "sqlite_master"
"""SQLite asks to update it when json_each is first used, though nothing is written. Statements cannot."""
_WRITES = ("readonly", "read-only", "VACUUM", "because it is a view", "may not be modified")
"""Parts of SQLite's messages for statements that would change something."""
ONLY_READS = (
    "`epcg sql` only reads, and so do plans, plots and Python: a statement that would change the "
    "database is refused. `epcg forget RUN` deletes a run."
)


@attrs.frozen
class Found:
    """The answer to a statement: its columns, and its rows, which are read as they are asked for."""

    columns: tuple[str, ...]
    """Empty if the statement gives no rows."""
    partial: bool
    """Whether it names the table of rows, which some runs have of kept candidates only."""
    _connection: sa.Connection
    _result: sa.CursorResult[Any]

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        """Yield the rows. Raises StoreError if a function fails at one of them."""
        if self.columns:
            with self._problems():
                yield from map(tuple, self._result)

    def parts(self, size: int) -> Iterator[Sequence[tuple[Any, ...]]]:
        """Yield the rows in batches. Raises StoreError if a function fails at one of them."""
        with self._problems():
            for rows in self._result.partitions(size):
                yield [tuple(row) for row in rows]

    @contextmanager
    def _problems(self) -> Iterator[None]:
        try:
            yield
        except sa.exc.DBAPIError as error:
            raise _problem(self._connection, error) from error


def ask_sql(
    connection: sa.Connection, statement: str, values: Mapping[str, Any] | tuple[Any, ...] = ()
) -> Found:
    """Run a statement that only reads; values in chunks are among those that it sees.

    Args:
        connection: a connection with the SQL functions.
        statement: the SQL.
        values: what its parameters stand for.

    Raises:
        StoreError: if the statement is invalid or would change anything.
    """
    documents.check(statement, "SQL", StoreError)
    if not connection.in_transaction():
        connection.begin()  # here, because BEGIN is nothing that the statement may do
    raw: Any = connection.connection.driver_connection
    _heed_interrupts(connection, raw)
    raw.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    views.lay(raw)
    guard = _Guard()
    raw.set_authorizer(guard.answer)
    try:
        result = connection.execution_options(stream_results=True).exec_driver_sql(statement, values or None)
    except sa.exc.DBAPIError as error:
        if guard.refused:
            raise StoreError(ONLY_READS) from error
        if getattr(error.orig, "sqlite_errorcode", 0) == sqlite3.SQLITE_AUTH:
            raise KeyboardInterrupt from None  # it came inside the guard, which SQLite takes for a refusal
        raise _problem(connection, error) from error
    finally:
        raw.set_authorizer(None)
    columns = tuple(result.keys()) if result.returns_rows else ()
    return Found(columns, guard.partial, connection, result)


class _Guard:
    """The function that SQLite asks before each step of a statement that it compiles."""

    def __init__(self) -> None:
        self.refused = self.partial = False

    def answer(
        self, action: int, first: str | None, second: str | None, _: str | None, view: str | None
    ) -> int:
        if action == sqlite3.SQLITE_READ and first == views.PARTIAL and view not in views.WHOLE:
            self.partial = True
        if action in _READS or (action == sqlite3.SQLITE_UPDATE and first == _SCHEMA):
            return sqlite3.SQLITE_OK
        if action == sqlite3.SQLITE_PRAGMA and first in (_PRAGMAS if second is None else _PRAGMAS_OF):
            return sqlite3.SQLITE_OK
        self.refused = True
        return sqlite3.SQLITE_DENY


def runs_without_rows(connection: sa.Connection) -> list[int]:
    """Return the runs of which the table of rows lacks some candidates."""
    from epcg_core.store import schema

    run = schema.run.c
    missing = sa.select(run.id).where(run.rows != "all", run.evaluated > 0).order_by(run.id)
    return list(connection.scalars(missing))


def _problem(connection: sa.Connection, error: sa.exc.DBAPIError) -> StoreError:
    """Describe an SQL error."""
    own = connection.info.pop(sql_functions.PROBLEM, None)  # what one of our SQL functions said
    if own:
        return StoreError(f"SQL: {own}")
    problem = str(error.orig).rstrip(".")
    return StoreError(_sentence(problem, _guess(connection, problem)))


def _guess(connection: sa.Connection, problem: str) -> str:
    """Return the table or column that is likely to be meant by one that there is not; '' if none is."""
    found = re.search(r"no such (table|column): (?:\w+\.)?(\w+)", problem)
    if found is None:
        return ""
    names = "SELECT name FROM sqlite_master WHERE type IN ('table', 'view')"
    is_column = found[1] == "column"
    if is_column:
        names = f"SELECT DISTINCT c.name FROM ({names}) m, pragma_table_info(m.name) c"
    try:
        known = list(connection.scalars(sa.text(names)))
        measures = list(connection.scalars(sa.text("SELECT DISTINCT name FROM metric"))) if is_column else []
    except sa.exc.DBAPIError:  # a view of an older database that cannot be read has no columns to tell
        return ""
    near = difflib.get_close_matches(found[2], [*known, *measures], n=1)
    if near and near[0] in measures and near[0] not in known:
        return (
            f" '{near[0]}' is a measure, and measures are values: scores ->> '{near[0]}' in kept, or "
            f"metric = '{near[0]}' in scores."
        )
    return f" Did you mean '{near[0]}'?" if near else ""


def _heed_interrupts(connection: sa.Connection, raw: Any) -> None:
    """Let Ctrl-C end a long statement."""
    raw.set_progress_handler(lambda: 0, INTERRUPTIBLE)  # an interrupt in it ends the statement
    if not sa.event.contains(connection.engine, "handle_error", _interrupt):
        sa.event.listen(connection.engine, "handle_error", _interrupt)


def _interrupt(context: sa.engine.ExceptionContext) -> None:
    """Raise an interrupt again, which SQLite has turned into an error of its own."""
    noted = None if context.connection is None else context.connection.info.get(sql_functions.PROBLEM)
    said = str(context.original_exception)
    # An exception that no function of ours has noted is an interrupt before it could.
    unnoted = noted is None and said == "user-defined function raised exception"
    if isinstance(noted, KeyboardInterrupt) or said == "interrupted" or unnoted:
        raise KeyboardInterrupt


def _sentence(problem: str, guess: str = "") -> str:
    if any(part in problem for part in _WRITES):
        return ONLY_READS
    if "no such table" in problem or "no such column" in problem:
        return f"SQL: {problem}.{guess} `epcg sql` without a statement lists tables, views and columns."
    if "syntax error" in problem or "incomplete input" in problem:
        return (
            f'SQL: {problem}. A statement begins with SELECT or WITH, as in "SELECT * FROM runs"; a file '
            "with one is read from stdin: epcg sql - < FILE."
        )
    return f"SQL: {problem}."
