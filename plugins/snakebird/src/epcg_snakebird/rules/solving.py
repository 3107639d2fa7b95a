"""Shortest solutions from any position of play, for hints and pictures."""

from __future__ import annotations

from typing import Any

from epcg_core.plugin import PathResult, shortest_path
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Position
from epcg_snakebird.rules.variants import Rules

PLAIN_EXPANSIONS = 1_000
"""So small a search is done in plain Python, which starts at once; the compiled one finds the same."""


class _FromPosition(SnakebirdModel):
    """The transition model whose contents are positions instead of levels; plain."""

    packed: Any = None

    def initial(self, position: Any) -> Position:
        found: Position = position
        return found


class _PackedFromPosition(_FromPosition):
    """The same with the compiled form."""

    def __init__(self, rules: Rules) -> None:
        super().__init__(rules)
        self.packed = lambda position: SnakebirdModel(rules).packed(position.level)


def shortest_solution(position: Position, limit: int, rules: Rules) -> PathResult:
    """Find the first shortest solution from a position, in the order of moves.

    Args:
        position: the first position.
        limit: the most expansions.
        rules: what the rules leave open.
    """
    found = shortest_path(_FromPosition(rules), position, min(limit, PLAIN_EXPANSIONS))
    if found.limit_reached and limit > PLAIN_EXPANSIONS:
        found = shortest_path(_PackedFromPosition(rules), position, limit)
    return found
