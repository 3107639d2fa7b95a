"""The specification of a run: what its row, its space, metrics, plugins and inputs must be."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from functools import partial
from typing import Any

import attrs

from epcg_core.base.errors import CheckFailedError
from epcg_core.base.params import canonical_json
from epcg_core.chunks.codec import EVALUATED
from epcg_core.domain import WHOLE, Metric
from epcg_core.plugins.registry import registry
from epcg_core.plugins.sources import Sources
from epcg_core.query.spec import PartSpec, RunSpec, SpaceSpec, identity_of, version_in
from epcg_core.runs.sequence import objection, read_run
from epcg_core.store import sparse
from epcg_core.store.recorded import SPEC, TEXTS, parsed
from epcg_core.verification.derived.subject import Subject, same
from epcg_core.verification.planned import plugins_in_use

_RUN = """
SELECT run.identity, run.search, run.search_params, run.layer, run.start, run.stop,
       space.name AS space_name, space.generator, space.params, space.params_sha256,
       space.max_rank, space.represents, space.produced_by,
       domain.name AS domain_name, domain.title, plugin.distribution, plugin.version
FROM run JOIN space ON space.id = run.space_id JOIN domain ON domain.id = space.domain_id
JOIN plugin ON plugin.id = domain.plugin_id WHERE run.id = :run
"""
_PLUGINS = """
SELECT distribution, version FROM run_plugin JOIN plugin ON plugin.id = plugin_id WHERE run_id = :run
"""
_METRICS = """
SELECT run_metric.position, metric.name, domain.name
FROM run_metric JOIN metric ON metric.id = run_metric.metric_id
LEFT JOIN domain ON domain.id = metric.domain_id
WHERE run_metric.run_id = :run ORDER BY run_metric.position
"""
_SOURCES = """
SELECT sources.digest, sources.files FROM run JOIN sources ON sources.id = run.sources_id WHERE run.id = :run
"""
_STRANGE_CHUNKS = """
SELECT start FROM score_chunk WHERE run_id = :run
AND metric_id NOT IN (SELECT metric_id FROM run_metric WHERE run_id = :run)
AND metric_id NOT IN (SELECT id FROM metric WHERE domain_id IS NULL)
"""


def specification(subject: Subject) -> str:
    """Check the run's row and what it refers to against its identity, and against its query planned again."""
    row = next(subject.rows(_RUN), None)
    if row is None:
        raise CheckFailedError("The run's domain or its plugin is missing.")
    _check_row(subject, row)
    _check_plugins(subject)
    _check_metric_names(subject)
    _check_state(subject)
    _check_sources(subject)
    spec = subject.spec
    _check_spec(subject, spec)
    _check_space(row, spec)
    _check_domain(row)
    others = _check_metrics(subject, spec)
    _check_inputs(subject, spec)
    return (
        "The recorded query, planned again, gives the run's identity, its space, range, metrics, inputs and "
        f"plugins.{others}"
    )


def _digest(text: str) -> str:
    return hashlib.sha256(text.encode()).hexdigest()


def _check_row(subject: Subject, row: Any) -> None:
    """Check the rows of the run and its space against the recorded specification."""
    spec = subject.run.spec
    same("run's identity", row.identity.partition("#")[0], identity_of(spec))
    same("run's space", row.space_name, spec["space"])
    same("run's search", row.search, spec["search"]["name"])
    same("run's search_params", row.search_params, canonical_json(spec["search"]["params"]))
    same("run's layer", row.layer, spec["layer"])
    same("run's range", [str(row.start), str(row.stop)], spec["range"])
    named = SpaceSpec(
        row.domain_name,
        PartSpec(row.generator, parsed(row.params, "The params of its space", dict)),
        version_in(row.space_name),
    ).name
    same("space's name", row.space_name, named)
    same("space's params_sha256", row.params_sha256, _digest(row.params))
    same("space's produced_by", row.produced_by, None)


def _check_plugins(subject: Subject) -> None:
    recorded = sorted(f"{row.distribution} {row.version}" for row in subject.rows(_PLUGINS))
    same("list of the run's plugins", recorded, sorted(subject.run.spec["versions"]))


