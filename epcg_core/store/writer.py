"""Writing: runs are made here, units recorded with all their data in one transaction, runs finished.

Only inserts happen between units: workers have encoded, compressed and digested everything. A flush comes
after 50,000 rows or a second, so a kill loses at most that, and never half a unit.
"""

from __future__ import annotations

import platform
import sys
import time
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from datetime import UTC, datetime
from functools import cache
from hashlib import sha256
from typing import Any

import attrs
import numpy as np
import sqlalchemy as sa

from epcg_core.base.errors import StoreError
from epcg_core.base.params import canonical_json
from epcg_core.chunks.codec import EVALUATED, Chunk, aligned_pieces, encode_evaluated, merge, without_values
from epcg_core.chunks.result import UnitResult
from epcg_core.domain import DomainInfo, Edit, Metric
from epcg_core.plugins.installed import version
from epcg_core.plugins.sources import Sources
from epcg_core.store import counted, schema, statements
from epcg_core.store.edits import save_edits
from epcg_core.store.facts import Facts
from epcg_core.store.log import WriteAheadLog
from epcg_core.store.reader import Reader
from epcg_core.store.records import InputRecord, MetricRecord, RunRecord, UnitRecord
from epcg_core.store.rows import insert_rows
from epcg_core.store.sparse import insert_prunings

FLUSH_ROWS = 50_000
FLUSH_SECONDS = 1.0


@attrs.frozen
class NewRun:
    """The data of a new run."""

    identity: str
    domain: DomainInfo
    domain_version: str
    space: str
    generator: str
    params: dict[str, Any]
    max_rank: int
    search: str
    search_params: dict[str, Any]
    spec: dict[str, Any]
    versions: Sequence[str]
    metrics: Sequence[Metric]
    inputs: Sequence[InputRecord]
    layer: int | None
    start: int
    stop: int
    unit_size: int
    chunk_size: int
    rows: str
    environment: dict[str, Any]
    request: str | None = None
    """The request (see `RunSpec.request`)."""
    sources: Sources | None = None
    represents: int | None = None
    """Number of original states if the space is a quotient, else None."""
    edits: Sequence[Edit] = ()
    """The elementary edits, if the space is one of edited content."""
    facts: Facts = Facts()


def now() -> str:
    """Return the time in the database's form: ISO 8601, UTC, seconds."""
    return datetime.now(UTC).isoformat(timespec="seconds")


@cache
def _own_version() -> str:
    """Return the version of the core; its metadata is read once, and not for every layer of a search."""
    return version("epcg-core")


def environment() -> dict[str, Any]:
    """Describe the machine and the versions that made a run."""
    return {
        "epcg": _own_version(),
        "python": platform.python_version(),
        "platform": f"{sys.platform} {platform.machine()}",
    }


def save_query(connection: sa.Connection, name: str, title: str, resolved: dict[str, Any]) -> int:
    """Record a query once and return its number."""
    source = canonical_json(resolved)
    return _one(
        connection, schema.query, {"sha256": sha256(source.encode()).hexdigest()},
        {"name": name, "title": title, "source": source, "created_at": now()},
    )  # fmt: skip


def link_query(connection: sa.Connection, query_id: int, run_ids: Sequence[int], goal: bool = True) -> None:
    """Link a query to the runs made for it so far, replacing earlier links.

    Args:
        connection: the database.
        query_id: the query's number.
        run_ids: the runs, in the order of computation.
        goal: whether the last of them is the answer; the others are on the way to it.
    """
    table = schema.query_run
    connection.execute(sa.delete(table).where(table.c.query_id == query_id, table.c.run_id.in_(run_ids)))
    connection.execute(sa.insert(table), [
        {"query_id": query_id, "run_id": run_id, "position": position,
         "goal": int(goal and position == len(run_ids) - 1)}
        for position, run_id in enumerate(run_ids)
    ])  # fmt: skip


