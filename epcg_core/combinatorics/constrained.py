"""Tuples of digits in which some digits occur at least and at most so often, in lexicographic order.

A `Walk` whose states count: the node of a prefix says how often each limited group of digits has occurred.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.products import MixedRadix
from epcg_core.combinatorics.walks import MOST_NODES, NodeSpace, completions


def _entries(entries: Iterable[tuple[int, int]]) -> frozenset[tuple[int, int]]:
    return frozenset(entries)


@attrs.frozen
class Occurrences:
    """How often the entries of a group occur in a tuple: at least `least` and at most `most` times."""

    entries: frozenset[tuple[int, int]] = attrs.field(converter=_entries)
    """(position, digit)."""
    least: int = 0
    most: int | None = None
    """None for any number."""


def _all(limits: Iterable[Occurrences]) -> tuple[Occurrences, ...]:
    return tuple(limits)


@attrs.frozen
class ConstrainedTuples(NodeSpace):
    """Tuples of digits, digit i below radices[i], which keep `limits`. The array form has a column a digit.

    Raises ParamsError if the limits ask for more than `MOST_NODES` nodes.
    """

    digits: MixedRadix
    limits: tuple[Occurrences, ...] = attrs.field(converter=_all, default=())

    def __attrs_post_init__(self) -> None:
        for limit in self.limits:
            if limit.least < 0 or (limit.most is not None and limit.most < limit.least):
                raise ParamsError(f"At least {limit.least} and at most {limit.most} do not form a range.")

    @property
    def radices(self) -> tuple[int, ...]:
        """The number of digits at each position."""
        return self.digits.radices

    @property
    def length(self) -> int:
        return len(self.radices)

    @property
    def _expected(self) -> str:
        return f"digits below {reprlib.repr(self.radices)} that satisfy all limits"

    @cached_property
    def layers(self) -> Sequence[Sequence[Sequence[int]]]:
        last = [max((at for at, _ in limit.entries), default=-1) for limit in self.limits]
        layer: dict[tuple[int, ...], int] = {(0,) * len(self.limits): 0}
        layers, nodes = [], 1
        for position, radix in enumerate(self.radices):
            counted = [
                [(position, digit) in limit.entries for limit in self.limits] for digit in range(radix)
            ]
            following: dict[tuple[int, ...], int] = {}
            rows = []
            for counts in layer:
                row = []
                for digit in range(radix):
                    after = self._after(counts, counted[digit], position, last)
                    row.append(-1 if after is None else following.setdefault(after, len(following)))
                rows.append(row)
            nodes += len(following)
            if nodes > MOST_NODES:
                raise ParamsError(
                    f"These limits are too many for a ranked space: more than {MOST_NODES:,} states of their "
                    "counts. Fewer or wider groups help."
                )
            layers.append(rows)
            layer = following
        return tuple(layers)

    def _after(
        self, counts: tuple[int, ...], counted: Sequence[bool], position: int, last: Sequence[int]
    ) -> tuple[int, ...] | None:
        """Return the counts after a digit; None if a limit is broken. Those that no longer matter are 0."""
        found = []
        for count, more, limit, end in zip(counts, counted, self.limits, last, strict=True):
            now = count + more
            if limit.most is not None and now > limit.most:
                return None
            if position >= end:
                if position == end and now < limit.least:
                    return None
                now = 0
            elif limit.most is None:
                now = min(now, limit.least)
            found.append(now)
        return tuple(found)

    @cached_property
    def ways(self) -> Sequence[Sequence[int]]:
        never = any(not limit.entries and limit.least > 0 for limit in self.limits)
        width = 1 + max((node for row in self.layers[-1] for node in row), default=0) if self.layers else 1
        return completions(self.layers, [0 if never else 1] * width)
