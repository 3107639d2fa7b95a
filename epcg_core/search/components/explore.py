"""Components from the states of a range of ranks: each is explored once, from its state of lowest rank.

The starts of a group are explored side by side, a layer at a time, and joined when they meet. One that meets
a state of a rank below the group is not the lowest of its component, and is given up at once, with all that
joined it. What is left are whole components, each with its lowest rank. A component that outgrows the group
is explored by itself afterwards: in bits if every rank is a vertex, and by hashing if not.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.search.components import kernels
from epcg_core.search.components.graph import Neighbours, Vertices
from epcg_core.search.components.on_disk import OnDisk
from epcg_core.search.layer_files import folder_of
from epcg_core.search.shortest_path.positions import PositionTable, grown

GROUP = 4096
"""Starts that are explored side by side, at most."""
FEW, MANY = 2**15, 2**17
"""Positions of a group: below, the next one gets twice as many starts, and above, half as many. The table of
those between fits into a processor's own memory."""
CAP = 2**21
"""Positions of a group; when there are more, its largest component is left for later."""
DENSE = 2**20
"""Positions of a single component from which on it is explored in bits, if it can be."""
BATCH = 2**14
"""Positions that are expanded in one call: their neighbours fit into a processor's own memory."""


Arrays = tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32]]
"""Where the neighbours of each position begin, how many they are, and all of them."""


class TooLargeError(EpcgError):
    """A component has more positions than a search may hold."""


@attrs.frozen
class Found:
    """The components of (n,) states, each at the one that is its lowest."""

    size: NDArray[np.int64]
    """Positions; 0 if a lower state stands for the component."""
    hardest: NDArray[np.int64]
    """The greatest distance of a position to the nearest goal; -1 without a goal."""
    hardest_rank: NDArray[np.int64]
    """The lowest rank of the positions with this distance; -1 if none is a state of the space."""

    @classmethod
    def none(cls, count: int) -> Found:
        return cls(np.zeros(count, np.int64), np.full(count, -1, np.int64), np.full(count, -1, np.int64))

    def put(self, at: int, other: Found) -> None:
        """Enter the single state of another."""
        for mine, theirs in zip(attrs.astuple(self), attrs.astuple(other), strict=True):
            mine[at] = theirs[0]


