"""Choosing from the record: the best, the top N, or all in a range, from any run's chunks.

Chunks know their smallest and largest value, so most are never read.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np
import sqlalchemy as sa

from epcg_core.query import SelectParams
from epcg_core.store import schema
from epcg_core.store.reader import Reader

Scored = tuple[int, Any]
"""(rank, value)."""


def select(
    reader: Reader, run_id: int, rule: SelectParams, canonical_rank: Callable[[int], int] | None = None
) -> list[Scored]:
    """What `rule` keeps of a run: best value first, equal values by rank.

    With `rule.distinct`, of states with the same `canonical_rank` only the first is kept.
    """
    column = reader.column(run_id, rule.metric)
    assert column.metric is not None
    sign = 1 if (rule.direction or column.metric.direction) == "max" else -1
    keep = canonical_rank if rule.distinct else None
    low = -math.inf if rule.min is None else rule.min
    high = math.inf if rule.max is None else rule.max
    if rule.keep == "threshold":
        found = sorted(_between(reader, run_id, rule.metric, low, high), key=lambda s: (-sign * s[1], s[0]))
        return _distinct(found, keep)
    if rule.keep == "best":
        if low == -math.inf and high == math.inf:
            value = best_value(reader, run_id, rule.metric, sign)
        else:
            best = _top(reader, run_id, rule.metric, sign, 1, low, high)
            value = +best[0][1] if best else None  # as SQL has it: a boolean is a number
        found = [] if value is None else list(_between(reader, run_id, rule.metric, value, value))
        return _distinct(found, keep)
    if keep is None:
        return _top(reader, run_id, rule.metric, sign, rule.count, low, high)
    wanted = rule.count
    while True:  # ask for more until enough distinct ones are among them
        found = _top(reader, run_id, rule.metric, sign, wanted, low, high)
        distinct = _distinct(found, keep)
        if len(distinct) >= rule.count or len(found) < wanted:
            return distinct[: rule.count]
        wanted *= 4


_DIRECTIONS = {"max": ", the largest", "min": ", the smallest"}


def rule_text(rule: SelectParams) -> str:
    """The rule in words, for the record."""
    suffix = _limits(rule) + _DIRECTIONS.get(rule.direction or "", "")
    suffix += ", one of each symmetry class" if rule.distinct else ""
    if rule.keep == "top":
        return f"top {rule.count} by {rule.metric}{suffix}"
    if rule.keep == "best":
        return f"best by {rule.metric}{suffix}"
    return f"{rule.metric}{suffix}"


def _limits(rule: SelectParams) -> str:
    if rule.min is not None and rule.max is not None:
        return f" from {rule.min:g} to {rule.max:g}"
    if rule.min is not None:
        return f" of {rule.min:g} or more"
    return "" if rule.max is None else f" of {rule.max:g} or less"


def best_value(reader: Reader, run_id: int, name: str, sign: int) -> Any:
    """The best value of a metric in a run, None where there is none."""
    table = schema.score_chunk.c
    extreme = sa.func.max(table.maximum) if sign > 0 else sa.func.min(table.minimum)
    where = (table.run_id == run_id, table.metric_id == reader.column(run_id, name).id)
    return reader.connection.scalar(sa.select(extreme).where(*where))


def _between(reader: Reader, run_id: int, name: str, low: float, high: float) -> Iterator[Scored]:
    for ranks, values in reader.values(run_id, name, where=_may_hold(low, high)):
        inside = (values >= low) & (values <= high)
        yield from zip(ranks[inside].tolist(), values[inside].tolist(), strict=True)


def _may_hold(low: float, high: float) -> sa.ColumnElement[bool]:
    """Of which chunks the extremes admit values in low .. high."""
    table = schema.score_chunk.c
    where: sa.ColumnElement[bool] = sa.true()
    if low > -math.inf:
        where = where & (table.maximum >= low)
    if high < math.inf:
        where = where & (table.minimum <= high)
    return where


def _top(
    reader: Reader, run_id: int, name: str, sign: int, count: int, low: float, high: float
) -> list[Scored]:
    """The `count` best values in low .. high, reading chunks in the order of what they promise."""
    table = schema.score_chunk.c
    promise = table.maximum if sign > 0 else table.minimum
    promises = reader.connection.execute(
        sa.select(table.start, promise)
        .where(table.run_id == run_id, table.metric_id == reader.column(run_id, name).id)
        .where(table.valued > 0, _may_hold(low, high))
        .order_by(promise.desc() if sign > 0 else promise.asc(), table.start)
    ).all()
    found: list[Scored] = []
    for start, best in promises:
        if len(found) == count:
            rank, value = found[-1]
            if sign * best < sign * value:
                break
            if best == value and start > rank:
                continue
        for ranks, values in reader.values(run_id, name, where=table.start == start):
            if low > -math.inf or high < math.inf:
                inside = (values >= low) & (values <= high)
                ranks, values = ranks[inside], values[inside]
            order = np.lexsort(
                (ranks, -sign * values.astype(np.float64 if values.dtype.kind == "f" else np.int64))
            )
            picked = order[:count]
            found += zip(ranks[picked].tolist(), values[picked].tolist(), strict=True)
        found.sort(key=lambda scored: (-sign * scored[1], scored[0]))
        del found[count:]
    return found


def _distinct(found: list[Scored], canonical_rank: Callable[[int], int] | None) -> list[Scored]:
    if canonical_rank is None:
        return found
    seen: set[int] = set()
    kept = []
    for rank, value in found:
        canonical = canonical_rank(rank)
        if canonical not in seen:
            seen.add(canonical)
            kept.append((rank, value))
    return kept
