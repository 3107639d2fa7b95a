"""Executors by their names."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

from epcg_core.errors import ParamsError, UnknownNameError
from epcg_core.execution.executor import Executor
from epcg_core.execution.processes import ProcessExecutor
from epcg_core.execution.serial import SerialExecutor
from epcg_core.execution.threads import ThreadExecutor


def default_workers() -> int:
    """The number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_executor(name: str, workers: int | None = None) -> Executor:
    """The executor called `name`: "processes", "threads" or "serial" (always one worker).

    `workers` is `default_workers()` where it is None. Raises UnknownNameError and ParamsError.
    """
    if workers is not None and workers < 1:
        raise ParamsError(f"workers: {workers} is not allowed; expected a whole number, 1 or more.")
    count = default_workers() if workers is None else workers
    factories: dict[str, Callable[[], Executor]] = {
        ProcessExecutor.name: lambda: ProcessExecutor(count),
        ThreadExecutor.name: lambda: ThreadExecutor(count),
        SerialExecutor.name: SerialExecutor,
    }
    if name not in factories:
        raise UnknownNameError("executor", name, factories)
    return factories[name]()
