"""Params: attrs classes, structured from TOML tables, with errors that name the key.

    @attrs.frozen
    class BoardParams:
        width: int = param(7, minimum=1, maximum=64, help="cells in a row")

Types: int, float, bool, str, Any, Literal[...], unions, tuple[X, ...], list[X], dict[str, X] and nested attrs
classes. Nothing is converted silently: "7" is not 7 and true is not 1.

A class whose keys were others in an earlier release may have a static method `from_former(table)`, which
returns any table in today's form, so that old ids, queries and databases still mean the same.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from types import UnionType
from typing import Any, Literal, TypeVar, Union, get_args, get_origin

import attrs

from epcg_core.base.errors import ParamsError, UnknownNameError

P = TypeVar("P")
_NAMES = {int: "an integer", float: "a number", bool: "true or false", str: "a string"}


def param(
    default: Any = attrs.NOTHING,
    *,
    minimum: float | None = None,
    maximum: float | None = None,
    help: str = "",
    from_file: bool = False,
    names_file: bool = False,
    named_if_default: bool = True,
    reads: Callable[[Any, str], Any] | None = None,
    told: str = "",
) -> Any:
    """Define an attrs field with an inclusive range and a line of help.

    With `from_file`, a query may give the name of a file instead of the text, a drawing for one. With
    `names_file`, the value is the name of a file or folder, whose digest is another param; a run records
    where it found it, and parts open it by `epcg_core.base.documents.place_of`. Without `named_if_default`,
    `plain` leaves the default out, so that a param which is added later changes no older id and digest.
    `reads` makes the value from what a file has and from what begins messages, if the type does not tell how.
    `told` is how people tell a number, with {} for it, and in brackets what is left out for 1: '{} piece[s]
    given'; default: the name, with the number.
    """
    about = {
        "minimum": minimum, "maximum": maximum, "help": help, "from_file": from_file,
        "names_file": names_file, "named_if_default": named_if_default, "reads": reads, "told": told,
    }  # fmt: skip
    return attrs.field(default=default, metadata=about)


def structure(cls: type[P], table: Mapping[str, Any], where: str) -> P:
    """Make `cls` from a TOML table.

    Raises ParamsError or UnknownNameError; the message starts with `where` (for example 'generator').
    """
    if not isinstance(table, Mapping):
        raise ParamsError(f"{where}: a table of keys is expected, not {_shown(table)}.")
    fields = fields_of(cls)
    values: dict[str, Any] = {}
    former = getattr(cls, "from_former", None)
    if former is not None:
        table = former(table)
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
    """Return an attrs instance as JSON-like data, ready for TOML, JSON and digests.

    Every key is present but those of `optional_key` fields, and of params without `named_if_default`, that
    have their default.
    """
    found: dict[str, Any] = _unstructured(params)
    return found


_ATOMS = frozenset({str, int, float, bool, type(None)})


def _unstructured(value: Any) -> Any:
    if type(value) in _ATOMS:  # nearly all values are; the questions below cost ten times as much
        return value
    if attrs.has(type(value)):
        fields = [field for field in attrs.fields(type(value)) if not _is_left_out(value, field)]
        return {
            field.metadata.get("key", field.name): _unstructured(getattr(value, field.name))
            for field in fields
        }
    if isinstance(value, Mapping):
        return {key: _unstructured(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_unstructured(item) for item in value]
    return value


def optional_key(key: str, default: Any) -> Any:
    """Define an attrs field that `plain` calls `key`, and leaves out if it has its default."""
    return attrs.field(default=default, metadata={"key": key})


def _is_left_out(value: Any, field: attrs.Attribute[Any]) -> bool:
    about = field.metadata
    optional = "key" in about or not about.get("named_if_default", True)
    return optional and getattr(value, field.name) == field.default


def canonical_json(data: Any) -> str:
    """Write data as canonical JSON: sorted keys, no blanks."""
    return json.dumps(data, sort_keys=True, separators=(",", ":"), ensure_ascii=False)


def describe(cls: type) -> list[tuple[str, str, str]]:
    """Describe every field as (key, allowed values, help), for listings."""
    rows = []
    for name, field in fields_of(cls).items():
        value: Any = field.default
        if isinstance(value, attrs.Factory):  # type: ignore[arg-type]
            value = value.factory()
        if value is attrs.NOTHING:
            default = "required"
        elif value is None:
            default = "optional"
        else:
            default = f"default {toml_text(plain(value))}"
        rows.append((name, f"{_allowed(field)}, {default}", str(field.metadata.get("help", ""))))
    return rows


def fields_of(cls: type) -> dict[str, attrs.Attribute[Any]]:
    """Return the fields of an attrs class by name, with string annotations resolved to types."""
    return attrs.fields_dict(attrs.resolve_types(cls))


def unsupported(cls: type, where: str = "") -> list[str]:
    """Describe the fields of an attrs class whose types `structure` cannot read, as 'key: set[int]'."""
    found = []
    for name, field in fields_of(cls).items():
        kind = field.type
        if kind is None or not _is_supported(kind, (cls,)):
            written = "no type" if kind is None else getattr(kind, "__name__", str(kind))
            found.append(f"{where}{name}: {str(kind) if get_origin(kind) else written}")
    return found


def _is_supported(kind: Any, above: tuple[type, ...]) -> bool:
    """Return whether a value of a type can be written in TOML and read back by `structure`."""
    origin, arguments = get_origin(kind), get_args(kind)
    if kind in (Any, dict, type(None), *_NAMES):
        return True
    if origin is Literal:
        return all(isinstance(value, str | int | float) for value in arguments)
    if origin in (Union, UnionType):
        return all(_is_supported(argument, above) for argument in arguments)
    if origin is tuple:
        return len(arguments) == 2 and arguments[1] is Ellipsis and _is_supported(arguments[0], above)
    if origin is list:
        return _is_supported(arguments[0], above)
    if origin is dict:
        return arguments[0] is str and _is_supported(arguments[1], above)
    if isinstance(kind, type) and attrs.has(kind):
        fields = () if kind in above else fields_of(kind).values()
        return all(field.type is not None and _is_supported(field.type, (*above, kind)) for field in fields)
    return False


def _structure_field(field: attrs.Attribute[Any], value: Any, where: str) -> Any:
    if field.metadata.get("reads") is not None:
        return field.metadata["reads"](value, where)
    structured = _structure_value(field.type, value, where, field)
    for i, number in enumerate(structured if isinstance(structured, tuple) else [structured]):
        if isinstance(number, int | float) and not isinstance(number, bool):
            _check_range(field, number, f"{where} {i + 1}" if isinstance(structured, tuple) else where)
    return structured


def _check_range(field: attrs.Attribute[Any], number: float, where: str) -> None:
    low, high = field.metadata.get("minimum"), field.metadata.get("maximum")
    inside = (low is None or number >= low) and (high is None or number <= high)
    if not inside or number != number:  # TOML's nan is inside no range
        raise ParamsError(f"{where}: {number} is not allowed; expected {_allowed(field)}.")


def _structure_value(kind: Any, value: Any, where: str, field: attrs.Attribute[Any]) -> Any:
    origin, arguments = get_origin(kind), get_args(kind)
    if kind is Any:
        return value
    if origin is Literal:
        if value not in arguments:
            raise UnknownNameError("value", str(value), map(str, arguments), where)
        return value
    if origin in (Union, UnionType):
        return _structure_union(arguments, value, where, field)
    if origin in (tuple, list):
        if not isinstance(value, list | tuple):
            raise ParamsError(f"{where}: {_shown(value)} is not a list.")
        items = [_structure_value(arguments[0], v, f"{where} {i + 1}", field) for i, v in enumerate(value)]
        return tuple(items) if origin is tuple else items
    if isinstance(kind, type) and attrs.has(kind):
        return structure(kind, value, where)
    if origin is dict or kind is dict:
        if not isinstance(value, dict):
            raise ParamsError(f"{where}: {_shown(value)} is not a table.")
        if not arguments:
            return value
        return {key: _structure_value(arguments[1], v, f"{where}.{key}", field) for key, v in value.items()}
    if kind is float and type(value) is int:
        try:
            return float(value)
        except OverflowError:
            raise ParamsError(f"{where}: an integer of {value.bit_length()} bits is too large.") from None
    if kind in _NAMES and type(value) is not kind:
        raise ParamsError(f"{where}: {_shown(value)} is not {_NAMES[kind]}{_limits(field)}.")
    return value


def _structure_union(kinds: tuple[Any, ...], value: Any, where: str, field: attrs.Attribute[Any]) -> Any:
    """Structure a value by the first of several types whose outer type it has."""
    if value is None and type(None) in kinds:
        return None
    others = [kind for kind in kinds if kind is not type(None)]
    fitting = [kind for kind in others if _fits(kind, value)]
    if not fitting and len(others) > 1:
        raise ParamsError(
            f"{where}: {_shown(value)} is not {' or '.join(map(_type_name, others))}{_limits(field)}."
        )
    return _structure_value((fitting or others)[0], value, where, field)


def _fits(kind: Any, value: Any) -> bool:
    """Return whether a value has the outer type of `kind`."""
    origin = get_origin(kind)
    if origin in (tuple, list):
        return isinstance(value, list | tuple)
    if dict in (kind, origin) or attrs.has(kind):
        return isinstance(value, Mapping)
    if origin is Literal:
        return value in get_args(kind)
    return kind is Any or type(value) is kind or (kind is float and type(value) is int)


def _allowed(field: attrs.Attribute[Any]) -> str:
    return _type_name(field.type) + _limits(field)


def _type_name(kind: Any) -> str:
    """Name a type as an author of TOML would: 'an integer', 'a list of strings', '"a" or "b"'."""
    origin, arguments = get_origin(kind), get_args(kind)
    if origin is Literal:
        return " or ".join(map(toml_text, arguments))
    if origin in (Union, UnionType):
        return " or ".join(_type_name(a) for a in arguments if a is not type(None))
    if origin in (tuple, list):
        return "a list, each " + _type_name(arguments[0])
    if kind in _NAMES:
        return _NAMES[kind]
    return "a value" if kind in (None, Any) else "a table"


def toml_text(value: Any) -> str:
    """Write a value as TOML does in one line: true, "text", [1, 2], {key = 3}."""
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{_toml_key(key)} = {toml_text(item)}" for key, item in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(toml_text, value)) + "]"
    return json.dumps(value, ensure_ascii=False)


def _toml_key(key: str) -> str:
    return key if re.fullmatch(r"[A-Za-z0-9_-]+", key) else json.dumps(key, ensure_ascii=False)


def _shown(value: Any) -> str:
    """Format a value for an error message, as TOML if possible, else as its repr."""
    try:
        return toml_text(plain(value))
    except (TypeError, ValueError):
        return repr(value)


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


@attrs.frozen
class Field:
    """A param as a form needs it."""

    name: str
    kind: Literal["int", "float", "bool", "text", "choice", "value"]
    """'value' for what is written as TOML: a list, a table, one of several types."""
    help: str
    required: bool
    default: Any
    """As `plain` writes it; None for no default."""
    choices: tuple[Any, ...] = ()
    minimum: float | None = None
    maximum: float | None = None
    long: bool = False
    """A text of several lines, or the name of a file."""
    told: str = ""
    """How people tell a number, with {} for it; '' for its name."""


def form_of(cls: type) -> list[Field]:
    """Return the fields of a params class, for a form."""
    return [_form_field(name, field) for name, field in fields_of(cls).items()]


def _form_field(name: str, field: attrs.Attribute[Any]) -> Field:
    default: Any = field.default
    if isinstance(default, attrs.Factory):  # type: ignore[arg-type]
        default = default.factory()
    kinds = [kind for kind in get_args(field.type) if kind is not type(None)]
    optional = get_origin(field.type) in (Union, UnionType)
    kind = kinds[0] if optional and len(kinds) == 1 else field.type
    simple: dict[Any, Any] = {int: "int", float: "float", bool: "bool", str: "text"}
    literal = get_origin(kind) is Literal
    about = field.metadata
    return Field(
        name,
        "choice" if literal else simple.get(kind, "value"),
        str(about.get("help", "")),
        default is attrs.NOTHING,
        None if default is attrs.NOTHING else _unstructured(default),
        get_args(kind) if literal else (),
        about.get("minimum"),
        about.get("maximum"),
        bool(about.get("from_file")),
        str(about.get("told", "")),
    )
