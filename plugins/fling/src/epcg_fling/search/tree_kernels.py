"""Compiled counts that need no search for solutions: reachable boards, and the trees of all moves."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit
from epcg_fling.rules.move_kernels import count_moves, flung, legal, list_moves
from epcg_fling.search.kernels import Frames, open_frame, slot_of

OVER_LIMIT = -1

_ONE = np.uint64(1)
_ZERO = np.uint64(0)


@njit
def _reach(
    geometry: NDArray[np.uint64],
    board: np.uint64,
    limit: int,
    keys: NDArray[np.uint64],
    slots: NDArray[np.int64],
    queue: NDArray[np.uint64],
    moves: NDArray[np.uint64],
) -> int:
    """Fill the queue with the boards reachable from a board; return their number, 0 if it is too short.

    More than `limit` of them end the search.
    """
    # Breadth first: the queue holds every board once, in the order of its discovery; the keys are a hash
    # table with open addressing that says which are in it. The slots in use are listed, so that only they
    # are emptied for the next board.
    found = 1
    done = 0
    queue[0] = board
    slots[0] = slot_of(keys, board)
    keys[slots[0]] = board
    while done < found and found <= limit:
        count = list_moves(geometry, queue[done], moves)
        done += 1
        for move in range(count):
            after = moves[move, 2]
            slot = slot_of(keys, after)
            if keys[slot] == _ZERO:
                if found == queue.size:
                    return 0
                keys[slot] = after
                slots[found] = slot
                queue[found] = after
                found += 1
    return found


@njit
def count_reachable(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    limit: int,
    keys: NDArray[np.uint64],
    slots: NDArray[np.int64],
    queue: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> int:
    """Write to out[row] the number of distinct boards reachable from each board, or OVER_LIMIT.

    `keys` is (2^n,) uint64, all 0; `slots` and `queue` are half as long. Returns the row for which they are
    too short, or the number of boards.
    """
    moves = np.zeros((256, 3), np.uint64)
    for row in range(start, states.size):
        found = _reach(geometry, states[row], limit, keys, slots, queue, moves)
        if found == 0:
            return row
        out[row] = found if found <= limit else OVER_LIMIT
        for i in range(found):
            keys[slots[i]] = _ZERO
    return states.size


@njit
def count_dead_ends(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    limit: int,
    keys: NDArray[np.uint64],
    verdicts: NDArray[np.uint8],
    slots: NDArray[np.int64],
    queue: NDArray[np.uint64],
    out: NDArray[np.int64],
) -> int:
    """Write to out the losing moves, dead boards and reachable boards of each board; or OVER_LIMIT to out[2].

    `verdicts`, (2^n,) uint8, belongs to `keys`; the rest is as in `count_reachable`.
    """
    # The queue of the breadth-first search is in decreasing order of pieces, so from its end on the verdicts
    # of all successors are known: a board of one piece is solved, another one if a successor is.
    moves = np.zeros((256, 3), np.uint64)
    for row in range(start, states.size):
        found = _reach(geometry, states[row], limit, keys, slots, queue, moves)
        if found == 0:
            return row
        dead = 0
        losing = 0
        if found <= limit:
            for i in range(found - 1, -1, -1):
                count = list_moves(geometry, queue[i], moves)
                won = 0
                for move in range(count):
                    won += int(verdicts[slot_of(keys, moves[move, 2])])
                solvable = won > 0 or bit_count(queue[i]) == _ONE
                verdicts[slots[i]] = solvable
                dead += 0 if solvable else 1
                losing = int(count) - won
        out[0, row] = losing
        out[1, row] = dead
        out[2, row] = found if found <= limit else OVER_LIMIT
        for i in range(found):
            keys[slots[i]] = _ZERO
    return states.size


@njit
def is_independent(
    geometry: NDArray[np.uint64],
    before: np.uint64,
    cell: int,
    direction: int,
    after: np.uint64,
    next_cell: int,
    next_direction: int,
) -> bool:
    """Return whether a move that is legal on `before` and `after` commutes with the one in between."""
    # The other order: first the later move, then, if it is still legal, the earlier one.
    other = flung(geometry, before, next_cell, next_direction)
    if not legal(geometry, other, cell, direction):
        return False
    return bool(flung(geometry, other, cell, direction) == flung(geometry, after, next_cell, next_direction))


@njit
def drop_independent(
    geometry: NDArray[np.uint64],
    depth: int,
    cell: int,
    direction: int,
    frames: Frames,
    legal_moves: NDArray[np.uint64],
) -> None:
    """Drop the moves at `depth` that do not depend on the one, (cell, direction), that led there."""
    # Candidates are the pieces that could be flung the same way one board earlier: two sets' intersection.
    for next_direction in range(4):
        candidates = frames.moves[depth, next_direction] & legal_moves[depth - 1, next_direction]
        while candidates != _ZERO:
            piece = candidates & (~candidates + _ONE)
            candidates ^= piece
            if is_independent(
                geometry,
                frames.boards[depth - 1],
                cell,
                direction,
                frames.boards[depth],
                int(bit_index(piece)),
                next_direction,
            ):
                frames.moves[depth, next_direction] ^= piece


@njit
def keep_legal(frames: Frames, depth: int, legal_moves: NDArray[np.uint64]) -> None:
    """Copy the moves at `depth`, before any is taken from them."""
    # Word by word: an assignment of rows would take seconds to compile.
    for direction in range(4):
        legal_moves[depth, direction] = frames.moves[depth, direction]


@njit
def open_moves(frames: Frames, depth: int) -> int:
    """Return the number of moves still to try at `depth`."""
    # Four population counts.
    count = 0
    for direction in range(4):
        count += int(bit_count(frames.moves[depth, direction]))
    return count


@njit
def tree_size(
    geometry: NDArray[np.uint64],
    bits: np.uint64,
    expert: int,
    limit: int,
    frames: Frames,
    legal_moves: NDArray[np.uint64],
) -> int:
    """Count the nodes of the tree of all moves, root and leaves included; OVER_LIMIT beyond `limit`.

    If `expert`, moves that do not depend on the previous one are skipped. `legal_moves` is (65, 4).
    """
    # Depth first without duplicate detection. Opening a board counts its successors at once, so boards of one
    # piece are never visited, and those of two are counted without going down.
    pieces = int(bit_count(bits))
    depth = int(np.int64(0))
    open_frame(geometry, frames, depth, bits)
    keep_legal(frames, depth, legal_moves)
    size = 1 + open_moves(frames, depth)
    if pieces <= 2:
        depth = -1
    while depth >= 0:
        if size > limit:
            return OVER_LIMIT
        direction = 0
        while direction < 4 and frames.moves[depth, direction] == _ZERO:
            direction += 1
        if direction == 4:
            depth -= 1
            continue
        moves = frames.moves[depth, direction]
        piece = moves & (~moves + _ONE)
        frames.moves[depth, direction] = moves ^ piece
        cell = int(bit_index(piece))
        successor = flung(geometry, frames.boards[depth], cell, direction)
        two_left = pieces - depth - 1 == 2
        if two_left and expert == 0:
            size += int(count_moves(geometry, successor))
            continue
        depth += 1
        open_frame(geometry, frames, depth, successor)
        if expert == 1:
            keep_legal(frames, depth, legal_moves)
            drop_independent(geometry, depth, cell, direction, frames, legal_moves)
        size += open_moves(frames, depth)
        if two_left:
            depth -= 1
    return size if size <= limit else OVER_LIMIT


@njit
def tree_sizes(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    limit: int,
    frames: Frames,
    out: NDArray[np.int64],
) -> None:
    """Write to out the full and the expert's tree of each board; out[0] OVER_LIMIT if too large."""
    # Two walks a board; the expert's tree is never the larger.
    legal_moves = np.zeros((65, 4), np.uint64)
    for row in range(states.size):
        for expert in range(2):
            out[expert, row] = tree_size(geometry, states[row], expert, limit, frames, legal_moves)
            if out[expert, row] == OVER_LIMIT:
                break
