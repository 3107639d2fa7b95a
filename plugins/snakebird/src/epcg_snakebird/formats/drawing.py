"""A format of levels that a person can write, and reading files of either format.

    name: A long neck
    ....E..
    .......
    .......
    .F.....
    ..1<<..
    #.####.

`.` sky, `#` ground, `*` spikes, `F` fruit, `E` exit, `O` portal; letters are the cells of objects, digits the
heads of snakes, and arrows (`<>^v`) their bodies, each pointing to the cell before it. Snakes are numbered by
the reading order of their heads, whatever their digits. Shorter rows go on with sky, and a row of spikes lies
below the last one. Lines like `name: ...` may come first.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from pathlib import Path, PurePath

from epcg_core.plugin import documents
from epcg_snakebird.formats.map_format import parse_map
from epcg_snakebird.formats.text import Place, Source
from epcg_snakebird.rules.level import (
    GROUND,
    MOST_BYTES,
    MOST_CELLS,
    MOST_SNAKES,
    SKY,
    SPIKES,
    Cells,
    Level,
    LevelError,
)

TILE_MARKS = ".#*"
FRUIT_MARK, EXIT_MARK, PORTAL_MARK = "FEO"
SNAKE_MARKS = "123456789"
OBJECT_MARKS = "abcdefghijklmnopqrstuwxyz"
"""All letters but `v`, which is an arrow."""
ARROWS = {"<": (-1, 0), ">": (1, 0), "^": (0, -1), "v": (0, 1)}
"""The direction of each arrow."""
_MARKS = {*TILE_MARKS, FRUIT_MARK, EXIT_MARK, PORTAL_MARK, *SNAKE_MARKS, *OBJECT_MARKS, *ARROWS}
_TILES = {"#": GROUND, "*": SPIKES}
_HEADER = re.compile(r"([A-Za-z][A-Za-z _-]*):\s*(.*)")
_MAP_HEADER = re.compile(rb"(?:\xef\xbb\xbf)?\s*snake\d", re.IGNORECASE)


def parse_level(text: str | bytes, name: str = "level") -> Level:
    """Read the level of a drawing; `name` (its file, say) begins every message.

    Raises LevelError, with line and column, if it is not a level.
    """
    source = Source(name)
    lines = source.lines(text)
    first, headers = _headers(lines, source)
    last = max((number for number, line in enumerate(lines) if line), default=-1) + 1
    rows = lines[first:last]
    if not rows:
        raise source.error((len(lines), 1), "there are no rows of tiles")
    width = max(map(len, rows))
    for number, row in enumerate(rows, start=first + 1):
        for column, mark in enumerate(row, start=1):
            if mark not in _MARKS:
                raise source.error((number, column), f"'{mark}' has no meaning in a level")
        if width * (number - first + 1) > MOST_CELLS:
            raise source.error(
                (number, 1),
                f"the level is too large: with the row of spikes below it may have {MOST_CELLS:,} cells",
            )
    marks = "".join(row.ljust(width, TILE_MARKS[SKY]) for row in rows)
    return _Reader(marks, width, first, source).level(headers.get("name") or PurePath(name).stem)


def read_headers(text: str | bytes, name: str = "level") -> dict[str, str]:
    """Read the lines `key: value` before the rows of a drawing, keys in lower case."""
    source = Source(name)
    return _headers(source.lines(text), source)[1]


def format_level(level: Level, headers: Mapping[str, str] | None = None) -> str:
    """Draw a level, under its name and further headers."""
    marks = [TILE_MARKS[tile] for tile in level.tiles[: -level.width]]
    things = [(FRUIT_MARK, level.fruit), (PORTAL_MARK, level.portals), (EXIT_MARK, (level.exit,))]
    things += zip(OBJECT_MARKS, level.objects, strict=False)
    for mark, cells in things:
        for cell in cells:
            marks[cell] = mark
    for mark, cells in zip(SNAKE_MARKS, level.snakes, strict=False):
        marks[cells[0]] = mark
        for before, cell in pairwise(cells):
            marks[cell] = arrow(level, cell, before)
    rows = ["".join(marks[y * level.width : (y + 1) * level.width]) for y in range(level.height - 1)]
    shown = {**({"name": level.name} if level.name else {}), **(headers or {})}
    return "\n".join([*(f"{key}: {value}" for key, value in shown.items()), *rows, ""])


def arrow(level: Level, cell: int, towards: int) -> str:
    """Return the arrow in `cell` that points to the neighbour `towards`."""
    (x, y), (u, v) = level.place(cell), level.place(towards)
    return next(mark for mark, step in ARROWS.items() if step == (u - x, v - y))


def read_level(path: str | Path) -> Level:
    """Read the level of a file, in the `.map` format or as a drawing, whichever its content is.

    Raises LevelError if the file cannot be read, or holds no level.
    """
    return parse_any(documents.read_bytes(Path(path), "level", LevelError, MOST_BYTES), str(path))


def parse_any(data: bytes, name: str) -> Level:
    """Read the level of a file's content. Raises LevelError, which begins with `name`, if it is invalid."""
    if _MAP_HEADER.match(data) or name.lower().endswith(".map"):
        return parse_map(data, name)
    return parse_level(data, name)


