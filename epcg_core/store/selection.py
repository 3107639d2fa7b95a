"""Choosing from the record: the best, the top N, or all in a range, from any run's chunks."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterator, Mapping, Sequence
from itertools import islice
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import PluginError
from epcg_core.chunks.codec import decode_chunk
from epcg_core.domain import Metric, resolve
from epcg_core.plugins.registry import registry
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import CanonicalRanks
from epcg_core.query.wish import Column, Columns, Tally, Verdict, conditions_of, preference
from epcg_core.store import Reader, chunk_queries
from epcg_core.store.chunk_queries import Scored
from epcg_core.store.likeness import ANY, Likeness, apart


@attrs.frozen
class Granted:
    """The selection of a rule from a run, and how it came to that."""

    found: tuple[Scored, ...]
    """(rank, value) of the candidates, best first."""
    verdict: Verdict | None = None
    """How many met the conditions; None of a rule without any."""
    equal: int = 0
    """How many that met the conditions, beside those that the rule's own count keeps, rank as high as the
    last of these."""


def select(reader: Reader, run_id: int, rule: SelectParams, likeness: Likeness = ANY) -> list[Scored]:
    """Return (rank, value) of the candidates of a run that `rule` keeps: best first, equal ones by rank.

    With `rule.distinct`, only the first state of each of the likeness's classes is kept, with `rule.apart`
    only what differs enough from everything before it.
    """
    return list(grant(reader, run_id, rule, likeness).found)


def grant(reader: Reader, run_id: int, rule: SelectParams, likeness: Likeness = ANY) -> Granted:
    """Choose as `select` does, and say how many candidates met the rule's conditions."""
    column = reader.column(run_id, rule.metric)
    assert column.metric is not None
    sign = 1 if (rule.end or column.metric.direction) == "max" else -1
    likeness = Likeness(
        likeness.canonical_ranks if rule.distinct else None, None if rule.apart is None else likeness.looks
    )
    if rule.wishes:
        return _wish(reader, run_id, rule, likeness)
    return Granted(tuple(_by_one_metric(reader, run_id, rule, sign, likeness.canonical_ranks)))


def _by_one_metric(
    reader: Reader, run_id: int, rule: SelectParams, sign: int, keep: CanonicalRanks | None
) -> list[Scored]:
    """Choose by the values of one metric, whose chunks say which of them have to be read."""
    low = -math.inf if rule.min is None else rule.min
    high = math.inf if rule.max is None else rule.max
    if rule.keep == "threshold":
        inside = chunk_queries.between(reader, run_id, rule.metric, low, high)
        return _distinct(sorted(inside, key=lambda scored: (-sign * scored[1], scored[0])), keep)
    if rule.keep == "best":
        if low == -math.inf and high == math.inf:
            value = chunk_queries.best_value(reader, run_id, rule.metric, sign)
        else:
            best = chunk_queries.top(reader, run_id, rule.metric, sign, 1, low, high)
            value = +best[0][1] if best else None  # as SQL has it: a boolean is a number
        found = (
            [] if value is None else list(chunk_queries.between(reader, run_id, rule.metric, value, value))
        )
        return _distinct(found, keep)
    if not rule.keeps_count:
        inside = chunk_queries.between(reader, run_id, rule.metric, low, high)
        return _distinct(_by_plugin(list(inside), rule, sign), keep)
    if keep is None:
        return chunk_queries.top(reader, run_id, rule.metric, sign, rule.count, low, high)
    wanted = rule.count
    while True:  # ask for more until enough distinct ones are among them
        found = chunk_queries.top(reader, run_id, rule.metric, sign, wanted, low, high)
        distinct = _distinct(found, keep)
        if len(distinct) >= rule.count or len(found) < wanted:
            return distinct[: rule.count]
        wanted *= 4


def _wish(reader: Reader, run_id: int, rule: SelectParams, likeness: Likeness) -> Granted:
    """Choose by several metrics: conditions, an order among equals, and that no two are alike."""
    names = metrics_of(rule)
    metrics = {name: _metric(reader, run_id, name) for name in (rule.metric, *rule.then)}
    choosing = Choosing(rule, metrics, likeness)
    for ranks, columns in columns_of(reader, run_id, names):
        choosing.add(ranks, columns)
    return choosing.granted()


def metrics_of(rule: SelectParams) -> list[str]:
    """List the metrics whose values a rule needs, each once, the one that it selects by first."""
    return list(dict.fromkeys([rule.metric, *rule.then, *(each.metric for each in conditions_of(rule))]))


