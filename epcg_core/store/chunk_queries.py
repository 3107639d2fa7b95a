"""Searching chunks for values: the best, how many there are, and which candidates have them.

A chunk's row knows its smallest and largest value, so chunks that cannot matter are never read, and of those
that matter as a whole nothing but the row is.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from fractions import Fraction
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.errors import QueryError
from epcg_core.chunks.codec import decode_chunk
from epcg_core.store import schema
from epcg_core.store.reader import Reader

Scored = tuple[int, Any]
"""(rank, value)."""


def data_bytes(reader: Reader, run_id: int) -> int:
    """Return the bytes of a run's chunks, as they are stored."""
    table = schema.score_chunk.c
    size = sa.select(sa.func.sum(sa.func.length(table.data))).where(table.run_id == run_id)
    return int(reader.connection.scalar(size) or 0)


def recorded(reader: Reader, run_id: int) -> int:
    """Return how many candidates of a run have recorded values; branch and bound evaluates more."""
    table, first = schema.score_chunk.c, reader.columns(run_id)[0]
    number = sa.select(sa.func.sum(table.evaluated))
    mine = number.where(table.run_id == run_id, table.metric_id == first.id)
    return int(reader.connection.scalar(mine) or 0)


def best_value(reader: Reader, run_id: int, name: str, sign: int) -> Any:
    """Return a run's largest (sign 1) or smallest (sign -1) value of a metric; None without values."""
    table = schema.score_chunk.c
    extreme = sa.func.max(table.maximum) if sign > 0 else sa.func.min(table.minimum)
    return reader.connection.scalar(sa.select(extreme).where(*_mine(reader, run_id, name)))


def extreme_chunk(reader: Reader, run_id: int, name: str, sign: int) -> int | None:
    """Return where the chunk begins with a run's largest (sign 1) or smallest value; None without values."""
    table = schema.score_chunk.c
    promise = table.maximum.desc() if sign > 0 else table.minimum.asc()
    mine = sa.select(table.start).where(*_mine(reader, run_id, name), table.valued > 0)
    return reader.connection.scalar(mine.order_by(promise, table.start).limit(1))


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
        inside = _inside(decode_chunk(chunk), low, high)
        missing = reader.missing(run_id, column, chunk)
        if missing is not None:
            inside &= ~missing
        total += int(np.count_nonzero(inside))
    return total


def percentile(lower: float, equal: float, valued: int) -> float:
    """Return the mid-rank: the percentage of `valued` candidates that are lower and half of the equal."""
    return 100 * (lower + equal / 2) / valued


def percentile_of(reader: Reader, run_id: int, name: str, value: Any) -> float | None:
    """Return the mid-rank of a value among a run's values of a metric; None if there is no value.

    Raises QueryError if `value` is not a number.
    """
    value = _number(value)
    valued = count(reader, run_id, name)
    if not valued:
        return None
    equal = count(reader, run_id, name, value, value)
    return percentile(count(reader, run_id, name, high=value) - equal, equal, valued)


def _number(value: Any) -> int | float:
    """Return a number, of numpy too, as SQLite takes it. Raises QueryError."""
    found = value.item() if hasattr(value, "item") else value
    if isinstance(found, bool):
        return int(found)
    if not isinstance(found, int | float) or found != found:
        raise QueryError(f"{found!r} is not a number that values can be compared with.")
    return float(found) if isinstance(found, int) and found.bit_length() > 63 else found


def quantile_of(reader: Reader, run_id: int, name: str, share: float) -> Any:
    """Return the least value that a share of a run's values of a metric do not exceed; None without values.

    The run's histogram says where to look: of a finished run, only chunks that may hold such values are read.
    """
    valued = count(reader, run_id, name)
    if not valued:
        return None
    place = max(0, math.ceil(Fraction(repr(share)) * valued) - 1)  # as it is written: 0.7 of 10 are 7
    low, high = _bin(reader, run_id, name, place)
    before = count(reader, run_id, name, high=low) - count(reader, run_id, name, low, low)
    values = _values(reader, run_id, name, low, high)
    if not 0 <= place - before < len(values):  # bins of reals end where rounding puts them
        before, values = 0, _values(reader, run_id, name, -math.inf, math.inf)
    found = +np.partition(values, place - before)[place - before].item()
    return found


