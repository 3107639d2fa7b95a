"""Queries that stand alone: what they read of recorded runs is a part of them.

A filter names a run, a library a run or a query. Both are replaced by what rebuilds them anywhere.
"""

from __future__ import annotations

from functools import partial

import attrs

from epcg_core.base.errors import QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import Query, evaluator_table
from epcg_core.runs.libraries import FindRun, with_libraries
from epcg_core.runs.outcome import answering
from epcg_core.search import planner
from epcg_core.store import Reader, RunRecord, Store


def standing_alone(
    query: Query, store: Store | None, find: FindRun | None = None, choices: dict[str, str] | None = None
) -> Query:
    """Replace the runs that a query names, so that the query stands alone.

    Args:
        query: the query.
        store: the database; None if there is none.
        find: finds or makes the run that answers the query of a library; default: the recorded ones.
        choices: receives the rules by which libraries were chosen (`epcg_core.runs.libraries`).

    Returns:
        The query.

    Raises:
        EpcgError: if a run is missing, or does not fit.
    """
    if find is None:
        find = partial(_recorded, store)
    query = with_libraries(query, store, find, choices)
    return query if store is None else _with_filter(query, store)


def _recorded(store: Store | None, query: Query) -> RunRecord | None:
    """Find the newest run that answers a query, finished or not; None if there is none."""
    if store is None:
        return None
    with store.reader() as reader:
        return run_of(query, store, reader)


def run_of(query: Query, store: Store, reader: Reader) -> RunRecord | None:
    """Return the newest run that answers a query, finished or not; None if there is none."""
    goal = planner.plan(registry(), standing_alone(query, store))[1]
    runs = list(answering(goal, reader))
    there = any(spec.identity == goal.identity for spec, _ in runs)  # not only what it needs
    return runs[-1][1] if there else None


def _with_filter(query: Query, store: Store) -> Query:
    """Replace a filter's run number by the search that made the run, so that the query stands alone."""
    if query.filter is None or query.filter.run is None:
        return query
    with store.reader() as reader:
        run = reader.run(query.filter.run)
    data = run.spec["query"]
    search = {"name": data["search"]["name"], **data["search"]["params"]}
    evaluators = tuple(evaluator_table(e) for e in data["evaluators"])
    found = attrs.evolve(
        query, filter=attrs.evolve(query.filter, run=None, search=search, evaluators=evaluators)
    )
    _, spec = planner.plan(registry(), found)
    if run.request not in [needed.run.request for needed in spec.inputs]:
        raise QueryError(
            f"filter: run {run.id} covers {run.space}, or a part of it, so it cannot filter all of "
            f"{spec.space.name}."
        )
    return found
