"""All positions that play can reach, as a graph, explored by packed positions, once for all its readers."""

from __future__ import annotations

import threading
from collections.abc import Hashable, Sequence
from functools import cached_property
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import LimitReachedError, PackedModel, TransitionModel, words_of
from epcg_core.search.shortest_path.positions import PositionTable

BATCH = 4096
"""Positions expanded in one call."""
MOST_KEPT = 1_000_000
"""Positions of a graph that is kept for the next reader, at most: some 100 MB."""
_Numbers = NDArray[np.int32]


@attrs.frozen(eq=False, slots=False)
class ReachableGraph:
    """Positions, numbered in the order of a breadth-first search, and the actions between them."""

    UNREACHED: ClassVar[int] = -1
    """The distance of a position from which no goal can be reached."""

    count: int
    source: _Numbers
    target: _Numbers
    """(edges,) the positions that an action leads from and to; goals are not played on."""
    won: _Numbers
    """The goals."""
    depth: _Numbers
    """(count,) actions from a first position."""
    table: PositionTable | None = None
    """The positions as rows, if it was found in rows."""
    action: NDArray[np.uint8] | None = None
    """(edges,) the numbers of the actions, if it was found in rows."""
    texts: Sequence[str] = ()
    """The text of the action of each edge, if it was found by plain play."""
    positions: Sequence[Any] = ()
    """The positions, if it was found by plain play."""

    @classmethod
    def by_plain_play(
        cls,
        model: TransitionModel[Any, Any],
        firsts: Sequence[Any],
        limit: int,
        deepest: int | None = None,
        beyond: bool = False,
    ) -> ReachableGraph:
        """Return the graph like `reachable`, from plain positions.

        With `beyond`, goals are played on. Raises LimitReachedError if there are more than `limit` positions.
        """
        numbers: dict[Hashable, int] = {}
        positions: list[Any] = []
        depths: list[int] = []
        edges: list[tuple[int, int, str]] = []
        won: list[int] = []
        words = words_of(model)

        def add(position: Any, depth: int) -> int:
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
                if not beyond:
                    continue
            if deepest is not None and depths[number] >= deepest:
                continue
            for action in model.actions(position):
                after = add(model.apply(position, action), depths[number] + 1)
                edges.append((number, after, words(action)))
            if len(positions) > limit:
                raise _too_many(limit)
        source, target = (np.array([edge[side] for edge in edges], np.int32) for side in (0, 1))
        goals, reached = np.array(won, np.int32), np.array(depths, np.int32)
        texts = [text for _, _, text in edges]
        return cls(len(positions), source, target, goals, reached, texts=texts, positions=positions)

    @cached_property
    def rows(self) -> NDArray[np.uint64]:
        """(count, words) the positions as rows. Raises ValueError if it was not found in rows."""
        if self.table is None:
            raise ValueError("the positions are not known as rows")
        return self.table.rows(0, self.count)

    def number(self, row: NDArray[np.uint64]) -> int | None:
        """Return the number of a position by its row; None if play does not reach it."""
        if self.table is None:
            return None
        found = int(self.table.add(row.reshape(1, -1))[0])
        self.table.truncate(self.count)
        return found if found < self.count else None

    @cached_property
    def distances(self) -> _Numbers:
        """(count,) the actions from each position to the nearest goal, or UNREACHED."""
        order = np.argsort(self.target, kind="stable")
        before = self.source[order]
        first = np.searchsorted(self.target[order], np.arange(self.count + 1))
        found = np.full(self.count, self.UNREACHED, np.int32)
        found[self.won] = 0
        frontier = self.won.astype(np.int64)
        distance = 0
        while len(frontier):
            distance += 1
            lengths = first[frontier + 1] - first[frontier]
            starts = np.repeat(first[frontier] - np.cumsum(lengths) + lengths, lengths)
            reached = np.unique(before[starts + np.arange(int(lengths.sum()))])
            frontier = reached[found[reached] == self.UNREACHED].astype(np.int64)
            found[frontier] = distance
        return found

    @property
    def lost(self) -> int:
        """The number of positions from which no goal can be reached."""
        return int((self.distances == self.UNREACHED).sum())

    def stuck(self, loops: bool = True) -> int:
        """Return the number of positions that are no goals and from which no action leads.

        Args:
            loops: whether an action that leads to the same position counts as one.
        """
        playing = np.zeros(self.count, np.bool_)
        playing[self.source if loops else self.source[self.source != self.target]] = True
        playing[self.won] = True
        return int(self.count - playing.sum())


def reachable(
    packed: PackedModel[Any, Any], firsts: NDArray[np.uint64], limit: int, deepest: int | None = None
) -> ReachableGraph:
    """Return the graph of all positions that play can reach from (n, words) first ones.

    Those that are `deepest` actions away are not played on, if that is given. Raises LimitReachedError if
    there are more than `limit` positions.
    """
    table = PositionTable(packed.words)
    table.add(firsts)
    sources: list[_Numbers] = []
    targets: list[_Numbers] = []
    goals: list[_Numbers] = []
    actions: list[NDArray[np.uint8]] = []
    depths = [np.zeros(table.count, np.int32)]
    start, layer_end, depth = 0, table.count, 0
    while start < table.count:
        stop = min(layer_end, start + BATCH)
        rows = table.rows(start, stop)
        won = packed.solved(rows)
        numbers = np.arange(start, stop, dtype=np.int32)
        goals.append(numbers[won])
        known = table.count
        if depth == deepest:
            won = np.ones(len(rows), np.bool_)  # not played on
        found = packed.successors(np.ascontiguousarray(rows[~won]))
        actions.append(found.actions)
        targets.append(table.add(found.positions))
        sources.append(np.repeat(numbers[~won], found.counts))
        depths.append(np.full(table.count - known, depth + 1, np.int32))
        if table.count > limit:
            raise _too_many(limit)
        start = stop
        if start == layer_end:
            layer_end, depth = table.count, depth + 1
    source, target, solved, reached = map(np.concatenate, (sources, targets, goals, depths))
    return ReachableGraph(table.count, source, target, solved, reached, table, np.concatenate(actions))


class _Last(threading.local):
    """The last content whose graph a thread was asked for."""

    key: Hashable = None
    graph: ReachableGraph | None = None
    more_than = -1
    """A number of positions of which there are more, if the graph is not known."""


_last = _Last()


def reachable_from(model: Any, content: Any, limit: int) -> ReachableGraph:
    """Return the graph of all positions that a content's play can reach from its first one.

    It is kept for the next reader of the same content if the model says by `play_identity` how it plays,
    and if it has at most `MOST_KEPT` positions.

    Args:
        model: a transition model that offers packed positions.
        content: the content.
        limit: the most positions.

    Raises:
        LimitReachedError: if there are more positions.
    """
    key = (type(model), model.play_identity, content) if hasattr(model, "play_identity") else None
    if key is None or key != _last.key:
        _last.key, _last.graph, _last.more_than = key, None, -1
    found = None if key is None else _last.graph
    if (found is not None and found.count > limit) or (key is not None and limit <= _last.more_than):
        raise _too_many(limit)
    if found is None:
        packed = model.packed(content)
        try:
            found = reachable(packed, packed.pack(model.initial(content)).reshape(1, -1), limit)
        except LimitReachedError:
            _last.more_than = limit
            raise
        if found.count <= MOST_KEPT:
            _last.graph = found
    return found


def _too_many(limit: int) -> LimitReachedError:
    return LimitReachedError(f"There are more than {limit} positions.")
