"""Boards of a text: sizes, drawings, walls and regions."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from epcg_core.plugin import EpcgError, Fault, toml_tables
from epcg_deduction.model.boards import CELL, HOLE, WALL, Board
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import (
    SIZE_OF_REGION,
    marks_of,
    numbers_of,
    span,
    square_name,
)
from epcg_deduction.texts import values as tokens_of
from epcg_deduction.texts.values import parsed_value, values_in_words

MOST_CELLS = 4_096
MOST_MARKS = 100
"""The most marks of a cell."""
_SIDES = ("top", "bottom", "left", "right")
_KEYS = ("title", "size", "drawing", "regions", "boxes", "borders", "rows", "columns", *_SIDES, "room")
_ANYTHING = (".", "o", "+", "-", "|")
"""Signs that may stand in a drawing of borders where there is no border."""
Rows = list[tuple[int, list[tuple[int, str]]]]
Size = tuple[int, int]


class BoardReader(toml_tables.TableReader):
    """Reads boards of puzzles, and gathers faults with their places."""

    def _serious(self) -> int:
        return sum(fault.serious for fault in self.faults)

    def _told(self, path: toml_tables.Path, row: int, column: int, message: str) -> None:
        """Tell a fault at a place of a drawing."""
        line, at = self.places.within(path, row, column)
        self.faults.append(Fault(line, message, column=at))

    # ---- numbers and sizes

    def _given_numbers(
        self, genre: Genre, table: Mapping[str, Any], path: toml_tables.Path
    ) -> dict[str, int]:
        names = number_names(genre)
        return {
            key: self.whole(value, (*path, key), 0, 10**6, 0)
            for key, value in table.items()
            if key in names and not isinstance(value, Mapping)
        }

    def _drawing(self, table: Mapping[str, Any], key: str, path: toml_tables.Path) -> Rows:
        """Return the rows of a drawing, which must be equally long; [] if there is none, or after a fault."""
        if key not in table:
            return []
        rows = tokens_of.tokens(self.text(table, key, path))
        if not rows:
            self.fault(
                (*path, key), f"'{key}' is an empty drawing: leave it away, or draw a row in each line."
            )
        for row, own in rows:
            if len(own) != len(rows[0][1]):
                said = f"This row has {len(own)} signs, and the first one {len(rows[0][1])}: make them equal."
                self._told((*path, key), row, 0, said)
                return []
        return rows

    def _size(
        self, table: Mapping[str, Any], drawn: Mapping[str, Rows], path: toml_tables.Path
    ) -> Size | None:
        """Return (height, width): as given, or that of the first drawing or lists; None after a fault."""
        found: list[tuple[str, Size]] = []
        given = table.get("size")
        if given is not None:
            good = isinstance(given, list) and len(given) == 2
            if not good or not all(
                isinstance(side, int) and not isinstance(side, bool) and side > 0 for side in given
            ):
                said = f"'size' is [rows, columns], as in [4, 6], not {toml_tables.shown(given)}."
                self.fault((*path, "size"), said)
                return None
            found.append(("size", (given[0], given[1])))
        for key, rows in drawn.items():
            if rows:
                height, width = len(rows), len(rows[0][1])
                found.append(
                    (key, (height, width) if key != "borders" else ((height + 1) // 2, (width + 1) // 2))
                )
        if not found:
            found += self._listed_size(table)
        if not found and any(key in table for key in drawn):
            return None  # what is wrong with the drawing is told
        if not found:
            self.fault(path, "The board has no size: give size = [rows, columns], or a drawing.")
            return None
        (first, size), rest = found[0], found[1:]
        for key, other in rest:
            if other != size:
                said = f"'{key}' has {other[0]} rows of {other[1]}, and '{first}' {size[0]} of {size[1]}"
                self.fault((*path, key), f"{said}: they must be the same.")
                return None
        if size[0] * size[1] > MOST_CELLS:
            said = f"The board has {size[0] * size[1]:,} cells; at most {MOST_CELLS:,} are possible."
            self.fault((*path, first), said)
            return None
        return size

    def _listed_size(self, table: Mapping[str, Any]) -> list[tuple[str, Size]]:
        """Return the size that lists beside the board have."""
        for rows, columns in (("rows", "columns"), ("left", "top"), ("right", "bottom"), ("left", "bottom")):
            lengths = [len(entries(table.get(key, []))) for key in (rows, columns)]
            if all(lengths):
                return [(rows, (lengths[0], lengths[1]))]
        return []

    # ---- the board

    def _board(
        self,
        genre: Genre,
        table: Mapping[str, Any],
        path: toml_tables.Path,
        drawn: Mapping[str, Rows],
        size: Size,
    ) -> Board | None:
        before = self._serious()
        height, width = size
        kinds = bytearray(height * width)
        for y, (row, own) in enumerate(drawn["drawing"]):
            for x, (column, token) in enumerate(own):
                kind = self._square(genre, token)
                if kind is None:
                    self._foreign(genre, (*path, "drawing"), row, column, token)
                else:
                    kinds[y * width + x] = kind
        regions, names = self._regions(table, path, drawn["regions"], size, bytes(kinds))
        if not any(kind == CELL for kind in kinds) and not any(kind == WALL for kind in kinds):
            self.fault(path, "The board has no cell: '_' is a hole.")
        return Board(width, height, bytes(kinds), regions, names) if self._serious() == before else None

    def _square(self, genre: Genre, token: str) -> int | None:
        """Return what a token of a drawing makes of its square; None: it means nothing."""
        kinds = genre.clues.values()
        if token == ".":
            return CELL
        if token == tokens_of.HOLE:
            return HOLE
        stretches = any(kind.on == "stretches" for kind in kinds)
        on_walls = [kind for kind in kinds if kind.on == "walls"]
        if token == tokens_of.WALL and (genre.walls or on_walls or stretches):
            return WALL
        if token[0] == tokens_of.WALL and any(parsed_value(kind, token[1:]) for kind in on_walls):
            return WALL
        if stretches and re.fullmatch(r"\d*\\\d*", token):
            return WALL
        if any(parsed_value(kind, token) for kind in kinds if kind.on == "cells"):
            return CELL
        walls = token in genre.walls if len(token) == 1 else False
        return WALL if walls or any(parsed_value(kind, token) for kind in on_walls) else None

    def _foreign(self, genre: Genre, path: toml_tables.Path, row: int, column: int, token: str) -> None:
        kinds = [kind for kind in genre.clues.values() if kind.on in ("cells", "walls")]
        known = [f"'{kind.name}' ({values_in_words(kind)})" for kind in kinds]
        signs = ["'.' for a cell without a clue", "'_' for a hole"]
        if genre.walls or any(kind.on in ("walls", "stretches") for kind in genre.clues.values()):
            signs.append("'#' for a wall")
        clues = f", and clues: {', '.join(known)}" if known else ""
        self._told(path, row, column, f"'{token}' means nothing here. Signs are {', '.join(signs)}{clues}.")

    def _regions(
        self, table: Mapping[str, Any], path: toml_tables.Path, rows: Rows, size: Size, kinds: bytes
    ) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
        """Return the cells and the name of each region; numbers after a letter give their order."""
        height, width = size
        found: dict[str, list[tuple[int, int]]] = {}
        if "boxes" in table:
            boxes = table["boxes"]
            good = (
                isinstance(boxes, list) and len(boxes) == 2 and all(isinstance(side, int) for side in boxes)
            )
            if not good or min(boxes) < 1 or height % boxes[0] or width % boxes[1]:
                said = f"'boxes' is [rows, columns] of a box, which divide {height} and {width}"
                self.fault((*path, "boxes"), f"{said}, not {toml_tables.shown(boxes)}.")
            elif rows:
                self.fault((*path, "boxes"), "Regions are drawn or boxes, not both: leave one away.")
            else:
                for square in range(height * width):
                    y, x = divmod(square, width)
                    box = y // boxes[0] * (width // boxes[1]) + x // boxes[1]
                    if kinds[square] == CELL:
                        found.setdefault(str(box + 1), []).append((0, square))
        for y, (row, own) in enumerate(rows):
            for x, (column, token) in enumerate(own):
                square, part = y * width + x, re.fullmatch(r"([^\W\d_]+)(\d*)", token)
                if token in (".", tokens_of.HOLE, tokens_of.WALL) or kinds[square] != CELL:
                    continue
                if part is None:
                    said = f"'{token}' means nothing here. A region is a letter, '.' a cell in none; a number"
                    self._told(
                        (*path, "regions"),
                        row,
                        column,
                        f"{said} after the letter gives the order of its cells.",
                    )
                    continue
                own_cells = found.setdefault(part[1], [])
                number = int(part[2] or 0)
                if number and number in [other for other, _ in own_cells]:
                    said = f"'{token}' occurs twice: the numbers of a region are different."
                    self._told((*path, "regions"), row, column, said)
                own_cells.append((number, square))
        regions = tuple(tuple(square for _, square in sorted(cells)) for cells in found.values())
        return regions, tuple(found)

    def _alphabets(self, puzzle: Puzzle, path: toml_tables.Path) -> bool:
        """Tell marks of cells that cannot be; return whether all can."""
        genre, board = puzzle.genre, puzzle.board
        if isinstance(genre.marks.cells, str) and SIZE_OF_REGION in genre.marks.cells:
            outside = [cell for cell in board.cells if cell not in board.region_of]
            if outside:
                self.fault(
                    path, f"{square_name(board, outside[0])} is in no region, which gives it its digits."
                )
                return False
        try:
            most = self._most_marks(puzzle)
            for kind in genre.clues.values():
                if kind.values.startswith("arrows") or ".." in kind.values:
                    span(kind.values.removeprefix("arrows").strip() or "0..", numbers_of(puzzle))
        except EpcgError as error:
            self.fault(path, str(error))
            return False
        if most > MOST_MARKS:
            self.fault(path, f"A cell can have {most:,} marks here; at most {MOST_MARKS} are possible.")
            return False
        names = marks_of(puzzle)
        empty = [index for index, marks in enumerate(names) if not marks]
        if empty:
            self.fault(path, f"A cell can have no mark at all here: '{genre.marks.cells}' is empty.")
        return not empty

    def _most_marks(self, puzzle: Puzzle) -> int:
        """Return how many marks a cell can have, without listing them."""
        cells = puzzle.genre.marks.cells
        if not isinstance(cells, str):
            return len(cells)
        size = max(map(len, puzzle.board.regions), default=1)
        low, high = span(cells.replace(SIZE_OF_REGION, str(size)), numbers_of(puzzle))
        return 0 if high is None else high - low + 1


def entries(given: Any) -> list[Any]:
    """Return the entries of a list, or of a text of tokens."""
    if isinstance(given, str):
        return given.split()
    return given if isinstance(given, list) else []


def number_names(genre: Genre) -> set[str]:
    """Return the names of numbers that a puzzle of a genre can give."""
    texts = [kind.values for kind in genre.clues.values() if ".." in kind.values]
    texts += [genre.marks.cells] if isinstance(genre.marks.cells, str) else []
    texts += [str(rule.fields["is"]) for rule in genre.rules if "is" in rule.fields]
    words = {word for text in texts for word in re.findall(r"[A-Za-z]\w*", text.replace(SIZE_OF_REGION, ""))}
    common = {
        "arrows",
        "clue",
        "half",
        "mark",
        "more",
        "than",
        "different",
        "same",
        "increasing",
        "in",
        "any",
        "order",
    }
    own = words - common - set(genre.clues) - {"area", "side", "width", "height"}
    return own | {"n"} | set(genre.numbers)
