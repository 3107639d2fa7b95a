"""Sources of a chapter's candidates: a query's run, a recorded run, or a SELECT."""

from __future__ import annotations

import hashlib
import math
import re
from array import array
from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import CurriculumError, EpcgError, LibraryNotMadeError, StoreError, shortened
from epcg_core.base.params import canonical_json
from epcg_core.curriculum.plan import Part
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query
from epcg_core.query.spec import MAX_RECORDED_RANK, SpaceSpec
from epcg_core.runs import coordinator as running
from epcg_core.runs.ledger import chosen
from epcg_core.runs.room import gigabytes, physical_memory
from epcg_core.store import Reader, RunRecord, chunk_queries
from epcg_core.store.sql import ask_sql

_BYTES, _BYTES_OF_COLUMN = 80, 9
"""Bytes of a candidate at most while some are chosen (77 measured), and of each of its measures."""
_BYTES_OF_ROW = 150
"""Bytes of a candidate of a SELECT, whose values are Python's at first."""
_ROWS_AT_ONCE = 1 << 16
PUZZLE = "puzzle"


@attrs.frozen(eq=False)
class Column:
    """A measure of n candidates."""

    name: str
    values: NDArray[Any]
    """(n,) numbers, or objects if there are strings."""
    missing: NDArray[np.bool_]
    """(n,) mask of missing values."""

    def numbers(self, where: str) -> NDArray[np.float64]:
        """Return the (n,) values as numbers, NaN if missing. Raises CurriculumError if one is a string."""
        if self.values.dtype == object:
            text = next(v for v, gone in zip(self.values, self.missing, strict=True) if not gone)
            raise CurriculumError(f"{where}: {self.name} is a string ({text!r}), and a number is needed.")
        numbers = self.values.astype(np.float64)
        numbers[self.missing] = math.nan
        return numbers

    def at(self, position: int) -> Any:
        """Return one value as a Python value; None if it is missing."""
        return None if self.missing[position] else _own(self.values[position])

    def codes(self) -> NDArray[np.int64]:
        """Return (n,) equal numbers for equal values; no value is a value of its own."""
        texts = [None if gone else _own(v) for v, gone in zip(self.values, self.missing, strict=True)]
        known: dict[Any, int] = {}
        return np.array([known.setdefault(text, len(known)) for text in texts], dtype=np.int64)


def _own(value: Any) -> Any:
    return value.item() if isinstance(value, np.generic) else value


