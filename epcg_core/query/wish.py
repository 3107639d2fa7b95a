"""A wish, judged by arrays: conditions that candidates meet, and the order of those that meet them.

It knows no database: recorded chunks and values in memory are judged alike, block by block.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import Metric, counted
from epcg_core.query.conditions import Condition
from epcg_core.query.query import SelectParams


@attrs.frozen(eq=False)
class Column:
    """The values of one metric for n candidates."""

    values: NDArray[Any]
    """(n,)"""
    missing: NDArray[np.bool_] | None = None
    """(n,) which candidates have no value; None if all have one."""


Columns = Mapping[str, Column]
"""Columns of the same candidates, by metric."""


@attrs.frozen
class Judged:
    """One condition, and how many candidates fail it."""

    condition: Condition
    first: int
    """The candidates that fail this condition and meet those before it. Over all conditions, and with those
    that meet all, they add up to all candidates."""
    alone: int
    """The candidates that fail this condition, whatever others say."""
    others: int
    """The candidates that meet all conditions but this one, this one aside."""


@attrs.frozen
class Verdict:
    """The number of candidates that meet the conditions of a wish, and the conditions that others fail."""

    candidates: int
    met: int
    judged: tuple[Judged, ...]

    @property
    def in_the_way(self) -> Condition | None:
        """The only condition without which some candidate would meet the wish, if none meets it."""
        alone = [each.condition for each in self.judged if each.others]
        return alone[0] if not self.met and len(alone) == 1 else None


def conditions_of(rule: SelectParams) -> tuple[Condition, ...]:
    """List the conditions of a rule: that there is a value within the rule's own limits, then the others."""
    first = Condition(rule.metric, rule.min, rule.max)
    return (first, *(each for each in rule.where if each != first))


class Tally:
    """Counts of the candidates that were judged so far."""

    def __init__(self, conditions: Sequence[Condition]) -> None:
        self._conditions = tuple(conditions)
        self._candidates = self._met = 0
        self._first, self._alone, self._others = np.zeros((3, len(self._conditions)), np.int64)

    def judge(self, columns: Columns, size: int) -> NDArray[np.bool_]:
        """Tell which of `size` further candidates meet all conditions, (size,), and count the others."""
        failed = np.zeros(size, np.int64)  # how many conditions each fails
        left = np.ones(size, np.bool_)
        answers = []
        for i, condition in enumerate(self._conditions):
            column = columns[condition.metric]
            met = condition.holds(column.values, column.missing)
            answers.append(met)
            failed += ~met
            self._alone[i] += size - int(np.count_nonzero(met))
            before = int(np.count_nonzero(left))
            left &= met
            self._first[i] += before - int(np.count_nonzero(left))
        for i, met in enumerate(answers):
            self._others[i] += int(np.count_nonzero((failed == 1) & ~met))
        self._candidates += size
        self._met += int(np.count_nonzero(left))
        return left

    def verdict(self) -> Verdict:
        """Return the counts."""
        rows = zip(self._conditions, self._first, self._alone, self._others, strict=True)
        return Verdict(
            self._candidates,
            self._met,
            tuple(Judged(each, int(first), int(alone), int(others)) for each, first, alone, others in rows),
        )


def preference(
    columns: Columns, metrics: Sequence[tuple[Metric, int]], ranks: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Order candidates by some metrics, each with its sign, and then by rank.

    Args:
        columns: the metrics' columns of n candidates.
        metrics: metrics in the order of their weight; the sign is 1 if larger is better, else -1. A candidate
            without a value comes after those that have one.
        ranks: (n,) their ranks.

    Returns:
        (n,) positions, the best first.
    """
    keys: list[NDArray[Any]] = [ranks]
    for metric, sign in reversed(metrics):
        column = columns[metric.name]
        keys.append(_ascending(column.values, sign))
        if column.missing is not None:
            keys[-1] = np.where(column.missing, np.zeros((), keys[-1].dtype), keys[-1])
            keys.append(column.missing)
    return np.lexsort(keys)


def _ascending(values: NDArray[Any], sign: int) -> NDArray[Any]:
    """Return keys that ascend from the best value to the worst."""
    if values.dtype == np.bool_:
        values = values.view(np.uint8)
    if sign < 0:
        return values
    return ~values if values.dtype.kind in "iu" else -values


def in_words(verdict: Verdict, meanings: Mapping[str, str] | None = None) -> str:
    """Say how many candidates meet a wish, what the others fail first, and which condition blocks most.

    The numbers add up to all candidates.

    Args:
        verdict: the counts.
        meanings: what it means that a candidate has no value, by the name of the measure in the verdict.
    """
    several, first = len(verdict.judged) > 1, verdict.judged[0].condition
    if several or first.limited:
        what = "all conditions" if several else f"'{first}'"
        verb = f"{'meets' if verdict.met < 2 else 'meet'} {what}"
    else:
        verb = f"can be ranked by {first.metric}"
    told = f"{verdict.met:,} of {verdict.candidates:,} {verb}" if verdict.met else ""
    told = told or f"None of {verdict.candidates:,} {verb}"
    failed = [_failed(each) for each in verdict.judged if each.first]
    why = (meanings or {}).get(first.metric, "")
    if failed and several:
        told += f"; {', '.join(failed)}" + (", each counted at the first that it fails" if failed[1:] else "")
    elif failed and not first.limited:
        told += f"; {verdict.judged[0].first:,} cannot" if verdict.met else ""
        told += f": {why}" if why else ""
    told += "."
    if verdict.met or not several or not verdict.candidates:
        return told
    ways = [each for each in verdict.judged if each.others]
    if not ways:
        return f"{told} Each fails at least two."
    if len(ways) == 1:
        meet = counted(ways[0].others, "meets", "meet")
        return f"{told} '{ways[0].condition}' alone stands in the way: {meet} all others."
    return f"{told} " + " ".join(f"Without '{each.condition}' {each.others:,} would." for each in ways)


def _failed(judged: Judged) -> str:
    """Say how many candidates a condition is the first to exclude."""
    condition = judged.condition
    return (
        f"{counted(judged.first, 'fails', 'fail')} '{condition}'"
        if condition.limited
        else f"{judged.first:,} cannot be ranked by {condition.metric}"
    )
