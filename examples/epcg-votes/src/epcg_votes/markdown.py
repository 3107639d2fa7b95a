"""The candidates of a run as a table in Markdown."""

from __future__ import annotations

from pathlib import Path

from epcg_core.plugin import Reader, RunRecord, Wanted, columns


def write(reader: Reader, run: RunRecord, wanted: Wanted, path: Path) -> int:
    """Write the table; return the number of candidates."""
    names, number = wanted.names, 0
    with path.open("w", encoding="utf-8") as file:
        file.write(f"| {' | '.join(names)} |\n|{'---|' * len(names)}\n")
        for part in columns(reader, run.id, wanted.metrics, status=wanted.status, where=wanted.where):
            for row in zip(*(part.column(name, run.space) for name in names), strict=True):
                file.write(f"| {' | '.join('' if cell is None else str(cell) for cell in row)} |\n")
                number += 1
    return number
