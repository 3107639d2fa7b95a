"""The write-ahead log of a database that is written and read at once, kept from growing with the run.

SQLite restarts its log only when no reader uses its content. Ten readers in turns may leave no such moment at
a commit, so the writer tries after each transaction, and waits if the log is large.
"""

from __future__ import annotations

import logging
import sqlite3
from pathlib import Path

import sqlalchemy as sa

from epcg_core.base.documents import size_in_words
from epcg_core.store.connection import BUSY_TIMEOUT_MS

_logger = logging.getLogger(__name__)

SOON = 16 << 20
"""Bytes of log from which on it is emptied at any moment without readers."""
WAIT = 64 << 20
"""Bytes of log from which on such a moment is waited for; twice as many after each wait in vain."""
WAIT_MS = 250
"""Waiting time if the log has WAIT bytes, and in proportion if it has more. To write so much takes 3 s, so
waiting costs a twelfth at most. It succeeds if no reader takes half as long for a statement: first those
must end that began before the last transactions, then those that began before all of the log was moved."""
WARN = 1 << 30
"""Size of a log, in bytes, from which a sentence tells of it."""


class WriteAheadLog:
    """Keeps the log of a writer's database small."""

    def __init__(self, engine: sa.Engine) -> None:
        self._engine = engine
        self._file = Path(f"{engine.url.database}-wal")
        self._wait_from, self._warned = WAIT, False

    def size(self) -> int:
        """Return the log's bytes on the disk."""
        try:
            return self._file.stat().st_size
        except FileNotFoundError:
            return 0

    def keep_small(self) -> None:
        """Empty the log if it is large and the readers allow it. Call between transactions."""
        size = self.size()
        if size < SOON:
            return
        waiting = size >= self._wait_from
        if self._empty(WAIT_MS * size // WAIT if waiting else 0):
            self._wait_from = WAIT
        elif waiting:
            self._wait_from = 2 * size
            if size >= WARN and not self._warned:
                self._warned = True
                _logger.warning(
                    f"The log of the database, {self._file}, has {size_in_words(size)}, because a reader has "
                    "kept one statement open for long. It is emptied when that ends; the run goes on."
                )

    def _empty(self, wait_ms: int) -> bool:
        """Move the content of the log to the database file and truncate it; return False if that fails."""
        pooled = self._engine.raw_connection()  # not a transaction, which a checkpoint cannot be part of
        try:
            cursor = pooled.cursor()
            cursor.execute(f"PRAGMA busy_timeout = {wait_ms}")
            try:
                busy = cursor.execute("PRAGMA wal_checkpoint(TRUNCATE)").fetchone()[0]
            except sqlite3.Error:  # a full disk, say: the content of the log is safe there
                busy = 1
            cursor.execute(f"PRAGMA busy_timeout = {BUSY_TIMEOUT_MS}")
            cursor.close()
        finally:
            pooled.close()
        return not busy
