"""Measures of others, such as votes, as further metrics of a finished run.

They are cut into chunks as the run's own metrics are, and stand in the same tables, views and functions. They
belong neither to the run's identity nor to its digest: the run's specification records where each is from.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.errors import CheckFailedError, StoreError
from epcg_core.base.params import canonical_json
from epcg_core.chunks.codec import Chunk, check, encode_metric
from epcg_core.domain import NONE, VALUE, Metric
from epcg_core.store import run_digest, schema, sparse, writer
from epcg_core.store.reader import Reader
from epcg_core.store.records import MetricRecord, RunRecord
from epcg_core.store.rows import insert_rows


@attrs.frozen(eq=False)
class Measured:
    """A measure of some candidates of a run."""

    metric: Metric
    ranks: NDArray[np.int64]
    """(n,) increasing."""
    values: NDArray[Any]
    """(n,) bool, int64 or float64."""


def check_importable(reader: Reader, run: RunRecord) -> None:
    """Raise StoreError if a run is not one that can have further metrics."""
    if not run.done:
        raise StoreError(f"Run {run.id} is not finished: epcg resume {run.id}, then import.")
    if run.dropped:
        raise StoreError(f"The values of run {run.id} were dropped, so it has no candidates to measure.")
    if run.counted:
        raise StoreError(f"Run {run.id} keeps counts and no values, so it has no candidates to measure.")
    if sparse.objective_of(run) is not None:
        raise StoreError(
            f"Run {run.id} prunes, so it records its best candidates only: import into a run of an "
            "exhaustive search over the same space."
        )


def save_measures(
    connection: sa.Connection, run_id: int, measures: list[Measured], origin: dict[str, Any]
) -> None:
    """Record measures of a run's candidates, replacing imported ones of the same names.

    Args:
        connection: a transaction.
        run_id: the run; `check_importable` must have passed.
        measures: the measures.
        origin: where they come from, as JSON-like data; the time is added.

    Raises:
        StoreError: if a rank was not evaluated in the run.
    """
    origin = origin | {"at": writer.now()}
    for measured in measures:
        reader = Reader(connection)
        run = reader.run(run_id)
        old = next((c for c in reader.imported(run_id) if c.name == measured.metric.name), None)
        if old is not None:
            remove(connection, run, old)
        column = _add_column(connection, run, measured.metric)
        digest = hashlib.sha256()
        for chunk in _chunks(reader, run, measured):
            digest.update(chunk.digest)
            row = attrs.asdict(chunk, filter=attrs.filters.exclude("column"))
            connection.execute(
                sa.insert(schema.score_chunk).values(run_id=run_id, metric_id=column.id, **row)
            )
        _set_origin(
            connection,
            run_id,
            {measured.metric.name: origin | {"values": len(measured.ranks), "digest": digest.hexdigest()}},
        )
        reader = Reader(connection)
        _insert_rows(connection, reader, reader.run(run_id), column)
        writer.save_histogram(connection, run_id, column.id, run_digest.histogram(reader, run_id, column))


def remove(connection: sa.Connection, run: RunRecord, column: MetricRecord) -> None:
    """Remove an imported metric of a run, with its values."""
    for table in (schema.score_chunk, schema.score, schema.score_histogram, schema.run_metric):
        connection.execute(sa.delete(table).where(table.c.run_id == run.id, table.c.metric_id == column.id))
    _set_origin(connection, run.id, {column.name: None})


def _set_origin(connection: sa.Connection, run_id: int, origins: dict[str, Any]) -> None:
    run = Reader(connection).run(run_id)
    known = {name: origin for name, origin in (run.imported | origins).items() if origin is not None}
    text = canonical_json(known) if known else None
    connection.execute(sa.update(schema.run).where(schema.run.c.id == run_id).values(imported=text))


def _add_column(connection: sa.Connection, run: RunRecord, metric: Metric) -> MetricRecord:
    domain = sa.select(schema.domain.c.id).where(schema.domain.c.name == run.domain)
    metric_id = writer.save_metric(connection, metric, int(connection.scalar(domain) or 0))
    table = schema.run_metric.c
    last = connection.scalar(sa.select(sa.func.max(table.position)).where(table.run_id == run.id))
    connection.execute(
        sa.insert(schema.run_metric).values(run_id=run.id, position=(last or 0) + 1, metric_id=metric_id)
    )
    return MetricRecord(metric_id, metric.name, metric)


def _chunks(reader: Reader, run: RunRecord, measured: Measured) -> Iterator[Chunk]:
    """Cut a measure as the run's own metrics are cut; candidates without a value have the status NONE."""
    first = reader.columns(run.id)[0].name
    found = 0
    for own in reader.chunks(run.id, first):
        ranks = reader.ranks(run.id, own)
        low, high = np.searchsorted(measured.ranks, (own.start, own.start + own.count))
        part = measured.ranks[low:high]
        places = np.searchsorted(ranks, part)
        inside = places < len(ranks)
        inside[inside] = ranks[places[inside]] == part[inside]
        if not inside.all():
            _refuse(run, int(part[~inside][0]))
        values = np.zeros(len(ranks), measured.values.dtype)
        status = np.full(len(ranks), NONE, np.uint8)
        values[places], status[places] = measured.values[low:high], VALUE
        found += len(part)
        yield encode_metric(measured.metric, own.start, own.count, values, status if status.any() else None)
    if found != len(measured.ranks):
        outside = (measured.ranks < run.start) | (measured.ranks >= run.stop)
        _refuse(run, int(measured.ranks[outside][0]))


