"""Faults of a game's text, each with its place."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Literal

import attrs

from epcg_core.plugin import CandidateError, counted

MOST_BYTES = 2_000_000
"""So many bytes of a game are read."""
MOST_PROBLEMS = 200
"""So many faults are listed; the others are counted, in a last sentence."""
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

    def __str__(self) -> str:
        return f"line {self.line}, column {self.column}: {self.sentence}"


@attrs.define
class Problems:
    """The faults of a text, in the order in which they are found."""

    found: list[Problem] = attrs.field(factory=list)
    left_out: int = 0
    """Number of the other faults."""
    errors: int = 0
    """The errors that the reference engine counts, those of the other faults included."""
    warnings: int = 0
    _others_from: tuple[int, int] | None = None
    """The line and column of the first of the others."""
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
        """
        self.note(Problem(line, column, sentence, fatal, effect, errors, warnings, shared))

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
        if len(self.found) < MOST_PROBLEMS or problem.fatal:
            self.found.append(problem)
        else:
            self.left_out += 1
            place = problem.line, problem.column
            self._others_from = min(self._others_from or place, place)

    def sorted(self) -> tuple[Problem, ...]:
        """Return the faults by their place, then a last one that counts those that are not listed."""
        listed = sorted(self.found, key=lambda problem: (problem.line, problem.column))
        if self._others_from is not None:
            others = counted(self.left_out, "other fault")
            sentence = f"From here on there are {others}: mend the listed ones first."
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
