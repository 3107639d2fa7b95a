"""The lattice of quarters: squares that both diagonals cut into four triangles.

It is also called tetrakis square tiling. What can be cut from squares along sides and diagonals is made of
its cells, as the tangram's pieces are.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import ClassVar

from epcg_tangram.lattices.lattice import Cell, Family, Flat, Point, Signs, Vertex

_AROUND = ((1, 0), (0, 1), (-1, 0), (0, -1))
"""The quarters of a square, from its centre, counterclockwise from the right."""
_WIDE, _HIGH = 9, 5
"""The columns and lines of a square in a picture of characters."""


def _square(x: int, y: int) -> Iterator[Cell]:
    yield from ((3 * x + a, 3 * y + b) for a, b in _AROUND)


def _rectangle(width: int, height: int) -> Iterator[Cell]:
    yield from (cell for x in range(width) for y in range(height) for cell in _square(x, y))


def _triangle(side: int) -> Iterator[Cell]:
    """Yield half of a square, its right angle below on the left."""
    yield from (cell for cell in _rectangle(side, side) if cell[0] + cell[1] < 3 * (side - 1))


def _diamond(side: int) -> Iterator[Cell]:
    """Yield a square that stands on a corner, of twice as many squares from left to right."""
    middle = 3 * side - 1.5
    for x, y in _rectangle(2 * side, 2 * side):
        if abs(x - middle) + abs(y - middle) < 3 * side:
            yield x, y


def _part(cell: Cell) -> tuple[int, int]:
    """Return the step from the centre of its square to a quarter."""
    return (cell[0] + 1) % 3 - 1, (cell[1] + 1) % 3 - 1


def _cell(row: int, column: int) -> Cell | None:
    return (column, -row) if (column % 3 == 0) != (row % 3 == 0) else None


class Quarters(Flat):
    """Quarters of squares: the square (x, y) has its centre at (3x, 3y), its quarters one beside that.

    Of a vertex both numbers are even at the centre of a square, and odd at its corners.
    """

    name = "quarters"
    cell_word = ("quarter", "quarters")
    kinds = ("light", "dark")
    step = 3
    turn = ((0, -1), (1, 0))
    turns = 4
    mirror = ((-1, 0), (0, 1))
    families: ClassVar[Mapping[str, Family]] = {
        "rectangle": Family(("width", "height"), _rectangle),
        "triangle": Family(("side",), _triangle),
        "diamond": Family(("side",), _diamond),
    }
    signs = Signs(
        usual=("V", ">", "<", "A"),
        words=(
            "the upper quarter of a square",
            "the left quarter",
            "the right quarter",
            "the lower quarter",
        ),
        of=lambda cell: {(0, 1): 0, (-1, 0): 1, (1, 0): 2, (0, -1): 3}[_part(cell)],
        read={"V": 0, "v": 0, "▼": 0, ">": 1, "▶": 1, "<": 2, "◀": 2, "A": 3, "^": 3, "▲": 3},
        at=lambda cell: (-cell[1], cell[0]),
        cell=_cell,
        shifts=tuple((down, right) for down in range(3) for right in range(3)),
        framed=False,
        misplaced="A square is drawn in three rows and columns, its quarters around the middle: V above, > "
        "on the left, < on the right, A below. Its corners and its middle stay free.",
        order="V is the upper quarter of a square, > its left, < its right, A its lower one",
    )
    first = (0, 1)

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        x, y = cell
        a, b = _part(cell)
        return (x - a - b, y - b + a), (x - a + b, y - b - a), (x + a, y + b)

    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        a, b = _part(cell)
        x, y = 2 * ((cell[0] - a) // 3), 2 * ((cell[1] - b) // 3)
        return (x + a + b, y + b - a), (x + a - b, y + b + a), (x, y)

    def place(self, vertex: Vertex) -> Point:
        return vertex[0] / 2, vertex[1] / 2

    def kind(self, cell: Cell) -> int:
        a, b = _part(cell)
        return ((cell[0] - a) // 3 + (cell[1] - b) // 3 + (a != 0)) % 2

    def reading(self, cell: Cell) -> tuple[int, int]:
        return -cell[1], cell[0]

    def letters_at(self, cell: Cell) -> tuple[int, int]:
        a, b = _part(cell)
        line, column = _corner_at((2 * ((cell[0] - a) // 3) - 1, 2 * ((cell[1] - b) // 3) + 1))
        return line + {1: 1, 0: 2, -1: 4}[b], column + {-1: 1, 0: 4, 1: 7}[a]

    def strokes(self, one: Vertex, two: Vertex) -> Iterator[tuple[int, int, str]]:
        one, two = sorted((one, two))
        if one[0] == two[0]:
            line, column = _corner_at(two)
            yield from ((line + step, column, "+||||+"[step]) for step in range(_HIGH + 1))
        elif one[1] == two[1]:
            line, column = _corner_at(one)
            yield from ((line, column + step, "+--------+"[step]) for step in range(_WIDE + 1))
        else:
            corner, centre = (one, two) if one[0] % 2 else (two, one)
            line, column = _corner_at(corner)
            right, down = centre[0] > corner[0], centre[1] < corner[1]
            signs = "`." if right == down else ".'"
            for step in range(2):
                at = column + (1 + 2 * step if right else -2 - 2 * step)
                along = line + (1 + step if down else -1 - step)
                yield from ((along, at + place, sign) for place, sign in enumerate(signs))


def _corner_at(vertex: Vertex) -> tuple[int, int]:
    """Return the (line, column) of a corner of squares in a picture of characters."""
    return -_HIGH * ((vertex[1] - 1) // 2), _WIDE * ((vertex[0] + 1) // 2)
