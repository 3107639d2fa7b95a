"""A booklet as data: JSON for games, CSV for spreadsheets."""

from __future__ import annotations

import csv
import io
import json
from pathlib import Path
from typing import Any

from epcg_core.inside import Booklet, BookletPuzzle, Step

SCHEMA = Path(__file__).with_name("curriculum.schema.json")
CSV_HEADER = (
    "number", "chapter", "title", "part", "position", "puzzle", "measure", "value", "rule", "reason", "state",
)  # fmt: skip


def schema() -> str:
    """Return the JSON Schema that the JSON of every curriculum keeps."""
    return SCHEMA.read_text(encoding="utf-8")


def as_json(booklet: Booklet) -> bytes:
    """Export for games, in the form of `schema`: what lies where, difficulty, and the moves of a solution."""
    data = {
        "format": "epcg-curriculum",
        "version": 1,
        "name": booklet.name,
        "title": booklet.title,
        "description": booklet.description,
        "sha256": booklet.sha256,
        "how_to_play": [each.text for each in booklet.how_to_play()],
        "chapters": [
            {
                "name": chapter.name,
                "title": chapter.title,
                "description": chapter.description,
                "difficulty": chapter.difficulty,
                "puzzles": [_puzzle(puzzle) for puzzle in chapter.puzzles],
            }
            for chapter in booklet.chapters
        ],
    }
    return (json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n").encode()


def _puzzle(puzzle: BookletPuzzle) -> dict[str, Any]:
    layout, steps = puzzle.layout(), puzzle.steps()
    return {
        "number": puzzle.number,
        "part": puzzle.part,
        "puzzle": puzzle.puzzle,
        "domain": puzzle.domain,
        "state": puzzle.state,
        "layout": None if layout is None else dict(layout),
        "difficulty": {
            "measure": puzzle.measure,
            "value": puzzle.value,
            "text": puzzle.difficulty,
            "harder": puzzle.harder,
            "percentile": puzzle.percentile,
            "compared": puzzle.compared,
        },
        "measures": puzzle.measures,
        "solution": {
            "moves": puzzle.moves(),
            "steps": None if steps is None else [_step(step) for step in steps],
            "text": puzzle.solution_text(),
        },
        "solutions": puzzle.solutions,
    }


def _step(step: Step) -> dict[str, Any]:
    gesture = step.gesture
    return {
        "action": step.action,
        "sites": list(gesture.sites),
        "keys": list(gesture.keys),
        "text": step.text,
    }


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
