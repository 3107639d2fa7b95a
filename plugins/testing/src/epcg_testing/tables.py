"""The recorded tables without which an evaluator cannot work, computed in a database of their own."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

import numpy as np

from epcg_core.domain import Bits, EvaluatorInfo, resolve
from epcg_core.errors import PluginError
from epcg_core.params import plain
from epcg_core.query.query import from_data
from epcg_core.query.spec import SpaceSpec
from epcg_core.runs.coordinator import execute, plan
from epcg_core.runs.options import Options
from epcg_core.runs.tables import WorkingFolder
from epcg_core.store import Store

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
    _, spec = plan(query)
    for needed in spec.inputs:
        if needed.run.max_rank > MOST_STATES:
            raise PluginError(
                f"the table '{needed.role}' has {needed.run.max_rank:,} states: declare a space whose tables "
                f"have at most {MOST_STATES:,}"
            )
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "tables.db"
        with Store.open(path, write=True) as store:
            execute(query, store, Options(executor="serial", quiet=True))
            with WorkingFolder(path) as working:
                found = working.inputs(spec, store)
                return {role: _copied(table) for role, table in found.items()}


def _copied(table: Any) -> Any:
    """Return a table that does not depend on the file that it is mapped from."""
    return Bits(np.array(table.data), table.count) if isinstance(table, Bits) else np.array(table)
