"""Queries: a design question as a TOML file.

name = "best-boards"
domain = "..."
[generator]
name = "boards"          # every other key is a param of the generator
[search]                 # default: exhaustive
name = "exhaustive"
[[evaluators]]
name = "..."
as = "expert"            # optional: its metrics are called expert_METRIC
[range]                  # optional: ranks start .. stop - 1
[filter]                 # optional: only ranks whose recorded metric lies in min .. max
metric = "unique"
min = 1
search = { name = "retrograde" }
[[select]]               # candidates to keep as rows
metric = "..."
keep = "top"
count = 10
[record]
rows = "kept"
"""

from __future__ import annotations

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from functools import partial
from pathlib import Path, PurePath
from typing import Any, Literal, TypeAlias

import attrs

from epcg_core.base import documents
from epcg_core.base.errors import EpcgError, ParamsError, QueryError, UnknownNameError, format_exception
from epcg_core.base.params import fields_of, optional_key, param, plain, structure, toml_text
from epcg_core.domain.toml_tables import placing
from epcg_core.query.conditions import Condition, conditions

Setting: TypeAlias = "str | tuple[str, Any]"
"""A change of a query's or plan's file: 'generator.size=7', or the dotted key and a Python value."""


@attrs.frozen
class PartRef:
    """A part by name, with its params as the file gives them."""

    name: str
    params: dict[str, Any] = attrs.field(factory=dict)
    alias: str = optional_key("as", "")
    """The name that an evaluator has in this query; its metrics are then called 'alias_metric'."""


@attrs.frozen
class RangeParams:
    """A sub-range of the ranks."""

    start: int = param(0, minimum=0, help="first rank")
    stop: int | None = param(None, minimum=0, help="one past the last rank; default: the end of the space")


@attrs.frozen
class FilterParams:
    """A filter that admits ranks whose metric in another run over the same space lies in min .. max."""

    metric: str = param(help="a metric that the other run records")
    min: float | None = param(None, help="smallest value admitted")
    max: float | None = param(None, help="largest value admitted")
    search: dict[str, Any] | None = param(
        None, help="the search that makes the other run, made first if absent"
    )
    evaluators: tuple[dict[str, Any], ...] = param(
        (), help="the evaluators of the other run, each { name = ..., as = ... }"
    )
    run: int | None = param(None, minimum=1, help="the other run, by its number in the database")


_SHARE = re.compile(r"(\d+(?:\.\d+)?) ?%")


@attrs.frozen
class SelectParams:
    """A selection of candidates to keep as rows, with their states and pictures."""

    metric: str = param(help="the metric to select by")
    keep: str = param(
        "top",
        help="'best': all ties of the best, 'top': the best N, 'highest' and 'lowest': the N at that end, "
        "'threshold': a range; or the rule of a plugin",
    )
    count: int = param(10, minimum=1, help="for 'top', 'highest', 'lowest' and rules of plugins: how many")
    min: float | None = param(None, help="smallest value that is kept")
    max: float | None = param(None, help="largest value that is kept")
    direction: Literal["max", "min"] | None = param(
        None, help="which end is better; default: the metric's own"
    )
    distinct: bool | tuple[str, ...] = param(
        False, help="only one state per symmetry class; or of those symmetries that are named, as ['mirror']"
    )
    where: tuple[Condition, ...] = param(
        (),
        help="conditions that all hold, as 'moves >= 12 and unique' or { metric = ..., min = ... }",
        named_if_default=False,
        reads=conditions,
    )
    then: tuple[str, ...] = param(
        (), help="metrics that order candidates with equal values, the better first", named_if_default=False
    )
    apart: int | str | None = param(
        None,
        help="in how many places any two that are kept differ at least, or '30 %' of what lies where; images "
        "under symmetries count as one",
        named_if_default=False,
    )

    def __attrs_post_init__(self) -> None:
        if self.keep in ("highest", "lowest") and self.direction is not None:
            raise ParamsError(f'direction: keep = "{self.keep}" says it already; leave one of the two out.')
        if self.apart is None:
            return
        if not self.keeps_count:
            raise ParamsError(
                f'apart: keep = "{self.keep}" keeps any number, and apart chooses a few: use keep = "top", '
                '"highest" or "lowest", with a count.'
            )
        if isinstance(self.apart, str):
            share = _SHARE.fullmatch(self.apart.strip())
            if share is None or not 0 < float(share[1]) <= 100:
                raise ParamsError(
                    f'apart: {self.apart!r} is not a share: write "30 %", or a number of places, as 2.'
                )
        elif self.apart < 1:
            raise ParamsError(f"apart: {self.apart} is not a number of places; expected 1 or more.")

    @property
    def keeps_count(self) -> bool:
        """Whether it keeps the best `count`."""
        return self.keep in ("top", "highest", "lowest")

    @property
    def end(self) -> Literal["max", "min"] | None:
        """Which end is better, if the rule says it."""
        return {"highest": "max", "lowest": "min"}.get(self.keep, self.direction)  # type: ignore[return-value]

    @property
    def apart_share(self) -> float | None:
        """The share of what lies where, 0 to 1, in which two differ at least; None for a number of places."""
        if not isinstance(self.apart, str):
            return None
        return float(self.apart.strip().rstrip("%")) / 100

    @property
    def wishes(self) -> bool:
        """Whether it asks for more than one metric's values."""
        return bool(self.where or self.then or self.apart is not None)


