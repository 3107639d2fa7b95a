"""Boards as text: each piece with its cells."""

from __future__ import annotations

import re

from epcg_core.plugin import ParamsError, UnknownNameError
from epcg_tangram.rules.boards import Board, piece_texts
from epcg_tangram.rules.geometry import PIECE_ORDER, geometry


def format_board(board: Board) -> str:
    """Write 'side 3; Line 0 1 2 3 4 5; ...', each piece with its cells, row by row from the top."""
    return "; ".join([f"side {board.side}", *piece_texts(board)])


def parse_board(text: str) -> Board:
    """Read the board that `format_board` wrote. Raises ParamsError."""
    head, *parts = [part.strip() for part in text.split(";")]
    match = re.fullmatch(r"side ([0-9]{1,3})", head)
    if match is None or not 1 <= int(match[1]) <= 12:
        raise ParamsError(f"A board begins with its side, as in 'side 3', not '{head}'.")
    side = int(match[1])
    numbers = {(p.piece, p.cells): number for number, p in enumerate(geometry(side).placements)}
    found = []
    covered: set[int] = set()
    for part in parts:
        name, *cells = part.split() or [""]
        if name not in PIECE_ORDER:
            raise UnknownNameError("piece", name, PIECE_ORDER, "board")
        if not all(re.fullmatch(r"[0-9]{1,9}", cell) for cell in cells):
            raise ParamsError(f"Cells of a board are numbers, not '{' '.join(cells)}'.")
        own = tuple(sorted(map(int, cells)))
        number = numbers.get((PIECE_ORDER.index(name), own))
        if number is None:
            raise ParamsError(
                f"The piece {name} cannot lie on the cells {' '.join(cells)} of a board of side {side}."
            )
        if covered.intersection(own):
            raise ParamsError(f"The piece {name} lies on cells that are covered already.")
        covered.update(own)
        found.append(number)
    return Board(side, tuple(found))
