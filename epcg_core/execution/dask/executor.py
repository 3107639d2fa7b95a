"""The executor `dask`: workers on other machines, or on this one, through a dask scheduler.

Without a scheduler's address, a cluster inside this process starts worker processes as its children, which
allows trying a distributed run on one machine. With an address, workers need EPCG and the plugins, but
neither the database nor any file of the coordinator: tables are sent to each machine once (`table_cache`).
Stopping is immediate either way, since units are computed in processes that the dask workers start.
"""

from __future__ import annotations

import asyncio
import atexit
import threading
from collections.abc import Coroutine, Generator, Iterable, Sequence
from concurrent.futures import Future
from typing import Any, ClassVar, TypeVar

from epcg_core.execution.dask.cluster import Cluster
from epcg_core.execution.dask.dispatcher import ClusterDispatcher
from epcg_core.execution.executor import WAKE_UP_S, ClosingExecutor, Unit, Work, dispatched, next_event

R = TypeVar("R")
T = TypeVar("T")


class ClusterExecutor(ClosingExecutor):
    """See `Executor`. Connects when it is first asked for anything."""

    name: ClassVar[str] = "dask"

    def __init__(self, workers: int, unit_timeout: float | None = None, scheduler: str | None = None) -> None:
        """End a work with a UnitTimeoutError if a unit takes longer than `unit_timeout` seconds."""
        self._unit_timeout = unit_timeout
        self._asked_for = workers
        self._scheduler = scheduler
        self._loop: asyncio.AbstractEventLoop | None = None
        self._cluster: Cluster | None = None
        self._dispatcher: ClusterDispatcher | None = None
        self._works = 0

    @property
    def workers(self) -> int:
        """Number of units that can be computed at a time. Connects to a cluster; raises EpcgError."""
        if self._scheduler is None:
            return self._asked_for
        return max(1, self._connected().slots)

    def check(self, needs: Sequence[str]) -> None:
        """Raise PluginError if a worker lacks one of these 'distribution version', or has another."""
        self._connected().check(needs)

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        if self._dispatcher is not None:
            raise RuntimeError("an executor does one work at a time: close the generator of the earlier one")
        cluster = self._connected()
        self._works += 1
        self._dispatcher = dispatcher = ClusterDispatcher(cluster, work, self._works, self._unit_timeout)
        try:
            self._do(dispatcher.start())
            yield from dispatched(_Feed(self, dispatcher), units, lambda: self.workers)
        finally:
            if self._dispatcher is dispatcher:
                self._dispatcher = None
                self._do(dispatcher.stop())

    def close(self) -> None:
        """Leave the cluster; end its workers if the cluster is local."""
        loop, self._loop = self._loop, None
        if loop is None:
            return
        atexit.unregister(self.close)
        dispatcher, self._dispatcher = self._dispatcher, None
        try:
            if dispatcher is not None:
                _wait(asyncio.run_coroutine_threadsafe(dispatcher.stop(), loop))
            if self._cluster is not None:
                _wait(asyncio.run_coroutine_threadsafe(self._cluster.close(), loop))
        finally:
            self._cluster = None
            loop.call_soon_threadsafe(loop.stop)
            self._thread.join()

    def call_soon(self, function: Any, *args: Any) -> None:
        """Call a function in the event loop."""
        if self._loop is None:
            raise RuntimeError("the executor was closed")
        self._loop.call_soon_threadsafe(function, *args)

    def _connected(self) -> Cluster:
        if self._cluster is None:
            self._loop = asyncio.new_event_loop()
            self._thread = threading.Thread(target=self._run, name="cluster of epcg", daemon=True)
            self._thread.start()
            atexit.register(self.close)
            self._cluster = Cluster(self._scheduler, self._asked_for)
            try:
                self._do(self._cluster.open())
            except BaseException:
                self.close()
                raise
        return self._cluster

    def _run(self) -> None:
        assert self._loop is not None
        loop = self._loop
        asyncio.set_event_loop(loop)
        try:
            loop.run_forever()
        finally:
            for task in asyncio.all_tasks(loop):
                task.cancel()
            loop.run_until_complete(asyncio.sleep(0))
            loop.run_until_complete(loop.shutdown_default_executor())
            loop.close()

    def _do(self, coroutine: Coroutine[Any, Any, T]) -> T:
        if self._loop is None:
            coroutine.close()
            raise RuntimeError("the executor was closed")
        return _wait(asyncio.run_coroutine_threadsafe(coroutine, self._loop))


class _Feed:
    """A dispatcher as the coordinator's thread uses it."""

    def __init__(self, executor: ClusterExecutor, dispatcher: ClusterDispatcher) -> None:
        self._executor = executor
        self._dispatcher = dispatcher

    def submit(self, unit: Unit) -> None:
        self._executor.call_soon(self._dispatcher.submit, unit)

    def next_result(self) -> tuple[Unit, Any]:
        return next_event(self._dispatcher.events)


def _wait(future: Future[T]) -> T:
    while True:
        try:
            return future.result(timeout=WAKE_UP_S)
        except TimeoutError:
            if future.done():  # its own
                raise
