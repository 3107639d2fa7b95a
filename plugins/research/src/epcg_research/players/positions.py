"""The positions of one puzzle, by number, with what players may see of them: moves, and how far a goal is."""

from __future__ import annotations

import hashlib
from collections import deque
from collections.abc import Hashable
from functools import cached_property
from typing import Any

from epcg_core.inside import actions_of, words_of

MOST_POSITIONS = 50_000
"""A puzzle with more has no distances: features that need them are 0."""
UNKNOWN, DEAD = -1, -2
"""Distances: not known, and proven that no goal can be reached."""


class Positions:
    """Positions of play by number; 0 is the first. They are met when they are asked for."""

    def __init__(self, model: Any, start: Any, puzzle: str, limit: int = MOST_POSITIONS) -> None:
        """Begin at a position; `puzzle` is the puzzle's text, by which models know it again."""
        self.model, self.puzzle = model, puzzle
        self.states: list[Any] = []
        self.goals: list[bool] = []
        self._limit = limit
        self._numbers: dict[Hashable, int] = {}
        self._moves: list[tuple[Any, ...] | None] = []
        self._targets: list[tuple[int, ...]] = []
        self._identities: dict[int, str] = {}
        self.number_of(start)

    def number_of(self, state: Any) -> int:
        """Return the number of a position, which is the next one if it is new."""
        key = self.model.key(state)
        number = self._numbers.setdefault(key, len(self.states))
        if number == len(self.states):
            self.states.append(state)
            self.goals.append(bool(self.model.is_goal(state)))
            self._moves.append(None)
            self._targets.append(())
        return number

    def moves(self, number: int) -> tuple[Any, ...]:
        """Return the legal moves of a position, in the model's order; none of a goal."""
        found = self._moves[number]
        if found is None:
            state = self.states[number]
            found = self._moves[number] = tuple(actions_of(self.model, state))
            self._targets[number] = tuple(self.number_of(self.model.apply(state, move)) for move in found)
        return found

    def targets(self, number: int) -> tuple[int, ...]:
        """Return the positions that the moves of a position lead to."""
        self.moves(number)
        return self._targets[number]

    def words(self, number: int) -> tuple[str, ...]:
        """Return the moves of a position as the transition model writes them."""
        return tuple(map(words_of(self.model), self.moves(number)))

    def identity(self, number: int) -> str:
        """Return a short text that tells a position of this puzzle from all others, of any puzzle."""
        found = self._identities.get(number)
        if found is None:
            text = f"{self.puzzle}\n{_written(self.model.key(self.states[number]))}"
            found = self._identities[number] = hashlib.sha256(text.encode()).hexdigest()[:20]
        return found

    def distance(self, number: int) -> int:
        """Return the moves to the nearest goal, DEAD if there is no way, UNKNOWN of a puzzle too large."""
        distances = self._distances
        return distances[number] if number < len(distances) else UNKNOWN

    @property
    def exhausted(self) -> bool:
        """Whether all positions are known, and with them the distances."""
        return bool(self._distances)

    @cached_property
    def _distances(self) -> list[int]:
        """The distances of all positions; none at all if there are too many."""
        number = 0
        while number < len(self.states):
            if len(self.states) > self._limit:
                return []
            self.moves(number)
            number += 1
        into: list[list[int]] = [[] for _ in self.states]
        for number, targets in enumerate(self._targets):
            for target in targets:
                into[target].append(number)
        found = [DEAD] * len(self.states)
        queue = deque(number for number, goal in enumerate(self.goals) if goal)
        for number in queue:
            found[number] = 0
        while queue:
            here = queue.popleft()
            for before in into[here]:
                if found[before] == DEAD:
                    found[before] = found[here] + 1
                    queue.append(before)
        return found


def _written(key: Any) -> str:
    """Write a key the same way in every process: sets have no order of their own."""
    if isinstance(key, set | frozenset):
        return f"{{{','.join(sorted(map(_written, key)))}}}"
    if isinstance(key, tuple | list):
        return f"({','.join(map(_written, key))})"
    return repr(key)
