"""Rows for plain SQL, made of a run's chunks, and which candidates have them."""

from __future__ import annotations

from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec
from epcg_core.runs.keep import name_variants
from epcg_core.store import Reader, RunRecord, Store, rows

ALL_ROWS_LIMIT = 100_000
"""Candidates of the largest run all of which have rows unless a query says otherwise: a row takes 28 bytes
where a chunk takes one or less, and half of the time of such a run."""


def rows_policy(spec: RunSpec, query: Query) -> str:
    """Return of which candidates of a run a query makes rows: 'all', 'kept' or 'none'."""
    if spec.on_the_way or query.record.values == "counts":
        return "none"
    if query.record.rows != "auto":
        return query.record.rows
    return "all" if spec.stop - spec.start <= ALL_ROWS_LIMIT else "kept"


def materialize(store: Store, run_id: int, where: str | None = None, index: bool = False) -> RunRecord:
    """Make rows of a run's chunks: all of them, or those of ranks that satisfy the SQL condition `where`.

    `where` is over `rank` and the run's metrics, for example 'expansions > 100'. With `index`, also an index
    by value: it takes longer than the rows themselves (0.7 against 2 million rows a CPU-second).
    """
    with store.transaction() as connection:
        rows.materialize(connection, Reader(connection), run_id, where)
        name_variants(connection, run_id)
        if index:
            rows.index_values(connection, run_id)
        return Reader(connection).run(run_id)
