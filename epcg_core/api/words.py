"""Values in words for people, and rows as aligned text, JSON and CSV: light, and free of any terminal."""

from __future__ import annotations

import csv
import json
import math
import re
import shlex
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain, islice
from typing import Any, NamedTuple

from epcg_core.base.documents import size_in_words
from epcg_core.query.short_ids import shortened

DEFAULT_DB = "epcg.db"
MOST_TOGETHER = 64
"""Rows that are written together as JSON or CSV, at most: more are no faster, and a row may hold pictures."""


_UNPRINTABLE = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u202a-\u202e\u2066-\u2069]")
"""Control characters but for tabs and line ends, and those that turn the direction of writing."""


def printable(text: str) -> str:
    """Escape what would command a terminal rather than be read on it, as a text from a file may."""
    return _UNPRINTABLE.sub(lambda found: found[0].encode("unicode_escape").decode(), text)


def plain_table(
    header: Sequence[str],
    first: Sequence[Sequence[Any]],
    following: Iterable[Sequence[Any]] = (),
    title: str = "",
) -> Iterator[str]:
    """Yield the lines of a table as plain text; the `first` rows set the widths of the columns."""
    right = numeric_columns(header, first)
    texts = [[_line(cell) for cell in row] for row in first]
    widths = [max([len(name), *(len(row[i]) for row in texts)]) for i, name in enumerate(header)]

    def line(cells: Sequence[str]) -> str:
        aligned = (
            cell.rjust(width) if number else cell.ljust(width)
            for cell, width, number in zip(cells, widths, right, strict=True)
        )
        return "  ".join(aligned).rstrip()

    if title:
        yield printable(title)
    yield line(header)
    for row in texts:
        yield line(row)
    for row_of_any in following:
        yield line([_line(cell) for cell in row_of_any])


