"""Boards cell by cell, and the automaton that accepts them: the walks behind the generators.

A digit says what a cell holds: nothing, the beginning of a piece of one of four kinds, or more of a piece.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ArrayWalk, njit, read_only
from epcg_rushhour.rules import Board, is_across, lettered, pieces, red_row

NOTHING, MORE = 0, 5
KINDS = ((True, 2), (True, 3), (False, 2), (False, 3))
"""Digits 1 to 4: whether such a piece lies across, and its length."""

# A state has three bits for each column and four for the row. Of a column: what lies above, or how many cells
# of a piece are to come. FULL is a column that pieces of its own have filled so far, and still can.
FREE, TAKEN, FULL, ONE, TWO, ONE_FULL, TWO_FULL = range(7)
ROW = 18  # how many cells of a piece across are to come, two bits
GAP = 20  # whether something else than pieces across lies in the row, or must
CAR = 21  # whether the red car lies in the row


def board_of(digits: Sequence[int], size: int) -> Board:
    """Return the board of the digits of its cells."""
    lying = []
    for cell, digit in enumerate(digits):
        if NOTHING < digit < MORE:
            across, length = KINDS[digit - 1]
            step = 1 if across else size
            lying.append(tuple(range(cell, cell + length * step, step)))
    return lettered(size, lying)


def digits_of(board: Board) -> tuple[int, ...]:
    """Return the digits of the cells of a board."""
    digits = [NOTHING if each == "." else MORE for each in board]
    for cells in pieces(board).values():
        digits[cells[0]] = 1 + KINDS.index((is_across(cells), len(cells)))
    return tuple(digits)


@njit
def follow(state: int, cell: int, digit: int, size: int, red: int, packed: bool, at_exit: bool) -> int:
    """Return the state after a digit, -1 if it cannot stand in the cell.

    Args:
        state: the state before.
        cell: the cell.
        digit: what the cell is to hold.
        size: the cells in a row.
        red: the row of the red car.
        packed: whether no piece may be able to move left or up.
        at_exit: whether the red car has to be at the exit.
    """
    row = cell // size
    column = cell - row * size
    above = (state >> (3 * column)) & 7
    rest = (state >> ROW) & 3
    gap = (state >> GAP) & 1
    car = (state >> CAR) & 1
    taken = TAKEN if packed else FREE
    now = FREE
    if rest > 0:
        if digit != MORE:
            return -1
        rest -= 1
        now = taken
    elif above >= ONE:
        if digit != MORE:
            return -1
        gap = 1
        if above == ONE:
            now = taken
        elif above == TWO:
            now = ONE
        elif above == ONE_FULL:
            now = FULL
        else:
            now = ONE_FULL
    elif digit == MORE:
        return -1
    elif digit == NOTHING:
        gap = 1
    elif digit <= 2:
        end = column + digit + 1
        if end > size:
            return -1
        for other in range(column + 1, end):
            if (state >> (3 * other)) & 7 >= ONE:
                return -1
        if packed and column > 0 and (state >> (3 * column - 3)) & 7 == FREE:
            return -1
        if row == red:
            if digit == 2 or car == 1 or (at_exit and end != size):
                return -1
            car = 1
        if gap == 0:
            if end == size:
                return -1
            if end == size - 1:
                gap = 1
        rest = digit
        now = taken
    else:
        end = row + digit - 1
        if end > size or (packed and row > 0 and above == FREE):
            return -1
        full = row == 0 or above == FULL
        if full and end == size:
            return -1
        if full and end < size - 1:
            now = ONE_FULL if digit == 3 else TWO_FULL
        else:
            now = ONE if digit == 3 else TWO
        gap = 1
    after = state & ((1 << ROW) - 1)
    after += (now - above) << (3 * column)
    if row == size - 1 and column > 0:  # what lies before the last row's neighbour matters no more
        after = after >> (3 * column) << (3 * column)
    if column < size - 1:
        return after | rest << ROW | gap << GAP | car << CAR
    if row == red and car == 0:
        return -1
    if row == size - 1:
        return 0
    if row == size - 2:  # no piece begins to lie down in the last row
        for other in range(size):
            if (after >> (3 * other)) & 7 < ONE:
                after &= ~(7 << (3 * other))
    return after


@njit
def steps(
    states: NDArray[np.int64],
    cell: int,
    size: int,
    red: int,
    packed: bool,
    at_exit: bool,
    after_out: NDArray[np.int64],
) -> None:
    """Write the states after each digit, (n, 6), -1 where it cannot stand. Arguments as of `follow`."""
    for row in range(states.size):
        for digit in range(MORE + 1):
            after_out[row, digit] = follow(states[row], cell, digit, size, red, packed, at_exit)


@cache
def walk(size: int, packed: bool = False, at_exit: bool = False) -> ArrayWalk:
    """Return the walk over boards of a size: all, the packed ones, or those with the red car at the exit."""

    def made(cell: int, states: NDArray[np.int64]) -> NDArray[np.int64]:
        after = np.empty((len(states), MORE + 1), np.int64)
        steps(read_only(states), cell, size, red_row(size), packed, at_exit, after)
        return after

    return ArrayWalk(size * size, 0, made)
