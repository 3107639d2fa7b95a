"""Lines of the section RULES as trees: sides of rows of cells of words and names."""

from __future__ import annotations

from typing import TypeAlias

import attrs

Pair: TypeAlias = tuple[str, str]
"""(movement word or '', name)."""
Cell: TypeAlias = tuple[Pair, ...]
Row: TypeAlias = tuple[Cell, ...]
Side: TypeAlias = tuple[Row, ...]

DOTS: Pair = ("...", "...")
ELLIPSIS: Cell = (DOTS,)


@attrs.frozen
class RuleLine:
    """A rule as written."""

    line: int
    text: str
    plus: bool
    late: bool
    rigid: bool
    random: bool
    directions: tuple[str, ...]
    left: Side
    right: Side
    commands: tuple[str, ...]


@attrs.frozen
class LoopLine:
    """'startloop' or 'endloop'."""

    line: int
    starts: bool
