"""The specification of a run: what its row, its space, metrics, plugins and inputs must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from typing import Any

import attrs
import sqlalchemy as sa

from epcg_core.chunks.codec import EVALUATED
from epcg_core.domain import Metric
from epcg_core.errors import CheckFailedError
from epcg_core.params import canonical_json
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import PartSpec, RunSpec, SpaceSpec
from epcg_core.runs.sequence import read_run
from epcg_core.store import sparse, schema
from epcg_core.verification.derived.subject import Subject, installed, same

BESIDE = ("query", "left_out", "solutions", "sample", "dropped")
"""Keys of a recorded specification that its identity does not cover."""


def specification(subject: Subject) -> str:
    """Check the run's row and what it refers to against its identity, and against its query planned again."""
    row = _row(subject)
    _check_row(subject, row)
    _check_plugins(subject)
    _check_metric_names(subject)
    _check_state(subject)
    if subject.obstacle:
        return f"The identity follows from the recorded specification. {subject.obstacle}"
    spec = subject.spec
    _check_spec(subject, spec)
    _check_space(row, spec)
    _check_domain(row)
    _check_metrics(subject, spec)
    _check_inputs(subject, spec)
    return (
        "The recorded query, planned again, gives the run's identity, its space, range, metrics, inputs and "
        "plugins."
    )


def _row(subject: Subject) -> Any:
    run, space, domain, plugin = schema.run, schema.space, schema.domain, schema.plugin
    return subject.reader.connection.execute(
        sa.select(
            run, space.c.name.label("space_name"), space.c.generator, space.c.params, space.c.params_sha256,
            space.c.max_rank, space.c.represents, space.c.produced_by, domain.c.name.label("domain_name"),
            domain.c.title, plugin.c.distribution, plugin.c.version,
        )
        .join(space, space.c.id == run.c.space_id)
        .join(domain, domain.c.id == space.c.domain_id)
        .join(plugin, plugin.c.id == domain.c.plugin_id)
        .where(run.c.id == subject.run.id)
    ).one()  # fmt: skip


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _check_row(subject: Subject, row: Any) -> None:
    """Check the rows of the run and its space against the recorded specification."""
    spec = subject.run.spec
    own = {key: value for key, value in spec.items() if key not in BESIDE}
    same("run's identity", row.identity, _digest(canonical_json(own)))
    same("run's space", row.space_name, spec["space"])
    same("run's search", row.search, spec["search"]["name"])
    same("run's search_params", row.search_params, canonical_json(spec["search"]["params"]))
    same("run's layer", row.layer, spec["layer"])
    same("run's range", [str(row.start), str(row.stop)], spec["range"])
    named = SpaceSpec(row.domain_name, PartSpec(row.generator, json.loads(row.params))).name
    same("space's name", row.space_name, named)
    same("space's params_sha256", row.params_sha256, _digest(row.params))
    same("space's produced_by", row.produced_by, None)


def _check_plugins(subject: Subject) -> None:
    link, plugin = schema.run_plugin.c, schema.plugin.c
    rows = subject.reader.connection.execute(
        sa.select(plugin.distribution, plugin.version)
        .join(schema.run_plugin, link.plugin_id == plugin.id)
        .where(link.run_id == subject.run.id)
    )
    recorded = sorted(f"{row.distribution} {row.version}" for row in rows)
    same("list of the run's plugins", recorded, sorted(subject.run.spec["versions"]))


def _check_metric_names(subject: Subject) -> None:
    """Check the metrics' names and order, and that no chunk belongs to another metric."""
    link, metric, run = schema.run_metric.c, schema.metric.c, subject.run
    connection = subject.reader.connection
    rows = connection.execute(
        sa.select(link.position, metric.name)
        .join(schema.metric, metric.id == link.metric_id)
        .where(link.run_id == run.id)
        .order_by(link.position)
    )
    same("list of the run's metrics", [*map(tuple, rows)], [*enumerate(run.spec["metrics"])])
    of_run = sa.select(link.metric_id).where(link.run_id == run.id)
    reserved = sa.select(metric.id).where(metric.domain_id.is_(None))
    chunk = schema.score_chunk.c
    strange = connection.scalar(
        sa.select(chunk.start).where(
            chunk.run_id == run.id, chunk.metric_id.not_in(of_run), chunk.metric_id.not_in(reserved)
        )
    )
    if strange is not None:
        raise CheckFailedError(f"The chunk at rank {strange} belongs to none of the run's metrics.")


def _check_state(subject: Subject) -> None:
    run = subject.run
    if not run.done == (run.digest is not None) == (run.finished_at is not None):
        raise CheckFailedError(
            f"The run is recorded as '{run.state}', with the digest {run.digest} and the end "
            f"{run.finished_at}: only a finished run has both."
        )
    if run.dropped and next(subject.reader.chunks(run.id, run.spec["metrics"][0]), None) is not None:
        raise CheckFailedError("The values are recorded as dropped, and there are chunks of them.")


