"""Reports of findings: every number as JSON, the first table as CSV, and text with rounded numbers."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import attrs

from epcg_core import Note, Report, Table
from epcg_core.inside import Number


@attrs.frozen(repr=False)
class Sectioned(Report):
    """Findings in sections."""

    found: Any
    """All numbers: an attrs class, a list of such, or plain data; None if the first table has them all."""
    sections: tuple[str | Table, ...]
    """Tables with the numbers as they are, texts and notes."""

    def parts(self) -> Iterator[str | Table]:
        """Yield the sections, with the numbers of tables rounded."""
        for section in self.sections:
            yield rounded(section) if isinstance(section, Table) else section

    def table(self) -> Table:
        """Return the first table, with the numbers as they are."""
        return next((each for each in self.sections if isinstance(each, Table)), Table((), ()))

    def json(self) -> Any:
        """Return all numbers."""
        if self.found is None:
            return super().json()
        if attrs.has(type(self.found)):
            return attrs.asdict(self.found)
        if isinstance(self.found, list | tuple):
            return [attrs.asdict(each) for each in self.found]
        return self.found


def sectioned(
    found: Any, header: Sequence[str], rows: Iterable[Sequence[Any]], notes: Iterable[str] = ()
) -> Sectioned:
    """Make a report of one table.

    Args:
        found: as in `Sectioned`.
        header: the names of the columns.
        rows: the rows, with the numbers as they are.
        notes: the sentences below the table.
    """
    return Sectioned(found, (Table.of(header, list(rows)), *map(Note, notes)))


def rounded(table: Table) -> Table:
    """Write reals with three digits, and small p as such."""
    rows = [[_cell(cell, name) for cell, name in zip(row, table.columns, strict=True)] for row in table.rows]
    return Table.of(table.columns, rows, table.title)


def _cell(cell: Any, name: str) -> Any:
    if not isinstance(cell, float):
        return cell
    small = (name == "p" or name.startswith("p ")) and cell < 0.0005
    return Number("<0.001" if small else f"{cell:.3f}")
