"""Genres and puzzles written as texts that read back as the same."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from epcg_core.plugin import EpcgError, toml_text
from epcg_deduction.model.boards import CELL, WALL, Board
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.texts.reader import Document, shipped
from epcg_deduction.texts.values import HOLE, WALL as WALL_SIGN, parsed_value, written_token, written_value

_SIDES = ("top", "bottom", "left", "right")


def write(document: Document, named: bool = False) -> str:
    """Return the text of a genre and puzzles.

    Args:
        document: the genre and its puzzles.
        named: whether a genre that is shipped is named only.

    Returns:
        TOML that reads back as the same.

    Raises:
        EpcgError: a puzzle cannot be written, or the genre is to be named and is not shipped.
    """
    genre = document.genre
    if named and genre.name not in shipped():
        raise EpcgError(f"The genre '{genre.name}' is not shipped, so its text must be written, too.")
    head = f"genre = {toml_text(genre.name)}\n" if named else written_genre(genre)
    return "\n".join([head, *(f"[[puzzles]]\n{written_puzzle(puzzle)}" for puzzle in document.puzzles)])


def written_genre(genre: Genre) -> str:
    """Return the text of a genre without puzzles."""
    lines = [f"title = {toml_text(genre.title)}"]
    if genre.about:
        lines.append(f"about = {_long(genre.about)}")
    lines.append(f"lattice = {toml_text(genre.lattice)}")
    if genre.walls:
        lines.append(f"walls = {toml_text(genre.walls)}")
    lines += ["", "[marks]"]
    marks = genre.marks
    for key, value in (("cells", marks.cells), ("edges", marks.edges), ("links", marks.links)):
        if value:
            lines.append(f"{key} = {toml_text(value if isinstance(value, str) else list(value))}")
    if marks.pieces:
        lines.append("pieces = true")
    for kind in genre.clues.values():
        lines += [
            "",
            f"[clues.{_key(kind.name)}]",
            f"on = {toml_text(kind.on)}",
            f"values = {toml_text(kind.values)}",
        ]
    if genre.numbers:
        lines += ["", "[numbers]", *(f"{_key(name)} = {value}" for name, value in genre.numbers.items())]
    for rule in genre.rules:
        lines += ["", "[[rules]]"]
        lines += [f"{_key(key)} = {_field(value)}" for key, value in rule.fields.items()]
    return "\n".join(lines) + "\n"


def written_puzzle(puzzle: Puzzle) -> str:
    """Return the keys of a puzzle's table.

    Raises:
        EpcgError: a sum stands on a stretch that begins at the border of a board with walls.
    """
    board, genre = puzzle.board, puzzle.genre
    lines = [f"title = {toml_text(puzzle.title)}"] if puzzle.title else []
    lines += [f"{_key(name)} = {value}" for name, value in puzzle.numbers.items()]
    by_place = {on: {clue.place: clue for clue in puzzle.clues if genre.clues[clue.kind].on == on} for on in
                ("cells", "walls", "borders", "lines", "sides", "regions", "stretches")}  # fmt: skip
    beside, in_walls = _sums(board, by_place["stretches"])
    plain = all(kind == CELL for kind in board.kinds)
    drawn = not plain or by_place["cells"] or by_place["walls"]
    if not drawn and not board.regions and not by_place["borders"]:
        lines.append(f"size = [{board.height}, {board.width}]")
    if board.regions:
        lines.append(f"regions = {_drawing(_region_rows(board))}")
    if drawn:
        lines.append(f"drawing = {_drawing(_rows(puzzle, by_place['cells'] | by_place['walls'], in_walls))}")
    if by_place["borders"]:
        lines.append(f"borders = {_drawing(_border_rows(board, by_place['borders']))}")
    lines += _line_lists(puzzle, by_place["lines"], beside)
    kinds = [kind.name for kind in genre.clues.values() if kind.on == "sides"]
    start = 0
    for key, count in zip(_SIDES, (board.width, board.width, board.height, board.height), strict=True):
        if any(start <= place < start + count for place in by_place["sides"]):
            lines.append(f"{key} = {_list(puzzle, kinds, by_place['sides'], range(start, start + count))}")
        start += count
    regions = [kind.name for kind in genre.clues.values() if kind.on == "regions"]
    for name in regions:
        own = {
            board.names[place]: clue.value for place, clue in by_place["regions"].items() if clue.kind == name
        }
        if own:
            pairs = ", ".join(f"{_key(region)} = {_toml(value)}" for region, value in own.items())
            lines.append(f"{'room' if len(regions) == 1 else _key(name)} = {{ {pairs} }}")
    return "\n".join(lines) + "\n"


def _key(name: str) -> str:
    bare = name.isascii() and all(sign.isalnum() or sign in "_-" for sign in name)
    return name if bare and name else toml_text(name)


def _field(value: Any) -> str:
    if isinstance(value, Mapping):
        return "{ " + ", ".join(f"{toml_text(key)} = {toml_text(each)}" for key, each in value.items()) + " }"
    return _long(value) if isinstance(value, str) and "\n" in value else str(toml_text(value))


def _long(text: str) -> str:
    """Return a text of several lines in three quotation marks."""
    if "\n" not in text or "\\" in text or '"""' in text:
        return str(toml_text(text))
    return f'"""\n{text}"""'


