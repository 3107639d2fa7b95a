"""The compiled solver: solutions counted or listed, with a limit and a budget of work.

Problems with an instance that has no kernel go by the plain solver, whose answers are the same.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import cached_property
from typing import Final

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import EpcgError, prefers_plain
from epcg_deduction.solving import plain
from epcg_deduction.solving.arrays import Arrays
from epcg_deduction.solving.blocks import arrays_of
from epcg_deduction.solving.instance_kernels import MEMO_COLUMNS
from epcg_deduction.solving.keys import in_order, packed
from epcg_deduction.solving.problem import Problem
from epcg_deduction.solving.search_kernels import Desk, begin, new_desk, search, settle, wake

BUDGET: Final = 2_000_000_000
"""Work after which a count ends unless it is told otherwise: sites that instances looked at."""
_FAR_BEYOND: Final = 100_000_000
"""A budget that plain code cannot use up in the little work which it does in place of kernels."""
_FIRST_ROWS: Final = 1024


_MEMO_ROWS: Final = 1 << 14
_MEMOS: list[NDArray[np.int64]] = []
"""Memos that no call uses now."""


@contextmanager
def remembering(desk: Desk) -> Iterator[Desk]:
    """Yield a desk with a memo, which calls use one after the other, and never two at once."""
    memo = _MEMOS.pop() if _MEMOS else np.zeros((_MEMO_ROWS, MEMO_COLUMNS), np.int64)
    try:
        yield desk._replace(memo=memo)
    finally:
        _MEMOS.append(memo)


@attrs.frozen
class Count:
    """The number of solutions.

    Args:
        number: how many were found.
        complete: whether these are all; False: the limit or the budget ended the search.
        work: sites that instances looked at, the same on every machine (0 from the plain solver).
    """

    number: int
    complete: bool
    work: int = attrs.field(default=0, eq=False)

    @property
    def fair(self) -> bool | None:
        """Whether there is exactly one solution; None: not known."""
        if self.number > 1:
            return False
        return self.number == 1 if self.complete else None


@attrs.frozen(slots=False, eq=False)
class Compiled:
    """A problem with what its kernels read, made once."""

    problem: Problem

    @cached_property
    def arrays(self) -> Arrays | None:
        """What kernels read; None if an instance has no kernel."""
        return arrays_of(self.problem)

    def kernels(self, budget: int) -> Arrays | None:
        """Return what kernels read; None if plain code is to answer.

        That is so if an instance has no kernel, or if kernels would have to be compiled for what is perhaps
        little work. Kernels alone tell whether a small budget suffices.
        """
        return None if budget >= _FAR_BEYOND and prefers_plain() else self.arrays

    @cached_property
    def desk(self) -> Desk:
        """What kernels write on; a thread that shares a problem must make its own `Compiled`."""
        assert self.arrays is not None
        return new_desk(self.arrays)

    def count(
        self,
        limit: int = 2,
        budget: int = BUDGET,
        start: Sequence[int] | NDArray[np.int64] | None = None,
        active: NDArray[np.bool_] | None = None,
    ) -> Count:
        """Count the solutions.

        Args:
            limit: the number after which to stop; whether there are more is then not known.
            budget: the work after which to stop.
            start: the position to begin with instead of the problem's.
            active: which instances hold, if not all; (instances,).

        Returns:
            The number, and whether it is all.
        """
        arrays = self.kernels(budget)
        if arrays is None:
            return self._plainly(limit, budget, start, active)
        own = arrays.start if start is None else np.array(start, np.int64)
        holding = None if active is None else active[None]
        rows = self.search(own[None], holding, limit, budget, np.zeros((0, 0), np.uint8))
        number, complete, work = rows[0].tolist()
        return Count(number, bool(complete), work)

    def some(self, limit: int, budget: int = BUDGET) -> tuple[NDArray[np.uint8], bool]:
        """List solutions in lexicographic order of their marks: all of them, or the first that are met.

        Args:
            limit: the most that are wanted.
            budget: the work after which to stop.

        Returns:
            The number of the mark at each site, (solutions, sites) uint8; and whether these are all.
        """
        sites = len(self.problem.sites)
        arrays = self.kernels(budget)
        if arrays is None:
            found, complete = plain.searched(self.problem, limit + 1, budget)
            rows = np.array(found[:limit], np.uint8).reshape(min(len(found), limit), sites)
            return rows, complete
        space = min(limit, _FIRST_ROWS)
        while True:
            rows = np.zeros((space, sites), np.uint8)
            number, complete, _ = self.search(arrays.start[None], None, space + 1, budget, rows)[0].tolist()
            if number <= space or space == limit:
                break
            space = min(limit, 16 * space)
        rows = rows[:number]
        sizes = [len(names) for names in self.problem.names]
        return rows[in_order(packed(rows.T, sizes, len(rows)))], bool(complete)

    def listed(self, limit: int = 1_000_000, budget: int = BUDGET) -> NDArray[np.uint8]:
        """List all solutions in lexicographic order of their marks.

        Args:
            limit: the most that are accepted.
            budget: the work that is accepted.

        Returns:
            The number of the mark at each site; (solutions, sites) uint8.

        Raises:
            EpcgError: if there are more than `limit`, or the budget does not suffice.
        """
        rows, complete = self.some(limit, budget)
        if not complete:
            raise EpcgError(
                f"The puzzle has more than {limit} solutions, or they are not known within a work of "
                f"{budget}. Ask for more, or give more clues."
            )
        return rows

    def filtered(self, position: Sequence[int]) -> tuple[int, ...] | None:
        """Return a position after all exclusions of kind 1; None if it cannot hold."""
        arrays = self.kernels(BUDGET)
        if arrays is None:
            return plain.filtered(self.problem, tuple(position))
        if not all(position):
            return None
        begin(self.desk, np.array(position, np.int64), np.ones(len(self.problem.instances), np.bool_))
        for instance in range(len(self.problem.instances)):
            wake(arrays, self.desk, instance)
        return tuple(self.desk.masks.tolist()) if settle(arrays, self.desk) else None

    def search(
        self,
        starts: NDArray[np.int64],
        active: NDArray[np.bool_] | None,
        limit: int,
        budget: int,
        rows: NDArray[np.uint8],
    ) -> NDArray[np.int64]:
        """Count the solutions of puzzles of this problem by the kernel.

        Args:
            starts: the possible marks at each site; (puzzles, sites) int64.
            active: which instances hold; (puzzles, instances); None: all.
            limit: see `count`.
            budget: of each puzzle.
            rows: returns solutions of the last puzzle; (rows, sites) uint8.

        Returns:
            The number of solutions, whether these are all, and the work; (puzzles, 3) int64.
        """
        assert self.arrays is not None
        own = np.ones((1, len(self.problem.instances)), np.bool_) if active is None else active
        counts = np.zeros((len(starts), 3), np.int64)
        with remembering(self.desk) as desk:
            search(
                self.arrays,
                desk,
                np.ascontiguousarray(starts, np.int64),
                np.ascontiguousarray(own, np.bool_),
                limit,
                budget,
                rows,
                counts,
            )
        return counts

    def _plainly(
        self,
        limit: int,
        budget: int,
        start: Sequence[int] | NDArray[np.int64] | None,
        active: NDArray[np.bool_] | None,
    ) -> Count:
        problem = self.problem
        if start is not None:
            problem = attrs.evolve(problem, start=tuple(map(int, start)))
        if active is not None:
            own = (inst for inst, holds in zip(problem.instances, active, strict=True) if holds)
            problem = attrs.evolve(problem, instances=tuple(own))
        found, complete = plain.searched(problem, limit, budget)
        return Count(len(found), complete)


def count(problem: Problem, limit: int = 2, budget: int = BUDGET) -> Count:
    """Count the solutions of a problem; see `Compiled.count`."""
    return Compiled(problem).count(limit, budget)


def listed(problem: Problem, limit: int = 1_000_000, budget: int = BUDGET) -> NDArray[np.uint8]:
    """List the solutions of a problem; see `Compiled.listed`."""
    return Compiled(problem).listed(limit, budget)


def counts(problems: Iterable[Problem], limit: int = 2, budget: int = BUDGET) -> list[Count]:
    """Count the solutions of each problem; tables of equal rules are made once."""
    return [count(problem, limit, budget) for problem in problems]


def counts_of_clues(
    problem: Problem,
    starts: NDArray[np.int64],
    active: NDArray[np.bool_],
    limit: int = 2,
    budget: int = BUDGET,
) -> list[Count]:
    """Count the solutions of puzzles that differ in which instances hold and where they start.

    Args:
        problem: with the instances of all clues that a puzzle may have.
        starts: the possible marks at each site; (puzzles, sites) int64.
        active: which instances hold; (puzzles, instances).
        limit: see `Compiled.count`.
        budget: of each puzzle.

    Returns:
        The count of each puzzle.
    """
    made = Compiled(problem)
    if made.kernels(budget) is None:
        return [made.count(limit, budget, start, own) for start, own in zip(starts, active, strict=True)]
    rows = made.search(starts, active, limit, budget, np.zeros((0, 0), np.uint8))
    return [Count(number, bool(complete), work) for number, complete, work in rows.tolist()]
