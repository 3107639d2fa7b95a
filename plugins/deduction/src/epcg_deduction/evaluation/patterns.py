"""What stands around a site: the windows of local patterns, and the windows of all solutions of a space.

The site lies in the middle. Around a cell the window is 3 by 3 cells; around the edge between two cells it is
three cells wide and has the two rows beside it, turned so that the edge is level. Regions, and clues outside
the board or on lines, are not in the window.

A pattern is tried on all solutions of the boards of a space, with all clues that they could show. So one that
never fails holds in every puzzle of these boards, whatever clues are given. It does not know that a puzzle
has one solution only.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, lru_cache
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Answer, ParamsError, PatternRule, PatternsParams
from epcg_deduction.generators.fair import FairPuzzles
from epcg_deduction.generators.solutions import MOST_WITH_ALL_CLUES, solutions_of
from epcg_deduction.model.boards import Board, Site
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import marks_of, sites_of, value_text
from epcg_deduction.rules.model import DeductionModel, Move, Position

Offset = tuple[int, int]
"""Half cells to the right and down."""
REACH = 2
OUTSIDE, WALL = "outside", "wall"
BLOCK = 20_000
"""Solutions whose windows are made at once."""


def patterns_rule(params: PatternsParams, generator: Any) -> PatternRule:
    """Make the rule `patterns`. Raises ParamsError, or UnknownNameError for a name in a pattern."""
    if not isinstance(generator, FairPuzzles):
        why = "Patterns speak about the marks and clues of one genre: choose the generator fair."
        return PatternRule(why, params)
    marks = generator.setting.genre.marks
    if marks.links or marks.pieces or not (marks.cells or marks.edges):
        why = f"{generator.setting.genre.title} has marks between cells, around which there is no window yet."
        return PatternRule(why, params)
    return PatternRule(Around(generator), params)


class Around:
    """The windows around the sites of a genre's boards (`PatternView`).

    Args:
        generator: the fair puzzles of these boards, whose marks stand in cells or on edges.
    """

    def __init__(self, generator: FairPuzzles) -> None:
        self._generator = generator
        self.transition_model = DeductionModel()
        self.layer = "cells" if generator.setting.genre.marks.cells else "edges"
        self.target = (0.0, 0.0)

    @cached_property
    def conclusions(self) -> tuple[str, ...]:
        """The marks of the site in the middle. Raises ParamsError if there are more than 8."""
        words = dict.fromkeys(word for table in self._generator.tables for own in marks_of(table.puzzle)
                              for word in own)  # fmt: skip
        if len(words) > 8:
            raise ParamsError(f"There are {len(words)} different marks; patterns have at most 8 conclusions.")
        return tuple(words)

    @cached_property
    def _clues(self) -> tuple[dict[tuple[str, Value], int], int]:
        """The number of each clue on cells, from 2 on, and how many a cell may have at once."""
        found: dict[tuple[str, Value], int] = {}
        most = 0
        for table in self._generator.tables:
            there: dict[int, int] = {}
            clues = [(own.on, own.place, own.clues) for own in table.columns]
            clues += [(table.puzzle.genre.clues[own.kind].on, own.place, (own,)) for own in table.fixed]
            for on, place, values in clues:
                if on in ("cells", "walls"):
                    there[place] = there.get(place, 0) + 1
                    for clue in values:
                        found.setdefault((clue.kind, clue.value), 2 + len(found))
            most = max(most, max(there.values(), default=0))
        return found, most

    @cached_property
    def _offsets(self) -> tuple[tuple[str, Offset], ...]:
        """(kind of place, offset from the middle): clues first, then marks."""
        span = range(-REACH, REACH + 1)
        cells = [(dx, dy) for dy in span for dx in span if dx % 2 == 0 and dy % 2 == (self.layer == "edges")]
        found: list[tuple[str, Offset]] = [(f"clue{n}", own) for n in range(self._clues[1]) for own in cells]
        marks = [(dx, dy) for dy in span for dx in span if (dx + dy) % 2 == 0 and (dx, dy) != (0, 0)]
        if self.layer == "cells":
            marks = [own for own in cells if own != (0, 0)]
        return (*found, *(("mark", own) for own in marks if self.layer == "cells" or own not in cells))

    @cached_property
    def places(self) -> tuple[tuple[str, str, float, float, tuple[str, ...]], ...]:
        """(name, kind, x, y, values) of each place."""
        kinds = len({kind for kind, _ in self._clues[0]})
        clues = (
            OUTSIDE,
            "none",
            *((f"{kind} " if kinds > 1 else "") + value_text(value) for kind, value in self._clues[0]),
        )
        marks = (OUTSIDE, WALL, *self.conclusions)
        found = []
        for what, (dx, dy) in self._offsets:
            if what == "mark":
                kind = "cell" if self.layer == "cells" else "edge"
                word = "cell" if self.layer == "cells" else "upright" if dx % 2 else "level"
                found.append((f"{word} {_where(dx, dy)}", kind, float(dx), float(dy), marks))
            else:
                word = "clue" if what == "clue0" else f"clue {int(what[4:]) + 1}"
                found.append((f"{word} {_where(dx, dy)}", "cell", float(dx), float(dy), clues))
        return tuple(found)

    @cached_property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """The symmetries that keep the middle: eight around a cell, four around an edge."""
        number = {own: at for at, own in enumerate(self._offsets)}
        turns = (False, True) if self.layer == "cells" else (False,)
        maps = [(a, b, turn) for turn in turns for a in (1, -1) for b in (1, -1)]
        return tuple(
            tuple(
                number[what, (a * (dy if turn else dx), b * (dx if turn else dy))]
                for what, (dx, dy) in self._offsets
            )
            for a, b, turn in maps
        )

    def answer(self, conclusion: int, state: Position, action: Move) -> Answer:
        """Dismiss a move that writes another mark than a pattern says."""
        words = windows_of(self, state.puzzle).words
        return Answer.UNKNOWN if words[action.site, action.mark] == conclusion else Answer.CANNOT

    def rows(self, state: Position, action: Move) -> Iterator[list[int]]:
        """Yield the window around the site of a move: marks that are written, and clues that are given."""
        window = windows_of(self, state.puzzle)
        around = window.around.get(action.site)
        if around is None:
            return
        clues = clues_at(state.puzzle)
        row = []
        for (what, _), own in zip(self._offsets, around, strict=True):
            if own is None:
                row.append(0)
            elif what == "mark":
                mask = state.masks[own] if own >= 0 else 0
                if own < 0:
                    row.append(1)
                elif mask and not mask & (mask - 1):
                    row.append(2 + window.words[own, mask.bit_length() - 1])
                else:
                    row.append(-1)
            else:
                there = clues.get(own, ())
                at = int(what[4:])
                row.append(
                    self._clues[0].get((there[at].kind, there[at].value), -1) if at < len(there) else -1
                )
        yield row

    def samples(self) -> Iterator[tuple[NDArray[np.int8], NDArray[np.uint8], NDArray[np.uint8]]]:
        """Yield the windows of all solutions of all boards, and the marks that are wrong and right.

        Each with one image; (n, places) int8, (n,) uint8 and (n,) uint8, marks as bits.
        """
        everything = (1 << len(self.conclusions)) - 1
        for table in self._generator.tables:
            window = windows_of(self, table.puzzle)
            columns: dict[int, list[Any]] = {}
            for column in table.columns:
                if column.on in ("cells", "walls"):
                    columns.setdefault(column.place, []).append(column)
            fixed = clues_at(table.puzzle)
            solutions = solutions_of(table.puzzle, MOST_WITH_ALL_CLUES)
            for start in range(0, solutions.count, BLOCK):
                numbers = range(start, min(start + BLOCK, solutions.count))
                marks = solutions.block(numbers)
                for site, around in window.around.items():
                    rows = np.zeros((len(numbers), len(around)), np.int8)
                    for at, ((what, _), own) in enumerate(zip(self._offsets, around, strict=True)):
                        if own is None:
                            continue
                        if what == "mark":
                            rows[:, at] = 1 if own < 0 else 2 + window.table(own)[marks[:, own]]
                        else:
                            rows[:, at] = self._given(int(what[4:]), own, columns, fixed, numbers)
                    right = np.left_shift(1, window.table(site)[marks[:, site]]).astype(np.uint8)
                    yield rows, right ^ np.uint8(everything), right

    def _given(
        self,
        at: int,
        place: int,
        columns: dict[int, list[Any]],
        fixed: dict[int, tuple[Clue, ...]],
        numbers: range,
    ) -> Any:
        """Return the number of the clue that each solution could show at a place; 1: there can be none."""
        known = self._clues[0]
        standing = fixed.get(place, ())
        if at < len(standing):
            return known[standing[at].kind, standing[at].value]
        at -= len(standing)
        if at >= len(columns.get(place, ())):
            return 1
        column = columns[place][at]
        values = np.array([1, *(known[own.kind, own.value] for own in column.clues)], np.int8)
        return values[column.codes[numbers.start : numbers.stop].astype(np.int64) + 1]


def _where(dx: int, dy: int) -> str:
    words = [
        "above" if dy < 0 else "below" if dy else "",
        "left" if dx < 0 else "right" if dx else "",
    ]
    return " ".join(word for word in words if word) or "here"


class Surroundings:
    """What stands around each site of a board, by the offsets of a view.

    Args:
        view: the view.
        puzzle: a puzzle on the board.
    """

    def __init__(self, view: Around, puzzle: Puzzle) -> None:
        board, sites = puzzle.board, sites_of(puzzle)
        names = marks_of(puzzle)
        own = view.conclusions
        self.words = {
            (site, mark): own.index(word)
            for site, words in enumerate(names)
            for mark, word in enumerate(words)
        }
        """The number of a view's word for each mark of each site."""
        self._tables: dict[int, NDArray[np.int64]] = {}
        at = {
            point: number
            for number, site in enumerate(sites)
            if site.layer == view.layer
            for point in [_point(board, site)]
        }
        self.around: dict[int, tuple[int | None, ...]] = {}
        """For each site of the layer: for each place the number of the site, or square; -1 a wall; None."""
        for (x, y), number in at.items():
            upright = view.layer == "edges" and x % 2 == 0
            self.around[number] = tuple(
                _there(board, what, at, (x + dy, y + dx) if upright else (x + dx, y + dy))
                for what, (dx, dy) in view._offsets
            )

    def table(self, site: int) -> NDArray[np.int64]:
        """Return the number of the view's word for each mark of a site: (marks,) int64."""
        if site not in self._tables:
            marks = sorted(mark for own, mark in self.words if own == site)
            self._tables[site] = np.array([self.words[site, mark] for mark in marks], np.int64)
        return self._tables[site]


