"""The evaluators `intended_solution` and `other_solutions`, for any domain with a transition model.

The intended solution is a param, or the first shortest one: of the original, if a generator edits one
content, and of each puzzle otherwise.
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

from collections.abc import Mapping, Sequence
from copy import copy
from itertools import pairwise
from typing import TYPE_CHECKING, Any

from epcg_core.domain import (
    Bits,
    EditedContent,
    LimitReachedError,
    Metric,
    TableNeed,
    Value,
    transition_model,
    words_of,
)
from epcg_core.search.shortest_path.evaluators import EditEffect, ShortestSolution
from epcg_core.search.shortest_path.given import Taken, read, take
from epcg_core.search.shortest_path.solver import packed_model, shortest_path

if TYPE_CHECKING:
    from epcg_core.search.params import IntendedParams
    from epcg_core.search.shortest_path.reachable import ReachableGraph

_NO_MORE = "the intended solution does not solve it"
STAYS = Metric(
    "intended_stays",
    "bool",
    "max",
    "",
    "the intended solution solves the puzzle",
    title="intended solution stays",
    always=True,
)
UNTIL = Metric(
    "intended_until",
    "int",
    "max",
    "moves",
    "moves of the intended solution before the first that is impossible, or before a goal that comes earlier",
    title="intended moves possible",
    always=True,
    at_least=0,
)
SAVED = Metric(
    "moves_saved",
    "int",
    "min",
    "moves",
    "moves of the intended solution more than of a shortest one; 0: none is shorter",
    title="moves that a shortcut saves",
    none=_NO_MORE,
    sentence="a shortcut saves {} move[s]",
    at_least=0,
)
OTHERS = Metric(
    "other_solutions",
    "int",
    "min",
    "solutions",
    "other solutions with as many moves as the intended one",
    none=_NO_MORE,
    sentence="{} other solution[s] of its length",
    at_least=0,
)
UNLIKE = Metric(
    "unlike_solutions",
    "int",
    "min",
    "solutions",
    "other solutions of its length that are not the same moves in another order",
    title="solutions of other moves",
    none=_NO_MORE,
    at_least=0,
)
APART = Metric(
    "apart_solutions",
    "int",
    "min",
    "solutions",
    "solutions of at most its length that pass none of its positions between the first one and a goal",
    title="solutions apart from it",
    none=_NO_MORE,
    at_least=0,
)
SHORTER = Metric(
    "shorter_solutions",
    "int",
    "min",
    "solutions",
    "solutions with fewer moves than the intended one",
    none=_NO_MORE,
    at_least=0,
)
SHORTCUT = Metric(
    "shortcut_at",
    "int",
    "max",
    "",
    "the first move of the intended solution in place of which a shorter one has another",
    title="move where a shortcut leaves",
    none="no shortcut",
    at_least=1,
)


class _Intended:
    """Find the intended solution, and take its moves in a puzzle: the base of both evaluators."""

    metrics: tuple[Metric, ...]

    def __init__(
        self, params: IntendedParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self._params, self._model = params, transition_model(generator)
        self._generator, self._plain = generator, False
        self._words: Sequence[str] | None = None
        """The actions' whole texts, if the original has them all: a change makes no letter ambiguous then."""
        if isinstance(generator, EditedContent):
            found = self._own(generator.original)
            self._words = None if found.rest else found.actions

    def _taken(self, state: Any) -> Taken:
        """Take the intended solution in a puzzle, as far as it goes. Raises LimitReachedError."""
        if self._words is not None:
            return take(self._model, self._model.initial(state), self._words)
        return self._own(state)

    def _own(self, state: Any) -> Taken:
        """Read the given solution in a puzzle, or find its first shortest one."""
        start = self._model.initial(state)
        if self._params.solution.strip():
            return read(self._model, start, self._params.solution)
        found = shortest_path(self._model, state, self._params.limit, plain=self._plain)
        if found.limit_reached:
            raise LimitReachedError(f"A solution takes more than {self._params.limit} expansions.")
        return take(self._model, start, list(map(words_of(self._model), found.actions)))


