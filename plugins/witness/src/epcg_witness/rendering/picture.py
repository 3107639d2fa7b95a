"""The picture of a panel as SVG (see `epcg_core.rendering.svg`), as in the game; a cell is 60 units wide.

A pillar is unrolled: its left border is drawn again on the right, and dashes beside both say that they are
one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from itertools import pairwise
from typing import TypeAlias

import attrs

from epcg_core.plugin import number, svg
from epcg_witness.formats.drawing import path_in_words
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star

Place: TypeAlias = tuple[float, float]
CELL = 60.0
_MARGIN = 34.0
_LINE = 14.0
"""Width of the lines."""
_START = 16.0
"""Radius of the disc of a start."""
_NUB = 16.0
"""The length by which an end stands out."""
_GAP = 16.0
_DOT = 6.2

_GROUND, FLOOR, LINES, _PATH, _DARK = "#9aa79c", "#b9c4b6", "#4b5a55", "#fff3bf", "#1c2321"
_TWIN = "#bfe9ff"
"""The colour of the other line of a panel with symmetry."""
_FIRST, _SECOND = "#f2b705", "#1fa3e0"
"""The colours of the dots of one line, those of the lines, but darker."""
HUES = {
    "black": "#15191c", "white": "#fafafa", "cyan": "#1fd3e0", "magenta": "#d926a9", "yellow": "#f2b705",
    "red": "#d7263d", "green": "#1f8f3a", "blue": "#2f55d4", "orange": "#f46a1f",
}  # fmt: skip


def panel_svg(panel: Panel, path: Sequence[int] | None = None) -> str:
    """Draw a panel as an SVG document, with a path if one is given."""
    title = f"A panel of The Witness of {panel.width} by {panel.height} cells"
    if path is not None:
        title += f", solved {path_in_words(panel.grid, tuple(path))}"
    return svg.document(*panel_size(panel), title, panel_shapes(panel, path))


def panel_size(panel: Panel) -> tuple[float, float]:
    """Return the width and height of a panel's picture."""
    return panel.width * CELL + 2 * _MARGIN, panel.height * CELL + 2 * _MARGIN


def panel_shapes(panel: Panel, path: Sequence[int] | None) -> list[str]:
    """Return the elements of a panel's picture, with a path if one is given."""
    picture = _Picture(panel)
    width, height = panel_size(panel)
    parts = [
        f'<rect width="{number(width)}" height="{number(height)}" rx="10" fill="{_GROUND}"/>',
        f'<rect x="{number(_MARGIN)}" y="{number(_MARGIN)}" width="{number(panel.width * CELL)}" '
        f'height="{number(panel.height * CELL)}" fill="{FLOOR}"/>',
        *picture.outside(),
        *picture.lines(),
    ]
    if path is not None and panel.symmetry is not None:
        parts += picture.path(panel.twin_path(path), _TWIN)
    if path is not None:
        parts += picture.path(path)
    parts += picture.dots()
    return parts + [_symbol(symbol, *picture.centre(cell)) for cell, symbol in panel.symbols]


