"""Runs whose values were dropped, computed again whole in a temporary database, and compared by digests."""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from pathlib import Path

from epcg_core.base.documents import places, temporary_prefix
from epcg_core.base.errors import CheckFailedError, UncheckedError
from epcg_core.query.query import from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs import reuse
from epcg_core.runs.coordinator import Options, execute
from epcg_core.runs.sequence import in_order
from epcg_core.runs.tables import WorkingFolder, in_memory
from epcg_core.search.protocol import Checker, Search
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.verification.planned import planned

TABLES = {
    "histograms": "SELECT metric.name, position, low, high, count FROM score_histogram "
    "JOIN metric ON metric.id = metric_id WHERE run_id = :run ORDER BY 1, 2",
    "candidates": "SELECT rank, status, kept, kept_by, state, note FROM candidate "
    "WHERE run_id = :run ORDER BY 1",
    "solutions": "SELECT rank, position, actions FROM solution WHERE run_id = :run ORDER BY 1, 2",
}
"""The rows that stay of a run whose values were dropped, by the name of a check."""


@contextmanager
def made_again(runs: Sequence[RunRecord]) -> Iterator[Mapping[str, tuple[Reader, RunRecord]]]:
    """Compute runs again in a temporary database, with what they need.

    Args:
        runs: the runs, in the order in which they were computed.

    Yields:
        For each run's identity its reader and its record in that database.

    Raises:
        UncheckedError: if what is installed plans another run, or has other sources.
    """
    for run in runs:
        with places(run.files):
            _, spec = planned(run)
        if other := run.difference(reuse.sources(spec), spec.versions):
            raise UncheckedError(f"Run {run.id} was computed with {other}, so it cannot be computed again.")
    with (
        tempfile.TemporaryDirectory(prefix=temporary_prefix()) as folder,
        Store.open(Path(folder) / "again.db", write=True) as store,
    ):
        for run in reversed(runs):  # the last one makes most of the others on its way
            with places(run.files):
                execute(from_data(run.spec["query"]), store, Options(quiet=True))
        with store.reader() as reader:
            found = {run.identity: reader.find(run.identity) for run in runs}
            yield {name: (reader, run) for name, run in found.items() if run is not None}


def checker_of(search: Search, spec: RunSpec, agree: Callable[[Reader], None]) -> tuple[Checker, int]:
    """Make the runs that a run is computed from again, in a temporary database, and then its checker.

    Args:
        search: the run's search.
        spec: the run.
        agree: gets a reader of that database, and raises CheckFailedError if a run is not the expected one.

    Returns:
        The checker, and how many runs were made: 0 if it reads no other run's values.
    """
    if not any(needed.required and needed.kind != "best" for needed in spec.inputs):
        return search.checker(spec, {}), 0
    runs = in_order(spec)[:-1]
    with (
        tempfile.TemporaryDirectory(prefix=temporary_prefix()) as folder,
        Store.open(Path(folder) / "inputs.db", write=True) as store,
        WorkingFolder(None) as tables,
    ):
        for run in runs:
            execute(from_data(run.query_data()), store, Options(quiet=True))
        with store.reader() as reader:
            agree(reader)
        inputs = in_memory(tables.inputs(spec, store))
    return search.checker(spec, inputs), len(runs)


def compare(reader: Reader, run: RunRecord, again: tuple[Reader, RunRecord] | None, check: str) -> str:
    """Compare what is recorded of a run without values with the run computed again.

    `check` is 'values', which compares digests, or the name of a table's check.
    """
    if again is None:
        raise CheckFailedError("Computed again, it is another run.")
    other, now = again
    if check == "values":
        if now.digest != run.digest:
            raise CheckFailedError(f"Computed again whole, it has the digest {now.digest}, not {run.digest}.")
        return f"Its values were dropped; computed again whole, they have its digest {run.digest}."
    was, is_now = (
        [tuple(row) for row in each.connection.exec_driver_sql(TABLES[check], {"run": record.id})]
        for each, record in ((reader, run), (other, now))
    )
    if was != is_now:
        raise CheckFailedError(f"The recorded {check} are not those of the run, computed again.")
    return f"The recorded {check} are those of the run, computed again."
