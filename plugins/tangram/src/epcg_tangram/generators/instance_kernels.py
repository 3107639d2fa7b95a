"""The kernel that finds which subsets of boards' pieces have exactly one completion.

The solutions that have a placement are a row of bits; those that complete a subset are the AND of its rows.
Subsets are taken in lexicographic order, so that neighbours share most of that work: the ANDs are a stack.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import copy_row, njit


@njit
def count_completions(words: NDArray[np.uint64]) -> int:
    """Count the bits that are set."""
    total = 0
    for word in words:
        left = word
        while left != np.uint64(0):
            left &= left - np.uint64(1)
            total += 1
    return total


@njit
def is_single(words: NDArray[np.uint64]) -> bool:
    """Return whether exactly one bit is set."""
    found = False
    for word in words:
        if word != np.uint64(0):
            if found or word & (word - np.uint64(1)) != np.uint64(0):
                return False
            found = True
    return found


@njit
def subsets(
    bits: NDArray[np.uint64],
    base: NDArray[np.uint64],
    row: NDArray[np.int32],
    pieces: int,
    size: int,
    single: bool,
    first: bool,
    stack: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> int:
    """Write into `out` the subsets of `size` of the first `pieces` placements of `row`, as bits of positions.

    Lexicographic in their positions. `single`: only those that one of the solutions `base` completes;
    `first`: only the first of them. `stack` is (more than `size`, words) of working space. The answer is how
    many there are.
    """
    positions = np.arange(size)
    copy_row(base, stack[0])
    changed = 0
    found = 0
    while True:
        mask = 0
        for depth in range(size):
            mask |= 1 << positions[depth]
            if depth >= changed:
                own = bits[row[positions[depth]]]
                for word in range(base.size):
                    stack[depth + 1, word] = stack[depth, word] & own[word]
        if not single or is_single(stack[size]):
            out[found] = mask
            found += 1
            if first:
                return found
        changed = size - 1
        while changed >= 0 and positions[changed] == pieces - size + changed:
            changed -= 1
        if changed < 0:
            return found
        positions[changed] += 1
        for depth in range(changed + 1, size):
            positions[depth] = positions[depth - 1] + 1


@njit
def list_instances(
    bits: NDArray[np.uint64],
    bases: NDArray[np.uint64],
    base_of: NDArray[np.int64],
    boards: NDArray[np.int32],
    size: int,
    single: bool,
    first: bool,
    found: NDArray[np.int64],
    stack: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> int:
    """List the instances of `boards`, (n, width) int32, with `base_of` naming each one's row of `bases`.

    `size` -1: for each board the least at which there are any. Rows (board, positions as bits) go into
    `out`, (capacity, 2), as far as they fit; the answer is how many there are. `found` and `stack` are
    working space: the subsets of one board, and see `subsets`.
    """
    total = 0
    for board in range(boards.shape[0]):
        row = boards[board]
        pieces = 0
        while pieces < row.size and row[pieces] >= 0:
            pieces += 1
        base = bases[base_of[board]]
        count = 0
        if size >= 0:
            if size <= pieces:
                count = subsets(bits, base, row, pieces, size, single, first, stack, found)
        else:
            least = 0
            while count == 0 and least <= pieces:
                count = subsets(bits, base, row, pieces, least, single, first, stack, found)
                least += 1
        for i in range(count):
            if total + i < out.shape[0]:
                out[total + i, 0] = board
                out[total + i, 1] = found[i]
        total += count
    return total


@njit
def completions(
    bits: NDArray[np.uint64],
    bases: NDArray[np.uint64],
    base_of: NDArray[np.int64],
    boards: NDArray[np.int32],
    instances: NDArray[np.int64],
    working: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> None:
    """Write into `out`, (n,), how many solutions complete each of `instances`, (n, 2)."""
    for i in range(instances.shape[0]):
        board, mask = instances[i, 0], instances[i, 1]
        copy_row(bases[base_of[board]], working)
        position = 0
        while mask != 0:
            if mask & 1 != 0:
                own = bits[boards[board, position]]
                for word in range(working.size):
                    working[word] &= own[word]
            mask >>= 1
            position += 1
        out[i] = count_completions(working)
