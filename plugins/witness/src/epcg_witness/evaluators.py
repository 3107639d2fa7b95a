"""Evaluators that solve panels: number of solutions, uniqueness, shortest and longest solution.

The plain forms use `epcg_witness.reference` and are the definition; the array forms are compiled.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cached_property
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import NONE, VALUE, Bits, Evaluation, Metric, NoParams, Value
from epcg_witness import metrics
from epcg_witness.counting import count_line_solutions
from epcg_witness.panel import Panel
from epcg_witness.params import SolutionsParams
from epcg_witness.paths import TooManyPathsError
from epcg_witness.reference import solutions
from epcg_witness.solver import Solver
from epcg_witness.spaces import LineSymbol, PanelSpace


class _SolutionEvaluator:
    """What these evaluators share: the space of the panels and a compiled solver for it."""

    metrics: Sequence[Metric]

    def __init__(self, params: Any, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        self.space: PanelSpace = generator.setting

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.space)

    def _counts(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """(n,) numbers of solutions of packed panels, also where the paths are too many to be listed."""
        try:
            return self._solver.solve(states).solutions
        except TooManyPathsError:
            if not all(isinstance(symbol, LineSymbol) for symbol in self.space.all_symbols):
                raise
        return np.array([count_line_solutions(self.space.unpack(row)) for row in states], np.int64)


class Solutions(_SolutionEvaluator):
    """`solutions`: the number of paths that satisfy every symbol; none for 0 where the params say so."""

    metrics = (metrics.SOLUTIONS,)

    def __init__(
        self, params: SolutionsParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        super().__init__(params, generator)
        self._zero_is_none = params.unsolvable == "none"

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        count = sum(1 for _ in solutions(state))
        return None if count == 0 and self._zero_is_none else (count,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        counts = self._counts(states)
        return Evaluation([counts], _status(counts) if self._zero_is_none else None)


class Unique(_SolutionEvaluator):
    """`unique`: whether the panel has exactly one solution."""

    metrics = (metrics.UNIQUE,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        super().__init__(params, generator)

    def evaluate(self, state: Panel) -> tuple[Value, ...]:
        found = solutions(state)
        return (next(found, None) is not None and next(found, None) is None,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        return Evaluation([self._counts(states) == 1])


class ShortestSolution(_SolutionEvaluator):
    """`shortest_solution`: edges of the shortest solution; none for panels without one."""

    metrics = (metrics.SHORTEST_SOLUTION,)

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        shortest = min((len(path) - 1 for path in solutions(state)), default=None)
        return None if shortest is None else (shortest,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        solved = self._solver.solve(states, lengths=True)
        return Evaluation([solved.shortest], _status(solved.solutions))


class LongestSolution(_SolutionEvaluator):
    """`longest_solution`: edges of the longest solution; none for panels without one."""

    metrics = (metrics.LONGEST_SOLUTION,)

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        longest = max((len(path) - 1 for path in solutions(state)), default=None)
        return None if longest is None else (longest,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        solved = self._solver.solve(states, lengths=True)
        return Evaluation([solved.longest], _status(solved.solutions))


def _status(counts: NDArray[np.int64]) -> NDArray[np.uint8]:
    return np.where(counts > 0, VALUE, NONE).astype(np.uint8)
