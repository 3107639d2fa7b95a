"""Libraries of queries: found among recorded runs, or made first."""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Mapping, Sequence
from functools import partial
from typing import Any

from epcg_core.base.errors import LibraryNotMadeError, QueryError
from epcg_core.base.params import canonical_json, plain, structure
from epcg_core.plugins.registry import registry
from epcg_core.query.library import Library, LibrarySource, library_of, replaced, with_texts
from epcg_core.query.named import load_query
from epcg_core.query.puzzle_id import parse_puzzle_id, puzzle_id
from epcg_core.query.query import Query, SelectParams, from_data, from_table, settings_of
from epcg_core.query.spec import SpaceSpec, make_generator
from epcg_core.runs import reuse
from epcg_core.runs.sequence import difference
from epcg_core.search import planner
from epcg_core.store import Reader, RunRecord, Store
from epcg_core.store.inputs import answered_by
from epcg_core.store.likeness import likeness_of
from epcg_core.store.recorded import CHOICE, parsed
from epcg_core.store.selection import select

FindRun = Callable[[Query], "RunRecord | None"]
"""From a query to the run that answers it; None if none is recorded."""


def with_libraries(
    query: Query, store: Store | None, find: FindRun, choices: dict[str, str] | None = None
) -> Query:
    """Replace where a query's libraries come from by the libraries, so that the query stands alone.

    Args:
        query: the query.
        store: the database; None if there is none.
        find: finds or makes the run that answers the query of a library.
        choices: receives the rules by which each library was chosen, by its `key`.

    Returns:
        The query.

    Raises:
        EpcgError: if a library cannot be made, with its place in the query.
    """
    return replaced(with_texts(query), partial(_made, query.domain, store, find, choices))


def key(library: Library) -> str:
    """Return a digest of a library with its values."""
    return hashlib.sha256(canonical_json(plain(library)).encode()).hexdigest()


def chosen_by(reader: Reader, record: RunRecord, space: SpaceSpec, rules: Sequence[SelectParams]) -> set[int]:
    """Return the ranks that rules choose of a run."""
    generator = make_generator(registry(), space)
    return {
        rank
        for rule in rules
        for rank, _ in select(reader, record.id, rule, likeness_of(rule, space, generator))
    }


def run_of_library(reader: Reader, library: Library) -> RunRecord | None:
    """Return the run that a library was chosen from; None if it is not recorded here."""
    own = (run for run in reader.runs() if run.digest == library.run and run.space == library.space)
    return next(own, None) if library.run else None


def choice_text(rules: Sequence[SelectParams]) -> str:
    """Write rules as they are recorded."""
    return canonical_json({"select": [plain(rule) for rule in rules]})


def rules_in(choice: str) -> list[SelectParams]:
    """Invert `choice_text`. Raises DamagedError or ParamsError for any other text."""
    data = parsed(choice, "The choice of a library", CHOICE)
    return [structure(SelectParams, rule, "choice") for rule in data["select"]]


def _made(
    domain: str,
    store: Store | None,
    find: FindRun,
    choices: dict[str, str] | None,
    source: LibrarySource,
    where: str,
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
        library, rules = _of_run(reader, record, query, source, domain)
        if choices is not None:
            choices[key(library)] = choice_text(rules)
        return plain(library)


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
) -> tuple[Library, Sequence[SelectParams]]:
    """Make the library of a finished run; also return the rules by which its items were chosen."""
    space = parse_puzzle_id(registry(), puzzle_id(record.space, 0))[0]
    if space.domain != domain:
        raise QueryError(f"run {record.id} has content of {space.domain}, and this query is about {domain}.")
    rules = ((source.select,) if source.select is not None else ()) or (query.select if query else ())
    ranks = chosen_by(reader, record, space, rules) if rules else set(reader.kept_ranks(record.id))
    if not rules:  # others may be kept later
        asked = [rule for data in answered_by(reader, record.id) for rule in from_data(data).select]
        rules = tuple(dict.fromkeys(asked)) if chosen_by(reader, record, space, asked) == ranks else ()
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
    return library_of(space, chosen, values, record.digest or ""), rules


def _check_code(reader: Reader, record: RunRecord) -> None:
    """Raise OutdatedRunError if a run was computed with other code than there is now."""
    spec = planner.plan(registry(), from_data(record.spec["query"]))[1]
    reason = difference(reader, record, spec)
    if reason:
        raise reuse.refusal(record, reason)
