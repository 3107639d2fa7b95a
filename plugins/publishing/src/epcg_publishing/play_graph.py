"""The graph of a content's positions: what play pages carry, so that they can be played without Python.

If a content has more positions than asked for, the graph has those nearest to a solution, and it says of each
position whether all that follows is known.
"""

from __future__ import annotations

from collections import Counter, deque
from collections.abc import Hashable, Iterable, Iterator, Sequence
from functools import cached_property
from typing import Any

import attrs

from epcg_core.inside import Document, Step, solution_actions, step_maker
from epcg_core.plugin import LimitReachedError, QueryError, Scene, explored, registry
from epcg_publishing.limits import MOST_POSITIONS

NEARBY = 5
"""If a content has more, the page carries this share of them, those nearest to a solution."""
UNKNOWN = -1
"""The number of a position that is not in the graph, and the distance from a position to an unknown goal."""
DEAD = -2
"""The distance from a position to a goal that it is proven not to reach."""
_MOST_SEEDS = 4096


@attrs.frozen
class Edge:
    """An action of a position."""

    step: Step
    target: int
    """The number of the position that it leads to; UNKNOWN if the graph does not have it."""


@attrs.frozen(eq=False)
class PlayGraph:
    """Positions of a content's play by number; the first is its start."""

    document: Document
    states: Sequence[Any]
    parents: Sequence[int]
    """The position from which each was met first, which has a lower number; 0 of the start itself."""
    edges: Sequence[Sequence[Edge]]
    """The actions of each position in the model's order: none of a goal, and none that are not known."""
    goals: frozenset[int]
    expanded: Sequence[bool]
    """Whether the actions of each position are known."""

    @property
    def complete(self) -> bool:
        """Whether all reachable positions are there."""
        return all(self.expanded) and not any(
            edge.target == UNKNOWN for edges in self.edges for edge in edges
        )

    def scene(self, number: int) -> Scene:
        """Return how a position looks."""
        editor: Any = self.document.editor
        with registry().attribute_errors_to(self.document.info):
            found: Scene = editor.position_scene(editor.content, self.states[number])
        return found

    def scenes(self) -> Iterator[Scene]:
        """Yield how each position looks, by number."""
        editor: Any = self.document.editor
        with registry().attribute_errors_to(self.document.info):
            for state in self.states:
                yield editor.position_scene(editor.content, state)

    def solution(self) -> list[Edge] | None:
        """Return a shortest way from the start to a goal in the graph; None if there is none."""
        distances, number, way = self.distances, 0, []
        if distances[0] < 0:
            return None
        while distances[number]:
            edge = next(
                e
                for e in self.edges[number]
                if e.target >= 0 and 0 <= distances[e.target] < distances[number]
            )
            way.append(edge)
            number = edge.target
        return way

    @property
    def explains(self) -> bool:
        """Whether the model says why an action is right."""
        return all(hasattr(self.document.model, name) for name in ("solution", "reason"))

    def hint(self, number: int) -> tuple[int, str] | None:
        """Return the action at a position that the model explains, and why it is right.

        None if there is none, or if it leads to no position from which the graph knows a goal.
        """
        model, edges = self.document.model, self.edges[number]
        with registry().attribute_errors_to(self.document.info):
            try:
                solution = model.solution(self.states[number]) if edges else None
            except LimitReachedError:
                return None
            if not solution:
                return None
            action = list(model.actions(self.states[number])).index(solution[0])
            target = edges[action].target
            if target == UNKNOWN or self.distances[target] < 0:
                return None
            why = str(model.reason(self.states[number]))
        return (action, why) if why else None

    @cached_property
    def distances(self) -> list[int]:
        """The actions from each position to the nearest goal: at most that many if the graph is not complete.

        UNKNOWN if none is known, and DEAD if it is proven that there is none.
        """
        into: list[list[int]] = [[] for _ in self.states]
        open_ends = []
        for number, edges in enumerate(self.edges):
            if not self.expanded[number] or any(edge.target == UNKNOWN for edge in edges):
                open_ends.append(number)
            for edge in edges:
                if edge.target != UNKNOWN:
                    into[edge.target].append(number)
        found = [DEAD] * len(self.states)
        for number in _backwards(open_ends, into):
            found[number] = UNKNOWN
        for number, distance in _backwards(sorted(self.goals), into).items():
            found[number] = distance
        return found


def _backwards(starts: Iterable[int], into: Sequence[Sequence[int]]) -> dict[int, int]:
    """Return the least number of edges from each position that reaches one of `starts`."""
    found = dict.fromkeys(starts, 0)
    queue = deque(found)
    while queue:
        here = queue.popleft()
        for before in into[here]:
            if before not in found:
                found[before] = found[here] + 1
                queue.append(before)
    return found


