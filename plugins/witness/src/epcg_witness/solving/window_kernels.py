"""The compiled test whether pieces cover a region where more must be looked at than `tiling_kernels` does.

On pillars pieces wrap round; a variant may keep them on the panel, let them cancel each other by shape
only, or forbid them to cross the slits of a region, which are drawn edges with the region on both sides.
`epcg_witness.rules.tiling` is the plain form.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_witness.solving.tiling_kernels import (
    BELOW,
    BESIDE_LEFT,
    BESIDE_RIGHT,
    BESIDE_UPPER,
    Pieces,
    lacking,
    tried_before,
)

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_RIGHT, _UPPER = 1, 2
"""Bits of `slits`: a slit on the right side of a cell, and on its upper side."""


@njit
def covers_in_window(region: np.uint64, count: int, chosen: NDArray[np.int64], pieces: Pieces) -> bool:
    """Return whether chosen[:count], added up with their signs, are 1 in `region` and 0 elsewhere.

    `region` may be empty. Of a slit no more pieces lie on both sides than negative ones touch it.
    """
    # As `covers_signed`, in a window that is the panel itself if pieces must not leave it; round a pillar the
    # window closes. If no cell lacks anything the next piece is laid in every place, because places differ.
    if count == 0:
        return bool(region == _ZERO)
    margin = 0
    spare = np.zeros(2, np.int64)
    for i in range(count):
        margin += 0 if pieces.inside else pieces.reach[chosen[i]]
        spare[1 if pieces.area[chosen[i]] < 0 else 0] += abs(pieces.area[chosen[i]])
    negatives = spare[1] > 0
    aside = 0 if pieces.pillar else margin
    columns = pieces.width + 2 * aside
    rows = pieces.height + 2 * margin
    need = np.zeros(columns * rows, np.int64)
    slits = np.zeros(columns * rows, np.int64)
    crossed = np.zeros(2 * columns * rows, np.int64)
    for y in range(pieces.height):
        for x in range(pieces.width):
            bit = _ONE << np.uint64(y * pieces.width + x)
            at = (y + margin) * columns + x + aside
            need[at] = 1 if region & bit != _ZERO else 0
            if pieces.slits[0] & bit != _ZERO:
                slits[at] |= _RIGHT
            if pieces.slits[1] & bit != _ZERO:
                slits[at] |= _UPPER
    target = np.zeros(count + 1, np.int64)
    piece_at = np.zeros(count + 1, np.int64)
    orientation_at = np.zeros(count + 1, np.int64)
    step_at = np.zeros(count + 1, np.int64)
    down = np.zeros(count + 1, np.int64)
    used = _ZERO
    depth = 0
    piece_at[0] = -1
    target[0] = lacking(need, 0, need.size, spare)
    while True:
        i = piece_at[depth]
        goal = target[depth]
        if down[depth] == 1:
            sign = -1 if pieces.area[chosen[i]] < 0 else 1
            _put(orientation_at[depth], step_at[depth], goal, columns, sign, -1, pieces, slits, need, crossed)
            used &= ~(_ONE << np.uint64(i))
            spare[1 if sign < 0 else 0] += abs(pieces.area[chosen[i]])
            down[depth] = 0
        while goal != -2 and down[depth] == 0:
            orientation = orientation_at[depth]
            if i >= 0 and _has_step(orientation, step_at[depth], goal, need.size, pieces):
                step_at[depth] += 1
            elif i >= 0 and orientation + 1 < pieces.first[chosen[i] + 1]:
                orientation_at[depth] += 1
                step_at[depth] = 0
            elif i >= 0 and goal == -1:
                break
            else:
                i += 1
                while i < count and (
                    used >> np.uint64(i) & _ONE != _ZERO
                    or tried_before(i, used, chosen)
                    or (goal >= 0 and (need[goal] < 0) != (pieces.area[chosen[i]] < 0))
                ):
                    i += 1
                if i == count:
                    break
                orientation_at[depth] = pieces.first[chosen[i]]
                step_at[depth] = 0
            orientation, step = orientation_at[depth], step_at[depth]
            if not _fits(orientation, step, goal, columns, rows, pieces):
                continue
            sign = -1 if pieces.area[chosen[i]] < 0 else 1
            over = _put(orientation, step, goal, columns, sign, 1, pieces, slits, need, crossed)
            if over and not negatives:
                _put(orientation, step, goal, columns, sign, -1, pieces, slits, need, crossed)
                continue
            down[depth] = 1
        if down[depth] == 0:
            if depth == 0:
                return False
            depth -= 1
            continue
        piece_at[depth] = i
        used |= _ONE << np.uint64(i)
        spare[1 if pieces.area[chosen[i]] < 0 else 0] -= abs(pieces.area[chosen[i]])
        depth += 1
        goal = lacking(need, 0, need.size, spare)
        if depth == count:
            if goal == -1 and crossed.max() <= 0:
                return True
            depth -= 1
            continue
        target[depth] = goal
        piece_at[depth] = -1


@njit
def _has_step(orientation: int, step: int, goal: int, size: int, pieces: Pieces) -> bool:
    """Return whether the orientation has a further cell for the goal; if that is -1, a further place."""
    if goal < 0:
        return step + 1 < size
    return bool(step + 1 < pieces.shape_first[orientation + 1] - pieces.shape_first[orientation])


@njit
def _place_of(
    orientation: int, step: int, goal: int, index: int, columns: int, pieces: Pieces
) -> tuple[int, int]:
    """Return the (x, y) in the window of cell `index` of an orientation, which may lie outside."""
    # With a goal, the cell `step` lies on it; without one the corner of the orientation lies on place `step`.
    first = pieces.shape_first[orientation]
    x, y = pieces.shape_x[first + index], pieces.shape_y[first + index]
    if goal < 0:
        x += step % columns
        y += step // columns
    else:
        x += goal % columns - pieces.shape_x[first + step]
        y += goal // columns - pieces.shape_y[first + step]
    if pieces.pillar:
        x %= columns
    return x, y


@njit
def _fits(orientation: int, step: int, goal: int, columns: int, rows: int, pieces: Pieces) -> bool:
    """Return whether an orientation lies in the window."""
    for index in range(pieces.shape_first[orientation + 1] - pieces.shape_first[orientation]):
        x, y = _place_of(orientation, step, goal, index, columns, pieces)
        if not (0 <= x < columns and 0 <= y < rows):
            return False
    return True


@njit
def _put(
    orientation: int,
    step: int,
    goal: int,
    columns: int,
    sign: int,
    change: int,
    pieces: Pieces,
    slits: NDArray[np.int64],
    need: NDArray[np.int64],
    crossed: NDArray[np.int64],
) -> bool:
    """Lay an orientation down (change 1) or take it up (-1); return whether a positive one crosses a slit.

    A negative one, `sign` -1, touches every side of its cells, those between two of them once.
    """
    first = pieces.shape_first[orientation]
    over = False
    for index in range(pieces.shape_first[orientation + 1] - first):
        x, y = _place_of(orientation, step, goal, index, columns, pieces)
        at = y * columns + x
        need[at] -= sign * change
        beside = pieces.shape_beside[first + index]
        left = at - 1 if x > 0 else (at + columns - 1 if pieces.pillar else -1)
        if slits[at] & _RIGHT and (sign < 0 or beside & BESIDE_RIGHT):
            crossed[2 * at] += sign * change
            over = over or sign > 0
        if slits[at] & _UPPER and (sign < 0 or beside & BESIDE_UPPER):
            crossed[2 * at + 1] += sign * change
            over = over or sign > 0
        if sign < 0 and left >= 0 and slits[left] & _RIGHT and not beside & BESIDE_LEFT:
            crossed[2 * left] -= change
        if sign < 0 and y > 0 and slits[at - columns] & _UPPER and not beside & BELOW:
            crossed[2 * (at - columns) + 1] -= change
    return over
