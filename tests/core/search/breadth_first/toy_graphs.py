"""A plugin for tests, the module `epcg_graphs`: small graphs, the same edges told in five ways.

domain graphs   generator `numbers`: 0 .. size - 1; one action leads from n to 2 n, another to n + 3, a
                third from an even n to n / 2, all modulo size - `lost`, so that the highest `lost`
                numbers cannot be reached, though they lead on. Param `form`:
                  plain         a transition model alone, in one direction
                  told          and its predecessors
                  arrays        a ranked graph, in one direction
                  both          and its predecessors
                  two_way       every edge both ways, as arrays; the model says so too
                evaluators `far` (reads the depths as values), `near` (whether the depth is known, as bits),
                `odd` (reads none)
Nothing here may import from the tests.
"""

from __future__ import annotations

import os
import time
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.base.params import param, plain
from epcg_core.domain import DomainInfo, EvaluatorInfo, GeneratorInfo, Metric, NoParams, TableNeed

EPCG_API_VERSION = 1
FAR = Metric("far", "int", "max")
KNOWN = Metric("known", "bool")
ODD = Metric("odd", "bool")


@attrs.frozen
class NumbersParams:
    """Which graph, and how it is told."""

    size: int = param(41, minimum=1)
    lost: int = param(0, minimum=0)
    form: Literal["plain", "told", "arrays", "both", "two_way"] = param("plain")


def onward(n: int, size: int, lost: int) -> list[int]:
    """Where one action leads."""
    found = [2 * n, n + 3] + ([n // 2] if n % 2 == 0 else [])
    return [m % (size - lost) for m in found]


class Model:
    """The edges as a transition model."""

    def __init__(self, successors: list[list[int]], predecessors: list[list[int]] | None) -> None:
        self._successors = successors
        if predecessors is not None:
            self.predecessors: Callable[[int], list[int]] = lambda state: predecessors[state]

    def actions(self, state: int) -> range:
        if "EPCG_TEST_PAUSE" in os.environ:
            time.sleep(float(os.environ["EPCG_TEST_PAUSE"]))
        return range(len(self._successors[state]))

    def apply(self, state: int, action: int) -> int:
        return self._successors[state][action]

    def is_goal(self, state: int) -> bool:
        return state == 1

    def key(self, state: int) -> int:
        return state

    def initial(self, content: int) -> int:
        return content


class TwoWay(Model):
    reversible = True


class Graph:
    """The edges as arrays."""

    starts = (1,)

    def __init__(self, successors: list[list[int]], reversible: bool) -> None:
        self._table = table(successors)
        self.reversible = reversible

    def successor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._table[ranks]


class Both(Graph):
    def __init__(self, successors: list[list[int]], predecessors: list[list[int]]) -> None:
        super().__init__(successors, False)
        self._back = table(predecessors)

    def predecessor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._back[ranks]


def table(rows: list[list[int]]) -> NDArray[np.int64]:
    found = np.full((len(rows), max(map(len, rows))), -1, np.int64)
    for row, ranks in zip(found, rows, strict=True):
        row[: len(ranks)] = ranks
    return found


class Numbers:
    """0 .. size - 1."""

    starts = (1,)

    def __init__(self, params: NumbersParams) -> None:
        self.max_rank = params.size
        successors = [onward(n, params.size, params.lost) for n in range(params.size)]
        predecessors: list[list[int]] = [[] for _ in successors]
        for n, ways in enumerate(successors):
            for m in sorted(set(ways)):
                predecessors[m].append(n)
        self.own = params
        if params.form == "two_way":
            both = [sorted({*a, *b}) for a, b in zip(successors, predecessors, strict=True)]
            self.transition_model: Model = TwoWay(both, None)
            self.ranked_graph: Any = Graph(both, True)
            return
        self.transition_model = Model(successors, predecessors if params.form in ("told", "both") else None)
        if params.form == "arrays":
            self.ranked_graph = Graph(successors, False)
        elif params.form == "both":
            self.ranked_graph = Both(successors, predecessors)

    def unrank(self, rank: int) -> int:
        return rank

    def rank(self, state: int) -> int:
        return state


class Far:
    """The depth, and twice nothing where there is none."""

    metrics = (FAR,)

    def __init__(self, params: NoParams, generator: Numbers, tables: Any) -> None:
        self._depth = tables["depth"]

    def evaluate(self, state: int) -> tuple[int] | None:
        depth = int(self._depth[state])
        return None if depth == np.iinfo(self._depth.dtype).min else (depth,)


class Near:
    metrics = (KNOWN,)

    def __init__(self, params: NoParams, generator: Numbers, tables: Any) -> None:
        self._bits = tables["reachable"]

    def evaluate(self, state: int) -> tuple[bool]:
        return (bool(self._bits.data[state // 8] >> state % 8 & 1),)


class Odd:
    metrics = (ODD,)

    def __init__(self, params: NoParams, generator: Numbers, tables: Any) -> None: ...

    def evaluate(self, state: int) -> tuple[bool]:
        return (state % 2 == 1,)


def depth_need(params: NoParams, generator: Numbers) -> Iterator[TableNeed]:
    yield TableNeed("depth", "numbers", plain(generator.own), "breadth_first", {}, "depth", True, "values")


def bits_need(params: NoParams, generator: Numbers) -> Iterator[TableNeed]:
    own = plain(generator.own)
    yield TableNeed("reachable", "numbers", own, "breadth_first", {"record": "frontier"}, "reachable", True)


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("graphs", "Graphs", "small graphs"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(
        GeneratorInfo(name="numbers", domain="graphs", summary="", params=NumbersParams, factory=Numbers)
    )


@hookimpl
def epcg_register_evaluators(register: Callable[[EvaluatorInfo], None]) -> None:
    for name, cls, needs in (("far", Far, depth_need), ("near", Near, bits_need), ("odd", Odd, None)):
        register(
            EvaluatorInfo(
                name=name, domain="graphs", summary="", params=NoParams, metrics=cls.metrics, factory=cls,
                needs=needs,
            )
        )  # fmt: skip
