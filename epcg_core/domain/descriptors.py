"""The descriptors that plugins register, frozen and with lazy factories."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias

import attrs

from epcg_core.domain.content import Evaluator, Generator
from epcg_core.domain.lazy import ImportString, WithParams, resolve
from epcg_core.domain.values import Metric

if TYPE_CHECKING:
    from typing_extensions import TypeVar

    Params = TypeVar("Params", default=Any)
    State = TypeVar("State", default=Any)
else:
    from typing import TypeVar

    Params, State = TypeVar("Params"), TypeVar("State")

QueryPart: TypeAlias = Literal["evaluators", "filter", "range", "sample", "on_error"]
"""A part of a query that a search may refuse."""


PolicyFunction: TypeAlias = Callable[[Any, Sequence[Any]], Sequence[float]]
"""(state, actions) -> the probability of each action."""


def callables_of(info: Any) -> Iterator[Any]:
    """Yield the callables and the params of a descriptor; as strings, those that are imported when called."""
    for value in attrs.asdict(info, recurse=False).values():
        if not isinstance(value, type) and attrs.has(type(value)):
            yield from callables_of(value)
        if callable(value) or (isinstance(value, str) and re.fullmatch(r"[A-Za-z_][\w.]*:\w+", value)):
            yield value


def modules_of(info: Any) -> frozenset[str]:
    """Return the modules that define the callables and the params of a descriptor."""
    return frozenset(
        value.partition(":")[0] if isinstance(value, str) else value.__module__
        for value in callables_of(info)
    )


@attrs.frozen
class Given:
    """A factory that hands on something, before its argument, to a callable imported when it is called."""

    lazy: str
    given: Any

    def __call__(self, argument: Any) -> Any:
        return resolve(self.lazy)(self.given, argument)


@attrs.frozen
class NoParams:
    """For parts without parameters."""


@attrs.frozen
class DomainInfo:
    """A kind of content; `Domain` is one with its parts."""

    name: str
    title: str
    summary: str
    how_to_play: ImportString | None = attrs.field(default=None, kw_only=True)
    """(states) -> the `Instruction`s for players of these puzzles, on the page "How to play" of booklets."""

    game_data: ImportString | None = attrs.field(default=None, kw_only=True)
    """(generator) -> the `GameData` of its states, for the JSON of curricula."""
    content_word: tuple[str, str] = attrs.field(default=("puzzle", "puzzles"), kw_only=True)
    """The players' word for a content of the domain, for one and for several: ('level', 'levels')."""


@attrs.frozen
class Instruction:
    """A paragraph of how a puzzle is played, with the picture that belongs to it."""

    text: str
    picture: str = attrs.field(default="", repr=False)
    """An SVG document; empty if the words suffice."""
    others: Mapping[str, str] = attrs.field(factory=dict, repr=False, hash=False)
    """The text in other languages, by their codes: 'de'."""

    def said(self, language: str) -> str:
        """Return the text in a language; the usual one if it is not there."""
        return self.others.get(language, self.text)


@attrs.frozen(kw_only=True)
class GeneratorInfo(WithParams, Generic[Params, State]):
    """A generator: `factory(params)` makes it; `params` is an attrs class (see `epcg_core.base.params`).

    The class may be given as 'module:Class', which is imported when it is needed: listings are faster then.

    A type checker compares a factory that is given as a callable with the params and with `Generator`.
    """

    name: str
    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    summary: str
    _params: type[Params] | str = NoParams  # type: ignore[assignment]
    factory: str | Callable[[Params], Generator[State]]
    version: int = attrs.field(default=1, validator=attrs.validators.ge(1))
    """The number of the meaning of its ranks: to be raised when a rank comes to mean another state.
    From 2 on it is a part of the names of spaces and puzzles, 'domain:generator@2?params#rank'."""
    finds: ImportString | None = None
    """(text, path) -> (params, rank) of the puzzle that a text shows; `path` is the text's file, or None.
    The params are a table; the rank may be None if the generator parses and ranks the text. The answer is
    None for texts of another kind, and a mistake in a puzzle raises EpcgError."""
    titles: ImportString | None = None
    """params -> a function from a rank to what people call its state, the whole before the part, as in
    ('herons.txt', 'level 2'). For spaces of listed content; tables of candidates then have a column of
    titles, and candidates without values are counted for each whole."""