class Explorer:
    """Explores components; keeps its memory between calls."""

    def __init__(self, vertices: Vertices, limit: int, disk: float | None = None, key: str = "") -> None:
        """Take a graph, the positions of a component that memory may hold, and what the disk may.

        Args:
            vertices: the graph.
            limit: the positions.
            disk: gigabytes; None if no component is explored on disk.
            key: what names the run's files on disk.
        """
        self.name = vertices.name
        self._disk, self._key = disk, key
        self._vertices = vertices
        self._limit = limit
        self._table = PositionTable(vertices.words)
        self._group = min(512, GROUP)

    def explore(self, start: int, count: int) -> Found:
        """Explore the ranks start .. start + count - 1; a count of 0 compiles the kernels.

        Raises TooLargeError for a component that is too large.
        """
        found, low = Found.none(count), start
        while True:
            ranks = np.arange(low, min(low + self._group, start + count), dtype=np.int64)
            group = _Group(self._vertices, self._table, ranks, min(CAP, self._limit))
            own = group.explored()
            if len(ranks) == self._group:
                self._group = _next_size(self._group, self._table.count)
            for mine, theirs in zip(attrs.astuple(found), attrs.astuple(own), strict=True):
                mine[low - start : low - start + len(ranks)] = theirs
            for at in group.postponed:
                found.put(low - start + at, self._alone(int(ranks[at])))
            low += len(ranks)
            if low >= start + count:
                return found

    def _alone(self, rank: int) -> Found:
        """Explore the component of one state."""
        one, dense = np.array([rank], np.int64), self._vertices.dense
        group = _Group(self._vertices, self._table, one, min(DENSE, self._limit) if dense else self._limit)
        found = group.explored()
        if not group.postponed:
            return found
        if dense:
            return self._in_bits(rank)
        if self._disk is None:
            raise TooLargeError(
                f"The component of rank {rank} has more than {self._limit:,} positions: raise search.limit, "
                "if there is memory for some 40 bytes each, or allow it this many gigabytes of disk: "
                "search.disk."
            )
        with folder_of("component", self._key, rank) as folder:
            explored = OnDisk(self._vertices, folder, int(self._disk * 1e9)).explored(rank)
        found = Found.none(1)
        if explored is not None:
            found.size[0], found.hardest[0], found.hardest_rank[0] = explored
        return found

    def _in_bits(self, rank: int) -> Found:
        """Explore a component of ranks, with a bit for each rank of the space."""
        graph, found = self._vertices, Found.none(1)
        reached = np.zeros((graph.dense + 7) // 8, np.uint8)
        goals, size = [], 0
        ways = [graph.onward] if graph.back is None else [graph.onward, graph.back]
        for layer in _layers(np.array([rank], np.int64), ways, reached):
            if layer.min() < rank:
                return found
            size += len(layer)
            for part in _parts(layer):
                goals.append(part[graph.goals(part.astype(np.uint64)[:, None])])
        found.size[0] = size
        first = np.concatenate(goals)
        if len(first):
            reached[:] = 0
            for depth, layer in enumerate(_layers(first, [graph.back or graph.onward], reached)):
                found.hardest[0], found.hardest_rank[0] = depth, layer.min()
        return found


def _next_size(starts: int, positions: int) -> int:
    """Return how many starts to explore side by side, from the starts and positions so far."""
    if positions > MANY:
        return max(1, starts // 2)
    return min(GROUP, 2 * starts) if positions < FEW else starts


def _parts(numbers: NDArray[Any]) -> Iterator[NDArray[Any]]:
    for low in range(0, len(numbers), BATCH):
        yield numbers[low : low + BATCH]


def _layers(
    layer: NDArray[np.int64], ways: list[Neighbours], reached: NDArray[np.uint8]
) -> Iterator[NDArray[np.int64]]:
    """Yield ranks by their distance from those of the first layer, each rank once."""
    kernels.claim(read_only(layer), reached, np.empty(len(layer), np.int64))
    while len(layer):
        yield layer
        new = []
        for part in _parts(layer):
            rows = read_only(part.astype(np.uint64)[:, None])
            for way in ways:
                ranks = read_only(way(rows)[0][:, 0].astype(np.int64))
                out = np.empty(len(ranks), np.int64)
                new.append(out[: kernels.claim(ranks, reached, out)].copy())
        layer = np.concatenate(new)


class _Edges:
    """The neighbours of numbered positions, in the order in which the positions were expanded."""

    def __init__(self) -> None:
        self._begin = np.zeros(2048, np.int64)
        self._degree = np.zeros(2048, np.int32)
        self._parts: list[NDArray[np.int32]] = []
        self._size = 0

    def add(self, sources: NDArray[np.int32], counts: NDArray[np.int64], numbers: NDArray[np.int32]) -> None:
        needed = int(sources[-1]) + 1
        self._begin = grown(self._begin, needed)
        self._degree = grown(self._degree, needed)
        self._begin[sources] = self._size + np.cumsum(counts) - counts
        self._degree[sources] = counts
        self._parts.append(numbers)
        self._size += len(numbers)

    def arrays(self, count: int) -> Arrays:
        edges = np.concatenate([*self._parts, np.zeros(0, np.int32)])
        self._begin, self._degree = grown(self._begin, count), grown(self._degree, count)
        return read_only(self._begin[:count]), read_only(self._degree[:count]), read_only(edges)


class _Group:
    """The exploration of some starts, increasing, without a gap."""

    def __init__(self, vertices: Vertices, table: PositionTable, ranks: NDArray[np.int64], cap: int) -> None:
        self._graph = vertices
        self._table = table
        self._cap = cap
        self._starts = read_only(ranks)
        self._parents = np.arange(max(len(ranks), 1), dtype=np.int32)
        self._closed = np.zeros(max(len(ranks), 1), np.uint8)
        self._owner = np.zeros(2048, np.int32)
        self._back = _Edges()
        self._onward = _Edges() if vertices.back is not None else self._back
        self.postponed: list[int] = []
        """The starts that are the lowest of a component that is too large for a group."""

    def explored(self) -> Found:
        """Explore all starts that are not postponed."""
        table = self._table
        table.clear(self._graph.words)
        numbers = table.add(self._graph.positions(self._starts))
        self._owner = grown(self._owner, table.count)
        kernels.join(
            np.zeros(0, np.int32), np.zeros(0, np.int64), numbers, 0, self._owner, self._parents, self._closed
        )
        for at, number in enumerate(numbers.tolist()):
            if number < at:
                raise EpcgError(
                    f"The ranks {self._starts[number]} and {self._starts[at]} are the same position, so they "
                    "are one vertex with two numbers: a graph needs a position for each state."
                )
        self._owner[: table.count] = np.arange(table.count)
        low = 0
        while low < table.count:
            high = table.count
            opened = np.empty(high - low, np.int32)
            count = kernels.open_positions(low, high, self._owner, self._parents, self._closed, opened)
            for part in _parts(opened[:count]):
                self._expand(part)
                if table.count > self._cap:
                    self._postpone()
            low = high
        return self._summed()

    def _expand(self, part: NDArray[np.int32]) -> None:
        rows = self._table.rows_of(part)
        ways = [(self._graph.onward, self._onward)]
        if self._graph.back is not None:
            ways.append((self._graph.back, self._back))
        sources = read_only(part)
        for way, edges in ways:
            known = self._table.count
            found, counts = way(rows)
            numbers = read_only(self._table.add(found))
            self._owner = grown(self._owner, self._table.count)
            kernels.join(sources, read_only(counts), numbers, known, self._owner, self._parents, self._closed)
            edges.add(part, counts, numbers)
            if self._table.count > known:
                ranks = read_only(self._graph.ranks(self._table.rows(known, self._table.count)))
                kernels.close_lower(known, ranks, self._starts, self._owner, self._parents, self._closed)

    def _postpone(self) -> None:
        at = kernels.largest(self._table.count, self._owner, self._parents, self._closed)
        if at >= 0:
            self._closed[at] |= kernels.POSTPONED

    def _summed(self) -> Found:
        table, count, starts = self._table, self._table.count, len(self._starts)
        found = Found.none(starts)
        roots = np.empty(len(self._parents), np.int32)
        kernels.roots(self._parents, roots)
        self.postponed = np.unique(roots[self._closed[roots] == kernels.POSTPONED]).tolist()
        opened = np.empty(count, np.int32)
        opened = read_only(
            opened[: kernels.open_positions(0, count, self._owner, self._parents, self._closed, opened)]
        )
        goals = [part[self._graph.goals(table.rows_of(part))] for part in _parts(opened)]
        begin, degree, edges = self._back.arrays(count)
        depth = np.empty(count, np.int32)
        first = read_only(np.concatenate([*goals, np.zeros(0, np.int32)]))
        kernels.distances(first, begin, degree, edges, depth)
        kernels.summary(opened, self._owner, self._parents, depth, found.size, found.hardest)
        far = opened[(depth[opened] >= 0) & (depth[opened] == found.hardest[roots[self._owner[opened]]])]
        for part in _parts(far):
            ranks = read_only(self._graph.ranks(table.rows_of(part)))
            kernels.lowest_hardest(read_only(part), ranks, self._owner, self._parents, found.hardest_rank)
        self._check(opened, (begin, degree, edges))
        return found

    def _check(self, opened: NDArray[np.int32], back: Arrays) -> None:
        """Raise EpcgError if a whole component's edges are not the same forwards and backwards."""
        theirs = back if self._onward is self._back else self._onward.arrays(self._table.count)
        if kernels.edge_sum(opened, *theirs, 0) == kernels.edge_sum(opened, *back, 1):
            return
        forwards = zip(*_pairs(opened, theirs), strict=True)
        missing = set(forwards) ^ set(zip(*_pairs(opened, back)[::-1], strict=True))
        if not missing:
            return  # only how many actions lead there differs
        one, other = min(missing)
        rows = self._table.rows_of(np.array([one, other], np.int32)).tolist()
        raise EpcgError(
            f"In {self._graph.name} an edge from {rows[0]} to {rows[1]} is known in one direction only: its "
            "predecessors, or its word that it is reversible, do not agree with its successors."
        )


def _pairs(opened: NDArray[np.int32], edges: Arrays) -> tuple[list[int], list[int]]:
    """Return the two ends of the edges of positions."""
    begin, degree, ends = edges
    counts = degree[opened]
    onward = [ends[begin[number] : begin[number] + degree[number]] for number in opened.tolist()]
    return np.repeat(opened, counts).tolist(), np.concatenate([*onward, ends[:0]]).tolist()
