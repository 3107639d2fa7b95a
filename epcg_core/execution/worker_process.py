"""The coordinator's side of a worker process: start it, give it units, read its answers, end it."""

from __future__ import annotations

import multiprocessing
import pickle
import signal
import time
from collections.abc import Sequence
from typing import Any

from epcg_core.base.errors import EpcgError
from epcg_core.execution.executor import Unit, as_epcg_error
from epcg_core.execution.starting import Process, start_process
from epcg_core.execution.worker import UNIT_FAILED, UnitFailure, serve

_PATIENCE_S = 1.0
"""Time limit for a worker to end before it is killed."""


class WorkerProcess:
    """A worker. If it is the first, the modules of `preload` are imported for all."""

    def __init__(self, preload: Sequence[str] = ()) -> None:
        self.connection, theirs = multiprocessing.Pipe()
        self.unit: Unit | None = None
        """The unit that it computes."""
        self.ready = True
        """False while it starts or sets a work up."""
        self.closed = False
        """It will answer nothing more."""
        self._payload: bytes | None = None
        try:
            self.process = start_process(
                serve, theirs, name="epcg worker", preload=(serve.__module__, *preload)
            )
        except OSError as error:
            self.connection.close()
            raise EpcgError(f"A worker process could not be started ({error}): use fewer workers.") from error
        finally:
            theirs.close()  # else the pipe would outlive the worker

    @property
    def busy(self) -> bool:
        """It computes something or is being set up."""
        return self.unit is not None or not self.ready

    def give(self, unit: Unit, payload: bytes, pickled: bytes | None = None) -> None:
        """Compute a unit of the work pickled in `payload`, which is set up first if it is new.

        `pickled` is the pickle of the unit, if this process need not know its class.
        """
        if payload is not self._payload:
            self._payload = payload
            self.ready = False
            self._send(pickle.dumps(payload))
        self.unit = unit
        self._send(pickle.dumps(unit) if pickled is None else pickled)

    def forget(self) -> None:
        """Release the work and its mapped tables."""
        self._payload = None
        self._send(pickle.dumps(None))

    def receive(self) -> tuple[int, Any] | None:
        """Return the next answer if available, else None; `closed` tells whether more may come."""
        answer = self._receive_bytes()
        return None if answer is None else unpickled(answer[0], memoryview(answer)[1:], self.unit)

    def receive_pickled(self) -> tuple[int, bytes] | None:
        """Receive like `receive`, but leave the content pickled for another process."""
        answer = self._receive_bytes()
        return None if answer is None else (answer[0], answer[1:])

    def _receive_bytes(self) -> bytes | None:
        try:
            if self.closed or not self.connection.poll():
                return None
            return self.connection.recv_bytes()
        except (EOFError, OSError):
            self.closed = True
            return None

    def ending(self) -> str:
        """Describe how a process that has ended, or closed its pipe, came to its end."""
        self.connection.close()
        code = _reaped(self.process, _PATIENCE_S)
        if code >= 0:
            return f"exit code {code}"
        try:
            return f"killed by {signal.Signals(-code).name}"
        except ValueError:
            return f"killed by signal {-code}"

    def _send(self, message: bytes) -> None:
        try:
            self.connection.send_bytes(message)
        except OSError:
            return  # the worker is gone; readers of its answers notice that too


def unpickled(kind: int, content: bytes | memoryview, unit: Unit | None) -> tuple[int, Any]:
    """Unpickle an answer; one that cannot be read is a failure of `unit`."""
    try:
        return kind, pickle.loads(content)
    except Exception as error:
        failure = as_epcg_error(error, unit)
        return UNIT_FAILED, UnitFailure(type(failure), failure.args, vars(failure), "")


def stop_workers(workers: Sequence[WorkerProcess]) -> None:
    """End all workers: close the pipes of idle ones, terminate busy ones, kill those that do not end."""
    for worker in workers:
        worker.connection.close()
        if worker.busy:
            worker.process.terminate()
    deadline = time.monotonic() + _PATIENCE_S
    for worker in workers:
        _reaped(worker.process, max(0.0, deadline - time.monotonic()))


def _reaped(process: Process, patience_s: float) -> int:
    """Wait for the end of `process`, or kill it; return its exit code and release its resources."""
    process.join(patience_s)
    if process.exitcode is None:
        process.kill()
        process.join()
    code = process.exitcode
    process.close()
    return 0 if code is None else code
