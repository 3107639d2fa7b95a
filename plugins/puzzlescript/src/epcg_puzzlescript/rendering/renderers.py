"""Renderers: levels as SVG with the game's pictures, and as text."""

from __future__ import annotations

import textwrap
from collections.abc import Callable, Sequence
from typing import Any

from epcg_core.plugin import PathResult, shortest_path
from epcg_puzzlescript.formats.text import drawn
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rendering.picture import level_svg
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel

SOLUTION_EXPANSIONS = 100_000
"""The expansions that a renderer may take to find a solution."""
PLAIN_EXPANSIONS = 300
"""So small a search is done in plain Python, which starts at once; the compiled one finds the same."""
_LINE = 78


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a level as SVG.

    With `solution` the inputs of a shortest solution stand below, if there is one. `solution` may be recorded
    inputs, which are not searched for.
    """
    model = _model(generator)

    def render(state: Level, *, solution: bool | Sequence[str] = False) -> str:
        return level_svg(state, inputs_of(model, state, solution) if solution else None)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws a level in glyphs and adds their legend."""
    model = _model(generator)

    def render(state: Level, *, solution: bool | Sequence[str] = False) -> str:
        rows, added = drawn(state)
        legend = [f"{glyph} = {' and '.join(names)}" for glyph, names in added.items()]
        text = "\n".join([*rows, *([""] if legend else []), *legend]) + "\n"
        if not solution:
            return text
        inputs = inputs_of(model, state, solution)
        if inputs is None:
            return f"{text}\n{_no_solution(model, state)}\n"
        count = "1 move" if len(inputs) == 1 else f"{len(inputs)} moves"
        return f"{text}\n{textwrap.fill(f'{count}: {model.solution_text(state, inputs)}', _LINE)}\n"

    return render


def inputs_of(model: PuzzleScriptModel, level: Level, solution: bool | Sequence[str]) -> Sequence[str] | None:
    """Return recorded inputs if they solve the level, else those of a shortest solution; None without one."""
    if not isinstance(solution, bool):
        position = model.initial(level)
        for given in solution:
            if model.is_goal(position) or given not in list(model.actions(position)):
                break
            position = model.apply(position, given)
        else:
            if model.is_goal(position):
                return solution
    try:
        found = _searched(model, level)
    except GameError:
        return None
    return None if found.length is None else found.actions


def _searched(model: PuzzleScriptModel, level: Level) -> PathResult:
    found = shortest_path(model, level, PLAIN_EXPANSIONS, plain=True)
    return shortest_path(model, level, SOLUTION_EXPANSIONS) if found.limit_reached else found


def _no_solution(model: PuzzleScriptModel, level: Level) -> str:
    try:
        found = _searched(model, level)
    except GameError as error:
        return f"Unknown: {error}"
    if found.exhausted:
        count = "1 position" if found.expansions == 1 else f"{found.expansions:,} positions"
        return f"{level.reading.proven('No solution', count)}."
    return f"Unknown: no solution within {SOLUTION_EXPANSIONS:,} expansions."


def _model(generator: Any) -> PuzzleScriptModel:
    model = getattr(generator, "transition_model", None)
    return model if isinstance(model, PuzzleScriptModel) else PuzzleScriptModel()
