"""Python code that is given up after a time."""

from __future__ import annotations

import ctypes
import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager


class OutOfPatienceError(BaseException):
    """The code took longer than it was given; not an Exception, so that nothing takes it for a part's own."""


@contextmanager
def at_most(seconds: float) -> Iterator[None]:
    """Raise OutOfPatienceError in the body once this thread has used `seconds` of CPU time in it.

    It is raised between two bytecodes, so a call of compiled code ends first. If other threads cannot
    read this thread's CPU time (Windows), wall time counts.
    """
    thread = threading.get_ident()
    used = _clock_of(thread)
    end = used() + seconds
    over, raising = threading.Event(), threading.Lock()

    def watch() -> None:
        while (left := end - used()) > 0:
            if over.wait(max(left, 0.001)):
                return
        with raising:
            if not over.is_set():
                _raise_in(thread, OutOfPatienceError)

    watcher = threading.Thread(target=watch, name="patience", daemon=True)
    watcher.start()
    try:
        yield
    finally:
        with raising:
            over.set()
            _raise_in(thread, None)  # what was to be raised, and the body has ended before
        watcher.join()


def _raise_in(thread: int, error: type[BaseException] | None) -> None:
    kind = None if error is None else ctypes.py_object(error)
    ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread), kind)


def _clock_of(thread: int) -> Callable[[], float]:
    if not hasattr(time, "pthread_getcpuclockid"):
        return time.monotonic
    clock = time.pthread_getcpuclockid(thread)
    return lambda: time.clock_gettime(clock)
