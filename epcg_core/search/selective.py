"""The base of searches that evaluate some ranks only, for search plugins: hill climbing, say.

    class Climbing(SelectiveSearch):
        name = "climbing"                       # as in its SearchInfo

        def visit(self, params, spec, ranks, score):    # ranks: one stretch of the space
            for rank in ...:
                score(rank)                     # evaluates and records the rank

Such a run is recorded, resumed and verified like any other, and never called exhaustive: the ranks that were
not scored count as left out. Results depend neither on workers nor on units, because each stretch is searched
as a whole, wherever units begin.
"""

from __future__ import annotations

from abc import abstractmethod
from collections.abc import Callable, Mapping, Sequence
from typing import Any, ClassVar, TypeAlias

import attrs
import numpy as np

from epcg_core.base.errors import PluginError, QueryError
from epcg_core.base.params import structure
from epcg_core.chunks.blocks import Block, BlockEvaluator, side_by_side
from epcg_core.chunks.scores import block_scores
from epcg_core.domain import Bits, Value
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec
from epcg_core.search.exhaustive import ExhaustiveSearch
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

Scorer: TypeAlias = "Callable[[int], Value | None]"
"""Evaluates and records a rank, and returns its value of the first metric; None if it has none. A rank that
is scored again is not evaluated again."""


class SelectiveSearch(SearchBase):
    """A search that evaluates the ranks that `visit` chooses, stretch by stretch of the space."""

    name: ClassVar[str]
    """The name under which the search is registered."""
    stretch: ClassVar[int] = 4096
    """Ranks that are searched together."""

    @abstractmethod
    def visit(self, params: Any, spec: RunSpec, ranks: range, score: Scorer) -> None:
        """Score some ranks of a stretch.

        It must depend on its arguments alone: draws are made with a seed, from the params and `ranks.start`.

        Args:
            params: The params of the search, an object of the class in its `SearchInfo`.
            spec: The run; `spec.metrics[0]` is the metric that `score` returns, with its direction.
            ranks: The stretch: `stretch` ranks, or fewer at both ends of the run's range.
            score: Evaluates and records a rank of the stretch.
        """

    def plan(self, query: Query) -> RunSpec:
        """Plan the run. Raises QueryError if the query has a filter, whose ranks `visit` would not know."""
        if query.filter is not None:
            raise QueryError(f"The search {self.name} takes no [filter]: it chooses ranks itself.")
        return attrs.evolve(RunDraft.of(self._registry, query, self.name).evaluated(), chooses=True)

    def block_size(self, spec: RunSpec) -> int | None:
        return self.stretch

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        return self._solver(spec, ExhaustiveSearch(self._registry).evaluators(spec, inputs))

    def _solver(self, spec: RunSpec, evaluators: Sequence[BlockEvaluator]) -> _SelectiveSolver:
        kind = self._registry.search(self.name).params
        params: Any = structure(kind, spec.search.params, "search")
        return _SelectiveSolver(self, params, spec, evaluators)

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        exhaustive = ExhaustiveSearch(self._registry)
        compiled = exhaustive.evaluators(spec, inputs, "fresh")
        plain = self._solver(spec, exhaustive.evaluators(spec, inputs, "plain"))
        if not any(evaluator.has_plain_form for evaluator in compiled):
            return Checker(plain, same=True)
        return Checker(plain, self._solver(spec, compiled))


@attrs.define(eq=False)
class _SelectiveSolver:
    """Searches every stretch that a block of ranks meets, and returns what it scored of the block."""

    search: SelectiveSearch
    params: Any
    """The params of the search, structured."""
    spec: RunSpec
    evaluators: Sequence[BlockEvaluator]
    _last: tuple[int, list[int]] = (-1, [])
    """The last stretch, and the ranks scored in it."""

    def __call__(self, start: int, count: int) -> Block:
        size, stop = self.search.stretch, start + count
        found: list[int] = []
        for number in range(start // size, -(-stop // size)):
            found += [rank for rank in self._scored(number) if start <= rank < stop]
        ranks = np.array(found, np.int64)
        return side_by_side([evaluator.at(start, count, ranks) for evaluator in self.evaluators])

    def _scored(self, number: int) -> list[int]:
        if self._last[0] != number:
            size = self.search.stretch
            known: dict[int, Value | None] = {}
            ranks = range(max(self.spec.start, number * size), min(self.spec.stop, (number + 1) * size))

            def score(rank: int) -> Value | None:
                if rank not in ranks:
                    raise PluginError(
                        f"The search {self.search.name} scored {rank}, which is not in {ranks}: `visit` may "
                        "score the ranks of its stretch."
                    )
                if rank not in known:
                    block = self.evaluators[0].block(rank, 1)
                    scores = block_scores(block, self.evaluators[0].metrics, rank)
                    known[rank] = None if scores is None else scores[0][1]
                return known[rank]

            self.search.visit(self.params, self.spec, ranks, score)
            self._last = number, sorted(known)
        return self._last[1]
