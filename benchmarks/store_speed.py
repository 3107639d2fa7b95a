"""The store at 10^8 candidates, through the whole coordinator with two worker processes, then asked.

    python -m benchmarks store_speed

CPU seconds are those of all processes, from the start of Python to its end: the coordinator, which writes,
and the workers, which evaluate, compress and digest. What a candidate costs at least, by the speed of one
core (SHA-256 1.1 GB/s, zstd 0.4 GB/s of reals, both in the worker; SQLite 0.4 GB/s to the log and from
there to the file; a distribution 2 ns a byte, 10 ns a real): 7 ns for a whole number below 16, 57 ns for a
real, so 140 and 17 million a CPU-second, of which starting Python three times takes its part. A row is an
entry of a B-tree: what SQLite alone takes to insert the same rows is measured beside it.
"""

from __future__ import annotations

import json
import os
import sqlite3
import subprocess
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import attrs

from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.chunks.result import UnitResult

CANDIDATES = 100_000_000
ROW_CANDIDATES = 100_000_000
BARE_ROWS, BARE_BATCH, BARE_FLUSH = 1_920_000, 8_000, 48_000
WORKERS = 2
BAR, ROW_BAR = 12e6, 2.2e6
"""Candidates and rows a CPU second, the start of Python apart."""

KINDS = {"flag": "bool, 1 bit", "digit": "16 integers", "number": "integers to 10^9", "share": "real"}
"""Evaluators of the domain `nothing`, one metric each, and what it takes."""
SIZES = {"flag": 0.13, "digit": 1.0, "number": 4.1, "share": 8.1}
"""Bytes a candidate at most, beside those of a small run: its type, and 1 % for everything else."""


@attrs.frozen
class Recorded:
    """The cost of recording."""

    cpu: float
    wall: float
    tenths: list[float]
    """Candidates a CPU-second of workers and writer in each tenth; starting and closing not included."""

    @property
    def rate(self) -> float:
        return CANDIDATES / self.cpu

    @property
    def flatness(self) -> float:
        """The slowest tenth against the mean of all."""
        mean = len(self.tenths) / sum(1 / rate for rate in self.tenths)
        return min(self.tenths) / mean


def record(database: Path, evaluator: str, size: int, rows: str) -> Recorded:
    """Run a query of the domain `nothing` in a new process, whose workers find it by its entry point."""
    command = (sys.executable, "-m", "benchmarks.store_speed", str(database), evaluator, str(size), rows)
    begun = time.perf_counter()
    process = subprocess.Popen(command, stdout=subprocess.PIPE, env=environment(database.parent))
    assert process.stdout is not None
    said = process.stdout.read()
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    if process.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
    return Recorded(usage.ru_utime + usage.ru_stime, time.perf_counter() - begun, json.loads(said))


def environment(folder: Path) -> dict[str, str]:
    """Install the domain `nothing`, in a folder, as the only plugin; return the environment."""
    information = folder / "epcg_nothing-1.dist-info"
    if not information.exists():
        information.mkdir()
        (information / "METADATA").write_text("Metadata-Version: 2.1\nName: epcg-nothing\nVersion: 1\n")
        (information / "entry_points.txt").write_text("[epcg]\nnothing = benchmarks.nothing\n")
    path = os.pathsep.join([str(folder), str(Path(__file__).parents[1])])
    return os.environ | {"PYTHONPATH": path, "EPCG_PLUGINS": "nothing"}


def main(database: str, evaluator: str, size: str, rows: str) -> None:
    """Record in this process, and print the rate in each tenth of the run."""
    from epcg_core.query import query
    from epcg_core.runs import coordinator
    from epcg_core.store import Store, writer

    moments: list[tuple[int, float]] = []

    class TimedWriter(writer.UnitWriter):
        """Notes after every flush how many candidates are written, and the CPU seconds that they took."""

        def __init__(self, *arguments: Any) -> None:
            super().__init__(*arguments)
            self.taken, self.by_workers = 0, 0.0

        def add(self, unit: UnitResult) -> None:
            if not moments:
                moments.append((0, time.process_time()))
            self.taken += unit.count
            self.by_workers += unit.seconds
            super().add(unit)

        def flush(self) -> None:
            super().flush()
            moments.append((self.taken, time.process_time() + self.by_workers))

    writer.UnitWriter = TimedWriter  # type: ignore[assignment, misc]
    text = f"""
        domain = "nothing"
        generator = {{ name = "range", size = {size} }}
        evaluators = [{{ name = "{evaluator}" }}]
        record = {{ rows = "{rows}" }}
    """
    with Store.open(database, write=True) as store:
        coordinator.execute(
            query.parse_query(text), store, coordinator.Options("processes", WORKERS, quiet=True)
        )
    print(json.dumps(tenths(moments)))


def tenths(moments: list[tuple[int, float]]) -> list[float]:
    """Return candidates a CPU second in each tenth, from (candidates written, CPU seconds) after flushes."""
    size = moments[-1][0]
    found, last = [], moments[0]
    for tenth in range(1, 11):
        reached = next(moment for moment in moments if moment[0] >= size * tenth / 10)
        if reached[0] > last[0]:  # a flush may hold more than a tenth
            found.append((reached[0] - last[0]) / (reached[1] - last[1]))
            last = reached
    return found


@attrs.frozen
class Asked:
    """The time and the output of a command."""

    wall: float
    cpu: float
    said: str


