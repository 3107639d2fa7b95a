"""The executor `dask`: workers on other machines, or on this one, through a dask scheduler.

Units are futures of a `distributed.Client`. A resource of dask says which dask workers may compute them: each
that has the coordinator's plugins, and the work with its tables, is given some of it, and a unit needs a bit.
A unit that has ended its worker process needs all of it, so it is done again alone on a dask worker, and is
named if it ends another process. The units of dask workers that leave are done again by dask.

Without a scheduler's address, a cluster inside this process starts worker processes as its children. With an
address, workers need EPCG and the plugins, but neither the database nor any file of the coordinator.
"""

from __future__ import annotations

import pickle
import queue
import threading
import time
import uuid
import warnings
from collections import deque
from collections.abc import Generator, Iterable, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import closing, suppress
from typing import Any, ClassVar, TypeVar

import attrs
import distributed

from epcg_cluster.cluster import Cluster
from epcg_cluster.places import Places
from epcg_cluster.worker import Answer, portable_compute
from epcg_core.inside import (
    UNIT_FAILED,
    UNIT_RESULT,
    WAKE_UP_S,
    ClosingExecutor,
    TravellingWork,
    Unit,
    Work,
    as_epcg_error,
    dispatched,
    ended_in_set_up,
    ended_twice,
    overdue,
    unpickled,
)
from epcg_core.plugin import EpcgError, PluginError

R = TypeVar("R")

NO_WORKERS_S = 60.0
"""Time that a work waits for new workers after the last one has left."""
_LOOK_S = 1.0
_FAREWELL_S = 5.0
_RETRIES = 2
"""How often dask repeats a unit at which dask itself fails; what a unit raises arrives as an answer."""
_LEFT = "the dask worker has left"
_LOST = (distributed.comm.CommClosedError, ConnectionError, TimeoutError)
"""Raised by the client for a scheduler that has ended; other errors of the system are about files here."""


class ClusterExecutor(ClosingExecutor):
    """See `Executor`. Connects when it is first asked for anything."""

    name: ClassVar[str] = "dask"

    def __init__(self, workers: int, unit_timeout: float | None = None, scheduler: str | None = None) -> None:
        """End a work with a UnitTimeoutError if a unit takes longer than `unit_timeout` seconds."""
        self._asked_for = workers
        self._unit_timeout = unit_timeout
        self._scheduler = scheduler
        self._resource = f"epcg-{uuid.uuid4().hex}"
        self._cluster: Cluster | None = None
        self._job: _Job | None = None

    @property
    def workers(self) -> int:
        """Number of units that can be computed at a time. Connects to a cluster; raises EpcgError."""
        if self._scheduler is None:
            return self._asked_for
        hosts = list(self._connected().hosts.values())
        return max(1, sum(host.threads for host in hosts if not host.problem))

    def check(self, needs: Sequence[str]) -> None:
        """Raise PluginError if a worker lacks one of these 'distribution version', or has another."""
        hosts = list(self._connected().hosts.values())
        if found := [refusal for host in hosts if not host.late and (refusal := host.refusal(needs))]:
            raise PluginError("\n".join(found))

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        if self._job is not None:
            raise RuntimeError("an executor does one work at a time: close the generator of the earlier one")
        self.check(work.needs if isinstance(work, TravellingWork) else ())
        cluster = self._connected()
        places = Places(cluster, self._resource, work, self._unit_timeout)
        self._job = job = _Job(cluster, places, self._resource, self._unit_timeout)
        try:
            with closing(job):
                job.start()
                yield from dispatched(job, units, lambda: job.slots)
        except _LOST as error:  # at what we ask of the client between units, as a work begins
            raise cluster.interrupted("is gone") from error
        finally:
            if self._job is job:
                self._job = None

    def close(self) -> None:
        """Leave the cluster; end its workers if the cluster is local."""
        job, self._job = self._job, None
        cluster, self._cluster = self._cluster, None
        if job is not None:
            job.close()
        if cluster is not None:
            cluster.close()

    def _connected(self) -> Cluster:
        if self._cluster is None:
            self._cluster = Cluster(self._scheduler, self._asked_for)
        return self._cluster


