"""The geometry of the hexagon tangram, all of it derived from the triangular lattice.

A vertex of the lattice is (a, b), standing for a (1, 0) + b (1/2, sqrt(3)/2); a triangle is the set of its
three vertices. The board of side n is the hexagon around (0, 0) whose corners are n steps away. Pieces are
the trapezoid, three triangles in a row, and all shapes that two trapezoids make. Light: no numpy.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cache, cached_property

import attrs

from epcg_core.plugin import EpcgError

Vertex = tuple[int, int]
Triangle = frozenset[Vertex]
Shape = frozenset[Triangle]
Symmetry = Callable[[Vertex], Vertex]

TRAPEZOID = "Trapezoid"
PIECE_ORDER = (
    "Line", "Mountains", "Wrench", "Triangle", "Hook", "Snake", "Hexagon", "Elbow", "Butterfly", TRAPEZOID,
)  # fmt: skip
"""The pieces in the order in which the game's designers count them."""
COMPOUNDS = tuple(name for name in PIECE_ORDER if name != TRAPEZOID)
"""The pieces of two trapezoids."""


def is_up(triangle: Triangle) -> bool:
    """Return whether a triangle points up."""
    return sum(b for _, b in triangle) - 3 * min(b for _, b in triangle) == 1


def lattice_symmetry(turns: int, mirrored: bool) -> Symmetry:
    """Mirror at the vertical axis if `mirrored`, then turn by `turns` times 60 degrees, about (0, 0)."""

    def move(vertex: Vertex) -> Vertex:
        a, b = vertex
        if mirrored:  # the vertical axis keeps the rows, and what points up
            a = -a - b
        for _ in range(turns):
            a, b = -b, a + b
        return a, b

    return move


def is_mirrored(number: int) -> bool:
    """Return whether a symmetry turns a piece over; see SYMMETRIES."""
    return number >= 6


def swaps_up_and_down(number: int) -> bool:
    """Return whether a symmetry makes triangles that point up of those that point down; see SYMMETRIES."""
    return number % 2 == 1


SYMMETRIES = tuple(lattice_symmetry(turns, mirrored) for mirrored in (False, True) for turns in range(6))
"""The symmetries of the lattice about a vertex: six turns, then six with the mirror before."""


def moved(shape: Iterable[Triangle], symmetry: Symmetry) -> Shape:
    """Return the image of a shape."""
    return frozenset(frozenset(map(symmetry, triangle)) for triangle in shape)


def shifted(shape: Iterable[Triangle], by: Vertex) -> Shape:
    """Move a shape in parallel."""
    return frozenset(frozenset((a + by[0], b + by[1]) for a, b in triangle) for triangle in shape)


def at_origin(shape: Shape) -> Shape:
    """Move a shape in parallel so that its least coordinates are 0."""
    a = min(a for triangle in shape for a, _ in triangle)
    b = min(b for triangle in shape for _, b in triangle)
    return shifted(shape, (-a, -b))


def neighbours(triangle: Triangle) -> list[Triangle]:
    """Return the three triangles that share an edge with a triangle."""
    found = []
    for apex in triangle:
        (a, b), (c, d) = triangle - {apex}
        found.append(frozenset([(a, b), (c, d), (a + c - apex[0], b + d - apex[1])]))
    return found


def _sorted(shape: Iterable[Triangle]) -> list[list[Vertex]]:
    return sorted(sorted(triangle) for triangle in shape)


def congruence_class(shape: Shape) -> Shape:
    """Return one shape for all that are congruent to it."""
    return min((at_origin(moved(shape, symmetry)) for symmetry in SYMMETRIES), key=_sorted)


@attrs.frozen(eq=False)
class Piece:
    """A kind of piece."""

    name: str
    shape: Shape

    @cached_property
    def stabilizer(self) -> tuple[int, ...]:
        """The symmetries, of SYMMETRIES and with a shift, that map the piece onto itself."""
        own = at_origin(self.shape)
        return tuple(
            number
            for number, symmetry in enumerate(SYMMETRIES)
            if at_origin(moved(self.shape, symmetry)) == own
        )

    @cached_property
    def orientations(self) -> tuple[tuple[int, Shape], ...]:
        """(the first symmetry that makes it, the shape) of each different orientation."""
        found: dict[Shape, int] = {}
        for number, symmetry in enumerate(SYMMETRIES):
            found.setdefault(at_origin(moved(self.shape, symmetry)), number)
        return tuple((number, shape) for shape, number in found.items())


def trapezoids() -> tuple[Shape, ...]:
    """Return the congruence classes of three triangles in a row: there is one."""
    first = frozenset([(0, 0), (1, 0), (0, 1)])
    found = {
        congruence_class(frozenset([first, second, third]))
        for second in neighbours(first)
        for third in (*neighbours(first), *neighbours(second))
        if third not in (first, second)
    }
    return tuple(sorted(found, key=_sorted))


def pairs_of(shape: Shape) -> tuple[Shape, ...]:
    """Return the congruence classes of two copies of a shape that share an edge and no triangle."""
    ring = {triangle for own in shape for triangle in neighbours(own)} - shape
    found = set()
    for symmetry in SYMMETRIES:
        turned = at_origin(moved(shape, symmetry))
        for target in ring:
            for triangle in turned:
                if is_up(triangle) == is_up(target):
                    by = (min(target)[0] - min(triangle)[0], min(target)[1] - min(triangle)[1])
                    other = shifted(turned, by)
                    if not other & shape:
                        found.add(congruence_class(shape | other))
    return tuple(sorted(found, key=_sorted))