def _check_spec(subject: Subject, spec: RunSpec) -> None:
    """Check everything in the recorded specification against the query planned again."""
    derived = json.loads(canonical_json(spec.recorded()))
    recorded = {key: value for key, value in subject.run.spec.items() if key not in ("sample", "dropped")}
    if "solutions" not in recorded:
        derived.pop("solutions", None)  # a run that is older than digests of solutions claims none
    for key in sorted(derived.keys() | recorded.keys()):
        same(f"run's specification, key '{key}',", recorded.get(key), derived.get(key))
    same("run's objective", sparse.objective_of(subject.run), spec.objective)


def _check_space(row: Any, spec: RunSpec) -> None:
    same("space's domain", row.domain_name, spec.space.domain)
    same("space's generator", row.generator, spec.space.generator.name)
    same("space's params", row.params, canonical_json(spec.space.generator.params))
    same("space's max_rank", row.max_rank, str(spec.max_rank))
    same("space's represents", row.represents, str(spec.represents or spec.max_rank))


def _check_domain(row: Any) -> None:
    """Check the domain's row; the title belongs to the version of the plugin that it names."""
    info = registry().domain(row.domain_name)
    now = registry().version_of(info)
    same("domain's plugin", row.distribution, now.rpartition(" ")[0])
    if now == f"{row.distribution} {row.version}":
        same("domain's title", row.title, info.title)


def _check_metrics(subject: Subject, spec: RunSpec) -> None:
    """Check each metric's row, if the plugins that first recorded it are in use."""
    known = {column.name: column for column in subject.reader.columns(subject.run.id)}
    for metric in spec.metrics:
        column = known[metric.name]
        _check_metric(metric.name, column.metric, metric, _is_current(subject, column.id))
    table = schema.metric.c
    row = subject.reader.connection.execute(sa.select(schema.metric).where(table.domain_id.is_(None))).one()
    data = dict(row._mapping)
    found = Metric(
        data["name"], data["kind"], data["direction"], data["unit"], data["description"],
        always=bool(data["always"]),
    )  # fmt: skip
    _check_metric(EVALUATED, found, Metric(EVALUATED, description="reserved", always=True), True)


def _check_metric(name: str, recorded: Metric | None, derived: Metric, current: bool) -> None:
    was, now = ({} if m is None else attrs.asdict(m) for m in (recorded, derived))
    for key in now if current else ("name", "kind"):
        same(f"{key} of the metric '{name}'", was.get(key), now[key])


def _is_current(subject: Subject, metric_id: int) -> bool:
    """Return whether the plugins of the run that first recorded a metric are in use."""
    link = schema.run_metric.c
    connection = subject.reader.connection
    first = sa.select(sa.func.min(link.run_id)).where(link.metric_id == metric_id).scalar_subquery()
    text = connection.scalar(sa.select(schema.run.c.spec).where(schema.run.c.id == first))
    data: Mapping[str, Any] = json.loads(text or "{}")
    return set(data["versions"]) <= installed()


def _check_inputs(subject: Subject, spec: RunSpec) -> None:
    """Check that the recorded inputs are the runs that the specification reads."""
    recorded = {role: number for role, number, _ in subject.reader.inputs_of(subject.run.id)}
    for needed in spec.inputs:
        number = recorded.pop(needed.role, None)
        if number is None and not needed.required:
            continue
        run = read_run(needed, subject.reader)
        same(f"input '{needed.role}'", number, None if run is None else run.id)
    if recorded:
        raise CheckFailedError(f"The run reads no input '{min(recorded)}', and one is recorded.")


def layout(subject: Subject) -> str:
    """Check that units, and chunks of a finished run, are cut at multiples of the recorded sizes."""
    run, sizes = subject.run, "units of {:,} and chunks of {:,} ranks"
    text = sizes.format(run.unit_size, run.chunk_size)
    if not run.done:
        return f"Not checked before the run is finished: {text}."
    tables = {"unit": (schema.unit, run.unit_size)}
    if sparse.objective_of(run) is None:
        tables["chunk"] = (schema.score_chunk, run.chunk_size)
    for name, (table, size) in tables.items():
        start, count = table.c.start, table.c.count
        cell = start - start % size
        low, high = sa.func.max(cell, run.start), sa.func.min(cell + size, run.stop)
        wrong = subject.reader.connection.scalar(
            sa.select(start).where(table.c.run_id == run.id, sa.or_(start != low, start + count != high))
        )
        if wrong is not None:
            raise CheckFailedError(f"The {name} at rank {wrong} is not cut as the run's sizes say: {text}.")
    return f"The ranks are cut into {text}."
