"""Panels: the symbols in their cells, dots and gaps on their lines, starts and ends.

Light: neither numpy nor numba is imported. Numbering of cells, vertices and edges is that of
`epcg_witness.rules.grid`.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, pairwise
from typing import Any, Literal, TypeAlias, get_args

import attrs

from epcg_core.plugin import UnknownNameError
from epcg_witness.rules.grid import Grid, PanelError, grid_of
from epcg_witness.rules.variants import DEFAULT, Variant

COLOURS = ("black", "white", "cyan", "magenta", "yellow", "red", "green", "blue", "orange")
LARGEST_PIECE = 7
"""Cells in width and in height."""
MOST_TRIANGLES = 4
"""Four only satisfies a line that begins or ends in the middle of an edge of the cell."""


class UnknownColourError(PanelError, UnknownNameError):
    """A colour that is none of `COLOURS`; the message names the nearest one."""

    def __init__(self, name: object, where: str = "") -> None:
        UnknownNameError.__init__(self, "colour", str(name), COLOURS, where)


def _checked_colour(value: str) -> str:
    if value not in COLOURS:
        raise UnknownColourError(value)
    return value


@attrs.frozen
class Square:
    """All the squares of one region share a colour."""

    colour: str = attrs.field(converter=_checked_colour)


@attrs.frozen
class Star:
    """The region of a star holds exactly two symbols of its colour, of any kind."""

    colour: str = attrs.field(converter=_checked_colour)


@attrs.frozen
class Triangles:
    """Exactly `count` of the cell's four edges are drawn."""

    count: int = attrs.field()
    colour: str = attrs.field(default="orange", converter=_checked_colour)

    @count.validator
    def _check(self, attribute: attrs.Attribute[int], value: int) -> None:
        if type(value) is not int or not 1 <= value <= MOST_TRIANGLES:
            raise PanelError(f"A cell holds 1 to {MOST_TRIANGLES} triangles, not {value!r}.")


