"""A domain for tests of branch and bound, the module `epcg_sets`: selections of k of n bit sets.

generators  multisets   k of n classes of sets, each class with a weight; `represents` counts the selections
            subsets     k different ones of n
            digits      a choice of one of n at each of k places
evaluators  common      int, max: the smallest number of elements that two of the selected sets share, where
                        exactly `joint` elements are in all of them; otherwise none
            common_compiled   the same with a kernel (of multisets)
            cost        real, min: the sum of the sets' prices, where together they have `joint` elements or
                        more; otherwise none
            weight      int: how many selections of the weighted sets a state stands for
            boastful    `common` with bounds that are too small
            fragile     `common`, raising at sets that contain element 0
            careless    `common` with a kernel that forgets a rank
Nothing here may import from the tests.
"""

from __future__ import annotations

import os
import random
import time
from collections.abc import Callable, Sequence
from itertools import combinations
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.combinatorics import Combinations, MixedRadix, RankedSpace
from epcg_core.combinatorics.kernels import binomial_table
from epcg_core.combinatorics.prefixes import QuotientMultisets, prefixes
from epcg_core.combinatorics.tuple_kernels import rank_multiset, unrank_multiset
from epcg_core.compiled import njit, read_only
from epcg_core.domain import (
    BlockResult,
    Cutoff,
    DomainInfo,
    EvaluatorInfo,
    GeneratorInfo,
    Metric,
    NoParams,
    Prunings,
)
from epcg_core.search.branch_and_bound.kernels import add_pruning

EPCG_API_VERSION = 1

COMMON = Metric("common", "int", "max", "elements", "the fewest that two of the sets share")
COST = Metric("cost", "real", "min", "", "the sum of the prices")
WEIGHT = Metric("weight", "int", "max", "", "selections that it stands for")


@attrs.frozen
class SetsParams:
    """Random sets, the same for the same seed."""

    n: int = param(8, minimum=1, help="how many sets")
    k: int = param(3, minimum=0, help="how many are selected")
    elements: int = param(10, minimum=1, maximum=64, help="of how many elements")
    seed: int = param(0, help="of the random sets")


@attrs.frozen
class JointParams:
    """What the selected sets must have in common."""

    joint: int = param(1, minimum=0, help="elements")


class Selections:
    """States are the tuples of the numbers of the selected sets."""

    def __init__(self, params: SetsParams, space: Callable[[tuple[int, ...]], RankedSpace[Any]]) -> None:
        chance = random.Random(params.seed)
        self.n, self.k = params.n, params.k
        # dense ones first, as a set-up would order them
        sets = [chance.getrandbits(params.elements) for _ in range(self.n)]
        self.sets = sorted(sets, key=lambda one: -one.bit_count())
        self.prices = [chance.randrange(1, 64) / 8 + one.bit_count() / 4 for one in self.sets]
        self.weights = tuple(chance.randrange(1, 5) for _ in self.sets)
        self.space = space(self.weights)
        self.prefixes = prefixes(self.space)
        self.max_rank = self.space.max_rank

    def unrank(self, rank: int) -> tuple[int, ...]:
        state: tuple[int, ...] = self.space.unrank(rank)
        return state

    def format(self, state: tuple[int, ...]) -> str:
        return " ".join(map(str, state))


class Multisets(Selections):
    def __init__(self, params: SetsParams) -> None:
        super().__init__(params, lambda weights: QuotientMultisets(weights, params.k).space)
        self.quotient = QuotientMultisets(self.weights, params.k)
        self.represents = self.quotient.represents


def subsets(params: SetsParams) -> Selections:
    return Selections(params, lambda weights: Combinations(params.n, params.k))


def digits(params: SetsParams) -> Selections:
    return Selections(params, lambda weights: MixedRadix((params.n,) * params.k))


class Range:
    """States that are not made of items."""

    def __init__(self, params: SetsParams) -> None:
        self.max_rank = params.n
        self.sets = [1]

    def unrank(self, rank: int) -> tuple[int, ...]:
        return (0,)


@attrs.frozen
class Chosen:
    """A partial selection: its sets, what is in all of them, the fewest that two of them share."""

    sets: tuple[int, ...]
    all: int
    fewest: int