@attrs.frozen
class _Picture:
    """The coordinates and the lines of a panel's picture."""

    panel: Panel

    def at(self, point: int) -> Place:
        x, y = self.panel.grid.point_at(point)
        return self._place(x, y)

    def _place(self, x: float, y: float) -> Place:
        """Return where twice the coordinates (x, y) are."""
        return _MARGIN + x * CELL / 2, _MARGIN + (2 * self.panel.height - y) * CELL / 2

    def both(self, place: Place) -> list[Place]:
        """Return a place, and if it lies on a pillar's left border, its copy on the right one, too."""
        if not self.panel.pillar or place[0] != _MARGIN:
            return [place]
        return [place, (place[0] + self.panel.width * CELL, place[1])]

    def ends(self, edge: int) -> tuple[Place, Place]:
        """Return the ends of an edge; one that closes a pillar ends on the right border."""
        x, y = self.panel.grid.edge_at(edge)
        across = self.panel.grid.is_horizontal(edge)
        return self._place(2 * x, 2 * y), self._place(2 * x + 2 * across, 2 * y + 2 * (not across))

    def centre(self, cell: int) -> Place:
        x, y = self.panel.grid.cell_at(cell)
        return self._place(2 * x + 1, 2 * y + 1)

    def nub(self, point: int) -> Place:
        """Return the tip of an end: straight out of a side, aslant at a corner, up inside the panel.

        In an edge it points to a side without a cell, or else up or to the right.
        """
        x, y = self.panel.grid.point_at(point)
        right = 2 * self.panel.width
        dx = 0 if self.panel.pillar else -1 if x == 0 else 1 if x == right else 0
        dy = 1 if y == 0 else -1 if y == 2 * self.panel.height or (dx == 0 and y % 2 == 0) else 0
        dx = 1 if dx == dy == 0 else dx
        length = math.hypot(dx, dy)
        left, top = self.at(point)
        return left + dx / length * _NUB, top + dy / length * _NUB

    def outside(self) -> list[str]:
        """Cover the cells that belong to no region."""
        found = []
        for cell in sorted(self.panel.outside):
            x, y = self.centre(cell)
            found.append(
                f'<rect x="{number(x - CELL / 2)}" y="{number(y - CELL / 2)}" width="{number(CELL)}" '
                f'height="{number(CELL)}" fill="{_GROUND}"/>'
            )
        return found

    def lines(self) -> list[str]:
        """Draw the lines with their gaps, the discs of the starts and the nubs of the ends."""
        panel, grid = self.panel, self.panel.grid
        found = []
        for edge in range(grid.edges):
            if edge in panel.absent:
                continue
            one, other = self.ends(edge)
            for (x1, y1), (x2, y2) in zip(*map(self._copies(edge), (one, other)), strict=True):
                if edge not in panel.gaps:
                    found.append(_line(((x1, y1), (x2, y2)), LINES))
                    continue
                share = (CELL - _GAP) / 2 / CELL
                for ax, ay, bx, by in ((x1, y1, x2, y2), (x2, y2, x1, y1)):
                    end = ax + (bx - ax) * share, ay + (by - ay) * share
                    found.append(_line(((ax, ay), end), LINES, cap="butt"))
        for vertex in range(grid.vertices):  # joints, where only gaps meet too
            if not panel.absent or any(edge not in panel.absent for _, edge in grid.neighbours[vertex]):
                found += [_disc(*place, _LINE / 2, LINES) for place in self.both(self.at(vertex))]
        middles = grid.vertices
        for point in (*panel.ends, *(middles + edge for edge in panel.edge_ends)):
            found += self._nub_at(point, LINES)
        for point in (*panel.starts, *(middles + edge for edge in panel.edge_starts)):
            found += [_disc(*place, _START, LINES) for place in self.both(self.at(point))]
        return found + (self._seam() if panel.pillar else [])

    def _copies(self, edge: int) -> Callable[[Place], list[Place]]:
        """Return the function to the places of an edge's end: on a pillar's left border there are two."""
        upright = not self.panel.grid.is_horizontal(edge)
        return self.both if upright else lambda place: [place]

    def _nub_at(self, point: int, hue: str) -> list[str]:
        (x, y), (u, v) = self.at(point), self.nub(point)
        return [_line(((a, b), (a + u - x, b + v - y)), hue) for a, b in self.both((x, y))]

    def _seam(self) -> list[str]:
        """Draw dashes beside the two borders that are one."""
        found = []
        for x in (_MARGIN * 0.35, 2 * _MARGIN + self.panel.width * CELL - _MARGIN * 0.35):
            top, bottom = _MARGIN, _MARGIN + self.panel.height * CELL
            found.append(
                f'<line x1="{number(x)}" y1="{number(top)}" x2="{number(x)}" y2="{number(bottom)}" '
                f'stroke="{FLOOR}" stroke-width="3" stroke-dasharray="8 6"/>'
            )
        return found

    def path(self, path: Sequence[int], hue: str = _PATH) -> list[str]:
        """Draw a path, from the disc of its start to the tip of its end."""
        discs = [_disc(*place, _START - 2, hue) for place in self.both(self.at(path[0]))]
        if not self.panel.pillar:
            points = [*map(self.at, path), self.nub(path[-1])]
            return [*discs, _line(points, hue, width=_LINE - 3)]
        steps = [self._step(one, other) for one, other in pairwise(path)]
        (x, y), (u, v) = self.at(path[-1]), self.nub(path[-1])
        steps.append(((x, y), (u, v)))
        found = []
        for (ax, ay), (bx, by) in steps:
            moved = {0.0, self.panel.width * CELL} if ax == _MARGIN and bx == _MARGIN else {0.0}
            found += [_line(((ax + dx, ay), (bx + dx, by)), hue, width=_LINE - 3) for dx in sorted(moved)]
        return [*discs, *found]

    def _step(self, one: int, other: int) -> tuple[Place, Place]:
        """Return the two ends of a step on a pillar; one over the seam begins or ends on the right border."""
        (ax, ay), (bx, by) = self.at(one), self.at(other)
        if abs(ax - bx) > CELL:
            ax += self.panel.width * CELL if ax == _MARGIN else 0
            bx += self.panel.width * CELL if bx == _MARGIN else 0
        return (ax, ay), (bx, by)

    def dots(self) -> list[str]:
        """Draw the must-cross dots: hexagons on the lines, in the colour of the line that must cover them."""
        panel, middles = self.panel, self.panel.grid.vertices
        found = []
        points = [*panel.vertex_dots, *(middles + edge for edge in panel.edge_dots)]
        locations = [*(panel.grid.vertex_location(v) for v in panel.vertex_dots), *panel.edge_dots]
        for point, dot in zip(points, locations, strict=True):
            hue = _FIRST if dot in panel.first_dots else _SECOND if dot in panel.second_dots else _DARK
            edge = FLOOR if hue == _DARK else _DARK
            for x, y in self.both(self.at(point)):
                found.append(_polygon(_regular(x, y, _DOT, 6, 0), hue, stroke=edge))
        return found


