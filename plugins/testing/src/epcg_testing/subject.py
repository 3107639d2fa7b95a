"""A domain as the laws see it: small spaces, and the parts that work on their states."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Collection, Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any, TypeAlias, TypeVar
from urllib.parse import unquote

import attrs

from epcg_core.inside import (
    ERROR,
    PLUGIN_EXCEPTIONS,
    AnyRule,
    BlockEvaluator,
    MisfitError,
    Registry,
    as_array,
    fields_of,
    place_of,
    space_spec,
)
from epcg_core.plugin import (
    ERASE,
    CandidateError,
    EditorInfo,
    EpcgError,
    EvaluatorInfo,
    GeneratorInfo,
    InferenceRuleInfo,
    LimitReachedError,
    Metric,
    SpaceSpec,
    Value,
    format_exception,
    make_generator,
    resolve,
    structure,
)
from epcg_testing.declaration import Conformance, DeclaredRule, DeclaredSpace
from epcg_testing.tables import needed_tables
from epcg_testing.violations import Skip, WrongValuesError, short
from epcg_testing.watching import Home

SAMPLES = 48
"""States of a space that each law checks, unless the plugin declares another number."""
SMALL = 5_000
"""Most states of a space that is checked completely."""

SILENT = "it gave no answer to an earlier law"

Score: TypeAlias = "tuple[tuple[int, Value | None], ...]"
"""The status of each metric, and its value if it has one."""

Info = TypeVar("Info")


@attrs.define(eq=False)
class Scored:
    """An evaluator of a space's states."""

    space: Space
    info: EvaluatorInfo
    params: Any
    tables: dict[str, Any]
    """The tables that it requires (see `needed_tables`)."""
    evaluator: Any
    _scores: dict[int, Score] = attrs.field(factory=dict)

    @property
    def where(self) -> str:
        return f"{self.space.where} by {self.info.name}"

    def fresh(self) -> Any:
        """Make a new evaluator of the same kind."""
        return resolve(self.info.factory)(self.params, self.space.generator, self.tables)

    def score(self, rank: int) -> Score:
        """Return the plain form's score, computed once."""
        if rank not in self._scores:
            self._scores[rank] = plain_score(self.evaluator, self.space.unrank(rank))
        return self._scores[rank]


@attrs.frozen(eq=False)
class Believed:
    """An inference rule for a space's puzzles."""

    where: str
    name: str
    rule: AnyRule
    misleads: str
    """Why it may hide every solution; empty if it must not."""