@cache
def pieces() -> tuple[Piece, ...]:
    """Return all pieces in PIECE_ORDER: those that two trapezoids can make, and the trapezoid."""
    (trapezoid,) = trapezoids()
    found = {_name(shape): shape for shape in pairs_of(trapezoid)} | {TRAPEZOID: trapezoid}
    return tuple(Piece(name, found[name]) for name in PIECE_ORDER)


def piece(name: str) -> Piece:
    """Return the piece of a name."""
    return pieces()[PIECE_ORDER.index(name)]


def _name(shape: Shape) -> str:
    """Name a shape of six triangles, by its symmetries, then by its form."""
    own = Piece("", shape)
    order = len(own.stabilizer)
    if order == 12:
        return "Hexagon"
    if order == 4:
        return "Butterfly"
    extents = _extents(shape)
    if order == 2:
        if any(is_mirrored(number) for number in own.stabilizer):
            return "Elbow"
        return "Line" if extents[0] == 1 else "Snake"
    branched = any(sum(other in shape for other in neighbours(triangle)) == 3 for triangle in shape)
    small = extents == (2, 2, 3)
    return {(True, True): "Mountains", (True, False): "Triangle", (False, True): "Hook"}.get(
        (branched, small), "Wrench"
    )


def _extents(shape: Shape) -> tuple[int, ...]:
    """Return how many rows a shape takes in each of the three directions, ascending."""
    vertices = {vertex for triangle in shape for vertex in triangle}
    directions = ([a for a, _ in vertices], [b for _, b in vertices], [a + b for a, b in vertices])
    return tuple(sorted(max(values) - min(values) for values in directions))


@attrs.frozen
class Placement:
    """A piece somewhere on a board."""

    piece: int
    """Its number in PIECE_ORDER."""
    cells: tuple[int, ...]
    """The cells that it covers, ascending."""
    symmetry: int
    """The first of SYMMETRIES that turns the piece as it lies here."""


class Geometry:
    """The hexagonal board of side n: its cells, row by row from the top, and what lies where on it."""

    def __init__(self, side: int) -> None:
        if side < 1:
            raise EpcgError(f"A board needs a side of 1 or more, not {side}.")
        self.side = side

    @cached_property
    def triangles(self) -> tuple[Triangle, ...]:
        """The triangle of each cell."""
        reach = range(-self.side - 1, self.side + 1)
        found = [
            triangle
            for a in reach
            for b in reach
            for triangle in (
                frozenset([(a, b), (a + 1, b), (a, b + 1)]),
                frozenset([(a + 1, b), (a + 1, b + 1), (a, b + 1)]),
            )
            if all(max(abs(x), abs(y), abs(x + y)) <= self.side for x, y in triangle)
        ]
        return tuple(sorted(found, key=lambda t: (-max(b for _, b in t), sum(2 * a + b for a, b in t))))

    @property
    def cells(self) -> int:
        return len(self.triangles)

    @cached_property
    def number(self) -> dict[Triangle, int]:
        """The cell of each triangle."""
        return {triangle: cell for cell, triangle in enumerate(self.triangles)}

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The cells of each row, from the top."""
        tops = [max(b for _, b in triangle) for triangle in self.triangles]
        starts = [cell for cell in range(self.cells) if cell == 0 or tops[cell] != tops[cell - 1]]
        return tuple(
            range(start, stop) for start, stop in zip(starts, [*starts[1:], self.cells], strict=True)
        )

    @cached_property
    def up(self) -> frozenset[int]:
        """The cells that point up."""
        return frozenset(cell for cell, triangle in enumerate(self.triangles) if is_up(triangle))

    def _sharing(self, vertices: int) -> Iterator[tuple[int, int]]:
        for cell, one in enumerate(self.triangles):
            for other in range(cell + 1, self.cells):
                if len(one & self.triangles[other]) == vertices:
                    yield cell, other

    @cached_property
    def edge_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of cells that share an edge."""
        return tuple(self._sharing(2))

    @cached_property
    def corner_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of cells that share a vertex of the lattice but no edge."""
        return tuple(self._sharing(1))

    @cached_property
    def symmetries(self) -> tuple[tuple[int, ...], ...]:
        """The image of every cell under each of SYMMETRIES."""
        return tuple(
            tuple(self.number[frozenset(map(symmetry, triangle))] for triangle in self.triangles)
            for symmetry in SYMMETRIES
        )

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """Every placement of every piece, by piece and then by cells."""
        return tuple(
            placement for number in range(len(PIECE_ORDER)) for placement in self._placements(number)
        )

    def _placements(self, number: int) -> list[Placement]:
        found = []
        reach = range(-self.side, self.side + 1)
        for symmetry, shape in pieces()[number].orientations:
            for by in ((a, b) for a in reach for b in reach):
                cells = [self.number.get(triangle) for triangle in shifted(shape, by)]
                covered = sorted(cell for cell in cells if cell is not None)
                if len(covered) == len(cells):
                    found.append(Placement(number, tuple(covered), symmetry))
        return sorted(found, key=lambda placement: placement.cells)


@cache
def geometry(side: int) -> Geometry:
    """Return the board of a side, made once."""
    return Geometry(side)
