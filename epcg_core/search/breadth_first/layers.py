"""One layer of a breadth-first search, in units: which of a unit's ranks the frontier leads to.

`Onward` expands the whole frontier and keeps what falls into the unit; `Back` asks of every rank of the unit
that is not reached yet whether the frontier leads there.
"""

from __future__ import annotations

import time
from collections.abc import Iterator

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.chunks.bitsets import pack, unpack
from epcg_core.chunks.blocks import Block
from epcg_core.compiled import read_only
from epcg_core.domain import Bits, Evaluation
from epcg_core.search.breadth_first.graph import Edges, Ranks
from epcg_core.search.breadth_first.kernels import mark, mark_met, members

ONWARD, BACK = 0, 1
"""The direction in which a layer's units look."""

SMALL = 2**18
"""A frontier up to this size is expanded once, and its neighbours kept for all units of the process."""
BATCH = 2**14
"""Ranks expanded in one call: their neighbours still fit into a processor's own memory."""
UNIT_SECONDS, PROBE_SECONDS = 0.5, 0.02


def direction(edges: Edges, frontier: int, missing: int, units: int) -> int:
    """Choose the way with fewer neighbours: the whole frontier for each unit, or the missing ranks once."""
    if edges.onward is None or edges.back is None:
        return BACK if edges.onward is None else ONWARD
    return ONWARD if frontier <= SMALL or frontier * units < missing else BACK


@attrs.frozen(eq=False)
class LayerWork:
    """The cost of a layer, known once its tables exist."""

    edges: Edges
    reached: Bits
    size: int
    """Number of ranks in the frontier."""
    missing: int
    """Ranks that are not reached yet."""
    workers: int = 1
    """Number of units that a larger frontier is expanded for."""

    @property
    def direction(self) -> int:
        return direction(self.edges, self.size, self.missing, self.workers)

    def block_size(self) -> int:
        """Choose the block size from the frontier's size, or from the speed of neighbours."""
        total = self.reached.count
        if self.direction == ONWARD:
            return total if self.size <= SMALL else max(1, -(-total // self.workers))
        assert self.edges.back is not None
        ranks = next(listed(self.reached, 0, total, missing=True), np.zeros(0, np.int64))
        number, rate = 16, 1e6
        while number <= len(ranks):
            begun = time.perf_counter()
            self.edges.back(ranks[:number])
            took = time.perf_counter() - begun
            rate = number / max(took, 1e-6)
            if took > PROBE_SECONDS:
                break
            number *= 4
        return max(1, int(UNIT_SECONDS * rate * total / max(1, self.missing)))


class Onward:
    """Units of a layer whose frontier is expanded: neighbours within a unit's ranks are reached."""

    def __init__(self, edges: Edges, frontier: Bits, reached: Bits) -> None:
        assert edges.onward is not None
        self._onward = edges.onward
        self._frontier = frontier
        self._reached = reached
        self._few = int(np.bitwise_count(frontier.data).sum(dtype=np.int64)) <= SMALL
        self._kept: list[Ranks] = []

    def solve(self, start: int, count: int) -> Block:
        """Compute the table of the ranks start .. start + count - 1; a count of 0 compiles the kernels."""
        table = own_table(self._reached, start, count)
        looked_at = 0
        for neighbours in self._kept:
            mark(neighbours, start, count, table)
        for ranks in listed(self._frontier, 0, 0 if self._kept or not count else self._frontier.count):
            neighbours = read_only(self._onward(ranks))
            looked_at += mark(neighbours, start, count, table)
            if self._few and count:
                self._kept.append(neighbours)
        return Block(start, count, Evaluation((Bits(table, count),)), edges=looked_at)


class Back:
    """Units of a layer that look for the frontier among the neighbours of unreached ranks."""

    def __init__(self, edges: Edges, frontier: Bits, reached: Bits) -> None:
        assert edges.back is not None
        self._back = edges.back
        self._frontier = read_only(frontier.data)
        self._reached = reached

    def solve(self, start: int, count: int) -> Block:
        """Compute the table of the ranks start .. start + count - 1; a count of 0 compiles the kernels."""
        table = own_table(self._reached, start, count)
        looked_at = 0
        for ranks in listed(self._reached, start, start + count, missing=True):
            looked_at += mark_met(ranks, read_only(self._back(ranks)), self._frontier, start, table)
        return Block(start, count, Evaluation((Bits(table, count),)), edges=looked_at)


def own_table(reached: Bits, start: int, count: int) -> NDArray[np.uint8]:
    """Copy a unit's part of a table: (ceil(count / 8),), bit 0 for rank `start`."""
    if start % 8:
        return pack(unpack(reached, start, start + count)).data
    table = np.array(reached.data[start // 8 : (start + count + 7) // 8])
    if count % 8:
        table[-1] &= (1 << count % 8) - 1
    return table


def listed(table: Bits, start: int, stop: int, missing: bool = False) -> Iterator[Ranks]:
    """Yield the ranks start .. stop - 1 whose bit is set, or missing, increasing, in read-only parts.

    An empty range gives one empty part, so that consumers compile their kernels.
    """
    data = read_only(table.data)
    while True:
        ranks = np.empty(BATCH, np.int64)
        found, start = members(data, start, stop, int(missing), ranks)
        if found or stop == 0:
            yield read_only(ranks[:found])
        if start >= stop:
            return