@attrs.frozen
class TableNeed:
    """A recorded metric of another space that an evaluator can use, by rank."""

    role: str
    """The name under which the factory receives it."""
    generator: str
    params: Any
    search: str
    search_params: Mapping[str, Any]
    metric: str
    required: bool = False
    """Whether to compute the table first if it is not recorded; otherwise the evaluator works without it."""
    kind: Literal["bits", "values"] = "bits"
    """Bits, whether the metric holds; or its values: an (max_rank,) array of signed integers or reals, in
    which the smallest integer of its type, or NaN, stands if there is no value."""


@attrs.frozen(kw_only=True)
class EvaluatorInfo(WithParams, Generic[Params, State]):
    """An evaluator: `factory(params, generator, tables)` makes it.

    `generator` is the one whose states will be scored, `tables` maps the roles of `needs` to what their
    `kind` says.
    """

    name: str
    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    summary: str
    _params: type[Params] | str = NoParams  # type: ignore[assignment]
    metrics: tuple[Metric, ...]
    factory: str | Callable[[Params, Any, Mapping[str, Any]], Evaluator[State]]
    needs: str | Callable[[Params, Any], Sequence[TableNeed]] | None = None
    """(params, generator) -> sequence of TableNeed."""
    uses: str | Callable[[Params, Any], Iterable[object]] | None = None
    """(params, registry) -> the descriptors of further registered parts that the params name: rules, say, or
    policies. Their modules are among the sources of a run."""
    adds: str | Callable[[Params, Any], Sequence[Metric]] | None = None
    """(params, registry) -> the metrics that only these params ask for; they stand behind `metrics`."""
    incremental_for: str = ""
    """The evaluator of the domain whose metrics this one finds faster, in spaces of edited content."""
    takes_several: bool = False
    """Whether it scores candidates of several items, whose states are `Several`, and only those."""
    generators: tuple[str, ...] = ()
    """The names of the generators whose states it scores; () for all. Puzzles of others do without it."""
    solutions: str | Callable[[Params, Any], Callable[[State], Sequence[Sequence[str]]]] | None = None
    """(params, generator) -> a function from states to solutions, each as action strings, which are recorded
    for the candidates that a query keeps."""

    def scores(self, generator: str) -> bool:
        """Return whether it scores the states of a generator, by its name."""
        return not self.generators or generator in self.generators


@attrs.frozen(kw_only=True)
class SearchInfo(WithParams):
    """A way to cover a space: `factory(registry)` makes a `epcg_core.search.protocol.Search`."""

    name: str
    summary: str
    _params: type | str = NoParams
    factory: ImportString
    proves: str = ""
    """The claim that a finished run over a whole space proves, as a sentence without a full stop."""
    refuses: Mapping[QueryPart, str] = attrs.field(factory=dict)
    """Parts of a query that the search does not take, each with the reason: '... takes no [filter], because
    REASON'."""


@attrs.frozen(kw_only=True)
class RendererInfo:
    """`factory(generator)` makes a function: state -> text in `format`."""

    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    format: Literal["svg", "text"]
    factory: str | Callable[[Any], Callable[..., str]]
    name: str = ""
    """Its name among several of a domain and format; omitted by the domain's own, which is the default."""
    draws_solution: bool = False
    """The function takes the keyword `solution`: False draws the puzzle alone, True with a solution, if it
    has one, as something that can be printed. A list of strings is a recorded solution, its actions as the
    transition model's `action_text` writes them, which need not be searched for."""
    animates_solution: bool = False
    """The function takes the keyword `animate`: True draws a picture that plays a solution."""
    solutions_explained: str = ""
    """Sentences that tell how to read a drawn solution; a booklet prints them once."""
    explains: ImportString | None = None
    """(states) -> the `Instruction` that tells how to read the drawn solutions of these puzzles, if that
    depends on what occurs in them; instead of `solutions_explained`."""


