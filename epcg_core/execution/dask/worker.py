"""The part that runs in a dask worker and passes units on to its own worker processes.

A dask worker computes nothing itself. Each of its threads has a worker process as that of
`execution.processes`, started afresh for a coordinator, so a unit that crashes takes no dask worker with it,
unwanted units can be stopped, plugins are loaded as currently installed, and mapped files do not count for
dask's memory limit. Units, works and results pass through as bytes.

If a coordinator falls silent, its worker processes end and its tables are released.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import socket
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Literal

import attrs

from epcg_core.errors import RunInterruptedError
from epcg_core.execution.dask.table_cache import Manifest, TableCache
from epcg_core.execution.executor import Unit
from epcg_core.execution.worker import READY, RESULT, WARNED
from epcg_core.execution.worker_process import WorkerProcess, stop_workers

SILENCE_S = 60.0
"""After which a coordinator is taken to be gone."""
_LOOK_S = 5.0
_PATIENCE_S = 1.0
"""Time limit for a worker process to end before it is killed."""
_PRELOAD = ("epcg_core.compiled",)
"""What the first process imports for all: works come pickled, and most have kernels."""


@attrs.frozen
class Place:
    """The location of a dask worker."""

    machine: str
    """The same for all processes of one running system."""
    folder: str
    """The folder of its tables."""


@attrs.frozen
class Answer:
    """The outcome of a unit."""

    kind: Literal["result", "failed", "ended", "overdue", "unknown"]
    """Computed; raised; its process ended; it exceeded the time limit; its work is not known here."""
    content: bytes = b""
    """The pickle of the result or the failure."""
    ending: str = ""
    in_set_up: bool = False
    warnings: tuple[bytes, ...] = ()
    """Pickles of its warnings."""


def machine() -> str:
    """Return a name of the running system; containers on it share the name."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return socket.gethostname()


class Session:
    """One coordinator's use of one dask worker."""

    def __init__(self, folder: Path) -> None:
        self.heard = time.monotonic()
        self._cache = TableCache(folder)
        self._lock = threading.Lock()
        self._number = -1
        self._payload = b""
        self._unit_timeout: float | None = None
        self._idle: list[WorkerProcess] = []
        self._busy: list[WorkerProcess] = []

    def begin(self, number: int, payload: bytes, unit_timeout: float | None) -> None:
        """Begin the pickled work; units refer to it by its number."""
        with self._lock:
            self._number, self._payload, self._unit_timeout = number, payload, unit_timeout

    def compute(self, number: int, unit: Unit, pickled: bytes) -> Answer:
        """Compute a unit; block until it is done or its process has ended."""
        with self._lock:
            if number != self._number:
                return Answer("unknown")
            worker = self._idle.pop() if self._idle else _started()
            self._busy.append(worker)
            worker.give(unit, self._payload, pickled)
        warnings: list[bytes] = []
        deadline = self._deadline() if worker.ready else math.inf
        while True:
            left = deadline - time.monotonic()
            wait([worker.connection, worker.process.sentinel], None if left == math.inf else max(0.0, left))
            alive = (
                worker.process.is_alive()
            )  # asked first, so that all answers sent before its end have arrived
            while (answer := worker.receive_pickled()) is not None:
                kind, content = answer
                if kind == READY:
                    worker.ready = True
                    deadline = self._deadline()
                elif kind == WARNED:
                    warnings.append(content)
                else:
                    self._put_back(worker)
                    found: Literal["result", "failed"] = "result" if kind == RESULT else "failed"
                    return Answer(found, content, warnings=tuple(warnings))
            if worker.closed or not alive:
                with self._lock:
                    self._busy.remove(worker)
                    ending = worker.ending()
                return Answer("ended", ending=ending, in_set_up=not worker.ready, warnings=tuple(warnings))
            if time.monotonic() > deadline:
                with self._lock:
                    self._busy.remove(worker)
                    stop_workers([worker])
                return Answer("overdue", warnings=tuple(warnings))

    def end(self) -> None:
        """End the work: drop its running units and release its tables; idle processes are kept."""
        with self._lock:
            self._number, self._payload = -1, b""
            for worker in self._idle:
                worker.forget()
            self._signal("terminate")
        deadline = time.monotonic() + _PATIENCE_S
        while self._busy and time.monotonic() < deadline:
            time.sleep(0.01)
        with self._lock:
            self._signal("kill")
        self._cache.release()

    def close(self) -> None:
        """End everything."""
        self.end()
        with self._lock:
            idle, self._idle = self._idle, []
        stop_workers(idle)

    @property
    def cache(self) -> TableCache:
        return self._cache

    def _deadline(self) -> float:
        return math.inf if self._unit_timeout is None else time.monotonic() + self._unit_timeout

    def _signal(self, how: Literal["terminate", "kill"]) -> None:
        for worker in self._busy:
            getattr(worker.process, how)()

    def _put_back(self, worker: WorkerProcess) -> None:
        with self._lock:
            self._busy.remove(worker)
            worker.unit = None
            if worker.ready and self._number >= 0:
                self._idle.append(worker)
                return
        stop_workers([worker])  # its set-up failed, or the work is over


