"""Spaces of a base and what may be added to it, exact at any size.

A solution and the symbols that it satisfies, a skeleton and what hangs on it, a board and its pieces: the
states are a *dependent sum*, the disjoint union of the additions of each base. What depends on the base
alone, such as a filter or the number of its additions, is found once a base instead of once a state, and a
base that allows nothing has no rank.
"""

# Functions import numpy: see `ranked`.
from __future__ import annotations

import reprlib
from array import array
from bisect import bisect_right
from collections.abc import Callable, Hashable, Iterator, Sequence
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any, TypeAlias

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.ranked import ARRAY_LIMIT, KernelSpace, RankedSpace, plain_int
from epcg_core.combinatorics.sequences import as_space

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_BASES = 20_000_000
"""The bases of a space, whose sizes are added up: each takes eight bytes, and a call for its size."""
KEPT = 1024
"""The spaces of additions that are kept for the next time, the last ones that were asked for."""
_CHUNK = 4096
"""The bases that are unranked at once."""

Additions: TypeAlias = "RankedSpace[Any] | Sequence[Hashable]"


@attrs.frozen
class BaseBlock:
    """Those states of a range of ranks that share a base."""

    base: Any
    additions: RankedSpace[Any]
    start: int
    """The rank of the first one's addition among those of the base."""
    count: int


@attrs.frozen(eq=False)
class BaseRanks:
    """Those states of some ranks that share a base."""

    base: Any
    additions: RankedSpace[Any]
    ranks: NDArray[np.int64]
    """(n,) the ranks of their additions among those of the base."""
    rows: NDArray[np.int64]
    """(n,) where they are among the ranks that were asked for."""


def _bases(bases: Any) -> RankedSpace[Any]:
    return as_space(bases, "FactoredSpace: the bases")


