"""Plans: a curriculum as a TOML file.

name = "first-steps"
title = "First steps"
description = "..."
how_to_play = "..."               # first on the page of that name; the rest comes from the domain
rejected = 10000                  # rejected candidates recorded one by one, for each part

[[chapters]]
name = "short"
title = "Short puzzles"
warn = true                       # play pages offer to say when nothing can be won any more
query = "query.toml"              # relative to the plan, or "plugin/name"; or run = 4; or sql = "SELECT ..."
set = { generator = { size = 5 } }
rows = "all"                      # or "kept": the kept candidates
filters = [{ measure = "unique", equals = true }]
measure = "entropy"               # a metric of the run, or a column of the SELECT
strategy = "evenly"               # or { name = "evenly", differ_by = "length", at_most = 2 }
count = 12
order = "easiest_first"
distinct = true                   # one puzzle per symmetry class; or ["mirror", "shift"]
once = ["board"]                  # no two puzzles of the curriculum are equal in this measure
where = [{ metric = "moves", min = 5 }]   # as in [[select]]: conditions,
then = ["entropy"]                # the order among equal values,
apart = 2                         # and in how many places any two of the part differ; or "30 %"
puzzles = ["domain:generator#7"]  # chosen by hand: ids or texts; beside a source, or instead of one

A chapter of several sources has [[chapters.parts]]; each part inherits missing keys from its chapter.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import Any, Literal

import attrs

from epcg_core.base import documents
from epcg_core.base.errors import CurriculumError, ParamsError, UnknownNameError, shortened
from epcg_core.base.params import fields_of, param, plain, structure, toml_text
from epcg_core.curriculum.strategies import STRATEGIES, Listed, Strategy
from epcg_core.domain import StrategyInfo
from epcg_core.domain.toml_tables import placing
from epcg_core.plugins.registry import registry
from epcg_core.query import named
from epcg_core.query.conditions import Condition, conditions
from epcg_core.query.query import (
    Query,
    SelectParams,
    Setting,
    from_data as query_from_data,
    keys_of,
    override,
    settings_of,
)

REJECTED = 10_000


@attrs.frozen(kw_only=True)
class PartParams:
    """A source and the choice from it."""

    name: str = param("", help="the part's name, the heading of its puzzles if the chapter has several parts")
    description: str = param("", help="what players read below it")
    query: str | None = param(
        None, help="a query file, relative to the plan, or a shipped query: plugin/name"
    )
    set: dict[str, Any] | None = param(
        None, help="values of the query to change: { generator = { size = 5 } }"
    )
    run: int | None = param(None, minimum=1, help="a run, by its number in the database")
    sql: str | None = param(None, help="a SELECT of the column puzzle and of measures")
    rows: Literal["kept", "all"] | None = param(
        None, help="candidates of a query or run: kept or all; default: kept if any are kept"
    )
    where: tuple[Condition, ...] = param(
        (),
        help="conditions on measures that all hold, as in [[select]]: 'moves >= 12 and unique' or "
        "{ metric = ..., min = ..., max = ... }",
        reads=conditions,
    )
    then: tuple[str, ...] = param(
        (), help="measures that order candidates with equal values, the better first, as in [[select]]"
    )
    apart: int | str | None = param(
        None,
        help="in how many places any two of the part differ at least, or '30 %' of what lies where, as in "
        "[[select]]; images under symmetries count as one",
    )
    measure: str = param(help="the measure of difficulty")
    harder: Literal["higher", "lower"] = param("higher", help="which values of the measure are harder")
    strategy: str | dict[str, Any] | None = param(
        None,
        help="how to choose: a name, or a table with a name and keys; without a list by hand it is needed",
    )
    count: int | None = param(None, minimum=1, help="how many puzzles; without a list by hand it is needed")
    order: Literal["easiest_first", "hardest_first", "as_selected"] = param(
        "easiest_first", help="the order of the chosen puzzles"
    )
    distinct: bool | tuple[str, ...] = param(
        False, help="only one puzzle per symmetry class; or of those symmetries that are named, as ['mirror']"
    )
    representative: Literal["first", "scattered"] = param(
        "scattered",
        help="with distinct: which puzzle of a class, the one of lowest rank or any, but always the same",
    )
    ties: Literal["first", "scattered"] = param(
        "scattered", help="order of equal values: by rank, or by a digest of the puzzle's id"
    )
    once: tuple[str, ...] = param((), help="measures of which no value is used twice in the curriculum")
    puzzles: tuple[str, ...] | None = param(
        None,
        help="puzzles chosen by hand, in this order: ids or texts; `strategy`, `count` and `order` wait then",
    )
    fill: bool = param(
        False, help="with puzzles chosen by hand beside a source: the strategy chooses the rest of `count`"
    )


@attrs.frozen
class Part:
    """A part of a chapter, read and checked."""

    name: str
    description: str
    query: Query | None
    run: int | None
    sql: str | None
    rows: Literal["kept", "all"] | None
    measure: str
    harder: Literal["higher", "lower"]
    strategy: Strategy
    count: int
    order: Literal["easiest_first", "hardest_first", "as_selected"]
    distinct: bool | tuple[str, ...]
    representative: Literal["first", "scattered"]
    ties: Literal["first", "scattered"]
    once: tuple[str, ...]
    puzzles: tuple[str, ...] | None = None
    """The puzzles chosen by hand; None if the strategy chooses."""
    where: tuple[Condition, ...] = ()
    then: tuple[str, ...] = ()
    apart: int | str | None = None
    fill: bool = False
    """Whether the strategy chooses the rest beside the puzzles chosen by hand."""

    @property
    def is_list(self) -> bool:
        """Whether all of its puzzles are chosen by hand."""
        return self.puzzles is not None and not self.fill

    @property
    def columns(self) -> tuple[str, ...]:
        """The measures that it reads, each once."""
        names = [self.measure, *self.strategy.columns, *self.once]
        names += [*(each.metric for each in self.where), *self.then]
        return tuple(dict.fromkeys(names))

    @property
    def wish(self) -> SelectParams:
        """The part's wish, as a rule of `[[select]]`."""
        return _wish(self.measure, self.count, self.where, self.then, self.apart)

    @property
    def described(self) -> str:
        """The source, in a few words."""
        if self.query is not None:
            return f"query {self.query.name}"
        if self.run is not None:
            return f"run {self.run}"
        return "a list by hand" if self.sql is None else "sql"


