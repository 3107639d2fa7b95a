"""Changes of a TOML text in which comments, order and blank lines stay."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import tomlkit
from tomlkit.exceptions import TOMLKitError

from epcg_core.plugin import ParamsError

Table = Any
"""A table of tomlkit."""


def edited(text: str, change: Callable[[Table], None]) -> str:
    """Return a text after a change of its tables. Raises ParamsError if it is not TOML."""
    try:
        document = tomlkit.parse(text)
    except TOMLKitError as error:
        raise ParamsError(f"The text is not valid TOML: {error}. Mend it in the text first.") from None
    change(document)
    return tomlkit.dumps(document)


def listed(parts: list[str]) -> Any:
    """Return a list of strings, each in a line of its own if there are several."""
    found = tomlkit.array()
    found.extend(parts)
    return found.multiline(len(parts) > 1)


def set_keys(table: Table, wanted: Mapping[str, Any]) -> None:
    """Give a table these keys and values and no others; those that are right already are not touched."""
    for key in [key for key in table if key not in wanted]:
        del table[key]
    for key, value in wanted.items():
        now = table[key].unwrap() if key in table and hasattr(table[key], "unwrap") else table.get(key)
        if key not in table or now != value:
            strings = isinstance(value, list) and all(isinstance(part, str) for part in value)
            table[key] = listed(value) if strings else value
