"""The generator `fair`: all fair puzzles whose clues follow from the solution, by projection.

A puzzle is a board, one of its solutions and a set of places with clues. Ranks go by the number of places,
then by board, by solution and by set. Nothing is listed but the solutions, so there may be many millions of
puzzles.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, lru_cache
from itertools import product
from math import prod

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError, RankError, read_only
from epcg_deduction.formats.own import format_puzzle, parse_puzzle
from epcg_deduction.generators.layouts import boards_of
from epcg_deduction.generators.projection import Projection
from epcg_deduction.generators.solutions import MOST_SOLUTIONS, MOST_WITH_ALL_CLUES, solutions_of
from epcg_deduction.generators.symmetry import orbits
from epcg_deduction.generators.values import (
    Column,
    columns_of,
    determined_kinds,
    has_one_solution,
)
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.params import FairParams, least_most
from epcg_deduction.rules import determined
from epcg_deduction.solving.keys import alone, packed
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.play import PlayModel

MOST_BOARDS = 200_000
"""Boards whose solutions are found."""
MOST_CHOICES = 100_000
"""Ways to choose a clue for every place of a board."""
MOST_ANSWERS = 1 << 29
"""Ways to choose a clue for every place, for all solutions of a board together: a byte each."""


@attrs.frozen(eq=False, slots=False)
class Table:
    """The fair puzzles of one board.

    Args:
        puzzle: the board, with the clues that stand there while it is solved.
        fixed: those of its clues that every puzzle has.
        columns: the values of each clue that may be given.
        groups: which columns are given together, or in place of each other.
        codes: (solutions, groups) int16: the values of the columns of a group together; -1: there are none.
        minimal: whether only minimal sets count.
        solutions: how many there are.
    """

    puzzle: Puzzle
    fixed: tuple[Clue, ...]
    columns: tuple[Column, ...]
    groups: tuple[tuple[int, ...], ...]
    codes: NDArray[np.int16]
    minimal: bool
    solutions: int

    @cached_property
    def projection(self) -> Projection:
        """The fair sets of groups of each solution."""
        return Projection(self.codes, self.minimal)

    @property
    def most(self) -> int:
        """The most groups that a set can have."""
        return len(self.groups)

    def counts(self) -> Iterator[tuple[int, NDArray[np.integer]]]:
        """Yield for each size how many sets of it are fair for each solution: (solutions,) of integers."""
        yield from enumerate(self.projection.counts().T)

    def rows(self, solution: int, size: int, skip: int, count: int) -> NDArray[np.int64]:
        """Return fair sets of a size, by solution and then ascending.

        Args:
            solution: the first solution.
            size: the number of places.
            skip: how many of its sets to leave out, fewer than it has.
            count: how many are wanted.

        Returns:
            (solution, set) of at least one and at most `count`, (n, 2) int64.
        """
        sets = self.projection.sets(solution, size, skip, count)
        return np.stack([np.full_like(sets, solution), sets], axis=1)

    def position(self, solution: int, chosen: int) -> int:
        """Return how many fair sets of a solution of the same size are below one; -1 if it is not fair."""
        return self.projection.position(solution, chosen)

    def clues(self, solution: int, chosen: int) -> list[Clue]:
        """Return the clues of a set of groups in a solution."""
        members = (own for group, own in enumerate(self.groups) if chosen >> group & 1)
        return [self.columns[at].clue(solution) for own in members for at in own]

    def sizes(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many clues puzzles have whose sets are given: (n,) int64."""
        found = np.full(len(chosen), len(self.fixed), np.int64)
        for group, own in enumerate(self.groups):
            found += (chosen >> group & 1) * len(own)
        return found

    def chosen(self, clues: Sequence[Clue]) -> tuple[int, int] | None:
        """Return the solution and the set of groups of clues; None if they are not those of a set."""
        columns = {clue: at for at, own in enumerate(self.columns) for clue in own.clues}
        given = {columns.get(clue, -1): clue for clue in clues}
        chosen = sum(1 << group for group, own in enumerate(self.groups) if given.keys() & {*own})
        whole = {at for group, own in enumerate(self.groups) if chosen >> group & 1 for at in own}
        if given.keys() != whole:
            return None
        found = self.having(given)
        return (int(found[0]), chosen) if len(found) == 1 else None

    def having(self, given: Mapping[int, Clue]) -> NDArray[np.int64]:
        """Return the numbers of the solutions that have some clues, by column: (n,) int64."""
        found = np.arange(self.solutions)
        for at, clue in given.items():
            found = found[self.columns[at].has(clue, found)]
        return found


