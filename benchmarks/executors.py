"""The overhead of a unit: the cluster's executor beside worker processes, in the same run."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable
from typing import Any

import attrs
import distributed
import psutil

from benchmarks.table import Row, row, show
from epcg_core.execution import Executor, Unit, make_executor

WORKERS = 2
UNITS = 400
WAIT_S = 0.5
WAITS = 24


@attrs.frozen
class Waits:
    """A unit that takes so many seconds and no processor, so that what is measured is the executor."""

    seconds: float

    def set_up(self) -> Callable[[Unit], int]:
        def wait(unit: Unit) -> int:
            time.sleep(self.seconds)
            return unit.start

        return wait


def cpu_seconds_of_all() -> float:
    """Return the CPU seconds of this process and of all that it has started."""
    this = psutil.Process()
    times = [process.cpu_times() for process in (this, *this.children(recursive=True))]
    return float(sum(t.user + t.system for t in times))


def costs_a_unit(executor: Executor, work: Waits, units: int) -> tuple[float, float]:
    """Measure (CPU seconds a unit, wall seconds a unit and worker), beyond the unit's own."""
    list(executor.results(work, [Unit(i, 1) for i in range(WORKERS)]))  # starts the workers
    begun, cpu = time.perf_counter(), cpu_seconds_of_all()
    list(executor.results(work, [Unit(i, 1) for i in range(units)]))
    wall = (time.perf_counter() - begun) * WORKERS / units
    return (cpu_seconds_of_all() - cpu) / units, wall - work.seconds


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    cluster: Any = distributed.LocalCluster(
        n_workers=WORKERS, threads_per_worker=1, dashboard_address="127.0.0.1:0",
        silence_logs=logging.CRITICAL,
    )  # fmt: skip
    found = []
    with cluster:
        makers: dict[str, Callable[[], Executor]] = {
            "processes": lambda: make_executor("processes", WORKERS),
            "dask, inside": lambda: make_executor("dask", WORKERS),
            "dask, two workers through TCP": lambda: make_executor(
                "dask", scheduler=cluster.scheduler_address
            ),
        }
        costs = {}
        for name, make in makers.items():
            with make() as executor:
                busy = min(costs_a_unit(executor, Waits(0.0), UNITS)[0] for _ in range(3))
                late = min(costs_a_unit(executor, Waits(WAIT_S), WAITS)[1] for _ in range(3))
                costs[name] = busy, late
    for name in list(makers)[1:]:
        kinds = ("CPU time a unit", f"a unit of {WAIT_S} s takes longer by")
        for what, ours, theirs in zip(kinds, costs[name], costs["processes"], strict=True):
            found.append(
                row(f"executor: {name}, {what}", f"{1e3 * ours:.2f} ms", f"processes {1e3 * theirs:.2f} ms",
                    ours / theirs, "25 ms", ours < 0.025)
            )  # fmt: skip
    return found


if __name__ == "__main__":
    show(measure())