def _toml(value: Value) -> str:
    return str(toml_text(written_value(value)))


def _drawing(rows: Sequence[Sequence[str]]) -> str:
    """Return a drawing, with blanks between tokens if one is longer than a sign."""
    width = max(len(token) for row in rows for token in row)
    single = width == 1 and len(rows[0]) != 0
    text = "\n".join(
        "".join(row) if single else " ".join(token.rjust(width) for token in row).rstrip() for row in rows
    )
    quotes = "'''" if "\\" in text else '"""'
    if not single and all(len(row) == 1 for row in rows):  # one token a line needs a blank to be one
        text = "\n".join(f"{row[0]}" for row in rows)
        if width > 1:
            raise EpcgError("A board of one column cannot have clues of several signs in its drawing.")
    return f"{quotes}\n{text}\n{quotes}"


def _rows(puzzle: Puzzle, clues: Mapping[int, Clue], sums: Mapping[int, str]) -> list[list[str]]:
    board, kinds = puzzle.board, puzzle.genre.clues.values()
    found = []
    for square, kind in enumerate(board.kinds):
        token = sums.get(square, "." if kind == CELL else WALL_SIGN if kind == WALL else HOLE)
        if square in clues:
            token = written_token(clues[square].value)
            if kind == WALL and any(parsed_value(own, token) for own in kinds if own.on == "cells"):
                token = WALL_SIGN + token  # it would be read as a clue of a cell
        found.append(token)
    return [found[row * board.width : (row + 1) * board.width] for row in range(board.height)]


def _region_rows(board: Board) -> list[list[str]]:
    found = ["."] * len(board.kinds)
    letters = [name if name.isalpha() else "" for name in board.names]
    free = iter(
        letter for letter in "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ" if letter not in letters
    )
    for cells, name in zip(board.regions, letters, strict=True):
        name = name or next(free, f"r{'x' * len(found)}")
        ordered = list(cells) == sorted(cells)
        for rank, cell in enumerate(cells):
            found[cell] = name if ordered else f"{name}{rank + 1}"
    return [found[row * board.width : (row + 1) * board.width] for row in range(board.height)]


def _border_rows(board: Board, clues: Mapping[int, Clue]) -> list[list[str]]:
    rows = [["."] * (2 * board.width - 1) for _ in range(2 * board.height - 1)]
    for place, clue in clues.items():
        first, second = board.borders[place]
        y, x = divmod(first, board.width)
        right = second == first + 1
        rows[2 * y + (not right)][2 * x + right] = written_token(clue.value)
    return rows


def _sums(board: Board, clues: Mapping[int, Clue]) -> tuple[dict[int, Clue], dict[int, str]]:
    """Return clues of whole lines by the number of the line, and tokens of walls."""
    beside: dict[int, Clue] = {}
    parts: dict[int, list[str]] = {}
    level = [True] * len(board.stretches)
    seen: set[tuple[int, ...]] = set()
    for number, cells in enumerate(board.stretches):
        step = cells[1] - cells[0] if len(cells) > 1 else 0
        level[number] = step == 1 if step else cells not in seen
        seen.add(cells)
    for place, clue in clues.items():
        cells = board.stretches[place]
        before = board.step(cells[0], *((-1, 0) if level[place] else (0, -1)))
        lines = range(board.height) if level[place] else range(board.height, board.height + board.width)
        whole = [line for line in lines if board.lines[line] == cells]
        if before >= 0 and board.kinds[before] == WALL:
            parts.setdefault(before, ["", ""])[level[place]] = written_token(clue.value)
        elif whole:
            beside[whole[0]] = clue
        else:
            raise EpcgError(
                "A sum at the border of the board needs a wall before its stretch: add a row of walls."
            )
    return beside, {square: "\\".join(both) for square, both in parts.items()}


def _line_lists(puzzle: Puzzle, clues: Mapping[int, Clue], sums: Mapping[int, Clue]) -> list[str]:
    board = puzzle.board
    kinds = [kind.name for kind in puzzle.genre.clues.values() if kind.on in ("lines", "stretches")]
    lines = []
    for key, places in (
        ("rows", range(board.height)),
        ("columns", range(board.height, board.height + board.width)),
    ):
        own = {place: clue for place, clue in (*clues.items(), *sums.items()) if place in places}
        if own:
            lines.append(f"{key} = {_list(puzzle, kinds, own, places)}")
    return lines


def _list(puzzle: Puzzle, kinds: Sequence[str], clues: Mapping[int, Clue], places: Sequence[int]) -> str:
    """Return a list beside the board: an entry for each line, of one kind or by kind."""
    lists = {}
    for kind in kinds:
        entries = []
        for place in places:
            clue = clues.get(place)
            shown: Any = "." if clue is None or clue.kind != kind else written_value(clue.value)
            if isinstance(shown, str):
                shown = shown.replace(",", " ")
            entries.append(shown)
        lists[kind] = toml_text(entries)
    if len(kinds) == 1:
        return str(lists[kinds[0]])
    return "{ " + ", ".join(f"{_key(kind)} = {entries}" for kind, entries in lists.items()) + " }"
