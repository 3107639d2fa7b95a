"""A domain for tests of exact cover, the module `epcg_dominoes`: dominoes on a rectangle.

generators  partial   the partial tilings of so many dominoes
            numbers   plain numbers, no exact-cover problem
Nothing here may import from the tests.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cached_property

import attrs

from epcg_core import hookimpl
from epcg_core.domain import DomainInfo, GeneratorInfo
from epcg_core.params import param
from epcg_core.search.exact_cover import PartialCovers
from epcg_core.search.exact_cover_problem import CoverProblem

EPCG_API_VERSION = 1


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


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("dominoes", "Dominoes", "cover a rectangle with dominoes"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    for name, factory in (("partial", Partial), ("numbers", Numbers)):
        register(
            GeneratorInfo(name=name, domain="dominoes", summary="a toy", params=TilingParams, factory=factory)
        )
