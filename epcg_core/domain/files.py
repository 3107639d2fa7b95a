"""The contract of files that hold several contents: a game with its levels, a folder's worth of panels.

A file format knows where each content stands in a text, and changes one of them without touching the rest:
comments, blank lines and what it does not understand stay, byte for byte.
"""

from __future__ import annotations

from typing import Literal, Protocol

import attrs


@attrs.frozen(order=True)
class Fault:
    """Something wrong in a text."""

    line: int
    """From 1; 0 if it belongs to the text as a whole."""
    message: str
    """A sentence: first the fault, then what to do."""
    column: int = attrs.field(default=0, kw_only=True)
    """From 1; 0 if it is not known."""
    serious: bool = attrs.field(default=True, kw_only=True)
    """Whether the text cannot be used as it is; otherwise it is a warning."""


@attrs.frozen
class Piece:
    """One content of a file, or a message between contents."""

    text: str
    """The text that the domain's editor opens, or the words of the message."""
    kind: Literal["content", "message"] = "content"
    title: str = ""
    """Its name in the file, if it has one."""
    lines: tuple[int, int] = (0, 0)
    """Its first and last line in the file, from 1; (0, 0) of one that is in no file yet."""


@attrs.frozen
class Sheet:
    """The contents and messages of a text, and its faults."""

    pieces: tuple[Piece, ...]
    faults: tuple[Fault, ...] = ()
    """Sorted by line. With a serious one, `pieces` are those that can be told all the same, or none."""
    title: str = attrs.field(default="", kw_only=True)
    """The name of the whole, as its players see it; '' if the text has none."""
    author: str = attrs.field(default="", kw_only=True)

    @property
    def usable(self) -> bool:
        """Whether the text can be used as it is."""
        return not any(fault.serious for fault in self.faults)


class FileFormat(Protocol):
    """A format of files that hold several contents; `FormatInfo.file` makes one.

    Texts have Unix line ends. Pieces are counted from 0. Each method but `read` returns the whole new text,
    in which nothing but the piece differs, and raises EpcgError if the text has serious faults, or does not
    have that piece, or the content does not fit the file.
    """

    def read(self, text: str) -> Sheet:
        """Return what a text holds, with all of its faults. Raises nothing for any text."""

    def replace(self, text: str, number: int, piece: Piece) -> str:
        """Put a content, or the words of a message, in the place of a piece of the same kind."""

    def insert(self, text: str, before: int, piece: Piece) -> str:
        """Insert a piece before another one, or at the end (`before` is then the number of pieces)."""

    def remove(self, text: str, number: int) -> str:
        """Remove a piece. Raises EpcgError for the last one if a file is never without a content."""

    def new(self, piece: Piece | None = None) -> str:
        """Return the text of a new file, with one content if that is given."""
