"""Every measure of one puzzle, and where it stands among the candidates of recorded runs."""

from __future__ import annotations

from collections.abc import Container, Iterator, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any

import attrs

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, QueryError, UnknownNameError
from epcg_core.base.params import plain, structure
from epcg_core.chunks.blocks import BlockEvaluator, Names
from epcg_core.chunks.scores import block_scores
from epcg_core.domain import (
    LIMIT,
    NONE,
    WHOLE,
    EvaluatorInfo,
    Metric,
    Reading,
    TableNeed,
    Value,
    resolve,
)
from epcg_core.editing.kinds import Kind
from epcg_core.execution.little import Little, UnfitError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import with_files
from epcg_core.query.spec import PartSpec, SpaceSpec, make_generator, max_rank_of
from epcg_core.runs.estimates import lower_of_all
from epcg_core.store import Reader, RunRecord, chunk_queries
from epcg_core.store.chunk_queries import percentile as percentile
from epcg_core.store.selection import limits_in_words

MOST_RUNS = 3
"""The number of runs with which each measure is compared."""


@attrs.frozen
class Standing:
    """The place of a value among the candidates of a run that have one."""

    run: int
    domain: str
    generator: str
    params: Mapping[str, Any]
    valued: int
    lower: int
    equal: int
    among: str = ""
    """Which candidates of the space the run evaluated, if not all: those that a filter admitted, say."""
    ordered: bool = True
    """Whether percentages mean something: of yes and no they do not."""

    @property
    def higher(self) -> int:
        """How many candidates have a higher value."""
        return self.valued - self.lower - self.equal

    @property
    def percentile(self) -> float | None:
        """The mid-rank: the percentage of lower values and half of the equal ones; None of yes and no."""
        return percentile(self.lower, self.equal, self.valued) if self.ordered else None

    def shares(self) -> tuple[float, float, float] | None:
        """Return the percentages of lower, equal and higher values; None of yes and no."""
        if not self.ordered:
            return None
        parts = (self.lower, self.equal, self.higher)
        lower, equal, higher = (100 * part / self.valued for part in parts)
        return lower, equal, higher


@attrs.frozen
class Measure:
    """One metric of a puzzle."""

    evaluator: PartSpec
    metric: Metric
    value: Value | None
    reason: str
    """Why there is no value: no solution, a limit, an error."""
    standings: Sequence[Standing] = ()


@attrs.frozen
class Scored:
    """The measures of a puzzle, and the evaluators that do not apply to it, each with the reason."""

    space: SpaceSpec
    rank: int
    measures: Sequence[Measure]
    left_out: Mapping[str, str]


def score(
    space: SpaceSpec,
    rank: int,
    reader: Reader | None,
    evaluators: Container[str] | None = None,
    *,
    rounded: bool = False,
    params: Mapping[str, Any] | None = None,
) -> Scored:
    """Measure a puzzle by all evaluators of its domain.

    Evaluators have their default params, and further those of recorded runs of the domain. Those that score
    the states of other generators are not asked.

    Args:
        space: the puzzle's space.
        rank: its rank.
        reader: the database with the runs to compare with; None for no comparison.
        evaluators: the names of those that measure; None for all of the domain.
        rounded: whether reals are shown rounded, so that those of plain code will do, whose last digits may
            differ. Compiled code answers if they are compared with those of runs.
        params: params of evaluators, instead of their defaults and of those of runs: tables by the name of an
            evaluator, and values for all that have such a param. A text may name a file, as in a query.

    Raises:
        QueryError: if the space has no such rank.
        UnknownNameError: if `params` names an evaluator or a param that the domain does not have.
    """
    given = dict(_given(space.domain, params or {}))
    little = Little()
    generator = make_generator(registry(), space)
    if not 0 <= rank < (size := max_rank_of(registry(), space, generator)):
        raise QueryError(f"{space.name} has ranks 0 to {size - 1}, not {rank}.")
    records = _comparable(space, reader)
    kind = Kind(space, generator, rank) if records else None
    measures: list[Measure] = []
    left_out: dict[str, str] = {}
    several = getattr(generator, "holds_several", False)
    for info in registry().all(EvaluatorInfo, space.domain):
        if info.takes_several != several or (evaluators is not None and info.name not in evaluators):
            continue
        if evaluators is None and not info.scores(space.generator.name):
            continue
        for part in [given[info.name]] if info.name in given else _parts(info, records, left_out):
            try:
                ask = partial(_listed, info, part, generator, rank, name=space.generator.name)
                plainly = partial(ask, plain=True, exact=bool(records) or not rounded)
                found = little.answer(ask, plainly)
            except PLUGIN_EXCEPTIONS as error:  # one that does not fit hides no others
                left_out.setdefault(info.name, str(error).partition("\n")[0])
                continue
            measures += [attrs.evolve(m, standings=_standings(m, records, kind, reader)) for m in found]
    return Scored(space, rank, measures, left_out)


