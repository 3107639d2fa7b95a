"""The best of all exact covers, by branch and bound over partial covers.

The value of a cover is bounded while its placements are chosen one by one, in the order of the search. The
candidates of a run are the partial covers at a depth (`PartialCovers`): their ranks are pruned by their first
placements, and the completions of each are searched the same way for the best cover. So a run's optimum is
that of all covers modulo the symmetries, and few covers need to be completed. If the depth is that of whole
covers, each cover is a candidate.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import EpcgError, ParamsError
from epcg_core.domain import Cutoff, Metric, PartialEvaluator, Value
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import NO_PLACEMENT, PartialCovers

OPTIMA = Metric("optima", "int", "max", "", "best covers that go on from the partial cover")


@attrs.frozen
class Chosen:
    """A partial cover, and the objective's partial value of it."""

    placements: tuple[int, ...]
    own: Any
    whole: bool
    """It is a cover; placements on cells that may stay empty make other ones."""


class BestCovers:
    """Evaluates partial covers by the best cover that extends each; the objective comes first.

    `objective` is a `PartialEvaluator` of a domain whose items are numbers of placements, in the order of the
    search; `value` is called for covers, `bound` for incomplete ones. If the problem has symmetries,
    symmetric covers must have equal values, because only one of them is searched.
    """

    def __init__(self, partial: PartialCovers, metric: Metric, objective: PartialEvaluator[Any]) -> None:
        self.metrics = (metric, OPTIMA)
        self._partial = partial
        self._objective = objective
        self._sign = 1 if metric.direction == "max" else -1
        self._searches_plainly = False

    def plain(self) -> BestCovers:
        """Return an evaluator that searches without kernels."""
        found = BestCovers(self._partial, self.metrics[0], self._objective)
        found._searches_plainly = True
        return found

    def evaluate(self, state: Sequence[int]) -> tuple[Value, int] | None:
        """Return (value of the best covers that extend `state`, their number); None if there are none."""
        found = self.best(state)
        return None if not found else (found[0][1], len(found))

    def best(self, state: Sequence[int]) -> list[tuple[tuple[int, ...], Value]]:
        """Return (placements in the order of the search, value) of the best covers that extend `state`."""
        chosen = self.empty()
        for number in state:
            chosen = self.extend(chosen, number)
        if len(state) < self._partial.depth:
            chosen = self.extend(chosen, NO_PLACEMENT)
        found: list[tuple[tuple[int, ...], Value]] = []

        def admits(value: Value) -> bool:
            return not found or self._sign * value >= self._sign * found[0][1]

        for cover, value in self._covers(chosen, admits):
            if found and value != found[0][1]:
                found.clear()
            found.append((cover, value))
        return found

    def empty(self) -> Chosen:
        return Chosen((), self._objective.empty(), False)

    def extend(self, partial: Chosen, item: int) -> Chosen:
        if item == NO_PLACEMENT:
            return attrs.evolve(partial, whole=True)
        return Chosen((*partial.placements, item), self._objective.extend(partial.own, item), False)

    def bound(self, partial: Chosen) -> Value | None:
        return self._objective.value(partial.own) if partial.whole else self._objective.bound(partial.own)

    def value(self, complete: Chosen) -> Value | None:
        return self._best_value(complete, lambda value: True)

    def value_reaching(self, complete: Chosen, incumbent: Cutoff, rank: int) -> Value | None:
        """Return the value, if it reaches the incumbent; None may mean that it does not."""
        return self._best_value(complete, lambda value: incumbent.reached_by(value, rank))

    def _best_value(self, complete: Chosen, reaches: Callable[[Value], bool]) -> Value | None:
        best: Value | None = None

        def admits(value: Value) -> bool:
            return reaches(value) and (best is None or self._sign * value > self._sign * best)

        for _, value in self._covers(complete, admits):
            best = value
        return best

    def _covers(
        self, chosen: Chosen, admits: Callable[[Value], bool]
    ) -> Iterator[tuple[tuple[int, ...], Value]]:
        """Yield (placements, value) of the covers that extend `chosen` and are admitted at their turn.

        Raises EpcgError if a bound is not admissible.
        """
        if chosen.whole:
            value = self._objective.value(chosen.own)
            if value is not None and admits(value):
                yield chosen.placements, value
            return
        ways = [self._ways(chosen, admits, None)]
        while ways:
            node = next(ways[-1], None)
            if node is None:
                ways.pop()
                continue
            one, bound = node
            if not one.whole:
                ways.append(self._ways(one, admits, bound))
                continue
            value = self._objective.value(one.own)
            if value is None:
                continue
            if self._sign * value > self._sign * bound:
                most = "most" if self._sign > 0 else "least"
                raise EpcgError(
                    f"The bound of {type(self._objective).__name__} is not admissible: it allows {bound} at "
                    f"{most} for the beginning of the cover {one.placements}, whose value is {value}."
                )
            if admits(value):
                yield one.placements, value

    def _ways(
        self, chosen: Chosen, admits: Callable[[Value], bool], limit: Value | None
    ) -> Iterator[tuple[Chosen, Value]]:
        """Return the partial covers with one more placement, and `chosen` itself if it is complete.

        Each comes with its bound: the tightest of the bounds on its way, starting from `limit`.
        """
        bound = self._objective.bound(chosen.own)
        if bound != bound:
            name = type(self._objective).__name__
            raise EpcgError(f"{name} gives the partial cover {chosen.placements} a bound of NaN.")
        if bound is None or not admits(bound):
            return
        tightest = bound if limit is None else min(bound, limit, key=lambda one: self._sign * one)
        for placements in self._partial.search.following(chosen.placements, self._searches_plainly):
            # checked again: covers found below one of them may rule the others out
            if not admits(bound):
                return
            item = placements[-1] if len(placements) > len(chosen.placements) else NO_PLACEMENT
            yield self.extend(chosen, item), tightest


