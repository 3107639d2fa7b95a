"""Sparse records: of a run that prunes, only the candidates that reached the incumbent have chunks.

Their chunks cover the stretches of ranks where such candidates lie, and nothing between. A run's digest
covers the range, the optimum and all metrics of the optima, or of all candidates that have a value, if these
are what is kept: it depends neither on how the run was cut nor on which others happened to be evaluated.
"""

from __future__ import annotations

import hashlib
from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.chunks.codec import chunk_status, decode_chunk
from epcg_core.chunks.objective import Best, Objective, best_of
from epcg_core.domain import PRUNING_REASONS, Metric, Prunings
from epcg_core.store import schema, statements
from epcg_core.store.reader import Reader
from epcg_core.store.records import RunRecord

BATCH = 65_536


def objective_of(run: RunRecord) -> Objective | None:
    """Return the objective of a run; None if the run records every evaluated candidate."""
    data = run.spec.get("objective")
    return None if data is None else Objective(**data)


def recorded_best(reader: Reader, run: RunRecord, objective: Objective) -> Best | None:
    """Return the best recorded candidate of a run; None if none is recorded."""
    table = schema.score_chunk.c
    extreme = sa.func.max(table.maximum) if objective.sign > 0 else sa.func.min(table.minimum)
    column = reader.column(run.id, objective.metric)
    top = reader.connection.scalar(
        sa.select(extreme).where(table.run_id == run.id, table.metric_id == column.id)
    )
    if top is None:
        return None
    holding = (table.maximum if objective.sign > 0 else table.minimum) == top
    for ranks, values in reader.values(run.id, objective.metric, where=holding):
        return best_of(objective, ranks, values)
    return None


def states_represented(reader: Reader, run: RunRecord) -> int:
    """Return how many original states the run's space stands for."""
    space = sa.select(schema.space.c.represents).join(schema.run, schema.run.c.space_id == schema.space.c.id)
    return int(reader.connection.execute(space.where(schema.run.c.id == run.id)).scalar_one())


def recorded_ranks(reader: Reader, run: RunRecord, objective: Objective) -> Iterator[int]:
    """Yield the ranks of all recorded candidates, increasing."""
    for ranks, _ in reader.values(run.id, objective.metric):
        yield from ranks.tolist()


def digest(reader: Reader, run: RunRecord, objective: Objective) -> str:
    """Digest the results of a run: its range, and all metrics of its optima (or of the first)."""
    found = recorded_best(reader, run, objective)
    total = hashlib.sha256(f"{run.start}\0{run.stop}\0{objective.keep}\0{found}\0".encode())
    if found is None:
        return total.hexdigest()
    value, first = found
    for column in reader.columns(run.id):
        if column.metric is None:
            continue
        parts = [hashlib.sha256() for _ in range(3)]  # each over all chunks, however they are cut
        for chunk in reader.chunks(run.id, column.name):
            ranks = reader.ranks(run.id, chunk)
            goal = reader.chunk_at(run.id, objective.metric, chunk.start)
            assert goal is not None
            mine = np.ones(len(ranks), np.bool_)
            if objective.keep != "feasible":
                mine = decode_chunk(goal) == value if objective.keep == "all" else ranks == first
            status = chunk_status(chunk)
            parts[0].update(ranks[mine].astype("<i8").tobytes())
            parts[1].update(_widest(decode_chunk(chunk)[mine], column.metric).tobytes())
            parts[2].update((np.zeros(len(ranks), np.uint8) if status is None else status)[mine].tobytes())
        total.update(f"{column.name}\0".encode() + b"".join(part.digest() for part in parts))
    return total.hexdigest()


def _widest(values: NDArray[Any], metric: Metric) -> NDArray[Any]:
    return values.astype("<f8" if metric.kind == "real" else "<i8")


