"""Evaluators: values fit their metrics, and depend on the state alone."""

from __future__ import annotations

from functools import partial

import numpy as np

from epcg_core.plugin import CandidateError, LimitReachedError, Metric
from epcg_testing.report import SCORED, Laws
from epcg_testing.snapshot import snapshot
from epcg_testing.subject import Scored, plain_score
from epcg_testing.violations import Broken, Case, Cases, require

LAWS = Laws()

_KINDS: dict[str, tuple[type, ...]] = {
    "int": (int, np.integer),
    "real": (float, np.floating, int, np.integer),
    "bool": (bool, np.bool_),
}


@LAWS.listed(
    "values-fit-metrics",
    "an evaluator gives one value of the right kind and range per metric, or None if there is none",
    "give int(...), float(...) or bool(...) in the order of `metrics`; register the same metrics.",
    SCORED,
)
def values_fit_metrics(scored: Scored) -> Cases:
    yield Case.once(f"{scored.where}, its metrics", partial(_metrics, scored))
    yield Case(scored.where, partial(_fit, scored), scored.space.ranks)


def _metrics(scored: Scored) -> None:
    expected = scored.space.subject.registry.metrics(scored.info, scored.params)
    require(
        "the metrics of the evaluator, which its registration lists",
        expected,
        tuple(scored.evaluator.metrics),
    )


def _fit(scored: Scored, rank: int) -> None:
    scored.score(rank)  # the core's own reading refuses what does not fit
    try:
        row = scored.evaluator.evaluate(scored.space.unrank(rank))
    except (LimitReachedError, CandidateError):
        return
    registered = scored.space.subject.registry.metrics(scored.info, scored.params)
    for metric, value in zip(registered, row or (), strict=bool(row)):
        if value is not None and not isinstance(value, _KINDS[metric.kind]):
            raise Broken(f"{metric.name} is {metric.kind}", _KINDS[metric.kind][0].__name__, value)
        if value is not None and value != value:
            raise Broken(f"{metric.name} has a value", "a number, or None if there is none", "NaN")
        if isinstance(value, int | float | np.number):
            _in_range(metric, float(value))


def _in_range(metric: Metric, value: float) -> None:
    if metric.at_least is not None and value < metric.at_least:
        raise Broken(f"{metric.name} is in its range", f"at least {metric.at_least:g}", value)
    if metric.at_most is not None and value > metric.at_most:
        raise Broken(f"{metric.name} is in its range", f"at most {metric.at_most:g}", value)


@LAWS.ranked(
    "evaluators-repeat",
    "an evaluator gives one state the same values each time",
    "draw nothing at random without a seed among the params, and keep no counters.",
    SCORED,
)
def _again(scored: Scored, rank: int) -> None:
    first = scored.score(rank)
    require("evaluate, asked again", first, plain_score(scored.evaluator, scored.space.unrank(rank)))


@LAWS.once(
    "order-does-not-matter",
    "a state's values do not depend on the states before it",
    "what is kept from one state for the next may save time, and never change a value.",
    SCORED,
)
def _backwards(scored: Scored) -> None:
    """Check a new evaluator on the states from the last to the first."""
    other = scored.fresh()
    for rank in reversed(scored.space.few(24)):
        found = plain_score(other, scored.space.unrank(rank))
        require(f"rank {rank} by an evaluator that began at the last rank", scored.score(rank), found)


@LAWS.ranked(
    "evaluators-leave-states",
    "an evaluator changes no state",
    "copy what is to be changed; frozen classes and tuples make it impossible to forget.",
    SCORED,
    16,
)
def _unchanged(scored: Scored, rank: int) -> None:
    state = scored.space.unrank(rank)
    before = snapshot(state)
    plain_score(scored.evaluator, state)
    require("the state after it was evaluated", before, snapshot(state))
