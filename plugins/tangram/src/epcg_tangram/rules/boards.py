"""Boards: pieces that lie on the board of a game."""

from __future__ import annotations

import attrs

from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.params import GameRef


@attrs.frozen
class Board:
    """Pieces on the board of a game, all cells covered or not."""

    game: GameRef
    placements: tuple[int, ...]
    """Numbers in the `placements` of the game's layout."""

    @property
    def layout(self) -> Layout:
        return layout_of(self.game.definition)

    @property
    def pieces(self) -> tuple[tuple[int, tuple[int, ...]], ...]:
        """(piece, cells) of each piece."""
        known = self.layout.placements
        return tuple((known[n].piece, known[n].cells) for n in self.placements)


def excluded_piece(board: Board) -> int | None:
    """Return the number of the first piece that a board does not use; None if it uses all."""
    present = {piece for piece, _ in board.pieces}
    return next((n for n in range(len(board.layout.definition.pieces)) if n not in present), None)


def piece_text(layout: Layout, placement: int) -> str:
    """Write the piece of a placement with its cells: 'corner 0 1 5'."""
    own = layout.placements[placement]
    return f"{layout.definition.names[own.piece]} {' '.join(map(str, own.cells))}"


def piece_texts(board: Board) -> list[str]:
    """Write each piece with its cells."""
    return [piece_text(board.layout, number) for number in board.placements]
