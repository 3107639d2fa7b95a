"""Evaluators of a level's positions: how many are reachable and lost, and the choices along a solution."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

from epcg_core.plugin import Bits, LimitReachedError, shortest_path
from epcg_snakebird import metrics
from epcg_snakebird.evaluation.state_space import explore, explore_plainly
from epcg_snakebird.params import BranchingParams, StateSpaceParams
from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.model import SnakebirdModel
from epcg_snakebird.rules.moves import Move, Position


class StateSpace:
    """`state_space`: the positions that play can reach, those that are lost, those without a move."""

    metrics = (metrics.REACHABLE_STATES, metrics.DEAD_ENDS, metrics.STUCK_STATES)

    def __init__(
        self, params: StateSpaceParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._limit = params.limit
        self._model: SnakebirdModel = generator.transition_model

    def evaluate(self, level: Level) -> tuple[int, int, int]:
        """Evaluate a level. Raises LimitReachedError."""
        found = explore(self._model, level, self._limit)
        return found.reachable, found.dead_ends, found.stuck

    def plain(self) -> StateSpace:
        """Return an evaluator that explores plain positions."""
        return _PlainStateSpace(self)


class _PlainStateSpace(StateSpace):
    def __init__(self, other: StateSpace) -> None:
        self.__dict__.update(vars(other))

    def evaluate(self, level: Level) -> tuple[int, int, int]:
        found = explore_plainly(self._model, self._model.initial(level), self._limit)
        return found.reachable, found.dead_ends, found.stuck


class Branching:
    """`branching`: the choices along the shortest solution; no values if there is no solution."""

    metrics = (metrics.SOLUTION_BRANCHING, metrics.SOLUTION_FORKS)

    def __init__(
        self, params: BranchingParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._limit = params.limit
        self._model: SnakebirdModel = generator.transition_model
        self._plain = False

    def plain(self) -> Branching:
        """Return an evaluator that searches plain positions."""
        found = copy(self)
        found._plain = True
        return found

    def evaluate(self, level: Level) -> tuple[float, int] | None:
        """Evaluate a level. Raises LimitReachedError if the search does."""
        solution = shortest_path(self._model, level, self._limit, plain=self._plain)
        if solution.limit_reached:
            raise LimitReachedError(f"A solution takes more than {self._limit} expansions.")
        if solution.length is None:
            return None
        position = self._model.initial(level)
        choices = []
        for move in solution.actions:
            choices.append(len(self._useful(position)))
            position = self._model.apply(position, move)
        return sum(choices) / len(choices), sum(1 for count in choices if count > 1)

    def _useful(self, position: Position) -> list[Move]:
        """Return the moves that change something and kill no snake."""
        model, key = self._model, self._model.key(position)
        return [m for m in model.actions(position) if model.key(model.apply(position, m)) != key]
