"""Pieces of squares and of triangles on boards, as problems of exact cover: for tests and benchmarks.

A cell is a vector of integers. A square is (x, y). A triangle is (x, y, z) with the sum 1, if it points up,
or 2: its neighbours have one coordinate more, or less. So the symmetries of both lattices permute the
coordinates and change signs, and a shift adds a vector, with the sum 0 for triangles.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product

from epcg_core.search.exact_cover.problem import CoverProblem

Cell = tuple[int, ...]
Shape = tuple[Cell, ...]


def rectangle(width: int, height: int) -> list[Cell]:
    """Return squares row by row."""
    return [(x, y) for y in range(height) for x in range(width)]


def rhomboid(width: int, height: int) -> list[Cell]:
    """Return the triangles of a parallelogram row by row, each rhombus of two after the other."""
    return [(x, y, total - x - y) for y in range(height) for x in range(width) for total in (1, 2)]


def hexagon(side: int, points: bool = False) -> list[Cell]:
    """Return the triangles of a hexagon, or of the star of two triangles whose common part it is."""
    span = range(-2 * side, 2 * side + 1)
    cells = [(x, y, total - x - y) for y in span for x in span for total in (1, 2)]
    join = any if points else all
    return [cell for cell in cells if join((min(cell) > -side, max(cell) <= side))]


def turned(shape: Iterable[Cell], flip: bool = True) -> Iterator[Shape]:
    """Yield a shape under all symmetries of its lattice, or all turns; the shape itself comes first."""
    cells = list(shape)
    axes = len(cells[0])
    for sign in product((1, -1), repeat=2) if axes == 2 else ((1, 1, 1), (-1, -1, -1)):
        for order in permutations(range(axes)):
            odd = sum(order[i] > order[j] for j in range(axes) for i in range(j)) % 2
            if flip or odd == (axes == 2 and sign[0] != sign[1]):
                back = axes == 3 and sign[0] < 0  # a triangle's sum is then -1 or -2: 3 more makes 2 or 1
                yield tuple(
                    tuple(s * cell[axis] + back for s, axis in zip(sign, order, strict=True))
                    for cell in cells
                )


def shifted(shape: Sequence[Cell], board: Iterable[Cell]) -> Iterator[Shape]:
    """Yield a shape with its first cell on each cell of a board on which it may lie."""
    first = shape[0]
    for cell in board:
        if len(cell) == 2 or sum(cell) == sum(first):
            yield tuple(tuple(v + to - at for v, to, at in zip(c, cell, first, strict=True)) for c in shape)


def shapes(size: int, triangles: bool = False) -> list[Shape]:
    """Return the free shapes of so many cells."""
    found: set[Shape] = {((0, 0, 1),) if triangles else ((0, 0),)}
    for _ in range(size - 1):
        found = {
            canonical((*shape, cell))
            for shape in found
            for own in shape
            for cell in beside(own)
            if cell not in shape
        }
    return sorted(found)


def doubled(shape: Shape) -> list[Shape]:
    """Return the one-sided shapes that two copies of a shape, which may be flipped, make edge to edge."""
    found: set[Shape] = set()
    around = {cell for own in shape for cell in beside(own)} - set(shape)
    for image in turned(shape):
        for first in range(len(image)):
            for other in shifted((*image[first:], *image[:first]), around):
                if not set(other) & set(shape):
                    found.add(canonical((*shape, *other), flip=False))
    return sorted(found)


def canonical(shape: Iterable[Cell], flip: bool = True) -> Shape:
    """Return the first of a shape's images, moved near the origin."""
    return min(normal(image) for image in turned(shape, flip))


def normal(shape: Iterable[Cell]) -> Shape:
    """Return a shape moved near the origin, its cells sorted."""
    cells = list(shape)
    low = [min(cell[axis] for cell in cells) for axis in range(2)]
    by = [-low[0], -low[1], *([low[0] + low[1]] if len(cells[0]) == 3 else [])]
    return tuple(sorted(tuple(v + d for v, d in zip(cell, by, strict=True)) for cell in cells))


def beside(cell: Cell) -> Iterator[Cell]:
    """Yield the neighbours of a cell."""
    steps = (1, -1) if len(cell) == 2 else (1,) if sum(cell) == 1 else (-1,)
    for axis, step in product(range(len(cell)), steps):
        yield tuple(v + step * (own == axis) for own, v in enumerate(cell))


def packing(
    board: Sequence[Cell],
    pieces: Sequence[Shape],
    least: Sequence[int] | None = None,
    most: Sequence[int] | None = None,
    optional: Iterable[Cell] = (),
    flip: bool = True,
) -> CoverProblem:
    """Return the problem to cover a board, cells numbered in its order; with each piece once by default."""
    number = {cell: place for place, cell in enumerate(board)}
    placements: list[tuple[int, tuple[int, ...]]] = []
    for piece, shape in enumerate(pieces):
        found: dict[tuple[int, ...], None] = {}
        for image in turned(shape, flip):
            for cells in shifted(image, board):
                if all(cell in number for cell in cells):
                    found[tuple(sorted(number[cell] for cell in cells))] = None
        placements += [(piece, cells) for cells in found]
    must = {number[cell] for cell in optional}
    symmetries = []
    for image in turned(board, flip):
        for cells in shifted(image, board):
            if set(cells) == set(board):
                moved = [number[cell] for cell in cells]
                if {moved[cell] for cell in must} == must:
                    symmetries.append(moved)
    ones = [1] * len(pieces)
    return CoverProblem(len(board), placements, least or ones, most or ones, must, symmetries)
