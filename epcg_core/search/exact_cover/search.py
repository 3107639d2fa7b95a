"""The exact-cover search: a run over the partial covers at a depth, each searched to its end.

The generator offers `partial_covers` (`epcg_core.search.exact_cover.solver.PartialCovers`): its ranks are the
frontier of the search at a depth that its params fix. Units are independent sub-trees. Of each partial cover
are recorded how many covers go on from it, how many nodes that took, and the covers themselves, as solutions:
lists of placement numbers in the order of the search. Over the whole space these are all covers modulo the
symmetries.
"""

from __future__ import annotations

import json
from collections.abc import Mapping

import attrs
import numpy as np

from epcg_core.chunks.blocks import Block
from epcg_core.domain import Bits, Evaluation, Metric
from epcg_core.domain.layers import Allocate
from epcg_core.errors import QueryError
from epcg_core.params import plain, structure
from epcg_core.plugins.registry import Registry
from epcg_core.query.query import Query
from epcg_core.query.spec import (
    PartSpec,
    RunSpec,
    SpaceSpec,
    check_selections,
    checked_range,
    make_generator,
    space_spec,
    versions,
)
from epcg_core.search.exact_cover.solver import PartialCovers
from epcg_core.search.params import ExactCoverParams
from epcg_core.search.protocol import Solver, Tables

COVERS = Metric("covers", "int", "max", "", "covers that go on from the partial cover")
NODES = Metric("nodes", "int", "min", "", "partial covers that were visited to find them")


class ExactCoverSearch:
    """Finds every exact cover by going on from each partial cover of the generator's space."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def plan(self, query: Query) -> RunSpec:
        registry = self._registry
        space = space_spec(registry, query.domain, query.generator.name, query.generator.params)
        partial = self._partial_covers(space)
        if query.evaluators:
            raise QueryError("Exact cover measures 'covers' and 'nodes' itself: remove [[evaluators]].")
        if query.filter is not None:
            raise QueryError("Exact cover searches every partial cover: remove [filter].")
        check_selections(query, (COVERS.name, NODES.name))
        start, stop = checked_range(query, partial.max_rank, space)
        params = structure(ExactCoverParams, query.search.params, "search")
        return RunSpec(
            space=space,
            search=PartSpec("exact_cover", plain(params)),
            evaluators=(),
            metrics=(COVERS, NODES),
            start=start,
            stop=stop,
            max_rank=partial.max_rank,
            versions=versions(registry, "exact_cover", space),
            solutions=True,
        )

    def _partial_covers(self, space: SpaceSpec) -> PartialCovers:
        found: PartialCovers | None = getattr(make_generator(self._registry, space), "partial_covers", None)
        if found is None:
            raise QueryError(
                f"{space.domain}:{space.generator.name} has no partial covers, so exact cover does "
                "not apply: use the exhaustive search."
            )
        return found

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Nothing: every worker makes the frontier itself."""

    def block_size(self, spec: RunSpec) -> int | None:
        return None

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Solver:
        return self.solver(spec, inputs, {})

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        params = structure(ExactCoverParams, spec.search.params, "search")
        return _Solver(self._partial_covers(spec.space), params.record == "covers")


@attrs.frozen
class _Solver:
    partial: PartialCovers
    with_covers: bool

    def __call__(self, start: int, count: int) -> Block:
        ranks = range(start, start + count)
        if not count and self.partial.max_rank:
            self.partial.covers(0)  # asked for nothing, it compiles
        found = [self.partial.covers(rank) for rank in ranks]
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
