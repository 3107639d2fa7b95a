"""The lattice of squares."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from epcg_tangram.lattices.lattice import Cell, Family, Flat, Point, Signs, Vertex


def _rectangle(width: int, height: int) -> Iterator[Cell]:
    yield from ((x, y) for x in range(width) for y in range(height))


def _staircase(side: int) -> Iterator[Cell]:
    yield from ((x, y) for x in range(side) for y in range(side - x))


class Squares(Flat):
    """Squares: a cell is (column, row), its lower left vertex too."""

    name = "squares"
    cell_word = ("square", "squares")
    kinds = ("light", "dark")
    step = 1
    turn = ((0, -1), (1, 0))
    turns = 4
    mirror = ((-1, 0), (0, 1))
    families: ClassVar[Mapping[str, Family]] = {
        "rectangle": Family(("width", "height"), _rectangle),
        "staircase": Family(("side",), _staircase),
    }
    signs = Signs(
        usual=("#",),
        words=("a cell",),
        of=lambda _: 0,
        read={"#": -1},
        at=lambda cell: (-cell[1], cell[0]),
        cell=lambda row, column: (column, -row),
        shifts=((0, 0),),
        framed=True,
    )
    first = (0, 0)

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        x, y = cell
        return (x + 1, y), (x, y + 1), (x - 1, y), (x, y - 1)

    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        x, y = cell
        return (x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)

    def place(self, vertex: Vertex) -> Point:
        return float(vertex[0]), float(vertex[1])

    def kind(self, cell: Cell) -> int:
        return (cell[0] + cell[1]) % 2

    def reading(self, cell: Cell) -> tuple[int, int]:
        return -cell[1], cell[0]

    def letters_at(self, cell: Cell) -> tuple[int, int]:
        return -2 * cell[1] - 1, 4 * cell[0] + 1

    def strokes(self, one: Vertex, two: Vertex) -> Iterator[tuple[int, int, str]]:
        (x, y), (u, _) = sorted((one, two))
        if x == u:
            yield from ((-2 * y - 2 + step, 4 * x, "+|+"[step]) for step in range(3))
        else:
            yield from ((-2 * y, 4 * x + step, "+---+"[step]) for step in range(5))


SQUARES = Squares()