class IntendedSolution(_Intended):
    """`intended_solution`: the solution is played, and a shorter one is searched if it stays."""

    metrics = (STAYS, UNTIL, SAVED)

    def __init__(
        self, params: IntendedParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        super().__init__(params, generator, tables)
        from epcg_core.search.params import PathParams

        shortest = EditEffect if isinstance(generator, EditedContent) else ShortestSolution
        self._shortest: Any = shortest("max", PathParams(params.limit), generator)

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        """Compute (stays, until, saved). Raises LimitReachedError, with the first two if they are known."""
        found = self._taken(state)
        length = len(found.actions)
        if not found.solved:
            return False, length, None
        try:
            shortest = self._shortest.evaluate(state)[0]
        except LimitReachedError as error:
            raise LimitReachedError(str(error), (True, length, None)) from error
        return True, length, length - shortest

    def fresh(self) -> IntendedSolution:
        """Return an evaluator that searches every puzzle from its beginning."""
        return self._with(self._shortest.fresh())

    def plain(self) -> IntendedSolution:
        """Return an evaluator that searches plain positions."""
        from epcg_core.search.params import PathParams

        found = self._with(ShortestSolution("max", PathParams(self._params.limit), self._generator).plain())
        found._plain = True
        return found

    def _with(self, shortest: Any) -> IntendedSolution:
        found = copy(self)
        found._shortest = shortest
        return found


class OtherSolutions(_Intended):
    """`other_solutions`: counts over the graph of the positions that as many moves can reach."""

    metrics = (OTHERS, UNLIKE, APART, SHORTER, SHORTCUT)

    def evaluate(self, state: Any) -> Sequence[Value | None] | None:
        """Compute the five numbers; None if the solution solves it not. Raises LimitReachedError."""
        taken = self._taken(state)
        if not taken.solved:
            return None
        from epcg_core.search.shortest_path.ways import Ways, numbered

        length = len(taken.actions)
        graph, texts = self._graph(state, taken)
        passed = _passed(graph, texts, taken.actions)
        changing = [one != other for one, other in pairwise(passed)]
        counts = Ways(graph, length).solutions()
        numbers, wanted = numbered(texts, taken.actions)
        own = int(all(changing))  # actions that change nothing belong to no solution that is counted
        orders = Ways(graph, length).of_actions(numbers, wanted) if own else 0
        between = set(passed[1:-1]) - {passed[0], passed[-1]}
        apart = sum(Ways(graph, length, sorted(between)).solutions()) - (0 if between else own)
        others = counts[length] - own
        return others, others - (orders - own), apart, sum(counts[:length]), _shortcut(graph, passed)

    def plain(self) -> OtherSolutions:
        """Return an evaluator that explores plain positions."""
        found = copy(self)
        found._plain = True
        return found

    def _graph(self, state: Any, taken: Taken) -> tuple[ReachableGraph, Sequence[str]]:
        """Return the positions that as many moves reach, and the texts of the edges' actions."""
        from epcg_core.search.shortest_path.reachable import ReachableGraph, reachable

        limit, length = self._params.limit, len(taken.actions)
        packed = None if self._plain else packed_model(self._model, state)
        if packed is None:
            start = self._model.initial(state)
            graph = ReachableGraph.by_plain_play(self._model, [start], limit, length)
            return graph, graph.texts
        import numpy as np

        graph = reachable(packed, packed.pack(taken.states[0]).reshape(1, -1), limit, length)
        assert graph.action is not None
        text_of = words_of(self._model)
        known = {number: text_of(packed.action(number)) for number in np.unique(graph.action).tolist()}
        return graph, [known[number] for number in graph.action.tolist()]


def _passed(graph: ReachableGraph, texts: Sequence[str], actions: Sequence[str]) -> list[int]:
    """Return the numbers of the positions that actions pass; one without an edge changes nothing."""
    here, found = 0, [0]
    for action in actions:
        onward = (graph.source == here).nonzero()[0].tolist()
        here = next((int(graph.target[edge]) for edge in onward if texts[edge] == action), here)
        found.append(here)
    return found


def _shortcut(graph: ReachableGraph, passed: Sequence[int]) -> int | None:
    """Return the first move in place of which a shorter solution has another; None if none is shorter."""
    length = len(passed) - 1
    for done, (here, after) in enumerate(pairwise(passed)):
        onward = graph.target[graph.source == here]
        left = graph.distances[onward[(onward != after) & (onward != here)]]  # no solution stands still
        left = left[left != graph.UNREACHED]
        if len(left) and done + 1 + int(left.min()) < length:
            return done + 1
    return None


def no_needs(params: Any, generator: Any) -> tuple[TableNeed, ...]:
    """Ask for no tables, but refuse unfit generators when a query is planned."""
    transition_model(generator)
    return ()
