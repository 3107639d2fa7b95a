"""Booklets: the puzzles of a curriculum in order, with pictures, measures and solutions."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from epcg_core.curriculum.strategies import number
from epcg_core.rendering.render import render_solved, render_unsolved, renderer_of
from epcg_core.services.solutions import Solutions
from epcg_core.store import Reader, curricula


@attrs.frozen
class Puzzle:
    """One puzzle of a booklet."""

    number: int
    """The number in the booklet, from 1."""
    position: int
    """The number in its chapter, from 1."""
    part: str
    puzzle: str
    """The puzzle's id."""
    state: str = attrs.field(repr=False)
    """The generator's text of the state."""
    measure: str
    value: Any
    measures: dict[str, Any]
    rule: str
    reason: str
    solutions: Sequence[Any]
    """The recorded solutions, each a list of actions."""

    @property
    def difficulty(self) -> str:
        """'muse 3.5'."""
        return f"{self.measure} {self.value if isinstance(self.value, str) else number(self.value)}"

    def picture(self) -> str | None:
        """Draw the puzzle as SVG; None if the domain draws none."""
        return render_unsolved(self.puzzle, "svg")

    def text(self) -> str:
        return render_unsolved(self.puzzle, "text") or self.state

    def solved_picture(self) -> str | None:
        """Draw the puzzle with a solution as SVG; None if the domain draws none."""
        return render_solved(self.puzzle, "svg", self._recorded)

    def solution_text(self) -> str:
        """Describe a solution: a recorded one if there is any, else the domain's."""
        if self.solutions:
            return ", ".join(map(str, self.solutions[0]))
        return render_solved(self.puzzle, "text") or "No solution is recorded."

    @property
    def _recorded(self) -> Sequence[str]:
        return self.solutions[0] if self.solutions else ()


@attrs.frozen
class BookletChapter:
    """A chapter of a booklet."""

    number: int
    name: str
    title: str
    description: str
    difficulty: str
    """The range of each measure: 'muse from 1 to 4.5'."""
    puzzles: Sequence[Puzzle]


@attrs.frozen
class Booklet:
    """A curriculum as it is printed."""

    name: str
    title: str
    description: str
    sha256: str
    chapters: Sequence[BookletChapter]

    def puzzles(self) -> Iterator[Puzzle]:
        """Yield all of them, in order."""
        for chapter in self.chapters:
            yield from chapter.puzzles

    def solutions_explained(self) -> list[str]:
        """Return how to read the drawn solutions, a paragraph for each domain that says it."""
        found = (renderer_of(puzzle.puzzle, "svg") for puzzle in self.puzzles())
        return list(
            dict.fromkeys(info.solutions_explained for info in found if info and info.solutions_explained)
        )


def read_booklet(reader: Reader, curriculum_id: int) -> Booklet:
    """Read the booklet of a recorded curriculum."""
    curriculum = curricula.read(reader.connection, curriculum_id, rejected=False)
    chapters: list[BookletChapter] = []
    before, solutions = 0, Solutions(reader)
    for i, chapter in enumerate(curriculum.chapters, 1):
        rows = [(part, row) for part in chapter.parts for row in part.selections]
        puzzles = [
            Puzzle(
                before + position, position, part.name, row.puzzle.puzzle, row.puzzle.state, part.measure,
                row.value, json.loads(row.measures), row.rule, row.reason,
                solutions.of(row.puzzle.space, row.puzzle.rank),
            )
            for position, (part, row) in enumerate(rows, 1)
        ]  # fmt: skip
        before += len(puzzles)
        chapters.append(
            BookletChapter(i, chapter.name, chapter.title, chapter.description, _range(puzzles), puzzles)
        )
    return Booklet(
        curriculum.name, curriculum.title, curriculum.plan["description"], curriculum.sha256, chapters
    )


def _range(puzzles: Sequence[Puzzle]) -> str:
    texts = []
    for measure in dict.fromkeys(puzzle.measure for puzzle in puzzles):
        values = [puzzle.value for puzzle in puzzles if puzzle.measure == measure]
        low, high = number(min(values)), number(max(values))
        texts.append(f"{measure} {low}" if low == high else f"{measure} from {low} to {high}")
    return ", ".join(texts)
