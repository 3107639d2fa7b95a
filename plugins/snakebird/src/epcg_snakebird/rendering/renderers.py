"""Renderers: levels as SVG, at rest or solved move by move, and as text."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from epcg_snakebird.formats.drawing import format_level
from epcg_snakebird.rendering.animation import solution_svg
from epcg_snakebird.rendering.levels import level_svg
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.moves import as_text, start
from epcg_snakebird.rules.solving import shortest_solution

SOLUTION_EXPANSIONS = 100_000
"""The expansions that a renderer may take to find a solution."""


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=True)`, which draws a level as SVG.

    With `solution` the picture moves: it plays the shortest solution, if one is found.
    """

    def render(state: Level, *, solution: bool = True) -> str:
        if solution:
            found = shortest_solution(start(state), SOLUTION_EXPANSIONS)
            if found.length is not None:
                return solution_svg(state, found.actions)
        return level_svg(state)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=True)`, which writes a level in the human format.

    With `solution` its shortest solution follows, or a line that says that there is none.
    """

    def render(state: Level, *, solution: bool = True) -> str:
        text = format_level(state)
        return f"{text}\n{solution_in_words(state)}\n" if solution else text

    return render


def solution_in_words(level: Level) -> str:
    """Write '13 moves: 0R0U...', or that there is no solution."""
    found = shortest_solution(start(level), SOLUTION_EXPANSIONS)
    if found.length is not None:
        return f"{found.length} moves: {as_text(found.actions)}"
    return "No solution." if found.exhausted else f"No solution within {SOLUTION_EXPANSIONS:,} expansions."
