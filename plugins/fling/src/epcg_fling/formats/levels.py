"""Files of published levels: JSON, level by level, each a list of boards.

    {"1": [{"bitboard": 6656, "pieces": 3}, {"bitboard": 557072}], "2": [...]}

`bitboard` has bit `y * width + x` set where a piece lies (row 0 on top); `pieces` is optional and checked;
other keys are ignored. Levels keep the order of the file.
"""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import EpcgError, documents
from epcg_fling.rules.moves import BoardShape


@attrs.frozen
class Level:
    """A level: its name and its boards."""

    name: str
    boards: tuple[int, ...]


def read_levels(path: Path, shape: BoardShape) -> list[Level]:
    """Read the levels of a file, in the file's order.

    Raises EpcgError, naming the level and the board (counted from 1), if something is malformed.
    """
    data = documents.parse_json(documents.read_text(path, "file of levels"), str(path))
    if not isinstance(data, dict) or not data:
        raise EpcgError(f'{path}: expected an object of levels, like {{"1": [{{"bitboard": 6656}}]}}.')
    return [_level(shape, f"{path}: level {name}", name, boards) for name, boards in data.items()]


def _level(shape: BoardShape, where: str, name: str, boards: Any) -> Level:
    if not isinstance(boards, list) or not boards:
        raise EpcgError(f'{where}: expected a list of boards, like [{{"bitboard": 6656}}].')
    return Level(name, tuple(_board(shape, f"{where}, board {i}", b) for i, b in enumerate(boards, start=1)))


def _board(shape: BoardShape, where: str, board: Any) -> int:
    if not isinstance(board, dict) or "bitboard" not in board:
        raise EpcgError(f'{where}: expected an object with a bitboard, like {{"bitboard": 6656}}.')
    bits = board["bitboard"]
    if type(bits) is not int:
        raise EpcgError(f"{where}: the bitboard {json.dumps(bits)} is not a whole number.")
    if not 0 < bits <= shape.full:
        raise EpcgError(
            f"{where}: the bitboard {bits} is not a board of {shape.width} by {shape.height} with a piece or "
            f"more; it must lie between 1 and {shape.full}."
        )
    pieces = board.get("pieces", bits.bit_count())
    if type(pieces) is not int or pieces != bits.bit_count():
        raise EpcgError(
            f"{where}: the bitboard {bits} has {bits.bit_count()} pieces, but the file says "
            f"{json.dumps(pieces)}."
        )
    return bits
