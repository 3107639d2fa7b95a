"""Descriptions of runs, their metrics and their chosen candidates, as JSON-like data."""

from __future__ import annotations

import warnings
from collections.abc import Mapping, Sequence
from contextlib import suppress
from typing import Any

import numpy as np
import sqlalchemy as sa
from numpy.typing import NDArray

from epcg_core.base.documents import places
from epcg_core.base.errors import PLUGIN_EXCEPTIONS, DamagedError, EpcgError, format_exception
from epcg_core.base.params import structure
from epcg_core.chunks.codec import chunk_status
from epcg_core.domain import LIMIT, NONE, STATUS_NAMES, resolve
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import make_generator
from epcg_core.query.wish import NOT_DECIDED, in_words
from epcg_core.search.protocol import ExplainedSearch
from epcg_core.store import Reader, RunRecord, chunk_queries, schema
from epcg_core.store.edits import edits_in_words
from epcg_core.store.inputs import all_inputs
from epcg_core.store.kept import kept_notes
from epcg_core.store.likeness import ANY, Likeness, likeness_of
from epcg_core.store.naming import space_of as space_of
from epcg_core.store.recorded import TEXTS, parsed
from epcg_core.store.selection import Granted, grant, rule_text

MANY_TIES = 10
"""Kept candidates that are all equal are told if this many times their number could have been kept."""
MOST_GROUPED = 10_000
"""If more candidates have no value, they are not counted for each whole that titles name."""
SHOWN_ERRORS = 10
"""The number of candidates with an error, or without a value, that the description of a run lists."""


def run_data(record: RunRecord) -> dict[str, Any]:
    """Return the ledger's entry for a run."""
    return {
        "run": record.id,
        "space": record.space,
        "search": record.search,
        "layer": record.layer,
        "state": record.state,
        "coverage": record.coverage,
        "start": record.start,
        "stop": record.stop,
        "max_rank": record.max_rank,
        "candidates": record.candidates,
        "evaluated": record.evaluated,
        "pruned": record.pruned,
        "excluded": record.excluded,
        "left_out": None if record.omission is None else str(record.omission),
        "unread": record.reading.unread or None,
        "unsearched": list(record.reading.unsearched) or None,
        "cpu_seconds": record.cpu_seconds,
        "rows": record.rows,
        "digest": record.digest,
        "created_at": record.created_at,
        "finished_at": record.finished_at,
    }


def differences(records: Sequence[RunRecord]) -> dict[int, dict[str, Any]]:
    """Map each run to those params that differ from other runs of the same search over the same space.

    A param is named after its part, as in 'search.uniqueness' or 'entropy.limit'; a part has the value true.
    The params of an evaluator are compared between runs that have it.
    """
    groups: dict[tuple[str, str], list[RunRecord]] = {}
    for record in records:
        groups.setdefault((record.space, record.search), []).append(record)
    found: dict[int, dict[str, Any]] = {}
    for group in groups.values():
        params = {record.id: _params_of(record) for record in group}
        keys = sorted({key for own in params.values() for key in own})
        differ = [key for key in keys if _differs(key, list(params.values()))]
        for number, own in params.items():
            found[number] = {key: own[key] for key in differ if key in own}
    return found


def _differs(key: str, params: Sequence[dict[str, Any]]) -> bool:
    part = key.rpartition(".")[0]
    having = [own for own in params if own.get(part)] or params  # search and filter are no evaluators
    return any(own.get(key) != having[0].get(key) for own in having)


def _params_of(record: RunRecord) -> dict[str, Any]:
    """Return the params of a run's search, evaluators and filter, by name."""
    params = {f"search.{key}": value for key, value in record.spec["search"]["params"].items()}
    for part in record.spec["evaluators"]:
        params[part["name"]] = True
        params |= {f"{part['name']}.{key}": value for key, value in part["params"].items()}
    limits = record.spec["filter"] or {}
    return params | {f"filter.{key}": value for key, value in limits.items() if value is not None}


