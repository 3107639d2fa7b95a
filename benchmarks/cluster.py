"""A cluster as it is used: dask's own scheduler and workers as processes, and a run as a command.

Not in `make bench`: it takes minutes. `python -m benchmarks.cluster --pieces 10` solves all layers of Fling!

1. with worker processes of this machine, for the digests,
2. with one to four dask workers that believe to be on another machine each, so that tables are sent to them:
   wall seconds, CPU seconds by worker, and what of the workers' time is idle,
3. with four of which one is killed (kill -9), one is added, and whose scheduler is killed and started again,
   all at random times; then `epcg resume`.

Every digest has to be that of the first.
"""

from __future__ import annotations

import argparse
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import psutil

from benchmarks.table import row, show
from epcg_core.store import Store
from tests.cluster.dask_processes import ELSEWHERE, DaskProcesses

MOST_WORKERS = 4


class Coordinator:
    """`epcg run` of the layers, or `epcg resume`, as a process of its own."""

    def __init__(self, folder: Path, pieces: int, database: str, *more: str) -> None:
        self.database = folder / database
        ask = ["resume"] if self.database.exists() else ["run", "fling/layers"]
        pieces_of = [] if self.database.exists() else ["--set", f"generator.pieces={pieces}"]
        self.begun = time.perf_counter()
        self.process = subprocess.Popen(
            [sys.executable, "-m", "epcg_core.cli", *ask, *pieces_of, *more, "--db", str(self.database)],
            stdout=subprocess.DEVNULL,
            stderr=subprocess.PIPE,
            text=True,
        )
        self._measured = psutil.Process(self.process.pid)
        self.cpu_s = 0.0

    def wait(self) -> tuple[int, str]:
        """Wait for the end; return the exit status and the last line of what it said."""
        assert self.process.stderr is not None
        last = ""
        for line in self.process.stderr:
            last = line.strip() or last
            self.cpu_s = max(self.cpu_s, cpu_s_of(self._measured))
        code = self.process.wait()
        self.wall_s = time.perf_counter() - self.begun
        return code, last

    def digests(self) -> list[str]:
        with Store.open(self.database) as store, store.reader() as reader:
            return [str(run.digest) for run in reader.runs() if run.state == "done"]


def cpu_s_of(process: psutil.Process) -> float:
    """Return the CPU seconds of a process and of those that it has started."""
    total = 0.0
    try:
        for each in (process, *process.children(recursive=True)):
            times = each.cpu_times()
            total += times.user + times.system
    except psutil.NoSuchProcess:
        pass
    return total


def elsewhere(dask: DaskProcesses, name: str) -> subprocess.Popen[str]:
    """Start a dask worker with one thread that sees none of the coordinator's files."""
    return dask.worker(name, "--preload", str(ELSEWHERE))


def scaled(folder: Path, pieces: int, workers: int, expected: list[str]) -> dict[str, Any]:
    """Run with a number of dask workers; return a row of the table."""
    with DaskProcesses(folder / f"dask{workers}") as dask:
        address = dask.scheduler()
        processes = [psutil.Process(elsewhere(dask, f"w{number}").pid) for number in range(workers)]
        before = [cpu_s_of(process) for process in processes]
        run = Coordinator(folder, pieces, f"{workers}.db", "--scheduler", address)
        code, last = run.wait()
        spent = [cpu_s_of(process) - was for process, was in zip(processes, before, strict=True)]
    assert code == 0, last
    assert run.digests() == expected
    idle = 1 - sum(spent) / run.wall_s / min(workers, os.cpu_count() or 1)
    by_worker = " ".join(f"{each:.0f}" for each in spent)
    return {"workers": workers, "wall_s": run.wall_s, "by_worker": by_worker, "idle": idle, "own": run.cpu_s}


def disturbed(folder: Path, pieces: int, seconds: float, expected: list[str]) -> str:
    """Kill a worker, add one, kill the scheduler; go on with a new one. Returns what happened."""
    chance = random.Random()
    with DaskProcesses(folder / "first") as dask:
        address = dask.scheduler()
        workers = [elsewhere(dask, f"w{number}") for number in range(MOST_WORKERS)]
        run = Coordinator(folder, pieces, "disturbed.db", "--scheduler", address)
        moments = sorted(chance.uniform(0.15, 0.75) * seconds for _ in range(3))
        told = []
        for moment, name in zip(
            moments, ("a worker killed", "one added", "the scheduler killed"), strict=True
        ):
            time.sleep(max(0.0, run.begun + moment - time.perf_counter()))
            told.append(f"{name} after {time.perf_counter() - run.begun:.0f} s")
            if name == "a worker killed":
                dask.kill(chance.choice(workers))
            elif name == "one added":
                elsewhere(dask, "late")
            else:
                dask.kill_scheduler()
        code, last = run.wait()
        told.append(f"ended with {code}: {last}")
    if code:
        with DaskProcesses(folder / "second") as dask:
            address = dask.scheduler()
            for number in range(MOST_WORKERS):
                elsewhere(dask, f"w{number}")
            run = Coordinator(folder, pieces, "disturbed.db", "--scheduler", address)
            again, last = run.wait()
            told.append(f"resumed, ended with {again} after {run.wall_s:.0f} s")
            assert again == 0, last
    assert run.digests() == expected
    return "; ".join(told)


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--pieces", type=int, default=10)
    pieces = parser.parse_args().pieces
    signal.signal(signal.SIGTERM, lambda *_: sys.exit(1))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        alone = Coordinator(folder, pieces, "alone.db", "--workers", str(os.cpu_count() or 1))
        code, last = alone.wait()
        assert code == 0, last
        expected = alone.digests()
        what = f"layers of Fling! to {pieces} pieces"
        rows = [row(f"{what}: worker processes", f"{alone.wall_s:.0f} s", "", 1.0, "", True)]
        for workers in range(1, MOST_WORKERS + 1):
            found = scaled(folder, pieces, workers, expected)
            measured = (
                f"{found['wall_s']:.0f} s; CPU s of workers {found['by_worker']}, of the coordinator "
                f"{found['own']:.0f}; idle {found['idle']:.0%}"
            )
            rows.append(
                row(f"{what}: {workers} dask workers", measured, "", alone.wall_s / found["wall_s"], "", True)
            )
            seconds = found["wall_s"]
        show(rows)
        print(disturbed(folder, pieces, seconds, expected))
        print(f"Digest of the last layer, the same in all: {expected[-1]}")


if __name__ == "__main__":
    main()
