"""Effects of changes of a content that is being edited: all, the notable ones, and reductions.

All changes within a radius are evaluated; so what is chosen of them is proven to be the extreme.
"""

from __future__ import annotations

import math
import time
from array import array
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs
import numpy as np

from epcg_core.inside import (
    ERROR,
    MOST_EXPANSIONS,
    USUAL_CHANGES,
    BlockEvaluator,
    Changes,
    Document,
    Names,
    applied,
    as_array,
    measures,
    open_document,
    part_of,
)
from epcg_core.plugin import (
    ERASE,
    LIMIT,
    VALUE,
    Edit,
    EvaluatorInfo,
    Metric,
    QueryError,
    Value,
    changes_of,
    registry,
    resolve,
    structure,
)

UNIT_SECONDS = 0.02
"""The time that a part of an analysis takes; after each, it can be stopped."""


@attrs.frozen
class Change:
    """The effects of one change of a content."""

    rank: int
    """Its rank in the generator `changes`."""
    edits: tuple[Edit, ...]
    values: Mapping[str, Value | None]
    """The value of each metric; None if there is none."""
    reason: str = ""
    """Why there are no values: no solution, a limit, no content."""
    failed: bool = False
    """Whether that is an error, or several changes that do not go together."""

    @property
    def description(self) -> str:
        return "; ".join(edit.description for edit in self.edits)


class Effects:
    """The effects of all changes of a content on the metrics of some evaluators, part by part.

    Iterating yields lists of `Change` in the order of their ranks, each after about `UNIT_SECONDS`, so that
    one can stop in between.
    """

    def __init__(
        self,
        document: Document,
        evaluator: str,
        *,
        others: Sequence[str] = (),
        most: int = 1,
        marks: Sequence[str] = (),
        locked: Sequence[str] = (),
        kinds: Sequence[str] = USUAL_CHANGES,
        size: Sequence[int] = (),
        region: Sequence[str] = (),
        keep: bool = True,
        rules: Sequence[str] | None = None,
        limit: int | None = MOST_EXPANSIONS,
        solution: str = "",
    ) -> None:
        """Prepare the changes.

        Args:
            document: the content.
            evaluator: the evaluator that counts, whose metrics are `metrics`.
            others: further evaluators, whose values each change has too.
            most: changes that are made together, at most.
            marks: the marks that may be put; none for all.
            locked: sites that stay.
            kinds: the kinds of change.
            size: columns and rows of the regions that are flipped and turned.
            region: the sites at two opposite corners of the one region that is, instead of `size`.
            keep: whether there stay as many of what there is a fixed number of: one hero.
            rules: the inference rules that the player knows; None for the usual ones.
            limit: positions that one search expands at most.
            solution: the solution that the designer intends, as text; '' for the first shortest one.
        """
        self.document = document
        with registry().attribute_errors_to(document.info):
            self.space: Changes[Any] = changes_of(
                document.editor, most, marks, locked, kinds=kinds, region=region, size=size, keep=keep
            )
        self._measuring = [
            Measuring(document, name, rules, limit, self.space, solution=solution)
            for name in dict.fromkeys((evaluator, *others))
        ]
        self.info = self._measuring[0].info

    def __len__(self) -> int:
        return self.space.max_rank

    def __iter__(self) -> Iterator[list[Change]]:
        start, count = 0, 1
        while start < len(self):
            before = time.perf_counter()
            count = min(count, len(self) - start)
            yield self._changes(start, count)
            start += count
            taken = time.perf_counter() - before
            count = max(1, min(4 * count, int(count * UNIT_SECONDS / max(taken, 1e-6))))

    def at(self, ranks: Sequence[int]) -> list[Change]:
        """Return the changes of some ranks."""
        return [change for rank in ranks for change in self._changes(rank, 1)]

    @cached_property
    def metrics(self) -> Sequence[Metric]:
        """The first evaluator's metrics that changes have values of."""
        return self._measuring[0].metrics

    @property
    def meanings(self) -> Mapping[str, str]:
        """What it means that a change has no value, by metric."""
        return {name: why for own in reversed(self._measuring) for name, why in own.meanings.items()}

    @property
    def every_metric(self) -> Sequence[Metric]:
        """The metrics of all evaluators that changes have values of."""
        return [metric for each in self._measuring for metric in each.metrics]

    @property
    def infos(self) -> Sequence[EvaluatorInfo]:
        """The evaluators, each as it is used here."""
        return [each.info for each in self._measuring]

    def _changes(self, start: int, count: int) -> list[Change]:
        parts = [each.measured(start, count) for each in self._measuring]
        found = []
        for at, own in enumerate(zip(*parts, strict=True)):
            values, reason, failed = own[0]
            for more, why, wrong in own[1:]:
                values |= more
                reason, failed = reason or why, failed or wrong
            found.append(Change(start + at, self.edits_of(start + at), values, reason, failed))
        return found

    def edits_of(self, rank: int) -> tuple[Edit, ...]:
        """Return what the change with a rank does; an edit that empties a site says what it takes away."""
        return tuple(self._told(self.space.edits[number]) for number in self.space.edits_of(rank))

    def _told(self, edit: Edit) -> Edit:
        lost = self._lies.get(str(edit.place), "") if edit.change.get("mark") == ERASE else ""
        return attrs.evolve(edit, description=f"{edit.description} of {lost}") if lost else edit

    @cached_property
    def _lies(self) -> Mapping[str, str]:
        """What lies on each site, in words."""
        editor: Any = self.document.editor
        titles = {mark.name: mark.title or mark.name for mark in editor.palette}
        marks, floor = self.document.scene.marks, set(getattr(editor, "empty", ()))
        return {
            site: " and ".join(titles.get(each, each) for each in here if each not in floor)
            for site, here in marks.items()
        }