class Common:
    metrics = (COMMON,)

    def __init__(self, params: JointParams, generator: Selections) -> None:
        self.generator = generator
        self.joint = params.joint
        self.pause = float(os.environ.get("EPCG_TEST_PAUSE", "0"))

    def evaluate(self, state: Sequence[int]) -> tuple[int] | None:
        """By the definition, without partial states."""
        sets = [self.generator.sets[item] for item in state]
        shared = ~0
        for one in sets:
            shared &= one
        pairs = [(one & other).bit_count() for one, other in combinations(sets, 2)]
        if not pairs or (shared & (2**64 - 1)).bit_count() != self.joint:
            return None
        return (min(pairs),)

    def empty(self) -> Chosen:
        return Chosen((), 2**64 - 1, 64)

    def extend(self, partial: Chosen, item: int) -> Chosen:
        if self.pause:
            time.sleep(self.pause)
        one = self.generator.sets[item]
        shared = [one.bit_count(), *((one & other).bit_count() for other in partial.sets)]
        return Chosen((*partial.sets, one), partial.all & one, min(partial.fewest, *shared))

    def bound(self, partial: Chosen) -> int | None:
        return partial.fewest if partial.all.bit_count() >= self.joint else None

    def value(self, complete: Chosen) -> int | None:
        two_or_more = len(complete.sets) > 1
        return complete.fewest if two_or_more and complete.all.bit_count() == self.joint else None


class CommonCompiled(Common):
    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        space = self.generator
        sets = read_only(np.array(space.sets, np.uint64))
        table = binomial_table(space.n + space.k - 1, space.k)
        value = -1 if incumbent.value is None else int(incumbent.value)
        size, most = 2, 2
        while True:
            starts, counts = np.empty(size, np.int64), np.empty(size, np.int64)
            bounds, reasons = np.empty(size, np.float64), np.empty(size, np.uint8)
            ranks, values = np.empty(most, np.int64), np.empty(most, np.int64)
            evaluated, used, found = search_multisets(
                start, count, space.n, space.k, table, sets, self.joint, value, incumbent.ties_to,
                int(incumbent.fixed), starts, counts, bounds, reasons, ranks, values,
            )  # fmt: skip
            if used <= size and found <= most:
                prunings = Prunings(starts[:used], counts[:used], bounds[:used], reasons[:used])
                return BlockResult(evaluated, ranks[:found], values[:found], prunings)
            size, most = max(size, 2 * used), max(most, 2 * found)


@njit
def _count(bits: np.uint64) -> int:
    # Clear the lowest bit that is set until none is.
    found = 0
    while bits:
        bits &= bits - np.uint64(1)
        found += 1
    return found


@njit
def search_multisets(
    start: int,
    count: int,
    n: int,
    k: int,
    binomials: NDArray[np.int64],
    sets: NDArray[np.uint64],
    joint: int,
    value: int,
    ties_to: int,
    fixed: int,
    starts: NDArray[np.int64],
    counts: NDArray[np.int64],
    bounds: NDArray[np.float64],
    reasons: NDArray[np.uint8],
    ranks: NDArray[np.int64],
    values: NDArray[np.int64],
) -> tuple[int, int, int]:
    """(evaluated, prunings used, found); larger than the arrays where they are too short."""
    # Depth first over the items of a multiset, what is in all of them and the fewest shared kept for each
    # depth. A prefix that cannot reach the incumbent is left behind in one step, to the rank after its last.
    evaluated = used = found = 0
    if count == 0:
        return evaluated, used, found
    things, last = np.empty(k, np.int64), np.empty(k, np.int64)
    shared, fewest = np.empty(k + 1, np.uint64), np.empty(k + 1, np.int64)
    shared[0], fewest[0] = ~np.uint64(0), 64
    unrank_multiset(start, n, k, binomials, things)
    rank, stop, depth = start, start + count, 0
    while rank < stop and used <= starts.size and found <= ranks.size:
        one = sets[things[depth]]
        shared[depth + 1] = shared[depth] & one
        least = min(fewest[depth], _count(one))
        for i in range(depth):
            least = min(least, _count(one & sets[things[i]]))
        fewest[depth + 1] = least
        in_all = _count(shared[depth + 1])
        if depth + 1 == k:
            evaluated += 1
            if k > 1 and in_all == joint and (least > value or (least == value and rank <= ties_to)):
                if found < ranks.size:
                    ranks[found], values[found] = rank, least
                found += 1
                if not fixed:
                    value, ties_to = least, rank
            rank += 1
        else:
            first = rank
            reason = -1
            if in_all < joint:
                reason = 1
            elif least < value or (least == value and first > ties_to):
                reason = 0
            if reason < 0:
                depth += 1
                if rank > start:
                    things[depth] = things[depth - 1]
                continue
            for i in range(k):
                last[i] = things[i] if i <= depth else n - 1
            rank = min(stop, rank_multiset(last, n, k, binomials) + 1)
            bound = np.nan if reason == 1 else float(least)
            used = add_pruning(used, first, rank - first, bound, reason, 1, starts, counts, bounds, reasons)
        things[depth] += 1
        while things[depth] == n and depth > 0:
            depth -= 1
            things[depth] += 1
    return evaluated, used, found


