"""Executors by their names."""

from __future__ import annotations

import importlib.util
import os
import sys
from collections.abc import Callable

from epcg_core.errors import EpcgError, ParamsError, UnknownNameError
from epcg_core.execution.executor import Executor
from epcg_core.execution.processes import ProcessExecutor
from epcg_core.execution.serial import SerialExecutor
from epcg_core.execution.threads import ThreadExecutor


def default_workers() -> int:
    """Return the number of processors that this process may use."""
    if sys.version_info >= (3, 13):
        return os.process_cpu_count() or 1
    if sys.platform == "linux":
        return len(os.sched_getaffinity(0))
    return os.cpu_count() or 1


def make_executor(
    name: str, workers: int | None = None, unit_timeout: float | None = None, scheduler: str | None = None
) -> Executor:
    """Make an executor.

    Args:
        name: "processes", "threads", "dask" or "serial" (always one worker).
        workers: The number of workers; None means `default_workers()`.
        unit_timeout: Seconds after which a unit ends the work with a UnitTimeoutError; the serial executor
            then computes in a thread.
        scheduler: The address of a dask scheduler whose workers are used.

    Raises:
        UnknownNameError: There is no executor `name`.
        ParamsError: An argument is out of range.
        EpcgError: dask is not installed.
    """
    if workers is not None and workers < 1:
        raise ParamsError(f"workers: {workers} is not allowed; expected a whole number, 1 or more.")
    if scheduler is not None and name != "dask":
        raise ParamsError(
            f"--scheduler belongs to the executor 'dask', not to '{name}': leave one of them out."
        )
    if scheduler is not None and workers is not None:
        raise ParamsError(
            "--workers is for workers of this machine; with --scheduler all that are there work."
        )
    count = default_workers() if workers is None else workers
    factories: dict[str, Callable[[], Executor]] = {
        ProcessExecutor.name: lambda: ProcessExecutor(count, unit_timeout),
        ThreadExecutor.name: lambda: ThreadExecutor(count, unit_timeout),
        SerialExecutor.name: lambda: _serial(unit_timeout),
        "dask": lambda: _cluster_executor(count, unit_timeout, scheduler),
    }
    if name not in factories:
        raise UnknownNameError("executor", name, factories)
    return factories[name]()


def _serial(unit_timeout: float | None) -> Executor:
    return SerialExecutor() if unit_timeout is None else ThreadExecutor(1, unit_timeout)


def _cluster_executor(workers: int, unit_timeout: float | None, scheduler: str | None) -> Executor:
    if importlib.util.find_spec("distributed") is None:
        raise EpcgError("The executor 'dask' needs dask: install it with pip install 'epcg-core[cluster]'.")
    from epcg_core.execution.dask.executor import ClusterExecutor  # dask takes a second to import

    return ClusterExecutor(workers, unit_timeout, scheduler)