@attrs.frozen
class PartialCost:
    """The cost so far, and the least cost of the remaining cells, in fractions of a unit."""

    spent: int
    rest: int


class CoverCost:
    """The cost of a cover: the sum of what its placements cost; less is better.

    `costs` are integers of 0 or more, one for each placement. Every remaining cell must be covered and costs
    at least its share of the cheapest placement on it, if a placement's cost is shared by its cells that must
    be covered. Raises ParamsError for other costs, and if symmetries of the problem change them.
    """

    def __init__(self, problem: CoverProblem, costs: Sequence[int]) -> None:
        if len(costs) != len(problem.placements) or not all(
            isinstance(cost, int) and cost >= 0 for cost in costs
        ):
            raise ParamsError(
                f"The {len(problem.placements)} placements need one integer cost of 0 or more each: "
                f"{len(costs)} costs are given, or invalid ones."
            )
        for images in problem.images[1:]:
            for number, image in enumerate(images):
                if costs[number] != costs[image]:
                    raise ParamsError(
                        f"A symmetry makes placement {image}, which costs {costs[image]}, of placement "
                        f"{number}, which costs {costs[number]}: leave the symmetries out, or make the costs "
                        "equal."
                    )
        self._costs = costs
        needed = [[c for c in cells if c not in problem.optional] for _, cells in problem.placements]
        self._parts = math.lcm(*(len(cells) for cells in needed if cells))
        share: dict[int, int] = {}
        for cells, cost in zip(needed, costs, strict=True):
            for cell in cells:
                own = cost * (self._parts // len(cells))
                share[cell] = min(own, share.get(cell, own))
        self._saved = [sum(share[cell] for cell in cells) for cells in needed]
        """The reduction of the remaining cost by each placement."""
        self._whole = sum(share.values())

    def empty(self) -> PartialCost:
        return PartialCost(0, self._whole)

    def extend(self, partial: PartialCost, item: int) -> PartialCost:
        return PartialCost(partial.spent + self._costs[item], partial.rest - self._saved[item])

    def bound(self, partial: PartialCost) -> int:
        return partial.spent - (-partial.rest // self._parts)

    def value(self, complete: PartialCost) -> int:
        return complete.spent
