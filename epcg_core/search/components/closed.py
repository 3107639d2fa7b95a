"""Components of spaces whose ranks come in parts that no action leaves (`ClosedGraph`): nothing is hashed."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError
from epcg_core.compiled import read_only
from epcg_core.domain import ClosedGraph, ClosedPart
from epcg_core.search.components import closed_kernels
from epcg_core.search.components.explore import Found, TooLargeError
from epcg_core.search.shortest_path.positions import grown


@attrs.frozen(eq=False)
class _NoPart:
    """A part without positions, to compile the kernels."""

    count: int
    edges: NDArray[np.int32]
    goals: NDArray[np.int32]
    ranked: NDArray[np.int32]
    ranks: NDArray[np.int64]


class ClosedExplorer:
    """Explores all components of a part together; keeps its memory between calls."""

    def __init__(self, graph: ClosedGraph, name: str, limit: int) -> None:
        """Take a graph, what it is called in messages, and the positions of a part that memory may hold."""
        self.name = name
        self._graph = graph
        self._limit = limit
        self._numbers = [np.empty(1, np.int32) for _ in range(4)]
        self._begins = np.empty(1, np.int64)
        self._ends = np.empty(1, np.int32)

    def explore(self, start: int, count: int) -> Found:
        """Explore the ranks start .. start + count - 1; a count of 0 compiles the kernels.

        Raises TooLargeError for a part that is too large, and EpcgError for a graph that lacks a rank.
        """
        found, seen = Found.none(count), np.zeros(count, np.bool_)
        if not count:
            nothing = np.zeros(0, np.int32)
            none = _NoPart(0, np.zeros((0, 2), np.int32), nothing, nothing, np.zeros(0, np.int64))
            self._add(none, start, found, seen)
        for part in self._graph.parts(start, count):
            self._add(part, start, found, seen)
        if not seen.all():
            raise EpcgError(
                f"The rank {start + int(np.argmin(seen))} is in none of the parts of {self.name}: each rank "
                "that is asked for has to be in one."
            )
        return found

    def _add(self, part: ClosedPart, start: int, found: Found, seen: NDArray[np.bool_]) -> None:
        count, edges = part.count, len(part.edges)
        if count > self._limit:
            raise TooLargeError(
                f"A part of {self.name} has {count:,} positions, {self._limit:,} are allowed: raise "
                f"search.limit, if there is memory for some {20 + 16 * edges // count} bytes each."
            )
        for of_positions in (part.edges, part.goals, part.ranked):
            if of_positions.size and not 0 <= of_positions.min() <= of_positions.max() < count:
                raise EpcgError(f"A part of {self.name} names positions that are not below {count:,}.")
        self._numbers = [grown(each, count) for each in self._numbers]
        self._begins, self._ends = grown(self._begins, count + 1), grown(self._ends, 2 * edges)
        component, depth, queue, size = self._numbers
        closed_kernels.summarize(
            count,
            read_only(part.edges),
            read_only(part.goals),
            read_only(part.ranked),
            read_only(part.ranks),
            start,
            self._begins,
            self._ends,
            component,
            depth,
            queue,
            size,
            found.size,
            found.hardest,
            found.hardest_rank,
            seen,
        )
