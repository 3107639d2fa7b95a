"""Processes that tests start, watch, kill and count."""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from pathlib import Path
from typing import Protocol, Self

import attrs

from tests.workplace import ask_sql, epcg_command

DEADLINE_S = 120.0
DRIVER = Path(__file__).with_name("forks") / "driver.py"


@attrs.frozen
class Said:
    """What a command said that ran in a fork; the parts are called as in click's Result."""

    exit_code: int
    stderr: str


class Started(Protocol):
    """A process that a test started; it ended by itself if it has an exit code."""

    def poll(self) -> int | None:
        """Its exit code; None as long as it runs."""


class Watch:
    """How far a run has come, seen through a second connection that only reads."""

    def __init__(self, database: Path, run: str = "1") -> None:
        """`run` is an SQL condition that holds for the run that is watched."""
        self._database = database
        self._run = run

    def state(self) -> tuple[int, int, str]:
        """(committed units, units in all, state); (0, 0, '') before the run is made."""
        with suppress(sqlite3.OperationalError):  # no file or no tables yet
            rows = ask_sql(
                self._database,
                "SELECT (SELECT count(*) FROM unit WHERE unit.run_id = run.id), "
                "(run.stop - 1) / unit_size - run.start / unit_size + 1, state "
                f"FROM run WHERE {self._run} ORDER BY run.id DESC LIMIT 1",
            )
            if rows:
                return rows[0]  # type: ignore[no-any-return]
        return 0, 0, ""

    def wait_for(self, units: int, process: Started) -> int:
        """Wait until so many units are committed; returns how many there are."""
        deadline = time.monotonic() + DEADLINE_S
        while (done := self.state()[0]) < units:
            assert process.poll() is None, f"the run ended by itself with {done} units: {_said(process)}"
            assert time.monotonic() < deadline, f"{units} units were expected, {done} are there"
            time.sleep(0.005)
        return done


def _said(process: Started) -> object:
    return process.communicate() if isinstance(process, subprocess.Popen) else process


def running() -> Iterator[tuple[int, int, int]]:
    """(id, parent, group) of every process that runs; not of those that ended and are not yet waited for."""
    for path in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, parent, group = path.read_text().rpartition(")")[2].split()[:3]
        except (FileNotFoundError, ProcessLookupError):
            continue
        if state not in "ZX":
            yield int(path.parent.name), int(parent), int(group)


no_workers: set[int] = set()
"""Processes that the fork server of the tests forked for other purposes, and that stay."""


def workers_of(coordinator: int) -> list[int]:
    """The worker processes of a process, oldest first: spawned by it, or forked by its fork server."""
    started = {pid: parent for pid, parent, _ in running()}
    servers = {pid for pid, parent in started.items() if parent == coordinator and _runs(pid, b"forkserver")}
    found = {pid for pid, parent in started.items() if parent in servers} - no_workers
    return sorted(found | {p for p, q in started.items() if q == coordinator and _runs(p, b"spawn_main")})


def seconds_of_server() -> float:
    """Return the CPU seconds of this process's fork server, and of its forks that ended."""
    ticks, hertz = 0, os.sysconf("SC_CLK_TCK")
    for pid in _servers():
        with suppress(FileNotFoundError, ProcessLookupError):
            fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
            ticks += sum(map(int, fields[11:15]))
    return ticks / hertz


_known_servers: list[int] = []


def _servers() -> list[int]:
    """Return the fork server of this process once it has started; it stays."""
    if not _known_servers:
        own = os.getpid()
        _known_servers.extend(
            pid for pid, parent, _ in running() if parent == own and _runs(pid, b"forkserver")
        )
    return _known_servers


def _runs(pid: int, what: bytes) -> bool:
    with suppress(FileNotFoundError, ProcessLookupError):
        return what in Path(f"/proc/{pid}/cmdline").read_bytes()
    return False


def wait_until(condition: Callable[[], object], what: str) -> None:
    """Poll until `condition` holds, ever more seldom; fail after a generous deadline."""
    deadline, pause = time.monotonic() + DEADLINE_S, 0.01
    while not condition():
        assert time.monotonic() < deadline, f"there is still no sign of this: {what}"
        time.sleep(pause)
        pause = min(1.3 * pause, 0.1)


class Processes:
    """Processes that a test starts, each the leader of a group of its own."""

    def __init__(self) -> None:
        self._started: list[subprocess.Popen[str]] = []

    def start(self, *command: object, **environment: object) -> subprocess.Popen[str]:
        process = subprocess.Popen(
            [str(word) for word in command], env=os.environ | {k: str(v) for k, v in environment.items()},
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
        )  # fmt: skip
        self._started.append(process)
        return process

    def driver(
        self, query: Path, database: Path, executor: str = "serial", workers: int = 2, **environment: object
    ) -> subprocess.Popen[str]:
        """A coordinator that commits after every unit."""
        return self.start(sys.executable, DRIVER, query, database, executor, workers, **environment)

    def epcg(self, *arguments: object, **environment: object) -> subprocess.Popen[str]:
        """The command line."""
        return self.start(*epcg_command(*arguments), **environment)

    def group(self, process: subprocess.Popen[str]) -> set[int]:
        """The processes of a started process's group that still run."""
        return {pid for pid, _, group in running() if group == process.pid}

    def workers(self, process: subprocess.Popen[str]) -> list[int]:
        """The worker processes of a coordinator, oldest first."""
        return workers_of(process.pid)

    def kill(self, process: subprocess.Popen[str]) -> None:
        """kill -9 of the coordinator alone; every process it had started must end by itself."""
        process.send_signal(signal.SIGKILL)
        assert process.wait(DEADLINE_S) == -signal.SIGKILL
        self.nothing_left(process)
        process.communicate()

    def nothing_left(self, process: subprocess.Popen[str]) -> None:
        """Whatever a coordinator that has ended had started must end by itself, at once or soon."""
        wait_until(lambda: not self.group(process), "the end of the coordinator's processes")

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in self._started:
            with suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGKILL)
            process.communicate()
