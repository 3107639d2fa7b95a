"""Partial transversals in lexicographic order, exact at any size."""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import reprlib
from bisect import bisect_right
from collections.abc import Iterable, Sequence
from functools import cached_property
from itertools import accumulate
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.base.errors import ParamsError
from epcg_core.combinatorics.ranked import RankedSpace, as_integers, is_size, plain_int

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


def _sizes(sizes: Iterable[int]) -> tuple[int, ...]:
    try:
        return tuple(map(plain_int, sizes))
    except TypeError:
        raise ParamsError(f"PartialTransversals: a list of sizes is expected, not {sizes!r}.") from None


@attrs.frozen
class PartialTransversals(RankedSpace[tuple[int, ...]]):
    """The ways to choose k elements from k different sets of the given sizes: ascending tuples.

    The sets are disjoint, and their elements are numbered set by set from 0: with sizes (2, 1), elements 0
    and 1 are in the first set and 2 is in the second. The order is lexicographic; their number is the
    elementary symmetric polynomial of degree k in the sizes. With sizes of 1 they are the combinations. The
    array form has k columns.
    """

    sizes: tuple[int, ...] = attrs.field(converter=_sizes)
    k: int = attrs.field(converter=plain_int, validator=is_size)

    @sizes.validator
    def _check(self, attribute: attrs.Attribute[Any], value: tuple[Any, ...]) -> None:
        if not all(isinstance(size, int) and size >= 0 for size in value):
            raise ParamsError(
                f"PartialTransversals: sizes = {reprlib.repr(value)} are not all whole numbers of 0 or more."
            )

    @cached_property
    def max_rank(self) -> int:
        return self._symmetric[0][self.k]

    @property
    def length(self) -> int:
        return self.k

    @cached_property
    def _ends(self) -> tuple[int, ...]:
        """Cumulative sizes of the sets."""
        return tuple(accumulate(self.sizes))

    @cached_property
    def _symmetric(self) -> list[list[int]]:
        """Entry [s][j] is the number of ways to choose j elements from the sets s, s + 1, .."""
        table = [[1] + [0] * self.k]
        for size in reversed(self.sizes):
            behind = table[-1]
            table.append([1, *(behind[j] + size * behind[j - 1] for j in range(1, self.k + 1))])
        return table[::-1]

    def _set_of(self, thing: int) -> int:
        return bisect_right(self._ends, thing)

    def _unrank(self, rank: int) -> tuple[int, ...]:
        things: list[int] = []
        table, left, first = self._symmetric, self.k, 0
        for number, size in enumerate(self.sizes):
            if not left:
                break
            starting = table[number + 1][left - 1]
            if rank < size * starting:
                own, rank = divmod(rank, starting)
                things.append(first + own)
                left -= 1
            else:
                rank -= size * starting
            first += size
        return tuple(things)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        things = as_integers(state)
        total = self._ends[-1] if self._ends else 0
        if (
            things is None
            or len(things) != self.k
            or not all(0 <= thing < total for thing in things)
            or (sets := [self._set_of(thing) for thing in things]) != sorted(set(sets))
        ):
            raise self._malformed(
                state, f"{self.k} ascending whole numbers below {total}, each of another set"
            )
        return things

    def _rank(self, state: tuple[int, ...]) -> int:
        rank, left, after = 0, self.k, 0
        table = self._symmetric
        for thing in state:
            number = self._set_of(thing)
            first = self._ends[number] - self.sizes[number]
            # states that begin with an element of the sets between, then with an earlier one of the same set
            rank += table[after][left] - table[number][left] + (thing - first) * table[number + 1][left - 1]
            left, after = left - 1, number + 1
        return rank

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        total = self._ends[-1] if self._ends else 0
        for i in range(self.k - 1, -1, -1):
            thing, behind = state[i] + 1, self.k - i - 1
            if thing < total and self._symmetric[self._set_of(thing) + 1][behind]:
                following = [thing]
                while len(following) <= behind:
                    following.append(self._ends[self._set_of(following[-1])])
                return (*state[:i], *following)
        return None

    @cached_property
    def _tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
        """The sizes, and the table of `_symmetric`; entries past 2^63, which no rank needs, are cut."""
        import numpy as np

        from epcg_core.compiled import read_only

        rows = [[min(entry, 2**63 - 1) for entry in row] for row in self._symmetric]
        return read_only(np.array(self.sizes, np.int64)), read_only(np.array(rows, np.int64))

    def _fill_block(self, start: int, count: int, out: NDArray[np.int64]) -> None:
        import numpy as np

        from epcg_core.compiled import read_only

        self._fill_at(read_only(np.arange(start, start + count, dtype=np.int64)), out)

    def _fill_at(self, ranks: NDArray[np.int64], out: NDArray[np.int64]) -> None:
        from epcg_core.combinatorics.tuple_kernels import transversals_at

        transversals_at(ranks, self.k, *self._tables, out)
