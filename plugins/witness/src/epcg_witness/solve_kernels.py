"""The compiled solver: all solutions of a panel at once, one bit for each path.

A set of paths is a row of words (see `epcg_witness.paths`). A panel is a short list of entries, each
site * symbols + symbol; sites are the cells, then the edges and vertices. Lines, triangles, squares and stars
are ANDs of rows made once for each size; only paths that survive them are asked whether their regions can be
tiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import bit_count, bit_index
from epcg_core.compiled import njit
from epcg_witness.tiling_kernels import Pieces, covers_exactly, covers_signed

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

DOT, GAP, SQUARE, STAR, TRIANGLES, PIECE = range(6)
"""Kinds of symbols."""

_PACKED_PIECES = 6
_MOST_PACKED_REGIONS = 1 << 16
_PROBES = 8
_MIX = np.uint64(0x9E3779B97F4A7C15)


class PathRows(NamedTuple):
    """A `PathTable` as kernels want it."""

    everything: NDArray[np.uint64]
    on: NDArray[np.uint64]
    drawn: NDArray[np.uint64]
    together: NDArray[np.uint64]
    masks: NDArray[np.uint64]
    first: NDArray[np.int64]
    ids: NDArray[np.int32]
    lengths: NDArray[np.int64]


class Symbols(NamedTuple):
    """What entries can put into a site: one row of numbers for each symbol."""

    kind: NDArray[np.int64]
    colour: NDArray[np.int64]
    """The colour that stars count, from 1; 0 for dots and gaps."""
    number: NDArray[np.int64]
    """How many triangles; which piece."""


class Scratch(NamedTuple):
    """Room for one panel at a time, made once for many."""

    good: NDArray[np.uint64]
    """(words,) the paths that satisfy what has been looked at."""
    fixed: NDArray[np.uint64]
    """(words,) the paths that satisfy the lines and triangles of the base."""
    ones: NDArray[np.uint64]
    more: NDArray[np.uint64]
    piece: NDArray[np.int64]
    """(cells,) the piece that lies there; -1 for none."""
    chosen: NDArray[np.int64]
    """The pieces of a region, ascending."""
    verdict: NDArray[np.int64]
    """(regions,) 2 * panel + 1 where the region is tiled on that panel, 2 * panel where not."""
    memo_key: NDArray[np.uint64]
    memo_value: NDArray[np.int64]


@njit
def restrict_lines(
    entries: NDArray[np.int64],
    count: int,
    cells: int,
    symbols: Symbols,
    rows: PathRows,
    good: NDArray[np.uint64],
) -> None:
    """Leave in `good` the paths that satisfy the dots, gaps and triangles of entries[:count]."""
    # One AND of a row for each.
    kinds = symbols.kind.size
    for i in range(count):
        symbol = entries[i] % kinds
        site = entries[i] // kinds
        kind = symbols.kind[symbol]
        if kind == DOT:
            for word in range(good.size):
                good[word] &= rows.on[site - cells, word]
        elif kind == GAP:
            for word in range(good.size):
                good[word] &= ~rows.on[site - cells, word]
        elif kind == TRIANGLES:
            row = site * 3 + symbols.number[symbol] - 1
            for word in range(good.size):
                good[word] &= rows.drawn[row, word]


@njit
def restrict_squares(
    entries: NDArray[np.int64], count: int, symbols: Symbols, rows: PathRows, good: NDArray[np.uint64]
) -> None:
    """Leave in `good` the paths that keep squares of different colours apart."""
    kinds = symbols.kind.size
    for i in range(count):
        symbol = entries[i] % kinds
        if symbols.kind[symbol] != SQUARE:
            continue
        cell = entries[i] // kinds
        for j in range(i):
            other = entries[j] % kinds
            if symbols.kind[other] == SQUARE and symbols.colour[other] != symbols.colour[symbol]:
                pair = _pair(cell, entries[j] // kinds)
                for word in range(good.size):
                    good[word] &= ~rows.together[pair, word]


@njit
def restrict_stars(
    entries: NDArray[np.int64],
    count: int,
    symbols: Symbols,
    rows: PathRows,
    scratch: Scratch,
) -> None:
    """Leave in `scratch.good` the paths where each star shares its region with one more of its colour."""
    # For each star the others of its colour are added up, one bit for each path: none, one, more than one.
    kinds = symbols.kind.size
    for i in range(count):
        symbol = entries[i] % kinds
        if symbols.kind[symbol] != STAR:
            continue
        scratch.ones[:] = _ZERO
        scratch.more[:] = _ZERO
        for j in range(count):
            if j != i and symbols.colour[entries[j] % kinds] == symbols.colour[symbol]:
                pair = _pair(entries[i] // kinds, entries[j] // kinds)
                for word in range(scratch.good.size):
                    shared = rows.together[pair, word]
                    scratch.more[word] |= scratch.ones[word] & shared
                    scratch.ones[word] |= shared
        for word in range(scratch.good.size):
            scratch.good[word] &= scratch.ones[word] & ~scratch.more[word]


@njit
def _pair(one: int, other: int) -> int:
    """The row of two cells in `PathRows.together`."""
    low, high = min(one, other), max(one, other)
    return high * (high - 1) // 2 + low


@njit
def restrict_pieces(
    entries: NDArray[np.int64],
    count: int,
    panel: int,
    symbols: Symbols,
    pieces: Pieces,
    rows: PathRows,
    scratch: Scratch,
) -> None:
    """Leave in `scratch.good` the paths whose regions are covered by their pieces. `panel` counts from 1."""
    # Each different region is judged once a panel, when the first path with it comes along.
    kinds = symbols.kind.size
    occupied = _ZERO
    for i in range(count):
        symbol = entries[i] % kinds
        if symbols.kind[symbol] == PIECE:
            cell = entries[i] // kinds
            occupied |= _ONE << np.uint64(cell)
            scratch.piece[cell] = symbols.number[symbol]
    if occupied == _ZERO:
        return
    for word in range(scratch.good.size):
        rest = scratch.good[word]
        while rest != _ZERO:
            bit = rest & (~rest + _ONE)
            rest ^= bit
            path = (word << 6) + bit_index(bit)
            for index in range(rows.first[path], rows.first[path + 1]):
                region = int(rows.ids[index])
                inside = rows.masks[region] & occupied
                if inside == _ZERO:
                    continue
                if scratch.verdict[region] >> 1 != panel:
                    tiled = _tiled(region, rows.masks[region], inside, pieces, scratch)
                    scratch.verdict[region] = 2 * panel + (1 if tiled else 0)
                if scratch.verdict[region] & 1 == 0:
                    scratch.good[word] ^= bit
                    break


@njit
def _tiled(region: int, mask: np.uint64, inside: np.uint64, pieces: Pieces, scratch: Scratch) -> bool:
    """Whether the pieces in the cells `inside` cover the region `mask`, which has the number `region`."""
    # The areas decide most cases. The others are remembered by region and multiset of pieces, where these
    # fit into one word, so that the key is exact.
    area = 0
    count = 0
    negative = False
    rest = inside
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        piece = scratch.piece[bit_index(bit)]
        area += pieces.area[piece]
        negative = negative or pieces.area[piece] < 0
        at = count
        while at > 0 and scratch.chosen[at - 1] > piece:
            scratch.chosen[at] = scratch.chosen[at - 1]
            at -= 1
        scratch.chosen[at] = piece
        count += 1
    if area == 0:
        return True
    if area != bit_count(mask):
        return False
    if count > _PACKED_PIECES or region >= _MOST_PACKED_REGIONS or pieces.area.size > 255:
        return _covers(mask, count, negative, pieces, scratch)
    key = np.uint64(region)
    for i in range(count):
        key |= np.uint64(scratch.chosen[i] + 1) << np.uint64(16 + 8 * i)
    size = scratch.memo_key.size
    slot = np.int64((key * _MIX) >> np.uint64(40)) % size
    for probe in range(_PROBES):
        place = (slot + probe) % size
        if scratch.memo_key[place] == key:
            return bool(scratch.memo_value[place] == 1)
        if scratch.memo_key[place] == _ZERO:
            slot = place
            break
    found = _covers(mask, count, negative, pieces, scratch)
    scratch.memo_key[slot] = key
    scratch.memo_value[slot] = 1 if found else 0
    return found


@njit
def _covers(mask: np.uint64, count: int, negative: bool, pieces: Pieces, scratch: Scratch) -> bool:
    if negative:
        return covers_signed(mask, count, scratch.chosen, pieces)
    return covers_exactly(mask, count, scratch.chosen, pieces)


@njit
def solve_panels(
    states: NDArray[np.int32],
    base: NDArray[np.int64],
    cells: int,
    symbols: Symbols,
    pieces: Pieces,
    rows: PathRows,
    scratch: Scratch,
    want_lengths: bool,
    count_out: NDArray[np.int64],
    shortest_out: NDArray[np.int64],
    longest_out: NDArray[np.int64],
    sets_out: NDArray[np.uint64],
) -> None:
    """Solve panels: those of `states`, (panels, entries) int32 with -1 for no entry, each added to `base`.

    Out: the number of solutions of each panel; with `want_lengths` the edges of the shortest and the longest,
    0 where there is none; and in `sets_out`, unless it has no rows, the sets of solutions.
    """
    # What the base says of lines and triangles is applied once. Its other entries come first in each panel.
    scratch.fixed[:] = rows.everything
    restrict_lines(base, base.size, cells, symbols, rows, scratch.fixed)
    entries = np.zeros(base.size + states.shape[1], np.int64)
    entries[: base.size] = base
    placed = np.zeros(states.shape[1], np.int64)
    for panel in range(states.shape[0]):
        new = 0
        for i in range(states.shape[1]):
            if states[panel, i] >= 0:
                placed[new] = states[panel, i]
                entries[base.size + new] = placed[new]
                new += 1
        count = base.size + new
        scratch.good[:] = scratch.fixed
        restrict_lines(placed, new, cells, symbols, rows, scratch.good)
        restrict_squares(entries, count, symbols, rows, scratch.good)
        restrict_stars(entries, count, symbols, rows, scratch)
        restrict_pieces(entries, count, panel + 1, symbols, pieces, rows, scratch)
        number = 0
        for word in range(scratch.good.size):
            number += bit_count(scratch.good[word])
        count_out[panel] = number
        if want_lengths:
            _lengths(panel, rows, scratch.good, shortest_out, longest_out)
        if sets_out.shape[0] > 0:
            sets_out[panel] = scratch.good


@njit
def _lengths(
    panel: int,
    rows: PathRows,
    good: NDArray[np.uint64],
    shortest_out: NDArray[np.int64],
    longest_out: NDArray[np.int64],
) -> None:
    """Write the edges of the shortest and the longest path of `good`."""
    shortest, longest = 0, 0
    for word in range(good.size):
        rest = good[word]
        while rest != _ZERO:
            bit = rest & (~rest + _ONE)
            rest ^= bit
            length = int(rows.lengths[(word << 6) + bit_index(bit)])
            if shortest == 0 or length < shortest:
                shortest = length
            longest = max(longest, length)
    shortest_out[panel] = shortest
    longest_out[panel] = longest
