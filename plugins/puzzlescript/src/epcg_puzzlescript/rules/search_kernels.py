"""Moves on bit planes: an input's turn with all that its commands do, and the successors of many positions.

Only for games without chance: a tick that is tried, and that would do something, is the tick that follows.
"""

from __future__ import annotations

import numpy as np

from epcg_core.compiled import bare_njit, njit
from epcg_puzzlescript.rules.columns import (
    AGAIN,
    ALL_ON,
    CANCEL,
    CHANGING,
    CHANGING_END,
    CONDITIONS,
    ENDLESS,
    ERROR,
    INPUTS,
    NO,
    ON,
    ON_END,
    ON_WHOLE,
    QUANTIFIER,
    QUEUE,
    RESTART,
    RESTART_AGAIN,
    UNDONE,
    VALID,
    WHAT,
    WHAT_END,
    WHAT_WHOLE,
    WIN,
    WON_BIT,
    WON_WORD,
    WORDS,
)
from epcg_puzzlescript.rules.plane_kernels import turn

ZERO, ONE = np.uint64(0), np.uint64(1)
MOST_AGAIN = 500
ORDER = np.array([0, 2, 1, 3, 4])
"""The movement of each input: up, left, down, right, action."""


@bare_njit
def holders(game, work, first, last, whole, w):
    """Return word `w` of the plane of cells that hold one of the listed objects, or all of them."""
    data, planes = game[6], work[0]
    every, some = planes[game[0][VALID], w], ZERO
    for i in range(first, last):
        every &= planes[data[i], w]
        some |= planes[data[i], w]
    return every if whole else some


@njit
def conditions_hold(game, work):
    """Return whether there are conditions to win, and all hold."""
    header, conditions = game[0], game[5]
    if header[CONDITIONS] == 0:
        return False
    for c in range(header[CONDITIONS]):
        some = alone = ZERO
        anywhere = conditions[c, ON] == conditions[c, ON_END]
        for w in range(header[WORDS]):
            what = holders(game, work, conditions[c, WHAT], conditions[c, WHAT_END], conditions[c, WHAT_WHOLE], w)
            on = what
            if not anywhere:
                on = holders(game, work, conditions[c, ON], conditions[c, ON_END], conditions[c, ON_WHOLE], w)
            some |= what & on
            alone |= what & ~on
        if conditions[c, QUANTIFIER] == ALL_ON:
            holds = alone == ZERO
        else:
            holds = (some == ZERO) == (conditions[c, QUANTIFIER] == NO)
        if not holds:
            return False
    return True


@bare_njit
def put_planes(game, work, source):
    """Copy the planes that can change from `source`, which has a row for each."""
    header, data = game[0], game[6]
    planes, live = work[0], work[1]
    for i in range(header[CHANGING_END] - header[CHANGING]):
        plane = data[header[CHANGING] + i]
        some = ZERO
        for w in range(header[WORDS]):
            planes[plane, w] = source[i, w]
            some |= source[i, w]
        live[plane] = some != ZERO


@bare_njit
def take_planes(game, work, target):
    """Copy the planes that can change to `target`."""
    header, data, planes = game[0], game[6], work[0]
    for i in range(header[CHANGING_END] - header[CHANGING]):
        for w in range(header[WORDS]):
            target[i, w] = planes[data[header[CHANGING] + i], w]


@bare_njit
def differ(game, work, other):
    """Return whether any plane that can change differs from `other`."""
    header, data, planes = game[0], game[6], work[0]
    for i in range(header[CHANGING_END] - header[CHANGING]):
        for w in range(header[WORDS]):
            if planes[data[header[CHANGING] + i], w] != other[i, w]:
                return True
    return False


@njit
def play_input(game, work, restart, given):
    """Play an input, and the ticks that follow, on the planes; return whether the level is won.

    A tick that is tried and does something is the tick that follows. Sets the error ENDLESS if ticks do not end.
    """
    header, status, before = game[0], work[10], work[4]
    for ticks in range(MOST_AGAIN + 2):
        take_planes(game, work, before)
        turn(game, work, given if ticks == 0 else -1)
        if status[ERROR]:
            return False
        queue = status[QUEUE]
        if status[UNDONE] or queue & CANCEL:
            put_planes(game, work, before)
            return False
        if queue & RESTART:
            put_planes(game, work, restart)
            again = header[RESTART_AGAIN] != 0
            won = conditions_hold(game, work)
        else:
            changed = differ(game, work, before)
            if ticks and not changed and not queue & WIN:
                return False
            again = changed and queue & AGAIN != 0
            won = queue & WIN != 0 or conditions_hold(game, work)
        if won or not again:
            return won
    status[ERROR] = ENDLESS
    return False


@njit
def expand(game, work, restart, positions, found, counts, actions):
    """Play every input in each of `positions`, (n, changing planes * words).

    Writes the boards that differ, or that are won, to `found` and the inputs to `actions`, and how many there are
    of each position to `counts`. Returns how many there are. After an error the status tells it, and `counts`
    has -1 at the position.
    """
    header, status = game[0], work[10]
    words = header[WORDS]
    planes = header[CHANGING_END] - header[CHANGING]
    total = 0
    here = np.empty((planes, words), np.uint64)
    won_bit = ONE << np.uint64(header[WON_BIT])
    for n in range(len(positions)):
        counts[n] = 0
        for i in range(planes):
            for w in range(words):
                here[i, w] = positions[n, i * words + w]
        here[0, header[WON_WORD]] &= ~won_bit
        for given in range(header[INPUTS]):
            put_planes(game, work, here)
            won = play_input(game, work, restart, ORDER[given])
            if status[ERROR]:
                counts[n] = -1
                return total
            if not won and not differ(game, work, here):
                continue
            data, source = game[6], work[0]
            for i in range(planes):
                for w in range(words):
                    found[total, i * words + w] = source[data[header[CHANGING] + i], w]
            if won:
                found[total, header[WON_WORD]] |= won_bit
            actions[total] = given
            counts[n] += 1
            total += 1
    return total