@attrs.frozen(kw_only=True)
class EditorInfo:
    """An editor of a domain's contents: `factory(text)` makes an `epcg_core.domain.editing.Editor`.

    The domain's generators `contents` and `changes` come from it (see `epcg_core.combinatorics.contents`).
    """

    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    summary: str
    factory: ImportString
    """(text) -> the editor of the content that a text shows, opened at it. Raises EpcgError for other
    texts."""
    new: ImportString
    """(columns, rows) -> the text of a new content. Raises EpcgError for an impossible size."""
    size: tuple[int, int]
    """The columns and rows of a new content."""
    examples: ImportString | None = None
    """() -> the texts of contents to begin with, by title."""
    joins: ImportString | None = None
    """(texts) -> the text of the one content that several make together, such as segments side by side; None
    if each stays on its own. Raises EpcgError if they make none. Contents of equal sizes make equal sizes."""


@attrs.frozen(kw_only=True)
class FormatInfo:
    """A format of others: what lies in its files becomes the domain's own text, and the other way round.

    The own text is that of `format_state`, which the domain's generators and commands read.
    """

    name: str
    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    summary: str
    endings: tuple[str, ...] = ()
    """The endings of its files: ('.map',)."""
    read: ImportString | None = None
    """(text, name of its source) -> the own text of each content in it; None if it is only written."""
    write: ImportString | None = None
    """(own text, title) -> text; None if it is only read."""
    put: ImportString | None = None
    """(text of a file, own text) -> the text of the file with that content, in which all else stays; None if
    a change writes the whole file."""
    file: ImportString | None = None
    """() -> the `epcg_core.domain.files.FileFormat` of files that hold several contents, which are edited in
    their place; None if a file holds one content."""
    messages: bool = False
    """Whether messages may stand between the contents of its files."""


@attrs.frozen(kw_only=True)
class InferenceRuleInfo(WithParams, Generic[Params]):
    """`factory(params, generator)` makes a rule: (state, action) -> MUST, CANNOT or UNKNOWN."""

    name: str
    domain: str = ""
    """The domain; omitted inside a `Domain`."""
    summary: str
    _params: type[Params] | str = NoParams  # type: ignore[assignment]
    factory: str | Callable[[Params, Any], object]


@attrs.frozen(kw_only=True)
class PolicyInfo(WithParams, Generic[Params]):
    """`factory(params)` makes a player's policy: (state, actions) -> probabilities."""

    name: str
    summary: str
    _params: type[Params] | str = NoParams  # type: ignore[assignment]
    factory: str | Callable[[Params], PolicyFunction] | Callable[[Params, Any], PolicyFunction]
    sees_generator: bool = False
    """Whether the factory takes the generator of the puzzles, too: `factory(params, generator)`."""


@attrs.frozen(kw_only=True)
class EntropyScorerInfo(WithParams, Generic[Params]):
    """`factory(params)` makes a measure of a puzzle's difficulty over a transition model."""

    name: str
    summary: str
    _params: type[Params] | str = NoParams  # type: ignore[assignment]
    factory: (
        str | Callable[[Params], Callable[[Any], object]] | Callable[[Params, Any], Callable[[Any], object]]
    )
    uses: str | Callable[[Params, Any], Iterable[object]] | None = None
    """(params, registry) -> the descriptors of further registered parts, as in `EvaluatorInfo`."""
    sees_generator: bool = False
    """Whether the factory takes the generator of the puzzles, too: `factory(params, generator)`."""
    metric: Metric | None = None
    """The metric of its values if a query asks for it by name; None for bits, of which more are better."""


@attrs.frozen(kw_only=True)
class StrategyInfo(WithParams):
    """A strategy of curricula: how a chapter chooses puzzles. Plans name it as they do the core's own."""

    name: str
    summary: str
    _params: type | str
    """An attrs class of params whose objects choose: an `epcg_core.curriculum.strategies.Strategy`, whose
    class attribute `name` is the same as here."""


CORE_SELECTION_RULES = ("best", "top", "highest", "lowest", "threshold")


