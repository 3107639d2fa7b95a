"""One database, with any number of readers and one writing process at a time.

Code that reads chunks is imported when it is used: it needs numpy, a fifth of the time of `epcg sql`.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING

import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.store import migrate
from epcg_core.store.connection import database_path, reading_engine, store_errors, writing_engine
from epcg_core.store.lock import WriterLock, sign, unsign
from epcg_core.store.log import WriteAheadLog

if TYPE_CHECKING:
    from epcg_core.store.reader import Reader


class Store:
    """A database of runs. Use as a context manager: `with Store.open("epcg.db") as store: ...`."""

    def __init__(self, location: str, engine: sa.Engine, lock: WriterLock | None) -> None:
        self.location = location
        self.engine = engine
        self._lock = lock
        self._kept: sa.Engine | None = None

    @classmethod
    def open(cls, location: str | Path, *, write: bool = False) -> Store:
        """Open a database, which is made for writing if there is none.

        Raises StoreError if the database is missing, older, newer, of another program, or has a writer
        already.
        """
        location = str(location)
        return cls._for_writing(location) if write else cls._for_reading(location)

    @classmethod
    def _for_reading(cls, location: str) -> Store:
        path = database_path(location)
        if not path.is_file():
            raise StoreError(f"There is no database {location}: `epcg run` makes one, --db names another.")
        store = cls(location, reading_engine(location), None)
        with store_errors(location), store.engine.connect() as connection:
            revision = migrate.revision_of(connection, location)
        if revision is None:
            raise StoreError(f"The database {location} is empty: `epcg run` fills one.")
        migrate.check_revision(revision, location)
        return store

    @classmethod
    def _for_writing(cls, location: str) -> Store:
        path = database_path(location)
        lock = WriterLock(location, path)
        try:
            store = cls(location, writing_engine(location), lock)
            with store_errors(location):
                # Read first: a writing connection would already change another program's file.
                there = path.is_file() and path.stat().st_size > 0
                engine = reading_engine(location) if there else store.engine
                with engine.connect() as connection:
                    revision = migrate.revision_of(connection, location)
                if revision is None:
                    migrate.create(store.engine)
                else:
                    migrate.check_revision(revision, location)
                sign(store.engine)
        except BaseException:
            lock.release()
            raise
        return store

    @contextmanager
    def reader(self) -> Iterator[Reader]:
        """Open a reader over one connection with the SQL functions."""
        from epcg_core.store.reader import Reader

        with self.connection() as connection:
            yield Reader(connection)

    @contextmanager
    def keeping_connections(self) -> Iterator[None]:
        """Let the readers of a block use one connection after another; a writer's store always does."""
        if self._lock is not None or self._kept is not None:
            yield
            return
        self._kept = reading_engine(self.location, keep=True)
        try:
            yield
        finally:
            self._kept.dispose()
            self._kept = None

    @contextmanager
    def connection(self) -> Iterator[sa.Connection]:
        """Connect, for questions in SQL; the SQL functions are known."""
        from epcg_core.store import sql_functions

        with store_errors(self.location), (self._kept or self.engine).connect() as connection:
            sql_functions.register(connection)
            yield connection

    @contextmanager
    def transaction(self) -> Iterator[sa.Connection]:
        """Open a transaction: all changes on its connection are recorded together, or not at all."""
        with store_errors(self.location), self.engine.begin() as connection:
            yield connection

    @property
    def path(self) -> Path:
        """The database file."""
        return database_path(self.location)

    def close(self) -> None:
        """Close the file, and release a writer's note and lock."""
        if self._lock is not None:
            unsign(self.engine)
            WriteAheadLog(self.engine).keep_small()
        self.engine.dispose()
        if self._lock is not None:
            self._lock.release()

    def __enter__(self) -> Store:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
