"""Rows of tables about metrics and candidates, for several commands."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_core.cli import output

METRIC_HEADER = ["metric", "values", "lowest", "highest", "mean", "total"]


def metric_row(facts: dict[str, Any]) -> list[Any]:
    """Return a metric's facts as cells below METRIC_HEADER; the total of a boolean counts the true values."""
    total, valued = facts["total"], facts["valued"]
    if facts["kind"] == "bool":
        mean: Any = output.share(total or 0, valued)
        return [facts["metric"], output.count(valued), None, None, mean, output.count(total)]
    total = output.count(total) if isinstance(total, int) else total
    return [facts["metric"], output.count(valued), facts["min"], facts["max"], facts["mean"], total]


def candidate_table(
    candidates: Sequence[dict[str, Any]], names: Sequence[str], with_ranks: bool = False
) -> tuple[list[str], list[list[Any]]]:
    """Header and rows of selected candidates: their scores in the order of `names`, their edits, if any."""
    edits = ["edits"] if any("edits" in candidate for candidate in candidates) else []
    header = [*(["rank"] if with_ranks else []), *names, *edits, "puzzle"]
    rows = [[(candidate | candidate["scores"]).get(name) for name in header] for candidate in candidates]
    return header, rows
