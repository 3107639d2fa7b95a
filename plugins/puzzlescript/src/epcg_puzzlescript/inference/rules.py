"""Inference rules: a player's conclusions about an input."""

from __future__ import annotations

import threading
from typing import Any

from epcg_core.difficulty.rules import Answer, Rule
from epcg_core.domain import LimitReachedError
from epcg_puzzlescript.evaluation.graph import explore
from epcg_puzzlescript.params import LookAheadParams
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.packed import PackedLevel


def nothing_is_won_rule(params: LookAheadParams, generator: Any) -> Rule[Position, str]:
    """Make the rule `nothing-is-won`, which excludes inputs that lead to few positions, none of them won."""
    model: PuzzleScriptModel = generator.transition_model
    last = threading.local()

    def packed_level(level: Level) -> PackedLevel:
        """Return the compiled form of a level, kept because the next question is of the same one."""
        kept: tuple[Level, PackedLevel] | None = getattr(last, "kept", None)
        if kept is None or kept[0] is not level:
            kept = last.kept = level, model.packed(level)
        return kept[1]

    def nothing_is_won(position: Position, given: str) -> Answer:
        first = model.apply(position, given)
        if model.is_goal(first):
            return Answer.UNKNOWN
        packed = packed_level(first.level)
        try:
            graph = explore(packed, packed.pack(first).reshape(1, -1), params.positions)
        except LimitReachedError:
            return Answer.UNKNOWN
        return Answer.UNKNOWN if len(graph.won) else Answer.CANNOT

    return nothing_is_won
