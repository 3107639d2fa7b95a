"""Shortest solutions: breadth-first search, or A* with an admissible heuristic, over a transition model.

The order is exact: a position is tested for the goal when it is taken from the queue, an expansion is a
position taken that is not a goal, and successors join the queue in the order of their actions. If the model
offers packed positions, the same search takes many positions of the queue at a time, and ends as soon as its
answer is known: the place of a goal in the queue is the number of expansions before it is taken.
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

import heapq
from collections import deque
from collections.abc import Callable, Hashable
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import CheckFailedError, EpcgError
from epcg_core.domain import PackedModel, TransitionModel

if TYPE_CHECKING:
    from epcg_core.search.shortest_path.positions import PositionTable

DEFAULT_LIMIT = 1_000_000
BATCH = 4096
"""Positions expanded in one call: their successors still fit into a processor's own memory."""


@attrs.frozen
class PathResult:
    """The result of a search for a shortest solution."""

    length: int | None
    """Actions of a shortest solution; None if none was found."""
    actions: tuple[Any, ...]
    """The solution."""
    expansions: int
    """Positions taken from the queue before a goal; one more than the limit if that was reached."""
    limit_reached: bool
    states: int
    """Positions stored; fewer if the search of packed positions knew its answer before."""

    @property
    def exhausted(self) -> bool:
        """Whether it is proven that there is no solution."""
        return self.length is None and not self.limit_reached


def shortest_path(
    model: TransitionModel[Any, Any],
    content: Any,
    limit: int = DEFAULT_LIMIT,
    heuristic: Callable[[Any], int] | None = None,
    table: PositionTable | None = None,
    plain: bool = False,
    start: Any = None,
) -> PathResult:
    """Find a shortest solution of `content`, the first of its length in the order of the actions.

    The search stops at expansion number `limit` + 1. `heuristic(state)` never exceeds the number of actions
    still needed; with one, the search is A* on plain states, and the solution is one of the shortest.
    `table` lends its memory to the search of a packed model; `plain` searches plain states even if there is
    one. `start` is a position of play from which to solve `content`, instead of its first one. Raises
    EpcgError for a negative limit.
    """
    check_limit(limit)
    initial = model.initial(content) if start is None else start
    if heuristic is not None:
        return _a_star(model, initial, limit, heuristic)
    packed = None if plain else packed_model(model, content)
    if packed is None:
        return _breadth_first(model, initial, limit)
    return _packed_breadth_first(packed, packed.pack(initial), limit, table)


def packed_model(model: TransitionModel[Any, Any], content: Any) -> PackedModel[Any, Any] | None:
    """Return the packed model of a content; None if `model` offers none."""
    packed = getattr(model, "packed", None)
    return None if packed is None else packed(content)


def check_limit(limit: int) -> None:
    """Raise EpcgError if `limit` is negative."""
    if limit < 0:
        raise EpcgError(f"limit must be 0 or more expansions, not {limit}.")


def _breadth_first(model: TransitionModel[Any, Any], initial: Any, limit: int) -> PathResult:
    came: dict[Hashable, tuple[Hashable, Any] | None] = {model.key(initial): None}
    queue = deque([initial])
    expansions = 0
    while queue:
        state = queue.popleft()
        if model.is_goal(state):
            actions = _way(came, model.key(state))
            return PathResult(len(actions), actions, expansions, False, len(came))
        expansions += 1
        if expansions > limit:
            return PathResult(None, (), expansions, True, len(came))
        here = model.key(state)
        for action in model.actions(state):
            successor = model.apply(state, action)
            key = model.key(successor)
            if key not in came:
                came[key] = (here, action)
                queue.append(successor)
    return PathResult(None, (), expansions, False, len(came))


