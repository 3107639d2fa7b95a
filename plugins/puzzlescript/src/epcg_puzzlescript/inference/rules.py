"""Inference rules: a player's conclusions about an input."""

from __future__ import annotations

import threading
from typing import Any

from epcg_core.plugin import Answer, Explored, Rule, explored
from epcg_puzzlescript.params import LookAheadParams
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel


def nothing_is_won_rule(params: LookAheadParams, generator: Any) -> Rule[Position, str]:
    """Make the rule `nothing-is-won`, which excludes inputs that lead to few positions, none of them won."""
    model: PuzzleScriptModel = generator.transition_model
    last = threading.local()

    def known_of(level: Level) -> _Ahead:
        """Return what is known of a level; the next question is of the same one."""
        kept: tuple[Level, _Ahead] | None = getattr(last, "kept", None)
        if kept is None or kept[0] is not level:
            play = explored(model, level)
            assert isinstance(play, Explored)
            kept = last.kept = level, _Ahead(play, params.positions)
        return kept[1]

    def nothing_is_won(position: Position, given: str) -> Answer:
        return known_of(position.level).answer(position, given)

    return nothing_is_won


class _Ahead:
    """The positions that follow from those of a level, as far as a player looks ahead."""

    def __init__(self, play: Explored, most: int) -> None:
        self._play, self._most = play, most
        self._known: dict[int, Answer] = {}
        self._hopeful: set[int] = set()
        """Positions from which a won one was reached."""

    def answer(self, position: Position, given: str) -> Answer:
        """Return CANNOT if an input leads to few positions, none of them won."""
        actions, targets = self._play.edges(self._play.key(position))
        first = targets[actions.index(given)]
        found = self._known.get(first)
        if found is None:
            found = self._known[first] = self._looked(first)
        return found

    def _looked(self, first: int) -> Answer:
        """Look at all that follows from a position."""
        play, hopeful = self._play, self._hopeful
        came = {first: first}
        queue = [first]
        for here in queue:  # it grows while it is walked
            if here in hopeful or play.is_won(here):
                while here not in hopeful:
                    hopeful.add(here)
                    here = came[here]
                hopeful.add(first)
                return Answer.UNKNOWN
            for target in play.edges(here)[1]:
                if target not in came:
                    came[target] = here
                    queue.append(target)
            if len(queue) > self._most:
                return Answer.UNKNOWN
        self._known.update(dict.fromkeys(queue, Answer.CANNOT))
        return Answer.CANNOT
