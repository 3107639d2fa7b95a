"""Cases of a law, and counterexamples."""

from __future__ import annotations

import math
import time
from collections.abc import Callable, Iterable, Sequence
from itertools import takewhile
from typing import TypeAlias

import attrs

from epcg_core.inside import PLUGIN_EXCEPTIONS, place_of
from epcg_core.plugin import EpcgError, format_exception

SMALLER_TRIED = 500
"""Ranks below a counterexample that are tried for a smaller one."""


class Broken(Exception):
    """A violation: the expected and the actual value."""

    def __init__(self, what: str, expected: object, got: object) -> None:
        super().__init__(what)
        self.what = what
        self.expected = expected
        self.got = got


class NotPlayedError(EpcgError):
    """A puzzle for which play is not defined, so that no law of play applies to it."""


class WrongValuesError(EpcgError):
    """The values of an evaluator do not fit its metrics: only the law of values tells that."""


def require(what: str, expected: object, got: object) -> None:
    """Raise Broken if two values differ; 1, 1.0 and True are different."""
    if type(expected) is not type(got) or expected != got:
        raise Broken(what, expected, got)


def require_type(what: str, expected: type, got: object) -> None:
    """Raise Broken if a value has another type; subclasses count as other types."""
    if type(got) is not expected:
        kind = type(got)
        raise Broken(f"the type of {what}", expected.__name__, f"{kind.__module__}.{kind.__qualname__}")


@attrs.frozen
class Skip:
    """A part of the domain to which a law does not apply."""

    where: str
    reason: str


@attrs.frozen
class Violation:
    """The smallest counterexample that was found."""

    where: str
    """The space, and the evaluator, rule or renderer."""
    rank: int | None
    what: str
    expected: str | None
    got: str | None
    raised: bool = False
    """Whether a part raised an exception, so that the law could not be checked."""
    misfit: bool = False
    """Whether that is because values do not fit metrics."""
    cause: str = ""
    """What tells this exception from others: its type, and where it came up."""

    def __str__(self) -> str:
        at = self.where if self.rank is None else f"{self.where}, rank {self.rank}"
        lines = [f"{at}: {self.what}"]
        if self.expected is not None:
            lines += [f"  expected {self.expected}", f"  got      {self.got}"]
        return "\n".join(lines)


@attrs.frozen
class Case:
    """A law for one part: `check(rank)` raises Broken, or any exception of the plugin."""

    where: str
    check: Callable[[int], None]
    ranks: Sequence[int]
    name_rank: bool = True
    compared_of: int | None = None
    """If the law compares states with each other, whatever they are: of how many; `ranks` are compared."""

    @classmethod
    def once(cls, where: str, check: Callable[[], None]) -> Case:
        """Make a case without ranks."""
        return cls(where, lambda _: check(), (0,), name_rank=False)

    def violation(self, seconds: float = math.inf) -> tuple[Violation | None, int]:
        """Find the lowest rank at which the law is broken, among the given ones and some below.

        Returns it, and how many of `ranks` were left when `seconds` of CPU time were spent. The first rank
        does not count, because it may compile kernels.
        """
        until = math.inf
        for number, rank in enumerate(self.ranks):
            if time.process_time() > until:
                return None, len(self.ranks) - number
            found = self._ask(rank)
            if number == 0:
                until = time.process_time() + seconds
            if found is not None:
                return self._smaller(rank, until) or found, 0
        return None, 0

    def _smaller(self, rank: int, until: float) -> Violation | None:
        below = range(min(rank, SMALLER_TRIED)) if self.name_rank else ()
        tried = takewhile(lambda _: time.process_time() < until, below)
        return next(filter(None, map(self._ask, tried)), None)

    def _ask(self, rank: int) -> Violation | None:
        try:
            self.check(rank)
        except NotPlayedError:
            return None
        except PLUGIN_EXCEPTIONS as error:  # a plugin may raise anything
            return violation_of(self.where, rank if self.name_rank else None, error)
        return None


Cases: TypeAlias = "Iterable[Case | Skip]"


def violation_of(where: str, rank: int | None, error: BaseException) -> Violation:
    """Convert the exception of a check to a counterexample."""
    if isinstance(error, Broken):
        return Violation(where, rank, error.what, short(error.expected), short(error.got))
    place = place_of(error)
    what = f"it raised {format_exception(error)}{place}"
    misfit = isinstance(error, WrongValuesError)
    cause = f"{type(error).__name__}{place or f': {error}'}"
    return Violation(where, rank, what, None, None, raised=True, misfit=misfit, cause=cause)


def short(thing: object) -> str:
    """Format an object briefly for a message."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= 300 else f"{text[:297]}..."
