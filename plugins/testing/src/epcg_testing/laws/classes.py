"""Symmetry classes and measures: what counts as one puzzle is measured alike."""

from __future__ import annotations

from functools import partial
from typing import Any

from epcg_testing.report import Laws, offering
from epcg_testing.subject import Space
from epcg_testing.violations import Broken, Case, Cases, Skip, require

LAWS = Laws()


@LAWS.listed(
    "classes-hold-like-states",
    "if no orbit is declared, states of one canonical rank agree in a measure, and there are several classes",
    "declare the symmetries, orbit = 'module:function' in conformance.toml, so that they are checked; "
    "canonical_rank must only join states that one of them makes equal.",
    offering("canonical_rank"),
)
def classes_hold_like_states(space: Space) -> Cases:
    if space.declared.orbit is not None:
        yield Skip(space.where, "its orbit is declared (see canonical-rank-is-one-for-an-orbit)")
        return
    if len(space.ranks) > 1:
        yield Case.once(space.where, partial(_classes, space))
    columns = {
        f"{scored.info.name}, {metric.name}": (scored, m)
        for scored in space.evaluators
        for m, metric in enumerate(scored.evaluator.metrics)
        if len({repr(scored.score(rank)[m]) for rank in space.ranks}) > 1
    }
    if columns:
        yield Case(space.where, partial(_like, space, columns), space.ranks)


def _classes(space: Space) -> None:
    found = {space.generator.canonical_rank(rank) for rank in space.ranks}
    if len(found) == 1:
        raise Broken(
            f"the canonical rank of {len(space.ranks)} states, so that they count as one puzzle",
            "more than one, or a declared orbit",
            found.pop(),
        )


def _like(space: Space, columns: dict[str, tuple[Any, int]], rank: int) -> None:
    canonical = space.generator.canonical_rank(rank)
    scores = {
        name: (scored.score(canonical)[m], scored.score(rank)[m]) for name, (scored, m) in columns.items()
    }
    if all(one != other for one, other in scores.values()):
        raise Broken(
            f"no measure agrees with that of rank {canonical}, its canonical rank",
            {name: one for name, (one, _) in scores.items()},
            {name: other for name, (_, other) in scores.items()},
        )


@LAWS.listed(
    "symmetries-leave-metrics",
    "metrics declared invariant are equal for states of one canonical rank",
    "either the evaluator depends on the orientation, or canonical_rank brings unlike states together.",
    offering("canonical_rank"),
)
def symmetries_leave_metrics(space: Space) -> Cases:
    if not space.declared.invariant:
        yield Skip(space.where, "no invariant metrics are declared: invariant = ['metric', ...]")
    for scored in space.evaluators:
        for m, metric in enumerate(scored.evaluator.metrics):
            if metric.name in space.declared.invariant:
                yield Case(f"{scored.where}, {metric.name}", partial(_alike, space, scored, m), space.ranks)


def _alike(space: Space, scored: Any, metric: int, rank: int) -> None:
    canonical = space.generator.canonical_rank(rank)
    expected = scored.score(canonical)[metric]
    require(
        f"the value at rank {canonical}, which is its canonical rank", expected, scored.score(rank)[metric]
    )
