"""The `.map` format of the published levels: a header `snake<W>x<H>` and rows of tiles.

`.` sky, `G` ground, `S` spikes, `F` fruit, `E` exit, `O` portal, `1` to `9` the cells of an object, `<>^v` a
snake's head, which faces that way, and letters its body. The last of the H rows is spikes, whatever the text
says, and what lies beyond W and H is left out with a warning.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from pathlib import PurePath

from epcg_snakebird.formats.text import Place, Source
from epcg_snakebird.rules.level import (
    GROUND,
    MOST_SNAKES,
    SKY,
    SPIKES,
    Cells,
    Level,
    LevelError,
    size_problem,
)

HEADER = re.compile(r"snake(\d+)x(\d+)", re.IGNORECASE)
OBJECT_MARKS = "123456789"
BODY_MARKS = "abcdefghijklmnopqrstuwxyz"
"""`v` is a head."""
_TILE_MARKS = ".GS"
_TILES = {"G": GROUND, "S": SPIKES}
_BEHIND = {"<": (1, 0), ">": (-1, 0), "^": (0, 1), "v": (0, -1)}
"""The direction from the head to the first body cell."""
_NEIGHBOURS = ((1, 0), (-1, 0), (0, 1), (0, -1))
"""Right, left, down, up: the order in which the next body letter is looked for."""


def parse_map(text: str | bytes, name: str = "level") -> Level:
    """Read the level of a string in the `.map` format; `name` (its file, say) begins every message.

    Warns with LevelWarning if rows or columns are left out. Raises LevelError for anything else that is
    wrong, with line and column.
    """
    source = Source(name)
    lines = source.lines(text)
    width, height = _header(lines[0].strip(), source)
    _warn_of_extras(lines[1:], width, height, source)
    grid = [line[:width].ljust(width, ".") for line in lines[1:height]]
    grid += ["." * width] * (height - 1 - len(grid))
    return _Reader("".join(grid), width, source).level(height)


def _header(line: str, source: Source) -> tuple[int, int]:
    """Return (width, height)."""
    match = HEADER.fullmatch(line)
    if match is None:
        raise source.error(
            (1, 1), f"the header snake<W>x<H> is missing, as in snake20x16; here is '{line[:30]}'"
        )
    width, height = (int(number[:6]) for number in match.groups())
    if problem := size_problem(width, height):
        raise source.error((1, 6), problem)
    return width, height


def _warn_of_extras(rows: Sequence[str], width: int, height: int, source: Source) -> None:
    extra = [number for number, row in enumerate(rows) if number >= height and row]
    wide = [number for number, row in enumerate(rows[:height]) if len(row) > width]
    if extra:
        source.warn((extra[0] + 2, 1), f"rows beyond the {height} that the header declares are ignored")
    if wide:
        source.warn((wide[0] + 2, width + 1), f"columns beyond the {width} of the header are ignored")


class _Reader:
    """Reads the rows above the last one, one mark a cell. Row y stands in line y + 2, x in column x + 1."""

    def __init__(self, marks: str, width: int, source: Source) -> None:
        self._marks = marks
        self._width = width
        self._source = source

    def level(self, height: int) -> Level:
        snakes = self._snakes()
        found: dict[str, list[int]] = {}
        for cell, mark in enumerate(self._marks):
            found.setdefault(mark, []).append(cell)
        self._check(snakes, found)
        tiles = [_TILES.get(mark, SKY) for mark in self._marks]
        return Level(
            width=self._width,
            height=height,
            tiles=(*tiles, *[SPIKES] * self._width),
            snakes=snakes,
            objects=[found[mark] for mark in OBJECT_MARKS if mark in found],
            fruit=found.get("F", ()),
            portals=found.get("O", ()),
            exit=found["E"][0],
            name=PurePath(self._source.name).stem,
        )

    def _check(self, snakes: Sequence[Cells], found: Mapping[str, Sequence[int]]) -> None:
        """Raise LevelError, with line and column, if the parts do not make a level."""
        start = (1, 1)
        if not snakes:
            raise self._source.error(start, "there is no snake: no head (<, >, ^ or v)")
        if len(snakes) > MOST_SNAKES:
            place = self._place(snakes[MOST_SNAKES][0])
            raise self._source.error(place, f"this is one snake too many: at most {MOST_SNAKES} are possible")
        owned: set[int] = set()
        for cell in (cell for cells in snakes for cell in cells):
            if cell in owned:
                raise self._error(cell, "two snakes share this cell, so their bodies cannot be followed")
            owned.add(cell)
        for mark in BODY_MARKS:
            for cell in found.get(mark, ()):
                if cell not in owned:
                    raise self._error(cell, f"the body letter '{mark}' cannot be followed from any head")
        self._source.one_exit([self._place(cell) for cell in found.get("E", ())], start)
        self._source.two_portals([self._place(cell) for cell in found.get("O", ())])

    def _snakes(self) -> tuple[Cells, ...]:
        return tuple(self.snake(cell) for cell, mark in enumerate(self._marks) if mark in _BEHIND)

    def snake(self, head: int) -> Cells:
        """Return the cells of the snake whose head is given."""
        unclear = "the body of this snake cannot be followed"
        cell = self._neighbour(head, *_BEHIND[self._marks[head]])
        if cell == -1:
            raise self._error(head, f"{unclear}: it would begin outside the level")
        if self._marks[cell] not in BODY_MARKS + ".":
            raise self._error(head, f"{unclear}: where it would begin there is '{self._marks[cell]}'")
        cells = [head]
        while cell != -1:
            cells.append(cell)
            cell = self._following(cell)
        return tuple(cells)

    def _following(self, cell: int) -> int:
        """Return the neighbour that holds the next body letter; -1 at the tail."""
        if self._marks[cell] not in BODY_MARKS:
            return -1
        following = chr(ord(self._marks[cell]) + 1)
        if following in BODY_MARKS:
            for dx, dy in _NEIGHBOURS:
                there = self._neighbour(cell, dx, dy)
                if there != -1 and self._marks[there] == following:
                    return there
        return -1

    def _neighbour(self, cell: int, dx: int, dy: int) -> int:
        x, y = cell % self._width + dx, cell // self._width + dy
        inside = 0 <= x < self._width and 0 <= y < len(self._marks) // self._width
        return y * self._width + x if inside else -1

    def _place(self, cell: int) -> Place:
        return cell // self._width + 2, cell % self._width + 1

    def _error(self, cell: int, problem: str) -> LevelError:
        return self._source.error(self._place(cell), problem)


def format_map(level: Level) -> str:
    """Write a level in the `.map` format.

    Raises LevelError if the format cannot say it: more than nine objects, or bodies that are too long or
    lie too close for letters.
    """
    name = level.name or "The level"
    if len(level.objects) > len(OBJECT_MARKS):
        raise LevelError(f"{name}: the .map format has marks for nine objects, not {len(level.objects)}.")
    marks = [_TILE_MARKS[tile] for tile in level.tiles[: -level.width]]
    things = [("F", level.fruit), ("O", level.portals), ("E", (level.exit,))]
    things += zip(OBJECT_MARKS, level.objects, strict=False)
    for mark, cells in things:
        for cell in cells:
            marks[cell] = mark
    if not _write_bodies(level, marks, 0):
        raise LevelError(f"{name}: its snakes are too long, or too close, for the letters of a .map file.")
    rows = ["".join(marks[y * level.width : (y + 1) * level.width]) for y in range(level.height - 1)]
    rows.append(_TILE_MARKS[SPIKES] * level.width)
    return "\n".join([f"snake{level.width}x{level.height}", *rows, ""])


def _write_bodies(level: Level, marks: list[str], index: int) -> bool:
    """Write the snakes from `index` on, with the first letters that make every body readable so far.

    If none do, `marks` is as it was.
    """
    if index == len(level.snakes):
        return True
    cells = level.snakes[index]
    for first in range(len(BODY_MARKS) - len(cells) + 2):
        letters = BODY_MARKS[first : first + len(cells) - 1]
        if ord(letters[-1]) - ord(letters[0]) != len(letters) - 1:
            continue  # v, a head, is not a body letter
        for cell, mark in zip(cells, (_head(level, cells), *letters), strict=True):
            marks[cell] = mark
        reader = _Reader("".join(marks), level.width, Source(level.name))
        readable = all(reader.snake(written[0]) == written for written in level.snakes[: index + 1])
        if readable and _write_bodies(level, marks, index + 1):
            return True
    for cell in cells:
        marks[cell] = "."
    return False


def _head(level: Level, cells: Cells) -> str:
    """Return the mark of a snake's head."""
    (x, y), (u, v) = level.place(cells[0]), level.place(cells[1])
    return next(mark for mark, step in _BEHIND.items() if step == (u - x, v - y))
