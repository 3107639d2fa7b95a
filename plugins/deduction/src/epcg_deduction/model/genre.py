"""Genres: the marks, the kinds of clues and the rules that a text defines."""

from __future__ import annotations

from collections.abc import Mapping

import attrs


@attrs.frozen
class Marks:
    """The marks that the solver writes, by kind of site; the first mark is the filled one.

    `cells`: names, or digits as the text has them ("1..n", "1..size of region", "1..area"); `edges`, `links`:
    names; `pieces`: whether borders between cells say "in one piece or not".
    """

    cells: tuple[str, ...] | str = ()
    edges: tuple[str, ...] = ()
    links: tuple[str, ...] = ()
    pieces: bool = False


@attrs.frozen
class ClueKind:
    """A kind of clues: where it stands (a word of `PLACES`) and its values as the text has them."""

    name: str
    on: str
    values: str


@attrs.frozen
class RuleText:
    """A rule as the text has it: its kind (one of nine, or of a plugin) and its fields."""

    kind: str
    fields: Mapping[str, object] = attrs.field(hash=False)


@attrs.frozen(cache_hash=True)
class Genre:
    """A genre as its text defines it.

    Args:
        name: a word for files and commands.
        title: how people call it.
        marks, clues, rules: see there; clues by name, in the order of the text.
        walls: the signs of a drawing that are walls.
        numbers: numbers that rules name, such as the stars of a row, unless a puzzle gives others.
        about: the rules in words for people.
        text: the whole text, from which everything can be rebuilt.
    """

    name: str
    title: str
    marks: Marks
    clues: Mapping[str, ClueKind] = attrs.field(hash=False)
    rules: tuple[RuleText, ...]
    walls: str = ""
    lattice: str = "squares"
    text: str = ""
    numbers: Mapping[str, int] = attrs.field(factory=dict, hash=False)
    about: str = ""
