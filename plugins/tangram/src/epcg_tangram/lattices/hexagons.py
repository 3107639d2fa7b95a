"""The lattice of hexagons, which stand on a corner, every other row shifted by half a cell."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping
from typing import ClassVar

from epcg_tangram.lattices.lattice import Cell, Family, Flat, Point, Signs, Vertex

_WIDE = math.sqrt(3)
_AROUND = ((1, 0), (0, 1), (-1, 1), (-1, 0), (0, -1), (1, -1))
"""The steps to the neighbours, counterclockwise from the right."""


def _parallelogram(width: int, height: int) -> Iterator[Cell]:
    yield from ((a, b) for a in range(width) for b in range(height))


def _rectangle(width: int, height: int) -> Iterator[Cell]:
    """Yield rows of `width` cells; every other one is shifted by half a cell to the right."""
    yield from ((a - (row - row % 2) // 2, row) for row in range(height) for a in range(width))


def _triangle(side: int) -> Iterator[Cell]:
    yield from ((a, b) for a in range(side) for b in range(side - a))


def _hexagon(side: int) -> Iterator[Cell]:
    reach = range(1 - side, side)
    yield from ((a, b) for a in reach for b in reach if abs(a + b) < side)


class Hexagons(Flat):
    """Hexagons: a cell is (a, b), its centre at a (w, 0) + b (w/2, 3/2), w = sqrt(3).

    A vertex is the sum of the three cells that meet there.
    """

    name = "hexagons"
    cell_word = ("hexagon", "hexagons")
    kinds = ("first", "second", "third")
    step = 1
    turn = ((0, -1), (1, 1))
    turns = 6
    mirror = ((-1, -1), (0, 1))
    families: ClassVar[Mapping[str, Family]] = {
        "parallelogram": Family(("width", "height"), _parallelogram),
        "rectangle": Family(("width", "height"), _rectangle),
        "triangle": Family(("side",), _triangle),
        "hexagon": Family(("side",), _hexagon),
    }
    signs = Signs(
        usual=("#",),
        words=("a cell",),
        of=lambda _: 0,
        read={"#": -1},
        at=lambda cell: (-cell[1], 2 * cell[0] + cell[1]),
        cell=lambda row, column: None if (row + column) % 2 else ((column + row) // 2, -row),
        shifts=((0, 0), (0, 1)),
        framed=False,
        misplaced="A hexagon lies between two of the row above: shift every other row by one place, and "
        "leave a place free between two hexagons of a row.",
    )
    first = (0, 0)

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        return tuple((cell[0] + a, cell[1] + b) for a, b in _AROUND)

    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        pairs = zip(_AROUND, (*_AROUND[1:], _AROUND[0]), strict=True)
        return tuple((3 * cell[0] + a + c, 3 * cell[1] + b + d) for (a, b), (c, d) in pairs)

    def place(self, vertex: Vertex) -> Point:
        a, b = vertex
        return _WIDE * (a / 3 + b / 6), b / 2

    def kind(self, cell: Cell) -> int:
        return (cell[0] - cell[1]) % 3

    def reading(self, cell: Cell) -> tuple[int, int]:
        return -cell[1], 2 * cell[0] + cell[1]

    def letters_at(self, cell: Cell) -> tuple[int, int]:
        return -2 * cell[1], 4 * cell[0] + 2 * cell[1] + 1

    def strokes(self, one: Vertex, two: Vertex) -> Iterator[tuple[int, int, str]]:
        x, y = (one[0] + two[0]) / 6, (one[1] + two[1]) / 6  # the middle, in steps between cells
        line, column = round(-2 * y), round(4 * x + 2 * y) + 2
        upright = one[1] != two[1] and abs(self.place(one)[0] - self.place(two)[0]) < 1e-9
        rising = (self.place(one)[0] - self.place(two)[0]) * (self.place(one)[1] - self.place(two)[1]) > 0
        yield line, column, "|" if upright else "/" if rising else "\\"