@attrs.frozen(eq=False)
class _Flying:
    """A submitted unit."""

    unit: Unit
    alone: bool
    """It has ended a worker process before, or was with one that ended."""
    future: Any
    submitted: float = attrs.field(factory=time.monotonic)


class _Job:
    """One work: the coordinator's thread submits units and takes results, another lets dask workers join."""

    def __init__(self, cluster: Cluster, places: Places, resource: str, unit_timeout: float | None) -> None:
        self._cluster = cluster
        self._places = places
        self._resource = resource
        self._unit_timeout = unit_timeout
        self._flying: dict[str, _Flying] = {}
        self._waiting: list[tuple[Unit, bool]] = []
        """Units, and whether each is to be alone: while one is, no other is with dask (see `_launch`)."""
        self._events: queue.SimpleQueue[Any] = queue.SimpleQueue()
        """(key of a unit, its Answer or error), an error that ends the work, or a time (see `_stranded`)."""
        self._results: deque[tuple[Unit, Any]] = deque()
        self._failure: BaseException | None = None
        self._deaths_in_set_up = 0
        self._fetcher = ThreadPoolExecutor(1, "results of epcg")  # one, so that they keep their order
        self._compute = portable_compute()
        self._watcher = threading.Thread(target=self._watch, name="cluster of epcg", daemon=True)

    def start(self) -> None:
        """Bring the work to all dask workers. Raises EpcgError if one has no room for its tables."""
        self._places.open()
        self._watcher.start()

    @property
    def slots(self) -> int:
        """Number of units that can be computed at a time, at least 1."""
        return max(1, self._places.slots)

    def submit(self, unit: Unit, alone: bool = False) -> None:
        """Submit a unit, perhaps to be `alone`."""
        if self._places.over.is_set():
            raise RuntimeError("the executor was closed")
        self._waiting.append((unit, alone))
        self._launch()

    def _launch(self) -> None:
        """Give waiting units to dask: all of them, or one that is to be alone once no other is there.

        If a dask worker leaves, all units that wait for it are lost with the one that ended it. So a unit can
        only be blamed if no other was there.
        """
        suspects = [each for each in self._waiting if each[1]]
        if self._places.over.is_set() or any(task.alone for task in self._flying.values()):
            return
        if suspects:
            if not self._flying:
                self._waiting.remove(suspects[0])
                self._give(*suspects[0])
            return
        waiting, self._waiting = self._waiting, []
        for each in waiting:
            self._give(*each)

    def _give(self, unit: Unit, alone: bool) -> None:
        """Give a unit to dask."""
        future = self._cluster.client.submit(
            self._compute, self._places.name, pickle.dumps(unit), key=f"epcg-unit-{uuid.uuid4().hex}",
            resources={self._resource: 1}, retries=_RETRIES, pure=False,
        )  # fmt: skip
        self._flying[future.key] = _Flying(unit, alone, future)
        future.add_done_callback(self._done)

    def next_result(self) -> tuple[Unit, Any]:
        """Wait for a result; raises the error that ended the work after the last one."""
        while not self._results or self._places.over.is_set():
            if self._failure is not None and not self._arriving():
                raise self._failure
            try:
                event = self._events.get(timeout=WAKE_UP_S)
            except queue.Empty:
                continue
            if isinstance(event, BaseException):
                self._fail(event)
            elif isinstance(event, float):
                for each in self._stranded(event):
                    self._again(each)
            elif (task := self._flying.get(event[0])) is not None:
                self._take(task, event[1])
                self._launch()
        return self._results.popleft()

    def close(self) -> None:
        """Drop units in flight; dask frees the work and its tables."""
        self._places.over.set()
        if self._watcher.is_alive():
            self._watcher.join(_FAREWELL_S)
        self._places.close()
        self._failure = self._failure or RuntimeError("the executor was closed")
        for task in self._flying.values():
            task.future.release()
        self._flying.clear()
        self._waiting.clear()
        self._fetcher.shutdown(wait=False, cancel_futures=True)
        self._events.put(self._failure)

    def _arriving(self) -> bool:
        """Return whether results have been computed that are not here yet."""
        return any(task.future.status == "finished" for task in self._flying.values())

    def _stranded(self, reopened: float) -> list[_Flying]:
        """Return the units that no worker could take when they were submitted: dask does not look again."""
        return [
            task for task in self._flying.values()
            if task.submitted < reopened and task.future.status in ("pending", "lost")
        ]  # fmt: skip

    def _done(self, future: Any) -> None:
        """Pass on an error, or have a result fetched. In a thread of dask."""
        if future.status != "finished":
            self._fetch(future)
            return
        with suppress(RuntimeError):  # the work is over
            self._fetcher.submit(self._fetch, future)

    def _fetch(self, future: Any) -> None:
        """Wait until a result has arrived; a lost one is computed again first."""
        try:
            self._events.put((future.key, future.result()))
        except Exception as error:
            self._events.put((future.key, error))

    def _take(self, task: _Flying, answer: Answer | Exception) -> None:
        """Take the outcome of a unit."""
        del self._flying[task.future.key]
        task.future.release()
        if isinstance(answer, distributed.CancelledError | OSError):  # the connection was lost
            if self._cluster.connected:
                self._again(task)
            else:
                self._fail(self._cluster.interrupted("is gone"))
            return
        if isinstance(answer, distributed.KilledWorker):
            self._lost(task, _LEFT)
            return
        if isinstance(answer, Exception):
            self._fail(as_epcg_error(answer, task.unit))
            return
        for warning in answer.warnings:
            warnings.showwarning(*pickle.loads(warning))
        if answer.kind == "overdue":
            self._fail(overdue(task.unit, self._unit_timeout or 0.0))
        elif answer.kind == "unknown":  # dask has lost it there: bring it again
            self._places.forget(answer.worker)
            self._again(task)
        elif answer.kind == "ended" and answer.in_set_up:
            self._deaths_in_set_up += 1
            self._again(task)
            if self._deaths_in_set_up > self.slots:
                self._fail(ended_in_set_up(answer.ending))
        elif answer.kind == "ended":
            self._lost(task, answer.ending)
        else:
            kind = UNIT_RESULT if answer.kind == "result" else UNIT_FAILED
            kind, content = unpickled(kind, answer.content, task.unit)
            if kind == UNIT_RESULT:
                self._deaths_in_set_up = 0
                self._results.append((task.unit, content))
            else:
                self._fail(content.error())

    def _again(self, task: _Flying) -> None:
        if self._flying.pop(task.future.key, None) is not None:
            task.future.release()
        if self._failure is None:
            self.submit(task.unit, task.alone)

    def _lost(self, task: _Flying, ending: str) -> None:
        """Do a unit again alone, so that other units cannot have ended its worker; fail if it was alone."""
        if task.alone:
            self._fail(ended_twice(task.unit, ending))
        else:
            self._again(attrs.evolve(task, alone=True))

    def _fail(self, error: BaseException) -> None:
        """End the work, after the results that have been computed."""
        self._failure = self._failure or error

    def _watch(self) -> None:
        """Let dask workers join and leave while the work is computed."""
        waited_s = 0.0
        try:
            while not self._places.over.wait(_LOOK_S):
                if self._places.look():
                    self._events.put(time.monotonic())
                waited_s = 0.0 if self._places.slots else waited_s + _LOOK_S
                if waited_s >= NO_WORKERS_S:
                    raise self._cluster.interrupted(f"has had no workers for {NO_WORKERS_S:.0f} s")
        except EpcgError as error:
            self._events.put(error)
        except Exception as error:
            gone = isinstance(error, OSError) or not self._cluster.connected
            self._events.put(self._cluster.interrupted("is gone") if gone else as_epcg_error(error, None))
