"""The evaluators `shortest_solution` and `edit_effect`, for any domain with a transition model.

A plugin registers them in a line each: `register(shortest_path_evaluator("my_domain"))`. The generator must
offer `transition_model`, and for `edit_effect` be one of edited content (`epcg_core.combinatorics.edits`).
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

import threading
from collections.abc import Callable, Mapping, Sequence
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Literal

import attrs

from epcg_core.base.errors import PluginError
from epcg_core.domain import (
    WHOLE,
    Bits,
    EditedContent,
    EvaluatorInfo,
    LimitReachedError,
    Metric,
    TableNeed,
    Value,
    transition_model,
    words_of,
)
from epcg_core.search.shortest_path.solver import PathResult, shortest_path

if TYPE_CHECKING:
    from epcg_core.search.params import PathParams
    from epcg_core.search.shortest_path.incremental import VariantAnswer, VariantSearch
    from epcg_core.search.shortest_path.positions import PositionTable
    from epcg_core.search.shortest_path.shared import SharedSearch

MOVES = Metric(
    "moves", "int", "max", "moves", "moves of a shortest solution",
    none=WHOLE.proven("no solution"), sentence="solved in {} move[s]", headline=1, at_least=0
)  # fmt: skip
EXPANSIONS = Metric(
    "expansions",
    "int",
    "max",
    "states",
    "states that breadth-first search expands; one more than its limit where that was reached",
    always=True,
    title="positions searched",
    sentence="{} position[s] searched until a shortest solution is found",
    at_least=0,
)
GAIN = Metric(
    "gain",
    "int",
    "max",
    "moves",
    "moves of the shortest solution more than the original's",
    sentence="{} move[s] more than the original",
)
EVIDENCE = Metric(
    "evidence",
    "int",
    "max",
    "",
    "0: searched; 1: the original's search depended on nothing that was changed, so its answer holds",
    always=True,
    at_least=0,
    at_most=1,
)


def _metrics(direction: Literal["max", "min"], edited: bool = False) -> tuple[Metric, ...]:
    """Return the metrics of an evaluator; `direction` is that of moves and gain."""
    moves, gain = (attrs.evolve(metric, direction=direction) for metric in (MOVES, GAIN))
    return (moves, gain, EXPANSIONS, EVIDENCE) if edited else (moves, EXPANSIONS)


def shortest_path_evaluator(
    domain: str,
    *,
    name: str = "shortest_solution",
    params: type[PathParams] | str = "epcg_core.search.params:PathParams",
    direction: Literal["max", "min"] = "max",
) -> EvaluatorInfo:
    """Make a domain's evaluator of the shortest solution: `moves` and `expansions`.

    A candidate without a solution has no moves, and one that takes more than `limit` expansions has the
    status 'limit'; both have expansions. `direction` tells which number of moves is better.
    """
    return EvaluatorInfo(
        name=name,
        domain=domain,
        summary="the shortest solution, by breadth-first search",
        params=params,
        metrics=_metrics(direction),
        factory=partial(ShortestSolution, direction),
        needs=partial(_no_needs, transition_model),
        solutions=path_solutions,
    )


def edited_path_evaluator(
    domain: str,
    *,
    name: str = "edit_effect",
    params: type[PathParams] | str = "epcg_core.search.params:PathParams",
    direction: Literal["max", "min"] = "max",
) -> EvaluatorInfo:
    """Make a domain's evaluator of the effect of edits: `moves`, `gain`, `expansions` and `evidence`.

    The values are those of `shortest_path_evaluator`, found faster by reusing searches of the original and of
    other variants. `gain` has no value if the original has no moves.
    """
    return EvaluatorInfo(
        name=name,
        domain=domain,
        summary="what edits do to the shortest solution, by incremental search",
        params=params,
        metrics=_metrics(direction, edited=True),
        factory=partial(EditEffect, direction),
        incremental_for="shortest_solution",
        needs=partial(_no_needs, edited_content),
        solutions=path_solutions,
    )


class ShortestSolution:
    """Searches every state from scratch, reusing memory; states that differ in little share graphs."""

    def __init__(
        self,
        direction: Literal["max", "min"],
        params: PathParams,
        generator: Any,
        tables: Mapping[str, Bits] | None = None,
    ) -> None:
        self.metrics = _metrics(direction)
        self._model = transition_model(generator)
        self._limit = params.limit
        self._shares = bool(getattr(generator, "related", False))
        self._own = threading.local()

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        """Compute (moves, expansions). Raises LimitReachedError, with the expansions."""
        found = self._search(state)
        if found.limit_reached:
            raise _gave_up(self._limit, (None, found.expansions))
        return found.length, found.expansions

    def plain(self) -> ShortestSolution:
        """Return an evaluator that searches plain states."""
        return _PlainSolution(self)

    def fresh(self) -> ShortestSolution:
        """Return an evaluator that searches every state from its beginning."""
        return _FreshSolution(self)

    def _search(self, state: Any) -> PathResult:
        if self._shares and getattr(self._model, "packed", None) is not None:
            return self._shared().answer(state)
        return shortest_path(self._model, state, self._limit, table=self._table())

    def _shared(self) -> SharedSearch:
        """Return this thread's search of states that differ in little."""
        if not hasattr(self._own, "shared"):
            from epcg_core.search.shortest_path.shared import SharedSearch

            self._own.shared = SharedSearch(self._model, self._limit)
        found: SharedSearch = self._own.shared
        return found

    def _table(self) -> PositionTable | None:
        """Return the table of this thread; None if the model offers no packed positions."""
        if getattr(self._model, "packed", None) is None:
            return None
        if not hasattr(self._own, "table"):
            from epcg_core.search.shortest_path.positions import PositionTable

            self._own.table = PositionTable(1)
        found: PositionTable = self._own.table
        return found


