"""The results of lines of rules that were read before: a stroke reads only what it changes.

A result is known by all that it depends on: the words of the line, and the names of the game, by the lines
that define them. What a line says about itself by its number is written again.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Hashable
from threading import Lock
from typing import TypeVar

import attrs

from epcg_puzzlescript.language.problems import Problem, Problems

R = TypeVar("R")
MOST_VOCABULARIES = 4
"""Sets of names whose rules are kept, those that were read last."""
_Lines = dict[Hashable, tuple[object, tuple[Problem, ...]]]


@attrs.define
class _Recorded(Problems):
    """The faults of one line: all that are noted, in their order."""

    def note(self, problem: Problem) -> None:
        self.found.append(problem)


class RuleMemory:
    """The results of lines under one set of names: of the text before, and of the text that is read.

    A result is never changed; callers write line numbers into copies.
    """

    def __init__(self, before: _Lines) -> None:
        self._before = before
        self.lines: _Lines = {}

    def result(self, key: Hashable, line: int, problems: Problems, make: Callable[[Problems], R]) -> R:
        """Return the result of a line, and note its faults.

        Args:
            key: all that the result depends on but the names of the game and the line's number.
            line: its number, which every fault has.
            problems: takes the faults.
            make: makes the result, if it is not known, and notes faults.
        """
        found = self.lines.get(key) or self._before.get(key)
        if found is None:
            recorded = _Recorded()
            found = make(recorded), tuple(recorded.found)
        self.lines[key] = found
        for problem in found[1]:
            problems.note(problem if problem.line == line else attrs.evolve(problem, line=line))
        return found[0]  # type: ignore[return-value]


_kept: OrderedDict[Hashable, _Lines] = OrderedDict()
_lock = Lock()


def memory_of(names: Hashable) -> RuleMemory:
    """Return the results of lines under names that the same lines define."""
    with _lock:
        return RuleMemory(_kept.get(names, {}))


def keep(names: Hashable, memory: RuleMemory) -> None:
    """Keep the results of lines for the next text with the same names."""
    with _lock:
        _kept.pop(names, None)
        _kept[names] = memory.lines
        while len(_kept) > MOST_VOCABULARIES:
            _kept.popitem(last=False)
