"""Starting: help, listings and SQL without numba, a worker's imports, a small query without compiling.

The processes may write bytecode, as users' do; with PYTHONDONTWRITEBYTECODE each would compile all modules of
an editable installation again, which takes up to 0.2 s.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
import time
from collections.abc import Sequence
from pathlib import Path

from benchmarks.table import Row, row, show

EPCG = (sys.executable, "-m", "epcg_core.cli")
WORKER = (sys.executable, "-c", "import epcg_core.execution.worker, epcg_core.runs.worker")
QUERIES = Path(__file__).parent.parent / "plugins" / "fling" / "queries"


def seconds(command: Sequence[str], repeat: int = 5) -> tuple[float, float]:
    """Return the median (wall, CPU) seconds of a command in a process of its own."""
    found = []
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONDONTWRITEBYTECODE"}
    for _ in range(repeat):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        begun = time.perf_counter()
        subprocess.run(command, check=True, capture_output=True, env=environment)
        wall = time.perf_counter() - begun
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        found.append((wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime))
    walls, cpus = zip(*sorted(found), strict=True)
    return walls[repeat // 2], sorted(cpus)[repeat // 2]


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    python = seconds((sys.executable, "-c", "pass"))[0]
    found = []
    for what, command, bar in (
        ("start: epcg --help", (*EPCG, "--help"), 0.25),
        ("start: epcg domains", (*EPCG, "domains"), 0.4),
        ("start: imports of a worker process", WORKER, 0.3),
    ):
        wall, cpu = seconds(command)
        found.append(_row(what, wall, cpu, python, bar))
    with tempfile.TemporaryDirectory() as folder:
        run = (*EPCG, "run", str(QUERIES / "layers.toml"), "--set", "generator.pieces=3", "--db")
        subprocess.run((*run, f"{folder}/first.db"), check=True, capture_output=True)
        walls = [seconds((*run, f"{folder}/{i}.db"), 1) for i in range(5)]
        wall, cpu = sorted(walls)[2]
        found.append(_row("start: epcg run, 3 layers, new database, compiled before", wall, cpu, python, 1.0))
        sql = (*EPCG, "sql", "SELECT * FROM runs", "--db", f"{folder}/first.db")
        found.append(_row("start: epcg sql", *seconds(sql), python, 0.35))
    return found


def _row(what: str, wall: float, cpu: float, python: float, bar: float) -> Row:
    return row(what, f"{wall:.2f} s, {cpu:.2f} CPU s", f"bare Python {python:.2f} s", wall / python,
               f"{bar} s", min(wall, cpu) < bar)  # fmt: skip


if __name__ == "__main__":
    show(measure())
