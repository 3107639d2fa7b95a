"""The faces of the pieces: their outlines, and the holes of either side.

Points are in edges of a triangle, x to the right and y up. Light: no numpy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import combinations, pairwise

import attrs

from epcg_tangram.rules.bumps import BumpPattern, Holes
from epcg_tangram.rules.geometry import Triangle, Vertex, is_up, piece

Point = tuple[float, float]
Polygon = tuple[Point, ...]
"""Its corners, counterclockwise."""

ROW = math.sqrt(3) / 2
"""The height of a triangle."""
INRADIUS = ROW / 3
"""The radius of the circle in a triangle."""


def at(vertex: Vertex) -> Point:
    """Return where a vertex of the lattice lies."""
    a, b = vertex
    return a + b / 2, b * ROW


def middle(triangle: Triangle) -> Point:
    """Return the centre of a triangle."""
    points = [at(vertex) for vertex in sorted(triangle)]
    return sum(x for x, _ in points) / 3, sum(y for _, y in points) / 3


def corners(triangle: Triangle) -> tuple[Vertex, Vertex, Vertex]:
    """Return the vertices of a triangle, counterclockwise."""
    one, two, three = sorted(triangle)
    turn = (two[0] - one[0]) * (three[1] - one[1]) - (two[1] - one[1]) * (three[0] - one[0])
    return (one, two, three) if turn > 0 else (one, three, two)


def outlines(triangles: Iterable[Triangle]) -> tuple[tuple[Vertex, ...], ...]:
    """Return the corners of each closed line around triangles, which lie to its left; the longest first."""
    edges = {
        edge
        for one, two, three in map(corners, triangles)
        for edge in ((one, two), (two, three), (three, one))
    }
    onward: dict[Vertex, list[Vertex]] = {}
    for start, end in sorted(edges):
        if (end, start) not in edges:
            onward.setdefault(start, []).append(end)
    found = []
    while onward:
        line = [min(onward)]
        while line[-1] in onward:
            ends = onward[line[-1]]
            line.append(ends.pop())
            if not ends:
                del onward[line[-2]]
        found.append(_without_straight(line[:-1]))
    return tuple(sorted(found, key=lambda line: (-len(line), line)))


def _without_straight(line: Sequence[Vertex]) -> tuple[Vertex, ...]:
    """Return a closed line's corners, without vertices in the middle of a side."""
    steps = [(b[0] - a[0], b[1] - a[1]) for a, b in pairwise([line[-1], *line])]
    return tuple(v for v, into, out in zip(line, steps, [*steps[1:], steps[0]], strict=True) if into != out)


def inner_edges(triangles: Iterable[Triangle]) -> list[tuple[Vertex, Vertex]]:
    """Return the edges between two of some triangles."""
    seen = Counter(pair for triangle in triangles for pair in combinations(sorted(triangle), 2))
    return sorted(pair for pair, times in seen.items() if times == 2)


def area(polygon: Polygon) -> float:
    """Return the area within a polygon."""
    return sum(a * d - b * c for (a, b), (c, d) in pairwise([*polygon, polygon[0]])) / 2


def widened(polygon: Polygon, by: float) -> Polygon:
    """Move every side of a polygon outwards by `by` (inwards if negative), its corners as sharp."""
    sides = [math.dist(a, b) for a, b in pairwise([polygon[-1], *polygon])]
    normals = [
        ((d - b) / length, (a - c) / length)
        for ((a, b), (c, d)), length in zip(pairwise([polygon[-1], *polygon]), sides, strict=True)
    ]
    found = []
    for (x, y), (ax, ay), (bx, by_) in zip(polygon, normals, [*normals[1:], normals[0]], strict=True):
        share = by / (1 + ax * bx + ay * by_)
        found.append((x + share * (ax + bx), y + share * (ay + by_)))
    return tuple(found)


@attrs.frozen
class Face:
    """A side of a piece, as one sees it that looks at this side."""

    name: str
    back: bool
    outline: Polygon
    lines: tuple[tuple[Point, Point], ...]
    """The edges between its triangles."""
    holes: tuple[Point, ...]
    """The centres of its holes."""

    def turned(self, degrees: float) -> Face:
        """Return the same side, turned counterclockwise about (0, 0)."""
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

        def turn(point: Point) -> Point:
            x, y = point
            return x * cos - y * sin, x * sin + y * cos

        return Face(
            self.name,
            self.back,
            tuple(map(turn, self.outline)),
            tuple((turn(a), turn(b)) for a, b in self.lines),
            tuple(map(turn, self.holes)),
        )

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The least x and y, and the greatest."""
        xs, ys = zip(*self.outline, strict=True)
        return min(xs), min(ys), max(xs), max(ys)


def holes_of(name: str, pattern: BumpPattern | None) -> tuple[Holes, Holes] | None:
    """Return the holes of a piece's front and back (all if it is not constrained); None without a pattern."""
    if pattern is None:
        return None
    return pattern.holes(name) or ("none", "none")


def has_hole(holes: Holes, triangle: Triangle) -> bool:
    """Return whether a side has a hole in one of the piece's own triangles.

    A blocked side has none and so cannot lie on a bump: bumps of its own would do the same on the back, but
    would also forbid to lay the piece on the flat front of the board that way.
    """
    return holes == "none" or holes == ("odd" if is_up(triangle) else "even")


def face(name: str, back: bool = True, pattern: BumpPattern | None = None) -> Face:
    """Return a side of a piece as seen from that side, with the holes that a bump pattern gives it.

    The front is the side that faces the board when the piece lies as its shape is given (see `bumps.way`):
    one then looks at its back, and sees the front, turned over, mirrored at the vertical axis.

    Args:
        name: the piece.
        back: whether the side is the back.
        pattern: the bump pattern; None for no holes.
    """
    shape = piece(name).shape
    (outline,) = outlines(shape)
    holes = holes_of(name, pattern)
    open_ = [] if holes is None else [t for t in sorted(shape, key=sorted) if has_hole(holes[back], t)]
    points = [at(vertex) for vertex in outline]
    lines = [(at(a), at(b)) for a, b in inner_edges(shape)]
    centres = [middle(triangle) for triangle in open_]
    if not back:
        points = [(-x, y) for x, y in reversed(points)]  # counterclockwise again
        lines = [((-a, b), (-c, d)) for (a, b), (c, d) in lines]
        centres = [(-x, y) for x, y in centres]
    return Face(name, back, tuple(points), tuple(lines), tuple(centres))
