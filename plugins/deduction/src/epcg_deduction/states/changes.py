"""Changes of a puzzle: a clue, a wall, another size. Each returns a new puzzle, or says why there is none."""

from __future__ import annotations

from collections.abc import Callable, Iterable

import attrs

from epcg_core.plugin import ParamsError
from epcg_deduction.model.boards import CELL, HOLE, WALL, Board
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import place_name, squares_at

LARGEST = 60
"""The columns and rows of a board that is drawn."""


def in_order(genre: Genre, clues: Iterable[Clue]) -> tuple[Clue, ...]:
    """Return clues sorted by kind, in the genre's order, then by place."""
    order = {name: number for number, name in enumerate(genre.clues)}
    return tuple(sorted(clues, key=lambda clue: (order[clue.kind], clue.place)))


def with_clues(puzzle: Puzzle, clues: Iterable[Clue]) -> Puzzle:
    """Return a puzzle with other clues."""
    return attrs.evolve(puzzle, clues=in_order(puzzle.genre, clues))


def with_clue(puzzle: Puzzle, clue: Clue) -> Puzzle:
    """Return a puzzle with one more clue, in place of one that stands at the same place."""
    on = puzzle.genre.clues[clue.kind].on
    return with_clues(puzzle, [*_elsewhere(puzzle, on, clue.place), clue])


def without_clue(puzzle: Puzzle, on: str, place: int) -> Puzzle:
    """Return a puzzle without the clue at a place."""
    return with_clues(puzzle, _elsewhere(puzzle, on, place))


def _elsewhere(puzzle: Puzzle, on: str, place: int) -> list[Clue]:
    kinds = puzzle.genre.clues
    return [clue for clue in puzzle.clues if (kinds[clue.kind].on, clue.place) != (on, place)]


def with_square(puzzle: Puzzle, square: int, kind: int) -> Puzzle:
    """Return a puzzle in which a square is a cell, a wall or a hole.

    Clues stay where they are said to stand, unless there is no such place any more. Raises ParamsError when
    no cell would be left.
    """
    board = puzzle.board
    if board.kinds[square] == kind:
        return puzzle
    kinds = bytes(kind if at == square else own for at, own in enumerate(board.kinds))
    if CELL not in kinds and puzzle.genre.marks.cells != () and kind == HOLE:
        raise ParamsError("A board has one cell at least.")
    regions, names = _regions(board, lambda cell: cell if kinds[cell] == CELL else None)
    return moved(puzzle, attrs.evolve(board, kinds=kinds, regions=regions, names=names), board.width)


def _regions(
    board: Board, number: Callable[[int], int | None]
) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """Return the regions and names of a board whose squares get other numbers, or None if they go."""
    regions, names = [], []
    for place, cells in enumerate(board.regions):
        kept = tuple(at for at in map(number, cells) if at is not None)
        if kept:
            regions.append(kept)
            names.append(board.names[place] if place < len(board.names) else "")
    return tuple(regions), tuple(names) if board.names else ()


def resized(puzzle: Puzzle, columns: int, rows: int) -> Puzzle:
    """Return a puzzle on a board of another size, cut or grown at the right and below.

    Raises ParamsError for an impossible size, and for boards with regions, which would lack the new cells.
    """
    board = puzzle.board
    if not (1 <= columns <= LARGEST and 1 <= rows <= LARGEST):
        raise ParamsError(f"A board has 1 to {LARGEST} columns and rows, not {columns} by {rows}.")
    if board.regions and (columns > board.width or rows > board.height):
        raise ParamsError(
            "This board is divided into regions, and new cells would be in none: draw a board of that size "
            "in the text, with its regions."
        )

    def number(square: int) -> int | None:
        y, x = divmod(square, board.width)
        return y * columns + x if x < columns and y < rows else None

    kinds = bytearray(columns * rows)
    for square, kind in enumerate(board.kinds):
        at = number(square)
        if at is not None:
            kinds[at] = kind
    if CELL not in kinds:
        raise ParamsError("A board has one cell at least.")
    regions, names = _regions(board, number)
    return moved(puzzle, Board(columns, rows, bytes(kinds), regions, names), columns)


def moved(puzzle: Puzzle, board: Board, width: int) -> Puzzle:
    """Return a puzzle on another board, with the clues whose places it has, by what they are about.

    Args:
        puzzle: the puzzle.
        board: the board, whose squares of equal column and row are those of the puzzle's.
        width: the columns of the board.

    Returns:
        The puzzle; clues without a place are gone.
    """
    old, clues = puzzle.board, []
    for clue in puzzle.clues:
        on = puzzle.genre.clues[clue.kind].on
        place = _place(old, board, on, clue.place, width)
        if place is not None:
            clues.append(attrs.evolve(clue, place=place))
    return with_clues(attrs.evolve(puzzle, board=board), clues)


def _place(old: Board, new: Board, on: str, place: int, width: int) -> int | None:
    """Return the place of a clue on another board; None if it has none there."""

    def square(number: int) -> int:
        y, x = divmod(number, old.width)
        return y * width + x if x < new.width and y < new.height else -1

    if on in ("cells", "walls"):
        at = square(place)
        wanted = CELL if on == "cells" else WALL
        return at if at >= 0 and new.kinds[at] == wanted else None
    if on == "borders":
        pair = tuple(map(square, old.borders[place]))
        return new.borders.index(pair) if pair in new.borders else None
    if on == "lines":
        if place < old.height:
            return place if place < new.height else None
        return new.height + place - old.height if place - old.height < new.width else None
    if on == "sides":
        if place < 2 * old.width:
            side, line = divmod(place, old.width)
            return side * new.width + line if line < new.width else None
        side, line = divmod(place - 2 * old.width, old.height)
        return 2 * new.width + side * new.height + line if line < new.height else None
    if on == "regions":
        name = place_name(old, on, place)
        names = [place_name(new, on, each) for each in range(len(new.regions))]
        return names.index(name) if name in names else None
    first = square(squares_at(old, on, place)[0])
    last = square(squares_at(old, on, place)[-1])
    for each, cells in enumerate(new.stretches):
        if cells[0] == first and (cells[-1] - cells[0] > 0) == (last - first > 0):
            return each
    return None
