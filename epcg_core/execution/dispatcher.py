"""The thread that keeps worker processes busy while the coordinator writes, and that notices their deaths."""

from __future__ import annotations

import atexit
import math
import multiprocessing
import queue
import threading
import time
import warnings
from collections import deque
from collections.abc import Iterable, Sequence
from multiprocessing.connection import Connection, wait
from typing import Any

from epcg_core.base.errors import EpcgError
from epcg_core.execution.executor import Events, Unit, ended_in_set_up, ended_twice, next_event, overdue
from epcg_core.execution.worker import UNIT_RESULT, UNIT_WARNED, WORKER_READY
from epcg_core.execution.worker_process import WorkerProcess, stop_workers


class Dispatcher:
    """One work, from its first unit to its last, on at most `most` workers.

    `workers` are those that an earlier work left; `stop` gives those that the next work can use. A unit that
    takes longer than `unit_timeout` seconds ends the work; setting up does not count. For `preload`, see
    `WorkerProcess`.
    """

    def __init__(
        self,
        payload: bytes,
        most: int,
        workers: Iterable[WorkerProcess],
        unit_timeout: float | None = None,
        preload: Sequence[str] = (),
    ) -> None:
        self._payload = payload
        self._most = most
        self._unit_timeout = unit_timeout
        self._preload = preload
        self._begun: dict[WorkerProcess, float] = {}
        self._workers = list(workers)
        self._waiting: deque[Unit] = deque()
        self._suspects: deque[Unit] = deque()
        self._alone: WorkerProcess | None = None
        self._deaths_in_set_up = 0
        self._failure: EpcgError | None = None
        self._events: Events = queue.SimpleQueue()
        self._stopping = False
        self._bell: Connection
        self._bell, self._bell_button = multiprocessing.Pipe(duplex=False)
        self._thread = threading.Thread(target=self._run, name="epcg dispatcher", daemon=True)
        self._thread.start()
        atexit.register(self.stop)  # before multiprocessing's own, whose killings would look like deaths

    def submit(self, unit: Unit) -> None:
        if self._stopping:
            raise RuntimeError("the executor was closed")
        self._waiting.append(unit)
        self._ring()

    def next_result(self) -> tuple[Unit, Any]:
        """Wait for a result; raises the error that ended the work after the last one."""
        return next_event(self._events)

    def stop(self, keep: bool = False) -> list[WorkerProcess]:
        """Stop the workers, or `keep` those that are idle; return these. Once is enough, twice no harm."""
        if self._stopping:
            return []
        atexit.unregister(self.stop)
        self._stopping = True
        self._ring()
        self._thread.join()
        self._events.put(RuntimeError("the executor was closed"))  # for callers that still wait for a result
        kept = [worker for worker in self._workers if keep and not worker.busy]
        stop_workers([worker for worker in self._workers if worker not in kept])
        self._workers = []
        for worker in kept:
            worker.forget()
        self._bell.close()
        self._bell_button.close()
        return kept

    def _ring(self) -> None:
        self._bell_button.send_bytes(b"")

    def _run(self) -> None:
        try:
            while not self._stopping:
                self._hand_out()
                for worker in self._answering():
                    self._collect(worker)
                self._stop_overdue()
                if self._failure is not None:
                    for worker in list(self._workers):
                        self._collect(worker)
                    self._events.put(self._failure)
                    return
        except BaseException as error:  # the coordinator waits for events: it must learn of every end
            self._events.put(error)

    def _hand_out(self) -> None:
        if self._alone is not None:
            return
        if self._suspects:
            # Alone: what several units together ran out of, usually memory, suffices for one; and if the
            # worker ends again there is no doubt that it was this unit.
            idle = not any(worker.busy for worker in self._workers)
            if idle and (worker := self._free()) is not None:
                self._alone = worker
                worker.give(self._suspects.popleft(), self._payload)
            return
        while self._waiting and (worker := self._free()) is not None:
            worker.give(self._waiting.popleft(), self._payload)

    def _free(self) -> WorkerProcess | None:
        """Return a worker that has nothing to do, a new one if all have."""
        for worker in self._workers:
            if not worker.busy:
                return worker
        if len(self._workers) == self._most:
            return None
        self._workers.append(WorkerProcess(self._preload))
        return self._workers[-1]

    def _time_left(self, worker: WorkerProcess) -> float:
        """Return the seconds until the unit of a worker is overdue."""
        if self._unit_timeout is None or worker.unit is None or not worker.ready:
            return math.inf
        begun = self._begun.setdefault(worker, time.monotonic())
        return begun + self._unit_timeout - time.monotonic()

    def _stop_overdue(self) -> None:
        for worker in self._workers:
            if worker.unit is not None and self._time_left(worker) <= 0:
                assert self._unit_timeout is not None
                self._failure = self._failure or overdue(worker.unit, self._unit_timeout)

    def _answering(self) -> list[WorkerProcess]:
        """Wait for answers, ends, the bell and the next time limit; return who has answered or ended."""
        sources: dict[Any, WorkerProcess | None] = {self._bell: None}
        for worker in self._workers:
            sources[worker.connection] = sources[worker.process.sentinel] = worker
        patience = min(map(self._time_left, self._workers), default=math.inf)
        found = dict.fromkeys(
            sources[source] for source in wait(list(sources), None if patience == math.inf else patience)
        )
        while self._bell.poll():
            self._bell.recv_bytes()
        return [worker for worker in found if worker is not None]

    def _collect(self, worker: WorkerProcess) -> None:
        """Take what `worker` has answered, without waiting for more."""
        alive = worker.process.is_alive()  # asked first: what it sent before its end is then all there
        while (answer := worker.receive()) is not None:
            kind, content = answer
            if kind == WORKER_READY:
                worker.ready = True
                self._deaths_in_set_up = 0
                continue
            if kind == UNIT_WARNED:
                warnings.showwarning(*content)
                continue
            unit, worker.unit = worker.unit, None
            self._begun.pop(worker, None)
            if worker is self._alone:
                self._alone = None
            if kind == UNIT_RESULT and unit is not None:
                self._events.put((unit, content))
            else:
                self._failure = self._failure or content.error()
        if worker.closed or not alive:
            self._bury(worker)

    def _bury(self, worker: WorkerProcess) -> None:
        """Take the unit of a worker that has ended back."""
        ending = worker.ending()
        self._workers.remove(worker)
        self._begun.pop(worker, None)
        alone = worker is self._alone
        if alone:
            self._alone = None
        if not worker.ready:
            self._deaths_in_set_up += 1
            if self._deaths_in_set_up > self._most:
                self._failure = self._failure or ended_in_set_up(ending)
            if worker.unit is not None:
                (self._suspects if alone else self._waiting).appendleft(worker.unit)
        elif alone:
            self._failure = self._failure or ended_twice(worker.unit, ending)
        elif worker.unit is not None:
            self._suspects.append(worker.unit)