@attrs.define(eq=False)
class Space:
    """A small space of the domain."""

    subject: Subject
    spec: SpaceSpec
    generator: Any
    declared: DeclaredSpace

    @property
    def where(self) -> str:
        """A short description for readers, not quoted like a puzzle's name."""
        name = " ".join(unquote(self.spec.name).split())
        return name if len(name) <= 120 else f"{name[:117]}..."

    @cached_property
    def max_rank(self) -> int:
        return int(self.generator.max_rank)

    @property
    def small(self) -> bool:
        return self.max_rank <= SMALL

    @cached_property
    def ranks(self) -> Sequence[int]:
        """The ascending ranks that laws check: all of a small space, else both ends and some between.

        Ranks that say by CandidateError that they have no state are left out.
        """
        drawn = sample(self.max_rank, self.declared.samples or self.subject.samples)
        return [rank for rank in drawn if self.has_state(rank)]

    def has_state(self, rank: int) -> bool:
        """Return whether a rank has a state: a CandidateError says that it has none."""
        try:
            self.generator.unrank(rank)
        except CandidateError:
            return False
        except PLUGIN_EXCEPTIONS:  # a law tells it
            return True
        return True

    def few(self, count: int) -> Sequence[int]:
        """Return at most `count` of `ranks`, spread over them."""
        step = max(1, math.ceil(len(self.ranks) / count))
        return self.ranks[::step]

    def unrank(self, rank: int) -> Any:
        return self.generator.unrank(rank)

    def offers(self, capability: str) -> bool:
        return getattr(self.generator, capability, None) is not None

    @cached_property
    def evaluators(self) -> Sequence[Scored]:
        """The evaluators that accept the space's states."""
        return [found for found in self._tried if isinstance(found, Scored)]

    @cached_property
    def refused(self) -> Sequence[Skip]:
        """The reasons why other evaluators of the domain do not apply."""
        return [found for found in self._tried if isinstance(found, Skip)]

    @cached_property
    def _tried(self) -> list[Scored | Skip]:
        parts = self.declared.evaluators
        if parts is not None:
            infos = [(self._known(EvaluatorInfo, part.name), part.params) for part in parts]
            return [self._silent(info) or self._scored(info, params) for info, params in infos]
        return [self._accepted(info) for info in self.subject.parts(EvaluatorInfo)]

    @cached_property
    def measures(self) -> Sequence[Scored]:
        """Its evaluators; if none are declared and the plugin has none, those of all plugins."""
        if self.evaluators or self.declared.evaluators is not None:
            return self.evaluators
        tried = map(self._accepted, self.subject.registry.all(EvaluatorInfo, self.subject.name))
        return [found for found in tried if isinstance(found, Scored)]

    def _known(self, kind: Any, name: str) -> Any:
        registry, domain = self.subject.registry, self.subject.name
        find = registry.evaluator if kind is EvaluatorInfo else registry.inference_rule
        return find(domain, name, f"conformance.toml, {self.declared.generator}")

    def _silent(self, info: EvaluatorInfo) -> Skip | None:
        """Tell what is asked next; return why it is not asked: it gave no answer here or in another space."""
        where, by = f"{self.where} by {info.name}", f" by {info.name}"
        self.subject.at(where)
        return Skip(where, SILENT) if any(each.endswith(by) for each in self.subject.silent) else None

    def scored(self, name: str, params: Mapping[str, Any]) -> Scored:
        """Make an evaluator by name. Raises an EpcgError, or what the evaluator raises."""
        return self._scored(self._known(EvaluatorInfo, name), params)

    def _scored(self, info: EvaluatorInfo, params: Mapping[str, Any]) -> Scored:
        own: Any = structure(info.params, params, info.name)
        tables = needed_tables(self.spec, self.generator, info, own)
        evaluator = resolve(info.factory)(own, self.generator, tables)
        return Scored(self, info, own, tables, evaluator)

    def _accepted(self, info: EvaluatorInfo) -> Scored | Skip:
        """Accept an undeclared evaluator if it can be made and scores some of the states."""
        where = f"{self.where} by {info.name}"
        if silent := self._silent(info):
            return silent
        try:
            found = self._scored(info, {})
        except PLUGIN_EXCEPTIONS as error:  # made for another generator, it may raise anything
            return Skip(where, f"it cannot be made: {short(format_exception(error))}{place_of(error)}")
        problem = ""
        for rank in self.few(8):
            try:
                statuses = {status for status, _ in found.score(rank)}
            except WrongValuesError:
                return found  # the law of values tells what is wrong
            except PLUGIN_EXCEPTIONS as error:
                problem = f"{format_exception(error)}{place_of(error)}"
            else:
                if statuses != {ERROR}:
                    return found
                problem = "it cannot measure them"
        return Skip(where, f"it scores none of the states: {short(problem)}") if problem else found

    @cached_property
    def rules(self) -> Sequence[Believed]:
        """The inference rules that players of its puzzles may believe."""
        if not self.offers("transition_model"):
            return []
        parts = self.declared.rules
        if parts is None:
            infos = self.subject.parts(InferenceRuleInfo)
            parts = tuple(DeclaredRule(info.name) for info in infos if not required(info.params))
        return [self._rule(part) for part in parts]

    def _rule(self, part: DeclaredRule) -> Believed:
        info = self._known(InferenceRuleInfo, part.name)
        own: Any = structure(info.params, part.params, info.name)
        params = ", ".join(f"{key} = {value!r}" for key, value in part.params.items())
        where = f"{self.where}, rule {part.name}{f' ({params})' if params else ''}"
        return Believed(where, part.name, resolve(info.factory)(own, self.generator), part.misleads)


