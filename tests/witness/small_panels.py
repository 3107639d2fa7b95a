"""Panels whose difficulty is known: that of the published program, under different sets of rules."""

from __future__ import annotations

from math import inf
from typing import NamedTuple

from epcg_witness.rules.grid import grid_of
from epcg_witness.rules.panel import CellSymbol, Panel, Square, Star, Triangles

NO_RULES: tuple[str, ...] = ()
REACH = ("reach-goal",)
THREE = ("path", "reach-goal", "separation")
FOUR = (*THREE, "triangle")
ALL = (*FOUR, "along-the-path", "region-completion")


class Known(NamedTuple):
    """What is known of a panel: bits, but for `states`."""

    panel: Panel
    rules: tuple[str, ...]
    muse: float
    remuse: float
    msi: float
    tsi: float
    adversarial: float
    states: int


def panel(width: int, height: int, cells: dict[tuple[int, int], CellSymbol] | None = None) -> Panel:
    """A panel with symbols at (x, y)."""
    grid = grid_of(width, height)
    return Panel(
        width=width,
        height=height,
        symbols={grid.cell(x, y): symbol for (x, y), symbol in (cells or {}).items()},
    )


B, W = Square("black"), Square("white")
_TWO, _FOUR = grid_of(2, 2), grid_of(4, 4)
STACKED = panel(1, 2, {(0, 0): B, (0, 1): W})
DIAGONAL = panel(2, 2, {(0, 0): B, (1, 0): W, (0, 1): W, (1, 1): B})
HALVES = panel(2, 2, {(0, 0): B, (1, 0): B, (0, 1): W, (1, 1): W})
CORNERS = panel(3, 3, {(0, 0): B, (2, 0): W, (0, 2): W, (2, 2): B})
CENTRE = panel(3, 3, {(1, 1): B, (0, 0): W, (2, 0): W, (0, 2): W, (2, 2): W})
CONFLICTING = panel(2, 2, {(0, 0): Triangles(1), (1, 1): Triangles(2)})
THREE_TRIANGLES = panel(3, 3, {(1, 1): Triangles(3)})
TWO_STARS = panel(3, 3, {(0, 0): Star("cyan"), (2, 2): Star("cyan")})
PAIRS = panel(3, 3, {(0, 0): Star("black"), (2, 0): B, (1, 1): W, (2, 2): Star("white")})
EDGE_DOT = Panel(width=2, height=2, dots=[_TWO.horizontal_edge(0, 1)])
VERTEX_DOT = Panel(
    width=2, height=2, dots=[_TWO.vertex_location(_TWO.vertex(1, 1))], gaps=[_TWO.horizontal_edge(0, 0)]
)
ACROSS = Panel(width=4, height=4, starts=[_FOUR.vertex(4, 0)], ends=[_FOUR.vertex(0, 2)])

BY_NAME = {
    "1x2 squares black(bottom)/white(top)": STACKED,
    "2x2 diag squares b w / w b": DIAGONAL,
    "2x2 squares b b / w w (bottom row first)": HALVES,
    "3x3 checker corners b.w/.../w.b": CORNERS,
    "3x3 centre black, corners white": CENTRE,
    "2x2 triangles 1 at (0,0), 2 at (1,1)": CONFLICTING,
    "3x3 triangle 3 in centre": THREE_TRIANGLES,
    "3x3 two cyan stars at (0,0),(2,2)": TWO_STARS,
    "3x3 star b(0,0) square b(2,0) square w(1,1) star w(2,2)": PAIRS,
    "2x2 must-cross horizontal edge (0,1)-(1,1)": EDGE_DOT,
    "2x2 must-cross vertex (1,1), gap on edge (0,0)-(1,0)": VERTEX_DOT,
    "empty 4x4 start(4,0) goal(0,2)": ACROSS,
}
"""The names that they have in the golden file; its other panels are empty."""

