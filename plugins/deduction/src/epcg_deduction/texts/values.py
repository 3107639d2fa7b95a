"""Values of clues as people write them: numbers, signs, lists of numbers and arrows."""

from __future__ import annotations

import re
from typing import Any

from epcg_deduction.model.genre import ClueKind
from epcg_deduction.model.puzzles import Value
from epcg_deduction.model.sites import ARROWS, is_numeric

NONE = (".", "")
"""Tokens that stand where no clue is."""
WALL, HOLE = "#", "_"
_NUMBER = re.compile(r"\d{1,9}")
_LIST = re.compile(r"\d{1,4}(?:[ ,]+\d{1,4})*")
_WAYS = {
    **dict(zip("^v<>", ARROWS, strict=True)),
    **dict(zip("↑↓←→", ARROWS, strict=True)),
}


def parsed_value(kind: ClueKind, raw: Any) -> tuple[Value] | None:
    """Return the value that a number, a list or a token of a drawing is for a kind, as (value,).

    Args:
        kind: the kind of clues.
        raw: what the text has.

    Returns:
        (value,), whose range is not checked; None if it is not a value of this kind.
    """
    if isinstance(raw, bool):
        return None
    if kind.values == "lists":
        if isinstance(raw, list):
            whole = all(isinstance(part, int) and not isinstance(part, bool) and part >= 0 for part in raw)
            return (_runs(raw),) if whole else None
        if isinstance(raw, int):
            return (_runs([raw]),) if raw >= 0 else None
        if isinstance(raw, str) and _LIST.fullmatch(raw.strip()):
            return (_runs([int(part) for part in re.split(r"[ ,]+", raw.strip())]),)
        return None
    if isinstance(raw, list):
        return None
    token = str(raw).strip()
    arrows = kind.values.startswith("arrows")
    if token == "?" and (arrows or is_numeric(kind.values)):
        return (None,)
    if arrows:
        if token[:1] in _WAYS and _NUMBER.fullmatch(token[1:]):
            return ((_WAYS[token[0]], int(token[1:])),)
        return None
    if is_numeric(kind.values):
        return (int(token),) if re.fullmatch(r"-?\d{1,9}", token) else None
    return (token,) if len(token) == 1 and token in kind.values else None


def _runs(lengths: list[int]) -> tuple[int, ...]:
    """Return lengths of runs; 0 stands for an empty list."""
    return tuple(length for length in lengths if length)


def written_value(value: Value) -> Any:
    """Return a value as a TOML value of a table: a number, or a text."""
    return value if isinstance(value, int) else written_token(value)


def written_token(value: Value) -> str:
    """Return a value as a token of a drawing: '3', '2,1', '>2', '?'."""
    if value is None:
        return "?"
    if not isinstance(value, tuple):
        return str(value)
    if value and isinstance(value[0], str):
        return f"{dict(zip(ARROWS, '^v<>', strict=True))[value[0]]}{value[1]}"
    return ",".join(map(str, value)) or "0"


def values_in_words(kind: ClueKind) -> str:
    """Return which values a kind has, for a message."""
    if kind.values == "lists":
        return "lists of numbers, such as 2,1"
    if kind.values.startswith("arrows"):
        return "arrows with a number, such as >2 or ^0"
    if is_numeric(kind.values):
        return f"numbers, {kind.values}"
    return f"the signs {' '.join(kind.values)}"


def tokens(text: str) -> list[tuple[int, list[tuple[int, str]]]]:
    """Return for each line of a drawing that is not empty its number and its (column, token).

    Tokens are separated by blanks if any line has a blank inside, and are single signs otherwise.
    """
    lines = [(number, line.rstrip()) for number, line in enumerate(text.split("\n")) if line.strip()]
    if any(" " in line.strip() or "\t" in line.strip() for _, line in lines):
        return [
            (number, [(found.start(), found[0]) for found in re.finditer(r"\S+", line)])
            for number, line in lines
        ]
    return [
        (number, [(column, sign) for column, sign in enumerate(line) if sign != " "])
        for number, line in lines
    ]
