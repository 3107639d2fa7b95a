"""Moves on bit planes: an input's turn with all that its commands do, and the successors of many positions.

Only for games without chance: a tick that is tried, and that would do something, is the tick that follows.
The arrays are those of `plane_access`. A position is the planes that can change, one after the other.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bare_njit, lean_njit
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules.columns import WORDS
from epcg_puzzlescript.rules.plane_access import ONE, ZERO, Planes, Table, touch
from epcg_puzzlescript.rules.plane_kernels import turn

MOST_AGAIN = 500
"""Ticks that may follow an input before the level counts as endless."""
ORDER = np.array([0, 2, 1, 3, 4, -1])
"""The movement of each input: up, left, down, right, action; -1 for a tick."""


@bare_njit
def holders(table: Table, planes: Planes, first: int, last: int, whole: int, w: int) -> np.uint64:
    """Return word `w` of the plane of cells that hold one of the listed objects, or all of them."""
    every, some = planes[table[at.VALID] + w], ZERO
    for i in range(first, last):
        every &= planes[table[i] + w]
        some |= planes[table[i] + w]
    return every if whole else some


@lean_njit
def conditions_hold(table: Table, planes: Planes) -> bool:
    """Return whether there are conditions to win, and all hold."""
    first, last = table[at.CONDITION], table[at.CONDITION_END]
    for c in range(first, last, at.CONDITION_SIZE):
        some = alone = ZERO
        anywhere = table[c + at.ON] == table[c + at.ON_END]
        for w in range(table[WORDS]):
            what = holders(
                table, planes, table[c + at.WHAT], table[c + at.WHAT_END], table[c + at.WHAT_WHOLE], w
            )
            on = what
            if not anywhere:
                on = holders(table, planes, table[c + at.ON], table[c + at.ON_END], table[c + at.ON_WHOLE], w)
            some |= what & on
            alone |= what & ~on
        if table[c + at.QUANTIFIER] == at.ALL_ON:
            holds = alone == ZERO
        else:
            holds = (some == ZERO) == (table[c + at.QUANTIFIER] == at.NO)
        if not holds:
            return False
    return bool(first < last)


@lean_njit
def put_position(table: Table, planes: Planes, state: Table, source: Planes, start: int) -> None:
    """Put a position on the board; it lies in `source` from `start` on."""
    words = table[WORDS]
    for i in range(table[at.CHANGING], table[at.CHANGING_END]):
        plane = table[i]
        some = differs = ZERO
        for w in range(words):
            differs |= planes[plane + w] ^ source[start + w]
            planes[plane + w] = source[start + w]
            some |= source[start + w]
        if differs:
            touch(planes, state, plane, words, some)
        start += words


@lean_njit
def take_position(table: Table, planes: Planes, target: Planes, start: int) -> None:
    """Copy the position on the board to `target`, from `start` on."""
    words = table[WORDS]
    for i in range(table[at.CHANGING], table[at.CHANGING_END]):
        for w in range(words):
            target[start + w] = planes[table[i] + w]
        start += words


@lean_njit
def differ(table: Table, planes: Planes, other: Planes, start: int) -> bool:
    """Return whether the position on the board differs from that in `other`, from `start` on."""
    words = table[WORDS]
    for i in range(table[at.CHANGING], table[at.CHANGING_END]):
        for w in range(words):
            if planes[table[i] + w] != other[start + w]:
                return True
        start += words
    return False


@lean_njit
def play_input(table: Table, planes: Planes, state: Table, restart: Planes, given: int) -> bool:
    """Play an input, and the ticks that follow; return whether the level is won.

    A tick that is tried and does something is the tick that follows. Sets the error ENDLESS if there is no
    end.
    """
    before = table[at.BEFORE]
    for ticks in range(MOST_AGAIN + 2):
        take_position(table, planes, planes, before)
        turn(table, planes, state, given if ticks == 0 else -1)
        if state[at.ERROR]:
            return False
        queue = state[at.QUEUE]
        if state[at.UNDONE] or queue & at.CANCEL:
            put_position(table, planes, state, planes, before)
            return False
        if queue & at.RESTART:
            put_position(table, planes, state, restart, 0)
            again = table[at.RESTART_AGAIN] != 0
            won = conditions_hold(table, planes)
        else:
            changed = differ(table, planes, planes, before)
            if ticks and not changed and not queue & at.WIN:
                return False
            again = changed and queue & at.AGAIN != 0
            won = queue & at.WIN != 0 or conditions_hold(table, planes)
        if won or not again:
            return won
    state[at.ERROR] = at.ENDLESS
    return False


@lean_njit
def expand(
    table: Table, planes: Planes, state: Table, restart: Planes, here: Planes, positions: Planes,
    wanted: Table, found: Planes, counts: Table, actions: NDArray[np.uint8],
) -> int:  # fmt: skip
    """Play inputs in each of n positions of s words, and keep those that differ or are won.

    Args:
        table: The game and the level, as numbers.
        planes: The board; it is overwritten.
        state: Where the turn notes what it did; after an error, state[at.ERROR] says which.
        restart: (s,) the position that a restart returns to.
        here: (s,) room for a position.
        positions: (n * s,) the positions, one after the other.
        wanted: (n,) the inputs that are played, as bits.
        found: (at most 6 * n * s,) receives the successors, one after the other.
        counts: (n,) receives the number of successors of each position.
        actions: (at most 6 * n,) receives the input that leads to each successor.

    Returns:
        The number of successors.
    """
    size = len(here)
    won_word, won_bit = table[at.WON_WORD], ONE << np.uint64(table[at.WON_BIT])
    total = 0
    for n in range(len(counts)):
        counts[n] = 0
        for k in range(size):
            here[k] = positions[n * size + k]
        here[won_word] &= ~won_bit
        for given in range(len(ORDER)):
            if not wanted[n] >> given & 1:
                continue
            put_position(table, planes, state, here, 0)
            won = play_input(table, planes, state, restart, ORDER[given])
            if state[at.ERROR]:
                return total
            if won or differ(table, planes, here, 0):
                take_position(table, planes, found, total * size)
                if won:
                    found[total * size + won_word] |= won_bit
                actions[total] = given
                counts[n] += 1
                total += 1
    return total
