"""Breadth-first search by its definition, rank by rank: what `epcg verify` compares the record with."""

from __future__ import annotations

from bisect import bisect_left
from collections.abc import Sequence

import numpy as np

from epcg_core.base.errors import CheckFailedError
from epcg_core.chunks.bitsets import bit, pack, unpack
from epcg_core.chunks.blocks import Block
from epcg_core.domain import NONE, VALUE, Bits, Evaluation
from epcg_core.search.breadth_first.graph import Edges, SingleRanks


class Definition:
    """The correct value of a rank, from the tables of the layers and the rank's own neighbours.

    In a layer, a rank is reached if it, or a neighbour that leads to it, was reached before. In the answer,
    the depth is 0 at the starts, elsewhere one more than the least depth of the neighbours that lead to it.
    If these neighbours are unknown, the depth is that of the first layer that reaches the rank, and no action
    may lead further than the next layer.
    """

    def __init__(self, depths: bool, single: SingleRanks, edges: Edges, layers: Sequence[Bits]) -> None:
        self._depths = depths
        self._single = single
        self._edges = edges
        self._layers = layers
        self._pushed: set[int] | None = None

    def solve(self, start: int, count: int) -> Block:
        if self._depths:
            depths = [self._depth(rank) for rank in range(start, start + count)]
            values = np.array([depth or 0 for depth in depths], np.int64)
            status = np.array([NONE if depth is None else VALUE for depth in depths], np.uint8)
            return Block(start, count, Evaluation((values,), status), compiled=self._single.compiled)
        found = np.array([self._reached(rank) for rank in range(start, start + count)], np.bool_)
        return Block(start, count, Evaluation((pack(found),)), compiled=self._single.compiled)

    def _reached(self, rank: int) -> bool:
        """Return whether a rank is reached at this layer, or at all for the answer."""
        reached = self._layers[0]
        if bit(reached, rank):
            return True
        if self._single.back is not None:
            return any(bit(reached, other) for other in self._single.back(rank))
        return rank in self._pushed_ranks(reached)

    def _pushed_ranks(self, reached: Bits) -> set[int]:
        """Return all ranks that one action leads to from reached ones, computed once without predecessors."""
        if self._pushed is None:
            assert self._single.onward is not None
            self._pushed = set()
            for rank in np.flatnonzero(unpack(reached, 0, reached.count)).tolist():
                self._pushed.update(self._single.onward(rank))
        return self._pushed

    def _depth(self, rank: int) -> int | None:
        if rank in self._edges.starts:
            return 0
        if self._single.back is not None:
            known = [self._recorded(other) for other in self._single.back(rank)]
            depths = [depth for depth in known if depth is not None]
            return 1 + min(depths) if depths else None
        depth = self._recorded(rank)
        assert self._single.onward is not None
        for other in self._single.onward(rank) if depth is not None else ():
            further = self._recorded(other)
            if depth is not None and (further is None or further > depth + 1):
                raise CheckFailedError(
                    f"Rank {other} is recorded at depth {further}, but one action leads to it from rank "
                    f"{rank} at depth {depth}."
                )
        return depth

    def _recorded(self, rank: int) -> int | None:
        """Return the first layer that reaches a rank."""
        found = bisect_left(self._layers, 1, key=lambda reached: bit(reached, rank))  # tables only grow
        return found if found < len(self._layers) else None
