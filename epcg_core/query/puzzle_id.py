"""Puzzle ids: 'domain:generator?params#rank' rebuilds a puzzle anywhere.

If a rank came to mean another state, the id has the generator's version: 'domain:generator@2?params#rank'.
"""

from __future__ import annotations

import json
import re
from collections import Counter
from typing import Any, get_args
from urllib.parse import parse_qsl

import attrs

from epcg_core.base import documents
from epcg_core.base.errors import ParamsError, QueryError
from epcg_core.base.params import fields_of
from epcg_core.plugins.registry import Registry
from epcg_core.query.spec import SpaceSpec, check_version, space_spec

PUZZLE = re.compile(r"[^\s:?#]+:[^\s?#]+(\?[^\s#]*)?#[0-9]{1,19}")
"""The form of a puzzle id in a table, whether there is such a puzzle or not."""
_PUZZLE = re.compile(
    r"(?P<domain>[^:?#]+):(?P<generator>[^?#@]+)(@(?P<version>[1-9][0-9]{0,8}))?(\?(?P<params>[^#]*))?"
    r"#(?P<rank>[0-9]+)"
)
_LONGEST_RANK = 300
"""Digits."""


def puzzle_id(space: str, rank: int) -> str:
    """Return 'domain:generator?params#rank' of a rank in a space, by the name of the space."""
    return f"{space}#{rank}"


def parse_puzzle_id(registry: Registry, text: str) -> tuple[SpaceSpec, int]:
    """Parse a puzzle id into its space and rank. Raises QueryError, UnknownNameError or ParamsError."""
    documents.check(text, "puzzle id", QueryError)
    match = _PUZZLE.fullmatch(text.strip())
    if match is None:
        begin, cross, rank = text.strip().partition("#")
        if cross and not rank.isdecimal() and _PUZZLE.fullmatch(f"{begin}#0"):
            raise QueryError(f"'{text}': '{rank}' is not a rank, which is a whole number, as in {begin}#0.")
        raise QueryError(
            f"'{text}' is not a puzzle id; one looks like domain:generator?key=value&key=value#rank."
        )
    if len(match["rank"]) > _LONGEST_RANK:
        raise QueryError(f"puzzle id: a rank of {len(match['rank'])} digits is in no space.")
    info = registry.generator(match["domain"], match["generator"], "puzzle id")
    fields = fields_of(info.params)
    pairs = parse_qsl(match["params"] or "", keep_blank_values=True)
    documents.check(pairs, "puzzle id", ParamsError)
    for key, times in Counter(key for key, _ in pairs).items():
        if times > 1:
            raise ParamsError(f"puzzle id: the key '{key}' is there {times} times.")
    params = {key: _value(key, value, fields[key].type if key in fields else None) for key, value in pairs}
    space = space_spec(registry, match["domain"], match["generator"], params)
    space = attrs.evolve(space, version=int(match["version"] or 1))
    check_version(registry, space)
    return space, int(match["rank"])


def _value(key: str, text: str, kind: Any) -> Any:
    """Read a param; strings stand in names as they are, also those of an optional param."""
    if kind is str:
        return text
    if set(get_args(kind)) == {str, type(None)}:
        return None if text == "null" else text
    return _json_value(key, text)


def _json_value(key: str, text: str) -> Any:
    where = f"puzzle id: {key}"
    try:
        return documents.loads_json(text, where, ParamsError, documents.TOML_BITS)
    except json.JSONDecodeError:
        if re.fullmatch(r"[A-Za-z_][\w.-]*", text):
            return text
        raise ParamsError(f"puzzle id: the value of '{key}', {text!r}, cannot be read.") from None
