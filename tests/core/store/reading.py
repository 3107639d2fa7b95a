"""Ten readers of a database that a run writes to: what they ask, and what they count.

Used by tests/core/store/test_readers.py, tests/whole/browser and benchmarks/readers.py.
"""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
import time
import urllib.error
import urllib.request
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import EpcgError
from epcg_core.store import Store
from epcg_core.store.sql import ask_sql

COUNTS = """
SELECT run.id, run.state, run.evaluated, run.rows,
       (SELECT coalesce(sum(evaluated), 0) FROM unit WHERE run_id = run.id) AS in_units,
       (SELECT coalesce(sum(evaluated), 0) FROM score_chunk
        WHERE run_id = run.id AND metric_id = run_metric.metric_id) AS in_chunks,
       (SELECT count(*) FROM score WHERE run_id = run.id AND metric_id = run_metric.metric_id) AS in_rows
FROM run JOIN run_metric ON run_metric.run_id = run.id AND run_metric.position = 0
"""
"""One statement, so one state of the database: a transaction shows as a whole or not at all."""
LONG = """SELECT run_id, metric, count(*), min(value), max(value), avg(value)
FROM scores GROUP BY run_id, metric"""
LATEST = "SELECT max(id) FROM run"
LOCKED = ("locked", "busy")


Command = Callable[..., subprocess.CompletedProcess[str]]


def in_a_process(*arguments: str) -> subprocess.CompletedProcess[str]:
    return subprocess.run(
        [sys.executable, "-m", "epcg_core.cli", *arguments],
        capture_output=True, text=True, check=False, timeout=120,
    )  # fmt: skip


@attrs.define
class Tally:
    """What readers counted."""

    asked: dict[str, int] = attrs.field(factory=dict)
    during: int = 0
    """Answers given while a run was being written, its units partly recorded."""
    problems: list[str] = attrs.field(factory=list)

    @property
    def locked(self) -> int:
        """How many answers were that the database is locked."""
        return sum(any(word in problem.lower() for word in LOCKED) for problem in self.problems)

    @property
    def total(self) -> int:
        return sum(self.asked.values())


class Readers:
    """Readers of four kinds, each in a thread, until `stop`; each waits `pause` seconds between questions.

    `command` runs the command line in a process of its own.
    """

    def __init__(
        self, location: Path, pages: str | None, pause: float = 0.0, command: Command = in_a_process
    ) -> None:
        self.location, self.pages, self.pause, self.command = location, pages, pause, command
        self.tally = Tally()
        self._lock, self._end = threading.Lock(), threading.Event()
        kinds = [("view", self._view)] * 4 + [("function", self._function)] * 2 + [("sql", self._sql)] * 2
        kinds += [("page", self._page)] * 2 if pages else [("view", self._view), ("function", self._function)]
        self._threads = [threading.Thread(target=self._ask, args=kind, daemon=True) for kind in kinds]

    def __enter__(self) -> Readers:
        for thread in self._threads:
            thread.start()
        return self

    def __exit__(self, *_: object) -> None:
        self.stop()

    def stop(self) -> Tally:
        """End the readers after the questions they are at."""
        self._end.set()
        for thread in self._threads:
            thread.join()
        return self.tally

    def __len__(self) -> int:
        return len(self._threads)

    def _ask(self, kind: str, question: Callable[[], str | None]) -> None:
        while not self._end.is_set():
            try:
                problem = question()
            except (EpcgError, sa.exc.DBAPIError, OSError, subprocess.SubprocessError) as error:
                problem = f"{type(error).__name__}: {error}"
            with self._lock:
                self.tally.asked[kind] = self.tally.asked.get(kind, 0) + 1
                if problem is not None:
                    self.tally.problems.append(f"{kind}: {problem}")
            self._end.wait(self.pause)

    def _view(self) -> str | None:
        with Store.open(self.location) as store, store.reader() as reader:
            rows = reader.connection.exec_driver_sql(COUNTS).all()
            list(ask_sql(reader.connection, LONG))
        for row in rows:
            counted = {row.evaluated, row.in_units, row.in_chunks}
            if row.rows == "all":
                counted.add(row.in_rows)
            if len(counted) != 1:
                return f"a part of a transaction is seen: {row}"
        if any(row.state == "running" and row.evaluated for row in rows):
            with self._lock:
                self.tally.during += 1
        return None

    def _function(self) -> str | None:
        with Store.open(self.location) as store, store.reader() as reader:
            run = reader.connection.exec_driver_sql(LATEST).scalar()
            if run is None:
                return None
            metric = reader.metrics(run)[0].name
            counted, scored = reader.connection.exec_driver_sql(
                "SELECT epcg_count(?, ?, NULL, NULL), (SELECT count(epcg_score(?, ?, rank)) FROM"
                " (SELECT DISTINCT rank FROM score WHERE run_id = ? LIMIT 500))",
                (run, metric, run, metric, run),
            ).one()
        return None if counted >= scored else f"{scored} scores of {counted} candidates"

    def _sql(self) -> str | None:
        done = self.command("sql", "--db", str(self.location), "SELECT * FROM runs")
        return None if done.returncode == 0 else done.stderr.strip()

    def _page(self) -> str | None:
        for page in ("runs", "scores?_size=20", "progress"):
            try:
                with urllib.request.urlopen(f"{self.pages}/{page}", timeout=120) as answer:
                    answer.read()
            except urllib.error.HTTPError as error:
                return f"{page}: {error.code} {error.read().decode(errors='replace')[-2000:]}"
        return None


@contextmanager
def browsing(location: Path, **environment: str) -> Iterator[str]:
    """`epcg browse` on a database, as a process of its own; gives the address of its pages."""
    with socket.socket() as probe:
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
    address = f"http://127.0.0.1:{port}/{location.stem}"
    log = location.with_suffix(".browse.log")
    with log.open("w") as output:
        server = subprocess.Popen(
            [sys.executable, "-m", "epcg_core.cli", "browse", "--db", str(location), "--port", str(port)],
            stdout=output, stderr=subprocess.STDOUT, env=os.environ | environment,
        )  # fmt: skip
        try:
            _wait_for(address, server, log)
            yield address
        finally:
            server.terminate()
            server.wait(30)


def _wait_for(address: str, server: subprocess.Popen[Any], log: Path) -> None:
    for _ in range(600):
        try:
            urllib.request.urlopen(f"{address}.json", timeout=30).close()
            return
        except OSError:
            if server.poll() is not None:
                break
            time.sleep(0.1)
    raise AssertionError(f"Datasette did not start:\n{log.read_text()}")


def log_size(location: Path) -> int:
    """Bytes of the write-ahead log."""
    try:
        return Path(f"{location}-wal").stat().st_size
    except FileNotFoundError:
        return 0
