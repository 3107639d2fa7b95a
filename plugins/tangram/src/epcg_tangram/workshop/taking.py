"""What an answer leads on to: a game of the set or the board that was found, or more pieces of a game."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, Literal

import attrs
import tomlkit

from epcg_core.plugin import ParamsError
from epcg_tangram.design.definition import Definition
from epcg_tangram.design.shapes import canonical, group_for, usual_equality
from epcg_tangram.generators.sets import PieceSet
from epcg_tangram.generators.shapes import ShapeState
from epcg_tangram.generators.variants import BoardShape
from epcg_tangram.texts.piece_tables import numbered
from epcg_tangram.texts.toml_edits import Table, edited
from epcg_tangram.workshop.edits import append_piece, checked, drawing

TAKES: dict[str, Literal["game", "parts"]] = {"sets": "game", "boards": "game", "shapes": "parts"}
"""The generators whose candidates are games, or pieces of one."""


def game_of(state: Any) -> Definition:
    """Return the game of a set of pieces, all of them used, or on a board. Raises ParamsError for others."""
    if isinstance(state, PieceSet):
        own = state.game.definition
        kinds = tuple(attrs.evolve(own.pieces[n], least=most, most=most) for n, most in state.copies.items())
        own = attrs.evolve(own, unused=0)
    elif isinstance(state, BoardShape):
        own = state.definition
        kinds = own.pieces
    else:
        raise ParamsError("This is neither a set of pieces nor a board, so no game is made of it.")
    own = attrs.evolve(own, pieces=kinds)
    colours = tuple(paint for paint in own.colours if paint.name in own.colours_used)
    return attrs.evolve(own, colours=colours)


def with_pieces(text: str, states: Sequence[Any]) -> str:
    """Return the text of a game with more pieces; those that it has already are left out.

    Raises ParamsError if they are no shapes, of another lattice, or all there already.
    """
    found = checked(text)
    lattice = found.lattice
    assert lattice is not None
    group = group_for(lattice, usual_equality(lattice))
    known = {canonical(lattice, kind.shape, group) for kind in found.kinds}
    shapes = []
    for state in states:
        if not isinstance(state, ShapeState):
            raise ParamsError("This is not a shape, and only shapes are pieces of a game.")
        if state.lattice is not lattice:
            raise ParamsError(
                f"The shape is made of {state.lattice.name}, and the game of {lattice.name}: ask for shapes "
                f"of {lattice.name}."
            )
        own = canonical(lattice, state.cells, group)
        if own not in known:
            known.add(own)
            shapes.append(state.cells)
    if not shapes:
        raise ParamsError(
            "The game has these pieces already: it takes more copies of a piece where its number is."
        )

    names = numbered(shapes, {kind.name for kind in found.kinds}, "", lattice)

    def change(document: Table) -> None:
        for name, shape in zip(names, shapes, strict=True):
            table = tomlkit.table()
            table["name"] = name
            table["drawing"] = drawing(lattice, dict.fromkeys(shape, ""))
            append_piece(document, table)

    return edited(text, change)
