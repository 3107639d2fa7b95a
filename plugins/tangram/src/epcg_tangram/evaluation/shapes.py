"""The evaluators `shape` and `places`: what can be said of a shape by itself, and on a board."""

from __future__ import annotations

from typing import Any

import attrs

from epcg_core.plugin import NoParams, ParamsError, Value
from epcg_tangram import metrics
from epcg_tangram.design.definition import PieceKind
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import facts_of
from epcg_tangram.generators.shapes import Shapes, ShapeState
from epcg_tangram.params import GameRef, PlacesParams


class ShapeFacts:
    """`symmetries`, `own_mirror_image`, `perimeter`, `holes`, `convexity`, `balance`."""

    metrics = metrics.SHAPE_FACTS

    def evaluate(self, state: ShapeState) -> tuple[Value, ...]:
        found = facts_of(state.lattice, state.cells)
        return (
            found.order,
            found.mirrored,
            found.perimeter,
            found.holes,
            found.convexity,
            found.balance,
        )


class Places:
    """`placements`: the places of a shape on the board of a game."""

    domain_attributes = ("params",)

    metrics = (metrics.PLACEMENTS,)

    def __init__(self, params: PlacesParams, generator: Shapes) -> None:
        self.params = params
        self._board = GameRef(params.board).definition
        if self._board.lattice is not generator.lattice:
            raise ParamsError(
                f"board: it is one of {self._board.lattice.name}, and the shapes are of "
                f"{generator.lattice.name}."
            )

    def evaluate(self, state: ShapeState) -> tuple[int]:
        kind = PieceKind("shape", state.cells, state.lattice, colour=self._board.colours[0].name)
        return (len(Layout(attrs.evolve(self._board, pieces=(kind,), marks=())).placements),)


def _shapes_only(generator: Any) -> Shapes:
    if not isinstance(generator, Shapes):
        raise ParamsError("Shapes are measured here: choose the generator shapes.")
    return generator


def shape_facts(params: NoParams, generator: Any, tables: Any = None) -> ShapeFacts:
    """Make the evaluator `shape`. Raises ParamsError for other generators."""
    _shapes_only(generator)
    return ShapeFacts()


def places(params: PlacesParams, generator: Any, tables: Any = None) -> Places:
    """Make the evaluator `places`.

    Raises ParamsError for other generators, or for a board of another lattice.
    """
    return Places(params, _shapes_only(generator))
