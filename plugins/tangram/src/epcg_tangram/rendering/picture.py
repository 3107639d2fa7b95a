"""The shapes of which pictures of tangrams are made (see `epcg_core.rendering.svg`).

A cell is about 44 units wide. If a constraint speaks of a colour it shows the pieces.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from functools import partial
from typing import Any
from xml.sax.saxutils import escape

import attrs

from epcg_core.plugin import INK, number, svg
from epcg_tangram.design.definition import Definition, Paint, PieceKind
from epcg_tangram.design.layout import Layout
from epcg_tangram.lattices import Cell, Flat, Point
from epcg_tangram.rendering.faces import box_of, face, has_hole, in_order, inner_edges, outlines
from epcg_tangram.rendering.isometric import SolidPiece, solid
from epcg_tangram.rules.bumps import Sides

EDGE = 44.0
MARGIN = 22.0
SMALL = 0.5
"""The scale of pieces beside the board."""
PAPER = "#fffdf8"
_RIM, _FLOOR, _LATTICE, _BUMP, _BUMP_EDGE = "#8a6f56", "#f6efe2", "#d2c5b1", "#c9b79c", "#8a6f56"
_OPTIONAL = "#9a8f78"
_OPTIONAL_INK = "#6b614c"
_PLAIN, _PLAIN_EDGE = "#e6ded0", "#5d544b"


_NOTHING: Mapping[Any, Any] = {}


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


def edge_of(lattice: Flat) -> float:
    """Return how long an edge is in a picture: cells of all lattices look about as large."""
    return 26.0 if lattice.inradius > 0.6 else EDGE if lattice.inradius > 0.2 else 64.0


@attrs.frozen
class Ground:
    """An empty board in a picture."""

    frame: Frame
    """The board in the upper left corner."""
    width: float
    """The width of the board with its rim."""
    height: float


def ground_of(board: Layout) -> Ground:
    """Return the place and the size of a board in the upper left corner."""
    lattice = board.lattice.flat
    left, low, right, top = box_of(lattice.place(v) for cell in board.drawn for v in lattice.corners(cell))
    edge = edge_of(lattice)
    frame = Frame(MARGIN - left * edge, MARGIN + top * edge, edge)
    return Ground(frame, (right - left) * edge + 2 * MARGIN, (top - low) * edge + 2 * MARGIN)


def ground(board: Layout, frame: Frame, bumps: bool = False) -> list[str]:
    """Draw the empty board: its rim, the lattice, what is asked of cells, and with `bumps` its back."""
    lattice, definition = board.lattice.flat, board.definition
    outline = [[lattice.place(vertex) for vertex in line] for line in outlines(lattice, board.drawn)]
    inner = [(lattice.place(a), lattice.place(b)) for a, b in inner_edges(lattice, board.drawn)]
    around = frame.path(outline, True)
    parts = [
        f'<path class="rim" d="{around}" fill="{_RIM}" fill-rule="evenodd" stroke="{_RIM}" stroke-width="22" '
        'stroke-linejoin="round"/>',
        f'<path class="floor" d="{around}" fill="{_FLOOR}" fill-rule="evenodd"/>',
        f'<path class="lattice" d="{frame.path(inner, False)}" fill="none" stroke="{_LATTICE}" '
        'stroke-width="1.5"/>',
    ]
    paints = definition.paint_of
    letters = letters_of(definition)
    for cell, place in definition.marks:
        middle = lattice.middle(board.drawn[cell])
        for within, colour in enumerate(place.colours):  # one ring within the other
            paint = paints[colour]
            ring = f'class="wants" fill="{paint.face}" fill-opacity=".35" stroke="{paint.edge}"'
            share = 0.8 * (1 - within / len(place.colours))
            parts.append(frame.circle(middle, lattice.inradius * share, ring))
        if len(place.colours) == 1:
            (colour,) = place.colours
            parts.append(_letter(lattice, [board.drawn[cell]], frame, paints[colour], letters[colour]))
        if place.optional:
            ring = (
                f'class="optional" fill="none" stroke="{_OPTIONAL}" stroke-width="2" stroke-dasharray="4 4"'
            )
            parts.append(frame.circle(middle, lattice.inradius * 0.6, ring))
    for cell, label in definition.label_of.items():
        x, y = frame.place(lattice.middle(board.drawn[cell]))
        size = min(0.7, 1.6 / len(label)) * lattice.inradius * frame.edge
        parts.append(
            f'<text class="label" x="{number(x)}" y="{number(y + size * 0.35)}" font-family="sans-serif" '
            f'font-size="{number(size)}" text-anchor="middle" fill="{_OPTIONAL_INK}">{escape(label)}</text>'
        )
    if bumps and definition.back is not None:
        parts += [
            frame.circle(
                lattice.middle(place),
                lattice.inradius * BUMP,
                f'class="bump" fill="{_BUMP}" stroke="{_BUMP_EDGE}" stroke-width="1.5"',
            )
            for place, kind in zip(board.drawn, board.kinds, strict=True)
            if kind == definition.back.bumps
        ]
    return parts


BUMP = 0.45
"""The radius of a bump in pictures, as a share of the largest circle in a cell."""


def shape(
    lattice: Flat,
    cells: Sequence[Cell],
    frame: Frame,
    paint: Paint,
    label: str,
    letter: str = "",
    patches: Mapping[Cell, tuple[Paint, str]] = _NOTHING,
) -> str:
    """Draw a piece: its outline in its colour, its cells faintly.

    `label` is its tooltip, and `letter` stands on its middle cell, for those who cannot tell its colour.
    `patches` are the cells that have another colour, each with its letter; then all others have it, too.
    """
    lines = [[lattice.place(vertex) for vertex in line] for line in outlines(lattice, cells)]
    around = frame.path(lines, True)
    within = frame.path([(lattice.place(a), lattice.place(b)) for a, b in inner_edges(lattice, cells)], False)
    thick = number(max(1.6, 3.2 * frame.edge / edge_of(lattice)))
    painted = "".join(
        f'<path class="cell" d="{frame.path([list(map(lattice.place, lattice.corners(cell)))], True)}" '
        f'fill="{own.face}"/>{_letter(lattice, [cell], frame, own, sign)}'
        for cell, (own, sign) in patches.items()
    )
    plain = [cell for cell in cells if cell not in patches]
    stroke = f'stroke="{paint.edge}" stroke-width="{thick}" stroke-linejoin="round"'
    again = f'{painted}<path d="{around}" fill="none" {stroke}/>' if painted else ""
    lettered = [[cell] for cell in plain] if painted else [plain]
    letters = [_letter(lattice, own, frame, paint, letter if own else "") for own in lettered]
    return (
        f'<g class="piece"><title>{escape(label)}</title>'
        f'<path d="{around}" fill="{paint.face}" fill-rule="evenodd" {stroke}/>{again}'
        f'<path d="{within}" fill="none" stroke="{paint.edge}" stroke-opacity=".22" stroke-width="1"/>'
        f"{''.join(letters)}</g>"
    )


def patches_of(
    colours: Mapping[Cell, str], own: str, paints: Mapping[str, Paint], letters: Mapping[str, str]
) -> dict[Cell, tuple[Paint, str]]:
    """Return the cells that have another colour than their piece, with their paints and letters."""
    return {
        cell: (paints[colour], letters.get(colour, "")) for cell, colour in colours.items() if colour != own
    }


def _letter(lattice: Flat, cells: Sequence[Cell], frame: Frame, paint: Paint, letter: str) -> str:
    """Draw a letter on the cell that is nearest to the middle of some cells."""
    if not letter:
        return ""
    middles = [lattice.middle(cell) for cell in cells]
    x, y = (sum(axis) / len(middles) for axis in zip(*middles, strict=True))
    nearest = min(middles, key=lambda own: (round((own[0] - x) ** 2 + (own[1] - y) ** 2, 6), own))
    a, b = frame.place(nearest)
    size = lattice.inradius * frame.edge * 1.1
    return (
        f'<text x="{number(a)}" y="{number(b + size * 0.35)}" font-family="sans-serif" font-weight="bold" '
        f'font-size="{number(size)}" text-anchor="middle" fill="{paint.edge}">{escape(letter)}</text>'
    )


def letters_of(definition: Definition) -> dict[str, str]:
    """Return a letter for each colour of a game: no two are equal."""
    found: dict[str, str] = {}
    for paint in definition.colours:
        own = [sign for sign in paint.name.upper() if sign.isalnum()]
        wished = [*own, *"ABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789"]
        found[paint.name] = next((sign for sign in wished if sign not in found.values()), "")
    return found


VIEW = 0.8
"""How long the edge of a cube is in a view of solids, where layers have edges of length 1."""


def loose(
    kind: PieceKind,
    left: float,
    top: float,
    scale: float,
    paints: Mapping[str, Paint],
    letters: Mapping[str, str] = _NOTHING,
) -> tuple[str, float, float]:
    """Draw a loose piece, its upper left corner at a point; return (the shape, its width, its height).

    A piece that looks another way if it is turned over is drawn from both sides, its front first.
    """
    lattice, paint = kind.lattice, paints[kind.colour]
    letter = letters.get(kind.colour, "")
    edge = edge_of(lattice.flat) * scale
    parts, x, tallest = [], left, 0.0
    for symmetry in (0, lattice.turns) if kind.two_sided else (0,):
        colours = kind.colours_under(symmetry)
        if lattice.layered:
            patches = patches_of(colours, kind.colour, paints, letters)
            piece = SolidPiece(tuple(sorted(colours)), paint, kind.name, letter, patches)
            drawn, wide, high = solid([piece], x, top, edge * VIEW)
            parts += [f'<g class="piece">{"".join(drawn)}</g>']
        else:
            shown = lattice.unfolded(sorted(colours))
            flat = lattice.flat
            low_x, low_y, high_x, high_y = box_of(
                flat.place(vertex) for cell in shown.values() for vertex in flat.corners(cell)
            )
            frame = Frame(x - low_x * edge, top + high_y * edge, edge)
            patches = patches_of({shown[c]: own for c, own in colours.items()}, kind.colour, paints, letters)
            parts.append(shape(flat, list(shown.values()), frame, paint, kind.name, letter, patches))
            wide, high = (high_x - low_x) * edge, (high_y - low_y) * edge
        x, tallest = x + wide + BETWEEN_SIDES, max(tallest, high)
    return "".join(parts), x - BETWEEN_SIDES - left, tallest


BETWEEN_SIDES = 5.0
"""Between the two sides of a piece."""


def rows(
    kinds: Sequence[PieceKind],
    left: float,
    top: float,
    width: float,
    scale: float,
    paints: Mapping[str, Paint],
    letters: Mapping[str, str] = _NOTHING,
    gap: float = 14,
) -> tuple[list[str], float]:
    """Draw loose pieces in rows that are at most so wide; return (shapes, the y below them)."""
    parts: list[str] = []
    x, y, tallest = left, top, 0.0
    for kind in kinds:
        _, wide, high = loose(kind, 0, 0, scale, paints)
        if x > left and x + wide > left + width:
            x, y, tallest = left, y + tallest + gap, 0.0
        parts.append(loose(kind, x, y, scale, paints, letters)[0])
        x, tallest = x + wide + gap, max(tallest, high)
    return parts, y + tallest


def side_of_piece(
    kind: PieceKind, sides: Sides, back: bool, left: float, top: float, scale: float, paint: Paint
) -> tuple[list[str], float, float]:
    """Draw one side of a piece with its holes, seen from that side; return (shapes, width, height)."""
    seen, lattice, shown = face(kind, back), kind.lattice.flat, kind.lattice.unfolded(kind.shape)
    x, low, right, y = seen.box
    edge = edge_of(lattice) * scale
    frame = Frame(left - x * edge, top + y * edge, edge)
    around, within = frame.path(seen.outlines, True), frame.path(seen.lines, False)
    parts = [
        f'<g class="face"><path d="{around}" fill="{paint.face}" fill-rule="evenodd" stroke="{paint.edge}" '
        'stroke-width="2" stroke-linejoin="round"/>'
        f'<path d="{within}" fill="none" stroke="{paint.edge}" stroke-opacity=".35" stroke-width="1"/></g>'
    ]
    mirror = 1 if back else -1
    for cell in in_order(kind):
        if has_hole(kind.lattice, sides[back], cell):
            a, b = lattice.middle(shown[cell])
            hole = f'class="hole" fill="{INK}" fill-opacity=".8"'
            parts.append(frame.circle((mirror * a, b), lattice.inradius * HOLE, hole))
    return parts, (right - x) * edge, (y - low) * edge


HOLE = 0.55
"""The radius of a hole, as a share of the largest circle in a cell."""
