"""What one instance excludes from the masks of its sites, in kernels; local ones by their tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import lean_njit
from epcg_deduction.solving.arrays import CONNECTED, DIFFERENT, GROUPS, JOINED, LOCAL, LOOP, PIECES, Arrays
from epcg_deduction.solving.different_kernels import different
from epcg_deduction.solving.group_kernels import groups, matched
from epcg_deduction.solving.line_kernels import connected, joined, one_loop
from epcg_deduction.solving.piece_kernels import pieces

Ints = NDArray[np.int64]
SPARE_ROWS = 28
MEMO_COLUMNS = 4
_MIX = 0x1E3779B97F4A7C15
_MIX_TABLE = 0x2545F4914F6CDD1D


@lean_njit
def remaining(
    arrays: Arrays,
    instance: int,
    masks: Ints,
    left: Ints,
    alive: NDArray[np.uint8],
    spare: NDArray[np.int64],
    memo: Ints,
) -> bool:
    """Write what an instance alone leaves of the masks of its sites; return whether its test holds.

    Args:
        arrays: the problem.
        instance: the number of the instance.
        masks: the possible marks of its sites, in their order; (longest,) int64.
        left: returns what remains of them; (longest,) int64.
        alive: of as many values as a table has nodes.
        spare: (SPARE_ROWS, nodes of a graph) int64.
        memo: what tables left of masks before, (a power of 2 or 0, MEMO_COLUMNS) int64; see `_remembered`.
    """
    kind, base = arrays.kind[instance], arrays.at[instance]
    sites = arrays.sites_at[instance + 1] - arrays.sites_at[instance]
    for index in range(sites):
        if masks[index] == 0:
            return False
    if kind == LOCAL:
        if memo.shape[0] and arrays.words[base] * sites < 64:
            return _remembered(arrays, base, masks, left, alive, memo)
        return _local(arrays.words, base, arrays.rows, masks, left, alive)
    if kind == CONNECTED:
        return connected(arrays.words, base, masks, left, spare)
    if kind == LOOP:
        return one_loop(arrays.words, base, masks, left, spare, sites)
    if kind == JOINED:
        return joined(arrays.words, base, masks, left, spare)
    if kind == GROUPS:
        return groups(arrays.words, base, masks, left, spare)
    if kind == PIECES:
        return pieces(arrays.words, base, masks, left, spare)
    if kind == DIFFERENT:
        return different(arrays.words, base, masks, left, spare)
    return matched(arrays.words, base, masks, left, spare)


@lean_njit
def _remembered(
    arrays: Arrays, base: int, masks: Ints, left: Ints, alive: NDArray[np.uint8], memo: Ints
) -> bool:
    """Keep marks as `_local` does, of a table whose masks fit into 63 bits together, by what is remembered.

    A row of `memo` is the table (by its store and its place there; 0: the row is empty), the masks, whether
    the test holds, and what is left of the masks. Table and masks are compared whole, so nothing can collide.
    """
    marks, layers = arrays.words[base], arrays.words[base + 1]
    key = 0
    for layer in range(layers):
        key = key << marks | masks[layer]
    table = arrays.store << 32 | base
    place = key * _MIX + table * _MIX_TABLE
    row = memo[(place ^ place >> 31) & (memo.shape[0] - 1)]
    if row[0] == table and row[1] == key:
        if row[2] == 0:
            return False
        packed, every = row[3], (1 << marks) - 1
        for layer in range(layers - 1, -1, -1):
            left[layer] = packed & every
            packed >>= marks
        return True
    holds = _local(arrays.words, base, arrays.rows, masks, left, alive)
    packed = 0
    if holds:
        for layer in range(layers):
            packed = packed << marks | left[layer]
    row[0], row[1], row[2], row[3] = table, key, 1 if holds else 0, packed
    return holds


@lean_njit
def _local(
    words: Ints, base: int, rows: NDArray[np.int32], masks: Ints, left: Ints, alive: NDArray[np.uint8]
) -> bool:
    """Keep the marks of the ways through a table that reach its last node."""
    marks, layers, begin = words[base], words[base + 1], words[base + 2]
    first = base + 3
    for node in range(1, words[first + layers] + 1):
        alive[node] = 0
    alive[0] = 1
    for layer in range(layers):
        for node in range(words[first + layer], words[first + layer + 1]):
            if alive[node]:
                row = begin + node * marks
                mask = masks[layer]
                while mask:
                    if mask & 1:
                        target = rows[row]
                        if target >= 0:
                            alive[target] = 1
                    row += 1
                    mask >>= 1
    if not alive[words[first + layers]]:
        return False
    for layer in range(layers - 1, -1, -1):
        kept = 0
        for node in range(words[first + layer], words[first + layer + 1]):
            if alive[node]:
                row = begin + node * marks
                bit = 1
                mask = masks[layer]
                own = 0
                while mask:
                    if mask & 1:
                        target = rows[row]
                        if target >= 0 and alive[target]:
                            own |= bit
                    row += 1
                    bit <<= 1
                    mask >>= 1
                kept |= own
                if own == 0:
                    alive[node] = 0
        left[layer] = kept
    return True
