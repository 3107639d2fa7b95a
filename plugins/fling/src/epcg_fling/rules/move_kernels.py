"""Compiled moves on bitboards: the rules of `epcg_fling.rules.moves` for uint64 boards.

A shape is passed to kernels as its `geometry`: for each direction and cell the ray of cells that a flung
piece flies over, then what the parallel legality test needs.
"""

from __future__ import annotations

from functools import cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, highest_bit, njit, read_only
from epcg_fling.rules.moves import DIRECTIONS, DOWN, LEFT, UP, BoardShape

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_TWO = np.uint64(2)
_FOUR = np.uint64(4)

_LONG_LINES, _SHIFTS, _KEEP_LEFT, _KEEP_RIGHT, _RAISE, _LOWER = 256, 257, 263, 269, 275, 279
_GEOMETRY_SIZE = 283
_STEPS, _SHORT_STEPS = 6, 3


@cache
def geometry(shape: BoardShape) -> NDArray[np.uint64]:
    """Return what kernels need of a shape: a read-only (283,) uint64 array.

    Entries 64 * direction + cell are rays; then follow whether a line has more than nine cells; for each
    doubling step of `movable` the shift along columns and the masks that keep shifts along rows inside them;
    for each direction the left and the right shift, one of them 0, that move pieces one step against it.
    """
    table = np.zeros(_GEOMETRY_SIZE, dtype=np.uint64)
    for direction in DIRECTIONS:
        for cell in range(shape.cells):
            table[64 * direction + cell] = sum(1 << ahead for ahead in shape.ahead(cell, direction))
    table[_LONG_LINES] = max(shape.width, shape.height) > 1 + (1 << _SHORT_STEPS)
    for step in range(_STEPS):
        distance = 1 << step
        # A shift by 0 changes nothing: for steps longer than a column.
        table[_SHIFTS + step] = shape.width * distance if distance < shape.height else 0
        columns = [cell % shape.width for cell in range(shape.cells)]
        table[_KEEP_LEFT + step] = sum(1 << c for c, x in enumerate(columns) if x >= distance)
        table[_KEEP_RIGHT + step] = sum(1 << c for c, x in enumerate(columns) if x < shape.width - distance)
    # Nothing is ever moved along lines of one cell, and a word cannot be shifted by 64.
    down = shape.width if shape.height > 1 else 0
    table[_RAISE : _RAISE + 4] = [down, 0, 0, 1]
    table[_LOWER : _LOWER + 4] = [0, 1, down, 0]
    return read_only(table)


@njit
def movable(
    geometry: NDArray[np.uint64], bits: np.uint64
) -> tuple[np.uint64, np.uint64, np.uint64, np.uint64]:
    """Return the pieces that can be flung up, right, down and left, as bitboards."""
    # All pieces at once: `near` are the cells whose neighbour in a direction is taken, `far` those that have
    # a piece anywhere ahead, by shifts that double their reach. Legal: far but not near. No branches on
    # boards with lines of up to nine cells, so that loops over boards become vector code.
    keep_left, keep_right = geometry[_KEEP_LEFT], geometry[_KEEP_RIGHT]
    near_up, near_down = bits << geometry[_SHIFTS], bits >> geometry[_SHIFTS]
    near_left, near_right = (bits << _ONE) & keep_left, (bits >> _ONE) & keep_right
    far_up = near_up | (near_up << geometry[_SHIFTS])
    far_down = near_down | (near_down >> geometry[_SHIFTS])
    far_left = near_left | ((near_left << _ONE) & keep_left)
    far_right = near_right | ((near_right >> _ONE) & keep_right)
    far_up |= far_up << geometry[_SHIFTS + 1]
    far_down |= far_down >> geometry[_SHIFTS + 1]
    far_left |= (far_left << _TWO) & geometry[_KEEP_LEFT + 1]
    far_right |= (far_right >> _TWO) & geometry[_KEEP_RIGHT + 1]
    far_up |= far_up << geometry[_SHIFTS + 2]
    far_down |= far_down >> geometry[_SHIFTS + 2]
    far_left |= (far_left << _FOUR) & geometry[_KEEP_LEFT + 2]
    far_right |= (far_right >> _FOUR) & geometry[_KEEP_RIGHT + 2]
    if geometry[_LONG_LINES] != _ZERO:
        for step in range(_SHORT_STEPS, _STEPS):
            distance = _ONE << np.uint64(step)
            far_up |= far_up << geometry[_SHIFTS + step]
            far_down |= far_down >> geometry[_SHIFTS + step]
            far_left |= (far_left << distance) & geometry[_KEEP_LEFT + step]
            far_right |= (far_right >> distance) & geometry[_KEEP_RIGHT + step]
    return (
        np.uint64(bits & far_up & ~near_up),
        np.uint64(bits & far_right & ~near_right),
        np.uint64(bits & far_down & ~near_down),
        np.uint64(bits & far_left & ~near_left),
    )


