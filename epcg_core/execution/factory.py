"""Executors by their names."""

from __future__ import annotations

import os
import sys

from epcg_core.base.errors import ParamsError, PluginError
from epcg_core.domain import ExecutorInfo, resolve
from epcg_core.execution.executor import Executor
from epcg_core.execution.processes import ProcessExecutor
from epcg_core.execution.serial import SerialExecutor
from epcg_core.execution.threads import ThreadExecutor
from epcg_core.plugins.registry import registry


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def executor_of_schedulers() -> str:
    """Return the executor that the address of a scheduler asks for: one of a plugin."""
    return next((info.name for info in registry().all(ExecutorInfo) if info.has_scheduler), "dask")


def make_executor(
    name: str, workers: int | None = None, unit_timeout: float | None = None, scheduler: str | None = None
) -> Executor:
    """Make an executor.

    Args:
        name: "processes", "threads", "serial" (always one worker), or another that a plugin adds.
        workers: The number of workers; None means `default_workers()`.
        unit_timeout: Seconds after which a unit ends the work with a UnitTimeoutError; the serial executor
            then computes in a thread.
        scheduler: The address of a dask scheduler whose workers are used.

    Raises:
        UnknownNameError: There is no executor `name`, or its distribution is not in use.
        ParamsError: An argument is out of range.
        PluginError: What the executor needs is not installed.
    """
    if workers is not None and workers < 1:
        raise ParamsError(f"workers: {workers} is not allowed; expected a whole number, 1 or more.")
    info = registry().executor(name)
    if scheduler is not None and not info.has_scheduler:
        taken = executor_of_schedulers()
        raise ParamsError(
            f"--scheduler belongs to the executor '{taken}', not to '{name}': leave one of them out."
        )
    if scheduler is not None and workers is not None:
        raise ParamsError(
            "--workers is for workers of this machine; with --scheduler all that are there work."
        )
    count = default_workers() if workers is None else workers
    with registry().attribute_errors_to(info):
        executor = resolve(info.factory)(count, unit_timeout, scheduler)
    if not callable(getattr(executor, "results", None)):
        raise PluginError(f"The {registry().described(info)} made no executor, but {executor!r}.")
    made: Executor = executor
    return made


def serial(workers: int, unit_timeout: float | None, scheduler: str | None) -> Executor:
    """Make the executor that computes here; with a limit of time, in a thread."""
    return SerialExecutor() if unit_timeout is None else ThreadExecutor(1, unit_timeout)


def processes(workers: int, unit_timeout: float | None, scheduler: str | None) -> Executor:
    """Make an executor of worker processes."""
    return ProcessExecutor(workers, unit_timeout)


def threads(workers: int, unit_timeout: float | None, scheduler: str | None) -> Executor:
    """Make an executor of threads."""
    return ThreadExecutor(workers, unit_timeout)
