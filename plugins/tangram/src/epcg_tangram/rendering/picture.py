"""The shapes of which pictures of tangrams are made (see `epcg_core.rendering.svg`).

An edge of a triangle is 44 units long. Colours are the five of the game; if a constraint speaks of a
colour it shows the pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import partial
from xml.sax.saxutils import escape

import attrs

from epcg_core.plugin import INK, number, svg
from epcg_tangram.rendering.faces import INRADIUS, ROW, at, face, has_hole, inner_edges, middle, outlines
from epcg_tangram.rules.bumps import Sides
from epcg_tangram.rules.geometry import Geometry, Triangle, is_up, piece

EDGE = 44.0
MARGIN = 22.0
SMALL = 0.5
"""The scale of pieces beside the board."""
PAPER = "#fffdf8"
_RIM, _FLOOR, _LATTICE, _BUMP, _BUMP_EDGE = "#8a6f56", "#f6efe2", "#d2c5b1", "#c9b79c", "#8a6f56"
_PLAIN, _PLAIN_EDGE = "#e6ded0", "#5d544b"

Point = tuple[float, float]


@attrs.frozen
class Paint:
    """One of the five colours of the pieces."""

    name: str
    face: str
    edge: str


PAINTS = (
    Paint("yellow", "#f3c64f", "#8f6c0f"),
    Paint("blue", "#5a9fd6", "#1f557f"),
    Paint("green", "#72b872", "#2d652f"),
    Paint("red", "#e4745f", "#8c2c1d"),
    Paint("purple", "#a886cc", "#573582"),
)
"""In the order of the game's colours (`epcg_tangram.rules.adjacency.COLOURS`)."""
PLAIN = Paint("plain", _PLAIN, _PLAIN_EDGE)


words = partial(svg.text, anchor="start")
"""A line of text that begins at x; its baseline is at y."""


def width_of(content: str, size: float) -> float:
    """Estimate the width of a line: sans-serif letters are a little over half as wide as high."""
    return 0.56 * size * len(content)


def document(width: float, height: float, title: str, parts: Iterable[str]) -> str:
    """Make an SVG document on paper; `title` is what a screen reader says."""
    paper = f'<rect width="{number(width)}" height="{number(height)}" fill="{PAPER}"/>'
    return svg.document(width, height, title, [paper, *parts])


@attrs.frozen
class Frame:
    """The place of the lattice in a picture."""

    left: float
    """The x of the vertex (0, 0) in the picture; `top` is its y."""
    top: float
    edge: float = EDGE

    def place(self, point: Point) -> Point:
        """Return the place of a point that is given in edges, y up."""
        return self.left + point[0] * self.edge, self.top - point[1] * self.edge

    def path(self, lines: Iterable[Sequence[Point]], close: bool) -> str:
        """Return the d attribute of lines that are given in edges."""
        found = []
        for line in lines:
            points = [self.place(point) for point in line]
            found.append("M" + "L".join(f"{number(x)} {number(y)}" for x, y in points) + "z" * close)
        return "".join(found)

    def circle(self, point: Point, radius: float, attributes: str) -> str:
        """Draw a circle; its radius too is given in edges."""
        x, y = self.place(point)
        return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius * self.edge)}" {attributes}/>'


def board_size(board: Geometry) -> Point:
    """Return the width and height of a board with its rim."""
    return 2 * board.side * EDGE + 2 * MARGIN, 2 * board.side * EDGE * ROW + 2 * MARGIN


def board_frame(board: Geometry) -> Frame:
    """Return the frame of a board in the upper left corner."""
    width, height = board_size(board)
    return Frame(width / 2, height / 2)


