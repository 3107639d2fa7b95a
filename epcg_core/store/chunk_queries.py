"""Searching chunks for values: the best, how many there are, and which candidates have them.

A chunk's row knows its smallest and largest value, so chunks that cannot matter are never read, and of those
that matter as a whole nothing but the row is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.chunks.codec import decode
from epcg_core.store import schema
from epcg_core.store.reader import Reader

Scored = tuple[int, Any]
"""(rank, value)."""


def best_value(reader: Reader, run_id: int, name: str, sign: int) -> Any:
    """Return a run's largest (sign 1) or smallest (sign -1) value of a metric; None without values."""
    table = schema.score_chunk.c
    extreme = sa.func.max(table.maximum) if sign > 0 else sa.func.min(table.minimum)
    return reader.connection.scalar(sa.select(extreme).where(*_mine(reader, run_id, name)))


def between(reader: Reader, run_id: int, name: str, low: float, high: float) -> Iterator[Scored]:
    """Yield (rank, value) of the candidates whose value of a metric lies in low .. high, by rank."""
    for ranks, values in reader.values(run_id, name, where=_may_hold(low, high)):
        inside = _inside(values, low, high)
        yield from zip(ranks[inside].tolist(), values[inside].tolist(), strict=True)


def count(reader: Reader, run_id: int, name: str, low: float = -math.inf, high: float = math.inf) -> int:
    """Return how many candidates have a value of a metric in low .. high."""
    table, mine = schema.score_chunk.c, _mine(reader, run_id, name)
    within = sa.and_(_at_least(table.minimum, low), _at_most(table.maximum, high))
    ones = sa.func.coalesce(sa.func.sum(table.total), 0)
    valued = sa.func.coalesce(sa.func.sum(table.valued), 0)
    of_rows, bits = table.valued > 0, table.dtype == "bit"
    total = int(reader.connection.scalar(sa.select(valued).where(*mine, of_rows, within)) or 0)
    partly = sa.and_(of_rows, ~within, _may_hold(low, high))
    mixed = reader.connection.execute(sa.select(ones, valued - ones).where(*mine, partly, bits)).one()
    total += sum(int(number) for bit, number in ((1, mixed[0]), (0, mixed[1])) if low <= bit <= high)
    column = reader.column(run_id, name)
    for chunk in reader.chunks(run_id, name, where=sa.and_(partly, ~bits)):
        inside = _inside(decode(chunk), low, high)
        missing = reader.missing(run_id, column, chunk)
        if missing is not None:
            inside &= ~missing
        total += int(np.count_nonzero(inside))
    return total


def top(
    reader: Reader,
    run_id: int,
    name: str,
    sign: int,
    count: int,
    low: float = -math.inf,
    high: float = math.inf,
) -> list[Scored]:
    """Return the `count` largest (sign 1) or smallest (sign -1) values in low .. high.

    The best come first, equal values by rank. Chunks are read in the order of their recorded extremes, until
    no chunk can improve on the values found.
    """
    table = schema.score_chunk.c
    promise = table.maximum if sign > 0 else table.minimum
    promises = reader.connection.execute(
        sa.select(table.start, promise)
        .where(*_mine(reader, run_id, name), table.valued > 0, _may_hold(low, high))
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
            inside = _inside(values, low, high)
            if len(found) == count:
                inside &= values >= found[-1][1] if sign > 0 else values <= found[-1][1]
            found += _best_of(ranks[inside], values[inside], sign, count)
        found.sort(key=lambda scored: (-sign * scored[1], scored[0]))
        del found[count:]
    return found


def _best_of(ranks: NDArray[np.int64], values: NDArray[Any], sign: int, count: int) -> list[Scored]:
    """Return the `count` best of a chunk's values, preferring low ranks among equals, in no order."""
    if len(values) > count:
        place = len(values) - count if sign > 0 else count - 1
        last = np.partition(values, place)[place]
        chosen = values > last if sign > 0 else values < last
        chosen[np.flatnonzero(values == last)[: count - np.count_nonzero(chosen)]] = True
        ranks, values = ranks[chosen], values[chosen]
    return list(zip(ranks.tolist(), values.tolist(), strict=True))


def _mine(reader: Reader, run_id: int, name: str) -> tuple[sa.ColumnElement[bool], ...]:
    table = schema.score_chunk.c
    return table.run_id == run_id, table.metric_id == reader.column(run_id, name).id


def _may_hold(low: float, high: float) -> sa.ColumnElement[bool]:
    """Select the chunks whose extremes admit values in low .. high."""
    table = schema.score_chunk.c
    return sa.and_(_at_least(table.maximum, low), _at_most(table.minimum, high))


def _at_least(extreme: sa.ColumnElement[Any], low: float) -> sa.ColumnElement[bool]:
    return extreme >= low if low > -math.inf else sa.true()


def _at_most(extreme: sa.ColumnElement[Any], high: float) -> sa.ColumnElement[bool]:
    return extreme <= high if high < math.inf else sa.true()


def _inside(values: NDArray[Any], low: float, high: float) -> NDArray[np.bool_]:
    """Return the (n,) mask of values in low .. high, compared in their own type.

    Comparing them as reals would take far longer, and large integers would lose digits.
    """
    if values.dtype.kind in "iu":
        low = math.ceil(low) if low > -math.inf else low
        high = math.floor(high) if high < math.inf else high
    inside = np.ones(len(values), np.bool_)
    if low > -math.inf:
        inside &= values >= low
    if high < math.inf:
        inside &= values <= high
    return inside
