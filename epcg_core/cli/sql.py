"""`epcg sql`: ask the database anything, without being able to change it.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import sys
import warnings
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Any

import click

from epcg_core.cli import output
from epcg_core.cli.options import command, db_option, format_option
from epcg_core.cli.output import say

if TYPE_CHECKING:
    import sqlalchemy as sa

FUNCTIONS = """
Functions: epcg_score(run, metric, rank), epcg_count(run, metric, low, high),
epcg_ranks(run, metric, low, high), epcg_top(run, metric, count), epcg_percentile(run, metric, value),
epcg_quantile(run, metric, share), epcg_puzzle(run, rank), epcg_canonical(run, rank),
epcg_rank(puzzle), epcg_rank(run, puzzle), epcg_text(puzzle), epcg_svg(puzzle).
`epcg sql --help` says what they give."""


@command("sql")
@click.argument("statement", required=False)
@db_option
@format_option
def sql(statement: str | None, location: str, format: str) -> None:
    """Ask the database anything in SQL. STATEMENT is read from standard input if it is '-'; without one,
    the tables and views are listed with their columns. Nothing can be changed: the database is opened for
    reading.

    The views have names for the usual questions: runs, metrics, layers, kept, scores, histograms; errors
    and statuses (why a value is missing); selections and rejections for curricula; edit_effects and
    best_edits for variants of one content.

    The view scores has every value, from rows or from chunks; functions are faster, at any size:

    \b
      epcg_score(run, metric, rank)       one value
      epcg_count(run, metric, low, high)  how many values lie in low .. high
      epcg_ranks(run, metric, low, high)  whose they are, as a JSON array
      epcg_top(run, metric, count)        the best, best first, as a JSON array
      epcg_percentile(run, metric, value) the mid-rank: per cent lower, and half of the equal
      epcg_quantile(run, metric, share)   the value that a share does not exceed; 0.5: median
      epcg_canonical(run, rank)           the first rank of a candidate's symmetry class
      epcg_puzzle(run, rank)              a puzzle's id
      epcg_rank(run, puzzle)              the rank of a puzzle's id or text; of any run: epcg_rank(puzzle)
      epcg_text(puzzle), epcg_svg(puzzle) its picture

    NULL means no limit; epcg_top(run, metric, count, 'min') takes the smallest; json_each makes a table of an
    array.

    \b
    Examples:
      epcg sql "SELECT * FROM runs"
      epcg sql "SELECT epcg_count(4, 'moves', 20, NULL)"
      epcg sql "SELECT epcg_puzzle(4, value) FROM json_each(epcg_top(4, 'moves', 10))"
      epcg sql "SELECT puzzle, scores FROM kept WHERE run_id = 4" --format csv > kept.csv
      epcg sql "SELECT epcg_text('domain:generator?size=5#17')"
    """
    from epcg_core.store import Store

    if statement == "-":
        statement = sys.stdin.read()
    with Store.open(location) as store, store.connection() as connection:
        if statement is None or not statement.strip():
            rows = list(_tables(connection))
            output.write(format, ["name", "kind", "columns"], rows)
            if format == "table":
                say(FUNCTIONS)
        else:
            _ask(connection, statement, format)


def _ask(connection: sa.Connection, statement: str, format: str) -> None:
    from epcg_core.store.sql import ask_sql

    found = ask_sql(connection, statement)
    if not found.columns:
        say("The statement gives no rows.")
        return
    if found.partial:
        _warn_of_missing_rows(connection)
    output.write(format, _distinct_names(found.columns), found)
    _warn_of_many_values(connection)


def _warn_of_missing_rows(connection: sa.Connection) -> None:
    """Say on stderr of which runs the table `score` lacks candidates."""
    from epcg_core.store.sql import runs_without_rows

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
    from epcg_core.store import chunk_rows

    number = connection.info.get(chunk_rows.READ, 0)
    if number > chunk_rows.MANY:
        say(
            f"{output.count(number)} values were read from chunks, some two million a second; epcg_count, "
            "epcg_ranks, epcg_top and epcg_quantile, and the views metrics and histograms, are faster."
        )


def _distinct_names(names: Sequence[str]) -> list[str]:
    """Two columns of one name would be one key in JSON: the second becomes name_2."""
    seen: dict[str, int] = {}
    found = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        found.append(name if seen[name] == 1 else f"{name}_{seen[name]}")
    return found


def _tables(connection: sa.Connection) -> Iterator[tuple[Any, ...]]:
    import sqlalchemy as sa

    inspector = sa.inspect(connection)
    for kind, names in (("view", inspector.get_view_names()), ("table", inspector.get_table_names())):
        for name in sorted(names):
            with warnings.catch_warnings():
                warnings.simplefilter("ignore", sa.exc.SAWarning)  # SQLite's ANY, which SQLAlchemy lacks
                columns = [column["name"] for column in inspector.get_columns(name)]
            yield name, kind, ", ".join(columns)
