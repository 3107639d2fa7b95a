"""All positions of a level that play can reach, as a graph, and which of them are lost."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LimitReachedError, PackedModel, PositionTable
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move, Position

BATCH = 8192
"""Positions expanded in one call."""


@attrs.frozen
class StateCounts:
    """The counts of a level's graph of positions."""

    reachable: int
    """All positions, the first and solved ones included."""
    dead_ends: int
    """Positions from which no solved position can be reached."""
    stuck: int
    """Positions that are not solved and have no successor but themselves."""


def explore(packed: PackedModel[Position, Move], initial: Position, limit: int) -> StateCounts:
    """Count the positions that play can reach. Solved positions are not played on.

    Args:
        packed: the packed form of the level.
        initial: the first position.
        limit: the most positions.

    Raises:
        LimitReachedError: if there are more than `limit` positions.
    """
    table = PositionTable(packed.words)
    table.add(packed.pack(initial).reshape(1, -1))
    sources: list[NDArray[np.int32]] = []
    targets: list[NDArray[np.int32]] = []
    goals: list[NDArray[np.int32]] = []
    start = 0
    while start < table.count:
        stop = min(table.count, start + BATCH)
        rows = table.rows(start, stop)
        solved = packed.solved(rows)
        numbers = np.arange(start, stop, dtype=np.int32)
        goals.append(numbers[solved])
        found = packed.successors(np.ascontiguousarray(rows[~solved]))
        targets.append(table.add(found.positions))
        sources.append(np.repeat(numbers[~solved], found.counts))
        if table.count > limit:
            raise LimitReachedError(f"There are more than {limit} positions.")
        start = stop
    source, target, solved_ones = map(np.concatenate, (sources, targets, goals))
    winning = _ancestors(source, target, solved_ones, table.count)
    moving = np.zeros(table.count, np.bool_)
    moving[source[source != target]] = True
    moving[solved_ones] = True
    return StateCounts(table.count, int(np.sum(~winning)), int(np.sum(~moving)))


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


def _ancestors(
    source: NDArray[np.int32], target: NDArray[np.int32], goals: NDArray[np.int32], count: int
) -> NDArray[np.bool_]:
    """Return which nodes lead to one of `goals`, (count,), by breadth-first search against the edges."""
    order = np.argsort(target, kind="stable")
    before = source[order]
    first = np.searchsorted(target[order], np.arange(count + 1))
    reached = np.zeros(count, np.bool_)
    reached[goals] = True
    frontier = goals.astype(np.int64)
    while len(frontier):
        lengths = first[frontier + 1] - first[frontier]
        starts = np.repeat(first[frontier] - np.cumsum(lengths) + lengths, lengths)
        found = np.unique(before[starts + np.arange(int(lengths.sum()))])
        frontier = found[~reached[found]].astype(np.int64)
        reached[frontier] = True
    return reached
