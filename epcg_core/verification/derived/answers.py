"""Which recorded run answers a query: its own, or one that measured at least what is asked."""

from __future__ import annotations

from typing import Any

import attrs

from epcg_core.params import plain
from epcg_core.plugins.registry import registry
from epcg_core.query.query import PartRef, Query
from epcg_core.runs.coordinator import plan
from epcg_core.runs.filters import resolve_filter
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.selection import metrics_of
from epcg_core.verification.derived.queries import answering


def run_of(query: Query, store: Store, reader: Reader) -> RunRecord | None:
    """Return the newest run that answers a query, finished or not; None if there is none."""
    goal = plan(resolve_filter(query, store))[1]
    runs = list(answering(goal, reader))
    there = any(spec.identity == goal.identity for spec, _ in runs)  # not only what it needs
    return runs[-1][1] if there else None


def run_for(query: Query, store: Store, reader: Reader) -> RunRecord | None:
    """Find the run that answers a question, or one that measured at least what its selections name.

    Args:
        query: the question.
        store: the database.
        reader: the same, open.

    Returns:
        The newest such run with values; else one without any yet, or None.

    Raises:
        EpcgError: if the question cannot be planned.
    """
    own = run_of(query, store, reader)
    if own is not None and (own.done or own.evaluated):
        return own
    query = resolve_filter(query, store)
    wanted = {name for rule in query.select for name in metrics_of(rule)}
    spec = plan(query)[1]
    parts = [plain(each) for each in spec.evaluators]
    needed = [part for part in parts if wanted & _names(spec.space.domain, part)]
    if not needed or not wanted <= {metric.name for metric in spec.metrics}:
        return own
    for record in reversed(reader.runs()):
        if record.space != spec.space.name or not (record.done or record.evaluated):
            continue
        theirs = record.spec["evaluators"]
        if all(part in theirs for part in needed):
            refs = tuple(PartRef(each["name"], each["params"], each.get("as", "")) for each in theirs)
            if plan(attrs.evolve(query, evaluators=refs))[1].request == record.request:
                return record
    return own


def _names(domain: str, part: dict[str, Any]) -> set[str]:
    """Return what the metrics of a planned evaluator are called."""
    prefix = f"{part['as']}_" if part.get("as") else ""
    return {prefix + metric.name for metric in registry().evaluator(domain, part["name"]).metrics}
