"""Results on stdout and messages on stderr. What parts print does not reach stdout (`guests`).

On a terminal a table is drawn by rich. Elsewhere it is plain aligned columns, one line a row whatever its
width, so that `grep`, `awk` and a person reading a log can use it.

Imports inside functions keep help and listings free of numpy, SQLAlchemy and plugins.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Sequence
from itertools import chain, islice
from typing import Any

import click

from epcg_core.api.report import Note, Report, Table, Warned, json_text
from epcg_core.api.words import (
    Number as Number,
    cell_text as cell_text,
    count as count,
    csv_lines as csv_lines,
    duration as duration,
    json_lines as json_lines,
    json_value as json_value,
    labelled as labelled,
    numeric_columns,
    plain_table as plain_table,
    printable as printable,
    share as share,
    size as size,
)
from epcg_core.base.guests import output

__all__ = [
    "Number",
    "cell_text",
    "count",
    "csv_lines",
    "duration",
    "json_lines",
    "json_value",
    "labelled",
    "plain_table",
    "printable",
    "say",
    "share",
    "show",
    "size",
    "write",
    "write_csv",
    "write_json",
    "write_json_rows",
    "write_table",
]

WIDTHS_FROM = 1_000
"""The rows that column widths are taken from; a longer table is streamed."""

FOLD_FROM = 24
"""Only cells longer than this are folded if a table is wider than the terminal."""


def say(text: str = "") -> None:
    """Print a message on stderr."""
    click.echo(printable(text), err=True)


def show(text: str = "") -> None:
    """Print text on stdout for a person to read."""
    click.echo(printable(text), file=output())


def write(format: str, header: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Print rows as 'table', 'csv' or 'json' (a list of objects)."""
    if format == "csv":
        write_csv(header, rows)
    elif format == "json":
        write_json_rows(header, rows)
    else:
        write_table(header, rows, title)


def _print(lines: Iterable[str]) -> None:
    output().writelines(f"{line}\n" for line in lines)  # not click.echo, which flushes every line


def write_table(header: Sequence[str], rows: Iterable[Sequence[Any]], title: str = "") -> None:
    """Print a table: texts to the left, numbers to the right."""
    remaining = iter(rows)
    first = list(islice(remaining, WIDTHS_FROM))
    following = next(remaining, None)
    if output().isatty() and following is None:
        _rich_table(header, first, title)
        return
    if following is not None:
        remaining = chain([following], remaining)
    _print(plain_table(header, first, remaining, title))


def _rich_table(header: Sequence[str], rows: Sequence[Sequence[Any]], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(
        title=Text(printable(title), "bold") if title else None, title_justify="left", box=box.SIMPLE_HEAD,
        show_edge=False, pad_edge=False,
    )  # fmt: skip
    texts = [[cell_text(cell) for cell in row] for row in rows]
    least = 0
    for i, number in enumerate(numeric_columns(header, rows)):
        lines = (line for row in texts for line in row[i].split("\n"))
        narrowest = min(FOLD_FROM, max([len(header[i]), *map(len, lines)]))
        justify: Any = "right" if number else "left"
        table.add_column(Text(header[i]), justify=justify, overflow="fold", min_width=narrowest)
        least += narrowest + 3  # and the gap that rich leaves between columns
    for row in texts:
        table.add_row(*map(Text, row))
    console = Console(file=output())
    console.width = max(console.width, least)  # a terminal too narrow wraps lines; cells stay whole
    console.print(table)


def write_json(data: Any) -> None:
    """Print one JSON document."""
    click.echo(json.dumps(json_value(data), indent=2, ensure_ascii=False), file=output())


def write_json_rows(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print a JSON list of objects, one a line, as they come."""
    _print(json_lines(header, rows))


def write_csv(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> None:
    """Print CSV: no value is an empty field, true and false are 1 and 0."""
    _print(csv_lines(header, rows))


def write_report(report: Report | Table, format: str = "table") -> None:
    """Print a report as 'table', 'csv' or 'json'; notes go to stderr, but for those in a JSON document."""
    if format == "json":
        _print(json_text(report))
        if type(report).json is not Report.json:
            return
    if format == "csv":
        table = report.table()
        write_csv(table.columns, table.rows)
    for part in [report] if isinstance(report, Table) else report.parts():
        if format != "table" and not isinstance(part, Note):
            continue
        if isinstance(part, Table):
            write_table(part.columns, part.rows, part.title)
        elif isinstance(part, Warned):
            click.secho(printable(f"Warning: {part}"), err=True, fg="yellow")
        elif isinstance(part, Note):
            say(part)
        else:
            show(part)
