"""Graphs of all positions that play of a level can reach: from plain positions, and their shortest ways."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import numpy as np

from epcg_core.plugin import LimitReachedError, ReachableGraph
from epcg_puzzlescript.rules.level import Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel

MOST_COUNTED = 2**62
UNREACHED = ReachableGraph.UNREACHED


def shortest_solutions(graph: ReachableGraph) -> int | None:
    """Return the number of shortest ways from the first position to a won one; None if there is none.

    Raises LimitReachedError if there are 2**62 or more.
    """
    if not len(graph.won):
        return None
    last = int(graph.depth[graph.won].min())
    ways = {0: 1}
    on_way = graph.depth[graph.target] == graph.depth[graph.source] + 1
    source, target = graph.source[on_way], graph.target[on_way]
    depths = graph.depth[source]
    for depth in range(last):
        here = depths == depth
        after: dict[int, int] = {}
        for one, other in zip(source[here].tolist(), target[here].tolist(), strict=True):
            after[other] = after.get(other, 0) + ways.get(one, 0)
        ways = after
    won = set(graph.won.tolist())
    found = sum(number for position, number in ways.items() if position in won)
    if found >= MOST_COUNTED:
        raise LimitReachedError("There are 2**62 shortest solutions or more.")
    return found


def explore_plainly(model: PuzzleScriptModel, firsts: Sequence[Position], limit: int) -> ReachableGraph:
    """Return the graph like `reachable`, from plain positions. Raises LimitReachedError."""
    numbers: dict[Hashable, int] = {}
    positions: list[Position] = []
    depths: list[int] = []
    source: list[int] = []
    target: list[int] = []
    won: list[int] = []

    def add(position: Position, depth: int) -> int:
        number = numbers.setdefault(model.key(position), len(positions))
        if number == len(positions):
            positions.append(position)
            depths.append(depth)
        return number

    for position in firsts:
        add(position, 0)
    for number, position in enumerate(positions):  # it grows while it is walked
        if model.is_goal(position):
            won.append(number)
            continue
        for given in model.actions(position):
            target.append(add(model.apply(position, given), depths[number] + 1))
            source.append(number)
        if len(positions) > limit:
            raise LimitReachedError(f"There are more than {limit} positions.")
    arrays = (np.array(numbers, np.int32) for numbers in (source, target, won, depths))
    source_array, target_array, won_array, depth_array = arrays
    return ReachableGraph(len(positions), source_array, target_array, won_array, depth_array)
