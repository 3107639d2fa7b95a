"""How these puzzles are solved, for booklets: the rules of the genres that occur, in words."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from epcg_core.plugin import Instruction
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.rendering.picture import puzzle_svg
from epcg_deduction.rules import rules_of


def how_to_play(states: Sequence[Any]) -> list[Instruction]:
    """Explain the genres to those who solve these puzzles, each with a puzzle of it."""
    found: dict[Genre, Puzzle] = {}
    for state in states:
        if isinstance(state, Puzzle):
            found.setdefault(state.genre, state)
    return [
        Instruction(f"{genre.title}. {rules_in_words(genre)}", puzzle_svg(puzzle))
        for genre, puzzle in found.items()
    ]


def rules_in_words(genre: Genre) -> str:
    """Return the rules of a genre for people: those that its text tells, or a sentence for each rule."""
    if genre.about:
        return " ".join(genre.about.split())
    return " ".join(dict.fromkeys(rule.sentence() for rule in rules_of(genre)))
