"""The lattice of triangles, which point up and down in turn."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

from epcg_tangram.lattices.lattice import Cell, Family, Flat, Point, Signs, Vertex

ROW = math.sqrt(3) / 2
"""The height of a triangle."""


def _up(a: int, b: int) -> Cell:
    return 3 * a + 1, 3 * b + 1


def _down(a: int, b: int) -> Cell:
    return 3 * a + 2, 3 * b + 2


def _parallelogram(width: int, height: int) -> Iterator[Cell]:
    yield from (cell(a, b) for a in range(width) for b in range(height) for cell in (_up, _down))


def _triangle(side: int) -> Iterator[Cell]:
    yield from (_up(a, b) for a in range(side) for b in range(side - a))
    yield from (_down(a, b) for a in range(side - 1) for b in range(side - 1 - a))


def _hexagon(side: int) -> Iterator[Cell]:
    reach = range(-side, side)
    for a in reach:
        for b in reach:
            for cell in (_up(a, b), _down(a, b)):
                if all(max(abs(x), abs(y), abs(x + y)) <= side for x, y in corners(cell)):
                    yield cell


def _star(side: int) -> Iterator[Cell]:
    """Yield a star of six points: two triangles of thrice the side, one upside down."""
    reach = range(-2 * side, 2 * side)
    for a in reach:
        for b in reach:
            for cell in (_up(a, b), _down(a, b)):
                points = [(x, y, -x - y) for x, y in corners(cell)]
                if any(all(sign * own <= side for p in points for own in p) for sign in (1, -1)):
                    yield cell


def _trapezoid(width: int, height: int) -> Iterator[Cell]:
    """Yield a trapezoid with its longer side, of `width` edges, below."""
    for b in range(min(width, height)):
        yield from (_up(a, b) for a in range(width - b))
        yield from (_down(a, b) for a in range(width - b - 1))


def corners(cell: Cell) -> tuple[Vertex, Vertex, Vertex]:
    """Return the vertices of a triangle, counterclockwise."""
    a, b = cell[0] // 3, cell[1] // 3
    if cell[0] % 3 == 1:
        return (a, b), (a + 1, b), (a, b + 1)
    return (a + 1, b), (a + 1, b + 1), (a, b + 1)


def _at(cell: Cell) -> tuple[int, int]:
    """Return the (row, half column) of a triangle."""
    a, b = cell[0] // 3, cell[1] // 3
    return -b, 2 * a + b + (cell[0] % 3 == 2)


def _cell(row: int, column: int) -> Cell:
    """Return the triangle of a (row, half column): it points up if both are even, or both odd."""
    a, odd = divmod(column + row, 2)
    return _down(a, -row) if odd else _up(a, -row)


_WIDE, _HIGH = 6, 3
"""The columns and lines of a triangle in a picture of characters."""


class Triangles(Flat):
    """Triangles: a vertex (a, b) is a (1, 0) + b (1/2, sqrt(3)/2), a cell the sum of its three vertices."""

    name = "triangles"
    cell_word = ("triangle", "triangles")
    kinds = ("up", "down")
    step = 3
    turn = ((0, -1), (1, 1))
    turns = 6
    mirror = ((-1, -1), (0, 1))
    families: ClassVar[Mapping[str, Family]] = {
        "parallelogram": Family(("width", "height"), _parallelogram),
        "triangle": Family(("side",), _triangle),
        "hexagon": Family(("side",), _hexagon),
        "star": Family(("side",), _star),
        "trapezoid": Family(("width", "height"), _trapezoid),
    }
    signs = Signs(
        usual=("A", "V"),
        words=("a triangle that points up", "a triangle that points down"),
        of=lambda cell: cell[0] % 3 - 1,
        read={"A": 0, "V": 1, "△": 0, "▽": 1, "▲": 0, "▼": 1, "^": 0, "v": 1},
        at=_at,
        cell=_cell,
        shifts=((0, 0), (0, 1)),
        framed=False,
        order="they alternate",
    )
    first = _up(0, 0)
    pointing = True

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        a, b = cell
        sign = 1 if a % 3 == 1 else -1
        return (a + sign, b + sign), (a - 2 * sign, b + sign), (a + sign, b - 2 * sign)

    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        return corners(cell)

    def place(self, vertex: Vertex) -> Point:
        a, b = vertex
        return a + b / 2, b * ROW

    def kind(self, cell: Cell) -> int:
        return cell[0] % 3 - 1

    def reading(self, cell: Cell) -> tuple[int, int]:
        return _at(cell)

    def letters_at(self, cell: Cell) -> tuple[int, int]:
        x, y = _right_below(min(corners(cell), key=lambda vertex: (vertex[1], vertex[0])))
        return y - 2, x + _WIDE // 2 - 1 if self.kind(cell) == 0 else x - 1

    def strokes(self, one: Vertex, two: Vertex) -> Iterator[tuple[int, int, str]]:
        one, two = sorted((one, two))
        (x, y), (x2, _) = _right_below(one), _right_below(two)
        if one[1] == two[1]:
            yield from ((y - 1, column, "_") for column in range(x, x2))
        elif one[0] == two[0]:  # up to the right
            yield from ((y - 1 - step, x + step, "/") for step in range(_HIGH))
        else:  # the lesser vertex is the upper one
            yield from ((y + step, x + step, "\\") for step in range(_HIGH))


def _right_below(vertex: Vertex) -> tuple[int, int]:
    """Return the column right of a vertex and the line below it."""
    a, b = vertex
    return _WIDE * a + _WIDE // 2 * b, 1 - _HIGH * b
