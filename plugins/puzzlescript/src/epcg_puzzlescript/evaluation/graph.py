"""All positions of levels that play can reach, as a graph, compiled and plain."""

from __future__ import annotations

from collections.abc import Hashable, Sequence

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LimitReachedError, PackedModel, PositionTable
from epcg_puzzlescript.rules.level import Position
from epcg_puzzlescript.rules.model import PuzzleScriptModel

BATCH = 4096
"""Positions expanded in one call."""
MOST_COUNTED = 2**62
UNREACHED = -1
_Numbers = NDArray[np.int32]


@attrs.frozen(eq=False)
class Graph:
    """Positions, numbered in the order of a breadth-first search, and the inputs between them."""

    count: int
    source: _Numbers
    target: _Numbers
    """(edges,) the positions that an input leads from and to; won positions are not played on."""
    won: _Numbers
    """The won positions."""
    depth: _Numbers
    """(count,) inputs from a first position."""
    rows: NDArray[np.uint64] | None = None
    """(count, words) the positions as rows, if it was found in rows."""

    def distances(self) -> _Numbers:
        """Return the inputs from each position to the nearest won one, (count,), or UNREACHED."""
        order = np.argsort(self.target, kind="stable")
        before = self.source[order]
        first = np.searchsorted(self.target[order], np.arange(self.count + 1))
        found = np.full(self.count, UNREACHED, np.int32)
        found[self.won] = 0
        frontier = self.won.astype(np.int64)
        distance = 0
        while len(frontier):
            distance += 1
            lengths = first[frontier + 1] - first[frontier]
            starts = np.repeat(first[frontier] - np.cumsum(lengths) + lengths, lengths)
            reached = np.unique(before[starts + np.arange(int(lengths.sum()))])
            frontier = reached[found[reached] == UNREACHED].astype(np.int64)
            found[frontier] = distance
        return found

    def stuck(self) -> int:
        """Return the number of positions, not won, from which no input leads."""
        playing = np.zeros(self.count, np.bool_)
        playing[self.source] = True
        playing[self.won] = True
        return int(self.count - playing.sum())

    def shortest_solutions(self) -> int | None:
        """Return the number of shortest ways from the first position to a won one; None if there is none.

        Raises LimitReachedError if there are 2**62 or more.
        """
        if not len(self.won):
            return None
        last = int(self.depth[self.won].min())
        ways = {0: 1}
        on_way = self.depth[self.target] == self.depth[self.source] + 1
        source, target = self.source[on_way], self.target[on_way]
        depths = self.depth[source]
        for depth in range(last):
            here = depths == depth
            after: dict[int, int] = {}
            for one, other in zip(source[here].tolist(), target[here].tolist(), strict=True):
                after[other] = after.get(other, 0) + ways.get(one, 0)
            ways = after
        won = set(self.won.tolist())
        found = sum(number for position, number in ways.items() if position in won)
        if found >= MOST_COUNTED:
            raise LimitReachedError("There are 2**62 shortest solutions or more.")
        return found


def explore(packed: PackedModel[Position, str], firsts: NDArray[np.uint64], limit: int) -> Graph:
    """Return the graph of all positions that play can reach from (n, words) first ones.

    Raises LimitReachedError if there are more than `limit` positions.
    """
    table = PositionTable(packed.words)
    table.add(firsts)
    sources: list[_Numbers] = []
    targets: list[_Numbers] = []
    goals: list[_Numbers] = []
    depths = [np.zeros(table.count, np.int32)]
    start, layer_end, depth = 0, table.count, 0
    while start < table.count:
        stop = min(layer_end, start + BATCH)
        rows = table.rows(start, stop)
        won = packed.solved(rows)
        numbers = np.arange(start, stop, dtype=np.int32)
        goals.append(numbers[won])
        known = table.count
        found = packed.successors(np.ascontiguousarray(rows[~won]))
        targets.append(table.add(found.positions))
        sources.append(np.repeat(numbers[~won], found.counts))
        depths.append(np.full(table.count - known, depth + 1, np.int32))
        if table.count > limit:
            raise LimitReachedError(f"There are more than {limit} positions.")
        start = stop
        if start == layer_end:
            layer_end, depth = table.count, depth + 1
    source, target, solved, reached = map(np.concatenate, (sources, targets, goals, depths))
    every = table.rows(0, table.count)
    return Graph(table.count, source, target, solved, reached, every)


def explore_plainly(model: PuzzleScriptModel, firsts: Sequence[Position], limit: int) -> Graph:
    """Return the graph like `explore`, from plain positions. Raises LimitReachedError."""
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
    return Graph(len(positions), source_array, target_array, won_array, depth_array)
