"""The evaluators `clues`, `solutions` and `minimal`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, LimitReachedError, NoParams, Value, prefers_plain
from epcg_deduction import metrics
from epcg_deduction.generators.fair import FairPuzzles
from epcg_deduction.model.puzzles import Puzzle
from epcg_deduction.params import SolutionsParams
from epcg_deduction.rules import problem_of
from epcg_deduction.solving.compiled import Compiled, Count
from epcg_deduction.solving.plain import searched
from epcg_deduction.states.changes import with_clues


class Facts:
    """`clues`, `regions`, `walls`."""

    metrics = metrics.FACTS

    def evaluate(self, state: Puzzle) -> tuple[int, int, int]:
        return len(state.clues), len(state.board.regions), len(state.board.walls)


class FactsOfFair(Facts):
    """The same of the rows of a space of fair puzzles."""

    domain_attributes = ("generator",)

    def __init__(self, generator: FairPuzzles) -> None:
        self.generator = generator

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows as `FairPuzzles.states_block` gives them: (n, 2) int64."""
        return Evaluation([self.generator.sizes_of(states), *self.generator.boards_of_rows(states)])


class Solutions:
    """`fair`, `solutions`: solutions are counted up to a limit."""

    domain_attributes = ("params",)
    metrics = metrics.COUNTED

    def __init__(self, params: SolutionsParams) -> None:
        self.params = params

    def evaluate(self, state: Puzzle) -> tuple[bool, int]:
        found = counted(state, max(self.params.limit, 2), self.params.work)
        if found.fair is None:
            raise LimitReachedError("The number of solutions is not known within this work.")
        if found.number >= self.params.limit or found.complete:
            return found.fair, min(found.number, self.params.limit)
        raise LimitReachedError("The number of solutions is not known within this work.")

    def plain(self) -> Solutions:
        """Return an evaluator that counts by the plain solver."""
        return _PlainSolutions(self.params)


class _PlainSolutions(Solutions):
    def evaluate(self, state: Puzzle) -> tuple[bool, int]:
        told = super().evaluate(state)  # what is too much work is said by the kernels, which count it
        if prefers_plain():  # no kernel has answered
            return told
        found = plain_count(state, max(self.params.limit, 2))
        return found == 1, min(found, self.params.limit)


def plain_count(puzzle: Puzzle, limit: int = 2) -> int:
    """Count the solutions of a puzzle up to a limit by the plain solver, however long it takes."""
    return len(searched(problem_of(puzzle), limit, None)[0])


def counted(puzzle: Puzzle, limit: int = 2, work: int = 200_000_000) -> Count:
    """Count the solutions of a puzzle up to a limit, within a work."""
    return Compiled(problem_of(puzzle)).count(limit, work)


class Needed:
    """`minimal`, `spare_clues`: what happens without each clue."""

    domain_attributes = ("params",)
    metrics = metrics.NEEDED

    def __init__(self, params: SolutionsParams) -> None:
        self.params = params

    def evaluate(self, state: Puzzle) -> tuple[Value, Value] | None:
        if not self._fair(state):
            return None
        spare = sum(
            self._fair(with_clues(state, [other for other in state.clues if other != clue]))
            for clue in state.clues
        )
        return spare == 0, spare

    def _fair(self, state: Puzzle) -> bool:
        found = counted(state, 2, self.params.work).fair
        if found is None:
            raise LimitReachedError("The number of solutions is not known within this work.")
        return found

    def plain(self) -> Needed:
        """Return an evaluator that counts by the plain solver."""
        return _PlainNeeded(self.params)


class _PlainNeeded(Needed):
    def _fair(self, state: Puzzle) -> bool:
        fair = super()._fair(state)  # what is too much work is said by the kernels, which count it
        return fair if prefers_plain() else plain_count(state) == 1


def facts(params: NoParams, generator: Any, tables: Any = None) -> Facts:
    """Make the evaluator `clues`."""
    return FactsOfFair(generator) if isinstance(generator, FairPuzzles) else Facts()


def solutions(params: SolutionsParams, generator: Any, tables: Any = None) -> Solutions:
    """Make the evaluator `solutions`."""
    return Solutions(params)


def needed(params: SolutionsParams, generator: Any, tables: Any = None) -> Needed:
    """Make the evaluator `minimal`."""
    return Needed(params)


def written_solutions(params: SolutionsParams, generator: Any) -> Callable[[Puzzle], list[list[str]]]:
    """Make the writer of solutions for kept puzzles: the actions of play that put the marks."""
    from epcg_deduction.states.play import PlayModel

    model = PlayModel()

    def write(state: Puzzle) -> list[list[str]]:
        try:
            actions = model.solution(model.initial(state))
        except LimitReachedError:
            return []
        return [] if actions is None else [[model.action_text(action) for action in actions]]

    return write