def ground(board: Geometry, frame: Frame, bumps: bool = False) -> list[str]:
    """Draw the empty board: its rim, the lattice, and with `bumps` a dot on every cell that points up."""
    outline = [[at(vertex) for vertex in line] for line in outlines(board.triangles)]
    inner = [(at(a), at(b)) for a, b in inner_edges(board.triangles)]
    hexagon = frame.path(outline, True)
    parts = [
        f'<path class="rim" d="{hexagon}" fill="{_RIM}" stroke="{_RIM}" stroke-width="22" '
        'stroke-linejoin="round"/>',
        f'<path class="floor" d="{hexagon}" fill="{_FLOOR}"/>',
        f'<path class="lattice" d="{frame.path(inner, False)}" fill="none" stroke="{_LATTICE}" '
        'stroke-width="1.5"/>',
    ]
    if bumps:
        parts += [
            frame.circle(
                middle(triangle),
                0.13,
                f'class="bump" fill="{_BUMP}" stroke="{_BUMP_EDGE}" stroke-width="1.5"',
            )
            for triangle in board.triangles
            if is_up(triangle)
        ]
    return parts


def shape(triangles: Sequence[Triangle], frame: Frame, paint: Paint, label: str) -> str:
    """Draw a piece: its outline in its colour, its triangles faintly; `label` is its tooltip."""
    around = frame.path([[at(vertex) for vertex in line] for line in outlines(triangles)], True)
    within = frame.path([(at(a), at(b)) for a, b in inner_edges(triangles)], False)
    thick = number(max(1.6, 3.2 * frame.edge / EDGE))
    return (
        f'<g class="piece"><title>{escape(label)}</title>'
        f'<path d="{around}" fill="{paint.face}" stroke="{paint.edge}" stroke-width="{thick}" '
        'stroke-linejoin="round"/>'
        f'<path d="{within}" fill="none" stroke="{paint.edge}" stroke-opacity=".22" stroke-width="1"/></g>'
    )


def loose(name: str, left: float, top: float, scale: float, paint: Paint) -> tuple[str, float, float]:
    """Draw a loose piece, its upper left corner at a point; return (the shape, its width, its height)."""
    x, _, right, y = face(name).box
    low = face(name).box[1]
    edge = EDGE * scale
    frame = Frame(left - x * edge, top + y * edge, edge)
    drawn = shape(sorted(piece(name).shape, key=sorted), frame, paint, name)
    return drawn, (right - x) * edge, (y - low) * edge


def rows(
    items: Sequence[tuple[str, Paint]], left: float, top: float, width: float, scale: float, gap: float = 14
) -> tuple[list[str], float]:
    """Draw loose pieces in rows that are at most so wide; return (shapes, the y below them)."""
    parts: list[str] = []
    x, y, tallest = left, top, 0.0
    for name, paint in items:
        _, wide, high = loose(name, 0, 0, scale, paint)
        if x > left and x + wide > left + width:
            x, y, tallest = left, y + tallest + gap, 0.0
        parts.append(loose(name, x, y, scale, paint)[0])
        x, tallest = x + wide + gap, max(tallest, high)
    return parts, y + tallest


def side_of_piece(
    name: str, sides: Sides, back: bool, left: float, top: float, scale: float, paint: Paint
) -> tuple[list[str], float, float]:
    """Draw one side of a piece with its holes, seen from that side; return (shapes, width, height)."""
    seen = face(name, back)
    x, low, right, y = seen.box
    edge = EDGE * scale
    frame = Frame(left - x * edge, top + y * edge, edge)
    around, within = frame.path([seen.outline], True), frame.path(seen.lines, False)
    parts = [
        f'<g class="face"><path d="{around}" fill="{paint.face}" stroke="{paint.edge}" stroke-width="2" '
        'stroke-linejoin="round"/>'
        f'<path d="{within}" fill="none" stroke="{paint.edge}" stroke-opacity=".35" stroke-width="1"/></g>'
    ]
    mirror = 1 if back else -1
    for triangle in sorted(piece(name).shape, key=sorted):
        if has_hole(sides[back], triangle):
            a, b = middle(triangle)
            parts.append(
                frame.circle((mirror * a, b), INRADIUS * 0.55, f'class="hole" fill="{INK}" fill-opacity=".8"')
            )
    return parts, (right - x) * edge, (y - low) * edge
