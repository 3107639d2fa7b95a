"""What can be said of a content that is being edited: its measures, and what changes would do.

Everything comes from the domain's editor and its evaluators; nothing is recorded.
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from epcg_core.chunks.blocks import BlockEvaluator, Names, as_array
from epcg_core.combinatorics.contents import Changes, changes_of, contents_of
from epcg_core.domain import (
    ERROR,
    LIMIT,
    VALUE,
    Edit,
    EditorInfo,
    EvaluatorInfo,
    InferenceRuleInfo,
    Metric,
    Value,
    resolve,
)
from epcg_core.domain.editing import ERASE, Editor, Scene
from epcg_core.errors import PLUGIN_EXCEPTIONS, EpcgError, QueryError, UnknownNameError
from epcg_core.params import plain, structure
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import PartSpec
from epcg_core.services.score import Measure, measured

MOST_CHARACTERS = 100_000
"""The longest text of a content that is opened."""
MOST_EXPANSIONS = 200_000
"""Positions that one search expands at most, unless it is asked for more."""
UNIT_SECONDS = 0.02
"""The time that a part of an analysis takes; after each, it can be stopped."""


@attrs.frozen(eq=False)
class Document:
    """A content that is open in its editor."""

    info: EditorInfo
    editor: Editor[Any]

    @property
    def domain(self) -> str:
        return self.info.domain

    @cached_property
    def text(self) -> str:
        """The content as its editor writes it: the same text for the same content."""
        with registry().attribute_errors_to(self.info):
            return self.editor.format(self.editor.content)

    @cached_property
    def scene(self) -> Scene:
        with registry().attribute_errors_to(self.info):
            return self.editor.scene(self.editor.content)

    @property
    def model(self) -> Any:
        """The transition model. Raises QueryError if the content cannot be played."""
        model = getattr(self.editor, "transition_model", None)
        if model is None:
            raise QueryError(
                f"Contents of {self.domain} cannot be played: the editor has no transition model."
            )
        return model

    @property
    def playable(self) -> bool:
        return getattr(self.editor, "transition_model", None) is not None

    def put(self, sites: Sequence[str], mark: str) -> str:
        """Return the text after a mark is put on sites, one after the other, or drawn over them."""
        known = {site.id for site in self.scene.sites}
        for site in sites:
            if site not in known:
                raise UnknownNameError("site", site, list(known))
        marks = {each.name: each for each in self.editor.palette}
        if mark != ERASE and mark not in marks:
            raise UnknownNameError("mark", mark, list(marks))
        state = self.editor.content
        with registry().attribute_errors_to(self.info):
            if mark != ERASE and marks[mark].stroke and len(sites) > 1:
                state = self.editor.stroke(state, sites, mark)  # type: ignore[attr-defined]
            else:
                for site in sites:
                    state = self.editor.put(state, site, mark)
            return self.editor.format(state)

    def resized(self, columns: int, rows: int) -> str:
        """Return the text on a board of another size. Raises QueryError if the board has one size only."""
        if not hasattr(self.editor, "resized"):
            raise QueryError(f"Contents of {self.domain} have one size.")
        with registry().attribute_errors_to(self.info):
            text: str = self.editor.resized(self.editor.content, columns, rows)
        return text


def open_document(domain: str, text: str) -> Document:
    """Open the content that a text shows. Raises EpcgError if it shows none."""
    if len(text) > MOST_CHARACTERS:
        raise QueryError(
            f"This text has {len(text):,} characters; a content has at most {MOST_CHARACTERS:,}."
        )
    info = registry().editor(domain)
    with registry().attribute_errors_to(info):
        return Document(info, resolve(info.factory)(text))


def new_text(domain: str, columns: int | None = None, rows: int | None = None) -> str:
    """Return the text of a new content, of the usual size or of the given one."""
    info = registry().editor(domain)
    width, height = info.size
    with registry().attribute_errors_to(info):
        text: str = resolve(info.new)(width if columns is None else columns, height if rows is None else rows)
    return text


def examples(domain: str) -> Mapping[str, str]:
    """Return the texts of contents to begin with, by title."""
    info = registry().editor(domain)
    if info.examples is None:
        return {}
    with registry().attribute_errors_to(info):
        found: Mapping[str, str] = resolve(info.examples)()
    return found


def recognised(text: str) -> list[str]:
    """Return the domains whose editors open a text."""
    found = []
    for info in registry().all(EditorInfo):
        try:
            open_document(info.domain, text)
        except PLUGIN_EXCEPTIONS:  # it shows no content of this domain
            continue
        found.append(info.domain)
    return found


def evaluators(domain: str) -> list[EvaluatorInfo]:
    """Return the evaluators of a domain that need nothing but the content, by name.

    Incremental ones are left out: they take the place of others where changes are compared.
    """
    return [
        info
        for info in registry().all(EvaluatorInfo, domain)
        if not info.incremental_for and _default(info) is not None
    ]


def _default(info: EvaluatorInfo) -> dict[str, Any] | None:
    """Return the default params of an evaluator; None if some params have none."""
    try:
        return plain(structure(info.params, {}, info.name))
    except EpcgError:
        return None


RULES = "rules"
"""The param of evaluators that names the inference rules which a player knows."""


def known_rules(domain: str) -> list[tuple[str, str, bool]]:
    """Return (name, summary, known by default) of the inference rules of a domain."""
    usual = {
        rule
        for info in evaluators(domain)
        for rule in (_default(info) or {}).get(RULES, ())
        if isinstance(rule, str)
    }
    return [
        (info.name, info.summary, info.name in usual) for info in registry().all(InferenceRuleInfo, domain)
    ]


def _part(info: EvaluatorInfo, rules: Sequence[str] | None, limit: int | None) -> PartSpec:
    """Return an evaluator with a player's rules and a limit of its searches, if it has these params."""
    has = {field.name for field in attrs.fields(info.params)}
    table: dict[str, Any] = {}
    if rules is not None and RULES in has:
        table[RULES] = list(rules)
    if limit is not None and "limit" in has:
        table["limit"] = limit
    return PartSpec(info.name, plain(structure(info.params, table, info.name)))


