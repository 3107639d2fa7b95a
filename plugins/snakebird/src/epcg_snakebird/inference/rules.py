"""Inference rules: a player's conclusions about a move."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

from epcg_core.plugin import Answer, Explored, NoParams, Rule, explored
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move, Position


def changes_nothing_rule(params: NoParams, generator: Any) -> Rule[Position, Move]:
    """Make the rule `changes-nothing`, which excludes moves after which everything is as before."""
    return _ChangesNothing(generator.transition_model)


class _ChangesNothing:
    """The rule, which also answers for explored positions by their numbers."""

    def __init__(self, model: SnakebirdModel) -> None:
        self._model = model

    def __call__(self, position: Position, move: Move) -> Answer:
        play = explored(self._model, position.level)
        same = play.key(play.apply(position, move)) == play.key(position)
        return Answer.CANNOT if same else Answer.UNKNOWN

    def numbered_answers(self, play: Explored, number: int) -> Iterator[Answer]:
        """Yield the answer for each move of a position."""
        for target in play.edges(number)[1]:
            yield Answer.CANNOT if target == number else Answer.UNKNOWN
