"""The evaluator `shape`: what can be said of a shape by itself, and on a board."""

from __future__ import annotations

from typing import Any

import attrs

from epcg_core.plugin import ParamsError, Value
from epcg_tangram import metrics
from epcg_tangram.generators.shapes import Shapes, ShapeState
from epcg_tangram.params import GameRef, ShapeParams
from epcg_tangram.rules.definition import PieceKind
from epcg_tangram.rules.layout import Layout
from epcg_tangram.rules.shapes import facts_of


class ShapeFacts:
    """`symmetries`, `own_mirror_image`, `perimeter`, `holes`, `convexity`, `balance`, `placements`."""

    domain_attributes = ("params",)

    metrics = metrics.SHAPE_FACTS

    def __init__(self, params: ShapeParams, generator: Shapes) -> None:
        self.params = params
        self._board = GameRef(params.board).definition if params.board else None
        if self._board is not None and self._board.lattice is not generator.lattice:
            raise ParamsError(
                f"board: it is one of {self._board.lattice.name}, and the shapes are of "
                f"{generator.lattice.name}."
            )

    def evaluate(self, state: ShapeState) -> tuple[Value | None, ...]:
        found = facts_of(state.lattice, state.cells)
        return (
            found.order,
            found.mirrored,
            found.perimeter,
            found.holes,
            found.convexity,
            found.balance,
            self._placements(state),
        )

    def _placements(self, state: ShapeState) -> int | None:
        if self._board is None:
            return None
        colour = self._board.colours[0].name
        kind = PieceKind("shape", state.cells, state.lattice, colour=colour)
        return len(Layout(attrs.evolve(self._board, pieces=(kind,), wants=())).placements)


def shape_facts(params: ShapeParams, generator: Any, tables: Any = None) -> ShapeFacts:
    """Make the evaluator `shape`. Raises ParamsError for other generators."""
    if not isinstance(generator, Shapes):
        raise ParamsError("Shapes are measured here: choose the generator shapes.")
    return ShapeFacts(params, generator)
