"""One writer and ten readers: what the readers cost the writer, and how large its write-ahead log becomes.

The writer is a process of its own that records rows as fast as it can; its CPU seconds are compared with
those of the same run without readers, in turns. Each reader asks a question, waits, and asks again.
"""

from __future__ import annotations

import multiprocessing
import tempfile
import threading
import time
from multiprocessing.connection import Connection
from pathlib import Path
from statistics import median
from unittest.mock import patch

import attrs

from benchmarks.table import Row, row, show
from tests.core.store.reading import Readers, Tally, browsing, log_size

CANDIDATES = 3_000_000
PAIRS = 3
PAUSE = 2.0
"""Seconds between two questions of a reader."""


@attrs.frozen
class Measured:
    """One run of the writer."""

    cpu: float
    wall: float
    log: int
    """Bytes of the largest write-ahead log."""
    waited: float
    """Seconds that the writer waited for readers, to empty its log."""


def write(location: str, candidates: int, answer: Connection) -> None:
    """Record every candidate as a row; sends (CPU seconds, wall seconds, seconds waited)."""
    from benchmarks import nothing
    from epcg_core.plugins.registry import registry
    from epcg_core.query import query
    from epcg_core.runs import coordinator
    from epcg_core.store import Store
    from epcg_core.store.log import WriteAheadLog

    waited, empty = 0.0, WriteAheadLog._empty

    def timed(log: WriteAheadLog, wait_ms: int) -> bool:
        nonlocal waited
        begun = time.perf_counter()
        emptied = empty(log, wait_ms)
        waited += time.perf_counter() - begun
        return emptied

    registry().add_plugin("nothing", nothing, "epcg-nothing", "1")
    text = f"""
        domain = "nothing"
        generator = {{ name = "range", size = {candidates} }}
        evaluators = [{{ name = "low_bits" }}]
        record = {{ rows = "all" }}
    """
    with patch.object(WriteAheadLog, "_empty", timed), Store.open(location, write=True) as store:
        cpu, wall = time.process_time(), time.perf_counter()
        coordinator.execute(query.parse_query(text), store, coordinator.Options("serial", quiet=True))
        answer.send((time.process_time() - cpu, time.perf_counter() - wall, waited))


def measured(location: Path, candidates: int, pause: float | None) -> tuple[Measured, Tally]:
    """Measure the writer's costs without readers (pause None) or with ten, and what the readers counted."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    prepare(location)
    largest, end = 0, threading.Event()

    def watch() -> None:
        nonlocal largest
        while not end.wait(0.02):
            largest = max(largest, log_size(location))

    def run() -> tuple[float, float, float]:
        writer = spawn.Process(target=write, args=(str(location), candidates, theirs))
        writer.start()
        result: tuple[float, float, float] = ours.recv()
        writer.join()
        return result

    watcher = threading.Thread(target=watch)
    watcher.start()
    try:
        if pause is None:
            cpu, wall, waited = run()
            tally = Tally()
        else:
            with browsing(location) as pages, Readers(location, pages, pause) as readers:
                cpu, wall, waited = run()
            tally = readers.tally
    finally:
        end.set()
        watcher.join()
    return Measured(cpu, wall, largest, waited), tally


def prepare(location: Path) -> None:
    """Make a database with a small run in a process of its own, which compiles the missing kernels."""
    spawn = multiprocessing.get_context("spawn")
    ours, theirs = spawn.Pipe()
    process = spawn.Process(target=write, args=(str(location), 1000, theirs))
    process.start()
    ours.recv()
    process.join()


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    pairs: list[tuple[Measured, Measured]] = []
    total, locked, wrong, during = 0, 0, 0, 0
    for _ in range(PAIRS):
        alone, _ = measured_in_new_folder(None)
        read, tally = measured_in_new_folder(PAUSE)
        pairs.append((alone, read))
        total, during = total + tally.total, during + tally.during
        locked, wrong = locked + tally.locked, wrong + len(tally.problems) - tally.locked
    ratio = median(read.cpu / alone.cpu for alone, read in pairs)
    waits = median(read.waited / read.cpu for _, read in pairs)
    speeds = [median(CANDIDATES / one.cpu / 1e6 for one in column) for column in zip(*pairs, strict=True)]
    log = max(read.log for _, read in pairs)
    return [
        row(
            f"readers: rows while ten readers ask, each {PAUSE:g} s after an answer",
            f"{speeds[1]:.2f} M rows/CPU s, waiting {waits:.1%} on top",
            f"alone {speeds[0]:.2f} M rows/CPU s, {PAIRS} pairs, median",
            ratio + waits,
            "under 1.15",
            ratio + waits < 1.15,
        ),
        row(
            "readers: 'database is locked'",
            f"{locked} of {total} answers",
            f"{during} amid a run, {wrong} inconsistent or failed",
            locked,
            "0",
            locked + wrong == 0 and during > 0,
        ),
        row(
            "readers: largest write-ahead log",
            f"{log / 2**20:.0f} MiB",
            f"alone {max(alone.log for alone, _ in pairs) / 2**20:.0f} MiB",
            log / max(1, max(alone.log for alone, _ in pairs)),
            "160 MiB",
            log < 160 << 20,
        ),
    ]


def measured_in_new_folder(pause: float | None) -> tuple[Measured, Tally]:
    """Run `measured` on a database that is made for it and then removed."""
    with tempfile.TemporaryDirectory() as folder:
        return measured(Path(folder) / "readers.db", CANDIDATES, pause)


if __name__ == "__main__":
    show(measure())
