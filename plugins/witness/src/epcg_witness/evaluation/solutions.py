"""Evaluators that solve panels: number of solutions, uniqueness, shortest and longest solution.

The plain forms use `rules.reference` and are the definition; the array forms are compiled. They score
the packed panels of one space (the generator's `setting`); panels that have nothing in common, such as those
of a file, are solved one by one, each as a space of its own. Panels whose paths are not listed are searched.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property, partial
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    LIMIT,
    NONE,
    VALUE,
    ArrayGenerator,
    Bits,
    Evaluation,
    LimitReachedError,
    Metric,
    QueryError,
    Value,
    warm,
)
from epcg_witness import metrics
from epcg_witness.params import SolutionsParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import Panel
from epcg_witness.rules.reference import Path, solutions
from epcg_witness.rules.search import search_solutions
from epcg_witness.rules.spaces import (
    LineSymbol,
    PanelSpace,
    panel_alone,
    panels_together,
    shared,
    symbol_departure,
)
from epcg_witness.solving.counting import count_line_solutions
from epcg_witness.solving.paths import UnlistedPanelError
from epcg_witness.solving.search import MOST_NODES, search_panel
from epcg_witness.solving.solver import Solver

_PLAINLY_LISTED_CELLS = 16
"""Number of cells up to which the plain forms go through all paths."""


class _Counts(NamedTuple):
    """The results for n packed panels, (n,) each."""

    solutions: NDArray[np.int64]
    shortest: NDArray[np.int64]
    longest: NDArray[np.int64]
    status: NDArray[np.uint8]
    """VALUE or LIMIT."""


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
    def _solver(self) -> Solver | None:
        """The solver by a table of all paths; None if the panels of this space are not solved by one."""
        try:
            return Solver(self.space)
        except UnlistedPanelError:
            return None

    def _solved(self, states: NDArray[np.int32], stop: int = 0) -> _Counts:
        """Solve packed panels; by a search if their paths are not listed, which ends at `stop` solutions."""
        if self._solver is not None:
            solved = self._solver.solve(states, lengths=True)
            return _Counts(
                solved.solutions, solved.shortest, solved.longest, np.full(len(states), VALUE, np.uint8)
            )
        count = len(states)
        found = _Counts(
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.zeros(count, np.int64),
            np.full(count, VALUE, np.uint8),
        )
        for i, row in enumerate(states):
            try:
                one = search_panel(self.space.unpack(row), stop=stop)
            except LimitReachedError:
                found.status[i] = LIMIT
            else:
                found.solutions[i], found.shortest[i], found.longest[i] = (
                    one.solutions,
                    one.shortest,
                    one.longest,
                )
        return found

    def _counted(self, states: NDArray[np.int32], stop: int = 0) -> _Counts:
        """Count the solutions of packed panels, also by dynamic programming; lengths mean nothing."""
        if self._solver is not None:
            solutions = self._solver.solve(states).solutions
        elif self._lines_only:
            panels = map(self.space.unpack, states)
            solutions = np.array([count_line_solutions(panel) for panel in panels], np.int64)
        else:
            return self._solved(states, stop)
        return _Counts(solutions, solutions, solutions, np.full(len(states), VALUE, np.uint8))

    @property
    def _lines_only(self) -> bool:
        """Whether the panels have dots and gaps only, and one line."""
        lines = all(isinstance(symbol, LineSymbol) for symbol in self.space.all_symbols)
        departure = self.space.base.departure or any(map(symbol_departure, self.space.all_symbols))
        return lines and self.space.base.symmetry is None and not departure

    def _plain_solutions(self, panel: Panel) -> Iterator[Path]:
        """Yield the solutions of a panel: of all its paths, or of those that a plain search leaves."""
        large = panel.grid.cells > _PLAINLY_LISTED_CELLS
        return search_solutions(panel, MOST_NODES) if large else solutions(panel)


class Solutions(_SolutionEvaluator):
    """`solutions`: the number of paths that satisfy every symbol; none for 0 if the params say so."""

    metrics = (metrics.SOLUTIONS,)

    def __init__(self, params: SolutionsParams, space: PanelSpace) -> None:
        super().__init__(params, space)
        self._zero_is_none = params.unsolvable == "none"

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        count = sum(1 for _ in self._plain_solutions(state))
        return None if count == 0 and self._zero_is_none else (count,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        found = self._counted(states)
        return Evaluation([found.solutions], _status(found, self._zero_is_none))


class Unique(_SolutionEvaluator):
    """`unique`: whether the panel has exactly one solution."""

    metrics = (metrics.UNIQUE,)

    def evaluate(self, state: Panel) -> tuple[Value, ...]:
        found = self._plain_solutions(state)
        return (next(found, None) is not None and next(found, None) is None,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        found = self._counted(states, stop=2)
        return Evaluation([found.solutions == 1], _status(found, False))


class ShortestSolution(_SolutionEvaluator):
    """`shortest_solution`: edges of the shortest solution; none for panels without one."""

    metrics = (metrics.SHORTEST_SOLUTION,)

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        shortest = min(
            (len(state.grid.path_edges(path)) for path in self._plain_solutions(state)), default=None
        )
        return None if shortest is None else (shortest,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        found = self._solved(states)
        return Evaluation([found.shortest], _status(found, True))


class LongestSolution(_SolutionEvaluator):
    """`longest_solution`: edges of the longest solution; none for panels without one."""

    metrics = (metrics.LONGEST_SOLUTION,)

    def evaluate(self, state: Panel) -> tuple[Value, ...] | None:
        longest = max(
            (len(state.grid.path_edges(path)) for path in self._plain_solutions(state)), default=None
        )
        return None if longest is None else (longest,)

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        found = self._solved(states)
        return Evaluation([found.longest], _status(found, True))


def _status(found: _Counts, zero_is_none: bool) -> NDArray[np.uint8] | None:
    """Return LIMIT for searches that gave up, NONE for panels without a solution if `zero_is_none`."""
    status = found.status.copy()
    if zero_is_none:
        status[(status == VALUE) & (found.solutions == 0)] = NONE
    return status if zero_is_none or status.any() else None


_ONE = np.zeros((1, 0), np.int32)
"""The packed panel that adds nothing to its base."""


_DTYPES = {"int": np.int64, "bool": np.bool_}
"""The types of values, by the kind of a metric."""


def _shared(panel: Panel) -> tuple[Any, ...]:
    """Return what panels of one space share, and why they are searched."""
    return *shared(panel), panel.has_erasers, panel.departure


class OneByOne:
    """One of the evaluators above for panels of any sizes, starts and ends, compiled."""

    def __init__(self, kind: type[_SolutionEvaluator], params: Any) -> None:
        self._kind, self._params = kind, params
        self.metrics = kind.metrics
        warm(lambda: self.evaluate(Panel(width=1, height=1)))

    def evaluate(self, panel: Panel) -> tuple[Value, ...] | None:
        """Evaluate a panel.

        Raises PanelError for another state, LimitReachedError if the search for solutions takes too long.
        """
        if not isinstance(panel, Panel):
            raise PanelError(
                f"Solutions are counted for panels only, and a {type(panel).__name__} is not a panel."
            )
        found = self._kind(self._params, panel_alone(panel)).evaluate_states(_ONE)
        if found.status is not None and found.status[0] == LIMIT:
            raise LimitReachedError(f"The search for solutions takes more than {MOST_NODES:,} nodes.")
        if found.status is not None and found.status[0] == NONE:
            return None
        return tuple(np.asarray(column)[0].item() for column in found.values)

    def evaluate_states(self, states: NDArray[np.object_]) -> Evaluation:
        """Evaluate panels, (n,) objects: those that share size, starts and ends in one space."""
        together: dict[tuple[Any, ...], list[int]] = {}
        for i, panel in enumerate(states):
            together.setdefault(_shared(panel), []).append(i)
        values: list[NDArray[Any]] = [np.zeros(len(states), _DTYPES[metric.kind]) for metric in self.metrics]
        status = np.full(len(states), VALUE, np.uint8)
        for numbers in together.values():
            space, rows = panels_together([states[i] for i in numbers])
            found = self._kind(self._params, space).evaluate_states(rows)
            for column, own in zip(values, found.values, strict=True):
                column[numbers] = own
            if found.status is not None:
                status[numbers] = found.status
        return Evaluation(values, status if status.any() else None)

    def plain(self) -> _SolutionEvaluator:
        """Return the evaluator whose `evaluate` lists paths one by one."""
        return self._kind(self._params, panel_alone(Panel(width=1, height=1)))


def _make(
    kind: type[_SolutionEvaluator], params: Any, generator: Any, tables: Mapping[str, Bits] | None = None
) -> _SolutionEvaluator | OneByOne:
    space = getattr(generator, "setting", None)
    if isinstance(space, PanelSpace):
        return kind(params, space)
    played = isinstance(getattr(generator, "transition_model", None), PanelModel)
    if isinstance(generator, ArrayGenerator) and not played:
        name = kind.metrics[0].name
        raise QueryError(
            f"'{name}' measures panels, and the generator {type(generator).__name__} makes none."
        )
    return OneByOne(kind, params)


make_solutions = partial(_make, Solutions)
make_unique = partial(_make, Unique)
make_shortest_solution = partial(_make, ShortestSolution)
make_longest_solution = partial(_make, LongestSolution)
