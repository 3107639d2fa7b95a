"""Begin a run: the sizes that it is cut into, and its rows in the database."""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping

import attrs
import sqlalchemy as sa

from epcg_core.chunks.codec import chunk_size_for
from epcg_core.plugins.registry import registry
from epcg_core.query.inputs import named_files, read_by
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.runs import reuse
from epcg_core.runs.libraries import key, run_of_library
from epcg_core.runs.materialize import rows_policy
from epcg_core.runs.options import Options
from epcg_core.runs.parts import part_unit_size
from epcg_core.runs.sequence import read_run, search_of
from epcg_core.runs.units import unit_size
from epcg_core.search.protocol import EvenSearch
from epcg_core.store import Reader, RunRecord, writer
from epcg_core.store.facts import Facts
from epcg_core.store.inputs import all_inputs
from epcg_core.store.records import InputRecord, Part

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
    choices: Mapping[str, str],
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
        choices: the rules by which libraries were chosen, by their keys.
        counted: whether it keeps counts instead of values.
    """
    reader = Reader(connection)
    domain = registry().domain(spec.space.domain)
    files = named_files(registry(), spec)
    inputs = [*_runs(reader, spec), *_others(reader, spec, choices, files)]
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
                files,
            ),
        ),
    )
    return Reader(connection).run(run_id)


def _runs(reader: Reader, spec: RunSpec) -> Iterator[InputRecord]:
    """Yield the runs whose values are read."""
    for needed in spec.inputs:
        run = read_run(needed, reader)
        if run is not None:
            yield InputRecord(needed.role, "run", run.id, run.digest, run.space)


def _others(
    reader: Reader, spec: RunSpec, choices: Mapping[str, str], files: Collection[str]
) -> Iterator[InputRecord]:
    """Yield the libraries and files that are read, but for files that a plugin ships."""
    chosen: dict[str, str | None] = {}
    for read in read_by(registry(), spec):
        if read.library is not None:
            run = run_of_library(reader, read.library)
            number = None if run is None else run.id
            choice = choices.get(key(read.library), chosen.get(read.role))
            yield InputRecord(read.role, read.kind, number, read.digest, read.source, choice)
            for other in () if run is None else all_inputs(reader, run.id):  # those of its own libraries
                if other.kind == "library":
                    chosen[f"{read.role} / {other.role.removeprefix('library ')}"] = other.choice
        elif read.source in files:
            yield InputRecord(read.role, read.kind, None, read.digest, read.source)
