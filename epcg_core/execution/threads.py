"""Threads of the coordinator's own process: for compiled parts that release the GIL.

Nothing is pickled, neither tables nor results. But a thread cannot be stopped: closing the generator drops
the units that wait and lasts until the running ones are done, so units should last no longer than a second.
A unit that exceeds its time limit is left behind in its thread, which ends with the process.
"""

from __future__ import annotations

import queue
import threading
import time
from collections.abc import Callable, Generator, Iterable
from typing import Any, ClassVar, Generic, TypeVar, cast

from epcg_core.base.errors import EpcgError, UnitTimeoutError
from epcg_core.execution.executor import (
    WAKE_UP_S,
    ClosingExecutor,
    Unit,
    Work,
    as_epcg_error,
    dispatched,
    overdue,
)

R = TypeVar("R")

_PATIENCE_S = 1.0
"""Time limit for threads to end; compiled code may not return."""


class ThreadExecutor(ClosingExecutor):
    """See `Executor`."""

    name: ClassVar[str] = "threads"

    def __init__(self, workers: int, unit_timeout: float | None = None) -> None:
        """End a work with a UnitTimeoutError if a unit takes longer than `unit_timeout` seconds."""
        self._workers = workers
        self._unit_timeout = unit_timeout

    @property
    def workers(self) -> int:
        return self._workers

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        threads = _Threads(work, self._workers, self._unit_timeout)
        patience_s = _PATIENCE_S
        try:
            yield from dispatched(threads, units, lambda: self._workers)
        except UnitTimeoutError:
            patience_s = 0.0
            yield from threads.finished()
            raise
        except EpcgError:
            yield from threads.finished(wait=True)
            raise
        finally:
            threads.end(patience_s)


class _Threads(Generic[R]):
    """Threads that compute units of one work, as daemons, so that the process can end without them."""

    def __init__(self, work: Work[R], count: int, unit_timeout: float | None) -> None:
        self._work = work
        self._set_up = threading.Lock()
        self._unit_timeout = unit_timeout
        self._tasks: queue.SimpleQueue[Unit | None] = queue.SimpleQueue()
        self._answers: queue.SimpleQueue[tuple[Unit, R | None, EpcgError | None]] = queue.SimpleQueue()
        self._begun: dict[Unit, float] = {}
        self.in_flight = 0
        self._threads = [
            threading.Thread(target=self._run, name=f"epcg {number}", daemon=True) for number in range(count)
        ]
        for thread in self._threads:
            thread.start()

    def submit(self, unit: Unit) -> None:
        self._tasks.put(unit)
        self.in_flight += 1

    def next_result(self) -> tuple[Unit, R]:
        """Wait for a result. Raises the error of a unit, or UnitTimeoutError if a unit is overdue."""
        while True:
            try:
                unit, result, error = self._answers.get(timeout=self._patience())
            except queue.Empty:
                self._check_time()
                continue
            self.in_flight -= 1
            if error is not None:
                raise error
            return unit, cast(R, result)

    def finished(self, wait: bool = False) -> Iterable[tuple[Unit, R]]:
        """Drop waiting units; hand out finished results, with `wait` also those of running units."""
        self._drop()
        while self.in_flight:
            try:
                unit, result, error = self._answers.get(block=wait)
            except queue.Empty:
                return
            self.in_flight -= 1
            if error is None:
                yield unit, cast(R, result)

    def end(self, patience_s: float) -> None:
        """End every thread that computes nothing, and leave those behind that compute for longer."""
        self._drop()
        for _ in self._threads:
            self._tasks.put(None)
        deadline = time.monotonic() + patience_s
        for thread in self._threads:
            thread.join(max(0.0, deadline - time.monotonic()))

    def _drop(self) -> None:
        while True:
            try:
                if self._tasks.get_nowait() is not None:
                    self.in_flight -= 1
            except queue.Empty:
                return

    def _patience(self) -> float:
        if self._unit_timeout is None or not self._begun:
            return WAKE_UP_S
        left = min(list(self._begun.values())) + self._unit_timeout - time.monotonic()
        return min(WAKE_UP_S, max(left, 0.001))

    def _check_time(self) -> None:
        for unit, begun in list(self._begun.items()):
            if self._unit_timeout is not None and time.monotonic() - begun >= self._unit_timeout:
                raise overdue(unit, self._unit_timeout)

    def _run(self) -> None:
        function: Callable[[Unit], R] | None = None
        while (unit := self._tasks.get()) is not None:
            result: Any = None
            failed: EpcgError | None = None
            try:
                # One at a time: what sets up (imports, the discovery of plugins) need not be thread-safe.
                if function is None:
                    with self._set_up:
                        function = self._work.set_up()
            except BaseException as error:
                failed = _told(error, None)
            else:
                self._begun[unit] = time.monotonic()
                try:
                    result = function(unit)
                except BaseException as error:  # SystemExit too: an evaluator that calls sys.exit has failed
                    failed = _told(error, unit)
                finally:
                    del self._begun[unit]
            self._answers.put((unit, result, failed))


def _told(error: BaseException, unit: Unit | None) -> EpcgError:
    failure = as_epcg_error(error, unit)
    if failure is not error:
        failure.__cause__ = error
    return failure