def insert_prunings(connection: sa.Connection, run_id: int, prunings: Prunings) -> None:
    """Record a unit's prunings."""
    bounds = [None if bound != bound else bound for bound in prunings.bound.tolist()]
    reasons = [PRUNING_REASONS[reason] for reason in prunings.reason.tolist()]
    columns = (prunings.start.tolist(), prunings.count.tolist(), bounds, reasons)
    if not bounds:
        return
    connection.exec_driver_sql(  # twice as fast as by way of SQLAlchemy's own parameters
        f"INSERT INTO pruning (run_id, start, count, bound, reason) VALUES ({run_id:d}, ?, ?, ?, ?)",
        list(zip(*columns, strict=True)),
    )


@attrs.frozen
class PruningRecord:
    """A recorded pruning."""

    start: int
    count: int
    bound: float | None
    reason: str

    @property
    def stop(self) -> int:
        return self.start + self.count


def prunings(reader: Reader, run_id: int, start: int = 0, stop: int | None = None) -> Iterator[PruningRecord]:
    """Yield the recorded prunings that meet ranks start .. stop - 1, by rank."""
    statement = statements.prunings(start > 0, stop is not None)
    values = {"run": run_id, "first": start, "stop": stop}
    for row in reader.connection.execution_options(stream_results=True).execute(statement, values):
        found = PruningRecord(*row)
        if found.stop > start:
            yield found


def pruning_batches(reader: Reader, run_id: int) -> Iterator[Prunings]:
    """Yield all recorded prunings, by rank, in arrays. A reason that is unknown has the last code, 255."""
    connection = reader.connection.execution_options(stream_results=True)
    rows = connection.execute(statements.prunings(False, False), {"run": run_id})
    codes = {name: code for code, name in enumerate(PRUNING_REASONS)}
    for part in rows.partitions(BATCH):
        starts, counts, bounds, reasons = zip(*part, strict=True)
        yield Prunings(
            np.array(starts, np.int64),
            np.array(counts, np.int64),
            np.array(bounds, np.float64),  # None becomes NaN
            np.array([codes.get(reason, 255) for reason in reasons], np.uint8),
        )


def merge_prunings(connection: sa.Connection, run_id: int, objective: Objective) -> None:
    """Make one of neighbours with one reason, which the borders of units kept apart; the weakest bound stays.

    Only the rows at such borders are read and rewritten.
    """
    here, after, any_ = (schema.pruning.alias(name) for name in ("here", "after", "any_"))
    unit = schema.unit.c
    before = (
        sa.select(sa.func.max(any_.c.start))
        .where(any_.c.run_id == run_id, any_.c.start < unit.start)
        .correlate(schema.unit)
        .scalar_subquery()
    )
    pairs = connection.execute(
        sa.select(here.c.start, here.c.count, here.c.bound, after.c.start, after.c.count, after.c.bound)
        .select_from(schema.unit)
        .join(after, sa.and_(after.c.run_id == run_id, after.c.start == unit.start))
        .join(here, sa.and_(here.c.run_id == run_id, here.c.start == before))
        .where(unit.run_id == run_id, here.c.start + here.c.count == after.c.start,
               here.c.reason == after.c.reason)
        .order_by(here.c.start)
    ).all()  # fmt: skip
    groups: dict[int, tuple[int, float | None]] = {}
    gone: dict[int, int] = {}
    for start, count, bound, next_start, next_count, next_bound in pairs:
        head = gone.get(start, start)
        length, weakest = groups.get(head, (count, bound))
        if weakest is not None:
            weakest = objective.sign * max(objective.sign * weakest, objective.sign * next_bound)
        groups[head] = length + next_count, weakest
        gone[next_start] = head
    if not groups:
        return
    table = schema.pruning
    mine = (table.c.run_id == run_id, table.c.start == sa.bindparam("at"))
    connection.execute(sa.delete(table).where(*mine), [{"at": start} for start in gone])
    connection.execute(
        sa.update(table).where(*mine).values(count=sa.bindparam("length"), bound=sa.bindparam("weakest")),
        [{"at": head, "length": length, "weakest": weakest} for head, (length, weakest) in groups.items()],
    )
