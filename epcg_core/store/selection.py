"""Choosing from the record: the best, the top N, or all in a range, from any run's chunks."""

from __future__ import annotations

import math
import operator

import numpy as np

from epcg_core.domain import resolve
from epcg_core.errors import PluginError
from epcg_core.plugins.registry import registry
from epcg_core.query.query import SelectParams
from epcg_core.query.spec import CanonicalRanks
from epcg_core.store import Reader, chunk_queries
from epcg_core.store.chunk_queries import Scored


def select(
    reader: Reader, run_id: int, rule: SelectParams, canonical_ranks: CanonicalRanks | None = None
) -> list[Scored]:
    """Yield the candidates of a run that `rule` keeps: best value first, equal values by rank.

    With `rule.distinct`, only the first state of each of `canonical_ranks` is kept.
    """
    column = reader.column(run_id, rule.metric)
    assert column.metric is not None
    sign = 1 if (rule.direction or column.metric.direction) == "max" else -1
    keep = canonical_ranks if rule.distinct else None
    low = -math.inf if rule.min is None else rule.min
    high = math.inf if rule.max is None else rule.max
    if rule.keep == "threshold":
        inside = chunk_queries.between(reader, run_id, rule.metric, low, high)
        return _distinct(sorted(inside, key=lambda scored: (-sign * scored[1], scored[0])), keep)
    if rule.keep == "best":
        if low == -math.inf and high == math.inf:
            value = chunk_queries.best_value(reader, run_id, rule.metric, sign)
        else:
            best = chunk_queries.top(reader, run_id, rule.metric, sign, 1, low, high)
            value = +best[0][1] if best else None  # as SQL has it: a boolean is a number
        found = (
            [] if value is None else list(chunk_queries.between(reader, run_id, rule.metric, value, value))
        )
        return _distinct(found, keep)
    if rule.keep != "top":
        return _distinct(_by_plugin(reader, run_id, rule, sign, low, high), keep)
    if keep is None:
        return chunk_queries.top(reader, run_id, rule.metric, sign, rule.count, low, high)
    wanted = rule.count
    while True:  # ask for more until enough distinct ones are among them
        found = chunk_queries.top(reader, run_id, rule.metric, sign, wanted, low, high)
        distinct = _distinct(found, keep)
        if len(distinct) >= rule.count or len(found) < wanted:
            return distinct[: rule.count]
        wanted *= 4


def _by_plugin(
    reader: Reader, run_id: int, rule: SelectParams, sign: int, low: float, high: float
) -> list[Scored]:
    """Let a plugin's rule choose. Raises UnknownNameError without the plugin, and PluginError."""
    info = registry().selection_rule(rule.keep, "select.keep")
    assert info is not None
    found = list(chunk_queries.between(reader, run_id, rule.metric, low, high))
    if not found:
        return []
    ranks = np.array([rank for rank, _ in found], np.int64)
    values = np.array([value for _, value in found])
    with registry().attribute_errors_to(info):
        positions = [operator.index(each) for each in resolve(info.choose)(ranks, values, sign, rule.count)]
    if len(set(positions)) < len(positions) or not all(0 <= each < len(found) for each in positions):
        raise PluginError(
            f"The {registry().described(info)} must return different positions from 0 to {len(found) - 1}."
        )
    return [found[position] for position in positions]


_DIRECTIONS = {"max": ", the largest", "min": ", the smallest"}


def rule_text(rule: SelectParams) -> str:
    """Describe the rule, for the record."""
    suffix = limits_in_words(rule.min, rule.max) + _DIRECTIONS.get(rule.direction or "", "")
    if not isinstance(rule.distinct, bool) and rule.distinct:
        suffix += f", one of each class by {', '.join(rule.distinct)}"
    elif rule.distinct:
        suffix += ", one of each symmetry class"
    if rule.keep == "top":
        return f"top {rule.count} by {rule.metric}{suffix}"
    if rule.keep == "best":
        return f"best by {rule.metric}{suffix}"
    if rule.keep != "threshold":
        return f"{rule.keep} {rule.count} by {rule.metric}{suffix}"
    return f"{rule.metric}{suffix}"


def limits_in_words(low: float | None, high: float | None) -> str:
    """Describe limits of values behind the name of a metric: ' of 3 or more'; '' without limits."""
    if low is not None and high is not None:
        return f" from {low:g} to {high:g}"
    if low is not None:
        return f" of {low:g} or more"
    return "" if high is None else f" of {high:g} or less"


def _distinct(found: list[Scored], canonical_ranks: CanonicalRanks | None) -> list[Scored]:
    if canonical_ranks is None or not found:
        return found
    canonical = canonical_ranks(np.array([rank for rank, _ in found], np.int64))
    _, firsts = np.unique(canonical, return_index=True)
    return [found[first] for first in np.sort(firsts).tolist()]
