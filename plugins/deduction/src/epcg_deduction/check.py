"""The plain check of a complete marking, straight from a genre's text: which rules fail, and where.

It knows nothing of the classes in `rules` or of the solvers, so that both can be compared with it.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from itertools import combinations, groupby, pairwise
from math import prod
from typing import Any

import attrs

from epcg_core.plugin import EpcgError
from epcg_deduction.model.boards import Pair
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
    span,
    square_name,
    squares_at,
    squares_name,
)

AROUND = ((0, -1), (1, 0), (0, 1), (-1, 0))
RING = ((-1, -1), (0, -1), (1, -1), (1, 0), (1, 1), (0, 1), (-1, 1), (-1, 0))
Spot = tuple[str, int]
"""A site that is measured: its layer and its place; "cells" also for marks that follow from links."""
Fields = Mapping[str, Any]


@attrs.frozen
class Thing:
    """What a rule is about: its name, its squares in their order, and the clue that it is, if it is one."""

    place: str
    squares: tuple[int, ...]
    clue: Clue | None = None


def failing(puzzle: Puzzle, marks: Sequence[int]) -> list[tuple[int, str]]:
    """Return which rules a complete marking breaks, and where.

    Args:
        puzzle: the puzzle.
        marks: the number of the mark of each site, in the order of `sites_of`.

    Returns:
        For each instance of a rule that fails: the number of the rule in the genre (-1: a border lies inside a
        piece, which no rule has to forbid), and the place in words.

    Raises:
        EpcgError: a kind of rule is unknown here, or a word of a rule.
    """
    marked = Marked(puzzle, marks)
    found = []
    if puzzle.genre.marks.pieces:
        for index, (first, second) in enumerate(puzzle.board.borders):
            if (
                marked.name("borders", index) == "border"
                and marked.piece_of[first] == marked.piece_of[second]
            ):
                found.append((-1, squares_name(puzzle.board, (first, second))))
    for index, rule in enumerate(puzzle.genre.rules):
        if rule.kind not in CHECKS:
            raise EpcgError(f"The plain check does not know rules of the kind '{rule.kind}'.")
        found += [(index, place) for place in CHECKS[rule.kind](marked, rule.fields)]
    return found


class Marked:
    """A puzzle with a mark at each site."""

    def __init__(self, puzzle: Puzzle, marks: Sequence[int]) -> None:
        self.puzzle, self.board = puzzle, puzzle.board
        self._names: dict[Spot, str] = {
            (site.layer, site.place): names[mark]
            for site, names, mark in zip(sites_of(puzzle), marks_of(puzzle), marks, strict=True)
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


# ---- the kinds of rules: each yields the places where it fails


def _at(marked: Marked, fields: Fields) -> Iterator[str]:
    for clue in marked.clues(fields["at"]):
        mark = fields["mark"]
        if isinstance(mark, Mapping):
            mark = mark.get(str(clue.value))
        elif mark == "clue":
            mark = None if clue.value is None else str(clue.value)
        if clue.value is not None or mark is not None:
            cell = marked.board.is_cell(clue.place)
            if not cell or mark is None or not marked.has(("cells", clue.place), mark):
                yield clue_name(marked.puzzle, clue)


def _never(marked: Marked, fields: Fields) -> Iterator[str]:
    rows = [row for row in fields["never"].split("\n") if row.strip()]
    drawn = frozenset(
        (x, y, sign) for y, row in enumerate(rows) for x, sign in enumerate(row) if sign not in ". "
    )
    turned = set()
    for _ in range(4):
        drawn = frozenset((-y, x, sign) for x, y, sign in drawn)
        turned |= {drawn, frozenset((-x, y, sign) for x, y, sign in drawn)}
    seen = set()
    for pattern in turned:
        for square in range(len(marked.board.kinds)):
            first = min(pattern)
            placed = frozenset(
                (marked.board.step(square, x - first[0], y - first[1]), sign) for x, y, sign in pattern
            )
            if placed not in seen and all(
                marked.board.is_cell(at) and marked.has(("cells", at), fields["signs"][sign])
                for at, sign in placed
            ):
                seen.add(placed)
                yield squares_name(marked.board, sorted(at for at, _ in placed))


def _connected(marked: Marked, fields: Fields) -> Iterator[str]:
    mark = fields["connected"]
    if mark in ("edges", "links"):
        if len(_parts(marked.lines(mark))) > 1:
            yield "the board"
        return
    places = [("the board", marked.board.cells)]
    if fields.get("in", "board") == "region":
        places = [(f"region {name}", cells) for name, cells in _regions(marked)]
    for place, cells in places:
        inside = [cell for cell in cells if marked.has(("cells", cell), mark)]
        if len(marked.groups(inside, lambda a, b: True)) > 1:
            yield place


def _regions(marked: Marked) -> list[tuple[str, tuple[int, ...]]]:
    return [
        (place_name(marked.board, "regions", number).removeprefix("region "), cells)
        for number, cells in enumerate(marked.board.regions)
    ]


def _parts(lines: Sequence[Pair]) -> list[list[Pair]]:
    """Return the largest sets of lines that hang together."""
    parts: list[list[Pair]] = []
    for line in lines:
        touching = [part for part in parts if any(set(line) & set(other) for other in part)]
        parts = [part for part in parts if part not in touching]
        parts.append([line, *(other for part in touching for other in part)])
    return parts


def _degrees(lines: Iterable[Pair]) -> dict[int, int]:
    degrees: dict[int, int] = {}
    for line in lines:
        for end in line:
            degrees[end] = degrees.get(end, 0) + 1
    return degrees


def _loop(marked: Marked, fields: Fields) -> Iterator[str]:
    lines = marked.lines(fields["loop"])
    for end, degree in sorted(_degrees(lines).items()):
        if degree != 2:
            yield f"vertex {end}" if fields["loop"] == "edges" else square_name(marked.board, end)
    if len(_parts(lines)) != 1:
        yield "the board"


def _paths(marked: Marked, fields: Fields) -> Iterator[str]:
    ends = {clue.place: clue.value for clue in marked.clues(fields["ends"])}
    lines = marked.lines("links")
    degrees = _degrees(lines)
    for cell in marked.board.cells:
        wanted = (1,) if cell in ends else (2,) if fields.get("cover", "all") == "all" else (0, 2)
        if degrees.get(cell, 0) not in wanted:
            yield square_name(marked.board, cell)
    for part in _parts(lines):
        values = [ends[cell] for cell in {cell for line in part for cell in line} if cell in ends]
        if not values or len(set(values)) > 1:
            yield squares_name(marked.board, part[0])


def _matched(marked: Marked, fields: Fields) -> Iterator[str]:
    cells = [cell for cell in marked.board.cells if marked.has(("cells", cell), fields["matched"])]
    near = {clue.place: [cell for cell in marked.around(clue.place) if cell in cells]
            for clue in marked.clues(fields["with"])}  # fmt: skip
    pairs: dict[int, int] = {}  # cell -> its clue

    def paired(clue: int, tried: set[int]) -> bool:
        for cell in near[clue]:
            if cell not in tried:
                tried.add(cell)
                if cell not in pairs or paired(pairs[cell], tried):
                    pairs[cell] = clue
                    return True
        return False

    if len(cells) != len(near) or not all(paired(clue, set()) for clue in near):
        yield "the board"


def _distinct(marked: Marked, fields: Fields) -> Iterator[str]:
    what, board = fields["distinct"], marked.board
    if what == "piece":
        lists = [(squares_name(board, piece), piece) for piece in marked.pieces]
    else:
        first, last = {"row": (0, board.height), "column": (board.height, None)}[what]
        lists = [
            (line_name(board, first + index), line) for index, line in enumerate(board.lines[first:last])
        ]
    values: Callable[[int], object] = lambda cell: marked.name("cells", cell)  # noqa: E731
    if "values" in fields:
        given = {clue.place: clue.value for clue in marked.clues(fields["values"])}
        values = lambda cell: given.get(cell)  # noqa: E731
    for (place, cells), (other, others) in combinations(lists, 2):
        both = [[values(cell) for cell in each] for each in (cells, others)]
        if fields.get("order") == "any":
            both = [sorted(each, key=repr) for each in both]
        if cells and both[0] == both[1]:
            yield f"{place} and {other}"


def _fills(marked: Marked, fields: Fields) -> Iterator[str]:
    board, side = marked.board, fields["from"]
    for name, cells in _regions(marked):
        across = {"bottom": (0, -1), "top": (0, 1), "left": (1, 0), "right": (-1, 0)}.get(side)
        level = {cell: index for index, cell in enumerate(cells)}
        if across is not None:
            dx, dy = across
            level = {cell: cell % board.width * dx + cell // board.width * dy for cell in cells}
        filled = [level[cell] for cell in cells if marked.has(("cells", cell), fields["fills"])]
        if len(filled) != sum(1 for cell in cells if filled and level[cell] <= max(filled)):
            yield f"region {name}"


# ---- each: selection, look, measure, comparison


def _each(marked: Marked, fields: Fields) -> Iterator[str]:
    for thing in _things(marked, fields["each"]):
        if not _holds(marked, thing, fields):
            yield thing.place


def _things(marked: Marked, selection: str) -> Iterator[Thing]:
    board, puzzle = marked.board, marked.puzzle
    word, _, mark = selection.partition(" ")
    if selection in ("cell", "plain cell"):
        given = {
            clue.place for clue in puzzle.clues if puzzle.genre.clues[clue.kind].on in ("cells", "walls")
        }
        squares = [cell for cell in board.cells if selection == "cell" or cell not in given]
        yield from (Thing(square_name(board, cell), (cell,)) for cell in squares)
    elif selection in ("row", "column", "line"):
        for number, cells in enumerate(board.lines):
            if line_name(board, number).startswith(selection) or selection == "line":
                yield Thing(line_name(board, number), cells)
    elif selection == "region":
        yield from (Thing(f"region {name}", cells) for name, cells in _regions(marked))
    elif selection in ("pair", "touching pair", "pair across", "two of line"):
        for pair in _pairs(marked, selection):
            yield Thing(squares_name(board, pair), pair)
    elif selection == "stretch board":
        for number, cells in enumerate(board.stretches):
            yield Thing(place_name(board, "stretches", number), cells)
    elif word == "clue":
        for clue in marked.clues(mark):
            squares = squares_at(board, puzzle.genre.clues[mark].on, clue.place)
            if clue.value in (">", "v"):  # from the smaller to the larger
                squares = squares[::-1]
            yield Thing(clue_name(puzzle, clue), squares, clue)
    elif word == "stretch":
        for stretch in board.stretches:
            for has, cells in groupby(stretch, lambda cell: marked.has(("cells", cell), mark)):
                run = tuple(cells)
                if has:
                    yield Thing(squares_name(board, run), run)
    elif word == "group" or selection == "piece":
        groups = marked.pieces if selection == "piece" else _marked_groups(marked, mark)
        yield from (Thing(squares_name(board, group), group) for group in groups)
    else:
        raise EpcgError(f"The plain check does not know 'each = {selection}'.")


def _marked_groups(marked: Marked, mark: str) -> list[tuple[int, ...]]:
    if mark == "equal":
        return marked.groups(
            marked.board.cells, lambda a, b: marked.name("cells", a) == marked.name("cells", b)
        )
    cells = [cell for cell in marked.board.cells if marked.has(("cells", cell), mark)]
    return marked.groups(cells, lambda a, b: True)


def _pairs(marked: Marked, selection: str) -> Iterator[Pair]:
    board = marked.board
    if selection == "two of line":
        yield from (pair for line in board.lines for pair in combinations(line, 2))
        return
    ways = ((1, 0), (0, 1)) if selection != "touching pair" else ((1, 0), (-1, 1), (0, 1), (1, 1))
    for cell in board.cells:
        for other in marked.around(cell, ways):
            regions = [board.region_of.get(square) for square in (cell, other)]
            if selection != "pair across" or (None not in regions and regions[0] != regions[1]):
                yield cell, other


def _look(marked: Marked, thing: Thing, look: str) -> list[Spot]:
    """Return the sites that are measured."""
    board, square = marked.board, thing.squares[0] if thing.squares else -1
    if look == "self":
        return [("cells", cell) for cell in filter(board.is_cell, thing.squares)]
    if look == "links out":
        inside = set(thing.squares)
        return [("links", link) for link, pair in enumerate(board.borders) if len(inside & set(pair)) == 1]
    if look in ("edges", "links"):
        places = board.edges_of if look == "edges" else board.links_of
        return [(look, place) for place in places[square]]
    own = [square] if board.is_cell(square) else []
    if look == "linked":
        cells = marked.linked(square)
    elif look == "arrow":
        value = thing.clue.value if thing.clue is not None else None
        cells = list(_ray(marked, square, ARROWS[str(value[0])])) if isinstance(value, tuple) else []
        cells = [cell for cell in cells if board.is_cell(cell)]
    elif look.startswith("seen"):
        mark = look.removeprefix("seen ")
        sees = (lambda cell: True) if mark == "board" else (lambda cell: marked.has(("cells", cell), mark))
        cells = [cell for cell in own if sees(cell)]
        for way in AROUND if cells or not own else ():
            for cell in _ray(marked, square, way):
                if not board.is_cell(cell) or not sees(cell):
                    break
                cells.append(cell)
    else:
        cells = marked.around(square, AROUND if look == "around" else RING)
        cells = [*(own if look == "nine" else []), *cells]
    return [("cells", cell) for cell in cells]


def _ray(marked: Marked, square: int, way: Pair) -> Iterator[int]:
    while (square := marked.board.step(square, *way)) >= 0:
        yield square


def _spots(marked: Marked, thing: Thing, fields: Fields) -> list[Spot]:
    """Return the sites that are measured: those of the mark `of`, if it is given."""
    spots, of = _look(marked, thing, fields.get("look", "self")), fields.get("of")
    return spots if of in (None, "equal") else [spot for spot in spots if marked.has(spot, of)]


def measured(marked: Marked, thing: Thing, fields: Fields) -> Any:
    """Return the number or list that a rule of the kind `each` measures for a thing; None: there is none."""
    return _measure(marked, _spots(marked, thing, fields), fields)


def _holds(marked: Marked, thing: Thing, fields: Fields) -> bool:
    spots, wanted = _spots(marked, thing, fields), fields.get("is")
    if "shape" in fields:
        return _shaped(marked, thing, spots, fields["shape"])
    if fields.get("of") == "equal" and len({marked.name(*spot) for spot in spots}) > 1:
        return True
    if "distance" in fields and len(spots) < 2:
        return True
    value = _measure(marked, spots, fields)
    own = thing.clue.value if thing.clue is not None else None
    if isinstance(wanted, str) and wanted.startswith("clue"):
        if wanted.startswith("clue ") and wanted != "clue in any order":
            inside = [clue.value for clue in marked.clues(wanted[5:]) if clue.place in thing.squares]
            return all(value == each for each in inside if each is not None)
        if own is None:
            return True
        if isinstance(own, tuple) and own and isinstance(own[0], str):
            own = own[1]
        if isinstance(own, tuple) and wanted == "clue in any order":
            return sorted(value) == sorted(own)
        return (tuple(value) if isinstance(value, list) else value) == own
    if wanted in ("different", "same", "increasing"):
        return {
            "different": len(set(value)) == len(value),
            "same": len(set(value)) <= 1,
            "increasing": all(a < b for a, b in pairwise(value)),
        }[wanted]
    if value is None:
        return False
    if wanted == "half":
        return bool(2 * value == len(_look(marked, thing, fields.get("look", "self"))))
    if wanted in ("mark", "more than mark"):
        marks = [int(marked.name("cells", cell)) for cell in thing.squares]
        return all(value == mark if wanted == "mark" else value > mark for mark in marks)
    assert wanted is not None
    low, high = span(wanted, numbers_of(marked.puzzle))
    return bool(low <= value and (high is None or value <= high))


def _measure(marked: Marked, spots: list[Spot], fields: Fields) -> Any:
    """Return the number or list that a rule compares; None: there is no such number."""
    cells = [place for _, place in spots]
    if "count" in fields:
        return sum(marked.has(spot, mark) for spot in spots for mark in fields["count"].split())
    if "size" in fields:
        return len(spots)
    if "clues" in fields:
        return sum(clue.place in cells for clue in marked.clues(fields["clues"]))
    if "regions" in fields:
        return len({marked.board.region_of[cell] for cell in cells if cell in marked.board.region_of})
    if "distance" in fields:
        (x, y), (u, v) = (divmod(cell, marked.board.width) for cell in cells)
        return abs(x - u) + abs(y - v)
    if "values" in fields:
        given = {clue.place: clue.value for clue in marked.clues(fields["values"])}
        return [given[cell] for cell in cells if given.get(cell) is not None]
    if "runs" in fields:
        return _runs(marked, cells, fields["runs"], fields.get("look") == "ring")
    names = [marked.name(*spot) for spot in spots]
    if "marks" in fields:
        return [int(name) if name.isdigit() else name for name in names]
    digits = [int(name) for name in names]
    if "visible" in fields:
        return sum(all(digit > before for before in digits[:index]) for index, digit in enumerate(digits))
    if "product" in fields:
        return prod(digits)
    if "difference" in fields:
        return 2 * max(digits, default=0) - sum(digits)
    if "quotient" in fields:
        others = prod(sorted(digits)[:-1])
        return max(digits) // others if digits and others and max(digits) % others == 0 else None
    return sum(digits)


def _runs(marked: Marked, cells: list[int], mark: str, ring: bool) -> list[int]:
    """Return the lengths of the runs of a mark; around a ring the last may go on as the first."""
    runs: list[list[int]] = []
    for cell in cells:
        if marked.has(("cells", cell), mark):
            if runs and cell in marked.around(runs[-1][-1]):
                runs[-1].append(cell)
            else:
                runs.append([cell])
    if ring and len(runs) > 1 and runs[0][0] == cells[0] and runs[-1][-1] == cells[-1]:
        if cells[0] in marked.around(cells[-1]):
            runs[0] = runs.pop() + runs[0]
    return [len(run) for run in runs]


def _shaped(marked: Marked, thing: Thing, spots: list[Spot], shape: str) -> bool:
    """Return whether a piece is a rectangle, or the shapes of the regions of two cells are different."""
    board = marked.board
    if shape == "rectangle":
        xs, ys = (
            [cell % board.width for cell in thing.squares],
            [cell // board.width for cell in thing.squares],
        )
        return (max(xs) - min(xs) + 1) * (max(ys) - min(ys) + 1) == len(thing.squares)
    if len(spots) < 2:
        return True
    mark = shape.removeprefix("region ")
    shapes = []
    for cell in thing.squares:
        inside = board.regions[board.region_of[cell]]
        at = [
            (each % board.width, each // board.width) for each in inside if marked.has(("cells", each), mark)
        ]
        shapes.append(_turned(at))
    return shapes[0] != shapes[1]


def _turned(cells: list[Pair]) -> list[Pair]:
    """Return the first of all turns and mirrors of a set of cells, at the origin."""
    found = []
    for _ in range(4):
        cells = [(-y, x) for x, y in cells]
        for own in (cells, [(-x, y) for x, y in cells]):
            left, top = min((x for x, _ in own), default=0), min((y for _, y in own), default=0)
            found.append(sorted((x - left, y - top) for x, y in own))
    return min(found)


CHECKS: dict[str, Callable[[Marked, Fields], Iterator[str]]] = {
    "at": _at,
    "each": _each,
    "never": _never,
    "connected": _connected,
    "loop": _loop,
    "paths": _paths,
    "matched": _matched,
    "distinct": _distinct,
    "fills": _fills,
}
"""The check of each kind of rule; a plugin that brings a kind adds its own here."""
