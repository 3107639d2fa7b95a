"""The workshop of genres: the board of the first puzzle is painted, with walls and regions.

Implements `Workshop`.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs

from epcg_core.plugin import (
    ERASE,
    Canvas,
    GameAnswer,
    GameQuestion,
    Mark,
    ParamsError,
    Piece,
    PuzzleKind,
    Setting,
    UnknownNameError,
    counted,
    square_cells,
    toml_text,
)
from epcg_deduction.formats.own import format_puzzle
from epcg_deduction.generators.layouts import letter_of
from epcg_deduction.model.boards import CELL, HOLE, WALL, Board
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.states.changes import LARGEST, moved, resized
from epcg_deduction.states.layout import Layout, layout_of
from epcg_deduction.texts import genre_document, shipped
from epcg_deduction.workshop.outlook import answer_of, first_of, has_regions, kinds_of, questions_of
from epcg_deduction.workshop.puzzle_texts import PuzzleTexts, texts_of_genres, write_puzzle

BOARD, FLOOR, WALL_MARK, REGION = "board", "cell", "wall", "region "
_MOST_REGIONS = 26
_COLOURS = ("#f3d9c9", "#d6e6f2", "#dcebd3", "#f2ecc9", "#e3daf0", "#f2d5df", "#cfe8e4", "#e8e0d0")
_TITLE = re.compile(r"^title[ \t]*=.*$", re.MULTILINE)


class GenreWorkshop:
    """The board of the first puzzle as a canvas."""

    is_whole = True
    """There is no other canvas: puzzles are added in their list."""

    def canvases(self, text: str) -> Sequence[Canvas]:
        return [_canvas(first_of(text))]

    def settings(self, text: str) -> Sequence[Setting]:
        puzzle = first_of(text)
        known = {name: genre_document(name).genre.title for name in shipped()}
        own = puzzle.genre.name if puzzle.genre.name in known else ""
        choices = tuple(known.items()) if own else (("", "a genre of your own"), *known.items())
        return [
            Setting(key="title", title="title", kind="text", value=puzzle.genre.title),
            Setting(
                key="genre", title="genre", kind="choice", value=own, choices=choices,
                help="Another genre begins anew with its text. Write rules of your own in the text pane.",
            ),
        ]  # fmt: skip

    def paint(self, text: str, canvas: str, sites: Sequence[str], mark: str) -> str:
        puzzle = _board_of(text, canvas)
        layout = layout_of(puzzle)
        squares = [_square(layout, site) for site in sites]
        board = puzzle.board
        for square in squares:
            board = _painted(puzzle, board, square, mark)
        return _replaced(text, moved(puzzle, board, board.width))

    def set(self, text: str, canvas: str, key: str, value: Any) -> str:
        if canvas == BOARD:
            puzzle = _board_of(text, canvas)
            if key not in ("columns", "rows") or type(value) is not int:
                raise UnknownNameError("setting", key, ["columns", "rows"], BOARD)
            wide = value if key == "columns" else puzzle.board.width
            high = value if key == "rows" else puzzle.board.height
            return _replaced(text, resized(puzzle, wide, high))
        first_of(text)
        if key == "genre" and value in shipped():
            return texts_of_genres()[value]
        if key == "genre":
            raise UnknownNameError("genre", str(value), shipped(), "genre")
        if key != "title" or not isinstance(value, str):
            raise UnknownNameError("setting", key, ["title", "genre"], "genre")
        line = f"title = {toml_text(value)}"
        head = text.split("[", 1)[0]
        if _TITLE.search(head):
            return _TITLE.sub(lambda _: line, text, count=1)
        return f"{line}\n{text}"

    def add(self, text: str, canvas: str = "") -> str:
        puzzle = _board_of(text, BOARD)
        empty = attrs.evolve(puzzle, clues=(), title="")
        count = len(PuzzleTexts().read(text).pieces)
        return PuzzleTexts().insert(text, count, Piece(format_puzzle(empty)))

    def remove(self, text: str, canvas: str) -> str:
        raise ParamsError("The board stays: take a puzzle away in the list of puzzles.")

    def answer(self, text: str) -> GameAnswer:
        return answer_of(first_of(text))

    def kinds(self, text: str) -> Sequence[PuzzleKind]:
        return kinds_of(first_of(text))

    def questions(self, text: str) -> Sequence[GameQuestion]:
        return questions_of(first_of(text))

    @property
    def takes(self) -> Mapping[str, Literal["game", "parts"]]:
        return {"fair": "game", "clues": "game", "layouts": "game"}

    def made(self, state: Any) -> str:
        return write_puzzle(format_puzzle(state), "")

    def take(self, text: str, states: Sequence[Any]) -> str:
        for state in states:
            count = len(PuzzleTexts().read(text).pieces)
            text = PuzzleTexts().insert(text, count, Piece(format_puzzle(state)))
        return text


def _board_of(text: str, canvas: str) -> Puzzle:
    if canvas != BOARD:
        raise ParamsError(f"A genre has one canvas, its board, and no '{canvas:.40}'.")
    return first_of(text)


def _replaced(text: str, puzzle: Puzzle) -> str:
    """Return a text whose first puzzle is another one."""
    return PuzzleTexts().replace(text, 0, Piece(format_puzzle(puzzle), title=puzzle.title))


def _square(layout: Layout, site: str) -> int:
    for square in range(layout.width * layout.height):
        if layout.square_id(square) == site:
            return square
    raise UnknownNameError("site", site, [layout.square_id(0)], "paint")


def _painted(puzzle: Puzzle, board: Board, square: int, mark: str) -> Board:
    """Return a board after a square is painted. Raises EpcgError for a mark that the genre does not have."""
    kinds = bytearray(board.kinds)
    marks = {each.name for each in _marks(puzzle)}
    if mark != ERASE and mark not in marks:
        raise UnknownNameError("mark", mark, marks, "paint")
    kinds[square] = HOLE if mark == ERASE else WALL if mark == WALL_MARK else CELL
    if CELL not in kinds:
        raise ParamsError("A board has one cell at least.")
    regions = {
        name: [cell for cell in cells if cell != square]
        for name, cells in zip(board.names, board.regions, strict=True)
    }
    if mark.startswith(REGION):
        regions.setdefault(mark.removeprefix(REGION), []).append(square)
    kept = {name: tuple(sorted(cells)) for name, cells in regions.items() if cells}
    return attrs.evolve(board, kinds=bytes(kinds), regions=tuple(kept.values()), names=tuple(kept))


def _marks(puzzle: Puzzle) -> tuple[Mark, ...]:
    found = [Mark(name=FLOOR, title="a cell", colour="#f6efe2", fills=True, key="c")]
    if puzzle.genre.walls or WALL in puzzle.board.kinds:
        found.append(Mark(name=WALL_MARK, title="a wall", colour="#3a342e", fills=True, key="#"))
    if has_regions(puzzle.genre):
        names = list(puzzle.board.names)
        free = (letter_of(number) for number in range(_MOST_REGIONS))
        names += [name for name in free if name not in names][: max(0, min(2, _MOST_REGIONS - len(names)))]
        found = [
            Mark(
                name=f"{REGION}{name}", title=f"region {name}", colour=_COLOURS[number % len(_COLOURS)],
                fills=True, glyph=name,
            )
            for number, name in enumerate(names)
        ] + found  # fmt: skip
    return tuple(found)


def _canvas(puzzle: Puzzle) -> Canvas:
    board = puzzle.board
    layout = layout_of(puzzle)
    painted = {}
    for square, kind in enumerate(board.kinds):
        if kind != HOLE:
            inside = board.region_of.get(square)
            name = (
                WALL_MARK if kind == WALL else FLOOR if inside is None else f"{REGION}{board.names[inside]}"
            )
            painted[layout.square_id(square)] = name
    return Canvas(
        id=BOARD,
        kind=BOARD,
        title="Board",
        subtitle=f"{board.height} by {board.width}, {counted(len(puzzle.clues), 'clue')}",
        sites=square_cells(board.width, board.height),
        painted=painted,
        marks=_marks(puzzle),
        settings=(
            Setting(
                key="columns", title="columns", kind="number", value=board.width, minimum=1, maximum=LARGEST
            ),
            Setting(key="rows", title="rows", kind="number", value=board.height, minimum=1, maximum=LARGEST),
        ),
        note="Clues are put in the puzzles: choose one in the list.",
    )
