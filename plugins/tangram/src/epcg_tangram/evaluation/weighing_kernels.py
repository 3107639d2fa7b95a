"""The compiled choice of the actions that a player weighs, by the rules that the player knows.

`epcg_tangram.rules.model` has the plain form, and `epcg_tangram.inference.rules` the rules.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_index, njit

ONE_PLACEMENT, ONE_PIECE, REGION_SIZE, REGION_SHAPE = 1, 2, 4, 8
"""The rules, as bits."""
BY_PIECE, BY_CELL, ALL = range(3)
"""The actions that a player weighs."""
TIES_ALL, TIES_LOWEST = range(2)
"""Whose actions, if several pieces or cells have fewest."""
ANSWERS_SECOND, ANSWERS_FIRST, ANSWERS_LAST = range(3)
"""When the rules 3 and 4 drop actions: after the filters, before them, or after the choice."""

_ZERO, _ONE = np.uint64(0), np.uint64(1)


class Tiles(NamedTuple):
    """The placements of a game as arrays."""

    masks: NDArray[np.uint64]
    """(placements,): the cells that each covers."""
    pieces: NDArray[np.int64]
    """(placements,)"""
    legal: NDArray[np.bool_]
    """(placements,): those that meet the bumps."""
    clashes: NDArray[np.bool_]
    """(placements, placements), or (0, 0): the pairs that break the colour constraint."""
    neighbours: NDArray[np.uint64]
    """(cells,): the cells that share an edge with each."""
    largest: int
    """The cells of the largest piece."""
    sizes: NDArray[np.uint64]
    """(pieces,): how many cells of one region a copy of each piece can cover, below 64, each a bit."""
    regions: NDArray[np.uint64]
    """(n,) ascending: the regions, up to the size of the largest piece, that one or two pieces fill."""
    first: NDArray[np.int64]
    """(n + 1,): where the fillings of each of `regions` begin."""
    fillings: NDArray[np.int64]
    """(m, 2): the one or two pieces of each filling, -1 for none."""


@njit
def _place(ascending: NDArray[np.uint64], value: np.uint64) -> int:
    """Return the first place whose entry is not smaller; numba's `searchsorted` loads its compiler."""
    low, high = 0, ascending.size
    while low < high:
        middle = (low + high) >> 1
        if ascending[middle] < value:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def _sums(tiles: Tiles, copies: NDArray[np.int64]) -> tuple[np.uint64, np.uint64]:
    """Return the sizes below 64 that pieces left, or parts of them, have together, each a bit.

    Returns:
        All of these sizes, and those that three or more pieces have.
    """
    none, one, two, more = _ONE, _ZERO, _ZERO, _ZERO
    for piece in range(copies.size):
        own = tiles.sizes[piece]
        if own == _ZERO:
            continue
        least = bit_index(own & (~own + _ONE))
        for _ in range(min(copies[piece], 64 // least)):
            of_two, of_one, of_none = more | two, one, none
            left = own
            while left != _ZERO:
                bit = left & (~left + _ONE)
                size = np.uint64(bit_index(bit))
                more |= of_two << size
                two |= of_one << size
                one |= of_none << size
                left ^= bit
    return none | one | two | more, more


@njit
def _is_filled(tiles: Tiles, region: np.uint64, copies: NDArray[np.int64]) -> bool:
    """Return whether one or two of the pieces left fill a region."""
    i = _place(tiles.regions, region)
    if i == tiles.regions.size or tiles.regions[i] != region:
        return False
    for filling in range(tiles.first[i], tiles.first[i + 1]):
        one, other = tiles.fillings[filling, 0], tiles.fillings[filling, 1]
        if other < 0:
            if copies[one] > 0:
                return True
        elif copies[one] > (one == other) and copies[other] > 0:
            return True
    return False


@njit
def is_dead(tiles: Tiles, empty: np.uint64, copies: NDArray[np.int64], rules: int) -> bool:
    """Return whether rule 3 or 4, if among `rules`, sees a region that the pieces left cannot fill."""
    possible, many = _sums(tiles, copies)
    largest = tiles.largest
    left = empty
    while left != _ZERO:
        region = left & (~left + _ONE)
        added = region
        size = 0
        while added != _ZERO:
            around = _ZERO
            while added != _ZERO:
                bit = added & (~added + _ONE)
                around |= tiles.neighbours[bit_index(bit)]
                added ^= bit
                size += 1
            added = around & left & ~region
            region |= added
        left &= ~region
        fits = possible >> np.uint64(size) & _ONE != _ZERO
        if rules & REGION_SIZE != 0 and not fits:
            return True
        few = fits and size <= largest and many >> np.uint64(size) & _ONE == _ZERO
        if rules & REGION_SHAPE != 0 and few and not _is_filled(tiles, region, copies):
            return True
    return False


@njit
def _answer(
    tiles: Tiles,
    empty: np.uint64,
    copies: NDArray[np.int64],
    rules: int,
    actions: NDArray[np.int64],
    count: int,
) -> int:
    """Drop the actions of which rule 3 or 4 says CANNOT; how many are left."""
    if rules & (REGION_SIZE | REGION_SHAPE) == 0:
        return count
    kept = 0
    for i in range(count):
        action = actions[i]
        piece = tiles.pieces[action]
        copies[piece] -= 1
        if not is_dead(tiles, empty & ~tiles.masks[action], copies, rules):
            actions[kept] = action
            kept += 1
        copies[piece] += 1
    return kept


@njit
def _keep_piece(tiles: Tiles, piece: int, cells: np.uint64, actions: NDArray[np.int64], count: int) -> int:
    """Keep the actions of a piece (-1: of any) that cover one of `cells`; how many."""
    kept = 0
    for i in range(count):
        action = actions[i]
        if (piece < 0 or tiles.pieces[action] == piece) and tiles.masks[action] & cells != _ZERO:
            actions[kept] = action
            kept += 1
    return kept


@njit
def _keep_fewest(
    tiles: Tiles,
    cells: np.uint64,
    ties: int,
    cell_counts: NDArray[np.int64],
    actions: NDArray[np.int64],
    count: int,
) -> int:
    """Keep the actions that cover those of `cells` that have fewest; how many."""
    cell_counts[:] = 0
    for i in range(count):
        covered = tiles.masks[actions[i]] & cells
        while covered != _ZERO:
            bit = covered & (~covered + _ONE)
            cell_counts[bit_index(bit)] += 1
            covered ^= bit
    least, tied = -1, _ZERO
    for cell in range(cell_counts.size):
        bit = _ONE << np.uint64(cell)
        if cells & bit != _ZERO:
            own = cell_counts[cell]
            if least < 0 or own < least:
                least, tied = own, bit
            elif own == least and own > 1 and ties == TIES_ALL:
                tied |= bit
    return _keep_piece(tiles, -1, tied, actions, count)


@njit
def _filter(
    tiles: Tiles,
    empty: np.uint64,
    must: bool,
    rules: int,
    branching: int,
    ties: int,
    counts: NDArray[np.int64],
    cell_counts: NDArray[np.int64],
    actions: NDArray[np.int64],
    count: int,
) -> int:
    """Apply rule 1, or else rule 2; how many actions are left, or -1 if neither decides.

    `must`: every piece must be placed. `counts` and `cell_counts` are working space.
    """
    pieces_first = rules & ONE_PIECE != 0 and branching == BY_PIECE and ties == TIES_ALL
    if (rules & ONE_PLACEMENT != 0 or pieces_first) and must:
        counts[:] = 0
        for i in range(count):
            counts[tiles.pieces[actions[i]]] += 1
        for piece in range(counts.size):
            if counts[piece] == 1:
                return _keep_piece(tiles, piece, empty, actions, count)
    if rules & ONE_PIECE != 0:
        # The cells that one piece, and those that more than one can cover; the last piece's are `own`.
        once, more, own, last = _ZERO, _ZERO, _ZERO, -1
        for i in range(count):  # ascending, so the placements of a piece follow each other
            piece = tiles.pieces[actions[i]]
            if piece != last:
                more |= once & own
                once |= own
                own, last = _ZERO, piece
            own |= tiles.masks[actions[i]]
        more |= once & own
        once |= own
        decided = once & ~more
        if decided != _ZERO:
            if ties == TIES_LOWEST:
                decided &= ~decided + _ONE
            return _keep_fewest(tiles, decided, ties, cell_counts, actions, count)
    return -1


@njit
def _choose(
    tiles: Tiles,
    empty: np.uint64,
    copies: NDArray[np.int64],
    branching: int,
    ties: int,
    counts: NDArray[np.int64],
    cell_counts: NDArray[np.int64],
    actions: NDArray[np.int64],
    count: int,
) -> int:
    """Keep the actions of the pieces, or on the cells, that have fewest; how many."""
    if branching == BY_CELL:
        return _keep_fewest(tiles, empty, ties, cell_counts, actions, count)
    if branching == BY_PIECE:
        counts[:] = 0
        for i in range(count):
            counts[tiles.pieces[actions[i]]] += 1
        best = -1
        for piece in range(counts.size):
            if copies[piece] > 0 and (best < 0 or counts[piece] < counts[best]):
                best = piece
        least = counts[best]
        if ties == TIES_LOWEST or least <= 1:
            return _keep_piece(tiles, best, empty, actions, count)
        kept = 0
        for i in range(count):
            if counts[tiles.pieces[actions[i]]] == least:
                actions[kept] = actions[i]
                kept += 1
        return kept
    return count


@njit
def weigh(
    tiles: Tiles,
    lying: NDArray[np.int64],
    empty: np.uint64,
    copies: NDArray[np.int64],
    must: bool,
    rules: int,
    branching: int,
    ties: int,
    order: int,
    counts: NDArray[np.int64],
    cell_counts: NDArray[np.int64],
    actions: NDArray[np.int64],
) -> int:
    """Write into `actions` those that a player weighs if `lying` are on the board; how many.

    `copies` of each piece are left; `counts` and `cell_counts` are working space.
    """
    count = 0
    for number in range(tiles.masks.size):
        mask = tiles.masks[number]
        if mask & empty == mask and copies[tiles.pieces[number]] > 0 and tiles.legal[number]:
            legal = True
            if tiles.clashes.size != 0:
                for other in lying:
                    if tiles.clashes[number, other]:
                        legal = False
                        break
            if legal:
                actions[count] = number
                count += 1
    if order == ANSWERS_FIRST:
        count = _answer(tiles, empty, copies, rules, actions, count)
    kept = _filter(tiles, empty, must, rules, branching, ties, counts, cell_counts, actions, count)
    decided = kept >= 0
    if decided:
        count = kept
    if order == ANSWERS_SECOND:
        count = _answer(tiles, empty, copies, rules, actions, count)
    if not decided:
        count = _choose(tiles, empty, copies, branching, ties, counts, cell_counts, actions, count)
    if order == ANSWERS_LAST:
        count = _answer(tiles, empty, copies, rules, actions, count)
    return count