def measures(
    document: Document,
    names: Sequence[str] | None = None,
    *,
    rules: Sequence[str] | None = None,
    plain_code: bool = False,
) -> Iterator[tuple[EvaluatorInfo, Sequence[Measure] | str]]:
    """Yield each evaluator with its measures of the content, or with the reason why it has none.

    Args:
        document: the content.
        names: the evaluators; None for all of `evaluators`.
        rules: the inference rules that the player knows; None for those of the evaluators' defaults.
        plain_code: use plain code only, which needs no compiled kernels.
    """
    generator = contents_of(document.editor, [document.editor.content])
    for info in evaluators(document.domain):
        if names is not None and info.name not in names:
            continue
        try:
            part = _part(info, rules, MOST_EXPANSIONS)
            yield info, tuple(measured(info, part, generator, 0, name="contents", plain=plain_code))
        except PLUGIN_EXCEPTIONS as error:  # one that does not apply hides no others
            yield info, str(error).partition("\n")[0]


@attrs.frozen
class Change:
    """What one change of a content does."""

    rank: int
    """Its rank in the generator `changes`."""
    edits: tuple[Edit, ...]
    values: Mapping[str, Value | None]
    """The value of each metric; None if there is none."""
    reason: str = ""
    """Why there are no values: no solution, a limit, no content."""

    @property
    def description(self) -> str:
        return "; ".join(edit.description for edit in self.edits)


class Effects:
    """The effects of all changes of a content on one evaluator's metrics, part by part.

    Iterating yields lists of `Change` in the order of their ranks, each after about `UNIT_SECONDS`, so that
    one can stop in between.
    """

    def __init__(
        self,
        document: Document,
        evaluator: str,
        *,
        most: int = 1,
        marks: Sequence[str] = (),
        locked: Sequence[str] = (),
        rules: Sequence[str] | None = None,
        limit: int | None = MOST_EXPANSIONS,
    ) -> None:
        info = registry().evaluator(document.domain, evaluator)
        faster = [
            other
            for other in registry().all(EvaluatorInfo, document.domain)
            if other.incremental_for == info.name
        ]
        self.document = document
        with registry().attribute_errors_to(document.info):
            self.space: Changes[Any] = changes_of(document.editor, most, marks, locked)
        self.info = faster[0] if faster and document.playable else info
        self.metrics: Sequence[Metric] = info.metrics
        self._params: Any = structure(self.info.params, _part(self.info, rules, limit).params, self.info.name)
        self._meanings = {metric.name: metric.none for metric in (*self.info.metrics, *info.metrics)}

    def __len__(self) -> int:
        return self.space.max_rank

    def __iter__(self) -> Iterator[list[Change]]:
        with registry().attribute_errors_to(self.info):
            evaluator = resolve(self.info.factory)(self._params, self.space, {})
        names = Names(f"generator {self.document.domain}:changes", f"evaluator {self.info.name}")
        blocks = BlockEvaluator(self.space, evaluator, record_errors=True, names=names)
        metrics = tuple(evaluator.metrics)
        start, count = 0, 1
        while start < len(self):
            before = time.perf_counter()
            count = min(count, len(self) - start)
            block = blocks.block(start, count)
            yield self._changes(block, metrics)
            start += count
            taken = time.perf_counter() - before
            count = max(1, min(4 * count, int(count * UNIT_SECONDS / max(taken, 1e-6))))

    def _changes(self, block: Any, metrics: Sequence[Metric]) -> list[Change]:
        import numpy as np

        columns = [as_array(column) for column in block.evaluation.values]
        status = block.evaluation.status
        statuses = np.zeros((len(metrics), block.count), np.uint8)
        if status is not None:
            statuses[:] = status
        errors = dict(block.errors)
        wanted = {metric.name for metric in self.metrics}
        found = []
        for at in range(block.count):
            rank = block.start + at
            values: dict[str, Value | None] = {}
            reason = ""
            for number, metric in enumerate(metrics):
                if metric.name not in wanted:
                    continue
                state = int(statuses[number, at])
                valued = state == VALUE or (metric.always and state != ERROR)
                values[metric.name] = columns[number][at].item() if valued else None
                if not valued and not reason:
                    reason = self._reason(state, metric, errors.get(rank, ""))
            edits = tuple(self.space.edits[n] for n in self.space.edits_of(rank))
            found.append(Change(rank, edits, values, reason))
        return found

    def _reason(self, status: int, metric: Metric, error: str) -> str:
        if status == LIMIT:
            return "unknown (limit)"
        if status == ERROR:
            return error.partition("\n")[0] or "an error"
        return self._meanings.get(metric.name) or "no value"


