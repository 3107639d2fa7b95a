"""The kernel of pieces: what their sizes, clues, outlines and values exclude, exactly by its test."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_deduction.solving.graph_kernels import root_of
from epcg_deduction.solving.line_kernels import link_forest

Ints = NDArray[np.int64]
_FAR = 1 << 40
_HEAD = 7
_BOUNDS = 3
_PIECE, _OUTLINE, _SIZE, _CELLS = 15, 17, 21, 25
"""Rows of spare arrays: roots of pieces and of what they reach; outlines; sizes and clues; lists of cells."""


@njit
def pieces(words: Ints, base: int, masks: Ints, left: Ints, spare: NDArray[np.int64]) -> bool:
    """Exclude marks of borders between cells; mark 0 parts the two cells, mark 1 joins them.

    Args:
        words: holds the instance; (words,) int64.
        base: where the instance begins in them.
        masks: of the instance's sites, changed and restored; (sites,) int64.
        left: returns what remains of them.
        spare: (rows, cells or sites or more) int64.
    """
    count, sites, lists = words[base], words[base + 1], words[base + 6]
    ends = lists - 2 * sites
    for site in range(sites):
        left[site] = masks[site]
    if not _hold(words, base, masks, spare):
        return False
    order, found, parent, low, last, top = spare[8], spare[9], spare[10], spare[11], spare[12], spare[13]
    link_forest(words, base, lists, ends, count, masks, 2, order, found, parent, low, last, top, spare[0])
    bridge = spare[14]
    for site in range(sites):
        bridge[site] = 0
    for node in range(count):
        if parent[node] >= 0 and low[node] >= found[node]:
            bridge[parent[node]] = 1
    _survey(words, base, masks, spare)
    piece = spare[_PIECE]
    for site in range(sites):
        if masks[site] != 3:
            continue
        one = root_of(piece, words[base + ends + 2 * site])
        other = root_of(piece, words[base + ends + 2 * site + 1])
        if one == other:
            left[site] &= 2
            continue
        if bridge[site]:
            masks[site] = 1
            if not _hold(words, base, masks, spare):
                left[site] &= 2
            masks[site] = 3
        if words[base + 5]:
            masks[site] = 2
            if not _hold(words, base, masks, spare):
                left[site] &= 1
            masks[site] = 3
        elif words[base + 2]:
            if not _box_holds(words, base, masks, one, other, spare):
                left[site] &= 1
        elif not _union_holds(words, base, masks, one, other, spare):
            left[site] &= 1
    return True


@njit
def _survey(words: Ints, base: int, masks: Ints, spare: NDArray[np.int64]) -> None:
    """Write down the pieces and what they reach: their roots, sizes, clues, outlines and cells."""
    count, sites, width, lists = words[base], words[base + 1], words[base + 3], words[base + 6]
    ends = lists - 2 * sites
    places = ends - words[base + 4] - count
    piece, reach = spare[_PIECE], spare[_PIECE + 1]
    top, bottom, west, east = spare[_OUTLINE], spare[_OUTLINE + 1], spare[_OUTLINE + 2], spare[_OUTLINE + 3]
    size, held, around, near = spare[_SIZE], spare[_SIZE + 1], spare[_SIZE + 2], spare[_SIZE + 3]
    first, after = spare[_CELLS], spare[_CELLS + 1]
    for cell in range(count):
        piece[cell] = reach[cell] = cell
        size[cell] = held[cell] = around[cell] = near[cell] = 0
        top[cell], bottom[cell], west[cell], east[cell] = _FAR, -1, _FAR, -1
        first[cell] = -1
    _join_sure(words, base, masks, piece, spare)
    for site in range(sites):
        if masks[site] & 2:
            one = root_of(reach, words[base + ends + 2 * site])
            reach[one] = root_of(reach, words[base + ends + 2 * site + 1])
    for cell in range(count):
        root, wide = root_of(piece, cell), root_of(reach, cell)
        y, x = divmod(words[base + places + cell], width) if width else (0, 0)
        top[root], bottom[root] = min(top[root], y), max(bottom[root], y)
        west[root], east[root] = min(west[root], x), max(east[root], x)
        clue = words[base + _HEAD + _BOUNDS + cell] != -1
        size[root] += 1
        held[root] += clue
        around[wide] += 1
        near[wide] += clue
        after[cell] = first[root]
        first[root] = cell


@njit
def _box_holds(words: Ints, base: int, masks: Ints, one: int, other: int, spare: NDArray[np.int64]) -> bool:
    """Test two pieces as one, in a rectangle that grows over all pieces that it meets."""
    count, sites, width, squares = words[base], words[base + 1], words[base + 3], words[base + 4]
    lists = words[base + 6]
    ends = lists - 2 * sites
    numbers = ends - squares
    places = numbers - count
    least, most, exactly = words[base + _HEAD], words[base + _HEAD + 1], words[base + _HEAD + 2]
    piece, reach = spare[_PIECE], spare[_PIECE + 1]
    top, bottom, west, east = spare[_OUTLINE], spare[_OUTLINE + 1], spare[_OUTLINE + 2], spare[_OUTLINE + 3]
    around, near = spare[_SIZE + 2], spare[_SIZE + 3]
    first, final = min(top[one], top[other]), max(bottom[one], bottom[other])
    low, high = min(west[one], west[other]), max(east[one], east[other])
    area = 0
    while area != (final + 1 - first) * (high + 1 - low):
        area = (final + 1 - first) * (high + 1 - low)
        if most >= 0 and area > most:
            return False
        for y in range(first, final + 1):
            for x in range(low, high + 1):
                square = y * width + x
                cell = words[base + numbers + square] if square < squares else -1
                if cell < 0:
                    return False
                root = root_of(piece, cell)
                first, final = min(first, top[root]), max(final, bottom[root])
                low, high = min(low, west[root]), max(high, east[root])
    wide = root_of(reach, one)
    held = 0
    for y in range(first, final + 1):
        for x in range(low, high + 1):
            cell = words[base + numbers + y * width + x]
            number = words[base + _HEAD + _BOUNDS + cell]
            held += number != -1
            if root_of(reach, cell) != wide or (number >= 0 and (area > number or around[wide] < number)):
                return False
            for index in range(words[base + lists + cell], words[base + lists + cell + 1]):
                site = words[base + index]
                if masks[site] == 1:
                    near_cell = words[base + ends + 2 * site] + words[base + ends + 2 * site + 1] - cell
                    v, u = divmod(words[base + places + near_cell], width)
                    if first <= v <= final and low <= u <= high:
                        return False
    if around[wide] < least:
        return False
    return exactly < 0 or bool(held <= exactly <= near[wide])


@njit
def _union_holds(words: Ints, base: int, masks: Ints, one: int, other: int, spare: NDArray[np.int64]) -> bool:
    """Test two pieces of any outline as one."""
    sites, lists = words[base + 1], words[base + 6]
    ends = lists - 2 * sites
    most, exactly = words[base + _HEAD + 1], words[base + _HEAD + 2]
    piece, first, after = spare[_PIECE], spare[_CELLS], spare[_CELLS + 1]
    size, held = spare[_SIZE], spare[_SIZE + 1]
    total = size[one] + size[other]
    if (most >= 0 and total > most) or (exactly >= 0 and held[one] + held[other] > exactly):
        return False
    for root in (one, other):
        cell = first[root]
        while cell >= 0:
            number = words[base + _HEAD + _BOUNDS + cell]
            if number >= 0 and total > number:
                return False
            for index in range(words[base + lists + cell], words[base + lists + cell + 1]):
                site = words[base + index]
                if root == one and masks[site] == 1:
                    near = words[base + ends + 2 * site] + words[base + ends + 2 * site + 1] - cell
                    if root_of(piece, near) == other:
                        return False
            cell = after[cell]
    return True


@njit
def _join_sure(words: Ints, base: int, masks: Ints, piece: Ints, spare: NDArray[np.int64]) -> bool:
    """Join cells that are surely in one piece; return whether no rectangle lies over a hole.

    `piece`: parents of a forest of cells, each its own root at first. Uses `spare[2:6]`.
    """
    count, sites, rectangle, width = words[base], words[base + 1], words[base + 2], words[base + 3]
    squares, lists = words[base + 4], words[base + 6]
    ends = lists - 2 * sites
    numbers = ends - squares
    places = numbers - count
    for site in range(sites):
        if masks[site] == 2:
            one = root_of(piece, words[base + ends + 2 * site])
            other = root_of(piece, words[base + ends + 2 * site + 1])
            piece[one] = other
    if not rectangle:
        return True
    size, area = spare[2], spare[3]
    top, bottom = spare[4], spare[5]
    west, east = spare[6], spare[7]
    grown = True
    while grown:
        grown = False
        for cell in range(count):
            size[cell] = 0
            top[cell], bottom[cell], west[cell], east[cell] = _FAR, -1, _FAR, -1
        for cell in range(count):
            root = root_of(piece, cell)
            y, x = divmod(words[base + places + cell], width)
            size[root] += 1
            top[root], bottom[root] = min(top[root], y), max(bottom[root], y)
            west[root], east[root] = min(west[root], x), max(east[root], x)
        for cell in range(count):
            area[cell] = 0
            if size[cell]:
                area[cell] = (bottom[cell] + 1 - top[cell]) * (east[cell] + 1 - west[cell])
        for cell in range(count):
            if size[cell] == area[cell]:
                continue
            grown = True
            for y in range(top[cell], bottom[cell] + 1):
                for x in range(west[cell], east[cell] + 1):
                    square = y * width + x
                    other = words[base + numbers + square] if square < squares else -1
                    if other < 0:
                        return False
                    one, other = root_of(piece, cell), root_of(piece, other)
                    piece[other] = one
    return True


@njit
def _hold(words: Ints, base: int, masks: Ints, spare: NDArray[np.int64]) -> bool:
    """Test the pieces on the masks."""
    count, sites = words[base], words[base + 1]
    values, lists = words[base + 5], words[base + 6]
    ends = lists - 2 * sites
    least, most, exactly = words[base + _HEAD], words[base + _HEAD + 1], words[base + _HEAD + 2]
    clue = base + _HEAD + _BOUNDS
    piece, reach = spare[0], spare[1]
    for cell in range(count):
        piece[cell] = reach[cell] = cell
    if not _join_sure(words, base, masks, piece, spare):
        return False
    for site in range(sites):
        if masks[site] & 2:
            one = root_of(reach, words[base + ends + 2 * site])
            other = root_of(reach, words[base + ends + 2 * site + 1])
            reach[one] = other
        else:
            one = root_of(piece, words[base + ends + 2 * site])
            other = root_of(piece, words[base + ends + 2 * site + 1])
            if one == other:
                return False
    size, around, held, near = spare[2], spare[3], spare[4], spare[5]
    for cell in range(count):
        size[cell] = around[cell] = held[cell] = near[cell] = 0
    for cell in range(count):
        root, wide = root_of(piece, cell), root_of(reach, cell)
        if root_of(reach, root) != wide:
            return False
        size[root] += 1
        around[wide] += 1
        if words[clue + cell] != -1:
            held[root] += 1
            near[wide] += 1
    for cell in range(count):
        root, wide = root_of(piece, cell), root_of(reach, cell)
        number = words[clue + cell]
        if number >= 0 and (size[root] > number or around[wide] < number):
            return False
        if root != cell:
            continue
        if (most >= 0 and size[root] > most) or around[wide] < least:
            return False
        if exactly >= 0 and not held[root] <= exactly <= near[wide]:
            return False
    return values == 0 or _differ(words, base, most, piece, reach, size, around, spare)


@njit
def _differ(
    words: Ints,
    base: int,
    most: int,
    piece: Ints,
    reach: Ints,
    size: Ints,
    around: Ints,
    spare: NDArray[np.int64],
) -> bool:
    """Return whether no two finished pieces have equal values, in any order."""
    count = words[base]
    value = base + _HEAD + _BOUNDS + count
    for one in range(count):
        if piece[one] != one or (size[one] != most and size[one] != around[root_of(reach, one)]):
            continue
        for other in range(one):
            if piece[other] != other or size[other] != size[one]:
                continue
            if size[other] != most and size[other] != around[root_of(reach, other)]:
                continue
            if _equal_values(words, value, count, piece, one, other, spare[4], spare[5]):
                return False
    return True


@njit
def _equal_values(
    words: Ints, value: int, count: int, piece: Ints, one: int, other: int, first: Ints, second: Ints
) -> bool:
    """Return whether two pieces of equal size have the same values as often."""
    a = b = 0
    for cell in range(count):
        root = root_of(piece, cell)
        if root == one:
            first[a] = words[value + cell]
            a += 1
        elif root == other:
            second[b] = words[value + cell]
            b += 1
    for index in range(a):
        partner = -1
        for at in range(index, b):
            if second[at] == first[index]:
                partner = at
                break
        if partner < 0:
            return False
        second[partner] = second[index]
    return True
