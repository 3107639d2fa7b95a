"""The four inference rules of an instance: two filters, and two answers about empty regions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from functools import cache
from typing import Any

from epcg_core.plugin import Answer, NoParams
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID, geometry
from epcg_tangram.rules.model import LARGE, SMALL, Position, placements_by_cell

_TRAPEZOID = PIECE_ORDER.index(TRAPEZOID)


class OnePlacement:
    """Rule 1, a filter: a piece with one legal placement is placed, the lowest such piece first."""

    def keep(self, state: Position, actions: Sequence[int]) -> Sequence[int]:
        """Keep the placement that is forced, or all."""
        if not state.all_must_be_placed:
            return actions
        counts = Counter(map(state.piece, actions))
        forced = min((piece for piece, count in counts.items() if count == 1), default=None)
        return actions if forced is None else [a for a in actions if state.piece(a) == forced]


class OnePiece:
    """Rule 2, a filter: a cell that only one piece can cover decides that piece, the lowest such cell."""

    def keep(self, state: Position, actions: Sequence[int]) -> Sequence[int]:
        """Keep the placements of the deciding piece that cover the cell, or all."""
        covering = placements_by_cell(state, actions)
        for cell in sorted(covering):
            if len(set(map(state.piece, covering[cell]))) == 1:
                return covering[cell]
        return actions


def region_size(state: Position, action: int) -> Answer:
    """Answer by rule 3: every empty region must have a size that the pieces left can have."""
    after = state.after(action)
    trapezoids = after.copies[_TRAPEZOID]
    for region in after.regions:
        if len(region) % SMALL or (trapezoids == 0 and len(region) % LARGE):
            return Answer.CANNOT
    return Answer.UNKNOWN


def region_shape(state: Position, action: int) -> Answer:
    """Answer by rule 4: an empty region of 6 must be the shape of a piece left, or of two trapezoids left.

    The regions are those after the action.
    """
    after = state.after(action)
    shapes = _shapes(state.instance.side)
    for region in after.regions:
        if len(region) == LARGE:
            # What two trapezoids make is the shape of some piece.
            piece = shapes.get(region)
            if piece is None or (after.copies[piece] == 0 and after.copies[_TRAPEZOID] < 2):
                return Answer.CANNOT
    return Answer.UNKNOWN


@cache
def _shapes(side: int) -> dict[frozenset[int], int]:
    """Return the piece of six triangles that covers each set of cells."""
    return {
        frozenset(placement.cells): placement.piece
        for placement in geometry(side).placements
        if placement.piece != _TRAPEZOID
    }


def one_placement_rule(params: NoParams, generator: Any) -> OnePlacement:
    return OnePlacement()


def one_piece_rule(params: NoParams, generator: Any) -> OnePiece:
    return OnePiece()


def region_size_rule(params: NoParams, generator: Any) -> Any:
    return region_size


def region_shape_rule(params: NoParams, generator: Any) -> Any:
    return region_shape