def _headers(lines: Sequence[str], source: Source) -> tuple[int, dict[str, str]]:
    """Return (how many lines come before the rows, the headers among them)."""
    found: dict[str, str] = {}
    for number, line in enumerate(lines):
        match = _HEADER.fullmatch(line)
        if match is not None:
            key = match[1].strip().lower()
            if key in found:
                raise source.error((number + 1, 1), f"this is a second line '{key}:'")
            found[key] = match[2]
        elif line:
            return number, found
    return len(lines), found


class _Reader:
    """Reads the rows of a drawing, one mark a cell; `first` is how many lines come before them."""

    def __init__(self, marks: str, width: int, first: int, source: Source) -> None:
        self._marks = marks
        self._width = width
        self._first = first
        self._source = source

    def level(self, name: str) -> Level:
        found: dict[str, list[int]] = {}
        for cell, mark in enumerate(self._marks):
            found.setdefault(mark, []).append(cell)
        start = (self._first + 1, 1)
        snakes = self._snakes(found)
        if not snakes:
            raise self._source.error(start, f"there is no snake: no head (1 to {MOST_SNAKES})")
        self._source.one_exit([self._place(cell) for cell in found.get(EXIT_MARK, ())], start)
        self._source.two_portals([self._place(cell) for cell in found.get(PORTAL_MARK, ())])
        tiles = [_TILES.get(mark, SKY) for mark in self._marks]
        return Level(
            width=self._width,
            height=len(self._marks) // self._width + 1,
            tiles=(*tiles, *[SPIKES] * self._width),
            snakes=snakes,
            objects=[found[mark] for mark in OBJECT_MARKS if mark in found],
            fruit=found.get(FRUIT_MARK, ()),
            portals=found.get(PORTAL_MARK, ()),
            exit=found[EXIT_MARK][0],
            name=name,
        )

    def _snakes(self, found: Mapping[str, Sequence[int]]) -> tuple[Cells, ...]:
        """Follow the arrows, each of which must lead to a head, cell by cell."""
        behind = self._behind()
        snakes = []
        for mark in SNAKE_MARKS:
            heads = found.get(mark, ())
            if len(heads) > 1:
                raise self._error(heads[1], f"this is a second head of snake {mark}")
            for head in heads:
                cells = [head]
                while cells[-1] in behind:
                    cells.append(behind.pop(cells[-1]))
                if len(cells) == 1:
                    raise self._error(head, f"snake {mark} has no body: no arrow points to its head")
                snakes.append(tuple(cells))
        for cell in sorted(behind.values()):
            raise self._error(cell, f"the body '{self._marks[cell]}' cannot be followed to a snake's head")
        return tuple(snakes)

    def _behind(self) -> dict[int, int]:
        """Return, for each cell to which an arrow points, the arrow's cell."""
        behind: dict[int, int] = {}
        for cell, mark in enumerate(self._marks):
            if mark in ARROWS:
                x, y = cell % self._width + ARROWS[mark][0], cell // self._width + ARROWS[mark][1]
                inside = 0 <= x < self._width and 0 <= y < len(self._marks) // self._width
                if not inside or self._marks[y * self._width + x] not in (*ARROWS, *SNAKE_MARKS):
                    raise self._error(cell, f"the body '{mark}' cannot be followed: it points to no snake")
                if behind.setdefault(y * self._width + x, cell) != cell:
                    raise self._error(
                        cell, f"the body '{mark}' cannot be followed: two parts point to a cell"
                    )
        return behind

    def _place(self, cell: int) -> Place:
        return cell // self._width + self._first + 1, cell % self._width + 1

    def _error(self, cell: int, problem: str) -> LevelError:
        return self._source.error(self._place(cell), problem)
