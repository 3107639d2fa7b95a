"""Exhaustive search (Sturtevant & Ota 2018, Algorithm 1): evaluate every rank of a range.

A filter turns it semi-exhaustive: ranks where another run's metric is outside its limits are left out, and
counted as excluded. What is kept is chosen from the record afterwards (`epcg_core.store.selection`).
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np

from epcg_core.chunks.bitsets import unpack
from epcg_core.chunks.blocks import Block, BlockEvaluator, Names, side_by_side
from epcg_core.domain import Bits, EvaluatorInfo, resolve
from epcg_core.domain.layers import Allocate
from epcg_core.errors import QueryError, UnknownNameError
from epcg_core.params import plain, structure
from epcg_core.plugins.registry import Registry
from epcg_core.query.query import PartRef, Query, part_ref
from epcg_core.query.spec import (
    FilterSpec,
    InputSpec,
    PartSpec,
    RunSpec,
    SpaceSpec,
    check_selections,
    checked_range,
    make_generator,
    max_rank_of,
    space_spec,
    versions,
)
from epcg_core.search.params import ExhaustiveParams
from epcg_core.search.protocol import Solver, Tables

FILTER = "filter"


class ExhaustiveSearch:
    """Evaluates every candidate by every evaluator of the query."""

    def __init__(self, registry: Registry) -> None:
        self._registry = registry

    def plan(self, query: Query) -> RunSpec:
        registry = self._registry
        space = space_spec(registry, query.domain, query.generator.name, query.generator.params)
        generator = make_generator(registry, space)
        max_rank = max_rank_of(registry, space, generator)
        start, stop = checked_range(query, max_rank, space)
        if not query.evaluators:
            raise QueryError("The query names no evaluator: add [[evaluators]] with a name.")
        infos = [
            registry.evaluator(query.domain, ref.name, f"evaluators[{i}]")
            for i, ref in enumerate(query.evaluators)
        ]
        structured: list[Any] = [
            structure(info.params, ref.params, f"evaluators[{i}]")
            for i, (info, ref) in enumerate(zip(infos, query.evaluators, strict=True))
        ]
        metrics = tuple(metric for info in infos for metric in info.metrics)
        _check_metrics(query, [metric.name for metric in metrics])
        inputs = _each_role_once(
            need
            for info, params in zip(infos, structured, strict=True)
            for need in self._needs(query.domain, info, params, generator)
        )
        filter_spec = None
        if query.filter is not None:
            filter_spec = FilterSpec(query.filter.metric, query.filter.min, query.filter.max)
            inputs.append(InputSpec(FILTER, self._filter_run(query, space), query.filter.metric, last=True))
        return RunSpec(
            space=space,
            search=PartSpec("exhaustive", plain(structure(ExhaustiveParams, query.search.params, "search"))),
            evaluators=tuple(
                PartSpec(info.name, plain(params)) for info, params in zip(infos, structured, strict=True)
            ),
            metrics=metrics,
            start=start,
            stop=stop,
            max_rank=max_rank,
            represents=getattr(generator, "represents", None),
            omission=getattr(generator, "omission", None),
            versions=versions(registry, "exhaustive", space, *infos, *self._used(infos, structured)),
            filter=filter_spec,
            inputs=tuple(inputs),
            on_error=query.record.on_error,
        )

    def _used(self, infos: Sequence[EvaluatorInfo], structured: Sequence[Any]) -> Iterator[object]:
        """The further registered parts that the evaluators' params name."""
        for info, params in zip(infos, structured, strict=True):
            if info.uses is not None:
                with self._registry.attribute_errors_to(info):
                    used = tuple(resolve(info.uses)(params, self._registry))
                yield from used

    def _needs(self, domain: str, info: EvaluatorInfo, params: Any, generator: Any) -> list[InputSpec]:
        """The recorded tables that an evaluator asks for."""
        if info.needs is None:
            return []
        with self._registry.attribute_errors_to(info):
            needs = tuple(resolve(info.needs)(params, generator))
        return [
            InputSpec(
                need.role,
                self._other_run(
                    domain, PartRef(need.generator, plain(need.params)), need.search, need.search_params
                ),
                need.metric,
                need.required,
                need.kind,
                last=True,
            )
            for need in needs
        ]

    def _filter_run(self, query: Query, space: SpaceSpec) -> RunSpec:
        assert query.filter is not None
        if query.filter.search is None:
            raise QueryError(
                'filter: name the run it reads: run = NUMBER, or search = { name = "..." } to make it first.'
            )
        search = part_ref(query.filter.search, "filter.search")
        evaluators = [
            part_ref(table, f"filter.evaluators[{i}]") for i, table in enumerate(query.filter.evaluators)
        ]
        spec = self._other_run(query.domain, query.generator, search.name, search.params, evaluators)
        names = [metric.name for metric in spec.final_metrics or spec.metrics]
        if query.filter.metric not in names:
            raise UnknownNameError("metric", query.filter.metric, names, "filter")
        return spec

    def _other_run(
        self,
        domain: str,
        generator: PartRef,
        search: str,
        params: Mapping[str, Any],
        evaluators: Sequence[PartRef] = (),
    ) -> RunSpec:
        from epcg_core.query.query import from_data

        info = self._registry.search(search, "filter.search")
        other = from_data({
            "name": search,
            "domain": domain,
            "generator": plain(generator),
            "search": {"name": search, "params": dict(params)},
            "evaluators": [plain(evaluator) for evaluator in evaluators],
        })  # fmt: skip
        spec: RunSpec = resolve(info.factory)(self._registry).plan(other)
        return spec

    def prepare(self, spec: RunSpec, inputs: Mapping[str, Bits], allocate: Allocate) -> None:
        """Nothing: evaluators read their tables as they are recorded."""

    def block_size(self, spec: RunSpec) -> int | None:
        return None

    def checker(self, spec: RunSpec, inputs: Mapping[str, Bits]) -> Solver:
        """As `solver`, but where an evaluator offers `fresh`, by one that learns nothing on its way."""
        return self._solver(spec, inputs, self.evaluators(spec, inputs, fresh=True))

    def solver(self, spec: RunSpec, inputs: Mapping[str, Bits], tables: Tables) -> Solver:
        return self._solver(spec, inputs, self.evaluators(spec, inputs))

    def _solver(
        self, spec: RunSpec, inputs: Mapping[str, Bits], evaluators: Sequence[BlockEvaluator]
    ) -> Solver:
        return ExhaustiveSolver(evaluators, None if spec.filter is None else inputs[FILTER])

    def evaluators(
        self, spec: RunSpec, inputs: Mapping[str, Bits], fresh: bool = False
    ) -> list[BlockEvaluator]:
        """The run's evaluators, each with the run's generator."""
        generator = make_generator(self._registry, spec.space)
        own = {role: bits for role, bits in inputs.items() if role != FILTER}
        found = []
        for part in spec.evaluators:
            info = self._registry.evaluator(spec.space.domain, part.name)
            params: Any = structure(info.params, part.params, part.name)
            with self._registry.attribute_errors_to(info):
                evaluator = resolve(info.factory)(params, generator, own)
                if fresh and hasattr(evaluator, "fresh"):
                    evaluator = evaluator.fresh()
            names = Names(
                f"generator {spec.space.domain}:{spec.space.generator.name}",
                f"evaluator {spec.space.domain}:{part.name}",
            )
            found.append(BlockEvaluator(generator, evaluator, spec.on_error == "record", names))
        return found


