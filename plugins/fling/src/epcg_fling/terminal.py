"""Tables on the terminal: drawn by rich where there is one, plain columns where the output goes elsewhere."""

from __future__ import annotations

import sys
from collections.abc import Sequence


def show_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> None:
    """Print a table to standard output; the first column is left, the others right aligned."""
    if sys.stdout.isatty():
        _rich_table(header, rows, title)
    else:
        print("\n".join(plain_table(header, rows, title)))


def plain_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str = "") -> list[str]:
    """The lines of a table in plain text."""
    table = [header, *rows]
    widths = [max(len(row[column]) for row in table) for column in range(len(header))]
    lines = [title] if title else []
    for row in table:
        cells = [row[0].ljust(widths[0])]
        cells += [cell.rjust(width) for cell, width in zip(row[1:], widths[1:], strict=True)]
        lines.append("  ".join(cells).rstrip())
    return lines


def _rich_table(header: Sequence[str], rows: Sequence[Sequence[str]], title: str) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table

    table = Table(title=title or None, title_justify="left", box=box.SIMPLE_HEAD)
    for position, name in enumerate(header):
        table.add_column(name, justify="right" if position else "left")
    for row in rows:
        table.add_row(*row)
    Console().print(table, markup=False)
