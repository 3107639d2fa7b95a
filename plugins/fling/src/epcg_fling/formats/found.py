"""The space of a board as text: its size is that of the drawing."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

from epcg_core.plugin import EpcgError
from epcg_fling.formats.boards import parse_board
from epcg_fling.params import BoardsParams
from epcg_fling.rules.moves import BoardShape

_ROWS = re.compile(r"[o#.]{2,}([\s/]+[o#.]+)*")
_CELLS = re.compile(r"[0-9]+([\s,]+[0-9]+)*,?")


def find_board(text: str, path: Path | None) -> tuple[dict[str, Any], None] | None:
    """Return the params of the boards with the size and the pieces of a board in text; None for other texts.

    Cells and bitboards, which show no size, are of the game's board. Raises EpcgError for rows of different
    lengths and a board without pieces.
    """
    trimmed = text.strip("/ \t\r\n")
    shape = BoardShape(BoardsParams().width, BoardsParams().height)
    if _ROWS.fullmatch(trimmed):
        rows = re.split(r"[\s/]+", trimmed)
        shape = BoardShape(len(rows[0]), len(rows))
    elif not _CELLS.fullmatch(trimmed):
        return None
    pieces = parse_board(shape, text).bit_count()
    if pieces == 0:
        raise EpcgError("The board has no pieces.")
    return {"width": shape.width, "height": shape.height, "pieces": pieces}, None
