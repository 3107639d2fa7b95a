"""Where the clues and the marks of a puzzle stand on the board of the workbench."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from functools import cached_property, lru_cache

import attrs

from epcg_core.plugin import Point, Site, cell, square_cells
from epcg_deduction.model.boards import Board
from epcg_deduction.model.genre import Genre
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import marks_of, places_of, sites_of

SIDES = ("top", "bottom", "left", "right")
PAD = "pad"
CLEAR = "clear"
_OUTSIDE = ("lines", "sides", "stretches")
Place = tuple[str, int]
"""Where a clue stands: a word of `PLACES`, and a number (see `Board`)."""


@attrs.frozen(slots=False)
class Layout:
    """The sites of boards of one genre and size.

    Squares are cells; clues of lines, sides and stretches that begin at the border stand beside the board;
    edges, links and borders are edges, those of links from middle to middle. Where cells have more than two
    marks, a pad beside the board has them, to be touched after a cell.
    """

    genre: Genre
    width: int
    height: int
    pad: tuple[str, ...]
    """The words of the pad."""

    @cached_property
    def sites(self) -> tuple[Site, ...]:
        """All sites."""
        return (*square_cells(self.width, self.height), *self._beside(), *self._between(), *self._pads())

    def _beside(self) -> Iterator[Site]:
        on = {kind.on for kind in self.genre.clues.values()}
        width, height = self.width, self.height
        if on & {*_OUTSIDE}:
            yield from (_square(f"column{x + 1}", (x, -1), f"above column {x + 1}") for x in range(width))
            yield from (_square(f"row{y + 1}", (-1, y), f"left of row {y + 1}") for y in range(height))
        if "sides" in on:
            yield from (_square(f"below{x + 1}", (x, height), f"below column {x + 1}") for x in range(width))
            yield from (_square(f"right{y + 1}", (width, y), f"right of row {y + 1}") for y in range(height))

    def _between(self) -> Iterator[Site]:
        marks, on = self.genre.marks, {kind.on for kind in self.genre.clues.values()}
        whole = Board(self.width, self.height, bytes(self.width * self.height))
        if marks.edges:
            for corners in whole.edges:
                ends = [self._corner(corner) for corner in corners]
                yield Site(_edge_id(ends), ends, "edge", self._edge_title(ends))
        if marks.links or marks.pieces or "borders" in on:
            for one, other in whole.borders:
                ends = self.middles(one, other) if marks.links else self.side(one, other)
                yield Site(self.pair_id(one, other), ends, "edge", self._pair_title(one, other))

    def _pads(self) -> Iterator[Site]:
        left = self.width + (2.5 if any(kind.on == "sides" for kind in self.genre.clues.values()) else 1.5)
        rows = max(self.height, 3)
        for number, word in enumerate(self.pad):
            x, y = left + number // rows, number % rows
            yield _square(f"{PAD} {word}", (x, y), f"{word}, to be touched after a cell")

    # ---- geometry

    def _corner(self, corner: int) -> Point:
        return float(corner % (self.width + 1)), float(corner // (self.width + 1))

    def _edge_title(self, ends: list[Point]) -> str:
        (x, y), (u, _) = ends
        column, row = int(x), int(y)
        if u != x:
            return f"below r{row}c{column + 1}" if row == self.height else f"above r{row + 1}c{column + 1}"
        if column == self.width:
            return f"right of r{row + 1}c{column}"
        return f"left of r{row + 1}c{column + 1}"

    def _pair_title(self, one: int, other: int) -> str:
        names = (f"r{square // self.width + 1}c{square % self.width + 1}" for square in (one, other))
        return f"between {' and '.join(names)}"

    def middles(self, one: int, other: int) -> list[Point]:
        """Return the middles of two squares."""
        return [(square % self.width + 0.5, square // self.width + 0.5) for square in (one, other)]

    def side(self, one: int, other: int) -> list[Point]:
        """Return the ends of the side between a square and the one to its right, or below it."""
        x, y = float(other % self.width), float(other // self.width)
        return [(x, y), (x, y + 1) if other == one + 1 else (x + 1, y)]

    def pair_id(self, one: int, other: int) -> str:
        """Return the id of the site between two squares."""
        way = "r" if other == one + 1 else "d"
        return f"{way}{one % self.width + 1},{one // self.width + 1}"

    def square_id(self, square: int) -> str:
        """Return the id of a square's site."""
        return cell(square % self.width, square // self.width)

    # ---- what stands where

    def site_of_clue(self, board: Board, on: str, place: int) -> str:
        """Return the site where a clue stands."""
        if on in ("cells", "walls"):
            return self.square_id(place)
        if on == "borders":
            return self.pair_id(*board.borders[place])
        if on == "regions":
            return self.square_id(min(board.regions[place]))
        if on == "lines":
            return f"row{place + 1}" if place < self.height else f"column{place - self.height + 1}"
        if on == "sides":
            for name, first, count in (
                ("column", 0, self.width),
                ("below", self.width, self.width),
                ("row", 2 * self.width, self.height),
                ("right", 2 * self.width + self.height, self.height),
            ):
                if first <= place < first + count:
                    return f"{name}{place - first + 1}"
        first, across = board.stretches[place][0], is_across(board, place)
        x, y = first % self.width, first // self.width
        if across:
            return cell(x - 1, y) if x else f"row{y + 1}"
        return cell(x, y - 1) if y else f"column{x + 1}"

    def site_of_mark(self, board: Board, site: object) -> str:
        """Return the id of the site where a mark of the solver stands."""
        layer, place = site.layer, site.place  # type: ignore[attr-defined]
        if layer == "cells":
            return self.square_id(place)
        if layer == "edges":
            return _edge_id([self._corner(corner) for corner in board.edges[place]])
        return self.pair_id(*board.borders[place])


def is_across(board: Board, place: int) -> bool:
    """Return whether a stretch lies in a row; stretches of rows come first."""
    rows = sum(_starts(board, y) for y in range(board.height))
    return place < rows


def _starts(board: Board, row: int) -> int:
    """Return how many stretches a row has."""
    cells = [board.is_cell(board.at(x, row)) for x in range(board.width)]
    return sum(own and not before for before, own in zip([False, *cells], cells, strict=False))


def _square(name: str, at: Point, title: str) -> Site:
    x, y = at
    return Site(name, ((x, y), (x + 1, y), (x + 1, y + 1), (x, y + 1)), title=title)


def _edge_id(ends: list[Point]) -> str:
    (x, y), (u, _) = ends
    return f"{'h' if u != x else 'v'}{int(x) + 1},{int(y) + 1}"


def is_turned(words: tuple[str, ...]) -> bool:
    """Return whether a touch turns the mark of a site: it has at most two, and no digits."""
    return len(words) <= 2 and not any(word.isdigit() for word in words)


def layout_of(puzzle: Puzzle) -> Layout:
    """Return the layout of a puzzle's board."""
    cells = [
        own for own, site in zip(marks_of(puzzle), sites_of(puzzle), strict=True) if site.layer == "cells"
    ]
    words: tuple[str, ...] = max(cells, key=len, default=())
    pad = () if is_turned(words) else (*words, CLEAR)
    return _layout(puzzle.genre, puzzle.board.width, puzzle.board.height, pad)


@lru_cache(maxsize=32)
def _layout(genre: Genre, width: int, height: int, pad: tuple[str, ...]) -> Layout:
    return Layout(genre, width, height, pad)


def clue_places(puzzle: Puzzle) -> Mapping[str, tuple[Place, ...]]:
    """Return the places of clues that each site has, by the kinds of clues of the genre."""
    layout, found = layout_of(puzzle), dict[str, tuple[Place, ...]]()
    for on in dict.fromkeys(kind.on for kind in puzzle.genre.clues.values()):
        for place in places_of(puzzle.board, on):
            site = layout.site_of_clue(puzzle.board, on, place)
            found[site] = (*found.get(site, ()), (on, place))
    return found
