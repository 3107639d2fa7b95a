"""Compiled search for solutions: depth first with duplicate detection, on top of endgame tables.

What a search knows without searching: boards of up to two pieces, boards of the layers whose tables are
loaded (`Endgame`), and boards that were decided before (`Memo`, a hash table with open addressing). Verdicts
are 1, 0 or UNDECIDED. A memo that is full makes the search give up with UNDECIDED rather than forget or
guess; the caller makes a larger one and starts over, so no verdict depends on its size.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, bit_index, njit, rank_combination_bits
from epcg_fling.rules.move_kernels import flung, movable

UNDECIDED = -1

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_GOLDEN = np.uint64(0x9E3779B97F4A7C15)
_MIX = np.uint64(32)


class Endgame(NamedTuple):
    """Bits by rank for up to three layers."""

    slots: NDArray[np.int64]
    """(65,) for each number of pieces, which table holds that layer; -1 for none."""
    binomials: NDArray[np.int64]
    """(65, 65): C(x, j)."""
    cells: int
    first: NDArray[np.uint8]
    second: NDArray[np.uint8]
    third: NDArray[np.uint8]


class Memo(NamedTuple):
    """Solvability of boards: keys (2^n,) uint64, 0 if free; verdicts (2^n,) uint8; used (1,) int64."""

    keys: NDArray[np.uint64]
    verdicts: NDArray[np.uint8]
    used: NDArray[np.int64]


class Frames(NamedTuple):
    """The path of a depth-first search: at each depth the board and the moves still to try."""

    boards: NDArray[np.uint64]
    """(65,)"""
    moves: NDArray[np.uint64]
    """(65, 4): pieces still to be flung up, right, down and left."""


def new_memo(size: int) -> Memo:
    """Make an empty memo of `size` slots, a power of two; half of them can be used."""
    return Memo(np.zeros(size, np.uint64), np.zeros(size, np.uint8), np.zeros(1, np.int64))


def new_frames() -> Frames:
    """Make room for the path of a search from any board."""
    return Frames(np.zeros(65, np.uint64), np.zeros((65, 4), np.uint64))


@njit
def slot_of(keys: NDArray[np.uint64], bits: np.uint64) -> np.int64:
    """Return the slot of `bits`: the first from its hash on that holds it or is free."""
    # Fibonacci hashing: the high half of a product is folded into the low one; linear probing. Boards are
    # never 0, which marks free slots, and one slot in two is free, so the loop ends soon.
    mask = np.uint64(keys.size - 1)
    mixed = bits * _GOLDEN
    slot = (mixed ^ (mixed >> _MIX)) & mask
    while keys[slot] != _ZERO and keys[slot] != bits:
        slot = (slot + _ONE) & mask
    return np.int64(slot)


@njit
def remember(memo: Memo, bits: np.uint64, verdict: int) -> bool:
    """Record a verdict; False, and nothing recorded, if half the slots are in use."""
    # A new key is counted, so that `slot_of` always finds a free slot.
    slot = slot_of(memo.keys, bits)
    if memo.keys[slot] == _ZERO:
        if 2 * memo.used[0] >= memo.keys.size:
            return False
        memo.used[0] += 1
        memo.keys[slot] = bits
    memo.verdicts[slot] = verdict
    return True


@njit
def look_up(endgame: Endgame, bits: np.uint64, pieces: int) -> np.int64:
    """Return the recorded bit of a board, or UNDECIDED if its layer is not loaded."""
    # One binomial a piece gives the rank (lexicographic), which is the index of the bit.
    slot = endgame.slots[pieces]
    if slot < 0:
        return np.int64(UNDECIDED)
    rank = int(rank_combination_bits(bits, endgame.cells, pieces, endgame.binomials))
    if slot == 0:
        byte = endgame.first[rank >> 3]
    elif slot == 1:
        byte = endgame.second[rank >> 3]
    else:
        byte = endgame.third[rank >> 3]
    return np.int64((np.int64(byte) >> (rank & 7)) & 1)


@njit
def known_solvable(
    geometry: NDArray[np.uint64], bits: np.uint64, pieces: int, endgame: Endgame, memo: Memo
) -> np.int64:
    """Return whether a board is solvable, as far as no search is needed."""
    # One piece is solved; with two, any move leaves one. Then the table of the layer, then the memo.
    if pieces < 2:
        return np.int64(pieces)
    if pieces == 2:
        up, right, down, left = movable(geometry, bits)
        return np.int64(up | right | down | left != _ZERO)
    verdict = look_up(endgame, bits, pieces)
    if verdict != UNDECIDED:
        return verdict
    slot = slot_of(memo.keys, bits)
    if memo.keys[slot] == bits:
        return np.int64(memo.verdicts[slot])
    return np.int64(UNDECIDED)


@njit
def open_frame(geometry: NDArray[np.uint64], frames: Frames, depth: int, bits: np.uint64) -> None:
    """Put a board with all its moves at `depth`."""
    # Four sets of pieces: the moves in the order in which they are tried.
    up, right, down, left = movable(geometry, bits)
    frames.boards[depth] = bits
    frames.moves[depth, 0] = up
    frames.moves[depth, 1] = right
    frames.moves[depth, 2] = down
    frames.moves[depth, 3] = left


@njit
def solve(
    geometry: NDArray[np.uint64], bits: np.uint64, endgame: Endgame, memo: Memo, frames: Frames
) -> np.int64:
    """Return whether a board is solvable: 1, 0, or UNDECIDED if the memo is full."""
    # Depth first along `frames`. A board whose moves are all tried is unsolvable; when a solvable successor
    # is met, so is every board of the path. Each is remembered, so none is searched twice.
    pieces = int(bit_count(bits))
    verdict = known_solvable(geometry, bits, pieces, endgame, memo)
    if verdict != UNDECIDED:
        return verdict
    # (A literal argument would be compiled apart.)
    unsolvable, solvable, depth = int(np.int64(0)), int(np.int64(1)), int(np.int64(0))
    open_frame(geometry, frames, depth, bits)
    while depth >= 0:
        board = frames.boards[depth]
        direction = 0
        while direction < 4 and frames.moves[depth, direction] == _ZERO:
            direction += 1
        if direction == 4:
            if not remember(memo, board, unsolvable):
                return np.int64(UNDECIDED)
            depth -= 1
            continue
        moves = frames.moves[depth, direction]
        piece = moves & (~moves + _ONE)
        frames.moves[depth, direction] = moves ^ piece
        successor = flung(geometry, board, int(bit_index(piece)), direction)
        verdict = known_solvable(geometry, successor, pieces - depth - 1, endgame, memo)
        if verdict == 1:
            for above in range(depth + 1):
                if not remember(memo, frames.boards[above], solvable):
                    return np.int64(UNDECIDED)
            return np.int64(1)
        if verdict == UNDECIDED:
            depth += 1
            open_frame(geometry, frames, depth, successor)
    return np.int64(0)


@njit
def count_winning(
    geometry: NDArray[np.uint64],
    bits: np.uint64,
    by_moves: int,
    enough: int,
    endgame: Endgame,
    memo: Memo,
    frames: Frames,
) -> tuple[np.int64, np.uint64]:
    """Count the moves to solvable boards, up to `enough`, and return the last such board too.

    Moves are counted if `by_moves`, else distinct boards, which is exact up to 2. The number is UNDECIDED
    if the memo is full.
    """
    # Every successor is solved in turn. Boards are compared with the one solvable board found before: two
    # moves to the same board do not make two ways.
    count = 0
    found = _ZERO
    up, right, down, left = movable(geometry, bits)
    for direction in range(4):
        moves = up
        if direction == 1:
            moves = right
        elif direction == 2:
            moves = down
        elif direction == 3:
            moves = left
        while moves != _ZERO and count < enough:
            piece = moves & (~moves + _ONE)
            moves ^= piece
            successor = flung(geometry, bits, int(bit_index(piece)), direction)
            if by_moves == 0 and successor == found:
                continue
            verdict = solve(geometry, successor, endgame, memo, frames)
            if verdict == UNDECIDED:
                return np.int64(UNDECIDED), found
            if verdict == 1:
                count += 1
                found = successor
    return np.int64(count), found


@njit
def solve_uniquely(
    geometry: NDArray[np.uint64],
    bits: np.uint64,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
) -> np.int64:
    """Return whether a board has a unique solution: 1, 0, or UNDECIDED if the memo is full."""
    # Only one way may lead on, and from there again only one, down to two pieces: no tree, a chain of counts
    # that stop at two.
    enough = int(np.int64(2))
    while True:
        pieces = int(bit_count(bits))
        if pieces <= 2:
            return known_solvable(geometry, bits, pieces, solvable, memo)
        verdict = look_up(unique, bits, pieces)
        if verdict != UNDECIDED:
            return verdict
        count, found = count_winning(geometry, bits, by_moves, enough, solvable, memo, frames)
        if count == UNDECIDED:
            return np.int64(UNDECIDED)
        if count != 1:
            return np.int64(0)
        bits = found
