"""The editor of levels: tiles, fruit, the exit, portals, objects and snakes on a grid of any size.

The row of spikes below every level is not shown. Emptying a cell makes it sky.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import takewhile
from typing import Any

import attrs

from epcg_core.plugin import ERASE, Gesture, Mark, Path, Point, Scene, square_cells
from epcg_snakebird.formats.drawing import OBJECT_MARKS, format_level, parse_level
from epcg_snakebird.formats.shipped import shipped_levels
from epcg_snakebird.rendering.picture import PLUMAGES, WOODS
from epcg_snakebird.rules.level import (
    GROUND,
    MOST_OBJECTS,
    MOST_SNAKES,
    SKY,
    SPIKES,
    TILE_NAMES,
    Cells,
    Level,
    LevelError,
    size_problem,
)
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import STEPS, Move, Position, start
from epcg_snakebird.rules.variants import GAME

FRUIT, EXIT, PORTAL, OBJECT, SNAKE = "fruit", "exit", "portal", "object-", "snake-"
_KEYS = {"U": "ArrowUp", "R": "ArrowRight", "D": "ArrowDown", "L": "ArrowLeft"}
_WORDS = {"U": "up", "R": "right", "D": "down", "L": "left"}
_ROUND = "M-.28 0a.28 .28 0 1 0 .56 0a.28 .28 0 1 0 -.56 0z"
_FIXED = (
    Mark(name="ground", colour="#b98357", fills=True, key="#", group="tiles"),
    Mark(name="spikes", colour="#5a5560", key="*", group="tiles",
         outline="M-.5 .5L-.33 -.1L-.17 .5L0 -.1L.17 .5L.33 -.1L.5 .5z"),
    Mark(name=FRUIT, colour="#e2574c", key="F", group="things",
         outline="M0 -.2c.2 -.15 .4 0 .4 .2s-.2 .4 -.4 .35c-.2 .05 -.4 -.15 -.4 -.35s.2 -.35 .4 -.2z"),
    Mark(name=EXIT, colour="#f0663f", key="E", group="things",
         outline="M0 -.45L.12 -.12L.45 0L.12 .12L0 .45L-.12 .12L-.45 0L-.12 -.12z"),
    Mark(name=PORTAL, colour="#7b4fb0", key="O", group="things", stroke=True,
         outline="M-.42 0a.42 .42 0 1 0 .84 0a.42 .42 0 1 0 -.84 0zM-.26 0a.26 .26 0 1 1 .52 0a.26 .26 0 1 1 "
                 "-.52 0z"),
)  # fmt: skip


def new_level(columns: int, rows: int) -> str:
    """Return a level with a floor, a snake at its left and the exit at its right."""
    if columns < 3 or rows < 2:
        raise LevelError("A new level needs 3 columns and 2 rows or more, for a snake, an exit and a floor.")
    _check_size(columns, rows)
    width, row = columns, columns * (rows - 2)
    tiles = [*[SKY] * (width * (rows - 1)), *[GROUND] * width, *[SPIKES] * width]
    return format_level(Level(width, rows + 1, tiles, ((row + 1, row),), row + width - 1))


def _check_size(columns: int, rows: int) -> None:
    """Raise LevelError if no level has this many columns, and rows above its spikes."""
    if problem := size_problem(columns, rows + 1):
        raise LevelError(f"With the row of spikes below, {problem}.")


def examples() -> dict[str, str]:
    """Return the shipped levels by their titles."""
    texts = (path.read_text("utf-8") for path in shipped_levels())
    return {parse_level(text).name: text for text in texts}


class LevelEditor:
    """Levels of one size.

    An action is a touch of a snake's head, then of the cell to which it goes; keys move the first snake. The
    rules are those of the game.
    """

    def __init__(self, text: str) -> None:
        self.transition_model = SnakebirdModel(GAME)
        self.content = _read(text)
        self.palette = (*_FIXED, *_object_marks(self.content), *_snake_marks(self.content))
        self._sites = square_cells(self.content.width, self.content.height - 1)
        self._ids = tuple(site.id for site in self._sites)
        self._cells = {name: number for number, name in enumerate(self._ids)}

    def parse(self, text: str) -> Level:
        level, own = _read(text), self.content
        if (level.width, level.height) != (own.width, own.height):
            raise LevelError(
                f"The level has {level.width} columns and {level.height - 1} rows, not {own.width} and "
                f"{own.height - 1}: open it by itself."
            )
        return level

    def format(self, state: Level) -> str:
        return format_level(state)

    def scene(self, state: Level) -> Scene:
        return self.position_scene(state, start(state))

    def put(self, state: Level, site: str, mark: str) -> Level:
        level, at = state, self._cells[site]
        if mark == ERASE:
            return _cleared(level, at)
        if mark in TILE_NAMES[GROUND:]:
            return _cleared(level, at).with_tile(at, TILE_NAMES.index(mark))
        if mark == FRUIT:
            return level if at in level.fruit else _placed(level, at, fruit=(*level.fruit, at))
        if mark == EXIT:
            return level if at == level.exit else _placed(level, at, exit=at)
        if mark == PORTAL:
            return level if at in level.portals else _with_portal(level, at)
        if mark.startswith(OBJECT):
            return _with_object(level, at, OBJECT_MARKS.index(mark.removeprefix(OBJECT)))
        return _longer(level, at, int(mark.removeprefix(SNAKE)) - 1)

    def keeps(self, before: Level, after: Level) -> bool:
        """Return whether a changed level has as many snakes (`Keeping`)."""
        return len(before.snakes) == len(after.snakes)

    def images(self, state: Level) -> Sequence[Level]:
        return (state.mirrored(),)

    def stroke(self, state: Level, sites: Sequence[str], mark: str) -> Level:
        cells = tuple(dict.fromkeys(self._cells[site] for site in sites))
        if len(cells) < 2:
            return self.put(state, sites[0], mark)
        level = state
        if mark == PORTAL:
            return _placed(level, *{cells[0], cells[-1]} - {*level.portals}, portals=(cells[0], cells[-1]))
        number = int(mark.removeprefix(SNAKE)) - 1
        others = (*level.snakes[:number], *level.snakes[number + 1 :])
        _refuse_others(level, cells, others)
        old = level.snakes[number] if number < len(level.snakes) else ()
        return _placed(level, *set(cells) - set(old), snakes=(*others, cells))

    def resized(self, state: Level, columns: int, rows: int) -> str:
        def moved(cells: Cells) -> Cells:
            places = map(state.place, cells)
            return tuple(y * columns + x for x, y in places if x < columns and y < rows)

        def within(one: int) -> bool:
            return bool(moved((one,)))

        if min(columns, rows) < 1 or not within(state.exit):
            raise LevelError(f"The exit is not within {columns} columns and {rows} rows: put it elsewhere.")
        _check_size(columns, rows)
        snakes = [moved(tuple(takewhile(within, cells))) for cells in state.snakes]
        portals = moved(state.portals)
        tiles = [SKY] * (columns * rows) + [SPIKES] * columns
        for one in filter(within, range(state.cells - state.width)):
            tiles[moved((one,))[0]] = state.tiles[one]
        return format_level(
            Level(
                width=columns,
                height=rows + 1,
                tiles=tiles,
                snakes=[cells for cells in snakes if len(cells) > 1],
                exit=moved((state.exit,))[0],
                objects=[cells for cells in map(moved, state.objects) if cells],
                fruit=moved(state.fruit),
                portals=portals if len(portals) == 2 else (),
                name=state.name,
            )
        )

    def position_scene(self, content: Level, position: Position) -> Scene:
        level, ids = position.level, self._ids
        tiles = level.tiles[: len(ids)]
        marks = {ids[at]: (TILE_NAMES[tile],) for at, tile in enumerate(tiles) if tile != SKY}
        marks |= {ids[at]: (FRUIT,) for at in position.fruit}
        for name, cells in self._lying(position):
            for at in cells:
                marks[ids[at]] = (*marks.get(ids[at], ()), name)
        paths = [
            Path(
                tuple(map(self._middle, cells)),
                PLUMAGES[index % len(PLUMAGES)].body,
                0.6,
                head=True,
                title=f"snake {index + 1}",
            )
            for index, cells in enumerate(position.snakes)
            if cells
        ]
        return Scene(self._sites, marks, tuple(paths))

    def gesture(self, content: Level, position: Position, action: Move) -> Gesture:
        head = position.snakes[action.snake][0]
        to = position.level.neighbour(head, *STEPS[action.direction])
        first = next(index for index, cells in enumerate(position.snakes) if cells)
        keys = (_KEYS[action.direction],) if action.snake == first else ()
        words = f"snake {action.snake + 1} goes {_WORDS[action.direction]}"
        return Gesture((self._ids[head], self._ids[to]), keys, words)

    def _lying(self, position: Position) -> list[tuple[str, Cells]]:
        """Return what lies on tiles: each mark with its cells, the lowest first."""
        level = position.level
        objects = [
            (f"{OBJECT}{OBJECT_MARKS[i]}", position.object_cells(i)) for i in range(len(level.objects))
        ]
        snakes = [(f"{SNAKE}{i + 1}", cells) for i, cells in enumerate(position.snakes)]
        return [(PORTAL, level.portals), (EXIT, (level.exit,)), *objects, *snakes]

    def _middle(self, at: int) -> Point:
        return at % self.content.width + 0.5, at // self.content.width + 0.5


def _read(text: str) -> Level:
    """Read a level; one without a name in the text has none."""
    level = parse_level(text)
    return attrs.evolve(level, name="") if level.name == "level" else level


def _object_marks(level: Level) -> list[Mark]:
    """Return a mark for each object of a level, and for a new one if there may be more."""
    letters = OBJECT_MARKS[: min(len(level.objects) + 1, MOST_OBJECTS)]
    return [
        Mark(
            name=f"{OBJECT}{letter}",
            title=f"object {letter}",
            colour=WOODS[index % len(WOODS)].face,
            glyph=letter,
            fills=True,
            key=letter,
            group="objects",
        )
        for index, letter in enumerate(letters)
    ]


def _snake_marks(level: Level) -> list[Mark]:
    """Return a mark for each snake of a level, and for a new one if there may be more."""
    return [
        Mark(
            name=f"{SNAKE}{number}",
            title=f"snake {number}",
            colour=PLUMAGES[(number - 1) % len(PLUMAGES)].body,
            outline=_ROUND,
            key=str(number),
            group="snakes, head first",
            stroke=True,
        )
        for number in range(1, min(len(level.snakes) + 1, MOST_SNAKES) + 1)
    ]


def _cleared(level: Level, at: int) -> Level:
    """Return a level after a cell became sky. Raises LevelError if what lies there must stay."""
    if level.tiles[at] != SKY:
        return level.with_tile(at, SKY)
    if at in level.fruit:
        return attrs.evolve(level, fruit=[other for other in level.fruit if other != at])
    if at == level.exit:
        raise _refused(level, at, "this is the exit, and every level has one: put it elsewhere first")
    if at in level.portals:
        return attrs.evolve(level, portals=())
    for index, cells in enumerate(level.objects):
        if at in cells:
            rest = [tuple(other for other in cells if other != at)] if len(cells) > 1 else []
            return attrs.evolve(level, objects=(*level.objects[:index], *rest, *level.objects[index + 1 :]))
    for index, snake in enumerate(level.snakes):
        if at in snake:
            if at not in (snake[0], snake[-1]):
                raise _refused(level, at, f"snake {index + 1} would be torn: begin at its tail or head")
            if len(snake) == 2 and len(level.snakes) == 1:
                raise _refused(level, at, "this is the last of the only snake: draw another one first")
            body = [snake[1:] if at == snake[0] else snake[:-1]] if len(snake) > 2 else []
            return attrs.evolve(level, snakes=(*level.snakes[:index], *body, *level.snakes[index + 1 :]))
    return level


def _placed(level: Level, *cells: int, **changes: Any) -> Level:
    """Return a level with changes, for which some cells are cleared."""
    for at in cells:
        level = _cleared(level, at)
    return attrs.evolve(level, **changes)


def _with_portal(level: Level, at: int) -> Level:
    """Move the portal that is nearer to a cell there."""
    if not level.portals:
        raise _refused(level, at, "portals come in pairs: draw a line from one to the other")
    x, y = level.place(at)
    distance = [abs(x - u) + abs(y - v) for u, v in map(level.place, level.portals)]
    return _placed(level, at, portals=(level.portals[distance[0] <= distance[1]], at))


def _with_object(level: Level, at: int, number: int) -> Level:
    """Add a cell to an object, or make a new one of it."""
    objects = list(level.objects)
    if number > len(objects):
        raise _refused(level, at, f"the next object is object {OBJECT_MARKS[len(objects)]}")
    if number < len(objects) and at in objects[number]:
        return level
    if (at,) in objects[:number]:
        raise _refused(level, at, "the object here has no other cell: empty it first")
    cleared = _cleared(level, at)
    objects = list(cleared.objects)
    objects[number : number + 1] = [(*(objects[number] if number < len(objects) else ()), at)]
    return attrs.evolve(cleared, objects=objects)


def _longer(level: Level, at: int, number: int) -> Level:
    """Make a snake longer by a cell beside its tail."""
    if number >= len(level.snakes):
        raise _refused(level, at, "a snake has two cells or more: draw it from its head to its tail")
    snake = level.snakes[number]
    if at in snake:
        return level
    (x, y), (u, v) = level.place(at), level.place(snake[-1])
    if abs(x - u) + abs(y - v) != 1:
        raise _refused(level, at, f"this is not beside the tail of snake {number + 1}: draw it again")
    _refuse_others(level, (at,), level.snakes)
    return _placed(level, at, snakes=(*level.snakes[:number], (*snake, at), *level.snakes[number + 1 :]))


def _refuse_others(level: Level, cells: Cells, snakes: Sequence[Cells]) -> None:
    """Raise LevelError if one of some snakes lies in one of the cells."""
    for at in cells:
        if any(at in snake for snake in snakes):
            raise _refused(level, at, "another snake lies here")


def _refused(level: Level, at: int, problem: str) -> LevelError:
    x, y = level.place(at)
    return LevelError(f"Column {x + 1}, row {y + 1}: {problem}.")
