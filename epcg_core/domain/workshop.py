"""The contract of games that are drawn: people paint the cells of a board, or of a piece.

A `FileFormat` may offer one as its attribute `workshop`, and the pictures of its marks as `art`. Every method
that changes something returns the whole new text, in which only that differs: comments and the order of keys
stay. A workshop knows no page: it says what can be painted, and what can be set.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, Literal, Protocol

import attrs

from epcg_core.domain.editing import GameQuestion, Mark, Path, Site


@attrs.frozen(kw_only=True)
class Setting:
    """Something of a canvas, or of the game, that is set and not painted."""

    key: str
    """Its name, for `set`."""
    title: str
    kind: Literal["text", "number", "range", "flag", "choice", "colour"]
    """The kind of its value: a string, an integer, two of them, true or false, one of `choices`, a colour."""
    value: Any
    choices: tuple[tuple[str, str], ...] = ()
    """(value, title) of each choice; of colours the title is '#rrggbb'."""
    minimum: int = 0
    maximum: int = 1_000
    help: str = ""
    """A sentence."""


@attrs.frozen(kw_only=True)
class Canvas:
    """Something of a game that is painted cell by cell."""

    id: str
    """Its name in changes: 'board', 'piece 3'. It stays until a canvas is added or removed."""
    kind: str
    """The group that it belongs to: 'board', 'piece'."""
    title: str
    """Its name for people."""
    subtitle: str = ""
    """The line below its name: '6 squares'."""
    sites: tuple[Site, ...]
    """All cells that can be painted, those around the present ones among them."""
    painted: Mapping[str, str]
    """The mark of each site that has one."""
    marks: tuple[Mark, ...]
    """The marks that can be painted; the first is the usual one."""
    outline: tuple[Path, ...] = ()
    """Lines around what is painted."""
    settings: tuple[Setting, ...] = ()
    note: str = ""
    """A sentence about it: 'lies in 8 ways, on 152 places'."""


@attrs.frozen
class GameFact:
    """A number that belongs to a game."""

    title: str
    value: str
    problem: bool = False
    """Whether it makes a solution impossible."""


@attrs.frozen(kw_only=True)
class PuzzleKind:
    """A kind of puzzle that a game has, with how many there are: the best help in choosing."""

    title: str
    """'One piece lies there'."""
    puzzles: int | None
    """How many there are; None if they are too many to be counted while one waits."""
    proper: int | None
    """Those that have exactly one solution."""
    example: str = ""
    """The text of one that has, as the domain's editor opens it."""
    query: Mapping[str, Any] | None = None
    """The table of the generator that makes them all, if there is one."""
    measures: tuple[str, ...] = ()
    """The evaluators by which its puzzles are compared in such a question."""
    unique: str = ""
    """The yes-or-no metric of these that puzzles with exactly one solution have."""


@attrs.frozen(kw_only=True)
class GameAnswer:
    """The facts about a game that are known at once: whether it can be solved, and if not, why."""

    title: str
    """'Can be filled'."""
    solved: bool | None
    """None if it is not known: the search would take long."""
    about: str = ""
    """A sentence or two."""
    svg: str = ""
    """A picture of a solution."""
    facts: tuple[GameFact, ...] = ()


class Painted(Protocol):
    """Parts of a game that are painted. Each method raises EpcgError for what cannot be."""

    def canvases(self, text: str) -> Sequence[Canvas]:
        """Return what can be painted of a game."""

    def paint(self, text: str, canvas: str, sites: Sequence[str], mark: str) -> str:
        """Put a mark on sites of a canvas, or empty them (`ERASE`)."""

    def set(self, text: str, canvas: str, key: str, value: Any) -> str:
        """Set something of a canvas, or of the game (canvas '')."""


class HasArt(Protocol):
    """The capability of a file format whose marks have pictures that are painted."""

    @property
    def art(self) -> Painted:
        """The pictures of a game: of a mark of the editor's palette, the canvas has the name."""


class Workshop(Painted, Protocol):
    """The capability of a file format whose game is drawn.

    One whose games have one canvas, and no other can be added, has an attribute `is_whole` that is true.
    """

    def settings(self, text: str) -> Sequence[Setting]:
        """Return what can be set of the game as a whole: its title, its lattice."""

    def add(self, text: str, canvas: str = "") -> str:
        """Add a canvas of the kind that there are several of: an empty one, or a copy of one."""

    def remove(self, text: str, canvas: str) -> str:
        """Remove a canvas."""

    def answer(self, text: str) -> GameAnswer:
        """Say whether the game can be solved, within some seconds."""

    def kinds(self, text: str) -> Sequence[PuzzleKind]:
        """Return the kinds of puzzles that the game has, within some seconds."""

    def questions(self, text: str) -> Sequence[GameQuestion]:
        """Return the questions by which a designer goes on with the game; at once."""

    @property
    def takes(self) -> Mapping[str, Literal["game", "parts"]]:
        """The generators of the domain whose candidates lead on: a new game each, or parts of a game."""

    def made(self, state: Any) -> str:
        """Return the text of a new game that a candidate is, of a generator that `takes` has as "game"."""

    def take(self, text: str, states: Sequence[Any]) -> str:
        """Add candidates to a game, of a generator that `takes` has as "parts"."""


class HasWorkshop(Protocol):
    """The capability of a file format that has a workshop."""

    @property
    def workshop(self) -> Workshop:
        """The workshop of its games."""
