"""Begin a run: the sizes that it is cut into, and its rows in the database."""

from __future__ import annotations

import attrs
import sqlalchemy as sa

from epcg_core.chunks.codec import chunk_size_for
from epcg_core.plugins.registry import registry
from epcg_core.query.library import named_files
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.runs import reuse
from epcg_core.runs.materialize import rows_policy
from epcg_core.runs.options import Options
from epcg_core.runs.parts import part_unit_size
from epcg_core.runs.sequence import read_run, search_of
from epcg_core.runs.units import unit_size
from epcg_core.search.protocol import EvenSearch
from epcg_core.store import Reader, RunRecord, writer
from epcg_core.store.facts import Facts
from epcg_core.store.records import Part

ROWS_UNIT = 1 << 18
"""Candidates in a unit whose values become rows: a unit is a transaction, and most of it are its rows."""


@attrs.frozen
class Cut:
    """The sizes of a run's units and chunks, and which rows it makes."""

    unit: int
    chunk: int
    rows: str


def cut_for(
    spec: RunSpec, query: Query, block: int, part: Part | None, options: Options, workers: int
) -> Cut:
    """Choose how a run is cut.

    Args:
        spec: the run.
        query: the query that asks for it.
        block: the number of ranks that are solved in about the time of a unit.
        part: the part of the run that is computed; None for all of it.
        options: the sizes that the user chose.
        workers: the number of workers.
    """
    chunk = options.chunk_size or chunk_size_for(spec.metrics, spec.filter is not None)
    rows = rows_policy(spec, query)
    most = min(block, ROWS_UNIT) if rows == "all" else block
    each = 1 if isinstance(search_of(spec), EvenSearch) else 4
    unit = options.unit_size or unit_size(most, spec.stop - spec.start, chunk, workers, each)
    if part is not None:
        unit, rows = part_unit_size(spec, chunk, part, options.unit_size), "none"
    if spec.objective is not None and unit % chunk:
        chunk = unit  # sparse chunks lie inside units, and are not merged
    return Cut(unit, chunk, rows)


def begin(
    connection: sa.Connection,
    spec: RunSpec,
    cut: Cut,
    before: RunRecord | None,
    part: Part | None,
    *,
    counted: bool,
) -> RunRecord:
    """Record a run that has no unit yet.

    Args:
        connection: a transaction.
        spec: the run.
        cut: how it is cut.
        before: the run beside which it is computed again, if there is one.
        part: the part of it that is computed; None for all of it.
        counted: whether it keeps counts instead of values.
    """
    reader = Reader(connection)
    domain = registry().domain(spec.space.domain)
    inputs = []
    for needed in spec.inputs:
        run = read_run(needed, reader)
        if run is not None:
            inputs.append((needed.role, run.id, run.digest))
    run_id = writer.create_run(
        connection,
        writer.NewRun(
            identity=spec.identity,
            request=spec.request,
            sources=reuse.sources(spec),
            domain=domain,
            domain_version=registry().version_of(domain),
            space=spec.space.name,
            generator=spec.space.generator.name,
            params=spec.space.generator.params,
            max_rank=spec.max_rank,
            search=spec.search.name,
            search_params=spec.search.params,
            spec=spec.recorded(),
            versions=spec.versions,
            metrics=spec.metrics,
            inputs=inputs,
            layer=spec.layer,
            start=spec.start,
            stop=spec.stop,
            unit_size=cut.unit,
            chunk_size=cut.chunk,
            rows=cut.rows,
            environment=writer.environment(),
            represents=spec.represents,
            edits=getattr(make_generator(registry(), spec.space), "edits", ()),
            facts=Facts(
                counted,
                spec.solutions,
                part,
                None if before is None else before.id,
                spec.omission,
                spec.reading,
                named_files(registry(), spec),
            ),
        ),
    )
    return Reader(connection).run(run_id)
