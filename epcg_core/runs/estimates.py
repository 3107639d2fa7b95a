"""Estimates for all candidates of a run from its sample, with 95 % confidence intervals.

The sample is drawn without replacement from all ranks of the run. `epcg_core.runs.intervals` says which
intervals shares and means have, and when a mean has none. The best value has an exact bound on how many
candidates can be better. No sample can tell how much better these may be.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, StoreError
from epcg_core.chunks.codec import chunk_status
from epcg_core.domain import STATUS_NAMES, Metric
from epcg_core.plugins.registry import registry
from epcg_core.runs.intervals import (
    CONFIDENCE,
    UNLIMITED,
    Estimated,
    Limits,
    at_most_better,
    mean,
    sampled_share,
)
from epcg_core.runs.sampling import DrawnBy, condition, drawn_by, drawn_ranks
from epcg_core.runs.strata import Strata
from epcg_core.store import Reader, RunRecord, schema

BINS = 64
_EVALUATED = schema.score_chunk.c.evaluated > 0
"""The condition for chunks with values: nothing has to be read of ranks that a filter excludes."""


@attrs.frozen
class Best:
    """The best value in the sample."""

    value: int | float | bool
    rank: int
    """The first sampled rank with this value."""
    better: int
    """Most candidates of the run that are better, with 95 % confidence."""


@attrs.frozen
class MetricEstimate:
    """The estimates for one metric."""

    metric: Metric
    valued: int
    """Number of sampled candidates with a value; the mean and the bins cover these."""
    share: Estimated
    """The share of all candidates that have a value."""
    mean: Estimated | None
    """For bool metrics: the share of true values."""
    best: Best | None
    bins: tuple[tuple[Any, Any, int], ...]
    """(lowest, highest, how many in the sample), lowest first."""


@attrs.frozen
class StratumEstimate:
    """The estimates of a stratum, from the ranks that were drawn from it."""

    first: int
    """Its first rank."""
    candidates: int
    drawn: int
    means: dict[str, Estimated | None]
    """The mean of each metric, of a bool one the share of true values; None if none drawn has a value."""


@attrs.frozen
class SampleEstimate:
    """The estimates of a run from its sample."""

    size: int
    seed: int
    strata: tuple[StratumEstimate, ...]
    """Each stratum by itself; none if the sample was drawn evenly."""
    drawn_by: DrawnBy
    condition: str
    """The sentence that says under which condition the intervals hold."""
    population: int
    """Number of the run's ranks, from which the sample was drawn."""
    statuses: dict[str, Estimated]
    """Shares of the statuses that occur: 'value', 'none', 'limit', 'error', or 'excluded' by the filter."""
    metrics: tuple[MetricEstimate, ...]


def estimates(reader: Reader, run: RunRecord) -> SampleEstimate:
    """Estimate from the sample of a run. Raises StoreError if there is none, or it is incomplete."""
    sample = run.sample
    if sample is None:
        raise StoreError(f"Run {run.id} has no sample.")
    ranks = drawn_ranks(sample, *run.extent)
    there = 0
    for unit in reader.units(run.id):
        there += int(np.diff(np.searchsorted(ranks, (unit.start, unit.start + unit.count)))[0])
    if there != len(ranks):
        raise StoreError(
            f"Of the sample of run {run.id} only {there:,} of {len(ranks):,} ranks are recorded: run the "
            f"query with --sample {sample.size} --seed {sample.seed} again."
        )
    limits = _limits(run)
    strata = Strata(sample.cuts, sample.size, *run.extent) if sample.by else None
    drawing = Drawing(ranks, run.population, strata)
    metrics = reader.metrics(run.id)
    values = {metric.name: _values(reader, run, metric, ranks) for metric in metrics}
    found = [
        _metric(metric, drawing, *values[metric.name], limits.get(metric.name, UNLIMITED))
        for metric in metrics
    ]
    apart = () if strata is None else tuple(_strata(strata, drawing, metrics, values, limits))
    return SampleEstimate(
        len(ranks),
        sample.seed or 0,
        apart,
        drawn_by(run),
        condition(run),
        run.population,
        _statuses(reader, run, drawing),
        tuple(found),
    )


