"""The distributions of a run's metrics, made again from its chunks."""

from __future__ import annotations

from typing import Any

from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.store import run_digest
from epcg_core.verification.derived.subject import Subject

_BINS = "SELECT metric_id, position, low, high, count FROM score_histogram WHERE run_id = :run ORDER BY 1, 2"

_SUMS = (
    "SELECT sum(valued), min(minimum), max(maximum), sum(total) FROM score_chunk "
    "WHERE run_id = :run AND metric_id = {metric}"
)


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
    if run.counted:
        unfinished = "The run is not finished, so its values are not all counted yet."
        return _of_counts(subject, recorded) if run.done else unfinished
    if recorded != derived:
        names = {column.id: column.name for column in (*reader.columns(run.id), *reader.imported(run.id))}
        metric = min(set(recorded) ^ set(derived))[0]
        raise CheckFailedError(
            f"The histogram of '{names.get(metric, f'metric {metric}')}' does not follow from the chunks."
        )
    return f"{len(recorded):,} bins of histograms follow from the chunks."


def _of_counts(subject: Subject, recorded: list[tuple[Any, ...]]) -> str:
    """Check the histograms of a run that keeps counts against the sums of its chunks."""
    run, reader = subject.run, subject.reader
    for column in reader.columns(run.id):
        if column.metric is None:
            continue
        bins = [row[2:] for row in recorded if row[0] == column.id]
        valued, low, high, total = next(subject.rows(_SUMS.format(metric=column.id)))
        exact = all(bottom == top for bottom, top, _ in bins)
        fits = sum(count for _, _, count in bins) == (valued or 0)
        if bins:
            fits = fits and (bins[0][0], bins[-1][1]) == (low, high)
        if exact and isinstance(total, int):
            fits = fits and sum(value * count for value, _, count in bins) == total
        if not fits:
            raise CheckFailedError(
                f"The histogram of '{column.name}' does not fit what its chunks say: how many values there "
                "are, the lowest, the highest and their sum."
            )
    return f"{len(recorded):,} bins of histograms fit the sums of the chunks; values were not kept."
