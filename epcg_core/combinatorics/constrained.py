"""Tuples of digits in which some digits occur at least and at most so often, in lexicographic order.

The tuples are the paths through layers of nodes: the node of a prefix says how often each limited group of
digits has occurred. `ways` of a node is the number of its completions, by dynamic programming from the end.
"""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.combinatorics.products import MixedRadix
from epcg_core.combinatorics.ranked import KernelSpace, as_integers
from epcg_core.errors import ParamsError

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.combinatorics.ranked import Kernels

MOST_NODES = 1_000_000
"""The nodes of a space: each takes some 100 bytes."""


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
class ConstrainedTuples(KernelSpace):
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

    @cached_property
    def max_rank(self) -> int:
        return self.ways[0][0]

    @cached_property
    def _layers(self) -> tuple[list[list[int]], ...]:
        """Entry [position][node][digit] is the node of the next layer; -1 if the limits forbid the digit."""
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
    def ways(self) -> list[list[int]]:
        """Entry [position][node] is the number of completions."""
        never = any(not limit.entries and limit.least > 0 for limit in self.limits)
        width = 1 + max((node for row in self._layers[-1] for node in row), default=0) if self._layers else 1
        ways = [[0 if never else 1] * width]
        for rows in reversed(self._layers):
            behind = ways[-1]
            ways.append([sum(behind[node] for node in row if node >= 0) for row in rows])
        return ways[::-1]

    def _unrank(self, rank: int) -> tuple[int, ...]:
        node, state = 0, []
        for rows, ways in zip(self._layers, self.ways[1:], strict=True):
            for digit, following in enumerate(rows[node]):
                count = ways[following] if following >= 0 else 0
                if rank < count:
                    state.append(digit)
                    node = following
                    break
                rank -= count
        return tuple(state)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        digits = as_integers(state)
        if digits is None or len(digits) != self.length or self.node(digits) is None:
            raise self._malformed(state, f"digits below {reprlib.repr(self.radices)} that satisfy all limits")
        return digits

    def node(self, prefix: Sequence[int]) -> int | None:
        """Return the node of a prefix; None if no state begins with it."""
        node = 0
        for digit, rows, radix in zip(prefix, self._layers, self.radices, strict=False):
            node = rows[node][digit] if 0 <= digit < radix else -1
            if node < 0:
                return None
        return node if self.ways[len(prefix)][node] else None

    def _rank(self, state: tuple[int, ...]) -> int:
        rank = node = 0
        for digit, rows, ways in zip(state, self._layers, self.ways[1:], strict=False):
            rank += sum(ways[following] for following in rows[node][:digit] if following >= 0)
            node = rows[node][digit]
        return rank

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        nodes = [0]
        for digit, rows in zip(state, self._layers, strict=True):
            nodes.append(rows[nodes[-1]][digit])
        for position in range(self.length - 1, -1, -1):
            row, ways = self._layers[position][nodes[position]], self.ways[position + 1]
            for digit in range(state[position] + 1, len(row)):
                if row[digit] >= 0 and ways[row[digit]]:
                    return (*state[:position], digit, *self.first(position + 1, row[digit]))
        return None

    def first(self, position: int, node: int) -> list[int]:
        """Return the digits of the first completion of a node."""
        state = []
        for at in range(position, self.length):
            row, ways = self._layers[at][node], self.ways[at + 1]
            digit = next(d for d, following in enumerate(row) if following >= 0 and ways[following])
            state.append(digit)
            node = row[digit]
        return state

    @cached_property
    def tables(self) -> tuple[Any, Any, Any]:
        """The nodes of all layers, numbered through.

        (nodes, digits) int64 following nodes, -1 for none; (nodes,) int64 ways; and (length + 2,) int64
        where each layer begins.
        """
        import numpy as np

        from epcg_core.compiled import read_only

        sizes = [len(ways) for ways in self.ways]
        first = np.cumsum([0, *sizes])
        following = np.full((first[-1], max((1, *self.radices))), -1, np.int64)
        for position, rows in enumerate(self._layers):
            for node, row in enumerate(rows):
                kept = np.array(row, np.int64)
                following[first[position] + node, : len(row)] = np.where(
                    kept >= 0, kept + first[position + 1], -1
                )
        ways = np.array([count for layer in self.ways for count in layer], np.int64)
        return read_only(following), read_only(ways), read_only(first.astype(np.int64))

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.tuple_kernels import constrained_at, constrained_block

        following, ways, _ = self.tables
        return constrained_block, constrained_at, (following, ways)

    def words_block(
        self, start: int, count: int, words: NDArray[np.uint64], empty: int
    ) -> NDArray[np.uint64]:
        """Return the words of ranks start .. start + count - 1: (count,) uint64.

        A tuple's word is the exclusive or of `empty` and `words[position, digit]` of each digit; `words` is
        (length, digits). Raises RankError as `states_block` does.
        """
        import numpy as np

        from epcg_core.combinatorics.tuple_kernels import choices, constrained_words
        from epcg_core.compiled import read_only

        self._check_block(start, count)
        following, ways, first = self.tables
        size, width = following.shape
        nexts = np.full((size, width + 1), -1, np.int64)
        nodes, gained = np.full((size + 1, width), -1, np.int64), np.zeros((size + 1, width), np.uint64)
        choices(following, ways, first, read_only(words), nexts, nodes, gained)
        out = np.zeros(count, np.uint64)
        tables = read_only(nexts), read_only(nodes), read_only(gained)
        constrained_words(start, self.length, ways, following, *tables, np.uint64(empty), out)
        return out
