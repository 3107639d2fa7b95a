"""Rows of spaces as choices from one problem, so that kernels read many puzzles in one call."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_deduction.generators.fair import EveryTable, FairPuzzles, Table
from epcg_deduction.model.puzzles import Clue, Puzzle
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.families import Family, family_of
from epcg_deduction.states.changes import with_clues

MOST_CLUES = 600
"""Different clues of one board that are put into one problem."""


@attrs.frozen(eq=False)
class Part:
    """Some rows of a space that are puzzles of one board.

    Args:
        rows: their numbers among all; (n,).
        compiled: the problem with the instances of all clues.
        starts: the possible marks at each site; (n, sites) int64.
        active: which instances hold; (n, instances).
    """

    rows: NDArray[np.int64]
    compiled: Compiled
    starts: NDArray[np.int64]
    active: NDArray[np.bool_]


@attrs.frozen(eq=False, slots=False)
class Board:
    """One board of a space, with the clues that its puzzles may have."""

    puzzle: Puzzle
    clues: tuple[Clue, ...]

    @cached_property
    def family(self) -> Family | None:
        """The puzzles as choices; None if clues are read all at once, or are too many."""
        if len(self.clues) > MOST_CLUES:
            return None
        single = (problem_of(with_clues(self.puzzle, [*self.puzzle.clues, clue])) for clue in self.clues)
        return family_of(problem_of(self.puzzle), list(single))

    @cached_property
    def compiled(self) -> Compiled:
        """The problem of the family."""
        assert self.family is not None
        return Compiled(self.family.problem)


class FairRows:
    """The rows of a space of fair puzzles (`FairPuzzles.states_block`)."""

    def __init__(self, generator: FairPuzzles) -> None:
        self._tables, self._first = generator.tables, generator.first
        self._boards: dict[int, tuple[Board, NDArray[np.int64]]] = {}

    def _board(self, at: int) -> tuple[Board, NDArray[np.int64]]:
        """Return a board, and the number of the first clue of each of its columns."""
        if at not in self._boards:
            table = self._tables[at]
            clues = tuple(clue for column in table.columns for clue in column.clues)
            sizes = [len(column.clues) for column in table.columns]
            first = np.concatenate([[0], np.cumsum(sizes, dtype=np.int64)])
            self._boards[at] = Board(with_clues(table.puzzle, table.fixed), clues), first
        return self._boards[at]

    def parts(self, states: NDArray[np.int64]) -> Iterator[Part] | None:
        """Yield rows by board; None if some board has no family."""
        tables = np.searchsorted(self._first, states[:, 0], side="right") - 1
        present = np.unique(tables).tolist()
        if any(self._board(at)[0].family is None for at in present):
            return None
        return (self._part(at, np.flatnonzero(tables == at), states) for at in present)

    def _part(self, at: int, rows: NDArray[np.int64], states: NDArray[np.int64]) -> Part:
        board, first = self._board(at)
        assert board.family is not None
        own = states[rows]
        given = np.zeros((len(rows), len(board.clues)), np.bool_)
        for group, solution, chosen in _members(self._tables[at], own, int(self._first[at])):
            codes = self._tables[at].columns[group].codes[solution]
            given[chosen, first[group] + codes] = True
        starts, active = board.family.puzzles(given)
        return Part(rows, board.compiled, starts, active)


def _members(
    table: Table, states: NDArray[np.int64], first: int
) -> Iterator[tuple[int, NDArray[np.int64], NDArray[np.int64]]]:
    """Yield each column with the solutions, and the rows, that have a clue there."""
    solutions = states[:, 0] - first
    if isinstance(table, EveryTable):
        for choice, members in enumerate(table.groups):
            rows = np.flatnonzero(states[:, 1] == choice)
            yield from ((column, solutions[rows], rows) for column in members)
        return
    for group, members in enumerate(table.groups):
        rows = np.flatnonzero(states[:, 1] >> group & 1)
        yield from ((column, solutions[rows], rows) for column in members)


def rows_of(generator: Any) -> FairRows | None:
    """Return how rows of a generator become choices; None if it makes no rows."""
    return FairRows(generator) if isinstance(generator, FairPuzzles) else None