@attrs.frozen
class RecordParams:
    """The part of the values that is recorded, and the data recorded beside them."""

    values: Literal["all", "counts"] = param(
        "all",
        help='all, or counts: counts, distributions and digests stay, values do not (`record = "counts"`)',
    )

    rows: Literal["auto", "all", "kept", "none"] = param(
        "auto", help="candidates as rows: auto is all up to 100,000 candidates, else kept"
    )
    on_error: Literal["stop", "record"] = param(
        "stop", help="when an evaluator raises: stop, or record and go on"
    )
    candidate_timeout: float | None = param(
        None,
        help="CPU seconds after which a candidate is given up, with the status limit; default: never",
    )

    def __attrs_post_init__(self) -> None:
        seconds = self.candidate_timeout
        if seconds is not None and not 0 < seconds < math.inf:
            raise ParamsError(f"candidate_timeout: {seconds} is not allowed; expected a number above 0.")


@attrs.frozen
class Query:
    """A design question, as read from its file; `epcg_core.query.spec` makes runs of it."""

    name: str
    title: str
    description: str
    domain: str
    generator: PartRef
    search: PartRef
    evaluators: tuple[PartRef, ...]
    range: RangeParams
    filter: FilterParams | None
    select: tuple[SelectParams, ...]
    record: RecordParams
    source: str = attrs.field(repr=False)
    file: str = attrs.field(default="", repr=False, eq=False, kw_only=True)
    """The name of the text, for messages about its keys; '' if values of it were changed."""

    def resolved(self) -> dict[str, Any]:
        """Return the query as data, with all defaults written out."""
        data = plain(self)
        del data["source"], data["file"]
        return data


_KEYS = ("name", "title", "description", "domain", "generator", "search", "evaluators", "range", "filter",
         "select", "record")  # fmt: skip
_NEEDED = {
    "domain": 'domain = "NAME" at the top; `epcg domains` lists them',
    "generator": "[generator] with a name",
}
"""Keys that each query has, and what a reader adds who has forgotten one."""


def load(path: Path, settings: Iterable[Setting] = ()) -> Query:
    """Read a query file and change the values that `settings` name. Raises QueryError and its relatives."""
    text = documents.read_text(path, "query file", QueryError)
    return parse_query(text, settings, where=path.name, name=path.stem)


def parse_query(
    text: str, settings: Iterable[Setting] = (), where: str = "query", name: str = "query"
) -> Query:
    """Parse a query in TOML; `where` begins every message.

    Texts that the generator and evaluators declare with `from_file` may name files, which are read.
    """
    table = documents.parse_toml(text, where, QueryError)
    changes = list(settings)
    override(table, changes)
    with placing(text, where, keys_of(changes)):
        query = _query(table, where, name, text)
        return _with_files(attrs.evolve(query, file="" if changes else where))


def from_table(table: Mapping[str, Any], settings: Iterable[Setting] = ()) -> Query:
    """Make a query from a table with the keys of a query file, such as {"domain": ..., "generator": {...}}.

    Raises:
        QueryError: and its relatives, if it is not a query.
    """
    own: dict[str, Any] = {}
    override(own, table.items())
    override(own, settings)
    return _with_files(_query(own, "query", "query", ""))


