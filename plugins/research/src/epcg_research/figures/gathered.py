"""Values of runs for figures: distinct values with how many candidates have each, alone or in pairs."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import Bin, Columns, Distribution, StoreError, metric_of
from epcg_core.plugin import Metric, Reader, columns

Floats = NDArray[np.float64]
MOST_DISTINCT = 20_000_000
"""Different values, or pairs of values: more take more memory than a figure is worth."""
MOST_GROUPS = 12
_ROOM = 1 << 21
"""Rows that are gathered before equal ones are counted together."""


@attrs.frozen(eq=False)
class Spread:
    """How a metric is spread over candidates."""

    label: str
    metric: Metric
    bins: Sequence[Bin]
    """(lowest, highest, how many), ascending; the lowest is the highest where values are exact."""
    population: int | None = None
    """The number of candidates that these were drawn from by chance; None if these are all."""
    group: str = ""
    """What groups them, as an axis names it; '' if these are candidates of a run."""
    of_all: str = ""
    """What a sample tells of all candidates of the run; '' if these are others."""

    @property
    def short(self) -> str:
        """The label, or only the number of the run, where there is little room."""
        return self.label if self.group else self.label.partition(":")[0]

    @cached_property
    def total(self) -> int:
        return int(sum(count for _, _, count in self.bins))

    @cached_property
    def mean(self) -> float:
        """The mean: exact if the bins are single values, else of the middles of the bins."""
        return float(sum((low + high) / 2 * count for low, high, count in self.bins) / self.total)

    @cached_property
    def exact(self) -> tuple[Floats, NDArray[np.int64]]:
        """(n,) different values, ascending, and how many candidates have each.

        Raises StoreError if they are only known in bins.
        """
        if any(low != high for low, high, _ in self.bins):
            raise StoreError(
                f"Of '{self.metric.name}' ({self.label}) only counts in bins are recorded: draw bars of it."
            )
        values = np.array([low for low, _, _ in self.bins], np.float64)
        return values, np.array([count for _, _, count in self.bins], np.int64)

    def quantile(self, share: float) -> float:
        """Return the smallest value that at least this share of the candidates does not exceed."""
        values, counts = self.exact
        place = np.searchsorted(np.cumsum(counts), share * self.total - 1e-9 * self.total)
        return float(values[min(int(place), len(values) - 1)])


@attrs.frozen(eq=False)
class Pairs:
    """Two metrics of the same candidates: different pairs of values, and how many have each."""

    x: Floats
    y: Floats
    counts: NDArray[np.int64]
    sample: bool = False
    """Whether the candidates were drawn by chance."""

    @property
    def total(self) -> int:
        return int(self.counts.sum())


def of_distribution(found: Distribution, label: str, population: int | None) -> Spread:
    """Return the spread of a recorded distribution."""
    return Spread(label, found.metric, found.bins, population)


def axis(metric: Metric) -> str:
    """Return what an axis of a metric is called: 'length (moves)'."""
    return f"{metric.name} ({metric.unit})" if metric.unit else metric.name


def drawn_from(reader: Reader, run_id: int) -> int | None:
    """Return the number of candidates of which a run is a sample; None if it is not one."""
    run = reader.run(run_id)
    return run.population if run.is_sample else None


def spreads(
    reader: Reader,
    run_id: int,
    name: str,
    *,
    by: tuple[str, int | None] | None = None,
    where: str | None = None,
) -> list[Spread]:
    """Gather the values of a metric, of all candidates or in groups.

    Args:
        reader: the database.
        run_id: the run.
        name: the metric.
        by: a second metric, each of whose values is a group, and into how many groups of about equal size
            its values are cut, or None; None for a single group.
        where: an SQL condition over rank and the metrics; None for all candidates.

    Returns:
        A spread for each group, in the order of the second metric's values.

    Raises:
        UnknownNameError: if there is no such metric.
        StoreError: if nothing has a value, or there are too many groups or values.
    """
    metric, population = metric_of(reader, run_id, name), drawn_from(reader, run_id)
    if by is None:
        (values,), counts = _counted(reader, run_id, (name,), where)
        return [_spread(f"run {run_id}", metric, values, counts, population)]
    other, parts = by
    (values, groups), counts = _counted(reader, run_id, (name, other), where)
    found = []
    grouping = metric_of(reader, run_id, other)
    for label, inside in _groups(grouping, groups, counts, parts):
        own, places = np.unique(values[inside], return_inverse=True)
        summed = np.bincount(places, counts[inside]).astype(np.int64)
        one = _spread(label, metric, own, summed, population)
        found.append(attrs.evolve(one, group=axis(grouping)))
    return found


def _spread(
    label: str, metric: Metric, values: Floats, counts: NDArray[np.int64], population: int | None
) -> Spread:
    kinds = {"int": int, "bool": bool, "real": float}
    own = [kinds[metric.kind](value) for value in values.tolist()]
    return Spread(label, metric, list(zip(own, own, counts.tolist(), strict=True)), population)


def _groups(
    metric: Metric, values: Floats, counts: NDArray[np.int64], parts: int | None
) -> Iterator[tuple[str, NDArray[np.bool_]]]:
    """Yield (label, which pairs) of each group that has candidates."""
    different = np.unique(values)
    if parts is None:
        if len(different) > MOST_GROUPS:
            raise StoreError(
                f"'{metric.name}' has {len(different):,} values, and at most {MOST_GROUPS} groups are drawn: "
                f"cut them into four of about equal size, say, with --by {metric.name}:4."
            )
        for value in different.tolist():
            words = {0.0: "no", 1.0: "yes"}[value] if metric.kind == "bool" else f"{value:.6g}"
            yield words, values == value
        return
    order = np.argsort(values, kind="stable")
    ends = np.cumsum(counts[order])
    limits = [values[order][np.searchsorted(ends, ends[-1] * i / parts)] for i in range(1, parts)]
    places = np.searchsorted(np.unique(limits), values, side="left")
    for place in np.unique(places).tolist():
        inside = places == place
        low, high = values[inside].min(), values[inside].max()
        yield (f"{low:.6g}" if low == high else f"{low:.6g} to {high:.6g}"), inside


def pairs(reader: Reader, run_id: int, x: str, y: str, *, where: str | None = None) -> Pairs:
    """Gather two metrics of the candidates that have both.

    Args:
        reader: the database.
        run_id: the run.
        x: the one.
        y: the other.
        where: an SQL condition over rank and the metrics; None for all candidates.

    Raises:
        UnknownNameError: if there is no such metric.
        StoreError: if no candidate has both, or there are too many different pairs.
    """
    (one, other), counts = _counted(reader, run_id, (x, y), where)
    return Pairs(one, other, counts, reader.run(run_id).is_sample)


def _counted(
    reader: Reader, run_id: int, names: tuple[str, ...], where: str | None
) -> tuple[list[Floats], NDArray[np.int64]]:
    """Return columns of the different rows of some metrics, and how many rows each is."""
    kept: list[Floats] = []
    rows, room = np.zeros((0, len(names) + 1)), 0
    for part in columns(reader, run_id, names, where=where):
        own = _there(part, names)
        kept.append(np.column_stack([own, np.ones(len(own))]))
        room += len(own)
        if room >= _ROOM:
            rows, kept, room = _merged([rows, *kept]), [], 0
    rows = _merged([rows, *kept])
    if not len(rows):
        which = " and ".join(f"'{name}'" for name in names)
        limit = f" where {where}" if where is not None else ""
        raise StoreError(f"No candidate of run {run_id} has a value of {which}{limit}.")
    return list(rows[:, :-1].T), rows[:, -1].astype(np.int64)


def _there(part: Columns, names: tuple[str, ...]) -> Floats:
    """Return the (n, metrics) values of the candidates that have all."""
    inside = np.ones(len(part), np.bool_)
    for name in names:
        if (missing := part.values[name][1]) is not None:
            inside &= ~missing
    return np.column_stack([part.values[name][0][inside].astype(np.float64) for name in names])


def _merged(parts: Sequence[Floats]) -> Floats:
    rows = np.concatenate(parts)
    order = np.lexsort(rows[:, :-1].T[::-1])
    rows = rows[order]
    first = np.ones(len(rows), np.bool_)
    first[1:] = (rows[1:, :-1] != rows[:-1, :-1]).any(axis=1)
    starts = np.flatnonzero(first)
    if len(starts) > MOST_DISTINCT:
        raise StoreError(
            f"There are more than {MOST_DISTINCT:,} different values: choose candidates with --where."
        )
    if not len(starts):
        return rows
    found = rows[starts]
    found[:, -1] = np.add.reduceat(rows[:, -1], starts)
    return found
