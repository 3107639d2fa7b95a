"""Test once what consecutive rules need in common, so that all of them are passed over together."""

from __future__ import annotations

from collections.abc import Hashable, Sequence
from functools import reduce
from operator import and_
from typing import Generic, TypeVar

import attrs

Need = TypeVar("Need", bound=Hashable)


@attrs.frozen
class Guard(Generic[Need]):
    """The rules from `first` to before `last` need all of `needs`, beside what guards around them ask."""

    first: int
    last: int
    needs: frozenset[Need]


def guards_of(needs: Sequence[frozenset[Need]], least: int) -> list[Guard[Need]]:
    """Return guards of at least `least` rules of a sequence, outer ones before those within them.

    `needs` tells for each rule without what it cannot match. Guards lie beside or within each other. Each
    begins where the one before it ends, or later, with the need that the longest run of rules shares.
    """
    ends: list[dict[Need, int]] = [{} for _ in range(len(needs) + 1)]
    for at in reversed(range(len(needs))):
        after = ends[at + 1]
        ends[at] = {need: after.get(need, at + 1) for need in needs[at]}
    found: list[Guard[Need]] = []
    waiting = [(0, len(needs), frozenset[Need]())]
    while waiting:
        first, last, known = waiting.pop()
        if last - first < least:
            continue
        end = min(last, max((ends[first][need] for need in needs[first] - known), default=first + 1))
        waiting.append((end, last, known))
        common = reduce(and_, needs[first:end]) - known
        if common and end - first >= least:
            found.append(Guard(first, end, common))
            waiting.append((first, end, known | common))
    return found


def left_to_test(needs: Sequence[frozenset[Need]], guards: Sequence[Guard[Need]]) -> list[frozenset[Need]]:
    """Return what each rule needs beside what the guards around it ask."""
    found = list(needs)
    for guard in guards:
        for at in range(guard.first, guard.last):
            found[at] -= guard.needs
    return found
