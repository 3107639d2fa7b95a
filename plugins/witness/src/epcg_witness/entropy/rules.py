"""The inference rules that look at regions and sides, compiled: bit tests on a panel's tables.

`epcg_witness.inference.rules` holds the plain forms. Tables are those of `tables.Board`; `drawn`,
(edges,) int64, is 1 for each edge that is drawn.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit
from epcg_witness.entropy.tables import (
    BEHIND,
    CELLS,
    CORNERS,
    DOTTED_CELLS,
    END_CELLS,
    FRONT,
    LEFTWARD,
    OPPOSITE,
    PIECE_CELLS,
    TRIANGLE_CELLS,
    VERTEX_DOTS,
)
from epcg_witness.solving.region_kernels import (
    COLOURED,
    DOTTED,
    SQUARES,
    STARS,
    TRIANGLES,
    colours_satisfied,
    count_drawn,
    covered,
    drawn_around,
    region_of,
    triangles_satisfied,
)
from epcg_witness.solving.tiling_kernels import Pieces

UNKNOWN, MUST, CANNOT, INVALID = range(4)
"""Answers, as numbers: those of `epcg_core.difficulty.rules.Answer`; merging them is `|`."""

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@njit
def triangle_answer(
    steps: NDArray[np.int64],
    cells: NDArray[np.int64],
    drawn: NDArray[np.int64],
    head: int,
    direction: int,
    published: bool,
) -> int:
    """Return the answer of rule 4 to a move, with the `published` counting or the exact one."""
    for side in range(2):
        top = 2 if published and direction == LEFTWARD and side == 0 else 1
        front = steps[head, direction, FRONT + side]
        if front < 0:
            continue
        count = cells[front, TRIANGLES]
        if count > 0:
            around = count_drawn(cells, drawn, front, top)
            if count == 1 and around > 0:
                return CANNOT
            if count == 2 and around == 1 and drawn[steps[head, direction, OPPOSITE + side]] != 0:
                return MUST
            if count == 3 and around > 0:
                return MUST
        behind = steps[head, direction, BEHIND + side]
        if behind >= 0 and cells[behind, TRIANGLES] == 3 and count_drawn(cells, drawn, behind, top) < 3:
            return CANNOT
    return UNKNOWN


@njit
def regions_satisfied(
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    colours: NDArray[np.uint64],
    pieces: Pieces,
    right_walls: np.uint64,
    upper_walls: np.uint64,
) -> bool:
    """Return whether the squares, stars and polyominoes of all regions are satisfied."""
    rest = sets[CELLS]
    while rest != _ZERO:
        region = region_of(rest & (~rest + _ONE), sets[CELLS], right_walls, upper_walls, pieces.width)
        rest &= ~region
        if not colours_satisfied(colours, region):
            return False
        if sets[PIECE_CELLS] & region != _ZERO and not covered(cells, sets[PIECE_CELLS], pieces, region):
            return False
    return True


@njit
def closed_regions_satisfied(
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    colours: NDArray[np.uint64],
    pieces: Pieces,
    drawn: NDArray[np.int64],
    unclosed: np.uint64,
    visited: np.uint64,
    right_walls: np.uint64,
    upper_walls: np.uint64,
) -> bool:
    """Return whether every region without a cell of `unclosed` satisfies its symbols and dots."""
    rest = sets[CELLS]
    while rest != _ZERO:
        region = region_of(rest & (~rest + _ONE), sets[CELLS], right_walls, upper_walls, pieces.width)
        rest &= ~region
        if region & unclosed != _ZERO:
            continue
        if not triangles_satisfied(cells, drawn, region & sets[TRIANGLE_CELLS]):
            return False
        if not _dots_passed(cells, sets, drawn, region & sets[DOTTED_CELLS], visited):
            return False
        if not colours_satisfied(colours, region):
            return False
        if sets[PIECE_CELLS] & region != _ZERO and not covered(cells, sets[PIECE_CELLS], pieces, region):
            return False
    return True


@njit
def _dots_passed(
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    drawn: NDArray[np.int64],
    which: np.uint64,
    visited: np.uint64,
) -> bool:
    """Return whether the path passes the dots around the cells `which`."""
    missed = sets[VERTEX_DOTS] & ~visited
    rest = which
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        cell = bit_index(bit)
        if sets[CORNERS + cell] & missed != _ZERO:
            return False
        for i in range(4):
            if cells[cell, DOTTED] >> i & 1 != 0 and drawn[cells[cell, i]] == 0:
                return False
    return True


@njit
def sides_agree(
    cells: NDArray[np.int64],
    sets: NDArray[np.uint64],
    colours: NDArray[np.uint64],
    drawn: NDArray[np.int64],
    left: np.uint64,
    right: np.uint64,
    right_walls: np.uint64,
    upper_walls: np.uint64,
    width: int,
) -> bool:
    """Return whether the symbols of the cells `left`, and those of `right`, do not contradict each other.

    Regions that are closed are not looked at.
    """
    rest = sets[END_CELLS]
    while rest != _ZERO:
        region = region_of(rest & (~rest + _ONE), sets[CELLS], right_walls, upper_walls, width)
        rest &= ~region
        if not (
            _agree(cells, sets[TRIANGLE_CELLS], colours, drawn, left & region)
            and _agree(cells, sets[TRIANGLE_CELLS], colours, drawn, right & region)
        ):
            return False
    return True


@njit
def _agree(
    cells: NDArray[np.int64],
    triangles: np.uint64,
    colours: NDArray[np.uint64],
    drawn: NDArray[np.int64],
    side: np.uint64,
) -> bool:
    squares = 0
    for row in range(colours.shape[0]):
        if colours[row, SQUARES] & side != _ZERO:
            squares += 1
            if squares > 1:
                return False
        if colours[row, STARS] & side != _ZERO and bit_count(colours[row, COLOURED] & side) > 2:
            return False
    rest = side & triangles
    while rest != _ZERO:
        bit = rest & (~rest + _ONE)
        rest ^= bit
        cell = bit_index(bit)
        if drawn_around(cells, drawn, cell) > cells[cell, TRIANGLES]:
            return False
    return True
