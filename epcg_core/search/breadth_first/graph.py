"""The graph of a generator's states for breadth-first search: edges between ranks, in arrays.

A domain's `ranked_graph` gives them at once; any other generator is asked state by state, through its
`transition_model` and `rank`. The same plain calls verify the results of arrays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, QueryError, RankError
from epcg_core.domain import RankedGraph

Ranks = NDArray[np.int64]
Neighbours = Callable[[Ranks], Ranks]
"""(n,) increasing ranks to their (n, k) neighbours, -1 if there is none."""


@attrs.frozen(eq=False)
class Edges:
    """A graph's edges, seen in the direction in which a search goes."""

    onward: Neighbours | None
    """Neighbours in the next layer; None if only predecessors are known."""
    back: Neighbours | None
    """Map a rank to the ranks that lead to it."""
    starts: tuple[int, ...]


def edges_of(generator: Any, starts: Sequence[int], distance: str) -> Edges:
    """Return the edges of a generator's graph.

    Raises QueryError if there are no edges, or no start is known.
    """
    graph = getattr(generator, "ranked_graph", None)
    if graph is None:
        graph = PlainGraph(generator)
    elif not isinstance(graph, RankedGraph):
        raise QueryError(
            f"The ranked_graph of {type(generator).__name__} lacks a part of epcg_core.domain.RankedGraph: "
            "starts, reversible or successor_ranks."
        )
    onward: Neighbours | None = graph.successor_ranks
    back: Neighbours | None = getattr(graph, "predecessor_ranks", None)
    if graph.reversible:
        back = onward
    if distance == "to":
        onward, back = back, onward
    found = tuple(sorted(set(starts or graph.starts)))
    if not found:
        raise QueryError(
            f"{type(generator).__name__} does not say where a search starts: name ranks in search.starts."
        )
    if found[-1] >= generator.max_rank or found[0] < 0:
        raise QueryError(
            f"search.starts: {found[-1]} is not one of the ranks 0 to {generator.max_rank - 1} of the space."
        )
    limit = generator.max_rank
    return Edges(_checked(onward, limit), _checked(back, limit), found)


def _checked(neighbours: Neighbours | None, max_rank: int) -> Neighbours | None:
    """Wrap a neighbour function to raise EpcgError if its ranks or shapes are invalid."""
    if neighbours is None:
        return None

    def ask(ranks: Ranks) -> Ranks:
        found = np.asarray(neighbours(ranks))
        if found.ndim != 2 or len(found) != len(ranks) or found.dtype != np.int64:
            raise EpcgError(
                f"A ranked_graph gave an array of {found.dtype} {found.shape} for {len(ranks)} ranks: an "
                "int64 array with a row for each of them is expected."
            )
        if found.size and (found.max() >= max_rank or found.min() < -1):
            row = int(np.argmax(((found >= max_rank) | (found < -1)).any(axis=1)))
            raise EpcgError(
                f"A ranked_graph leads from rank {ranks[row]} to {found[row].tolist()}, which do not all lie "
                f"in the space of {max_rank} ranks."
            )
        return found

    return ask


class PlainGraph:
    """The graph of a generator with a `transition_model` and `rank`, in plain Python.

    A model may offer `predecessors(state)`, the states from which one action leads to it, or say that it is
    `reversible`. The starts are the generator's `starts`, if it has any.
    """

    def __init__(self, generator: Any) -> None:
        model = getattr(generator, "transition_model", None)
        if model is None or not hasattr(generator, "rank"):
            raise QueryError(
                f"{type(generator).__name__} is not a graph, so breadth-first search does not apply: it "
                "needs ranked_graph, or transition_model and rank."
            )
        self._generator = generator
        self._model = model
        self.starts: tuple[int, ...] = tuple(getattr(generator, "starts", ()))
        self.reversible = bool(getattr(model, "reversible", False))
        predecessors = getattr(model, "predecessors", None)
        if predecessors is not None:
            self.predecessor_ranks = lambda ranks: self._table(self.predecessors, ranks)

    def successors(self, rank: int) -> list[int]:
        """Return the distinct ranks that one action leads to, increasing.

        Raises RankError outside the space.
        """
        state = self._generator.unrank(rank)
        return self._ranks(self._model.apply(state, action) for action in self._model.actions(state))

    def predecessors(self, rank: int) -> list[int]:
        """Return the ranks from which one action leads to a rank, each once, increasing."""
        if self.reversible:
            return self.successors(rank)
        return self._ranks(self._model.predecessors(self._generator.unrank(rank)))

    def successor_ranks(self, ranks: Ranks) -> Ranks:
        return self._table(self.successors, ranks)

    def _ranks(self, states: Iterable[Any]) -> list[int]:
        try:
            return sorted({int(self._generator.rank(state)) for state in states})
        except RankError as error:
            raise EpcgError(f"An action leads out of the space: {error}") from error

    def _table(self, neighbours: Callable[[int], list[int]], ranks: Ranks) -> Ranks:
        rows = [neighbours(rank) for rank in ranks.tolist()]
        width = max(map(len, rows), default=0)
        table = np.full((len(rows), width), -1, np.int64)
        for row, found in zip(table, rows, strict=True):
            row[: len(found)] = found
        return table


class SingleRanks:
    """Neighbours of one rank at a time, in plain Python if the generator has a transition model."""

    def __init__(self, generator: Any, edges: Edges, distance: str) -> None:
        graph = None
        if getattr(generator, "transition_model", None) is not None and hasattr(generator, "rank"):
            graph = PlainGraph(generator)
        self.compiled: tuple[str, ...] = () if graph else (f"the ranked_graph of {type(generator).__name__}",)
        """The parts that have no plain form."""
        known = graph is not None and (graph.reversible or hasattr(graph, "predecessor_ranks"))
        onward: Callable[[int], list[int]] | None = graph.successors if graph else None
        back = graph.predecessors if graph and known else None
        if distance == "to":
            onward, back = back, onward
        self.onward = onward or _one_by_one(edges.onward)
        self.back = back or _one_by_one(edges.back)


def _one_by_one(neighbours: Neighbours | None) -> Callable[[int], list[int]] | None:
    if neighbours is None:
        return None
    return lambda rank: [int(r) for r in neighbours(np.array([rank], np.int64))[0] if r >= 0]
