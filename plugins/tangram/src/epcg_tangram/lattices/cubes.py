"""The lattice of cubes, which lie in layers of squares."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import cached_property
from itertools import permutations, product
from typing import ClassVar

from epcg_tangram.lattices.lattice import (
    Cell,
    Family,
    Flat,
    Lattice,
    Matrix,
    Shape,
    Vertex,
    area,
    hull,
    total,
)
from epcg_tangram.lattices.squares import SQUARES

_AROUND = ((1, 0, 0), (0, 1, 0), (0, 0, 1), (-1, 0, 0), (0, -1, 0), (0, 0, -1))
_CORNERS = tuple(product((0, 1), repeat=3))


def _box(width: int, depth: int, height: int) -> Iterator[Cell]:
    yield from product(range(width), range(depth), range(height))


def _cube(side: int) -> Iterator[Cell]:
    yield from _box(side, side, side)


def _pyramid(side: int) -> Iterator[Cell]:
    """Yield square layers, each upon the middle of the one below, whose edge is two cubes longer."""
    for height, inset in enumerate(range((side + 1) // 2)):
        reach = range(inset, side - inset)
        yield from ((x, y, height) for x in reach for y in reach)


class Cubes(Lattice):
    """Cubes: a cell is (column, row, layer), as is its vertex below on the left in front.

    Rows are numbered from the front and layers from below; drawings begin at the back and above.
    """

    name = "cubes"
    cell_word = ("cube", "cubes")
    kinds = ("light", "dark")
    step = 1
    turns = 24
    families: ClassVar[Mapping[str, Family]] = {
        "box": Family(("width", "depth", "height"), _box),
        "cube": Family(("side",), _cube),
        "pyramid": Family(("side",), _pyramid),
    }
    first = (0, 0, 0)
    layered = True
    flips = False

    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        return tuple(total(cell, by) for by in _AROUND)

    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        return tuple(total(cell, by) for by in _CORNERS)

    def kind(self, cell: Cell) -> int:
        return sum(cell) % 2

    def reading(self, cell: Cell) -> tuple[int, ...]:
        return -cell[2], -cell[1], cell[0]

    @cached_property
    def symmetries(self) -> tuple[Matrix, ...]:
        turned = [own for own in _signed_permutations() if _determinant(own) == 1]
        mirrored = [((-a, b, c), (-d, e, f), (-g, h, i)) for (a, b, c), (d, e, f), (g, h, i) in turned]
        return (*turned, *mirrored)

    @property
    def flat(self) -> Flat:
        return SQUARES

    def in_plane(self, cell: Cell) -> tuple[int, Cell]:
        return -cell[2], cell[:2]

    def in_layer(self, layer: int, cell: Cell) -> Cell:
        return (*cell, -layer)

    def unfolded(self, cells: Iterable[Cell]) -> dict[Cell, Cell]:
        listed = list(cells)
        if not listed:
            return {}
        wide = max(x for x, _, _ in listed) - min(x for x, _, _ in listed) + 2
        top = max(z for _, _, z in listed)
        return {(x, y, z): (x + (top - z) * wide, y) for x, y, z in listed}

    def share(self, shape: Shape) -> float:
        """Return the share of the hull, whose volume between two whole heights is exact by Simpson's rule."""
        points = {vertex for cell in shape for vertex in self.corners(cell)}
        heights = range(min(z for _, _, z in points), max(z for _, _, z in points))
        volume = sum(
            (_section(points, z) + 4 * _section(points, z + 0.5) + _section(points, z + 1)) / 6
            for z in heights
        )
        return len(shape) / volume

    def straight_lines(
        self, pairs: Iterable[tuple[Cell, Cell]], cells: Iterable[Cell]
    ) -> list[list[tuple[Cell, Cell]]]:
        """Return the planes between cubes: none goes through the middle of one."""
        planes: dict[tuple[int, int], list[tuple[Cell, Cell]]] = {}
        for one, other in pairs:
            axis = next(n for n, (a, b) in enumerate(zip(one, other, strict=True)) if a != b)
            planes.setdefault((axis, max(one[axis], other[axis])), []).append((one, other))
        return [own for _, own in sorted(planes.items())]


def _section(points: Iterable[Vertex], height: float) -> float:
    """Return the area in which a plane at a height cuts the hull of points."""
    below = [point for point in points if point[2] < height]
    above = [point for point in points if point[2] > height]
    cut = [(float(x), float(y)) for x, y, z in points if z == height]
    for (x, y, z), (u, v, w) in product(below, above):
        share = (height - z) / (w - z)
        cut.append((x + share * (u - x), y + share * (v - y)))
    return area(hull(cut))


def _signed_permutations() -> Iterator[Matrix]:
    """Yield the 48 matrices that exchange axes and directions, the identity first."""
    for order in permutations(range(3)):
        for signs in product((1, -1), repeat=3):
            yield tuple(
                tuple(sign if column == axis else 0 for column in range(3))
                for axis, sign in zip(order, signs, strict=True)
            )


def _determinant(matrix: Matrix) -> int:
    (a, b, c), (d, e, f), (g, h, i) = matrix
    return a * (e * i - f * h) - b * (d * i - f * g) + c * (d * h - e * g)
