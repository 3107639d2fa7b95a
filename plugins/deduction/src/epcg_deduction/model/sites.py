"""The sites of a puzzle, the names of their marks, and the words for places."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence

from epcg_core.plugin import EpcgError
from epcg_deduction.model.boards import Board, Site
from epcg_deduction.model.genre import ClueKind, Genre
from epcg_deduction.model.puzzles import Clue, Puzzle, Value

ARROWS: Mapping[str, tuple[int, int]] = {"up": (0, -1), "down": (0, 1), "left": (-1, 0), "right": (1, 0)}
"""The four directions as steps of (columns, rows)."""
DERIVED = ("on", "straight", "turn", "end")
"""Marks of a cell that follow from its links."""
MOST_LISTED = 5_000
"""The most values of a clue that are listed."""
LAYERS = ("cells", "edges", "links", "borders")
SIZE_OF_REGION = "size of region"
_SPAN = re.compile(r"(\w*)\s*\.\.\s*(\w*)")


# ---- numbers that have a name


def names_of_numbers(genre: Genre, board: Board, given: Mapping[str, int]) -> dict[str, int]:
    """Return what the names of numbers stand for: those of the board, of the genre, then those given.

    Args:
        genre: the genre, whose own numbers come before those of the board.
        board: the board, which has a `width`, a `height`, a `side` (the larger of both), an `area` (the
            number of its cells), and `n`, which is its side.
        given: the numbers that a puzzle gives.

    Returns:
        A number for each name.
    """
    side = max(board.width, board.height)
    own = {"width": board.width, "height": board.height, "side": side, "n": side, "area": len(board.cells)}
    return {**own, **genre.numbers, **given}


def numbers_of(puzzle: Puzzle) -> dict[str, int]:
    """Return what the names of numbers stand for in a puzzle."""
    return names_of_numbers(puzzle.genre, puzzle.board, puzzle.numbers)


def number(word: str | int, names: Mapping[str, int]) -> int:
    """Return the number that a word stands for. Raises EpcgError if it stands for none."""
    if isinstance(word, int):
        return word
    if re.fullmatch(r"-?\d+", word):
        return int(word)
    if word not in names:
        known = ", ".join(sorted(names))
        raise EpcgError(f"'{word}' is not a number. Names of numbers are {known}; a puzzle can give others.")
    return names[word]


def is_span(text: str) -> bool:
    """Return whether a text is a number, or has two dots between the bounds of one."""
    return _SPAN.fullmatch(text.strip()) is not None or re.fullmatch(r"-?\d+|[A-Za-z]\w*", text) is not None


def is_numeric(values: str) -> bool:
    """Return whether the values of a kind of clues are numbers: two dots are between their bounds."""
    return ".." in values and not values.startswith("arrows")


def span(text: str | int, names: Mapping[str, int]) -> tuple[int, int | None]:
    """Return the least and the largest number of "a..b", "..b", "a.." or "a"; None: as large as you like."""
    found = _SPAN.fullmatch(text.strip()) if isinstance(text, str) else None
    if found is None:
        exact = number(text, names)
        return exact, exact
    low = number(found[1], names) if found[1] else 0
    return low, number(found[2], names) if found[2] else None


# ---- sites and marks


def sites_of(puzzle: Puzzle) -> tuple[Site, ...]:
    """Return where the solver writes marks: cells, then edges, links and borders."""
    board, marks = puzzle.board, puzzle.genre.marks
    cells = board.cells if marks.cells else ()
    counts = (
        len(board.edges) if marks.edges else 0,
        len(board.borders) if marks.links else 0,
        len(board.borders) if marks.pieces else 0,
    )
    rest = (
        Site(layer, place) for layer, count in zip(LAYERS[1:], counts, strict=True) for place in range(count)
    )
    return (*(Site("cells", cell) for cell in cells), *rest)


def marks_of(puzzle: Puzzle) -> tuple[tuple[str, ...], ...]:
    """Return the names of the marks of each site, in the order of `sites_of`."""
    marks = puzzle.genre.marks
    others = {"edges": marks.edges, "links": marks.links, "borders": ("border", "none")}
    names = numbers_of(puzzle)
    return tuple(
        cell_marks(puzzle, site.place, names) if site.layer == "cells" else others[site.layer]
        for site in sites_of(puzzle)
    )


def cell_marks(puzzle: Puzzle, cell: int, names: Mapping[str, int] | None = None) -> tuple[str, ...]:
    """Return the names of the marks that a cell can have: names, or digits from 1 on."""
    cells = puzzle.genre.marks.cells
    if not isinstance(cells, str):
        return cells
    board = puzzle.board
    if SIZE_OF_REGION in cells:
        inside = board.region_of.get(cell)
        size = 1 if inside is None else len(board.regions[inside])
        low, high = span(cells.replace(SIZE_OF_REGION, str(size)), {})
    else:
        low, high = span(cells, numbers_of(puzzle) if names is None else names)
    assert high is not None
    return tuple(str(digit) for digit in range(low, high + 1))


# ---- places of clues


def places_of(board: Board, on: str) -> tuple[int, ...]:
    """Return the places where a kind of clues that stands `on` these can stand."""
    if on in ("cells", "walls"):
        return board.cells if on == "cells" else board.walls
    counts = {
        "borders": board.borders,
        "lines": board.lines,
        "sides": board.sides,
        "regions": board.regions,
        "stretches": board.stretches,
    }
    return tuple(range(len(counts[on])))


def squares_at(board: Board, on: str, place: int) -> tuple[int, ...]:
    """Return the squares that a clue at a place is about, in their order."""
    if on in ("cells", "walls"):
        return (place,)
    lists: Mapping[str, Sequence[tuple[int, ...]]] = {
        "borders": board.borders,
        "lines": board.lines,
        "sides": board.sides,
        "regions": board.regions,
        "stretches": board.stretches,
    }
    return lists[on][place]


def values_at(puzzle: Puzzle, kind: ClueKind, place: int) -> tuple[Value, ...] | None:
    """Return the values that a clue of a kind can have at a place; None: too many to list, or lists.

    A sign of direction fits a border whose cells lie that way only. A clue without a number is not among
    them.
    """
    board, values = puzzle.board, kind.values
    if values == "lists":
        return None
    arrows = values.startswith("arrows")
    if arrows or is_numeric(values):
        low, high = span(values.removeprefix("arrows").strip() or "0..", numbers_of(puzzle))
        if high is None or high - low >= MOST_LISTED:
            return None
        found = range(low, high + 1)
        return tuple((way, count) for way in ARROWS for count in found) if arrows else tuple(found)
    if kind.on == "borders":
        level = board.borders[place][1] == board.borders[place][0] + 1
        return tuple(sign for sign in values if sign not in ("^v" if level else "<>"))
    return tuple(values)


def admits(puzzle: Puzzle, kind: ClueKind, place: int, value: Value) -> bool:
    """Return whether a clue of a kind can have a value at a place."""
    if value is None:
        return kind.values != "lists" and (kind.values.startswith("arrows") or is_numeric(kind.values))
    if kind.values == "lists":
        return isinstance(value, tuple) and all(isinstance(part, int) for part in value)
    arrows = kind.values.startswith("arrows")
    if not arrows and not is_numeric(kind.values):
        return value in (values_at(puzzle, kind, place) or ())
    if arrows:
        value = value[1] if isinstance(value, tuple) and len(value) == 2 and value[0] in ARROWS else None
    low, high = span(kind.values.removeprefix("arrows").strip() or "0..", numbers_of(puzzle))
    return isinstance(value, int) and low <= value and (high is None or value <= high)


# ---- words


def square_name(board: Board, square: int) -> str:
    """Return the row and column of a square, such as 'r1c4'."""
    y, x = divmod(square, board.width)
    return f"r{y + 1}c{x + 1}"


def squares_name(board: Board, squares: Sequence[int]) -> str:
    """Return the names of a few squares."""
    names = [square_name(board, square) for square in squares]
    return " and ".join((", ".join(names[:-1]), names[-1])) if len(names) > 1 else "".join(names)


def line_name(board: Board, line: int) -> str:
    """Return 'row 2' or 'column 1' for the number of a line."""
    return f"row {line + 1}" if line < board.height else f"column {line - board.height + 1}"


def place_name(board: Board, on: str, place: int) -> str:
    """Return where a clue stands, such as 'r1c4', 'row 2' or 'region a'."""
    if on in ("cells", "walls"):
        return square_name(board, place)
    if on == "lines":
        return line_name(board, place)
    if on == "sides":
        width, height = board.width, board.height
        for side, start, count, what in (
            ("top", 0, width, "column"),
            ("bottom", width, width, "column"),
            ("left", 2 * width, height, "row"),
            ("right", 2 * width + height, height, "row"),
        ):
            if start <= place < start + count:
                return f"{what} {place - start + 1} from the {side}"
    if on == "regions":
        return f"region {board.names[place]}" if place < len(board.names) else f"region {place + 1}"
    squares = squares_at(board, on, place)
    if on == "stretches":
        first, last = square_name(board, squares[0]), square_name(board, squares[-1])
        return f"{first} to {last}" if first != last else first
    return squares_name(board, squares)


def value_text(value: Value) -> str:
    """Return a clue's value as people write it: '3', '2 1', '>2', '?' for a clue without a number."""
    if value is None:
        return "?"
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], str):
        return f"{dict(zip(ARROWS, '^v<>', strict=True))[value[0]]}{value[1]}"
    return " ".join(map(str, value)) or "0"


def clue_name(puzzle: Puzzle, clue: Clue) -> str:
    """Return what a person would point at, such as 'the clue 2 in r1c4'."""
    on = puzzle.genre.clues[clue.kind].on
    word = {"lines": "of", "sides": "at", "regions": "of", "borders": "between", "stretches": "of"}.get(
        on, "in"
    )
    return f"the clue {value_text(clue.value)} {word} {place_name(puzzle.board, on, clue.place)}"
