"""Renderers: levels as text, and as SVG, with a way through them if it is asked for."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import Any

from epcg_core.plugin import svg
from epcg_segments.editor import COLOURS, PLAYER
from epcg_segments.passing import Passing
from epcg_segments.rules import AIR, ENEMY, GROUND, ROWS, Level, Platformer, Position, format_level

CELL = 16
"""Pixels of a cell."""
SKY = "#eef3f7"
MARK = "o"
"""The player in a text."""


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which writes the rows, and where the player comes through."""

    def render(state: Level, *, solution: bool | Sequence[str] = False) -> str:
        if not solution:
            return format_level(state) + "\n"
        way = _way(state, solution)
        rows = [list(row) for row in state]
        for position in way:
            rows[ROWS - 1 - position.height][position.column] = MARK
        return "\n".join("".join(row) for row in rows) + f"\n{_words(way)}\n"

    return render


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which draws the level, and a point for each tick of a way."""

    def render(state: Level, *, solution: bool | Sequence[str] = False) -> str:
        width, height = len(state[0]) * CELL, ROWS * CELL
        parts = [f'<rect width="{width}" height="{height}" fill="{SKY}"/>']
        for row, signs in enumerate(state):
            for column, sign in enumerate(signs):
                if sign != AIR:
                    parts.append(_cell(sign, column * CELL, row * CELL))
        for position in _way(state, solution) if solution else ():
            x, y = (position.column + 0.5) * CELL, (ROWS - 0.5 - position.height) * CELL
            parts.append(f'<circle cx="{svg.number(x)}" cy="{svg.number(y)}" r="4" fill="{PLAYER}"/>')
        return svg.document(width, height, "a level", parts)

    return render


def _cell(sign: str, x: int, y: int) -> str:
    colour = COLOURS[sign]
    if sign == ENEMY:
        middle, right, below = x + CELL // 2, x + CELL - 2, y + CELL
        return f'<path d="M{x + 2} {below}L{middle} {y + 3}L{right} {below}Z" fill="{colour}"/>'
    height = CELL if sign == GROUND else CELL // 3
    return f'<rect x="{x}" y="{y}" width="{CELL}" height="{height}" fill="{colour}"/>'


def _way(level: Level, solution: bool | Sequence[str]) -> list[Position]:
    """Return the positions of a recorded solution, or else of a way with the fewest jumps, if any."""
    actions = Passing(level).easiest_way() if isinstance(solution, bool) else solution
    if actions is None:
        return []
    model = Platformer()
    way = [model.initial(level)]
    for action in actions:
        way.append(model.apply(way[-1], action))
    return [position for position in way if position.height >= 0]


def _words(way: Sequence[Position]) -> str:
    """Write where the player jumps: 'jump in columns 3, 9'."""
    if not way:
        return "It cannot be passed."
    jumps = [
        str(before.column + 1)
        for before, after in pairwise(way)
        if before.stands and not after.stands and after.height > before.height
    ]
    return f"jump in column{'s' * (len(jumps) > 1)} {', '.join(jumps)}" if jumps else "run"
