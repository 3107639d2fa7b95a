"""Compiled tests of one region of a panel: its squares and stars, triangles, polyominoes, erasers.

`epcg_witness.rules.reference` is the plain form. Sets of cells are words, bit c; `cells` and `colours` are
tables of `epcg_witness.solving.regions`; `drawn`, (edges,) int64, is 1 for each edge that is drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit
from epcg_witness.solving.tiling_kernels import MOST_PIECES, Pieces, covers_exactly, covers_signed
from epcg_witness.solving.window_kernels import covers_in_window

TRIANGLES, PIECE, DOTTED, ERASER = 4, 5, 6, 7
"""Columns of `cells`, behind the four edges."""
SQUARES, STARS, COLOURED = range(3)
"""Columns of `colours`."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@njit
def drawn_around(cells: NDArray[np.int64], drawn: NDArray[np.int64], cell: int | np.int64) -> np.int64:
    """Count the edges around a cell that are drawn."""
    return count_drawn(cells, drawn, cell, 1)


@njit
def count_drawn(
    cells: NDArray[np.int64], drawn: NDArray[np.int64], cell: int | np.int64, top: int
) -> np.int64:
    """Count the drawn ones of four edges of a cell: below, `top` (1 is above, 2 left), left and right."""
    return np.int64(
        drawn[cells[cell, 0]] + drawn[cells[cell, top]] + drawn[cells[cell, 2]] + drawn[cells[cell, 3]]
    )


@njit
def region_of(
    cell: np.uint64, inside: np.uint64, right_walls: np.uint64, upper_walls: np.uint64, width: int
) -> np.uint64:
    """Return the region of a cell as a bit mask, given the walls drawn on the right of and above cells.

    The cells of the last column have walls on their right; `inside` are the cells of the panel.
    """
    # Two cells are neighbours unless the wall between them is drawn, so a step is a shift and an AND.
    row = np.uint64(width)
    region = cell
    while True:
        wider = region | ((region & ~right_walls) << _ONE) | ((region >> _ONE) & ~right_walls)
        wider |= (((region & ~upper_walls) << row) & inside) | ((region >> row) & ~upper_walls)
        if wider == region:
            return np.uint64(region)
        region = wider


@njit
def colours_satisfied(colours: NDArray[np.uint64], region: np.uint64) -> bool:
    """Return whether the squares and stars of a region are satisfied."""
    squares = 0
    for row in range(colours.shape[0]):
        if colours[row, SQUARES] & region != _ZERO:
            squares += 1
            if squares > 1:
                return False
        if colours[row, STARS] & region != _ZERO and bit_count(colours[row, COLOURED] & region) != 2:
            return False
    return True


@njit
def covered(cells: NDArray[np.int64], occupied: np.uint64, pieces: Pieces, region: np.uint64) -> bool:
    """Return whether the polyominoes in the cells `occupied` of a region are satisfied."""
    area = 0
    count = 0
    negative = False
    chosen = np.zeros(MOST_PIECES, np.int64)
    rest = occupied & region
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        chosen[count] = cells[bit_index(bit), PIECE]
        area += pieces.area[chosen[count]]
        negative = negative or pieces.area[chosen[count]] < 0
        count += 1
    if area == 0 and not pieces.shapes:
        return True
    if area != 0 and area != bit_count(region):
        return False
    slit = pieces.slits[0] | pieces.slits[1] != _ZERO
    if area == 0 or pieces.pillar or slit or (negative and pieces.inside):
        return covers_in_window(region if area > 0 else _ZERO, count, chosen, pieces)
    if negative:
        return covers_signed(region, count, chosen, pieces)
    return covers_exactly(region, count, chosen, pieces)


@njit
def triangles_satisfied(cells: NDArray[np.int64], drawn: NDArray[np.int64], which: np.uint64) -> bool:
    """Return whether the triangles in the cells `which` are satisfied."""
    rest = which
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        cell = bit_index(bit)
        if drawn_around(cells, drawn, cell) != cells[cell, TRIANGLES]:
            return False
    return True


