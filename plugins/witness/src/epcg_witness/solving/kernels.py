"""The compiled solver: all solutions of a panel at once, one bit for each path.

A set of paths is a row of words (see `epcg_witness.solving.paths`). A panel is a short list of entries, each
site * symbols + symbol; sites are the cells, then the edges and vertices. Lines, triangles, squares and stars
are ANDs of rows made once for each size; only paths that survive them are asked whether their regions can be
tiled.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit
from epcg_witness.solving.tiling_kernels import Pieces, covers_exactly, covers_signed

_ONE = np.uint64(1)
_ZERO = np.uint64(0)

DOT, GAP, SQUARE, STAR, TRIANGLES, PIECE = range(6)
"""Kinds of symbols."""

_PACKED_PIECES = 6
_MOST_PACKED_REGIONS = 1 << 16
_PROBES = 8
_HIGH = np.uint64(40)
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
    """The symbols that entries can put into a site: one row of numbers for each."""

    kind: NDArray[np.int64]
    colour: NDArray[np.int64]
    """The colour that stars count, from 1; 0 for dots and gaps."""
    number: NDArray[np.int64]
    """The number of triangles, or of the piece."""


class Entries(NamedTuple):
    """Room for the entries of one panel: (entries,) int64 each."""

    site: NDArray[np.int64]
    symbol: NDArray[np.int64]


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
    """(regions,) 2 * panel + 1 if the region is tiled on that panel, 2 * panel if not."""
    content: NDArray[np.uint64]
    """(contents,) see `sort_areas`."""
    content_of: NDArray[np.int64]
    """(regions,) the content of each region; -1 for none."""
    fitting: NDArray[np.uint64]
    """(contents * (cells + 1), words), or no rows if that would be too large."""
    memo_key: NDArray[np.uint64]
    memo_value: NDArray[np.int64]


@njit
def restrict_lines(
    entries: Entries,
    begin: int,
    end: int,
    cells: int,
    symbols: Symbols,
    rows: PathRows,
    good: NDArray[np.uint64],
) -> None:
    """Leave in `good` the paths that satisfy the dots, gaps and triangles of entries begin .. end - 1."""
    # One AND of a row for each.
    for i in range(begin, end):
        symbol = entries.symbol[i]
        site = entries.site[i]
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
    entries: Entries, count: int, symbols: Symbols, rows: PathRows, good: NDArray[np.uint64]
) -> None:
    """Leave in `good` the paths that keep squares of different colours apart."""
    for i in range(count):
        symbol = entries.symbol[i]
        if symbols.kind[symbol] != SQUARE:
            continue
        for j in range(i):
            other = entries.symbol[j]
            if symbols.kind[other] == SQUARE and symbols.colour[other] != symbols.colour[symbol]:
                pair = _pair(entries.site[i], entries.site[j])
                for word in range(good.size):
                    good[word] &= ~rows.together[pair, word]


@njit
def restrict_stars(entries: Entries, count: int, symbols: Symbols, rows: PathRows, scratch: Scratch) -> None:
    """Leave in `scratch.good` the paths where each star shares its region with one more of its colour."""
    # For each star the others of its colour are added up, one bit for each path: none, one, more than one.
    good, ones, more = scratch.good, scratch.ones, scratch.more
    for i in range(count):
        symbol = entries.symbol[i]
        if symbols.kind[symbol] != STAR:
            continue
        for word in range(good.size):
            ones[word] = _ZERO
            more[word] = _ZERO
        for j in range(count):
            if j != i and symbols.colour[entries.symbol[j]] == symbols.colour[symbol]:
                pair = _pair(entries.site[i], entries.site[j])
                for word in range(good.size):
                    shared = rows.together[pair, word]
                    more[word] |= ones[word] & shared
                    ones[word] |= shared
        for word in range(good.size):
            good[word] &= ones[word] & ~more[word]


@njit
def _pair(one: int, other: int) -> int:
    """Return the row of two cells in `PathRows.together`."""
    low, high = min(one, other), max(one, other)
    return high * (high - 1) // 2 + low


@njit
def lay_pieces(entries: Entries, count: int, symbols: Symbols, piece_at: NDArray[np.int64]) -> np.uint64:
    """Write which piece lies in which cell into `piece_at`; returns the cells that hold one."""
    occupied = _ZERO
    for i in range(count):
        symbol = entries.symbol[i]
        if symbols.kind[symbol] == PIECE:
            occupied |= _ONE << np.uint64(entries.site[i])
            piece_at[entries.site[i]] = symbols.number[symbol]
    return occupied


@njit
def sort_areas(occupied: np.uint64, rows: PathRows, scratch: Scratch) -> int:
    """Sort the paths by what their regions hold and how large they are; returns how many contents there are.

    A content is the part of the cells `occupied` in a region. Out: `scratch.content`; and in row
    content * sizes + area of `scratch.fitting` the paths that have a region of that content and area, in row
    content * sizes those that have a region of that content. -2 if the contents are too many.
    """
    # Depends on the cells of the pieces only, so it pays if panels differ in the pieces only.
    masks, first, ids = rows.masks, rows.first, rows.ids
    content, content_of, fitting = scratch.content, scratch.content_of, scratch.fitting
    sizes = fitting.shape[0] // content.size
    contents = 0
    for region in range(masks.size):
        inside = masks[region] & occupied
        content_of[region] = -1
        if inside == _ZERO:
            continue
        at = 0
        while at < contents and content[at] != inside:
            at += 1
        if at == content.size:
            return -2
        content[at] = inside
        contents = max(contents, at + 1)
        content_of[region] = at
    for row in range(contents * sizes):
        for word in range(fitting.shape[1]):
            fitting[row, word] = _ZERO
    for path in range(first.size - 1):
        word = path >> 6
        mark = _ONE << np.uint64(path & 63)
        for index in range(first[path], first[path + 1]):
            at = content_of[ids[index]]
            if at >= 0:
                fitting[at * sizes, word] |= mark
                fitting[at * sizes + bit_count(masks[ids[index]]), word] |= mark
    return contents


@njit
def restrict_areas(contents: int, area: NDArray[np.int64], scratch: Scratch) -> None:
    """Leave in `scratch.good` the paths whose regions have the area of their pieces (or area 0)."""
    # One sum of areas and one AND for each content.
    good, content, fitting, piece_at = scratch.good, scratch.content, scratch.fitting, scratch.piece
    sizes = fitting.shape[0] // content.size
    for at in range(contents):
        net = 0
        left = content[at]
        while left != _ZERO:
            lowest = left & (~left + _ONE)
            left ^= lowest
            net += area[piece_at[bit_index(lowest)]]
        if net == 0:
            continue
        row = at * sizes
        if 0 < net < sizes:
            for word in range(good.size):
                good[word] &= ~fitting[row, word] | fitting[row + net, word]
        else:
            for word in range(good.size):
                good[word] &= ~fitting[row, word]


@njit
def restrict_pieces(
    occupied: np.uint64, panel: int, pieces: Pieces, rows: PathRows, scratch: Scratch
) -> None:
    """Leave in `scratch.good` the paths whose regions are covered by their pieces. `panel` counts from 1."""
    # Each different region is judged once a panel, when the first path with it comes along. The areas decide
    # most cases. (Arrays are taken out of their tuples first: inside a loop that costs a reference count.)
    good, piece_at, verdict = scratch.good, scratch.piece, scratch.verdict
    masks, first, ids, area = rows.masks, rows.first, rows.ids, pieces.area
    for word in range(good.size):
        rest = good[word]
        while rest != _ZERO:
            bit = rest & (~rest + _ONE)
            rest ^= bit
            path = (word << 6) + bit_index(bit)
            for index in range(first[path], first[path + 1]):
                region = ids[index]
                inside = masks[region] & occupied
                if inside == _ZERO:
                    continue
                if verdict[region] >> 1 != panel:
                    net = 0
                    left = inside
                    while left != _ZERO:
                        lowest = left & (~left + _ONE)
                        left ^= lowest
                        net += area[piece_at[bit_index(lowest)]]
                    tiled = net == 0
                    if net == bit_count(masks[region]):
                        tiled = _tiled(int(region), masks[region], inside, pieces, scratch)
                    verdict[region] = 2 * panel + (1 if tiled else 0)
                if verdict[region] & 1 == 0:
                    good[word] ^= bit
                    break


@njit
def _tiled(region: int, mask: np.uint64, inside: np.uint64, pieces: Pieces, scratch: Scratch) -> bool:
    """Return whether the pieces in the cells `inside`, which have its area, cover the region `mask`."""
    # What has been found is remembered by the region's number and the multiset of pieces, if these fit
    # into one word, so that the key is exact.
    chosen, keys, values = scratch.chosen, scratch.memo_key, scratch.memo_value
    count = _choose(inside, scratch.piece, chosen)
    if count > _PACKED_PIECES or region >= _MOST_PACKED_REGIONS or pieces.area.size > 255:
        return _covers(mask, count, chosen, pieces)
    key = np.uint64(region)
    for i in range(count):
        key |= np.uint64(chosen[i] + 1) << np.uint64(16 + 8 * i)
    slot = np.int64((key * _MIX) >> _HIGH) & (keys.size - 1)
    for probe in range(_PROBES):
        place = (slot + probe) & (keys.size - 1)
        if keys[place] == key:
            return bool(values[place] == 1)
        if keys[place] == _ZERO:
            slot = place
            break
    found = _covers(mask, count, chosen, pieces)
    keys[slot] = key
    values[slot] = 1 if found else 0
    return found


@njit
def _choose(inside: np.uint64, piece_at: NDArray[np.int64], chosen: NDArray[np.int64]) -> int:
    """Write the pieces in the cells `inside` into `chosen`, ascending; returns how many there are."""
    count = 0
    rest = inside
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        piece = piece_at[bit_index(bit)]
        at = count
        while at > 0 and chosen[at - 1] > piece:
            chosen[at] = chosen[at - 1]
            at -= 1
        chosen[at] = piece
        count += 1
    return count


@njit
def _covers(mask: np.uint64, count: int, chosen: NDArray[np.int64], pieces: Pieces) -> bool:
    for i in range(count):
        if pieces.area[chosen[i]] < 0:
            return covers_signed(mask, count, chosen, pieces)
    return covers_exactly(mask, count, chosen, pieces)


@njit
def solve_panels(
    states: NDArray[np.int32],
    base: NDArray[np.int64],
    cells: int,
    symbols: Symbols,
    pieces: Pieces,
    rows: PathRows,
    entries: Entries,
    scratch: Scratch,
    want_lengths: bool,
    count_out: NDArray[np.int64],
    shortest_out: NDArray[np.int64],
    longest_out: NDArray[np.int64],
    sets_out: NDArray[np.uint64],
) -> None:
    """Solve panels: those of `states`, (panels, entries) int32 with -1 for no entry, each added to `base`.

    Out: the number of solutions of each panel; with `want_lengths` the edges of the shortest and the longest,
    0 if there is none; and in `sets_out`, unless it has no rows, the sets of solutions.
    """
    # What the base says of lines and triangles is applied once. Its other entries come first in each panel.
    fixed, good = scratch.fixed, scratch.good
    kinds = symbols.kind.size
    _copy(rows.everything, fixed)
    for i in range(base.size):
        entries.site[i] = base[i] // kinds
        entries.symbol[i] = base[i] % kinds
    restrict_lines(entries, 0, base.size, cells, symbols, rows, fixed)
    last = _ZERO
    contents = -1
    for panel in range(states.shape[0]):
        count = base.size
        for i in range(states.shape[1]):
            entry = states[panel, i]
            if entry >= 0:
                entries.site[count] = entry // kinds
                entries.symbol[count] = entry % kinds
                count += 1
        _copy(fixed, good)
        restrict_lines(entries, base.size, count, cells, symbols, rows, good)
        restrict_squares(entries, count, symbols, rows, good)
        restrict_stars(entries, count, symbols, rows, scratch)
        occupied = lay_pieces(entries, count, symbols, scratch.piece)
        if occupied != _ZERO:
            if occupied != last:
                contents = -1
            elif contents == -1 and scratch.fitting.size > 0:
                contents = sort_areas(occupied, rows, scratch)
            last = occupied
            if contents > 0:
                restrict_areas(contents, pieces.area, scratch)
            restrict_pieces(occupied, panel + 1, pieces, rows, scratch)
        count_out[panel] = 0
        for word in range(good.size):
            count_out[panel] += bit_count(good[word])
        if want_lengths:
            _lengths(panel, rows, good, shortest_out, longest_out)
        if sets_out.shape[0] > 0:
            for word in range(good.size):
                sets_out[panel, word] = good[word]


@njit
def _copy(paths: NDArray[np.uint64], out: NDArray[np.uint64]) -> None:
    # A loop, because assigning a slice takes seconds to compile.
    for word in range(out.size):
        out[word] = paths[word]


@njit
def _lengths(
    panel: int,
    rows: PathRows,
    good: NDArray[np.uint64],
    shortest_out: NDArray[np.int64],
    longest_out: NDArray[np.int64],
) -> None:
    """Write the edges of the shortest and the longest path of `good`; 0 stays if there is none."""
    for word in range(good.size):
        rest = good[word]
        while rest != _ZERO:
            bit = rest & (~rest + _ONE)
            rest ^= bit
            length = rows.lengths[(word << 6) + bit_index(bit)]
            if shortest_out[panel] == 0 or length < shortest_out[panel]:
                shortest_out[panel] = length
            if length > longest_out[panel]:
                longest_out[panel] = length