@lru_cache(maxsize=64)
def _surroundings(view: Around, board: Board, puzzle: Puzzle) -> Surroundings:
    return Surroundings(view, puzzle)


def windows_of(view: Around, puzzle: Puzzle) -> Surroundings:
    """Return what stands around the sites of a puzzle's board."""
    bare = Puzzle(puzzle.genre, puzzle.board, (), puzzle.numbers)
    return _surroundings(view, puzzle.board, bare)


def clues_at(puzzle: Puzzle) -> dict[int, tuple[Clue, ...]]:
    """Return the clues on each square that has some."""
    found: dict[int, list[Clue]] = {}
    for clue in puzzle.clues:
        if puzzle.genre.clues[clue.kind].on in ("cells", "walls"):
            found.setdefault(clue.place, []).append(clue)
    return {place: tuple(own) for place, own in found.items()}


def _point(board: Board, site: Site) -> Offset:
    """Return the middle of a site in half cells from the upper left corner of the board."""
    if site.layer == "cells":
        y, x = divmod(site.place, board.width)
        return 2 * x + 1, 2 * y + 1
    one, other = board.edges[site.place]
    across = board.width + 1
    return (one % across + other % across, one // across + other // across)


def _there(board: Board, what: str, at: dict[Offset, int], point: Offset) -> int | None:
    """Return the number of the site, or of the square, at a point; -1 for a wall, None outside."""
    x, y = point
    square = board.at((x - 1) // 2, (y - 1) // 2) if x % 2 and y % 2 else -1
    if what == "mark":
        found = at.get(point)
        return -1 if found is None and square in board.walls else found
    return square if square in board.cells or square in board.walls else None
