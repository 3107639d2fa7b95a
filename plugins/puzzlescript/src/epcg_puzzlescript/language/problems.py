"""Faults of a game's text, each with its place."""

from __future__ import annotations

import attrs

from epcg_core.errors import CandidateError

MOST_BYTES = 2_000_000
"""So many bytes of a game are read."""
MOST_PROBLEMS = 200
"""So many faults are listed; the others are counted, in a last sentence."""
MOST_QUOTED = 60
"""So many characters of a game's text are quoted in a sentence."""


class GameError(CandidateError):
    """A game that cannot be read, or that cannot be played as asked."""


@attrs.frozen
class Problem:
    """A fault at a place of the text."""

    line: int
    """Counted from 1."""
    column: int
    """Counted from 1."""
    sentence: str
    """What is wrong, then what was expected."""
    fatal: bool = False
    """Nothing can be played; after other faults the rest of the game works without the faulty part."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.sentence}"


@attrs.define
class Problems:
    """The faults of a text, in the order in which they are found."""

    found: list[Problem] = attrs.field(factory=list)
    left_out: int = 0
    """Number of the other faults."""
    _others_from: tuple[int, int] | None = None
    """The line and column of the first of the others."""

    def add(self, line: int, column: int, sentence: str, fatal: bool = False) -> None:
        """Note a fault."""
        if len(self.found) < MOST_PROBLEMS or fatal:
            self.found.append(Problem(line, column, sentence, fatal))
        else:
            self.left_out += 1
            self._others_from = min(self._others_from or (line, column), (line, column))

    def sorted(self) -> tuple[Problem, ...]:
        """Return the faults by their place, then a last one that counts those that are not listed."""
        listed = sorted(self.found, key=lambda problem: (problem.line, problem.column))
        if self._others_from is not None:
            others = counted(self.left_out, "other fault")
            sentence = f"From here on there are {others}: mend the listed ones first."
            listed.append(Problem(*self._others_from, sentence))
        return tuple(listed)


def counted(number: int, noun: str) -> str:
    """Return a number with its noun, of which there may be one: '1 row', '2 rows'."""
    return f"{number} {noun}" if number == 1 else f"{number} {noun}s"


def quoted(text: str) -> str:
    """Return a piece of a game's text for a sentence, shortened."""
    shown = text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "..."
    return f"'{shown}'"
