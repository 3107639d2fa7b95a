"""Files of publications: the tables and claims that a plugin ships as TOML.

Keys of the file, and of a table, are defaults of their rows. A row that has rows itself is a group of them,
and its keys are their defaults. With `columns`, each row stands for one row per column, and its lists of
published numbers have one for each.

`{key}` in a string is the value of any key of the row, its own or a default's, and `{key:json}` the same as
JSON has it. So keys that are not fields of a row are names for what differs between rows. `{data}` remains.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import attrs

from epcg_core.plugin import ParamsError, PluginError, UnknownNameError, documents, structure
from epcg_research.reproduce.printed import read_printed
from epcg_research.reproduce.tables import Ask, Call, Claim, Obstacle, Origin, OutOfReach, Plot, Row, Table

Keys = Mapping[str, Any]

_NAME = re.compile(r"[a-z0-9]+(-[a-z0-9]+)*")
_HOLE = re.compile(r"\{([a-z_][a-z0-9_]*)(:json)?\}")
_OPEN = object()
"""The value of a key that is being filled in."""
_DATA = "data"
"""The name of the folder of files that are not shipped; a bench fills it in."""
_WAYS = {
    "query": ("set", "sql", "reduce"),
    "compute": ("args", "how", "needs_data"),
    "out_of_reach": (),
    "uncomputed": (),
}
"""The ways to our number, and what belongs to each: a row that names one takes no default of the others."""
_LISTS = ("published", "found")
"""Keys that have one value for each column."""
_GROUP = ("rows", "columns")
_MOST_ROWS, _MOST_CHARACTERS = 10_000, 100_000
"""Rows of a table, and characters of a string that is filled in."""


@attrs.frozen
class _OutOfReach:
    obstacle: Obstacle
    sentence: str
    size: int | str | None = None
    """Candidates; in quotes if there are more than TOML's integers can say."""


@attrs.frozen
class _RowKeys:
    """The keys of a row."""

    label: str
    published: Any = "-"
    found: Any = "-"
    claim: str = ""
    again: bool = False
    origin: Origin = "paper"
    unit: str = ""
    query: str | None = None
    set: tuple[str, ...] = ()
    sql: str = ""
    reduce: str | None = None
    compute: str | None = None
    args: dict[str, Any] = attrs.field(factory=dict)
    how: str = ""
    needs_data: bool = False
    reason: str = ""
    uncomputed: str = ""
    out_of_reach: _OutOfReach | None = None
    quick: bool = False


@attrs.frozen
class _Head:
    """The keys of a table that are no defaults of its rows."""

    title: str
    printed: str = ""
    candidates: int | None = None
    plot: Plot | None = None


@attrs.frozen
class _ClaimKeys:
    """The keys of a claim."""

    says: str
    place: str = ""
    statistic: str = ""
    n: int | None = None
    not_compared: str = ""
    out_of_reach: str = ""


@attrs.frozen
class Content:
    """What a file of a publication says."""

    tables: tuple[Table, ...]
    claims: tuple[Claim, ...] = ()


_OF_ROW = tuple(field.name for field in attrs.fields(_RowKeys))
_OF_TABLE = tuple(field.name for field in attrs.fields(_Head))


def read_publication(path: Path) -> Content:
    """Read the file of a publication. Raises EpcgError, which names the file and the place in it."""
    where = str(path)
    content = documents.parse_toml(documents.read_text(path, "publication file"), where, PluginError)
    claims = _claims(content.pop("claims", {}), f"{where}: claims")
    tables = _Reading().tables(content, where)
    _check_claims(claims, tables, where)
    return Content(tables, tuple(claims.values()))


def _claims(claims: Any, where: str) -> dict[str, Claim]:
    """Read the claims, by name."""
    if not isinstance(claims, Mapping):
        raise PluginError(f"{where}: a table of claims is expected: write [claims.NAME], with says = '...'.")
    found = {}
    for name, keys in claims.items():
        place = f"{where}.{name}"
        if not _NAME.fullmatch(name):
            raise PluginError(f"{place}: the name of a claim has lower-case letters, digits and hyphens.")
        if not isinstance(keys, Mapping):
            raise PluginError(f"{place}: a table of keys is expected, not {keys!r}.")
        found[name] = Claim(name=name, **attrs.asdict(structure(_ClaimKeys, keys, place)))
        if found[name].not_compared and found[name].out_of_reach:
            raise PluginError(f"{place} has not_compared and out_of_reach: keep one of these.")
    return found


