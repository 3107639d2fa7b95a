"""The exact-cover search: a run over the partial covers at a depth, each searched to its end.

The generator offers `partial_covers` (`epcg_core.search.exact_cover.solver.PartialCovers`): its ranks are the
frontier of the search at a depth that its params fix. Units are independent sub-trees. A run records for each
partial cover how many covers extend it, how many nodes were searched, and the covers themselves, as
solutions: lists of placement numbers in the order of the search. Over the whole space these are all covers
modulo the symmetries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import attrs
import numpy as np

from epcg_core.base.params import structure
from epcg_core.chunks.blocks import Block
from epcg_core.domain import Bits, Evaluation, Metric
from epcg_core.query.query import Query
from epcg_core.query.spec import (
    RunSpec,
    make_generator,
)
from epcg_core.search.exact_cover.solver import PartialCovers
from epcg_core.search.params import ExactCoverParams
from epcg_core.search.planner import RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Tables

COVERS = Metric("covers", "int", "max", "", "covers that go on from the partial cover", at_least=0)
NODES = Metric("nodes", "int", "min", "", "partial covers that were visited to find them", at_least=0)


class ExactCoverSearch(SearchBase):
    """Finds every exact cover by extending each partial cover of the generator's space."""

    def plan(self, query: Query) -> RunSpec:
        draft = RunDraft.of(self._registry, query, "exact_cover")
        draft.capability("partial_covers", "partial covers")
        draft.check_selections((COVERS, NODES))
        return draft.spec((COVERS, NODES), solutions=True)

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        compiled = self.solver(spec, inputs, {})
        return Checker(attrs.evolve(compiled, plain=True), compiled)

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> _Solver:
        params = structure(ExactCoverParams, spec.search.params, "search")
        partial = make_generator(self._registry, spec.space).partial_covers
        return _Solver(partial, params.record == "covers")


@attrs.frozen
class _Solver:
    partial: PartialCovers
    with_covers: bool
    plain: bool = False
    one_by_one: bool = True
    """Each rank is computed by itself, so one of them can be given up."""

    def __call__(self, start: int, count: int) -> Block:
        ranks = range(start, start + count)
        if not count and self.partial.max_rank:
            self.partial.covers(0)  # asked for nothing, it compiles
        found = [self.partial.covers(rank, self.plain) for rank in ranks]
        values = [
            np.array([len(part.covers) for part in found], np.int64),
            np.array([part.nodes for part in found], np.int64),
        ]
        solutions = [
            (rank, position, json.dumps([number for number in row if number >= 0]))
            for rank, part in zip(ranks, found, strict=True)
            for position, row in enumerate(part.covers.tolist() if self.with_covers else ())
        ]
        return Block(start, count, Evaluation(values), solutions=solutions)
