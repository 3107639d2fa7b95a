"""Boards of squares: cells with marks, walls without, holes, and the places where clues and marks stand."""

from __future__ import annotations

from functools import cached_property
from typing import Final

import attrs

CELL: Final = 0
WALL: Final = 1
HOLE: Final = 2
PLACES: Final = ("cells", "walls", "borders", "lines", "sides", "regions", "stretches")
"""Where a clue may stand; a place is a number, see `Board`."""

Pair = tuple[int, int]


@attrs.frozen
class Site:
    """Where a mark stands: layer "cells" (the square), "edges", "links" or "borders" (numbers of `Board`)."""

    layer: str
    place: int


@attrs.frozen(slots=False, cache_hash=True)
class Board:
    """A rectangle of squares, numbered row by row from 0.

    Places of clues: on "cells" and "walls" the number of the square; on "borders" the number in `borders`; on
    "lines" the rows from above, then the columns from the left; on "sides" the columns seen from the top,
    then from the bottom, then the rows seen from the left, then from the right; on "regions" the number of
    the region; on "stretches" the number in `stretches`.

    Args:
        width: the number of columns.
        height: the number of rows.
        kinds: for each square CELL, WALL (on the board, but without a mark; it stops sight, stretches, groups
            and neighbourhood) or HOLE (not on the board; it stops the same).
        regions: the cells of each region in their order (from the bulb on, where a region is a path).
        names: the name of each region in the text.
    """

    width: int
    height: int
    kinds: bytes
    regions: tuple[tuple[int, ...], ...] = ()
    names: tuple[str, ...] = ()

    @cached_property
    def cells(self) -> tuple[int, ...]:
        """The squares that have a mark."""
        return tuple(square for square, kind in enumerate(self.kinds) if kind == CELL)

    @cached_property
    def walls(self) -> tuple[int, ...]:
        """The squares of the board that have no mark."""
        return tuple(square for square, kind in enumerate(self.kinds) if kind == WALL)

    def at(self, x: int, y: int) -> int:
        """Return the square in column x and row y, or -1 outside the rectangle."""
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else -1

    def is_cell(self, square: int) -> bool:
        """Return whether the square has a mark (-1 has none)."""
        return square >= 0 and self.kinds[square] == CELL

    def step(self, square: int, dx: int, dy: int) -> int:
        """Return the square that is some columns and rows away, or -1 outside the rectangle."""
        y, x = divmod(square, self.width)
        return self.at(x + dx, y + dy)

    @cached_property
    def borders(self) -> tuple[Pair, ...]:
        """The pairs of cells that share a side, by their first cell: to the right, then below.

        They are the sites of links and of borders between pieces, too.
        """
        pairs = []
        for cell in self.cells:
            for dx, dy in ((1, 0), (0, 1)):
                other = self.step(cell, dx, dy)
                if self.is_cell(other):
                    pairs.append((cell, other))
        return tuple(pairs)

    @cached_property
    def edges(self) -> tuple[Pair, ...]:
        """The sides of cells as pairs of vertices, each once: level ones from above, then upright ones.

        The vertex at the upper left of square (x, y) is y * (width + 1) + x.
        """
        across = self.width + 1
        level = [
            (y * across + x, y * across + x + 1)
            for y in range(self.height + 1)
            for x in range(self.width)
            if self.is_cell(self.at(x, y)) or self.is_cell(self.at(x, y - 1))
        ]
        upright = [
            (y * across + x, (y + 1) * across + x)
            for y in range(self.height)
            for x in range(self.width + 1)
            if self.is_cell(self.at(x, y)) or self.is_cell(self.at(x - 1, y))
        ]
        return (*level, *upright)

    @cached_property
    def edges_of(self) -> dict[int, tuple[int, ...]]:
        """The numbers of the edges of each cell: above, below, left, right."""
        number = {pair: index for index, pair in enumerate(self.edges)}
        across = self.width + 1
        found: dict[int, tuple[int, ...]] = {}
        for cell in self.cells:
            y, x = divmod(cell, self.width)
            corner = y * across + x
            found[cell] = (
                number[corner, corner + 1],
                number[corner + across, corner + across + 1],
                number[corner, corner + across],
                number[corner + 1, corner + across + 1],
            )
        return found

    @cached_property
    def links_of(self) -> dict[int, tuple[int, ...]]:
        """The numbers in `borders` of the pairs that each cell belongs to."""
        found: dict[int, list[int]] = {cell: [] for cell in self.cells}
        for index, pair in enumerate(self.borders):
            for cell in pair:
                found[cell].append(index)
        return {cell: tuple(links) for cell, links in found.items()}

    @cached_property
    def lines(self) -> tuple[tuple[int, ...], ...]:
        """The cells of the rows from above, then of the columns from the left."""
        rows = [range(y * self.width, (y + 1) * self.width) for y in range(self.height)]
        columns = [range(x, self.width * self.height, self.width) for x in range(self.width)]
        return tuple(tuple(filter(self.is_cell, line)) for line in (*rows, *columns))

    @cached_property
    def sides(self) -> tuple[tuple[int, ...], ...]:
        """The cells of the lines as they are seen from the top, the bottom, the left and the right."""
        rows, columns = self.lines[: self.height], self.lines[self.height :]
        back = [[line[::-1] for line in lines] for lines in (columns, rows)]
        return (*columns, *back[0], *rows, *back[1])

    @cached_property
    def stretches(self) -> tuple[tuple[int, ...], ...]:
        """The largest lists of cells in a line without a wall or a hole: rows first."""
        found: list[tuple[int, ...]] = []
        for line, step in zip(self.lines, [1] * self.height + [self.width] * self.width, strict=True):
            run: list[int] = []
            for cell in line:
                if run and cell != run[-1] + step:
                    found.append(tuple(run))
                    run = []
                run.append(cell)
            if run:
                found.append(tuple(run))
        return tuple(found)

    @cached_property
    def region_of(self) -> dict[int, int]:
        """The number of the region of each cell that is in one."""
        return {cell: number for number, cells in enumerate(self.regions) for cell in cells}
