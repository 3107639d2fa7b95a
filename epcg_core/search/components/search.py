"""The search for components: sizes, goals and the hardest positions of a graph, part by part.

Two positions are in one component if actions lead from one to the other, forwards or backwards. A component
is recorded at the lowest of the ranks whose states are in it; other ranks have no values. Every rank is
decided by itself: it is explored until a lower one is met. So parts of a run, samples, and verification need
only their own ranks, and what one unit has seen is of no use to the others.
"""

# Functions import kernels, so that planning and listing load no numba.
from __future__ import annotations

import hashlib
from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from epcg_core.base.params import structure
from epcg_core.chunks.blocks import Block
from epcg_core.domain import NONE, VALUE, Bits, Evaluation, Metric
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.search.params import ComponentsParams
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

_OTHER = "a lower rank stands for the component"
SIZE = Metric(
    "component_size",
    "int",
    "max",
    "positions",
    "positions that actions lead to and from",
    none=_OTHER,
    at_least=0,
)
SOLVABLE = Metric("solvable", "bool", "max", "", "one of the positions is a goal", none=_OTHER)
HARDEST = Metric(
    "hardest", "int", "max", "actions", "from the hardest position to the nearest goal",
    none=f"no position is a goal, or {_OTHER}", at_least=0,
)  # fmt: skip
HARDEST_RANK = Metric(
    "hardest_rank", "int", "min", "", "the lowest rank of a hardest position",
    none=f"no hardest position has a rank, or {_OTHER}", at_least=0,
)  # fmt: skip
METRICS = (SIZE, SOLVABLE, HARDEST, HARDEST_RANK)


class ComponentsSearch(SearchBase):
    """Finds the component of each rank that is the lowest of one."""

    explained = METRICS
    each_is_shown = SIZE.name
    """Every candidate with a value of this metric is a winner: each component has a hardest position."""

    def plan(self, query: Query) -> RunSpec:
        draft = RunDraft.of(self._registry, query, "components")
        _solver(draft.generator, draft.max_rank, draft.params)
        draft.check_selections(METRICS)
        return draft.spec(METRICS)

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        params = structure(ComponentsParams, spec.search.params, "search")
        generator = make_generator(self._registry, spec.space)
        solver: Solver = _solver(generator, spec.max_rank, params, _key(spec))
        return solver

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        """Make solvers by the definition, from the rules of play if the generator has them."""
        params = structure(ComponentsParams, spec.search.params, "search")
        generator = make_generator(self._registry, spec.space)
        fast = _solver(generator, spec.max_rank, params, _key(spec))
        if isinstance(fast, PlainSolver):
            return Checker(fast, same=True)
        plain = getattr(generator, "transition_model", None) is not None and hasattr(generator, "rank")
        if not plain or params.disk is not None:  # what memory cannot hold, plain code cannot either
            return Checker(attrs.evolve(fast, compiled=(fast.explorer.name,)))
        return Checker(plain_solver(generator, params.limit), fast)


def _key(spec: RunSpec) -> str:
    """Return what names the files of a run, and of no other or by other code."""
    return hashlib.sha256(f"{spec.identity} {spec.sources().digest}".encode()).hexdigest()[:16]


def _solver(generator: Any, max_rank: int, params: ComponentsParams, key: str = "") -> Any:
    from epcg_core.search.components.graph import closed_graph_of, vertices_of

    closed = closed_graph_of(generator)
    if closed is not None:
        from epcg_core.search.components.closed import ClosedExplorer

        return ArraySolver(ClosedExplorer(*closed, params.limit))
    vertices = vertices_of(generator, max_rank)
    if vertices is None:
        return plain_solver(generator, params.limit)
    from epcg_core.search.components.explore import Explorer

    return ArraySolver(Explorer(vertices, params.limit, params.disk, key))


def plain_solver(generator: Any, limit: int) -> PlainSolver:
    """Make a solver in plain Python. Raises QueryError if the generator has no rules of play."""
    from epcg_core.search.components.plain import PlainComponents

    return PlainSolver(PlainComponents(generator, limit))


@attrs.frozen(eq=False)
class ArraySolver:
    """Explores a range of ranks in arrays."""

    explorer: Any
    compiled: tuple[str, ...] = ()

    def __call__(self, start: int, count: int) -> Block:
        found = self.explorer.explore(start, count)
        there = found.size > 0
        goal = there & (found.hardest >= 0)
        ranked = goal & (found.hardest_rank >= 0)
        values = [
            found.size,
            goal,
            np.where(goal, found.hardest, 0),
            np.where(ranked, found.hardest_rank, 0),
        ]
        status = np.full((len(METRICS), count), NONE, np.uint8)
        for row, known in zip(status, (there, there, goal, ranked), strict=True):
            row[known] = VALUE
        return Block(start, count, Evaluation(values, status), compiled=self.compiled)


@attrs.frozen(eq=False)
class PlainSolver:
    """Explores one rank after the other."""

    components: Any
    one_by_one: bool = True
    """Each rank is computed by itself, so one of them can be given up."""

    def __call__(self, start: int, count: int) -> Block:
        values = [np.zeros(count, kind) for kind in (np.int64, np.bool_, np.int64, np.int64)]
        status = np.full((len(METRICS), count), NONE, np.uint8)
        for at in range(count):
            component = self.components.component(start + at)
            if component is None:
                continue
            size, hardest, rank = component
            known = (size, hardest is not None, hardest, rank)
            for row, state, value in zip(values, status, known, strict=True):
                if value is not None:
                    row[at], state[at] = value, VALUE
        return Block(start, count, Evaluation(values, status))
