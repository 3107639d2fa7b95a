"""Compiled multisets (ranked and unranked) and mixed-radix numbers, for spaces below 2^63.

Orders as in `Multisets` and `MixedRadix`, both lexicographic. Kernels check nothing: ranks and states must
belong to the space.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import unrank_combination
from epcg_core.compiled import bare_njit, njit

_GROUP, _FEW = 16, 8


@njit
def unrank_multiset(
    rank: int, n: int, k: int, binomials: NDArray[np.int64], things_out: NDArray[np.int64]
) -> None:
    """Write the multiset of `rank` into `things_out`, (k,) int64, ascending; k > 0."""
    # Adding i to the i-th item makes a combination of n + k - 1 of the same rank.
    unrank_combination(rank, n + k - 1, k, binomials, things_out)
    for i in range(k):
        things_out[i] -= i


@njit
def rank_multiset(things: NDArray[np.int64], n: int, k: int, binomials: NDArray[np.int64]) -> int:
    """Return the rank of the ascending `things`, (k,) int64; k > 0."""
    # One look-up per item, as for the combination with cells things[i] + i of n + k - 1.
    after = 0
    for i in range(k):
        after += binomials[n + k - 2 - things[i] - i, k - i]
    return int(binomials[n + k - 1, k] - 1 - after)


@njit
def increment_multiset(things: NDArray[np.int64], n: int, k: int) -> bool:
    """Make `things` the next multiset in place; False, and unchanged, at the last one."""
    # The last item that is not of the last kind is incremented, and all items behind it become equal to it.
    i = k - 1
    while i >= 0 and things[i] == n - 1:
        i -= 1
    if i < 0:
        return False
    thing = things[i] + 1
    for j in range(i, k):
        things[j] = thing
    return True


@njit
def multiset_block(
    start: int, count: int, n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Write the multisets of ranks start .. start + count - 1 into `out`, (count, k) int64; k > 0."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_multiset(start, n, k, binomials, out[0])
    for row in range(1, count):
        for i in range(k):
            out[row, i] = out[row - 1, i]
        increment_multiset(out[row], n, k)


@njit
def multisets_at(
    ranks: NDArray[np.int64], n: int, k: int, binomials: NDArray[np.int64], out: NDArray[np.int64]
) -> None:
    """Write the multiset of each of `ranks`, (m,) int64 in any order, into `out`, (m, k) int64; k > 0."""
    for row in range(ranks.size):
        unrank_multiset(ranks[row], n, k, binomials, out[row])


@njit
def unrank_mixed_radix(rank: int, radices: NDArray[np.int64], digits_out: NDArray[np.int64]) -> None:
    """Write the digits of `rank` into `digits_out`, (length,) int64."""
    # The last digit varies fastest: one division a digit, from the end.
    rest = rank
    for i in range(radices.size - 1, -1, -1):
        digits_out[i] = rest % radices[i]
        rest //= radices[i]


@njit
def increment_mixed_radix(digits: NDArray[np.int64], radices: NDArray[np.int64]) -> bool:
    """Make `digits` the next number in place; False, and unchanged, at the last one."""
    # Find the last digit that can go up; those behind it start again. No division.
    i = radices.size - 1
    while i >= 0 and digits[i] + 1 == radices[i]:
        i -= 1
    if i < 0:
        return False
    digits[i] += 1
    for j in range(i + 1, radices.size):
        digits[j] = 0
    return True


@njit
def mixed_radix_block(start: int, count: int, radices: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Write the digits of ranks start .. start + count - 1 into `out`, (count, length) int64."""
    # Unrank once, then copy each row to the next and increment it there.
    if count > 0:
        unrank_mixed_radix(start, radices, out[0])
    for row in range(1, count):
        for i in range(radices.size):
            out[row, i] = out[row - 1, i]
        increment_mixed_radix(out[row], radices)


@njit
def mixed_radix_at(ranks: NDArray[np.int64], radices: NDArray[np.int64], out: NDArray[np.int64]) -> None:
    """Write the digits of each of `ranks`, (m,) int64 in any order, into `out`, (m, length) int64."""
    for row in range(ranks.size):
        unrank_mixed_radix(ranks[row], radices, out[row])


