"""The generator `fair`: all fair puzzles whose clues follow from the solution, by projection.

A puzzle is a board, one of its solutions and a set of places with clues. Ranks go by the number of places,
then by board, by solution and by set. Nothing is listed but the solutions, so there may be many millions of
puzzles.
"""

from __future__ import annotations

from collections.abc import Sequence
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
from epcg_deduction.generators.symmetry import orbits
from epcg_deduction.generators.values import (
    Column,
    columns_of,
    determined_kinds,
    has_one_solution,
    solutions_of,
)
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.params import FairParams, least_most
from epcg_deduction.rules import determined
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.play import PlayModel

MOST_BOARDS = 200_000
"""Boards whose solutions are found."""
MOST_CHOICES = 100_000
"""Ways to choose a clue for every place of a board."""


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
    """

    puzzle: Puzzle
    fixed: tuple[Clue, ...]
    columns: tuple[Column, ...]
    groups: tuple[tuple[int, ...], ...]
    codes: NDArray[np.int16]
    minimal: bool

    @cached_property
    def projection(self) -> Projection:
        """The fair sets of groups of each solution."""
        return Projection(self.codes, self.minimal)

    @property
    def most(self) -> int:
        """The most groups that a set can have."""
        return len(self.groups)

    def counts(self) -> NDArray[np.int64]:
        """Return how many sets of each size are fair for each solution: (solutions, most + 1) int64."""
        return self.projection.counts()

    def sets(self, solution: int, size: int, skip: int, count: int) -> NDArray[np.int64]:
        """Return fair sets of a solution, ascending (see `Projection.sets`)."""
        return self.projection.sets(solution, size, skip, count)

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
        fits = np.ones(len(self.codes), np.bool_)
        for at, clue in given.items():
            fits &= self.columns[at].has(clue)
        found = np.flatnonzero(fits)
        return (int(found[0]), chosen) if len(found) == 1 else None


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
        """(solutions, choices): whether a choice makes a solution the only one."""
        found = np.zeros((len(self.codes), len(self.groups)), np.bool_)
        for choice, members in enumerate(self.groups):
            codes = np.stack([self.columns[at].codes for at in members], axis=1) if members else None
            if codes is None:
                found[:, choice] = len(self.codes) == 1
                continue
            _, of_row, counts = np.unique(codes, axis=0, return_inverse=True, return_counts=True)
            found[:, choice] = (counts[of_row.reshape(-1)] == 1) & (codes >= 0).all(axis=1)
        return found

    def counts(self) -> NDArray[np.int64]:
        found = np.zeros((len(self.codes), self.most + 1), np.int64)
        for choice, members in enumerate(self.groups):
            found[:, len(members)] += self._fair[:, choice]
        return found

    def sets(self, solution: int, size: int, skip: int, count: int) -> NDArray[np.int64]:
        fair = np.flatnonzero(self._fair[solution]).tolist()
        own = [choice for choice in fair if len(self.groups[choice]) == size]
        return np.array(own[skip : skip + count], np.int64)

    def clues(self, solution: int, chosen: int) -> list[Clue]:
        return [self.columns[at].clue(solution) for at in self.groups[chosen]]

    def sizes(self, chosen: NDArray[np.int64]) -> NDArray[np.int64]:
        lengths = np.array([len(own) for own in self.groups], np.int64)
        return lengths[chosen] + len(self.fixed)

    def position(self, solution: int, chosen: int) -> int:
        if not self._fair[solution, chosen]:
            return -1
        before, size = self._fair[solution, :chosen].tolist(), len(self.groups[chosen])
        return sum(fair and len(own) == size for fair, own in zip(before, self.groups, strict=False))

    def chosen(self, clues: Sequence[Clue]) -> tuple[int, int] | None:
        columns = {clue: at for at, own in enumerate(self.columns) for clue in own.clues}
        given = {columns.get(clue, -1): clue for clue in clues}
        for choice, members in enumerate(self.groups):
            if given.keys() == {*members} and len(given) == len(clues):
                fits = np.ones(len(self.codes), np.bool_)
                for at, clue in given.items():
                    fits &= self.columns[at].has(clue)
                if fits.sum() == 1:
                    return int(np.flatnonzero(fits)[0]), choice
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
        sizes = [len(table.codes) for table in self.tables]
        return np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])

    @cached_property
    def _ends(self) -> NDArray[np.int64]:
        """(sizes * solutions,): the number of puzzles up to each size and solution."""
        most = max((table.most for table in self.tables), default=0)
        counts = np.zeros((most + 1, int(self.first[-1])), np.int64)
        for table, start in zip(self.tables, self.first.tolist(), strict=False):
            own = table.counts().T
            counts[: own.shape[0], start : start + own.shape[1]] = own
        low, high = least_most("clues", self.params.clues, most)
        counts[:low] = 0
        counts[high + 1 :] = 0
        return read_only(np.cumsum(counts.reshape(-1)))

    @property
    def max_rank(self) -> int:
        return int(self._ends[-1]) if self._ends.size else 0

    @property
    def by_size(self) -> list[int]:
        """How many puzzles there are of each number of places."""
        solutions = int(self.first[-1])
        ends = self._ends.reshape(-1, solutions)[:, -1] if solutions else np.zeros(1, np.int64)
        return [int(n) for n in np.diff(ends, prepend=0)]

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
        solutions, done = int(self.first[-1]), 0
        if count == 0 or not solutions:
            return out
        while done < count:
            slot = int(np.searchsorted(self._ends, start + done, side="right"))
            before = int(self._ends[slot - 1]) if slot else 0
            skip = start + done - before
            wanted = min(int(self._ends[slot]) - before - skip, count - done)
            size, number = divmod(slot, solutions)
            at = int(np.searchsorted(self.first, number, side="right")) - 1
            out[done : done + wanted, 0] = number
            out[done : done + wanted, 1] = self.tables[at].sets(
                number - int(self.first[at]), size, skip, wanted
            )
            done += wanted
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
                slot = size * int(self.first[-1]) + int(self.first[at]) + solution
                before = int(self._ends[slot - 1]) if slot else 0
                if int(self._ends[slot]) - before > position:
                    return before + position
        raise RankError("The puzzle is not one of this space: it is not fair, or has other clues.")

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
        solutions = int(has_one_solution(board))
        return Table(board, fixed, (), (), np.zeros((solutions, 0), np.int16), params.minimal)
    rows = solutions_of(board)
    columns = tuple(columns_of(board, kinds, rows))
    if params.every:
        empty = np.zeros((len(rows), 0), np.int16)
        return EveryTable(board, fixed, columns, _choices(columns), empty, False)
    groups = orbits(board.board, [(own.on, own.place) for own in columns], params.symmetry)
    together = tuple(map(tuple, groups))
    return Table(board, fixed, columns, together, _codes(columns, together, rows), params.minimal)


def _codes(
    columns: Sequence[Column], groups: Sequence[Sequence[int]], rows: NDArray[np.uint8]
) -> NDArray[np.int16]:
    """Return one code for the values of each group of columns: (solutions, groups) int16, -1 for none."""
    found = np.zeros((len(rows), len(groups)), np.int16)
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
