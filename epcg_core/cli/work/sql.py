"""Answer statements for `epcg sql`."""

from __future__ import annotations

import sys

import click
import sqlalchemy as sa

from epcg_core.api.asking import distinct_names, tables
from epcg_core.cli import output
from epcg_core.cli.output import say
from epcg_core.store import Store, chunk_rows
from epcg_core.store.sql import ask_sql, runs_without_rows

FUNCTIONS = """
Functions: epcg_score(run, metric, rank), epcg_count(run, metric, low, high),
epcg_ranks(run, metric, low, high), epcg_top(run, metric, count), epcg_percentile(run, metric, value),
epcg_quantile(run, metric, share), epcg_puzzle(run, rank), epcg_canonical(run, rank),
epcg_rank(puzzle), epcg_rank(run, puzzle), epcg_text(puzzle), epcg_svg(puzzle).
`epcg sql --help` says what they give."""


def sql(statement: str | None, location: str, format: str) -> None:
    """Print what a statement gives; without one, the tables and views."""
    if statement == "-":
        statement = sys.stdin.read()
    with Store.open(location) as store, store.connection() as connection:
        if statement is None or not statement.strip():
            output.write_report(tables(connection), format)
            if format == "table":
                say(FUNCTIONS)
        else:
            _ask(connection, statement, format)


def _ask(connection: sa.Connection, statement: str, format: str) -> None:
    found = ask_sql(connection, statement)
    if not found.columns:
        say("The statement gives no rows.")
        return
    if found.partial:
        _warn_of_missing_rows(connection)
    output.write(format, distinct_names(found.columns), found)
    _warn_of_many_values(connection)


def _warn_of_missing_rows(connection: sa.Connection) -> None:
    """Say on stderr of which runs the table `score` lacks candidates."""
    runs = runs_without_rows(connection)
    if runs:
        shown = ", ".join(map(str, runs[:10])) + (", ..." if len(runs) > 10 else "")
        which, have = ("run", "has") if len(runs) == 1 else ("runs", "have")
        click.secho(
            f"Warning: {which} {shown} {have} rows of kept candidates at most, so the table 'score' lacks "
            "the others: the view 'scores' has them all.",
            err=True,
            fg="yellow",
        )


def _warn_of_many_values(connection: sa.Connection) -> None:
    """Say on stderr what would have been faster than reading very many values one by one."""
    number = connection.info.get(chunk_rows.READ, 0)
    if number > chunk_rows.MANY:
        say(
            f"{output.count(number)} values were read from chunks, some two million a second; epcg_count, "
            "epcg_ranks, epcg_top and epcg_quantile, and the views metrics and histograms, are faster."
        )