_OPEN, _MARKS = 2, 3
"""Open sites at each end of a new content, and marks on each, of the sketch that is looked at."""


def _open_sites(editor: Any) -> list[dict[str, Any]]:
    """Return the first and the last sites of a content as open ones, with some marks each."""
    scene = editor.scene(editor.content)
    found = []
    for site in dict.fromkeys((*scene.sites[:_OPEN], *scene.sites[-_OPEN:])):
        others = [mark.name for mark in editor.palette if site.kind in mark.kinds][:_MARKS]
        marks = dict.fromkeys((*scene.marks.get(site.id, ()), ERASE, *others))
        found.append({"sites": [site.id], "marks": list(marks)})
    return found


class Subject:
    """A domain and its spaces."""

    def __init__(
        self,
        registry: Registry,
        name: str,
        conformance: Conformance,
        samples: int = SAMPLES,
        distribution: str | None = None,
        at: Callable[[str], None] = lambda where: None,
        silent: Collection[str] = (),
    ) -> None:
        """Look at the parts of one distribution; by default the one that has the domain.

        `at` is told each part before it is asked; those of `silent` have given no answer, and are left out.
        """
        self.registry = registry
        self.home = Home.now()
        self.at = at
        self.silent = silent
        self.name = registry.domain(name).name
        self.distribution = distribution or registry.distribution_of(registry.domain(name))
        self.conformance = conformance
        self.samples = samples
        self.spaces: list[Space] = []
        self.raised: dict[str, str] = {}
        """The law that tells of an exception, by its cause (`Violation.cause`)."""
        self.unmade: dict[str, str] = {}
        """Why a generator could not be made, by its name."""
        declared = {space.generator for space in conformance.spaces}
        for info in self.parts(GeneratorInfo):
            if info.name not in declared:
                self._add(DeclaredSpace(info.name, self._of_editor(info.name)))
        for space in conformance.spaces:
            registry.generator(self.name, space.generator, "conformance.toml")
            self._add(space)
        self.spaces.sort(key=lambda space: space.max_rank)

    def parts(self, kind: type[Info]) -> list[Info]:
        """Return the descriptors of a kind that are looked at, of the domain if the kind has one."""
        return [info for info in self._every(kind) if self._is_own(info)]

    def others(self, kind: type[Info]) -> list[Info]:
        """Return the descriptors of a kind for the domain that other plugins registered."""
        return [info for info in self._every(kind) if not self._is_own(info)]

    def _every(self, kind: type[Info]) -> list[Info]:
        of_domain = "domain" in attrs.fields_dict(kind)  # type: ignore[arg-type]
        return self.registry.all(kind, self.name if of_domain else None)

    def _is_own(self, info: object) -> bool:
        return self.registry.distribution_of(info) == self.distribution

    def _of_editor(self, generator: str) -> dict[str, Any]:
        """Return the params of a generator that comes from the domain's editor, for a new content."""
        for info in self.parts(EditorInfo):
            try:
                text = resolve(info.new)(*info.size)
                params = {
                    "contents": {"contents": [text]},
                    "changes": {"content": text},
                    "sketch": {"content": text, "open": _open_sites(resolve(info.factory)(text))},
                }
            except PLUGIN_EXCEPTIONS:  # a law of editors tells it
                return {}
            return params.get(generator, {})
        return {}

    def _add(self, declared: DeclaredSpace) -> None:
        where = f"generator {declared.generator}"
        if where in self.silent:
            self.unmade[declared.generator] = SILENT
            return
        self.at(where)
        try:
            spec = space_spec(self.registry, self.name, declared.generator, declared.params)
            space = Space(self, spec, make_generator(self.registry, spec), declared)
            space.max_rank  # noqa: B018  (a generator that cannot tell is not made)
            if space.where in self.silent:
                self.unmade[declared.generator] = SILENT
            else:
                self.spaces.append(space)
        except PLUGIN_EXCEPTIONS as error:
            self.unmade[declared.generator] = f"{format_exception(error)}{place_of(error)}"

    def scored(self) -> Iterator[Scored]:
        for space in self.spaces:
            yield from space.evaluators

    def offering(self, *capabilities: str) -> Iterator[Space | Skip]:
        """Yield the spaces whose generators offer all of these, and the reasons for skipping the others."""
        for space in self.spaces:
            missing = [name for name in capabilities if not space.offers(name)]
            yield Skip(space.where, f"the generator offers no {', '.join(missing)}") if missing else space

    def small(self, *capabilities: str) -> Iterator[Space | Skip]:
        """Yield like `offering`, but only small spaces."""
        for space in self.offering(*capabilities):
            if isinstance(space, Skip) or space.small:
                yield space
            else:
                yield Skip(
                    space.where, f"it has {space.max_rank:,} states: declare one with at most {SMALL:,}"
                )


