"""JSON in the columns of a database, which need not have been written by this program."""

from __future__ import annotations

import json
import math
from collections.abc import Mapping
from typing import Any, NoReturn

import attrs

from epcg_core.base.errors import DamagedError


@attrs.frozen
class Values:
    """The shape of tables of any keys, whose values have one shape."""

    shape: Any


@attrs.frozen
class Maybe:
    """The shape of a key that may be absent, or null."""

    shape: Any


@attrs.frozen
class Only:
    """The shape of a table that has no other keys than these."""

    shape: Mapping[str, Any]


PART = {"name": str, "params": dict}
QUERY: Mapping[str, Any] = {"domain": str, "generator": PART, "search": PART, "evaluators": [PART]}
"""The keys of every recorded query, as a run's specification holds it."""
ASKED: Mapping[str, Any] = {**QUERY, "name": str, "title": str, "select": [dict], "record": dict}
"""The keys of a query that a user asked."""
SPEC: Mapping[str, Any] = {
    "space": str,
    "search": PART,
    "evaluators": [PART],
    "metrics": [str],
    "range": [str],
    "inputs": Values(str),
    "versions": [str],
    "query": QUERY,
    "filter": Maybe(Only({"metric": str, "min": Maybe((int, float)), "max": Maybe((int, float))})),
    "layer": Maybe(int),
    "candidate_timeout": Maybe((int, float)),
    "objective": Maybe(Only({"metric": str, "direction": str, "keep": str, "phase": str})),
}
CHOICE: Mapping[str, Any] = {"select": [dict]}
"""The rules by which a library was chosen of its run."""
STRATA = Only({"by": int, "cuts": [int]})
OMISSION = Only({"count": int, "of": int, "what": str})
READING = Only({"sha256": str, "unread": str, "unsearched": Maybe([str])})
IMPORTED = Values(dict)
PLAN: Mapping[str, Any] = {
    "description": str,
    "chapters": [{"name": str, "title": str, "description": str, "parts": [dict]}],
}
TEXTS = Values(str)


def parsed(text: object, what: str, shape: Any = object) -> Any:
    """Parse the JSON of a column.

    Args:
        text: the column's value.
        what: what the message names, such as "The specification of run 3".
        shape: a type; a table of keys that must be there, with their shapes; a list with the shape of its
            items; `Values` or `Only`.

    Raises:
        DamagedError: it is not JSON, or not of that shape, so no EPCG has written it.
    """
    try:
        data = json.loads(str(text), parse_constant=_refused, parse_float=_finite)
    except (ValueError, RecursionError) as error:
        reason = (
            "it is nested too deeply" if isinstance(error, RecursionError) else f"it is not JSON: {error}"
        )
        raise DamagedError(f"{what} is damaged: {reason}.") from None
    if (fault := _fault(data, shape, "")) is not None:
        raise DamagedError(f"{what} is damaged: {fault}.")
    return data


def _refused(constant: str) -> NoReturn:
    raise ValueError(f"{constant} is not a number of JSON")


def _finite(digits: str) -> float:
    value = float(digits)
    if not math.isfinite(value):
        raise ValueError(f"{digits[:20]} is not finite")
    return value


def _fault(value: Any, shape: Any, place: str) -> str | None:
    """Say which part of a value has another shape; None if none has."""
    where = place or "the document"
    if isinstance(shape, type | tuple):
        types = shape if isinstance(shape, tuple) else (shape,)
        named = " or ".join(each.__name__ for each in types)
        return None if isinstance(value, types) else f"{where} is not of the type {named}"
    if isinstance(shape, list):
        if not isinstance(value, list):
            return f"{where} is not a list"
        return next(filter(None, (_fault(v, shape[0], f"{place}[{i}]") for i, v in enumerate(value))), None)
    if not isinstance(value, dict):
        return f"{where} is not a table"
    if isinstance(shape, Only):
        for other in sorted(value.keys() - shape.shape.keys()):
            return f"{where} has the key '{other}', which means nothing"
        shape = shape.shape
    inner = dict.fromkeys(value, shape.shape) if isinstance(shape, Values) else shape
    for key, own in inner.items():
        if isinstance(own, Maybe):
            if value.get(key) is None:
                continue
            own = own.shape
        if key not in value:
            return f"{where} has no '{key}'"
        if (fault := _fault(value[key], own, f"{place}.{key}".strip("."))) is not None:
            return fault
    return None
