"""Print curricula for `epcg curriculum`."""

from __future__ import annotations

from typing import Any

from epcg_core.cli import output
from epcg_core.store import Store, curricula


def show(name: str | None, rejected: bool, location: str, as_json: bool) -> None:
    """Print the puzzles of a curriculum, or the curricula."""
    format = "json" if as_json else "table"
    with Store.open(location) as store, store.reader() as reader:
        if name is None:
            header = ["number", "name", "title", "chapters", "puzzles"]
            output.write(format, header, curricula.listed(reader.connection))
            return
        number = curricula.find(reader.connection, name)
        found = curricula.read(reader.connection, number, rejected=False)
    if rejected:
        header = ["chapter", "part", "rule", "rejected", "recorded"]
        output.write(format, header, [
            [i, part.name, *counts]
            for i, chapter in enumerate(found.chapters, 1)
            for part in chapter.parts
            for counts in part.rejections
        ])  # fmt: skip
    elif as_json:
        print_curriculum(found, number, True)
    else:
        header = ["chapter", "position", "puzzle", "measure", "value", "reason"]
        output.write(format, header, [
            [i, row.position, row.puzzle.puzzle, part.measure, row.value, row.reason]
            for i, chapter in enumerate(found.chapters, 1)
            for part in chapter.parts
            for row in part.selections
        ])  # fmt: skip


def print_curriculum(found: curricula.CurriculumRow, number: int, as_json: bool) -> None:
    """Print the chapters, a line each; as JSON with all their puzzles."""
    if as_json:
        output.write_json(_data(found, number))
        return
    rows = []
    for i, chapter in enumerate(found.chapters, 1):
        for part in chapter.parts:
            values = [row.value for row in part.selections if row.position is not None]
            rows.append([
                i, chapter.title, part.name, output.count(part.candidates), len(values), part.measure,
                min(values), max(values),
            ])  # fmt: skip
    header = ["chapter", "title", "part", "candidates", "chosen", "measure", "lowest", "highest"]
    if not any(row[2] for row in rows):
        header, rows = [h for h in header if h != "part"], [[*row[:2], *row[3:]] for row in rows]
    output.write_table(header, rows)


def _data(found: curricula.CurriculumRow, number: int) -> dict[str, Any]:
    return {
        "curriculum": number,
        "name": found.name,
        "title": found.title,
        "sha256": found.sha256,
        "runs": [run for run, _ in found.runs],
        "chapters": [
            {
                "name": chapter.name,
                "title": chapter.title,
                "parts": [
                    {
                        "name": part.name,
                        "source": part.source,
                        "measure": part.measure,
                        "rule": part.rule,
                        "candidates": part.candidates,
                        "chosen": [
                            {"position": row.position, "puzzle": row.puzzle.puzzle, "value": row.value,
                             "reason": row.reason}
                            for row in part.selections if row.position is not None
                        ],
                        "rejected": [
                            {"rule": rule, "count": count, "recorded": recorded}
                            for rule, count, recorded in part.rejections
                        ],
                    }
                    for part in chapter.parts
                ],
            }
            for chapter in found.chapters
        ],
    }  # fmt: skip