@attrs.frozen(eq=False)
class Drawing:
    """The drawn ranks, and what ranks among them tell of all."""

    ranks: NDArray[np.int64]
    """All of them, increasing."""
    population: int
    strata: Strata | None

    def share(self, ranks: NDArray[np.int64]) -> Estimated:
        """Estimate the share of all candidates that are like `ranks`."""
        if self.strata is not None:
            return self.strata.share(ranks)
        return sampled_share(len(ranks), len(self.ranks), self.population)

    def center(
        self, metric: Metric, ranks: NDArray[np.int64], values: NDArray[Any], limits: Limits
    ) -> Estimated | None:
        """Estimate the mean of all candidates with a value, or the share of true ones.

        `ranks` are the drawn ones with a value; None if there are none.
        """
        if not len(ranks):
            return None
        if metric.kind == "bool":
            return self._share_that_holds(ranks, values)
        if self.strata is not None:
            return self.strata.mean(ranks, values, limits)
        return mean(values, len(self.ranks), self.population, limits)

    def _share_that_holds(self, ranks: NDArray[np.int64], values: NDArray[np.bool_]) -> Estimated:
        if self.strata is None:  # of those that are not sampled, any may have a value
            most = len(ranks) + self.population - len(self.ranks)
            return sampled_share(int(values.sum()), len(ranks), most)
        if len(ranks) == len(self.ranks):
            return self.strata.share(ranks[values])
        return self.strata.mean(ranks, values, Limits(0, 1))

    def better(self) -> int:
        """Bound the number of candidates that are better than the best of the sample."""
        if self.strata is not None:
            return self.strata.better()
        return at_most_better(len(self.ranks), self.population)


def about_all(reader: Reader, run: RunRecord, metric: str) -> str:
    """Say what a sample tells of all candidates, with intervals; '' if the run is not a whole sample."""
    if not run.is_only_drawn:
        return ""
    found = next((each for each in estimates(reader, run).metrics if each.metric.name == metric), None)
    if found is None:
        return ""
    told = []
    if found.mean is not None and found.mean.low is not None and found.mean.high is not None:
        what = "the share that has it is" if found.metric.kind == "bool" else "the mean is"
        told.append(f"{what} {found.mean.low:.4g} to {found.mean.high:.4g}")
    elif found.mean is not None:
        told.append(f"the mean has no interval: {found.mean.why}")
    if found.best is not None and found.metric.kind != "bool":
        told.append(f"at most {found.best.better:,} are better than the best of these")
    if not told:
        return ""
    caution = _caution(run)
    return f"Of all candidates, with {CONFIDENCE:.0%} confidence each: {'; '.join(told)}.{caution}"


def _caution(run: RunRecord) -> str:
    """Return the condition under which intervals hold; '' if the seed follows from the space."""
    return "" if drawn_by(run) == "space" else f" {condition(run)}"


def lower_of_all(run: RunRecord, lower: int, valued: int) -> str:
    """Say which share of all values is lower, with its interval; '' if the run is not a whole sample."""
    if not run.is_sample or not valued:
        return ""
    found = sampled_share(lower, valued, max(valued, run.population))
    caution = _caution(run)
    return f"of all, {found.low:.1%} to {found.high:.1%} are lower ({CONFIDENCE:.0%} confidence){caution}"


def met_of_all(run: RunRecord, met: int, judged: int) -> str:
    """Say which share of all meets a wish, with its interval; '' if the run is not a whole sample."""
    if not run.is_sample or not judged:
        return ""
    found = sampled_share(met, judged, max(judged, run.population))
    caution = _caution(run)
    told = f"{found.low:.1%} to {found.high:.1%} meet it ({CONFIDENCE:.0%} confidence)"
    return f"Of all, an estimated {told}.{caution}"


def number_of_all(run: RunRecord, count: int) -> tuple[int, int] | None:
    """Return between which numbers those lie among all of which a sample has `count`, with 95 % confidence.

    None if the run is not a whole sample.
    """
    if not run.is_sample or run.sample is None:
        return None
    found = sampled_share(count, run.sample.size, run.population)
    assert found.low is not None
    assert found.high is not None
    return math.floor(found.low * run.population + 1e-9), math.ceil(found.high * run.population - 1e-9)


def _limits(run: RunRecord) -> dict[str, Limits]:
    """Map a run's metrics to the values between which they lie, as far as their evaluators say it."""
    found: dict[str, Limits] = {}
    for part in run.spec["evaluators"]:
        with suppress(EpcgError):  # the plugin is missing: nothing is known
            prefix = f"{part['as']}_" if part.get("as") else ""
            metrics = registry().metrics_of(run.domain, part["name"], part["params"])
            found |= {prefix + metric.name: Limits(metric.at_least, metric.at_most) for metric in metrics}
    return found


