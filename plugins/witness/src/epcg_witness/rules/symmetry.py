"""Symmetries of sets of panels: mirrors and turns that keep the base and its start, and exchanges of colours.

The lines that solve a panel's image are the images of those that solve it. A turn that exchanges start and
end is not one of them, because a player begins at the start.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from itertools import permutations, product
from typing import TypeAlias

import attrs

from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Panel, Polyomino, Symmetry
from epcg_witness.rules.spaces import LineSymbol, PanelSpace, SiteSymbol, symbol_departure

MOST_COLOURS = 5
"""Colours whose exchanges are tried, 120 of them; more are not exchanged."""
GRID, COLOURS = "mirror", "colours"
NAMES = (GRID, COLOURS)

Point: TypeAlias = tuple[int, int]
Kind: TypeAlias = tuple[frozenset[int], int, frozenset[SiteSymbol | None]]
"""The placements of a group: its sites, how many, and the symbols."""


@attrs.frozen
class Reflection:
    """A map of the grid to itself: flips of x and of y, then an exchange of both."""

    grid: Grid
    flip_x: bool
    flip_y: bool
    swap: bool

    def vertex(self, vertex: int) -> int:
        """Return the image of a vertex."""
        return self.grid.vertex(*self._image(self.grid.vertex_at(vertex), 0))

    def site(self, site: int) -> int:
        """Return the image of a cell, or of an edge or vertex counted behind the cells."""
        grid = self.grid
        if site < grid.cells:
            return grid.cell(*self._image(grid.cell_at(site), 1))
        if site >= grid.cells + grid.edges:
            return grid.cells + grid.edges + self.vertex(site - grid.cells - grid.edges)
        x, y = self._middle(*grid.point_at(grid.vertices + site - grid.cells))
        return grid.cells + (grid.horizontal_edge if x % 2 else grid.vertical_edge)(x // 2, y // 2)

    def symbol(self, symbol: SiteSymbol) -> SiteSymbol:
        """Return the image of a symbol: only polyominoes have directions."""
        if not isinstance(symbol, Polyomino):
            return symbol
        cells = [(-x if self.flip_x else x, -y if self.flip_y else y) for x, y in symbol.cells]
        return attrs.evolve(symbol, cells=[(y, x) for x, y in cells] if self.swap else cells)

    def symmetry(self, symmetry: Symmetry | None) -> Symmetry | None:
        """Return the image of a symmetry of two lines."""
        turned: Mapping[Symmetry, Symmetry] = {"horizontal": "vertical", "vertical": "horizontal"}
        return symmetry if symmetry is None or not self.swap else turned.get(symmetry, symmetry)

    def _middle(self, x: int, y: int) -> Point:
        """Return the image of the middle of an edge, given and returned as twice its coordinates."""
        x = 2 * self.grid.width - x if self.flip_x else x
        y = 2 * self.grid.height - y if self.flip_y else y
        return (y, x) if self.swap else (x, y)

    def _image(self, point: Point, less: int) -> Point:
        x, y = point
        x = self.grid.width - less - x if self.flip_x else x
        y = self.grid.height - less - y if self.flip_y else y
        return (y, x) if self.swap else (x, y)


@attrs.frozen
class PanelSymmetry:
    """A reflection together with an exchange of colours."""

    reflection: Reflection
    colours: Mapping[str, str]

    def entry(self, site: int, symbol: SiteSymbol) -> tuple[int, SiteSymbol]:
        """Return the image of a symbol on a site."""
        return self.reflection.site(site), self.symbol(symbol)

    def symbol(self, symbol: SiteSymbol) -> SiteSymbol:
        """Return the image of a symbol."""
        image = self.reflection.symbol(symbol)
        if isinstance(image, LineSymbol):
            return image
        return attrs.evolve(image, colour=self.colours.get(image.colour, image.colour))

    def keeps(self, space: PanelSpace, groups: Sequence[Kind]) -> bool:
        """Return whether the image of a space, given by its base and its groups, is the same space."""
        base = space.base
        place = self.reflection
        if {*map(place.vertex, base.starts)} != {*base.starts} or (
            {*map(place.vertex, base.ends)} != {*base.ends} or place.symmetry(base.symmetry) != base.symmetry
        ):
            return False
        if {self.entry(*entry) for entry in space.base_entries} != {*space.base_entries}:
            return False
        images = [
            (
                frozenset(map(place.site, sites)),
                count,
                frozenset(None if symbol is None else self.symbol(symbol) for symbol in symbols),
            )
            for sites, count, symbols in groups
        ]
        return all(images.count(group) == groups.count(group) for group in groups)


def symmetries(
    space: PanelSpace, groups: Sequence[Kind], names: Sequence[str] = NAMES
) -> tuple[PanelSymmetry, ...]:
    """Return the symmetries of a space of panels, the identity first; of some `NAMES` only, if given."""
    grid = space.base.grid
    # Panels that depart from the default rules have no mirror images here: pillars turn, and of two lines
    # the first begins at the lower start.
    departs = space.base.departure or any(map(symbol_departure, space.all_symbols))
    mirrored = GRID in names and not departs
    reflections = list(_reflections(grid)) if mirrored else [Reflection(grid, False, False, False)]
    exchanges = list(_exchanges(space)) if COLOURS in names else [{}]
    possible = (PanelSymmetry(*pair) for pair in product(reflections, exchanges))
    return tuple(symmetry for symmetry in possible if symmetry.keeps(space, groups))


def _reflections(grid: Grid) -> Iterator[Reflection]:
    """Yield all maps of a grid to itself, the identity first: 4, or 8 of a square."""
    for swap in (False, True) if grid.width == grid.height else (False,):
        for flip_x, flip_y in product((False, True), repeat=2):
            yield Reflection(grid, flip_x, flip_y, swap)


def _exchanges(space: PanelSpace) -> Iterator[dict[str, str]]:
    """Yield the exchanges of the colours of a space, the identity first."""
    colours = sorted({s.colour for s in space.all_symbols if not isinstance(s, LineSymbol)})
    images = permutations(colours) if len(colours) <= MOST_COLOURS else iter([colours])
    yield from (dict(zip(colours, image, strict=True)) for image in images)


def image_of(symmetry: PanelSymmetry, space: PanelSpace, panel: Panel) -> Panel:
    """Return the image of a panel of a space. Raises RankError if it is not one of the space."""
    return space.panel(symmetry.entry(*entry) for entry in space.entries(panel))
