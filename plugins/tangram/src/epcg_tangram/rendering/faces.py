"""The faces of the pieces: their outlines, and the holes of either side.

Points are in edges of a cell, x to the right and y up. Light: no numpy.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Iterable, Sequence
from itertools import pairwise

import attrs

from epcg_tangram.design.definition import PieceKind
from epcg_tangram.lattices import Cell, Flat, Lattice, Point, Vertex
from epcg_tangram.rules.bumps import BumpPattern, Holes, fits

Polygon = tuple[Point, ...]
"""Its corners, counterclockwise."""


def outlines(lattice: Flat, cells: Iterable[Cell]) -> tuple[tuple[Vertex, ...], ...]:
    """Return the corners of each closed line around cells, which lie to its left; the longest first."""
    edges = {edge for corners in map(lattice.corners, cells) for edge in pairwise((*corners, corners[0]))}
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


def inner_edges(lattice: Flat, cells: Iterable[Cell]) -> list[tuple[Vertex, Vertex]]:
    """Return the edges between two of some cells."""
    seen = Counter(
        (min(edge), max(edge))
        for corners in map(lattice.corners, cells)
        for edge in pairwise((*corners, corners[0]))
    )
    return sorted(pair for pair, times in seen.items() if times == 2)


def box_of(points: Iterable[Point]) -> tuple[float, float, float, float]:
    """Return the least x and y of points, and the greatest."""
    xs, ys = zip(*points, strict=True)
    return min(xs), min(ys), max(xs), max(ys)


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
    outlines: tuple[Polygon, ...]
    """The lines around it, the longest first; of a piece with a hole, or in several parts, there are more."""
    lines: tuple[tuple[Point, Point], ...]
    """The edges between its cells."""
    holes: tuple[Point, ...]
    """The centres of its holes for bumps."""

    def turned(self, degrees: float) -> Face:
        """Return the same side, turned counterclockwise about (0, 0)."""
        cos, sin = math.cos(math.radians(degrees)), math.sin(math.radians(degrees))

        def turn(point: Point) -> Point:
            x, y = point
            return x * cos - y * sin, x * sin + y * cos

        return Face(
            self.name,
            self.back,
            tuple(tuple(map(turn, outline)) for outline in self.outlines),
            tuple((turn(a), turn(b)) for a, b in self.lines),
            tuple(map(turn, self.holes)),
        )

    @property
    def box(self) -> tuple[float, float, float, float]:
        """The least x and y, and the greatest."""
        return box_of(point for outline in self.outlines for point in outline)


def holes_of(name: str, pattern: BumpPattern | None) -> tuple[Holes, Holes] | None:
    """Return the holes of a piece's front and back (all if it is not constrained); None without a pattern."""
    if pattern is None:
        return None
    return pattern.holes(name) or ("none", "none")


def has_hole(lattice: Lattice, holes: Holes, cell: Cell) -> bool:
    """Return whether a side has a hole in one of the piece's own cells.

    A blocked side has none and so cannot lie on a bump: bumps of its own would do the same on the back, but
    would also forbid to lay the piece on the flat front of the board that way.
    """
    return fits(holes, lattice.kind(cell))


def face(kind: PieceKind, back: bool = True, pattern: BumpPattern | None = None) -> Face:
    """Return a side of a piece as seen from that side, with the holes that a bump pattern gives it.

    The front is the side that faces the board when the piece lies as its shape is given (see `bumps`):
    one then looks at its back, and sees the front, turned over, mirrored at the vertical axis.

    Args:
        kind: the piece.
        back: whether the side is the back.
        pattern: the bump pattern; None for no holes.
    """
    lattice, shown = kind.lattice.flat, kind.lattice.unfolded(kind.shape)
    holes = holes_of(kind.name, pattern)
    open_ = [] if holes is None else [c for c in in_order(kind) if has_hole(kind.lattice, holes[back], c)]
    around = [[lattice.place(vertex) for vertex in line] for line in outlines(lattice, shown.values())]
    lines = [(lattice.place(a), lattice.place(b)) for a, b in inner_edges(lattice, shown.values())]
    centres = [lattice.middle(shown[cell]) for cell in open_]
    if not back:
        around = [[(-x, y) for x, y in reversed(line)] for line in around]  # counterclockwise again
        lines = [((-a, b), (-c, d)) for (a, b), (c, d) in lines]
        centres = [(-x, y) for x, y in centres]
    return Face(kind.name, back, tuple(map(tuple, around)), tuple(lines), tuple(centres))


def in_order(kind: PieceKind) -> list[Cell]:
    """Return the cells of a piece in an order that stays."""
    return sorted(kind.shape)