@attrs.frozen(kw_only=True)
class SelectionRuleInfo:
    """A rule by which a query keeps candidates: `[[select]] keep = NAME`, beside `CORE_SELECTION_RULES`."""

    name: str
    summary: str
    choose: ImportString
    """(ranks (n,) int64, values (n,), sign, count) -> positions in them, those to keep, the best first.

    All candidates with a value within the query's limits, by rank; `sign` is 1 if more is better, else -1."""


@attrs.frozen(kw_only=True)
class CommandInfo:
    """A click command: `epcg <domain> <name>`, or `epcg <name>` without a domain."""

    name: str
    domain: str = ""
    """The domain; omitted inside a `Domain`, and empty for a command at the top level."""
    group: Literal["", "curriculum", "db", "import", "study"] = ""
    """A group that the command is in, instead of the top level: `epcg import <name>`, say."""
    summary: str
    factory: ImportString
    """The command, or a function that returns it."""


@attrs.frozen(kw_only=True)
class ExecutorInfo:
    """Workers that compute units: `factory(workers, unit_timeout, scheduler)` makes an `Executor`.

    `epcg run --executor NAME` chooses it. An executor only carries units to workers and results back: values
    and digests are the same with each.
    """

    name: str
    summary: str
    factory: ImportString
    """(the number of workers, seconds that a unit may take or None, an address or None)"""
    has_scheduler: bool = False
    """Whether it takes the address of a scheduler (`--scheduler`), whose workers are on any machines."""


@attrs.frozen(kw_only=True)
class CheckInfo:
    """A check of `epcg verify`, for every run to which it applies."""

    name: str
    summary: str
    prove: ImportString
    """(reader, run) -> a sentence that says what was proven, or None if the check does not apply to the run.
    A contradiction raises CheckFailedError; any other EpcgError says that it cannot be checked here."""


@attrs.frozen(kw_only=True)
class PublishedInfo:
    """A kind of files that `epcg verify FILE` checks; a file may be of several."""

    name: str
    summary: str
    """The name of such a file: 'the archive of a run'."""
    recognise: ImportString
    """(path) -> whether a file is of this kind; it reads little of it, and raises nothing."""
    verify: ImportString
    """(path, options) -> the checks (`make_check`), and a noun for each thing in it that no check covers.
    `options` has db (None if there is none), sample, seed, share, tries and recompute, as `epcg verify`."""


@attrs.frozen(kw_only=True)
class MethodInfo:
    """A method of the objects that users get, `run.NAME(...)`, or a function, `epcg_core.NAME()`."""

    name: str
    of: Literal["epcg", "database", "run", "curriculum"]
    summary: str
    function: ImportString
    """(the object, further arguments) -> what the method returns; a function of `epcg` gets no object"""


@attrs.frozen(kw_only=True)
class TablesInfo:
    """Tables and views that a plugin keeps in the database, made and changed by its own migrations.

    `make_tables(store, NAME)` makes them when they are first needed, and `epcg db upgrade` upgrades them.
    Their names begin with NAME, so that they meet no other's. A row that belongs to a run has a foreign key
    to `run.id` with ON DELETE CASCADE, so that `epcg forget` takes it along.
    """

    name: str
    summary: str
    migrations: str
    """The package that holds Alembic's revisions, numbered files in one line: 'epcg_votes.migrations'."""


@attrs.frozen(kw_only=True)
class KindInfo:
    """A further kind of part, which this plugin reads and others contribute.

    They add such parts by the hook `epcg_register_PLURAL`, marked `@hookimpl(optionalhook=True)` because it
    is called only if this plugin is in use. Its `register` takes the fields of `info` as keywords, so that
    they import nothing of this plugin.
    """

    name: str
    """The kind in messages: 'publication'."""
    plural: str
    """The plural, of which the name of the hook and the key in listings are made."""
    summary: str
    """A sentence that begins with a verb and says what plugins add by the hook."""
    info: ImportString
    """The class of the descriptors, an attrs class with a field `name`. It is imported at set-up, and its
    fields are checked as those of other descriptors."""
    usage: str = ""
    """The command that takes a part, for listings: 'epcg reproduce NAME'."""
    check: ImportString | None = None
    """(descriptor) -> None; raises PluginError if a part cannot work. `epcg check` calls it."""
