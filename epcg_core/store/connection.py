"""Opening a database for one writer and many readers, with a message for every failure."""

from __future__ import annotations

import logging
import os
import sqlite3
from collections.abc import Iterator
from contextlib import closing, contextmanager, suppress
from functools import cache
from pathlib import Path
from typing import Any

import sqlalchemy as sa

from epcg_core.base import documents
from epcg_core.base.errors import DamagedError, StoreError
from epcg_core.store.file_locks import fault_of_locks

BUSY_TIMEOUT_MS = 30_000
PAGE_BYTES = 8_192
"""The pages of a new database. Rows and large chunks take a fifth less CPU time to write than on pages of
4,096 bytes, SQLite's default, which databases of earlier versions keep. Larger pages win little more and
waste space: 16,384 bytes a quarter more of a chunk of 3 to 12 kB, these a twelfth."""
_LOCKED = "locked"
"""What SQLite says of a database that another program writes, and of one on a file system without locks."""
MOST_STATEMENTS = 2_000
"""Statements whose SQL is remembered."""


def database_path(location: str) -> Path:
    """Return the file of a database: its name is a path, whatever characters it has.

    Raises StoreError if it is a folder, a URL, or SQLite's name of a database in memory.
    """
    documents.check(location, "The name of the database", StoreError)
    if "://" in location:
        raise StoreError(f"'{location}' is a URL, and a database is a file: name its path with --db.")
    if location == ":memory:":
        raise StoreError(
            "':memory:' would be thrown away at the end: name a file with --db ('./:memory:' is one, too)."
        )
    path = Path(location)
    try:
        folder = path.is_dir()
    except OSError as error:
        raise StoreError(f"The database {location} cannot be opened: {error.strerror}.") from None
    if not location.strip() or folder:
        what = f"'{location}' is a folder" if location.strip() else "The name of the database is empty"
        raise StoreError(f"{what}: name a file with --db.")
    return path


def writing_engine(location: str) -> sa.Engine:
    """Make an engine with transactions of BEGIN IMMEDIATE ... COMMIT, synchronised at checkpoints."""
    engine = _engine(sa.URL.create("sqlite", database=os.path.realpath(database_path(location))))
    sa.event.listen(engine, "connect", _writing_pragmas)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN IMMEDIATE"))
    # An interrupt within a statement makes SQLAlchemy close the connection. SQLite keeps a closed one with
    # its lock while a traceback holds the statement: the next transaction would wait for its own process.
    sa.event.listen(engine, "invalidate", _release_lock)
    return engine


def _release_lock(connection: sqlite3.Connection, *_: Any) -> None:
    with suppress(sqlite3.Error):  # which would hide what made the connection invalid
        connection.rollback()


def reading_engine(location: str, *, keep: bool = False) -> sa.Engine:
    """Make an engine that cannot write: SQLite opens the file with mode=ro.

    With `keep`, a connection that is given back stays open for the next that asks, until the engine is
    disposed of: a new one parses the description of all tables and views, which takes 2 ms.
    """
    path = Path(os.path.realpath(database_path(location)))
    mode = "mode=ro&immutable=1" if is_frozen(path) else "mode=ro"
    uri = f"{path.as_uri()}?{mode}"

    def connect() -> sqlite3.Connection:
        _roll_back(path)
        connection = sqlite3.connect(uri, uri=True, check_same_thread=False, timeout=0)
        try:  # without locks a statement would wait for a writer that is not there
            connection.execute("SELECT 1 FROM sqlite_schema LIMIT 1").fetchone()
        except sqlite3.Error as error:
            if _LOCKED in str(error) and (sentence := _no_locks(location)) is not None:
                connection.close()
                raise StoreError(sentence) from None
        return connection  # anything else is said of the first statement that is asked for

    pool: dict[str, Any] = {"poolclass": sa.pool.NullPool}
    if keep:
        pool = {"poolclass": sa.pool.QueuePool, "pool_size": 1, "max_overflow": -1}
    engine = _engine("sqlite://", creator=connect, **pool)
    sa.event.listen(engine, "connect", _reading_pragmas)
    sa.event.listen(engine, "begin", lambda connection: connection.exec_driver_sql("BEGIN"))
    return engine


class _Statements(dict[Any, Any]):
    """Statements as SQL, for all engines of this process: most that a short run asks are asked by each."""

    def __setitem__(self, key: Any, value: Any) -> None:
        if len(self) >= MOST_STATEMENTS:
            self.clear()
        super().__setitem__(key, value)


