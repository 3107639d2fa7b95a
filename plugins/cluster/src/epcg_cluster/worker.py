"""The part that runs in a dask worker and passes units on to its own worker processes.

A dask worker computes nothing itself. Each of its threads has a worker process as that of
`execution.processes`, started afresh for a coordinator. So a unit that crashes takes no dask worker with it,
unwanted units can be stopped, plugins are loaded as currently installed, and mapped files do not count for
dask's memory limit. Units, works and results pass through as bytes.

What a coordinator has on a dask worker are two values that it scatters there: its `Processes`, and the
`WorkHere` of each work. When it releases them, or has left the scheduler, dask frees them; processes then
end, and tables are removed.
"""

from __future__ import annotations

import asyncio
import math
import multiprocessing
import pickle
import shutil
import socket
import tempfile
import threading
import time
import weakref
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import contextmanager, suppress
from multiprocessing.connection import wait
from pathlib import Path
from typing import Any, Literal

import attrs
import distributed

from epcg_cluster.inventory import Inventory, InventoryWork
from epcg_core.inside import (
    UNIT_FAILED,
    UNIT_RESULT,
    UNIT_WARNED,
    WORKER_READY,
    Unit,
    UnitFailure,
    WorkerProcess,
    reserve,
    stop_workers,
    unpickled,
)
from epcg_core.plugin import EpcgError, PluginError, RunInterruptedError

_PRELOAD = ("numba",)
"""The modules that the first process imports for all: works come pickled, and most have kernels."""

Mark = tuple[str, int, int, int]
"""(machine, device, inode, size) of a file, which no other file has."""


@attrs.frozen
class Answer:
    """The outcome of a unit."""

    kind: Literal["result", "failed", "ended", "overdue", "unknown"]
    """Computed; raised; its process ended; it exceeded the time limit; the work is not there."""
    content: bytes = b""
    """The pickle of the result or the failure."""
    ending: str = ""
    in_set_up: bool = False
    warnings: tuple[bytes, ...] = ()
    """Pickles of its warnings."""
    worker: str = ""
    """The address of the dask worker, if the work is unknown there."""


@attrs.frozen
class Placed:
    """A pickled work whose files have other paths here; only worker processes unpickle it."""

    payload: bytes
    places: Mapping[str, str]

    def set_up(self) -> Callable[[Unit], Any]:
        function: Callable[[Unit], Any] = pickle.loads(self.payload).at(self.places).set_up()
        return function


class Processes:
    """The idle worker processes of a coordinator on one dask worker; they end with this value."""

    def __init__(self) -> None:
        self._idle: list[WorkerProcess] = []
        self._lock = threading.Lock()
        weakref.finalize(self, stop_workers, self._idle).atexit = False  # they end with their parent

    def __reduce__(self) -> tuple[Any, ...]:
        return Processes, ()

    def take(self) -> WorkerProcess:
        """Take a worker process, a new one if none is idle. Raises EpcgError if the system starts no more."""
        with self._lock:
            return self._idle.pop() if self._idle else started()

    def give_back(self, worker: WorkerProcess) -> None:
        """Keep a worker process for the next unit."""
        worker.unit = None
        with self._lock:
            self._idle.append(worker)

    def forget(self) -> None:
        """Have all release their work and its tables."""
        with self._lock:
            for worker in self._idle:
                worker.forget()


@attrs.define(eq=False)
class _Held:
    """The objects that a work holds on a dask worker, which are freed with it."""

    processes: Processes | None = None
    busy: list[WorkerProcess] = attrs.field(factory=list)
    folder: Path | None = None

    def free(self) -> None:
        for worker in list(self.busy):  # the threads that wait for them clean up
            with suppress(ValueError):  # it was closed meanwhile
                worker.process.kill()
        if self.processes is not None:
            self.processes.forget()
        if self.folder is not None:
            shutil.rmtree(self.folder, ignore_errors=True)


class WorkHere:
    """A work on one dask worker: what worker processes are given, and the tables that were sent for it."""

    def __init__(self, payload: bytes, unit_timeout: float | None) -> None:
        self._given = payload, unit_timeout
        self.unit_timeout = unit_timeout
        self.places: dict[str, str] = {}
        """The paths of the work's files here, by those of the coordinator."""
        self._payload = b""
        self._lock = threading.Lock()
        self._held = _Held()
        weakref.finalize(self, self._held.free).atexit = False

    def __reduce__(self) -> tuple[Any, ...]:
        return WorkHere, self._given

    def begin(self, processes: Processes, seen: Iterable[str]) -> None:
        """Use these processes, and the coordinator's own files where they are `seen`."""
        self._held.processes = processes
        self.places |= {path: path for path in seen}

    def take(self, unit: bytes) -> WorkerProcess:
        """Give a pickled unit to a worker process. Raises EpcgError if the system starts no more."""
        assert self._held.processes is not None
        with self._lock:
            if not self._payload:
                payload = self._given[0]
                self._payload = pickle.dumps(Placed(payload, self.places)) if self.places else payload
        worker = self._held.processes.take()
        self._held.busy.append(worker)
        worker.give(Unit(0, 0), self._payload, unit)
        return worker

    def put_back(self, worker: WorkerProcess, answer: Answer) -> None:
        """Keep a worker process for the next unit, or stop one that can compute no more."""
        assert self._held.processes is not None
        self._held.busy.remove(worker)
        if answer.kind in ("result", "failed") and worker.ready:
            self._held.processes.give_back(worker)
        elif answer.kind != "ended":
            stop_workers([worker])

    def write(self, path: str, size: int, offset: int, data: bytes, parent: str) -> None:
        """Write a piece of the coordinator's table at `path`.

        Raises RunInterruptedError if there is no room for the table.
        """
        held = self._held
        try:
            if held.folder is None:
                held.folder = Path(tempfile.mkdtemp(prefix="epcg-tables-", dir=parent))
            file = held.folder / f"{len(self.places)}"
            if path not in self.places:
                reserve(file, size)
                self.places[path] = str(file)
            with Path(self.places[path]).open("r+b") as opened:
                opened.seek(offset)
                opened.write(data)
        except OSError as error:
            raise RunInterruptedError(
                f"its folder {parent} cannot hold the run's tables ({error.strerror or error}): make room "
                "there, or give it another folder with `dask worker --local-directory`"
            ) from error


