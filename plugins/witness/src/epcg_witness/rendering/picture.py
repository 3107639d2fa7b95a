"""The picture of a panel as SVG (see `epcg_core.rendering.svg`), as in the game; a cell is 60 units wide."""

from __future__ import annotations

import math
from collections.abc import Sequence

import attrs

from epcg_core.rendering import svg
from epcg_core.rendering.svg import number
from epcg_witness.formats.drawing import path_in_words
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star

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

_GROUND, _FLOOR, _LINES, _PATH, _DARK = "#9aa79c", "#b9c4b6", "#4b5a55", "#fff3bf", "#1c2321"
_TWIN = "#bfe9ff"
"""The colour of the other line of a panel with symmetry."""
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
        f'height="{number(panel.height * CELL)}" fill="{_FLOOR}"/>',
        *picture.lines(),
    ]
    if path is not None and panel.symmetry is not None:
        parts += picture.path([panel.twin_vertex(vertex) for vertex in path], _TWIN)
    if path is not None:
        parts += picture.path(path)
    parts += picture.dots()
    return parts + [_symbol(symbol, *picture.centre(cell)) for cell, symbol in panel.symbols]


@attrs.frozen
class _Picture:
    """The coordinates and the lines of a panel's picture."""

    panel: Panel

    def at(self, vertex: int) -> tuple[float, float]:
        x, y = self.panel.grid.vertex_at(vertex)
        return _MARGIN + x * CELL, _MARGIN + (self.panel.height - y) * CELL

    def centre(self, cell: int) -> tuple[float, float]:
        x, y = self.panel.grid.cell_at(cell)
        return _MARGIN + (x + 0.5) * CELL, _MARGIN + (self.panel.height - y - 0.5) * CELL

    def nub(self, vertex: int) -> tuple[float, float]:
        """Return the tip of an end: straight out of a side, aslant at a corner, up inside the panel."""
        x, y = self.panel.grid.vertex_at(vertex)
        dx = -1 if x == 0 else 1 if x == self.panel.width else 0
        dy = 1 if y == 0 else -1 if y == self.panel.height or dx == 0 else 0
        length = math.hypot(dx, dy)
        left, top = self.at(vertex)
        return left + dx / length * _NUB, top + dy / length * _NUB

    def lines(self) -> list[str]:
        """Draw the lines with their gaps, the discs of the starts and the nubs of the ends."""
        grid = self.panel.grid
        found = []
        for edge in range(grid.edges):
            (x1, y1), (x2, y2) = map(self.at, grid.edge_ends(edge))
            if edge not in self.panel.gaps:
                found.append(_line(((x1, y1), (x2, y2)), _LINES))
                continue
            share = (CELL - _GAP) / 2 / CELL
            for ax, ay, bx, by in ((x1, y1, x2, y2), (x2, y2, x1, y1)):
                end = ax + (bx - ax) * share, ay + (by - ay) * share
                found.append(_line(((ax, ay), end), _LINES, cap="butt"))
        for vertex in range(grid.vertices):  # joints, where only gaps meet too
            found.append(_disc(*self.at(vertex), _LINE / 2, _LINES))
        found += [_line((self.at(vertex), self.nub(vertex)), _LINES) for vertex in self.panel.ends]
        found += [_disc(*self.at(vertex), _START, _LINES) for vertex in self.panel.starts]
        return found

    def path(self, path: Sequence[int], hue: str = _PATH) -> list[str]:
        """Draw a path, from the disc of its start to the tip of its end."""
        points = [*map(self.at, path), self.nub(path[-1])]
        return [_disc(*points[0], _START - 2, hue), _line(points, hue, width=_LINE - 3)]

    def dots(self) -> list[str]:
        """Draw the must-cross dots: hexagons on the lines."""
        grid = self.panel.grid
        places = [self.at(vertex) for vertex in self.panel.vertex_dots]
        for edge in self.panel.edge_dots:
            (x1, y1), (x2, y2) = map(self.at, grid.edge_ends(edge))
            places.append(((x1 + x2) / 2, (y1 + y2) / 2))
        return [_polygon(_regular(x, y, _DOT, 6, 0), _DARK, stroke=_FLOOR) for x, y in places]


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
    first = x - (symbol.count - 1) * 7.5
    return "".join(
        _polygon([(a, y - 6.5), (a + 7, y + 5.5), (a - 7, y + 5.5)], hue)
        for a in (first + 15 * i for i in range(symbol.count))
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
