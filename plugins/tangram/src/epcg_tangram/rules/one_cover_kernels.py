"""The kernels of the random search for one solved board.

The search decides the cell, or the piece that must be used, that has fewest ways left, ties at random, and
tries these ways in a random order, in which pieces with few places come sooner. What a placement takes is
told to all others: a counter says how often each is blocked, so undoing is the same in reverse.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit

FOUND, NONE, LIMIT = 1, 0, -1
FREE, COVERED, EMPTY = 0, 1, 2


@njit
def drawn(state: NDArray[np.uint64], below: int) -> int:
    """Draw a number from 0 to `below` - 1 (xorshift64*)."""
    x = state[0]
    x ^= x >> np.uint64(12)
    x ^= x << np.uint64(25)
    x ^= x >> np.uint64(27)
    state[0] = x
    return int((x * np.uint64(2685821657736338717)) >> np.uint64(33)) % below


@njit
def blocked_by(
    placement: int,
    by: int,
    starts: NDArray[np.int64],
    covers: NDArray[np.int64],
    piece_of: NDArray[np.int64],
    blocked: NDArray[np.int64],
    on_cell: NDArray[np.int64],
    of_piece: NDArray[np.int64],
) -> None:
    """Block a placement once more (`by` = 1) or once less (-1), and count those that are left."""
    before = blocked[placement] == 0
    blocked[placement] += by
    if before != (blocked[placement] == 0):
        for at in range(starts[placement], starts[placement + 1]):
            on_cell[covers[at]] -= by
        of_piece[piece_of[placement]] -= by


@njit
def changed(
    cell: int,
    by: int,
    on_starts: NDArray[np.int64],
    on: NDArray[np.int64],
    starts: NDArray[np.int64],
    covers: NDArray[np.int64],
    piece_of: NDArray[np.int64],
    blocked: NDArray[np.int64],
    on_cell: NDArray[np.int64],
    of_piece: NDArray[np.int64],
) -> None:
    """Block all placements on a cell once more, or once less."""
    for at in range(on_starts[cell], on_starts[cell + 1]):
        blocked_by(on[at], by, starts, covers, piece_of, blocked, on_cell, of_piece)


@njit
def regions_fit(
    state: NDArray[np.int64],
    near_starts: NDArray[np.int64],
    near: NDArray[np.int64],
    sums: NDArray[np.bool_],
    seen: NDArray[np.bool_],
    front: NDArray[np.int64],
) -> bool:
    """Return whether each region of free cells has a size that is a sum of sizes of pieces."""
    seen[:] = False
    for first in range(len(state)):
        if state[first] != FREE or seen[first]:
            continue
        seen[first] = True
        front[0] = first
        size, at = 1, 0
        while at < size:
            for other in range(near_starts[front[at]], near_starts[front[at] + 1]):
                cell = near[other]
                if state[cell] == FREE and not seen[cell]:
                    seen[cell] = True
                    front[size] = cell
                    size += 1
            at += 1
        if not sums[size]:
            return False
    return True


@njit
def search(
    starts: NDArray[np.int64],
    covers: NDArray[np.int64],
    piece_of: NDArray[np.int64],
    on_starts: NDArray[np.int64],
    on: NDArray[np.int64],
    piece_starts: NDArray[np.int64],
    near_starts: NDArray[np.int64],
    near: NDArray[np.int64],
    least: NDArray[np.int64],
    most: NDArray[np.int64],
    optional: NDArray[np.bool_],
    most_empty: int,
    all_empty: bool,
    unused: int,
    sums: NDArray[np.bool_],
    random: NDArray[np.uint64],
    limit: int,
    out: NDArray[np.int64],
    told: NDArray[np.int64],
) -> int:
    """Search one solved board from the empty one; return FOUND, NONE if there is none, or LIMIT.

    `out` gets the placements; `told` how many they are, and the placements and empty cells that were tried,
    at most `limit`. `most_empty` cells may stay empty, all of which must if `all_empty`; at most `unused`
    copies may stay in the box, any number if negative. Regions are looked at if `sums` is not empty.
    """
    cells, pieces = len(on_starts) - 1, len(least)
    state = np.zeros(cells, np.int64)
    blocked = np.zeros(len(piece_of), np.int64)
    on_cell = on_starts[1:] - on_starts[:-1]
    of_piece = piece_starts[1:] - piece_starts[:-1]
    used = np.zeros(pieces, np.int64)
    seen, front = np.zeros(cells, np.bool_), np.zeros(cells, np.int64)
    options = np.zeros(len(piece_of) + cells + 1, np.int64)
    keys = np.zeros(len(options), np.int64)
    ends = np.zeros(cells + 2, np.int64)
    """Where the ways to go on end, of each depth; those from `at` on are left."""
    at = np.zeros(cells + 2, np.int64)
    item = np.zeros(cells + 2, np.int64)
    tried = lying = empties = depth = 0
    for piece in range(pieces):
        if most[piece] == 0:
            for placement in range(piece_starts[piece], piece_starts[piece + 1]):
                blocked_by(placement, 1, starts, covers, piece_of, blocked, on_cell, of_piece)
    going_on = True
    while True:
        if going_on:
            # Choose what has fewest ways to go on.
            best, count, ties, dead = -1, 1 << 60, 0, False
            free = 0
            for cell in range(cells):
                if state[cell] == FREE:
                    free += 1
                    ways = on_cell[cell] + (1 if optional[cell] and empties < most_empty else 0)
                    if ways < count:
                        best, count, ties = cell, ways, 1
                    elif ways == count:
                        ties += 1
                        if drawn(random, ties) == 0:
                            best = cell
            box = 0
            for piece in range(pieces):
                box += most[piece] - used[piece]
                if used[piece] < least[piece] and of_piece[piece] < count:
                    best, count, ties = cells + piece, of_piece[piece], 1
            if count == 0:
                dead = True
            elif best < 0:
                if (not all_empty or empties == most_empty) and (unused < 0 or box <= unused):
                    told[0], told[1] = lying, tried
                    return FOUND
                dead = True
            elif len(sums) and not regions_fit(state, near_starts, near, sums, seen, front):
                dead = True
            first = ends[depth - 1] if depth else 0
            last = first
            if not dead:
                if best >= cells:
                    for placement in range(piece_starts[best - cells], piece_starts[best - cells + 1]):
                        if blocked[placement] == 0:
                            options[last] = placement
                            last += 1
                else:
                    for place in range(on_starts[best], on_starts[best + 1]):
                        if blocked[on[place]] == 0:
                            options[last] = on[place]
                            last += 1
                    if optional[best] and empties < most_empty:
                        options[last] = -1 - best
                        last += 1
                for place in range(first, last):  # pieces with few places sooner: others can lie later, too
                    own = options[place]
                    places = 1
                    if own >= 0:
                        places = piece_starts[piece_of[own] + 1] - piece_starts[piece_of[own]]
                    keys[place] = drawn(random, 1 << 20) * places
            at[depth], ends[depth] = first, last
        else:
            # Take back what was tried last at this depth.
            own = item[depth]
            if own < 0:
                cell = -1 - own
                state[cell] = FREE
                empties -= 1
                changed(cell, -1, on_starts, on, starts, covers, piece_of, blocked, on_cell, of_piece)
            else:
                piece = piece_of[own]
                if used[piece] == most[piece]:
                    for placement in range(piece_starts[piece], piece_starts[piece + 1]):
                        blocked_by(placement, -1, starts, covers, piece_of, blocked, on_cell, of_piece)
                used[piece] -= 1
                lying -= 1
                for place in range(starts[own], starts[own + 1]):
                    state[covers[place]] = FREE
                    changed(
                        covers[place], -1, on_starts, on, starts, covers, piece_of, blocked, on_cell, of_piece
                    )
        if at[depth] == ends[depth]:
            if depth == 0:
                told[0], told[1] = 0, tried
                return NONE
            depth -= 1
            going_on = False
            continue
        if tried == limit:
            told[0], told[1] = 0, tried
            return LIMIT
        tried += 1
        place = at[depth] + int(np.argmin(keys[at[depth] : ends[depth]]))
        own = options[place]
        options[place], keys[place] = options[at[depth]], keys[at[depth]]
        at[depth] += 1
        item[depth] = own
        if own < 0:
            cell = -1 - own
            state[cell] = EMPTY
            empties += 1
            changed(cell, 1, on_starts, on, starts, covers, piece_of, blocked, on_cell, of_piece)
        else:
            piece = piece_of[own]
            for place in range(starts[own], starts[own + 1]):
                state[covers[place]] = COVERED
                changed(covers[place], 1, on_starts, on, starts, covers, piece_of, blocked, on_cell, of_piece)
            out[lying] = own
            lying += 1
            used[piece] += 1
            if used[piece] == most[piece]:
                for placement in range(piece_starts[piece], piece_starts[piece + 1]):
                    blocked_by(placement, 1, starts, covers, piece_of, blocked, on_cell, of_piece)
        depth += 1
        going_on = True
