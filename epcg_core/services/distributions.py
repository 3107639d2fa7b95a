"""How metrics are distributed in runs, for plots."""

from __future__ import annotations

import sqlalchemy as sa

from epcg_core.errors import StoreError
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import space_in_words
from epcg_core.rendering.figures import Distribution
from epcg_core.store import Reader, run_digest

_BINS = "SELECT low, high, count FROM histograms WHERE run_id = :run AND metric = :metric ORDER BY position"


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