def numeric_columns(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[bool]:
    """Return for each column whether all of its cells are numbers."""
    columns = range(len(header))
    return [bool(rows) and all(row[i] is None or _is_number(row[i]) for row in rows) for i in columns]


def _is_number(cell: Any) -> bool:
    return isinstance(cell, Number | int | float) and not isinstance(cell, bool)


class Number(str):
    """A number in words, such as '1,234' or '12.5 %': aligned as a number."""

    __slots__ = ()


def labelled(rows: Iterable[Sequence[str]]) -> list[list[str]]:
    """Rows whose first cell is a label and whose others are numbers in words."""
    return [[row[0], *map(Number, row[1:])] for row in rows]


def cell_text(cell: Any) -> str:
    """One value for a person to read."""
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    if isinstance(cell, float):
        return f"{cell:.6g}"
    if isinstance(cell, bytes):
        return f"<{len(cell):,} bytes>"
    return printable(shortened(str(cell)))


def _line(cell: Any) -> str:
    return cell_text(cell).replace("\n", "\\n")


def json_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a JSON list of objects."""
    places = {name: place for place, name in enumerate(header)}  # of two with one name the last counts
    names = [_encoded(name).replace("%", "%%") for name in places]
    line = f"{{{', '.join(f'{name}: %s' for name in names)}}},"
    yield "["
    before = ""
    for batch in _batches(rows):
        odd = next((row for row in batch if len(row) != len(header)), None)
        if odd is not None:
            raise ValueError(f"a row of {len(odd)} cells under {len(header)} names")
        columns = list(zip(*batch, strict=True))
        cells = [_json_cells(columns[place]) for place in places.values()]
        lines = list(map(line.__mod__, zip(*cells, strict=True)))
        if before:
            yield before
        before = lines.pop()
        yield from lines
    if before:
        yield before.removesuffix(",")
    yield "]"


def _batches(rows: Iterable[Sequence[Any]]) -> Iterator[list[Sequence[Any]]]:
    """Yield rows together, because columns are written faster than cells; the first one alone, at once."""
    left, size = iter(rows), 1
    while batch := list(islice(left, size)):
        yield batch
        size = min(2 * size, MOST_TOGETHER)


def _json_cells(cells: Sequence[Any]) -> Iterable[str]:
    """Return the cells of a column as JSON."""
    kinds = set(map(type, cells))
    if kinds == {int}:
        return map(repr, cells)
    if kinds == {bool}:
        return ["true" if cell else "false" for cell in cells]
    if kinds == {str}:
        return map(_encoded, cells)
    return map(_json_cell, cells)


_encoded = json.JSONEncoder(ensure_ascii=False).encode
"""Writes a value as JSON; made once, because `json.dumps` makes an encoder for each value."""


def _json_cell(value: Any) -> str:
    """Return a cell as JSON; usual kinds are written without the encoder, as it writes them."""
    kind = type(value)
    if kind is int:
        return repr(value)
    if value is None:
        return "null"
    if kind is bool:
        return "true" if value else "false"
    if kind is float and math.isfinite(value):
        return repr(value)
    return _encoded(value if kind is str else json_value(value))


def json_value(value: Any) -> Any:
    """`value` as JSON can say it: no infinities, no blobs."""
    if isinstance(value, float) and not math.isfinite(value):
        return None if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, bytes):
        return cell_text(value)
    if isinstance(value, Mapping):
        return {str(key): json_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(item) for item in value]
    return value


def csv_lines(header: Sequence[str], rows: Iterable[Sequence[Any]]) -> Iterator[str]:
    """Yield the lines of a CSV file."""
    lines: list[str] = []
    end = "\r\n"  # a cell with either character is quoted; our own lines end with one
    writer = csv.writer(_Written(lines.append), lineterminator=end)
    for batch in chain([[header]], _batches(rows)):
        alike = [batch] if len(set(map(len, batch))) == 1 else [[row] for row in batch]
        for part in alike:
            writer.writerows(zip(*map(_csv_cells, zip(*part, strict=True)), strict=True))
        yield from (line.removesuffix(end) for line in lines)
        lines.clear()


class _Written(NamedTuple):
    """A file whose lines are heard one by one."""

    write: Callable[[str], object]


def _csv_cells(cells: Sequence[Any]) -> Iterable[Any]:
    """Return the cells of a column as CSV has them."""
    kinds = set(map(type, cells))
    if kinds == {bool}:
        return map(int, cells)
    if not any(issubclass(kind, bool | bytes) for kind in kinds):
        return cells
    return [
        int(cell) if isinstance(cell, bool) else cell_text(cell) if isinstance(cell, bytes) else cell
        for cell in cells
    ]


def count(number: int | None) -> Number:
    """1234567 as '1,234,567'."""
    return Number("-" if number is None else f"{number:,}")


def share(part: float, whole: float) -> Number:
    """Format a share in per cent; '-' if the whole is 0."""
    if not whole:
        return Number("-")
    percent = 100 * part / whole
    return Number("< 0.01 %" if 0 < percent < 0.005 else f"{percent:.2f} %")


def duration(seconds: float | None) -> Number:
    """Format a duration: '0.32 s', '2 min 5 s', '3 h 10 min'."""
    if seconds is None:
        return Number("-")
    if seconds < 60:
        return Number(
            "< 0.01 s" if seconds < 0.01 else f"{seconds:.2g} s" if seconds < 10 else f"{seconds:.0f} s"
        )
    minutes, rest = divmod(round(seconds), 60)
    if minutes < 60:
        return Number(f"{minutes} min {rest} s")
    hours, minutes = divmod(minutes, 60)
    return Number(f"{hours} h {minutes} min" if hours < 48 else f"{hours / 24:.3g} days")


def size(number: int | None) -> Number:
    """Bytes in words: '812 bytes', '1.24 MB'."""
    return Number("-" if number is None else size_in_words(number))


def naming_db(location: str) -> str:
    """Return ' --db LOCATION' for a command that a message names; '' for the default."""
    return "" if location == DEFAULT_DB else f" --db {shlex.quote(location)}"
