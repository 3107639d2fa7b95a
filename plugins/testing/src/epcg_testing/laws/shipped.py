"""The spaces of shipped queries and plans: some of their states, in every form."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from epcg_core.inside import (
    PLUGIN_EXCEPTIONS,
    ArrayEvaluator,
    FusedEvaluator,
    load_plan,
    score_difference,
    shipped_plans,
    shipped_queries,
    space_spec,
)
from epcg_core.plugin import (
    ArrayGenerator,
    CompiledEvaluator,
    EpcgError,
    format_exception,
    load_query,
    make_generator,
    plain,
)
from epcg_testing.declaration import DeclaredSpace
from epcg_testing.report import Laws
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Scored, Space, Subject, plain_score, sample, scores_of
from epcg_testing.violations import Broken, Case, Cases, Skip, WrongValuesError, require, short

LAWS = Laws()

_RANKS = 12
"""Of each space: three from each end, and six drawn."""


@LAWS.whole(
    "shipped-spaces-hold",
    "some states of each space that a shipped query or plan names have one value in every form",
    "compare the kernel with the plain form at the rank above: what a query asks for may be larger than what "
    "conformance.toml declares.",
    lasting=True,
)
def shipped_spaces_hold(subject: Subject) -> Cases:
    known: set[str] = set()
    for where, query in _queries(subject):
        if query.domain != subject.name or where in subject.silent:
            continue
        subject.at(where)
        try:
            space = _space(subject, query)
            ranks = [rank for rank in sample(space.max_rank, _RANKS) if space.has_state(rank)]
        except PLUGIN_EXCEPTIONS as error:  # it needs a value or a library; or another law tells of it
            yield Skip(where, f"its space is not made: {short(format_exception(error))}")
            continue
        if space.where not in known:
            yield Case(f"{where}, its states", partial(_state, space), ranks)
        asked = _admitted(space, query, ranks)
        for part in query.evaluators:
            here = f"{where}, evaluator {part.name}"
            name = f"{space.where} by {part.name} {plain(part.params)} at {asked}"
            if name in known or here in subject.silent:
                continue
            subject.at(here)
            try:
                scored = space.scored(part.name, part.params)
            except PLUGIN_EXCEPTIONS as error:
                yield Skip(here, f"it is not made: {short(format_exception(error))}")
            else:
                yield Case(here, partial(_value, scored), asked)
            known.add(name)
        known.add(space.where)


def _queries(subject: Subject) -> Iterator[tuple[str, Any]]:
    """Yield the queries that the plugin ships, and those of its plans; other laws tell which are wrong."""
    own = {report.name for report in subject.registry.reports if report.distribution == subject.distribution}
    for name, path in shipped_queries().items():
        if name.partition("/")[0] in own:
            try:
                yield f"query {name}", load_query(str(path))
            except EpcgError:
                continue
    for name, path in shipped_plans().items():
        if name.partition("/")[0] in own:
            try:
                chapters = load_plan(str(path)).chapters
            except EpcgError:
                continue
            parts = [part for chapter in chapters for part in chapter.parts if part.query is not None]
            yield from ((f"plan {name}, query {number}", part.query) for number, part in enumerate(parts, 1))


def _space(subject: Subject, query: Any) -> Space:
    spec = space_spec(subject.registry, subject.name, query.generator.name, query.generator.params)
    declared = DeclaredSpace(query.generator.name, dict(query.generator.params), evaluators=())
    return Space(subject, spec, make_generator(subject.registry, spec), declared)


def _admitted(space: Space, query: Any, ranks: list[int]) -> list[int]:
    """Return the ranks that a query's filter leaves to its evaluators, which may take minutes for others.

    All are returned if it leaves none, or reads a run of a search that is more than its evaluators' values.
    """
    if query.filter is None or not query.filter.evaluators:
        return ranks
    least, most = query.filter.min, query.filter.max
    try:
        found = [
            rank
            for rank in ranks
            if (value := _measured(space, query, rank)) is not None
            and (least is None or value >= least)
            and (most is None or value <= most)
        ]
    except PLUGIN_EXCEPTIONS:  # another law tells of it
        return ranks
    return found or ranks


def _measured(space: Space, query: Any, rank: int) -> Any:
    """Return the value that a query's filter compares, None if a state has none."""
    for table in query.filter.evaluators:
        params = {key: value for key, value in table.items() if key not in ("name", "as")}
        scored = space.scored(table["name"], params)
        for metric, (status, value) in zip(scored.evaluator.metrics, scored.score(rank), strict=True):
            if metric.name == query.filter.metric:
                return value if status == 0 else None
    return None


def _state(space: Space, rank: int) -> None:
    state, generator = space.unrank(rank), space.generator
    require("unrank, asked twice", snapshot(state), snapshot(space.unrank(rank)))
    if space.offers("rank"):
        require("rank(unrank(rank))", rank, generator.rank(state))
    if space.offers("canonical_rank") and not 0 <= generator.canonical_rank(rank) <= rank:
        raise Broken("canonical_rank(rank)", f"0 to {rank}", generator.canonical_rank(rank))
    if isinstance(generator, ArrayGenerator):
        one, same = generator.states_block(rank, 1), generator.states_at(np.array([rank], np.int64))
        require("states_at of the rank, as states_block", snapshot(one.tolist()), snapshot(same.tolist()))


def _value(scored: Scored, rank: int) -> None:
    """Compare all forms of an evaluator at one rank."""
    evaluator, generator = scored.evaluator, scored.space.generator
    metrics = evaluator.metrics
    names = ", ".join(metric.name for metric in metrics)
    try:
        expected = scored.score(rank)
    except WrongValuesError as error:
        raise Broken(str(error), "values of the metrics' kinds", "others") from error
    if isinstance(generator, ArrayGenerator) and isinstance(evaluator, ArrayEvaluator):
        found = evaluator.evaluate_states(generator.states_at(np.array([rank], np.int64)))
        what = f"(status, value) of {names} by evaluate_states"
        require(what, [expected], scores_of(found, metrics))
    if isinstance(evaluator, FusedEvaluator):
        found = evaluator.evaluate_block(rank, 1)
        require(f"(status, value) of {names} by evaluate_block", [expected], scores_of(found, metrics))
    form = evaluator.plain() if isinstance(evaluator, CompiledEvaluator) else None
    if form is not None:
        own = plain_score(form, scored.space.unrank(rank))
        difference = score_difference(form.metrics, own, expected, close=True)
        if difference is not None:
            raise Broken(f"(status, value) by plain(): {difference}", own, expected)
