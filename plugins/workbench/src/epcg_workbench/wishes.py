"""Wishes of the page: read from requests, granted from changes as they are measured, said in words.

A wish is a `[[select]]` of a query: what to keep, conditions, an order among equals, and how far apart.
"""

from __future__ import annotations

import time
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.inside import (
    MOST_EXPANSIONS,
    Condition,
    Document,
    SelectParams,
    editing,
    ledger,
    likeness,
    puts_of,
    selection,
    sites_of,
    wish,
)
from epcg_core.plugin import (
    Metric,
    QueryError,
    UnknownNameError,
    Value,
    counted,
    plain,
    registry,
    structure,
    toml_text,
)
from epcg_workbench.changes import LIMIT_REACHED, Change, Effects
from epcg_workbench.messages import Message, plain_value, rules_of, solution_of, texts_of, whole_of

MOST_SUGGESTED = 60
"""Suggestions of one answer: the page shows as many as the wish keeps, and more if asked."""
MANY = 2_000
"""If more meet a wish whose suggestions are apart, only as many are sought as it keeps."""
PAUSE = 0.5
"""Seconds between suggestions so far, at least."""
_TYPES = {"bool": np.bool_, "int": np.int64, "real": np.float64}


@attrs.frozen
class Wish:
    """A wish, and what measures it."""

    rule: SelectParams
    evaluators: tuple[str, ...]
    """The evaluators that it needs, the one that it ranks by first."""
    metrics: Mapping[str, Metric]
    """The metrics that it needs, by name."""


def wish_of(request: Mapping[str, Any], domain: str) -> Wish:
    """Read the wish of a request.

    A yes/no measure to rank by is a condition: 'highest' wants a yes, 'lowest' a no.

    Raises:
        QueryError: if the wish keeps no number of candidates, or orders by a yes/no measure.
        ParamsError: for a key or a value that wishes do not have.
        UnknownNameError: for a measure that the domain does not have.
    """
    rule = structure(SelectParams, request.get("wish", {}), "wish")
    if not rule.keeps_count or rule.distinct:
        raise QueryError('A wish keeps a number of the "highest" or "lowest"; "apart" keeps these unlike.')
    own = request.get("evaluator")
    infos = sorted(editing.evaluators(domain), key=lambda info: info.name != own)
    known = {metric.name: (info.name, metric) for info in reversed(infos) for metric in info.metrics}
    for name in selection.metrics_of(rule):
        if name not in known:
            raise UnknownNameError("measure", name, list(known), "wish")
    for name in rule.then:
        if known[name][1].kind == "bool":
            raise QueryError(f"'{name}' is a yes/no measure: make it a condition, not an order.")
    if known[rule.metric][1].kind == "bool":
        condition = Condition(rule.metric, equals=rule.keep != "lowest")
        rule = attrs.evolve(rule, where=(*rule.where, condition))
    names = selection.metrics_of(rule)
    evaluators = dict.fromkeys(known[name][0] for name in names)
    return Wish(rule, tuple(evaluators), {name: known[name][1] for name in names})


@attrs.frozen(eq=False)
class _Block:
    """Some changes, judged."""

    ranks: NDArray[np.int64]
    columns: Mapping[str, wish.Column]


