"""An inference rule: what a player sees who looks a few ticks ahead."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs

from epcg_core.plugin import Answer, param
from epcg_segments.rules import Platformer, Position


@attrs.frozen
class AheadParams:
    """How far the player looks."""

    ticks: int = param(6, minimum=1, maximum=20, help="ticks after the action")


def looks_ahead(params: AheadParams, generator: Any) -> Callable[[Position, str], Answer]:
    """Make a rule: an action CANNOT be right if the player is soon lost, whatever it does then."""
    model = Platformer()

    def lost(position: Position, ticks: int) -> bool:
        if model.is_goal(position):
            return False
        actions = model.actions(position)
        if not actions:
            return True
        return ticks > 0 and all(lost(model.apply(position, action), ticks - 1) for action in actions)

    def rule(state: Position, action: str) -> Answer:
        return Answer.CANNOT if lost(model.apply(state, action), params.ticks) else Answer.UNKNOWN

    return rule