def _normal_cells(cells: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    """Move the cells to x >= 0 and y >= 0; return them lowest first and from the left, each once."""
    found = [(int(x), int(y)) for x, y in cells]
    if not found:
        raise PanelError("A polyomino has at least one cell.")
    if len(set(found)) != len(found):
        raise PanelError(f"The polyomino {found} names a cell twice.")
    left, low = min(x for x, _ in found), min(y for _, y in found)
    moved = sorted(((x - left, y - low) for x, y in found), key=lambda c: (c[1], c[0]))
    if max(max(cell) for cell in moved) >= LARGEST_PIECE:
        raise PanelError(f"A polyomino is at most {LARGEST_PIECE} cells wide and high.")
    return tuple(moved)


@attrs.frozen
class Polyomino:
    """The pieces of a region tile it exactly.

    `free` pieces may be turned (never reflected); `negative` ones take cells away from the others.
    """

    cells: tuple[tuple[int, int], ...] = attrs.field(converter=_normal_cells)
    """(x, y), y up, moved so that the smallest x and the smallest y are 0."""
    free: bool = False
    negative: bool = False
    colour: str = attrs.field(converter=_checked_colour)

    @colour.default
    def _own_colour(self) -> str:
        return "blue" if self.negative else "yellow"

    @property
    def width(self) -> int:
        return max(x for x, _ in self.cells) + 1

    @property
    def height(self) -> int:
        return max(y for _, y in self.cells) + 1

    @property
    def area(self) -> int:
        """Cells, counted below zero for a negative piece."""
        return -len(self.cells) if self.negative else len(self.cells)

    def orientations(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """Return the different cell sets in which the piece can lie: one, or up to four for a free one."""
        turned, found = self.cells, [self.cells]
        for _ in range(3 if self.free else 0):
            turned = _normal_cells((y, -x) for x, y in turned)
            if turned not in found:
                found.append(turned)
        return tuple(found)

    def rows(self) -> str:
        """Write the piece as rows of '#' and '.', the top one first, separated by '/'."""
        return "/".join(
            "".join("#" if (x, y) in self.cells else "." for x in range(self.width))
            for y in range(self.height - 1, -1, -1)
        )

    @classmethod
    def parse(cls, rows: str, **options: Any) -> Polyomino:
        """Read the piece that `rows` shows, as `Polyomino.rows` writes it. Raises PanelError."""
        lines = rows.split("/")
        if set(rows) - set("#./") or len(set(map(len, lines))) != 1 or "#" not in rows:
            raise PanelError(
                f"'{rows}' is not a polyomino: write rows of '#' and '.', the top one first, all of the same "
                "length and separated by '/', as in '##/#.'."
            )
        top = len(lines) - 1
        return cls(
            [(x, top - y) for y, line in enumerate(lines) for x, mark in enumerate(line) if mark == "#"],
            **options,
        )


@attrs.frozen
class Eraser:
    """Removes one violated symbol of its region, and is violated itself if there is none.

    See `epcg_witness.rules.erasers`.
    """

    colour: str = attrs.field(default="white", converter=_checked_colour)


Symmetry: TypeAlias = Literal["horizontal", "vertical", "rotational", "parallel"]
"""The image of a line: left and right exchanged, above and below exchanged, or turned half around.

On a pillar the image lies, besides, half way round; 'parallel' is that alone, and for pillars only."""
SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)[:3]
PILLAR_SYMMETRIES: tuple[Symmetry, ...] = get_args(Symmetry)
CellSymbol: TypeAlias = Square | Star | Triangles | Polyomino | Eraser


def _sorted_symbols(value: Any) -> tuple[tuple[int, CellSymbol], ...]:
    pairs = value.items() if isinstance(value, Mapping) else value
    return tuple(sorted(((int(cell), symbol) for cell, symbol in pairs), key=lambda pair: pair[0]))


def _numbers(value: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted({int(number) for number in value}))


@attrs.frozen(kw_only=True)
class Panel:
    """A puzzle: one self-avoiding path from a start to an end that satisfies every symbol.

    Raises PanelError if a symbol lies outside the grid, start or end are missing, or what is on one place
    contradicts itself.
    """

    width: int
    height: int
    pillar: bool = False
    """Whether the panel is wrapped round a cylinder (see `epcg_witness.rules.grid`)."""
    symbols: tuple[tuple[int, CellSymbol], ...] = attrs.field(default=(), converter=_sorted_symbols)
    """(cell, symbol), by cell; a mapping is taken too."""
    dots: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Locations that must be on the path: edges, and vertices counted behind them."""
    gaps: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Edges that cannot be on the path."""
    starts: tuple[int, ...] = attrs.field(converter=_numbers)
    """Vertices; by default the lower left one."""
    ends: tuple[int, ...] = attrs.field(converter=_numbers)
    """Vertices; by default the upper right one."""
    symmetry: Symmetry | None = attrs.field(default=None)
    """Two lines that move together, each the other's image; None: one line."""
    missing: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Edges that are not there: cells that they open to the outside belong to no region."""
    edge_starts: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Edges in whose middle a line can begin; it draws the edge."""
    edge_ends: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Edges in whose middle a line can end."""
    first_dots: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Those of the dots that the first of two lines must cover, and the second must not."""
    second_dots: tuple[int, ...] = attrs.field(default=(), converter=_numbers)
    """Those of the dots that the second of two lines must cover, and the first must not."""
    variant: Variant = DEFAULT
    """Answers to questions that the rules leave open."""

    @starts.default
    def _lower_left(self) -> tuple[int, ...]:
        return (0,)

    @ends.default
    def _upper_right(self) -> tuple[int, ...]:
        return (grid_of(self.width, self.height, self.pillar).vertices - 1,)

    def __attrs_post_init__(self) -> None:
        grid = grid_of(self.width, self.height, self.pillar)
        _check_numbers(grid, "cell", [cell for cell, _ in self.symbols], grid.cells)
        _check_numbers(grid, "location", self.dots, grid.locations)
        _check_numbers(grid, "edge", self.gaps, grid.edges)
        for name, vertices, edges in (
            ("start", self.starts, self.edge_starts),
            ("end", self.ends, self.edge_ends),
        ):
            if not vertices and not edges:
                raise PanelError(f"The panel has no {name}; give it one or more.")
            _check_numbers(grid, f"{name} vertex", vertices, grid.vertices)
            _check_numbers(grid, f"{name} edge", edges, grid.edges)
        _check_numbers(grid, "missing edge", self.missing, grid.edges)
        if self.symmetry is not None:
            self._check_pairs()
        cells = [cell for cell, _ in self.symbols]
        for cell, following in pairwise(cells):
            if cell == following:
                raise PanelError(
                    f"The cell in {grid.cell_in_words(cell)} holds two symbols; keep one of them."
                )
        for _, symbol in self.symbols:
            if not isinstance(symbol, get_args(CellSymbol)):
                raise PanelError(f"{symbol!r} is not a symbol of a cell.")
        for edge in sorted(set(self.dots) & set(self.gaps)):
            raise PanelError(
                f"The edge {grid.edge_in_words(edge)} holds a dot and a gap; choose one of them."
            )
        for vertex in sorted(set(self.starts) & set(self.ends)):
            raise PanelError(
                f"The vertex in {grid.vertex_in_words(vertex)} is a start and an end; choose one of them."
            )
        self._check_edges(grid)
        self._check_coloured(grid)

    def _check_edges(self, grid: Grid) -> None:
        held = {
            "is missing": self.missing, "holds a gap": self.gaps, "is a start": self.edge_starts,
            "is an end": self.edge_ends, "holds a dot": self.dots,
        }  # fmt: skip
        for one, other in combinations(held, 2):
            if other == "holds a dot" and one != "is missing":  # a gap with a dot was refused before
                continue
            for edge in sorted(set(held[one]) & set(held[other])):
                raise PanelError(
                    f"The edge {grid.edge_in_words(edge)} {one} and {other}; choose one of them."
                )

    def _check_coloured(self, grid: Grid) -> None:
        for location in sorted({*self.first_dots, *self.second_dots} - {*self.dots}):
            raise PanelError(
                f"The location {location} holds a dot for one line, and is not among the dots: add it."
            )
        for location in sorted(set(self.first_dots) & set(self.second_dots)):
            raise PanelError(
                f"The dot at location {location} is for the first and for the second line; choose one."
            )

    def _check_pairs(self) -> None:
        if self.symmetry not in PILLAR_SYMMETRIES:
            raise PanelError(f"{self.symmetry!r} is not a symmetry; there are {', '.join(SYMMETRIES)}.")
        if self.pillar and self.width % 2:
            raise PanelError(
                f"A pillar of {self.width} cells around cannot have symmetry: half way round lies no vertex."
            )
        if self.symmetry == "parallel" and not self.pillar:
            raise PanelError("Only a pillar has parallel symmetry: choose another one.")
        for name, pairs in (
            ("start", (*self.line_starts, *self.line_edge_starts)),
            ("end", (*self.line_ends, *self.line_edge_ends)),
        ):
            if not pairs:
                raise PanelError(
                    f"The panel has {self.symmetry} symmetry and no pair of {name}s: add the image of one "
                    f"{name} as another {name}."
                )

    @cached_property
    def grid(self) -> Grid:
        return grid_of(self.width, self.height, self.pillar)

    def twin_vertex(self, vertex: int) -> int:
        """Return the vertex that the other line visits when one visits `vertex`; itself without symmetry."""
        return twin_vertices(self.grid, self.symmetry)[vertex]

    def twin_edge(self, edge: int) -> int:
        """Return the edge that the other line draws when one draws `edge`; itself without symmetry."""
        return twin_edges(self.grid, self.symmetry)[edge]

    def twin_point(self, point: int) -> int:
        """Return the point of the other line; itself without symmetry."""
        middles = self.grid.vertices
        return self.twin_vertex(point) if point < middles else middles + self.twin_edge(point - middles)

    @cached_property
    def line_starts(self) -> tuple[int, ...]:
        """The starts of lines at vertices: with symmetry the lower one of each pair, or both."""
        return self._begin_pairs(self.starts, self.twin_vertex)

    @cached_property
    def line_edge_starts(self) -> tuple[int, ...]:
        """The starts of lines in edges: with symmetry the lower one of each pair, or both."""
        return self._begin_pairs(self.edge_starts, self.twin_edge)

    def _begin_pairs(self, starts: tuple[int, ...], twin: Callable[[int], int]) -> tuple[int, ...]:
        if self.symmetry is None:
            return starts
        both = self.variant.pairs == "twice"
        return tuple(s for s in starts if twin(s) in starts and (s < twin(s) or (both and s != twin(s))))

    @cached_property
    def line_ends(self) -> tuple[int, ...]:
        """The ends of lines at vertices: with symmetry those whose twin is an end too."""
        if self.symmetry is None:
            return self.ends
        return tuple(v for v in self.ends if v != self.twin_vertex(v) and self.twin_vertex(v) in self.ends)

    @cached_property
    def line_edge_ends(self) -> tuple[int, ...]:
        """The ends of lines in edges: with symmetry those whose twin is an end too."""
        if self.symmetry is None:
            return self.edge_ends
        return tuple(
            e for e in self.edge_ends if e != self.twin_edge(e) and self.twin_edge(e) in self.edge_ends
        )

    def line_vertices(self, start: int) -> tuple[int, ...]:
        """Return the vertices that a line from the vertex `start`, or past it, can visit.

        Lines do not touch: neither visits a vertex on the axis, or the centre, and mirrored lines stay on
        their sides. The first line, which this one is, avoids the dots of the second.
        """
        twin = twin_vertices(self.grid, self.symmetry)
        forbidden = self._others_dots
        allowed = [
            v for v in range(self.grid.vertices)
            if (self.symmetry is None or twin[v] != v) and self.grid.vertex_location(v) not in forbidden
        ]  # fmt: skip
        if self.pillar or self.symmetry not in ("horizontal", "vertical"):
            return tuple(allowed)
        axis = 0 if self.symmetry == "horizontal" else 1
        return tuple(v for v in allowed if self._low(v, axis) == self._low(start, axis))

    @cached_property
    def _others_dots(self) -> frozenset[int]:
        """The locations that the first line must not cover: dots of the second, images of its own."""
        if self.symmetry is None:
            return frozenset()
        edges = self.grid.edges
        own = (
            self.twin_edge(dot) if dot < edges else edges + self.twin_vertex(dot - edges)
            for dot in self.first_dots
        )
        return frozenset((*self.second_dots, *own))

    @cached_property
    def closed_edges(self) -> frozenset[int]:
        """The edges that the first line cannot draw: gaps, missing ones, their images, dots of the other."""
        never = {*self.gaps, *self.missing}
        if self.symmetry is None:
            return frozenset(never)
        return frozenset(
            {
                *never,
                *map(self.twin_edge, never),
                *(dot for dot in self._others_dots if dot < self.grid.edges),
            }
        )

    @cached_property
    def absent(self) -> frozenset[int]:
        """The edges that are not there: missing ones, by the panel's variant gaps, too."""
        return frozenset((*self.missing, *(self.gaps if self.variant.gaps == "missing" else ())))

    @cached_property
    def undrawable(self) -> frozenset[int]:
        """The edges that are not there for the first line: absent ones and their images."""
        return frozenset((*self.absent, *map(self.twin_edge, self.absent)))

    def twin_path(self, path: Sequence[int]) -> tuple[int, ...]:
        """Return the points of the other line; itself without symmetry."""
        grid = self.grid
        found: tuple[int, ...] = ()
        visited = [point for point in path if point < grid.vertices]
        middle = path[0] >= grid.vertices
        if middle:
            found = (self.twin_point(path[0]),)
        edges = grid.path_edges(path)[middle:]
        for place, vertex in enumerate(visited):
            twin = self.twin_vertex(vertex)
            found = grid.step(found, twin, self.twin_edge(edges[place - 1])) if place else (*found, twin)
        ended = len(path) > 1 and path[-1] >= grid.vertices
        return (*found, self.twin_point(path[-1])) if ended else found

    @cached_property
    def outside(self) -> frozenset[int]:
        """The cells that belong to no region: absent edges lead from them out of the panel."""
        grid = self.grid
        front = [
            cell for edge in self.absent if None in grid.edge_cells(edge)
            for cell in grid.edge_cells(edge) if cell is not None
        ]  # fmt: skip
        found = set(front)
        while front:
            for neighbour, edge in grid.cell_neighbours[front.pop()]:
                if edge in self.absent and neighbour not in found:
                    found.add(neighbour)
                    front.append(neighbour)
        return frozenset(found)

    @cached_property
    def departure(self) -> str:
        """The difference of the panel from flat ones under the default rules; '' if there is none."""
        variant = f"the variant '{self.variant.words()}'" if self.variant != DEFAULT else ""
        named = {
            "a pillar's grid": self.pillar, "missing edges": self.missing,
            "starts in edges": self.edge_starts, "ends in edges": self.edge_ends,
            "dots of one line": self.first_dots or self.second_dots,
            variant: variant, "four triangles in a cell": any(
                isinstance(symbol, Triangles) and symbol.count > 3 for _, symbol in self.symbols
            ),
        }  # fmt: skip
        return next((name for name, present in named.items() if present), "")

    def _low(self, vertex: int, axis: int) -> bool:
        """Return whether a vertex lies on the left of the middle (axis 0), or below it (axis 1)."""
        return 2 * self.grid.vertex_at(vertex)[axis] < (self.width, self.height)[axis]

    @cached_property
    def symbol_at(self) -> Mapping[int, CellSymbol]:
        """The symbols by their cells."""
        return dict(self.symbols)

    @cached_property
    def has_erasers(self) -> bool:
        """Whether a cell holds an eraser."""
        return any(isinstance(symbol, Eraser) for _, symbol in self.symbols)

    @cached_property
    def edge_dots(self) -> tuple[int, ...]:
        """Edges that must be on the path."""
        return tuple(dot for dot in self.dots if dot < self.grid.edges)

    @cached_property
    def vertex_dots(self) -> tuple[int, ...]:
        """Vertices that must be on the path."""
        return tuple(dot - self.grid.edges for dot in self.dots if dot >= self.grid.edges)


@lru_cache(maxsize=256)
def twin_vertices(grid: Grid, symmetry: Symmetry | None) -> tuple[int, ...]:
    """Return the image of each vertex."""
    images = (_image(grid, symmetry, *grid.point_at(vertex)) for vertex in range(grid.vertices))
    return tuple(grid.vertex(x // 2, y // 2) for x, y in images)


def _image(grid: Grid, symmetry: Symmetry | None, x: int, y: int) -> tuple[int, int]:
    """Return the image of a point, given and returned as twice its coordinates."""
    if symmetry is None:
        return x, y
    around, top = 2 * grid.width, 2 * grid.height
    if symmetry in ("horizontal", "rotational"):
        x = around - x
    if grid.pillar:
        x = (x + grid.width) % around
    return x, top - y if symmetry in ("vertical", "rotational") else y


@lru_cache(maxsize=256)
def twin_edges(grid: Grid, symmetry: Symmetry | None) -> tuple[int, ...]:
    """Return the image of each edge."""
    middles = [grid.point_at(grid.vertices + edge) for edge in range(grid.edges)]
    at = {middle: edge for edge, middle in enumerate(middles)}
    return tuple(at[_image(grid, symmetry, *middle)] for middle in middles)


def _check_numbers(grid: Grid, what: str, numbers: Iterable[int], count: int) -> None:
    for number in numbers:
        if not 0 <= number < count:
            raise PanelError(
                f"There is no {what} {number} on a panel of {grid.width} by {grid.height}: they are "
                f"numbered 0 to {count - 1}."
            )