@njit
def transversals_at(
    ranks: NDArray[np.int64],
    k: int,
    sizes: NDArray[np.int64],
    symmetric: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the partial transversals of `ranks` into `out`, (n, k).

    Entry [s, j] of `symmetric` is the number of ways to choose j elements from the sets s, s + 1, ..; those
    on the way to a state are never more than the number of states.
    """
    for i in range(ranks.size):
        rank = ranks[i]
        left = k
        first = 0
        number = 0
        while left > 0:
            starting = symmetric[number + 1, left - 1]
            size = sizes[number]
            # size * starting is at most symmetric[number, left], so it does not overflow
            if size > 0 and rank < size * starting:
                own = rank // starting
                out[i, k - left] = first + own
                rank -= own * starting
                left -= 1
            elif size > 0:
                rank -= size * starting
            first += size
            number += 1


@njit
def completions_below(
    following: NDArray[np.int64], ways: NDArray[np.int64], below_out: NDArray[np.int64]
) -> None:
    """Write how many completions of each node begin with a lower digit: `below_out`, (nodes, digits + 1)."""
    for node in range(following.shape[0]):
        total = np.int64(0)
        for digit in range(following.shape[1]):
            below_out[node, digit] = total
            after = following[node, digit]
            if after >= 0:
                total += ways[after]
        below_out[node, following.shape[1]] = total


@bare_njit
def _unrank_constrained(
    rank: int, following: NDArray[np.int64], below: NDArray[np.int64], digits_out: NDArray[np.int64]
) -> None:
    node = np.int64(0)
    for i in range(digits_out.size):
        digit = 0
        while rank >= below[node, digit + 1]:
            digit += 1
        rank -= below[node, digit]
        digits_out[i] = digit
        node = following[node, digit]


@njit
def constrained_block(
    start: int,
    count: int,
    following: NDArray[np.int64],
    ways: NDArray[np.int64],
    below: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the constrained tuples of ranks start .. start + count - 1 into `out`, (count, length) int64.

    `following`, (nodes, digits) int64, are the nodes after each digit, -1 for none, `ways`, (nodes,) int64,
    the completions of each node, and `below` those with lower digits (see `completions_below`).
    """
    # Unrank once; then the last digit that can go up does, and those behind it are the first that can be.
    length = out.shape[1]
    nodes = np.zeros(length + 1, np.int64)
    if count > 0:
        _unrank_constrained(start, following, below, out[0])
        for i in range(length):
            nodes[i + 1] = following[nodes[i], out[0, i]]
    for row in range(1, count):
        position = length - 1
        digit = np.int64(-1)
        while digit < 0:
            digit = _next_digit(following, ways, nodes[position], out[row - 1, position] + 1)
            position -= 1
        position += 1
        for i in range(position):
            out[row, i] = out[row - 1, i]
        for i in range(position, length):
            if i > position:
                digit = _next_digit(following, ways, nodes[i], 0)
            out[row, i] = digit
            nodes[i + 1] = following[nodes[i], digit]


@bare_njit
def _next_digit(
    following: NDArray[np.int64], ways: NDArray[np.int64], node: int | np.int64, first: int | np.int64
) -> np.int64:
    """Return the lowest digit from `first` on that has completions; -1 if there is none."""
    for digit in range(first, following.shape[1]):
        after = following[node, digit]
        if after >= 0 and ways[after] > 0:
            return np.int64(digit)
    return np.int64(-1)


@njit
def constrained_at(
    ranks: NDArray[np.int64],
    following: NDArray[np.int64],
    ways: NDArray[np.int64],
    below: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the constrained tuples of `ranks`, (m,) int64 in any order, into `out`, (m, length) int64."""
    # Several tuples a position at a time, so that the memory accesses of one do not wait for those before.
    nodes = np.empty(_GROUP, np.int64)
    rest = np.empty(_GROUP, np.int64)
    digits = following.shape[1]
    few = digits <= _FEW
    for low in range(0, ranks.size, _GROUP):
        count = min(_GROUP, ranks.size - low)
        for i in range(count):
            nodes[i] = 0
            rest[i] = ranks[low + i]
        for position in range(out.shape[1]):
            for i in range(count):
                node, rank = nodes[i], rest[i]
                digit = 0
                if few:  # which digit it is cannot be foreseen, so nothing branches on it
                    for other in range(1, digits):
                        digit += int(rank >= below[node, other])
                else:
                    while rank >= below[node, digit + 1]:
                        digit += 1
                rest[i] = rank - below[node, digit]
                out[low + i, position] = digit
                nodes[i] = following[node, digit]


@njit
def constrained_ranks(
    states: NDArray[np.int64],
    following: NDArray[np.int64],
    ways: NDArray[np.int64],
    below: NDArray[np.int64],
    out: NDArray[np.int64],
) -> None:
    """Write the ranks of (m, length) `states` into `out`, (m,) int64; -1 for those that the limits forbid."""
    for row in range(states.shape[0]):
        node = np.int64(0)
        rank = np.int64(0)
        for i in range(states.shape[1]):
            digit = states[row, i]
            if not 0 <= digit < following.shape[1] or following[node, digit] < 0:
                node = np.int64(-1)
                break
            rank += below[node, digit]
            node = following[node, digit]
        out[row] = rank if node >= 0 and ways[node] > 0 else -1


@njit
def choices(
    following: NDArray[np.int64],
    ways: NDArray[np.int64],
    first: NDArray[np.int64],
    words: NDArray[np.uint64],
    nexts: NDArray[np.int64],
    nodes_out: NDArray[np.int64],
    words_out: NDArray[np.uint64],
) -> None:
    """Leave out the nodes at which there is no choice.

    Writes into `nexts`, (nodes, digits + 1), the lowest digit from each one on that has completions, or -1;
    into `nodes_out`, (nodes + 1, digits), the next node with a choice after a digit, -1 at the end; and into
    `words_out`, of the same shape, the exclusive or of the words on the way there. The last row tells the way
    to the first choice. `first`, (length + 2,) int64, says where the nodes of each position begin, and
    `words`, (length, digits), holds the word of each digit. See `constrained_block` for the rest.
    """
    count = following.shape[0]
    jump = np.full(count, -1, np.int64)
    gained = np.zeros(count, np.uint64)
    for position in range(words.shape[0] - 1, -1, -1):
        for node in range(first[position], first[position + 1]):
            for digit in range(nexts.shape[1]):
                nexts[node, digit] = _next_digit(following, ways, node, digit)
            lowest = nexts[node, 0]
            if lowest < 0:
                continue
            for digit in range(following.shape[1]):
                if nexts[node, digit] == digit:
                    after = following[node, digit]
                    nodes_out[node, digit] = jump[after]
                    words_out[node, digit] = words[position, digit] ^ gained[after]
            if nexts[node, lowest + 1] >= 0:
                jump[node] = node
            else:
                jump[node] = nodes_out[node, lowest]
                gained[node] = words_out[node, lowest]
    nodes_out[count, 0] = jump[0]
    words_out[count, 0] = gained[0]


@njit
def constrained_words(
    start: int,
    length: int,
    ways: NDArray[np.int64],
    following: NDArray[np.int64],
    nexts: NDArray[np.int64],
    nodes: NDArray[np.int64],
    words: NDArray[np.uint64],
    empty: np.uint64,
    out: NDArray[np.uint64],
) -> None:
    """Write the words of the constrained tuples from rank `start` on into `out`, (count,) uint64.

    The word of a tuple is the exclusive or of `empty` and of the word of each of its digits. `nexts`, `nodes`
    and `words` are those of `choices`.
    """
    # A walk over the nodes with a choice, of which there are fewer than tuples: the next tuple differs from
    # the last choice on that has a further digit.
    at = np.zeros(length + 1, np.int64)
    taken = np.zeros(length + 1, np.int64)
    before = np.zeros(length + 1, np.uint64)
    root = nodes.shape[0] - 1
    depth = 0
    rank = start
    node = nodes[root, 0]
    word = empty ^ words[root, 0]
    while node >= 0:
        digit = nexts[node, 0]
        while rank >= ways[following[node, digit]]:
            rank -= ways[following[node, digit]]
            digit = nexts[node, digit + 1]
        at[depth], taken[depth], before[depth] = node, digit, word
        word ^= words[node, digit]
        node = nodes[node, digit]
        depth += 1
    if out.size > 0:
        out[0] = word
    for row in range(1, out.size):
        digit = np.int64(-1)
        while digit < 0:
            depth -= 1
            digit = nexts[at[depth], taken[depth] + 1]
        node = at[depth]
        taken[depth] = digit
        word = before[depth] ^ words[node, digit]
        node = nodes[node, digit]
        depth += 1
        while node >= 0:
            digit = nexts[node, 0]
            at[depth], taken[depth], before[depth] = node, digit, word
            word ^= words[node, digit]
            node = nodes[node, digit]
            depth += 1
        out[row] = word
