"""Levels: tiles, snakes, objects, fruit, portals and an exit on a grid.

A cell is the int y * width + x; row 0 is on top and y grows downward. The last row is always spikes.
"""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise

import attrs

from epcg_core.plugin import CandidateError

SKY, GROUND, SPIKES = 0, 1, 2
TILE_NAMES = ("sky", "ground", "spikes")
"""The names of the tiles, by number."""
MOST_BYTES = 1_000_000
"""Number of bytes of a level's file that are read."""
MOST_CELLS = 16_384
"""The largest level, with the row of spikes; the workbench opens texts of 100,000 characters."""
MOST_SNAKES = 9
MOST_OBJECTS = 25
Cells = tuple[int, ...]


class LevelError(CandidateError):
    """A level that cannot be read, or is none; the message names its file, line and column if it has."""


def size_problem(width: int, height: int) -> str:
    """Say why no level has this many columns and rows, the row of spikes included; empty if one may."""
    if width >= 1 and height >= 2 and width * height <= MOST_CELLS:
        return ""
    return (
        f"a grid of {width} by {height} cells is not possible: there are at most {MOST_CELLS:,} cells, one "
        "column or more, and two rows or more"
    )


def _as_tuple(tiles: Iterable[int]) -> tuple[int, ...]:
    return tuple(tiles)


def _by_head(snakes: Iterable[Iterable[int]]) -> tuple[Cells, ...]:
    return tuple(sorted(map(tuple, snakes)))


def _sorted_tuples(groups: Iterable[Iterable[int]]) -> tuple[Cells, ...]:
    return tuple(tuple(sorted(set(cells))) for cells in groups)


def _sorted(cells: Iterable[int]) -> Cells:
    return tuple(sorted(set(cells)))


@attrs.frozen
class Level:
    """A level at its start. Raises LevelError if its parts do not fit together."""

    width: int
    height: int
    tiles: tuple[int, ...] = attrs.field(converter=_as_tuple, repr=False)
    """One of SKY, GROUND and SPIKES per cell; sky under snakes, objects, fruit, portals and the exit."""
    snakes: tuple[Cells, ...] = attrs.field(converter=_by_head)
    """The cells of each snake, its head first; at least two. Numbered by the reading order of their heads."""
    exit: int
    objects: tuple[Cells, ...] = attrs.field(converter=_sorted_tuples, default=())
    """The cells of each object, ascending; they need not touch."""
    fruit: Cells = attrs.field(converter=_sorted, default=())
    portals: Cells = attrs.field(converter=_sorted, default=())
    """Two cells, or none."""
    name: str = attrs.field(default="", eq=False)

    def __attrs_post_init__(self) -> None:
        problem = self._problem()
        if problem:
            raise LevelError(f"{self.name or 'The level'}: {problem}.")

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.width * self.height

    def cell(self, x: int, y: int) -> int:
        """Return the cell in column x and row y."""
        return y * self.width + x

    def place(self, cell: int) -> tuple[int, int]:
        """Return the (column, row) of a cell, counted from 0."""
        return cell % self.width, cell // self.width

    def neighbour(self, cell: int, dx: int, dy: int) -> int:
        """Return the cell that lies (dx, dy) away; -1 if that is outside the world."""
        x, y = cell % self.width + dx, cell // self.width + dy
        return y * self.width + x if 0 <= x < self.width and 0 <= y < self.height else -1

    def shifted(self, cells: Iterable[int], dx: int, dy: int) -> Cells | None:
        """Return the cells moved by (dx, dy); None if one of them would leave the world."""
        moved = tuple(self.neighbour(cell, dx, dy) for cell in cells)
        return None if -1 in moved else moved

    @property
    def plain_cells(self) -> Cells:
        """The cells of all rows but the last that hold nothing but their tile, ascending."""
        taken = set(self._taken())
        return tuple(cell for cell in range(self.width * (self.height - 1)) if cell not in taken)

    def with_tile(self, cell: int, tile: int) -> Level:
        """Return the level with another tile in a cell."""
        return attrs.evolve(self, tiles=(*self.tiles[:cell], tile, *self.tiles[cell + 1 :]))

    def mirrored(self) -> Level:
        """Return the level with left and right exchanged, which plays alike.

        An object whose mirror image is an object of the level takes the number of that object.
        """

        def image(cells: Cells) -> Cells:
            return tuple(cell - cell % self.width + self.width - 1 - cell % self.width for cell in cells)

        number = {cells: i for i, cells in enumerate(self.objects)}
        images = [tuple(sorted(image(cells))) for cells in self.objects]
        objects: list[Cells] = [()] * len(images)
        for i, cells in enumerate(images):
            objects[number.get(cells, i)] = cells
        return attrs.evolve(
            self,
            tiles=[self.tiles[cell] for cell in image(tuple(range(self.cells)))],
            snakes=map(image, self.snakes),
            exit=image((self.exit,))[0],
            objects=objects,
            fruit=image(self.fruit),
            portals=image(self.portals),
        )

    def _taken(self) -> list[int]:
        """Return the cells of snakes, objects, fruit, portals and the exit, with repetitions."""
        cells = [cell for part in (*self.snakes, *self.objects) for cell in part]
        return [*cells, *self.fruit, *self.portals, self.exit]

    def _problem(self) -> str:
        """Say what is wrong with the level; empty if nothing is."""
        if problem := size_problem(self.width, self.height):
            return problem
        if len(self.tiles) != self.cells or not set(self.tiles) <= {SKY, GROUND, SPIKES}:
            return f"the tiles are not {self.cells} of sky, ground and spikes"
        if set(self.tiles[-self.width :]) != {SPIKES}:
            return "the last row is not spikes"
        if not self.snakes:
            return "there is no snake"
        if len(self.snakes) > MOST_SNAKES:
            return f"there are {len(self.snakes)} snakes, and at most {MOST_SNAKES} are possible"
        if len(self.objects) > MOST_OBJECTS:
            return f"there are {len(self.objects)} objects, and at most {MOST_OBJECTS} are possible"
        if len(self.portals) not in (0, 2):
            return f"there are {len(self.portals)} portals, and it must be none or two"
        return self._misplaced()

    def _misplaced(self) -> str:
        taken = self._taken()
        end = self.width * (self.height - 1)
        outside = [cell for cell in taken if not 0 <= cell < end]
        if outside:
            return f"cell {outside[0]} is outside the rows that are not spikes"
        if any(not cells for cells in self.objects):
            return "an object has no cells"
        for index, snake in enumerate(self.snakes):
            if len(snake) < 2:
                return f"snake {index + 1} has no body"
            if not all(self._touch(a, b) for a, b in pairwise(snake)):
                return f"the body of snake {index + 1} is torn"
        seen: set[int] = set()
        for cell in taken:
            if cell in seen:
                return f"two things lie in {self._in_words(cell)}"
            if self.tiles[cell] != SKY:
                return f"something lies in {TILE_NAMES[self.tiles[cell]]} in {self._in_words(cell)}"
            seen.add(cell)
        return ""

    def _in_words(self, cell: int) -> str:
        x, y = self.place(cell)
        return f"column {x + 1}, row {y + 1}"

    def _touch(self, a: int, b: int) -> bool:
        (x, y), (u, v) = self.place(a), self.place(b)
        return abs(x - u) + abs(y - v) == 1