def metric_facts(reader: Reader, run_id: int) -> list[dict[str, Any]]:
    """Describe each metric of a run: number of values, extremes, total and mean (None without values)."""
    rows = reader.connection.execute(
        sa.text("SELECT metric, valued, minimum, maximum, total, mean FROM metrics WHERE run_id = :run"),
        {"run": run_id},
    )
    found = {row.metric: row for row in rows}
    facts = []
    for metric in reader.every_metric(run_id):
        row = found.get(metric.name)
        facts.append(
            {
                "metric": metric.name,
                "kind": metric.kind,
                "direction": metric.direction,
                "unit": metric.unit,
                "description": metric.description,
                "valued": 0 if row is None else row.valued,
                "min": None if row is None else row.minimum,
                "max": None if row is None else row.maximum,
                "total": None if row is None else row.total,
                "mean": None if row is None else row.mean,
            }
        )
    return facts


def missing_facts(reader: Reader, record: RunRecord) -> list[dict[str, Any]]:
    """Describe for each metric its candidates without a value, if there are any.

    Metrics with the same candidates are one entry, of the one that says what NONE means. `none` and `limit`
    count the statuses, `first` has the first few such candidates, with the values of metrics that always have
    one.
    """
    meanings = _meanings(record)
    entries: dict[tuple[int, int], dict[str, Any]] = {}
    metrics = reader.metrics(record.id)
    for metric in metrics:
        if metric.always:
            continue
        counts, first, every = _without_value(reader, record.id, metric.name)
        key = int(counts[NONE]), int(counts[LIMIT])
        meaning = meanings.get(metric.name, "")
        if not any(key) or (key in entries and (entries[key]["meaning"] or not meaning)):
            continue
        always = [other.name for other in metrics if other.always]
        entries[key] = {
            "metric": metric.name,
            "none": key[0],
            "limit": key[1],
            "meaning": meaning,
            "first": _titled(
                record,
                [
                    {"rank": rank, "status": STATUS_NAMES[status]}
                    | {name: reader.value(record.id, name, rank) for name in always}
                    for rank, status in first
                ],
            ),
            "groups": _groups(record, every) if len(first) < sum(key) == len(every) else [],
        }
    return list(entries.values())


def titles_of(record: RunRecord, ranks: Sequence[int]) -> dict[int, tuple[str, ...]]:
    """Map ranks of a run's space to what people call their states, if its generator has titles."""
    if not ranks:
        return {}
    space = space_of(record)
    found: dict[int, Any] = {}
    with suppress(EpcgError), places(record.files):  # a plugin or a file is missing: ranks say enough
        info = registry().generator(space.domain, space.generator.name)
        if info.titles is None:
            return {}
        params: Any = structure(info.params, space.generator.params, info.name)
        try:
            title = resolve(info.titles)(params)
            found = {rank: title(rank) for rank in ranks}
        except EpcgError:
            raise
        except PLUGIN_EXCEPTIONS as error:  # the run is complete and recorded all the same
            warnings.warn(
                f"The titles of the {registry().described(info)} failed: {format_exception(error)}",
                stacklevel=2,
            )
    return {rank: (said,) if isinstance(said, str) else tuple(said) for rank, said in found.items()}


def _titled(record: RunRecord, rows: Sequence[dict[str, Any]]) -> list[dict[str, Any]]:
    """Add titles to descriptions of candidates, behind their ranks."""
    titles = titles_of(record, [row["rank"] for row in rows])
    return [
        {"rank": row["rank"], "title": ", ".join(titles[row["rank"]])} | row if row["rank"] in titles else row
        for row in rows
    ]


def _groups(record: RunRecord, every: Sequence[tuple[int, int]]) -> list[dict[str, Any]]:
    """Count candidates without a value for each whole that titles name, such as the levels of a game."""
    titles = titles_of(record, [rank for rank, _ in every])
    found: dict[str, dict[str, Any]] = {}
    for rank, status in every:
        if rank in titles:
            group = found.setdefault(titles[rank][0], {"title": titles[rank][0], "none": 0, "limit": 0})
            group[STATUS_NAMES[status]] += 1
    return list(found.values())


def _without_value(
    reader: Reader, run_id: int, name: str
) -> tuple[NDArray[np.int64], list[tuple[int, int]], list[tuple[int, int]]]:
    """Return the number of a metric's candidates by status, (rank, status) of the first few, and of more."""
    counts = np.zeros(len(STATUS_NAMES), np.int64)
    first: list[tuple[int, int]] = []
    for chunk in reader.chunks(run_id, name, where=schema.score_chunk.c.status.is_not(None)):
        status = chunk_status(chunk)
        assert status is not None
        counts += np.bincount(status, minlength=len(STATUS_NAMES))
        if len(first) < MOST_GROUPED:
            without = np.flatnonzero((status == NONE) | (status == LIMIT))[: MOST_GROUPED - len(first)]
            ranks = reader.ranks(run_id, chunk)[without]
            first += list(zip(ranks.tolist(), status[without].tolist(), strict=True))
    return counts, first[:SHOWN_ERRORS], first