KNOWN = [
    Known(panel(1, 1), NO_RULES, 2.0, 1.0, 2.0, 1.0, 0.0, 10),
    Known(panel(1, 1), THREE, 0.0, 0.0, 1.0, 0.0, 0.0, 8),
    Known(panel(2, 2), REACH, 0.0, 0.0, 3.0, 0.0, 0.0, 54),
    Known(panel(3, 3), NO_RULES, 6.0, 0.926303533, 6.0, 1.551233617, 5.0, 2296),
    Known(panel(3, 3), ALL, 3.584962501, 0.0, 5.0, 0.021766229, 0.0, 926),
    Known(panel(1, 2), NO_RULES, 2.0, 0.320116924, 2.0, 0.830074999, 0.0, 23),
    Known(STACKED, REACH, 2.0, 1.0, 2.0, 1.0, 0.0, 17),
    Known(STACKED, FOUR, 0.0, 0.0, 1.0, 0.0, 0.0, 12),
    Known(DIAGONAL, NO_RULES, inf, inf, inf, inf, 5.584962501, 92),
    Known(DIAGONAL, ALL, inf, inf, inf, inf, 1.0, 6),
    Known(HALVES, REACH, 3.584962501, 2.615370331, 3.584962501, 2.777607579, 3.0, 54),
    Known(HALVES, FOUR, 1.0, 0.160058462, 1.0, 0.415037499, 0.0, 17),
    Known(CORNERS, NO_RULES, 9.169925001, 4.48393575, 9.169925001, 5.311944006, 8.584962501, 2296),
    Known(CORNERS, THREE, 7.169925001, 2.559700855, 7.169925001, 3.511713519, 7.0, 926),
    Known(CORNERS, ALL, 5.584962501, 1.754393586, 6.584962501, 2.600069393, 5.584962501, 362),
    Known(CENTRE, REACH, 7.754887502, 3.922418091, 7.754887502, 4.423970624, 7.584962501, 926),
    Known(CONFLICTING, THREE, inf, inf, inf, inf, 5.0, 54),
    Known(CONFLICTING, ALL, inf, inf, inf, inf, 5.0, 20),
    Known(THREE_TRIANGLES, REACH, 6.754887502, 2.963367713, 7.754887502, 3.506959989, 7.0, 926),
    Known(THREE_TRIANGLES, FOUR, 2.0, 0.000277556, 4.0, 0.142019005, 0.0, 184),
    Known(TWO_STARS, NO_RULES, 6.0, 2.486893603, 6.0, 3.31609565, 8.0, 2296),
    Known(TWO_STARS, THREE, 5.0, 1.257475146, 5.0, 1.857042046, 7.0, 926),
    Known(TWO_STARS, ALL, 3.0, 0.160127522, 4.0, 0.51887331, 4.169925001, 170),
    Known(PAIRS, FOUR, 6.169925001, 3.382637492, 6.169925001, 3.966984943, 8.584962501, 926),
    Known(EDGE_DOT, NO_RULES, 4.0, 2.061701573, 4.0, 2.415037499, 3.0, 92),
    Known(EDGE_DOT, ALL, 1.0, 0.004605246, 2.0, 0.192645078, 0.0, 32),
    Known(VERTEX_DOT, REACH, 2.0, 1.160058462, 3.584962501, 1.415037499, 4.0, 54),
    Known(VERTEX_DOT, FOUR, 1.0, 0.160058462, 2.584962501, 0.415037499, 0.0, 28),
]
LARGE = [
    Known(panel(4, 4), FOUR, 6.169925001, 0.0, 7.0, 0.084359438, 1.0, 46904),
    Known(ACROSS, NO_RULES, 6.584962501, 0.790324615, 6.584962501, 2.13354352, 13.169925001, 159612),
    Known(ACROSS, ALL, 4.584962501, 0.0, 5.0, 0.055075878, 1.0, 30550),
]
"""Too large for the plain form in a fast test."""