def _symbol(symbol: CellSymbol, x: float, y: float) -> str:
    hue = HUES[symbol.colour]
    if isinstance(symbol, Square):
        return f'<rect x="{number(x - 12)}" y="{number(y - 12)}" width="24" height="24" rx="8" fill="{hue}"/>'
    if isinstance(symbol, Star):
        # Eight points: two squares, one of them turned.
        turned = [_regular(x, y, 15, 4, angle) for angle in (0, 45)]
        return "".join(_polygon(points, hue) for points in turned)
    if isinstance(symbol, Polyomino):
        return _piece(symbol, x, y, hue)
    if isinstance(symbol, Eraser):
        # Three arms that meet in the middle, one of them upright.
        tips = _regular(x, y, 13, 3, -90)
        return "".join(_line(((x, y), tip), hue, width=7, cap="butt") for tip in tips)
    size = min(1.0, 3.06 / symbol.count)  # four fit between the lines
    first = x - (symbol.count - 1) * 7.5 * size
    return "".join(
        _polygon([(a, y - 6.5 * size), (a + 7 * size, y + 5.5 * size), (a - 7 * size, y + 5.5 * size)], hue)
        for a in (first + 15 * size * i for i in range(symbol.count))
    )


def _piece(piece: Polyomino, x: float, y: float, hue: str) -> str:
    """Draw the cells of a piece: outlined ones for a negative piece, aslant for a free one."""
    step = min(11.0, 38.0 / max(piece.width, piece.height))
    side = step - 2.5
    parts = []
    for cell_x, cell_y in piece.cells:
        left = x + (cell_x - piece.width / 2) * step + (step - side) / 2
        top = y + (piece.height / 2 - cell_y - 1) * step + (step - side) / 2
        if piece.negative:
            inner = f'width="{number(side - 2)}" height="{number(side - 2)}" fill="none" stroke="{hue}"'
            parts.append(f'<rect x="{number(left + 1)}" y="{number(top + 1)}" {inner} stroke-width="2"/>')
        else:
            inner = f'width="{number(side)}" height="{number(side)}" fill="{hue}"'
            parts.append(f'<rect x="{number(left)}" y="{number(top)}" {inner}/>')
    turn = f' transform="rotate(-16 {number(x)} {number(y)})"' if piece.free else ""
    return f"<g{turn}>{''.join(parts)}</g>"


def _line(
    points: Sequence[tuple[float, float]], colour: str, *, width: float = _LINE, cap: str = "round"
) -> str:
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    return (
        f'<polyline points="{text}" fill="none" stroke="{colour}" stroke-width="{number(width)}" '
        f'stroke-linecap="{cap}" stroke-linejoin="round"/>'
    )


def _disc(x: float, y: float, radius: float, colour: str) -> str:
    return f'<circle cx="{number(x)}" cy="{number(y)}" r="{number(radius)}" fill="{colour}"/>'


def _polygon(points: Sequence[tuple[float, float]], colour: str, *, stroke: str = "") -> str:
    text = " ".join(f"{number(x)},{number(y)}" for x, y in points)
    outline = f' stroke="{stroke}" stroke-width="1"' if stroke else ""
    return f'<polygon points="{text}" fill="{colour}"{outline}/>'


def _regular(x: float, y: float, radius: float, corners: int, turn: float) -> list[tuple[float, float]]:
    """Return the corners of a regular polygon; `turn` in degrees."""
    angles = [math.radians(turn + 360 * i / corners) for i in range(corners)]
    return [(x + radius * math.cos(a), y + radius * math.sin(a)) for a in angles]