@attrs.frozen
class Chapter:
    """A chapter: parts that follow one another."""

    name: str
    title: str
    description: str
    parts: tuple[Part, ...]
    warn: bool = True
    """Whether play pages may warn when nothing can be won any more."""


@attrs.frozen
class Plan:
    """A curriculum as it is asked for; `epcg_core.curriculum.build` makes it."""

    name: str
    title: str
    description: str
    how_to_play: str
    rejected: int
    chapters: tuple[Chapter, ...]

    def resolved(self) -> dict[str, Any]:
        """Return the plan as data, with all defaults and queries written out."""
        return {
            "name": self.name,
            "title": self.title,
            "description": self.description,
            **({"how_to_play": self.how_to_play} if self.how_to_play else {}),
            "rejected": self.rejected,
            "chapters": [
                {"name": c.name, "title": c.title, "description": c.description}
                | ({} if c.warn else {"warn": False})
                | {"parts": [_resolved(part) for part in c.parts]}
                for c in self.chapters
            ],
        }

    def parts(self) -> Iterator[tuple[Chapter, Part]]:
        """Yield every part with its chapter, in order."""
        for chapter in self.chapters:
            for part in chapter.parts:
                yield chapter, part


def with_made_libraries(plan: Plan, make: Callable[[Query], Query]) -> Plan:
    """Return a plan in whose queries `make` has put the libraries that they ask for."""
    chapters = []
    for chapter in plan.chapters:
        parts = [
            part if part.query is None else attrs.evolve(part, query=make(part.query))
            for part in chapter.parts
        ]
        chapters.append(attrs.evolve(chapter, parts=tuple(parts)))
    return attrs.evolve(plan, chapters=tuple(chapters))


