"""Whole runs of Fling! layers through the coordinator: two workers against one, and layer 8's memory."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
import threading
import time
from pathlib import Path

from benchmarks.table import Row, row, show
from epcg_core.chunks.codec import BIT_CHUNK_SIZE
from epcg_core.execution import Unit, make_executor
from epcg_core.query.query import load
from epcg_core.runs.coordinator import plan
from epcg_core.runs.tables import WorkingFolder
from epcg_core.runs.worker import RunWork
from epcg_core.store import Store

QUERIES = Path(__file__).parent.parent / "plugins" / "fling" / "queries"


def epcg(database: Path, pieces: int, *more: str) -> tuple[float, int]:
    """Solve up to `pieces`; return (wall seconds, largest proportional memory in bytes of all processes)."""
    query = ("run", str(QUERIES / "layers.toml"), "--set", f"generator.pieces={pieces}")
    command = (sys.executable, "-m", "epcg_core.cli", *query, "--db", str(database), "--quiet", *more)
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    peak = 0
    watching = threading.Event()

    def watch() -> None:
        nonlocal peak
        while not watching.wait(0.1):
            peak = max(peak, memory_of(process.pid))

    watcher = threading.Thread(target=watch)
    watcher.start()
    code = process.wait()
    watching.set()
    watcher.join()
    if code:
        raise SystemExit(f"{' '.join(command)} ended with {code}")
    return time.perf_counter() - begun, peak


def memory_of(pid: int) -> int:
    """Return the proportional set size of a process and its descendants, shared pages counted once."""
    total = 0
    for process in descendants(pid):
        try:
            text = Path(f"/proc/{process}/smaps_rollup").read_text()
        except OSError:
            continue  # it has ended
        total += sum(int(line.split()[1]) * 1024 for line in text.splitlines() if line.startswith("Pss:"))
    return total


def descendants(pid: int) -> list[int]:
    children: dict[int, list[int]] = {}
    for entry in os.scandir("/proc"):
        if entry.name.isdigit():
            try:
                stat = Path(entry.path, "stat").read_text()
            except OSError:
                continue
            children.setdefault(int(stat.rpartition(")")[2].split()[1]), []).append(int(entry.name))
    found, queue = [], [pid]
    while queue:
        found.append(queue.pop())
        queue += children.get(found[-1], [])
    return found


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    with tempfile.TemporaryDirectory() as name:
        base = Path(name) / "seven.db"
        epcg(base, 7)
        one, two = units_seconds(base, 1), units_seconds(base, 2)
        _, peak = layer_eight(base, 2)
        size = base.stat().st_size
    return [
        row("layers: units of layer 8, two workers against one", f"{two:.1f} s", f"one worker {one:.1f} s",
            one / two, "1.8, when the second core is free", one / two >= 1.8),
        row("layers: layer 8 recorded, memory of all processes", f"{peak / 2**20:.0f} MiB",
            f"database of layers 1 to 7 {size / 2**20:.0f} MiB", peak / size, "1536 MiB",
            peak < 1536 * 2**20),
    ]  # fmt: skip


def units_seconds(base: Path, workers: int) -> float:
    """Measure the wall seconds of all units of layer 8, computed and encoded by started workers."""
    search, spec = plan(load(QUERIES / "layers.toml", ["generator.pieces=8"]))
    block = search.block_size(spec)
    assert block is not None
    units = [Unit(start, min(block, spec.stop - start)) for start in range(0, spec.stop, block)]
    with Store.open(base) as store, WorkingFolder(None) as folder:
        tables = folder.tables(search, spec, store)
        work = RunWork(spec.query_data(), spec.identity, tables, BIT_CHUNK_SIZE)
        with make_executor("processes", workers) as executor:
            for _ in executor.results(work, units[: 2 * workers]):
                pass  # start Python, load the kernels
            begun = time.perf_counter()
            for _ in executor.results(work, units):
                pass
            return time.perf_counter() - begun


def layer_eight(base: Path, workers: int) -> tuple[float, int]:
    """Record layer 8 (1.42 billion boards) on top of the others; return (wall seconds, memory)."""
    database = base.with_name("eight.db")
    shutil.copy(base, database)
    return epcg(database, 8, "--executor", "processes", "--workers", str(workers))


if __name__ == "__main__":
    show(measure())