_sessions: dict[str, Session] = {}
"""Sessions by the coordinator's token for a dask worker; one process may hold several workers."""
_opening = threading.Lock()
_listening = False
_starting = threading.Lock()


def _started() -> WorkerProcess:
    with _starting, _undaemonic():
        return WorkerProcess(_PRELOAD)


@contextmanager
def _undaemonic() -> Iterator[None]:
    """Allow child processes in a daemon; worker processes end with their parent."""
    process = multiprocessing.current_process()
    daemon = process.daemon
    if daemon:
        process.daemon = False
    try:
        yield
    finally:
        if daemon:
            process.daemon = True


def open_session(token: str, dask_worker: Any) -> Place:
    """Begin a coordinator's use of this dask worker; `close_session` or silence ends it."""
    folder = Path(dask_worker.local_directory).parent / "epcg-tables"
    global _listening
    with _opening:
        if token not in _sessions:
            _sessions[token] = Session(folder)
        if not _listening:
            _listening = True
            threading.Thread(target=_listen, name="sessions of epcg", daemon=True).start()
    return Place(machine(), str(folder))


def keep_session(token: str) -> bool:
    """Keep a session alive; return False if there is no such session."""
    return token in _sessions and bool(_session(token))


def _session(token: str) -> Session:
    """Return the session of a token and note the coordinator's sign of life. Raises KeyError."""
    session = _sessions[token]
    session.heard = time.monotonic()
    return session


def file_mark(path: str) -> tuple[int, int, int] | None:
    """Return a mark that identifies a file on its machine; None if the file does not exist."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return found.st_dev, found.st_ino, found.st_size


def file_marks(token: str, paths: Sequence[str]) -> list[tuple[int, int, int] | None]:
    return [file_mark(path) for path in paths]


async def missing_pieces(token: str, manifest: Manifest) -> tuple[list[int], str]:
    """Return the missing pieces of a table, and its path once it is complete."""
    cache = _session(token).cache
    with _told(cache):
        return await asyncio.to_thread(cache.missing, manifest), cache.place(manifest)


async def write_piece(token: str, manifest: Manifest, index: int, data: bytes) -> None:
    """Store a piece of a table."""
    cache = _session(token).cache
    with _told(cache):
        await asyncio.to_thread(cache.write, manifest, index, data)


@contextmanager
def _told(cache: TableCache) -> Iterator[None]:
    """Replace an OSError, which the coordinator would take for one of the connection."""
    try:
        yield
    except OSError as error:
        raise RunInterruptedError(
            f"its folder {cache.folder} cannot hold the run's tables ({error.strerror or error}): make room "
            "there, or give it another folder with `dask worker --local-directory`"
        ) from error


def begin_work(token: str, number: int, payload: bytes, unit_timeout: float | None) -> None:
    """Begin the pickled work, with `unit_timeout` seconds per unit."""
    _session(token).begin(number, payload, unit_timeout)


def compute(token: str, number: int, unit: Unit, pickled: bytes) -> Answer:
    """Compute a unit of a work, as a dask task."""
    session = _sessions.get(token)
    return Answer("unknown") if session is None else session.compute(number, unit, pickled)


async def end_work(token: str) -> None:
    """End a work, whether it is done or not."""
    session = _sessions.get(token)
    if session is not None:
        await asyncio.to_thread(session.end)


async def close_session(token: str) -> None:
    """End a coordinator's use of this dask worker."""
    session = _sessions.pop(token, None)
    if session is not None:
        await asyncio.to_thread(session.close)


def _listen() -> None:
    """Close the sessions of coordinators that are gone; ends with the last session."""
    global _listening
    while True:
        time.sleep(_LOOK_S)
        for token, session in list(_sessions.items()):
            if time.monotonic() - session.heard > SILENCE_S and _sessions.pop(token, None) is not None:
                session.close()
        with _opening:
            if not _sessions:
                _listening = False
                return
