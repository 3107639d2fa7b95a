"""Lines of fault: straight lines through the whole board that no piece crosses."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_tangram.design.layout import Layout


@cache
def straight_lines(layout: Layout) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the straight lines along edges within the board, each as pairs of cells beside an edge.

    A line that goes through the middle of a cell somewhere is none: on hexagons no edge is followed by
    another.
    """
    places, number = layout.places, layout.number
    pairs = [(places[one], places[other]) for one, other in layout.edge_pairs]
    lines = layout.lattice.straight_lines(pairs, places)
    return tuple(tuple((number[one], number[other]) for one, other in line) for line in lines)


@cache
def crossed_lines(layout: Layout) -> NDArray[np.bool_]:
    """Return which placements cross which of the `straight_lines`: (placements, lines)."""
    lines = straight_lines(layout)
    found = np.zeros((len(layout.placements), len(lines)), np.bool_)
    for number, placement in enumerate(layout.placements):
        cells = set(placement.cells)
        for at, pairs in enumerate(lines):
            found[number, at] = any(one in cells and other in cells for one, other in pairs)
    return read_only(found)
