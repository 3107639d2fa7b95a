"""Puzzles of a text: boards, regions and clues, drawn or listed."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epcg_core.plugin import EpcgError, Fault, UnknownNameError, toml_tables
from epcg_deduction.model.boards import CELL, HOLE, WALL, Board
from epcg_deduction.model.genre import ClueKind, Genre
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import (
    SIZE_OF_REGION,
    admits,
    marks_of,
    numbers_of,
    place_name,
    places_of,
    span,
    square_name,
)
from epcg_deduction.rules import rules_of
from epcg_deduction.rules.problems import scene_of
from epcg_deduction.texts import values as tokens_of
from epcg_deduction.texts.notes import unmet
from epcg_deduction.texts.values import NONE, parsed_value, values_in_words

MOST_CELLS = 4_096
MOST_MARKS = 100
"""The most marks of a cell."""
_SIDES = ("top", "bottom", "left", "right")
_KEYS = ("title", "size", "drawing", "regions", "boxes", "borders", "rows", "columns", *_SIDES, "room")
_ANYTHING = (".", "o", "+", "-", "|")
"""What may stand in a drawing of borders where there is no border."""
Rows = list[tuple[int, list[tuple[int, str]]]]
Size = tuple[int, int]


class PuzzleReader(toml_tables.TableReader):
    """Reads puzzles of a genre, and gathers faults with their places."""

    def puzzle(self, genre: Genre, table: Mapping[str, Any], path: toml_tables.Path) -> Puzzle | None:
        """Return a puzzle; None after a serious fault."""
        before = self._serious()
        names = {
            name
            for name in table
            if name in genre.clues and genre.clues[name].on in ("regions", "lines", "sides")
        }
        numbers = self._given_numbers(genre, table, path)
        self.keys(table, (*_KEYS, *names, *numbers, *_number_names(genre)), path)
        drawn = {key: self._drawing(table, key, path) for key in ("drawing", "regions", "borders")}
        size = self._size(table, drawn, path)
        if size is None or self._serious() > before:
            return None
        board = self._board(genre, table, path, drawn, size)
        if board is None:
            return None
        puzzle = Puzzle(genre, board, (), numbers, self.text(table, "title", path))
        if not self._alphabets(puzzle, path):
            return None
        clues = self._clues_of(puzzle, table, path, drawn)
        order = {name: index for index, name in enumerate(genre.clues)}
        clues.sort(key=lambda clue: (order[clue.kind], clue.place))
        puzzle = Puzzle(genre, board, tuple(clues), numbers, puzzle.title)
        if self._serious() > before:
            return None
        self._misfits(puzzle, path)
        if self._serious() > before:
            return None
        for message in unmet(puzzle):
            self.fault(path, message, serious=False)
        return puzzle

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
        names = _number_names(genre)
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
                said = f"This row has {len(own)} signs, and the first one {len(rows[0][1])}: make them equally long."
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
            lengths = [len(_entries(table.get(key, []))) for key in (rows, columns)]
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
        """Return the cells of each region, and the names; the order of letters with a number is theirs."""
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
                    said = f"'{token}' means nothing here. A region is a letter, '.' a cell that is in none; a number"
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
            names = marks_of(puzzle)
            for kind in genre.clues.values():
                if kind.values.startswith("arrows") or ".." in kind.values:
                    span(kind.values.removeprefix("arrows").strip() or "0..", numbers_of(puzzle))
        except EpcgError as error:
            self.fault(path, str(error))
            return False
        if any(len(marks) > MOST_MARKS for marks in names):
            most = max(map(len, names))
            self.fault(path, f"A cell can have {most} marks here; at most {MOST_MARKS} are possible.")
            return False
        empty = [index for index, marks in enumerate(names) if not marks]
        if empty:
            self.fault(path, f"A cell can have no mark at all here: '{genre.marks.cells}' is empty.")
        return not empty

    # ---- clues

    def _clues_of(
        self, puzzle: Puzzle, table: Mapping[str, Any], path: toml_tables.Path, drawn: Mapping[str, Rows]
    ) -> list[Clue]:
        genre, clues = puzzle.genre, []
        clues += self._drawn_clues(puzzle, (*path, "drawing"), drawn["drawing"])
        clues += self._border_clues(puzzle, (*path, "borders"), drawn["borders"])
        for on, keys in (
            ("lines", ("rows", "columns")),
            ("sides", _SIDES),
            ("stretches", ("rows", "columns")),
        ):
            kinds = [kind for kind in genre.clues.values() if kind.on == on]
            for key in keys:
                if key in table and kinds:
                    clues += self._beside(puzzle, kinds, table, (*path, key), on)
                elif key in table and not any(
                    kind.on in ("lines", "stretches", "sides") for kind in genre.clues.values()
                ):
                    self.fault_once(
                        (*path, key), f"The genre has no clues beside the board: leave '{key}' away."
                    )
        inside = [kind for kind in genre.clues.values() if kind.on == "regions"]
        for key in ("room", *(kind.name for kind in inside)):
            own = table.get(key)
            if isinstance(own, Mapping):
                clues += self._region_clues(puzzle, inside, own, (*path, key))
            elif key == "room" and own is not None:
                self.fault(
                    (*path, key), "'room' is a table: a value for each letter, as in { a = 4, b = 2 }."
                )
        return clues

    def _one(self, puzzle: Puzzle, kinds: Sequence[ClueKind], places: Sequence[int], raw: Any) -> Clue | str:
        """Return the clue that a value is at a place, by the first kind that fits; or what is wrong.

        `places` has the place for each kind.
        """
        said = ""
        for kind, place in zip(kinds, places, strict=True):
            value = parsed_value(kind, raw)
            if value is not None:
                if admits(puzzle, kind, place, value[0]):
                    return Clue(kind.name, place, value[0])
                where = place_name(puzzle.board, kind.on, place)
                said = (
                    f"{tokens_of.written_token(value[0])} is outside the values of '{kind.name}' at {where}"
                )
                said += f": they are {values_in_words(kind)}."
        known = " or ".join(dict.fromkeys(values_in_words(kind) for kind in kinds))
        return said or f"{toml_tables.shown(raw)} is not a clue here: clues are {known}; '.' is none."

    def _drawn_clues(self, puzzle: Puzzle, path: toml_tables.Path, rows: Rows) -> Iterator[Clue]:
        board, genre = puzzle.board, puzzle.genre
        starts = {cells[0]: number for number, cells in reversed(list(enumerate(board.stretches)))}
        for y, (row, own) in enumerate(rows):
            for x, (column, token) in enumerate(own):
                square = y * board.width + x
                if token in (".", tokens_of.HOLE, tokens_of.WALL):
                    continue
                if "\\" in token and board.kinds[square] == WALL:
                    yield from self._sums(puzzle, path, (row, column), square, token)
                    continue
                on = "walls" if board.kinds[square] == WALL else "cells"
                kinds = [kind for kind in genre.clues.values() if kind.on == on]
                if not kinds:
                    continue
                found = self._one(puzzle, kinds, [square] * len(kinds), token)
                if isinstance(found, Clue):
                    yield found
                else:
                    self._told(path, row, column, found)
        del starts

    def _sums(
        self, puzzle: Puzzle, path: toml_tables.Path, at: tuple[int, int], square: int, token: str
    ) -> Iterator[Clue]:
        """Yield the clues of the stretches below and to the right of a wall, which are written as 16\\23."""
        board = puzzle.board
        kind = next(kind for kind in puzzle.genre.clues.values() if kind.on == "stretches")
        for raw, (dx, dy) in zip(token.split("\\"), ((0, 1), (1, 0)), strict=True):
            if not raw:
                continue
            first = board.step(square, dx, dy)
            step = board.width if dy else 1
            number = next((n for n, cells in enumerate(board.stretches) if cells[0] == first and (
                len(cells) == 1 or cells[1] == first + step)), None)  # fmt: skip
            if (
                number is not None and len(board.stretches[number]) == 1
            ):  # the row, then the column of one cell
                both = [n for n, cells in enumerate(board.stretches) if cells == (first,)]
                number = both[-1] if dy else both[0]
            if number is None or not board.is_cell(first):
                way = "below" if dy else "to the right of"
                self._told(path, *at, f"There is no cell {way} this wall for the sum {raw}.")
                continue
            found = self._one(puzzle, [kind], [number], raw)
            if isinstance(found, Clue):
                yield found
            else:
                self._told(path, *at, found)

    def _border_clues(self, puzzle: Puzzle, path: toml_tables.Path, rows: Rows) -> Iterator[Clue]:
        """Yield the clues of a drawing in which cells and the borders between them take turns."""
        kinds = [kind for kind in puzzle.genre.clues.values() if kind.on == "borders"]
        number = {pair: index for index, pair in enumerate(puzzle.board.borders)}
        width = puzzle.board.width
        for y, (row, own) in enumerate(rows):
            for x, (column, token) in enumerate(own):
                first = y // 2 * width + x // 2
                pair = (first, first + 1) if y % 2 == 0 else (first, first + width)
                if (x + y) % 2 == 0 or token == ".":
                    if (x + y) % 2 == 0 and token not in _ANYTHING and not (token.isdigit() and y % 2 == 0):
                        self._told(path, row, column, f"'{token}' stands on no border: rows of cells and of borders "
                                   "take turns, and so do columns.")  # fmt: skip
                    continue
                if pair not in number or not kinds:
                    said = (
                        "There are not two cells at this border."
                        if kinds
                        else "The genre has no clues on borders."
                    )
                    self._told(path, row, column, f"{said} Write '.' here.")
                    continue
                found = self._one(puzzle, kinds, [number[pair]] * len(kinds), token)
                if isinstance(found, Clue):
                    yield found
                else:
                    self._told(path, row, column, found)

    def _beside(
        self,
        puzzle: Puzzle,
        kinds: Sequence[ClueKind],
        table: Mapping[str, Any],
        path: toml_tables.Path,
        on: str,
    ) -> Iterator[Clue]:
        """Yield the clues of a list beside the board, such as rows = [1, 2, "."], or of one for each kind."""
        key = str(path[-1])
        given = table[key]
        if isinstance(given, Mapping):
            for name, own in given.items():
                chosen = [kind for kind in kinds if kind.name == name]
                if not chosen:
                    known = [kind.name for kind in kinds]
                    self.fault(path, toml_tables.sentence(UnknownNameError("kind of clues", name, known)))
                else:
                    yield from self._listed(puzzle, chosen, own, path, on)
            return
        yield from self._listed(puzzle, kinds, given, path, on)

    def _listed(
        self, puzzle: Puzzle, kinds: Sequence[ClueKind], given: Any, path: toml_tables.Path, on: str
    ) -> Iterator[Clue]:
        board, key = puzzle.board, str(path[-1])
        entries = _entries(given)
        if not isinstance(given, (list, str)):
            self.fault(path, f"'{key}' is a list with an entry for each line, \".\" for none, not a number.")
            return
        count = board.height if key in ("rows", "left", "right") else board.width
        if len(entries) != count:
            self.fault(path, f"'{key}' has {len(entries)} entries, and the board {count} such lines.")
            return
        for index, raw in enumerate(entries):
            if isinstance(raw, str) and raw.strip() in NONE:
                continue
            place = self._place(board, on, key, index)
            if place is None:
                said = f"Entry {index + 1} of '{key}' is a line with walls: write sums into the walls, as in 16\\23."
                self.fault(path, said)
                continue
            found = self._one(puzzle, kinds, [place] * len(kinds), raw)
            if isinstance(found, Clue):
                yield found
            else:
                self.fault(path, f"Entry {index + 1} of '{key}': {found}")

    def _place(self, board: Board, on: str, key: str, index: int) -> int | None:
        """Return the place of an entry; None: there is not one stretch in this line."""
        if on == "sides":
            width, height = board.width, board.height
            return {"top": 0, "bottom": width, "left": 2 * width, "right": 2 * width + height}[key] + index
        line = index if key == "rows" else board.height + index
        if on == "lines":
            return line
        whole = [number for number, cells in enumerate(board.stretches) if cells == board.lines[line]]
        if not whole:
            return None
        return whole[-1] if key == "columns" else whole[0]

    def _region_clues(
        self, puzzle: Puzzle, kinds: Sequence[ClueKind], table: Mapping[str, Any], path: toml_tables.Path
    ) -> Iterator[Clue]:
        board, key = puzzle.board, str(path[-1])
        chosen = [kind for kind in kinds if kind.name == key or key == "room"]
        if not chosen:
            self.fault(path, "The genre has no clues in regions: leave 'room' away.")
            return
        for name, raw in table.items():
            if name not in board.names:
                self.fault_once(
                    (*path, name), toml_tables.sentence(UnknownNameError("region", name, board.names))
                )
                continue
            place = board.names.index(name)
            found = self._one(puzzle, chosen, [place] * len(chosen), raw)
            if isinstance(found, Clue):
                yield found
            else:
                self.fault((*path, name), f"Region {name}: {found}")

    # ---- what does not fit

    def _misfits(self, puzzle: Puzzle, path: toml_tables.Path) -> None:
        """Tell rules that do not fit the board."""
        scene = scene_of(puzzle)
        for rule in rules_of(puzzle.genre):
            for fault in rule.misfits(scene):
                where = f"Rule {rule.index + 1} ({rule.kind})"
                at = path if not puzzle.board.regions or fault.field else (*path, "regions")
                self.fault(at, f"{where}: {fault.message}", fault.serious)


def _entries(given: Any) -> list[Any]:
    """Return the entries of a list, or of a text of tokens."""
    if isinstance(given, str):
        return given.split()
    return given if isinstance(given, list) else []


def _number_names(genre: Genre) -> set[str]:
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


__all__ = ["MOST_CELLS", "PuzzleReader", "places_of"]
