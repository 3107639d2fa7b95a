"""A domain for tests of exact cover, the module `epcg_dominoes`: dominoes on a rectangle.

generators  partial   the partial tilings of so many dominoes
            numbers   plain numbers, no exact-cover problem
evaluators  cost      int, min: the sum of the prices of the dominoes
            across    int, max: how many lie across, of tilings in which a number of them divisible by 3 does
            boastful  `across` with bounds that are too small
Nothing here may import from the tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import attrs

from epcg_core import hookimpl
from epcg_core.base.params import param
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_core.search.exact_cover.solver import PartialCovers
from tests.core.search.exact_cover.best_covers import OPTIMA, BestCovers, CoverCost

EPCG_API_VERSION = 1

COST = Metric("cost", "int", "min", "", "the sum of the prices")
ACROSS = Metric("across", "int", "max", "dominoes", "dominoes that lie across")


@attrs.frozen
class TilingParams:
    width: int = param(4, minimum=1)
    height: int = param(4, minimum=1)
    depth: int = param(2, minimum=0)


def dominoes(width: int, height: int) -> CoverProblem:
    """Two mirrors are symmetries."""
    cells = [[y * width + x for x in range(width)] for y in range(height)]
    across = [(row[x], row[x + 1]) for row in cells for x in range(width - 1)]
    down = [(cells[y][x], cells[y + 1][x]) for y in range(height - 1) for x in range(width)]
    mirrors = [[c for row in cells for c in reversed(row)], [c for row in reversed(cells) for c in row]]
    count = width * height
    return CoverProblem(count, [(0, pair) for pair in across + down], [0], [count], (), mirrors)


class Partial:
    def __init__(self, params: TilingParams) -> None:
        self.params = params

    @cached_property
    def partial_covers(self) -> PartialCovers:
        return PartialCovers(dominoes(self.params.width, self.params.height), self.params.depth)

    @property
    def max_rank(self) -> int:
        return self.partial_covers.max_rank

    def unrank(self, rank: int) -> tuple[int, ...]:
        return self.partial_covers.unrank(rank)


class Numbers:
    max_rank = 10

    def __init__(self, params: TilingParams) -> None: ...

    def unrank(self, rank: int) -> int:
        return rank


@attrs.frozen
class PriceParams:
    """Random prices, the same for the same seed."""

    seed: int = param(0)


def prices(problem: CoverProblem, seed: int) -> list[int]:
    """The same for placements that symmetries make equal."""
    chance = random.Random(seed)
    drawn = [chance.randrange(10) for _ in problem.placements]
    return [min(drawn[image[n]] for image in problem.images) for n in range(len(drawn))]


def cost(params: PriceParams, generator: Partial) -> BestCovers:
    partial = generator.partial_covers
    problem = partial.cover_problem
    return BestCovers(partial, COST, CoverCost(problem, prices(problem, params.seed)))


class Across:
    """A partial is (dominoes across, cells left)."""

    def __init__(self, problem: CoverProblem) -> None:
        self.cells = problem.cells
        self.across = [b - a == 1 for _, (a, b) in problem.placements]
        if problem.cells == len(problem.placements) + 1:  # a single row or column
            self.across = [True] * len(problem.placements)

    def empty(self) -> tuple[int, int]:
        return 0, self.cells

    def extend(self, partial: tuple[int, int], item: int) -> tuple[int, int]:
        return partial[0] + self.across[item], partial[1] - 2

    def bound(self, partial: tuple[int, int]) -> int | None:
        return partial[0] + partial[1] // 2

    def value(self, complete: tuple[int, int]) -> int | None:
        return None if complete[0] % 3 else complete[0]


class Boastful(Across):
    def bound(self, partial: tuple[int, int]) -> int | None:
        return partial[0] + partial[1] // 8


def best_tilings(params: object, generator: Partial) -> Callable[[Sequence[int]], list[list[str]]]:
    return lambda state: [list(map(str, cover)) for cover, _ in across(params, generator).best(state)]


def across(params: object, generator: Partial) -> BestCovers:
    partial = generator.partial_covers
    return BestCovers(partial, ACROSS, Across(partial.cover_problem))


def boastful(params: object, generator: Partial) -> BestCovers:
    partial = generator.partial_covers
    return BestCovers(partial, ACROSS, Boastful(partial.cover_problem))


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    parts: tuple[tuple[str, type, Any, Metric], ...] = (
        ("cost", PriceParams, cost, COST), ("across", NoParams, across, ACROSS),
        ("boastful", NoParams, boastful, ACROSS),
    )  # fmt: skip
    for name, params, factory, metric in parts:
        register(
            EvaluatorInfo(
                name=name,
                domain="dominoes",
                summary="a toy",
                params=params,
                metrics=(metric, OPTIMA),
                factory=lambda params, generator, tables, factory=factory: factory(params, generator),
                solutions=best_tilings if name == "across" else None,
            )
        )


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("dominoes", "Dominoes", "cover a rectangle with dominoes"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, factory in (("partial", Partial), ("numbers", Numbers)):
        register(
            GeneratorInfo(name=name, domain="dominoes", summary="a toy", params=TilingParams, factory=factory)
        )
