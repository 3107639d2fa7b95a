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
    if count < 63 and symbols < 63:
        return _few(words, base, masks, left, spare)
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
def _few(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Do what `different` does, with sets of sites and of symbols as bits.

    A site can take the symbol of another site if that one, by a chain of sites that each take the next one's
    symbol, gets to the symbol that the first site had, or to a free one. All chains are found at once.
    """
    count, symbols, marks = words[base], words[base + 1], words[base + 2]
    owner, symbol_of, wanted, near = spare[0], spare[1], spare[4], spare[5]
    for symbol in range(symbols):
        owner[symbol] = -1
    taken = 0
    bound = 0  # the sites that must have a symbol
    for site in range(count):
        symbol_of[site] = -1
        mask, row, own, must = masks[site], base + 3 + site * marks, 0, 1
        while mask:
            if mask & 1:
                if words[row] < 0:
                    must = 0
                else:
                    own |= 1 << words[row]
            row += 1
            mask >>= 1
        wanted[site] = own
        if must:
            bound |= 1 << site
            free = own & ~taken
            if free:
                symbol, bit = 0, free & -free
                while bit >> symbol != 1:
                    symbol += 1
                taken |= bit
                owner[symbol] = site
                symbol_of[site] = symbol
            elif not _placed(words, base, masks, site, -1, -1, spare, True):
                return False
            else:
                taken = 0
                for symbol in range(symbols):
                    if owner[symbol] >= 0:
                        taken |= 1 << symbol
    ends = 0  # the sites that get to a symbol that no site has
    for site in range(count):
        near[site] = 0
        if bound >> site & 1:
            if wanted[site] & ~taken:
                ends |= 1 << site
            for symbol in range(symbols):
                if wanted[site] >> symbol & 1 and owner[symbol] >= 0 and owner[symbol] != site:
                    near[site] |= 1 << owner[symbol]
    for by in range(count):
        if bound >> by & 1:
            for site in range(count):
                if near[site] >> by & 1:
                    near[site] |= near[by]
    for site in range(count):
        left[site] = masks[site]
        mask, row, bit = masks[site], base + 3 + site * marks, 1
        while mask:
            if mask & 1 and words[row] >= 0:
                other = owner[words[row]]
                if other >= 0 and other != site:
                    reached = near[other] | 1 << other
                    if reached & ends == 0 and reached >> site & 1 == 0:
                        left[site] &= ~bit
            row += 1
            bit <<= 1
            mask >>= 1
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
