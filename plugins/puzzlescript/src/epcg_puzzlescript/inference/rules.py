"""Inference rules: a player's conclusions about an input."""

from __future__ import annotations

import threading
from collections.abc import Iterator
from typing import Any

from epcg_core.plugin import Answer, Explored, Rule, explored
from epcg_puzzlescript.params import LookAheadParams
from epcg_puzzlescript.rules.level import Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel


def nothing_is_won_rule(params: LookAheadParams, generator: Any) -> Rule[Position, str]:
    """Make the rule `nothing-is-won`, which excludes inputs that lead to few positions, none of them won."""
    return _NothingIsWon(generator.transition_model, params.positions)


class _NothingIsWon:
    """The rule, which also answers for explored positions by their numbers."""

    def __init__(self, model: PuzzleScriptModel, most: int) -> None:
        self._model, self._most = model, most
        self._last = threading.local()

    def __call__(self, position: Position, given: str) -> Answer:
        play = explored(self._model, position.level)
        assert isinstance(play, Explored)
        actions, targets = play.edges(play.key(position))
        return self._known_of(play).answer(targets[actions.index(given)])

    def numbered_answers(self, play: Explored, number: int) -> Iterator[Answer]:
        """Yield the answer for each input of a position."""
        known = self._known_of(play)
        for target in play.edges(number)[1]:
            yield known.answer(target)

    def _known_of(self, play: Explored) -> _Ahead:
        """Return what is known of a level; the next question is of the same one."""
        kept: tuple[Explored, _Ahead] | None = getattr(self._last, "kept", None)
        if kept is None or kept[0] is not play:
            kept = self._last.kept = play, _Ahead(play, self._most)
        return kept[1]


class _Ahead:
    """The positions that follow from those of a level, as far as a player looks ahead."""

    def __init__(self, play: Explored, most: int) -> None:
        self._play, self._most = play, most
        self._known: dict[int, Answer] = {}
        self._hopeful: set[int] = set()
        """Positions from which a won one was reached."""

    def answer(self, first: int) -> Answer:
        """Return CANNOT if few positions follow from one to which an input leads, none of them won."""
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