@attrs.frozen
class FactoredSpace(RankedSpace[tuple[Any, Any]]):
    """The pairs (base, addition) of a base and what `additions(base)` says may be added to it.

    They are ranked by their bases first. Bases and additions are ranked spaces, or lists of anything that
    can be hashed (see `Listed`). An empty list, or a space without states, leaves the base out: that is how
    bases are filtered. `size(base)`, if given, says how many additions a base has, without making their
    space; it is called once a base, when the sizes are added up, and `additions` then only for bases whose
    states are asked for.

    Words of three letters, and ways to double two letters of one that begins with a vowel:

    >>> words = FactoredSpace(("cat", "owl", "ape"), lambda word: "" if word[0] == "c" else range(2))
    >>> words.max_rank, words.unrank(2)
    (4, ('ape', 0))

    The array form has the columns of the base and then those of the addition, filled up with -1 on the right
    if the additions of another base have more. The largest number of columns is found by making the
    additions of all bases, unless `columns` says it.

    Raises ParamsError for more than `MOST_BASES` bases, and if `size` or `columns` do not fit the additions.
    """

    bases: RankedSpace[Any] = attrs.field(converter=_bases)
    additions: Callable[[Any], Additions]
    size: Callable[[Any], int] | None = None
    columns: int | None = None

    @cached_property
    def _counted(self) -> tuple[Sequence[int], int]:
        """How many states there are up to and including each base; the columns of the additions made."""
        count = self.bases.max_rank
        if count > MOST_BASES:
            raise ParamsError(
                f"FactoredSpace: {count:,} bases are too many, because the additions of each are counted: at "
                f"most {MOST_BASES:,} are."
            )
        ends, columns, end = array("q"), 0, 0
        large: list[int] = []
        """The ends from the first one on that does not fit into the array."""
        for size, needed in self._sizes():
            end += size
            columns = max(columns, needed)
            if end >= ARRAY_LIMIT:
                large.append(end)
            else:
                ends.append(end)
        return [*ends, *large] if large else ends, columns

    def _sizes(self) -> Iterator[tuple[int, int]]:
        """Yield how many additions each base has, and their columns, 0 if they need not be made."""
        if self.size is not None:
            for base in self._every_base():
                yield self._said(base), 0
            return
        for number in range(self.bases.max_rank):
            space = self._space(number)
            yield space.max_rank, space.length if space.max_rank else 0

    def _said(self, base: Any) -> int:
        assert self.size is not None
        found = plain_int(self.size(base))
        if not isinstance(found, int) or found < 0:
            raise ParamsError(
                f"FactoredSpace: the size of the base {reprlib.repr(base)} is {reprlib.repr(found)}, which "
                "is not a whole number of 0 or more."
            )
        return found

    def _every_base(self) -> Iterator[Any]:
        """Yield the bases in their order."""
        count = self.bases.max_rank
        if isinstance(self.bases, KernelSpace) and count > _CHUNK:
            for start in range(0, count, _CHUNK):
                yield from map(tuple, self.bases.states_block(start, min(_CHUNK, count - start)).tolist())
        else:
            yield from map(self.bases.unrank, range(count))

    @property
    def _ends(self) -> Sequence[int]:
        return self._counted[0]

    @cached_property
    def _space(self) -> Callable[[int], RankedSpace[Any]]:
        """The function from the number of a base to its additions; the last ones are kept."""
        return lru_cache(KEPT)(self._made)

    def _made(self, number: int) -> RankedSpace[Any]:
        base = self.bases.unrank(number)
        return as_space(self.additions(base), "FactoredSpace: the additions of", base)

    def _additions(self, number: int) -> RankedSpace[Any]:
        """Return the additions of a base. Raises ParamsError if they are not as many as was said."""
        space = self._space(number)
        said = self._ends[number] - self._before(number)
        if space.max_rank != said:
            raise ParamsError(
                f"FactoredSpace: the base {reprlib.repr(self.bases.unrank(number))} has {space.max_rank:,} "
                f"additions, and its size was said to be {said:,}."
            )
        return space

    def _before(self, number: int) -> int:
        """Count the states of the bases before one."""
        return self._ends[number - 1] if number else 0

    @cached_property
    def max_rank(self) -> int:
        return self._ends[-1] if self._ends else 0

    @property
    def length(self) -> int:
        return self.bases.length + self._columns

    @cached_property
    def _columns(self) -> int:
        if self.columns is not None:
            return self.columns
        if self.size is None:
            return self._counted[1]
        return max((self._space(number).length for number in self._in_use()), default=0)

    def _in_use(self) -> Iterator[int]:
        """Yield the numbers of the bases that have additions."""
        before = 0
        for number, end in enumerate(self._ends):
            if end > before:
                yield number
            before = end

    def base_of(self, rank: int) -> int:
        """Return the number of the base of a rank. Raises RankError if there is no such rank."""
        self._check_range(rank, 1)
        return self._number_of(rank)

    def ranks_of_base(self, number: int) -> range:
        """Return the ranks of the states of a base, by its number: none if it allows nothing.

        Raises RankError if there is no such base.
        """
        self.bases._check_range(number, 1)
        return range(self._before(number), self._ends[number])

    def _number_of(self, rank: int) -> int:
        return bisect_right(self._ends, rank)

    def _unrank(self, rank: int) -> tuple[Any, Any]:
        number = self._number_of(rank)
        return self.bases._unrank(number), self._additions(number)._unrank(rank - self._before(number))

    def _checked(self, state: Sequence[Any]) -> tuple[Any, Any]:
        if not isinstance(state, Sequence) or len(state) != 2:
            raise self._malformed(state, "a base and an addition")
        base = self.bases._checked(state[0])
        return base, self._additions(self.bases._rank(base))._checked(state[1])

    def _rank(self, state: tuple[Any, Any]) -> int:
        number = self.bases._rank(state[0])
        return self._before(number) + self._additions(number)._rank(state[1])

    def _increment(self, state: tuple[Any, Any]) -> tuple[Any, Any] | None:
        number = self.bases._rank(state[0])
        following = self._additions(number)._increment(state[1])
        if following is not None:
            return state[0], following
        end = self._ends[number]
        return self._unrank(end) if end < self.max_rank else None

    def parts(self, start: int, count: int) -> Iterator[BaseBlock]:
        """Yield the parts of ranks start .. start + count - 1 that share a base, in their order.

        A generator that packs states in its own way fills its rows part by part.

        Args:
            start: the first rank.
            count: how many ranks.

        Raises:
            RankError: for ranks outside the space.
        """
        self._check_range(start, count)
        at, end = start, start + count
        while at < end:
            number = self._number_of(at)
            own = min(end, self._ends[number]) - at
            additions = self._additions(number)
            yield BaseBlock(self.bases._unrank(number), additions, at - self._before(number), own)
            at += own

    def parts_at(self, ranks: NDArray[np.int64]) -> Iterator[BaseRanks]:
        """Yield the parts of ranks in any order that share a base, by their bases.

        Args:
            ranks: (n,) int64 ranks.

        Raises:
            RankError: for ranks outside the space, and for spaces of 2^63 states or more.
        """
        import numpy as np

        wanted = self._wanted(ranks)
        numbers = np.searchsorted(self._end_array, wanted, side="right")
        order = np.argsort(numbers, kind="stable")
        cuts = np.flatnonzero(np.diff(numbers[order])) + 1
        for rows in np.split(order, cuts) if order.size else ():
            number = int(numbers[rows[0]])
            own = wanted[rows] - self._before(number)
            yield BaseRanks(self.bases._unrank(number), self._additions(number), own, rows)

    @cached_property
    def _end_array(self) -> NDArray[np.int64]:
        import numpy as np

        return np.array(self._ends, np.int64)

    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        import numpy as np

        first, last = self._number_of(start), self._number_of(start + count - 1)
        ends = np.minimum(self._end_array[first : last + 1], start + count)
        counts = np.diff(ends, prepend=start)
        width = self.bases.length
        out[:, :width] = np.repeat(self.bases.states_block(first, last - first + 1), counts, axis=0)
        row = 0
        for part in self.parts(start, count):
            own = out[row : row + part.count, width:]
            self._fit(own, part.additions.states_block(part.start, part.count))
            row += part.count

    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        import numpy as np

        width = self.bases.length
        numbers = np.searchsorted(self._end_array, ranks, side="right")
        out[:, :width] = self.bases.states_at(numbers.astype(np.int64))
        for part in self.parts_at(ranks):
            rows = np.empty((len(part.rows), self._columns), np.int64)
            self._fit(rows, part.additions.states_at(part.ranks))
            out[part.rows, width:] = rows

    def _fit(self, out: NDArray[np.int64], states: NDArray[np.int64]) -> None:
        """Write the arrays of additions, filled up with -1. Raises ParamsError if there is no room."""
        columns = states.shape[1]
        if columns > out.shape[1]:
            raise ParamsError(
                f"FactoredSpace: columns = {self.columns}, and the additions of a base have {columns}."
            )
        out[:, :columns] = states
        out[:, columns:] = -1