def _refuse(run: RunRecord, rank: int) -> None:
    raise StoreError(
        f"Rank {rank} was not evaluated in run {run.id}: leave such rows out, or import into another run "
        f"over {run.space}."
    )


def _insert_rows(connection: sa.Connection, reader: Reader, run: RunRecord, column: MetricRecord) -> None:
    """Make the rows that the run has of its other metrics: of all candidates, or of those with rows."""
    columns = {each.name: each for each in (*reader.columns(run.id), column)}
    wanted = None
    if run.rows != "all":
        table = schema.score.c
        first = reader.columns(run.id)[0].id
        ranks = connection.scalars(
            sa.select(table.rank).where(table.run_id == run.id, table.metric_id == first).order_by(table.rank)
        ).all()
        wanted = np.array(ranks, np.int64)
    for chunk in reader.chunks(run.id, column.name):
        mask = reader.mask_at(run.id, chunk)
        insert_rows(connection, run.id, columns, [chunk, *([] if mask is None else [mask])], wanted)


def check_imported(reader: Reader, run: RunRecord) -> str:
    """Check that imported measures have the bytes that were imported; return what is not covered.

    Raises CheckFailedError.
    """
    columns = {column.name: column for column in reader.imported(run.id)}
    if columns.keys() != run.imported.keys():
        raise CheckFailedError("The imported measures are not those whose origin is recorded.")
    first = reader.columns(run.id)[0].name
    for name, origin in run.imported.items():
        digest, valued = hashlib.sha256(), 0
        own = [(chunk.start, chunk.count, chunk.evaluated) for chunk in reader.chunks(run.id, first)]
        cut = []
        for chunk in reader.chunks(run.id, name):
            check(chunk)
            digest.update(chunk.digest)
            cut.append((chunk.start, chunk.count, chunk.evaluated))
            valued += chunk.valued
        if cut != own or (valued, digest.hexdigest()) != (origin["values"], origin["digest"]):
            raise CheckFailedError(f"The values of '{name}' are not those that were imported.")
    told = ", ".join(f"{name} of {origin['file']}" for name, origin in run.imported.items())
    return f"They have the bytes that were imported ({told}); what they measure is not derived again."
