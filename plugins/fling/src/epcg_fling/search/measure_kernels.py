"""Compiled measures of many boards that rest on the search for solutions.

All have one form: boards from row `start` on are measured into the columns of `out` until the memo is full;
what is returned is the row that is not done, or the number of boards. The caller then goes on from that row
with a larger memo (`epcg_fling.search.solutions.SolutionSearch`).
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bit_count, njit
from epcg_fling.rules.move_kernels import list_moves, pushed, resting_cell
from epcg_fling.search.kernels import UNDECIDED, Endgame, Frames, Memo, count_winning, solve, solve_uniquely

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_MOST_MOVES = 256


@njit
def make_room(memo: Memo) -> None:
    """Forget everything when a quarter of the slots, half of what can be used, is in use."""
    # Verdicts serve the next boards too, so they are kept until the room is needed.
    if 4 * memo.used[0] > memo.keys.size:
        memo.keys[:] = _ZERO
        memo.used[0] = 0


@njit
def measure_solvable(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Write to out[0] whether each board is solvable."""
    # One search a board.
    for row in range(start, states.size):
        make_room(memo)
        out[0, row] = solve(geometry, states[row], solvable, memo, frames)
        if out[0, row] == UNDECIDED:
            return row
    return states.size


@njit
def measure_unique(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Write to out[0] whether each board has a unique solution."""
    # One chain of counts a board.
    for row in range(start, states.size):
        make_room(memo)
        out[0, row] = solve_uniquely(geometry, states[row], by_moves, solvable, unique, memo, frames)
        if out[0, row] == UNDECIDED:
            return row
    return states.size


@njit
def measure_winning_moves(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Write to out[0] the number of legal moves after which each board is still solvable."""
    # All moves are tried; the searches share what they find. (A literal argument would be compiled apart.)
    every_move, no_limit = int(np.int64(1)), int(np.int64(_MOST_MOVES))
    for row in range(start, states.size):
        make_room(memo)
        count, _ = count_winning(geometry, states[row], every_move, no_limit, solvable, memo, frames)
        out[0, row] = count
        if count == UNDECIDED:
            return row
    return states.size


@njit
def edited(
    geometry: NDArray[np.uint64],
    bits: np.uint64,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    verdicts: NDArray[np.int64],
) -> bool:
    """Judge a board and each of its edits; False if the memo is full.

    `verdicts`, (cells + 1, 2): solvable and unique with the piece at a cell removed or, if there is none,
    added; the last row is the board itself.
    """
    # One bit is toggled at a time; a board that is not solvable is not unique either.
    for cell in range(solvable.cells + 1):
        board = bits
        if cell < solvable.cells:
            board = bits ^ (_ONE << np.uint64(cell))
        verdicts[cell, 0] = 0
        if board != _ZERO:
            verdicts[cell, 0] = solve(geometry, board, solvable, memo, frames)
        verdicts[cell, 1] = verdicts[cell, 0]
        if verdicts[cell, 0] == 1:
            verdicts[cell, 1] = solve_uniquely(geometry, board, by_moves, solvable, unique, memo, frames)
        if verdicts[cell, 0] == UNDECIDED or verdicts[cell, 1] == UNDECIDED:
            return False
    return True


@njit
def measure_edits(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Write to out[0] and out[1] the number of cells whose edit changes solvability, and uniqueness."""
    # The boards that differ in one cell share most of their subtrees, so the memo does most of the work.
    verdicts = np.zeros((solvable.cells + 1, 2), np.int64)
    for row in range(start, states.size):
        make_room(memo)
        if not edited(geometry, states[row], by_moves, solvable, unique, memo, frames, verdicts):
            return row
        for metric in range(2):
            changes = 0
            for cell in range(solvable.cells):
                if verdicts[cell, metric] != verdicts[solvable.cells, metric]:
                    changes += 1
            out[metric, row] = changes
    return states.size


@njit
def list_edits(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Write to out[2 * cell : 2 * cell + 2] whether the board is solvable and unique after its edit."""
    # The table of `edited`, laid out as columns.
    verdicts = np.zeros((solvable.cells + 1, 2), np.int64)
    for row in range(start, states.size):
        make_room(memo)
        if not edited(geometry, states[row], by_moves, solvable, unique, memo, frames, verdicts):
            return row
        for cell in range(solvable.cells + 1):
            out[2 * cell, row] = verdicts[cell, 0]
            out[2 * cell + 1, row] = verdicts[cell, 1]
    return states.size


@njit
def measure_solutions(
    geometry: NDArray[np.uint64],
    states: NDArray[np.uint64],
    start: int,
    by_moves: int,
    solvable: Endgame,
    unique: Endgame,
    memo: Memo,
    frames: Frames,
    out: NDArray[np.int64],
) -> int:
    """Measure the lexicographically first solution of each board.

    out[0] is 1 if there is one, out[1] its length, out[2] switches to another piece, out[3] moves that touch
    a piece which the move before set in motion, out[4] the sum of the legal moves of the boards on the way.
    """
    # At each board the first move, by cell and direction, whose board is solvable. `resting` is the cell of
    # the piece flung last, `disturbed` are all the pieces that the last move set in motion.
    moves = np.zeros((_MOST_MOVES, 3), np.uint64)
    for row in range(start, states.size):
        make_room(memo)
        bits = states[row]
        out[0, row] = solve(geometry, bits, solvable, memo, frames)
        if out[0, row] == UNDECIDED:
            return row
        length, switches, touching, branches = 0, 0, 0, 0
        resting = -1
        disturbed = _ZERO
        while out[0, row] == 1 and bit_count(bits) > 1:
            count = int(list_moves(geometry, bits, moves))
            chosen = -1
            for move in range(count):
                verdict = solve(geometry, moves[move, 2], solvable, memo, frames)
                if verdict == UNDECIDED:
                    return row
                if verdict == 1:
                    chosen = move
                    break
            cell, direction = int(np.int64(moves[chosen, 0])), int(np.int64(moves[chosen, 1]))
            set_in_motion = (bits & geometry[64 * direction + cell]) | (_ONE << np.uint64(cell))
            if length > 0 and cell != resting:
                switches += 1
            if set_in_motion & disturbed != _ZERO:
                touching += 1
            disturbed = pushed(geometry, bits, cell, direction)
            resting = int(resting_cell(disturbed, direction))
            length += 1
            branches += count
            bits = moves[chosen, 2]
        out[1, row] = length
        out[2, row] = switches
        out[3, row] = touching
        out[4, row] = branches
    return states.size
