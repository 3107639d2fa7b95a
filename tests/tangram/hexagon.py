"""The game that ships, as tests ask for it: the hexagon tangram, of any side."""

from __future__ import annotations

from epcg_tangram.design.definition import PieceKind
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.lattices import LATTICES
from epcg_tangram.params import GameRef
from epcg_tangram.rules.boards import Board

GAME = GameRef()
DEFINITION = GAME.definition
PIECE_ORDER = DEFINITION.names
COLOUR_OF = DEFINITION.colour_numbers
TRIANGLES = LATTICES["triangles"]
TRAPEZOID = "Trapezoid"


def of_side(side: int) -> GameRef:
    """The game on a hexagon of another side."""
    return GameRef(sizes=(side,))


def geometry(side: int) -> Layout:
    return layout_of(of_side(side).definition)


def piece(name: str) -> PieceKind:
    return DEFINITION.pieces[PIECE_ORDER.index(name)]


def named(board: Board) -> list[str]:
    """The names of a board's pieces."""
    return [PIECE_ORDER[number] for number, _ in board.pieces]
