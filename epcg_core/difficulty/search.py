"""The walk that all measures of difficulty share: a puzzle's states, each expanded once.

`StateSpace` explores a `TransitionModel` under a player's inference rules, with an explicit stack and a memo
on the model's state key. Measures are folds over its states, children first, or a shortest path if the
state graph has cycles.
"""

from __future__ import annotations

import heapq
from collections.abc import Callable, Hashable, Sequence
from typing import Any, overload

import attrs

from epcg_core.base.errors import EpcgError
from epcg_core.difficulty.rules import AnyRule, Inference, choice_of
from epcg_core.domain import LimitReachedError, TransitionModel
from epcg_core.domain.explored import Explored

_NEW, _OPEN, _DONE = range(3)


@attrs.frozen
class Difficulty:
    """The result of a measure for a puzzle."""

    value: float
    """Bits; infinite when no goal is reachable (the adversarial measure excepted)."""
    states: int
    """Number of distinct visited states, including the first one, goals and dead ends."""
    path: tuple[Any, ...]
    """The actions on which the value is reached; empty if it is infinite."""


class CyclicGraphError(EpcgError):
    """A measure was asked for that is not defined on a state graph with cycles, unless a depth limits it."""

    def __init__(self, measure: str) -> None:
        super().__init__(
            f"In this puzzle a state can be reached again from itself, and {measure} is not defined on such "
            "a state graph: set depth_limit."
        )
        self.measure = measure

    def __reduce__(self) -> tuple[type[CyclicGraphError], tuple[str]]:
        return type(self), (self.measure,)


class _Positions(Sequence[Any]):
    """The explored positions of some numbers, each made when it is looked at."""

    def __init__(self, play: Explored, numbers: Sequence[int]) -> None:
        self._play, self._numbers = play, numbers

    def __len__(self) -> int:
        return len(self._numbers)

    @overload
    def __getitem__(self, index: int) -> Any: ...
    @overload
    def __getitem__(self, index: slice) -> Sequence[Any]: ...
    def __getitem__(self, index: int | slice) -> Any:
        if isinstance(index, slice):
            return _Positions(self._play, self._numbers[index])
        return self._play.state(self._numbers[index])


