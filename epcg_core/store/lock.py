"""One writer at a time: a lock beside the database file, and a note inside of who holds it.

Both this lock (flock) and SQLite's own (fcntl) are the file system's. Some have none, and some grant every
lock to everybody, which would let two writers ruin a database; so locks are tried before they are trusted.
`filelock` and the schema are imported when something is written: readers need not spend their 0.1 s.
"""

from __future__ import annotations

import os
import socket
import sys
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path

import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.store.connection import reading_engine
from epcg_core.store.file_locks import fault_of_locks


class WriterLock:
    """The right to write to a database file, until it is released.

    Raises StoreError, with the holder's pid, if another process has it, and if locks are impossible.
    """

    def __init__(self, location: str, path: Path) -> None:
        if not path.parent.is_dir():  # the lock would make it, and a misspelt path would go unnoticed
            raise StoreError(
                f"The database {location} cannot be made: there is no folder {path.parent}. Make it, or "
                "choose another place with --db."
            )
        import filelock

        self._lock = filelock.FileLock(f"{os.path.realpath(path)}.lock")  # one for all links to a file
        try:
            _try_locks(location, path)
            self._lock.acquire(blocking=False)
        except filelock.Timeout:
            raise StoreError(_holder(location)) from None
        except OSError as error:
            raise StoreError(
                f"The database {location} cannot be written: {error.strerror or error}. "
                "Choose another place with --db."
            ) from None

    def release(self) -> None:
        """Release the lock, so that others can write. Releasing it twice is allowed."""
        self._lock.release()


def sign(engine: sa.Engine) -> None:
    """Note the writing process, for the error of a second writer."""
    from epcg_core.store import schema

    since = datetime.now(UTC).isoformat(timespec="seconds")
    with engine.begin() as connection:
        connection.execute(sa.delete(schema.writer))
        connection.execute(
            sa.insert(schema.writer).values(
                id=1, pid=os.getpid(), host=socket.gethostname(), since=since,
                command=" ".join([Path(sys.argv[0]).name, *sys.argv[1:]])[:200],
            )
        )  # fmt: skip


def unsign(engine: sa.Engine) -> None:
    """Take the note away. On a full disk it stays; it is read only by those who find the lock taken."""
    from epcg_core.store import schema

    with suppress(sa.exc.DBAPIError), engine.begin() as connection:
        connection.execute(sa.delete(schema.writer))


def _try_locks(location: str, path: Path) -> None:
    """Raise StoreError if the file system has no locks or only pretends to, other OSErrors as they come."""
    fault = fault_of_locks(path)
    if fault is not None:
        raise StoreError(
            f"The database {location} lies on a file system without file locks ({fault}), where two writers "
            "would ruin it: choose a place on a local disk with --db."
        )


def _holder(location: str) -> str:
    from epcg_core.store import schema

    who = "another process"
    try:
        engine = reading_engine(location)
        with engine.connect() as connection:
            row = connection.execute(sa.select(schema.writer)).first()
        if row is not None:
            who = f"process {row.pid} on {row.host} (`{row.command}`, since {row.since})"
    except sa.exc.DBAPIError:
        pass  # the other process is only just making the tables: the sentence goes without its name
    return (
        f"The database {location} is being written by {who}. Wait for it to end, or choose another file "
        "with --db."
    )