class Granting:
    """The choice from a content's changes, as these are measured."""

    def __init__(self, effects: Effects, wished: Wish) -> None:
        self._effects, self._wish = effects, wished
        self._conditions = wish.conditions_of(wished.rule)
        self._choosing = self._choice(wished.rule)
        self._blocks: list[_Block] = []
        self._reasons = Counter[str]()
        self._met = self.impossible = 0
        self._next = 0.0

    def _choice(self, rule: SelectParams) -> selection.Choosing:
        looks = None
        if rule.apart is not None:
            looks = likeness.looks_of(self._effects.document.domain, "changes", self._effects.space)
        return selection.Choosing(rule, self._wish.metrics, likeness.Likeness(None, looks))

    def add(self, changes: Sequence[Change]) -> dict[int, list[int]]:
        """Judge further changes; return, by rank, the numbers of the conditions that single changes fail.

        Several changes that make no content together are counted apart.
        """
        real = [change for change in changes if not (change.failed and len(change.edits) > 1)]
        name = self._wish.rule.metric
        meaning = self._effects.meanings.get(name, "")
        self._reasons.update(
            reason_of(change.reason, meaning) for change in real if change.values.get(name) is None
        )
        self.impossible += len(changes) - len(real)
        if not real:
            return {}
        columns = {
            name: column_of(metric, [change.values.get(name) for change in real])
            for name, metric in self._wish.metrics.items()
        }
        block = _Block(np.array([change.rank for change in real], np.int64), columns)
        self._blocks.append(block)
        self._met += int(np.count_nonzero(self._choosing.add(block.ranks, columns)))
        of_conditions = ((each, columns[each.metric]) for each in self._conditions)
        held = [each.holds(column.values, column.missing).tolist() for each, column in of_conditions]
        return {
            change.rank: [number for number, met in enumerate(held) if not met[at]]
            for at, change in enumerate(real)
            if len(change.edits) == 1
        }

    def so_far(self) -> Message:
        """Return the suggestions so far, if the last ones are old enough; else only the counts in words."""
        now = time.perf_counter()
        if now < self._next:
            return {"wish": {"text": _in_words(self._choosing.verdict, self._wish, self._reasons)}}
        found = self.message()
        self._next = time.perf_counter() + max(PAUSE, 10 * (time.perf_counter() - now))
        return found

    def message(self, final: bool = False) -> Message:
        """Say how many changes meet the wish, and suggest the best; if none does, what others allow."""
        rule = self._wish.rule
        few = rule.apart is None or self._met <= MANY
        granted = self._choosing.granted(max(rule.count, MOST_SUGGESTED) if few else None)
        kept = len(granted.found[: rule.count])
        told = wish_message(granted, self._wish, self._reasons)
        told |= {"impossible": self.impossible, "kept": kept}
        found: Message = {"wish": told, "wished": self._suggestions(granted, rule)}
        verdict = self._choosing.verdict
        if final and verdict.in_the_way in rule.where:
            found["allowed"] = self._allowed(verdict.in_the_way)
        return found

    def _allowed(self, obstacle: Condition) -> Message:
        """Suggest what the other conditions allow, the closest to the one that stands in the way first."""
        rule = self._wish.rule
        kept = list(rule.where)
        number = kept.index(obstacle)
        del kept[number]
        if obstacle.equals is None:
            keep = "lowest" if obstacle.min is None and obstacle.above is None else "highest"
            rule = attrs.evolve(rule, metric=obstacle.metric, keep=keep, direction=None)
        rule = attrs.evolve(rule, where=tuple(kept))
        choosing = self._choice(rule)
        for block in self._blocks:
            choosing.add(block.ranks, block.columns)
        granted = choosing.granted()
        suggestions = self._suggestions(granted, rule)
        if self._wish.metrics[obstacle.metric].counts:  # what has none of it is as far away
            suggestions = [each for each in suggestions if each["values"][obstacle.metric]]
        nearest = suggestions[0]["values"][obstacle.metric] if suggestions else None
        return {"condition": number, "metric": rule.metric, "suggestions": suggestions, "nearest": nearest}

    def _suggestions(self, granted: selection.Granted, rule: SelectParams) -> list[Message]:
        starts = [int(block.ranks[0]) for block in self._blocks]
        editor, space = self._effects.document.editor, self._effects.space
        found = []
        for rank, _ in granted.found:
            block = self._blocks[bisect_right(starts, rank) - 1]
            at = int(np.searchsorted(block.ranks, rank))
            values = {name: plain_value(_value(column, at)) for name, column in block.columns.items()}
            edits = self._effects.edits_of(rank)
            with registry().attribute_errors_to(self._effects.document.info):
                scene = editor.scene(space.unrank(rank))
            found.append(
                change_message(Change(rank, edits, values), rule.metric)
                | {
                    "kind": "wish",
                    "values": values,
                    "marks": {site: list(marks) for site, marks in scene.marks.items() if marks},
                    "paths": [attrs.asdict(line) for line in scene.paths],
                }
            )
        return found


def reason_of(told: str, meaning: str) -> str:
    """Return why a candidate has no value of a measure, as sentences about wishes say it; '' if that is open.

    Args:
        told: why it lacks the first value that it lacks, of whichever measure.
        meaning: what it means that it has no value of the measure.
    """
    if told == LIMIT_REACHED:
        return wish.NOT_DECIDED
    return meaning if told == meaning else ""


