"""Exhaustive search (Sturtevant & Ota 2018, Algorithm 1): evaluate every rank of a range.

A filter makes the search semi-exhaustive: ranks whose metric in another run is outside its limits are left
out, and counted as excluded. Kept candidates are selected from the record afterwards
(`epcg_core.store.selection`).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.base.errors import PluginError
from epcg_core.base.params import structure
from epcg_core.chunks.bitsets import bits_at, unpack
from epcg_core.chunks.blocks import Block, BlockEvaluator, Names, side_by_side
from epcg_core.domain import Bits, resolve, warn_of_unknown_attributes
from epcg_core.query.query import Query
from epcg_core.query.spec import RunSpec, make_generator
from epcg_core.search.planner import FILTER, RunDraft
from epcg_core.search.protocol import Checker, SearchBase, Solver, Tables


class ExhaustiveSearch(SearchBase):
    """Evaluates every candidate by every evaluator of the query."""

    def plan(self, query: Query) -> RunSpec:
        return RunDraft.of(self._registry, query, "exhaustive").evaluated()

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Checker:
        """Make solvers without memory between states, using each evaluator's `fresh` if it offers one."""
        compiled = self.evaluators(spec, inputs, "fresh")
        plain = self._solver(spec, inputs, self.evaluators(spec, inputs, "plain"))
        if not any(evaluator.has_plain_form for evaluator in compiled):
            return Checker(plain, same=True)
        return Checker(plain, self._solver(spec, inputs, compiled))

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        return self._solver(spec, inputs, self.evaluators(spec, inputs))

    def _solver(
        self, spec: RunSpec, inputs: Mapping[str, Bits], evaluators: Sequence[BlockEvaluator]
    ) -> Solver:
        return ExhaustiveSolver(evaluators, None if spec.filter is None else inputs[FILTER])

    def evaluators(
        self,
        spec: RunSpec,
        inputs: Mapping[str, Bits],
        form: Literal["fast", "fresh", "plain"] = "fast",
    ) -> list[BlockEvaluator]:
        """Make the run's evaluators, each with the run's generator.

        They are made for speed, without memory between states, or of plain code alone.
        """
        generator = make_generator(self._registry, spec.space)
        found = []
        for part in spec.evaluators:
            start = part.role("")
            own = {
                role.removeprefix(start): bits
                for role, bits in inputs.items()
                if role != FILTER and role.startswith(start)
            }
            info = self._registry.evaluator(spec.space.domain, part.name)
            params: Any = structure(info.params, part.params, part.name)
            with self._registry.attribute_errors_to(info):
                evaluator = resolve(info.factory)(params, generator, own)
                if form != "fast" and hasattr(evaluator, "fresh"):
                    evaluator = evaluator.fresh()
                source = self._registry.generator(spec.space.domain, spec.space.generator.name)
                maker = f"generator {spec.space.domain}:{spec.space.generator.name}"
                scorer = f"evaluator {spec.space.domain}:{part.name}"
                version_of = self._registry.version_of
                owners = {maker: version_of(source), scorer: version_of(info)}
                names = Names(maker, scorer, owners, self._registry.plugins_by_package())
                errors = spec.on_error == "record"
                found.append(BlockEvaluator(generator, evaluator, errors, names, plain=form == "plain"))
            described = self._registry.described(info)
            warn_of_unknown_attributes("evaluator", described, evaluator)
            if not hasattr(evaluator, "evaluate"):
                raise PluginError(f"The {described} has no evaluate.")
        return found


@attrs.frozen(eq=False)
class ExhaustiveSolver:
    """Scores every rank of a range, or those that a filter admits."""

    evaluators: Sequence[BlockEvaluator]
    admitted: Bits | None = None
    piecewise: bool = True
    """A range is as easy by parts as at once, and small parts stay in the processor's cache."""
    one_by_one: bool = True
    """Each rank is computed by itself, so one of them can be given up."""

    def __call__(self, start: int, count: int) -> Block:
        if self.admitted is None:
            return side_by_side([evaluator.block(start, count) for evaluator in self.evaluators])
        ranks = start + np.flatnonzero(unpack(self.admitted, start, start + count))
        return side_by_side([evaluator.at(start, count, ranks) for evaluator in self.evaluators])

    def at(self, ranks: NDArray[np.int64]) -> Block:
        """Score single ranks, increasing: all, or those that the filter admits."""
        start, stop = int(ranks[0]), int(ranks[-1]) + 1
        if self.admitted is not None:
            ranks = ranks[bits_at(self.admitted, ranks)]
        return side_by_side([evaluator.at(start, stop - start, ranks) for evaluator in self.evaluators])
