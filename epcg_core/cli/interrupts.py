"""Interrupts that end every command within about a second.

Python raises KeyboardInterrupt between two bytecodes, so compiled code that does not return would be deaf to
Ctrl-C. A thread, which compiled code lets run, notices each signal; if the main thread does not react within
a second, it ends the process as `kill -9` would, which loses nothing that is recorded. Before, it sends the
signal to the main thread once more: a signal that came just before a system call that waits (for a key, say)
does not wake it, and what was set up, such as a terminal, would not be restored.
"""

from __future__ import annotations

import os
import signal
import sys
import threading
import types
from contextlib import suppress
from select import select
from typing import NoReturn

ONCE_MORE_S, PATIENCE_S = 0.25, 1.0
RESUMABLE, INTERRUPTED = 3, 130

_noticed = threading.Semaphore(0)
"""One for each time that the main thread has reacted to signals."""


def watch() -> None:
    """Make SIGINT and SIGTERM interrupts, unless SIGINT is ignored, and start the thread."""
    if signal.getsignal(signal.SIGINT) is signal.default_int_handler:
        signal.signal(signal.SIGINT, interrupt)
    # A polite kill ends like Ctrl-C: what is finished is recorded and the message says how to go on.
    signal.signal(signal.SIGTERM, interrupt)
    if sys.platform == "win32":  # it takes sockets instead of pipes
        return
    ours, pythons = os.pipe()
    os.set_blocking(ours, False)
    os.set_blocking(pythons, False)
    signal.set_wakeup_fd(pythons, warn_on_full_buffer=False)
    threading.Thread(target=_watch, args=(ours,), name="interrupts", daemon=True).start()


def interrupt(number: int, frame: types.FrameType | None) -> NoReturn:
    """Raise KeyboardInterrupt in the main thread."""
    _noticed.release()
    raise KeyboardInterrupt


def _watch(wakeup: int) -> None:
    while True:
        select([wakeup], [], [])
        ours = [number for number in os.read(wakeup, 4096) if signal.getsignal(number) is interrupt]
        if not ours:
            continue  # a part of this command handles it in another way
        if not _noticed.acquire(timeout=ONCE_MORE_S):
            signal.pthread_kill(threading.main_thread().ident or 0, ours[-1])
            if not _noticed.acquire(timeout=PATIENCE_S):
                _end()
        while _noticed.acquire(blocking=False):
            pass
        with suppress(BlockingIOError):  # the signals that came meanwhile are noticed, too
            os.read(wakeup, 4096)


def _end() -> NoReturn:
    """End the process, whatever its main thread does; workers end by themselves."""
    known = sys.modules.get("epcg_core.execution.interrupts")
    how = str(getattr(known, "resume", ""))
    text = f"Error: Interrupted. {how}\n" if how else "Interrupted.\n"
    try:
        os.write(sys.__stderr__.fileno() if sys.__stderr__ else 2, text.encode())
    finally:
        os._exit(RESUMABLE if how else INTERRUPTED)
