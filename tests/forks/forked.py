"""Processes that start in milliseconds: forked of one that has imported the command line, and compiled, once.

They are real processes with a memory of their own. Where a compiler is at hand, the disk and the clock of
faulty.c are put before the C library in all of them, asleep until a test's environment wakes it.

`Coordinators`  starts the command line, to be watched and killed
`python_forked` runs Python text to its end, `epcg_forked` the command line
`epcg_serving`  runs the command line as long as a test needs it
"""

from __future__ import annotations

import atexit
import multiprocessing
import os
import shutil
import signal
import subprocess
import sys
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from multiprocessing import forkserver
from multiprocessing.process import BaseProcess
from pathlib import Path
from typing import Self

import pytest

from tests.forks import driver
from tests.processes import DEADLINE_S, Said, running, wait_until, workers_of

ROOT = Path(__file__).resolve().parents[2]
SOURCE = Path(__file__).with_name("faulty.c")
PYTEST = """
import os, sys
os.environ["PYTEST_DISABLE_PLUGIN_AUTOLOAD"] = "1"
import pytest
sys.exit(pytest.main(sys.argv[1:]))
"""
"""pytest without plugins of others, as a text for `python_forked`."""
EPCG = "from epcg_core.cli import main\nmain()"
"""The command line, likewise."""


@cache
def preloaded() -> Path | None:
    """The compiled faulty.c; None where there is no compiler for it."""
    compiler = shutil.which("cc") or shutil.which("gcc")
    if sys.platform != "linux" or compiler is None:
        return None
    folder = Path(tempfile.mkdtemp(prefix="epcg-faults-"))
    atexit.register(shutil.rmtree, folder, ignore_errors=True)
    library = folder / "faulty.so"
    command = [compiler, "-O1", "-shared", "-fPIC", "-o", str(library), str(SOURCE)]
    subprocess.run(command, check=True, capture_output=True)
    return library


def need_faulty_disk() -> None:
    """Skip the test where faulty.c cannot be compiled."""
    if preloaded() is None:
        pytest.skip("a C compiler on Linux makes the disk that fails")


@cache
def fork_server() -> multiprocessing.context.ForkServerContext:
    """What forks, worker processes too; its process starts now, and ends with the tests."""
    context = multiprocessing.get_context("forkserver")
    context.set_forkserver_preload(["pytest", "tests.forks.driver", "tests.forks.compiler"])
    library = preloaded()
    with _environment(PYTHONPATH=str(ROOT), LD_PRELOAD="" if library is None else str(library)):
        forkserver.ensure_running()
    return context


def takes_interrupts() -> bool:
    """Return whether this process takes interrupts, as its forks then do, whatever their server does."""
    return signal.getsignal(signal.SIGINT) is not signal.SIG_IGN


@contextmanager
def _environment(**changes: str) -> Iterator[None]:
    before = dict(os.environ)
    os.environ.update(changes)
    try:
        yield
    finally:
        os.environ.clear()
        os.environ.update(before)


class Coordinator:
    """`epcg ARGUMENTS` in a process group of its own."""

    def __init__(self, process: BaseProcess, said: Path) -> None:
        self.process = process
        self._said = said

    @property
    def pid(self) -> int:
        assert self.process.pid is not None
        return self.process.pid

    @property
    def alive(self) -> bool:
        return self.process.is_alive()

    def poll(self) -> int | None:
        """Its exit code; None as long as it runs."""
        return self.process.exitcode

    def group(self) -> set[int]:
        """Its processes that run, itself included."""
        return {pid for pid, _, group in running() if group == self.pid}

    def workers(self) -> list[int]:
        """Its worker processes, oldest first."""
        return workers_of(self.pid)

    def kill(self) -> None:
        """kill -9, unless it has ended."""
        with suppress(ProcessLookupError):
            os.kill(self.pid, signal.SIGKILL)

    def kill_all(self) -> None:
        """kill -9 of it and of all that it started, at once."""
        with suppress(ProcessLookupError):
            os.killpg(self.pid, signal.SIGKILL)

    def ended(self) -> Said:
        """Wait for its end, and that of all that it started; returns what it said, in `stderr`."""
        self.process.join(DEADLINE_S)
        assert self.process.exitcode is not None, f"it still runs: {self._said.read_text('utf-8')}"
        wait_until(lambda: not self.group(), "the end of the coordinator's processes")
        said = self._said.read_text("utf-8") if self._said.exists() else ""
        return Said(self.process.exitcode, said)


class Coordinators:
    """Starts coordinators; whatever is left of them after the test is killed."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._started: list[Coordinator] = []

    def start(self, *arguments: object, **environment: object) -> Coordinator:
        """Start `epcg ARGUMENTS` with the environment as it is now, and `environment` besides."""
        said = self._folder.parent / f"said-{len(self._started)}"
        words = [str(word) for word in arguments]
        variables = {key: str(value) for key, value in environment.items()}
        process = fork_server().Process(
            target=driver.forked,
            args=(words, dict(os.environ) | variables, self._folder, takes_interrupts(), said),
        )
        process.start()
        coordinator = Coordinator(process, said)
        self._started.append(coordinator)
        return coordinator

    def run(self, *arguments: object, **environment: object) -> Said:
        """Start it and wait for its end."""
        return self.start(*arguments, **environment).ended()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for coordinator in self._started:
            if coordinator.alive:
                coordinator.kill_all()
                coordinator.process.join()


def python_forked(
    text: str, *arguments: object, folder: Path, **environment: str
) -> subprocess.CompletedProcess[str]:
    """Run `python -c TEXT ARGUMENTS` in `folder`, with the environment as it is now, and wait for its end."""
    words = [str(word) for word in arguments]
    with tempfile.TemporaryDirectory() as said:
        out, err = Path(said, "out"), Path(said, "err")
        process = fork_server().Process(
            target=driver.python,
            args=(text, words, os.environ | environment, folder, takes_interrupts(), out, err),
        )
        process.start()
        process.join(DEADLINE_S)
        code = process.exitcode
        if code is None:
            process.kill()
            process.join()
        printed, messages = (path.read_text("utf-8") if path.exists() else "" for path in (out, err))
    assert code is not None, f"it still ran after {DEADLINE_S} s: {messages}"
    return subprocess.CompletedProcess(["python", *words], code, printed, messages)


def epcg_forked(*arguments: object, folder: Path, **environment: str) -> subprocess.CompletedProcess[str]:
    """Run `epcg ARGUMENTS` like `python_forked`."""
    return python_forked(EPCG, *arguments, folder=folder, **environment)


@contextmanager
def epcg_serving(*arguments: object, **environment: str) -> Iterator[Callable[[], str]]:
    """Run `epcg ARGUMENTS` here until the block ends; yields what tells what it has printed so far."""
    with tempfile.TemporaryDirectory() as said:
        out, err = Path(said, "out"), Path(said, "err")
        process = fork_server().Process(
            target=driver.python,
            args=(
                EPCG, [str(word) for word in arguments], os.environ | environment, Path.cwd(),
                takes_interrupts(), out, err,
            ),
        )  # fmt: skip
        process.start()

        def printed() -> str:
            text = out.read_text("utf-8") if out.exists() else ""
            assert text or process.is_alive(), err.read_text("utf-8")
            return text

        try:
            yield printed
        finally:
            process.terminate()
            process.join(DEADLINE_S)
            if err.exists():
                sys.stderr.write(err.read_text("utf-8"))
