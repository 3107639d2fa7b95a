"""A solution for print: a row of arrows for every few moves, in the colours of the snakes.

All these pictures are equally wide, so that arrows in a booklet have one size. A small picture of the level
stands on top unless the moves are many.
"""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.plugin import number, svg
from epcg_snakebird.rendering import levels, picture
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.moves import Move, as_text, start

WIDTH = 480
A_ROW = 12
_LABEL, _STEP, _LINE = 34, 37, 40
_TOP, _MOST_ROWS_BELOW = 120, 4
_TURN = {"U": 0, "R": 90, "D": 180, "L": 270}


def arrows_svg(level: Level, moves: Sequence[Move]) -> str:
    """Draw a level and the moves of its solution as an SVG document."""
    rows = max(1, -(-len(moves) // A_ROW))
    top = _TOP + 8 if rows <= _MOST_ROWS_BELOW else 0
    parts = [f'<rect width="{WIDTH}" height="{top + rows * _LINE}" fill="#fff"/>']
    if top:
        parts.append(_small(level))
    for i, move in enumerate(moves):
        row, column = divmod(i, A_ROW)
        y = top + row * _LINE
        if column == 0:
            parts.append(svg.text(_LABEL - 8, y + 25, 14, str(i + 1), anchor="end", colour="#6b6560"))
        parts.append(_arrow(move, _LABEL + column * _STEP, y + 2, len(level.snakes) > 1))
    title = f"{levels.title(level)}; solved by {as_text(moves)}"
    return svg.document(WIDTH, top + rows * _LINE, title, parts)


def _small(level: Level) -> str:
    """Draw the level in the middle of the picture, as large as fits into its top."""
    width, height = level.width * picture.CELL, level.height * picture.CELL
    scale = min(WIDTH / width, _TOP / height)
    drawn = "\n".join(levels.position_parts(start(level)))
    left = (WIDTH - width * scale) / 2
    return f'<g transform="translate({number(left)} 0) scale({scale:.3f})">{drawn}</g>'


def _arrow(move: Move, left: float, top: float, numbered: bool) -> str:
    """Draw a move: an arrow on a tile of the snake's colour, and its number if there are several snakes."""
    plumage = picture.PLUMAGES[(move.snake + 1) % len(picture.PLUMAGES)]
    place = "translate(12.5 17) scale(.85)" if numbered else "translate(17 17)"
    digit = picture.words(28, 23, 16, str(move.snake + 1)) if numbered else ""
    return (
        f'<g class="move" transform="translate({number(left)} {number(top)})">'
        f'<rect width="34" height="34" rx="6" fill="{plumage.body}" stroke="{plumage.shade}" '
        f'stroke-width="1.6"/><g transform="{place} rotate({_TURN[move.direction]})">'
        f'<path d="M0-12l9 11h-5.5v12h-7v-12h-5.5z" fill="{svg.INK}"/></g>{digit}</g>'
    )
