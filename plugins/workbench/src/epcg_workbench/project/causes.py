"""Which faults of a text follow from others: what is guessed is put there, and the text is read again."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import attrs

from epcg_core.plugin import EpcgError, Fault, Sheet
from epcg_workbench.project.guesses import Guesses

MOST_TRIED = 8
"""Guesses that are tried for one text."""
MOST_READ = 400_000
"""Characters that are read again for one text."""
_NUMBER = re.compile(r"\d+")
Key = tuple[int, str]


@attrs.frozen
class Told:
    """A fault, what may be meant, and whether it follows from a fault before it."""

    fault: Fault
    guess: dict[str, Any] | None
    follows: bool = False


def told_faults(sheet: Sheet, text: str, read: Callable[[str], Sheet] | None = None) -> list[Told]:
    """Return the faults of a text, each cause before what follows from it.

    A fault follows from another if it is gone from the text in which what is guessed for the other is put;
    one that is gone only with all of the guesses stands at the end. A guess is dropped if it leaves its own
    fault, or makes another in its line or about the word that it takes away. Without `read`
    nothing is tried.
    """
    guesses = Guesses(text)
    faults = [Told(fault, guesses.of(fault)) for fault in sheet.faults]
    for told in faults:
        if told.guess is not None:
            told.guess["lines"] = sorted(_lines(told, sheet.faults, text))
    if read is None or not any(told.guess for told in faults):
        return faults
    return _Trials(faults, text, read).ordered()


def count_of(faults: Sequence[Told]) -> int:
    """Return how many faults there are that follow from no other."""
    return sum(not each.follows for each in faults)


def mended(text: str, told: Sequence[Told]) -> str:
    """Return a text in which guesses stand instead of their words, in all lines that are about these."""
    lines = text.split("\n")
    for each in told:
        assert each.guess is not None
        word, known = _word(each, text), each.guess["text"]
        found = re.compile(rf"(?<!\w){re.escape(word)}(?!\w)", re.IGNORECASE)
        plain = known.replace("\\", r"\\")
        for line in each.guess["lines"]:
            lines[line - 1] = found.sub(plain, lines[line - 1])
    return "\n".join(lines)


def _word(told: Told, text: str) -> str:
    assert told.guess is not None
    start = told.guess["column"] - 1
    return text.split("\n")[told.fault.line - 1][start : start + told.guess["length"]]


def _lines(told: Told, faults: Sequence[Fault], text: str) -> Iterator[int]:
    """Yield the lines of the faults that are about the same word."""
    quoted = f"'{_word(told, text).lower()}'"
    yield from {each.line for each in faults if each.line and quoted in each.message.lower()}


def _key(fault: Fault) -> Key:
    """Return what is the same of a fault in two texts: numbers in its sentence count others."""
    return fault.line, _NUMBER.sub("0", fault.message)


class _Trials:
    """Guesses put into a text, one after another and together."""

    def __init__(self, faults: list[Told], text: str, read: Callable[[str], Sheet]) -> None:
        self._faults, self._text, self._read = list(faults), text, read
        self._keys = [_key(each.fault) for each in faults]
        self._left = min(MOST_TRIED, MOST_READ // max(1, len(text)))

    def ordered(self) -> list[Told]:
        """Return the faults with the guesses that hold, each cause before what follows from it."""
        gone = {number: self._gone_without(number) for number in range(len(self._faults))}
        causes = sorted(gone, key=lambda number: (-len(gone[number]), number))
        of: dict[int, list[int]] = {}
        taken: set[int] = set()
        for number in causes:
            if number not in taken:
                of[number] = sorted(gone[number] - taken - set(of))
                taken.update(of[number])
        last = self._gone_with_all([number for number in of if self._faults[number].guess]) & set(of)
        shown = [
            attrs.evolve(self._faults[other], follows=other != number)
            for number, others in of.items()
            if number not in last
            for other in [number, *others]
        ]
        return shown + [attrs.evolve(self._faults[number], follows=True) for number in sorted(last)]

    def _gone_without(self, number: int) -> set[int]:
        """Return which other faults are gone if one is mended; a guess that does not mend it is dropped."""
        told = self._faults[number]
        if told.guess is None or not self._left:
            return set()
        self._left -= 1
        keys = self._keys_of(mended(self._text, [told]))
        own, new = self._keys[number], keys - set(self._keys)
        quoted = f"'{_word(told, self._text).lower()}'"
        if own in keys or any(line == told.fault.line or quoted in words.lower() for line, words in new):
            self._faults[number] = attrs.evolve(told, guess=None)
            return set()
        return {other for other, key in enumerate(self._keys) if key not in keys} - {number}

    def _gone_with_all(self, numbers: list[int]) -> set[int]:
        """Return which faults are gone only if several causes are mended together."""
        if len(numbers) < 2:
            return set()
        keys = self._keys_of(mended(self._text, [self._faults[number] for number in numbers]))
        return {other for other, key in enumerate(self._keys) if key not in keys} - set(numbers)

    def _keys_of(self, text: str) -> set[Key]:
        try:
            return {_key(each) for each in self._read(text).faults}
        except EpcgError:
            return set(self._keys)