def wish_message(
    granted: selection.Granted, wished: Wish, reasons: Mapping[str, int] | None = None
) -> Message:
    """Say how many candidates meet a wish, in the words that people have for its measures.

    Args:
        granted: the answer.
        wished: the wish.
        reasons: why candidates have no value of the measure that it ranks by, each with their number.
    """
    assert granted.verdict is not None
    found = ledger.wish_data(granted)
    judged = _titled(granted.verdict, wished).judged
    told = [
        each | {"told": str(own.condition)} for each, own in zip(found["conditions"], judged, strict=True)
    ]
    kept = min(len(granted.found), wished.rule.count)
    last = "this one" if kept == 1 else f"the last of the best {kept}"
    equal = f"{counted(granted.equal, 'more is', 'more are')} as good as {last}."
    text = _in_words(granted.verdict, wished, reasons)
    return found | {"text": text, "ties": equal if granted.equal else "", "conditions": told}


def _in_words(verdict: wish.Verdict, wished: Wish, reasons: Mapping[str, int] | None = None) -> str:
    known = {reason: number for reason, number in (reasons or {}).items() if reason}
    return wish.in_words(verdict, wished.metrics, known)


def _titled(verdict: wish.Verdict, wished: Wish) -> wish.Verdict:
    """Return a verdict whose conditions bear the titles of their measures."""
    judged = []
    for each in verdict.judged:
        metric = wished.metrics.get(each.condition.metric)
        title = each.condition.metric if metric is None else metric.heading
        judged.append(attrs.evolve(each, condition=attrs.evolve(each.condition, metric=title)))
    return attrs.evolve(verdict, judged=tuple(judged))


def change_message(change: Change, metric: str) -> Message:
    """Describe a change and its value of a metric: what is put where, and which places it touches."""
    return {
        "rank": change.rank,
        "edits": [list(put) for edit in change.edits for put in puts_of(edit)],
        "sites": list(dict.fromkeys(site for edit in change.edits for site in sites_of(edit))),
        "single": len(change.edits) == 1,
        "description": change.description,
        "value": plain_value(change.values.get(metric)),
        "reason": change.reason,
    }


def effects_of(
    request: Mapping[str, Any],
    document: Document,
    evaluators: Sequence[str],
    limit: int | None = MOST_EXPANSIONS,
) -> Effects:
    """Prepare the changes that a request asks for."""
    return Effects(
        document,
        evaluators[0],
        others=evaluators[1:],
        rules=rules_of(request),
        limit=limit,
        solution=solution_of(request),
        **spaces_of(request),
    )


def spaces_of(request: Mapping[str, Any]) -> dict[str, Any]:
    """Return the params of the changes that a request asks for, but for the content."""
    found: dict[str, Any] = {"most": whole_of(request, "most", 1), "keep": True}
    found |= {
        key: texts_of(request, key) for key in ("marks", "locked", "kinds", "region") if request.get(key)
    }
    if request.get("size"):
        size = request["size"]
        if not isinstance(size, list) or any(type(number) is not int for number in size):
            raise QueryError("The request needs 'size', columns and rows.")
        found["size"] = size
    return found


def owned(wished: Wish, values: Mapping[str, Value | None]) -> dict[str, Value | None]:
    """Return the content's own values of the wish's measures."""
    return {name: plain_value(values.get(name)) for name in wished.metrics}


def select_of(wished: Wish) -> Iterator[str]:
    """Yield the lines of the `[[select]]` table that asks for the same of a run."""
    defaults = plain(SelectParams(wished.rule.metric))
    for key, value in plain(wished.rule).items():
        if value is not None and (key in ("metric", "keep", "count") or defaults.get(key) != value):
            yield f"{key} = {toml_text(_without_none(value))}"


def _without_none(value: Any) -> Any:
    if isinstance(value, list):
        return [_without_none(each) for each in value]
    if isinstance(value, dict):
        return {key: each for key, each in value.items() if each is not None}
    return value


def column_of(metric: Metric, values: Sequence[Value | None]) -> wish.Column:
    """Return values of a metric as a column."""
    missing = np.array([value is None for value in values], np.bool_)
    filled: NDArray[Any] = np.array([0 if value is None else value for value in values], _TYPES[metric.kind])
    return wish.Column(filled, missing if missing.any() else None)


def _value(column: wish.Column, at: int) -> Value | None:
    if column.missing is not None and column.missing[at]:
        return None
    found: Value = column.values[at].item()
    return found