def sample(max_rank: int, count: int) -> Sequence[int]:
    """Return `count` ranks, ascending: all, or a quarter of them from each end and the others between."""
    if max_rank <= count:
        return range(max_rank)
    ends = max(1, count // 4)
    drawn = random.Random(max_rank)
    middle = {ends + drawn.randrange(max_rank - 2 * ends) for _ in range(count - 2 * ends)}
    return [*range(ends), *sorted(middle), *range(max_rank - ends, max_rank)]


def required(params: type) -> list[str]:
    """List the params without a default."""
    return [name for name, field in fields_of(params).items() if field.default is attrs.NOTHING]


def plain_score(evaluator: Any, state: Any) -> Score:
    """Score a state by the plain form alone."""
    try:
        row = evaluator.evaluate(state)
    except (LimitReachedError, CandidateError) as error:
        row = error
    one = _Given(row)
    try:
        block = BlockEvaluator(one, _Scorer(evaluator.metrics)).block(0, 1)
    except MisfitError as error:
        raise WrongValuesError(f"The values {error.reason}") from error
    return scores_of(block.evaluation, evaluator.metrics)[0]


class _Given:
    """A generator of one state, which is its own score."""

    max_rank = 1

    def __init__(self, row: Any) -> None:
        self.row = row

    def unrank(self, rank: int) -> Any:
        return self.row


class _Scorer:
    """Gives a score back, so that the core's own reading of it applies."""

    def __init__(self, metrics: Sequence[Metric]) -> None:
        self.metrics = metrics

    def evaluate(self, row: Any) -> Any:
        if isinstance(row, LimitReachedError | CandidateError):
            raise row
        return row


def _equal_to_itself(value: Any) -> Any:
    """Replace NaN by a string, because NaN differs from itself and would break every law."""
    return value if value == value else "NaN"


def scores_of(evaluation: Any, metrics: Sequence[Metric]) -> list[Score]:
    """Split an evaluation by candidate. Raises EpcgError if it does not fit the metrics."""
    if len(evaluation.values) != len(metrics):
        raise EpcgError(f"There are {len(evaluation.values)} arrays for {len(metrics)} metrics.")
    columns = [as_array(column) for column in evaluation.values]
    lengths = {len(column) for column in columns}
    if len(lengths) != 1:
        raise EpcgError(f"The arrays of the metrics have the lengths {sorted(lengths)}.")
    kinds = {"int": "iu", "real": "f", "bool": "b"}
    for metric, column in zip(metrics, columns, strict=True):
        if column.dtype.kind not in kinds[metric.kind]:
            raise EpcgError(f"The metric {metric.name} is {metric.kind}, its array {column.dtype}.")
    count = lengths.pop()
    status = evaluation.status
    rows = []
    for i in range(count):
        row: list[tuple[int, Value | None]] = []
        for m, (metric, column) in enumerate(zip(metrics, columns, strict=True)):
            own = 0 if status is None else int(status[i] if status.ndim == 1 else status[m][i])
            row.append((own, _equal_to_itself(column[i].item()) if own == 0 or metric.always else None))
        rows.append(tuple(row))
    return rows
