"""Answers to queries: what `epcg run`, `epcg resume` and `epcg_core.answer` do."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Literal

import attrs

from epcg_core.base.documents import places
from epcg_core.base.errors import ParamsError, StoreError
from epcg_core.query.query import Query, from_data
from epcg_core.runs.coordinator import Options, Outcome, execute
from epcg_core.runs.dry_run import TRY_SECONDS, Estimates, estimate
from epcg_core.runs.merging import check_other, take_needed
from epcg_core.store import Store
from epcg_core.store.connection import database_path
from epcg_core.store.records import Part, Sample


@attrs.frozen
class Answered:
    """A query with the runs that answer it, and the open database that holds them."""

    query: Query
    outcome: Outcome
    store: Store


@contextmanager
def answer(
    query: Query,
    location: str,
    options: Options,
    sample: Sample | None = None,
    part: Part | None = None,
    base: str | None = None,
) -> Iterator[Answered]:
    """Answer a query in a database, which is made if there is none. Raises EpcgError.

    Args:
        query: the query.
        location: the database.
        options: how to compute.
        sample: a sample of the last run; None for all of it.
        part: a part of the last run; None for all of it.
        base: another database, from which finished runs that are needed are taken.
    """
    if sample is not None and sample.size < 1:
        raise ParamsError(f"sample: {sample.size} is not allowed; expected an integer of 1 or more.")
    if base is not None:
        check_other(location, base)
    with Store.open(location, write=True) as store:
        if base is not None:
            take_needed(query, base, store)
        yield Answered(query, execute(query, store, options, sample, part), store)


def estimates(
    query: Query,
    location: str,
    sample: Sample | None = None,
    seconds: float = TRY_SECONDS,
    part: Part | None = None,
) -> Estimates:
    """Estimate what answering a query would take, by trying for a number of CPU seconds.

    Nothing is recorded, no database is made.
    """
    if not database_path(location).is_file():
        return estimate(query, None, sample, seconds, part)
    with Store.open(location) as store:
        return estimate(query, store, sample, seconds, part)


def resumable(location: str) -> int | None:
    """Return the newest run that is not finished; None if every run is."""
    with Store.open(location) as store, store.reader() as reader:
        return max((record.id for record in reader.runs() if not record.done), default=None)


@contextmanager
def resume(
    location: str, run_id: int, options: Options, on_error: Literal["stop", "record"] | None = None
) -> Iterator[Answered]:
    """Go on with the query that asked for a run. Raises StoreError if none is recorded."""
    with Store.open(location) as store, store.reader() as reader:
        run = reader.run(run_id)
        found = reader.query_of(run_id)
    if found is None:
        raise StoreError(f"Run {run_id} has no recorded query; run the original query again.")
    query = with_on_error(from_data(found[1]), on_error)
    with places(run.files), answer(query, location, options, part=run.part) as answered:
        yield answered


def with_on_error(query: Query, on_error: Literal["stop", "record"] | None) -> Query:
    """Change what becomes of candidates whose evaluator raises; None leaves it as the query says."""
    if on_error is None:
        return query
    return attrs.evolve(query, record=attrs.evolve(query.record, on_error=on_error))