def from_data(data: Mapping[str, Any], where: str = "query") -> Query:
    """Make a query from the data of `Query.resolved`. Raises QueryError and its relatives."""
    try:
        table = {key: value for key, value in data.items() if value is not None}
        for part in ("generator", "search"):
            table[part] = {"name": table[part]["name"], **table[part]["params"]}
        table["evaluators"] = [evaluator_table(e) for e in table["evaluators"]]
        return _query(table, where, table["name"], "")
    except (LookupError, TypeError, AttributeError) as error:  # it comes from a database or a certificate
        raise QueryError(f"{where}: no query was recorded so: {format_exception(error)}.") from error


def _query(table: Mapping[str, Any], where: str, name: str, source: str) -> Query:
    if "chapters" in table:
        raise QueryError(f"{where} is a plan, not a query: `epcg curriculum build` builds it.")
    for key in table:
        if key not in _KEYS:
            raise UnknownNameError("key", key, _KEYS, where, _place_of(key, table))
    for key, needed in _NEEDED.items():
        if key not in table:
            raise QueryError(f"{where}: the key '{key}' is missing: add {needed}.")
    evaluators = table.get("evaluators", [])
    selects = table.get("select", [])
    if not isinstance(evaluators, list) or not isinstance(selects, list):
        raise QueryError(
            f"{where}: 'evaluators' and 'select' are lists: write [[evaluators]] and [[select]]."
        )
    for key in ("name", "title", "description", "domain"):
        if not isinstance(table.get(key, ""), str):
            raise QueryError(f"{where}: '{key}' must be a string, not {toml_text(table[key])}.")
    return Query(
        name=table.get("name", name),
        title=table.get("title", ""),
        description=table.get("description", ""),
        domain=table["domain"],
        generator=part_ref(table["generator"], "generator"),
        search=part_ref(table.get("search", {"name": "exhaustive"}), "search"),
        evaluators=tuple(evaluator_ref(e, f"evaluators {i + 1}") for i, e in enumerate(evaluators)),
        range=structure(RangeParams, table.get("range", {}), "range"),
        filter=structure(FilterParams, table["filter"], "filter") if "filter" in table else None,
        select=tuple(structure(SelectParams, s, f"select {i + 1}") for i, s in enumerate(selects)),
        record=structure(RecordParams, _record(table.get("record", {})), "record"),
        source=source,
    )


def _record(table: Any) -> Any:
    """Return the table [record]; `record = "counts"` stands for the one with these values."""
    return {"values": table} if isinstance(table, str) else table


def _with_files(query: Query) -> Query:
    """Return the query with the texts of the files that it names: it depends on them, not on their names."""
    if not any(isinstance(text, str) for part in _parts(query) for text in part.params.values()):
        return query
    from epcg_core.plugins.registry import registry

    known = registry()
    finds = (known.generator, *[known.evaluator] * len(query.evaluators))
    generator, *evaluators = (
        attrs.evolve(part, params=with_files(part.params, partial(find, query.domain, part.name)))
        for part, find in zip(_parts(query), finds, strict=True)
    )
    return attrs.evolve(query, generator=generator, evaluators=tuple(evaluators))


def _parts(query: Query) -> tuple[PartRef, ...]:
    return (query.generator, *query.evaluators)


def with_files(params: dict[str, Any], find: Callable[[], Any]) -> dict[str, Any]:
    """Return params with the texts of the files that they name, as far as the part declares `from_file`.

    Args:
        params: the params, as a query has them.
        find: returns the part's descriptor; if it raises EpcgError, planning says what is wrong.

    Raises:
        QueryError: if a file cannot be read.
    """
    given = {key: text for key, text in params.items() if isinstance(text, str)}
    if not given:
        return params
    from epcg_core.plugins.registry import registry

    paths = {key: registry().named_path(text) for key, text in given.items()}
    named = {key: path for key, path in paths.items() if path is not None}
    if not named:
        return params
    try:
        fields = fields_of(find().params)
    except EpcgError:
        return params
    texts = {
        key: documents.read_text(path, key, QueryError).strip("\n")
        for key, path in named.items()
        if key in fields and fields[key].metadata.get("from_file")
    }
    return params | texts


def part_ref(table: Any, where: str) -> PartRef:
    """Read a part's name and params from its table: {name = "...", param = ...}."""
    if not isinstance(table, Mapping) or not isinstance(table.get("name"), str):
        raise QueryError(f"{where}: a table with a 'name' is expected.")
    return PartRef(table["name"], {key: value for key, value in table.items() if key != "name"})


