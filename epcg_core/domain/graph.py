"""Contracts of breadth-first search: spaces whose states are the vertices of a graph."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class RankedGraph(Protocol):
    """The array capability behind breadth-first search, a generator's `ranked_graph`: edges between ranks.

    A generator without it is searched by its `transition_model` and `rank`, in plain Python, which also
    verify a run with it. A goal is a vertex like any other, so the model is asked for `actions` there, too.
    Optional: `predecessor_ranks(ranks)`, in the same form, if some actions are irreversible.
    """

    @property
    def starts(self) -> Sequence[int]:
        """The ranks at depth 0, unless the query names others."""

    @property
    def reversible(self) -> bool:
        """Whether every edge leads both ways, so that predecessors are successors."""

    def successor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the (n, k) ranks that one action leads to from (n,) increasing ranks; -1 fills the rows.

        A call without ranks compiles the kernels.
        """


@runtime_checkable
class DirectedGraph(RankedGraph, Protocol):
    """A ranked graph that can be followed against its edges too."""

    def predecessor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the (n, k) ranks from which one action leads to (n,) increasing ranks; -1 fills the rows."""
