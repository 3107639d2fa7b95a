"""Python code that is given up after a time."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable
from typing import TypeVar

R = TypeVar("R")


class OutOfPatienceError(BaseException):
    """The code took longer than it was given; not an Exception, so that nothing takes it for a part's own."""


def within(seconds: float, call: Callable[[], R]) -> R:
    """Return what `call` returns, unless this thread uses more than `seconds` of CPU time in it.

    It is given up between two bytecodes, so a call of compiled code ends first. If other threads cannot
    read this thread's CPU time (Windows), wall time counts.

    Raises:
        OutOfPatienceError: It took longer.
        KeyboardInterrupt: An interrupt arrived, also if the time was over before it was noticed.
    """
    watch = _Watch(seconds)
    try:
        try:
            return call()
        finally:
            watch.end()
    except OutOfPatienceError as error:
        raise _interrupt_before(error) or error from None


class _Watch:
    """A thread that raises OutOfPatienceError in the one that makes it, unless `end` comes first."""

    def __init__(self, seconds: float) -> None:
        self._thread = threading.get_ident()
        self._used = _clock_of(self._thread)
        self._end = self._used() + seconds
        self._over, self._raising, self._raised = threading.Event(), threading.Lock(), False
        self._watcher = threading.Thread(target=self._watch, name="patience", daemon=True)
        self._watcher.start()

    def end(self) -> None:
        """Raise nothing from now on."""
        try:
            self._stop()
        except BaseException:  # an interrupt, or what was to be raised
            self._stop()
            raise
        self._watcher.join()

    def _watch(self) -> None:
        while (left := self._end - self._used()) > 0:
            if self._over.wait(max(left, 0.001)):
                return
        with self._raising:
            if not self._over.is_set():
                self._raised = True
                _raise_in(self._thread)

    def _stop(self) -> None:
        with self._raising:
            self._over.set()
        if self._raised:
            _await_raised(self._thread)


def _interrupt_before(error: BaseException) -> KeyboardInterrupt | None:
    """Return the interrupt that was on its way when `error` was raised."""
    context = error.__context__
    while context is not None and not isinstance(context, KeyboardInterrupt):
        context = context.__context__
    return context


def _raise_in(thread: int) -> None:
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), ctypes.py_object(OutOfPatienceError))


def _await_raised(thread: int) -> None:
    """Let what was raised in this thread arrive here, if it has not arrived before.

    To take it back would leave Python 3.11 looking for it at every call and jump from now on, and under a
    profiler at the first one for ever. So it is raised once more, and arrives at once.
    """
    try:
        _raise_in(thread)
        while True:
            pass
    except OutOfPatienceError:
        pass


def _clock_of(thread: int) -> Callable[[], float]:
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)
