"""A booklet as HTML, PDF, JSON or CSV: the same bytes whenever the same curriculum is exported."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Callable

from epcg_core.curriculum.booklet import Booklet
from epcg_core.curriculum.html import as_html
from epcg_core.curriculum.pdf import as_pdf

CSV_HEADER = (
    "number", "chapter", "title", "part", "position", "puzzle", "measure", "value", "rule", "reason", "state",
)  # fmt: skip


def export(booklet: Booklet, format: str) -> bytes:
    return FORMATS[format](booklet)


def as_json(booklet: Booklet) -> bytes:
    """Export for games: every puzzle with its id, state, measures and solutions."""
    data = {
        "name": booklet.name,
        "title": booklet.title,
        "description": booklet.description,
        "sha256": booklet.sha256,
        "chapters": [
            {
                "name": chapter.name,
                "title": chapter.title,
                "description": chapter.description,
                "difficulty": chapter.difficulty,
                "puzzles": [
                    {
                        "number": puzzle.number,
                        "part": puzzle.part,
                        "puzzle": puzzle.puzzle,
                        "state": puzzle.state,
                        "measure": puzzle.measure,
                        "value": puzzle.value,
                        "measures": puzzle.measures,
                        "solutions": puzzle.solutions,
                        "solution_text": puzzle.solution_text(),
                    }
                    for puzzle in chapter.puzzles
                ],
            }
            for chapter in booklet.chapters
        ],
    }
    return (json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def as_csv(booklet: Booklet) -> bytes:
    """Export for spreadsheets: one line per puzzle."""
    text = io.StringIO()
    writer = csv.writer(text, lineterminator="\n")
    writer.writerow(CSV_HEADER)
    for chapter in booklet.chapters:
        for puzzle in chapter.puzzles:
            writer.writerow(
                (
                    puzzle.number, chapter.number, chapter.title, puzzle.part, puzzle.position, puzzle.puzzle,
                    puzzle.measure, puzzle.value, puzzle.rule, puzzle.reason, puzzle.state,
                )
            )  # fmt: skip
    return text.getvalue().encode()


FORMATS: dict[str, Callable[[Booklet], bytes]] = {
    "html": as_html, "pdf": as_pdf, "json": as_json, "csv": as_csv,
}  # fmt: skip
