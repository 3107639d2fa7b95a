"""The queries that asked for a run, and their links to the runs that answer them."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import Any

from epcg_core.base.errors import CheckFailedError
from epcg_core.query.query import Query, from_data
from epcg_core.query.spec import RunSpec
from epcg_core.runs.coordinator import plan
from epcg_core.runs.outcome import answering
from epcg_core.store import Reader
from epcg_core.store.recorded import ASKED, parsed
from epcg_core.verification.derived.subject import Subject, same

_QUERIES = """
SELECT query.id, query.name, query.title, query.source, query.sha256, query_run.goal
FROM query_run JOIN query ON query.id = query_run.query_id WHERE query_run.run_id = :run ORDER BY query.id
"""
_LINKS = """
SELECT query_id, run_id, position, goal, run.request FROM query_run JOIN run ON run.id = run_id
WHERE query_id IN (SELECT query_id FROM query_run WHERE run_id = :run)
"""


def queries(subject: Subject) -> str:
    """Check the rows of all queries that asked for the run, and which runs they are linked with."""
    rows = linked(subject.reader, subject.run.id)
    if not rows:
        if subject.run.done:
            raise CheckFailedError("The run is finished, and no query that asked for it is recorded.")
        return "No query is linked with the run yet."
    for row in rows:
        data = parsed(row.source, f"The query {row.id}", ASKED)
        digest = hashlib.sha256(row.source.encode()).hexdigest()
        same(f"sha256 of query {row.id}", row.sha256, digest)
        same(f"name of query {row.id}", row.name, data["name"])
        same(f"title of query {row.id}", row.title, data["title"])
        subject.need_plan()
        links = [tuple(link) for link in subject.rows(_LINKS) if link.query_id == row.id]
        question = ("links", row.id, row.source, *links)
        if question not in subject.proven:  # a layer's query is that of all layers: once for a thousand
            _check_links(subject, row.id, from_data(data), links)
            subject.proven.add(question)
    if len(rows) == 1:
        return "1 query that asks for it, planned again, is linked with the runs that answer it."
    return f"{len(rows):,} queries that ask for it, planned again, are linked with the runs that answer them."


def linked(reader: Reader, run_id: int) -> list[Any]:
    """Return the rows of the queries that asked for a run, each with `goal`."""
    return list(reader.connection.exec_driver_sql(_QUERIES, {"run": run_id}))


def _check_links(subject: Subject, query_id: int, query: Query, links: Sequence[tuple[Any, ...]]) -> None:
    """Check that a query is linked with runs that it plans, at their place, and which of them is its goal.

    All of them are not needed, as a query may have been interrupted; there are several for one place if the
    query was asked again, or with other sources.

    Args:
        subject: a run that the query asked for.
        query_id: the query's number.
        query: the query.
        links: its rows of `_LINKS`.

    Raises:
        CheckFailedError: if a link contradicts the query.
    """
    goal = plan(query)[1]
    specs = [spec for spec, _ in answering(goal, subject.reader)]
    wanted, answer = [spec.request for spec in specs], _answer(goal, specs)
    for _, run_id, position, is_goal, request in links:
        if position not in range(len(wanted)) or wanted[position] != request:
            raise CheckFailedError(
                f"Query {query_id}, '{query.name}', is linked with run {run_id} as its run number "
                f"{position}, and does not ask for it there."
            )
        same(f"goal of query {query_id}, run {run_id},", is_goal, int(request == answer))


def _answer(goal: RunSpec, specs: Sequence[RunSpec]) -> str | None:
    """Return the request of the run that answers a query; None if it is not recorded yet.

    `specs` are the runs recorded on the way to `goal`, in order.
    """
    if not specs or goal.request not in [spec.request for spec in specs]:
        return None
    last = specs[-1]
    return None if last.on_the_way else last.request
