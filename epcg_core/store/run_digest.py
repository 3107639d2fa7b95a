"""The end of a run: one digest of all recorded values, and the distribution of each metric."""

from __future__ import annotations

import hashlib
import math
from collections import Counter
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.store import counted, schema, solutions, sparse
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord

EXACT_VALUES = 4_096
BINS = 256

Bin = tuple[Any, Any, int]
"""(lowest value, highest value, how many)."""


def run_digest(reader: Reader, run_id: int) -> str:
    """Digest every chunk's digest by column and rank, independent of units and executors.

    The digest also covers the solutions if the search finds them; for a run that optimizes, it covers the
    optima.
    """
    run = reader.run(run_id)
    objective = sparse.objective_of(run)
    if objective is not None:
        return sparse.digest(reader, run, objective)
    digest = hashlib.sha256()
    for column in reader.columns(run_id):
        for start, count, part in reader.digests(run_id, column.name):
            digest.update(f"{column.name}\0{start}\0{count}\0".encode() + part)
    if run.solutions:
        digest.update(solutions.recorded_digest(reader, run_id)[0])
    return digest.hexdigest()


def histograms(reader: Reader, run_id: int) -> dict[int, list[Bin]]:
    """Return each metric's distribution: up to 4,096 distinct values, else 256 bins of equal width."""
    return {
        column.id: histogram(reader, run_id, column)
        for column in (*reader.columns(run_id), *reader.imported(run_id))
        if column.metric is not None
    }


def histogram(reader: Reader, run_id: int, column: MetricRecord) -> list[Bin]:
    """Return one metric's distribution, lowest value first."""
    assert column.metric is not None
    table = schema.score_chunk.c
    mine = (table.run_id == run_id, table.metric_id == column.id)
    bits = column.metric.kind == "bool"  # the sum of other totals may be beyond SQLite's integers
    asked = [sa.func.sum(table.valued), *([sa.func.sum(table.total)] if bits else [])]
    valued, *total = reader.connection.execute(sa.select(*asked).where(*mine)).one()
    if not valued:
        return []
    if bits:
        return [bin for bin in ((0, 0, valued - total[0]), (1, 1, total[0])) if bin[2]]
    if reader.run(run_id).counted:
        return _counted_bins(*counted.added(reader, run_id, column.id))
    counts: Counter[Any] = Counter()
    for _, values in reader.values(run_id, column.name):
        found, repeats = _counted(values)
        if (
            len(found) + len(counts) > EXACT_VALUES
            and len(counts.keys() | set(found.tolist())) > EXACT_VALUES
        ):
            return _binned(reader, run_id, column.name)
        counts.update(dict(zip(found.tolist(), repeats.tolist(), strict=True)))
    return [(value, value, count) for value, count in sorted(counts.items())]


def _counted_bins(values: NDArray[np.int64], counts: NDArray[np.int64]) -> list[Bin]:
    """Return the bins of whole numbers that were counted one by one."""
    if len(values) <= EXACT_VALUES:
        return [(value, value, count) for value, count in zip(values.tolist(), counts.tolist(), strict=True)]
    edges = np.linspace(float(values[0]), float(values[-1]), BINS + 1)
    sums = np.histogram(values, edges, weights=counts)[0].astype(np.int64)
    return [(float(edges[i]), float(edges[i + 1]), int(n)) for i, n in enumerate(sums) if n]


def _counted(values: NDArray[Any]) -> tuple[NDArray[Any], NDArray[np.int64]]:
    """Count the distinct values, without sorting if they are integers close together."""
    low, high = values.min(), values.max()
    if values.dtype.kind in "iu" and int(high) - int(low) < EXACT_VALUES:
        counts = np.bincount(values.astype(np.int64) - int(low))
        present = np.flatnonzero(counts)
        return present + int(low), counts[present]
    return np.unique(values, return_counts=True)


def _binned(reader: Reader, run_id: int, name: str) -> list[Bin]:
    """Return bins between the finite extremes; infinite values have bins of their own."""
    lows, highs = _finite_extremes(reader, run_id, name)
    edges = edges_of(min(lows), max(highs))
    counts = np.zeros(BINS, np.int64)
    infinite: Counter[float] = Counter()
    for _, values in reader.values(run_id, name):
        finite = np.isfinite(values)
        if not finite.all():
            infinite.update(values[~finite].tolist())
            values = values[finite]
        counts += np.histogram(values, edges)[0]
    bins: list[Bin] = [(float(edges[i]), float(edges[i + 1]), int(n)) for i, n in enumerate(counts) if n]
    return sorted(bins + [(value, value, count) for value, count in infinite.items()])


def edges_of(low: float, high: float) -> NDArray[np.float64]:
    """Return the (BINS + 1,) ascending edges of bins of equal width."""
    # halved: the distance between two reals may be larger than any real
    return np.maximum.accumulate(2 * np.linspace(low / 2, high / 2, BINS + 1))


def _finite_extremes(reader: Reader, run_id: int, name: str) -> tuple[list[Any], list[Any]]:
    """Return each chunk's finite extremes, from its row unless these are infinite."""
    table = schema.score_chunk.c
    mine = (table.run_id == run_id, table.metric_id == reader.column(run_id, name).id, table.valued > 0)
    rows = reader.connection.execute(sa.select(table.start, table.minimum, table.maximum).where(*mine)).all()
    lows, highs = [], []
    for start, low, high in rows:
        if math.isfinite(low) and math.isfinite(high):
            lows.append(low)
            highs.append(high)
            continue
        for _, values in reader.values(run_id, name, where=table.start == start):
            if (finite := values[np.isfinite(values)]).size:
                lows.append(finite.min())
                highs.append(finite.max())
    return lows, highs
