"""Runs carried from one database to another, unit by unit, with all that they refer to.

A unit and its values arrive in one transaction, as when a run is computed, so a transfer that is killed, or
that fills the disk, leaves a run that goes on where it stopped.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.base.errors import CheckFailedError, StoreError
from epcg_core.chunks.codec import Chunk, check
from epcg_core.store import run_digest, schema, writer
from epcg_core.store.inputs import all_inputs
from epcg_core.store.log import WriteAheadLog
from epcg_core.store.reader import Reader
from epcg_core.store.records import InputRecord, RunRecord, UnitRecord
from epcg_core.store.store import Store

BATCH = 1 << 25
"""Bytes of values in a transaction."""

Group = list[UnitRecord]
"""Units of one chunk, or one unit of several chunks: they are recorded together or merged."""


def find(reader: Reader, run: RunRecord) -> RunRecord | None:
    """Find the run of another database here: the newest of its identity, best with its digest."""
    return reader.find(run.identity, run.digest)


def copy_run(source: Reader, run: RunRecord, target: Store) -> RunRecord:
    """Carry a finished run, and all that it was computed from; return the run there.

    Raises:
        StoreError: if the database has the run with another digest, or unfinished in other units.
        CheckFailedError: if a value is not what was recorded.
    """
    with target.reader() as reader:
        known = find(reader, run)
    if known is not None and known.done:
        if known.digest != run.digest:
            raise StoreError(
                f"Run {known.id} of {target.location} and run {run.id}, which is the same, have other "
                "values: epcg verify tells which is right."
            )
        return known
    copy_inputs(source, run, target)
    made = known or create(source, run, target)
    check_cut(made, run, target.location)
    copy_units(source, run, target, made)
    with target.transaction() as connection:
        reader = Reader(connection)
        if not run.dropped and run_digest.run_digest(reader, made.id) != run.digest:
            raise CheckFailedError(f"The digest of run {run.id} does not follow from its values.")
        names = {column.id: column.name for column in source.columns(run.id)}
        own = {column.name: column.id for column in reader.columns(made.id)}
        table = schema.score_histogram
        rows = source.connection.execute(sa.select(table).where(table.c.run_id == run.id)).mappings()
        bins: dict[int, list[tuple[Any, Any, int]]] = {}
        for row in sorted(rows, key=lambda row: row["position"]):
            if row["metric_id"] in names:
                found = bins.setdefault(own[names[row["metric_id"]]], [])
                found.append((row["low"], row["high"], row["count"]))
        writer.finish_run(connection, made.id, str(run.digest), bins)
        if made.part is not None:
            whole = sa.update(schema.run).where(schema.run.c.id == made.id)
            connection.execute(whole.values(part=None, parts=None))
        return Reader(connection).run(made.id)


def copy_inputs(source: Reader, run: RunRecord, target: Store) -> None:
    """Carry the runs that a run was computed from, and those that its libraries were chosen from."""
    for number in dict.fromkeys(each.run for each in all_inputs(source, run.id) if each.run is not None):
        copy_run(source, source.run(number), target)


def units_digest(units: Iterable[UnitRecord]) -> str:
    """Return the SHA-256 of some units: their ranges and digests, by rank."""
    found = hashlib.sha256()
    for unit in units:
        found.update(f"{unit.start}:{unit.count}:".encode() + unit.digest)
    return found.hexdigest()


def create(source: Reader, run: RunRecord, target: Store, merged_of: int | None = None) -> RunRecord:
    """Record a run that another database has, without units; its inputs must be there.

    Rows and imported metrics are not carried. `merged_of` is the number of parts that the run is merged of.
    """
    row = source.connection.execute(sa.select(schema.run).where(schema.run.c.id == run.id)).mappings().one()
    columns = source.columns(run.id)
    whole = run.sample if run.part is None or run.done else None  # a part's was drawn from the part
    with target.transaction() as connection:
        reader = Reader(connection)
        inputs = {}
        for role, number, digest in source.inputs_of(run.id):
            known = find(reader, source.run(number))
            if known is None or known.digest != digest:
                raise StoreError(f"{target.location} has no run with the values that run {run.id} read.")
            inputs[role] = known.id
        values = {name: row[name] for name in _CARRIED} | {
            "identity": writer.numbered(connection, run.identity),
            "space_id": _space(source, connection, int(row["space_id"])),
            "sources_id": None if run.sources is None else writer.save_sources(connection, run.sources),
            "parts": run.merged_of if merged_of is None else merged_of,
            "sample_size": None if whole is None else whole.size,
            "sample_seed": None if whole is None else whole.seed,
            "sample_strata": None if whole is None else row["sample_strata"],
            "state": "stopped",
            "rows": "none",
            "evaluated": 0,
            "pruned": 0,
            "excluded": 0,
            "cpu_seconds": 0.0,
        }
        key = connection.execute(sa.insert(schema.run).values(**values)).inserted_primary_key
        assert key is not None
        run_id = int(key[0])
        domain_id = int(connection.scalar(sa.select(schema.space.c.domain_id).where(
            schema.space.c.id == values["space_id"])) or 0)  # fmt: skip
        for version in run.versions:
            plugin = writer.save_plugin(connection, version)
            connection.execute(sa.insert(schema.run_plugin).values(run_id=run_id, plugin_id=plugin))
        writer.save_reserved(connection)
        for position, metric in enumerate(column.metric for column in columns if column.metric is not None):
            metric_id = writer.save_metric(connection, metric, domain_id)
            connection.execute(
                sa.insert(schema.run_metric).values(run_id=run_id, position=position, metric_id=metric_id)
            )
        writer.save_inputs(
            connection, run_id, (_input(source, reader, each, inputs) for each in all_inputs(source, run.id))
        )
        return Reader(connection).run(run_id)


def _input(source: Reader, target: Reader, own: InputRecord, runs: Mapping[str, int]) -> InputRecord:
    """Return an input as another database has it; the run of a library need not be there."""
    if own.kind == "run":
        return attrs.evolve(own, run=runs[own.role])
    known = None if own.run is None else find(target, source.run(own.run))
    return attrs.evolve(own, run=None if known is None else known.id)


_CARRIED = (
    "search", "search_params", "spec", "layer", "start", "stop", "unit_size", "chunk_size", "environment",
    "created_at", "request", "kept_values", "solutions", "left_out", "reading",
    "files",
)  # fmt: skip
"""The columns of a run that are carried as they are."""


def _space(source: Reader, connection: sa.Connection, space_id: int) -> int:
    """Record the space, with its domain and its edits; return its number."""
    space, domain, plugin = schema.space, schema.domain, schema.plugin
    row = source.connection.execute(sa.select(space).where(space.c.id == space_id)).mappings().one()
    known = connection.scalar(sa.select(space.c.id).where(space.c.name == row["name"]))
    if known is not None:
        return int(known)
    of = source.connection.execute(
        sa.select(domain.c.name, domain.c.title, plugin.c.distribution, plugin.c.version)
        .join(plugin, plugin.c.id == domain.c.plugin_id)
        .where(domain.c.id == row["domain_id"])
    ).one()
    domain_id = connection.scalar(sa.select(domain.c.id).where(domain.c.name == of.name))
    if domain_id is None:
        number = writer.save_plugin(connection, f"{of.distribution} {of.version}")
        made = sa.insert(domain).values(name=of.name, title=of.title, plugin_id=number)
        domain_id = connection.execute(made).inserted_primary_key[0]  # type: ignore[index]
    values = {key: row[key] for key in row if key not in ("id", "domain_id", "produced_by")}
    made = sa.insert(space).values(domain_id=domain_id, **values)
    new = int(connection.execute(made).inserted_primary_key[0])  # type: ignore[index]
    edits = source.connection.execute(sa.select(schema.edit).where(schema.edit.c.space_id == space_id))
    rows = [dict(edit) | {"space_id": new} for edit in edits.mappings()]
    if rows:
        connection.execute(sa.insert(schema.edit), rows)
    return new


def check_cut(known: RunRecord, run: RunRecord, location: str) -> None:
    """Raise StoreError if a run here is cut in another way than the same run elsewhere."""
    here, there = ((each.unit_size, each.chunk_size) for each in (known, run))
    if here != there:
        raise StoreError(
            f"Run {known.id} of {location} is not finished, and cut into units of {known.unit_size:,} and "
            f"chunks of {known.chunk_size:,} ranks instead of {run.unit_size:,} and {run.chunk_size:,}: "
            f"finish it with epcg resume {known.id}, or forget it."
        )


def copy_units(source: Reader, run: RunRecord, target: Store, made: RunRecord) -> int:
    """Carry the units that the run there lacks, each with its values; return their number.

    Raises:
        StoreError: if a unit is recorded on both sides with other values.
        CheckFailedError: if values are not what was recorded.
    """
    check_cut(made, run, target.location)
    log, copied = WriteAheadLog(target.engine), 0
    waiting: list[Group] = []
    size = 0
    for group in groups(run, source.units(run.id)):
        waiting.append(group)
        size += _size(source, run, group)
        if size >= BATCH:
            copied += _copy_groups(source, run, target, made, waiting)
            log.keep_small()
            waiting, size = [], 0
    return copied + _copy_groups(source, run, target, made, waiting)


def groups(run: RunRecord, units: Iterable[UnitRecord]) -> Iterator[Group]:
    """Group units, by rank, that lie in one chunk."""
    group: Group = []
    width = max(run.chunk_size, run.unit_size)
    for unit in units:
        if group and unit.start // width != group[0].start // width:
            yield group
            group = []
        group.append(unit)
    if group:
        yield group


def _size(source: Reader, run: RunRecord, group: Group) -> int:
    chunk = schema.score_chunk.c
    start, stop = group[0].start, group[-1].start + group[-1].count
    wanted = sa.select(sa.func.sum(sa.func.length(chunk.data))).where(
        chunk.run_id == run.id, chunk.start >= start, chunk.start < stop
    )
    return int(source.connection.scalar(wanted) or 0)


def _copy_groups(
    source: Reader, run: RunRecord, target: Store, made: RunRecord, found: Sequence[Group]
) -> int:
    """Carry groups in one transaction."""
    if not found:
        return 0
    copied = 0
    with target.transaction() as connection:
        for group in found:
            copied += _copy_group(source, run, connection, made, group)
        unit = schema.unit.c
        sums = connection.execute(
            sa.select(*(sa.func.sum(c) for c in (unit.evaluated, unit.pruned, unit.excluded, unit.seconds)))
            .where(unit.run_id == made.id)
        ).one()  # fmt: skip
        names = ("evaluated", "pruned", "excluded", "cpu_seconds")
        connection.execute(
            sa.update(schema.run).where(schema.run.c.id == made.id)
            .values({name: value or 0 for name, value in zip(names, sums, strict=True)})
        )  # fmt: skip
    return copied


def _copy_group(
    source: Reader, run: RunRecord, connection: sa.Connection, made: RunRecord, group: Group
) -> int:
    reader = Reader(connection)
    width = max(run.chunk_size, run.unit_size)
    low = max(run.start, group[0].start // width * width)
    high = min(run.stop, (group[0].start // width + 1) * width)
    known = {unit.start: unit for unit in units_between(reader, made.id, low, high)}
    for unit in group:
        same = known.get(unit.start)
        if same is not None and (same.count, same.digest) != (unit.count, unit.digest):
            raise StoreError(different(unit))
    new = [unit for unit in group if unit.start not in known]
    if not new:
        return 0
    whole = sum(unit.count for unit in group) == high - low
    if whole and known:  # its chunk may be one there already
        for table in (schema.unit, schema.pruning, schema.score_chunk):
            connection.execute(sa.delete(table).where(
                table.c.run_id == made.id, table.c.start >= low, table.c.start < high))  # fmt: skip
        for table in (schema.candidate, schema.solution):
            connection.execute(sa.delete(table).where(
                table.c.run_id == made.id, table.c.rank >= low, table.c.rank < high))  # fmt: skip
        new = group
    ranges = [(low, high)] if whole else [(unit.start, unit.start + unit.count) for unit in new]
    for start, stop in ranges:
        _copy_range(source, run, connection, made, start, stop)
    columns = reader.columns(made.id)
    if not whole and sum(u.count for u in known.values()) + sum(u.count for u in new) == high - low:
        for start in range(low, high, run.chunk_size):
            stop = min(high, (start // run.chunk_size + 1) * run.chunk_size)
            writer.merge_fragments(connection, made, columns, start, stop - start)
    return len(new)


def units_between(reader: Reader, run_id: int, low: int, high: int) -> Iterator[UnitRecord]:
    """Yield the units of a run that begin at ranks low .. high - 1."""
    table = schema.unit.c
    names = ("start", "count", "evaluated", "pruned", "excluded", "seconds", "digest")
    rows = reader.connection.execute(
        sa.select(*(table[name] for name in names)).where(
            table.run_id == run_id, table.start >= low, table.start < high
        )
    )
    for row in rows:
        yield UnitRecord(*row)


def _copy_range(
    source: Reader, run: RunRecord, connection: sa.Connection, made: RunRecord, start: int, stop: int
) -> None:
    """Carry the units, prunings, chunks, errors and solutions of some ranks."""
    for table in (schema.unit, schema.pruning):
        within = table.c.start >= start, table.c.start < stop
        _copy_rows(source, connection, table, run.id, made.id, *within)
    own = {column.name: column for column in Reader(connection).columns(made.id)}
    for column in source.columns(run.id):
        always = column.metric is not None and column.metric.always
        for chunk in source.chunks(run.id, column.name, start, stop):
            check(chunk, always)
            _insert_chunk(connection, made.id, own[column.name].id, chunk)
    errors, found = schema.candidate, schema.solution
    _copy_rows(source, connection, errors, run.id, made.id, errors.c.rank >= start, errors.c.rank < stop,
               errors.c.kept == 0)  # fmt: skip
    if run.solutions:
        _copy_rows(source, connection, found, run.id, made.id, found.c.rank >= start, found.c.rank < stop)


def _insert_chunk(connection: sa.Connection, run_id: int, metric_id: int, chunk: Chunk) -> None:
    row = attrs.asdict(chunk, filter=attrs.filters.exclude("column"))
    connection.execute(sa.insert(schema.score_chunk).values(run_id=run_id, metric_id=metric_id, **row))


def _copy_rows(
    source: Reader,
    connection: sa.Connection,
    table: sa.Table,
    run_id: int,
    other: int,
    *where: sa.ColumnElement[bool],
) -> None:
    rows = source.connection.execute(sa.select(table).where(table.c.run_id == run_id, *where)).mappings()
    values = [dict(row) | {"run_id": other} for row in rows]
    if values:
        connection.execute(sa.insert(table), values)


def different(unit: UnitRecord) -> str:
    """Say that a unit is recorded twice, with other values."""
    return (
        f"Ranks {unit.start} to {unit.start + unit.count - 1} are recorded twice, with different values: "
        "compute the parts again with one version on sound machines; epcg verify tells which is right."
    )
