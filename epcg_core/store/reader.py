"""Reading runs, chunks and rows; what SQL sees as blobs comes out as numpy arrays here."""

from __future__ import annotations

import math
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from itertools import islice
from typing import Any

import attrs
import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, StoreError, UnknownNameError
from epcg_core.chunks.codec import (
    BIT_CHUNK_SIZE,
    EVALUATED,
    Chunk,
    check_numbers,
    chunk_status,
    decode_chunk,
    missing_of,
    packed_bits,
)
from epcg_core.domain import VALUE, Bits, Metric
from epcg_core.execution import map_in_threads
from epcg_core.plugins.sources import Sources
from epcg_core.store import recorded, schema, statements
from epcg_core.store.facts import facts_of
from epcg_core.store.records import MetricRecord, RunRecord, UnitRecord

_AHEAD = 16
"""Chunks of a column that are read at once, at most."""


def _spec(run_id: int, text: str) -> dict[str, Any]:
    found: dict[str, Any] = recorded.parsed(text, f"The specification of run {run_id}", recorded.SPEC)
    return found


class Reader:
    """Questions to one database, over one connection."""

    def __init__(self, connection: sa.Connection) -> None:
        self.connection = connection
        self._columns: dict[int, list[MetricRecord]] = {}
        self._imported: dict[int, list[MetricRecord]] = {}
        self._last: dict[tuple[int, str], tuple[float, float, Chunk | None]] = {}
        self._ahead: dict[tuple[int, str], tuple[list[Chunk], int]] = {}
        self._known_sources: dict[int, Sources | None] = {}
        self._decoded: dict[tuple[int, str], tuple[Chunk, NDArray[Any], NDArray[np.bool_] | None]] = {}

    def runs(self) -> list[RunRecord]:
        """Return every run, oldest first."""
        return self._runs()

    def run(self, run_id: int) -> RunRecord:
        """Return a run by its number. Raises StoreError if there is none."""
        found = self._runs(statements.RUN, number=run_id) if _fits(run_id) else []
        if not found:
            numbers = self.connection.scalars(sa.select(schema.run.c.id).order_by(schema.run.c.id)).all()
            known = f"it has runs {numbers[0]} to {numbers[-1]}" if numbers else "it has no run yet"
            if len(numbers) == 1:
                known = f"its only run is {numbers[0]}"
            raise StoreError(f"There is no run {run_id} in the database: {known}.")
        return found[0]

    def find(self, identity: str, digest: str | None = None) -> RunRecord | None:
        """Return the newest run with an identity, or the newest of those that have also this digest."""
        column = schema.run.c.identity
        same_name = (column == identity) | column.startswith(f"{identity}#", autoescape=True)
        found = self._runs(statements.RUNS.where(same_name))
        same = [run for run in found if run.digest == digest]
        return (same or found)[-1] if found else None

    def requested(self, request: str) -> list[RunRecord]:
        """Return the runs of a request, whatever they were computed with, oldest first."""
        return self._runs(statements.REQUESTED, request=request)

    def usable(self, request: str, sources: Sources, versions: Iterable[str]) -> RunRecord | None:
        """Return the newest run of a request that these sources computed, or for which they were accepted."""
        versions = tuple(versions)
        for run in reversed(self.requested(request)):
            if not run.difference(sources, versions) or sources.digest in self.accepted(run.id):
                return run
        return None

    def accepted(self, run_id: int) -> dict[str, str]:
        """Map the digests of the sources for which a run was accepted to the time when."""
        table, sources = schema.accepted_sources.c, schema.sources.c
        rows = self.connection.execute(
            sa.select(sources.digest, table.accepted_at)
            .join_from(schema.accepted_sources, schema.sources, sources.id == table.sources_id)
            .where(table.run_id == run_id)
        )
        return {row.digest: row.accepted_at for row in rows}

    def _sources(self, number: int | None) -> Sources | None:
        if number is None:
            return None
        if number not in self._known_sources:
            text = self.connection.scalar(statements.FILES, {"number": number})
            what = f"The list of source files {number}"
            self._known_sources[number] = (
                None if text is None else Sources(recorded.parsed(text, what, recorded.TEXTS))
            )
        return self._known_sources[number]

    def _runs(self, statement: sa.Select[Any] = statements.RUNS, **values: object) -> list[RunRecord]:
        return [
            RunRecord(
                id=row.id, identity=row.identity.partition("#")[0], space=row.space,
                domain=row.domain, search=row.search,
                spec=_spec(row.id, row.spec), layer=row.layer, start=row.start, stop=row.stop,
                max_rank=int(row.max_rank), unit_size=row.unit_size, chunk_size=row.chunk_size,
                state=row.state, rows=row.rows, evaluated=row.evaluated, pruned=row.pruned,
                excluded=row.excluded, cpu_seconds=row.cpu_seconds, digest=row.digest,
                created_at=row.created_at, finished_at=row.finished_at, request=row.request,
                sources=self._sources(row.sources_id), **facts_of(row),
            )
            for row in self.connection.execute(statement, values).all()
        ]  # fmt: skip

    def query_of(self, run_id: int) -> tuple[str, dict[str, Any]] | None:
        """Return (name, resolved query) that first asked for a run."""
        row = self.connection.execute(
            sa.select(schema.query.c.name, schema.query.c.source)
            .join(schema.query_run, schema.query_run.c.query_id == schema.query.c.id)
            .where(schema.query_run.c.run_id == run_id)
            .order_by(schema.query_run.c.goal.desc(), schema.query.c.id)
        ).first()
        what = f"The query of run {run_id}"
        return None if row is None else (row.name, recorded.parsed(row.source, what, recorded.ASKED))

    def inputs_of(self, run_id: int) -> list[tuple[str, int, str | None]]:
        """Return (role, run, digest) of each run that a run reads values of, with the digest at that time."""
        rows = self.connection.execute(statements.INPUTS, {"run": run_id})
        return [(row.role, row.input_run_id, row.digest) for row in rows]

    def units(self, run_id: int) -> Iterator[UnitRecord]:
        """Yield the finished units, by rank."""
        position = 0
        try:
            for row in self.connection.execute(statements.UNITS, {"run": run_id}):
                yield (unit := UnitRecord(*row))
                position = unit.start + unit.count
        except sa.exc.DatabaseError as error:
            raise _unreadable(error, f"The units of run {run_id} from rank {position} on") from error

    def columns(self, run_id: int) -> list[MetricRecord]:
        """Return the metrics that the run computed in order, then the reserved columns."""
        if run_id not in self._columns:
            self._read_columns(run_id)
        return self._columns[run_id]

    def imported(self, run_id: int) -> list[MetricRecord]:
        """Return the metrics of others that were imported into the run, in order."""
        if run_id not in self._imported:
            self._read_columns(run_id)
        return self._imported[run_id]

    def _read_columns(self, run_id: int) -> None:
        rows = self.connection.execute(statements.COLUMNS, {"run": run_id}).all()
        reserved = [MetricRecord(row.id, row.name, None) for row in rows if row.position is None]
        found = [
            MetricRecord(
                row.id,
                row.name,
                Metric(row.name, row.kind, row.direction, row.unit, row.description, always=bool(row.always)),
            )
            for row in rows
            if row.position is not None
        ]
        names = next((row.imported for row in rows if row.imported), "{}")
        others = recorded.parsed(names, f"The list of imported measures of run {run_id}", dict)
        self._columns[run_id] = [column for column in found if column.name not in others] + reserved
        self._imported[run_id] = [column for column in found if column.name in others]

    def reserved(self) -> dict[str, int]:
        """Return the numbers of the reserved columns."""
        return {row.name: row.id for row in self.connection.execute(statements.RESERVED)}

    def metrics(self, run_id: int) -> list[Metric]:
        """Return the metrics that the run computed, in order."""
        return [column.metric for column in self.columns(run_id) if column.metric is not None]

    def every_metric(self, run_id: int) -> list[Metric]:
        """Return the metrics that the run computed, then the imported ones."""
        return self.metrics(run_id) + [c.metric for c in self.imported(run_id) if c.metric is not None]

    def column(self, run_id: int, name: str) -> MetricRecord:
        """Return a column by its name. Raises UnknownNameError."""
        columns = [*self.columns(run_id), *self.imported(run_id)]
        for column in columns:
            if column.name == name:
                return column
        names = [column.name for column in columns if column.metric is not None]
        raise UnknownNameError("metric", name, names, f"run {run_id}")

    def chunks(
        self,
        run_id: int,
        name: str,
        start: int = 0,
        stop: int | None = None,
        *,
        where: sa.ColumnElement[bool] | None = None,
    ) -> Iterator[Chunk]:
        """Yield a column's chunks that meet ranks start .. stop - 1, by rank, one in memory at a time."""
        values = {"run": run_id, "metric": self.column(run_id, name).id}
        values |= {"low": start - BIT_CHUNK_SIZE, "start": start}
        statement = statements.CHUNKS
        if stop is not None:
            statement, values["stop"] = statements.CHUNKS_BELOW, stop
        if where is not None:
            statement = statement.where(where)
        position = start
        try:
            for row in self.connection.execution_options(stream_results=True).execute(statement, values):
                named = row._mapping  # `count` as an attribute of a row is tuple's method
                chunk = Chunk(name, *(named[field.name] for field in attrs.fields(Chunk)[1:]))
                check_numbers(chunk)
                yield chunk
                position = chunk.start + chunk.count
        except sa.exc.DatabaseError as error:
            raise _unreadable(
                error, f"The chunks of '{name}' of run {run_id} from rank {position} on"
            ) from error

    def digests(self, run_id: int, name: str) -> Iterator[tuple[int, int, bytes]]:
        """Yield (start, count, digest) of a column's chunks, by rank, without reading their values."""
        values = {"run": run_id, "metric": self.column(run_id, name).id}
        for row in self.connection.execution_options(stream_results=True).execute(statements.DIGESTS, values):
            yield row.start, row[1], row.digest

    def layout(self, run_id: int, name: str) -> Iterator[tuple[int, int, int]]:
        """Yield (start, count, evaluated) of a column's chunks, by rank, without reading their values."""
        values = {"run": run_id, "metric": self.column(run_id, name).id}
        for row in self.connection.execution_options(stream_results=True).execute(statements.LAYOUT, values):
            yield row[0], row[1], row[2]

    def chunk_at(self, run_id: int, name: str, rank: int) -> Chunk | None:
        """Return the chunk of a column that holds a rank; the last one of each column is remembered.

        Who asks for one after the other has some more read ahead, twice as many each time.
        """
        if not _fits(rank):
            return None
        low, high, chunk = self._last.get((run_id, name), (0, 0, None))
        if not low <= rank < high:
            ahead, many = self._ahead.get((run_id, name), ([], 1))
            if not ahead or not ahead[-1].start <= rank < ahead[-1].start + ahead[-1].count:
                many = min(2 * many, _AHEAD) if rank >= high and not ahead else 1
                ahead = list(islice(self.chunks(run_id, name, rank), many))[::-1]
            self._ahead[run_id, name] = ahead, many
            if ahead and ahead[-1].start <= rank:
                chunk = ahead.pop()
                low, high = chunk.start, chunk.start + chunk.count
            else:
                low, high, chunk = rank, ahead[-1].start if ahead else math.inf, None
            self._last[run_id, name] = low, high, chunk
        return chunk

    def ranks(self, run_id: int, chunk: Chunk) -> NDArray[np.int64]:
        """Return the (evaluated,) ranks whose values a metric's chunk holds."""
        if chunk.evaluated in (0, chunk.count):
            return np.arange(chunk.start, chunk.start + chunk.evaluated, dtype=np.int64)
        mask = self.mask_at(run_id, chunk)
        assert mask is not None
        return chunk.start + np.flatnonzero(decode_chunk(mask))

    def mask_at(self, run_id: int, chunk: Chunk) -> Chunk | None:
        """Return the reserved chunk that says which ranks of a metric's chunk were evaluated; None if all.

        Raises CheckFailedError if it is missing.
        """
        if chunk.evaluated == chunk.count:
            return None
        mask = self.chunk_at(run_id, EVALUATED, chunk.start)
        if mask is None or mask.start != chunk.start:
            raise CheckFailedError(
                f"Run {run_id}: the list of evaluated ranks from {chunk.start} on is missing."
            )
        return mask

    def missing(self, run_id: int, column: MetricRecord, chunk: Chunk) -> NDArray[np.bool_] | None:
        """Return the (evaluated,) mask of missing values in a chunk; None if none is missing."""
        return missing_of(chunk, column.metric is not None and column.metric.always)

    def status(self, run_id: int, start: int) -> NDArray[np.uint8] | None:
        """Return the (evaluated,) worst status of each candidate in the chunk at `start`; None: all VALUE."""
        found = [
            chunk_status(chunk)
            for m in self.metrics(run_id)
            if (chunk := self.chunk_at(run_id, m.name, start))
        ]
        odd = [status for status in found if status is not None]
        return np.maximum.reduce(odd) if odd else None

    def value(self, run_id: int, name: str, rank: int) -> int | float | bool | None:
        """Return one recorded value; None if there is none."""
        chunk = self.chunk_at(run_id, name, rank)
        if chunk is None:
            return None
        position = self._position(run_id, chunk, rank)
        if position is None:
            return None
        known = self._decoded.get((run_id, name))
        if known is None or known[0] is not chunk:  # neighbours are asked for one after the other
            missing = self.missing(run_id, self.column(run_id, name), chunk)
            known = self._decoded[run_id, name] = chunk, decode_chunk(chunk), missing
        _, values, missing = known
        if missing is not None and missing[position]:
            return None
        found: int | float | bool = values[position].item()
        return found

    def status_at(self, run_id: int, rank: int, name: str = "") -> int | None:
        """Return the status of a candidate, or of its metric `name`; None if it was not evaluated."""
        chunk = self.chunk_at(run_id, name or self.columns(run_id)[0].name, rank)
        position = None if chunk is None else self._position(run_id, chunk, rank)
        if chunk is None or position is None:
            return None
        status = chunk_status(chunk) if name else self.status(run_id, chunk.start)
        return VALUE if status is None else int(status[position])

    def solutions(self, run_id: int, rank: int) -> list[tuple[int, str]]:
        """Return (position, actions as JSON) of the recorded solutions of one candidate."""
        table = schema.solution.c
        rows = self.connection.execute(
            sa.select(table.position, table.actions)
            .where(table.run_id == run_id, table.rank == rank)
            .order_by(table.position)
        )
        return [(int(position), str(actions)) for position, actions in rows]

    def _position(self, run_id: int, chunk: Chunk, rank: int) -> int | None:
        """Return where the value of `rank` stands in its chunk."""
        if chunk.evaluated == chunk.count:
            return rank - chunk.start
        ranks = self.ranks(run_id, chunk)
        position = int(np.searchsorted(ranks, rank))
        return position if position < len(ranks) and ranks[position] == rank else None

    def values(
        self, run_id: int, name: str, *, where: sa.ColumnElement[bool] | None = None
    ) -> Iterator[tuple[NDArray[np.int64], NDArray[Any]]]:
        """Yield (ranks, values) of a column's candidates that have a value, chunk by chunk."""
        column = self.column(run_id, name)
        for chunk in self.chunks(run_id, name, where=where):
            ranks, values = self.ranks(run_id, chunk), decode_chunk(chunk)
            missing = self.missing(run_id, column, chunk)
            if missing is not None:
                ranks, values = ranks[~missing], values[~missing]
            if len(ranks):
                yield ranks, values

    def scores_at(self, run_id: int, ranks: Sequence[int]) -> list[dict[str, int | float | bool | None]]:
        """Return every metric's value at each of `ranks`."""
        names = [metric.name for metric in self.every_metric(run_id)]
        found = {  # by rank, so that each chunk is decoded once
            rank: {name: self.value(run_id, name, rank) for name in names} for rank in sorted(set(ranks))
        }
        return [dict(found[rank]) for rank in ranks]

    def kept_ranks(self, run_id: int) -> list[int]:
        """Return the ranks of the candidates that queries have kept of a run, ascending."""
        table = schema.candidate.c
        rows = self.connection.execute(
            sa.select(table.rank).where(table.run_id == run_id, table.kept == 1).order_by(table.rank)
        )
        return [int(row.rank) for row in rows]

    def bits(
        self,
        run: RunRecord,
        name: str,
        low: float = 1,
        high: float = math.inf,
        out: NDArray[np.uint8] | None = None,
    ) -> Bits:
        """Return for every rank of a whole space whether a metric's value lies in low .. high.

        `out`, (ceil(max_rank / 8),) and all 0, is filled if given. Raises StoreError if the run
        covers a part of its space only, CheckFailedError if a chunk is missing or damaged.
        """
        self._check_whole(run)
        data = np.zeros((run.max_rank + 7) // 8, np.uint8) if out is None else out
        filled = 0

        def as_recorded(chunk: Chunk) -> tuple[Chunk, NDArray[np.uint8] | None]:
            whole = chunk.valued == chunk.count and (low, high) == (1, math.inf)
            return chunk, packed_bits(chunk) if whole else None

        for chunk, packed in map_in_threads(as_recorded, self.chunks(run.id, name)):
            if chunk.start != filled:
                break
            if packed is None:
                packed = self._packed(run.id, name, chunk, low, high)
            first, shift = divmod(chunk.start, 8)
            if shift:
                flags = np.unpackbits(packed, count=chunk.count, bitorder="little")
                packed = np.packbits(np.append(np.zeros(shift, np.uint8), flags), bitorder="little")
            data[first : first + len(packed)] |= packed
            filled += chunk.count
        self._check_filled(run, name, filled)
        return Bits(data, run.max_rank)

    def table_type(self, run: RunRecord, name: str) -> np.dtype[Any]:
        """Return the type of a metric's `table`: the smallest of signed integers, or float64."""
        table = schema.score_chunk.c
        column = self.column(run.id, name)
        if column.metric is not None and column.metric.kind == "real":
            return np.dtype("<f8")
        low, high = self.connection.execute(
            sa.select(sa.func.min(table.minimum), sa.func.max(table.maximum)).where(
                table.run_id == run.id, table.metric_id == column.id
            )
        ).one()
        for dtype in map(np.dtype, ("i1", "<i2", "<i4", "<i8")):
            if np.iinfo(dtype).min < (low or 0) and (high or 0) <= np.iinfo(dtype).max:
                break
        return dtype

    def table(self, run: RunRecord, name: str, out: NDArray[Any]) -> None:
        """Write a metric's values, by rank of a whole space, into `out`, (max_rank,) of `table_type`.

        A rank without a value gets the smallest integer of the type, or NaN. Raises as `bits` does.
        """
        self._check_whole(run)
        none = math.nan if out.dtype.kind == "f" else np.iinfo(out.dtype).min
        filled = 0
        for chunk in self.chunks(run.id, name):
            if chunk.start != filled:
                break
            values = decode_chunk(chunk).astype(out.dtype)
            missing = self.missing(run.id, self.column(run.id, name), chunk)
            if missing is not None:
                values[missing] = none
            part = out[chunk.start : chunk.start + chunk.count]
            part[:] = none
            part[self.ranks(run.id, chunk) - chunk.start] = values
            filled += chunk.count
        self._check_filled(run, name, filled)

    def how_many(self, run_id: int, name: str) -> int:
        """Count the candidates of a finished run for which a bool metric holds."""
        table = schema.score_histogram.c
        found = self.connection.scalar(
            sa.select(table.count).where(
                table.run_id == run_id, table.metric_id == self.column(run_id, name).id, table.low == 1
            )
        )
        return int(found or 0)

    def _check_whole(self, run: RunRecord) -> None:
        if run.counted:
            raise StoreError(f"Run {run.id} keeps counts and no values, so it is not a table.")
        if run.start != 0 or run.stop != run.max_rank:
            raise StoreError(f"Run {run.id} covers a part of its space only, so it is not a table.")
        if run.dropped:
            raise StoreError(
                f"The values of run {run.id} were dropped when no longer needed, so it is not a table."
            )

    def _check_filled(self, run: RunRecord, name: str, filled: int) -> None:
        if filled != run.max_rank:
            raise CheckFailedError(
                f"The table '{name}' of run {run.id} ({run.space}) lacks the ranks from {filled} on. "
                f"Check it with: epcg verify {run.id}"
            )

    def _packed(self, run_id: int, name: str, chunk: Chunk, low: float, high: float) -> NDArray[np.uint8]:
        """Return a chunk's part of `bits`."""
        values = decode_chunk(chunk)
        inside = (values >= low) & (values <= high)
        missing = self.missing(run_id, self.column(run_id, name), chunk)
        if missing is not None:
            inside &= ~missing
        wanted = np.zeros(chunk.count, np.bool_)
        wanted[self.ranks(run_id, chunk) - chunk.start] = inside
        return np.packbits(wanted, bitorder="little")


def _unreadable(error: sa.exc.DatabaseError, what: str) -> Exception:
    """Convert an error from damaged bytes to one that names them; return other errors unchanged."""
    damaged = getattr(error.orig, "sqlite_errorcode", 0) & 0xFF == sqlite3.SQLITE_CORRUPT
    return CheckFailedError(f"{what} cannot be read: {error.orig}.") if damaged else error


def _fits(number: Any) -> bool:
    """Return whether SQLite can compare with a number: its integers have 64 bits."""
    return not isinstance(number, int) or number.bit_length() < 64
