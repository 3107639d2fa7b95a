"""Retrograde analysis (Sturtevant & Ota 2018, Algorithm 5, corrected): solve layers from the bottom.

A state is solvable if some successor is solvable. It is uniquely solvable if exactly one successor is
solvable and this successor is uniquely solvable; a state of the lowest layer is both if it is a goal, and one
layer above a solvable state counts as unique ("excepting the last move"). In the printed pseudo-code the two
counters are reset inside the successor loop; they belong before it.

A domain with `solve_block` is solved by its kernels; any other by the loop below.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import attrs
import numpy as np

from epcg_core.base.errors import QueryError
from epcg_core.chunks.bitsets import bit, pack
from epcg_core.chunks.blocks import Block
from epcg_core.domain import Bits, CompiledLayers, Evaluation, Metric, SizedLayers
from epcg_core.domain.layers import Allocate
from epcg_core.query.query import Query
from epcg_core.query.spec import (
    InputSpec,
    RunSpec,
    make_generator,
    space_spec,
)
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables

SOLVABLE = Metric("solvable", "bool", "max", "", "some sequence of actions reaches a goal")
UNIQUE = Metric("unique", "bool", "max", "", "exactly one way leads on, and so down to the last action")


class RetrogradeSearch(SearchBase):
    """One run per layer, each computed from the layer below."""

    def plan(self, query: Query) -> RunSpec:
        goal = RunDraft.of(self._registry, query, "retrograde")
        layered = goal.capability("layered_space", "layers")
        metrics = (SOLVABLE, UNIQUE)
        goal.check_selections(metrics)
        spec: RunSpec | None = None
        for layer in layered.layers:
            draft = goal.at(layered.params(layer))
            if layer == layered.layers[-1]:
                draft = attrs.evolve(draft, start=goal.start, stop=goal.stop)
            below = () if spec is None else tuple(InputSpec(m.name, spec, m.name) for m in metrics)
            spec = draft.spec(metrics, inputs=below, layer=layer)
        if spec is None:
            raise QueryError(f"{goal.space.name} has no layers.")
        return spec

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        layered = make_generator(self._registry, spec.space).layered_space
        if isinstance(layered, CompiledLayers):
            layered.working_tables(_layer(spec), inputs, allocate)

    def working_bytes(self, spec: RunSpec) -> int:
        layered = make_generator(self._registry, spec.space).layered_space
        return layered.working_bytes(_layer(spec)) if isinstance(layered, SizedLayers) else 0

    def block_size(self, spec: RunSpec) -> int | None:
        layered = make_generator(self._registry, spec.space).layered_space
        return layered.block_size(_layer(spec)) if isinstance(layered, CompiledLayers) else None

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        generator = make_generator(self._registry, spec.space)
        layered, layer = generator.layered_space, _layer(spec)
        uniqueness = str(spec.search.params["uniqueness"])
        if isinstance(layered, CompiledLayers):

            def solve(start: int, count: int) -> Block:
                values = layered.solve_block(layer, tables, start, count, uniqueness)
                return Block(start, count, Evaluation(values))

            return solve
        return self._plain(spec, inputs)

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        layered = make_generator(self._registry, spec.space).layered_space
        return Checker(self._plain(spec, inputs), same=not isinstance(layered, CompiledLayers))

    def _plain(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Solver:
        generator = make_generator(self._registry, spec.space)
        layered, layer = generator.layered_space, _layer(spec)
        lower = None
        if layer != layered.layers[0]:
            name = spec.space.generator.name
            below = space_spec(self._registry, spec.space.domain, name, layered.params(layer - 1))
            lower = make_generator(self._registry, below)
        uniqueness = str(spec.search.params["uniqueness"])
        return PlainLayer(generator, lower, inputs, uniqueness, layer - layered.layers[0]).solve


class PlainLayer:
    """Algorithm 5 in plain Python, over any generator with a transition model."""

    def __init__(
        self, generator: Any, lower: Any, inputs: Mapping[str, Bits], uniqueness: str, height: int
    ) -> None:
        self._generator = generator
        self._model = generator.transition_model
        self._lower = lower
        self._inputs = inputs
        self._uniqueness = uniqueness
        self._height = height
        """Number of layers below."""

    def solve(self, start: int, count: int) -> Block:
        """Solve the ranks start .. start + count - 1."""
        solvable = np.zeros(count, np.bool_)
        unique = np.zeros(count, np.bool_)
        for i in range(count):
            solvable[i], unique[i] = self.solve_state(self._generator.unrank(start + i))
        return Block(start, count, Evaluation((pack(solvable), pack(unique))))

    def solve_state(self, state: Any) -> tuple[bool, bool]:
        """Return (solvable, unique) of one state."""
        model = self._model
        if self._lower is None:
            goal = bool(model.is_goal(state))
            return goal, goal
        successors = [model.apply(state, action) for action in model.actions(state)]
        if self._uniqueness == "successors":
            successors = list({model.key(successor): successor for successor in successors}.values())
        solvable = unique = 0
        for successor in successors:
            rank = self._lower.rank(successor)
            solvable += bit(self._inputs["solvable"], rank)
            unique += bit(self._inputs["unique"], rank)
            if solvable > 1:
                break
        if self._height == 1:
            return solvable > 0, solvable > 0
        return solvable > 0, solvable == 1 and unique == 1


def _layer(spec: RunSpec) -> int:
    assert spec.layer is not None
    return spec.layer
