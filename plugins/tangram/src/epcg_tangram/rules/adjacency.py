"""The pieces of a board that touch, and the colour constraints on them.

Two pieces share an edge, or only a corner (a vertex of the lattice), or nothing. A constraint holds for a
colour if all pairs of its pieces satisfy it, and for two colours if all pairs of a piece of each do.
"""

from __future__ import annotations

from functools import cache
from itertools import combinations, product

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID, geometry

NOTHING, CORNER, EDGE = 0, 1, 2
"""The things that two pieces can share."""

COLOURS: tuple[tuple[str, ...], ...] = (
    ("Hexagon", "Butterfly"),
    ("Line", "Snake"),
    ("Elbow", TRAPEZOID),
    ("Mountains", "Wrench"),
    ("Triangle", "Hook"),
)
COLOUR_OF = tuple(next(i for i, names in enumerate(COLOURS) if name in names) for name in PIECE_ORDER)
"""The colour of each piece of PIECE_ORDER."""


@attrs.frozen
class Relation:
    """One of the four relations that a colour constraint can demand of two pieces."""

    name: str
    shared: tuple[int, ...]
    """The values that the pieces may share."""


RELATIONS = (
    Relation("edges_must_touch", (EDGE,)),
    Relation("edges_must_not_touch", (NOTHING, CORNER)),
    Relation("corners_must_touch_not_edges", (CORNER,)),
    Relation("neither_edges_nor_corners", (NOTHING,)),
)
"""Constraint types 2 to 5; type 6 is one of them between two different colours."""


@cache
def shared_table(side: int) -> NDArray[np.uint8]:
    """Return what any two placements of a board share: (placements, placements) uint8."""
    board = geometry(side)
    covers = np.zeros((len(board.placements), board.cells), np.float32)
    for number, placement in enumerate(board.placements):
        covers[number, list(placement.cells)] = 1
    table = np.zeros((len(board.placements), len(board.placements)), np.uint8)
    for kind, pairs in ((CORNER, board.corner_pairs), (EDGE, board.edge_pairs)):
        touching = np.zeros((board.cells, board.cells), np.float32)
        for one, other in pairs:
            touching[one, other] = touching[other, one] = 1
        table[covers @ touching @ covers.T > 0] = kind
    return read_only(table)


def shared(board: Board, one: int, other: int) -> int:
    """Say what two pieces of a board share, by their position in it; the definition behind `shared_table`."""
    triangles = geometry(board.side).triangles
    (_, ours), (_, theirs) = board.pieces[one], board.pieces[other]
    most = max(len(triangles[a] & triangles[b]) for a in ours for b in theirs)
    return {0: NOTHING, 1: CORNER, 2: EDGE}[most]


def constraints_met(board: Board) -> list[tuple[Relation, tuple[int, ...]]]:
    """Return the colour constraints of types 2 to 6 that a board meets, each with its one or two colours."""
    by_colour: list[list[int]] = [[] for _ in COLOURS]
    for position, (name, _) in enumerate(board.pieces):
        by_colour[COLOUR_OF[PIECE_ORDER.index(name)]].append(position)
    found: list[tuple[Relation, tuple[int, ...]]] = []
    for colours in [(c,) for c in range(len(COLOURS))] + list(combinations(range(len(COLOURS)), 2)):
        if len(colours) == 1:
            pairs = list(combinations(by_colour[colours[0]], 2))
        else:
            pairs = list(product(by_colour[colours[0]], by_colour[colours[1]]))
        kinds = {shared(board, one, other) for one, other in pairs}
        found += [(relation, colours) for relation in RELATIONS if kinds and kinds <= set(relation.shared)]
    return found
