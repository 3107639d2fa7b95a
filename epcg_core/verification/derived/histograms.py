"""The distributions of a run's metrics, made again from its chunks."""

from __future__ import annotations

import sqlalchemy as sa

from epcg_core.errors import CheckFailedError
from epcg_core.store import run_digest, schema
from epcg_core.verification.derived.subject import Subject


def histograms(subject: Subject) -> str:
    """Check every bin of every metric's histogram; an unfinished run has none."""
    run, reader, table = subject.run, subject.reader, schema.score_histogram.c
    if run.dropped:
        return "Not checked: the values were dropped, and their histograms stay."
    rows = reader.connection.execute(
        sa.select(table.metric_id, table.position, table.low, table.high, table.count)
        .where(table.run_id == run.id)
        .order_by(table.metric_id, table.position)
    )
    recorded = [tuple(row) for row in rows]
    derived = [
        (metric, position, *bin)
        for metric, bins in sorted((run_digest.histograms(reader, run.id) if run.done else {}).items())
        for position, bin in enumerate(bins)
    ]
    if recorded != derived:
        names = {column.id: column.name for column in reader.columns(run.id)}
        metric = min(set(recorded) ^ set(derived))[0]
        raise CheckFailedError(
            f"The histogram of '{names.get(metric, f'metric {metric}')}' does not follow from the chunks."
        )
    return f"{len(recorded):,} bins of histograms follow from the chunks."