def _check_metric_names(subject: Subject) -> None:
    """Check the metrics' names, order and domain, and that no chunk belongs to another metric."""
    run = subject.run
    wanted = [(position, name, run.domain) for position, name in enumerate(run.spec["metrics"])]
    rows = [*map(tuple, subject.rows(_METRICS))]
    same("list of the run's metrics", rows[: len(wanted)], wanted)
    others = [(name, domain) for _, name, domain in rows[len(wanted) :]]
    same("list of imported metrics", sorted(others), [(name, run.domain) for name in sorted(run.imported)])
    strange = subject.first(_STRANGE_CHUNKS)
    if strange is not None:
        raise CheckFailedError(f"The chunk at rank {strange} belongs to none of the run's metrics.")


def _check_state(subject: Subject) -> None:
    run = subject.run
    if not run.done == (run.digest is not None) == (run.finished_at is not None):
        raise CheckFailedError(
            f"The run is recorded as '{run.state}', with the digest {run.digest} and the end "
            f"{run.finished_at}: only a finished run has both."
        )
    if run.done and run.part is not None:
        raise CheckFailedError(f"The run is finished, and recorded as its part {run.part}.")
    if run.dropped and next(subject.reader.chunks(run.id, run.spec["metrics"][0]), None) is not None:
        raise CheckFailedError("The values are recorded as dropped, and there are chunks of them.")


def _check_sources(subject: Subject) -> None:
    """Check that the digest of the run's source files follows from their list."""
    row = next(subject.rows(_SOURCES), None)
    if row is not None:
        same(
            "digest of the run's source files",
            row.digest,
            Sources(parsed(row.files, "Its list of source files", TEXTS)).digest,
        )


def _check_spec(subject: Subject, spec: RunSpec) -> None:
    """Check everything in the recorded specification against the query planned again."""
    derived = json.loads(canonical_json(spec.recorded()))
    recorded = dict(subject.run.spec)
    if not subject.same_versions:  # the request is the same, so the rest is what other versions answered
        for data in (derived, recorded):
            data.pop("versions", None)
            data.pop("inputs", None)
    for key in sorted(derived.keys() | recorded.keys()):
        same(f"run's specification, key '{key}',", recorded.get(key), derived.get(key))
    run = subject.run
    same("run's left_out", run.omission, spec.omission)
    if run.solutions:  # a run that is older than digests of solutions claims none
        same("run's solutions", True, spec.solutions)
    if run.reading != WHOLE or (spec.reading is not None and str(spec.reading)):  # others are older
        same("run's reading", run.reading, spec.reading)
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


def _check_metrics(subject: Subject, spec: RunSpec) -> str:
    """Check each metric's row; say which ones are those of an older version, and so not derived again.

    That is so if the plugins of the first finished run that recorded a metric are not in use, and its row
    says something else than those in use.
    """
    older = []
    known = {column.name: column for column in subject.reader.columns(subject.run.id)}
    for metric in spec.metrics:
        column = known[metric.name]
        current = _is_current(subject, column.id, metric.name)
        own = (
            metric
            if _is_first(subject, column.id) or column.metric is None
            else _told_by(column.metric, metric)
        )
        _check_metric(metric.name, column.metric, own, current)
        if not current and column.metric != metric:
            older.append(metric.name)
    solution = next(subject.rows("SELECT * FROM metric WHERE domain_id IS NULL ORDER BY id"), None)
    if solution is None:
        raise CheckFailedError("The metric of solutions, which belongs to no domain, is missing.")
    data = dict(solution._mapping)
    found = Metric(
        data["name"], data["kind"], data["direction"], data["unit"], data["description"],
        always=bool(data["always"]),
    )  # fmt: skip
    _check_metric(EVALUATED, found, Metric(EVALUATED, description="reserved", always=True), True)
    return (
        f" What {', '.join(older)} measure is told by an older version: not derived again." if older else ""
    )


def _told_by(recorded: Metric, metric: Metric) -> Metric:
    """Return a metric with the recorded description, which may be that of another part with such a metric."""
    return attrs.evolve(metric, description=recorded.description)


