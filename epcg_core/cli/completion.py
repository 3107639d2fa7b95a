"""Completion by a shell: shipped queries, plans and studies, runs, metrics, curricula, domains, formats.

A database is read by Python's own SQLite as it lies on the disk, so that completion imports no SQLAlchemy and
leaves no file beside it. What cannot be read completes nothing: an error would be printed into the prompt.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable
from contextlib import closing
from pathlib import Path
from typing import Any

import click
from click.shell_completion import CompletionItem

from epcg_core.api.words import DEFAULT_DB
from epcg_core.base.errors import PLUGIN_EXCEPTIONS

Completer = Callable[[click.Context, click.Parameter, str], list[CompletionItem]]

_TITLE = (
    "SELECT q.title FROM query_run r JOIN query q ON q.id = r.query_id WHERE r.run_id = run.id AND r.goal"
)
_RUNS = f"""SELECT run.id, coalesce(({_TITLE} LIMIT 1), ''), space.name
FROM run JOIN space ON space.id = run.space_id ORDER BY run.id DESC"""
_METRICS = """SELECT DISTINCT metric.name, metric.description
FROM run_metric JOIN metric ON metric.id = run_metric.metric_id
WHERE ?1 IS NULL OR run_metric.run_id = ?1 ORDER BY run_metric.position"""
_CURRICULA = "SELECT name, title FROM curriculum GROUP BY name ORDER BY max(id) DESC"


def shipped(kind: str) -> Completer:
    """Return a completer of shipped 'queries', 'plans' or 'studies'; files are completed, too."""

    def complete(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
        try:
            found = _items(_shipped(kind, incomplete), incomplete)
        except PLUGIN_EXCEPTIONS:
            found = []
        return found or [CompletionItem(incomplete, type="file")]

    return complete


def _shipped(kind: str, incomplete: str) -> Iterable[tuple[str, str]]:
    from epcg_core.query import named

    files = {
        "queries": named.shipped_queries,
        "plans": named.shipped_plans,
        "studies": named.shipped_studies,
    }[kind]()
    for name, path in files.items():
        if name.startswith(incomplete):  # no other file is read
            yield name, named.query_title(path)[1] if kind == "queries" else named.plan_title(path, {})[1]


def runs(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a run's number; beside it stands the title of the query that asked for it, or its space."""
    rows = ((str(number), title or space) for number, title, space in _asked(ctx, _RUNS))
    return _items(rows, incomplete)


def runs_and_files(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a run's number, else the path of a file."""
    return runs(ctx, parameter, incomplete) or [CompletionItem(incomplete, type="file")]


def metrics(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete a metric of the run that the command names, else of any run."""
    words = [ctx.params.get("run_id"), *ctx.args]  # with an option that lacks its value, arguments stay there
    run = str(next(filter(None, words), ""))
    return _items(_asked(ctx, _METRICS, int(run) if run.isdecimal() else None), incomplete)


def curricula(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a curriculum."""
    return _items(_asked(ctx, _CURRICULA), incomplete)


def domains(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a domain."""
    from epcg_core.domain import DomainInfo
    from epcg_core.plugins.registry import registry

    return _items(((info.name, info.summary) for info in registry().all(DomainInfo)), incomplete)


def formats(ctx: click.Context, parameter: click.Parameter, incomplete: str) -> list[CompletionItem]:
    """Complete the name of a format of others, or 'text' for the own one."""
    from epcg_core.domain import FormatInfo
    from epcg_core.plugins.registry import registry

    known = {info.name: info.summary for info in registry().all(FormatInfo)}
    return _items([("text", "the domain's own text"), *known.items()], incomplete)


def _items(rows: Iterable[Iterable[Any]], incomplete: str) -> list[CompletionItem]:
    return [
        CompletionItem(name, help=" ".join(str(about).split()))
        for name, about in rows
        if str(name).startswith(incomplete)
    ]


def _asked(ctx: click.Context, statement: str, *values: Any) -> list[tuple[Any, ...]]:
    """Ask the database that the command names; nothing if it cannot be read."""
    import sqlite3

    location = ctx.params.get("location") or os.environ.get("EPCG_DB") or DEFAULT_DB
    try:
        uri = f"{Path(location).absolute().as_uri()}?mode=ro&immutable=1"
        with closing(sqlite3.connect(uri, uri=True)) as connection:
            return connection.execute(statement, values).fetchall()
    except (sqlite3.Error, OSError, ValueError, OverflowError):
        return []
