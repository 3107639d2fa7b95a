"""The answer of a recorded run to a wish: how many meet it, how the values are distributed, what is kept.

One pass over the chunks gives all of it, for a whole run, a sample, or what a run has so far.
"""

from __future__ import annotations

from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.params import plain
from epcg_core.domain import Metric
from epcg_core.plugins.registry import registry
from epcg_core.query.conditions import Condition
from epcg_core.query.query import PartRef, Query, SelectParams
from epcg_core.query.wish import Column
from epcg_core.runs.coordinator import plan
from epcg_core.runs.distributions import Bin, distribution
from epcg_core.runs.estimates import number_of_all
from epcg_core.runs.ledger import likeness_in
from epcg_core.runs.standing_alone import run_of, standing_alone
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.selection import Choosing, Granted, columns_of, metrics_of

MOST_BARS = 48
"""Bars of a distribution; more values share bars of equal width."""


@attrs.frozen
class Bar:
    """Candidates whose values of a metric lie close together."""

    low: Any
    high: Any
    count: int
    """How many there are, whether they are as wished or not."""
    met: int
    """How many of them are as wished."""
    of_all: tuple[int, int] | None = None
    """Between which numbers `count` lies among all candidates; None without a sample."""
    met_of_all: tuple[int, int] | None = None


@attrs.frozen
class Asked:
    """The answer of a run to a wish."""

    granted: Granted
    """The candidates that the wish keeps; its verdict counts those that meet all conditions."""
    bars: tuple[Bar, ...]
    inside: Granted
    """The candidates that meet the conditions and lie within the limits, best first, alike or not."""
    met_of_all: tuple[int, int] | None
    """Between which numbers those that meet the conditions lie among all candidates, from a sample."""


def asked(
    reader: Reader,
    record: RunRecord,
    rule: SelectParams,
    limits: tuple[float | None, float | None] = (None, None),
    most: int = 1000,
    most_bars: int = MOST_BARS,
) -> Asked:
    """Answer a wish from what a run has recorded.

    Args:
        reader: the database.
        record: the run.
        rule: the wish.
        limits: the lowest and highest value of the metric for what is listed in `inside`.
        most: how many are listed in `inside`.
        most_bars: into how many bars the values of the rule's metric are counted.

    Returns:
        The answer.

    Raises:
        UnknownNameError: for a metric that the run does not have.
        QueryError: if one of each symmetry class is asked for and the space has no symmetries.
        StoreError: if no candidate has a value of the rule's metric.
    """
    likeness = likeness_in(record, rule)
    names = metrics_of(rule)
    metrics: dict[str, Metric] = {}
    for name in names:
        column = reader.column(record.id, name)
        assert column.metric is not None
        metrics[name] = column.metric
    within = Condition(rule.metric, *limits)
    listed = attrs.evolve(
        rule, keep="highest" if _is_max(rule, metrics) else "lowest", direction=None, apart=None,
        distinct=False, where=(*rule.where, within), count=most,
    )  # fmt: skip
    choosing, inside = Choosing(rule, metrics, likeness), Choosing(listed, metrics)
    bars = coarse(distribution(reader, record.id, rule.metric).bins, most_bars)
    lows = np.array([low for low, _, _ in bars], np.float64)
    counts, met = np.zeros((2, len(bars)), np.int64)
    for ranks, columns in columns_of(reader, record.id, names):
        admitted = choosing.add(ranks, columns)
        inside.add(ranks, columns)
        places, there = _places(columns[rule.metric], lows)
        counts += np.bincount(places[there], minlength=len(bars))
        met += np.bincount(places[there & admitted], minlength=len(bars))
    drawn = [
        Bar(low, high, n, m, number_of_all(record, n), number_of_all(record, m))
        for (low, high, _), n, m in zip(bars, counts.tolist(), met.tolist(), strict=True)
    ]
    total = choosing.verdict.met
    return Asked(choosing.granted(), tuple(drawn), inside.granted(), number_of_all(record, total))


def run_for(query: Query, store: Store, reader: Reader) -> RunRecord | None:
    """Find the run that answers a question, or one that measured at least what its selections name.

    Args:
        query: the question.
        store: the database.
        reader: the same, open.

    Returns:
        The newest such run with values; else one without any yet, or None.

    Raises:
        EpcgError: if the question cannot be planned.
    """
    own = run_of(query, store, reader)
    if own is not None and (own.done or own.evaluated):
        return own
    query = standing_alone(query, store)
    wanted = {name for rule in query.select for name in metrics_of(rule)}
    spec = plan(query)[1]
    parts = [plain(each) for each in spec.evaluators]
    needed = [part for part in parts if wanted & _names(spec.space.domain, part)]
    if not needed or not wanted <= {metric.name for metric in spec.metrics}:
        return own
    for record in reversed(reader.runs()):
        if record.space != spec.space.name or not (record.done or record.evaluated):
            continue
        theirs = record.spec["evaluators"]
        if all(part in theirs for part in needed):
            refs = tuple(PartRef(each["name"], each["params"], each.get("as", "")) for each in theirs)
            if plan(attrs.evolve(query, evaluators=refs))[1].request == record.request:
                return record
    return own


def _names(domain: str, part: dict[str, Any]) -> set[str]:
    """Return what the metrics of a planned evaluator are called."""
    prefix = f"{part['as']}_" if part.get("as") else ""
    return {prefix + metric.name for metric in registry().metrics_of(domain, part["name"], part["params"])}


def _is_max(rule: SelectParams, metrics: dict[str, Metric]) -> bool:
    return (rule.end or metrics[rule.metric].direction) == "max"


def _places(column: Column, lows: NDArray[np.float64]) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """Return the bar of each of n values, (n,), and which of the candidates have a value, (n,)."""
    values = column.values.astype(np.float64)
    there = np.ones(len(values), np.bool_) if column.missing is None else ~column.missing
    there &= ~np.isnan(values)
    places = np.searchsorted(lows, values, "right") - 1
    return np.maximum(places, 0), there


def coarse(bins: Any, most: int = MOST_BARS) -> list[Bin]:
    """Join bins until at most `most` are left; infinite values keep bins of their own."""
    found: list[Bin] = list(bins)
    if len(found) <= most:
        return found
    finite = [each for each in found if np.isfinite(each[0]) and np.isfinite(each[1])]
    low, high = float(finite[0][0]), float(finite[-1][1])
    joined: dict[int, Bin] = {}
    for each in finite:
        place = min(most - 1, int((float(each[0]) / 2 - low / 2) / (high / 2 - low / 2) * most))
        first = joined.get(place, each)
        joined[place] = (first[0], each[1], (first[2] if place in joined else 0) + each[2])
    odd = [each for each in found if not (np.isfinite(each[0]) and np.isfinite(each[1]))]
    return sorted([*joined.values(), *odd])