class Choosing:
    """The choice of a wish from candidates that come block by block, recorded or only computed."""

    def __init__(self, rule: SelectParams, metrics: Mapping[str, Metric], likeness: Likeness = ANY) -> None:
        """Begin to choose.

        Args:
            rule: the wish.
            metrics: the metric that the rule selects by and those of `then`, by name.
            likeness: when two candidates are too much alike, as the rule asks.
        """
        self._rule, self._likeness = rule, likeness
        self._sign = 1 if (rule.end or metrics[rule.metric].direction) == "max" else -1
        self._order = [(metrics[rule.metric], self._sign)]
        self._order += [(metrics[name], 1 if metrics[name].direction == "max" else -1) for name in rule.then]
        self._tally, self._met = Tally(conditions_of(rule)), _Met([rule.metric, *rule.then])

    def add(self, ranks: NDArray[np.int64], columns: Columns) -> NDArray[np.bool_]:
        """Judge further candidates, in the order of their ranks; tell which meet all conditions, (n,)."""
        met = self._tally.judge(columns, len(ranks))
        self._met.add(ranks, columns, met)
        return met

    @property
    def verdict(self) -> Verdict:
        """The number of candidates that met the conditions so far, and the conditions that others failed."""
        return self._tally.verdict()

    def granted(self, count: int | None = None) -> Granted:
        """Return what the rule keeps of the candidates so far; with `count`, that many instead of its own."""
        rule, likeness = self._rule, self._likeness
        ranks, columns = self._met.together()
        order = preference(columns, self._order, ranks)
        values = columns[rule.metric].values
        if rule.keep == "best":
            order = order[values[order] == values[order[:1]]]
        elif not rule.keeps_count and rule.keep != "threshold":
            by_rank = np.sort(order)
            scored = list(zip(ranks[by_rank].tolist(), values[by_rank].tolist(), strict=True))
            chosen = _by_plugin(scored, rule, self._sign)
            return Granted(tuple(_distinct(chosen, likeness.canonical_ranks)), self.verdict)
        kept: Iterator[int] = iter(order.tolist())
        if likeness.canonical_ranks is not None and len(order):
            _, firsts = np.unique(likeness.canonical_ranks(ranks[order]), return_index=True)
            order = order[np.sort(firsts)]
            kept = iter(order.tolist())
        if likeness.looks is not None:
            kept = apart(kept, lambda position: int(ranks[position]), rule, likeness.looks)
        places = list(islice(kept, count or rule.count)) if rule.keeps_count else list(kept)
        scored = [(int(ranks[place]), values[place].item()) for place in places]
        own = places[: rule.count] if rule.keeps_count else places
        return Granted(tuple(scored), self.verdict, _equal(columns, order, own))


def _equal(columns: Columns, order: NDArray[np.int64], kept: Sequence[int]) -> int:
    """Count the candidates beside the kept ones that have all values of the last of these."""
    if not kept:
        return 0
    same = np.ones(len(order), np.bool_)
    for column in columns.values():
        alike = column.values[order] == column.values[kept[-1]]
        if column.missing is not None:  # in place of a missing value anything may stand
            gone = column.missing[order]
            alike = gone if column.missing[kept[-1]] else alike & ~gone
        same &= alike
    return int(np.count_nonzero(same & ~np.isin(order, kept)))


class _Met:
    """The candidates that met the conditions, gathered block by block."""

    def __init__(self, names: Sequence[str]) -> None:
        self._names = list(dict.fromkeys(names))
        self._ranks: list[NDArray[np.int64]] = [np.zeros(0, np.int64)]
        self._values: dict[str, list[NDArray[Any]]] = {name: [] for name in self._names}
        self._missing: dict[str, list[NDArray[np.bool_]]] = {name: [] for name in self._names}

    def add(self, ranks: NDArray[np.int64], columns: Columns, met: NDArray[np.bool_]) -> None:
        """Add those of a block's candidates that met the conditions."""
        if not met.any():
            return
        self._ranks.append(ranks[met])
        for name in self._names:
            column = columns[name]
            values = column.values[met]
            self._values[name].append(values.astype(np.int64) if values.dtype.kind in "iu" else values)
            missing = np.zeros(len(values), np.bool_) if column.missing is None else column.missing[met]
            self._missing[name].append(missing)

    def together(self) -> tuple[NDArray[np.int64], dict[str, Column]]:
        """Return (n,) ranks, ascending, and the columns of these candidates."""
        found = {}
        for name in self._names:
            values, missing = self._values[name], self._missing[name]
            gone = np.concatenate(missing) if missing else np.zeros(0, np.bool_)
            every = np.concatenate(values) if values else np.zeros(0)
            found[name] = Column(every, gone if gone.any() else None)
        return np.concatenate(self._ranks), found


