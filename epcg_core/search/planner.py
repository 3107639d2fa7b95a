"""The planner: it turns a query into the run that answers it, for every search alike.

A search declares in its `SearchInfo` which parts of a query it refuses. `RunDraft.of` checks that, makes the
generator and its space, and structures the params; `RunDraft.spec` is the one place where a run's
specification is made, so that omissions and quotients of a space reach every kind of run.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any

import attrs

from epcg_core.base.errors import QueryError, UnknownNameError
from epcg_core.base.params import fields_of, plain, structure
from epcg_core.domain import EvaluatorInfo, Metric, SearchInfo, resolve
from epcg_core.plugins.registry import Registry
from epcg_core.query.library import parts_of, with_texts
from epcg_core.query.query import PartRef, Query, RangeParams, evaluator_ref, from_data, part_ref
from epcg_core.query.spec import (
    FilterSpec,
    InputSpec,
    PartSpec,
    RunSpec,
    SpaceSpec,
    canonical_ranks_of,
    checked_range,
    code,
    make_generator,
    max_rank_of,
    space_spec,
    versions,
)
from epcg_core.search.protocol import Search

FILTER = "filter"
"""The role of the input that a filter reads."""


class NoEvaluatorError(QueryError):
    """A search that scores candidates is given no evaluator."""


@attrs.frozen(eq=False)
class RunDraft:
    """A draft of a run: a space, its searched range, and a search."""

    registry: Registry
    query: Query
    info: SearchInfo
    params: Any
    """The params of the search, structured."""
    space: SpaceSpec
    generator: Any
    max_rank: int
    start: int
    stop: int

    @classmethod
    def of(cls, registry: Registry, query: Query, search: str) -> RunDraft:
        """Check a query against the declarations of a search, and make its generator.

        Raises EpcgError, which names the key at fault.
        """
        info = registry.search(search)
        query = with_texts(query)
        space = space_spec(registry, query.domain, query.generator.name, query.generator.params)
        generator = make_generator(registry, space)
        max_rank = max_rank_of(registry, space, generator)
        params: Any = _search_params(registry, info, query.search.params)
        start, stop = checked_range(query.range, max_rank, space)
        _check_accepted(query, info, (start, stop) == (0, max_rank))
        return cls(registry, query, info, params, space, generator, max_rank, start, stop)

    def capability(self, name: str, what: str) -> Any:
        """Return an optional attribute of the generator. Raises QueryError if it is missing."""
        found = getattr(self.generator, name, None)
        if found is None:
            raise QueryError(
                f"{self.space.domain}:{self.space.generator.name} has no {what}, so the search "
                f"{self.info.name} does not apply: use the exhaustive search."
            )
        return found

    def at(self, params: Any) -> RunDraft:
        """Draft a run over the whole space of the same generator with other params: another layer, say."""
        space = space_spec(self.registry, self.space.domain, self.space.generator.name, params)
        generator = make_generator(self.registry, space)
        max_rank = max_rank_of(self.registry, space, generator)
        start, stop = checked_range(RangeParams(), max_rank, space)
        return attrs.evolve(self, space=space, generator=generator, max_rank=max_rank, start=start, stop=stop)

    def spec(self, metrics: Sequence[Metric], *used: object, **more: Any) -> RunSpec:
        """Specify the run: it records `metrics`; `used` are the further registered parts it depends on.

        `more` sets other fields of `RunSpec`.
        """
        used = *used, *parts_of(self.registry, self.space)
        modules, without_file = code(self.registry, self.info.name, self.space, *used)
        fields: dict[str, Any] = {"search": PartSpec(self.info.name, plain(self.params)), "evaluators": ()}
        return RunSpec(
            space=self.space,
            metrics=tuple(metrics),
            start=self.start,
            stop=self.stop,
            max_rank=self.max_rank,
            versions=versions(self.registry, self.info.name, self.space, *used),
            modules=modules,
            without_file=without_file,
            represents=getattr(self.generator, "represents", None),
            omission=getattr(self.generator, "omission", None),
            reading=getattr(self.generator, "reading", None),
            candidate_timeout=self.query.record.candidate_timeout,
            **fields | more,
        )

    def check_selections(self, metrics: Sequence[Metric]) -> None:
        """Check the selections of the query.

        Raises UnknownNameError for a metric that is not among `metrics` and for unknown rules, and
        QueryError for one of each symmetry class of a space without symmetries.
        """
        names = [metric.name for metric in metrics]
        for i, select in enumerate(self.query.select):
            if select.metric not in names:
                raise UnknownNameError("metric", select.metric, names, f"select {i + 1}")
            named = [(each.metric, f"select {i + 1}.where {n + 1}") for n, each in enumerate(select.where)]
            named += [(name, f"select {i + 1}.then") for name in select.then]
            for name, where in named:
                if name not in names:
                    raise UnknownNameError("metric", name, names, where)
            self.registry.selection_rule(select.keep, f"select {i + 1}.keep")
            if select.distinct:
                canonical_ranks_of(self.space, self.generator, select.distinct)

    def evaluated(self) -> RunSpec:
        """Specify the run that scores candidates by the query's evaluators, and what these read."""
        if not self.query.evaluators:
            raise NoEvaluatorError("The query names no evaluator: add [[evaluators]] with a name.")
        infos = [
            self.registry.evaluator(self.query.domain, ref.name, f"evaluators {i + 1}")
            for i, ref in enumerate(self.query.evaluators)
        ]
        structured: list[Any] = [
            structure(info.params, ref.params, f"evaluators {i + 1}")
            for i, (info, ref) in enumerate(zip(infos, self.query.evaluators, strict=True))
        ]
        self._check_several(infos)
        parts = [
            PartSpec(info.name, plain(params), ref.alias)
            for info, params, ref in zip(infos, structured, self.query.evaluators, strict=True)
        ]
        metrics = [
            attrs.evolve(metric, name=f"{part.alias}_{metric.name}") if part.alias else metric
            for info, part, params in zip(infos, parts, structured, strict=True)
            for metric in self.registry.metrics(info, params)
        ]
        self._check_metrics(metrics)
        inputs = _each_role_once(
            attrs.evolve(need, role=part.role(need.role))
            for info, params, part in zip(infos, structured, parts, strict=True)
            for need in self._needs(info, params)
        )
        filter_spec = None
        if (limits := self.query.filter) is not None:
            filter_spec = FilterSpec(limits.metric, limits.min, limits.max)
            inputs.append(InputSpec(FILTER, self._filter_run(), limits.metric, last=True))
        return self.spec(
            metrics,
            *infos,
            *self._used(infos, structured),
            evaluators=tuple(parts),
            filter=filter_spec,
            inputs=tuple(inputs),
            on_error=self.query.record.on_error,
        )

    def _check_several(self, infos: Sequence[EvaluatorInfo]) -> None:
        """Raise QueryError if an evaluator scores single contents and a candidate is several, or reversed."""
        several, name = getattr(self.generator, "holds_several", False), self.space.generator.name
        for info in infos:
            if info.takes_several != several:
                raise QueryError(
                    f"The evaluator {info.name} scores single contents, and a candidate of {name} holds "
                    "several: use of_items, or another evaluator of several."
                    if several
                    else f"The evaluator {info.name} scores several contents together, and a candidate of "
                    f"{name} is one: use it with sequences, choices or products, and joined = false."
                )

    def _check_metrics(self, metrics: Sequence[Metric]) -> None:
        names = [metric.name for metric in metrics]
        for name in names:
            if names.count(name) > 1:
                raise QueryError(
                    f"Two evaluators of the query give the metric '{name}': give one of them a name of its "
                    'own, as = "...", which its metrics then begin with.'
                )
        self.check_selections(metrics)

    def _used(self, infos: Sequence[EvaluatorInfo], structured: Sequence[Any]) -> Iterator[object]:
        """Yield the further registered parts that the evaluators' params name."""
        for info, params in zip(infos, structured, strict=True):
            if info.uses is not None:
                with self.registry.attribute_errors_to(info):
                    used = tuple(resolve(info.uses)(params, self.registry))
                yield from used

    def _needs(self, info: EvaluatorInfo, params: Any) -> list[InputSpec]:
        """Return the recorded tables that an evaluator asks for."""
        if info.needs is None:
            return []
        with self.registry.attribute_errors_to(info):
            needs = tuple(resolve(info.needs)(params, self.generator))
        return [
            InputSpec(
                need.role,
                self._other_run(PartRef(need.generator, plain(need.params)), need.search, need.search_params),
                need.metric,
                need.required,
                need.kind,
                last=True,
            )
            for need in needs
        ]

    def _filter_run(self) -> RunSpec:
        """Plan the run whose metric the filter reads."""
        limits = self.query.filter
        assert limits is not None
        if limits.search is None:
            raise QueryError(
                'filter: name the run it reads: run = NUMBER, or search = { name = "..." } to make it first.'
            )
        search = part_ref(limits.search, "filter.search")
        evaluators = [
            evaluator_ref(table, f"filter.evaluators {i + 1}") for i, table in enumerate(limits.evaluators)
        ]
        try:
            spec = self._other_run(self.query.generator, search.name, search.params, evaluators)
        except NoEvaluatorError as error:
            raise QueryError(
                f"filter: the search {search.name} needs an evaluator that gives '{limits.metric}': add "
                'evaluators = [{ name = "..." }] to [filter].'
            ) from error
        names = [metric.name for metric in spec.final_metrics or spec.metrics]
        if limits.metric not in names:
            raise UnknownNameError("metric", limits.metric, names, "filter")
        return spec

    def _other_run(
        self,
        generator: PartRef,
        search: str,
        params: Mapping[str, Any],
        evaluators: Sequence[PartRef] = (),
    ) -> RunSpec:
        """Plan a run of the same domain that this one reads."""
        other = from_data({
            "name": search,
            "domain": self.query.domain,
            "generator": plain(generator),
            "search": {"name": search, "params": dict(params)},
            "evaluators": [plain(evaluator) for evaluator in evaluators],
        })  # fmt: skip
        return search_named(self.registry, search, "filter.search").plan(other)