def _is_first(subject: Subject, metric_id: int) -> bool:
    """Return whether no run before this one recorded a metric, whose row has the words of the first."""
    before = f"SELECT count(*) FROM run_metric WHERE metric_id = {metric_id:d} AND run_id < :run"
    return int(subject.first(before)) == 0


def _check_metric(name: str, recorded: Metric | None, derived: Metric, current: bool) -> None:
    was, now = ({} if m is None else attrs.asdict(m, filter=_is_recorded) for m in (recorded, derived))
    for key in now if current else ("name", "kind"):
        same(f"{key} of the metric '{name}'", was.get(key), now[key])


def _is_recorded(field: attrs.Attribute[object], value: object) -> bool:
    """Return whether a field of a metric is in the database; the others compare as equal."""
    return bool(field.eq)


def _is_current(subject: Subject, metric_id: int, name: str) -> bool:
    """Return whether the plugins of the run that first recorded a metric are in use, if it was computed."""
    text = subject.first(
        "SELECT spec FROM run WHERE id = "
        f"(SELECT min(run_id) FROM run_metric WHERE metric_id = {metric_id:d} "
        "AND run_id IN (SELECT id FROM run WHERE state = 'done' OR id = :run))"
    )
    data: Mapping[str, Any] = parsed(text, f"The specification of the run that first recorded {name}", SPEC)
    return set(data["versions"]) <= set(plugins_in_use().values()) and name not in data.get("imported", {})


def _check_inputs(subject: Subject, spec: RunSpec) -> None:
    """Check that the recorded inputs are the runs that the specification reads, and that these suffice."""
    if (reason := objection(spec, partial(_recorded_total, subject))) is not None:
        raise CheckFailedError(f"The run does not follow from what it read: {reason}")
    recorded = {role: number for role, number, _ in subject.reader.inputs_of(subject.run.id)}
    for needed in spec.inputs:
        number = recorded.pop(needed.role, None)
        if number is None and not needed.required:
            continue
        # With other sources in use, the last run of a sequence cannot be told: `inputs` checks its digest.
        now = read_run(needed, subject.reader)
        wanted = needed.run.request if now is None else now.request
        recorded_request = None if number is None else subject.reader.run(number).request
        if now is not None or not needed.last:
            same(f"request of the input '{needed.role}'", recorded_request, wanted)
    if recorded:
        raise CheckFailedError(f"The run reads no input '{min(recorded)}', and one is recorded.")


def _recorded_total(subject: Subject, spec: RunSpec) -> int:
    """Count the candidates for which the first metric holds, of a run that the subject rests on."""
    reader, waiting = subject.reader, [subject.run.id]
    seen = set(waiting)
    while waiting:
        run = reader.run(waiting.pop())
        if run.request == spec.request:
            return reader.how_many(run.id, spec.metrics[0].name)
        more = {number for _, number, _ in reader.inputs_of(run.id)} - seen
        seen |= more
        waiting += sorted(more)
    raise CheckFailedError(f"It reads {spec.space.name}, layer {spec.layer}, which is not recorded.")


def layout(subject: Subject) -> str:
    """Check that units, and chunks of a finished run, are cut at multiples of the recorded sizes."""
    run, sizes = subject.run, "units of {:,} and chunks of {:,} ranks"
    text = sizes.format(run.unit_size, run.chunk_size)
    if not run.done:
        return f"Not checked before the run is finished: {text}."
    tables = {"unit": ("unit", run.unit_size)}
    if sparse.objective_of(run) is None:
        tables["chunk"] = ("score_chunk", run.chunk_size)
    for name, (table, size) in tables.items():
        wrong = subject.first(
            f"SELECT start FROM {table} WHERE run_id = :run AND (start <> "
            f"max(start - start % {size:d}, {run.start:d}) OR start + count <> "
            f"min(start - start % {size:d} + {size:d}, {run.stop:d}))"
        )
        if wrong is not None:
            raise CheckFailedError(f"The {name} at rank {wrong} is not cut as the run's sizes say: {text}.")
    return f"The ranks are cut into {text}."
