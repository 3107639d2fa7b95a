"""Evaluators that solve panels: number of solutions, uniqueness, shortest and longest solution.

The plain forms use `rules.reference` and are the definition; the array forms are compiled. They score
the packed panels of one space (the generator's `setting`); panels that have nothing in common, such as those
of a file, are solved one by one, each as a space of its own.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from functools import cached_property, partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import NONE, VALUE, Bits, Evaluation, Metric, Value
from epcg_witness import metrics
from epcg_witness.params import SolutionsParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import solutions
from epcg_witness.rules.spaces import LineSymbol, PanelSpace, panel_alone
from epcg_witness.solving.counting import count_line_solutions
from epcg_witness.solving.paths import TooManyPathsError
from epcg_witness.solving.solver import Solver


class _SolutionEvaluator(ABC):
    """The common part of these evaluators: the space of the panels and a compiled solver for it."""

    domain_attributes = ("space",)

    metrics: Sequence[Metric]

    def __init__(self, params: Any, space: PanelSpace) -> None:
        self.space = space

    @abstractmethod
    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        """Return one value for each packed panel, (n, entries) int32 (see `epcg_witness.rules.spaces`)."""

    @cached_property
    def _solver(self) -> Solver:
        return Solver(self.space)

    def _counts(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """Count the solutions of packed panels, (n,), also if the paths are too many to be listed."""
        try:
            return self._solver.solve(states).solutions
        except TooManyPathsError:
            if not all(isinstance(symbol, LineSymbol) for symbol in self.space.all_symbols):
                raise
        return np.array([count_line_solutions(self.space.unpack(row)) for row in states], np.int64)


class Solutions(_SolutionEvaluator):
    """`solutions`: the number of paths that satisfy every symbol; none for 0 if the params say so."""

    metrics = (metrics.SOLUTIONS,)

    def __init__(self, params: SolutionsParams, space: PanelSpace) -> None:
        super().__init__(params, space)
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


_ONE = np.zeros((1, 0), np.int32)
"""The packed panel that adds nothing to its base."""


class OneByOne:
    """One of the evaluators above for panels of any sizes, starts and ends, compiled."""

    def __init__(self, kind: type[_SolutionEvaluator], params: Any) -> None:
        self._kind, self._params = kind, params
        self.metrics = kind.metrics
        self.evaluate(Panel(width=1, height=1))  # compiled where it is made, before workers start

    def evaluate(self, panel: Panel) -> tuple[Value, ...] | None:
        """Evaluate a panel.

        Raises PanelError for another state, TooManyPathsError for a panel that is too large.
        """
        if not isinstance(panel, Panel):
            raise PanelError(
                f"Solutions are counted for panels only, and a {type(panel).__name__} is not a panel."
            )
        found = self._kind(self._params, panel_alone(panel)).evaluate_states(_ONE)
        if found.status is not None and found.status[0] != VALUE:
            return None
        return tuple(np.asarray(column)[0].item() for column in found.values)

    def plain(self) -> _SolutionEvaluator:
        """Return the evaluator whose `evaluate` lists paths one by one."""
        return self._kind(self._params, panel_alone(Panel(width=1, height=1)))


def _make(
    kind: type[_SolutionEvaluator], params: Any, generator: Any, tables: Mapping[str, Bits] | None = None
) -> _SolutionEvaluator | OneByOne:
    space = getattr(generator, "setting", None)
    return kind(params, space) if isinstance(space, PanelSpace) else OneByOne(kind, params)


make_solutions = partial(_make, Solutions)
make_unique = partial(_make, Unique)
make_shortest_solution = partial(_make, ShortestSolution)
make_longest_solution = partial(_make, LongestSolution)
