"""Levels and positions of play as SVG (see `epcg_snakebird.rendering.picture` for what they are made of)."""

from __future__ import annotations

from collections.abc import Iterable

from epcg_core.plugin import svg
from epcg_snakebird.formats.drawing import OBJECT_MARKS
from epcg_snakebird.rendering import picture
from epcg_snakebird.rules.level import Cells, Level
from epcg_snakebird.rules.moves import Position, start


def level_svg(level: Level) -> str:
    """Draw a level as an SVG document."""
    return position_svg(start(level))


def position_svg(position: Position) -> str:
    """Draw a position of play as an SVG document."""
    return framed(position.level, title(position.level), position_parts(position))


def position_parts(position: Position) -> list[str]:
    """Draw a position of play as elements of a picture as large as the level."""
    level = position.level
    return [*picture.scene(level), *fixtures(level, position.fruit), *entities(position)]


def title(level: Level) -> str:
    """Write a title such as 'Snakebird level gap: 2 snakes, 1 object, 3 fruit'."""
    counts = [
        f"{len(things)} {name}{'s' * (name != 'fruit' and len(things) != 1)}"
        for name, things in (("snake", level.snakes), ("object", level.objects), ("fruit", level.fruit))
        if things
    ]
    return f"Snakebird level {level.name}".rstrip() + ": " + ", ".join(counts)


def framed(level: Level, title: str, parts: Iterable[str]) -> str:
    """Return the document of pictures that are as large as the level."""
    return svg.document(level.width * picture.CELL, level.height * picture.CELL, title, parts)


def fixtures(level: Level, fruit: Cells) -> list[str]:
    """Draw the portals, the exit and the fruit that is left."""
    return [
        *(picture.portal(cell, level.width) for cell in level.portals),
        picture.way_out(level.exit, level.width, not fruit),
        *(picture.fruit(cell, level.width, level.fruit.index(cell)) for cell in fruit),
    ]


def entities(position: Position) -> list[str]:
    """Draw the objects and the snakes that are still there."""
    level = position.level
    placed = [(i, position.object_cells(i)) for i in range(len(level.objects))]
    return [
        *(object_at(cells, level.width, i) for i, cells in placed if cells),
        *(picture.snake(cells, level.width, i + 1) for i, cells in enumerate(position.snakes) if cells),
    ]


def object_at(cells: Cells, width: int, index: int) -> str:
    """Draw an object with its letter and its colours."""
    return picture.wood(
        cells, width, OBJECT_MARKS[index % len(OBJECT_MARKS)], picture.WOODS[index % len(picture.WOODS)]
    )
