"""What one instance excludes from the masks of its sites, in kernels; local ones by their tables."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_deduction.solving.arrays import CONNECTED, DIFFERENT, GROUPS, JOINED, LOCAL, LOOP, PIECES, Arrays
from epcg_deduction.solving.different_kernels import different
from epcg_deduction.solving.group_kernels import groups, matched
from epcg_deduction.solving.line_kernels import connected, joined, one_loop
from epcg_deduction.solving.piece_kernels import pieces

Ints = NDArray[np.int64]
SPARE_ROWS = 28


@njit
def remaining(
    arrays: Arrays, instance: int, masks: Ints, left: Ints, alive: NDArray[np.uint8], spare: NDArray[np.int64]
) -> bool:
    """Write what an instance alone leaves of the masks of its sites; return whether its test holds.

    Args:
        arrays: the problem.
        instance: the number of the instance.
        masks: the possible marks of its sites, in their order; (longest,) int64.
        left: returns what remains of them; (longest,) int64.
        alive: of as many values as a table has nodes.
        spare: (SPARE_ROWS, nodes of a graph) int64.
    """
    kind, base = arrays.kind[instance], arrays.at[instance]
    sites = arrays.sites_at[instance + 1] - arrays.sites_at[instance]
    for index in range(sites):
        if masks[index] == 0:
            return False
    if kind == LOCAL:
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


@njit
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
