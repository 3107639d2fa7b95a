"""A run's candidates as columns of arrays, chunk by chunk, for tables in other formats."""

from __future__ import annotations

import importlib
import re
import sqlite3
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError, StoreError, UnknownNameError
from epcg_core.chunks.codec import decode_chunk
from epcg_core.domain import STATUS_NAMES, Metric
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.store import Reader
from epcg_core.store.rows import condition_columns

DTYPES: Mapping[str, np.dtype[Any]] = {
    "int": np.dtype(np.int64),
    "real": np.dtype(np.float64),
    "bool": np.dtype(np.bool_),
}
"""The types of values for users, by the kind of their metric; in chunks' smaller types differences wrap."""


EXACT = 2**53
"""The largest magnitude up to which float64 has every whole number."""


@attrs.frozen
class Wanted:
    """Columns and rows to take out of a run."""

    metrics: tuple[str, ...]
    puzzles: bool = False
    """Whether there is a column with the puzzles' ids."""
    status: bool = False
    """Whether there is a column that says why a candidate has no value."""
    where: str | None = None
    """An SQL condition over rank and all metrics of the run."""

    @property
    def names(self) -> list[str]:
        """The columns, in order."""
        own = ["puzzle"] if self.puzzles else []
        return ["rank", *own, *self.metrics, *(["status"] if self.status else [])]


@attrs.frozen(eq=False)
class Columns:
    """Evaluated candidates of one chunk, by rank."""

    ranks: NDArray[np.int64]
    """(n,)."""
    status: NDArray[np.uint8] | None
    """(n,); None if all have values, or the status was not asked for."""
    values: Mapping[str, tuple[NDArray[Any], NDArray[np.bool_] | None]]
    """The (n,) values of each metric, and the (n,) mask of missing ones, None if none is missing."""

    def __len__(self) -> int:
        return len(self.ranks)

    def taken(self, positions: NDArray[np.int64] | slice) -> Columns:
        """Return the candidates at some positions."""
        return Columns(
            self.ranks[positions],
            None if self.status is None else self.status[positions],
            {
                name: (values[positions], None if missing is None else missing[positions])
                for name, (values, missing) in self.values.items()
            },
        )

    def plain(self, name: str) -> list[Any]:
        """Return a metric's values as Python has them, None if there is none."""
        values, missing = self.values[name]
        found: list[Any] = values.tolist()
        if missing is not None:
            for position in np.flatnonzero(missing).tolist():
                found[position] = None
        return found

    def column(self, name: str, space: str) -> list[Any]:
        """Return the column 'rank', 'puzzle', 'status' or that of a metric, as Python's values."""
        if name in self.values:
            return self.plain(name)
        if name == "rank":
            return list(self.ranks.tolist())
        if name == "puzzle":
            return [puzzle_id(space, rank) for rank in self.ranks.tolist()]
        if self.status is None:
            return [STATUS_NAMES[0]] * len(self)
        return [STATUS_NAMES[number] for number in self.status.tolist()]


def columns(
    reader: Reader, run_id: int, names: Sequence[str], *, status: bool = False, where: str | None = None
) -> Iterator[Columns]:
    """Yield metrics of every evaluated candidate of a run, chunk by chunk, in the order of the ranks.

    Args:
        reader: the database.
        run_id: the run.
        names: the metrics that are wanted.
        status: whether the status of the candidates is wanted, too.
        where: an SQL condition over rank and all metrics of the run; None for all candidates.

    Raises:
        UnknownNameError: if the run has no such metric.
        StoreError: if the condition is invalid. Both are raised before anything is read.
    """
    metrics = {metric.name: metric for metric in reader.every_metric(run_id)}
    for name in names:
        metric_of(reader, run_id, name)
    if where is None:
        return _read(reader, run_id, names, status)
    check_condition(where, metrics)
    return _admitted(_read(reader, run_id, list(metrics), status), where, metrics, names)


def joined(parts: Sequence[Columns], metric: Metric) -> NDArray[Any]:
    """Return the (n,) values of a metric in all parts, of the type in `DTYPES` if none is missing.

    Else they are float64 with NaN, or objects with None if float64 would round them.
    """
    dtype = DTYPES[metric.kind]
    values = np.concatenate(
        [np.zeros(0, dtype), *(part.values[metric.name][0] for part in parts)], dtype=dtype
    )
    missing = np.concatenate(
        [np.zeros(0, np.bool_), *(_mask(part, metric.name) for part in parts)], dtype=np.bool_
    )
    if not missing.any():
        return values
    found, there = values.astype(np.float64), values[~missing]
    if metric.kind == "int" and len(there) and max(-int(there.min()), int(there.max())) > EXACT:
        whole = values.astype(object)
        whole[missing] = None
        return whole
    found[missing] = np.nan
    return found