_statements = _Statements()


@cache
def _dialect() -> sa.Dialect:
    """Return a dialect that has seen a connection: SQL is remembered by its dialect."""
    engine = sa.create_engine("sqlite://")
    with engine.connect():
        return engine.dialect


def _engine(url: str | sa.URL, **options: Any) -> sa.Engine:
    engine = sa.create_engine(url, execution_options={"compiled_cache": _statements}, **options)
    engine.dialect = _dialect()
    if isinstance(engine.pool.logger, logging.Logger):  # `echo` would make it something else
        engine.pool.logger.addFilter(_is_no_interrupt)
    return engine


def _is_no_interrupt(record: logging.LogRecord) -> bool:
    """Return whether SQLAlchemy logs a failure.

    An interrupt that arrives while a connection is given back is raised again, and the command that it
    stops says so; a traceback in the log would come before that.
    """
    return record.exc_info is None or not isinstance(record.exc_info[1], KeyboardInterrupt)


def _roll_back(path: Path) -> None:
    """Undo the transaction that a kill left behind while the database was set up: reading alone cannot.

    The journal of a program that is still at work stays as it is.
    """
    journal = Path(f"{path}-journal")
    if journal.exists() and os.access(path, os.W_OK) and os.access(path.parent, os.W_OK):
        with closing(sqlite3.connect(path)) as connection:
            _reading_pragmas(connection, None)
            connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()


def is_frozen(path: Path) -> bool:
    """Return whether a WAL database has no writer, because SQLite cannot make its -shm file there."""
    return not os.access(path.parent, os.W_OK) and not Path(f"{path}-wal").exists()


def _writing_pragmas(connection: Any, _: Any) -> None:
    connection.isolation_level = None  # BEGIN is ours: Python's default leaves DDL outside transactions
    cursor = connection.cursor()
    for pragma in (
        f"busy_timeout = {BUSY_TIMEOUT_MS}",
        f"page_size = {PAGE_BYTES}",
        "journal_mode = WAL",
        "synchronous = NORMAL",
        "foreign_keys = ON",
        "cache_size = -65536",
    ):
        cursor.execute(f"PRAGMA {pragma}")
    cursor.close()


def _reading_pragmas(connection: Any, _: Any) -> None:
    connection.isolation_level = None
    connection.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")


@contextmanager
def store_errors(location: str) -> Iterator[None]:
    """Turn the driver's errors into a StoreError that says what to do."""
    try:
        yield
    except sa.exc.DBAPIError as error:
        raise _kind(error.orig)(_sentence(location, str(error.orig))) from error
    except sqlite3.Error as error:
        raise _kind(error)(_sentence(location, str(error))) from error
    except UnicodeDecodeError as error:  # of names, or of SQLite's own message about them
        raise DamagedError(
            f"The database {location} is damaged: its description of tables is not text."
        ) from error


def _kind(error: BaseException | None) -> type[StoreError]:
    code = getattr(error, "sqlite_errorcode", 0) & 0xFF
    return DamagedError if code in (sqlite3.SQLITE_CORRUPT, sqlite3.SQLITE_NOTADB) else StoreError


def _sentence(location: str, problem: str) -> str:
    known = {
        "disk is full": "the disk is full. Recorded values are kept: make room and run the command again",
        "readonly": "it cannot be written. Choose another place with --db, or change its permissions",
        "not a database": "it is not an SQLite database. Choose another file with --db",
        "malformed": "it is damaged. `epcg verify` on its runs tells which are intact",
        "unable to open": "it cannot be opened. Check that the folder exists and is yours to read and write",
        _LOCKED: "another program is writing to it. Wait for it to end, or choose another file with --db",
        "disk I/O": "the disk reports an error. Recorded values are kept: mend it and run the command again",
    }
    if _LOCKED in problem and (sentence := _no_locks(location)) is not None:
        return sentence
    for part, meaning in known.items():
        if part in problem:
            return f"The database {location}: {meaning} ({problem})."
    return f"The database {location}: {problem}."


def _no_locks(location: str) -> str | None:
    """Return a sentence if the database lies on a file system without locks; None if that is not known."""
    fault = None
    with suppress(OSError):  # no file can be made beside it
        fault = fault_of_locks(Path(os.path.realpath(database_path(location))))
    if fault is None:
        return None
    return (
        f"The database {location} lies on a file system without file locks ({fault}), so it cannot be read "
        "safely there: copy it to a local disk, and name the copy with --db."
    )
