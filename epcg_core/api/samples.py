"""The estimates of a sample, as JSON-like data and as parts of a report."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from epcg_core.api import words
from epcg_core.api.facts import histogram_bars
from epcg_core.api.report import Table
from epcg_core.api.words import Number
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.runs.estimates import MetricEstimate, estimates
from epcg_core.runs.intervals import CONFIDENCE, Estimated

if TYPE_CHECKING:
    from epcg_core.runs.estimates import SampleEstimate
    from epcg_core.store import Reader, RunRecord


MOST_STRATA_SHOWN = 20


def sample_data(reader: Reader, record: RunRecord) -> dict[str, Any]:
    """Everything that the sample of a run says."""
    found = estimates(reader, record)
    return {
        "size": found.size,
        "seed": found.seed,
        "strata": [
            {
                "first": each.first,
                "candidates": each.candidates,
                "drawn": each.drawn,
                "means": {
                    name: None if mean is None else _interval(mean) for name, mean in each.means.items()
                },
            }
            for each in found.strata
        ],
        "seed_chosen": found.drawn_by == "hand",
        "holds_if": found.condition,
        "population": found.population,
        "confidence": CONFIDENCE,
        "statuses": {name: _interval(share) for name, share in found.statuses.items()},
        "metrics": [_metric_data(record, estimate) for estimate in found.metrics],
    }


def _interval(found: Estimated) -> dict[str, Any]:
    ends = {"estimate": found.value, "low": found.low, "high": found.high}
    return ends | ({"no_interval": found.why} if found.why else {})


def _metric_data(record: RunRecord, found: MetricEstimate) -> dict[str, Any]:
    best = found.best
    return {
        "metric": found.metric.name,
        "kind": found.metric.kind,
        "valued": found.valued,
        "share_with_value": _interval(found.share),
        "mean": None if found.mean is None else _interval(found.mean),
        "best": None
        if best is None
        else {
            "value": best.value,
            "puzzle": puzzle_id(record.space, best.rank),
            "better_at_most": best.better,
        },
        "histogram": [list(bin) for bin in found.bins],
    }


def sample_parts(reader: Reader, record: RunRecord) -> Iterator[str | Table]:
    """Yield the estimates as tables, and the distribution of each metric in the sample."""
    found = estimates(reader, record)
    confidence = f"{CONFIDENCE:.0%}".replace("%", " %")
    strata = f" from {len(found.strata):,} strata, each of which counts by its size" if found.strata else ""
    whole = "its" if record.done or record.part is None else f"part {record.part}, which has"
    yield (
        f"\nRun {record.id} is a sample: {found.size:,} of {whole} {found.population:,} candidates, "
        f"drawn with seed {found.seed}{strata}.\n{found.condition}\n"
        f"Estimates for all of them, with {confidence} confidence each:\n"
    )
    yield Table.of(["", "estimate", "lowest", "highest"], _rows(found))
    for m in found.metrics:
        if m.mean is not None and m.mean.why:
            yield f"\nThe mean of {m.metric.name} has no interval: {m.mean.why}."
    if found.strata:
        yield from _strata(record, found)
    best = [(m.metric, m.best) for m in found.metrics if m.best is not None]
    if best:
        yield "\nThe best of the sample, and how many of all candidates can be better:\n"
        yield Table.of(
            ["metric", "best", "better, at most", "share", "puzzle"],
            [
                [
                    metric.name,
                    b.value,
                    words.count(b.better),
                    words.share(b.better, found.population),
                    puzzle_id(record.space, b.rank),
                ]
                for metric, b in best
            ],
        )
    for m in found.metrics:
        if m.bins and not found.strata:  # they would show the strata, not the space
            facts = {"metric": m.metric.name, "kind": m.metric.kind, "unit": m.metric.unit}
            yield "\n" + "\n".join(histogram_bars(facts, m.bins))


def _strata(record: RunRecord, found: SampleEstimate) -> Iterator[str | Table]:
    """Yield the strata, with the mean of each metric among the ranks that were drawn."""
    names = [m.metric.name for m in found.metrics]
    shown = found.strata[:MOST_STRATA_SHOWN]
    yield "\nThe strata, with the means of what was drawn from each:\n"
    yield Table.of(
        ["first", "candidates", "drawn", *names],
        [
            [
                puzzle_id(record.space, each.first),
                words.count(each.candidates),
                words.count(each.drawn),
                *(Number("-") if (mean := each.means[name]) is None else mean.value for name in names),
            ]
            for each in shown
        ],
    )
    if len(shown) < len(found.strata):
        yield f"\n{len(found.strata) - len(shown):,} more; --json has all, with their intervals."


def _rows(found: SampleEstimate) -> list[list[Any]]:
    rows: list[list[Any]] = []
    if set(found.statuses) != {"value"}:
        for name, share in found.statuses.items():
            rows.append([f"status {name}", *_percents(share)])
    for m in found.metrics:
        if m.share != found.statuses.get("value") and m.valued < found.size:
            rows.append([f"{m.metric.name} has a value", *_percents(m.share)])
        if m.mean is not None and m.metric.kind == "bool":
            rows.append([f"{m.metric.name} holds", *_percents(m.mean)])
        elif m.mean is not None:
            rows.append([f"{m.metric.name}, mean", m.mean.value, m.mean.low, m.mean.high])
    return rows


def _percents(share: Estimated) -> list[Number]:
    ends = (share.value, share.low, share.high)
    return [Number("-") if end is None else words.share(end, 1) for end in ends]
