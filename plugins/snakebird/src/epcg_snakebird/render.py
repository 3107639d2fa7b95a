"""Renderers: levels and positions of play as SVG, and levels as text (see `epcg_snakebird.picture`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from epcg_snakebird import picture
from epcg_snakebird.level import Cells, Level
from epcg_snakebird.level_text import OBJECT_MARKS, format_level
from epcg_snakebird.rules import Position, as_text, start
from epcg_snakebird.solving import shortest_solution

SOLUTION_EXPANSIONS = 100_000
"""How long a renderer looks for a solution."""


def svg_renderer(generator: Any) -> Callable[..., str]:
    """A function `render(state, *, solution=True)` that draws a level as SVG.

    With `solution` the picture moves: it plays the shortest solution, where one is found.
    """

    def render(state: Level, *, solution: bool = True) -> str:
        if solution:
            found = shortest_solution(start(state), SOLUTION_EXPANSIONS)
            if found.length is not None:
                from epcg_snakebird.animation import solution_svg

                return solution_svg(state, found.actions)
        return level_svg(state)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """A function `render(state, *, solution=True)` that writes a level in the human format.

    With `solution` its shortest solution follows, or a line that says that there is none.
    """

    def render(state: Level, *, solution: bool = True) -> str:
        text = format_level(state)
        return f"{text}\n{solution_in_words(state)}\n" if solution else text

    return render


def solution_in_words(level: Level) -> str:
    """'13 moves: 0R0U...', or that there is no solution."""
    found = shortest_solution(start(level), SOLUTION_EXPANSIONS)
    if found.length is not None:
        return f"{found.length} moves: {as_text(found.actions)}"
    return "No solution." if found.exhausted else f"No solution within {SOLUTION_EXPANSIONS:,} expansions."


def level_svg(level: Level) -> str:
    """A level as an SVG document."""
    return position_svg(start(level))


def position_svg(position: Position) -> str:
    """A position of play as an SVG document."""
    level = position.level
    parts = [*picture.scene(level), *fixtures(level, position.fruit), *entities(position)]
    return framed(level, title(level), parts)


def title(level: Level) -> str:
    """'Snakebird level gap: 2 snakes, 1 object, 3 fruit'."""
    counts = [
        f"{len(things)} {name}{'s' * (name != 'fruit' and len(things) != 1)}"
        for name, things in (("snake", level.snakes), ("object", level.objects), ("fruit", level.fruit))
        if things
    ]
    return f"Snakebird level {level.name}".rstrip() + ": " + ", ".join(counts)


def framed(level: Level, title: str, parts: Iterable[str]) -> str:
    """The document of pictures that are as large as the level."""
    return picture.document(level.width * picture.CELL, level.height * picture.CELL, title, parts)


def fixtures(level: Level, fruit: Cells) -> list[str]:
    """The portals, the exit and the fruit that is left."""
    return [
        *(picture.portal(cell, level.width) for cell in level.portals),
        picture.way_out(level.exit, level.width, not fruit),
        *(picture.fruit(cell, level.width, level.fruit.index(cell)) for cell in fruit),
    ]


def entities(position: Position) -> list[str]:
    """The objects and the snakes that are still there."""
    level = position.level
    placed = [(i, position.object_cells(i)) for i in range(len(level.objects))]
    return [
        *(object_at(cells, level.width, i) for i, cells in placed if cells),
        *(picture.snake(cells, level.width, i + 1) for i, cells in enumerate(position.snakes) if cells),
    ]


def object_at(cells: Cells, width: int, index: int) -> str:
    """An object with its letter and its colours."""
    return picture.wood(
        cells, width, OBJECT_MARKS[index % len(OBJECT_MARKS)], picture.WOODS[index % len(picture.WOODS)]
    )
