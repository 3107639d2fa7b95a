"""A content that is open in its editor, and its measures.

Everything comes from the domain's editor and its evaluators; nothing is recorded.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cached_property
from typing import Any

import attrs

from epcg_core.base.errors import PLUGIN_EXCEPTIONS, EpcgError, QueryError, UnknownNameError, format_exception
from epcg_core.base.params import plain, structure
from epcg_core.combinatorics.contents import contents_of
from epcg_core.difficulty.patterns import PATTERNS
from epcg_core.domain import (
    WHOLE,
    EditorInfo,
    EvaluatorInfo,
    InferenceRuleInfo,
    Metric,
    Reading,
    resolve,
)
from epcg_core.domain.editing import ERASE, Editor, Judgement, Scene
from epcg_core.editing.score import Measure, measured
from epcg_core.plugins.registry import registry
from epcg_core.query.spec import PartSpec
from epcg_core.search.shortest_path.evaluators import MOVES

MOST_CHARACTERS = 100_000
"""The longest text of a content that is opened."""
MOST_EXPANSIONS = 200_000
"""Positions that one search expands at most, unless it is asked for more."""


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

    @cached_property
    def reading(self) -> Reading:
        """How the content's text was read."""
        if not hasattr(self.editor, "reading_of"):
            return WHOLE
        with registry().attribute_errors_to(self.info):
            found: Reading = self.editor.reading_of(self.editor.content)
            return found

    @property
    def lost_words(self) -> str:
        """The sentence about a position from which all play was tried, and none won."""
        return f"{self.reading.meaning('Nothing can be won from here')}."

    @cached_property
    def judgement(self) -> Judgement | None:
        """Return how the content is judged if it can be solved; None if the number of moves tells it."""
        if not hasattr(self.editor, "judged"):
            return None
        with registry().attribute_errors_to(self.info):
            found: Judgement = self.editor.judged(self.editor.content)
            return found

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
    return [domain for domain, refusal in refusals(text).items() if not refusal]


def refusals(text: str) -> dict[str, str]:
    """Return why the editor of each domain does not open a text; '' if it does."""
    found = {}
    for info in registry().all(EditorInfo):
        try:
            open_document(info.domain, text)
        except PLUGIN_EXCEPTIONS as error:  # it shows no content of this domain
            told = str(error) if isinstance(error, EpcgError) else format_exception(error)
            found[info.domain] = " ".join(told.split())
        else:
            found[info.domain] = ""
    return found


def evaluators(domain: str) -> list[EvaluatorInfo]:
    """Return the evaluators of a domain that need nothing but the content, by name.

    Incremental ones are left out: they take the place of others where changes are compared.
    """
    return [
        info
        for info in registry().all(EvaluatorInfo, domain)
        if not info.incremental_for and info.scores("contents") and _default(info) is not None
    ]


def _default(info: EvaluatorInfo) -> dict[str, Any] | None:
    """Return the default params of an evaluator; None if some params have none."""
    try:
        return plain(structure(info.params, {}, info.name))
    except EpcgError:
        return None


RULES = "rules"
"""The param of evaluators that names the inference rules which a player knows."""
SOLUTION = "solution"
"""The param of evaluators that is the solution which a designer intends, as text."""


def known_rules(domain: str) -> list[tuple[str, str, bool]]:
    """Return (name, summary, known by default) of the inference rules of a domain.

    Not that of patterns, which says nothing without its params.
    """
    usual = {
        rule
        for info in evaluators(domain)
        for rule in (_default(info) or {}).get(RULES, ())
        if isinstance(rule, str)
    }
    return [
        (info.name, info.summary, info.name in usual)
        for info in registry().all(InferenceRuleInfo, domain)
        if info.name != PATTERNS
    ]


def part_of(
    info: EvaluatorInfo, rules: Sequence[str] | None, limit: int | None, solution: str = ""
) -> PartSpec:
    """Return an evaluator with a player's rules, a limit and a solution, as far as it has these params."""
    has = {field.name for field in attrs.fields(info.params)}
    table: dict[str, Any] = {}
    if rules is not None and RULES in has:
        table[RULES] = list(rules)
    if limit is not None and "limit" in has:
        table["limit"] = limit
    if solution and SOLUTION in has:
        table[SOLUTION] = solution
    return PartSpec(info.name, plain(structure(info.params, table, info.name)))


def measures(
    document: Document,
    names: Sequence[str] | None = None,
    *,
    rules: Sequence[str] | None = None,
    plain_code: bool = False,
    solution: str = "",
) -> Iterator[tuple[EvaluatorInfo, Sequence[Measure] | str]]:
    """Yield each evaluator with its measures of the content, or with the reason why it has none.

    Args:
        document: the content.
        names: the evaluators; None for all of `evaluators`.
        rules: the inference rules that the player knows; None for those of the evaluators' defaults.
        plain_code: use plain code only, which needs no compiled kernels.
        solution: the solution that the designer intends, as text.
    """
    generator = contents_of(document.editor, [document.editor.content])
    for info in evaluators(document.domain):
        if names is not None and info.name not in names:
            continue
        try:
            part = part_of(info, rules, MOST_EXPANSIONS, solution)
            yield info, tuple(measured(info, part, generator, 0, name="contents", plain=plain_code))
        except PLUGIN_EXCEPTIONS as error:  # one that does not apply hides no others
            yield info, str(error).partition("\n")[0]


def headline(domain: str) -> tuple[EvaluatorInfo, Metric] | None:
    """Return the number that a domain tells first of its contents, and what measures it.

    Returns None if that is how many moves a shortest solution has, which play tells, or if there is none.
    """
    known = [
        (info, metric)
        for info in evaluators(domain)
        for metric in info.metrics
        if metric.headline and metric.kind != "bool" and not metric.words
    ]
    found = min(known, key=lambda each: each[1].headline, default=None)
    return None if found is None or found[1] == MOVES else found


def counts_moves(domain: str) -> bool:
    """Return whether a solution of a domain is as long as it has actions.

    A domain that measures its shortest solutions in another unit, such as the edges of a line, has another
    number for the same solution.
    """
    own = [info for info in evaluators(domain) if info.name == "shortest_solution"]
    return not own or any(metric.name == MOVES.name for info in own for metric in info.metrics)


def headline_of(document: Document) -> Measure | None:
    """Measure the `headline` of a content; None if there is none, or its evaluator does not apply."""
    first = headline(document.domain)
    if first is None:
        return None
    info, metric = first
    (_, found), *_ = measures(document, [info.name])
    return None if isinstance(found, str) else next(m for m in found if m.metric.name == metric.name)


def applied(document: Document, edits: Sequence[tuple[str, str]]) -> str:
    """Return the text after (site, mark) are put, one after the other."""
    text = document.text
    for site, mark in edits:
        text = open_document(document.domain, text).put([site], mark)
    return text
