"""Guesses what is meant by a word that a file's reader does not know: a word like it."""

from __future__ import annotations

import difflib
import re
from collections.abc import Sequence
from typing import Any

from epcg_core.plugin import Fault

MOST_GUESSES = 50
"""Only the first faults of a text get guesses."""
SHORT = 4
"""The letters of a word of which one may be another, or two may have changed places."""
_WORD = re.compile(r"[^\W\d]\w{2,}")
_MEANT = re.compile(r"(?:perhaps|Did you mean) '(\w+)'")


class Guesses:
    """Guesses for the faults of one text.

    A guess is offered if a fault's sentence quotes the word that stands at its column, and the sentence names
    what is meant, or lists or the text has a word like it.
    """

    def __init__(self, text: str) -> None:
        self._lines = text.split("\n")
        self._words: dict[str, str] | None = None
        self._left = MOST_GUESSES

    def of(self, fault: Fault) -> dict[str, Any] | None:
        """Return the `column` and `length` of a word, and the `text` to put there; None without a guess."""
        if not fault.column or not 0 < fault.line <= len(self._lines) or not self._left:
            return None
        found = _WORD.match(self._lines[fault.line - 1], fault.column - 1)
        if found is None or f"'{found[0].lower()}'" not in fault.message.lower():
            return None
        self._left -= 1
        named = _MEANT.search(fault.message)
        near = named[1] if named else self._near(found[0], fault.message)
        if near is None or near.lower() == found[0].lower():
            return None
        return {"column": fault.column, "length": len(found[0]), "text": near}

    def _near(self, word: str, message: str) -> str | None:
        if self._words is None:
            self._words = _twice(self._lines)
        known = self._words | {each.lower(): each for each in _WORD.findall(message)}
        known.pop(word.lower(), None)
        cutoff = 0.7 if len(word) > SHORT else 0.6
        near = difflib.get_close_matches(word.lower(), known, n=1, cutoff=cutoff)
        return known[near[0]] if near else None


def _twice(lines: Sequence[str]) -> dict[str, str]:
    """Return the words that occur more than once, as they are first written, by their small letters."""
    count: dict[str, int] = {}
    first: dict[str, str] = {}
    for line in lines:
        for word in _WORD.findall(line):
            small = word.lower()
            first.setdefault(small, word)
            count[small] = count.get(small, 0) + 1
    return {small: word for small, word in first.items() if count[small] > 1}
