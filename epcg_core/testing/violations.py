"""What a check finds: cases of a law, and counterexamples."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from pathlib import Path
from traceback import extract_tb
from typing import TypeAlias

import attrs

from epcg_core.errors import PLUGIN_EXCEPTIONS, format_exception

SMALLER_TRIED = 500
"""Ranks below a counterexample that are tried for a smaller one."""


class Broken(Exception):
    """Raised by a check: what should be, and what is."""

    def __init__(self, what: str, expected: object, got: object) -> None:
        super().__init__(what)
        self.what = what
        self.expected = expected
        self.got = got


def require(what: str, expected: object, got: object) -> None:
    """Raise Broken where two things differ; 1, 1.0 and True are three things."""
    if type(expected) is not type(got) or expected != got:
        raise Broken(what, expected, got)


def require_type(what: str, expected: type, got: object) -> None:
    """Raise Broken where a thing is of another type; a subclass is another."""
    if type(got) is not expected:
        kind = type(got)
        raise Broken(f"the type of {what}", expected.__name__, f"{kind.__module__}.{kind.__qualname__}")


@attrs.frozen
class Skip:
    """A part of the domain that a law does not apply to."""

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

    def __str__(self) -> str:
        at = self.where if self.rank is None else f"{self.where}, rank {self.rank}"
        lines = [f"{at}: {self.what}"]
        if self.expected is not None:
            lines += [f"  expected {self.expected}", f"  got      {self.got}"]
        return "\n".join(lines)


@attrs.frozen
class Case:
    """A law asked of one part: `check(rank)` raises Broken, or whatever the plugin raises."""

    where: str
    check: Callable[[int], None]
    ranks: Sequence[int]
    name_rank: bool = True

    @classmethod
    def once(cls, where: str, check: Callable[[], None]) -> Case:
        """A case that is not about ranks."""
        return cls(where, lambda _: check(), (0,), name_rank=False)

    def violation(self) -> Violation | None:
        """The lowest rank at which the law is broken, of those given and some below it."""
        for rank in self.ranks:
            found = self._ask(rank)
            if found is not None:
                below = range(min(rank, SMALLER_TRIED)) if self.name_rank else ()
                return next(filter(None, map(self._ask, below)), found)
        return None

    def _ask(self, rank: int) -> Violation | None:
        try:
            self.check(rank)
        except PLUGIN_EXCEPTIONS as error:  # a plugin may raise anything
            return violation_of(self.where, rank if self.name_rank else None, error)
        return None


Cases: TypeAlias = "Iterable[Case | Skip]"


def violation_of(where: str, rank: int | None, error: BaseException) -> Violation:
    """What a check raised, as a counterexample."""
    if isinstance(error, Broken):
        return Violation(where, rank, error.what, short(error.expected), short(error.got))
    frames = [frame for frame in extract_tb(error.__traceback__) if _outside(frame.filename)]
    at = f" ({Path(frames[-1].filename).name}:{frames[-1].lineno})" if frames else ""
    return Violation(where, rank, f"it raised {format_exception(error)}{at}", None, None)


def _outside(file: str) -> bool:
    return Path(file).parent.parent.name != "testing" and Path(file).parent.name != "testing"


def short(thing: object) -> str:
    """A thing as text that fits a message."""
    text = thing if isinstance(thing, str) else repr(thing)
    return text if len(text) <= 300 else f"{text[:297]}..."
