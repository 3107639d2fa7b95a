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
from epcg_tangram.design.layout import Layout
from epcg_tangram.rules.boards import Board

NOTHING, CORNER, EDGE = 0, 1, 2
"""The things that two pieces can share."""


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
def shared_table(layout: Layout) -> NDArray[np.uint8]:
    """Return what any two placements of a board share: (placements, placements) uint8."""
    covers = np.zeros((len(layout.placements), layout.cells), np.float32)
    for number, placement in enumerate(layout.placements):
        covers[number, list(placement.cells)] = 1
    table = np.zeros((len(layout.placements), len(layout.placements)), np.uint8)
    for kind, pairs in ((CORNER, layout.corner_pairs), (EDGE, layout.edge_pairs)):
        touching = np.zeros((layout.cells, layout.cells), np.float32)
        for one, other in pairs:
            touching[one, other] = touching[other, one] = 1
        table[covers @ touching @ covers.T > 0] = kind
    return read_only(table)


def shared(board: Board, one: int, other: int) -> int:
    """Say what two pieces of a board share, by their position in it; the definition behind `shared_table`."""
    lattice, places = board.layout.lattice, board.layout.places
    ours, theirs = ({places[cell] for cell in board.pieces[own][1]} for own in (one, other))
    if any(near in theirs for cell in ours for near in lattice.neighbours(cell)):
        return EDGE
    corners = [{vertex for cell in own for vertex in lattice.corners(cell)} for own in (ours, theirs)]
    return CORNER if corners[0] & corners[1] else NOTHING


def constraints_met(board: Board) -> list[tuple[Relation, tuple[int, ...]]]:
    """Return the colour constraints of types 2 to 6 that a board meets, each with its one or two colours."""
    definition = board.layout.definition
    by_colour: list[list[int]] = [[] for _ in definition.colours]
    for position, (piece, _) in enumerate(board.pieces):
        by_colour[definition.colour_numbers[piece]].append(position)
    every = range(len(by_colour))
    found: list[tuple[Relation, tuple[int, ...]]] = []
    for colours in [(c,) for c in every] + list(combinations(every, 2)):
        if len(colours) == 1:
            pairs = list(combinations(by_colour[colours[0]], 2))
        else:
            pairs = list(product(by_colour[colours[0]], by_colour[colours[1]]))
        kinds = {shared(board, one, other) for one, other in pairs}
        found += [(relation, colours) for relation in RELATIONS if kinds and kinds <= set(relation.shared)]
    return found
