"""The recorded tables without which an evaluator cannot work, computed in a database of their own."""

from __future__ import annotations

from typing import Any

from epcg_core.inside import computed_inputs, search_named
from epcg_core.plugin import EvaluatorInfo, PluginError, SpaceSpec, from_data, plain, registry, resolve

MOST_STATES = 100_000
"""States of a space for a table, at most."""


def needed_tables(space: SpaceSpec, generator: Any, info: EvaluatorInfo, params: Any) -> dict[str, Any]:
    """Compute the tables that an evaluator requires; those that it can do without are left out.

    Args:
        space: The space of the generator.
        generator: The generator whose states the evaluator is to score.
        info: The evaluator.
        params: Its params.

    Returns:
        What the evaluator's factory takes as its tables.

    Raises:
        PluginError: A table has too many states to be computed for a check.
        EpcgError: The run behind a table cannot be planned.
    """
    needs = () if info.needs is None else tuple(resolve(info.needs)(params, generator))
    if not any(need.required for need in needs):
        return {}
    data = {
        "name": "check",
        "domain": space.domain,
        "generator": plain(space.generator),
        "search": {"name": "exhaustive", "params": {}},
        "evaluators": [{"name": info.name, "params": plain(params)}],
        "range": {"start": 0, "stop": min(1, int(generator.max_rank))},
        "record": {"on_error": "record"},
    }
    query = from_data(data)
    spec = search_named(registry(), query.search.name).plan(query)
    for needed in spec.inputs:
        if needed.run.max_rank > MOST_STATES:
            raise PluginError(
                f"the table '{needed.role}' has {needed.run.max_rank:,} states: declare a space whose tables "
                f"have at most {MOST_STATES:,}"
            )
    return computed_inputs(query, spec)
