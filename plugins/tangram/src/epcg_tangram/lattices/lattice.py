"""The contract of a lattice: cells that meet at edges and at vertices, and the symmetries that keep it.

A cell is some whole numbers, two of a lattice in the plane, that stand for its centre, so that every symmetry
about a point is a matrix of whole numbers and every shift that keeps the lattice adds multiples of `step`.
Only a lattice looks into a cell. What draws cells asks for the cells of a `Flat` lattice that show them.
Lengths are edges of a cell, the longest if they differ; x grows to the right and y upwards. Light: no numpy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from operator import add, mul, sub
from typing import ClassVar, TypeAlias

import attrs

Cell: TypeAlias = tuple[int, ...]
Vertex: TypeAlias = tuple[int, ...]
Point: TypeAlias = tuple[float, float]
Shape: TypeAlias = frozenset[Cell]
Matrix: TypeAlias = tuple[tuple[int, ...], ...]
"""Its rows: ((p, q), (r, s)) moves (a, b) to (p a + q b, r a + s b)."""


@attrs.frozen
class Family:
    """Boards of one form, by their sizes."""

    sizes: tuple[str, ...]
    """The names of the sizes, in cells along an edge: ("width", "height"), say."""
    cells: Callable[..., Iterable[Cell]]
    """Return the cells of the board of some sizes, which are given in order."""


@attrs.frozen
class Signs:
    """How drawings of a lattice are written: one character for a cell, in rows from the top.

    A drawing may begin anywhere, so `cell` and `at` are inverse up to a shift.
    """

    usual: tuple[str, ...]
    """The signs of ordinary cells, as drawings are written."""
    words: tuple[str, ...]
    """What each of these signs is: "a cell"."""
    of: Callable[[Cell], int]
    """Return which of these signs an ordinary cell has, a number of `usual`."""
    read: Mapping[str, int]
    """Every sign that stands for an ordinary cell, and its number in `usual`; -1 if it can be any cell."""
    at: Callable[[Cell], tuple[int, int]]
    """Return the (row from the top, column) of a cell, in signs."""
    cell: Callable[[int, int], Cell | None]
    """Return the cell at a (row, column); None where none can be."""
    shifts: tuple[tuple[int, int], ...]
    """The (rows, columns) by which a drawing can be moved so that other signs mean what they say."""
    framed: bool
    """Whether drawings are written as full rectangles, with dots outside."""
    misplaced: str = ""
    """What to do about a sign where no cell can be."""
    order: str = ""
    """Why another sign belongs to a place: "they alternate"."""


class Lattice(ABC):
    """A lattice of equal cells."""

    name: ClassVar[str]
    cell_word: ClassVar[tuple[str, str]]
    """What a cell is called: ("square", "squares")."""
    kinds: ClassVar[tuple[str, ...]]
    """The classes of cells that share no edge with one of their own, by their names in game texts."""
    step: ClassVar[int]
    """Shifts that keep the lattice are multiples of this in each coordinate."""
    turns: ClassVar[int]
    """The number of symmetries about a point that turn nothing over."""
    families: ClassVar[Mapping[str, Family]]
    """Forms of boards by their names."""
    first: ClassVar[Cell]
    """A cell of class 0."""
    pointing: ClassVar[bool] = False
    """Whether the classes are named by where their cells point."""
    layered: ClassVar[bool] = False
    """Whether cells lie in layers, one upon the other; drawings show each by itself."""
    flips: ClassVar[bool] = True
    """Whether a piece may be turned over if its text does not say; of solids that makes mirror images."""

    @abstractmethod
    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells that share an edge with a cell."""

    @abstractmethod
    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        """Return the vertices of a cell; in the plane counterclockwise."""

    @abstractmethod
    def kind(self, cell: Cell) -> int:
        """Return the class of a cell, a number of `kinds`."""

    @abstractmethod
    def reading(self, cell: Cell) -> tuple[int, ...]:
        """Return the (row, place in the row) of a cell, both growing as one reads."""

    @property
    @abstractmethod
    def symmetries(self) -> tuple[Matrix, ...]:
        """The symmetries about a point: all turns, the identity first, then all turns of the mirror image."""

    @property
    @abstractmethod
    def flat(self) -> Flat:
        """The lattice in the plane on which cells are drawn, each layer by itself."""

    @abstractmethod
    def in_plane(self, cell: Cell) -> tuple[int, Cell]:
        """Return the (layer, cell of the flat lattice) of a cell; layers are counted downwards from any."""

    @abstractmethod
    def in_layer(self, layer: int, cell: Cell) -> Cell:
        """Return the cell of which `in_plane` returns this."""

    @abstractmethod
    def unfolded(self, cells: Iterable[Cell]) -> dict[Cell, Cell]:
        """Return for each cell the flat one that shows it if these are drawn, layers side by side."""

    @abstractmethod
    def share(self, shape: Shape) -> float:
        """Return a shape's share of its convex hull: 1 if it is convex."""

    @abstractmethod
    def straight_lines(
        self, pairs: Iterable[tuple[Cell, Cell]], cells: Iterable[Cell]
    ) -> list[list[tuple[Cell, Cell]]]:
        """Return the straight lines between cells, each as those of some neighbours that it parts.

        A line that goes through the middle of one of the cells is left out.
        """

    def is_mirrored(self, symmetry: int) -> bool:
        """Return whether a symmetry, by its number, turns a piece over."""
        return symmetry >= self.turns

    def image(self, cell: Cell, symmetry: int) -> Cell:
        """Return the image of a cell under a symmetry, by its number."""
        return tuple(sum(map(mul, row, cell)) for row in self.symmetries[symmetry])

    def moved(self, shape: Iterable[Cell], symmetry: int) -> Shape:
        """Return the image of cells under a symmetry, by its number."""
        return frozenset(self.image(cell, symmetry) for cell in shape)

    def corner(self, shape: Iterable[Cell]) -> Cell:
        """Return the shift from the origin to cells: their least coordinates, in whole steps."""
        return tuple(min(axis) // self.step * self.step for axis in zip(*shape, strict=True))

    def at_origin(self, shape: Iterable[Cell]) -> Shape:
        """Shift cells so that their least coordinates are as small as can be without being negative."""
        cells = tuple(shape)
        corner = self.corner(cells)
        return frozenset(difference(cell, corner) for cell in cells)

    def is_shift(self, by: Cell) -> bool:
        """Return whether a shift keeps the lattice."""
        return not any(own % self.step for own in by)


def total(cell: Cell, by: Cell) -> Cell:
    """Return a cell after a shift."""
    return tuple(map(add, cell, by))


def difference(cell: Cell, other: Cell) -> Cell:
    """Return the shift from another cell to a cell."""
    return tuple(map(sub, cell, other))


class Flat(Lattice):
    """A lattice in the plane."""

    turn: ClassVar[Matrix]
    """The least turn, counterclockwise."""
    mirror: ClassVar[Matrix]
    """The reflection at the vertical axis."""
    signs: ClassVar[Signs]

    @abstractmethod
    def place(self, vertex: Vertex) -> Point:
        """Return where a vertex lies."""

    @abstractmethod
    def letters_at(self, cell: Cell) -> tuple[int, int]:
        """Return the (line, column), from the top left, of two letters in a picture of characters."""

    @abstractmethod
    def strokes(self, one: Vertex, two: Vertex) -> Iterable[tuple[int, int, str]]:
        """Return the (line, column, character) of each stroke of an edge in a picture of characters."""

    @property
    def flat(self) -> Flat:
        return self

    def in_plane(self, cell: Cell) -> tuple[int, Cell]:
        return 0, cell

    def in_layer(self, layer: int, cell: Cell) -> Cell:
        return cell

    def unfolded(self, cells: Iterable[Cell]) -> dict[Cell, Cell]:
        return {cell: cell for cell in cells}

    @cached_property
    def symmetries(self) -> tuple[Matrix, ...]:
        turned: list[Matrix] = [((1, 0), (0, 1))]
        while len(turned) < self.turns:
            turned.append(product_of(self.turn, turned[-1]))
        return (*turned, *(product_of(own, self.mirror) for own in turned))

    def moved(self, shape: Iterable[Cell], symmetry: int) -> Shape:  # twice as fast as for all lattices
        (p, q), (r, s) = self.symmetries[symmetry]
        return frozenset((p * a + q * b, r * a + s * b) for a, b in shape)

    def share(self, shape: Shape) -> float:
        points = [self.place(vertex) for cell in shape for vertex in self.corners(cell)]
        cell = [self.place(vertex) for vertex in self.corners(next(iter(shape)))]
        return len(shape) * area(cell) / area(hull(points))

    def straight_lines(
        self, pairs: Iterable[tuple[Cell, Cell]], cells: Iterable[Cell]
    ) -> list[list[tuple[Cell, Cell]]]:
        lines: dict[_Line, list[tuple[Cell, Cell]]] = {}
        exact: dict[_Line, _Line] = {}
        for one, other in pairs:
            (x, y), (u, v) = map(self.place, {*self.corners(one)} & {*self.corners(other)})
            line = _line(v - y, x - u, x, y)
            a, b, c = (round(own, _PLACES) + 0.0 for own in line)
            lines.setdefault((a, b, c), []).append((one, other))
            exact.setdefault((a, b, c), line)
        points = [[self.place(vertex) for vertex in self.corners(cell)] for cell in cells]

        def cuts(line: _Line) -> bool:
            a, b, c = exact[line]
            sides = ([round(a * x + b * y - c, _PLACES) for x, y in cell] for cell in points)
            return any(min(own) < 0 < max(own) for own in sides)

        return [own for line, own in sorted(lines.items()) if not cuts(line)]

    def middle(self, cell: Cell) -> Point:
        """Return the centre of a cell."""
        points = [self.place(vertex) for vertex in self.corners(cell)]
        return sum(x for x, _ in points) / len(points), sum(y for _, y in points) / len(points)

    @cached_property
    def inradius(self) -> float:
        """The radius of the largest circle about a cell's centre that lies in it."""
        x, y = self.middle(self.first)
        points = [self.place(vertex) for vertex in self.corners(self.first)]
        return min(
            abs((bx - ax) * (ay - y) - (by - ay) * (ax - x)) / math.dist((ax, ay), (bx, by))
            for (ax, ay), (bx, by) in pairwise((*points, points[0]))
        )


def product_of(one: Matrix, other: Matrix) -> Matrix:
    """Return the matrix of `other`, then `one`."""
    return tuple(tuple(sum(map(mul, row, column)) for column in zip(*other, strict=True)) for row in one)


_PLACES = 6
"""Decimal places to which lines are compared."""
_Line: TypeAlias = tuple[float, float, float]
"""The points (x, y) with a x + b y = c, as (a, b, c); (a, b) has length 1."""


def _line(a: float, b: float, x: float, y: float) -> _Line:
    """Return the line of a normal of length 1 through a point; of both normals always the same."""
    if (round(a, _PLACES), round(b, _PLACES)) < (0, 0):
        a, b = -a, -b
    return a, b, a * x + b * y


def hull(points: Iterable[Point]) -> list[Point]:
    """Return the corners of the convex hull of points, counterclockwise."""
    own = sorted(set(points))
    return _half_hull(own)[:-1] + _half_hull(own[::-1])[:-1]


def _half_hull(points: Iterable[Point]) -> list[Point]:
    """Return one side of the convex hull of sorted points (Andrew's monotone chain)."""
    found: list[Point] = []
    for x, y in points:
        while len(found) > 1:
            (a, b), (c, d) = found[-2:]
            if (c - a) * (y - b) - (d - b) * (x - a) > 1e-9:
                break
            found.pop()
        found.append((x, y))
    return found


def area(polygon: Iterable[Point]) -> float:
    """Return the area within a polygon; negative if its corners are clockwise."""
    corners = list(polygon)
    return sum(a * d - b * c for (a, b), (c, d) in pairwise([*corners, corners[0]])) / 2
