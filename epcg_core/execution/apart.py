"""A function that is computed in a fork of this process, which can be killed while compiled code runs.

Python sees a signal between two bytecodes, so compiled code that does not return can neither be interrupted
nor given up in its own process (numba issues 5551 and 6011). A fork has everything that this process has, in
a few milliseconds: solvers, tables, compiled kernels. It stays for further calls, and keeps what its parts
make at their first candidate.

Linux alone has forks that are safe enough; elsewhere the function is called in this process, without a limit.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import signal
import sys
import threading
import time
import warnings
import weakref
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from pathlib import Path
from typing import Any, Generic, Self, TypeVar

from epcg_core.base.errors import WorkerDiedError
from epcg_core.base.guests import be_guest, output
from epcg_core.execution.executor import WAKE_UP_S
from epcg_core.execution.starting import ignore_interrupts, interrupts_blocked
from epcg_core.execution.worker import UNIT_RESULT, UNIT_WARNED, computed, send_warnings
from epcg_core.execution.worker_process import unpickled

A = TypeVar("A")
R = TypeVar("R")

_LOOK_FOR_PARENT_S = 0.2
WAITING = 5.0
"""Factor of its seconds that a call may take if it waits, or gets no processor."""

NOTHING = 20.0
"""Work that has less than this part of the time that passes computes next to nothing: it waits."""

_spent = 0.0
"""CPU seconds that forks of this process have spent on calls that ended."""

_delayed = 0.0
"""Seconds in which forks of this process could have gone on with such calls, had a processor been free."""

_compiled = 0.0
"""Seconds of compiling kernels in such calls; this process need not have imported the compiler."""


class TimeUpError(Exception):
    """The call took longer than it was given, and was given up."""


class DiedError(WorkerDiedError):
    """The fork ended before it answered: the code called `os._exit`, or the system killed it."""

    def __init__(self) -> None:
        super().__init__(
            "The process that computed a unit ended by itself: a part called os._exit, or memory ran out."
        )


def cpu_seconds() -> float:
    """Return the CPU seconds of this thread and of calls in forks."""
    return time.thread_time() + _spent


def kept_waiting() -> float:
    """Return the seconds in which this thread waited for a processor, as far as the system tells."""
    try:
        return int(Path("/proc/thread-self/schedstat").read_text().split()[1]) / 1e9
    except (OSError, ValueError, IndexError):
        return 0.0


class Worked:
    """The seconds of work since it was made, as far as possible whatever else the machine does.

    They are CPU seconds of this process and of calls in forks. If these are next to nothing, the work waits,
    for another program say, and the time that passes counts; of work that waits in part, a share of it. The
    time in which work waits for a processor does not count.
    """

    def __init__(self) -> None:
        self._cpu, self._clock = time.process_time() + _spent, self._running()

    @staticmethod
    def _running() -> float:
        """Return a clock that stands still while the work waits for a processor."""
        return time.monotonic() - kept_waiting() - _delayed

    @property
    def seconds(self) -> float:
        cpu, clock = time.process_time() + _spent - self._cpu, self._running() - self._clock
        return clock if cpu < clock / NOTHING else max(cpu, clock / WAITING)


def compile_seconds() -> float:
    """Return the CPU seconds that compiling kernels took in this process and its forks."""
    module = sys.modules.get("epcg_core.compiled")
    return _compiled + (0.0 if module is None else float(module.compile_seconds()))


class Apart(Generic[A, R]):
    """Computes `function` of one argument in a fork, which starts at the first call.

    Arguments and results must be picklable. A context manager; the fork also ends with this object.
    """

    def __init__(self, function: Callable[[A], R]) -> None:
        self._function = function
        self._fork: _Fork | None = None

    def __call__(self, argument: A, seconds: float | None = None) -> R:
        """Return the function's value.

        Raises:
            TimeUpError: It took longer than `seconds` of CPU time, or far longer in all; the next call starts
                a new fork.
            DiedError: The fork ended by itself.
            EpcgError: The function raised it, or WorkFailedError for any other exception.
            KeyboardInterrupt: An interrupt arrived; the fork is killed.
        """
        if self._fork is None:
            try:
                self._fork = _Fork(self._function) if sys.platform == "linux" else None
            except OSError:  # the system starts no further process
                self._fork = None
            if self._fork is None:
                return self._function(argument)
        try:
            kind, content = self._fork.ask(argument, seconds)
        except BaseException:
            self.close()
            raise
        if kind == UNIT_RESULT:
            return content  # type: ignore[no-any-return]
        raise content.error()

    @property
    def running(self) -> bool:
        """Whether there is a fork that has been asked before."""
        return self._fork is not None

    def close(self) -> None:
        """Kill the fork, if there is one."""
        fork, self._fork = self._fork, None
        if fork is not None:
            fork.end()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        self.close()


class _Fork:
    """A fork of this process that answers with the values of a function."""

    def __init__(self, function: Callable[[Any], Any]) -> None:
        for stream in (output(), sys.stdout, sys.stderr):  # else the fork would write buffers once more
            with suppress(Exception):
                stream.flush()
        self._connection, theirs = multiprocessing.Pipe()
        parent = os.getpid()
        with interrupts_blocked(), warnings.catch_warnings():
            warnings.simplefilter("ignore", DeprecationWarning)  # of forks in processes with threads
            self._pid = os.fork()
            if not self._pid:
                _serve(theirs, function, parent)
        theirs.close()
        self.end = weakref.finalize(self, _end, self._pid, self._connection, parent)

    def ask(self, argument: Any, seconds: float | None) -> tuple[int, Any]:
        """Return the kind and the content of the answer."""
        global _compiled, _delayed, _spent
        begun, before = time.monotonic(), _cpu_of(self._pid)
        try:
            self._connection.send(argument)
            while True:
                self._wait(begun, before, seconds)
                answer = self._connection.recv_bytes()
                kind, content = unpickled(answer[0], memoryview(answer)[1:], None)
                if kind != UNIT_WARNED:
                    break
                warnings.showwarning(*content)
            used, compiled, delayed = self._connection.recv()
        except (EOFError, OSError):
            raise DiedError from None
        except TimeUpError:
            _spent += _cpu_of(self._pid) - before
            raise
        _spent += used
        _compiled += compiled
        _delayed += delayed
        return kind, content

    def _wait(self, begun: float, used: float, seconds: float | None) -> None:
        """Wait for an answer, until the fork has used `seconds` of CPU time more than `used`."""
        while True:
            left = WAKE_UP_S
            if seconds is not None:
                left = min(
                    seconds - (_cpu_of(self._pid) - used), begun + WAITING * seconds - time.monotonic()
                )
            if self._connection.poll(max(0.0, min(left, WAKE_UP_S))):
                return
            if seconds is not None and left <= 0:
                raise TimeUpError
            if os.waitpid(self._pid, os.WNOHANG)[0]:
                raise DiedError


def _cpu_of(pid: int) -> float:
    """Return the CPU seconds that a process has used, so that a busy machine makes nothing slow."""
    try:
        fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
    except (OSError, ValueError, IndexError):  # it has just ended
        return 0.0


def _end(pid: int, connection: Connection, owner: int) -> None:
    if os.getpid() != owner:  # a fork of the owner has no children of its owner's
        return
    connection.close()
    with suppress(ProcessLookupError, ChildProcessError):
        os.kill(pid, signal.SIGKILL)
        os.waitpid(pid, 0)


def _serve(connection: Connection, function: Callable[[Any], Any], parent: int) -> None:
    """Answer in the fork until its parent closes the connection or dies; does not return."""
    try:
        gc.freeze()  # nothing of the parent's is freed here, such as its connections to databases
        signal.set_wakeup_fd(-1)
        signal.signal(signal.SIGTERM, signal.SIG_DFL)
        ignore_interrupts()
        be_guest()
        send_warnings(connection)
        threading.Thread(target=_end_with_parent, args=(parent,), daemon=True).start()
        while True:
            argument = connection.recv()
            begun, compiled, delayed = time.process_time(), compile_seconds(), kept_waiting()
            answer = computed(function, argument)
            with suppress(Exception):
                sys.stdout.flush()
            connection.send_bytes(answer)
            used = time.process_time() - begun
            connection.send((used, compile_seconds() - compiled, kept_waiting() - delayed))
    except (EOFError, OSError):
        pass
    finally:
        os._exit(1)


def _end_with_parent(parent: int) -> None:
    while os.getppid() == parent:
        time.sleep(_LOOK_FOR_PARENT_S)
    os._exit(1)