def from_data(data: Mapping[str, Any]) -> Plan:
    """Make a plan from the data of `Plan.resolved`. Raises EpcgError if it is not such data."""
    chapters = tuple(
        Chapter(
            c["name"],
            c["title"],
            c["description"],
            tuple(map(_recorded_part, c["parts"])),
            c.get("warn", True),
        )
        for c in data["chapters"]
    )
    return Plan(
        data["name"], data["title"], data["description"], data.get("how_to_play", ""), data["rejected"],
        chapters,
    )  # fmt: skip


def _recorded_part(data: Mapping[str, Any]) -> Part:
    query = None if data["query"] is None else query_from_data(data["query"])
    where = conditions([_present(each) for each in data.get("where", ())], "where")
    former = conditions([_former(each) for each in data.get("filters", ())], "filters")
    strategy = _strategy(_present(data["strategy"]), "strategy")
    return Part(
        **{
            **_UNRECORDED,
            **{key: value for key, value in data.items() if key != "filters"},
            "once": tuple(data.get("once", ())),
            "where": (*former, *where),
            "then": tuple(data.get("then", ())),
            "puzzles": None if data.get("puzzles") is None else tuple(data["puzzles"]),
            "distinct": data["distinct"] if isinstance(data["distinct"], bool) else tuple(data["distinct"]),
            "query": query,
            "strategy": strategy,
        }
    )


