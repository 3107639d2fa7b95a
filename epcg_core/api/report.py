"""Reports: what a command answers, as an object with a text, a table, JSON and a picture for notebooks."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator, Sequence
from html import escape
from pathlib import Path
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.api.arguments import checked_methods
from epcg_core.api.words import DEFAULT_DB, csv_lines, json_lines, json_value, plain_table, printable
from epcg_core.base.errors import EpcgError

if TYPE_CHECKING:
    from numpy.typing import NDArray

DRAWN = 20
"""Puzzles that a table draws; the ids of others are written."""


def location_of(db: str | Path | None) -> str:
    """Return the path of a database: `db`, else the file named by EPCG_DB, else epcg.db."""
    return str(db) if db is not None else os.environ.get("EPCG_DB") or DEFAULT_DB


class Note(str):
    """A sentence of a report that a command prints on stderr."""

    __slots__ = ()


class Warned(Note):
    """A note that warns."""

    __slots__ = ()


@checked_methods
@attrs.frozen(repr=False)
class Table:
    """Columns and rows."""

    columns: tuple[str, ...]
    rows: tuple[tuple[Any, ...], ...]
    title: str = ""

    @classmethod
    def of(cls, columns: Sequence[str], rows: Sequence[Sequence[Any]], title: str = "") -> Table:
        """Make a table of lists."""
        return cls(tuple(columns), tuple(map(tuple, rows)), title)

    def __iter__(self) -> Iterator[tuple[Any, ...]]:
        return iter(self.rows)

    def __len__(self) -> int:
        return len(self.rows)

    def column(self, name: str) -> NDArray[Any]:
        """Return (n,) one column as an array."""
        import numpy as np

        return np.array([row[self.columns.index(name)] for row in self.rows])

    def frame(self, library: Literal["pandas", "polars"] | None = None) -> Any:
        """Convert to a DataFrame of pandas or polars, whichever is installed.

        Raises EpcgError if neither is installed.
        """
        from epcg_core.store import columns

        return columns.frame({c: [row[i] for row in self.rows] for i, c in enumerate(self.columns)}, library)

    def table(self) -> Table:
        """Return the table itself, as reports do."""
        return self

    def json(self) -> list[dict[str, Any]]:
        """Return an object for each row, as `--json` prints them."""
        return [json_value(dict(zip(self.columns, row, strict=True))) for row in self.rows]

    def csv(self) -> str:
        """Return the text that `--format csv` prints."""
        return "".join(f"{line}\n" for line in csv_lines(self.columns, self.rows))

    def __str__(self) -> str:
        return "\n".join(plain_table(self.columns, self.rows, title=self.title))

    def __repr__(self) -> str:
        return f"<Table of {len(self.rows):,} rows: {', '.join(self.columns)}>"

    def _repr_html_(self) -> str:
        head = "".join(f"<th>{escape(name)}</th>" for name in self.columns)
        cells = _cells()
        body = "".join(f"<tr>{''.join(map(cells, row))}</tr>" for row in self.rows)
        title = f"<caption>{escape(self.title)}</caption>" if self.title else ""
        return f"<table>{title}<thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


class Report:
    """The answer of a command.

    `parts` yields in order what a person reads. As text that is what the command prints; the first table is
    that of `table`, and `json` is what `--json` prints: the rows of the table if a report says nothing else.
    """

    __slots__ = ()

    def parts(self) -> Iterator[str | Table]:
        """Yield texts, tables and notes; a subclass says which."""
        raise NotImplementedError

    def table(self) -> Table:
        """Return the header and the rows of the report's first table; without one, of its texts."""
        texts = []
        for part in self.parts():
            if isinstance(part, Table):
                return part
            texts.append((str(part),))
        return Table(("text",), tuple(texts))

    def json(self) -> Any:
        """Return what `--json` prints, as Python's dicts and lists."""
        return self.table().json()

    def csv(self) -> str:
        """Return the table as CSV."""
        return self.table().csv()

    def __str__(self) -> str:
        return "\n".join(printable(str(part)) for part in self.parts())

    def __repr__(self) -> str:
        return str(self)

    def _repr_html_(self) -> str:
        return "".join(
            part._repr_html_() if isinstance(part, Table) else f"<pre>{escape(part)}</pre>"
            for part in self.parts()
        )


def json_text(report: Report | Table) -> Iterator[str]:
    """Yield the lines that `--json` prints: a document, or of a table a row each."""
    import json

    if isinstance(report, Table) or type(report).json is Report.json:
        table = report.table()
        yield from json_lines(table.columns, table.rows)
    else:
        yield json.dumps(json_value(report.json()), indent=2, ensure_ascii=False)


def number_in_words(value: Any) -> str:
    """Return a value as captions have it."""
    return f"{value:.6g}" if isinstance(value, float) else str(value)


def _cells() -> Callable[[Any], str]:
    """Return the function that makes the cells of one table, which draws the first `DRAWN` puzzles in it."""
    left = DRAWN

    def cell(value: Any) -> str:
        nonlocal left
        if left and isinstance(value, str) and "#" in value:
            svg = _picture_of(value)
            if svg is not None:
                left -= 1
                return f'<td style="width:120px" title="{escape(value)}">{svg}</td>'
        right = ' style="text-align:right"' if isinstance(value, int | float) else ""
        return f"<td{right}>{escape('' if value is None else number_in_words(value))}</td>"

    return cell


def _picture_of(text: str) -> str | None:
    """Draw the puzzle that a text is the id of; None if it is none, or its domain draws none."""
    from epcg_core.query.puzzle_id import PUZZLE
    from epcg_core.rendering.render import render

    try:
        return render(text, "svg") if PUZZLE.fullmatch(text) else None
    except EpcgError:
        return None