_Values = tuple[dict[str, Any], str, bool]
"""The values of a change, why one is missing, and whether that is an error."""


class Measuring:
    """One evaluator of changes, or of what another generator of an editor makes, as fast as there is one."""

    def __init__(
        self,
        document: Document,
        evaluator: str,
        rules: Sequence[str] | None,
        limit: int | None,
        space: Any,
        generator: str = "changes",
        solution: str = "",
    ) -> None:
        """Prepare the evaluator.

        Args:
            document: the content.
            evaluator: the name of the evaluator.
            rules: the inference rules that the player knows; None for the usual ones.
            limit: positions that one search expands at most.
            space: what the generator makes.
            generator: its name; incremental evaluators know changes only.
            solution: the solution that the designer intends, as text.
        """
        info = registry().evaluator(document.domain, evaluator)
        faster = [
            other
            for other in registry().all(EvaluatorInfo, document.domain)
            if other.incremental_for == info.name and generator == "changes"
        ]
        self.info = faster[0] if faster and document.playable else info
        self._space, self._generator = space, generator
        self._wanted = {metric.name for metric in info.metrics}
        self._params: Any = structure(
            self.info.params, part_of(self.info, rules, limit, solution).params, self.info.name
        )
        self.meanings = {
            metric.name: document.reading.meaning_of_none(metric)
            for metric in (*self.info.metrics, *info.metrics)
        }
        """What it means that a change has no value, by metric."""

    @cached_property
    def metrics(self) -> Sequence[Metric]:
        """The metrics that are asked for."""
        _, metrics = self._evaluator
        return tuple(metric for metric in metrics if metric.name in self._wanted)

    @cached_property
    def _evaluator(self) -> tuple[BlockEvaluator, Sequence[Metric]]:
        with registry().attribute_errors_to(self.info):
            evaluator = resolve(self.info.factory)(self._params, self._space, {})
        names = Names(f"generator {self.info.domain}:{self._generator}", f"evaluator {self.info.name}")
        blocks = BlockEvaluator(self._space, evaluator, record_errors=True, names=names)
        return blocks, tuple(evaluator.metrics)

    def measured(self, start: int, count: int) -> list[_Values]:
        """Measure the changes of ranks start .. start + count - 1."""
        blocks, metrics = self._evaluator
        block = blocks.block(start, count)
        columns = [as_array(column) for column in block.evaluation.values]
        status = block.evaluation.status
        statuses = np.zeros((len(metrics), count), np.uint8)
        if status is not None:
            statuses[:] = status
        errors = dict(block.errors)
        found: list[_Values] = []
        for at in range(count):
            values: dict[str, Value | None] = {}
            reason, failed = "", False
            for number, metric in enumerate(metrics):
                if metric.name not in self._wanted:
                    continue
                state = int(statuses[number, at])
                valued = state == VALUE or (metric.always and state != ERROR)
                values[metric.name] = columns[number][at].item() if valued else None
                if not valued and not reason:
                    reason = self._reason(state, metric, errors.get(start + at, ""))
                    failed = state == ERROR
            found.append((values, reason, failed))
        return found

    def _reason(self, status: int, metric: Metric, error: str) -> str:
        if status == LIMIT:
            return LIMIT_REACHED
        if status == ERROR:
            return error.partition("\n")[0] or "an error"
        return self.meanings.get(metric.name, "no value")


LIMIT_REACHED = "unknown (limit)"
"""Why a change has no value if a limit was reached before one was found."""
SUGGESTED = ("highest", "lowest", "different", "solvable", "redundant")
"""The kinds of suggestions."""


@attrs.frozen
class Suggestion:
    """A change, or several, that a designer may want."""

    kind: str
    """One of `SUGGESTED`."""
    change: Change
    value: Value | None


