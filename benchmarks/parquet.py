"""A run of 10^8 candidates as a folder of Parquet files: size, CPU time and memory of the whole command.

The reference is the size of the values in the database, and the sum of what `epcg export` may take.
"""

from __future__ import annotations

import os
import resource
import subprocess
import sys
import tempfile
from pathlib import Path

from benchmarks.table import Row, row, show

PIECES = 7
"""Fling! boards of seven pieces: 231.9 million, two booleans each."""
MEMORY_MB = 300
BYTES_A_CANDIDATE = 0.14
"""Layer 6 in 4.0 MB is 0.123 bytes a candidate; bits alone are 0.25."""


def epcg(folder: Path, *arguments: str) -> tuple[float, int]:
    """Run a command; return its CPU seconds and the peak of its memory in MB."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    process = subprocess.Popen([sys.executable, "-m", "epcg_core.cli", *arguments], cwd=folder,
                               stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)  # fmt: skip
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if process.returncode:
        raise SystemExit(f"epcg {' '.join(arguments)} failed")
    spent = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return spent, usage.ru_maxrss // 1024


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        epcg(folder, "run", "fling/layers", "--set", f"generator.pieces={PIECES}", "--quiet")
        spent, memory = epcg(folder, "export", str(PIECES), "--output", "files", "--partition", "50000000")
        size = sum(path.stat().st_size for path in (folder / "files").iterdir())
        recorded = (folder / "epcg.db").stat().st_size
    candidates = 231_917_400
    what = f"parquet: {candidates:,} candidates as a folder of files"
    return [
        row(f"{what}, memory", f"{memory} MB", "its bar", memory / MEMORY_MB, "1", memory < MEMORY_MB),
        row(
            f"{what}, size",
            f"{size / 1e6:.1f} MB, {spent:.0f} CPU s",
            f"the database {recorded / 1e6:.0f} MB",
            size / (BYTES_A_CANDIDATE * candidates),
            "1",
            size < BYTES_A_CANDIDATE * candidates,
        ),
    ]


if __name__ == "__main__":
    show(measure())