def _bin(reader: Reader, run_id: int, name: str, place: int) -> tuple[Any, Any]:
    """Return the limits of the values that the histogram has at a place in their order."""
    table, before = schema.score_histogram.c, 0
    bins = reader.connection.execute(
        sa.select(table.low, table.high, table.count)
        .where(table.run_id == run_id, table.metric_id == reader.column(run_id, name).id)
        .order_by(table.position)
    )
    for low, high, number in bins.all():
        before += number
        if place < before:
            return low, high
    return -math.inf, math.inf


def _values(reader: Reader, run_id: int, name: str, low: float, high: float) -> NDArray[Any]:
    """Return the values in low .. high, in no order that means anything."""
    found = [v[_inside(v, low, high)] for _, v in reader.values(run_id, name, where=_may_hold(low, high))]
    return np.concatenate(found) if found else np.zeros(0)


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
    no chunk can improve on the values found. Memory is bounded by twice `count` and one chunk.
    """
    table = schema.score_chunk.c
    promise = table.maximum if sign > 0 else table.minimum
    promises = reader.connection.execute(
        sa.select(table.start, promise)
        .where(*_mine(reader, run_id, name), table.valued > 0, _may_hold(low, high))
        .order_by(promise.desc() if sign > 0 else promise.asc(), table.start)
    ).all()
    best = _Best(sign, count)
    for start, extreme in promises:
        if best.last is not None:
            value, rank = best.last
            if sign * extreme < sign * value:
                break
            if extreme == value and start > rank:
                continue
        for ranks, values in reader.values(run_id, name, where=table.start == start):
            inside = _inside(values, low, high)
            best.add(ranks[inside], values[inside])
    return best.in_order()


class _Best:
    """The `count` best of the candidates that were added, once `last` is set; fewer or more before that.

    A threshold pass: a candidate that does not beat the last of the best is dropped when it is added, and the
    others wait until they are worth a partition.
    """

    def __init__(self, sign: int, count: int) -> None:
        self._sign, self._count = sign, count
        self._parts: list[tuple[NDArray[np.int64], NDArray[Any]]] = []
        self._size = 0
        self.last: tuple[Any, int] | None = None
        """(value, rank) that a candidate has to beat; None until `count` were added."""

    def add(self, ranks: NDArray[np.int64], values: NDArray[Any]) -> None:
        """Add (n,) candidates of a chunk, by rank."""
        read = len(values)
        if self.last is not None:
            better = self._better(ranks, values, *self.last)
            ranks, values = ranks[better], values[better]
        if values.dtype.kind in "iu":
            values = values.astype(np.int64)  # chunks have the smallest type that holds their values
        self._parts.append((ranks, values))
        self._size += len(values)
        if (
            len(values)
            and self._size >= self._count
            and (self._size >= 2 * self._count or read >= self._count)
        ):
            self._cut()

    def in_order(self) -> list[Scored]:
        """Return the best, equal values by rank."""
        if not self._size:
            return []
        if self._size > self._count:
            self._cut()
        ranks, values = self._joined()
        order = np.lexsort((-ranks, values))[::-1] if self._sign > 0 else np.lexsort((ranks, values))
        return list(zip(ranks[order].tolist(), values[order].tolist(), strict=True))

    def _cut(self) -> None:
        """Keep the `count` best and raise the threshold; of equal values those with low ranks."""
        ranks, values = self._joined()
        place = len(values) - self._count if self._sign > 0 else self._count - 1
        value = np.partition(values, place)[place]
        better = np.count_nonzero(values > value if self._sign > 0 else values < value)
        equal = ranks[values == value]
        wanted = self._count - int(better)
        rank = int(np.partition(equal, wanted - 1)[wanted - 1])
        kept = self._better(ranks, values, value, rank + 1)
        self._parts, self._size = [(ranks[kept], values[kept])], self._count
        self.last = value.item(), rank

    def _better(
        self, ranks: NDArray[np.int64], values: NDArray[Any], value: Any, rank: int
    ) -> NDArray[np.bool_]:
        """Return the (n,) mask of candidates that come before one with this value and rank."""
        better: NDArray[np.bool_] = values > value if self._sign > 0 else values < value
        better |= (values == value) & (ranks < rank)
        return better

    def _joined(self) -> tuple[NDArray[np.int64], NDArray[Any]]:
        ranks, values = zip(*self._parts, strict=True)
        return np.concatenate(ranks), np.concatenate(values)


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
