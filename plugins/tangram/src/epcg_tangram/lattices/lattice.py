"""The contract of a lattice: cells that meet at edges and at vertices, and the symmetries that keep it.

A cell is two whole numbers that stand for its centre, so that every symmetry about a point is a matrix of
whole numbers and every shift that keeps the lattice adds multiples of `step`. Lengths are edges of a cell,
the longest if they differ; x grows to the right and y upwards. Light: no numpy.
"""

from __future__ import annotations

import math
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Mapping
from functools import cached_property
from itertools import pairwise
from typing import ClassVar, TypeAlias

import attrs

Cell: TypeAlias = tuple[int, int]
Vertex: TypeAlias = tuple[int, int]
Point: TypeAlias = tuple[float, float]
Shape: TypeAlias = frozenset[Cell]
Matrix: TypeAlias = tuple[int, int, int, int]
"""(p, q, r, s) moves (a, b) to (p a + q b, r a + s b)."""


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
    """Shifts that keep the lattice are multiples of this in both coordinates."""
    turn: ClassVar[Matrix]
    """The least turn, counterclockwise."""
    turns: ClassVar[int]
    """The number of turns that make a whole one."""
    mirror: ClassVar[Matrix]
    """The reflection at the vertical axis."""
    families: ClassVar[Mapping[str, Family]]
    """Forms of boards by their names."""
    signs: ClassVar[Signs]
    first: ClassVar[Cell]
    """A cell of class 0."""
    pointing: ClassVar[bool] = False
    """Whether the classes are named by where their cells point."""

    @abstractmethod
    def neighbours(self, cell: Cell) -> tuple[Cell, ...]:
        """Return the cells that share an edge with a cell."""

    @abstractmethod
    def corners(self, cell: Cell) -> tuple[Vertex, ...]:
        """Return the vertices of a cell, counterclockwise."""

    @abstractmethod
    def place(self, vertex: Vertex) -> Point:
        """Return where a vertex lies."""

    @abstractmethod
    def kind(self, cell: Cell) -> int:
        """Return the class of a cell, a number of `kinds`."""

    @abstractmethod
    def reading(self, cell: Cell) -> tuple[int, int]:
        """Return the (row, place in the row) of a cell, both growing as one reads."""

    @abstractmethod
    def letters_at(self, cell: Cell) -> tuple[int, int]:
        """Return the (line, column), from the top left, of two letters in a picture of characters."""

    @abstractmethod
    def strokes(self, one: Vertex, two: Vertex) -> Iterable[tuple[int, int, str]]:
        """Return the (line, column, character) of each stroke of an edge in a picture of characters."""

    @cached_property
    def symmetries(self) -> tuple[Matrix, ...]:
        """The symmetries about a point: all turns, then all turns of the mirror image."""
        turned: list[Matrix] = [(1, 0, 0, 1)]
        while len(turned) < self.turns:
            turned.append(_product(self.turn, turned[-1]))
        return (*turned, *(_product(own, self.mirror) for own in turned))

    def is_mirrored(self, symmetry: int) -> bool:
        """Return whether a symmetry, by its number, turns a piece over."""
        return symmetry >= self.turns

    def moved(self, shape: Iterable[Cell], symmetry: int) -> Shape:
        """Return the image of cells under a symmetry, by its number."""
        p, q, r, s = self.symmetries[symmetry]
        return frozenset((p * a + q * b, r * a + s * b) for a, b in shape)

    def at_origin(self, shape: Iterable[Cell]) -> Shape:
        """Shift cells so that their least coordinates are as small as can be without being negative."""
        cells = tuple(shape)
        a = min(a for a, _ in cells) // self.step * self.step
        b = min(b for _, b in cells) // self.step * self.step
        return frozenset((x - a, y - b) for x, y in cells)

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


def _product(one: Matrix, other: Matrix) -> Matrix:
    """Return the matrix of `other`, then `one`."""
    a, b, c, d = one
    e, f, g, h = other
    return a * e + b * g, a * f + b * h, c * e + d * g, c * f + d * h
