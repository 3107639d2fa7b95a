"""Renderers: levels as SVG, at rest, with their solution as arrows or solved move by move, and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from contextlib import suppress
from typing import Any

from epcg_core.plugin import WHOLE
from epcg_snakebird.formats.drawing import format_level
from epcg_snakebird.rendering.animation import solution_svg
from epcg_snakebird.rendering.arrows import arrows_svg
from epcg_snakebird.rendering.levels import level_svg
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel, model_of
from epcg_snakebird.rules.moves import Move, as_text, start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import Rules

SOLUTION_EXPANSIONS = 100_000
"""The expansions that a renderer may take to find a solution."""
_LINE = 78


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False, animate=False)`, which draws a level as SVG.

    With `solution` its moves follow as arrows, if it has a solution; with `animate` the picture plays them.
    `solution` may be recorded moves, which are not searched for.
    """
    model = model_of(generator)

    def render(state: Level, *, solution: bool | Sequence[str] = False, animate: bool = False) -> str:
        if solution or animate:
            moves = _recorded(model, state, solution)
            if moves is None:
                found = shortest_solution(start(state), SOLUTION_EXPANSIONS, model.rules)
                moves = None if found.length is None else found.actions
            if moves is not None:
                return solution_svg(state, moves, model.rules) if animate else arrows_svg(state, moves)
        return level_svg(state)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which writes a level in the human format.

    With `solution` its shortest solution follows, or a line that says that there is none. `solution` may be
    recorded moves, which are not searched for.
    """
    model = model_of(generator)

    def render(state: Level, *, solution: bool | Sequence[str] = False) -> str:
        text = format_level(state)
        if not solution:
            return text
        moves = _recorded(model, state, solution)
        return f"{text}\n{solution_in_words(state, model.rules) if moves is None else _in_words(moves)}\n"

    return render


def solution_in_words(level: Level, rules: Rules) -> str:
    """Write '13 moves: 1R 1U ...', or what is known if no solution was found."""
    found = shortest_solution(start(level), SOLUTION_EXPANSIONS, rules)
    if found.length is not None:
        return _in_words(found.actions)
    if found.exhausted:
        count = "1 position" if found.expansions == 1 else f"{found.expansions:,} positions"
        return f"{WHOLE.proven('No solution', count)}."
    return f"Unknown: no solution within {SOLUTION_EXPANSIONS:,} expansions."


def _in_words(moves: Sequence[Move]) -> str:
    count = "1 move" if len(moves) == 1 else f"{len(moves)} moves"
    return textwrap.fill(f"{count}: {as_text(moves)}", _LINE)


def _recorded(model: SnakebirdModel, level: Level, solution: bool | Sequence[str]) -> Sequence[Move] | None:
    """Read recorded moves; None if none are given, or if they do not solve the level."""
    if isinstance(solution, bool):
        return None
    with suppress(ValueError):
        moves = [Move.parse(text) for text in solution]
        position = start(level)
        for move in moves:
            position = model.apply(position, move)
        if model.is_goal(position):
            return moves
    return None
