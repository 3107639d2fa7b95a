"""What several commands say about a run, as JSON-like data and as rows of a table."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import sqlalchemy as sa

from epcg_core.cli import output
from epcg_core.errors import QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.puzzle_id import puzzle_id
from epcg_core.query.spec import PartSpec, SpaceSpec, make_generator
from epcg_core.store.edits import edits_in_words
from epcg_core.store.selection import rule_text, select

if TYPE_CHECKING:
    from epcg_core.query.query import SelectParams
    from epcg_core.store import Reader, RunRecord

METRIC_HEADER = ["metric", "values", "lowest", "highest", "mean", "total"]


def run_data(record: RunRecord) -> dict[str, Any]:
    """The ledger's entry of a run."""
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
        "cpu_seconds": record.cpu_seconds,
        "rows": record.rows,
        "digest": record.digest,
        "created_at": record.created_at,
        "finished_at": record.finished_at,
    }


def metric_facts(reader: Reader, run_id: int) -> list[dict[str, Any]]:
    """Each metric of a run: how many values, their extremes, total and mean; None where there is no value."""
    rows = reader.connection.execute(
        sa.text("SELECT metric, valued, minimum, maximum, total, mean FROM metrics WHERE run_id = :run"),
        {"run": run_id},
    )
    found = {row.metric: row for row in rows}
    facts = []
    for metric in reader.metrics(run_id):
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


def metric_row(facts: dict[str, Any]) -> list[Any]:
    """A metric's facts as cells below METRIC_HEADER; a boolean's total is how many are true."""
    total, valued = facts["total"], facts["valued"]
    if facts["kind"] == "bool":
        mean: Any = output.share(total or 0, valued)
        return [facts["metric"], output.count(valued), None, None, mean, output.count(total)]
    total = output.count(total) if isinstance(total, int) else total
    return [facts["metric"], output.count(valued), facts["min"], facts["max"], facts["mean"], total]


def generator_of(record: RunRecord) -> Any:
    """The generator of a run's space. Raises EpcgError where its plugin is gone or has changed."""
    return make_generator(registry(), space_of(record))


def space_of(record: RunRecord) -> SpaceSpec:
    """A run's space as its plugin knows it."""
    data = record.spec["query"]["generator"]
    return SpaceSpec(record.domain, PartSpec(data["name"], data["params"]))


def selected(reader: Reader, record: RunRecord, rule: SelectParams, limit: int) -> dict[str, Any]:
    """What a rule selects of a run: the rule in words, how many, and the first `limit` with their scores.

    Variants of a content also tell their edits.
    """
    canonical = None
    if rule.distinct:
        canonical = getattr(generator_of(record), "canonical_rank", None)
        if canonical is None:
            raise QueryError(f"{record.space} has no symmetries: leave --distinct out.")
    found = select(reader, record.id, rule, canonical)
    ranks = [rank for rank, _ in found[:limit]]
    edits = edits_in_words(reader.connection, record.id, ranks)
    return {
        "rule": rule_text(rule),
        "count": len(found),
        "candidates": [
            {"rank": rank, "puzzle": puzzle_id(record.space, rank), "scores": scores}
            | ({"edits": edits[rank]} if rank in edits else {})
            for rank, scores in zip(ranks, reader.scores_at(record.id, ranks), strict=True)
        ],
    }


def candidate_table(
    candidates: Sequence[dict[str, Any]], names: Sequence[str], with_ranks: bool = False
) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of selected candidates: their scores in the order of `names`, their edits, if any."""
    edits = ["edits"] if any("edits" in candidate for candidate in candidates) else []
    header = [*(["rank"] if with_ranks else []), *names, *edits, "puzzle"]
    rows = [[(candidate | candidate["scores"]).get(name) for name in header] for candidate in candidates]
    return header, rows
