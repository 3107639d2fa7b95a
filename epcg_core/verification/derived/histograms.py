"""The distributions of a run's metrics, made again from its chunks."""

from __future__ import annotations

from epcg_core.errors import CheckFailedError, UncheckedError
from epcg_core.store import run_digest
from epcg_core.verification.derived.subject import Subject

_BINS = "SELECT metric_id, position, low, high, count FROM score_histogram WHERE run_id = :run ORDER BY 1, 2"


def histograms(subject: Subject) -> str:
    """Check every bin of every metric's histogram; an unfinished run has none."""
    run, reader = subject.run, subject.reader
    if run.dropped:
        raise UncheckedError("The values were dropped, and their histograms stay.")
    recorded = [tuple(row) for row in subject.rows(_BINS)]
    derived = [
        (metric, position, *bin)
        for metric, bins in sorted((run_digest.histograms(reader, run.id) if run.done else {}).items())
        for position, bin in enumerate(bins)
    ]
    if recorded != derived:
        names = {column.id: column.name for column in (*reader.columns(run.id), *reader.imported(run.id))}
        metric = min(set(recorded) ^ set(derived))[0]
        raise CheckFailedError(
            f"The histogram of '{names.get(metric, f'metric {metric}')}' does not follow from the chunks."
        )
    return f"{len(recorded):,} bins of histograms follow from the chunks."
