"""Params: attrs classes, structured from TOML tables by cattrs, with errors that name the key.

    @attrs.frozen
    class BoardParams:
        width: int = param(7, minimum=1, maximum=64, help="cells in a row")

Types: int, float, bool, str, Literal[...], `X | None`, tuple[X, ...] and nested attrs classes. Nothing is
converted silently: "7" is not 7 and true is not 1.
"""

from __future__ import annotations

import json
from collections.abc import Mapping
from functools import cache
from typing import Any, Literal, TypeVar, get_args, get_origin

import attrs
import cattrs

from epcg_core.errors import ParamsError, UnknownNameError

P = TypeVar("P")
_NAMES = {int: "a whole number", float: "a number", bool: "true or false", str: "a text"}


def param(
    default: Any = attrs.NOTHING,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    help: str = "",
) -> Any:
    """An attrs field with an inclusive range and a line of help."""
    return attrs.field(default=default, metadata={"minimum": minimum, "maximum": maximum, "help": help})


def structure(cls: type[P], table: Mapping[str, Any], where: str) -> P:
    """Make `cls` from a TOML table.

    Raises ParamsError or UnknownNameError; the message starts with `where` (for example 'generator').
    """
    if not isinstance(table, Mapping):
        raise ParamsError(f"{where}: a table of keys is expected, not {table!r}.")
    fields = fields_of(cls)
    values: dict[str, Any] = {}
    for key in table:
        if key not in fields:
            raise UnknownNameError("key", key, fields, where)
    for name, field in fields.items():
        if name in table:
            values[name] = _structure_field(field, table[name], f"{where}.{name}")
        elif field.default is attrs.NOTHING:
            raise ParamsError(f"{where}: the key '{name}' is missing{_help(field)}.")
    return cls(**values)


def plain(params: Any) -> dict[str, Any]:
    """`params` as JSON-like data, every key present, ready for TOML, JSON and digests."""
    found: dict[str, Any] = _converter().unstructure(params)
    return found


def canonical_json(data: Any) -> str:
    """One text for equal data: sorted keys, no blanks."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def describe(cls: type) -> list[tuple[str, str, str]]:
    """(key, allowed values, help) of every field, for listings and help texts."""
    rows = []
    for name, field in fields_of(cls).items():
        value: Any = field.default
        if isinstance(value, attrs.Factory):  # type: ignore[arg-type]
            value = value.factory()
        default = "required" if value is attrs.NOTHING else f"default {value!r}"
        rows.append((name, f"{_allowed(field)}, {default}", str(field.metadata.get("help", ""))))
    return rows


def fields_of(cls: type) -> dict[str, attrs.Attribute[Any]]:
    """The fields of an attrs class by name, with real types also where annotations are texts."""
    return attrs.fields_dict(attrs.resolve_types(cls))


@cache
def _converter() -> cattrs.Converter:
    return cattrs.Converter()


def _structure_field(field: attrs.Attribute[Any], value: Any, where: str) -> Any:
    structured = _structure_value(field.type, value, where, field)
    for i, number in enumerate(structured if isinstance(structured, tuple) else [structured]):
        if isinstance(number, int | float) and not isinstance(number, bool):
            _check_range(field, number, f"{where}[{i}]" if isinstance(structured, tuple) else where)
    return structured


def _check_range(field: attrs.Attribute[Any], number: float, where: str) -> None:
    low, high = field.metadata.get("minimum"), field.metadata.get("maximum")
    inside = (low is None or number >= low) and (high is None or number <= high)
    if not inside or number != number:  # TOML's nan is inside no range
        raise ParamsError(f"{where}: {number} is not allowed; expected {_allowed(field)}.")


def _structure_value(kind: Any, value: Any, where: str, field: attrs.Attribute[Any]) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        if value not in arguments:
            raise UnknownNameError("value", str(value), map(str, arguments), where)
        return value
    if type(None) in arguments:
        if value is None:
            return None
        return _structure_value(next(a for a in arguments if a is not type(None)), value, where, field)
    if origin is tuple:
        if not isinstance(value, list | tuple):
            raise ParamsError(f"{where}: {value!r} is not a list.")
        return tuple(_structure_value(arguments[0], v, f"{where}[{i}]", field) for i, v in enumerate(value))
    if isinstance(kind, type) and attrs.has(kind):
        return structure(kind, value, where)
    if origin is dict or kind is dict:
        if not isinstance(value, dict):
            raise ParamsError(f"{where}: {value!r} is not a table.")
        return value
    if kind is float and type(value) is int:
        return float(value)
    if kind in _NAMES and type(value) is not kind:
        raise ParamsError(f"{where}: {value!r} is not {_NAMES[kind]}{_limits(field)}.")
    return value


def _allowed(field: attrs.Attribute[Any]) -> str:
    kind = field.type
    arguments = get_args(kind)
    if get_origin(kind) is Literal:
        return " or ".join(repr(a) for a in arguments)
    if type(None) in arguments:
        kind = next(a for a in arguments if a is not type(None))
    text = ""
    if get_origin(kind) is tuple:
        text, kind = "a list, each ", get_args(kind)[0]
    return text + (_NAMES.get(kind, "a table") if kind else "a value") + _limits(field)


def _limits(field: attrs.Attribute[Any]) -> str:
    low, high = field.metadata.get("minimum"), field.metadata.get("maximum")
    if low is not None and high is not None:
        return f" from {low} to {high}"
    if low is not None:
        return f", {low} or more"
    if high is not None:
        return f", {high} or less"
    return ""


def _help(field: attrs.Attribute[Any]) -> str:
    text = field.metadata.get("help")
    return f" ({text})" if text else ""