class _FreshSolution(ShortestSolution):
    """The same without anything learned from other states."""

    def __init__(self, other: ShortestSolution) -> None:
        self.__dict__.update(vars(other))
        self._shares = False


class _PlainSolution(ShortestSolution):
    """The same by plain code."""

    def __init__(self, other: ShortestSolution) -> None:
        self.__dict__.update(vars(other))

    def _search(self, state: Any) -> PathResult:
        return shortest_path(self._model, state, self._limit, plain=True)


class EditEffect:
    """Searches variants incrementally; every thread and every worker has a graph of its own."""

    def __init__(
        self,
        direction: Literal["max", "min"],
        params: PathParams,
        generator: Any,
        tables: Mapping[str, Bits] | None = None,
    ) -> None:
        self.metrics = _metrics(direction, edited=True)
        self._original = edited_content(generator).original
        self._model = transition_model(generator)
        self._limit = params.limit
        self._own = threading.local()

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        """Compute (moves, gain, expansions, evidence). Raises LimitReachedError, with the last two."""
        search = self._search()
        found = search.answer(state)
        return self._values(found, search.original, found.evidence)

    def fresh(self) -> EditEffect:
        """Return an evaluator that searches every variant from its beginning."""
        return _SearchedAnew(self, plain=False)

    def plain(self) -> EditEffect:
        """Return an evaluator that searches plain states; only `evidence` still needs packed ones."""
        return _SearchedAnew(self, plain=True)

    def _values(
        self, found: VariantAnswer | PathResult, original: VariantAnswer | PathResult, evidence: int
    ) -> Sequence[Value | None]:
        if found.limit_reached:
            raise _gave_up(self._limit, (None, None, found.expansions, evidence))
        gain = None if found.length is None or original.length is None else found.length - original.length
        return found.length, gain, found.expansions, evidence

    def _search(self) -> VariantSearch:
        """Return this thread's search; the first call searches the original."""
        if not hasattr(self._own, "search"):
            from epcg_core.search.shortest_path.incremental import VariantSearch

            self._own.search = VariantSearch(self._model, self._original, self._limit)
        found: VariantSearch = self._own.search
        return found


class _SearchedAnew(EditEffect):
    """Moves, gain and expansions by a search of the variant alone.

    `evidence` is that of the incremental search, whose footprints it speaks of.
    """

    def __init__(self, other: EditEffect, plain: bool) -> None:
        self.__dict__.update(vars(other))
        self._plain = plain

    def evaluate(self, state: Any) -> Sequence[Value | None]:
        evidence = self._search().answer(state).evidence
        found = shortest_path(self._model, state, self._limit, plain=self._plain)
        return self._values(found, self._plain_original, evidence)

    @cached_property
    def _plain_original(self) -> PathResult:
        return shortest_path(self._model, self._original, self._limit, plain=self._plain)


def path_solutions(params: PathParams, generator: Any) -> Callable[[Any], Sequence[Sequence[str]]]:
    """Return a function from a state to its shortest solution, as action strings, if it has one."""
    model = transition_model(generator)
    text = words_of(model)

    def solutions(state: Any) -> Sequence[Sequence[str]]:
        found = shortest_path(model, state, params.limit)
        return () if found.length is None else (tuple(map(text, found.actions)),)

    return solutions


def edited_content(generator: Any) -> EditedContent[Any]:
    """Return a playable generator as one of edited content. Raises PluginError if it is not one."""
    transition_model(generator)
    if not isinstance(generator, EditedContent):
        raise PluginError(
            f"The generator {type(generator).__name__} does not edit one content, so its states have no "
            "original: choose another evaluator."
        )
    return generator


def _no_needs(check: Callable[[Any], object], params: Any, generator: Any) -> tuple[TableNeed, ...]:
    """Ask for no tables, but refuse unfit generators when a query is planned."""
    check(generator)
    return ()


def _gave_up(limit: int, values: Sequence[Value | None]) -> LimitReachedError:
    return LimitReachedError(f"A solution takes more than {limit} expansions.", values)