def _a_star(
    model: TransitionModel[Any, Any], initial: Any, limit: int, heuristic: Callable[[Any], int]
) -> PathResult:
    """Search by A*; among equal estimates, deeper states come first, then those met first.

    A state is opened again if a shorter way to it turns up, which a consistent heuristic rules out. One that
    says so by its attribute `consistent` is checked: CheckFailedError names the action that it gets wrong.
    """
    is_checked = getattr(heuristic, "consistent", False)
    start = model.key(initial)
    came: dict[Hashable, tuple[Hashable, Any] | None] = {start: None}
    depths: dict[Hashable, int] = {start: 0}
    met = 0
    queue = [(heuristic(initial), 0, met, initial)]
    expansions = 0
    while queue:
        estimate, minus_depth, _, state = heapq.heappop(queue)
        here = model.key(state)
        depth = -minus_depth
        if depth > depths[here]:
            continue  # a shorter way was found after this entry was made
        if model.is_goal(state):
            return PathResult(depth, _way(came, here), expansions, False, len(came))
        expansions += 1
        if expansions > limit:
            return PathResult(None, (), expansions, True, len(came))
        for action in model.actions(state):
            successor = model.apply(state, action)
            key = model.key(successor)
            if not is_checked and depth + 1 >= depths.get(key, depth + 2):
                continue
            left = heuristic(successor)
            if is_checked and left < estimate - depth - 1:
                raise CheckFailedError(
                    f"The action {action} shortens the distance from {estimate - depth} to {left}: what is "
                    "left of it is not an action of the smaller game. Correct `forget` or `without`."
                )
            if depth + 1 < depths.get(key, depth + 2):
                came[key] = (here, action)
                depths[key] = depth + 1
                met += 1
                heapq.heappush(queue, (depth + 1 + left, -depth - 1, met, successor))
    return PathResult(None, (), expansions, False, len(came))


def _way(came: dict[Hashable, tuple[Hashable, Any] | None], goal: Hashable) -> tuple[Any, ...]:
    actions = []
    step = came[goal]
    while step is not None:
        before, action = step
        actions.append(action)
        step = came[before]
    return tuple(reversed(actions))


def _packed_breadth_first(
    packed: PackedModel[Any, Any], initial: Any, limit: int, table: PositionTable | None
) -> PathResult:
    """Search breadth first with the table as the queue: positions are numbered as they join it."""
    import numpy as np

    from epcg_core.compiled import read_only
    from epcg_core.search.shortest_path.position_kernels import record_parents
    from epcg_core.search.shortest_path.positions import PositionTable, grown

    if table is None:
        table = PositionTable(packed.words)
    table.clear(packed.words)
    table.add(np.asarray(initial, np.uint64).reshape(1, -1))
    parents = np.full(BATCH, -1, np.int32)
    incoming = np.zeros(BATCH, np.uint8)
    head = 0

    def result(goal: int | None, expansions: int, limit_reached: bool) -> PathResult:
        numbers: list[int] = []
        at = 0 if goal is None else goal
        while at > 0:
            numbers.append(int(incoming[at]))
            at = int(parents[at])
        actions = tuple(packed.action(number) for number in reversed(numbers))
        length = None if goal is None else len(actions)
        return PathResult(length, actions, expansions, limit_reached, table.count)

    joined = 0
    while True:
        # All before a place in the queue are expanded first: a goal's place is the number of expansions, and
        # the limit is exceeded as soon as a place `limit` is taken.
        room = min(table.count, limit + 1)
        solved = packed.solved(table.rows(joined, room))
        if solved.any():
            goal = joined + int(np.argmax(solved))
            return result(goal, goal, False)
        if table.count > limit:
            return result(None, limit + 1, True)
        if head == table.count:
            return result(None, head, False)
        joined = table.count
        stop = min(table.count, head + BATCH)
        found = packed.successors(table.rows(head, stop))
        numbers = table.add(found.positions)
        parents = grown(parents, table.count)
        incoming = grown(incoming, table.count)
        record_parents(
            head, joined, read_only(found.counts), numbers, read_only(found.actions), parents, incoming
        )
        head = stop