def _check_claims(claims: Mapping[str, Claim], tables: Sequence[Table], where: str) -> None:
    """Check that rows name claims that exist, and that each claim has a row or a reason why it has none."""
    named = set()
    for table in tables:
        for row in table.rows:
            if row.claim:
                named.add(row.claim)
                if row.claim not in claims:
                    place = f"{where}: tables.{table.name}, the row '{row.label}'"
                    raise UnknownNameError("claim", row.claim, claims, place)
    for claim in claims.values():
        place = f"{where}: claims.{claim.name}"
        if claim.name not in named and not claim.reason:
            raise PluginError(
                f"{place}: no row names it: write claim = '{claim.name}' in a row, or not_compared = '...' "
                "or out_of_reach = '...' here, with what would be needed."
            )
        if claim.name in named and claim.reason:
            raise PluginError(f"{place}: rows name it, so it needs no reason: leave out the reason.")


class _Reading:
    """The reading of one file; it knows which keys are used."""

    def __init__(self) -> None:
        self._used: set[str] = set()
        self._seen: list[tuple[str, str]] = []
        """(place, key) of all keys that are not fields."""

    def tables(self, content: Keys, where: str) -> tuple[Table, ...]:
        """Read all tables, then look for keys that nothing uses."""
        tables = content.get("tables")
        if not isinstance(tables, Mapping) or not tables:
            raise PluginError(f"{where}: it has no table: write [tables.NAME], with title and rows.")
        defaults = self._noted({key: value for key, value in content.items() if key != "tables"}, where)
        found = tuple(
            self._table(name, table, defaults, f"{where}: tables.{name}") for name, table in tables.items()
        )
        for place, key in self._seen:
            if key not in self._used:
                raise UnknownNameError("key", key, [*_OF_ROW, *_OF_TABLE, *_GROUP], place)
        return found

    def _noted(self, keys: Any, where: str) -> Keys:
        """Note keys that are not fields, to see later whether a string uses them."""
        if not isinstance(keys, Mapping):
            raise PluginError(f"{where}: a table of keys is expected, not {keys!r}.")
        if len([way for way in _WAYS if way in keys]) > 1:
            raise PluginError(f"{where}: {', '.join(_WAYS)} are ways to our number: keep one of them.")
        self._seen += [(where, key) for key in keys if key not in (*_OF_ROW, *_GROUP)]
        return keys

    def _table(self, name: str, table: Any, defaults: Keys, where: str) -> Table:
        if not _NAME.fullmatch(name):
            raise PluginError(f"{where}: the name of a table has lower-case letters, digits and hyphens.")
        if not isinstance(table, Mapping):
            raise PluginError(f"{where}: a table of keys is expected, not {table!r}.")
        head = structure(_Head, {key: table[key] for key in _OF_TABLE if key in table}, where)
        own = self._noted({key: value for key, value in table.items() if key not in _OF_TABLE}, where)
        rows: dict[str, Row] = {}
        for row in self._rows(own, defaults, (), where):
            if row.label in rows:
                raise PluginError(f"{where}: there are two rows '{row.label}': give each a label of its own.")
            if len(rows) == _MOST_ROWS:
                raise PluginError(f"{where} has more than {_MOST_ROWS:,} rows: make several tables of it.")
            rows[row.label] = row
        return Table(name=name, rows=tuple(rows.values()), **attrs.asdict(head, recurse=False))

    def _rows(self, group: Keys, defaults: Keys, columns: Sequence[Keys], where: str) -> Iterator[Row]:
        """Yield the rows of a table, or of a group of rows."""
        if "columns" in group:
            given = _list(group["columns"], f"{where}.columns")
            columns = [self._noted(column, f"{where}.columns {i}") for i, column in enumerate(given, 1)]
        defaults = _over(defaults, {key: value for key, value in group.items() if key not in _GROUP})
        rows = _list(group.get("rows", ()), f"{where}.rows")
        if not rows:
            raise PluginError(f"{where} has no rows: write rows = [{{ label = ..., published = ... }}].")
        for number, row in enumerate(rows, 1):
            place = f"{where}.rows {number}"
            self._noted(row, place)
            if "rows" in row:
                yield from self._rows(row, defaults, columns, place)
            elif columns:
                yield from self._across(row, defaults, columns, place)
            else:
                yield self._row(row, defaults, False, place)

    def _across(self, row: Keys, defaults: Keys, columns: Sequence[Keys], where: str) -> Iterator[Row]:
        """Yield one row for each column."""
        for key in _LISTS:
            if isinstance(row.get(key), list) and len(row[key]) != len(columns):
                raise PluginError(
                    f"{where}.{key} has {len(row[key])} values, and there are {len(columns)} columns: write "
                    'one for each, "-" where there is none.'
                )
        for number, column in enumerate(columns):
            own = {
                key: value[number] if key in _LISTS and isinstance(value, list) else value
                for key, value in row.items()
            }
            yield self._row(own, _over(defaults, column), True, f"{where}, column {number + 1}")

    def _row(self, own: Keys, defaults: Keys, of_column: bool, where: str) -> Row:
        keys = dict(_over(defaults, own))
        published, found = (read_printed(keys.get(key, "-"), f"{where}.{key}") for key in _LISTS)
        computes = "query" in keys or "compute" in keys
        if computes and published is not None and found is None and ("reason" not in own or of_column):
            keys.pop("reason", None)  # a default, for the rows that differ
        known: dict[str, Any] = {}
        texts = {key: self._filled(keys[key], keys, known, where) for key in _OF_ROW if key in keys}
        read = structure(_RowKeys, texts, where)
        try:
            return Row(
                label=read.label,
                published=published,
                claim=read.claim,
                again=read.again,
                origin=read.origin,
                unit=read.unit,
                ask=None if read.query is None else Ask(read.query, read.set),
                sql=read.sql,
                reduce=read.reduce,
                compute=None if read.compute is None else Call(read.compute, read.args),
                how=read.how,
                needs_data=read.needs_data,
                found=found,
                reason=read.uncomputed or read.reason,
                out_of_reach=_out_of_reach(read.out_of_reach, where),
                quick=read.quick,
            )
        except PluginError as error:
            raise PluginError(f"{where}: {error}") from None

    def _filled(self, value: Any, keys: Keys, known: dict[str, Any], where: str) -> Any:
        """Fill in the keys that a string names, also inside lists and tables.

        A string that is one `{key}` and nothing else is the value itself: a number stays one.

        Args:
            value: the string, list, table or other value.
            keys: the keys of the row.
            known: what they are when they are filled in, as far as that is known; it grows.
            where: the beginning of a message.

        Raises:
            UnknownNameError: if a string names another key.
            ParamsError: if a key names itself, or a string becomes too long.
        """
        if isinstance(value, list):
            return tuple(self._filled(each, keys, known, where) for each in value)
        if isinstance(value, Mapping):
            return {key: self._filled(each, keys, known, where) for key, each in value.items()}
        if not isinstance(value, str):
            return value

        def named(match: re.Match[str]) -> Any:
            name = match[1]
            if name not in keys:
                raise UnknownNameError("key", name, keys, f"{where}, in '{value}'")
            self._used.add(name)
            if name not in known:
                known[name] = _OPEN
                if list(known.values()).count(_OPEN) > documents.MOST_DEPTH:
                    raise ParamsError(f"{where}: '{value[:60]}' names a key, and so on, too deep.")
                known[name] = self._filled(keys[name], keys, known, where)
            if known[name] is _OPEN:
                raise ParamsError(f"{where}: the key '{name}' names itself: write out what it is.")
            return json.dumps(known[name]) if match[2] else known[name]

        whole = _HOLE.fullmatch(value)
        if whole is not None and whole[1] != _DATA:
            return named(whole)
        found = _HOLE.sub(lambda match: match[0] if match[1] == _DATA else _text(named(match)), value)
        if len(found) > _MOST_CHARACTERS:
            raise ParamsError(f"{where}: '{value[:60]}' becomes longer than {_MOST_CHARACTERS:,} characters.")
        return found


def _over(defaults: Keys, own: Keys) -> Keys:
    """Return keys with their defaults.

    Defaults of another way to our number are left out, and so is a function that reduces the rows of another
    SELECT.
    """
    way = next((way for way in _WAYS if way in own), None)
    others = {key for other, more in _WAYS.items() if way not in (None, other) for key in (other, *more)}
    if way in ("out_of_reach", "uncomputed"):
        others |= {"quick", "reason"}
    if "sql" in own:
        others.add("reduce")
    return {**{key: value for key, value in defaults.items() if key not in others}, **own}


def _list(value: Any, where: str) -> Sequence[Any]:
    if not isinstance(value, list | tuple):
        raise PluginError(f"{where}: {value!r} is not a list.")
    return value


def _text(value: Any) -> str:
    return value if isinstance(value, str) else json.dumps(value)


def _out_of_reach(read: _OutOfReach | None, where: str) -> OutOfReach | None:
    if read is None:
        return None
    size = read.size
    if isinstance(size, str):
        if not (size.isascii() and size.isdecimal() and len(size) <= 40):
            raise ParamsError(f"{where}.out_of_reach.size: '{size}' is not a number of candidates in digits.")
        size = int(size)
    return OutOfReach(read.obstacle, read.sentence, size)
