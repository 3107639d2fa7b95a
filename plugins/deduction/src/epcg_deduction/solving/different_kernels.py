"""The kernel of long lists whose marks all differ: a matching of sites and symbols, exact."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit

Ints = NDArray[np.int64]


@njit
def different(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude marks without which another site would have no symbol of its own.

    Args:
        words: holds the instance; (words,) int64.
        base: where the instance begins in them.
        masks: of the instance's sites; (sites,) int64.
        left: returns what remains of them.
        spare: (rows, sites or symbols or more) int64.
    """
    count, symbols, marks = words[base], words[base + 1], words[base + 2]
    owner, symbol_of = spare[0], spare[1]
    for symbol in range(symbols):
        owner[symbol] = -1
    for site in range(count):
        symbol_of[site] = -1
        left[site] = masks[site]
    for site in range(count):
        bound = True
        for mark in range(marks):
            if (masks[site] >> mark) & 1 and words[base + 3 + site * marks + mark] < 0:
                bound = False
        if bound and not _placed(words, base, masks, site, -1, -1, spare, True):
            return False
    for site in range(count):
        for mark in range(marks):
            symbol = words[base + 3 + site * marks + mark]
            if (masks[site] >> mark) & 1 == 0 or symbol < 0 or owner[symbol] < 0 or owner[symbol] == site:
                continue
            if not _placed(words, base, masks, owner[symbol], symbol, site, spare, False):
                left[site] &= ~(1 << mark)
    return True


@njit
def _placed(
    words: Ints,
    base: int,
    masks: Ints,
    start: int,
    barred: int,
    absent: int,
    spare: NDArray[np.int64],
    change: bool,
) -> bool:
    """Return whether a site can have a symbol while all others keep some; write it down if `change`.

    `barred`: a symbol that is not there; `absent`: a site that has none.
    """
    symbols, marks = words[base + 1], words[base + 2]
    owner, symbol_of, before, queue = spare[0], spare[1], spare[2], spare[3]
    for symbol in range(symbols):
        before[symbol] = -1
    queue[0] = start
    head, tail = 0, 1
    while head < tail:
        site = queue[head]
        head += 1
        row = base + 3 + site * marks
        mask = masks[site]
        while mask:
            symbol = words[row]
            if mask & 1 and symbol >= 0 and symbol != barred and before[symbol] < 0:
                before[symbol] = site
                if owner[symbol] < 0 or owner[symbol] == absent:
                    while change:
                        holder = before[symbol]
                        old = symbol_of[holder]
                        owner[symbol] = holder
                        symbol_of[holder] = symbol
                        if holder == start:
                            break
                        symbol = old
                    return True
                queue[tail] = owner[symbol]
                tail += 1
            row += 1
            mask >>= 1
    return False
