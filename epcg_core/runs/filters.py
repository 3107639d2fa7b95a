"""Filters by a recorded run, as queries that stand alone."""

from __future__ import annotations

import attrs

from epcg_core.errors import QueryError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import Query, evaluator_table
from epcg_core.search import planner
from epcg_core.store import Store


def resolve_filter(query: Query, store: Store) -> Query:
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
