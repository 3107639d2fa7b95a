"""Branch and bound (Sturtevant & Ota 2018, Algorithm 6): the best of a space, proven, by partial evaluation.

States are built item by item. If a partial state's admissible bound cannot reach the incumbent, all its
completions (one range of ranks) are pruned. Two runs answer a query:

1. search: units improve on the best candidate known when they start. In any order, the final best is the
optimum at its lowest rank. 2. proof: the incumbent is fixed at the optimum, so that every unit can be
computed without the others, and
   the optima, and what proves them, depend neither on timing nor on the number of workers.

A run records how many ranks of every unit were evaluated and pruned; the prunings, with their ranges, bounds
and reasons; and all metrics of the candidates that reached the incumbent (in a proof the optima, in a search
those that improved on it). Candidates that were evaluated and did not reach it are counted, not listed: which
ones they are depends on how well a domain's search prunes, so they are not a property of the space, and there
may be a thousand million of them. `epcg verify` computes a sample of them again.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from typing import Any

import attrs
import numpy as np

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, EvaluationError, QueryError
from epcg_core.base.params import plain
from epcg_core.chunks.blocks import Block, BlockEvaluator, as_array, side_by_side
from epcg_core.chunks.objective import INCUMBENT, Best, Objective, from_words
from epcg_core.combinatorics import RankedSpace
from epcg_core.combinatorics.prefixes import prefixes
from epcg_core.domain import (
    Bits,
    BlockResult,
    CompiledPartialEvaluator,
    Cutoff,
    PartialEvaluator,
    PrefixSpace,
    SearchingEvaluator,
    Value,
)
from epcg_core.domain.bounds import BOUND_HINT
from epcg_core.plugins.registry import Registry
from epcg_core.query.query import Query
from epcg_core.query.spec import InputSpec, PartSpec, RunSpec, make_generator
from epcg_core.search.branch_and_bound.prunings import PruningList, check_block, merged
from epcg_core.search.exhaustive import ExhaustiveSearch
from epcg_core.search.params import BranchAndBoundParams
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

UNITS = 1024
"""Approximate number of units; their costs are unknown in advance."""
SMALLEST_UNIT = 256


class BranchAndBoundSearch(SearchBase):
    """Finds the best candidates by the first metric of the query's first evaluator.

    Further evaluators measure the recorded candidates.
    """

    def __init__(self, registry: Registry) -> None:
        super().__init__(registry)
        self._exhaustive = ExhaustiveSearch(registry)

    def plan(self, query: Query) -> RunSpec:
        draft = RunDraft.of(self._registry, query, "branch_and_bound")
        params, every = draft.params, draft.evaluated()
        search = self._spec(every, attrs.evolve(params, keep="first", phase="search"), ())
        if params.phase == "search":
            return search
        incumbent = InputSpec(INCUMBENT, search, every.metrics[0].name, kind="best")
        return self._spec(every, params, (incumbent,))

    def _spec(self, every: RunSpec, params: BranchAndBoundParams, inputs: tuple[InputSpec, ...]) -> RunSpec:
        metric = every.metrics[0]
        if metric.kind == "bool":
            raise QueryError(f"Branch and bound optimizes a number; '{metric.name}' is true or false.")
        return attrs.evolve(
            every,
            search=PartSpec("branch_and_bound", plain(params)),
            inputs=(*every.inputs, *inputs),
            objective=Objective(metric.name, metric.direction, params.keep, params.phase),
        )

    def block_size(self, spec: RunSpec) -> int | None:
        total = spec.stop - spec.start
        return max(-(-total // UNITS), min(total, SMALLEST_UNIT), 1)

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        words = tables.get(INCUMBENT)
        best = None if words is None else from_words(words, spec.metrics[0])
        return BranchAndBoundSolver(spec, self._exhaustive.evaluators(spec, inputs), best)

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        evaluator: Any = self._exhaustive.evaluators(spec, inputs, "plain")[0].evaluator
        generator = make_generator(self._registry, spec.space)
        space = prefix_space(generator, spec.space.name)

        def bounds(rank: int) -> list[Value | None]:
            partial = evaluator.empty()
            found = [evaluator.bound(partial)]
            for item in list(space.items(rank))[:-1]:
                partial = evaluator.extend(partial, item)
                found.append(evaluator.bound(partial))
            return found

        return attrs.evolve(
            self._exhaustive.checker(spec, inputs),
            same=False,
            bounds=bounds,
            proof=BranchAndBoundSolver(spec, self._exhaustive.evaluators(spec, inputs), None),
        )


class BranchAndBoundSolver:
    """Searches blocks of ranks, with the evaluator's kernel if it has one."""

    def __init__(self, spec: RunSpec, evaluators: list[BlockEvaluator], best: Best | None) -> None:
        assert spec.objective is not None
        self._objective = spec.objective
        self._best = best
        self._evaluators = evaluators
        first = evaluators[0]
        self._name = type(first.evaluator).__name__
        if not isinstance(first.evaluator, PartialEvaluator):
            raise QueryError(
                f"'{spec.evaluators[0].name}' scores whole states only, so it has no bounds (see "
                "PartialEvaluator): name one that has them first, or use the exhaustive search."
            )
        space = prefix_space(first.generator, spec.space.name)
        if isinstance(first.evaluator, CompiledPartialEvaluator):
            self._search: Callable[[int, int, Cutoff], BlockResult] = first.evaluator.search_block
        else:
            self._search = PlainSearch(space, first.evaluator).search_block

    def __call__(self, start: int, count: int, best: Best | None = None) -> Block:
        """Search ranks start .. start + count - 1; `best` improves on the incumbent known at set-up."""
        incumbent = self._objective.cutoff(self._objective.better(self._best, best))
        found = self._search(start, count, incumbent)
        check_block(found, start, count, self._name)
        ranks = np.asarray(found.ranks, np.int64)
        block = side_by_side([evaluator.at(start, count, ranks) for evaluator in self._evaluators])
        self._check_values(found, block)
        return attrs.evolve(
            block,
            prunings=merged(found.prunings, incumbent.sign),
            counted=found.evaluated - len(ranks),
        )

    def _check_values(self, found: BlockResult, block: Block) -> None:
        """Check that the search and the evaluator agree on the objective."""
        status = block.evaluation.status
        missing = np.zeros(len(found.ranks), np.bool_) if status is None else np.atleast_2d(status)[0] != 0
        values = as_array(block.evaluation.values[0])
        wrong = np.flatnonzero(missing | (values != found.values))
        if len(wrong):
            i = wrong[0]
            raise EvaluationError(
                f"{self._name} gives rank {found.ranks[i]} the value {found.values[i]} when it searches, and "
                f"{'none' if missing[i] else values[i]} when it evaluates.",
                int(found.ranks[i]),
            )


