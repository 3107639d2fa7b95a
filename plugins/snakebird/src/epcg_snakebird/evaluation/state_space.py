"""All positions of a level that play can reach, as a graph, and which of them are lost."""

from __future__ import annotations

import attrs

from epcg_core.plugin import LimitReachedError, reachable_from
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Position


@attrs.frozen
class StateCounts:
    """The counts of a level's graph of positions."""

    reachable: int
    """All positions, the first and solved ones included."""
    dead_ends: int
    """Positions from which no solved position can be reached."""
    stuck: int
    """Positions that are not solved and have no successor but themselves."""


def explore(model: SnakebirdModel, level: Level, limit: int) -> StateCounts:
    """Count the positions that play can reach. Solved positions are not played on.

    Args:
        model: the transition model.
        level: the level.
        limit: the most positions.

    Raises:
        LimitReachedError: if there are more than `limit` positions.
    """
    graph = reachable_from(model, level, limit)
    return StateCounts(graph.count, graph.lost, graph.stuck(loops=False))


def explore_plainly(model: SnakebirdModel, initial: Position, limit: int) -> StateCounts:
    """Count like `explore`, with plain positions. Raises LimitReachedError."""
    numbers = {model.key(initial): 0}
    positions, before = [initial], [set[int]()]
    solved, moving = set[int](), set[int]()
    for number, position in enumerate(positions):  # it grows while it is walked
        if model.is_goal(position):
            solved.add(number)
            continue
        for action in model.actions(position):
            successor = model.apply(position, action)
            target = numbers.setdefault(model.key(successor), len(positions))
            if target == len(positions):
                positions.append(successor)
                before.append(set())
            before[target].add(number)
            if target != number:
                moving.add(number)
        if len(positions) > limit:
            raise LimitReachedError(f"There are more than {limit} positions.")
    winning, waiting = set(solved), list(solved)
    while waiting:
        found = before[waiting.pop()] - winning
        winning |= found
        waiting += found
    return StateCounts(len(positions), len(positions) - len(winning), len(positions) - len(moving | solved))
