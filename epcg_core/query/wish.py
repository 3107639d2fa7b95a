"""A wish, judged by arrays: conditions that candidates meet, and the order of those that meet them.

It knows no database: recorded chunks and values in memory are judged alike, block by block.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import partial
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import Metric, counted
from epcg_core.domain.content import unsolved_in_words
from epcg_core.query.conditions import Condition, Constant
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
    without: int = 0
    """Those of `first` that have no value of the condition's measure."""


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
        self._first, self._alone, self._others, self._without = np.zeros((4, len(self._conditions)), np.int64)

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
            fails = left & ~met
            self._first[i] += int(np.count_nonzero(fails))
            if column.missing is not None and not condition.absent:
                self._without[i] += int(np.count_nonzero(fails & column.missing))
            left &= met
        for i, met in enumerate(answers):
            self._others[i] += int(np.count_nonzero((failed == 1) & ~met))
        self._candidates += size
        self._met += int(np.count_nonzero(left))
        return left

    def verdict(self) -> Verdict:
        """Return the counts."""
        counts = (self._first, self._alone, self._others, self._without)
        rows = zip(self._conditions, *(each.tolist() for each in counts), strict=True)
        return Verdict(self._candidates, self._met, tuple(Judged(each, *own) for each, *own in rows))


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


def in_words(
    verdict: Verdict, metrics: Mapping[str, Metric] | None = None, reasons: Mapping[str, int] | None = None
) -> str:
    """Say how many candidates meet a wish, what the others fail first, and which condition blocks most.

    The numbers add up to all candidates.

    Args:
        verdict: the counts.
        metrics: the measures of the conditions, by name; of others only the name is told.
        reasons: why candidates have no value of the first measure, each with their number; what they do not
            count is told without a reason.
    """
    several, first = len(verdict.judged) > 1, verdict.judged[0].condition
    if several or first.limited:
        what = "all conditions" if several else f"'{_titled(first, metrics)}'"
        verb = f"{'meets' if verdict.met < 2 else 'meet'} {what}"
    else:
        verb = f"can be ranked by {_metric(first, metrics).heading}"
    told = f"{verdict.met:,} of {verdict.candidates:,} {verb}" if verdict.met else ""
    told = told or f"None of {verdict.candidates:,} {verb}"
    failed = [
        reason
        for number, each in enumerate(verdict.judged)
        for reason in _failed(each, _metric(each.condition, metrics), reasons or {} if not number else {})
    ]
    if failed and (several or not first.limited):
        told += f"; {', '.join(failed)}"
        told += ", each counted at the first that it fails" if several and failed[1:] else ""
    told += "."
    if verdict.met or not several or not verdict.candidates:
        return told
    ways = [each for each in verdict.judged if each.others]
    if not ways:
        return f"{told} Each fails at least two."
    only = next(iter(reasons), "") if reasons and len(reasons) == 1 else ""
    if len(ways) == 1 and ways[0].condition.limited:
        meet = counted(ways[0].others, "meets", "meet")
        return f"{told} '{_titled(ways[0].condition, metrics)}' alone stands in the way: {meet} all others."
    return " ".join([told, *(_way(each, _metric(each.condition, metrics), only) for each in ways)])


def _way(judged: Judged, metric: Metric, reason: str) -> str:
    """Say how many candidates meet all conditions but one."""
    condition, many = attrs.evolve(judged.condition, metric=metric.heading), judged.others
    if condition.limited:
        return f"Without '{condition}' {many:,} would."
    return f"{counted(many, 'meets', 'meet')} all others, but {lacks(metric, many, reason)}."


def _metric(condition: Condition, metrics: Mapping[str, Metric] | None) -> Metric:
    return (metrics or {}).get(condition.metric) or Metric(condition.metric, "real", title=condition.metric)


def _titled(condition: Condition, metrics: Mapping[str, Metric] | None) -> Condition:
    """Return a condition that bears the title of its measure."""
    return attrs.evolve(condition, metric=_metric(condition, metrics).heading)


def _failed(judged: Judged, metric: Metric, reasons: Mapping[str, int]) -> Iterator[str]:
    """Say how many candidates a condition is the first to exclude, and what they are or have."""
    left = judged.without
    for reason, many in reasons.items():
        if many <= left:
            left -= many
            yield f"{many:,} {lacks(metric, many, reason)}"
    if left:
        yield f"{left:,} {lacks(metric, left)}"
    if rest := judged.first - judged.without:
        yield f"{rest:,} {misses(judged.condition, metric, rest)}"