class StateSpace:
    """The states of one puzzle that a player with `rules` can reach, numbered from 0, the first state.

    `puzzle` is the first state itself or, if the model offers `initial(puzzle)`, the content from which the
    first state is made. A goal has no actions, nor has a state `depth_limit` actions away from the first:
    with a limit, one position at two depths is two states. A look-back rule also tells positions apart by the
    step before them.

    `model` and `puzzle` are those that were given; of an `Explored` model it is that which was explored.
    `goals`, `actions`, `children` and `excluded` hold one entry per state and are meaningful for a state that
    was expanded: whether it is a goal, A(s), the state that each of these actions leads to, and how many
    actions were dropped as CANNOT. Lists are read-only for callers.

    Raises LimitReachedError when there are more than `limit` states, EpcgError for a bad limit.
    """

    def __init__(
        self,
        model: TransitionModel[Any, Any],
        puzzle: Any,
        rules: Sequence[AnyRule] | Inference[Any, Any] = (),
        *,
        depth_limit: int | None = None,
        limit: int | None = None,
    ) -> None:
        for name, bound in (("depth_limit", depth_limit), ("limit", limit)):
            if bound is not None and bound < 1:
                raise EpcgError(f"{name} must be 1 or more, not {bound}.")
        self.puzzle = puzzle
        self._explored = model if isinstance(model, Explored) else None
        self._met: list[Any] = []
        """The states; of an `Explored` model the numbers by which it knows them."""
        self.states: Sequence[Any] = self._met
        if self._explored is not None:
            self.states = _Positions(self._explored, self._met)
        self.goals: list[bool] = []
        self.actions: list[tuple[Any, ...]] = []
        self.children: list[tuple[int, ...]] = []
        self.excluded: list[int] = []
        self.model = model if self._explored is None else self._explored.model
        self._play = model
        self._inference = rules if isinstance(rules, Inference) else Inference(rules)
        self._looks_back = self._inference.looks_back
        self._choice = choice_of(self.model)
        self._steps: list[tuple[Any, Any] | None] = []
        self._depth_limit = depth_limit
        self._depths: list[int] = []
        self._limit = limit
        self._numbers: dict[Hashable, int] = {}
        self._expanded = bytearray()
        self._order: list[int] | None = None
        self._cyclic = False
        first = model.initial(puzzle)
        key = model.key(first)
        self._number(key, first if self._explored is None else key, None, 0)

    def __len__(self) -> int:
        """Return the number of states met so far."""
        return len(self._met)

    def post_order(self) -> list[int] | None:
        """Return all states, children first and the first state last; None if the graph has a cycle."""
        if self._order is None and not self._cyclic:
            self._order = self._depth_first()
            self._cyclic = self._order is None
        return self._order

    def acyclic_order(self, measure: str) -> list[int]:
        """Return `post_order`. Raises CyclicGraphError, which names the measure, if there is none."""
        order = self.post_order()
        if order is None:
            raise CyclicGraphError(measure)
        return order

    def expand(self, state: int) -> None:
        """Fill in the entries of one state; does nothing the second time."""
        if not self._expanded[state]:
            self._expand(state)
            self._expanded[state] = 1

    def _expand(self, state: int) -> None:
        play = self._explored
        here = self._met[state]
        if self._play.is_goal(here) if play is None else play.is_won(here):
            self.goals[state] = True
            return
        depth = 0
        if self._depth_limit is not None:
            depth = self._depths[state]
            if depth == self._depth_limit:
                return
        if play is None:
            self._expand_plainly(state, depth + 1)
        else:
            self._expand_explored(play, state, depth + 1)

    def _expand_plainly(self, state: int, depth: int) -> None:
        model, here = self._play, self._met[state]
        step = self._steps[state]
        actions, excluded = self._inference.remaining(here, model.actions(here), step, self._choice)
        self.actions[state] = actions
        self.excluded[state] = excluded
        apply, key, number, looks_back = model.apply, model.key, self._number, self._looks_back
        self.children[state] = tuple(
            [
                number(key(after := apply(here, a)), after, (here, a) if looks_back else None, depth)
                for a in actions
            ]
        )

    def _expand_explored(self, play: Explored, state: int, depth: int) -> None:
        """Expand a position that is known by its number, and made only if a rule looks at it."""
        here = self._met[state]
        known, targets = play.edges(here)
        left = None if self._choice is not None else self._inference.remaining_of(play, here, known)
        if left is None:
            step = self._steps[state]
            left = self._inference.remaining(play.state(here), known, step, self._choice)
        actions, self.excluded[state] = left
        self.actions[state] = actions
        if actions != known:
            targets = tuple([targets[known.index(action)] for action in actions])
        number, looks_back = self._number, self._looks_back
        self.children[state] = tuple(
            [
                number(target, target, (play.state(here), action) if looks_back else None, depth)
                for action, target in zip(actions, targets, strict=True)
            ]
        )

    def shortest_path(self, weights: Callable[[int], Sequence[float]]) -> Difficulty:
        """Return the path of least weight from the first state to a goal, by Dijkstra's algorithm.

        `weights(s)` gives the weight, 0 or more, of each action of an expanded state s. States are expanded
        only as far as needed; those taken from the queue are the visited ones.
        """
        distance = {0: 0.0}
        parent: dict[int, tuple[int, int]] = {}
        done: set[int] = set()
        queue = [(0.0, 0)]
        while queue:
            here, state = heapq.heappop(queue)
            if state in done:
                continue
            done.add(state)
            self.expand(state)
            if self.goals[state]:
                return self._way_to(state, parent, weights, len(done))
            for i, (child, weight) in enumerate(zip(self.children[state], weights(state), strict=True)):
                there = here + weight
                if child not in done and there < distance.get(child, float("inf")):
                    distance[child] = there
                    parent[child] = (state, i)
                    heapq.heappush(queue, (there, child))
        return Difficulty(float("inf"), len(done), ())

    def _way_to(
        self,
        goal: int,
        parent: dict[int, tuple[int, int]],
        weights: Callable[[int], Sequence[float]],
        visited: int,
    ) -> Difficulty:
        """Follow a path back from the goal, summing its value in the order of the recursive definitions."""
        value, path, state = 0.0, [], goal
        while state != 0:
            state, i = parent[state]
            value = weights(state)[i] + value
            path.append(self.actions[state][i])
        return Difficulty(value, visited, tuple(reversed(path)))

    def _number(self, key: Hashable, state: Any, step: tuple[Any, Any] | None, depth: int) -> int:
        """Return the number of a state by its key; new states get the next number."""
        if step is not None:
            key = (key, self._play.key(step[0]), step[1])
        if self._depth_limit is not None:
            key = (key, depth)
        found = self._numbers.get(key)
        if found is not None:
            return found
        number = len(self._met)
        if number == self._limit:
            raise LimitReachedError(f"There are more than {self._limit} states.")
        self._numbers[key] = number
        self._met.append(state)
        self.goals.append(False)
        self.actions.append(())
        self.children.append(())
        self.excluded.append(0)
        self._expanded.append(0)
        self._steps.append(step)
        if self._depth_limit is not None:
            self._depths.append(depth)
        return number

    def _depth_first(self) -> list[int] | None:
        """Search depth first; an edge to a state that is still open closes a cycle."""
        order: list[int] = []
        stack = [0]
        colours = bytearray(1)
        while stack:
            state = stack[-1]
            colour = colours[state]
            if colour != _NEW:
                stack.pop()
                if colour == _OPEN:
                    colours[state] = _DONE
                    order.append(state)
                continue
            colours[state] = _OPEN
            self.expand(state)
            colours.extend(bytes(len(self._met) - len(colours)))
            for child in self.children[state]:
                if colours[child] == _NEW:
                    stack.append(child)
                elif colours[child] == _OPEN:
                    return None
        return order
