"""Runs that keep counts instead of values (`record = "counts"`): what they cannot do."""

from __future__ import annotations

from epcg_core.base.errors import QueryError, StoreError
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec
from epcg_core.runs.scope import Scope
from epcg_core.runs.sequence import is_sequence
from epcg_core.store import RunRecord


def counted_runs(query: Query, goal: RunSpec, scope: Scope) -> set[str]:
    """Return the identities of the runs that are to keep counts: the last one, if the query asks for it.

    Raises QueryError if it asks for something that needs values, too.
    """
    if query.record.values != "counts":
        return set()
    reals = ", ".join(f"'{metric.name}'" for metric in goal.metrics if metric.kind == "real")
    needs = {
        "[[select]] chooses by them": bool(query.select),
        "record.rows = 'all' makes rows of them": query.record.rows == "all",
        f"the distribution of {reals} (real numbers) needs all of them": bool(reals),
        "a search that prunes records the best candidates, which are few": goal.objective is not None,
        "the solutions that the search finds belong to them": goal.solutions,
        "each of the runs that follow one another reads those of the one before": is_sequence(goal),
        "which candidates took too long cannot be computed again": goal.candidate_timeout is not None,
        "a sample is made of them": scope.sample is not None,
        "parts are merged with them": scope.part is not None,
    }
    reason = next((reason for reason, present in needs.items() if present), None)
    if reason is not None:
        raise QueryError(
            f'record = "counts" keeps no values, but {reason}: remove one of the two, or record all values.'
        )
    return {goal.identity}


def check_kept(record: RunRecord | None, counts: bool) -> None:
    """Raise StoreError if a run keeps counts only, and more than `counts` is asked for."""
    if record is not None and record.counted and not counts:
        raise StoreError(
            f'Run {record.id} answers this, but it was recorded with record = "counts", without values. With '
            "--again it is computed once more and keeps them; with --set record.values=counts its counts are "
            "the answer."
        )
