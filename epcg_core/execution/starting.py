"""Processes that start in milliseconds, because they are forked of one that has imported what they need.

On Linux the first of them starts Python's fork server, which imports modules of EPCG once; each further one,
and one that takes the place of a process that was killed, costs a fork. Elsewhere, or if the environment asks
libraries for other things than it did when the server was started, processes are spawned: each starts a
fresh Python.

Either way a process has the environment, the folder and the module path of the moment in which it was started
and, as multiprocessing does, imports the main script once more under the name `__mp_main__`. The fork server
is imported inside a function because not every system has one.
"""

from __future__ import annotations

import gc
import multiprocessing
import os
import shutil
import signal
import sys
import tempfile
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from multiprocessing import resource_tracker, util
from multiprocessing.process import BaseProcess as Process
from typing import Any

from epcg_core.base import documents
from epcg_core.base.guests import be_guest

__all__ = ["Process", "ignore_interrupts", "interrupts_blocked", "start_process"]

_LONGEST_FOLDER = 107 - len("/listener-xxxxxxxx")
"""Characters of the name of a folder with a socket; instead of a longer one multiprocessing makes its own."""

_server_has_read: dict[str, str] = {}
"""The environment variables that the fork server's modules have read; empty before it was started."""


def start_process(target: Callable[..., None], *args: object, name: str, preload: Sequence[str]) -> Process:
    """Start a process that calls `target(*args)`. Ctrl-C is blocked in it until it says otherwise.

    Args:
        target: A function of a module.
        args: What the function is called with; connections and sockets are passed on.
        name: The process's name for `multiprocessing`.
        preload: The modules that the fork server imports. Counts for the first process alone.

    Raises:
        OSError: If the system starts no further process.
    """
    resource_tracker.ensure_running()  # the first process would start it, and that unblocks interrupts
    with interrupts_blocked():
        for context in _contexts(preload):
            process = context.Process(  # type: ignore[attr-defined]
                target=_begin, args=(dict(os.environ), target, args), name=name, daemon=True
            )
            try:
                process.start()
            except (EOFError, ConnectionError):  # the server could not fork and has ended
                continue
            return process  # type: ignore[no-any-return]
    raise OSError("the system starts no further process")


def ignore_interrupts() -> None:
    """Ignore Ctrl-C: it reaches all processes of a terminal, and only the first of them reacts to it."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)
    if hasattr(signal, "pthread_sigmask"):
        signal.pthread_sigmask(signal.SIG_UNBLOCK, {signal.SIGINT})


def _begin(environment: dict[str, str], target: Callable[..., None], args: Sequence[object]) -> None:
    gc.freeze()  # a fork shares the memory of what it does not search for garbage
    sys.excepthook = sys.__excepthook__
    os.environ.clear()
    os.environ.update(environment)
    be_guest()
    target(*args)


def _contexts(preload: Sequence[str]) -> Iterator[multiprocessing.context.BaseContext]:
    """Yield the ways to start a process, the fastest first."""
    if sys.platform == "linux":
        from multiprocessing import forkserver

        now = {key: value for key, value in os.environ.items() if _read_by_imports(key)}
        now[""] = ""  # so that it is not empty
        if not _server_has_read:
            _name_temporary_folder()
            forkserver.set_forkserver_preload(["epcg_core.execution.fork_server", *preload])
            _server_has_read.update(now)
        if now == _server_has_read:
            yield multiprocessing.get_context("forkserver")
    yield multiprocessing.get_context("spawn")


def _name_temporary_folder() -> None:
    """Have multiprocessing use a folder that bears the name of this process.

    Those that it makes itself (`pymp-...`) say nothing of their process, so no command could remove one
    whose process was killed.
    """
    configuration: dict[str, Any] = multiprocessing.current_process()._config  # type: ignore[attr-defined]
    if "tempdir" not in configuration:
        folder = tempfile.mkdtemp(prefix=documents.temporary_prefix())
        if len(folder) > _LONGEST_FOLDER:
            shutil.rmtree(folder)
            return
        configuration["tempdir"] = folder
        util.Finalize(None, shutil.rmtree, args=(folder, True), exitpriority=-100)


def _read_by_imports(variable: str) -> bool:
    """Return whether Python or a library reads an environment variable once, when it is loaded."""
    if variable.startswith(("NUMBA_", "PYTHON")):
        return variable != "PYTHONPATH"
    return variable.endswith("_NUM_THREADS")


@contextmanager
def interrupts_blocked() -> Iterator[None]:
    """Block Ctrl-C while a process starts, so that it finds it blocked."""
    if not hasattr(signal, "pthread_sigmask"):
        yield
        return
    before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
    try:
        yield
    finally:
        signal.pthread_sigmask(signal.SIG_SETMASK, before)
