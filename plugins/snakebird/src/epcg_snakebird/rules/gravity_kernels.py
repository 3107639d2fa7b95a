"""Compiled portals and gravity: what follows from a move, until nothing changes.

If the position was settled before the move, only what the move touched can fall: gravity starts from the
`SUSPECT` entities (those that moved, and those that rested on a cell that was left), and goes up from there.
The footprint is a certificate: for what is held up the one cell that holds it, for what falls the cells it
looked at, for a death the one cell that kills.
"""

from __future__ import annotations

import numpy as np

from epcg_core.plugin import bare_njit, bit_index
from epcg_snakebird.rules.board_kernels import (
    CHANGED,
    ENTITIES,
    FRUIT,
    HEIGHT,
    HOLDS_OBJECTS,
    HOLDS_SNAKES,
    MAY_FALL_OUT,
    OBJECTS,
    ONE,
    PORTAL_A,
    PORTAL_B,
    PRESENT,
    SNAKES,
    SOLID,
    SPIKES_BIT,
    STRIDE,
    SUSPECT,
    WALL,
    WIDTH,
    ZERO,
    Integers,
    Words,
    above,
    let_out,
    shift,
    take_out,
    touch,
)
from epcg_snakebird.rules.moves import MOST_TELEPORTS


@bare_njit
def settle(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words, mover: int, moved: np.uint64, step: int,
) -> bool:  # fmt: skip
    """Let portals and gravity act in turn after `moved` entities have moved by `step`; False: a death.

    Of the `mover` only the head enters portals at first.
    """
    # The rules of `epcg_snakebird.rules.moves`, word for word.
    teleports = 0
    portals_act = header[PORTAL_A] > 0
    in_play = (ONE << np.uint64(header[SNAKES])) - ONE
    while True:
        if portals_act:
            teleports += pass_portals(
                header, board, features, cells, first, length, status, foot, mover, moved, step
            )
            if teleports > MOST_TELEPORTS:
                return False
        mover = -1
        moved = unsupported(header, board, features, cells, first, length, status, foot)
        if moved == ZERO:
            return True
        step = header[STRIDE]
        playing = status[PRESENT] & in_play != ZERO
        if not fall(header, board, features, cells, first, length, status, foot, moved) and playing:
            return False
        left = let_out(header, board, cells, first, length, status)
        portals_act = header[PORTAL_A] > 0 and not left


@bare_njit
def unsupported(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words,
) -> np.uint64:  # fmt: skip
    """Return the suspects, and what rests on them, that nothing holds up; clear all suspects."""
    # First those without ground are gathered, upwards from the suspects; then all that rest on something
    # else are taken out until nothing changes: the rest falls.
    stride = header[STRIDE]
    waiting = status[SUSPECT] & status[PRESENT]
    status[SUSPECT] = ZERO
    seen = waiting
    falling = ZERO
    while waiting != ZERO:
        bit = waiting & (~waiting + ONE)
        waiting ^= bit
        e = bit_index(bit)
        is_snake = e < header[SNAKES]
        holds = HOLDS_SNAKES if is_snake else HOLDS_OBJECTS
        end = first[e] + length[e]
        held = False
        for i in range(
            first[e] + 1, end + 1
        ):  # the head last: the other cells are there after other moves too
            below = cells[e, i if i < end else first[e]] + stride
            if board[below] & holds != ZERO:
                touch(foot, features[below] + is_snake)
                held = True
                break
        if not held:
            falling |= bit
            resting = above(board, cells, first, length, e, stride) & ~seen
            seen |= resting
            waiting |= resting
    changed = falling != ZERO
    while changed:
        changed = False
        rest = falling
        while rest != ZERO:
            bit = rest & (~rest + ONE)
            rest ^= bit
            e = bit_index(bit)
            others = ENTITIES & ~(falling | bit)
            for i in range(first[e], first[e] + length[e]):
                if board[cells[e, i] + stride] & others != ZERO:
                    falling ^= bit
                    changed = True
                    break
    rest = falling
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        e = bit_index(bit)
        is_snake = e < header[SNAKES]
        for i in range(first[e], first[e] + length[e]):
            below = cells[e, i] + stride
            if board[below] & ENTITIES == ZERO:  # where something is, there is sky
                touch(foot, features[below] + is_snake)
    return falling


