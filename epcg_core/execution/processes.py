"""Worker processes: the default executor, which survives the death of a worker.

Each worker has a pipe of its own, so a process that is killed, even half-way through sending a result, takes
nothing with it but its own unit, and it is known which unit that was. (In a
`concurrent.futures.ProcessPoolExecutor` all workers share one pipe: a death there breaks the pool, loses
every unit in flight and names no culprit.) There are no semaphores and no shared memory to clean up.

As `starting` says, each process imports the main script once more under the name `__mp_main__`. That is
harmless for the `epcg` command; a script of one's own that runs an executor keeps its statements under
`if __name__ == "__main__":`. Workers inherit the environment.
"""

from __future__ import annotations

import sys
from collections.abc import Generator, Iterable
from typing import ClassVar, TypeVar

from epcg_core.execution.dispatcher import Dispatcher
from epcg_core.execution.executor import ClosingExecutor, PreparedWork, Unit, Work, dispatched, pickled
from epcg_core.execution.worker_process import WorkerProcess, stop_workers

R = TypeVar("R")

_MOST_ON_WINDOWS = 30
"""Windows waits for 63 handles at once, and a worker has two."""


class ProcessExecutor(ClosingExecutor):
    """See `Executor`. A worker starts when the first unit for it is there."""

    name: ClassVar[str] = "processes"

    def __init__(self, workers: int, unit_timeout: float | None = None) -> None:
        """End a work with a UnitTimeoutError if a unit takes longer than `unit_timeout` seconds."""
        self._workers = min(workers, _MOST_ON_WINDOWS) if sys.platform == "win32" else workers
        self._unit_timeout = unit_timeout
        self._idle: list[WorkerProcess] = []
        self._dispatcher: Dispatcher | None = None

    @property
    def workers(self) -> int:
        return self._workers

    def results(self, work: Work[R], units: Iterable[Unit]) -> Generator[tuple[Unit, R]]:
        if self._dispatcher is not None:
            raise RuntimeError("an executor does one work at a time: close the generator of the earlier one")
        payload = pickled(work)
        idle, self._idle = self._idle, []
        preload = work.preload if isinstance(work, PreparedWork) else ()
        self._dispatcher = dispatcher = Dispatcher(payload, self._workers, idle, self._unit_timeout, preload)
        completed = False
        try:
            yield from dispatched(dispatcher, units, lambda: self._workers)
            completed = True
        finally:
            kept = dispatcher.stop(keep=completed)
            if self._dispatcher is dispatcher:
                self._dispatcher, self._idle = None, kept

    def close(self) -> None:
        """End every worker."""
        dispatcher, self._dispatcher = self._dispatcher, None
        if dispatcher is not None:
            dispatcher.stop()
        idle, self._idle = self._idle, []
        stop_workers(idle)
