"""Addresses of puzz.link: https://puzz.link/p?GENRE/COLUMNS/ROWS/BODY.

The form of Slitherlink, Nurikabe, Masyu and Akari was compared with its own reader and writer; Kuromasu,
Shikaku, Fillomino, Sudoku, Numberlink and Yajilin use the same bodies by its published source. Former names
are read, too. A name may end in `_edit` or `_play`. A part before the columns that is not a number holds
flags, and `v:NAME` names a variant: both change the rules, so that they are refused.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Mapping, Sequence

import attrs

from epcg_core.plugin import EpcgError, UnknownNameError
from epcg_deduction.exchange.bodies import ARROWED, CIRCLES, EMPTY, FOUR, NUMBERS, Body, Cell, Signs
from epcg_deduction.model.boards import CELL, WALL, Board
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import admits, square_name, value_text
from epcg_deduction.texts import genre_document
from epcg_deduction.texts.board_tables import MOST_CELLS

HOST = "https://puzz.link/p?"
_CIRCLES = ("white", "black")


@attrs.frozen
class Kind:
    """How a genre is written: its name in addresses, its body, and the kind of clues ('' for circles)."""

    name: str
    body: Body
    clues: str
    former: tuple[str, ...] = ()


KINDS: Mapping[str, Kind] = {
    "slitherlink": Kind("slither", FOUR, "n", ("slitherlink",)),
    "nurikabe": Kind("nurikabe", NUMBERS, "area"),
    "masyu": Kind("mashu", CIRCLES, "", ("masyu", "pearl")),
    "akari": Kind("akari", FOUR, "n", ("lightup", "bijutsukan")),
    "kuromasu": Kind("kurodoko", NUMBERS, "n"),
    "shikaku": Kind("shikaku", NUMBERS, "n"),
    "fillomino": Kind("fillomino", NUMBERS, "given"),
    "sudoku": Kind("sudoku", NUMBERS, "given"),
    "numberlink_free": Kind("numlin", NUMBERS, "n"),
    "yajilin": Kind("yajilin", ARROWED, "n"),
}
"""By our name of the genre. Numberlink is there the one in which cells may stay empty."""
_BY_NAME = {name: ours for ours, kind in KINDS.items() for name in (kind.name, *kind.former)}
_BOXES = {4: (2, 2), 6: (2, 3), 9: (3, 3), 16: (4, 4)}
"""Rows and columns of a box of Sudoku by the side of the board."""
_ADDRESS = re.compile(r"https?://[\w.-]*(puzz\.link|pzv\.jp|pzprxs)[\w./-]*\?\S+")


def is_address(text: str) -> bool:
    """Return whether a text is an address of puzz.link, or of a site with its forms."""
    return _ADDRESS.fullmatch(text.strip()) is not None


def read_address(text: str) -> Puzzle:
    """Return the puzzle of an address.

    Args:
        text: the address, or what stands after its question mark.

    Returns:
        A puzzle of a genre that is shipped.

    Raises:
        EpcgError: the genre is not known, or the address has a fault, whose column is named.
    """
    address = text.strip()
    start = address.find("?") + 1
    parts = _parts(address, start)
    (_, name), rest = parts[0], parts[1:]
    name = re.sub(r"_(edit|play)$", "", name)
    if name not in _BY_NAME:
        raise EpcgError(_sentence(UnknownNameError("genre of puzz.link", name, _BY_NAME)))
    while rest and not rest[0][1].isdigit():
        column, flag = rest.pop(0)
        if flag:
            what = f"the variant '{flag[2:]}'" if flag.startswith("v:") else f"the flag '{flag}'"
            raise EpcgError(
                f"Column {column + 1} of the address: {what} changes the rules, and is not known here."
            )
    if len(rest) < 2 or not rest[1][1].isdigit():
        raise EpcgError("The address does not say how large the board is: GENRE/COLUMNS/ROWS/BODY.")
    width, height = int(rest[0][1][:6]), int(rest[1][1][:6])
    if not 0 < width * height <= MOST_CELLS:
        raise EpcgError(f"The board has {width * height:,} cells; 1 to {MOST_CELLS:,} are possible.")
    column, body = rest[2] if len(rest) > 2 else (len(address), "")
    genre = _BY_NAME[name]
    cells = list(KINDS[genre].body.read(Signs(body, column + 1)))
    over = [cell for cell in cells[width * height :] if cell != EMPTY]
    if over:
        raise EpcgError(
            f"The address has {len(over)} more clues than the board of {width} by {height} can hold."
        )
    return puzzle_of(genre, width, height, cells[: width * height])


def _parts(address: str, start: int) -> list[tuple[int, str]]:
    """Return the parts between slashes with their columns, from 0."""
    found, at = [], start
    for part in address[start:].split("/"):
        found.append((at, part))
        at += len(part) + 1
    return found


def _sentence(error: EpcgError) -> str:
    said = str(error)
    return said[:1].upper() + said[1:]


def puzzle_of(
    name: str, width: int, height: int, cells: Sequence[Cell], place: Callable[[int], str] | None = None
) -> Puzzle:
    """Return the puzzle of cells.

    Args:
        name: our name of a genre in KINDS.
        width: columns of the board.
        height: rows of the board.
        cells: its cells, row by row; what a number means is up to the genre.
        place: says where a square stands in the source; default: its row and column.

    Returns:
        A puzzle of the shipped genre.

    Raises:
        EpcgError: a number is outside its range, or the board of a Sudoku has no boxes.
    """
    genre, kind = genre_document(name).genre, KINDS[name]
    given = {square: cell for square, cell in enumerate(cells) if cell != EMPTY}
    walls = genre.clues[kind.clues].on == "walls" if kind.clues else False
    kinds = bytes(WALL if walls and square in given else CELL for square in range(width * height))
    regions, names = boxes(width, height) if name == "sudoku" else ((), ())
    puzzle = Puzzle(genre, Board(width, height, kinds, regions, names))
    clues = []
    for square, cell in given.items():
        clue = _clue(kind, square, cell)
        if clue is None or (walls and cell is None):
            continue  # a plain wall
        if not admits(puzzle, genre.clues[clue.kind], square, clue.value):
            where = square_name(puzzle.board, square) if place is None else place(square)
            raise EpcgError(
                f"{value_text(clue.value)} in {where} is not a clue of {genre.title} on this board."
            )
        clues.append(clue)
    order = list(genre.clues)
    clues.sort(key=lambda clue: (order.index(clue.kind), clue.place))
    return attrs.evolve(puzzle, clues=tuple(clues))


def _clue(kind: Kind, square: int, cell: Cell) -> Clue | None:
    if kind.clues:
        return Clue(kind.clues, square, cell)
    return Clue(_CIRCLES[cell - 1], square, "WB"[cell - 1]) if isinstance(cell, int) else None


def boxes(width: int, height: int) -> tuple[tuple[tuple[int, ...], ...], tuple[str, ...]]:
    """Return the boxes of a Sudoku. Raises EpcgError if its side has none."""
    if width != height or width not in _BOXES:
        sides = ", ".join(map(str, _BOXES))
        raise EpcgError(
            f"A Sudoku of {width} by {height} has no boxes that are known here: sides are {sides}."
        )
    rows, columns = _BOXES[width]
    boxes: dict[int, list[int]] = {}
    for square in range(width * height):
        y, x = divmod(square, width)
        boxes.setdefault(y // rows * (width // columns) + x // columns, []).append(square)
    regions = tuple(map(tuple, boxes.values()))
    return regions, tuple("abcdefghijklmnop"[: len(regions)])


def write_address(puzzle: Puzzle) -> str:
    """Return the address of a puzzle.

    Raises:
        EpcgError: the genre has no address here, or the board has what an address cannot hold.
    """
    name, board = shipped_name(puzzle.genre), puzzle.board
    kind, cells = KINDS[name], cells_of(puzzle, "An address of puzz.link")
    if name == "sudoku" and {frozenset(own) for own in board.regions} != {
        frozenset(own) for own in boxes(board.width, board.height)[0]
    }:
        raise EpcgError("An address of puzz.link holds a Sudoku with the usual boxes only.")
    body = kind.body.write(cells)
    ending = "" if not body or body[-1].isalnum() else "/"
    return f"{HOST}{kind.name}/{board.width}/{board.height}/{body}{ending}"


def cells_of(puzzle: Puzzle, form: str) -> list[Cell]:
    """Return the cells of a puzzle of a genre in KINDS, row by row.

    Args:
        puzzle: the puzzle.
        form: what is written, as the beginning of a sentence.

    Returns:
        Clues as numbers, arrows, or None without a number; None is a plain wall, too.

    Raises:
        EpcgError: the board has holes, or walls that are no clues of the genre.
    """
    kind = KINDS[puzzle.genre.name]
    walls = kind.clues != "" and puzzle.genre.clues[kind.clues].on == "walls"
    if any(own != CELL and not (walls and own == WALL) for own in puzzle.board.kinds):
        raise EpcgError(f"{form} cannot hold a board with holes or walls of this genre.")
    cells: list[Cell] = [None if own == WALL else EMPTY for own in puzzle.board.kinds]
    for clue in puzzle.clues:
        if kind.clues in ("", clue.kind):
            cells[clue.place] = _cell(clue.value) if kind.clues else 1 + _CIRCLES.index(clue.kind)
    return cells


def _cell(value: Value) -> Cell:
    if isinstance(value, tuple):
        way, number = value[0], value[-1]
        if isinstance(way, str) and isinstance(number, int):
            return way, number
    if isinstance(value, int | None):
        return value
    raise EpcgError(f"{value_text(value)} cannot be written in an address.")


def shipped_name(
    genre: Genre, form: str = "address of puzz.link", others: str = "puzz.link", genres: Iterable[str] = KINDS
) -> str:
    """Return the name of the shipped genre that a genre is.

    Args:
        genre: the genre.
        form: what is written, for a sentence.
        others: whose rules they are, for a sentence.
        genres: our names of the genres that have this form.

    Returns:
        Its name, in KINDS.

    Raises:
        EpcgError: it does not have this form, or has other rules.
    """
    if genre.name not in genres:
        known = ", ".join(genres)
        raise EpcgError(f"{genre.title} has no {form} here: these genres have one: {known}.")
    known_rules = genre_document(genre.name).genre
    if (genre.marks, genre.rules) != (known_rules.marks, known_rules.rules):
        raise EpcgError(
            f"The rules of '{genre.name}' are not those that {others} has: it would show another puzzle."
        )
    return genre.name
