"""Clusters: all boards that moves connect. Layer by layer, with sorted arrays of words."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_rushhour.graph import BoardGraph
from epcg_rushhour.rules import Board


@attrs.frozen
class Cluster:
    """The facts about a cluster."""

    size: int
    """Its boards."""
    moves: int | None
    """The moves that its hardest board needs; None if no board of it is solved."""
    hardest: Board | None
    """The hardest board, of several the first in alphabetical order, '.' before letters."""
    lowest: int
    """The lowest rank of its packed boards."""


def explore(graph: BoardGraph, position: NDArray[np.uint64]) -> Cluster:
    """Explore the cluster of a position, (1, 1)."""
    everything = np.concatenate(layers(graph, position))
    ranks = graph.ranks(everything)
    lowest = int(ranks[ranks >= 0].min())
    solved = everything[graph.goals(everything)]
    if not len(solved):
        return Cluster(len(everything), None, None, lowest)
    away = layers(graph, solved)
    return Cluster(len(everything), len(away) - 1, min(map(graph.board_at, away[-1])), lowest)


def layers(graph: BoardGraph, begin: NDArray[np.uint64]) -> list[NDArray[np.uint64]]:
    """Return the positions by the moves that they are away from some, (n, 1) each."""
    # Moves lead back, so what one leads to lies in the layer before, in the same one, or in the next.
    found = [np.unique(begin)]
    while len(found[-1]):
        reached = np.unique(graph.successors(found[-1].reshape(-1, 1))[0])
        for known in found[-2:]:
            reached = np.setdiff1d(reached, known, assume_unique=True)
        found.append(reached)
    return [each.reshape(-1, 1) for each in found[:-1]]
