"""A generator's graph for the search for components: positions as rows of words, whatever it offers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import EpcgError, QueryError
from epcg_core.compiled import read_only
from epcg_core.domain import ClosedGraph, PositionGraph, RankedGraph

Rows = NDArray[np.uint64]
Neighbours = Callable[[Rows], tuple[Rows, NDArray[np.int64]]]
"""(n, words) positions to their (m, words) neighbours, those of the first one first, and (n,) counts."""


@attrs.frozen(eq=False)
class Vertices:
    """The vertices of a graph and its edges, in arrays."""

    name: str
    """The capability, for messages."""
    words: int
    positions: Callable[[NDArray[np.int64]], Rows]
    ranks: Callable[[Rows], NDArray[np.int64]]
    goals: Callable[[Rows], NDArray[np.bool_]]
    onward: Neighbours
    back: Neighbours | None
    """The positions from which one action leads to others; None if they are the successors."""
    reversible: bool = True
    """Whether every action can be taken back by one."""
    dense: int = 0
    """The number of ranks, if each vertex is the state of a rank, its only word; otherwise 0."""


def closed_graph_of(generator: Any) -> tuple[ClosedGraph, str] | None:
    """Return the graph of a generator in closed parts, and its name in messages; None if it offers none.

    Raises QueryError if what it offers is none.
    """
    graph = getattr(generator, "closed_graph", None)
    if graph is None:
        return None
    if not isinstance(graph, ClosedGraph):
        raise QueryError(
            f"The closed_graph of {type(generator).__name__} lacks a part of epcg_core.domain.ClosedGraph: "
            "parts."
        )
    return graph, f"the closed_graph of {type(generator).__name__}"


def vertices_of(generator: Any, max_rank: int, *, backwards: bool = True) -> Vertices | None:
    """Return the graph in arrays; None if the generator offers it state by state only.

    Args:
        generator: the generator.
        max_rank: the number of its ranks.
        backwards: whether the edges have to be known backwards, too.

    Raises:
        QueryError: if it offers no graph, or one that can only be followed forwards and has to be backwards.
    """
    graph = getattr(generator, "position_graph", None)
    if graph is not None:
        if not isinstance(graph, PositionGraph):
            raise QueryError(
                f"The position_graph of {type(generator).__name__} lacks a part of "
                "epcg_core.domain.PositionGraph: words, reversible, positions, ranks, goals or successors."
            )
        back = _backwards(graph, "predecessors", generator) if backwards else None
        return Vertices(
            f"the position_graph of {type(generator).__name__}",
            graph.words,
            graph.positions,
            graph.ranks,
            graph.goals,
            _checked(graph.successors, graph.words),
            None if back is None else _checked(back, graph.words),
            reversible=bool(graph.reversible),
        )
    ranked = getattr(generator, "ranked_graph", None)
    if ranked is None:
        return None
    if not isinstance(ranked, RankedGraph):
        raise QueryError(
            f"The ranked_graph of {type(generator).__name__} lacks a part of epcg_core.domain.RankedGraph: "
            "starts, reversible or successor_ranks."
        )
    back = _backwards(ranked, "predecessor_ranks", generator) if backwards else None
    return Vertices(
        f"the ranked_graph of {type(generator).__name__}",
        1,
        lambda ranks: ranks.astype(np.uint64)[:, None],
        lambda rows: rows[:, 0].astype(np.int64),
        lambda rows: _goals(generator, ranked, rows[:, 0].astype(np.int64)),
        _checked(_listed(ranked.successor_ranks, max_rank), 1),
        None if back is None else _checked(_listed(back, max_rank), 1),
        reversible=bool(ranked.reversible),
        dense=max_rank,
    )


def _backwards(graph: Any, name: str, generator: Any) -> Any:
    back = None if graph.reversible else getattr(graph, name, None)
    if back is None and not graph.reversible:
        raise QueryError(
            f"The graph of {type(generator).__name__} is not reversible and has no {name}: components join "
            "what actions lead to and what they come from, so both have to be known."
        )
    return back


def _goals(generator: Any, graph: Any, ranks: NDArray[np.int64]) -> NDArray[np.bool_]:
    asked = getattr(graph, "goal_ranks", None)
    if asked is not None:
        return np.asarray(asked(ranks), np.bool_)
    model = getattr(generator, "transition_model", None)
    if model is None:
        return np.isin(ranks, np.array(graph.starts, np.int64))
    return np.array([bool(model.is_goal(generator.unrank(rank))) for rank in ranks.tolist()], np.bool_)


def _listed(neighbours: Callable[[NDArray[np.int64]], NDArray[np.int64]], max_rank: int) -> Neighbours:
    """Turn a table of neighbours, -1 for none, into a list of rows and their numbers; ranks in any order."""

    def ask(rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
        ranks = np.ascontiguousarray(rows[:, 0]).view(np.int64)
        if (ranks[1:] < ranks[:-1]).any():
            order = np.argsort(ranks, kind="stable")
            ordered = np.asarray(neighbours(read_only(ranks[order])))
            found = np.empty_like(ordered)
            found[order] = ordered
        else:
            found = np.asarray(neighbours(read_only(ranks)))
        if found.size and (found.max() >= max_rank or found.min() < -1):
            raise EpcgError(f"A ranked_graph leads out of the space of {max_rank} ranks.")
        there = found >= 0
        return found[there].astype(np.uint64)[:, None], there.sum(axis=1, dtype=np.int64)

    return ask


def _checked(neighbours: Neighbours, words: int) -> Neighbours:
    """Wrap a neighbour function to raise EpcgError if its arrays do not fit."""

    def ask(rows: Rows) -> tuple[Rows, NDArray[np.int64]]:
        found, counts = neighbours(rows)
        if (
            found.ndim != 2
            or found.shape[1] != words
            or found.dtype != np.uint64
            or counts.shape != (len(rows),)
            or counts.dtype != np.int64
            or int(counts.sum()) != len(found)
        ):
            raise EpcgError(
                f"A graph gave {found.dtype} {found.shape} and {counts.dtype} {counts.shape} for {len(rows)} "
                f"positions: uint64 rows of {words} words and int64 numbers, which sum up to them, are "
                "expected."
            )
        return found, counts

    return ask