@attrs.frozen(eq=False, slots=False)
class EveryTable(Table):
    """The fair puzzles of one board with a clue at every place; `groups`: all choices of a column for each.

    In place of a set, a puzzle has the number of its choice.
    """

    @property
    def most(self) -> int:
        return max((len(own) for own in self.groups), default=0)

    @cached_property
    def _fair(self) -> NDArray[np.bool_]:
        """(choices, solutions): whether a choice makes a solution the only one."""
        found = np.zeros((len(self.groups), self.solutions), np.bool_)
        for choice, members in enumerate(self.groups):
            columns = [self.columns[at] for at in members]
            shifted = (column.codes + np.ones(1, column.codes.dtype) for column in columns)
            sizes = [len(column.clues) + 1 for column in columns]
            found[choice] = alone(packed(shifted, sizes, self.solutions))
            for column in columns:
                found[choice] &= column.codes >= 0
        return found

    def _of_size(self, size: int) -> NDArray[np.int64]:
        """Return the choices of a number of clues: (n,) int64."""
        return np.array([choice for choice, own in enumerate(self.groups) if len(own) == size], np.int64)

    def counts(self) -> Iterator[tuple[int, NDArray[np.integer]]]:
        for size in sorted({len(own) for own in self.groups}):
            yield size, self._fair[self._of_size(size)].sum(axis=0, dtype=np.int32)

    def rows(self, solution: int, size: int, skip: int, count: int) -> NDArray[np.int64]:
        choices = self._of_size(size)
        # each solution adds few puzzles, so those of as many solutions as puzzles are wanted are looked at
        fair = self._fair[choices, solution : solution + count + 1]
        solutions, own = np.nonzero(fair.T)
        return np.stack([solutions + solution, choices[own]], axis=1)[skip : skip + count]

    def clues(self, solution: int, chosen: int) -> list[Clue]:
        return [self.columns[at].clue(solution) for at in self.groups[chosen]]

    def sizes(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        lengths = np.array([len(own) for own in self.groups], np.int64)
        return lengths[chosen] + len(self.fixed)

    def position(self, solution: int, chosen: int) -> int:
        if not self._fair[chosen, solution]:
            return -1
        before, size = self._fair[:chosen, solution].tolist(), len(self.groups[chosen])
        return sum(fair and len(own) == size for fair, own in zip(before, self.groups, strict=False))

    def chosen(self, clues: Sequence[Clue]) -> tuple[int, int] | None:
        columns = {clue: at for at, own in enumerate(self.columns) for clue in own.clues}
        given = {columns.get(clue, -1): clue for clue in clues}
        for choice, members in enumerate(self.groups):
            if given.keys() == {*members} and len(given) == len(clues):
                found = self.having(given)
                if len(found) == 1:
                    return int(found[0]), choice
        return None


class FairPuzzles:
    """Fair puzzles by rank (see the module)."""

    domain_attributes = ("params", "by_size", "puzzle_of", "sizes_of", "boards_of_rows", "tables", "first")
    transition_model = PlayModel()

    def __init__(self, params: FairParams) -> None:
        self.params = params

    @property
    def setting(self) -> Puzzle:
        """The board of the text, without the clues that are chosen here."""
        return self.params.base

    @cached_property
    def tables(self) -> tuple[Table, ...]:
        """The puzzles of each board."""
        return _tables(self.params)

    @cached_property
    def first(self) -> NDArray[np.int64]:
        """(tables + 1,): the number of the first solution of each board among all."""
        sizes = [table.solutions for table in self.tables]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    @property
    def _most(self) -> int:
        """The most places of a puzzle."""
        return max((table.most for table in self.tables), default=0)

    @cached_property
    def _ends(self) -> dict[int, NDArray[np.int64]]:
        """For each size that puzzles have, how many there are up to it and each solution: (solutions,)."""
        low, high = least_most("clues", self.params.clues, self._most)
        found: dict[int, NDArray[np.int64]] = {}
        for table, start in zip(self.tables, self.first.tolist(), strict=False):
            for size, own in table.counts():
                if low <= size <= high and own.any():
                    if size not in found:
                        found[size] = np.zeros(int(self.first[-1]), np.int64)
                    found[size][start : start + len(own)] = own
        before = 0
        for size in sorted(found):
            ends = found[size]
            ends[0] += before
            np.cumsum(ends, out=ends)
            before = int(ends[-1])
        return {size: read_only(found[size]) for size in sorted(found)}

    @cached_property
    def _layers(self) -> tuple[list[int], list[int]]:
        """The sizes that puzzles have, and the number of puzzles up to each."""
        return list(self._ends), [int(ends[-1]) for ends in self._ends.values()]

    @property
    def max_rank(self) -> int:
        return self._layers[1][-1] if self._ends else 0

    @property
    def by_size(self) -> list[int]:
        """How many puzzles there are of each number of places."""
        found, before = [0] * (self._most + 1), 0
        for size, end in zip(*self._layers, strict=True):
            found[size] = end - before
            before = end
        return found

    def unrank(self, rank: int) -> Puzzle:
        """Return the puzzle of a rank. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no fair puzzle {rank}: there are {self.max_rank:,}, ranks from 0.")
        return self.puzzle_of(self.states_block(rank, 1)[0])

    def puzzle_of(self, row: NDArray[np.int64]) -> Puzzle:
        """Return the puzzle of a row of states."""
        number, chosen = (int(part) for part in row)
        at = int(np.searchsorted(self.first, number, side="right")) - 1
        table = self.tables[at]
        found = table.clues(number - int(self.first[at]), chosen)
        return with_clues(table.puzzle, [*table.fixed, *found])

    def sizes_of(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return the number of clues of rows of states: (n,) int64."""
        if len(self.tables) == 1:
            return self.tables[0].sizes(states[:, 1])
        found = np.zeros(len(states), np.int64)
        tables = np.searchsorted(self.first, states[:, 0], side="right") - 1
        for at in np.unique(tables):
            own = tables == at
            found[own] = self.tables[at].sizes(states[own, 1])
        return found

    def boards_of_rows(self, states: NDArray[np.int64]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """Return how many regions and walls the boards of rows of states have: (n,) int64 each."""
        at = np.searchsorted(self.first, states[:, 0], side="right") - 1
        boards = [table.puzzle.board for table in self.tables]
        regions = np.array([len(board.regions) for board in boards], np.int64)
        walls = np.array([len(board.walls) for board in boards], np.int64)
        return regions[at], walls[at]

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return (the number of the solution among those of all boards, the set): (count, 2) int64."""
        out = np.zeros((count, 2), np.int64)
        done = 0
        while done < count:
            rank = start + done
            layer = bisect_right(self._layers[1], rank)
            size, before = self._layers[0][layer], self._layers[1][layer - 1] if layer else 0
            ends = self._ends[size]
            number = int(np.searchsorted(ends, rank, side="right"))
            at = int(np.searchsorted(self.first, number, side="right")) - 1
            first = int(self.first[at])
            skip = rank - (int(ends[number - 1]) if number else before)
            wanted = min(self._layers[1][layer] - rank, count - done)
            rows = self.tables[at].rows(number - first, size, skip, wanted)
            out[done : done + len(rows)] = rows
            out[done : done + len(rows), 0] += first
            done += len(rows)
        return out

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return states as `states_block` does: (n, 2) int64."""
        out = np.zeros((len(ranks), 2), np.int64)
        for row, rank in zip(out, ranks.tolist(), strict=True):
            row[:] = self.states_block(rank, 1)[0]
        return out

    def rank(self, state: Puzzle) -> int:
        """Return the rank of a puzzle. Raises RankError if it is not one of the space."""
        for at, table in enumerate(self.tables):
            if table.puzzle.genre != state.genre or table.puzzle.board != state.board:
                continue
            more = [clue for clue in state.clues if clue not in table.fixed]
            if len(more) + len(table.fixed) != len(state.clues):
                continue
            found = table.chosen(more)
            if found is None:
                continue
            solution, chosen = found
            position = table.position(solution, chosen)
            if position >= 0:
                size = len(more) if isinstance(table, EveryTable) else chosen.bit_count()
                before = self._before(size, int(self.first[at]) + solution)
                if before is not None:
                    return before + position
        raise RankError("The puzzle is not one of this space: it is not fair, or has other clues.")

    def _before(self, size: int, number: int) -> int | None:
        """Return how many puzzles are before those of a size and a solution; None: that size is not asked."""
        ends = self._ends.get(size)
        if ends is None:
            return None
        if number:
            return int(ends[number - 1])
        layer = self._layers[0].index(size)
        return self._layers[1][layer - 1] if layer else 0

    def parse(self, text: str) -> Puzzle:
        return parse_puzzle(text)

    def format(self, state: Puzzle) -> str:
        return format_puzzle(state)


@lru_cache(maxsize=8)
def _tables(params: FairParams) -> tuple[Table, ...]:
    """Return the tables of all boards, found once in a process."""
    base = params.base
    kinds = determined_kinds(base, params.kinds, params.boards)
    # clues that follow from the solution are chosen here, so those of the text do not count
    base = with_clues(base, [clue for clue in base.clues if not determined(base.genre, clue.kind)])
    found = []
    for number, board in enumerate(boards_of(params, base, params.boards, kinds)):
        if number == MOST_BOARDS:
            raise ParamsError(
                f"boards: more than {MOST_BOARDS:,} boards would be solved: choose a smaller board, or say "
                "how many regions there are and how large."
            )
        found.append(_table(params, board, kinds))
    return tuple(found)


def _table(params: FairParams, board: Puzzle, kinds: Sequence[str]) -> Table:
    fixed = tuple(clue for clue in board.clues if clue.kind not in kinds)
    if not kinds:  # a board without clues is fair if it has one solution: two are enough to know
        count = int(has_one_solution(board))
        return Table(board, fixed, (), (), np.zeros((count, 0), np.int16), params.minimal, count)
    solutions = solutions_of(board, MOST_WITH_ALL_CLUES if params.every else MOST_SOLUTIONS)
    columns = tuple(columns_of(board, kinds, solutions))
    count = solutions.count
    if params.every:
        choices = _choices(columns)
        if len(choices) * count > MOST_ANSWERS:
            raise ParamsError(
                f"every: {len(choices):,} ways to choose one clue for each place, for each of {count:,} "
                f"solutions, are more than {MOST_ANSWERS:,}: choose a smaller board, or name fewer kinds."
            )
        return EveryTable(board, fixed, columns, choices, np.zeros((0, 0), np.int16), False, count)
    groups = orbits(board.board, [(own.on, own.place) for own in columns], params.symmetry)
    together = tuple(map(tuple, groups))
    return Table(board, fixed, columns, together, _codes(columns, together, count), params.minimal, count)


def _codes(columns: Sequence[Column], groups: Sequence[Sequence[int]], solutions: int) -> NDArray[np.int16]:
    """Return one code for the values of each group of columns: (solutions, groups) int16, -1 for none."""
    found = np.zeros((solutions, len(groups)), np.int16)
    for group, members in enumerate(groups):
        codes = np.stack([columns[at].codes for at in members], axis=1)
        _, together = np.unique(codes, axis=0, return_inverse=True)
        found[:, group] = np.where((codes < 0).any(axis=1), -1, together.reshape(-1))
    return found


def _choices(columns: Sequence[Column]) -> tuple[tuple[int, ...], ...]:
    """Return all ways to choose one column for each place, by positions in a list."""
    by_place: dict[tuple[str, int], list[int]] = {}
    for at, own in enumerate(columns):
        by_place.setdefault((own.on, own.place), []).append(at)
    ways = prod(map(len, by_place.values()))
    if ways > MOST_CHOICES:
        raise ParamsError(
            f"every: there are {ways:,} ways to choose one clue for each place, and at most "
            f"{MOST_CHOICES:,} are tried: choose a smaller board, or name fewer kinds."
        )
    return tuple(product(*by_place.values()))


def fair(params: FairParams) -> FairPuzzles:
    """Make the space of fair puzzles. Raises ParamsError."""
    return FairPuzzles(params)
