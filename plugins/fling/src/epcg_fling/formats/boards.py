"""Boards as text: rows of cells, or the numbers of the cells with a piece."""

from __future__ import annotations

import re

from epcg_core.plugin import EpcgError
from epcg_fling.rules.moves import BoardShape

PIECES, EMPTY = "o", "."
_LONGEST_NUMBER = 300
"""Digits: more than any bitboard has."""
_ROW = re.compile(r"[o#.]+")
_AROUND = "/ \t\r\n"


def parse_board(shape: BoardShape, text: str) -> int:
    """Read the bitboard that `text` shows, with any number of pieces.

    Rows of 'o' or '#' (a piece) and '.' (empty), separated by line breaks, '/' or blanks; or cells separated
    by commas ("3,17,40"); or the bitboard as a number. Raises EpcgError with a sentence that says what is
    wrong.
    """
    trimmed = text.strip(_AROUND)
    if re.fullmatch(r"[0-9]+", trimmed):
        number = int(trimmed[:_LONGEST_NUMBER])
        if number > shape.full:
            raise EpcgError(
                f"{number} is not a bitboard of {shape.width} by {shape.height}: the largest is {shape.full}."
            )
        return number
    if re.fullmatch(r"[0-9\s,]+", trimmed):
        return _parse_cells(shape, trimmed)
    return _parse_rows(shape, trimmed)


def drawn_rows(text: str) -> list[str]:
    """Return the rows of a drawing as they are, right or wrong; none if `text` is not a drawing."""
    trimmed = text.strip(_AROUND)
    if re.fullmatch(r"[0-9\s,]*", trimmed):
        return []
    if re.search(r"[\n/]", trimmed):  # blanks stand between cells then
        return [re.sub(r"\s+", "", row) for row in re.split(r"[\n/]+", trimmed) if row.strip()]
    return trimmed.split()


def format_board(shape: BoardShape, bits: int) -> str:
    """Write the board as `height` lines of 'o' and '.'."""
    marks = [PIECES if bits >> cell & 1 else EMPTY for cell in range(shape.cells)]
    rows = [marks[start : start + shape.width] for start in range(0, shape.cells, shape.width)]
    return "\n".join("".join(row) for row in rows)


def _parse_cells(shape: BoardShape, text: str) -> int:
    bits = 0
    for part in map(str.strip, text.split(",")):
        if not part:
            continue
        if not re.fullmatch(r"[0-9]{1,9}", part) or int(part) >= shape.cells:
            raise EpcgError(
                f"'{part}' is not a cell of a board of {shape.width} by {shape.height}: cells are "
                f"numbered row by row from 0 to {shape.cells - 1} and separated by commas."
            )
        if bits >> int(part) & 1:
            raise EpcgError(f"The cell {int(part)} is named twice.")
        bits |= 1 << int(part)
    return bits


def _parse_rows(shape: BoardShape, text: str) -> int:
    rows = drawn_rows(text) or [text]
    for number, row in enumerate(rows, start=1):
        if not _ROW.fullmatch(row):
            raise EpcgError(
                f"Row {number}, '{row}', is not a row of a board: write 'o' or '#' for a piece and '.' for "
                "an empty cell, or give the bitboard as a number, or cells separated by commas."
            )
        if len(row) != shape.width:
            raise EpcgError(
                f"Row {number}, '{row}', has {len(row)} cells, but the board is {shape.width} wide."
            )
    if len(rows) != shape.height:
        raise EpcgError(f"There are {len(rows)} rows, but the board is {shape.height} high.")
    return sum(1 << cell for cell, mark in enumerate("".join(rows)) if mark != EMPTY)
