"""The tables that a run reads, computed for themselves."""

from __future__ import annotations

import tempfile
from pathlib import Path
from typing import Any

from epcg_core.base.documents import temporary_prefix
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import execute
from epcg_core.runs.options import Options
from epcg_core.runs.tables import WorkingFolder, in_memory
from epcg_core.store import Store


def computed_inputs(query: Query, spec: RunSpec) -> dict[str, Any]:
    """Compute the tables that the run of a query reads, in a database of their own.

    Args:
        query: The query.
        spec: Its run, as its search plans it.

    Returns:
        The tables by their roles, as the factory of an evaluator takes them.

    Raises:
        EpcgError: A run behind a table fails.
    """
    with tempfile.TemporaryDirectory(prefix=temporary_prefix()) as folder:
        path = Path(folder) / "tables.db"
        with Store.open(path, write=True) as store:
            execute(query, store, Options(executor="serial", quiet=True))
            with WorkingFolder(path) as working:
                return in_memory(working.inputs(spec, store))
