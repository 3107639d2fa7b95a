"""All solutions of a board: listed, or told by their number where no rule constrains the marks.

Both are in lexicographic order of their marks, so it does not matter to a rank which of the two they are.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from math import prod

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError, ParamsError
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.model.sites import sites_of
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import Compiled
from epcg_deduction.solving.globals import marks_of
from epcg_deduction.solving.keys import numbered, packed

MOST_SOLUTIONS = 3_000_000
"""Solutions of one board if sets of clues are asked for."""
MOST_WITH_ALL_CLUES = 1 << 26
"""Solutions of one board if all clues are given: some 30 bytes of memory each."""
MOST_MARKS = 1 << 30
"""Marks of all solutions of one board that are listed, a byte each."""


class Solutions(ABC):
    """The solutions of a board by number.

    Args:
        count: how many there are.
    """

    def __init__(self, count: int) -> None:
        self.count = count

    @abstractmethod
    def marks(self, number: int) -> tuple[int, ...]:
        """Return the number of the mark at each site of a solution."""

    def block(self, numbers: range) -> NDArray[np.uint8]:
        """Return the marks of consecutive solutions: (solutions, sites) uint8."""
        return np.array([self.marks(number) for number in numbers], np.uint8)

    @abstractmethod
    def choices(self, sites: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.unsignedinteger]]:
        """Give a number to each choice of marks at some sites that a solution makes.

        Returns:
            The first solution of each choice, (choices,) int64, and the number of the choice of each
            solution, (solutions,) of unsigned integers.
        """


class Listed(Solutions):
    """Solutions that a search has found: `rows`, (solutions, sites) uint8."""

    def __init__(self, rows: NDArray[np.uint8]) -> None:
        super().__init__(len(rows))
        self.rows = rows

    def marks(self, number: int) -> tuple[int, ...]:
        return tuple(self.rows[number].tolist())

    def block(self, numbers: range) -> NDArray[np.uint8]:
        return self.rows[numbers.start : numbers.stop]

    def choices(self, sites: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.unsignedinteger]]:
        columns = [self.rows[:, site] for site in sites]
        sizes = [1 + int(column.max(initial=0)) for column in columns]
        first, of_row = numbered(packed(columns, sizes, self.count))
        return first, of_row.astype(np.min_scalar_type(len(first)))


class Numbered(Solutions):
    """All choices of marks, of which no rule forbids one; the marks of the last site change fastest.

    Args:
        options: for each site the numbers of its marks, ascending.
    """

    def __init__(self, options: Sequence[Sequence[int]]) -> None:
        super().__init__(prod(map(len, options)))
        self.options = tuple(map(tuple, options))

    def marks(self, number: int) -> tuple[int, ...]:
        found = []
        for own in reversed(self.options):
            number, place = divmod(number, len(own))
            found.append(own[place])
        return tuple(reversed(found))

    def choices(self, sites: Sequence[int]) -> tuple[NDArray[np.int64], NDArray[np.unsignedinteger]]:
        count = prod(len(self.options[site]) for site in sites)
        kind = np.min_scalar_type(count)
        chosen = set(sites)
        # the number of a choice is a sum over sites, so it grows site by site, as numbers of solutions do
        first, of_solution = np.zeros(1, np.int64), np.zeros(1, kind)
        weight, place = 1, 1
        for site in range(len(self.options) - 1, -1, -1):
            size = len(self.options[site])
            steps = np.arange(size)
            if site in chosen:
                first = (steps[:, None] * weight + first).reshape(-1)
                of_solution = (steps[:, None].astype(kind) * kind.type(place) + of_solution).reshape(-1)
                place *= size
            else:
                of_solution = np.tile(of_solution, size)
            weight *= size
        return first, of_solution


def solutions_of(puzzle: Puzzle, most: int = MOST_SOLUTIONS) -> Solutions:
    """Return all solutions of a puzzle. Raises ParamsError if they are more than `most`."""
    problem = problem_of(puzzle)
    if not problem.instances and not problem.hidden and all(problem.start):
        found = Numbered([tuple(marks_of(mask)) for mask in problem.start])
        if found.count > most:
            raise _too_many(most)
        return found
    most = min(most, MOST_MARKS // max(len(problem.sites), 1))
    try:
        rows = Compiled(problem).listed(most)
    except EpcgError as error:
        raise _too_many(most) from error
    return Listed(np.ascontiguousarray(rows[:, : len(sites_of(puzzle))]))


def _too_many(most: int) -> ParamsError:
    return ParamsError(
        f"The board has more than {most:,} solutions without clues, or listing them takes too long, and all "
        "of them are needed here: choose a smaller board."
    )
