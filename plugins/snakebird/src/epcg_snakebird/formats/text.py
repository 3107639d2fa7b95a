"""The common part of the two level formats: text from bytes, and errors that name the place."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

import attrs

from epcg_snakebird.rules.level import LevelError

Place = tuple[int, int]
"""(line, column), both counted from 1."""


_SHOWN: dict[str | tuple[str, type[Warning], int], int] = {}
"""The warnings shown, as the standard library notes them."""


class LevelWarning(UserWarning):
    """A part of a level's text was left out."""


@attrs.frozen
class Source:
    """The source of a level's text."""

    name: str

    def error(self, place: Place, problem: str) -> LevelError:
        """Make an error that names the source, the line and the column."""
        return LevelError(f"{self.name}, line {place[0]}, column {place[1]}: {problem}.")

    def warn(self, place: Place, problem: str) -> None:
        """Warn with the same beginning: a LevelWarning, shown once as coming from the level's text."""
        message = LevelWarning(str(self.error(place, problem)))
        warnings.warn_explicit(message, LevelWarning, self.name, place[0], registry=_SHOWN)

    def lines(self, text: str | bytes) -> list[str]:
        """Return the lines without trailing blanks and line ends.

        Raises LevelError for an empty text, for binary data and for tabs inside a line.
        """
        if isinstance(text, bytes):
            text = self._decoded(text)
        text = text.removeprefix("\ufeff")
        if not text.strip():
            raise self.error((1, 1), "the file is empty")
        lines = [line.rstrip() for line in text.replace("\r\n", "\n").replace("\r", "\n").split("\n")]
        for number, line in enumerate(lines, start=1):
            for column, mark in enumerate(line, start=1):
                if mark == "\t":
                    raise self.error((number, column), "a tab fills no certain number of columns: use '.'")
                if mark < " " or mark in "\x7f\ufffd":
                    raise self.error((number, column), "this is binary data, not the text of a level")
        return lines

    def one_exit(self, places: Sequence[Place], start: Place) -> None:
        """Check that a level has one exit. `start` is where its text begins."""
        if not places:
            raise self.error(start, "there is no exit (E)")
        if len(places) > 1:
            raise self.error(places[1], "this is a second exit, and a level has one")

    def two_portals(self, places: Sequence[Place]) -> None:
        """Check that a level has two portals or none."""
        if len(places) == 1:
            raise self.error(places[0], "this portal has no second one: there are two in a level, or none")
        if len(places) > 2:
            raise self.error(places[2], "this is a third portal: there are two in a level, or none")

    def _decoded(self, data: bytes) -> str:
        try:
            return data.decode("utf-8")
        except UnicodeDecodeError as error:
            before = data[: error.start].replace(b"\r\n", b"\n").replace(b"\r", b"\n")
            line, column = before.count(b"\n") + 1, len(before) - before.rfind(b"\n")
            raise self.error((line, column), "this is binary data, not the text of a level") from None