@attrs.frozen(eq=False)
class ExhaustiveSolver:
    """Scores every rank of a range, or those that a filter admits."""

    evaluators: Sequence[BlockEvaluator]
    admitted: Bits | None = None
    piecewise: bool = True
    """A range is as easy by parts as at once, and small parts stay in the processor's cache."""

    def __call__(self, start: int, count: int) -> Block:
        if self.admitted is None:
            return side_by_side([evaluator.block(start, count) for evaluator in self.evaluators])
        ranks = start + np.flatnonzero(unpack(self.admitted, start, start + count))
        return side_by_side([evaluator.at(start, count, ranks) for evaluator in self.evaluators])


def _each_role_once(needs: Iterable[InputSpec]) -> list[InputSpec]:
    """The tables that evaluators share are read once."""
    found: dict[str, InputSpec] = {}
    for need in needs:
        known = found.setdefault(need.role, need)
        if (known.run.identity, known.metric) != (need.run.identity, need.metric):
            raise QueryError(
                f"Two evaluators of the query read different tables as '{need.role}': give them the same "
                "params, or a query each."
            )
        if need.required and not known.required:
            found[need.role] = need
    return list(found.values())


def _check_metrics(query: Query, names: list[str]) -> None:
    for name in names:
        if names.count(name) > 1:
            raise QueryError(f"Two evaluators of the query give the metric '{name}'.")
    check_selections(query, names)
