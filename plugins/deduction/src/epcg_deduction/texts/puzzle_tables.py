"""Puzzles of a text: boards, regions and clues, drawn or listed."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from epcg_core.plugin import UnknownNameError, toml_tables
from epcg_deduction.model.boards import WALL, Board
from epcg_deduction.model.genre import ClueKind, Genre
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import (
    admits,
    place_name,
)
from epcg_deduction.rules import rules_of
from epcg_deduction.rules.scene import Scene
from epcg_deduction.texts import values as tokens_of
from epcg_deduction.texts.board_tables import BoardReader, Rows, entries, number_names
from epcg_deduction.texts.notes import unmet
from epcg_deduction.texts.values import NONE, parsed_value, values_in_words

MOST_CELLS = 4_096
MOST_MARKS = 100
"""The most marks of a cell."""
_SIDES = ("top", "bottom", "left", "right")
_KEYS = ("title", "size", "drawing", "regions", "boxes", "borders", "rows", "columns", *_SIDES, "room")
_ANYTHING = (".", "o", "+", "-", "|")
"""Signs that may stand in a drawing of borders where there is no border."""


class PuzzleReader(BoardReader):
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
        self.keys(table, (*_KEYS, *names, *numbers, *number_names(genre)), path)
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

    # ---- clues

    def _clues_of(
        self, puzzle: Puzzle, table: Mapping[str, Any], path: toml_tables.Path, drawn: Mapping[str, Rows]
    ) -> list[Clue]:
        genre, clues = puzzle.genre, list[Clue]()
        clues += self._drawn_clues(puzzle, (*path, "drawing"), drawn["drawing"])
        clues += self._border_clues(puzzle, (*path, "borders"), drawn["borders"])
        for keys, places in ((("rows", "columns"), ("lines", "stretches")), (_SIDES, ("sides",))):
            kinds = [kind for kind in genre.clues.values() if kind.on in places]
            for key in keys:
                if key in table and kinds:
                    clues += self._beside(puzzle, kinds, table[key], (*path, key))
                elif key in table:
                    said = f"The genre has no clues on {' or '.join(places)}: leave '{key}' away."
                    self.fault((*path, key), said)
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
                bare = token[1:] if on == "walls" and token[0] == tokens_of.WALL else token
                found = self._one(puzzle, kinds, [square] * len(kinds), bare)
                if isinstance(found, Clue):
                    yield found
                else:
                    self._told(path, row, column, found)

    def _sums(
        self, puzzle: Puzzle, path: toml_tables.Path, at: tuple[int, int], square: int, token: str
    ) -> Iterator[Clue]:
        """Yield the clues of the stretches below and to the right of a wall."""
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
                    if token not in _ANYTHING and not (token.isdigit() and y % 2 == 0):
                        said = f"'{token}' stands on no border: rows of cells and of borders take turns"
                        self._told(path, row, column, f"{said}, and so do columns.")
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
        self, puzzle: Puzzle, kinds: Sequence[ClueKind], given: Any, path: toml_tables.Path
    ) -> Iterator[Clue]:
        """Yield the clues of a list beside the board, such as rows = [1, 2, "."], or of one for each kind."""
        if not isinstance(given, Mapping):
            yield from self._listed(puzzle, kinds, given, path)
            return
        for name, own in given.items():
            chosen = [kind for kind in kinds if kind.name == name]
            if chosen:
                yield from self._listed(puzzle, chosen, own, path)
            else:
                known = [kind.name for kind in kinds]
                self.fault(path, toml_tables.sentence(UnknownNameError("kind of clues", name, known)))

    def _listed(
        self, puzzle: Puzzle, kinds: Sequence[ClueKind], given: Any, path: toml_tables.Path
    ) -> Iterator[Clue]:
        board, key = puzzle.board, str(path[-1])
        own = entries(given)
        if not isinstance(given, (list, str)):
            self.fault(path, f"'{key}' is a list with an entry for each line, \".\" for none, not a number.")
            return
        count = board.height if key in ("rows", "left", "right") else board.width
        if len(own) != count:
            self.fault(path, f"'{key}' has {len(own)} entries, and the board {count} such lines.")
            return
        for index, raw in enumerate(own):
            if isinstance(raw, str) and raw.strip() in NONE:
                continue
            placed = [(kind, self._place(board, kind.on, key, index)) for kind in kinds]
            fitting = [(kind, place) for kind, place in placed if place is not None]
            if not fitting:
                said = f"Entry {index + 1} of '{key}' is a line with walls"
                self.fault(path, f"{said}: write sums into them, as in 16\\23.")
                continue
            found = self._one(puzzle, [kind for kind, _ in fitting], [place for _, place in fitting], raw)
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
        scene = Scene(puzzle)
        for rule in rules_of(puzzle.genre):
            for fault in rule.misfits(scene):
                where = f"Rule {rule.index + 1} ({rule.kind})"
                at = path if not puzzle.board.regions or fault.field else (*path, "regions")
                self.fault(at, f"{where}: {fault.message}", fault.serious)