def reasons_of(reader: Reader, record: RunRecord, granted: Granted) -> dict[str, int]:
    """Count the candidates of a run without a value of what a wish ranks by, by reason in its sentences."""
    judged = () if granted.verdict is None else granted.verdict.judged
    if not judged or not judged[0].without:
        return {}
    name = judged[0].condition.metric
    counts, _, _ = _without_value(reader, record.id, name)
    found = {_meanings(record).get(name, ""): int(counts[NONE]), NOT_DECIDED: int(counts[LIMIT])}
    return {reason: count for reason, count in found.items() if reason and count}


def _meanings(record: RunRecord) -> dict[str, str]:
    """Map a run's metrics to what their evaluators or the search say of candidates without a value."""
    found: dict[str, str] = {}
    with suppress(EpcgError):  # the plugin is missing
        search = resolve(registry().search(record.search).factory)(registry())
        if isinstance(search, ExplainedSearch):
            found |= {metric.name: metric.none for metric in search.explained}
    for part in record.spec["evaluators"]:
        with suppress(EpcgError):  # the plugin is missing
            metrics = registry().metrics_of(record.domain, part["name"], part["params"])
            found |= {
                metric.name: record.reading.meaning_of_none(metric) if metric.none else ""
                for metric in metrics
            }
    return found


def error_facts(reader: Reader, run_id: int) -> dict[str, Any]:
    """Describe a run's candidates that have a reason instead of values: their number, and the first few.

    They have an error, or took longer than the time limit of a candidate.
    """
    noted = "FROM candidate WHERE run_id = :run AND kept = 0 AND note IS NOT NULL"
    count = reader.connection.scalar(sa.text(f"SELECT count(*) {noted}"), {"run": run_id})
    record = reader.run(run_id)
    rows = reader.connection.execute(
        sa.text(f"SELECT rank, note {noted} ORDER BY rank LIMIT :most"), {"run": run_id, "most": SHOWN_ERRORS}
    )
    first = [
        {"rank": row.rank, "puzzle": puzzle_id(record.space, row.rank), "reason": row.note} for row in rows
    ]
    return {"count": count, "first": _titled(record, first)}


def run_details(reader: Reader, record: RunRecord) -> dict[str, Any]:
    """Describe all that is recorded about a run except its candidates."""

    def one(text: str) -> Any:
        return reader.connection.execute(sa.text(text), {"run": record.id}).one()

    chunks = one("SELECT count(*), coalesce(sum(length(data)), 0) FROM score_chunk WHERE run_id = :run")
    units = one("SELECT count(*) FROM unit WHERE run_id = :run")
    queries = reader.connection.execute(
        sa.select(schema.query.c.name, schema.query.c.title, schema.query_run.c.goal, schema.query.c.source)
        .join(schema.query_run, schema.query_run.c.query_id == schema.query.c.id)
        .where(schema.query_run.c.run_id == record.id)
        .order_by(schema.query.c.id)
    ).all()
    environment = reader.connection.scalar(
        sa.select(schema.run.c.environment).where(schema.run.c.id == record.id)
    )
    spec = record.spec
    return run_data(record) | {
        "generator": spec["query"]["generator"],
        "search_params": spec["search"]["params"],
        "evaluators": spec["evaluators"],
        "filter": spec["filter"],
        "versions": spec["versions"],
        "sources": None if record.sources is None else dict(record.sources.files),
        "computed_again": record.again_of,
        "imported": record.imported,
        "accepted": reader.accepted(record.id),
        "environment": parsed(environment or "{}", f"The environment of run {record.id}", TEXTS),
        "unit_size": record.unit_size,
        "units": units[0],
        "chunk_size": record.chunk_size,
        "chunks": chunks[0],
        "bytes": chunks[1],
        "inputs": [
            {"role": each.role, "kind": each.kind, "run": each.run, "digest": each.digest}
            | {"source": each.source, "choice": each.choice}
            for each in all_inputs(reader, record.id)
        ],
        "queries": [
            {
                "name": q.name,
                "title": q.title,
                "goal": bool(q.goal),
                "query": parsed(q.source, f"The query {q.name}"),
            }
            for q in queries
        ],
        "metrics": metric_facts(reader, record.id),
        "missing": missing_facts(reader, record),
        "errors": error_facts(reader, record.id),
        "notes": {str(rank): note for rank, note in kept_notes(reader.connection, record.id).items()},
        "histograms": histograms(reader, record.id),
    }