def ask(database: Path, *arguments: str) -> Asked:
    """Run `epcg` twice and return the faster call."""
    command = (sys.executable, "-m", "epcg_core.cli", *arguments, "--db", str(database))
    found = []
    for _ in range(2):
        begun = time.perf_counter()
        process = subprocess.Popen(
            command, stdout=subprocess.PIPE, text=True, env=environment(database.parent)
        )
        assert process.stdout is not None
        said = process.stdout.read()
        _, status, usage = os.wait4(process.pid, 0)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode:
            raise SystemExit(f"{' '.join(command)} ended with {process.returncode}")
        found.append(Asked(time.perf_counter() - begun, usage.ru_utime + usage.ru_stime, said))
    return min(found, key=lambda asked: asked.wall)


QUESTIONS = {
    "flag": ("0.5", "NULL"),
    "digit": ("12", "NULL"),
    "number": ("999000000", "NULL"),
    "share": ("0.25", "0.75"),
}
"""Limits between which values are counted."""


def questions(database: Path, kind: str) -> list[Row]:
    """Ask one run for a count over a threshold, the top 100 and a histogram."""
    limits = ", ".join(QUESTIONS[kind])
    asked = {
        "count over a threshold": ask(database, "sql", f"SELECT epcg_count(1, '{kind}', {limits})"),
        "top 100": ask(database, "top", "1", "--count", "100", "--format", "json"),
        "histogram": ask(database, "sql", "SELECT low, high, count FROM histograms WHERE run_id = 1"),
    }
    rows = []
    for what, found in asked.items():
        name = f"store: {KINDS[kind]}, {what} of 10^8"
        figures = f"{found.wall:.2f} s", f"CPU {found.cpu:.2f} s"
        rows.append(row(name, *figures, found.wall / 3, "3 s", found.wall < 3))
    return rows


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    found = []
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for kind in KINDS:  # compiles
            record(folder / f"{kind}-small.db", kind, 1000, "none")
        nearly_empty = folder / "flag-small.db"
        for kind, what in KINDS.items():
            database = folder / f"{kind}.db"
            found += recording(database, kind, what, CANDIDATES, "none", BAR)
            size = (database.stat().st_size - nearly_empty.stat().st_size) / CANDIDATES
            found.append(
                row(f"store: {what}, database", f"{size:.3f} bytes a candidate", "", size / SIZES[kind],
                    f"{SIZES[kind]} bytes", size <= SIZES[kind])
            )  # fmt: skip
            found += questions(database, kind)
            database.unlink()
        database = folder / "rows.db"
        found += recording(database, "digit", "16 integers", ROW_CANDIDATES, "all", ROW_BAR)
        size = database.stat().st_size / ROW_CANDIDATES
        found.append(row("store: rows, database", f"{size:.1f} bytes a row", "", size / 16, "", True))
        found.append(bare_rows(folder / "bare.db"))
    return found


def bare_rows(database: Path) -> Row:
    """Insert rows like those of a run by nothing but SQLite: what the store can reach at best."""
    from epcg_core.store import connection, rows, schema

    engine = connection.writing_engine(str(database))
    schema.metadata.create_all(engine)
    engine.dispose()
    statement = rows._statement(1, 2, BARE_BATCH)
    with sqlite3.connect(database, isolation_level=None) as bare:
        bare.execute("PRAGMA synchronous = NORMAL")

        def insert() -> None:
            for first in range(0, BARE_ROWS, BARE_FLUSH):
                bare.execute("BEGIN")
                for start in range(first, first + BARE_FLUSH, BARE_BATCH):
                    bound = [n for rank in range(start, start + BARE_BATCH) for n in (rank, rank & 15)]
                    bare.execute(statement, bound)
                bare.execute("COMMIT")

        seconds = cpu_seconds(insert)
    rate = BARE_ROWS / seconds
    return row("store: rows, by SQLite alone", f"{rate / 1e6:.2f} M/CPU s", f"{BARE_ROWS:,} rows",
               rate / ROW_BAR, f"{ROW_BAR / 1e6:g} M/CPU s", rate >= ROW_BAR)  # fmt: skip


def recording(database: Path, kind: str, what: str, size: int, rows: str, bar: float) -> list[Row]:
    """Make two rows: the whole run, and how even it is."""
    start = record(database.with_name("nothing.db"), kind, 1, "none")
    database.with_name("nothing.db").unlink()
    taken = record(database, kind, size, rows)
    rate = size / (taken.cpu - start.cpu)
    unit = "rows" if rows == "all" else "candidates"
    print(f"{kind} {rows}: {[f'{r / 1e6:.2f}' for r in taken.tenths]}", file=sys.stderr, flush=True)
    return [
        row(f"store: {what}, 10^8 {unit} recorded", f"{rate / 1e6:.2f} M/CPU s",
            f"{taken.cpu - start.cpu:.1f} CPU s, and {start.cpu:.1f} to start", rate / bar,
            f"{bar / 1e6:g} M/CPU s", rate >= bar),
        row(f"store: {what}, the slowest tenth of it", f"{min(taken.tenths) / 1e6:.2f} M/CPU s",
            f"fastest {max(taken.tenths) / 1e6:.2f} M/CPU s", taken.flatness, "0.8 of the mean",
            taken.flatness >= 0.8),
    ]  # fmt: skip


if __name__ == "__main__":
    if len(sys.argv) == 5:
        main(*sys.argv[1:])
    else:
        show(measure())
