"""Inference rules: a player's conclusions about an input."""

from __future__ import annotations

import threading
from typing import Any

from epcg_core.plugin import Answer, LimitReachedError, Rule
from epcg_puzzlescript.evaluation.graph import explore
from epcg_puzzlescript.params import LookAheadParams
from epcg_puzzlescript.rules.checkpoints import CheckpointLevel
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel
from epcg_puzzlescript.rules.packed import PackedLevel


def nothing_is_won_rule(params: LookAheadParams, generator: Any) -> Rule[Position, str]:
    """Make the rule `nothing-is-won`, which excludes inputs that lead to few positions, none of them won."""
    model: PuzzleScriptModel = generator.transition_model
    last = threading.local()

    def known_of(level: Level) -> tuple[PackedLevel | CheckpointLevel, dict[bytes, Answer]]:
        """Return the compiled form of a level and what is known; the next question is of the same level."""
        kept: tuple[Level, PackedLevel | CheckpointLevel, dict[bytes, Answer]] | None = getattr(
            last, "kept", None
        )
        if kept is None or kept[0] is not level:
            kept = last.kept = level, model.packed(level), {}
        return kept[1], kept[2]

    def nothing_is_won(position: Position, given: str) -> Answer:
        first = model.apply(position, given)
        if model.is_goal(first):
            return Answer.UNKNOWN
        packed, known = known_of(first.level)
        row = packed.pack(first)
        answer = known.get(row.tobytes())
        if answer is not None:
            return answer
        try:
            graph = explore(packed, row.reshape(1, -1), params.positions)
        except LimitReachedError:
            known[row.tobytes()] = Answer.UNKNOWN
            return Answer.UNKNOWN
        if len(graph.won) or graph.rows is None:
            known[row.tobytes()] = Answer.UNKNOWN
            return Answer.UNKNOWN
        known.update((other.tobytes(), Answer.CANNOT) for other in graph.rows)  # all of them are lost
        return Answer.CANNOT

    return nothing_is_won