def _given(domain: str, params: Mapping[str, Any]) -> Iterator[tuple[str, PartSpec]]:
    """Yield the evaluators of a domain that are given params, each with them."""
    tables = {name: table for name, table in params.items() if isinstance(table, Mapping)}
    shared = {key: value for key, value in params.items() if key not in tables}
    for name in tables:
        registry().evaluator(domain, name, "params")
    infos = registry().usable(EvaluatorInfo, domain)
    known = {info.name: {field.name for field in attrs.fields(info.params)} for info in infos}
    for key in shared:
        if not any(key in fields for fields in known.values()):
            raise UnknownNameError("param", key, sorted(set[str]().union(*known.values())), "params")
    for info in infos:
        own = {key: value for key, value in shared.items() if key in known[info.name]}
        if own or info.name in tables:
            table = with_files(own | dict(tables.get(info.name, {})), partial(_itself, info))
            yield info.name, PartSpec(info.name, plain(structure(info.params, table, info.name)))


def _itself(info: EvaluatorInfo) -> EvaluatorInfo:
    return info


def _comparable(space: SpaceSpec, reader: Reader | None) -> list[RunRecord]:
    """Return the runs of a puzzle's domain: over its space, then finished ones, then the newest."""
    runs = [] if reader is None else [r for r in reader.runs() if r.domain == space.domain]
    return sorted(runs, key=lambda run: (run.space != space.name, not run.done, -run.id))


def _parts(info: EvaluatorInfo, records: Sequence[RunRecord], left_out: dict[str, str]) -> list[PartSpec]:
    """Return an evaluator with its default params and with those of recorded runs, each once."""
    found = []
    try:
        found.append(PartSpec(info.name, plain(structure(info.params, {}, info.name))))
    except EpcgError as error:  # params without a default
        left_out[info.name] = str(error)
    for record in records:
        for data in record.spec["evaluators"]:
            if data["name"] == info.name and (part := PartSpec(info.name, data["params"])) not in found:
                found.append(part)
                left_out.pop(info.name, None)
    return found


def _listed(
    info: EvaluatorInfo,
    part: PartSpec,
    generator: Any,
    rank: int,
    *,
    name: str,
    plain: bool = False,
    exact: bool = False,
) -> list[Measure]:
    """Return what `measured` yields. Raises UnfitError if reals are to be `exact`, of compiled code."""
    found = list(measured(info, part, generator, rank, name=name, plain=plain))
    if exact and any(each.metric.kind == "real" for each in found):
        raise UnfitError
    return found


