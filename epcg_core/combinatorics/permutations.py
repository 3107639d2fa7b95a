"""Permutations and k-permutations, exact at any size."""

# Functions import numpy and kernels: see `ranked`.
from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Sequence
from functools import cached_property
from itertools import count, islice
from typing import Any

import attrs

from epcg_core.combinatorics.ranked import ChoiceSpace, Kernels, KernelSpace, as_integers, is_size, plain_int


@attrs.frozen
class _Orders(KernelSpace):
    """The base of the spaces of the n! orders of 0 .. n-1, whose array form has n columns."""

    n: int = attrs.field(converter=plain_int, validator=is_size)

    @cached_property
    def max_rank(self) -> int:
        return math.factorial(self.n)

    @property
    def length(self) -> int:
        return self.n

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        order = as_integers(state)
        if order is None or len(order) != self.n or sorted(order) != list(range(self.n)):
            raise self._malformed(state, f"the {self.n} whole numbers below {self.n}, each once")
        return order


@attrs.frozen
class Permutations(_Orders):
    """The n! orders of 0 .. n-1, in lexicographic order; rank 0 is 0, 1, .., n-1.

    Ranks by the Lehmer code: digit i counts the later elements that are smaller than element i. The array
    form has n columns.
    """

    def _unrank(self, rank: int) -> tuple[int, ...]:
        return _unrank(rank, self.n, self.n)

    def _rank(self, state: tuple[int, ...]) -> int:
        return _rank(state, self.n)

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        i = self.n - 2
        while i >= 0 and state[i] > state[i + 1]:
            i -= 1
        if i < 0:
            return None
        # The tail is descending: its last element above state[i] takes that place, the rest turns round.
        j = self.n - 1
        while state[j] < state[i]:
            j -= 1
        tail = [*state[i + 1 : j], state[i], *state[j + 1 :]]
        return (*state[:i], state[j], *reversed(tail))

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.permutation_kernels import permutation_block, permutations_at

        return permutation_block, permutations_at, (self.n,)


@attrs.frozen
class MyrvoldRuskeyPermutations(_Orders):
    """The n! orders of 0 .. n-1, ranked in linear time. The array form has n columns.

    Myrvold & Ruskey, "Ranking and unranking permutations in linear time" (2001), rank1 and unrank1: starting
    from the identity, for j = n, n-1, .., 1 position j-1 is swapped with position d_j < j, and the rank is
    d_n + n (d_(n-1) + (n-1) (d_(n-2) + ..)). The order is therefore not lexicographic: it is that of the
    digits d_1, .., d_n read as a mixed-radix number with d_n, the last element, varying fastest. Rank 0 is
    1, 2, .., n-1, 0 and the last rank is the identity.

    `increment` counts these digits up. A carry into d_m leaves the elements from m on, which stood at their
    own places, behind. The new digit relabels three of the first m elements; then each d_j = 0 for j > m is a
    swap of the labels 0 and j-1.
    """

    def _unrank(self, rank: int) -> tuple[int, ...]:
        order = list(range(self.n))
        for j in range(self.n, 0, -1):
            rank, digit = divmod(rank, j)
            order[j - 1], order[digit] = order[digit], order[j - 1]
        return tuple(order)

    def _rank(self, state: tuple[int, ...]) -> int:
        order = list(state)
        position = [0] * self.n
        for i, element in enumerate(order):
            position[element] = i
        digits = [0] * self.n
        for j in range(self.n - 1, -1, -1):
            digit = digits[j] = order[j]
            place = position[j]
            order[place] = digit
            position[digit] = place
        rank = 0
        for j, digit in enumerate(digits):
            rank = rank * (j + 1) + digit
        return rank

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        m = self.n
        while m > 0 and state[m - 1] == m - 1:
            m -= 1
        if m == 0:
            return None
        order = list(state)
        digit = order[m - 1]
        highest = order.index(m - 1)
        order[order.index(digit + 1)] = m - 1
        order[highest] = digit  # in this order: digit + 1 may be m - 1 itself
        order[m - 1] = digit + 1
        zero = order.index(0)
        for j in range(m, self.n):
            order[zero] = j
            order[j] = 0
            zero = j
        return tuple(order)

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.permutation_kernels import myrvold_ruskey_at, myrvold_ruskey_block

        return myrvold_ruskey_block, myrvold_ruskey_at, (self.n,)


@attrs.frozen
class KPermutations(ChoiceSpace):
    """The ordered choices of k of n, n! / (n-k)!, in lexicographic order; rank 0 is 0, 1, .., k-1.

    The array form has k columns. The space is empty if k > n.
    """

    @cached_property
    def max_rank(self) -> int:
        return math.perm(self.n, self.k)

    def _unrank(self, rank: int) -> tuple[int, ...]:
        return _unrank(rank, self.n, self.k)

    def _checked(self, state: Sequence[Any]) -> tuple[int, ...]:
        chosen = as_integers(state)
        if (
            chosen is None
            or len(chosen) != self.k
            or len(set(chosen)) != self.k
            or (chosen and (min(chosen) < 0 or max(chosen) >= self.n))
        ):
            raise self._malformed(state, f"{self.k} different whole numbers below {self.n}")
        return chosen

    def _rank(self, state: tuple[int, ...]) -> int:
        return _rank(state, self.n)

    def _increment(self, state: tuple[int, ...]) -> tuple[int, ...] | None:
        used = set(state)
        for i in range(self.k - 1, -1, -1):
            used.discard(state[i])
            larger = state[i] + 1
            while larger in used:
                larger += 1
            if larger < self.n:
                used.add(larger)
                smallest = (element for element in count() if element not in used)
                return (*state[:i], larger, *islice(smallest, self.k - i - 1))
        return None

    def _kernels(self) -> Kernels:
        from epcg_core.combinatorics.permutation_kernels import k_permutation_block, k_permutations_at

        return (
            k_permutation_block,
            k_permutations_at,
            (
                self.n,
                self.k,
            ),
        )


def _unrank(rank: int, n: int, k: int) -> tuple[int, ...]:
    """Return the k-permutation of `rank`; digit i counts the unused elements below element i."""
    digits = [0] * k
    for i in range(k - 1, -1, -1):
        rank, digits[i] = divmod(rank, n - i)
    chosen: list[int] = []
    used: list[int] = []
    for digit in digits:
        # used[j] - j unused elements lie below used[j]: find how many used ones lie below the digit-th.
        low, high = 0, len(used)
        while low < high:
            middle = (low + high) // 2
            if used[middle] - middle <= digit:
                low = middle + 1
            else:
                high = middle
        used.insert(low, digit + low)
        chosen.append(digit + low)
    return tuple(chosen)


def _rank(chosen: tuple[int, ...], n: int) -> int:
    rank = 0
    used: list[int] = []
    for i, element in enumerate(chosen):
        below = bisect_left(used, element)
        used.insert(below, element)
        rank = rank * (n - i) + element - below
    return rank
