"""Fling! up to 11 pieces, 193.8 billion boards, killed once and resumed: counts, time, memory, disk.

    python -m benchmarks.eleven_pieces FOLDER [PIECES] [UNIQUENESS]

Eleven pieces need 32 GB in FOLDER while they are computed, and two cores for most of an hour, so `make bench`
leaves it out. Every process is killed once (SIGKILL) in the middle of the top layer, and the run resumed.
Memory is the largest sum of proportional set sizes, in which pages of mapped files that several processes
share count once. Disk is what the files in FOLDER take.
"""

from __future__ import annotations

import os
import signal
import sqlite3
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks.layer_runs import QUERIES, descendants, memory_of
from benchmarks.table import row, show

TICKS = os.sysconf("SC_CLK_TCK")
MINUTES, MEMORY, DATABASE = 60, 14, 45
"""The bars for eleven pieces: minutes, gigabytes of memory of all processes, gigabytes of the database."""
KILL_AT = 0.4
"""The share of the top layer at which everything is killed."""


class Watch:
    """Memory, disk and CPU time of a process and its descendants, looked at once a second."""

    def __init__(self, pid: int, folder: Path) -> None:
        self.peak = self.disk = 0
        self._folder = folder
        self._cpu: dict[int, float] = {}
        self._pid = pid
        self._stop = threading.Event()
        self._thread = threading.Thread(target=self._watch)
        self._thread.start()

    def _watch(self) -> None:
        while not self._stop.wait(1.0):
            self.peak = max(self.peak, memory_of(self._pid))
            self.disk = max(self.disk, disk_of(self._folder))
            for process in descendants(self._pid):
                try:
                    fields = Path(f"/proc/{process}/stat").read_text().rpartition(")")[2].split()
                except OSError:
                    continue
                self._cpu[process] = (int(fields[11]) + int(fields[12])) / TICKS

    def end(self) -> float:
        """Return the CPU seconds of all processes seen."""
        self._stop.set()
        self._thread.join()
        return sum(self._cpu.values())


def disk_of(folder: Path) -> int:
    """Return the bytes on the disk of all files in a folder."""
    total = 0
    for path in folder.rglob("*"):
        try:
            total += path.stat().st_blocks * 512
        except OSError:
            continue  # it is gone
    return total


def covered(database: Path, pieces: int) -> int:
    """Return how many boards of the top layer are recorded."""
    try:
        with sqlite3.connect(f"{database.resolve().as_uri()}?mode=ro", uri=True) as connection:
            query = "SELECT evaluated FROM runs WHERE layer = ?"
            found = connection.execute(query, (pieces,)).fetchone()
    except sqlite3.OperationalError:
        return 0
    return int(found[0] or 0) if found else 0


def killed_once(
    command: Sequence[str], folder: Path, share: Callable[[], float], kill_at: float
) -> tuple[float, float, int, int, int]:
    """Run a command, kill it and all of its processes once `share` is `kill_at`, and run it again.

    Returns:
        Wall seconds, CPU seconds, the most bytes of memory and of files in the folder, and how often
        it was killed.
    """
    wall, cpu, peak, disk, killed = 0.0, 0.0, 0, 0, 0
    while True:
        begun = time.perf_counter()
        process = subprocess.Popen(command, stdout=subprocess.DEVNULL)
        watch = Watch(process.pid, folder)
        while process.poll() is None:
            time.sleep(0.5)
            if not killed and (done := share()) >= kill_at:
                killed += 1
                for each in descendants(process.pid):
                    os.kill(each, signal.SIGKILL)
                print(f"killed at {done:.1%}", flush=True)
        wall += time.perf_counter() - begun
        cpu += watch.end()
        peak, disk = max(peak, watch.peak), max(disk, watch.disk)
        if process.returncode == 0:
            return wall, cpu, peak, disk, killed
        if process.returncode != -signal.SIGKILL:
            raise SystemExit(f"the run ended with {process.returncode}")


def main() -> None:
    folder = Path(sys.argv[1])
    pieces = int(sys.argv[2]) if len(sys.argv) > 2 else 11
    uniqueness = sys.argv[3] if len(sys.argv) > 3 else "successors"
    folder.mkdir(parents=True, exist_ok=True)
    database = folder / f"fling-{pieces}-{uniqueness}.db"
    top = 1
    for i in range(pieces):
        top = top * (56 - i) // (i + 1)
    values = (f"generator.pieces={pieces}", f"search.uniqueness={uniqueness}")
    query = (str(QUERIES / "layers.toml"), "--set", values[0], "--set", values[1])
    command = (sys.executable, "-m", "epcg_core.cli", "run", *query, "--db", str(database), "--workers", "2")
    took = killed_once(command, folder, lambda: covered(database, pieces) / top, KILL_AT)
    wall, cpu, peak, disk, killed = took
    size, name = database.stat().st_size / 1e9, f"layers to {pieces} pieces"
    show([
        row(f"{name}: computed", f"{wall / 60:.1f} min, {cpu / 60:.1f} CPU min", f"killed {killed} times",
            wall / 60 / MINUTES, f"{MINUTES} min", wall / 60 < MINUTES),
        row(f"{name}: memory", f"{peak / 1e9:.2f} GB at most", "", peak / 1e9 / MEMORY, f"{MEMORY} GB",
            peak / 1e9 < MEMORY),
        row(f"{name}: database", f"{size:.2f} GB", f"disk {disk / 1e9:.2f} GB at most", size / DATABASE,
            f"{DATABASE} GB", size < DATABASE),
    ])  # fmt: skip
    counts = (sys.executable, "-m", "epcg_core.cli", "sql", "SELECT * FROM layers", "--db", str(database))
    subprocess.run(counts, check=True)


if __name__ == "__main__":
    main()
