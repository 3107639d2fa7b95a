"""A puzzle as rules see it: its sites by number, the things that a rule is about, and what is looked at."""

from __future__ import annotations

from collections.abc import Callable, Hashable, Iterable, Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations, product
from typing import Any

import attrs

from epcg_deduction.model.boards import Board, Pair, Site
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.model.sites import (
    ARROWS,
    DERIVED,
    clue_name,
    line_name,
    marks_of,
    numbers_of,
    place_name,
    sites_of,
    square_name,
    squares_at,
    squares_name,
)
from epcg_deduction.rules.automata import Element, Measure, Reading
from epcg_deduction.solving.problem import Local

AROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))
RING = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
TOUCHING = ((1, 0), (-1, 1), (0, 1), (1, 1))


@attrs.frozen
class Spot:
    """A site that is measured: a cell (if the link `via` has a line; -1: always), an edge or a link."""

    layer: str
    place: int
    via: int = -1


@attrs.frozen
class Thing:
    """A thing that a rule is about: its name, its cells in order, its square, and the clue that it is."""

    place: str
    cells: tuple[int, ...]
    square: int = -1
    clue: Clue | None = None


@attrs.frozen
class Seen:
    """The marks at a spot."""

    name: str
    ways: tuple[Pair, ...]
    """The directions in which lines leave a cell."""
    joined: bool
    derived: bool
    """Whether names such as "on" mean what follows from links."""

    def has(self, mark: str) -> bool:
        if not self.derived or mark not in DERIVED:
            return self.name == mark
        if mark == "on":
            return bool(self.ways)
        if mark == "end":
            return len(self.ways) == 1
        if len(self.ways) != 2:
            return False
        (a, b), (c, d) = self.ways
        return ((a + c, b + d) == (0, 0)) == (mark == "straight")


@lru_cache(maxsize=1 << 14)
def _reading(
    read: tuple[tuple[tuple[int, ...], tuple[int, ...], tuple[Hashable, ...]], ...], measure: Measure
) -> Reading:
    """Return a measure of elements, the same object for equal ones: solvers then make one table of them."""
    return Reading(tuple(Element(*own) for own in read), measure)