def plan(registry: Registry, query: Query) -> tuple[Search, RunSpec]:
    """Make the search of a query and plan the run that answers it. Raises EpcgError if there is none."""
    search = search_named(registry, query.search.name, "search")
    return search, search.plan(query)


def search_named(registry: Registry, name: str, where: str = "") -> Search:
    """Make the search of a name. Raises UnknownNameError; its message starts with `where`."""
    search: Search = resolve(registry.search(name, where).factory)(registry)
    return search


def _search_params(registry: Registry, info: SearchInfo, table: Mapping[str, Any]) -> Any:
    """Read the params of a search. A key of another search is told as such."""
    try:
        return structure(info.params, table, "search")
    except UnknownNameError as error:
        others = [each.name for each in registry.all(SearchInfo) if error.name in fields_of(each.params)]
        if error.name not in table or error.name in fields_of(info.params) or not others:
            raise
        raise QueryError(  # --set may have changed the name alone
            f"search: the key '{error.name}' is of {' and '.join(others)}, not of {info.name}: remove it "
            f"from the file, or replace the whole table, as by --set 'search={{ name = \"{info.name}\" }}'."
        ) from None


def _check_accepted(query: Query, info: SearchInfo, whole: bool) -> None:
    """Raise QueryError if the query asks for something that the search refuses.

    `whole` says that its range is the whole space.
    """
    asked = {
        "evaluators": ("[[evaluators]]", bool(query.evaluators)),
        "filter": ("[filter]", query.filter is not None),
        "range": ("[range]", not whole),
        "on_error": ("record.on_error", query.record.on_error != "stop"),
    }
    for name, reason in info.refuses.items():
        key, present = asked.get(name, ("", False))
        if present:
            raise QueryError(f"The search {info.name} takes no {key}, because {reason}: remove {key}.")


def _each_role_once(needs: Iterable[InputSpec]) -> list[InputSpec]:
    """Merge the inputs that evaluators share, so that each table is read once."""
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
