"""How metrics are distributed in runs, for plots."""

from __future__ import annotations

import sqlalchemy as sa

from epcg_core.errors import StoreError
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import space_in_words
from epcg_core.rendering.figures import Distribution
from epcg_core.store import Reader

_BINS = "SELECT low, high, count FROM histograms WHERE run_id = :run AND metric = :metric ORDER BY position"


def distribution(reader: Reader, run_id: int, name: str) -> Distribution:
    """Return how a metric is distributed in a run, from its recorded histogram.

    Raises UnknownNameError, and StoreError if the run is not finished or nothing has a value.
    """
    record = reader.run(run_id)
    column = reader.column(run_id, name)
    if column.metric is None:
        raise StoreError(f"'{name}' of run {run_id} is not a metric, so it has no distribution.")
    rows = reader.connection.execute(sa.text(_BINS), {"run": run_id, "metric": name})
    bins = [(low, high, count) for low, high, count in rows]
    if not record.done:
        raise StoreError(f"Run {run_id} is not finished, so its distributions are not known: epcg resume.")
    if not bins:
        raise StoreError(f"No candidate of run {run_id} has a value of '{name}'.")
    generator = record.spec["query"]["generator"]
    words = space_in_words(registry(), record.domain, generator["name"], generator["params"])
    return Distribution(run_id, words, column.metric, bins)