def evaluator_ref(table: Any, where: str) -> PartRef:
    """Read an evaluator's name, alias and params from its table: {name = "...", as = "...", param = ...}."""
    ref = part_ref(table, where)
    alias = ref.params.pop("as", "")
    if not isinstance(alias, str) or (alias and not alias.isidentifier()):
        raise QueryError(f"{where}: as = {toml_text(alias)}: expected letters, digits and underscores.")
    return attrs.evolve(ref, alias=alias)


def evaluator_table(data: Mapping[str, Any]) -> dict[str, Any]:
    """Return the table that `evaluator_ref` reads of the data of an evaluator."""
    alias = {"as": data["as"]} if data.get("as") else {}
    return {"name": data["name"], **alias, **data["params"]}


def _place_of(key: str, table: Mapping[str, Any]) -> str:
    """Return a sentence on where a key belongs that a query does not have; '' if it is misspelt."""
    parts = [name for name, part in table.items() if isinstance(part, Mapping) and key in part]
    if not parts and UnknownNameError("key", key, _KEYS).nearest:
        return ""
    return f"A param of a part stands below it: {(parts or ['generator'])[0]}.{key}."


def override(table: dict[str, Any], settings: Iterable[Setting]) -> None:
    """Change values of a file's table. Raises QueryError if a setting cannot be applied."""
    for setting in settings:
        key, value = _parsed(setting) if isinstance(setting, str) else setting
        if not isinstance(key, str):
            raise QueryError(f"A setting is named by a string, not by {key!r} ({type(key).__name__}).")
        where = f"The setting {key.strip()}"
        try:
            value = _plain_value(value)
        except RecursionError:
            raise QueryError(f"{where}: the value is nested too deeply.") from None
        documents.check(key, where, QueryError)
        documents.check(value, where, QueryError)
        _set(table, key.strip(), value)


def keys_of(settings: Iterable[Setting]) -> list[str]:
    """Return the keys that settings change."""
    return [(each.partition("=")[0] if isinstance(each, str) else each[0]).strip() for each in settings]


def settings_of(table: Mapping[str, Any], path: str = "") -> Iterator[Setting]:
    """Yield the settings that a table names: { generator = { size = 5 } } is generator.size = 5."""
    for key, value in table.items():
        if isinstance(value, Mapping):
            yield from settings_of(value, f"{path}{key}.")
        else:
            yield f"{path}{key}", value


def _parsed(setting: str) -> tuple[str, Any]:
    """Return (key, value) of 'key=value'; the value is TOML, or else a string."""
    key, equals, text = setting.partition("=")
    if not equals or not all(key.strip().split(".")):
        raise QueryError(f"--set takes key=value, as in generator.pieces=7, not '{setting}'.")
    return key, documents.toml_value(text.strip(), f"The setting {key.strip()}", QueryError)


def _plain_value(value: Any) -> Any:
    """Convert a Python value for TOML: tuples to lists, paths to strings, numpy's numbers to Python's."""
    if isinstance(value, Mapping):
        return {str(key): _plain_value(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_plain_value(item) for item in value]
    if isinstance(value, PurePath):
        return str(value)
    item = getattr(value, "item", None)  # numpy's scalars
    return item() if item is not None else value


def _set(table: dict[str, Any], key: str, value: Any) -> None:
    path = key.split(".")
    if len(path) > documents.MOST_DEPTH:
        raise QueryError(f"The setting {key}: a key has at most {documents.MOST_DEPTH} parts.")
    target: Any = table
    for depth, step in enumerate(path[:-1]):
        here = ".".join(path[: depth + 1])
        if isinstance(target, list):
            target = _item(target, step, here)
        elif isinstance(target, dict):
            target = target.setdefault(step, {})
        if not isinstance(target, dict | list):
            raise QueryError(f"The setting {key}: '{here}' has no keys of its own.")
    if isinstance(target, list):
        raise QueryError(f"The setting {key}: name a key of one item, as in {'.'.join(path[:-1])}.0.key.")
    target[path[-1]] = value


def _item(items: list[Any], step: str, here: str) -> Any:
    if not re.fullmatch(r"[0-9]{1,9}", step) or int(step) >= len(items):
        known = f"its items are 0 to {len(items) - 1}" if items else "it has no items"
        if len(items) == 1:
            known = "its only item is 0"
        raise QueryError(f"The setting {here}: '{step}' is not one of a list of {len(items)}; {known}.")
    return items[int(step)]
