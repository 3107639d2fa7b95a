"""The exhaustive driver itself: candidates into chunks, rows for SQL, and what plain Python loses.

Measured through `epcg_core.runs.coordinator.execute` with the serial executor, so the CPU seconds of
one process are all.
"""

from __future__ import annotations

import os
import tempfile
from functools import partial
from pathlib import Path

import numpy as np

from benchmarks import nothing
from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.domain import NoParams
from epcg_core.plugins.registry import registry
from epcg_core.query import query
from epcg_core.runs import coordinator
from epcg_core.store import Store

CHUNK_CANDIDATES = 40_000_000
ROW_CANDIDATES = 3_000_000
PLAIN_CANDIDATES = 6_000_000


def execute(folder: Path, generator: str, evaluator: str, size: int, rows: str) -> float:
    """Run a query into a new, empty database; return the CPU seconds, planning and finishing included."""
    text = f"""
        domain = "nothing"
        generator = {{ name = "{generator}", size = {size} }}
        evaluators = [{{ name = "{evaluator}" }}]
        record = {{ rows = "{rows}" }}
    """
    location = folder / f"{evaluator}-{size}-{rows}-{os.urandom(4).hex()}.db"
    with Store.open(location, write=True) as store:
        options = coordinator.Options(executor="serial", quiet=True)
        return cpu_seconds(partial(coordinator.execute, query.parse_query(text), store, options))


def bare_kernel() -> None:
    states = np.arange(1 << 20, dtype=np.int64)
    out = np.empty(len(states), np.uint8)
    for _ in range(CHUNK_CANDIDATES >> 20):
        nothing.low_bits(states, out)


def bare_plain() -> None:
    """Run the loop that a person would write over the same two parts."""
    unrank = nothing.PlainRange(nothing.RangeParams(PLAIN_CANDIDATES)).unrank
    evaluate = nothing.Plain(NoParams(), None, {}).evaluate
    values = np.empty(PLAIN_CANDIDATES, np.int64)
    for rank in range(PLAIN_CANDIDATES):
        values[rank] = evaluate(unrank(rank))[0]


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    if not any(report.name == "nothing" for report in registry().reports):
        registry().add_plugin("nothing", nothing, "epcg-nothing", "1")
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        execute(folder, "range", "low_bits", 100_000, "all")  # compiles, and makes the first tables
        chunks = execute(folder, "range", "low_bits", CHUNK_CANDIDATES, "none")
        bare = cpu_seconds(bare_kernel)
        rows = execute(folder, "range", "low_bits", ROW_CANDIDATES, "all")
        ratios = []
        for _ in range(3):
            framed = execute(folder, "plain_range", "plain", PLAIN_CANDIDATES, "none")
            ratios.append(framed / cpu_seconds(bare_plain))
    million_chunks, million_rows = CHUNK_CANDIDATES / chunks / 1e6, ROW_CANDIDATES / rows / 1e6
    plain = sorted(ratios)[1]
    return [
        row(
            "driver: candidates into chunks",
            f"{million_chunks:.1f} M/CPU s",
            f"bare kernel {CHUNK_CANDIDATES / bare / 1e6:.0f} M/CPU s",
            bare / chunks,
            "10 M/CPU s",
            million_chunks >= 10,
        ),
        row(
            "driver: candidates into rows",
            f"{million_rows:.2f} M rows/CPU s",
            f"chunks alone {million_chunks:.1f} M/CPU s",
            million_rows / million_chunks,
            "1.5 M rows/CPU s",
            million_rows >= 1.5,
        ),
        row(
            "driver: plain-Python evaluator",
            f"{(plain - 1) * 100:+.1f} %",
            "the bare loop, 3 pairs, median",
            plain,
            "under +10 %",
            plain < 1.10,
        ),
    ]


if __name__ == "__main__":
    show(measure())