class Scene:
    """A puzzle with its sites by number.

    Args:
        puzzle: the puzzle.
        like: the scene of a puzzle whose genre, squares and numbers are the same, and whose board has other
            regions: sites are taken over from it. None: there is none, or marks depend on regions.
    """

    def __init__(self, puzzle: Puzzle, like: Scene | None = None) -> None:
        self.puzzle, self.board, self.genre = puzzle, puzzle.board, puzzle.genre
        self.sites: tuple[Site, ...] = sites_of(puzzle) if like is None else like.sites
        self.names: tuple[tuple[str, ...], ...] = marks_of(puzzle) if like is None else like.names
        self.index: dict[tuple[str, int], int] = (
            {(site.layer, site.place): number for number, site in enumerate(self.sites)}
            if like is None
            else like.index
        )
        self.numbers = numbers_of(puzzle)
        self._tables: dict[Hashable, Any] = {}
        self._read: dict[tuple[Spot, frozenset[str]], tuple[tuple[int, ...], tuple[int, ...], Hashable]]
        self._read = {} if like is None else like._read
        self.starts: dict[int, dict[Hashable, tuple[int, int]]] = {}
        """By rule: the site, and the mask of its marks, that a clue gives; for all puzzles of the board."""

    def with_clues(self, puzzle: Puzzle) -> Scene:
        """Return the scene of a puzzle that differs from this one in its clues only."""
        other = Scene.__new__(Scene)
        other.__dict__.update(self.__dict__)
        other.puzzle = puzzle
        for name in ("clues_by_kind",):
            other.__dict__.pop(name, None)
        return other

    @cached_property
    def clues_by_kind(self) -> dict[str, list[Clue]]:
        found: dict[str, list[Clue]] = {kind: [] for kind in self.genre.clues}
        for clue in self.puzzle.clues:
            found[clue.kind].append(clue)
        return found

    def bit(self, site: int, mark: str) -> int:
        """Return the mask of a mark of a site; 0 if it cannot have it."""
        names = self.names[site]
        return 1 << names.index(mark) if mark in names else 0

    def alphabet(self, site: int) -> int:
        """Return the mask of all marks of a site."""
        return (1 << len(self.names[site])) - 1

    def mask(self, layer: str, mark: str) -> int:
        """Return the mask of a mark among those of a layer, which are numbered alike at all of its sites."""
        for site, names in zip(self.sites, self.names, strict=True):
            if site.layer == layer and mark in names:
                return 1 << names.index(mark)
        return 0

    # ---- things

    def things(self, selection: str) -> Iterator[Thing]:
        """Yield what a selection takes; not what the solution makes."""
        board = self.board
        if selection in ("cell", "plain cell"):
            given = set()
            if selection == "plain cell":
                inside = {kind.name for kind in self.genre.clues.values() if kind.on in ("cells", "walls")}
                given = {clue.place for clue in self.puzzle.clues if clue.kind in inside}
            for cell in board.cells:
                if cell not in given:
                    yield Thing(square_name(board, cell), (cell,), cell)
        elif selection in ("row", "column", "line"):
            for number, cells in enumerate(board.lines):
                if selection in ("line", "row" if number < board.height else "column"):
                    yield Thing(line_name(board, number), cells)
        elif selection == "region":
            for number, cells in enumerate(board.regions):
                yield Thing(place_name(board, "regions", number), cells)
        elif selection == "stretch board":
            for number, cells in enumerate(board.stretches):
                yield Thing(place_name(board, "stretches", number), cells)
        elif selection.startswith("clue "):
            yield from map(self.thing_of, self.clues_by_kind[selection[5:]])
        else:
            for pair in pairs_of(board, selection):
                yield Thing(squares_name(board, pair), pair)

    def thing_of(self, clue: Clue) -> Thing:
        """Return the thing that a clue is."""
        on = self.genre.clues[clue.kind].on
        squares = squares_at(self.board, on, clue.place)
        if clue.value in (">", "v"):  # from the smaller to the larger
            squares = squares[::-1]
        cells = tuple(filter(self.board.is_cell, squares))
        square = clue.place if on in ("cells", "walls") else -1
        return Thing(clue_name(self.puzzle, clue), cells, square, clue)

    # ---- what is looked at

    def look(self, thing: Thing, look: str) -> tuple[list[Spot], frozenset[int], bool]:
        """Return the spots, which of them start a direction of sight, and whether the first is the thing."""
        board, square = self.board, thing.square
        if look == "self":
            return [Spot("cells", cell) for cell in thing.cells], frozenset(), False
        if look == "links out":
            inside = set(thing.cells)
            out = (link for link, pair in enumerate(board.borders) if len(inside & set(pair)) == 1)
            return [Spot("links", link) for link in out], frozenset(), False
        if look in ("edges", "links"):
            places = board.edges_of if look == "edges" else board.links_of
            return [Spot(look, place) for place in places.get(square, ())], frozenset(), False
        if look == "linked":
            spots = []
            for link in board.links_of.get(square, ()):
                first, second = board.borders[link]
                spots.append(Spot("cells", first + second - square, link))
            return spots, frozenset(), False
        own = [square] if board.is_cell(square) else []
        starts: set[int] = set()
        if look == "arrow":
            value = thing.clue.value if thing.clue is not None else None
            way = ARROWS[str(value[0])] if isinstance(value, tuple) else None
            cells = [] if way is None else list(filter(board.is_cell, ray(board, square, way)))
        elif look.startswith("seen "):
            cells = list(own)
            for way in AROUND:
                starts.add(len(cells))
                for cell in ray(board, square, way):
                    if not board.is_cell(cell):
                        break
                    cells.append(cell)
        else:
            near = (board.step(square, dx, dy) for dx, dy in (AROUND if look == "around" else RING))
            cells = [*(own if look == "nine" else ()), *filter(board.is_cell, near)]
        return [Spot("cells", cell) for cell in cells], frozenset(starts), bool(own)

    def gaps(self, cells: Sequence[int]) -> frozenset[int]:
        """Return which of a list of cells are not beside the one before."""
        return frozenset(
            index for index in range(1, len(cells)) if not beside(self.board, cells[index - 1], cells[index])
        )

    # ---- instances

    def local(
        self,
        rule: int,
        place: str,
        spots: Iterable[tuple[Spot, frozenset[str], Callable[[Seen], Hashable], Hashable]],
        measure: Measure,
    ) -> Local:
        """Return a local instance.

        Args:
            rule: the number of the rule.
            place: where it is, in words.
            spots: for each element the spot, the marks that its symbol depends on ("*" for the name of its
                own mark), the symbol for what is seen there, and a key: equal keys make equal symbols.
            measure: what reads the symbols.
        """
        sites: dict[int, int] = {}
        read: list[tuple[tuple[int, ...], tuple[int, ...], tuple[Hashable, ...]]] = []
        for spot, marks, symbol, key in spots:
            where = (spot, marks)
            found = self._read.get(where)
            if found is None:
                numbers = self._sites_of(spot, marks)
                sizes = tuple(len(self.names[number]) for number in numbers)
                found = self._read[where] = numbers, sizes, (marks, spot.layer, self._shape(spot, numbers))
            numbers, sizes, shape = found
            if (key, shape) not in self._tables:
                self._tables[key, shape] = tuple(
                    symbol(self._seen(spot, dict(zip(numbers, chosen, strict=True))))
                    for chosen in product(*map(range, sizes))
                )
            at = tuple([sites.setdefault(number, len(sites)) for number in numbers])
            read.append((at, sizes, self._tables[key, shape]))
        return Local(rule, place, tuple(sites), _reading(tuple(read), measure))

    def _sites_of(self, spot: Spot, marks: frozenset[str]) -> tuple[int, ...]:
        """Return the numbers of the sites that say which of some marks a spot has."""
        numbers = [self.index["links", spot.via]] if spot.via >= 0 else []
        derived = spot.layer == "cells" and self.derived
        own = {mark for mark in marks if not (derived and mark in DERIVED)}
        if own and (spot.layer, spot.place) in self.index:
            numbers.append(self.index[spot.layer, spot.place])
        if derived and own != marks:
            numbers += [self.index["links", link] for link in self.board.links_of[spot.place]]
        return tuple(dict.fromkeys(numbers))

    @property
    def derived(self) -> bool:
        """Whether cells have marks that follow from links."""
        return bool(self.genre.marks.links)

    def _shape(self, spot: Spot, numbers: tuple[int, ...]) -> Hashable:
        """Return what the table of a spot depends on: the marks of its sites and the ways of its links."""
        if not self.derived:
            return tuple([self.names[number] for number in numbers])
        via = self.index.get(("links", spot.via))
        return tuple((self.names[number], self._way(spot, number), number == via) for number in numbers)

    def _way(self, spot: Spot, number: int) -> Pair | None:
        """Return the direction in which a link leaves the cell of a spot; None: it is another site."""
        site = self.sites[number]
        if site.layer != "links" or spot.layer != "cells":
            return None
        first, second = self.board.borders[site.place]
        if spot.place not in (first, second):
            return None
        across = (1, 0) if second == first + 1 and self.board.width > 1 else (0, 1)
        return across if spot.place == first else (-across[0], -across[1])

    def _seen(self, spot: Spot, marks: dict[int, int]) -> Seen:
        lines = self.genre.marks.links[:1]
        named = {number: self.names[number][mark] for number, mark in marks.items()}
        ways = []
        for number, name in named.items():
            way = self._way(spot, number)
            if way is not None and name in lines:
                ways.append(way)
        own = self.index.get((spot.layer, spot.place))
        via = self.index.get(("links", spot.via))
        return Seen(
            named.get(own, "") if own is not None else "",
            tuple(ways),
            via is None or named[via] in lines,
            spot.layer == "cells" and self.derived,
        )


def ray(board: Board, square: int, way: Pair) -> Iterator[int]:
    """Yield the squares from one on in a direction, without itself."""
    while (square := board.step(square, *way)) >= 0:
        yield square


def beside(board: Board, one: int, other: int) -> bool:
    """Return whether two squares share a side."""
    (y, x), (v, u) = divmod(one, board.width), divmod(other, board.width)
    return abs(y - v) + abs(x - u) == 1


def pairs_of(board: Board, selection: str) -> Iterator[Pair]:
    """Yield the pairs of cells of a selection: "pair", "touching pair", "pair across" or "two of line"."""
    if selection == "two of line":
        for line in board.lines:
            yield from combinations(line, 2)
        return
    for cell in board.cells:
        for dx, dy in TOUCHING if selection == "touching pair" else ((1, 0), (0, 1)):
            other = board.step(cell, dx, dy)
            if board.is_cell(other):
                regions = [board.region_of.get(square) for square in (cell, other)]
                if selection != "pair across" or (None not in regions and regions[0] != regions[1]):
                    yield cell, other