def histograms(reader: Reader, run_id: int) -> dict[str, list[list[Any]]]:
    """Return each metric's histogram: (low, high, count) of its bins, in order."""
    found: dict[str, list[list[Any]]] = {}
    rows = reader.connection.execute(
        sa.text(
            "SELECT metric, low, high, count FROM histograms WHERE run_id = :run ORDER BY metric, position"
        ),
        {"run": run_id},
    )
    for metric, low, high, number in rows:
        if not all(isinstance(each, int | float) for each in (low, high, number)):
            raise DamagedError(
                f"The histogram of '{metric}' of run {run_id} is damaged: {low!r} to {high!r}."
            )
        found.setdefault(metric, []).append([low, high, number])
    return found


def chosen(reader: Reader, record: RunRecord, rule: SelectParams) -> Granted:
    """Choose candidates of a run by a rule.

    Raises QueryError if one of each symmetry class is asked for and the space has no symmetries.
    """
    return grant(reader, record.id, rule, likeness_in(record, rule))


def likeness_in(record: RunRecord, rule: SelectParams) -> Likeness:
    """Return which candidates of a run are alike to a rule. Raises QueryError as `chosen` does."""
    if not rule.distinct and rule.apart is None:
        return ANY
    space = space_of(record)
    return likeness_of(rule, space, make_generator(registry(), space))


def selected(reader: Reader, record: RunRecord, rule: SelectParams, limit: int) -> dict[str, Any]:
    """Describe a rule's selection: the rule, the number of candidates, and the first `limit` with scores.

    Variants also have a description of their edits. 'tied' is the number of candidates that have the one
    value of all that were kept, if there are more than `MANY_TIES` times as many; else it is None.
    """
    granted = chosen(reader, record, rule)
    found = granted.found
    ranks = [rank for rank, _ in found[:limit]]
    edits = edits_in_words(reader.connection, record.id, ranks)
    notes = kept_notes(reader.connection, record.id)
    return {
        "rule": rule_text(rule),
        "count": len(found),
        "tied": _tied(reader, record, rule, found),
        "wish": None if granted.verdict is None else wish_data(granted, reasons_of(reader, record, granted)),
        "candidates": _titled(
            record,
            [
                {"rank": rank, "puzzle": puzzle_id(record.space, rank), "scores": scores}
                | ({"edits": edits[rank]} if rank in edits else {})
                | ({"note": notes[rank]} if rank in notes else {})
                for rank, scores in zip(ranks, reader.scores_at(record.id, ranks), strict=True)
            ],
        ),
    }


def wish_data(granted: Granted, reasons: Mapping[str, int] | None = None) -> dict[str, Any]:
    """Describe how many candidates met the conditions of a wish, and what the others fail.

    Args:
        granted: what the wish keeps.
        reasons: why candidates have no value of the measure that it ranks by, each with their number.
    """
    verdict = granted.verdict
    assert verdict is not None
    return {
        "candidates": verdict.candidates,
        "met": verdict.met,
        "equal": granted.equal,
        "conditions": [
            {
                "condition": str(each.condition),
                "first": each.first,
                "alone": each.alone,
                "others": each.others,
            }
            for each in verdict.judged
        ],
        "in_the_way": None if verdict.in_the_way is None else str(verdict.in_the_way),
        "text": in_words(verdict, reasons=reasons),
    }


def _tied(
    reader: Reader, record: RunRecord, rule: SelectParams, found: Sequence[tuple[int, Any]]
) -> int | None:
    """Return how many candidates could as well have been kept, if which were kept says little."""
    if not rule.keeps_count or rule.wishes or not found or found[0][1] != found[-1][1]:
        return None
    value = float(found[0][1])
    number = chunk_queries.count(reader, record.id, rule.metric, value, value)
    return number if number > MANY_TIES * len(found) else None
