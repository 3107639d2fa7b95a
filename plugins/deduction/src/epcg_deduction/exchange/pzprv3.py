"""Files in the form pzprv3, which programs of the family of puzz.link keep.

A file has rows, each on a line or before a `/`: the form's name, the genre, ROWS, COLUMNS, then the cells and
the marks of a solution. Marks are read over; what is written has none. A row of letters before the cells
holds flags, which change the rules, so that it is refused. Behind the board may stand `info:` and `history:`
with JSON.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Mapping

import attrs

from epcg_core.plugin import EpcgError, UnknownNameError
from epcg_deduction.exchange.bodies import EMPTY, Cell
from epcg_deduction.exchange.puzzlink import KINDS, cells_of, puzzle_of, shipped_name
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import square_name
from epcg_deduction.texts.board_tables import MOST_CELLS

FORM = "pzprv3"
_HEAD = re.compile(r"\s*pzprv3(\.\d+)?\s*[\n/]")
_BEHIND = re.compile(r"(?:^|[\n/])[ \t]*(?=(?:info|history)[ \t]*:)")
_NUMBER = re.compile(r"[0-9]{1,6}")
_LINES = ("-1", "0", "1")
"""A cross, nothing, a line."""
_CELL_NOTES = ("0", "1", "2")


@attrs.frozen
class _Part:
    """Rows of marks behind the cells: more of them than the board has, more columns, and possible signs."""

    rows: int
    columns: int
    signs: tuple[str, ...]
    since: str = FORM


@attrs.frozen
class _Layout:
    """How a genre is kept: its names, first the one that is written, marks of cells, and the parts behind."""

    names: tuple[str, ...]
    marks: str = ""
    parts: tuple[_Part, ...] = ()
    version: str = FORM


_LAYOUTS: Mapping[str, _Layout] = {
    "slitherlink": _Layout(
        ("slither", "slitherlink"),
        parts=(_Part(0, 0, _CELL_NOTES, "pzprv3.1"), _Part(0, 1, _LINES), _Part(1, 0, _LINES)),
        version="pzprv3.1",
    ),
    "nurikabe": _Layout(("nurikabe",), marks="#+"),
    "masyu": _Layout(("mashu", "masyu", "pearl"), parts=(_Part(0, -1, _LINES), _Part(-1, 0, _LINES))),
    "akari": _Layout(("lightup", "akari", "bijutsukan"), marks="#+"),
}
_BY_NAME = {name: ours for ours, layout in _LAYOUTS.items() for name in layout.names}


def is_file(text: str) -> bool:
    """Return whether a text begins like a file of this form."""
    return _HEAD.match(text) is not None


class _Rows:
    """The rows of a file, taken one by one; faults name the row."""

    def __init__(self, text: str) -> None:
        self.unit = "part between slashes" if "/" in text else "line"
        self._rows = [row.strip() for row in re.split(r"[\n/]", text)]
        while self._rows and not self._rows[-1]:
            self._rows.pop()
        self.at = 0

    def __len__(self) -> int:
        """Return how many rows are left."""
        return len(self._rows) - self.at

    def next(self) -> str:
        return self._rows[self.at]

    def take(self, what: str) -> str:
        """Return the next row. Raises EpcgError if there is none."""
        self.at += 1
        if self.at > len(self._rows):
            raise self.fault(f"{what} should stand here, but the board ends before it")
        return self._rows[self.at - 1]

    def place(self, row: int) -> str:
        return f"{self.unit} {row} of the file"

    def fault(self, said: str) -> EpcgError:
        """Return an error about the row that was taken last."""
        place = self.place(self.at)
        return EpcgError(f"{place[:1].upper()}{place[1:]}: {said}.")


def read_file(text: str) -> Puzzle:
    """Return the puzzle of a file; marks of a solution are read over.

    Args:
        text: the content of the file.

    Returns:
        A puzzle of a genre that is shipped.

    Raises:
        EpcgError: the genre is not known here, or the file has a fault, whose row is named.
    """
    text = text.replace("\r\n", "\n")
    behind = _BEHIND.search(text)
    rows = _Rows(text if behind is None else text[: behind.start()])
    version = rows.take("'pzprv3'")
    if version not in (FORM, "pzprv3.1"):
        raise rows.fault(f"'pzprv3' or 'pzprv3.1' should stand here, not '{version[:20]}'")
    name = rows.take("the genre")
    if name not in _BY_NAME:
        raise rows.fault(str(UnknownNameError("genre of a file pzprv3", name[:40], _BY_NAME)).rstrip("."))
    ours = _BY_NAME[name]
    height, width = _size(rows, "rows"), _size(rows, "columns")
    if not 0 < width * height <= MOST_CELLS:
        raise rows.fault(f"the board has {width * height:,} cells; 1 to {MOST_CELLS:,} are possible")
    if len(rows) and re.fullmatch("[a-z]+", rows.next()):
        flag = rows.take("")
        raise rows.fault(f"the flag '{flag[:20]}' changes the rules, and is not known here")
    puzzle = _board(rows, ours, width, height)
    if len(rows):
        _marks(rows, _LAYOUTS[ours], version, width, height)
    if len(rows):
        rows.take("")
        raise rows.fault("the board should end here")
    if behind is not None:
        _check_behind(text[behind.end() :])
    return puzzle


def _size(rows: _Rows, what: str) -> int:
    found = rows.take(f"the number of {what}")
    if not _NUMBER.fullmatch(found):
        raise rows.fault(f"the number of {what} should stand here, not '{found[:20]}'")
    return int(found)


def _board(rows: _Rows, name: str, width: int, height: int) -> Puzzle:
    """Return the puzzle of the rows of cells; a board of which no row is there is empty."""
    cells: list[Cell] = []
    first = rows.at
    while len(cells) < width * height and (cells or len(rows)):
        signs = _signs(rows, f"row {len(cells) // width + 1} of the cells", width)
        cells += [_cell(rows, name, sign) for sign in signs]

    def place(square: int) -> str:
        where = rows.place(first + square // width + 1)
        return f"{square_name(puzzle_of(name, width, height, ()).board, square)} ({where})"

    return puzzle_of(name, width, height, cells, place)


def _signs(rows: _Rows, what: str, count: int) -> list[str]:
    """Return the signs of the next row. Raises EpcgError if there are more or fewer."""
    signs = rows.take(what).split()
    if len(signs) != count:
        raise rows.fault(f"{what} should have {count} signs with a blank behind each, not {len(signs)}")
    return signs


def _cell(rows: _Rows, name: str, sign: str) -> Cell:
    if sign == "." or sign in _LAYOUTS[name].marks:
        return EMPTY
    circles = not KINDS[name].clues
    if sign == "-" and not circles:
        return None
    if not _NUMBER.fullmatch(sign) or (circles and sign not in "12"):
        raise rows.fault(f"'{sign[:20]}' means nothing in a cell of this genre")
    return int(sign)


def _marks(rows: _Rows, layout: _Layout, version: str, width: int, height: int) -> None:
    """Read over the marks of a solution. Raises EpcgError if their form is not right."""
    for part in layout.parts:
        if part.since > version:
            continue
        for row in range(height + part.rows):
            count = width + part.columns
            for sign in _signs(rows, f"row {row + 1} of marks", count):
                if sign not in part.signs:
                    known = ", ".join(part.signs)
                    raise rows.fault(f"'{sign[:20]}' cannot stand here: possible are {known}")


def _check_behind(text: str) -> None:
    """Raise EpcgError unless a text is `info:` and `history:`, each with an object in JSON."""
    decoder, left = json.JSONDecoder(), text
    while left:
        name, _, left = left.partition(":")
        if name.strip() not in ("info", "history"):
            raise EpcgError(
                f"Behind the board should stand 'info:' or 'history:' or nothing, not '{name[:20].strip()}'."
            )
        left = left.lstrip()
        try:
            found, end = decoder.raw_decode(left)
        except (ValueError, RecursionError) as error:
            raise EpcgError(f"What stands behind '{name.strip()}:' in the file is not JSON.") from error
        if not isinstance(found, dict):
            raise EpcgError(f"What stands behind '{name.strip()}:' in the file is not an object in JSON.")
        left = left[end:].strip().lstrip("/").strip()


def write_file(puzzle: Puzzle) -> str:
    """Return the file of a puzzle, without marks.

    Raises:
        EpcgError: the genre has no such file here, or the board has what a file cannot hold.
    """
    name, board = shipped_name(puzzle.genre, "file pzprv3", "the family of puzz.link", _LAYOUTS), puzzle.board
    layout, cells = _LAYOUTS[name], cells_of(puzzle, "A file pzprv3")
    lines = [layout.version, layout.names[0], str(board.height), str(board.width)]
    for start in range(0, len(cells), board.width):
        lines.append(
            _row("." if cell == EMPTY else _sign(cell) for cell in cells[start : start + board.width])
        )
    for part in layout.parts:
        lines += [_row("0" for _ in range(board.width + part.columns))] * (board.height + part.rows)
    return "\n".join(lines) + "\n"


def _row(signs: Iterable[str]) -> str:
    return "".join(f"{sign} " for sign in signs)


def _sign(cell: Cell) -> str:
    return "-" if cell is None else str(cell)