class Cost:
    metrics = (COST,)

    def __init__(self, params: JointParams, generator: Selections) -> None:
        self.generator = generator
        self.wanted = params.joint
        self.most = max(one.bit_count() for one in generator.sets)
        self.cheapest = min(generator.prices)

    def evaluate(self, state: Sequence[int]) -> tuple[float] | None:
        if sum(self.generator.sets[item].bit_count() for item in state) < self.wanted:
            return None
        return (sum(self.generator.prices[item] for item in state),)

    def empty(self) -> tuple[int, int, float]:
        return (0, 0, 0)

    def extend(self, partial: tuple[int, int, float], item: int) -> tuple[int, int, float]:
        number, elements, cost = partial
        return (
            number + 1,
            elements + self.generator.sets[item].bit_count(),
            cost + self.generator.prices[item],
        )

    def bound(self, partial: tuple[int, int, float]) -> float | None:
        number, elements, cost = partial
        rest = self.generator.k - number
        return cost + rest * self.cheapest if elements + rest * self.most >= self.wanted else None

    def value(self, complete: tuple[int, int, float]) -> float | None:
        return complete[2] if complete[1] >= self.wanted else None


class Weight:
    metrics = (WEIGHT,)

    def __init__(self, params: NoParams, generator: Multisets) -> None:
        self.generator = generator

    def evaluate(self, state: Sequence[int]) -> tuple[int]:
        return (self.generator.quotient.weight(state),)


class Boastful(Common):
    def bound(self, partial: Chosen) -> int | None:
        found = super().bound(partial)
        return None if found is None else found - 1


class Fragile(Common):
    def extend(self, partial: Chosen, item: int) -> Chosen:
        if self.generator.sets[item] & 1:
            raise ValueError(f"set {item} contains element 0")
        return super().extend(partial, item)


class Careless(CommonCompiled):
    def search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        found = super().search_block(start, count, incumbent)
        return attrs.evolve(found, evaluated=found.evaluated - 1) if count else found


def _maker(evaluator: Callable[[Any, Any], Any]) -> Callable[..., Any]:
    return lambda params, generator, tables: evaluator(params, generator)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("sets", "Sets", "selections of sets"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    parts: tuple[tuple[str, Callable[[SetsParams], Any]], ...] = (
        ("multisets", Multisets), ("subsets", subsets), ("digits", digits), ("range", Range),
    )  # fmt: skip
    for name, factory in parts:
        register(GeneratorInfo(name=name, domain="sets", summary=name, params=SetsParams, factory=factory))


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    parts: tuple[tuple[str, type, Any], ...] = (
        ("common", JointParams, Common), ("common_compiled", JointParams, CommonCompiled),
        ("cost", JointParams, Cost), ("weight", NoParams, Weight), ("boastful", JointParams, Boastful),
        ("fragile", JointParams, Fragile), ("careless", JointParams, Careless),
    )  # fmt: skip
    for name, params, evaluator in parts:
        register(
            EvaluatorInfo(
                name=name,
                domain="sets",
                summary=name,
                params=params,
                metrics=evaluator.metrics,
                factory=_maker(evaluator),
            )
        )
