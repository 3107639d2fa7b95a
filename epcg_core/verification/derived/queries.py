"""The queries that asked for a run, and their links to the runs that answer them."""

from __future__ import annotations

import hashlib
import json
from collections.abc import Iterator
from typing import Any

from epcg_core.errors import CheckFailedError
from epcg_core.query.query import Query, from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import in_order, plan
from epcg_core.runs.sequence import next_run
from epcg_core.store import Reader, RunRecord
from epcg_core.verification.derived.subject import Subject, same

_QUERIES = """
SELECT query.id, query.name, query.title, query.source, query.sha256, query_run.goal
FROM query_run JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = :run ORDER BY query.id
"""
_LINKS = """
SELECT query_id, run_id, position, goal FROM query_run
WHERE query_id IN (SELECT query_id FROM query_run WHERE run_id = :run)
"""


def queries(subject: Subject) -> str:
    """Check the rows of all queries that asked for the run, and which runs they are linked with."""
    rows = linked(subject)
    if not rows:
        if subject.run.done:
            raise CheckFailedError("The run is finished, and no query that asked for it is recorded.")
        return "No query is linked with the run yet."
    for row in rows:
        data = json.loads(row.source)
        digest = hashlib.sha256(row.source.encode()).hexdigest()
        same(f"sha256 of query {row.id}", row.sha256, digest)
        same(f"name of query {row.id}", row.name, data["name"])
        same(f"title of query {row.id}", row.title, data["title"])
        if not subject.planned:
            _check_links(subject, row.id, from_data(data))
    number = "1 query that asks" if len(rows) == 1 else f"{len(rows):,} queries that ask"
    if subject.planned:
        return f"The text of {number} for it has the recorded digest. Runs: {subject.planned}"
    return f"{number} for it, planned again, is linked with the runs that answer it."


def linked(subject: Subject) -> list[Any]:
    """Return the rows of the queries that asked for a run, each with `goal`."""
    return list(subject.rows(_QUERIES))


def _check_links(subject: Subject, query_id: int, query: Query) -> None:
    """Check that a query is linked with the first of the runs that it plans, in order; the last is its goal.

    All of them are not needed: a query may have been interrupted.
    """
    recorded = {
        row.run_id: (row.position, row.goal) for row in subject.rows(_LINKS) if row.query_id == query_id
    }
    planned = [run.id for run in answering(plan(query)[1], subject.reader)]
    if subject.run.id not in planned:
        raise CheckFailedError(
            f"Query {query_id}, '{query.name}', is linked with the run and does not ask for it."
        )
    found = [(number, *recorded[number]) for number in planned if number in recorded]
    wanted = [(number, i, int(i == len(found) - 1)) for i, number in enumerate(planned[: len(found)])]
    same(f"list of (run, position, goal) of query {query_id}", found, wanted)


def answering(goal: RunSpec, reader: Reader) -> Iterator[RunRecord]:
    """Yield the recorded runs that answer a query, in the order of their computation."""
    for spec in in_order(goal):
        for needed in spec.inputs:
            if needed.last and needed.required:
                yield from _following(needed.run, reader)
        run = reader.find(spec.identity)
        if run is None:
            return
        yield run
    yield from _following(goal, reader)


def _following(first: RunSpec, reader: Reader) -> Iterator[RunRecord]:
    """Yield the recorded runs of a sequence after its first."""
    last = first
    while (run := reader.find(last.identity)) is not None and run.done:
        spec = next_run(first, last, reader)
        found = None if spec is None else reader.find(spec.identity)
        if spec is None or found is None:
            return
        yield found
        last = spec
