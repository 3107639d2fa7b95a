"""The grid of a panel: how its cells, vertices and edges are numbered, and what touches what.

x runs to the right, y up. Cell (x, y) is y * W + x; vertex (x, y) is y * (W + 1) + x. Edges: horizontal ones
(x, y)-(x + 1, y) are y * W + x, then vertical ones (x, y)-(x, y + 1) are W (H + 1) + x * H + y. A *location*
is an edge by its number, or a vertex v as `edges` + v: 3WH + 2W + 2H + 1 in all.

A pillar is a panel wrapped round a cylinder: its right border is its left one, so it has W vertices in a row
instead of W + 1, and its horizontal edge (W - 1, y) ends at (0, y).

A *point* of a path is a vertex by its number, or the middle of an edge e as `vertices` + e. A path is the
tuple of its vertices, with the middle in which it begins or ends. Round a pillar of two cells two edges join
the same vertices: a step over the second one, across the border, has its middle in the path, too.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import pairwise

import attrs

from epcg_core.plugin import CandidateError

LARGEST_SIDE = 7
"""Cells: then the vertices of the largest panel are the 64 bits of a word."""
LARGEST_PILLAR = 8
"""Cells around a pillar: it has as many vertices in a row, so again they are the bits of a word."""
SMALLEST_PILLAR = 2
"""Cells around a pillar: with one, edges would join vertices to themselves."""

UP, RIGHT, DOWN, LEFT = range(4)
STEPS = ((0, 1), (1, 0), (0, -1), (-1, 0))
"""(dx, dy) of the directions up, right, down, left."""
LETTERS = "URDL"


class PanelError(CandidateError):
    """A panel, or a string that should describe one, is malformed or not supported."""


@attrs.frozen
class Grid:
    """The grid of a panel of width x height cells."""

    width: int
    height: int
    pillar: bool = False
    """Whether the left and the right border are the same line."""

    def __attrs_post_init__(self) -> None:
        for name, size in (("width", self.width), ("height", self.height)):
            if name == "width" and self.pillar:
                continue
            if type(size) is not int or not 1 <= size <= LARGEST_SIDE:
                raise PanelError(
                    f"A panel has 1 to {LARGEST_SIDE} cells in width and in height; {name} = {size!r} is "
                    "not possible."
                )
        around = type(self.width) is int and SMALLEST_PILLAR <= self.width <= LARGEST_PILLAR
        if self.pillar and not around:
            raise PanelError(
                f"A pillar has {SMALLEST_PILLAR} to {LARGEST_PILLAR} cells around; width = {self.width!r} is "
                "not possible."
            )

    @property
    def columns(self) -> int:
        """The vertices in a row."""
        return self.width if self.pillar else self.width + 1

    @property
    def cells(self) -> int:
        return self.width * self.height

    @property
    def vertices(self) -> int:
        return self.columns * (self.height + 1)

    @property
    def horizontal_edges(self) -> int:
        return self.width * (self.height + 1)

    @property
    def edges(self) -> int:
        return self.horizontal_edges + self.height * self.columns

    @property
    def locations(self) -> int:
        """Edges and vertices together."""
        return self.edges + self.vertices

    def cell(self, x: int, y: int) -> int:
        self._check("cell", x, y, self.width, self.height)
        return y * self.width + x

    def vertex(self, x: int, y: int) -> int:
        self._check("vertex", x, y, self.columns, self.height + 1)
        return y * self.columns + x

    def horizontal_edge(self, x: int, y: int) -> int:
        """Return the edge (x, y)-(x + 1, y)."""
        self._check("horizontal edge", x, y, self.width, self.height + 1)
        return y * self.width + x

    def vertical_edge(self, x: int, y: int) -> int:
        """Return the edge (x, y)-(x, y + 1)."""
        self._check("vertical edge", x, y, self.columns, self.height)
        return self.horizontal_edges + x * self.height + y

    def vertex_location(self, vertex: int) -> int:
        return self.edges + vertex

    def _check(self, what: str, x: int, y: int, columns: int, rows: int) -> None:
        if not (0 <= x < columns and 0 <= y < rows):
            raise PanelError(
                f"There is no {what} ({x}, {y}) on a panel of {self.width} by {self.height}: x is 0 to "
                f"{columns - 1} and y is 0 to {rows - 1}."
            )

    def cell_at(self, cell: int) -> tuple[int, int]:
        """Return the (x, y) of a cell."""
        return cell % self.width, cell // self.width

    def vertex_at(self, vertex: int) -> tuple[int, int]:
        """Return the (x, y) of a vertex."""
        return vertex % self.columns, vertex // self.columns

    def cell_in_words(self, cell: int) -> str:
        """Write the place of a cell for messages, counted from 1 at the top left."""
        x, y = self.cell_at(cell)
        return f"column {x + 1}, row {self.height - y}"

    def vertex_in_words(self, vertex: int) -> str:
        """Write the place of a vertex for messages, counted from 1 at the top left."""
        x, y = self.vertex_at(vertex)
        return f"column {x + 1}, row {self.height + 1 - y}"

    def edge_in_words(self, edge: int) -> str:
        """Write the two vertices of an edge for messages, counted from 1 at the top left."""
        one, other = self.edge_ends(edge)
        return f"from {self.vertex_in_words(one)} to {self.vertex_in_words(other)}"

    def is_horizontal(self, edge: int) -> bool:
        return edge < self.horizontal_edges

    def edge_at(self, edge: int) -> tuple[int, int]:
        """Return the (x, y) of the left or lower end of an edge."""
        if edge < self.horizontal_edges:
            return edge % self.width, edge // self.width
        return divmod(edge - self.horizontal_edges, self.height)

    def edge_ends(self, edge: int) -> tuple[int, int]:
        """Return the two vertices of an edge: left and right, or lower and upper."""
        x, y = self.edge_at(edge)
        first = y * self.columns + x
        if edge >= self.horizontal_edges:
            return first, first + self.columns
        return first, first + 1 if x + 1 < self.columns else y * self.columns

    def edge_cells(self, edge: int) -> tuple[int | None, int | None]:
        """Return the cells beside an edge, None outside the panel: below and above, or left and right."""
        x, y = self.edge_at(edge)
        if edge < self.horizontal_edges:
            return (
                self.cell(x, y - 1) if y > 0 else None,
                self.cell(x, y) if y < self.height else None,
            )
        if self.pillar:
            return self.cell((x - 1) % self.width, y), self.cell(x, y)
        return self.cell(x - 1, y) if x > 0 else None, self.cell(x, y) if x < self.width else None

    def cell_edges(self, cell: int) -> tuple[int, int, int, int]:
        """Return the edges around a cell: below, above, left, right."""
        x, y = self.cell_at(cell)
        return (
            self.horizontal_edge(x, y),
            self.horizontal_edge(x, y + 1),
            self.vertical_edge(x, y),
            self.vertical_edge((x + 1) % self.columns, y),
        )

    @cached_property
    def neighbours(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The pairs (neighbouring vertex, edge to it) of each vertex, in the order up, right, down, left."""
        found = []
        for vertex in range(self.vertices):
            x, y = self.vertex_at(vertex)
            around = []
            if y < self.height:
                around.append((vertex + self.columns, self.vertical_edge(x, y)))
            if self.pillar or x < self.width:
                right = self.horizontal_edge(x, y)
                around.append((self.edge_ends(right)[1], right))
            if y > 0:
                around.append((vertex - self.columns, self.vertical_edge(x, y - 1)))
            if self.pillar or x > 0:
                left = self.horizontal_edge((x - 1) % self.width, y)
                around.append((self.edge_ends(left)[0], left))
            found.append(tuple(around))
        return tuple(found)

    @cached_property
    def _edge_to(self) -> tuple[dict[int, int], ...]:
        """The edges of each vertex by its neighbours; of two to one neighbour the one inside the panel."""
        return tuple(
            {other: edge for other, edge in around if not self._is_second(edge)} for around in self.neighbours
        )

    def _is_second(self, edge: int) -> bool:
        """Return whether an edge joins the same vertices as another one, across the border of a pillar."""
        return self.pillar and self.width == 2 and self.is_horizontal(edge) and self.edge_at(edge)[0] == 1

    def step(self, path: tuple[int, ...], vertex: int, edge: int) -> tuple[int, ...]:
        """Return the path with a step more, over an edge to a vertex."""
        if self._is_second(edge):
            return (*path, self.vertices + edge, vertex)
        return (*path, vertex)

    def edges_across(self, edge: int, vertex: int) -> list[int]:
        """Return the edges at one end of an edge that meet it at a right angle: one or two."""
        across = not self.is_horizontal(edge)
        return [other for _, other in self.neighbours[vertex] if self.is_horizontal(other) == across]

    @cached_property
    def vertex_cells(self) -> tuple[frozenset[int], ...]:
        """The cells around each vertex."""
        return tuple(
            frozenset(
                cell for _, edge in self.neighbours[v] for cell in self.edge_cells(edge) if cell is not None
            )
            for v in range(self.vertices)
        )

    @cached_property
    def cell_neighbours(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """The pairs (neighbouring cell, edge between them) of each cell."""
        found: list[list[tuple[int, int]]] = [[] for _ in range(self.cells)]
        for edge in range(self.edges):
            one, other = self.edge_cells(edge)
            if one is not None and other is not None:
                found[one].append((other, edge))
                found[other].append((one, edge))
        return tuple(map(tuple, found))

    def on_border(self, vertex: int) -> bool:
        x, y = self.vertex_at(vertex)
        return y in (0, self.height) or (not self.pillar and x in (0, self.width))

    def path_edges(self, path: Sequence[int]) -> list[int]:
        """Return the edges of a path, which is given by its points."""
        middles = self.vertices
        found: list[int] = []
        for a, b in pairwise(path):
            edge = a - middles if a >= middles else b - middles if b >= middles else self._edge_to[a][b]
            if not found or found[-1] != edge:
                found.append(edge)
        return found

    def point_at(self, point: int) -> tuple[int, int]:
        """Return twice the (x, y) of a point."""
        if point < self.vertices:
            x, y = self.vertex_at(point)
            return 2 * x, 2 * y
        x, y = self.edge_at(point - self.vertices)
        across = self.is_horizontal(point - self.vertices)
        return 2 * x + across, 2 * y + (not across)

    def point_in_words(self, point: int) -> str:
        """Write the place of a point for messages, counted from 1 at the top left."""
        if point < self.vertices:
            return self.vertex_in_words(point)
        return f"the middle of the edge {self.edge_in_words(point - self.vertices)}"

    def path_letters(self, path: Sequence[int]) -> str:
        """Write the moves of a path as letters: U, R, D, L."""
        found = []
        for i, (one, other) in enumerate(pairwise(path)):
            if i > 0 and one >= self.vertices:
                continue  # the second half of a step
            (x, y), (u, v) = self.point_at(one), self.point_at(other)
            if y == v:
                right = (u - x) % (2 * self.width) <= 2 if self.pillar and abs(u - x) != 2 else u > x
                found.append("R" if right else "L")
            else:
                found.append("U" if v > y else "D")
        return "".join(found)

    def parse_path(self, start: int, letters: str) -> tuple[int, ...]:
        """Read the vertices of a path from its letters. Raises PanelError for a wrong letter or step."""
        x, y = self.vertex_at(start)
        path = [start]
        for letter in letters:
            if letter not in LETTERS:
                raise PanelError(f"'{letter}' is not a move of a path: write U, R, D and L.")
            dx, dy = STEPS[LETTERS.index(letter)]
            if self.pillar and dx:
                left = x if dx > 0 else (x - 1) % self.width
                x = (x + dx) % self.width
                path = [*self.step(tuple(path), self.vertex(x, y), self.horizontal_edge(left, y))]
                continue
            x, y = x + dx, y + dy
            path.append(self.vertex(x, y))
        return tuple(path)


@lru_cache(maxsize=2 * LARGEST_PILLAR**2)
def grid_of(width: int, height: int, pillar: bool = False) -> Grid:
    """Return the grid of a size, made once. Raises PanelError for a size that is not possible."""
    return Grid(width, height, pillar)