def measured(
    info: EvaluatorInfo, part: PartSpec, generator: Any, rank: int, *, name: str, plain: bool = False
) -> Iterator[Measure]:
    """Yield an evaluator's metrics of one state of a generator, which messages call by its `name`.

    With `plain`, plain code computes them if there is any.

    Raises:
        QueryError: if the evaluator needs a recorded table.
    """
    params: Any = structure(info.params, part.params, info.name)
    needs: Sequence[TableNeed] = resolve(info.needs)(params, generator) if info.needs is not None else ()
    for need in needs:
        if need.required:
            raise QueryError(f"it needs the recorded table '{need.role}'; run a query with it")
    with registry().attribute_errors_to(info):
        evaluator = resolve(info.factory)(params, generator, {})
    names = Names(f"generator {info.domain}:{name}", f"evaluator {info.name}")
    block = BlockEvaluator(generator, evaluator, record_errors=True, names=names, plain=plain).block(rank, 1)
    scores = block_scores(block, tuple(evaluator.metrics), rank)
    errors = dict(block.errors)
    reading = getattr(generator, "reading", WHOLE)
    return _of_scores(part, tuple(evaluator.metrics), info, scores, errors.get(rank, ""), reading)


def _of_scores(
    part: PartSpec, metrics: Sequence[Metric], info: EvaluatorInfo, scores: Any, error: str, reading: Reading
) -> Iterator[Measure]:
    meanings = {metric.name: reading.meaning_of_none(metric) for metric in metrics}
    for metric, (status, value) in zip(metrics, scores or [(None, None)] * len(metrics), strict=True):
        reason = ""
        if value is None:
            reasons = {NONE: meanings.get(metric.name, "no value"), LIMIT: "unknown (limit)"}
            reason = reasons.get(status, error.partition("\n")[0] or "an error")
        yield Measure(part, metric, value, reason)


def _standings(
    measure: Measure, records: Sequence[RunRecord], kind: Kind | None, reader: Reader | None
) -> list[Standing]:
    """Compare a value with runs about puzzles of its kind that recorded its metric for several candidates."""
    if reader is None or kind is None or measure.value is None:
        return []
    found: list[Standing] = []
    for record in records:
        if len(found) == MOST_RUNS:
            break
        if not _records(record, measure, reader) or not kind.has(record):
            continue
        name, value = measure.metric.name, +measure.value
        valued = chunk_queries.count(reader, record.id, name)
        if valued > 1:
            equal = chunk_queries.count(reader, record.id, name, value, value)
            lower = chunk_queries.count(reader, record.id, name, high=value) - equal
            generator = record.spec["query"]["generator"]
            found.append(
                Standing(
                    record.id,
                    record.domain,
                    generator["name"],
                    generator["params"],
                    valued,
                    lower,
                    equal,
                    "; ".join(filter(None, (_among(record), lower_of_all(record, lower, valued)))),
                    measure.metric.kind != "bool",
                )
            )
    return found


def _among(record: RunRecord) -> str:
    """Say which candidates of its space a run evaluated; '' if all."""
    told = []
    if limits := record.spec["filter"]:
        told.append(f"with {limits['metric']}{limits_in_words(limits['min'], limits['max'])}")
    if record.candidates < record.max_rank:
        told.append(f"of ranks {record.start:,} to {record.stop - 1:,}")
    if record.pruned or (record.excluded and not record.spec["filter"]):
        told.append(f"that the search {record.search} evaluated")
    if record.omission is not None:
        told.append(f"of a space that leaves out {record.omission}")
    if str(record.reading):
        told.append(str(record.reading))
    only = ["only candidates " + ", ".join(told)] if told else []
    return "; ".join([*filter(None, [record.so_far]), *only])


def _records(record: RunRecord, measure: Measure, reader: Reader) -> bool:
    """Return whether a run has a measure's metric, from parts whose params agree where they have the same."""
    name, params = measure.metric.name, measure.evaluator.params
    if all(metric.name != name for metric in reader.metrics(record.id)):
        return False
    parts = [data for data in record.spec["evaluators"] if name in _metrics_of(record.domain, data)]
    return all(
        part["params"].get(key, value) == value
        for part in parts or [record.spec["search"]]
        for key, value in params.items()
    )


def _metrics_of(domain: str, part: Mapping[str, Any]) -> set[str]:
    with suppress(EpcgError):  # the plugin is missing
        return {metric.name for metric in registry().metrics_of(domain, part["name"], part["params"])}
    return set()
