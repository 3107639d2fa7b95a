"""Boards: pieces on a hexagon."""

from __future__ import annotations

import attrs

from epcg_tangram.rules.geometry import PIECE_ORDER, geometry


@attrs.frozen
class Board:
    """Pieces on a hexagon, all cells covered or not."""

    side: int
    placements: tuple[int, ...]
    """Numbers in `geometry(side).placements`."""

    @property
    def pieces(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """(name, cells) of each piece."""
        known = geometry(self.side).placements
        return tuple((PIECE_ORDER[known[n].piece], known[n].cells) for n in self.placements)


def excluded_piece(board: Board) -> int | None:
    """Return the number of the first piece that a board does not use; None if it uses all."""
    present = {name for name, _ in board.pieces}
    return next((number for number, name in enumerate(PIECE_ORDER) if name not in present), None)


def piece_texts(board: Board) -> list[str]:
    """Write each piece with its cells: 'Line 0 1 2 3 4 5', ..."""
    return [f"{name} {' '.join(map(str, cells))}" for name, cells in board.pieces]
