"""The inference rule of Fling!: a move that does not depend on the previous one can be excluded (2013)."""

from __future__ import annotations

from epcg_core.plugin import Answer
from epcg_fling.generators.boards import Boards
from epcg_fling.params import IndependentParams
from epcg_fling.rules.moves import Move, fling, is_legal


class IndependentMoves:
    """CANNOT for a move that could have been made before the previous one, with the same result.

    `exclude="both"` excludes the second move of either order, as the expert of the 2018 paper does: a unique
    solution never has such a pair of moves, but another board can lose all its solutions.
    `exclude="one"` excludes only the order in which the higher move comes first, so every board keeps a
    solution: swapping such pairs ends in one that has none.
    """

    def __init__(self, params: IndependentParams, generator: Boards) -> None:
        self._shape = generator.setting
        self._both = params.exclude == "both"

    def after(self, previous: int, last: Move, state: int, action: Move) -> Answer:
        """Answer for the move `action` on the board `state`, which `last` made of `previous`."""
        shape = self._shape
        if not (self._both or action < last) or not is_legal(shape, previous, action):
            return Answer.UNKNOWN
        other_way = fling(shape, previous, action)
        if is_legal(shape, other_way, last) and fling(shape, other_way, last) == fling(shape, state, action):
            return Answer.CANNOT
        return Answer.UNKNOWN