def _former(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the condition that a filter was, as plans recorded it before these were one."""
    return {"metric" if key == "measure" else key: value for key, value in _present(table).items()}


_UNRECORDED: Mapping[str, Any] = {
    "description": "", "representative": "first", "once": (), "puzzles": None, "where": (), "then": (),
    "apart": None, "fill": False,
}  # fmt: skip
"""Values of keys that a recorded plan may leave out, because older plans have no such key."""


def _present(table: Mapping[str, Any]) -> dict[str, Any]:
    """Return the keys of a table that have a value, because TOML has no null."""
    return {key: value for key, value in table.items() if value is not None}


def _left_out(key: str) -> tuple[Any, ...]:
    """Return the values of a key, as data, that recorded plans leave out; an empty list by hand is none."""
    return (None,) if key == "puzzles" else (_UNRECORDED[key], [])


def _resolved(part: Part) -> dict[str, Any]:
    data = {k: v for k, v in plain(part).items() if k not in _UNRECORDED or v not in _left_out(k)}
    data["query"] = None if part.query is None else part.query.resolved()
    strategy = {key: value for key, value in plain(part.strategy).items() if key != "apart" or value}
    data["strategy"] = {"name": part.strategy.name, **strategy}
    return data


@attrs.frozen(kw_only=True)
class _PlanParams:
    name: str = param("")
    title: str = param("")
    description: str = param("")
    how_to_play: str = param("")
    rejected: int = param(REJECTED, minimum=0)
    chapters: tuple[dict[str, Any], ...] = param(help="write [[chapters]]")


@attrs.frozen(kw_only=True)
class _ChapterParams:
    name: str = param(help="the chapter's name")
    title: str = param("")
    description: str = param("")
    warn: bool = param(True, help="whether play pages may warn when nothing can be won any more")


def load_plan(text: str, settings: Iterable[Setting] = ()) -> Plan:
    """Load a plan from a file, or one that a plugin ships. Raises CurriculumError and other EpcgErrors."""
    return load(named.file_of(text, "plan", named.shipped_plans()), settings)


def load(path: Path, settings: Iterable[Setting] = ()) -> Plan:
    """Read a plan and the queries that it names. Raises CurriculumError and its relatives."""
    text = documents.read_text(path, "plan", CurriculumError)
    return parse_plan(text, settings, where=path.name, name=path.stem, folder=path.parent)


def parse_plan(
    text: str,
    settings: Iterable[Setting] = (),
    where: str = "plan",
    name: str = "plan",
    folder: Path | None = None,
) -> Plan:
    """Parse a plan in TOML; `where` begins every message, and `folder` holds its queries."""
    table = documents.parse_toml(text, where, CurriculumError)
    changes = list(settings)
    override(table, changes)
    with placing(text, where, keys_of(changes)):
        return _plan(table, where, name, folder)


def _plan(table: Mapping[str, Any], where: str, name: str, folder: Path | None) -> Plan:
    if "generator" in table and "chapters" not in table:
        raise CurriculumError(
            f"{where} is a query, not a plan: `epcg run` answers it. A plan names queries in [[chapters]]."
        )
    params = structure(_PlanParams, table, where)
    if not params.chapters:
        raise CurriculumError(f"{where}: a plan has one chapter or more: write [[chapters]].")
    chapters = []
    for i, chapter in enumerate(params.chapters):
        chapters.append(_chapter(chapter, f"{where}: chapters {i + 1}", folder or Path()))
    names = [chapter.name for chapter in chapters]
    for twice in {n for n in names if names.count(n) > 1}:
        raise CurriculumError(f"{where}: there are two chapters '{twice}'.")
    own = params.name or name
    if "#" in own:
        raise CurriculumError(
            f"{where}: the name '{own}' has a '#', which stands before the number of an older build: choose "
            "another."
        )
    texts = params.title or own, params.description.strip(), params.how_to_play.strip()
    return Plan(own, *texts, params.rejected, tuple(chapters))


def _chapter(table: Any, where: str, folder: Path) -> Chapter:
    if not isinstance(table, Mapping):
        raise CurriculumError(f"{where}: a table of keys is expected, not {table!r}.")
    _refuse_filters(table, where)
    heading, selection = fields_of(_ChapterParams), fields_of(PartParams)
    for key in table:
        if key not in heading and key not in selection and key != "parts":
            raise UnknownNameError("key", key, [*heading, *selection, "parts"], where)
    head = structure(_ChapterParams, {key: table[key] for key in heading if key in table}, where)
    shared = {key: value for key, value in table.items() if key in selection and key not in heading}
    if "parts" in table and "puzzles" in table:
        raise CurriculumError(f"{where}: the chapter has parts, so write 'puzzles' into one of them.")
    parts = table.get("parts", [{}])
    if not isinstance(parts, list) or not parts or not all(isinstance(part, Mapping) for part in parts):
        raise CurriculumError(f"{where}: 'parts' is a list of one table or more: write [[chapters.parts]].")
    made = [
        _part(_inherit(shared, part), f"{where}.parts {i + 1}" if "parts" in table else where, folder)
        for i, part in enumerate(parts)
    ]
    return Chapter(head.name, head.title or head.name, head.description.strip(), tuple(made), head.warn)


def _inherit(shared: Mapping[str, Any], own: Mapping[str, Any]) -> dict[str, Any]:
    """Merge a part's keys with those of its chapter; a source is inherited whole or not at all."""
    sources = {"query", "run", "sql"}
    left = {*sources, "set", "rows"} if sources & own.keys() else set()
    return {key: value for key, value in shared.items() if key not in left} | dict(own)


def _refuse_filters(table: Mapping[str, Any], where: str) -> None:
    """Raise CurriculumError, which says what to write instead, if a table has the former key `filters`."""
    if "filters" not in table:
        return
    try:
        own = conditions([_former(each) for each in table["filters"]], "filters")
    except (AttributeError, TypeError, ParamsError, UnknownNameError):
        own = ()
    instead = toml_text([each.text for each in own] or ["moves >= 12"])
    raise CurriculumError(f"{where}: the key is 'where', not 'filters': write where = {instead}.")


def _part(table: Mapping[str, Any], where: str, folder: Path) -> Part:
    _refuse_filters(table, where)
    params = structure(PartParams, table, where)
    given = [key for key in ("query", "run", "sql") if getattr(params, key) is not None]
    if len(given) > 1 or (not given and params.puzzles is None):
        found = f"there are {' and '.join(given)}" if given else "there is none"
        raise CurriculumError(
            f"{where}: exactly one source is needed, query, run or sql, and {found}; puzzles chosen by hand "
            "can stand alone."
        )
    if params.set and params.query is None:
        source = given[0] if given else "a list by hand"
        raise CurriculumError(f"{where}: 'set' changes a query, and the source is {source}.")
    if params.fill and (params.puzzles is None or not given):
        raise CurriculumError(f"{where}: 'fill' needs puzzles chosen by hand, and a source for the others.")
    if params.puzzles is None or params.fill:
        for key in ("strategy", "count"):
            if getattr(params, key) is None:
                raise CurriculumError(f"{where}: the key '{key}' is missing; or list 'puzzles' by hand.")
    if params.fill and len(params.puzzles or ()) > (params.count or 0):
        raise CurriculumError(
            f"{where}: {len(params.puzzles or ())} puzzles are chosen by hand, and 'count' is {params.count}."
        )
    for twice in {each for each in params.puzzles or () if (params.puzzles or ()).count(each) > 1}:
        raise CurriculumError(f"{where}.puzzles: this puzzle is listed twice: {shortened(twice, 80)}.")
    if params.rows and params.query is None and params.run is None:
        raise CurriculumError(f"{where}: 'rows' belongs to a query or run; SQL has its own WHERE.")
    query = None
    if params.query is not None:
        query = named.load_query(params.query, settings_of(params.set or {}), folder)
    fields = {
        name: getattr(params, name)
        for name in (
            "name", "run", "sql", "rows", "measure", "harder", "count", "order", "distinct",
            "representative", "ties", "once", "puzzles", "where", "then", "apart",
            "fill",
        )
    }  # fmt: skip
    try:
        _wish(params.measure, params.count or 1, params.where, params.then, params.apart)
    except ParamsError as error:
        raise ParamsError(f"{where}: {error}") from None
    own = {"name": params.strategy} if isinstance(params.strategy, str) else params.strategy
    strategy = Listed() if own is None else _strategy(own, f"{where}.strategy")
    if params.puzzles is not None and not params.fill:
        strategy = Listed()
        fields |= {"count": len(params.puzzles), "order": "as_selected"}
    elif isinstance(strategy, Listed):
        raise CurriculumError(f"{where}: the strategy 'listed' takes 'puzzles', and there is no such key.")
    return Part(query=query, strategy=strategy, description=params.description.strip(), **fields)


def _wish(
    measure: str, count: int, where: tuple[Condition, ...], then: tuple[str, ...], apart: int | str | None
) -> SelectParams:
    """Write a part's wish as a rule of `[[select]]`, which checks it."""
    return SelectParams(measure, "highest", count, where=where, then=then, apart=apart)


def _strategy(table: Mapping[str, Any], where: str) -> Strategy:
    name = table.get("name")
    known = STRATEGIES | {info.name: info.params for info in registry().usable(StrategyInfo)}
    if not isinstance(name, str):
        raise CurriculumError(f"{where}: a name is expected: {', '.join(known)}.")
    if name not in known:
        raise registry().unknown("strategy", name, known, where)
    made: Strategy = structure(
        known[name], {key: value for key, value in table.items() if key != "name"}, where
    )
    if getattr(made, "name", None) != name:
        raise CurriculumError(
            f"{where}: the class of the strategy '{name}' lacks the attribute name = '{name}'."
        )
    return made
