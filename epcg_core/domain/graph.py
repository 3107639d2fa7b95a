"""Contracts of searches over graphs, whose vertices are the states of a space, or those and others."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Protocol, runtime_checkable

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@runtime_checkable
class RankedGraph(Protocol):
    """The array capability behind breadth-first search, a generator's `ranked_graph`: edges between ranks.

    A generator without it is searched by its `transition_model` and `rank`, in plain Python, which also
    verify a run with it. A goal is a vertex like any other, so the model is asked for `actions` there, too.
    Optional: `predecessor_ranks(ranks)`, in the same form, if some actions are irreversible; and
    `goal_ranks(ranks)`, (n,) bool, for the search for components, which otherwise asks the model state by
    state.
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


@runtime_checkable
class PositionGraph(Protocol):
    """The array capability behind the search for components, a generator's `position_graph`.

    Its vertices are positions, rows of 64-bit words; the states of the space are some of them, and actions
    may lead to others. Equal positions have equal rows. Optional: `predecessors(positions)`, in the form of
    `successors`, if some actions are irreversible.
    """

    @property
    def words(self) -> int:
        """Number of 64-bit words of a position."""

    @property
    def reversible(self) -> bool:
        """Whether every action can be taken back by one, so that predecessors are successors."""

    def positions(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the (n, words) positions of the states of (n,) ranks."""

    def ranks(self, positions: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return the (n,) ranks of positions; -1 for those that are not states of the space."""

    def goals(self, positions: NDArray[np.uint64]) -> NDArray[np.bool_]:
        """Return the (n,) mask of goals."""

    def successors(self, positions: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """Return the (m, words) positions that one action leads to, and (n,) how many each position has.

        Those of the first position come first. A call without positions compiles the kernels.
        """


class ClosedPart(Protocol):
    """Positions that no action leaves or enters, numbered from 0, with all actions between them."""

    @property
    def count(self) -> int:
        """The number of positions."""

    @property
    def edges(self) -> NDArray[np.int32]:
        """(m, 2): the positions before and after an action, each pair once; another action leads back."""

    @property
    def goals(self) -> NDArray[np.int32]:
        """(g,): the goals."""

    @property
    def ranked(self) -> NDArray[np.int32]:
        """(p,): the positions that are states of the space."""

    @property
    def ranks(self) -> NDArray[np.int64]:
        """(p,): their ranks."""


@runtime_checkable
class ClosedGraph(Protocol):
    """The array capability of a space in which ranks that follow each other lie in the same small parts.

    A generator offers it as `closed_graph`, where something that no action changes divides the positions, as
    the pieces in each line of a sliding puzzle, and ranks go by it. The search for components then reads
    whole parts instead of hashing positions. Every action can be taken back by one.
    """

    def parts(self, start: int, count: int) -> Iterator[ClosedPart]:
        """Yield the parts that the ranks start .. start + count - 1 lie in, each rank in one of them.

        A part has all positions that actions lead to from its own, so it may have other ranks, too. Its
        arrays may be changed when the next one is asked for. A count of 0 compiles the kernels.
        """