_starting = threading.Lock()


def started() -> WorkerProcess:
    """Start a worker process. Raises EpcgError if the system starts no more."""
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


def machine() -> str:
    """Return a name of the running system; containers on it share the name."""
    with suppress(OSError):
        return Path("/proc/sys/kernel/random/boot_id").read_text().strip()
    return socket.gethostname()


def mark_of(path: str) -> Mark | None:
    """Return the mark of a file; None if there is none at that path."""
    try:
        found = Path(path).stat()
    except OSError:
        return None
    return machine(), found.st_dev, found.st_ino, found.st_size


async def installed() -> Inventory:
    """List what a fresh process of this dask worker has installed. Raises PluginError if it cannot say."""
    return await asyncio.to_thread(_inventory)


def _inventory() -> Inventory:
    worker, unit = started(), Unit(0, 0)
    worker.give(unit, pickle.dumps(InventoryWork()))
    answer = _answered(worker, None)
    if answer.kind == "ended":
        raise PluginError(f"its process ended ({answer.ending})")
    stop_workers([worker])
    kind, content = unpickled(UNIT_RESULT if answer.kind == "result" else UNIT_FAILED, answer.content, unit)
    if kind == UNIT_FAILED:
        raise PluginError(str(content.error()).rstrip("."))
    found: Inventory = content
    return found


def begin_work(work: str, processes: str, marks: Mapping[str, Mark | None], dask_worker: Any) -> list[str]:
    """Begin a work with the processes under these keys; return which of its files are not seen here."""
    address = dask_worker.contact_address
    seen = [path for path, mark in marks.items() if mark is not None and mark == mark_of(path)]
    dask_worker.data[work + address].begin(dask_worker.data[processes + address], seen)
    return [path for path in marks if path not in seen]


async def write_piece(work: str, path: str, size: int, offset: int, data: bytes, dask_worker: Any) -> None:
    """Write a piece of a table. Raises RunInterruptedError if there is no room for the table."""
    here = dask_worker.data[work + dask_worker.contact_address]
    await asyncio.to_thread(here.write, path, size, offset, data, dask_worker.local_directory)


async def supply(resource: str, quantity: int, dask_worker: Any) -> None:
    """Set how much of a resource the dask worker has."""
    await dask_worker.set_resources(**{resource: quantity})


def portable_compute() -> Callable[[str, bytes], Answer]:
    """Return `compute` for tasks of dask, which its scheduler unpickles, too: it need not have EPCG."""

    def compute_here(work: str, unit: bytes) -> Answer:  # pickled by value: no module has its name
        from epcg_cluster.worker import compute

        return compute(work, unit)

    return compute_here


def compute(work: str, unit: bytes) -> Answer:
    """Compute a pickled unit of a work: have a worker process do it, and wait until it has."""
    dask_worker = distributed.get_worker()
    address = dask_worker.contact_address
    here = dask_worker.data.get(work + address)
    if here is None:
        return Answer("unknown", worker=address)
    timeout = here.unit_timeout
    try:
        worker = here.take(unit)
    except EpcgError as error:
        return Answer("failed", pickle.dumps(UnitFailure(type(error), error.args, vars(error), "")))
    del here  # so that dask can free it while the unit is computed
    answer = _answered(worker, timeout)
    here = dask_worker.data.get(work + address)
    if here is None:
        stop_workers([] if answer.kind == "ended" else [worker])
        return Answer("unknown", worker=address)
    here.put_back(worker, answer)
    return answer


def _answered(worker: WorkerProcess, unit_timeout: float | None) -> Answer:
    """Wait for the outcome of the unit that a worker process has; setting up does not count for its time."""
    limit_s = math.inf if unit_timeout is None else unit_timeout
    warnings: list[bytes] = []
    deadline = time.monotonic() + limit_s if worker.ready else math.inf
    while True:
        left = deadline - time.monotonic()
        wait([worker.connection, worker.process.sentinel], None if left == math.inf else max(0.0, left))
        alive = worker.process.is_alive()  # asked first: all that it sent before its end has then arrived
        while (answer := worker.receive_pickled()) is not None:
            kind, content = answer
            if kind == WORKER_READY:
                worker.ready = True
                deadline = time.monotonic() + limit_s
            elif kind == UNIT_WARNED:
                warnings.append(content)
            else:
                outcome: Literal["result", "failed"] = "result" if kind == UNIT_RESULT else "failed"
                return Answer(outcome, content, warnings=tuple(warnings))
        if worker.closed or not alive:
            return Answer(
                "ended", ending=worker.ending(), in_set_up=not worker.ready, warnings=tuple(warnings)
            )
        if time.monotonic() > deadline:
            return Answer("overdue", warnings=tuple(warnings))
