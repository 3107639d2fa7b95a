"""Puzzles with a mark at each site."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cached_property
from typing import Any

from epcg_deduction.model.boards import Pair
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import (
    DERIVED,
    marks_of,
    place_name,
    sites_of,
)

AROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))
RING = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
Spot = tuple[str, int]
"""A site that is measured: its layer and its place; "cells" also for marks that follow from links."""
Fields = Mapping[str, Any]


class Marked:
    """A puzzle with a mark at each site."""

    def __init__(self, puzzle: Puzzle, marks: Sequence[int]) -> None:
        self.puzzle, self.board = puzzle, puzzle.board
        self._names: dict[Spot, str] = {
            spot: names[mark] for (spot, names), mark in zip(_sites(puzzle), marks, strict=True)
        }

    def name(self, layer: str, place: int) -> str:
        return self._names.get((layer, place), "")

    def has(self, spot: Spot, mark: str) -> bool:
        """Return whether a site has a mark, or a cell a mark that follows from its links."""
        if spot[0] == "cells" and mark in DERIVED and mark not in self.puzzle.genre.marks.cells:
            ways = [other - spot[1] for other in self.linked(spot[1])]
            straight = len(ways) == 2 and sum(ways) == 0
            holds = {"on": bool(ways), "end": len(ways) == 1, "straight": straight}
            return holds.get(mark, len(ways) == 2 and not straight)
        return self.name(*spot) == mark

    def linked(self, cell: int) -> list[int]:
        """Return the cells that a line joins to a cell."""
        pairs = [self.board.borders[link] for link in self.board.links_of[cell] if self.line("links", link)]
        return [first + second - cell for first, second in pairs]

    def line(self, layer: str, place: int) -> bool:
        names = getattr(self.puzzle.genre.marks, layer)
        return bool(names) and self.name(layer, place) == names[0]

    def lines(self, layer: str) -> list[Pair]:
        """Return the two ends of each line: vertices of edges, cells of links."""
        ends = self.board.edges if layer == "edges" else self.board.borders
        return [pair for place, pair in enumerate(ends) if self.line(layer, place)]

    def clues(self, kind: str) -> list[Clue]:
        return [clue for clue in self.puzzle.clues if clue.kind == kind]

    def around(self, cell: int, ways: Iterable[Pair] = AROUND) -> list[int]:
        near = (self.board.step(cell, dx, dy) for dx, dy in ways)
        return [other for other in near if self.board.is_cell(other)]

    def regions(self) -> list[tuple[str, tuple[int, ...]]]:
        """Return the name and the cells of each region."""
        names = (place_name(self.board, "regions", number) for number in range(len(self.board.regions)))
        return [
            (name.removeprefix("region "), cells)
            for name, cells in zip(names, self.board.regions, strict=True)
        ]

    def groups(self, squares: Iterable[int], same: Callable[[int, int], bool]) -> list[tuple[int, ...]]:
        """Return the largest connected sets of squares whose neighbours are the `same`."""
        left, found = set(squares), []
        while left:
            group, waiting = [], [min(left)]
            left -= set(waiting)
            while waiting:
                cell = waiting.pop()
                group.append(cell)
                new = [other for other in self.around(cell) if other in left and same(cell, other)]
                waiting += new
                left -= set(new)
            found.append(tuple(sorted(group)))
        return found

    @cached_property
    def pieces(self) -> list[tuple[int, ...]]:
        """The pieces that the borders make."""
        open_pairs = {
            pair for index, pair in enumerate(self.board.borders) if self.name("borders", index) == "none"
        }
        return self.groups(self.board.cells, lambda a, b: (min(a, b), max(a, b)) in open_pairs)

    @cached_property
    def piece_of(self) -> dict[int, int]:
        return {cell: index for index, piece in enumerate(self.pieces) for cell in piece}


_LAST: list[tuple[Puzzle, list[tuple[Spot, tuple[str, ...]]]]] = []
"""The puzzle that was marked last, with its sites: many markings of one puzzle follow each other."""


def _sites(puzzle: Puzzle) -> list[tuple[Spot, tuple[str, ...]]]:
    """Return the spots of a puzzle with the names of their marks."""
    if not _LAST or _LAST[0][0] is not puzzle:
        sites = [(site.layer, site.place) for site in sites_of(puzzle)]
        _LAST[:] = [(puzzle, list(zip(sites, marks_of(puzzle), strict=True)))]
    return _LAST[0][1]