def play_graph(document: Document, recorded: Sequence[Any] = (), most: int = MOST_POSITIONS) -> PlayGraph:
    """Explore the positions of a content, all of them if there are at most `most`.

    Otherwise a fifth as many are explored, those nearest to a solution: those that its actions lead to in any
    order, then those reached from them, breadth first.

    Args:
        document: the content.
        recorded: the texts of a recorded solution's actions, if there is any.
        most: the most positions.

    Raises:
        EpcgError: if the content cannot be played.
    """
    if not all(hasattr(document.editor, name) for name in ("position_scene", "gesture")):
        raise QueryError(
            f"Contents of {document.domain} cannot be played on pages: the editor has no position_scene and "
            "gesture, which show positions and make moves."
        )
    with registry().attribute_errors_to(document.info):
        found = _Exploration(document, most)
        found.expand()
        if found.left_out:
            solution = solution_actions(document, recorded)
            found = _Exploration(document, max(1, most // NEARBY))
            found.follow(solution or ())
            found.expand()
        return found.graph()


class _Exploration:
    """Positions by number in the order in which they were met, some of them expanded."""

    def __init__(self, document: Document, most: int) -> None:
        self._document, self._most = document, most
        self._model = explored(document.model, document.editor.content)
        self._numbers: dict[Hashable, int] = {}
        self._states: list[Any] = []
        self._parents: list[int] = []
        self._edges: list[list[tuple[Any, int]]] = []
        """The actions of each position with their targets; how people make them is asked of what is kept."""
        self._expanded: list[bool] = []
        self._goals: set[int] = set()
        self.left_out = False
        """Whether there was no room for a position."""
        self._own = 0
        """How many positions are those of the solution."""
        self._met(self._model.initial(document.editor.content), 0)

    def follow(self, solution: Sequence[Any]) -> None:
        """Meet the positions that the actions of a solution lead to in any order, those of its own first."""
        queue: deque[tuple[int, tuple[Any, ...]]] = deque()
        number = 0
        for taken, action in enumerate(solution):
            queue.append((number, tuple(solution[taken:])))
            number = self._met(self._model.apply(self._states[number], action), number)
        self._own = len(self._states)
        seen = {(here, _multiset(rest)) for here, rest in queue}
        room = min(_MOST_SEEDS, self._most)
        while queue:
            here, rest = queue.popleft()
            possible = [] if here in self._goals else list(self._model.actions(self._states[here]))
            for place, action in enumerate(rest):
                if len(self._states) >= room:
                    return
                if action not in possible or action in rest[:place]:
                    continue
                target = self._met(self._model.apply(self._states[here], action), here)
                left = (*rest[:place], *rest[place + 1 :])
                if (target, _multiset(left)) not in seen:
                    seen.add((target, _multiset(left)))
                    queue.append((target, left))

    def expand(self) -> None:
        """Expand position after position, until there is no room for what one of them leads to.

        Those of the solution are expanded in any case.
        """
        number = 0
        while number < len(self._states) and (not self.left_out or number < self._own):
            if not self._expanded[number]:
                self._expand(number)
            number += 1

    def _expand(self, number: int) -> None:
        state = self._states[number]
        self._expanded[number] = True
        for action in self._model.actions(state):
            successor = self._model.apply(state, action)
            known = self._numbers.get(self._model.key(successor))
            if known is None:
                if len(self._states) < self._most:
                    known = self._met(successor, number)
                else:
                    known, self.left_out = UNKNOWN, True
            self._edges[number].append((action, known))

    def _met(self, state: Any, parent: int) -> int:
        key = self._model.key(state)
        if key not in self._numbers:
            goal = bool(self._model.is_goal(state))
            self._numbers[key] = number = len(self._states)
            self._states.append(state)
            self._parents.append(parent)
            self._edges.append([])
            self._expanded.append(goal)
            if goal:
                self._goals.add(number)
        return self._numbers[key]

    def graph(self) -> PlayGraph:
        makes = step_maker(self._document)
        edges = [
            [Edge(makes(state, action), target) for action, target in found]
            for state, found in zip(self._states, self._edges, strict=True)
        ]
        return PlayGraph(
            self._document, self._states, self._parents, edges, frozenset(self._goals), self._expanded
        )


def _multiset(actions: Sequence[Any]) -> frozenset[tuple[str, int]]:
    return frozenset(Counter(map(str, actions)).items())
