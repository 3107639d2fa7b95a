"""Inference rules: a player's conclusions about a move."""

from __future__ import annotations

from typing import Any

from epcg_core.plugin import Answer, NoParams, Rule, explored
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move, Position


def changes_nothing_rule(params: NoParams, generator: Any) -> Rule[Position, Move]:
    """Make the rule `changes-nothing`, which excludes moves after which everything is as before."""
    model: SnakebirdModel = generator.transition_model

    def changes_nothing(position: Position, move: Move) -> Answer:
        play = explored(model, position.level)
        same = play.key(play.apply(position, move)) == play.key(position)
        return Answer.CANNOT if same else Answer.UNKNOWN

    return changes_nothing