class Suggestions:
    """Chosen changes: the extremes, the most different ones, what makes a content solvable, what it can lose.

    Of all changes within a radius, what is chosen is proven to be the extreme. How different a content
    becomes is the sum over the evaluator's metrics of how far each moves, as a share of its range over all
    changes; a value that appears or is lost counts as the whole range.

    Args:
        effects: what measures the changes.
        metric: the metric that counts.
        own: the values of the content itself, by metric; None for a metric that has none.
        most: how many of each kind are kept.
    """

    def __init__(self, effects: Effects, metric: str, own: Mapping[str, Value | None], most: int = 5) -> None:
        self._effects, self._metric, self._own, self._most = effects, metric, own, most
        self._kinds: dict[str, list[Suggestion]] = {kind: [] for kind in SUGGESTED}
        self._ranks = array("q")
        self._values = {each.name: array("d") for each in effects.metrics}

    def add(self, changes: Iterable[Change]) -> None:
        """Look at further changes, in the order of their ranks."""
        own = self._own[self._metric]
        for change in changes:
            value = change.values.get(self._metric)
            if value is None:
                continue
            self._ranks.append(change.rank)
            for name, values in self._values.items():
                values.append(_real(change.values.get(name)))
            kinds: list[str] = []
            if own is None:
                kinds = ["solvable"]
            elif value != own:
                kinds = ["highest" if value > own else "lowest"]
            elif own is not False and all(edit.change.get("mark") == ERASE for edit in change.edits):
                kinds = ["redundant"]
            for kind in kinds:
                self._kinds[kind].append(Suggestion(kind, change, value))
        self._kinds["highest"].sort(key=lambda each: each.value or 0, reverse=True)
        self._kinds["lowest"].sort(key=lambda each: each.value or 0)
        for found in self._kinds.values():
            del found[self._most :]

    def found(self) -> list[Suggestion]:
        """Return what was chosen, kind by kind, the best first; equal ones by rank."""
        self._kinds["different"] = self._different()
        return [each for kind in SUGGESTED for each in self._kinds[kind]]

    def _different(self) -> list[Suggestion]:
        """Return the most different contents; none if one metric decides, which the extremes tell already."""
        if self._own[self._metric] is None or len(self._values) < 2 or not self._ranks:
            return []
        distance = np.zeros(len(self._ranks))
        for name, found in self._values.items():
            own, values = _real(self._own.get(name)), np.array(found)
            known = values[~np.isnan(values)]
            least, most = min([own, *known]), max([own, *known])  # nan stays nan, which has no range
            if most > least:
                distance += np.where(np.isnan(values), 1.0, abs(values - own) / (most - least))
            else:
                distance += np.isnan(values) != np.isnan(own)
        order = np.argsort(-distance, kind="stable")[: self._most]
        ranks = np.array(self._ranks)[order[distance[order] > 0]]
        changes = self._effects.at(ranks.tolist())
        return [Suggestion("different", change, change.values[self._metric]) for change in changes]


def _real(value: Value | None) -> float:
    return math.nan if value is None else float(value)


@attrs.frozen
class Reduced:
    """A content after changes that keep what is measured."""

    text: str
    made: tuple[str, ...]
    """The changes, in order."""


def reduced(
    document: Document, evaluator: str, metric: str, mark: str = ERASE, locked: Sequence[str] = ()
) -> Iterator[Reduced]:
    """Put a mark on one site after the other as long as a metric keeps its value; yield each step.

    With no mark the content becomes simpler: what is not needed goes. With a mark, a wall say, it becomes
    tighter: what is not needed is filled. After the last step, putting the mark on any further site that is
    not locked changes the value.

    Raises:
        QueryError: if the content has no value.
        UnknownNameError: if there is no such mark or site.
    """
    own = _own_value(document, evaluator, metric)
    made: tuple[str, ...] = ()
    done, passed = set(locked), set[str]()
    order = [site.id for site in document.scene.sites]
    while True:
        closed = [site for site in order if site in done or site in passed]
        kept = (
            change
            for part in Effects(document, evaluator, marks=[mark], locked=closed)
            for change in part
            if change.values.get(metric) == own
        )
        found = next(kept, None)
        if found is None:
            if not passed:
                return
            passed = set()  # what could not be changed before may now
            continue
        site = found.edits[0].change["site"]
        done.add(site)
        passed |= set(order[: order.index(site)])
        made = (*made, found.description)
        document = open_document(document.domain, applied(document, [(site, mark)]))
        yield Reduced(document.text, made)


def _own_value(document: Document, evaluator: str, metric: str) -> Value:
    found = own_values(document, evaluator).get(metric)
    if found is None:
        raise QueryError(f"The content has no {metric}, so there is nothing to keep.")
    return found


def own_values(
    document: Document, evaluator: str, rules: Sequence[str] | None = None, solution: str = ""
) -> dict[str, Value | None]:
    """Return the values of a content by metric. Raises QueryError if the evaluator does not apply to it."""
    for _, found in measures(document, [evaluator], rules=rules, solution=solution):
        if isinstance(found, str):
            raise QueryError(found)
        return {measure.metric.name: measure.value for measure in found}
    raise QueryError(f"{document.domain} has no evaluator {evaluator} of contents.")
