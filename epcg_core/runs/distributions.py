"""How metrics are distributed in runs, for plots."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.domain import Metric
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import space_in_words
from epcg_core.store import Reader, run_digest

_BINS = "SELECT low, high, count FROM histograms WHERE run_id = :run AND metric = :metric ORDER BY position"

Bin = tuple[Any, Any, int]
"""(lowest value, highest value, how many)"""


@attrs.frozen
class Distribution:
    """How a metric is distributed in a run."""

    run_id: int
    space: str
    metric: Metric
    bins: Sequence[Bin]

    @property
    def total(self) -> int:
        return sum(count for _, _, count in self.bins)

    @property
    def mean(self) -> float:
        """The mean: exact if the bins are single values, else of the middles of the bins."""
        return float(sum((low + high) / 2 * count for low, high, count in self.bins) / self.total)


def distribution(reader: Reader, run_id: int, name: str) -> Distribution:
    """Return how a metric is distributed in a run: in what it evaluated so far, if it is not finished.

    Raises UnknownNameError, and StoreError if nothing has a value.
    """
    record = reader.run(run_id)
    column = reader.column(run_id, name)
    if column.metric is None:
        raise StoreError(f"'{name}' of run {run_id} is not a metric, so it has no distribution.")
    if record.done:
        rows = reader.connection.execute(sa.text(_BINS), {"run": run_id, "metric": name})
        bins = [(low, high, count) for low, high, count in rows]
    else:
        bins = run_digest.histogram(reader, run_id, column)
    if not bins:
        raise StoreError(f"No candidate of run {run_id} has a value of '{name}'.")
    generator = record.spec["query"]["generator"]
    words = space_in_words(registry(), record.domain, generator["name"], generator["params"])
    words += f" ({record.so_far})" if record.so_far else ""
    return Distribution(run_id, words, column.metric, bins)
