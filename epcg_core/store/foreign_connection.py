"""The SQL functions on a connection that another program opened, such as a browser of databases.

Such a connection stays open while a run goes on writing, and it runs SQL from untrusted users.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Callable
from typing import Any

import sqlalchemy as sa

from epcg_core.base.errors import EpcgError, StoreError
from epcg_core.store import sql_functions, views
from epcg_core.store.connection import BUSY_TIMEOUT_MS
from epcg_core.store.reader import Reader

IS_OURS = (
    "SELECT count(*) FROM sqlite_master WHERE type = 'table' AND name IN ('run', 'space', 'score_chunk')"
)
"""3 for a database of EPCG."""
IS_RECORDED = """SELECT EXISTS (SELECT 1 FROM space WHERE name = :space)
    OR EXISTS (SELECT 1 FROM puzzle WHERE puzzle = :puzzle)"""
"""Whether a database records a puzzle: in a space that a run covers, or in a curriculum."""
SPACE_OF = "SELECT space.name FROM run JOIN space ON space.id = run.space_id WHERE run.id = :run"

DRAWING = ("epcg_text", "epcg_svg")


def is_ours(raw: sqlite3.Connection) -> bool:
    """Return whether a connection is to a database of EPCG."""
    return bool(raw.execute(IS_OURS).fetchone()[0] == 3)


def recorded_names(puzzle: str) -> dict[str, str]:
    """Return the parameters of `IS_RECORDED`."""
    return {"puzzle": puzzle, "space": puzzle.rpartition("#")[0]}


def register(raw: sqlite3.Connection, tell: Callable[[str], None]) -> None:
    """Make the SQL functions known to a connection to a database of EPCG, and let it wait for locks.

    The views of `epcg_core.store.views` are laid, too.

    `tell` receives the message if a function fails, because SQLite itself does not pass the message on. Only
    puzzles that the database records are drawn, because the params of a generator may name a file.
    """
    raw.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
    current = _Current(raw)
    for position, (name, arguments, _) in enumerate(current.functions()):
        raw.create_function(name, arguments, _caller(current, position, tell), deterministic=True)
    raw.create_function("epcg_real", 1, float, deterministic=True)
    raw.setlimit(sqlite3.SQLITE_LIMIT_ATTACHED, 0)
    views.lay(raw)


class _Current:
    """The functions over a reader whose caches are dropped when another connection has written."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self.raw = raw
        engine = sa.create_engine("sqlite://", creator=lambda: _Tuples(raw), poolclass=sa.pool.StaticPool)
        self._connection = engine.connect()
        self._version: object = None
        self._functions: tuple[sql_functions.Function, ...] = ()

    def functions(self) -> tuple[sql_functions.Function, ...]:
        version = tuple(self.raw.execute("PRAGMA data_version").fetchone())
        if version != self._version:
            self._version = version
            self._functions = sql_functions.functions(Reader(self._connection))
        return self._functions

    def check_recorded(self, puzzle: str) -> None:
        """Raise StoreError if the database does not record a puzzle."""
        if not self.raw.execute(IS_RECORDED, recorded_names(puzzle)).fetchone()[0]:
            raise StoreError(f"'{puzzle}' is not a puzzle that this database records, so it is not drawn.")


class _Tuples:
    """A connection whose rows are tuples, independent of its owner's row factory."""

    def __init__(self, raw: sqlite3.Connection) -> None:
        self._raw = raw

    def cursor(self) -> sqlite3.Cursor:
        cursor = self._raw.cursor()
        cursor.row_factory = None
        return cursor

    def rollback(self) -> None:
        """Leave the owner's transaction alone."""

    def close(self) -> None:
        """Leave the owner's connection open."""

    def __getattr__(self, name: str) -> Any:
        return getattr(self._raw, name)


def _caller(current: _Current, position: int, tell: Callable[[str], None]) -> Callable[..., Any]:
    def call(*arguments: Any) -> Any:
        try:
            name, _, function = current.functions()[position]
            if name in DRAWING:
                current.check_recorded(str(arguments[0]))
            return function(*arguments)
        except EpcgError as error:
            tell(str(error))
            raise
        except (sa.exc.DBAPIError, sqlite3.Error) as error:
            if str(getattr(error, "orig", error)) != "interrupted":
                raise
            current.raw.interrupt()  # the owner's time limit ended our part only: end the statement with it
            return None

    return call
