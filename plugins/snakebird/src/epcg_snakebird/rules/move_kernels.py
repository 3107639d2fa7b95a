"""Compiled expansions: the moves of `epcg_snakebird.rules.moves` on packed rows.

A position is put onto the board once, and every move is tried from there. Most moves end at once: into a
wall, or one step ahead into the sky with nothing on the snake, which then rests or falls alone. Those never
change the board: the row of the successor is the old one with another head and its body shifted by two bits.
The others are played on the board, then taken back.

A footprint holds two features of a cell: solid (ground or spikes), and ground. Cells under the snakes and
objects of a position are sky in every level where that position can be reached, so they do not count.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bare_njit, bit_index
from epcg_snakebird.rules.board_kernels import (
    CELL_BITS,
    CHANGED,
    ENTITIES,
    EXIT,
    EXIT_CELL,
    FRUIT,
    FRUIT_LEFT,
    FRUIT_OFFSET,
    GROUND_BIT,
    HOLDS_SNAKES,
    OBJECTS,
    ONE,
    PORTAL,
    PRESENT,
    SNAKES,
    SOLID,
    STRIDE,
    SUSPECT,
    TAIL_LEAVES,
    ZERO,
    Integers,
    Words,
    above,
    clear,
    let_out,
    shift,
    take_out,
    touch,
)
from epcg_snakebird.rules.gravity_kernels import settle
from epcg_snakebird.rules.row_kernels import (
    BODY,
    BODY_BITS,
    GROWTH,
    GROWTH_BITS,
    PLACE,
    get,
    prepend_direction,
    put,
    put_zeros,
    unpack_row,
    wipe,
)

DOWN = 0
"""Directions are 0 down, 1 up, 2 right, 3 left: the order of ties; a direction xor 1 is the opposite one."""
ILLEGAL = np.uint64(1 << 63)
DEATH, LEAVES, TOGETHER = -1, -2, -3
"""The results of `fall_alone` that are not a number of rows."""


@bare_njit
def expand(
    header: Integers, fields: Integers, shapes: Integers, fruit: Integers, tiles: Words, features: Integers,
    initial: Words, rows: Words, traced: int, out: Words, counts: Integers, actions: NDArray[np.uint8],
    footprints: Words, steps: Integers, board: Words, cells: Integers, kept: Integers, first: Integers,
    length: Integers, sizes: Integers, status: Words, foot: Words,
) -> int:  # fmt: skip
    """Write the successors of (n, words) `rows` into `out`, `counts`, `actions`; how many there are.

    `out` and `actions` hold 4 * snakes * n; with `traced` not 0, (n, feature words) `footprints` are written.
    `initial` is the (1, words) row of the first position, the only one that is not settled. What follows
    `footprints` is scratch (see `board_kernels`); `board` holds the tiles.
    """
    # The scratch arrays are the caller's; each position leaves the board as it found it.
    snakes, entities = header[SNAKES], header[SNAKES] + header[OBJECTS]
    stride = header[STRIDE]
    feature_words = foot.size // 2 - 1
    count = 0
    for row in range(rows.shape[0]):
        begun = count
        unpack_row(header, fields, shapes, fruit, steps, rows, row, board, cells, first, length, status)
        for e in range(entities):
            sizes[e] = length[e]
            for i in range(1, length[e] + 1):
                kept[e, i] = cells[e, i]
        present = status[PRESENT]
        settled = False
        for w in range(rows.shape[1]):
            if rows[row, w] != initial[0, w]:
                settled = True
        if traced != 0:
            foot[:] = ZERO
        for s in range(snakes):
            if length[s] == 0:
                continue
            bit = ONE << np.uint64(s)
            head, tail = cells[s, 1], cells[s, length[s]]
            # What holds the body up after every move; whether something rests on the tail, or on the body.
            support = 0
            alone = settled and board[tail - stride] & ENTITIES & ~bit == ZERO
            burden = ZERO
            if alone:
                for i in range(1, length[s]):
                    if board[cells[s, i] + stride] & HOLDS_SNAKES != ZERO:
                        support = cells[s, i] + stride
                        break
                    burden |= board[cells[s, i] - stride]
            for direction in range(4):
                step = steps[direction]
                target = head + step
                found = board[target]
                if found & SOLID != ZERO:
                    touch(foot, features[target])
                    continue
                if found & bit != ZERO:
                    continue
                if found == ZERO and alone:
                    drop = 0
                    if support > 0:
                        touch(foot, features[support] + 1)
                    elif (burden | board[target - stride]) & ENTITIES & ~bit == ZERO:
                        cells[s, 0] = target
                        drop = fall_alone(
                            header, board, features, cells, length, status, foot, s, traced != 0
                        )
                    elif board[target + stride] & HOLDS_SNAKES != ZERO:
                        touch(foot, features[target + stride] + 1)
                    else:
                        drop = TOGETHER
                    if drop != TOGETHER:
                        if drop != DEATH:  # as below
                            touch(foot, features[target])
                            there = 0 if drop == LEAVES else target + drop * stride
                            write_step(
                                header, fields, rows, row, out, count, s, there, direction, length[s] - 1
                            )
                            actions[count] = 4 * s + direction
                            count += 1
                        continue
                pushed = ZERO
                if found & ENTITIES != ZERO:
                    pushed = ILLEGAL
                    if direction != DOWN:
                        pushed = pushed_by(
                            header, board, features, cells, first, length, foot, s, found, step
                        )
                    if pushed == ILLEGAL:
                        continue
                fruit_left = status[FRUIT_LEFT]
                alive = play(
                    header, board, features, cells, first, length, status, foot, s, target, step, pushed,
                    settled,
                )  # fmt: skip
                if alive:
                    for w in range(rows.shape[1]):
                        out[count, w] = rows[row, w]
                    opposite = np.uint64(direction ^ 1)
                    prepend_direction(
                        out, count, fields[s, BODY], fields[s, BODY_BITS], opposite, length[s] - 1
                    )
                    if length[s] > sizes[s]:
                        write_meal(header, fields, fruit, out, count, s, target)
                    write_changed(header, fields, out, count, cells, first, status)
                    actions[count] = 4 * s + direction
                    count += 1
                take_back(board, cells, kept, first, length, sizes, status, present)
                if status[FRUIT_LEFT] != fruit_left:
                    board[target] |= FRUIT
                    status[FRUIT_LEFT] = fruit_left
                if traced != 0:
                    for w in range(feature_words):
                        if alive:
                            foot[w] |= foot[feature_words + 1 + w]
                        foot[feature_words + 1 + w] = ZERO
                if alive:  # a move that is not legal would leave nothing either
                    touch(foot, features[target])
                    touch_ahead(features, cells, first, length, foot, pushed, step)
        counts[row] = count - begun
        if traced != 0:
            for e in range(entities):
                for i in range(1, length[e] + 1):
                    f = features[cells[e, i]]
                    foot[f >> 6] &= ~(np.uint64(3) << np.uint64(f & 63))
            for w in range(feature_words):
                footprints[row, w] = foot[w]
        wipe(header, fruit, tiles, board, cells, length)
    return count


@bare_njit
def fall_alone(
    header: Integers, board: Words, features: Integers, cells: Integers, length: Integers, status: Words,
    foot: Words, s: int, traced: bool,
) -> int:  # fmt: skip
    """Return how many rows snake `s`, at cells[s, 0], falls; else DEATH, LEAVES, or TOGETHER.

    Nothing else is suspect, and nothing rests on it.
    """
    # The board is not changed: a row at a time, everything below the snake but itself in one word.
    stride = header[STRIDE]
    others = ~(ONE << np.uint64(s))
    rows = 0
    while True:
        by = (rows + 1) * stride
        below = ZERO
        for i in range(length[s]):
            below |= board[cells[s, i] + by]
        below &= others
        if below & (FRUIT | ENTITIES) != ZERO:
            found, kind = rows, ZERO
            break
        if below & GROUND_BIT != ZERO:
            found, kind = rows, GROUND_BIT
            break
        if below & PORTAL != ZERO:
            return TOGETHER
        if below & SOLID != ZERO:
            found, kind = DEATH, SOLID
            break
        rows += 1
        if status[FRUIT_LEFT] == ZERO and cells[s, 0] + by == header[EXIT_CELL]:
            found, kind = LEAVES, ZERO
            break
    if traced:
        by = (rows + 1) * stride
        if kind != ZERO:  # the one cell that holds it, or kills it
            i = length[s] - 1
            while board[cells[s, i] + by] & kind == ZERO:
                i -= 1
            touch(foot, features[cells[s, i] + by] + (kind == GROUND_BIT))
        # If it falls through there is no ground; nor are there spikes, unless it dies anyway.
        for i in range(length[s]):
            for row in range(1, rows + 1 + (found == DEATH)):
                feature = features[cells[s, i] + row * stride]
                touch(foot, feature + 1)
                if found != DEATH:
                    touch(foot, feature)
    return found


@bare_njit
def write_step(
    header: Integers, fields: Integers, rows: Words, row: int, out: Words, at: int, s: int, head: int,
    direction: int, segments: int,
) -> None:  # fmt: skip
    """Write the row in which snake `s` has moved to `head` and nothing else has changed."""
    # Two fields of the old row change; head 0 is a snake that is out.
    for w in range(rows.shape[1]):
        out[at, w] = rows[row, w]
    if head == 0:
        put(out, at, fields[s, PLACE], header[CELL_BITS], ZERO)
        put_zeros(out, at, fields[s, BODY], fields[s, BODY_BITS])
        put_zeros(out, at, fields[s, GROWTH], fields[s, GROWTH_BITS])
        return
    put(out, at, fields[s, PLACE], header[CELL_BITS], np.uint64(head - header[STRIDE] + 1))
    prepend_direction(out, at, fields[s, BODY], fields[s, BODY_BITS], np.uint64(direction ^ 1), segments)


@bare_njit
def write_meal(
    header: Integers, fields: Integers, fruit: Integers, out: Words, at: int, s: int, cell: int
) -> None:
    """Write that snake `s` has eaten the fruit in a cell."""
    # The fruit's bit, and the snake's growth if it is recorded.
    for f in range(fruit.size):
        if fruit[f] == cell:
            put(out, at, header[FRUIT_OFFSET] + f, 1, ONE)
    width = fields[s, GROWTH_BITS]
    if width > 0:
        put(out, at, fields[s, GROWTH], width, get(out, at, fields[s, GROWTH], width) + ONE)


@bare_njit
def write_changed(
    header: Integers, fields: Integers, out: Words, at: int, cells: Integers, first: Integers, status: Words
) -> None:
    """Write where the entities that have changed are now."""
    # A snake that is out has zeros in all its fields.
    rest = status[CHANGED]
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        e = bit_index(bit)
        place = ZERO
        if status[PRESENT] & bit != ZERO:
            place = np.uint64(cells[e, first[e]] - header[STRIDE] + 1)
        put(out, at, fields[e, PLACE], header[CELL_BITS], place)
        if place == ZERO:
            put_zeros(out, at, fields[e, BODY], fields[e, BODY_BITS])
            put_zeros(out, at, fields[e, GROWTH], fields[e, GROWTH_BITS])


@bare_njit
def pushed_by(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    foot: Words, s: int, found: np.uint64, step: int,
) -> np.uint64:  # fmt: skip
    """Return the entities that snake `s` pushes if it finds `found` ahead; ILLEGAL if they cannot move."""
    # Only the cell that stops them goes into the footprint. A tail may leave its cell, but not in growth.
    bit = ONE << np.uint64(s)
    pushed = found & ENTITIES
    waiting = pushed
    while waiting != ZERO:
        entity = waiting & (~waiting + ONE)
        waiting ^= entity
        e = bit_index(entity)
        for i in range(first[e], first[e] + length[e]):
            ahead = board[cells[e, i] + step]
            if ahead & (SOLID | FRUIT | bit) != ZERO:
                if (
                    header[TAIL_LEAVES] != 0
                    and found & FRUIT == ZERO
                    and cells[e, i] + step == cells[s, length[s]]
                ):
                    continue
                if ahead & (FRUIT | bit) == ZERO:
                    touch(foot, features[cells[e, i] + step])
                return ILLEGAL
            fresh = ahead & ENTITIES & ~pushed
            pushed |= fresh
            waiting |= fresh
    return pushed


@bare_njit
def touch_ahead(
    features: Integers, cells: Integers, first: Integers, length: Integers, foot: Words, pushed: np.uint64,
    step: int,
) -> None:  # fmt: skip
    """Add what the pushed entities enter to the footprint."""
    # Cells that another of them leaves are under a part of the position, and do not count in the end.
    while pushed != ZERO:
        entity = pushed & (~pushed + ONE)
        pushed ^= entity
        e = bit_index(entity)
        for i in range(first[e], first[e] + length[e]):
            touch(foot, features[cells[e, i] + step])


@bare_njit
def play(
    header: Integers, board: Words, features: Integers, cells: Integers, first: Integers, length: Integers,
    status: Words, foot: Words, s: int, target: int, step: int, pushed: np.uint64, settled: bool,
) -> bool:  # fmt: skip
    """Make a legal move on the board, and let everything settle; False: a death."""
    # Whatever moves, and whatever rests on what it leaves, is suspect; all are if nothing was settled.
    stride = header[STRIDE]
    bit = ONE << np.uint64(s)
    status[CHANGED] = bit
    status[SUSPECT] = bit
    if board[target] & EXIT != ZERO and status[FRUIT_LEFT] == ZERO:
        take_out(board, cells, first, length, status, s, stride)
    else:
        if board[target] & FRUIT != ZERO:
            board[target] &= ~FRUIT
            status[FRUIT_LEFT] -= ONE
            length[s] += 1
            status[SUSPECT] |= board[target - stride] & ENTITIES
        else:
            rest = pushed
            while rest != ZERO:
                entity = rest & (~rest + ONE)
                rest ^= entity
                status[SUSPECT] |= above(board, cells, first, length, bit_index(entity), stride)
            shift(board, cells, first, length, pushed, step)
            status[CHANGED] |= pushed
            status[SUSPECT] |= pushed
            tail = cells[s, length[s]]
            board[tail] &= ~bit
            status[SUSPECT] |= board[tail - stride] & ENTITIES
        first[s] = 0
        cells[s, 0] = target
        board[target] |= bit
    if not settled:
        status[SUSPECT] = status[PRESENT]
    let_out(header, board, cells, first, length, status)
    return settle(header, board, features, cells, first, length, status, foot, s, bit | pushed, step)


@bare_njit
def take_back(
    board: Words, cells: Integers, kept: Integers, first: Integers, length: Integers, sizes: Integers,
    status: Words, present: np.uint64,
) -> None:  # fmt: skip
    """Bring everything that has changed back to where it was, except a fruit."""
    # All leave the board before the first comes back.
    rest = status[CHANGED] & status[PRESENT]
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        clear(board, cells, first, length, bit_index(bit))
    status[PRESENT] = present
    rest = status[CHANGED]
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        e = bit_index(bit)
        first[e] = 1
        length[e] = sizes[e]
        for i in range(1, sizes[e] + 1):
            cells[e, i] = kept[e, i]
            board[cells[e, i]] |= bit
