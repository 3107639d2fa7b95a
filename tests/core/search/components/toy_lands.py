"""A plugin for tests, the module `epcg_lands`: small graphs by chance, the same edges told in several ways.

domain lands    generator `states`: the first `states` of `size` vertices, in a mixed order; edges and goals
                by chance from `seed`, an edge for each pair with probability `density`. Param `form`:
                  plain       a transition model, whose `rank` refuses vertices that are not states
                  positions   and a position graph, a vertex being a row of two words
                  ranked      and a ranked graph (all vertices have to be states)
                  closed      and a closed graph (edges have to lead both ways)
                  lost        a closed graph in which the last rank is in no part
                  beyond      a closed graph whose edges name a position that there is not
                  partless    a closed graph that lacks its function
                  listed      a ranked graph alone, whose goals are its starts
                  one_way     a transition model that cannot be followed backwards
                  mistaken    a position graph whose predecessors lack an edge
                param `directed`: edges lead one way, and `predecessors` are told
Nothing here may import from the tests.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core import hookimpl
from epcg_core.base.errors import RankError
from epcg_core.base.params import param
from epcg_core.domain import DomainInfo, GeneratorInfo

EPCG_API_VERSION = 1


@attrs.frozen
class LandParams:
    """Which graph, and how it is told."""

    seed: int = param(0)
    size: int = param(30, minimum=1)
    states: int = param(30, minimum=1)
    density: float = param(0.05)
    goals: int = param(3, minimum=0)
    form: Literal[
        "plain",
        "positions",
        "ranked",
        "closed",
        "lost",
        "beyond",
        "partless",
        "listed",
        "one_way",
        "mistaken",
    ] = param("plain")
    directed: bool = param(False)


class Model:
    def __init__(self, onward: list[list[int]], goals: set[int]) -> None:
        self._onward, self._goals = onward, goals

    def actions(self, vertex: int) -> range:
        return range(len(self._onward[vertex]))

    def apply(self, vertex: int, action: int) -> int:
        return self._onward[vertex][action]

    def is_goal(self, vertex: int) -> bool:
        return vertex in self._goals

    def key(self, vertex: int) -> int:
        return vertex

    def initial(self, content: int) -> int:
        return content


def flat(rows: list[list[int]]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    return np.array([each for row in rows for each in row], np.int64), np.array(
        [len(row) for row in rows], np.int64
    )


class Positions:
    """The vertices as rows of two words, neither of which is the vertex."""

    words = 2

    def __init__(self, land: States, onward: list[list[int]], back: list[list[int]] | None) -> None:
        self._land, self._onward = land, onward
        self.reversible = back is None
        if back is not None:
            self.predecessors = lambda rows: self._around(rows, back)

    def positions(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        return self._rows(np.array([self._land.vertex[rank] for rank in ranks.tolist()], np.int64))

    def ranks(self, rows: NDArray[np.uint64]) -> NDArray[np.int64]:
        return np.array([self._land.rank_of.get(v, -1) for v in self._vertices(rows)], np.int64)

    def goals(self, rows: NDArray[np.uint64]) -> NDArray[np.bool_]:
        return np.array([v in self._land.goals for v in self._vertices(rows)], np.bool_)

    def successors(self, rows: NDArray[np.uint64]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        return self._around(rows, self._onward)

    def _around(self, rows: Any, ways: list[list[int]]) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        found, counts = flat([ways[v] for v in self._vertices(rows)])
        return self._rows(found), counts

    def _rows(self, vertices: NDArray[np.int64]) -> NDArray[np.uint64]:
        return np.stack([vertices % 3, vertices // 3 + 5], axis=1).astype(np.uint64)

    def _vertices(self, rows: NDArray[np.uint64]) -> list[int]:
        return [3 * (high - 5) + low for low, high in rows.astype(np.int64).tolist()]


@attrs.frozen(eq=False)
class Part:
    """A part of a closed graph."""

    count: int
    edges: NDArray[np.int32]
    goals: NDArray[np.int32]
    ranked: NDArray[np.int32]
    ranks: NDArray[np.int64]


class Parts:
    """Three parts: the components, dealt out in turn; positions are numbered from the last vertex."""

    def __init__(self, land: States, onward: list[list[int]], form: str) -> None:
        self._land, self._onward, self._form = land, onward, form
        self._vertices: list[list[int]] = [[], [], []]
        met: set[int] = set()
        for first in range(len(onward)):
            whole, left = {first}, [first]
            while left and first not in met:
                for other in onward[left.pop()]:
                    if other not in whole:
                        whole.add(other)
                        left.append(other)
            if first not in met:
                self._vertices[first % 3] += sorted(whole, reverse=True)
                met |= whole

    def parts(self, start: int, count: int) -> Iterator[Part]:
        asked = {self._land.vertex[rank] for rank in range(start, start + count)}
        for vertices in self._vertices:
            if asked.isdisjoint(vertices):
                continue
            number = {vertex: at for at, vertex in enumerate(vertices)}
            edges = [(number[a], number[b]) for a in vertices for b in sorted(set(self._onward[a])) if a < b]
            ranked = [(number[v], self._land.rank_of[v]) for v in vertices if v in self._land.rank_of]
            if self._form == "lost":
                ranked = [each for each in ranked if each[1] != self._land.max_rank - 1]
            if self._form == "beyond":
                edges.append((0, len(vertices)))
            yield Part(
                len(vertices),
                np.array(edges, np.int32).reshape(-1, 2),
                np.array([number[v] for v in vertices if v in self._land.goals], np.int32),
                np.array([position for position, _ in ranked], np.int32),
                np.array([rank for _, rank in ranked], np.int64),
            )


class Ranks:
    """The edges between ranks."""

    def __init__(self, land: States, onward: list[list[int]], back: list[list[int]] | None) -> None:
        self.reversible = back is None
        self.starts = tuple(sorted(land.rank_of[v] for v in land.goals)) or (0,)
        self._onward = self._table(land, onward)
        if back is not None:
            before = self._table(land, back)
            self.predecessor_ranks = lambda ranks: self._of(before, ranks)

    def successor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._of(self._onward, ranks)

    def _of(self, table: NDArray[np.int64], ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        assert (np.diff(ranks) > 0).all(), "ranks are asked for in increasing order"
        return table[ranks]

    def _table(self, land: States, ways: list[list[int]]) -> NDArray[np.int64]:
        found = np.full((len(ways), max(map(len, ways))), -1, np.int64)
        for rank, vertex in enumerate(land.vertex):
            found[rank, : len(ways[vertex])] = [land.rank_of[v] for v in ways[vertex]]
        return found


class States:
    """Some of the vertices, by rank."""

    domain_attributes = ("goals", "rank_of", "vertex")

    def __init__(self, params: LandParams) -> None:
        chance = random.Random(params.seed)
        onward: list[list[int]] = [[] for _ in range(params.size)]
        back: list[list[int]] = [[] for _ in range(params.size)]
        for one in range(params.size):
            for other in range(params.size):
                if one != other and chance.random() < params.density:
                    for a, b in ((one, other), (other, one))[: 1 if params.directed else 2]:
                        onward[a].append(b)
                        back[b].append(a)
        mixed = list(range(params.size))
        chance.shuffle(mixed)
        self.vertex = mixed[: params.states]
        self.rank_of = {vertex: rank for rank, vertex in enumerate(self.vertex)}
        self.goals = set(chance.sample(range(params.size), params.goals))
        self.max_rank = params.states
        if params.form != "listed":
            self.transition_model = Model(onward, self.goals)
            if params.directed and params.form != "one_way":
                self.transition_model.predecessors = back.__getitem__  # type: ignore[attr-defined]
            elif not params.directed:
                self.transition_model.reversible = True  # type: ignore[attr-defined]
        before = back if params.directed else None
        if params.form in ("closed", "lost", "beyond"):
            self.closed_graph = Parts(self, onward, params.form)
        if params.form == "partless":
            self.closed_graph = object()
        if params.form == "positions":
            self.position_graph = Positions(self, onward, before)
        elif params.form in ("ranked", "listed"):
            self.ranked_graph = Ranks(self, onward, before)
        elif params.form == "mistaken":
            less = [[*way] for way in back]
            next(way for way in less if way).pop()
            self.position_graph = Positions(self, onward, less)

    def unrank(self, rank: int) -> int:
        return self.vertex[rank]

    def rank(self, vertex: int) -> int:
        if vertex not in self.rank_of:
            raise RankError(f"{vertex} is not among the states.")
        return self.rank_of[vertex]


@hookimpl
def epcg_register_domains(register: Callable[[DomainInfo], None]) -> None:
    register(DomainInfo("lands", "Lands", "small graphs"))


@hookimpl
def epcg_register_generators(register: Callable[[GeneratorInfo], None]) -> None:
    register(GeneratorInfo(name="states", domain="lands", summary="", params=LandParams, factory=States))
