"""The screen of a game in a terminal: two characters a cell, in 256 colours or none."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise

import attrs

from epcg_snakebird.formats.drawing import OBJECT_MARKS, arrow
from epcg_snakebird.play.game import Game
from epcg_snakebird.rules.level import GROUND, SKY, SPIKES
from epcg_snakebird.rules.moves import Position

KEYS = ("arrows move, Tab or 1-9 choose a snake", "u undo, r restart, h hint, q quit")
_SKY = 153
_TILES: Mapping[int, tuple[str, str, int, int]] = {
    SKY: (". ", "  ", 0, _SKY),
    GROUND: ("##", "  ", 94, 137),
    SPIKES: ("**", "/\\", 238, _SKY),
}
"""(characters without colours, characters with them, foreground, background)."""
_SNAKES = (203, 75, 113, 220, 141, 211)
_WOODS = (180, 187, 174, 144, 146)
_OPEN, _SHUT, _FRUIT, _PORTAL, _BLACK, _WHITE = 202, 245, 160, 91, 16, 231


@attrs.frozen
class Sign:
    """The characters and colours of a cell."""

    marks: str
    ink: int
    paper: int
    bold: bool = False


def screen(game: Game, colours: bool = True) -> list[str]:
    """Return the lines of the picture: the level, the message, and the keys."""
    position, level = game.position, game.level
    signs = _signs(position, game.selected, colours)
    rows = []
    for y in range(level.height):
        cells = signs[y * level.width : (y + 1) * level.width]
        rows.append("".join(_painted(sign) if colours else sign.marks for sign in cells))
    fruit = f", {len(position.fruit)} fruit left" if position.fruit else ""
    snake = f", snake {game.selected + 1} moves" if len(level.snakes) > 1 and not position.solved else ""
    status = f"{game.moves} move{'s' * (game.moves != 1)}{fruit}{snake}"
    return [level.name, "", *rows, "", status, game.message, *KEYS]


def _signs(position: Position, selected: int, colours: bool) -> list[Sign]:
    level = position.level
    signs = []
    for cell, tile in enumerate(level.tiles):
        plain, coloured, ink, paper = _TILES[tile]
        grass = tile == GROUND and (cell < level.width or level.tiles[cell - level.width] != GROUND)
        marks = coloured if colours else plain
        signs.append(Sign("''", 22, 107) if colours and grass else Sign(marks, ink, paper))
    for cell in level.portals:
        signs[cell] = Sign("()" if colours else "O ", _PORTAL, _SKY, bold=True)
    for cell in position.fruit:
        signs[cell] = Sign("@'" if colours else "F ", _FRUIT, _SKY, bold=True)
    signs[level.exit] = Sign(
        "E " if not position.fruit else "e ", _SHUT if position.fruit else _OPEN, _SKY, True
    )
    for index in range(len(level.objects)):
        for cell in position.object_cells(index):
            letter = OBJECT_MARKS[index % len(OBJECT_MARKS)]
            signs[cell] = Sign(letter * 2, _BLACK, _WOODS[index % len(_WOODS)])
    for index, cells in enumerate(position.snakes):
        paper = _SNAKES[index % len(_SNAKES)]
        for before, cell in pairwise(cells):
            signs[cell] = Sign(arrow(level, cell, before) + " ", _WHITE, paper)
        if cells:
            beak = "!" if index == selected and len(position.snakes) > 1 else " "
            signs[cells[0]] = Sign(f"{index + 1}{beak}", _BLACK, paper, bold=True)
    return signs


def _painted(sign: Sign) -> str:
    bold = "1;" if sign.bold else ""
    return f"\x1b[{bold}38;5;{sign.ink};48;5;{sign.paper}m{sign.marks}\x1b[0m"