@njit
def region_around(
    cell: np.uint64, inside: np.uint64, right_walls: np.uint64, upper_walls: np.uint64, width: int
) -> np.uint64:
    """Return the region of a cell of a pillar; as `region_of`, but the first column follows the last one."""
    row = np.uint64(width)
    back = np.uint64(width - 1)
    first = _ZERO
    for y in range(64 // width):
        first |= _ONE << np.uint64(y * width)
    last = first << back
    region = cell
    while True:
        right = region & ~right_walls
        wider = region | ((right & ~last) << _ONE) | ((right & last) >> back)
        left = ((region & ~first) >> _ONE) | ((region & first) << back)
        wider |= left & ~right_walls
        wider |= ((region & ~upper_walls) << row) | ((region >> row) & ~upper_walls)
        wider &= inside
        if wider == region:
            return np.uint64(region)
        region = wider


@njit
def erasers_suffice(
    cells: NDArray[np.int64],
    colours: NDArray[np.uint64],
    occupied: np.uint64,
    erasers: np.uint64,
    others: np.uint64,
    pieces: Pieces,
    region: np.uint64,
    must: int,
    stay: bool,
    every: bool,
    most: int,
    chosen: NDArray[np.int64],
    tried: NDArray[np.int64],
) -> bool:
    """Return whether the `erasers` of a region, one or more, satisfy it (see `epcg_witness.rules.erasers`).

    `occupied` are the cells with polyominoes, `others` the symbols of the region that may be removed, and
    `must` the number of symbols and dots that are removed in any case. `stay` is whether erasers that have
    acted count for stars, `every` whether any symbols that were violated may be removed, not the fewest only.
    `chosen`, (cells,) int64, is room. To
    `tried`, (1,) int64, the choices are added; after `most` choices the answer is False and means nothing.
    """
    # All sets of erasers that the rest can remove; erasers of one kind are removed lowest first.
    total = bit_count(erasers)
    doubtful = others
    lone = 0
    if every:
        doubtful, lone = _doubtful(cells, colours, occupied, others, pieces, region)
    exact = False
    sizes = _ZERO
    removed = erasers
    while True:
        tried[0] += 1
        if tried[0] > most:
            return False
        gone = int(bit_count(removed))
        spare = int(total - 2 * gone - must)
        if stay:
            new = _lowest_first(cells, erasers, removed)
        else:
            new = sizes >> np.uint64(gone) & _ONE == _ZERO
            sizes |= _ONE << np.uint64(gone)
        if every and gone > 0 and spare == lone and lone < int(bit_count(doubtful)):
            new = False
        if spare > 0 and new and not every and not stay:
            # One that stands idle stays where it is: each of them in turn.
            rest = erasers
            while rest != _ZERO:
                idle = rest & (~rest + _ONE)
                rest ^= idle
                number = _removed(
                    cells, colours, occupied, others, others, idle, pieces, region, 0, spare - 1, most,
                    chosen, tried,
                )  # fmt: skip
                if tried[0] > most or number == spare - 1:
                    return False
        if spare >= 0 and new:
            number = _removed(
                cells,
                colours,
                occupied,
                others,
                doubtful,
                erasers & ~removed if stay else _ZERO,
                pieces,
                region,
                spare if every else 0,
                spare,
                most,
                chosen,
                tried,
            )
            if tried[0] > most or (number == spare - 1 and stay and not every):
                return False
            exact = exact or number == spare
        if removed == _ZERO:
            return exact
        removed = (removed - _ONE) & erasers


@njit
def _doubtful(
    cells: NDArray[np.int64],
    colours: NDArray[np.uint64],
    occupied: np.uint64,
    others: np.uint64,
    pieces: Pieces,
    region: np.uint64,
) -> tuple[np.uint64, int]:
    """Return which of `others` are violated while all count, and how many of them nothing can mend."""
    found = _ZERO
    every = _ZERO
    lone = 0
    squares = 0
    for row in range(colours.shape[0]):
        every |= colours[row, SQUARES]
        if colours[row, SQUARES] & region != _ZERO:
            squares += 1
        number = bit_count(colours[row, COLOURED] & region)
        if number != 2:
            found |= colours[row, STARS]
        if number == 1 and colours[row, STARS] & region != _ZERO:
            lone += 1
    if squares > 1:
        found |= every
    if occupied & region != _ZERO and not covered(cells, occupied, pieces, region):
        found |= occupied
    return found & others, lone


@njit
def _lowest_first(cells: NDArray[np.int64], erasers: np.uint64, removed: np.uint64) -> bool:
    """Return whether no eraser is removed while a lower one of its kind is left."""
    left = erasers & ~removed
    while left != _ZERO:
        bit = left & (~left + _ONE)
        left ^= bit
        higher = removed & ~((bit << _ONE) - _ONE)
        while higher != _ZERO:
            other = higher & (~higher + _ONE)
            higher ^= other
            if cells[bit_index(other), ERASER] == cells[bit_index(bit), ERASER]:
                return False
    return True


@njit
def _removed(
    cells: NDArray[np.int64],
    colours: NDArray[np.uint64],
    occupied: np.uint64,
    others: np.uint64,
    doubtful: np.uint64,
    left: np.uint64,
    pieces: Pieces,
    region: np.uint64,
    least: int,
    spare: int,
    most: int,
    chosen: NDArray[np.int64],
    tried: NDArray[np.int64],
) -> int:
    """Return how many of the `doubtful` among `others` must be removed, from `least` on.

    spare + 1 if more than `spare` must.
    """
    # All choices of `number` of the symbols: chosen[:number] are their places among them, ascending.
    count = int(bit_count(doubtful))
    for number in range(least, min(spare, count) + 1):
        for i in range(number):
            chosen[i] = i
        while True:
            tried[0] += 1
            if tried[0] > most:
                return spare + 1
            kept = left | others
            at = 0
            place = 0
            rest = doubtful
            while at < number:
                bit = rest & (~rest + _ONE)
                rest ^= bit
                if place == chosen[at]:
                    kept ^= bit
                    at += 1
                place += 1
            if colours_satisfied(colours, kept) and covered(cells, occupied & kept, pieces, region):
                return number
            i = number - 1
            while i >= 0 and chosen[i] == count - number + i:
                i -= 1
            if i < 0:
                break
            chosen[i] += 1
            for j in range(i + 1, number):
                chosen[j] = chosen[j - 1] + 1
    return spare + 1
