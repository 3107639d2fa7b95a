"""The best 100,000 of a run's 10^7 values, read from its chunks, beside np.partition of them in memory."""

from __future__ import annotations

import tempfile
from pathlib import Path
from statistics import median

import numpy as np

from benchmarks.table import Row, cpu_seconds, row, show
from epcg_core.plugins.registry import registry
from epcg_core.query import query
from epcg_core.runs import coordinator
from epcg_core.store import Reader, Store, chunk_queries

CANDIDATES = 10_000_000
COUNT = 100_000
REPEATS = 3
BARS = {"share": 12, "digit": 6}
"""Evaluators of the domain `nothing`, and how many times np.partition's CPU seconds may be taken; reals are
eight bytes each, which np.partition finds in memory already."""


def record(location: Path, evaluator: str) -> None:
    """Record a run of the domain `nothing`."""
    text = f"""
        domain = "nothing"
        generator = {{ name = "range", size = {CANDIDATES} }}
        evaluators = [{{ name = "{evaluator}" }}]
    """
    with Store.open(str(location), write=True) as store:
        coordinator.execute(query.parse_query(text), store, coordinator.Options("serial", quiet=True))


def compared(reader: Reader, metric: str) -> tuple[float, float]:
    """Return the median CPU seconds of reading the best from the chunks, and of np.partition."""
    values = np.concatenate([values for _, values in reader.values(1, metric)])
    place = CANDIDATES - COUNT
    ours = [cpu_seconds(lambda: chunk_queries.top(reader, 1, metric, 1, COUNT)) for _ in range(REPEATS)]
    reference = [cpu_seconds(lambda: np.partition(values, place)) for _ in range(REPEATS)]
    return median(ours), median(reference)


def measure() -> list[Row]:
    """Measure the rows of the benchmark table."""
    from benchmarks import nothing

    registry().add_plugin("nothing", nothing, "epcg-nothing", "1")
    rows = []
    for metric, bar in BARS.items():
        with tempfile.TemporaryDirectory() as folder:
            location = Path(folder) / "best.db"
            record(location, metric)
            with Store.open(str(location)) as store, store.reader() as reader:
                ours, reference = compared(reader, metric)
        rows.append(
            row(
                f"best: {COUNT:,} of {CANDIDATES:,} values of '{metric}' in chunks",
                f"{ours:.2f} CPU s",
                f"np.partition in memory {reference:.2f} CPU s",
                ours / reference,
                f"{bar}",
                ours < bar * reference,
            )
        )
    return rows


if __name__ == "__main__":
    show(measure())
