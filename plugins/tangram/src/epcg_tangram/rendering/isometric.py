"""Pictures of solids: cubes as one sees them from above, in front and the right."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import pairwise
from xml.sax.saxutils import escape

import attrs

from epcg_core.plugin import number, svg
from epcg_tangram.design.definition import Paint
from epcg_tangram.lattices import Cell, Point, Vertex
from epcg_tangram.lattices.lattice import difference, total
from epcg_tangram.rendering.faces import box_of

_WIDE = math.sqrt(3) / 2
_X, _Y, _Z = (1, 0, 0), (0, 1, 0), (0, 0, 1)
_SEEN = ((_Z, (_X, _Y), 1.0), (difference((0, 0, 0), _Y), (_X, _Z), 0.86), (_X, (_Y, _Z), 0.7))
"""(direction, sides, brightness) of the three faces of a cube that one sees."""


@attrs.frozen
class SolidPiece:
    """A piece that is drawn as a solid."""

    cells: tuple[Cell, ...]
    paint: Paint
    label: str
    """Its tooltip."""
    letter: str = ""
    """It stands on the highest cube that one sees, for those who cannot tell its colour."""
    patches: Mapping[Cell, tuple[Paint, str]] = attrs.field(factory=dict)
    """The cubes that have another colour, each with its letter."""


def place(vertex: Vertex) -> Point:
    """Return where a vertex of cubes lies in a picture, in edges, y up."""
    x, y, z = vertex
    return (x + y) * _WIDE, (y - x) / 2 + z


def solid(
    pieces: Sequence[SolidPiece], left: float, top: float, edge: float
) -> tuple[list[str], float, float]:
    """Draw pieces, their upper left corner at a point; return (shapes, width, height).

    Cubes that are further away come first, so that nearer ones hide them.
    """
    owner = {cell: number for number, piece in enumerate(pieces) for cell in piece.cells}
    if not owner:
        return [], 0.0, 0.0
    steps = [(a, b, c) for a in (0, 1) for b in (0, 1) for c in (0, 1)]
    low_x, low_y, high_x, high_y = box_of(place(total(cell, step)) for cell in owner for step in steps)

    def put(vertex: Vertex) -> str:
        x, y = place(vertex)
        return f"{number(left + (x - low_x) * edge)} {number(top + (high_y - y) * edge)}"

    letters = {}
    for own in pieces:
        above = {cell for cell in own.cells if total(cell, _Z) not in owner}
        plain = above - own.patches.keys()
        if own.letter and plain:
            letters[max(plain, key=lambda cell: (cell[2], -cell[1], cell[0]))] = own.letter
        letters |= {cell: sign for cell, (_, sign) in own.patches.items() if sign and cell in above}
    parts = []
    for cell in sorted(owner, key=lambda own: (own[0] - own[1] + own[2], own)):
        piece = pieces[owner[cell]]
        paint = piece.patches[cell][0] if cell in piece.patches else piece.paint
        faces = "".join(_faces(cell, owner, paint, put))
        if cell in letters:
            x, y = place(cell)
            at = left + (x + _WIDE - low_x) * edge, top + (high_y - y - 1) * edge
            faces += svg.text(*at, edge * 0.5, letters[cell], bold=True)
        if faces:
            parts.append(f'<g class="cube"><title>{escape(piece.label)}</title>{faces}</g>')
    return parts, (high_x - low_x) * edge, (high_y - low_y) * edge


def _faces(
    cell: Cell, owner: Mapping[Cell, int], paint: Paint, put: Callable[[Vertex], str]
) -> Iterator[str]:
    """Draw the faces of a cube that no other hides: lines stand where its piece, or its plane, ends."""
    for direction, (one, other), light in _SEEN:
        if total(cell, direction) in owner:
            continue
        corner = total(cell, direction) if min(direction) == 0 else cell
        corners = [corner, total(corner, one), total(total(corner, one), other), total(corner, other)]
        around = "L".join(map(put, corners))
        yield f'<path d="M{around}z" fill="{_shaded(paint.face, light)}"/>'
        outwards = (difference((0, 0, 0), other), one, other, difference((0, 0, 0), one))
        ends = {True: "", False: ""}
        for (a, b), out in zip(pairwise([*corners, corners[0]]), outwards, strict=True):
            beside = total(cell, out)
            goes_on = owner.get(beside) == owner[cell] and total(beside, direction) not in owner
            ends[goes_on] += f"M{put(a)}L{put(b)}"
        if ends[True]:
            yield f'<path d="{ends[True]}" stroke="{paint.edge}" stroke-opacity=".22"/>'
        if ends[False]:
            yield (f'<path d="{ends[False]}" stroke="{paint.edge}" stroke-width="2" stroke-linecap="round"/>')


def _shaded(face: str, light: float) -> str:
    """Return a colour, '#rrggbb', with a share of its brightness."""
    return "#" + "".join(f"{round(int(face[at : at + 2], 16) * light):02x}" for at in (1, 3, 5))
