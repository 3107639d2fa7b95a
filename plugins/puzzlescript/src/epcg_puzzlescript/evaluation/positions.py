"""Evaluators of all positions of a level: how many there are, how many are lost, how many solutions."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any, ClassVar

from epcg_core.plugin import Bits, Metric, ReachableGraph, reachable_from
from epcg_puzzlescript import metrics
from epcg_puzzlescript.evaluation.graph import shortest_solutions
from epcg_puzzlescript.params import PositionsParams
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel


class _OfGraph:
    """An evaluator of the graph of a level's positions."""

    def __init__(
        self, params: PositionsParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._limit = params.limit
        self._model: PuzzleScriptModel = generator.transition_model
        self._plain = False

    def _graph(self, level: Level) -> ReachableGraph:
        if self._plain:
            return ReachableGraph.by_plain_play(self._model, [self._model.initial(level)], self._limit)
        return reachable_from(self._model, level, self._limit)


class StateSpace(_OfGraph):
    """`state_space`: the positions that play can reach, those that are lost, those without a way on."""

    metrics: ClassVar[tuple[Metric, ...]] = (metrics.REACHABLE, metrics.DEAD, metrics.STUCK)

    def evaluate(self, level: Level) -> tuple[int, int, int]:
        """Evaluate a level. Raises LimitReachedError."""
        graph = self._graph(level)
        return graph.count, graph.lost, graph.stuck()

    def plain(self) -> StateSpace:
        """Return an evaluator that explores plain positions."""
        found = copy(self)
        found._plain = True
        return found


class Solutions(_OfGraph):
    """`solutions`: the number of shortest solutions."""

    metrics: ClassVar[tuple[Metric, ...]] = (metrics.SHORTEST_SOLUTIONS,)

    def evaluate(self, level: Level) -> tuple[int | None]:
        """Evaluate a level. Raises LimitReachedError."""
        return (shortest_solutions(self._graph(level)),)

    def plain(self) -> Solutions:
        """Return an evaluator that explores plain positions."""
        found = copy(self)
        found._plain = True
        return found