def columns_of(
    reader: Reader, run_id: int, names: Sequence[str]
) -> Iterator[tuple[NDArray[np.int64], dict[str, Column]]]:
    """Yield (ranks, columns) of a run's evaluated candidates, chunk by chunk."""
    own = {metric.name for metric in reader.metrics(run_id)}
    others = {name: _imported(reader, run_id, name) for name in names if name not in own}
    mine = [reader.column(run_id, name) for name in names if name in own]
    first = mine or reader.columns(run_id)[:1]
    for chunks in zip(*(reader.chunks(run_id, column.name) for column in first), strict=True):
        ranks = reader.ranks(run_id, chunks[0])
        columns = {
            column.name: Column(decode_chunk(chunk), reader.missing(run_id, column, chunk))
            for column, chunk in zip(first, chunks, strict=True)
        }
        for name, (where, values) in others.items():
            places = np.minimum(np.searchsorted(where, ranks), max(0, len(where) - 1))
            known = where[places] == ranks if len(where) else np.zeros(len(ranks), np.bool_)
            columns[name] = Column(values[places] if len(where) else np.zeros(len(ranks)), ~known)
        if len(ranks):
            yield ranks, columns


def _imported(reader: Reader, run_id: int, name: str) -> tuple[NDArray[np.int64], NDArray[Any]]:
    """Return (ranks, values) of an imported metric, all of them."""
    parts = list(reader.values(run_id, name))
    if not parts:
        return np.zeros(0, np.int64), np.zeros(0)
    ranks, values = zip(*parts, strict=True)
    return np.concatenate(ranks), np.concatenate(values)


def _metric(reader: Reader, run_id: int, name: str) -> Metric:
    found = reader.column(run_id, name).metric
    assert found is not None
    return found


def _by_plugin(found: list[Scored], rule: SelectParams, sign: int) -> list[Scored]:
    """Let a plugin's rule choose. Raises UnknownNameError without the plugin, and PluginError."""
    info = registry().selection_rule(rule.keep, "select.keep")
    assert info is not None
    if not found:
        return []
    ranks = np.array([rank for rank, _ in found], np.int64)
    values = np.array([value for _, value in found])
    with registry().attribute_errors_to(info):
        positions = [operator.index(each) for each in resolve(info.choose)(ranks, values, sign, rule.count)]
    if len(set(positions)) < len(positions) or not all(0 <= each < len(found) for each in positions):
        raise PluginError(
            f"The {registry().described(info)} must return different positions from 0 to {len(found) - 1}."
        )
    return [found[position] for position in positions]


_DIRECTIONS = {"max": ", the largest", "min": ", the smallest"}


def rule_text(rule: SelectParams) -> str:
    """Describe the rule, for the record."""
    suffix = limits_in_words(rule.min, rule.max) + _DIRECTIONS.get(rule.direction or "", "")
    if rule.where:
        suffix += f", where {' and '.join(map(str, rule.where))}"
    suffix += ties_text(rule)
    if not isinstance(rule.distinct, bool) and rule.distinct:
        suffix += f", one of each class by {', '.join(rule.distinct)}"
    elif rule.distinct:
        suffix += ", one of each symmetry class"
    if rule.keeps_count:
        return f"{rule.keep} {rule.count} by {rule.metric}{suffix}"
    if rule.keep == "best":
        return f"best by {rule.metric}{suffix}"
    if rule.keep != "threshold":
        return f"{rule.keep} {rule.count} by {rule.metric}{suffix}"
    return f"{rule.metric}{suffix}"


def ties_text(rule: SelectParams) -> str:
    """Describe the order among equal values, and how far apart kept ones are; '' without either."""
    told = f", then by {', '.join(rule.then)}" if rule.then else ""
    if rule.apart is None:
        return told
    places = "" if isinstance(rule.apart, str) else " place" if rule.apart == 1 else " places"
    return f"{told}, {rule.apart}{places} apart"


def limits_in_words(low: float | None, high: float | None) -> str:
    """Describe limits of values behind the name of a metric: ' of 3 or more'; '' without limits."""
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of {low:g} or more"
    return "" if high is None else f" of {high:g} or less"


def _distinct(found: list[Scored], canonical_ranks: CanonicalRanks | None) -> list[Scored]:
    if canonical_ranks is None or not found:
        return found
    canonical = canonical_ranks(np.array([rank for rank, _ in found], np.int64))
    _, firsts = np.unique(canonical, return_index=True)
    return [found[first] for first in np.sort(firsts).tolist()]
