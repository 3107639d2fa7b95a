"""Puzzles: a board and clues of a genre."""

from __future__ import annotations

from collections.abc import Mapping

import attrs

from epcg_deduction.model.boards import Board
from epcg_deduction.model.genre import Genre

Value = int | str | tuple[int, ...] | tuple[str, int] | None
"""A number, a sign, a list of numbers, (direction, number) of an arrow; None: a clue without a number."""


@attrs.frozen(order=True)
class Clue:
    """A clue that the setter gives at a place.

    Args:
        kind: its kind, a name in the genre's `clues`.
        place: where it stands, a number as `Board` defines it for the kind's `on`.
        value: what it says.
    """

    kind: str
    place: int
    value: Value = attrs.field(order=False)


@attrs.frozen(cache_hash=True)
class Puzzle:
    """A board and clues of a genre; clues are sorted by kind (in the genre's order), then by place."""

    genre: Genre
    board: Board
    clues: tuple[Clue, ...] = ()
    numbers: Mapping[str, int] = attrs.field(factory=dict, hash=False)
    """Numbers by the names that the genre uses, such as n."""
    title: str = ""
