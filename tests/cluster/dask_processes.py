"""A dask scheduler and dask workers, each a process of its own, as they are started by hand."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import threading
from pathlib import Path
from typing import Self

import attrs
import psutil

from tests.core.execution.conftest import ROOT
from tests.core.execution.works import wait_until
from tests.processes import workers_of

ELSEWHERE = Path(__file__).with_name("elsewhere.py")
"""Makes a dask worker that loads it believe to be on another machine."""


@attrs.define
class DaskProcesses:
    """What is started here is killed at the end, with all that it started."""

    folder: Path
    address: str = ""
    _processes: list[subprocess.Popen[str]] = attrs.field(factory=list)

    def scheduler(self, *more: str, **environment: str) -> str:
        """Start a scheduler on loopback; returns its address."""
        self.folder.mkdir(parents=True, exist_ok=True)
        contact = self.folder / "scheduler.json"
        self._start("scheduler", "--host", "127.0.0.1", "--port", "0", "--scheduler-file", str(contact),
                    *more, **environment)  # fmt: skip
        wait_until(lambda: contact.exists() and contact.read_text().rstrip().endswith("}"), "a scheduler")
        self.address = json.loads(contact.read_text())["address"]
        return self.address

    def worker(
        self, name: str, *more: str, threads: int = 1, nanny: bool = False, **environment: str
    ) -> subprocess.Popen[str]:
        """Start a dask worker, by itself or as the child of a `nanny`; it is there when this returns."""
        process = self._start(
            "worker", self.address, "--nanny" if nanny else "--no-nanny", "--nthreads", str(threads),
            "--name", name, "--local-directory", str(self.folder / "scratch"), *more, **environment,
        )  # fmt: skip
        assert process.stderr is not None
        for line in process.stderr:
            if "Registered to:" in line:
                break
        else:
            raise AssertionError(f"the worker {name} did not start")
        threading.Thread(target=process.stderr.read, daemon=True).start()
        return process

    def _start(self, *command: str, **environment: str) -> subprocess.Popen[str]:
        path = os.pathsep.join(
            filter(None, (environment.pop("FIRST", ""), os.environ.get("PYTHONPATH"), ROOT))
        )
        process = subprocess.Popen(
            [sys.executable, "-m", "dask", *command, "--no-dashboard"],
            env=os.environ | environment | {"PYTHONPATH": path}, stderr=subprocess.PIPE, text=True,
            start_new_session=True,
        )  # fmt: skip
        self._processes.append(process)
        return process

    def kill(self, process: subprocess.Popen[str]) -> None:
        """kill -9 of the dask worker alone: what it has started must end by itself."""
        started = psutil.Process(process.pid).children(recursive=True)
        process.kill()
        process.wait()
        wait_until(lambda: not any(one.is_running() for one in started), "the end of its worker processes")

    def kill_scheduler(self) -> None:
        """kill -9 of the scheduler."""
        self._processes[0].kill()
        self._processes[0].wait()

    def computing(self, process: subprocess.Popen[str]) -> list[int]:
        """The worker processes that a dask worker has."""
        return workers_of(process.pid)

    @property
    def tables(self) -> list[Path]:
        """The tables that the workers keep, and what is left of transfers."""
        return list(self.folder.rglob("epcg-tables-*/*"))

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *exception: object) -> None:
        for process in reversed(self._processes):
            try:
                os.killpg(process.pid, signal.SIGKILL)
            except ProcessLookupError:
                continue
            process.wait()