def _metric(
    metric: Metric, drawing: Drawing, where: NDArray[np.int64], values: NDArray[Any], limits: Limits
) -> MetricEstimate:
    number = len(values)
    center = drawing.center(metric, where, values, limits)
    best = None
    if number:
        sign = 1 if metric.direction == "max" else -1
        position = int(np.argmax(values) if sign > 0 else np.argmin(values))
        best = Best(values[position].item(), int(where[position]), drawing.better())
    return MetricEstimate(metric, number, drawing.share(where), center, best, tuple(_bins(values)))


def _strata(
    strata: Strata,
    drawing: Drawing,
    metrics: Sequence[Metric],
    values: Mapping[str, tuple[NDArray[np.int64], NDArray[Any]]],
    limits: Mapping[str, Limits],
) -> Iterator[StratumEstimate]:
    """Estimate each stratum by itself, of which an even sample was drawn."""
    for first, size in zip(strata.firsts.tolist(), strata.sizes.tolist(), strict=True):
        low, high = np.searchsorted(drawing.ranks, (first, first + size)).tolist()
        own = Drawing(drawing.ranks[low:high], size, None)
        means = {}
        for metric in metrics:
            where, found = values[metric.name]
            inside = slice(*np.searchsorted(where, (first, first + size)).tolist())
            known = limits.get(metric.name, UNLIMITED)
            means[metric.name] = own.center(metric, where[inside], found[inside], known)
        yield StratumEstimate(first, size, high - low, means)


def _values(
    reader: Reader, run: RunRecord, metric: Metric, ranks: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return (ranks, values) of the sampled candidates that have a value."""
    places, found = [np.zeros(0, np.int64)], []
    for here, values in reader.values(run.id, metric.name, where=_EVALUATED):
        mine = _among(here, ranks)
        places.append(here[mine])
        found.append(values[mine])
    return np.concatenate(places), np.concatenate(found) if found else np.zeros(0)


def _among(here: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Return which of `here` are among the increasing `ranks`."""
    found: NDArray[np.bool_] = ranks[np.minimum(np.searchsorted(ranks, here), len(ranks) - 1)] == here
    return found


def _statuses(reader: Reader, run: RunRecord, drawing: Drawing) -> dict[str, Estimated]:
    having: dict[str, list[NDArray[np.int64]]] = {name: [] for name in STATUS_NAMES}
    names = [metric.name for metric in reader.metrics(run.id)]
    for chunks in zip(*(reader.chunks(run.id, name, where=_EVALUATED) for name in names), strict=True):
        codes = np.zeros(chunks[0].evaluated, np.uint8)
        for status in map(chunk_status, chunks):
            if status is not None:
                codes = np.maximum(codes, status)
        here = reader.ranks(run.id, chunks[0])
        mine = _among(here, drawing.ranks)
        for code, name in enumerate(STATUS_NAMES):
            having[name].append(here[mine & (codes == code)])
    found = {name: np.concatenate([drawing.ranks[:0], *parts]) for name, parts in having.items()}
    found["excluded"] = np.setdiff1d(drawing.ranks, np.concatenate(list(found.values())))
    return {name: drawing.share(ranks) for name, ranks in found.items() if len(ranks)}


def _bins(values: NDArray[Any]) -> list[tuple[Any, Any, int]]:
    """Estimate the share of each value, or of at most BINS bins of equal width, without empty ones."""
    if not len(values):
        return []
    found, counts = np.unique(values, return_counts=True)
    if values.dtype == np.bool_:
        found = found.astype(np.int64)
    if len(found) <= BINS:
        return [(v, v, n) for v, n in zip(found.tolist(), counts.tolist(), strict=True)]
    finite = found[np.isfinite(found)].astype(np.float64)
    edges = 2 * np.linspace(finite[0] / 2, finite[-1] / 2, BINS + 1)
    sums = np.histogram(finite, edges, weights=counts[np.isfinite(found)])[0].astype(np.int64)
    bins = [(edges[i].item(), edges[i + 1].item(), n) for i, n in enumerate(sums.tolist()) if n]
    infinite = ~np.isfinite(found)
    odd = zip(found[infinite].tolist(), counts[infinite].tolist(), strict=True)
    return sorted(bins + [(v, v, n) for v, n in odd])
