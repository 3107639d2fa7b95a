"""Positions of play: those that a puzzle's play can reach, met breadth first."""

from __future__ import annotations

from collections import deque
from collections.abc import Hashable
from typing import Any

import attrs

from epcg_core.inside import transition_model
from epcg_core.plugin import EpcgError
from epcg_testing.subject import Space
from epcg_testing.violations import NotPlayedError

POSITIONS = 400
"""Positions of one puzzle that are looked at."""
PUZZLES = 8
"""Puzzles of one space that are played."""


@attrs.frozen(eq=False)
class Play:
    """The positions that play can reach from a puzzle."""

    model: Any
    first: Any
    states: list[Any]
    """Positions by number; positions of equal keys occur once."""
    numbers: dict[Hashable, int]
    children: list[list[int]]
    """Successors of each expanded state, in the order of its actions; a goal has none."""
    complete: bool
    """Whether these are all positions, and not the first `POSITIONS`."""

    def solvable(self) -> set[int]:
        """Return the numbers of the states from which a goal can be reached here."""
        parents: dict[int, list[int]] = {}
        for number, below in enumerate(self.children):
            for child in below:
                parents.setdefault(child, []).append(number)
        found = {number for number, state in enumerate(self.states) if self.model.is_goal(state)}
        queue = deque(sorted(found))
        while queue:
            for parent in parents.get(queue.popleft(), ()):
                if parent not in found:
                    found.add(parent)
                    queue.append(parent)
        return found


def first_position(model: Any, puzzle: Any) -> Any:
    """Return the first position of play of a generator's state.

    Raises NotPlayedError if the model refuses the puzzle with a sentence.
    """
    try:
        return model.initial(puzzle)
    except EpcgError as error:
        raise NotPlayedError(str(error)) from error


def explore(space: Space, rank: int, limit: int = POSITIONS) -> Play:
    """Play the puzzle of `rank`."""
    model = transition_model(space.generator)
    first = first_position(model, space.unrank(rank))
    states, numbers, children = [first], {model.key(first): 0}, list[list[int]]()
    while len(children) < len(states) and len(states) < limit:
        state = states[len(children)]
        below = []
        for action in () if model.is_goal(state) else model.actions(state):
            child = model.apply(state, action)
            number = numbers.setdefault(model.key(child), len(states))
            if number == len(states):
                states.append(child)
            below.append(number)
        children.append(below)
    return Play(model, first, states, numbers, children, len(children) == len(states))