def save_space(
    connection: sa.Connection,
    domain: DomainInfo,
    version: str,
    name: str,
    generator: str,
    params: Mapping[str, Any],
    max_rank: int,
    represents: int | None,
) -> tuple[int, int]:
    """Record a space and its domain once; returns their numbers, the domain's first.

    `version` is that of the domain's distribution, and the others are as in `NewRun`.
    """
    domain_id = _one(
        connection, schema.domain, {"name": domain.name},
        {"title": domain.title, "plugin_id": save_plugin(connection, version)},
    )  # fmt: skip
    text = canonical_json(dict(params))
    space_id = _one(
        connection, schema.space, {"name": name},
        {"domain_id": domain_id, "generator": generator, "params": text,
         "params_sha256": sha256(text.encode()).hexdigest(), "max_rank": str(max_rank),
         "represents": str(represents or max_rank)},
    )  # fmt: skip
    return domain_id, space_id


def create_run(connection: sa.Connection, new: NewRun) -> int:
    """Record a run that is about to start; returns its number."""
    plugins = [save_plugin(connection, version) for version in new.versions]
    domain_id, space_id = save_space(
        connection, new.domain, new.domain_version, new.space, new.generator, new.params, new.max_rank,
        new.represents,
    )  # fmt: skip
    save_edits(connection, space_id, new.edits)
    run_id = _insert(connection, schema.run, {
        "identity": numbered(connection, new.identity), "request": new.request,
        "sources_id": None if new.sources is None else save_sources(connection, new.sources),
        "space_id": space_id, "search": new.search,
        "search_params": canonical_json(new.search_params), "spec": canonical_json(new.spec),
        "layer": new.layer, "start": new.start, "stop": new.stop, "unit_size": new.unit_size,
        "chunk_size": new.chunk_size, "state": "running", "rows": new.rows, "evaluated": 0, "pruned": 0,
        "excluded": 0, "cpu_seconds": 0.0, "environment": canonical_json(new.environment),
        "created_at": now(), **new.facts.columns(),
    })  # fmt: skip
    statements.insert_many(connection, schema.run_plugin, [
        {"run_id": run_id, "plugin_id": plugin_id} for plugin_id in plugins
    ])  # fmt: skip
    save_reserved(connection)
    statements.insert_many(connection, schema.run_metric, [
        {"run_id": run_id, "position": position, "metric_id": save_metric(connection, metric, domain_id)}
        for position, metric in enumerate(new.metrics)
    ])  # fmt: skip
    save_inputs(connection, run_id, new.inputs)
    return run_id


def save_inputs(connection: sa.Connection, run_id: int, inputs: Iterable[InputRecord]) -> None:
    """Record what a run reads; an input that is recorded in the same role is replaced."""
    rows = [
        {"run_id": run_id, "role": each.role, "kind": each.kind, "input_run_id": each.run,
         "digest": each.digest, "source": each.source, "choice": each.choice}
        for each in inputs
    ]  # fmt: skip
    if rows:
        connection.execute(sa.insert(schema.run_input).prefix_with("OR REPLACE"), rows)


def numbered(connection: sa.Connection, identity: str) -> str:
    """Return an identity as it is recorded: with '#2' if one run has it already, and so on."""
    column = schema.run.c.identity
    known = set(connection.scalars(sa.select(column).where(column.startswith(identity, autoescape=True))))
    names = (identity, *(f"{identity}#{number}" for number in range(2, len(known) + 2)))
    return next(name for name in names if name not in known)


def save_sources(connection: sa.Connection, sources: Sources) -> int:
    """Record some source files once; returns their number."""
    files = {"files": canonical_json(dict(sources.files))}
    return _one(connection, schema.sources, {"digest": sources.digest}, files)


def accept(connection: sa.Connection, run_id: int, sources: Sources) -> None:
    """Record that a run stands for a run with other sources, from now on."""
    _one(
        connection, schema.accepted_sources,
        {"run_id": run_id, "sources_id": save_sources(connection, sources)}, {"accepted_at": now()},
        number="run_id",
    )  # fmt: skip