@bare_njit
def fall(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words, falling: np.uint64,
) -> bool:  # fmt: skip
    """Let all of `falling` fall by one row and be suspect again; False: a snake or an object is lost."""
    # A lost object is found before a lost snake, because that needs no tile.
    stride = header[STRIDE]
    lowest = (header[HEIGHT] - 1) * stride
    alive = True
    shift(board, cells, first, length, falling, stride)
    status[CHANGED] |= falling
    status[SUSPECT] |= falling
    for e in range(header[SNAKES], header[SNAKES] + header[OBJECTS]):
        if (falling >> np.uint64(e)) & ONE != ZERO and cells[e, first[e] + length[e] - 1] >= lowest:
            if header[MAY_FALL_OUT] != 0:
                take_out(board, cells, first, length, status, e, stride)
            else:
                alive = False
    if not alive:
        return False
    for e in range(header[SNAKES]):
        if (falling >> np.uint64(e)) & ONE != ZERO:
            for i in range(first[e], first[e] + length[e]):
                if board[cells[e, i]] & (SPIKES_BIT | WALL) != ZERO:
                    touch(foot, features[cells[e, i]])
                    return False
    later = 32 * foot.size
    for e in range(header[SNAKES]):
        if (falling >> np.uint64(e)) & ONE != ZERO:
            for i in range(first[e], first[e] + length[e]):
                touch(foot, later + features[cells[e, i]])  # spikes here would be a death, too
    return True


@bare_njit
def pass_portals(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words, mover: int, moved: np.uint64, step: int,
) -> int:  # fmt: skip
    """Teleport what has just entered a portal; how many entities were."""
    # Snakes in their order; then, if none was, the first object that can be.
    count = 0
    for e in range(header[SNAKES] + header[OBJECTS]):
        is_object = e >= header[SNAKES]
        if is_object and count > 0:
            break
        if (moved & status[PRESENT] & (ONE << np.uint64(e))) != ZERO:
            count += teleport(
                header, board, features, cells, first, length, status, foot, e, e == mover, step
            )
    let_out(header, board, cells, first, length, status)
    return count


@bare_njit
def teleport(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words, e: int, only_head: bool, step: int,
) -> int:  # fmt: skip
    """Move entity `e` rigidly through the first portal that one of its cells has entered; 1 if it was."""
    # A cell on a portal was filled before where the entity has a part (a snake: a neighbouring one) ahead.
    stride = header[STRIDE]
    bit = ONE << np.uint64(e)
    is_object = e >= header[SNAKES]
    start, end = first[e], first[e] + length[e]
    for i in range(start, start + 1 if only_head else end):
        here = cells[e, i]
        if here != header[PORTAL_A] and here != header[PORTAL_B]:
            continue
        filled = False
        for k in range(start if is_object else max(start, i - 1), end if is_object else min(end, i + 2)):
            filled |= cells[e, k] == here + step
        if filled:
            continue
        there = header[PORTAL_A] + header[PORTAL_B] - here
        dx = there % stride - here % stride
        dy = there // stride - here // stride
        blocked = False
        for k in range(start, end):
            cell = cells[e, k]
            x, y = cell % stride + dx, cell // stride + dy - 1
            if x < 0 or x >= header[WIDTH] or y < 0 or y >= header[HEIGHT]:
                blocked = True
                break
            found = board[cell + there - here]
            if found & (ENTITIES & ~bit) != ZERO or (not is_object and found & FRUIT != ZERO):
                blocked = True
                break
            if found & SOLID != ZERO:
                touch(foot, features[cell + there - here])
                blocked = True
                break
        if blocked:
            continue
        status[SUSPECT] |= bit | above(board, cells, first, length, e, stride)
        status[CHANGED] |= bit
        shift(board, cells, first, length, bit, there - here)
        for k in range(start, end):
            touch(foot, features[cells[e, k]])
        return 1
    return 0
