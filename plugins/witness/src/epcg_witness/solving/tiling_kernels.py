"""Compiled tests whether pieces cover a region.

Regions are sets of cells in one word, bit y * W + x. `covers_exactly` is for positive pieces: an exact cover
on bitboards. `covers_signed` is for regions with negative pieces, which may leave the panel. Both take pieces
whose areas, added up, are that of the region; `epcg_witness.rules.tiling` is the plain form.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_index, njit

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
MOST_PIECES = 56
"""Pieces in one region: the cells of the largest pillar."""
BESIDE_RIGHT, BESIDE_UPPER, BESIDE_LEFT, BELOW = 1, 2, 4, 8
"""Bits of `Pieces.shape_beside`."""


class Pieces(NamedTuple):
    """The pieces that a set of symbols can put into cells, as kernels want them."""

    width: int
    """Cells of the panel in a row."""
    height: int
    area: NDArray[np.int64]
    """(pieces,) cells, below zero for a negative piece."""
    first: NDArray[np.int64]
    """(pieces + 1,) where the orientations of each piece begin."""
    lain: NDArray[np.uint64]
    """(orientations, cells): the cells covered if the first cell of the orientation (the lowest, then the
    leftmost) lies on a cell; 0 if it leaves the panel."""
    reach: NDArray[np.int64]
    """(pieces,) the larger of width and height."""
    shape_first: NDArray[np.int64]
    """(orientations + 1,) where the cells of each orientation begin."""
    shape_x: NDArray[np.int64]
    shape_y: NDArray[np.int64]
    shape_beside: NDArray[np.int64]
    """For each cell of an orientation the sides on which it goes on (BESIDE_RIGHT, ..)."""
    pillar: bool
    """Whether pieces wrap round the panel."""
    inside: bool
    """Whether no piece may leave the panel."""
    shapes: bool
    """Whether pieces of equal areas must cancel each other by shape."""
    slits: NDArray[np.uint64]
    """(2,) The cells of the region on whose right and on whose upper side pieces must not cross a line."""


@njit
def covers_exactly(region: np.uint64, count: int, chosen: NDArray[np.int64], pieces: Pieces) -> bool:
    """Return whether the positive pieces chosen[:count] cover `region` exactly."""
    # The lowest cell left must be the first cell of some piece, so each piece and orientation has one place:
    # one table look-up and two ANDs. Equal pieces are interchangeable: only the first unused one is tried.
    left = np.zeros(MOST_PIECES + 1, np.uint64)
    piece_at = np.zeros(MOST_PIECES + 1, np.int64)
    orientation_at = np.zeros(MOST_PIECES + 1, np.int64)
    used = _ZERO
    depth = 0
    left[0] = region
    piece_at[0] = -1
    while True:
        rest = left[depth]
        cell = bit_index(rest & (~rest + _ONE))
        i = piece_at[depth]
        if i >= 0:
            used &= ~(_ONE << np.uint64(i))
        laid = False
        while not laid:
            if i >= 0 and orientation_at[depth] + 1 < pieces.first[chosen[i] + 1]:
                orientation_at[depth] += 1
            else:
                i += 1
                while i < count and (used >> np.uint64(i) & _ONE != _ZERO or tried_before(i, used, chosen)):
                    i += 1
                if i == count:
                    break
                orientation_at[depth] = pieces.first[chosen[i]]
            cover = pieces.lain[orientation_at[depth], cell]
            laid = cover != _ZERO and cover & ~rest == _ZERO
        if not laid:
            if depth == 0:
                return False
            depth -= 1
            continue
        used |= _ONE << np.uint64(i)
        piece_at[depth] = i
        rest ^= cover
        if rest == _ZERO:
            return depth + 1 == count
        depth += 1
        if depth == count:
            return False
        left[depth] = rest
        piece_at[depth] = -1


@njit
def tried_before(index: int, used: np.uint64, chosen: NDArray[np.int64]) -> bool:
    """Return whether an equal piece before `index` is unused, so that trying this one would repeat it."""
    found = False
    for i in range(index):
        found = found or (chosen[i] == chosen[index] and used >> np.uint64(i) & _ONE == _ZERO)
    return found


@njit
def covers_signed(region: np.uint64, count: int, chosen: NDArray[np.int64], pieces: Pieces) -> bool:
    """Return whether chosen[:count], added up with their signs, are 1 in `region` and 0 elsewhere."""
    # A window around the panel, wide enough for a chain of all pieces, holds what each cell still lacks. A
    # cell that lacks something is mended only by a piece that lies on it: all ways to lay one there are
    # tried, negative ones first. If no cell lacks anything, the pieces left must cancel each other: the
    # first of them may lie anywhere, so it is laid in the middle.
    margin = 0
    for i in range(count):
        margin += pieces.reach[chosen[i]]
    columns = pieces.width + 2 * margin
    rows = pieces.height + 2 * margin
    need = np.zeros(columns * rows, np.int64)
    spare = np.zeros(2, np.int64)
    rest = region
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        cell = bit_index(bit)
        need[(cell // pieces.width + margin) * columns + cell % pieces.width + margin] = 1
    for i in range(count):
        spare[1 if pieces.area[chosen[i]] < 0 else 0] += abs(pieces.area[chosen[i]])
    target = np.zeros(count + 1, np.int64)
    piece_at = np.zeros(count + 1, np.int64)
    piece_at[0] = -1
    orientation_at = np.zeros(count + 1, np.int64)
    anchor_at = np.zeros(count + 1, np.int64)
    used = _ZERO
    depth = 0
    low, high = margin * columns, (rows - margin) * columns
    bounds_low = np.zeros(count + 1, np.int64)
    bounds_high = np.zeros(count + 1, np.int64)
    bounds_low[0], bounds_high[0] = low, high
    target[0] = lacking(need, low, high, spare)
    while True:
        i = piece_at[depth]
        goal = target[depth]
        if i >= 0:
            _lay(
                need, orientation_at[depth], anchor_at[depth], goal, columns, _sign(i, chosen, pieces), pieces
            )
            used &= ~(_ONE << np.uint64(i))
            spare[1 if pieces.area[chosen[i]] < 0 else 0] += abs(pieces.area[chosen[i]])
        if goal == -2:
            found = False
        else:
            found = True
            if i >= 0 and _next_anchor(orientation_at[depth], anchor_at[depth], goal, pieces):
                anchor_at[depth] += 1
            elif i >= 0 and orientation_at[depth] + 1 < pieces.first[chosen[i] + 1]:
                orientation_at[depth] += 1
                anchor_at[depth] = pieces.shape_first[orientation_at[depth]]
            elif i >= 0 and goal == -1:
                found = False
            else:
                i += 1
                while i < count and (
                    used >> np.uint64(i) & _ONE != _ZERO
                    or tried_before(i, used, chosen)
                    or (goal >= 0 and (need[goal] < 0) != (pieces.area[chosen[i]] < 0))
                ):
                    i += 1
                found = i < count
                if found:
                    orientation_at[depth] = pieces.first[chosen[i]]
                    anchor_at[depth] = pieces.shape_first[orientation_at[depth]]
        if not found:
            if depth == 0:
                return False
            depth -= 1
            continue
        piece_at[depth] = i
        used |= _ONE << np.uint64(i)
        spare[1 if pieces.area[chosen[i]] < 0 else 0] -= abs(pieces.area[chosen[i]])
        _lay(need, orientation_at[depth], anchor_at[depth], goal, columns, -_sign(i, chosen, pieces), pieces)
        grow = pieces.reach[chosen[i]] * columns
        bounds_low[depth + 1] = max(bounds_low[depth] - grow, 0)
        bounds_high[depth + 1] = min(bounds_high[depth] + grow, columns * rows)
        depth += 1
        piece_at[depth] = -1
        target[depth] = lacking(need, bounds_low[depth], bounds_high[depth], spare)
        if depth == count:
            if target[depth] == -1:
                return True
            depth -= 1


@njit
def _sign(index: int, chosen: NDArray[np.int64], pieces: Pieces) -> int:
    return -1 if pieces.area[chosen[index]] < 0 else 1


@njit
def lacking(need: NDArray[np.int64], low: int, high: int, spare: NDArray[np.int64]) -> int:
    """Choose a cell to mend: the first that has too much, else the first that has too little.

    -1 if no cell lacks anything; -2 if the pieces left, of `spare` cells by sign, are too small.
    """
    short, over = 0, 0
    first_short, first_over = -1, -1
    for cell in range(low, high):
        if need[cell] > 0:
            short += need[cell]
            if first_short < 0:
                first_short = cell
        elif need[cell] < 0:
            over -= need[cell]
            if first_over < 0:
                first_over = cell
    if short > spare[0] or over > spare[1]:
        return -2
    return first_over if first_over >= 0 else first_short


@njit
def _next_anchor(orientation: int, anchor: int, goal: int, pieces: Pieces) -> bool:
    """Return whether the orientation has a further cell that can lie on the goal."""
    return goal >= 0 and anchor + 1 < pieces.shape_first[orientation + 1]


@njit
def _lay(
    need: NDArray[np.int64],
    orientation: int,
    anchor: int,
    goal: int,
    columns: int,
    change: int,
    pieces: Pieces,
) -> None:
    """Add `change` to the cells of an orientation whose cell `anchor` lies on the goal (-1: the middle)."""
    at = goal if goal >= 0 else need.size // 2 - need.size // 2 % columns + columns // 2
    for i in range(pieces.shape_first[orientation], pieces.shape_first[orientation + 1]):
        dx = pieces.shape_x[i] - pieces.shape_x[anchor]
        dy = pieces.shape_y[i] - pieces.shape_y[anchor]
        need[at + dy * columns + dx] += change