NOT_DECIDED = "a limit was reached"
"""Why candidates have no value that would have one, or none, after a longer search."""


def lacks(metric: Metric, many: int, reason: str = "") -> str:
    """Say that candidates have no value of a measure: 'cannot be solved', 'have no shortest line'.

    Args:
        metric: the measure.
        many: how many candidates there are.
        reason: what it means that there is no value, as `Reading.meaning_of_none` says it; '' if that is not
            known.
    """
    if reason == NOT_DECIDED:
        return f"{'is' if many == 1 else 'are'} not decided, because {reason}"
    if unsolved := unsolved_in_words(reason):
        return unsolved
    has = "has" if many == 1 else "have"
    if metric.kind == "bool":
        told = f"{has} no answer to “{metric.heading}”"
    else:
        told = f"{has} no {'known number of ' if metric.counts else ''}{metric.heading}"
    return told if reason in ("", "no value") else f"{told} ({reason})"


def misses(condition: Condition, metric: Metric, many: int) -> str:
    """Say how the values of candidates differ from what a condition asks: 'have more than 5 moves'.

    Args:
        condition: the condition, which all of them fail.
        metric: its measure.
        many: how many candidates there are.
    """
    has = "has" if many == 1 else "have"
    if metric.kind == "bool" or isinstance(condition.equals, bool):
        return _answers(metric.heading, condition.equals is not False, many)
    if condition.absent:
        return f"{has} a value of {metric.heading}"
    names = partial(_named, metric)
    only = [*([] if condition.equals is None else [condition.equals]), *(condition.among or ())]
    limits = (condition.min, condition.above, condition.max, condition.below)
    if metric.counts:
        wrong = [words(limit) for words, limit in zip(_COUNTS, limits, strict=True) if limit is not None]
        wrong += map(names, condition.without or ())
        if only:
            return f"{has} another number of {metric.heading} than {' or '.join(map(names, only))}"
        return f"{has} {' or '.join(wrong)} {metric.heading}"
    wrong = [f"{words} {names(n)}" for words, n in zip(_MEASURES, limits, strict=True) if n is not None]
    wrong += [f"of {names(each)}" for each in condition.without or ()]
    wrong += [f"other than {' or '.join(map(names, only))}"] if only else []
    article = "" if metric.is_plural else "an " if metric.heading[0] in "aeiou" else "a "
    return f"{has} {article}{metric.heading} {' or '.join(wrong)}"


def _figures(value: float) -> str:
    """Write a number with all its digits."""
    return f"{int(value):,}" if math.isfinite(value) and value == int(value) else repr(value)


def _named(metric: Metric, value: Constant) -> str:
    """Return the name of a value that a condition compares with, or its digits."""
    if isinstance(value, str):
        return value
    is_name = 0 <= value < len(metric.words) and value == int(value)
    return metric.words[int(value)] if is_name else _figures(value)


_COUNTS: Sequence[Callable[[float], str]] = (
    lambda least: "0" if least == 1 else f"fewer than {_figures(least)}",
    lambda above: f"{_figures(above)} or fewer",
    lambda most: f"{int(most) + 1} or more" if most in (0, 1) else f"more than {_figures(most)}",
    lambda below: f"{_figures(below)} or more",
)
"""How counts miss `min`, `above`, `max` and `below`, in words that go with a noun in the plural."""
_MEASURES = ("below", "of at most", "above", "of at least")
"""How other measures miss them."""


def _answers(title: str, wanted: bool, number: int) -> str:
    """Say that candidates do not answer a yes/no measure as wanted: 'cannot be solved'."""
    if title.startswith("can be "):
        return title.replace("can be", "cannot be" if wanted else "can be", 1)
    if title.startswith("has "):
        rest = title.removeprefix("has ")
        if wanted:
            return f"{'does' if number == 1 else 'do'} not have {rest}"
        return f"{'has' if number == 1 else 'have'} {rest}"
    verb = "lack" if wanted else "have"
    if number == 1:
        verb = "lacks" if wanted else "has"
    return f"{verb} “{title}”"
