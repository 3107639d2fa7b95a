"""Faults of a game's text, each with its place."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable
from typing import Literal

import attrs

from epcg_core.plugin import CandidateError, counted

MOST_BYTES = 2_000_000
"""So many bytes of a game are read."""
MOST_PROBLEMS = 5_000
"""So many faults are listed, far more than are mended before a text is read again."""
MOST_QUOTED = 60
"""So many characters of a game's text are quoted in a sentence."""
MOST_ERRORS = 5
"""A game with more errors is not played (as by the reference engine)."""
MOST_MESSAGES = 100
"""A game with more errors and warnings is not played (as by the reference engine)."""

_QUOTED = re.compile("'[^']*'")

Effect = Literal["none", "word", "rule"]
"""The effect of a fault on the game that is played: none; a part of its line is left out or read as something
else; a whole rule is left out."""


class GameError(CandidateError):
    """A game that cannot be read, or that cannot be played as asked."""

    problems: tuple[Problem, ...] = ()
    """The faults of a text that was refused, by their place."""


@attrs.frozen
class Problem:
    """A fault at a place of the text."""

    line: int
    """Counted from 1."""
    column: int
    """Counted from 1."""
    sentence: str
    """A sentence about the fault, then about the text that was expected."""
    fatal: bool = False
    """Nothing can be played; after other faults the rest of the game works without the faulty part."""
    effect: Effect = "word"
    errors: int = 1
    """The errors that the reference engine counts for it."""
    warnings: int = 0
    """The warnings that the reference engine counts for it."""
    shared: bool = False
    """Whether the reference engine counts it once a game."""
    cause: bool = False
    """Whether other faults of its line follow from it, as from a word that is read over."""
    follows: bool = False
    """Whether it follows from a fault of its line, and so is gone when that is mended."""

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.sentence}"


@attrs.define
class Problems:
    """The faults of a text, in the order in which they are found."""

    found: list[Problem] = attrs.field(factory=list)
    errors: int = 0
    """The errors that the reference engine counts, those of faults that are not listed included."""
    warnings: int = 0
    _others_from: tuple[int, int] | None = None
    """The line and column of the first fault that is not listed."""
    _causes: Counter[int] = attrs.field(factory=Counter)
    """How many causes each line has."""
    _others: Counter[int] = attrs.field(factory=Counter)
    """How many other faults each line has, which follow from its causes if it has any."""
    _said: set[tuple[int, str]] = attrs.field(factory=set)
    _shared: set[str] = attrs.field(factory=set)
    """The sentences that count once a game, without the words that they quote."""

    def add(
        self,
        line: int,
        column: int,
        sentence: str,
        *,
        errors: int = 1,
        warnings: int = 0,
        effect: Effect = "word",
        fatal: bool = False,
        shared: bool = False,
        cause: bool = False,
    ) -> None:
        """Note a fault; the same sentence about the same line is noted once.

        Args:
            line: counted from 1.
            column: counted from 1.
            sentence: what is wrong, then what was expected.
            errors: the errors that the reference engine counts for it.
            warnings: the warnings that it counts for it.
            effect: what it does to the game that is played.
            fatal: whether nothing can be played.
            shared: whether the reference engine counts it once a game.
            cause: whether other faults of its line follow from it.
        """
        self.note(Problem(line, column, sentence, fatal, effect, errors, warnings, shared, cause))

    def note(self, problem: Problem) -> None:
        """Note a fault that is made already."""
        if (problem.line, problem.sentence) in self._said:
            return
        self._said.add((problem.line, problem.sentence))
        if problem.shared:
            kind = _QUOTED.sub("", problem.sentence)
            if kind in self._shared:
                problem = attrs.evolve(problem, errors=0, warnings=0)
            self._shared.add(kind)
        self.errors += problem.errors
        self.warnings += problem.warnings
        (self._causes if problem.cause else self._others)[problem.line] += 1
        if len(self.found) < MOST_PROBLEMS or problem.fatal:
            self.found.append(problem)
        else:
            place = problem.line, problem.column
            self._others_from = min(self._others_from or place, place)

    @property
    def count(self) -> int:
        """How many faults there are that follow from no other."""
        alone = sum(count for line, count in self._others.items() if line not in self._causes)
        return self._causes.total() + alone

    def sorted(self) -> tuple[Problem, ...]:
        """Return the faults by their lines, in each line a cause before what follows from it.

        If not all are listed, the last one stands where the first of the others is.
        """
        told = [
            attrs.evolve(each, follows=each.line in self._causes and not each.cause) for each in self.found
        ]
        listed = sorted(told, key=lambda each: (each.line, each.follows, each.column))
        if self._others_from is not None:
            sentence = "The faults from here on are not listed: mend those that are."
            listed.append(Problem(*self._others_from, sentence, errors=0))
        return tuple(listed)


def unread(problems: Iterable[Problem]) -> str:
    """Return in words what of a game was not read as it is written; '' if all of it was.

    For example '2 rules left out: lines 64, 80; 1 line read in part: line 12'.
    """
    rules = {problem.line for problem in problems if problem.effect == "rule"}
    parts = {problem.line for problem in problems if problem.effect == "word"} - rules
    said = [
        f"{counted(len(lines), noun)} {what}: {_lines(lines)}"
        for lines, noun, what in ((rules, "rule", "left out"), (parts, "line", "read in part"))
        if lines
    ]
    return "; ".join(said)


def _lines(numbers: Iterable[int]) -> str:
    listed = sorted(numbers)
    shown = ", ".join(map(str, listed[:8])) + (f" and {len(listed) - 8} more" if len(listed) > 8 else "")
    return f"{'line' if len(listed) == 1 else 'lines'} {shown}"


def quoted(text: str) -> str:
    """Return a piece of a game's text for a sentence, shortened."""
    shown = text if len(text) <= MOST_QUOTED else text[:MOST_QUOTED] + "..."
    return f"'{shown}'"