def applied(document: Document, edits: Sequence[tuple[str, str]]) -> str:
    """Return the text after (site, mark) are put, one after the other."""
    text = document.text
    for site, mark in edits:
        text = open_document(document.domain, text).put([site], mark)
    return text


SUGGESTED = ("highest", "lowest", "solvable", "redundant")
"""The kinds of suggestions."""


@attrs.frozen
class Suggestion:
    """A change, or several, that a designer may want."""

    kind: str
    """One of `SUGGESTED`."""
    change: Change
    value: Value | None


class Suggestions:
    """Chosen changes: the extremes, what makes a content solvable, and what it can lose.

    Of all changes within a radius, what is chosen is proven to be the extreme.

    Args:
        metric: the metric that counts.
        own: its value for the content itself; None if that has none.
        most: how many of each kind are kept.
    """

    def __init__(self, metric: str, own: Value | None, most: int = 5) -> None:
        self._metric, self._own, self._most = metric, own, most
        self._kinds: dict[str, list[Suggestion]] = {kind: [] for kind in SUGGESTED}

    def add(self, changes: Iterable[Change]) -> None:
        """Look at further changes, in the order of their ranks."""
        own = self._own
        for change in changes:
            value = change.values.get(self._metric)
            if value is None:
                continue
            kinds: list[str] = []
            if own is None:
                kinds = ["solvable"]
            elif value != own:
                kinds = ["highest" if value > own else "lowest"]
            elif all(edit.change["mark"] == ERASE for edit in change.edits):
                kinds = ["redundant"]
            for kind in kinds:
                self._kinds[kind].append(Suggestion(kind, change, value))
        self._kinds["highest"].sort(key=lambda each: each.value or 0, reverse=True)
        self._kinds["lowest"].sort(key=lambda each: each.value or 0)
        for found in self._kinds.values():
            del found[self._most :]

    def found(self) -> list[Suggestion]:
        """Return what was chosen, kind by kind, the best first; equal ones by rank."""
        return [each for kind in SUGGESTED for each in self._kinds[kind]]


@attrs.frozen
class Simplified:
    """A content after something that it can lose was removed."""

    text: str
    removed: tuple[str, ...]
    """What was removed, in order."""


def simplified(document: Document, evaluator: str, metric: str) -> Iterator[Simplified]:
    """Empty sites one after the other as long as a metric keeps its value; yield each step.

    The last step is minimal: emptying any further site changes the value. Raises QueryError if the content
    has no value.
    """
    own = _own_value(document, evaluator, metric)
    removed: tuple[str, ...] = ()
    while True:
        found = None
        for part in Effects(document, evaluator, marks=[ERASE]):
            found = next((change for change in part if change.values.get(metric) == own), None)
            if found is not None:
                break
        if found is None:
            return
        removed = (*removed, found.description)
        text = applied(document, [(edit.change["site"], edit.change["mark"]) for edit in found.edits])
        document = open_document(document.domain, text)
        yield Simplified(document.text, removed)


def _own_value(document: Document, evaluator: str, metric: str) -> Value:
    for _, found in measures(document, [evaluator]):
        if isinstance(found, str):
            raise QueryError(found)
        for measure in found:
            if measure.metric.name == metric and measure.value is not None:
                return measure.value
    raise QueryError(f"The content has no {metric}, so there is nothing to keep.")
