"""Levels as SVG, with the pictures of the game."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.plugin import svg
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rendering.sprites import layers_of
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.turn import Cells

CELL = 30
"""The side of a cell, in units of the picture."""
_LINE = 20
_ARROWS = {"up": "↑", "left": "←", "down": "↓", "right": "→", "action": "✕", "tick": "◷", "restart": "↺"}


def level_svg(level: Level, inputs: Sequence[str] | None = None) -> str:
    """Draw a level, and below it the inputs of a solution if they are given."""
    width, height = level.width * CELL, level.height * CELL
    parts = board_parts(level.game, level.width, level.height, level.cells)
    if inputs is not None:
        a_line = max(1, width // 16)
        lines = [inputs[at : at + a_line] for at in range(0, len(inputs), a_line)]
        for number, line in enumerate(lines):
            arrows = "".join(_ARROWS[given] for given in line)
            parts.append(
                f'<text x="4" y="{height + _LINE * number + 15}" font-family="sans-serif" font-size="15" '
                f'fill="#1d1d1f">{arrows}</text>'
            )
        height += _LINE * len(lines) + 4
    return svg.document(width, height, level.game.title or "PuzzleScript", parts)


def board_parts(game: Game, width: int, height: int, cells: Cells) -> list[str]:
    """Return the SVG elements of a board; each object is defined once."""
    lying = 0
    for cell in cells:
        lying |= cell
    parts = ["<defs>"]
    for thing in game.objects:
        if lying >> thing.number & 1:
            paths = "".join(f'<path d="{data}" fill="{colour}"/>' for colour, data in layers_of(thing))
            parts.append(f'<g id="o{thing.number}">{paths}</g>')
    parts += ["</defs>", f'<g transform="scale({CELL}) translate(.5 .5)" shape-rendering="crispEdges">']
    for y in range(height):
        for x in range(width):
            cell = cells[x * height + y]
            parts += [
                f'<use href="#o{thing.number}" x="{x}" y="{y}"/>'
                for thing in game.objects if cell >> thing.number & 1
            ]  # fmt: skip
    return [*parts, "</g>"]
