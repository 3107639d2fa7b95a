"""The plain check of the kind `each`: selection, look, measure and comparison."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, groupby, pairwise
from math import prod
from typing import Any

import attrs

from epcg_core.plugin import EpcgError
from epcg_deduction.checking.marked import AROUND, RING, Fields, Marked, Spot
from epcg_deduction.model.boards import Pair
from epcg_deduction.model.puzzles import Clue
from epcg_deduction.model.sites import (
    ARROWS,
    clue_name,
    line_name,
    numbers_of,
    place_name,
    span,
    square_name,
    squares_at,
    squares_name,
)


@attrs.frozen
class Thing:
    """A thing that a rule is about: its name, its squares in their order, and the clue that it is, if any."""

    place: str
    squares: tuple[int, ...]
    clue: Clue | None = None


def check_each(marked: Marked, fields: Fields) -> Iterator[str]:
    """Yield the places where a rule of the kind `each` fails."""
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
        chosen = [cell for cell in board.cells if selection == "cell" or cell not in given]
        yield from (Thing(square_name(board, cell), (cell,)) for cell in chosen)
    elif selection in ("row", "column", "line"):
        for number, cells in enumerate(board.lines):
            if line_name(board, number).startswith(selection) or selection == "line":
                yield Thing(line_name(board, number), cells)
    elif selection == "region":
        yield from (Thing(f"region {name}", cells) for name, cells in marked.regions())
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
            for has, own in groupby(stretch, lambda cell: marked.has(("cells", cell), mark)):
                run = tuple(own)
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

        def sees(cell: int) -> bool:
            return mark == "board" or marked.has(("cells", cell), mark)

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
    before = -1
    for cell in cells:
        if marked.has(("cells", cell), mark):
            if runs and runs[-1][-1] == before and cell in marked.around(before):
                runs[-1].append(cell)
            else:
                runs.append([cell])
        before = cell
    whole = len(runs) > 1 and runs[0][0] == cells[0] and runs[-1][-1] == cells[-1]
    if ring and whole and cells[0] in marked.around(cells[-1]):
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
