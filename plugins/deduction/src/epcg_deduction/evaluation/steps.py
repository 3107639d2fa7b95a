"""The evaluator `steps`: which kinds of steps solve a puzzle, in how many rounds, with how much choice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LIMIT, NONE, VALUE, Evaluation, LimitReachedError, Value, prefers_plain
from epcg_deduction import metrics
from epcg_deduction.evaluation.families import FairRows, rows_of
from epcg_deduction.generators.fair import FairPuzzles
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.params import StepsParams
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.steps import ENDS, KINDS, grades, kinds_of, plain_grades

_SOLVED, _UNKNOWN = ENDS.index("solved"), ENDS.index("not known")


class Steps:
    """`solved_by_steps`, `hardest_step`, `rounds`, `narrowest_round`, `widest_round`, `hard_rounds`, ..."""

    domain_attributes: tuple[str, ...] = ("params", "kinds")
    metrics = metrics.STEPS

    def __init__(self, params: StepsParams) -> None:
        self.params = params
        self.kinds = kinds_of(params.kinds)

    def evaluate(self, state: Puzzle) -> Sequence[Value | None]:
        values, status = self._told(self._graded(state))
        if status[0, 0] == LIMIT:
            raise LimitReachedError("The end of the steps is not known within this work.")
        return [
            None if kind == NONE else bool(own[0]) if own.dtype == np.bool_ else int(own[0])
            for own, kind in zip(values, status[:, 0].tolist(), strict=True)
        ]

    def plain(self) -> Steps:
        """Return an evaluator that makes the steps as their definitions read."""
        return _PlainSteps(self.params)

    def _graded(self, state: Puzzle) -> NDArray[np.int64]:
        """Return the row of `grades` of a puzzle."""
        problem = problem_of(state)
        return grades(problem, np.array([problem.start], np.int64), None, self.kinds, self.params.work)

    def _told(self, rows: NDArray[np.int64]) -> tuple[list[NDArray[Any]], NDArray[np.uint8]]:
        """Return the values and the statuses of rows of `grades`."""
        solved = rows[:, 0] == _SOLVED
        number = np.array([KINDS.index(kind) for kind in self.kinds], np.int64)
        last = np.maximum(rows[:, 2], 0)
        hardest = np.where(rows[:, 2] < 0, 0, number[last])
        hard_rounds = np.where(rows[:, 2] < 0, 0, rows[np.arange(len(rows)), 6 + last])
        none = np.zeros((len(self.metrics), len(rows)), np.bool_)
        none[1] = none[2] = none[5] = ~solved
        none[3] = none[4] = rows[:, 1] == 0
        status = np.where(none, NONE, VALUE).astype(np.uint8)
        status[:, rows[:, 0] == _UNKNOWN] = LIMIT
        return [solved, hardest, rows[:, 1], rows[:, 4], rows[:, 3], hard_rounds, rows[:, 5]], status


class _PlainSteps(Steps):
    def _graded(self, state: Puzzle) -> NDArray[np.int64]:
        found = super()._graded(state)
        if found[0, 0] == _UNKNOWN or prefers_plain():  # what is too much work is said by the kernels
            return found
        return plain_grades(problem_of(state), self.kinds)


class StepsOfRows(Steps):
    """The same of the rows of a space of fair puzzles."""

    domain_attributes = ("params", "kinds", "generator")

    def __init__(self, params: StepsParams, generator: FairPuzzles, rows: FairRows) -> None:
        super().__init__(params)
        self.generator = generator
        self._rows = rows

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows as `FairPuzzles.states_block` gives them: (n, 2) int64."""
        found = np.zeros((len(states), 6 + len(self.kinds)), np.int64)
        parts = self._rows.parts(states)
        if parts is None:
            for row, state in zip(found, states, strict=True):
                row[:] = self._graded(self.generator.puzzle_of(state))[0]
        else:
            for part in parts:
                own = grades(part.compiled, part.starts, part.active, self.kinds, self.params.work)
                found[part.rows] = own
        values, status = self._told(found)
        return Evaluation(values, status)


def steps(params: StepsParams, generator: Any, tables: Any = None) -> Steps:
    """Make the evaluator `steps`. Raises EpcgError for kinds that do not exist."""
    rows = rows_of(generator)
    return Steps(params) if rows is None else StepsOfRows(params, generator, rows)
