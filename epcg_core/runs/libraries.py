"""Libraries of queries: found among recorded runs, or made first."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import partial
from typing import Any

from epcg_core.errors import LibraryNotMadeError, QueryError
from epcg_core.params import plain
from epcg_core.plugins.registry import registry
from epcg_core.query.library import Library, LibrarySource, library_of, replaced, with_texts
from epcg_core.query.named import load_query
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query, from_data, from_table, settings_of
from epcg_core.query.spec import make_generator
from epcg_core.runs import reuse
from epcg_core.runs.sequence import difference
from epcg_core.search import planner
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.likeness import likeness_of
from epcg_core.store.selection import select

FindRun = Callable[[Query], "RunRecord | None"]
"""From a query to the run that answers it; None if none is recorded."""


def with_libraries(query: Query, store: Store | None, find: FindRun) -> Query:
    """Replace where a query's libraries come from by the libraries, so that the query stands alone.

    Args:
        query: the query.
        store: the database; None if there is none.
        find: finds or makes the run that answers the query of a library.

    Returns:
        The query.

    Raises:
        EpcgError: if a library cannot be made, with its place in the query.
    """
    return replaced(with_texts(query), partial(_made, query.domain, store, find))


def _made(
    domain: str, store: Store | None, find: FindRun, source: LibrarySource, where: str
) -> Mapping[str, Any]:
    query = _query_of(source)
    record = None if query is None else find(query)
    if source.run is not None and store is not None:
        with store.reader() as reader:
            record = reader.run(source.run)
            _check_code(reader, record)
    if record is None or store is None:
        if query is None:
            raise QueryError(f"there is no database here that could have run {source.run}.")
        raise LibraryNotMadeError(
            f"the library comes from the query '{query.name}', which is not answered yet: run it first."
        )
    if not record.done:
        raise QueryError(f"run {record.id} is not finished: go on with epcg resume {record.id}.")
    with store.reader() as reader:
        return plain(_of_run(reader, record, query, source, domain))


def _query_of(source: LibrarySource) -> Query | None:
    """Return the query of a source, named or as a table with the keys of a query file."""
    settings = settings_of(source.set or {})
    if source.query is None or isinstance(source.query, str):
        return None if source.query is None else load_query(source.query, settings)
    generator = source.query.get("generator")
    if isinstance(generator, Mapping) and "params" in generator:  # as `Query.resolved` writes it
        return from_data(source.query)
    return from_table(source.query, settings)


def _of_run(
    reader: Reader, record: RunRecord, query: Query | None, source: LibrarySource, domain: str
) -> Library:
    """Make the library of a finished run."""
    space = parse_puzzle_id(registry(), puzzle_id(record.space, 0))[0]
    if space.domain != domain:
        raise QueryError(f"run {record.id} has content of {space.domain}, and this query is about {domain}.")
    rules = ((source.select,) if source.select is not None else ()) or (query.select if query else ())
    if rules:
        generator = make_generator(registry(), space)
        ranks = {
            rank
            for rule in rules
            for rank, _ in select(reader, record.id, rule, likeness_of(rule, space, generator))
        }
    else:
        ranks = set(reader.kept_ranks(record.id))
    if not ranks:
        keeps = "keeps no candidate" if query is None else f"keeps no candidate of '{query.name}'"
        raise QueryError(
            f"run {record.id} {keeps}, so its library is empty: say which candidates, by select = "
            '{ metric = "...", keep = "top", count = ... }.'
        )
    chosen = sorted(ranks)
    if source.metrics is not None:
        for name in source.metrics:
            reader.column(record.id, name)  # raises for one that there is not
    scores = reader.scores_at(record.id, chosen)
    names = list(scores[0]) if source.metrics is None else list(source.metrics)
    values = {
        name: tuple(None if row[name] is None else row[name] + 0 for row in scores)  # type: ignore[operator]
        for name in names
    }
    return library_of(space, chosen, values, record.digest or "")


def _check_code(reader: Reader, record: RunRecord) -> None:
    """Raise OutdatedRunError if a run was computed with other code than there is now."""
    spec = planner.plan(registry(), from_data(record.spec["query"]))[1]
    reason = difference(reader, record, spec)
    if reason:
        raise reuse.refusal(record, reason)