@njit
def legal(geometry: NDArray[np.uint64], bits: np.uint64, cell: int, direction: int) -> bool:
    """Return whether the piece at `cell`, if there is one, can be flung in `direction`."""
    # One move: the piece, a ray with something on it, and a neighbour that is free.
    piece = _ONE << np.uint64(cell)
    if bits & piece == _ZERO or bits & geometry[64 * direction + cell] == _ZERO:
        return False
    neighbour = (piece << geometry[_LOWER + direction]) >> geometry[_RAISE + direction]
    return bool(bits & neighbour == _ZERO)


@njit
def pushed(geometry: NDArray[np.uint64], bits: np.uint64, cell: int, direction: int) -> np.uint64:
    """Return where the pieces that a legal move sets in motion come to rest, as a bitboard."""
    # Each piece stops just before the next one: all the pieces on the ray, one step towards the flung one.
    ahead = bits & geometry[64 * direction + cell]
    return np.uint64((ahead << geometry[_RAISE + direction]) >> geometry[_LOWER + direction])


@njit
def flung(geometry: NDArray[np.uint64], bits: np.uint64, cell: int, direction: int) -> np.uint64:
    """Return the board after a legal move."""
    # The pieces off the ray stay; those on it are replaced by where they come to rest.
    gone = geometry[64 * direction + cell] | (_ONE << np.uint64(cell))
    return np.uint64((bits & ~gone) | pushed(geometry, bits, cell, direction))


@njit
def resting_cell(moved: np.uint64, direction: int) -> np.int64:
    """Return where the flung piece rests, given the result of `pushed`: the nearest of its cells."""
    # The flung piece is the first on the ray: the highest bit if the ray runs to lower cells.
    if direction in (UP, LEFT):
        return bit_index(highest_bit(moved))
    return bit_index(moved & (~moved + _ONE))


@njit
def count_moves(geometry: NDArray[np.uint64], bits: np.uint64) -> np.int64:
    """Count the legal moves."""
    # One population count a direction.
    up, right, down, left = movable(geometry, bits)
    return np.int64(bit_count(up) + bit_count(right) + bit_count(down) + bit_count(left))


@njit
def count_moves_of_states(
    geometry: NDArray[np.uint64], states: NDArray[np.uint64], out: NDArray[np.int64]
) -> None:
    """Write the number of legal moves of each of `states`, (n,) uint64, into `out`, (n,) int64."""
    # A plain loop over the boards.
    for row in range(states.size):
        out[row] = count_moves(geometry, states[row])


@njit
def list_moves(geometry: NDArray[np.uint64], bits: np.uint64, out: NDArray[np.uint64]) -> np.int64:
    """Write the legal moves in the order of `legal_moves` into `out`, one row each; the number of rows.

    `out` is (256, 3) uint64: the cell, the direction and the board that the move leads to.
    """
    # Four sets of movable pieces; the lowest piece of their union comes next, in each of its directions.
    up, right, down, left = movable(geometry, bits)
    rest = up | right | down | left
    count = np.int64(0)
    while rest != _ZERO:
        piece = rest & (~rest + _ONE)
        rest ^= piece
        cell = int(bit_index(piece))
        for direction in range(4):
            chosen = up if direction == UP else right
            if direction == DOWN:
                chosen = down
            elif direction == LEFT:
                chosen = left
            if chosen & piece != _ZERO:
                out[count, 0] = np.uint64(cell)
                out[count, 1] = np.uint64(direction)
                out[count, 2] = flung(geometry, bits, cell, direction)
                count += 1
    return count
