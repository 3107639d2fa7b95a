"""Clusters: all boards that moves connect."""

from __future__ import annotations

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_rushhour import play_kernels
from epcg_rushhour.graph import BoardGraph, tables
from epcg_rushhour.rules import Board, red_row

_SLOTS = 2**10


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
    boards, moves = reached(graph.size, int(position[0, 0]))
    ranks = graph.ranks(boards)
    lowest = int(ranks[ranks >= 0].min())
    most = int(moves.max())
    if most < 0:
        return Cluster(len(boards), None, None, lowest)
    return Cluster(len(boards), most, min(map(graph.board_at, boards[moves == most])), lowest)


def reached(size: int, word: int) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
    """Return the positions that one leads to, (n, 1), and the moves that each needs, -1 for none."""
    own, slots = tables(size), _SLOTS
    while True:
        boards, moves, places, queue = (np.empty(slots // 2, np.int64) for _ in range(4))
        count = play_kernels.cluster_of(
            word,
            own.cells,
            own.first,
            own.target,
            own.way,
            red_row(size),
            own.solved,
            np.full(slots, -1, np.int64),
            boards,
            places,
            np.empty(slots, np.int64),
            moves,
            queue,
        )
        if count != play_kernels.FULL:
            return boards[:count].view(np.uint64).reshape(-1, 1), moves[:count]
        slots *= 4
