"""What the files of play pages hold, read apart from the code that writes them."""

from __future__ import annotations

import base64
import json
import zlib
from pathlib import Path
from typing import Any

import attrs


@attrs.define
class Position:
    """One position of a puzzle's moves."""

    parent: int
    goal: bool
    known: bool
    distance: int
    marks: dict[int, int]
    lines: list[int]
    note: int
    actions: list[tuple[int, int]] = attrs.field(factory=list)
    """(gesture, target); -1 for a target that is not there."""
    hint: tuple[int, str] | None = None
    """An action, and why it is right."""


class Moves:
    """The moves of a puzzle, by the text of `epcg_publishing.play_data`."""

    def __init__(self, data: bytes) -> None:
        self._data, self._at = zlib.decompress(data), 0
        length = self._next()
        self.tables = json.loads(self._data[self._at : self._at + length])
        self._at += length
        self._lines: list[tuple[int, list[int]]] = []
        for _ in range(self.tables["paths"]):
            self._lines.append(self._line())
        self.positions: list[Position] = []
        self._highest = self._used = 0
        for number in range(self.tables["positions"]):
            self.positions.append(self._position(number))
        assert self._at == len(self._data)

    def _next(self) -> int:
        found, shift = 0, 0
        while True:
            byte = self._data[self._at]
            self._at += 1
            found |= (byte & 127) << shift
            shift += 7
            if byte < 128:
                return found

    def _signed(self) -> int:
        found = self._next()
        return -(found + 1) // 2 if found % 2 else found // 2

    def _list(self) -> list[int]:
        return [self._next() for _ in range(self._next())]

    def _line(self) -> tuple[int, list[int]]:
        style, back = self._next(), self._next()
        points = self._list()
        if back:
            start, length = self._next(), self._next()
            points += self._lines[len(self._lines) - back][1][start : start + length]
        return style, points + self._list()

    def _position(self, number: int) -> Position:
        parent = number - self._next() if number else 0
        flags = self._next()
        before = self.positions[parent] if number else Position(0, False, False, 0, {}, [], 0)
        marks = {**before.marks, **{self._next(): self._next() for _ in range(self._next())}}
        lines, note = before.lines, before.note
        if flags & 2:
            lines = []
            for _ in range(self._next()):
                lines.append(self._used - self._next())
                self._used = max(self._used, lines[-1] + 1)
        if flags & 4:
            note = self._next()
        here = Position(
            parent, bool(flags & 1), bool(flags & 8), before.distance + self._signed(), marks, lines, note
        )
        for _ in range(self._next() if here.known else 0):
            gesture, code = self._next(), self._next()
            target = -1
            if code:
                target = self._highest + 1 + (-code // 2 if code % 2 == 0 else (code - 1) // 2)
                self._highest = max(self._highest, target)
            here.actions.append((gesture, target))
        why = self._next() if here.known and "words" in self.tables else 0
        if why:
            here.hint = (self._next(), self.tables["words"][why - 1])
        return here

    def scene(self, number: int) -> dict[str, Any]:
        """How a position looks, as the board takes it."""
        here, tables = self.positions[number], self.tables
        marks = {tables["sites"][site][0]: tables["marks"][names] for site, names in here.marks.items()}
        return {
            "sites": tables["sites"],
            "marks": {site: names for site, names in marks.items() if names},
            "paths": [
                {**tables["styles"][style], "points": [tables["points"][point] for point in points]}
                for style, points in map(self._lines.__getitem__, here.lines)
            ],
            "note": tables["notes"][here.note],
        }

    def actions(self, number: int) -> list[tuple[list[str], list[str], str, int]]:
        """(sites, keys, text, target) of each action of a position."""
        found = []
        for gesture, target in self.positions[number].actions:
            sites, keys, text = self.tables["gestures"][gesture]
            found.append(([self.tables["sites"][site][0] for site in sites], keys, text, target))
        return found


def puzzle_of(folder: Path, number: int) -> dict[str, Any]:
    """The data of a puzzle of a site."""
    text = (folder / "puzzles" / f"{number}.js").read_text("utf-8")
    found: dict[str, Any] = json.loads(text.removeprefix("epcgPuzzle(").removesuffix(");\n"))
    return found


def moves_of(folder: Path, number: int) -> Moves:
    """The moves of a puzzle of a site."""
    return Moves(base64.b64decode(puzzle_of(folder, number)["moves"]))
