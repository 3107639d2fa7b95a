"""Execution: units of work computed in parallel, robust against the death of worker processes.

    with make_executor("processes", workers=None) as executor:
        with closing(executor.results(work, units)) as results:
            for unit, result in results:
                ...

An executor knows nothing about searches or the store. It takes units lazily, hands results out in the
order in which they are completed, each exactly once, and leaves no process behind.
"""

from epcg_core.execution.choice import SMALL_RUN_SECONDS, Executors
from epcg_core.execution.executor import (
    Executor,
    Unit,
    Work,
    WorkFailedError,
    as_epcg_error,
)
from epcg_core.execution.factory import default_workers, make_executor
from epcg_core.execution.mapping import map_in_threads
from epcg_core.execution.progress import Progress

__all__ = [
    "SMALL_RUN_SECONDS",
    "Executor",
    "Executors",
    "Progress",
    "Unit",
    "Work",
    "WorkFailedError",
    "as_epcg_error",
    "default_workers",
    "make_executor",
    "map_in_threads",
]
