"""Inference rules: a player's conclusions about an input."""

from __future__ import annotations

from typing import Any

from epcg_core.difficulty.rules import Answer, Rule
from epcg_puzzlescript.params import LookAheadParams
from epcg_puzzlescript.rules.level import Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel


def nothing_is_won_rule(params: LookAheadParams, generator: Any) -> Rule[Position, str]:
    """Make the rule `nothing-is-won`, which excludes inputs that lead to few positions, none of them won."""
    model: PuzzleScriptModel = generator.transition_model

    def nothing_is_won(position: Position, given: str) -> Answer:
        first = model.apply(position, given)
        seen, waiting = {model.key(first)}, [first]
        for here in waiting:  # it grows while it is walked
            if model.is_goal(here):
                return Answer.UNKNOWN
            for other in list(model.actions(here)):
                after = model.apply(here, other)
                if model.key(after) not in seen:
                    seen.add(model.key(after))
                    waiting.append(after)
            if len(waiting) > params.positions:
                return Answer.UNKNOWN
        return Answer.CANNOT

    return nothing_is_won
