"""Combinations and multisets in lexicographic order, exact at any size."""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.combinatorics.ranked import ChoiceSpace, Kernels, as_integers

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen
class Combinations(ChoiceSpace):
    """The ways to choose k of n cells: ascending tuples, in lexicographic order.

    Rank 0 is 0, 1, .., k-1 (Sturtevant & Ota 2018, Table 1 and Algorithms 2 to 4). The array form has k
    columns. The space is empty if k > n.
    """

    @cached_property
    def max_rank(self) -> int:
        return math.comb(self.n, self.k)

    def _unrank(self, rank: int) -> tuple[int, ...]:
        return _unrank(rank, self.n, self.k)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        cells = as_integers(state)
        if (
            cells is None
            or len(cells) != self.k
            or (cells and (cells[0] < 0 or cells[-1] >= self.n))
            or sorted(set(cells)) != list(cells)
        ):
            raise self._malformed(state, f"{self.k} ascending whole numbers below {self.n}")
        return cells

    def _rank(self, state: tuple[int, ...]) -> int:
        return _rank(state, self.n, self.k)

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        for i in range(self.k - 1, -1, -1):
            if state[i] < self.n - self.k + i:
                first = state[i] + 1
                return state[:i] + tuple(range(first, first + self.k - i))
        return None

    @cached_property
    def _binomials(self) -> NDArray[np.int64]:
        from epcg_core.combinatorics.kernels import binomial_table

        return binomial_table(self.n, self.k)

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.kernels import combination_block, combinations_at

        return (
            combination_block,
            combinations_at,
            (
                self.n,
                self.k,
                self._binomials,
            ),
        )


@attrs.frozen
class Multisets(ChoiceSpace):
    """Multisets of k items of n kinds: ascending tuples, in lexicographic order.

    Rank 0 is 0, 0, .., 0; there are C(n + k - 1, k). Adding i to the i-th item makes a combination of
    n + k - 1 of the same rank. The array form has k columns. The space is empty if k > 0 and n = 0.
    """

    @cached_property
    def max_rank(self) -> int:
        return math.comb(self.n + self.k - 1, self.k) if self.k else 1

    def _unrank(self, rank: int) -> tuple[int, ...]:
        return tuple(cell - i for i, cell in enumerate(_unrank(rank, self.n + self.k - 1, self.k)))

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        things = as_integers(state)
        if (
            things is None
            or len(things) != self.k
            or (things and (things[0] < 0 or things[-1] >= self.n))
            or sorted(things) != list(things)
        ):
            raise self._malformed(
                state, f"{self.k} whole numbers below {self.n}, none smaller than the one before it"
            )
        return things

    def _rank(self, state: tuple[int, ...]) -> int:
        return _rank(tuple(thing + i for i, thing in enumerate(state)), self.n + self.k - 1, self.k)

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        for i in range(self.k - 1, -1, -1):
            if state[i] < self.n - 1:
                return state[:i] + (state[i] + 1,) * (self.k - i)
        return None

    @cached_property
    def _binomials(self) -> NDArray[np.int64]:
        from epcg_core.combinatorics.kernels import binomial_table

        return binomial_table(max(self.n + self.k - 1, 0), self.k)

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.tuple_kernels import multiset_block, multisets_at

        return (
            multiset_block,
            multisets_at,
            (
                self.n,
                self.k,
                self._binomials,
            ),
        )


def _unrank(rank: int, n: int, k: int) -> tuple[int, ...]:
    """Return the combination of `rank` in n steps of one multiplication and one division each."""
    cells: list[int] = []
    cell, left = 0, k
    # How many combinations continue with `cell`: C(behind, left - 1), where `behind` cells come after it.
    starting = math.comb(n - 1, k - 1) if k else 0
    while left:
        behind = n - 1 - cell
        if rank < starting:
            cells.append(cell)
            left -= 1
            starting = starting * left // behind if left else 0
        else:
            rank -= starting
            starting = starting * (behind - left + 1) // behind
        cell += 1
    return tuple(cells)


def _rank(cells: tuple[int, ...], n: int, k: int) -> int:
    """Return the rank of `cells` by the walk of `_unrank`, adding up the skipped combinations."""
    rank, cell = 0, 0
    starting = math.comb(n - 1, k - 1) if k else 0
    for i, wanted in enumerate(cells):
        left = k - i
        while cell < wanted:
            behind = n - 1 - cell
            rank += starting
            starting = starting * (behind - left + 1) // behind
            cell += 1
        if left > 1:
            starting = starting * (left - 1) // (n - 1 - cell)
            cell += 1
    return rank
