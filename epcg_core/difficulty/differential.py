"""The effect of one inference rule on a puzzle's difficulty: what a puzzle teaches."""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, nan
from typing import Any

from epcg_core.difficulty.measures import muse
from epcg_core.difficulty.rules import AnyRule
from epcg_core.difficulty.scorers import EntropyScorer
from epcg_core.difficulty.search import StateSpace
from epcg_core.domain import TransitionModel


def rule_differential(
    model: TransitionModel[Any, Any],
    puzzle: Any,
    rule: AnyRule,
    measure: EntropyScorer = muse,
    *,
    depth_limit: int | None = None,
    limit: int | None = None,
) -> float:
    """Return the entropy without any rule minus the entropy with only this rule, in bits.

    Puzzles that maximise it are easy for players who know the rule and hard for others. NaN for a puzzle
    without a solution, minus infinity if the rule excludes all of them. Raises LimitReachedError for more
    than `limit` states.
    """
    return leave_one_out_differential(
        model, puzzle, [rule], rule, measure, depth_limit=depth_limit, limit=limit
    )


def leave_one_out_differential(
    model: TransitionModel[Any, Any],
    puzzle: Any,
    rules: Sequence[AnyRule],
    rule: AnyRule,
    measure: EntropyScorer = muse,
    *,
    depth_limit: int | None = None,
    limit: int | None = None,
) -> float:
    """Return the entropy with all `rules` but this one minus the entropy with all of them, in bits.

    NaN if no solution is left without the rule, minus infinity if the rule excludes all of them.
    Raises LimitReachedError for more than `limit` states.
    """
    others = [other for other in rules if other is not rule]
    without = measure(StateSpace(model, puzzle, others, depth_limit=depth_limit, limit=limit))
    with_it = measure(StateSpace(model, puzzle, [*others, rule], depth_limit=depth_limit, limit=limit))
    return difference(without.value, with_it.value)


def difference(without: float, with_it: float) -> float:
    """Return `without` minus `with_it`; NaN if `without` is infinite."""
    return nan if without == inf else without - with_it
