"""Lines of fault: straight lines through the whole board that no piece crosses."""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import read_only
from epcg_tangram.design.layout import Layout

_PLACES = 6
"""Decimal places to which lines are compared."""
Line = tuple[float, float, float]
"""The points (x, y) with a x + b y = c, as (a, b, c); (a, b) has length 1."""


@cache
def straight_lines(layout: Layout) -> tuple[tuple[tuple[int, int], ...], ...]:
    """Return the straight lines along edges within the board, each as pairs of cells beside an edge.

    A line that goes through the middle of a cell somewhere is none: on hexagons no edge is followed by
    another.
    """
    place, corners = layout.lattice.place, [layout.lattice.corners(own) for own in layout.places]
    lines: dict[Line, list[tuple[int, int]]] = {}
    exact: dict[Line, Line] = {}
    for one, other in layout.edge_pairs:
        (x, y), (u, v) = (place(vertex) for vertex in {*corners[one]} & {*corners[other]})
        line = _line(v - y, x - u, x, y)
        a, b, c = (round(own, _PLACES) + 0.0 for own in line)
        lines.setdefault((a, b, c), []).append((one, other))
        exact.setdefault((a, b, c), line)
    points = [[place(vertex) for vertex in own] for own in corners]

    def cuts(line: Line) -> bool:
        a, b, c = exact[line]
        sides = ([round(a * x + b * y - c, _PLACES) for x, y in cell] for cell in points)
        return any(min(own) < 0 < max(own) for own in sides)

    return tuple(tuple(pairs) for line, pairs in sorted(lines.items()) if not cuts(line))


def _line(a: float, b: float, x: float, y: float) -> Line:
    """Return the line of a normal of length 1 through a point; of both normals always the same."""
    if (round(a, _PLACES), round(b, _PLACES)) < (0, 0):
        a, b = -a, -b
    return a, b, a * x + b * y


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
