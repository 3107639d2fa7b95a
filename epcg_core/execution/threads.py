"""Threads of the coordinator's own process: for compiled parts that release the GIL.

Nothing is pickled, neither tables nor results. But a thread cannot be stopped: closing the generator drops
the units that wait and lasts until the running ones are done, so units should last no longer than a second.
"""

from __future__ import annotations

import queue
import threading
from collections.abc import Callable, Generator, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from itertools import islice
from typing import ClassVar, Generic, Self, TypeVar

from epcg_core.errors import EpcgError
from epcg_core.execution.executor import UNITS_PER_WORKER, Unit, Work, as_epcg_error

R = TypeVar("R")

_WAKE_UP_S = 0.5
"""Windows delivers Ctrl-C only between waits."""


class ThreadExecutor:
    """See `Executor`."""

    name: ClassVar[str] = "threads"

    def __init__(self, workers: int) -> None:
        self._workers = workers

    @property
    def workers(self) -> int:
        return self._workers

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        """See `Executor.results`."""
        compute = _ThreadWork(work)
        waiting = iter(units)
        in_flight: dict[Future[R], Unit] = {}
        finished: queue.SimpleQueue[Future[R]] = queue.SimpleQueue()
        pool = ThreadPoolExecutor(self._workers, thread_name_prefix="epcg")
        try:
            while True:
                for unit in islice(waiting, self._workers * UNITS_PER_WORKER - len(in_flight)):
                    future = pool.submit(compute, unit)
                    in_flight[future] = unit
                    future.add_done_callback(finished.put)
                if not in_flight:
                    return
                future = _next(finished)
                unit = in_flight.pop(future)
                if (failure := future.exception()) is not None:
                    yield from _finish(in_flight)
                    raise failure
                yield unit, future.result()
        finally:
            pool.shutdown(wait=True, cancel_futures=True)

    def close(self) -> None:
        """Nothing to end: the threads end with the generator of `results`."""

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


def _next(finished: queue.SimpleQueue[Future[R]]) -> Future[R]:
    while True:
        try:
            return finished.get(timeout=_WAKE_UP_S)
        except queue.Empty:
            continue


def _finish(in_flight: dict[Future[R], Unit]) -> Iterator[tuple[Unit, R]]:
    """Drop the units that wait; hand out those that run, whose end must be waited for anyway."""
    running = [(future, unit) for future, unit in in_flight.items() if not future.cancel()]
    for future, unit in running:
        if future.exception() is None:
            yield unit, future.result()


class _ThreadWork(Generic[R]):
    """Computes units, setting the work up once in each thread that comes along."""

    def __init__(self, work: Work[R]) -> None:
        self._work = work
        self._lock = threading.Lock()
        self._of_thread = threading.local()

    def __call__(self, unit: Unit) -> R:
        function: Callable[[Unit], R] | None = getattr(self._of_thread, "function", None)
        if function is None:
            function = self._set_up()
        try:
            return function(unit)
        except EpcgError:
            raise
        except Exception as error:
            raise as_epcg_error(error, unit) from error

    def _set_up(self) -> Callable[[Unit], R]:
        # One at a time: what sets up (imports, the discovery of plugins) need not be thread-safe.
        try:
            with self._lock:
                function = self._work.set_up()
        except EpcgError:
            raise
        except Exception as error:
            raise as_epcg_error(error, None) from error
        self._of_thread.function = function
        return function