def prefix_space(generator: Any, name: str) -> PrefixSpace:
    """Return the prefixes of a generator's states. Raises QueryError if there are none."""
    own: PrefixSpace | None = getattr(generator, "prefixes", None)
    if own is None:  # what exact cover searches is made of placements
        own = getattr(getattr(generator, "partial_covers", None), "prefixes", None)
    if own is not None:
        return own
    if isinstance(generator, RankedSpace):
        return prefixes(generator)
    raise QueryError(
        f"{name} does not say how its states are made item by item (see PrefixSpace), so partial states have "
        "no ranks: use the exhaustive search."
    )


@attrs.define
class _Node:
    """A partial state whose children are being visited."""

    prefix: tuple[int, ...]
    partial: Any
    bound: Value
    items: Iterator[int]


class PlainSearch:
    """Branch and bound for any partial evaluator, in plain Python: depth first, in the order of ranks."""

    def __init__(self, space: PrefixSpace, evaluator: PartialEvaluator[Any]) -> None:
        self._space = space
        self._evaluator = evaluator

    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        """Search ranks start .. start + count - 1. Raises EvaluationError if the evaluator does."""
        return _Walk(self._space, self._evaluator, start, count, incumbent).result()


class _Walk:
    """One walk through a block of ranks."""

    def __init__(
        self,
        space: PrefixSpace,
        evaluator: PartialEvaluator[Any],
        start: int,
        count: int,
        incumbent: Cutoff,
    ) -> None:
        self._space = space
        self._evaluator: Any = evaluator
        self._cut_short = isinstance(evaluator, SearchingEvaluator)
        self._start = start
        self._stop = start + count
        self._incumbent = incumbent
        self._at = start
        """The next rank to account for."""
        self._found: list[tuple[int, Value]] = []
        self._evaluated = 0
        self._prunings = PruningList(incumbent.sign)
        # While nothing is accounted for, the walk goes down to the first rank, whose items these are.
        self._way = tuple(space.items(start)) if count else ()

    def result(self) -> BlockResult:
        try:
            if self._at < self._stop:
                self._walk()
        except EpcgError:
            raise
        except PLUGIN_EXCEPTIONS as error:  # an evaluator may raise anything
            name = type(self._evaluator).__name__
            raise EvaluationError(
                f"The evaluator {name} raised {type(error).__name__}: {error} in the partial states "
                f"from rank {self._at} on.",
                self._at,
            ) from error
        ranks, values = zip(*self._found, strict=True) if self._found else ((), ())
        return BlockResult(
            self._evaluated, np.array(ranks, np.int64), np.array(values), self._prunings.prunings()
        )

    def _walk(self) -> None:
        evaluator, length = self._evaluator, self._space.length
        nodes: list[_Node] = []
        self._enter(nodes, (), evaluator.empty(), self._stop)
        while nodes and self._at < self._stop:
            node = nodes[-1]
            item = next(node.items, None)
            if item is None:
                nodes.pop()
                continue
            prefix = (*node.prefix, item)
            first = self._space.first_rank(prefix) if self._at == self._start else self._at
            end = min(self._stop, first + self._space.completions(prefix))
            if end <= self._at:
                continue
            partial = evaluator.extend(node.partial, item)
            if len(prefix) == length:
                self._evaluate(partial, node.bound)
            else:
                self._enter(nodes, prefix, partial, end)

    def _enter(self, nodes: list[_Node], prefix: tuple[int, ...], partial: Any, end: int) -> None:
        """Prune the completions of `prefix`, which end before rank `end`, or visit them next."""
        if len(prefix) == self._space.length:  # only the state without items
            self._evaluate(partial, None)
            return
        bound = self._evaluator.bound(partial)
        if bound != bound:
            raise EpcgError(f"{type(self._evaluator).__name__} gives the partial {prefix} a bound of NaN.")
        if bound is None or self._incumbent.excludes(bound, self._at):
            self._prunings.add(self._at, end - self._at, bound)
            self._at = end
            return
        items = self._space.following(prefix)
        if self._at == self._start:
            items = items[items.index(self._way[len(prefix)]) :]
        nodes.append(_Node(prefix, partial, bound, iter(items)))

    def _evaluate(self, complete: Any, bound: Value | None) -> None:
        rank = self._at
        value = (
            self._evaluator.value_reaching(complete, self._incumbent, rank)
            if self._cut_short
            else self._evaluator.value(complete)
        )
        self._evaluated += 1
        self._at += 1
        if value is None:
            return
        if bound is not None and self._incumbent.sign * value > self._incumbent.sign * bound:
            name, most = type(self._evaluator).__name__, "most" if self._incumbent.sign > 0 else "least"
            raise EvaluationError(
                f"The bound of {name} is not admissible: it allows {bound} at {most} for the partial state "
                f"of rank {rank}, whose value is {value}. {BOUND_HINT}",
                rank,
            )
        if self._incumbent.reached_by(value, rank):
            self._found.append((rank, value))
            if not self._incumbent.fixed:
                self._incumbent = attrs.evolve(self._incumbent, value=value, ties_to=rank)