@attrs.frozen(eq=False)
class Candidates:
    """n puzzles, ordered by space and rank, with the measures that a part reads."""

    spaces: Sequence[str]
    """The names of their spaces, ascending."""
    space_of: NDArray[np.int64]
    """(n,) positions in `spaces`."""
    ranks: NDArray[np.int64]
    """(n,)"""
    columns: Mapping[str, Column]
    run: RunRecord | None
    """The run that they come from, if they do."""
    listed: NDArray[np.int64] | None = None
    """The positions of the puzzles that the plan lists by hand, in its order; None if it lists none."""
    beside: NDArray[np.bool_] | None = None
    """(n,) mask of those that are only in the list; None if there is none."""

    def __len__(self) -> int:
        return len(self.ranks)

    def space(self, position: int) -> str:
        return self.spaces[int(self.space_of[position])]

    def among(self, space: int, positions: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return those of some positions whose puzzles are of a space, by its place in `spaces`."""
        return positions if len(self.spaces) == 1 else positions[self.space_of[positions] == space]

    def run_of(self, position: int) -> RunRecord | None:
        """Return the run that a candidate comes from; None if it comes from SQL or a list by hand."""
        return None if self.beside is not None and self.beside[position] else self.run

    def by_hand(self) -> NDArray[np.bool_]:
        """Return the (n,) mask of the puzzles that the plan lists by hand."""
        if self.listed is None:
            return np.broadcast_to(np.False_, len(self))
        mask = np.zeros(len(self), np.bool_)
        mask[self.listed] = True
        return mask

    def puzzle(self, position: int) -> str:
        return puzzle_id(self.space(position), int(self.ranks[position]))

    def digest(self) -> str:
        """Digest the puzzles and their measures."""
        digest = hashlib.sha256(canonical_json(list(self.spaces)).encode())
        for parts in (self.space_of, self.ranks):
            for block in blocks(len(self), _ROWS_AT_ONCE):
                digest.update(parts[block].tobytes())
        for name, column in sorted(self.columns.items()):
            digest.update(f"{name}\0{column.values.dtype.str}\0".encode() + column.missing.tobytes())
            if column.values.dtype == object:
                digest.update(canonical_json(column.values.tolist()).encode())
                continue
            none = column.values.dtype.type(0)
            for block in blocks(len(self), _ROWS_AT_ONCE):
                digest.update(np.where(column.missing[block], none, column.values[block]).tobytes())
        return digest.hexdigest()


def blocks(count: int, size: int) -> Iterator[slice]:
    """Yield slices of a given number of candidates, one after the other, so that little is copied at once."""
    return (slice(start, start + size) for start in range(0, count, size))


def place_type(count: int) -> type[np.signedinteger[Any]]:
    """Return the type of integers that are places among a given number of candidates, and -1."""
    return np.int32 if count < 2**31 else np.int64


def positions_of(mask: NDArray[np.bool_]) -> NDArray[np.signedinteger[Any]]:
    """Return the ascending places that are true, in a fourth of the memory of `np.flatnonzero`."""
    found, filled = np.empty(np.count_nonzero(mask), place_type(len(mask))), 0
    for block in blocks(len(mask), _ROWS_AT_ONCE):
        own = np.flatnonzero(mask[block])
        found[filled : filled + len(own)] = own + block.start
        filled += len(own)
    return found


def measures_of(part: Part, reader: Reader | None, where: str) -> list[str] | None:
    """Return the measures of a part's source; None if they can only be read from a missing database.

    Raises EpcgError if the source is invalid.
    """
    if part.query is not None:
        try:
            return [metric.name for metric in running.plan(part.query)[1].metrics]
        except LibraryNotMadeError:  # building makes it, and checks again
            return None
        except EpcgError as error:
            raise CurriculumError(f"{where}, query {part.query.name}: {error}") from error
    if reader is None:
        return None
    if part.run is not None:
        record = reader.run(part.run)
        if not record.done:
            raise CurriculumError(
                f"{where}: run {record.id} is not finished; go on with: epcg resume {record.id}."
            )
        return [metric.name for metric in reader.every_metric(record.id)]
    if part.sql is None:
        return None
    word = re.match(r"\s*(\w*)", part.sql or "")
    if word is None or word[1].upper() not in ("SELECT", "WITH", "VALUES"):
        raise CurriculumError(f"{where}: a plan only reads, so its sql must be a SELECT, not '{part.sql}'.")
    names = ask_sql(reader.connection, _limited(part.sql or "", 0)).columns
    if PUZZLE not in names:
        raise CurriculumError(f"{where}: the SELECT has no column 'puzzle'; it has {', '.join(names)}.")
    return [name for name in names if name != PUZZLE]


def space_of(part: Part, reader: Reader | None) -> SpaceSpec | None:
    """Return the space of a part's candidates; None if it is unknown before the source is read."""
    if part.query is not None:
        with suppress(LibraryNotMadeError):
            return running.plan(part.query)[1].space
        return None
    if part.run is None or reader is None:
        return None
    return parse_puzzle_id(registry(), puzzle_id(reader.run(part.run).space, 0))[0]


def check_size(part: Part, reader: Reader | None, where: str) -> None:
    """Raise CurriculumError if a part's candidates are certain to fill the memory, before any run.

    How many a filter admits or branch and bound records shows only when they are counted.
    """
    number, whose = 0, "it"
    if part.query is not None and part.rows != "kept" and not (part.rows is None and part.query.select):
        with suppress(LibraryNotMadeError):
            spec = running.plan(part.query)[1]
            if spec.filter is None and spec.objective is None:
                number, whose = spec.stop - spec.start, f"the query {part.query.name}"
    elif part.run is not None and reader is not None:
        record = reader.run(part.run)
        if not _keeps(part, reader, record):
            number, whose = chunk_queries.recorded(reader, record.id), f"run {record.id}"
    _check_memory(number, len(part.columns), f"{where}: {whose}")


def _check_memory(number: int, columns: int, whose: str, each: int = _BYTES) -> None:
    """Raise CurriculumError if a number of candidates, of `each` bytes, does not fit the memory."""
    size, memory = number * (each + _BYTES_OF_COLUMN * columns), physical_memory()
    if memory is not None and size > memory:
        raise CurriculumError(
            f"{whose} has {number:,} candidates, which take {gigabytes(size)} of memory while some are "
            f"chosen, and this machine has {gigabytes(memory)}: let the query keep some with [[select]], or "
            "give it a filter."
        )


def candidates_of(part: Part, reader: Reader, record: RunRecord | None, where: str) -> Candidates:
    """Return the candidates of a part; `record` is the run of its query or its run, None for SQL."""
    if record is None:
        return _from_sql(part, reader, where)
    columns = {name: reader.column(record.id, name) for name in part.columns}
    if _keeps(part, reader, record):
        ranks = _kept(part.query, reader, record)
    else:
        _check_memory(chunk_queries.recorded(reader, record.id), len(columns), f"{where}: run {record.id}")
        ranks = _evaluated(reader, record)
    found = {name: _recorded(reader, record, name, ranks) for name in columns}
    only = np.broadcast_to(np.int64(0), ranks.shape)
    return Candidates([record.space], only, ranks, found, record)


def _keeps(part: Part, reader: Reader, record: RunRecord) -> bool:
    """Return whether the candidates are those that the query or run keeps."""
    if part.rows is not None:
        return part.rows == "kept"
    return bool(part.query.select) if part.query is not None else bool(len(_kept(None, reader, record)))


def _kept(query: Query | None, reader: Reader, record: RunRecord) -> NDArray[np.int64]:
    """Return the ascending ranks that a query selects, or all kept ranks of a run."""
    if query is None:
        return np.array(reader.kept_ranks(record.id), dtype=np.int64)
    ranks = {rank for rule in query.select for rank, _ in chosen(reader, record, rule).found}
    return np.array(sorted(ranks), dtype=np.int64)


def _evaluated(reader: Reader, record: RunRecord) -> NDArray[np.int64]:
    """Return the ascending ranks of all evaluated, recorded candidates."""
    ranks, filled = np.empty(chunk_queries.recorded(reader, record.id), np.int64), 0
    for chunk in reader.chunks(record.id, reader.metrics(record.id)[0].name):
        found = reader.ranks(record.id, chunk)
        ranks[filled : filled + len(found)] = found
        filled += len(found)
    return ranks[:filled]


def _recorded(reader: Reader, record: RunRecord, name: str, ranks: NDArray[np.int64]) -> Column:
    """Read a run's metric at ascending ranks."""
    values: NDArray[Any] | None = None
    missing = np.ones(len(ranks), np.bool_)
    kinds = set[np.dtype[Any]]()
    for valued, found in reader.values(record.id, name):
        if found.dtype not in kinds:  # whole numbers are stored as narrow as their chunk allows
            kinds.add(found.dtype)
            kind = np.result_type(*kinds)
            values = np.zeros(len(ranks), kind) if values is None else values.astype(kind, copy=False)
        assert values is not None
        low, high = np.searchsorted(ranks, (valued[0], valued[-1] + 1)).tolist()
        asked = ranks[low:high]
        places = np.minimum(np.searchsorted(valued, asked), len(valued) - 1)
        there = valued[places] == asked
        values[low:high][there] = found[places[there]]
        missing[low:high][there] = False
    return Column(name, np.zeros(len(ranks)) if values is None else values, missing)


def _limited(statement: str, count: int | None = None) -> str:
    """Return all or at most `count` rows of a statement, which can then be nothing but a SELECT."""
    limit = "" if count is None else f" LIMIT {count}"
    return f"SELECT * FROM (\n{statement.strip().rstrip(';')}\n){limit}"


def _from_sql(part: Part, reader: Reader, where: str) -> Candidates:
    found = ask_sql(reader.connection, _limited(part.sql or ""))
    names = found.columns
    at, columns = names.index(PUZZLE), [(name, names.index(name)) for name in part.columns]
    numbers: dict[str, int] = {}
    of, ranks = array("q"), array("q")
    values: dict[str, list[Any]] = {name: [] for name, _ in columns}
    for rows in found.parts(_ROWS_AT_ONCE):
        for row in rows:
            space, rank = _split(row[at], where)
            of.append(numbers.setdefault(space, len(numbers)))
            ranks.append(rank)
        for name, place in columns:
            values[name] += [row[place] for row in rows]
        _check_memory(len(ranks), len(columns), f"{where}: the SELECT", _BYTES_OF_ROW)
    spaces = sorted(numbers)
    space_of = np.argsort([numbers[space] for space in spaces])[np.array(of, np.int64)]
    order = np.lexsort((np.array(ranks), space_of))
    result = Candidates(
        spaces, space_of[order], np.array(ranks, np.int64)[order],
        {name: _sorted(column_of(name, values.pop(name), where), order) for name, _ in columns}, None,
    )  # fmt: skip
    same = np.flatnonzero((np.diff(result.ranks) == 0) & (np.diff(result.space_of) == 0))
    if len(same):
        raise CurriculumError(
            f"{where}: the SELECT gives {result.puzzle(int(same[0]))} more than once: write SELECT DISTINCT "
            "or GROUP BY puzzle."
        )
    return result


def _sorted(column: Column, order: NDArray[np.int64]) -> Column:
    return Column(column.name, column.values[order], column.missing[order])


def _split(text: Any, where: str) -> tuple[str, int]:
    match = re.fullmatch(r"(.+)#(\d+)", str(text))
    if match is None:
        raise CurriculumError(
            f"{where}: the column 'puzzle' holds {text!r}, which is not a puzzle id; the views kept and "
            "selections and the function epcg_puzzle(run, rank) give them."
        )
    if len(match[2]) > len(str(MAX_RECORDED_RANK)) or int(match[2]) > MAX_RECORDED_RANK:
        raise CurriculumError(
            f"{where}: the column 'puzzle' holds {shortened(match[0], 100)}: no rank is so large."
        )
    return match[1], int(match[2])


def column_of(name: str, values: Sequence[Any], where: str) -> Column:
    """Make a column of n values, each a number, a string or None. Raises StoreError if one is bytes."""
    missing = np.array([value is None for value in values], dtype=np.bool_)
    there = [value for value in values if value is not None]
    if any(isinstance(value, bytes) for value in there):
        raise StoreError(f"{where}: {name} holds bytes; a measure is a number or a string.")
    if any(isinstance(value, str) for value in there):
        texts = np.empty(len(values), dtype=object)
        texts[:] = [None if value is None else str(value) for value in values]
        return Column(name, texts, missing)
    kind = np.int64 if all(isinstance(value, int) for value in there) else np.float64
    return Column(name, np.array([0 if value is None else value for value in values], dtype=kind), missing)
