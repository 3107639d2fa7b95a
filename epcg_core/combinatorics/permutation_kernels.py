"""Compiled unranking of permutations and k-permutations, for spaces below 2^63 (n! fits up to n = 20).

Orders as in `Permutations`, `MyrvoldRuskeyPermutations` and `KPermutations`. States are (n,) or (k,) int64.
A permutation is the k-permutation with k = n. Kernels check nothing: ranks and states must belong to the
space.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.compiled import njit


@njit
def unrank_k_permutation(rank: int, n: int, k: int, chosen_out: NDArray[np.int64]) -> None:
    """Write the k-permutation of `rank` into `chosen_out`, (k,) int64."""
    # First the digits: digit i counts the unused elements below element i. Then, from the end, each digit
    # makes room among the ones behind it: those not smaller move up by one. k^2 / 2 steps without branches,
    # which vectorise, for any n.
    rest = rank
    for i in range(k - 1, -1, -1):
        chosen_out[i] = rest % (n - i)
        rest //= n - i
    for i in range(k - 2, -1, -1):
        element = chosen_out[i]
        for j in range(i + 1, k):
            chosen_out[j] += np.int64(chosen_out[j] >= element)


@njit
def _next_unused(element: int, chosen: NDArray[np.int64], count: int) -> int:
    """Return the smallest number from `element` on that is not among the first `count` of `chosen`."""
    found = element
    i = 0
    while i < count:
        if chosen[i] == found:
            found += 1
            i = 0
        else:
            i += 1
    return found


@njit
def increment_k_permutation(chosen: NDArray[np.int64], n: int, k: int) -> bool:
    """Make `chosen` the next k-permutation in place; False, and unchanged, at the last one."""
    # The last element that a larger unused one can replace takes the smallest such; the smallest unused ones
    # line up behind it. Mostly that is the last element of all: one scan.
    i = k - 1
    larger = n
    while i >= 0:
        larger = _next_unused(chosen[i] + 1, chosen, i)
        if larger < n:
            break
        i -= 1
    if i < 0:
        return False
    chosen[i] = larger
    smallest = int(np.int64(0))  # not a literal, which would be another signature
    for j in range(i + 1, k):
        smallest = _next_unused(smallest, chosen, j)
        chosen[j] = smallest
    return True


@njit
def k_permutation_block(start: int, count: int, n: int, k: int, out: NDArray[np.int64]) -> None:
    """Write the k-permutations of ranks start .. start + count - 1 into `out`, (count, k) int64."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_k_permutation(start, n, k, out[0])
    for row in range(1, count):
        for i in range(k):
            out[row, i] = out[row - 1, i]
        increment_k_permutation(out[row], n, k)


@njit
def k_permutations_at(ranks: NDArray[np.int64], n: int, k: int, out: NDArray[np.int64]) -> None:
    """Write the k-permutation of each of `ranks`, (m,) int64 in any order, into `out`, (m, k) int64."""
    for row in range(ranks.size):
        unrank_k_permutation(ranks[row], n, k, out[row])


@njit
def increment_permutation(permutation: NDArray[np.int64], n: int) -> bool:
    """Make `permutation` the next one in place; False, and unchanged, at the last one."""
    # Behind the last ascent the tail descends. Its last element above the lower end of the ascent takes that
    # place, and the tail, still descending, is turned round. Half of the time the tail is one element.
    i = n - 2
    while i >= 0 and permutation[i] > permutation[i + 1]:
        i -= 1
    if i < 0:
        return False
    j = n - 1
    while permutation[j] < permutation[i]:
        j -= 1
    lower = permutation[i]
    permutation[i] = permutation[j]
    permutation[j] = lower
    low = i + 1
    high = n - 1
    while low < high:
        element = permutation[low]
        permutation[low] = permutation[high]
        permutation[high] = element
        low += 1
        high -= 1
    return True


@njit
def permutation_block(start: int, count: int, n: int, out: NDArray[np.int64]) -> None:
    """Write the permutations of ranks start .. start + count - 1 into `out`, (count, n) int64."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_k_permutation(start, n, n, out[0])
    for row in range(1, count):
        for i in range(n):
            out[row, i] = out[row - 1, i]
        increment_permutation(out[row], n)


@njit
def permutations_at(ranks: NDArray[np.int64], n: int, out: NDArray[np.int64]) -> None:
    """Write the permutation of each of `ranks`, (m,) int64 in any order, into `out`, (m, n) int64."""
    for row in range(ranks.size):
        unrank_k_permutation(ranks[row], n, n, out[row])


@njit
def unrank_myrvold_ruskey(rank: int, n: int, permutation_out: NDArray[np.int64]) -> None:
    """Write the permutation of Myrvold & Ruskey's `rank` (unrank1) into `permutation_out`, (n,) int64."""
    # One division and one swap an element, from the identity.
    for i in range(n):
        permutation_out[i] = i
    rest = rank
    for j in range(n, 0, -1):
        digit = rest % j
        rest //= j
        element = permutation_out[j - 1]
        permutation_out[j - 1] = permutation_out[digit]
        permutation_out[digit] = element


@njit
def increment_myrvold_ruskey(permutation: NDArray[np.int64], n: int) -> bool:
    """Make `permutation` that of the next rank in place; return False, and change nothing, at the last one.

    `MyrvoldRuskeyPermutations` describes the order.
    """
    # The last element is the fastest digit. Elements at their own places at the end are digits that overflow;
    # the digit before them, d, goes up: labels d -> d+1, m-1 -> d, d+1 -> m-1 among the first m. Each
    # overflown digit j becomes 0: labels 0 and j-1 swap. Mostly one pass over the elements, no division.
    m = n
    while m > 0 and permutation[m - 1] == m - 1:
        m -= 1
    if m == 0:
        return False
    digit = permutation[m - 1]
    for i in range(m - 1):
        if permutation[i] == m - 1:
            permutation[i] = digit
        elif permutation[i] == digit + 1:
            permutation[i] = m - 1
    permutation[m - 1] = digit + 1
    if m < n:
        zero = 0
        while permutation[zero] != 0:
            zero += 1
        for j in range(m, n):
            permutation[zero] = j
            permutation[j] = 0
            zero = j
    return True


@njit
def myrvold_ruskey_block(start: int, count: int, n: int, out: NDArray[np.int64]) -> None:
    """Write the permutations of ranks start .. start + count - 1 into `out`, (count, n) int64."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_myrvold_ruskey(start, n, out[0])
    for row in range(1, count):
        for i in range(n):
            out[row, i] = out[row - 1, i]
        increment_myrvold_ruskey(out[row], n)


@njit
def myrvold_ruskey_at(ranks: NDArray[np.int64], n: int, out: NDArray[np.int64]) -> None:
    """Write the permutation of each of `ranks`, (m,) int64 in any order, into `out`, (m, n) int64."""
    for row in range(ranks.size):
        unrank_myrvold_ruskey(ranks[row], n, out[row])