def _mask(part: Columns, name: str) -> NDArray[np.bool_]:
    missing = part.values[name][1]
    return np.zeros(len(part), np.bool_) if missing is None else missing


def metric_of(reader: Reader, run_id: int, name: str) -> Metric:
    """Return a metric of a run by its name. Raises UnknownNameError."""
    metrics = {metric.name: metric for metric in reader.every_metric(run_id)}
    if name not in metrics:
        raise UnknownNameError("metric", name, metrics, f"run {run_id}")
    return metrics[name]


def _read(reader: Reader, run_id: int, names: Sequence[str], status: bool) -> Iterator[Columns]:
    wanted = [reader.column(run_id, name) for name in names]

    def read() -> Iterator[Columns]:
        first = names[0] if names else reader.columns(run_id)[0].name
        for chunk in reader.chunks(run_id, first):
            values = {}
            for column in wanted:
                own = chunk if column.name == first else reader.chunk_at(run_id, column.name, chunk.start)
                assert own is not None  # a run's columns are cut alike
                values[column.name] = decode_chunk(own), reader.missing(run_id, column, own)
            known = reader.status(run_id, chunk.start) if status else None
            yield Columns(reader.ranks(run_id, chunk), known, values)

    return read()


def _admitted(
    parts: Iterable[Columns], where: str, metrics: Mapping[str, Metric], names: Sequence[str]
) -> Iterator[Columns]:
    """Yield the candidates for which an SQL condition holds: SQLite decides, as in `epcg db materialize`."""
    connection = _candidates(metrics)
    places = ", ".join("?" * (len(metrics) + 2))
    try:
        for part in parts:
            rows = zip(range(len(part)), part.ranks.tolist(), *map(part.plain, metrics), strict=True)
            connection.execute("DELETE FROM candidates")
            connection.executemany(f"INSERT INTO candidates VALUES ({places})", rows)
            positions = _positions(connection, where, ["rank", *metrics])
            if positions:
                found = part.taken(np.array(positions))
                yield attrs.evolve(found, values={name: found.values[name] for name in names})
    finally:
        connection.close()


def check_condition(where: str, metrics: Mapping[str, Metric]) -> None:
    """Raise StoreError if `where` is not a condition over rank and some metrics."""
    documents.check(where, "--where", StoreError)
    connection = _candidates(metrics)
    try:
        _positions(connection, where, ["rank", *metrics])
    finally:
        connection.close()


def _candidates(metrics: Mapping[str, Metric]) -> sqlite3.Connection:
    """Make an empty table `candidates` in memory, with a column for the rank and for each metric."""
    connection = sqlite3.connect(":memory:", check_same_thread=False)  # readers of batches take turns
    own = ", ".join(condition_columns(metrics))
    connection.execute(f"CREATE TABLE candidates (position INTEGER PRIMARY KEY, rank, {own})")
    return connection


def _positions(connection: sqlite3.Connection, where: str, names: Sequence[str]) -> list[int]:
    """List the rows of `candidates` for which the condition holds."""
    try:
        found = connection.execute(f"SELECT position FROM candidates WHERE {where} ORDER BY position")
        return [position for (position,) in found]
    except (sqlite3.Error, sqlite3.Warning) as error:
        said = str(error)
        word = re.search('near "(.*?)"', said)  # a metric may have the name of an SQL word
        if word and word[1] == "ORDER" and "order" not in where.lower():
            said = "it ends too early"  # what follows it in the statement is not of the condition
        hint = (
            f" ('{word[1]}' is a word of SQL: write \"{word[1]}\", or is_{word[1]} for true)"
            if word and word[1] in names
            else ""
        )
        raise StoreError(
            f"--where {where}: {said}{hint}. It is a condition over {', '.join(names)}."
        ) from None


def frame(columns: Mapping[str, Any], library: Literal["pandas", "polars"] | None = None) -> Any:
    """Return a DataFrame of pandas, or of polars if only polars is installed.

    Raises EpcgError if neither is installed.
    """
    for name in (library,) if library else ("pandas", "polars"):
        try:
            return importlib.import_module(name).DataFrame(dict(columns))
        except ModuleNotFoundError:
            continue
    raise EpcgError(f"A DataFrame needs {library or 'pandas or polars'}: pip install {library or 'pandas'}")
