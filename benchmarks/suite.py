"""The fast tests, with and without compiled kernels, at the speed of a machine that nobody else uses.

The speed of a shared machine may change by half while tests run. So every process of the tests repeats a
small loop all the time, and the wall time is divided by how much longer that takes than undisturbed. This
module is also the plugin of pytest that does so.
"""

from __future__ import annotations

import json
import os
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from statistics import fmean

import pytest

from benchmarks.table import ADDITIONS, UNDISTURBED, Row, cpu_seconds, left_out, row, show

ROOT = Path(__file__).resolve().parents[1]
LOOPS = "EPCG_BENCH_LOOPS"
"""Names the folder for the CPU seconds of the loops, a file for each process of the tests."""
PART, EVERY_S = 60, 1.5
"""The loop is this part of the table's, a hundredth of a second, after each test that ends so much later."""


class Loops:
    """Repeats the loop in one process of the tests."""

    def __init__(self, folder: Path) -> None:
        self._path = folder / f"{os.getpid()}.json"
        self._seconds: list[float] = []
        self._last = time.monotonic()

    def pytest_runtest_logfinish(self) -> None:
        """Take the time of a loop, from time to time."""
        if time.monotonic() - self._last >= EVERY_S:
            self._seconds.append(cpu_seconds(lambda: sum(number for number in range(ADDITIONS // PART))))
            self._last = time.monotonic()

    def pytest_sessionfinish(self) -> None:
        """Leave the seconds to who measures."""
        self._path.write_text(json.dumps(self._seconds), encoding="utf-8")


def pytest_configure(config: pytest.Config) -> None:
    """Repeat the loop where tests run, which is not where they are handed out."""
    if hasattr(config, "workerinput"):
        config.pluginmanager.register(Loops(Path(os.environ[LOOPS])))


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    with tempfile.TemporaryDirectory() as folder:
        return [
            _tests("from a checkout without compiled kernels", 360.0, Path(folder)),
            _tests("with compiled kernels", 240.0, Path(folder)),
        ]


def _tests(what: str, bar: float, folder: Path) -> Row:
    loops = folder / "loops"
    loops.mkdir(exist_ok=True)
    environment = os.environ | {
        LOOPS: str(loops), "EPCG_CACHE": str(folder / "cache"), "PYTHONPATH": str(ROOT),
        "PYTEST_ADDOPTS": "-p benchmarks.suite",
    }  # fmt: skip
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    command = [sys.executable, "-m", "pytest", "-q", "-n", "auto", "--dist", "worksteal"]
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    begun = time.perf_counter()
    done = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False)
    wall = time.perf_counter() - begun
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    cpu = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    if done.returncode != 0:
        return left_out(f"tests: {what}", " ".join(done.stdout.splitlines()[-1:]) or "they did not run")
    seconds: list[float] = []
    for path in loops.glob("*.json"):
        seconds += json.loads(path.read_text(encoding="utf-8"))
        path.unlink()
    slower = fmean(seconds) * PART / UNDISTURBED
    return row(
        f"tests: {what}", f"{wall:.0f} s, {cpu:.0f} CPU s: {wall / slower:.0f} s undisturbed",
        f"the loop in the same run {fmean(seconds) * PART:.2f} CPU s", slower, f"{bar:.0f} s",
        wall / slower < bar,
    )  # fmt: skip


if __name__ == "__main__":
    show(measure())
