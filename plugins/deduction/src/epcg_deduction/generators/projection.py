"""Projection: all fair puzzles whose clues follow from the solution, from the list of all solutions.

A set P of places makes a solution s fair if no other solution has the same values on P, and there can be a
clue at each place of P in s. `Projection` counts and lists the fair sets of each solution; see
`projection_kernels` for how. `fair_sets_by_trying` is the definition, in plain Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError

MOST_PLACES = 25
"""The places of clues whose sets are tried: 2^25 sets, 4 MB of bits for each solution."""
MOST_WORK = 4e12
"""Steps of about a tenth of a nanosecond that listing may take, or it is refused."""


def fair_sets_by_trying(values: Sequence[Sequence[int]], own: int) -> list[tuple[int, ...]]:
    """Return the sets of places that make one of some solutions the only one, by their definition.

    Args:
        values: for each solution its value at each place; -1: there can be no clue.
        own: the number of the solution.
    """
    places = range(len(values[own]))
    found = []
    for size in range(len(places) + 1):
        for chosen in combinations(places, size):
            same = [all(row[place] == values[own][place] for place in chosen) for row in values]
            if sum(same) == 1 and all(values[own][place] >= 0 for place in chosen):
                found.append(chosen)
    return found


def check_work(places: int, solutions: int, most: float = MOST_WORK) -> None:
    """Raise ParamsError if all sets of places of all solutions are too many to be looked at.

    Args:
        places: the number of places.
        solutions: the number of solutions.
        most: the most steps.

    Raises:
        ParamsError: with the numbers.
    """
    work = float(solutions) * (solutions * max(places, 1) + 2.0 * places * max(2.0**places / 64, 1))
    if places > MOST_PLACES or work > most:
        raise ParamsError(
            f"All sets of {places} places of clues for each of {solutions:,} solutions are too many to "
            f"look at (at most {MOST_PLACES} places, and some 10^12 steps). Choose a smaller board, or "
            "place clues one by one with the generator clues."
        )


class Projection:
    """The fair sets of places of each solution of one board.

    Args:
        values: (solutions, places) of integers from 0 on, -1 where there can be no clue.
        minimal: only sets of which no place can go.
    """

    def __init__(self, values: NDArray[np.int16], minimal: bool = False) -> None:
        check_work(values.shape[1], values.shape[0])
        self.values = values
        self.minimal = minimal
        self.solutions, self.places = values.shape
        self._columns = np.ascontiguousarray(values.T, np.int16)
        self._columns.flags.writeable = False
        self._agree = np.zeros(self.solutions, np.int32)
        self._last: tuple[int, NDArray[np.uint64]] | None = None

    def _row(self) -> NDArray[np.uint64]:
        return np.zeros(max(1, 2**self.places // 64), np.uint64)

    def counts(self) -> NDArray[np.int64]:
        """Return how many sets of each size are fair for each solution: (solutions, places + 1) int64."""
        from epcg_deduction.generators.projection_kernels import count_fair

        found = np.zeros((self.solutions, self.places + 1), np.int64)
        count_fair(self._columns, 0, self.minimal, self._agree, self._row(), found)
        return found

    def bits(self, solution: int) -> NDArray[np.uint64]:
        """Return the fair sets of a solution as a row of bits: (max(1, 2^places / 64),) uint64."""
        from epcg_deduction.generators.projection_kernels import fair_sets

        if self._last is None or self._last[0] != solution:  # neighbours are of one solution
            row = self._row()
            fair_sets(self._columns, solution, self.minimal, self._agree, row)
            row.flags.writeable = False
            self._last = solution, row
        return self._last[1]

    def sets(self, solution: int, size: int, skip: int, count: int) -> NDArray[np.int64]:
        """Return fair sets of a solution as bits of places, ascending.

        Args:
            solution: its number.
            size: the number of places.
            skip: how many of them to leave out.
            count: how many are asked for, at most.

        Returns:
            (count or fewer,) int64.
        """
        from epcg_deduction.generators.projection_kernels import list_sets

        out = np.zeros(count, np.int64)
        return out[: list_sets(self.bits(solution), size, skip, out)]

    def position(self, solution: int, chosen: int) -> int:
        """Return how many fair sets of a solution of the same size are below a set; -1 if it is not fair."""
        from epcg_deduction.generators.projection_kernels import position_in

        row = self.bits(solution)
        if not int(row[chosen >> 6]) >> (chosen & 63) & 1:
            return -1
        return position_in(row, chosen.bit_count(), chosen)