class UnitWriter:
    """Records the units of one run."""

    def __init__(self, engine: sa.Engine, run: RunRecord) -> None:
        self._engine = engine
        self._run = run
        with engine.connect() as connection:
            reader = Reader(connection)
            self._columns = {column.name: column for column in reader.columns(run.id)}
            self._done = self._count_done(reader) if run.unit_size % run.chunk_size else {}
        self._log = WriteAheadLog(engine)
        self._pending: list[UnitResult] = []
        self._rows = 0
        self._flushed = time.monotonic()

    def _count_done(self, reader: Reader) -> dict[int, int]:
        """Count the recorded ranks of each chunk, if units are smaller than chunks."""
        done: dict[int, int] = defaultdict(int)
        for unit in reader.units(self._run.id):
            if not self._is_whole(unit):
                continue
            for start, count in aligned_pieces(unit.start, unit.count, self._run.chunk_size):
                done[start // self._run.chunk_size] += count
        return done

    def _is_whole(self, unit: UnitRecord | UnitResult) -> bool:
        """Return whether `unit` is a whole unit of the run, not a sampled rank."""
        return (unit.start, unit.count) == self._run.unit_at(unit.start)

    def add(self, unit: UnitResult) -> None:
        """Take a finished unit; it is on the disk after the next flush."""
        self._pending.append(unit)
        if self._run.rows == "all":
            self._rows += sum(chunk.evaluated for chunk in unit.chunks if chunk.column != EVALUATED)
        self._rows += len(unit.chunks) + (0 if unit.prunings is None else len(unit.prunings.start)) + 1
        self._rows += len(unit.solutions)
        recently = 0 <= time.monotonic() - self._flushed < FLUSH_SECONDS  # false if the clock went back, too
        if self._rows >= FLUSH_ROWS or not recently:
            self.flush()

    def flush(self) -> None:
        """Write all added units in one transaction."""
        units, self._pending, self._rows = self._pending, [], 0
        if units:
            with self._engine.begin() as connection:
                self._write(connection, units)
            self._log.keep_small()
        self._flushed = time.monotonic()

    def _write(self, connection: sa.Connection, units: list[UnitResult]) -> None:
        run_id = self._run.id
        before = {u.start: self._take_back(connection, u) for u in units if u.replaces}
        earlier = {start: singles.seconds for start, singles in before.items()}
        connection.execute(sa.insert(schema.unit), [
            {"run_id": run_id, "start": u.start, "count": u.count, "evaluated": u.evaluated,
             "pruned": u.pruned, "excluded": u.excluded,
             "seconds": u.seconds + earlier.get(u.start, 0.0), "digest": u.digest,
             "edges": u.edges}
            for u in units
        ])  # fmt: skip
        for unit in units:
            if unit.prunings is not None:
                insert_prunings(connection, run_id, unit.prunings)
        chunks = [chunk for unit in units for chunk in self._kept(connection, unit)]
        self._insert_chunks(connection, chunks)
        if self._run.rows == "all":
            for unit in units:
                insert_rows(connection, run_id, self._columns, unit.chunks)
        errors: dict[int, list[str]] = defaultdict(list)
        for rank, note in (error for unit in units for error in unit.errors):
            errors[rank].append(note)  # one from each evaluator that raised there
        reasons = [("error", rank, "; ".join(notes)) for rank, notes in errors.items()]
        reasons += [("limit", rank, note) for unit in units for rank, note in unit.limits]
        statements.insert_many(connection, schema.candidate, [
            {"run_id": run_id, "rank": rank, "status": status, "kept": 0, "note": note}
            for status, rank, note in reasons
        ])  # fmt: skip
        solutions = [
            {"run_id": run_id, "rank": rank, "position": position, "actions": actions}
            for unit in units
            for rank, position, actions in unit.solutions
        ]
        statements.insert_many(connection, schema.solution, solutions)
        if self._run.unit_size % self._run.chunk_size:
            self._merge_complete(connection, [unit for unit in units if self._is_whole(unit)])
        run = schema.run.c
        connection.execute(
            sa.update(schema.run)
            .where(run.id == run_id)
            .values(
                evaluated=run.evaluated
                + sum(u.evaluated for u in units)
                - sum(singles.evaluated for singles in before.values()),
                pruned=run.pruned + sum(u.pruned for u in units),
                excluded=run.excluded
                + sum(u.excluded for u in units)
                - sum(singles.excluded for singles in before.values()),
                cpu_seconds=run.cpu_seconds + sum(u.seconds for u in units),
            )
        )

    def _kept(self, connection: sa.Connection, unit: UnitResult) -> Sequence[Chunk]:
        """Return what is recorded of a unit's chunks: whole ones without values if the run keeps counts."""
        if not self._run.counted or self._run.unit_size % self._run.chunk_size:
            return unit.chunks
        counted.add(connection, self._run.id, self._columns, unit.chunks)
        return [without_values(chunk) for chunk in unit.chunks]

    def _take_back(self, connection: sa.Connection, unit: UnitResult) -> UnitRecord:
        """Remove the sampled ranks inside a unit, which holds their values; return their sums.

        Records by rank, such as errors and solutions, stay.
        """
        run_id, stop = self._run.id, unit.start + unit.count
        table = schema.unit.c
        inside = (table.run_id == run_id, table.start >= unit.start, table.start < stop)
        columns = (table.count, table.evaluated, table.pruned, table.excluded, table.seconds)
        sums = connection.execute(sa.select(*(sa.func.sum(c) for c in columns)).where(*inside)).one()
        found = UnitRecord(unit.start, sums[0], sums[1], sums[2], sums[3], sums[4], b"")
        if found.count != unit.replaces:
            raise StoreError(
                f"Run {run_id}: {found.count} single ranks are recorded of {unit.start} to {stop - 1}, "
                f"{unit.replaces} were expected. Check it with: epcg verify {run_id}"
            )
        connection.execute(sa.delete(schema.unit).where(*inside))
        for column in self._columns.values():
            chunk, score = schema.score_chunk.c, schema.score.c
            connection.execute(
                sa.delete(schema.score_chunk).where(
                    chunk.run_id == run_id, chunk.metric_id == column.id, chunk.start >= unit.start,
                    chunk.start < stop,
                )
            )  # fmt: skip
            if self._run.rows == "all":
                connection.execute(
                    sa.delete(schema.score).where(
                        score.run_id == run_id, score.metric_id == column.id, score.rank >= unit.start,
                        score.rank < stop,
                    )
                )  # fmt: skip
        return found

    def _insert_chunks(self, connection: sa.Connection, chunks: Sequence[Chunk]) -> None:
        rows = [
            {"run_id": self._run.id, "metric_id": self._columns[chunk.column].id, **_columns_of(chunk)}
            for chunk in chunks
        ]
        if rows:
            connection.execute(sa.insert(schema.score_chunk), rows)

    def _merge_complete(self, connection: sa.Connection, units: Iterable[UnitResult]) -> None:
        """Merge the fragments of every chunk whose last unit has been added."""
        size = self._run.chunk_size
        touched = set()
        for unit in units:
            for start, count in aligned_pieces(unit.start, unit.count, size):
                self._done[start // size] += count
                touched.add(start // size)
        for number in sorted(touched):
            start = max(number * size, self._run.start)
            count = min((number + 1) * size, self._run.stop) - start
            if self._done[number] == count:
                merge_fragments(connection, self._run, list(self._columns.values()), start, count)
                if self._run.counted:
                    counted.forget_values(connection, self._run.id, self._columns, start, start + count)


def merge_fragments(
    connection: sa.Connection, run: RunRecord, columns: Sequence[MetricRecord], start: int, count: int
) -> None:
    """Merge the fragments that cover start .. start + count - 1 into one chunk per column."""
    reader, table = Reader(connection), schema.score_chunk.c
    fragments = {
        column.name: list(reader.chunks(run.id, column.name, start, start + count)) for column in columns
    }
    metrics = [column for column in columns if column.metric is not None]
    like = fragments[metrics[0].name]
    if len(like) < 2:
        return
    if fragments[EVALUATED]:
        present = {part.start: part for part in fragments[EVALUATED]}
        fragments[EVALUATED] = [present.get(part.start) or _all_evaluated(part) for part in like]
    for column in columns:
        if not fragments[column.name]:
            continue
        whole = merge(fragments[column.name], column.metric)
        connection.execute(
            sa.delete(schema.score_chunk).where(
                table.run_id == run.id, table.metric_id == column.id, table.start >= start,
                table.start < start + count,
            )
        )  # fmt: skip
        row = {"run_id": run.id, "metric_id": column.id, **_columns_of(whole)}
        connection.execute(sa.insert(schema.score_chunk).values(row))


_OF_A_CHUNK = tuple(field.name for field in attrs.fields(Chunk) if field.name != "column")


def _columns_of(chunk: Chunk) -> dict[str, Any]:
    """Return a chunk as columns of its table; `attrs.asdict` takes ten times as long."""
    return {name: getattr(chunk, name) for name in _OF_A_CHUNK}


def _all_evaluated(like: Chunk) -> Chunk:
    """Make the `evaluated` chunk that is omitted if all ranks of a fragment were evaluated."""
    return encode_evaluated(like.start, np.ones(like.count, np.bool_))


def finish_run(
    connection: sa.Connection, run_id: int, digest: str, histograms: dict[int, list[tuple[Any, Any, int]]]
) -> None:
    """Record a run's end: its digest and its metrics' distributions."""
    table = schema.score_histogram
    connection.execute(sa.delete(table).where(table.c.run_id == run_id))
    for metric_id, bins in histograms.items():
        save_histogram(connection, run_id, metric_id, bins)
    connection.execute(
        sa.update(schema.run)
        .where(schema.run.c.id == run_id)
        .values(state="done", digest=digest, finished_at=now())
    )


def save_histogram(
    connection: sa.Connection, run_id: int, metric_id: int, bins: Sequence[tuple[Any, Any, int]]
) -> None:
    """Record a metric's distribution, of which nothing is recorded yet: (low, high, count) of each bin."""
    statements.insert_many(connection, schema.score_histogram, [
        {"run_id": run_id, "metric_id": metric_id, "position": i, "low": low, "high": high, "count": count}
        for i, (low, high, count) in enumerate(bins)
    ])  # fmt: skip


def save_plugin(connection: sa.Connection, version: str) -> int:
    """Record 'distribution version' once, and return its number."""
    distribution, _, number = version.rpartition(" ")
    return _one(connection, schema.plugin, {"distribution": distribution, "version": number}, {})


def save_reserved(connection: sa.Connection) -> None:
    """Record the reserved columns."""
    save_metric(connection, Metric(EVALUATED, description="reserved", always=True), None)


def save_metric(connection: sa.Connection, metric: Metric, domain_id: int | None) -> int:
    """Record a metric of a domain once, and return its number."""
    return _one(
        connection, schema.metric, {"domain_id": domain_id, "name": metric.name, "kind": metric.kind},
        {"direction": metric.direction, "unit": metric.unit, "description": metric.description,
         "always": int(metric.always)},
    )  # fmt: skip


def _one(
    connection: sa.Connection, table: sa.Table, key: dict[str, Any], rest: dict[str, Any], number: str = "id"
) -> int:
    """Return the number of the row with `key`, inserting it with `rest` if it is missing."""
    found = connection.scalar(statements.row_with(table, tuple(key), number), key)
    return int(found) if found is not None else _insert(connection, table, key | rest)


def _insert(connection: sa.Connection, table: sa.Table, values: dict[str, Any]) -> int:
    key = connection.execute(sa.insert(table), values).inserted_primary_key
    assert key is not None
    return int(key[0])
