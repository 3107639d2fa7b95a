"""Compiled play from one board: a shortest solution, pieces without which it is as long, a whole cluster."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit
from epcg_rushhour.kernels import taken_by

_FACTOR = np.uint64(0x9E3779B97F4A7C15)
_SHIFT = np.uint64(32)
NONE, FULL = -1, -2


@njit
def place_of(word: int, slots: NDArray[np.int64]) -> int:
    """Return the slot of a board in a hash table, or the free one that it would take."""
    mask = slots.size - 1
    mixed = np.uint64(word) * _FACTOR
    at = np.int64(mixed ^ (mixed >> _SHIFT)) & mask
    while slots[at] != -1 and slots[at] != word:
        at = (at + 1) & mask
    return int(at)


@njit
def add(
    word: int,
    count: int,
    slots: NDArray[np.int64],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Add a board to those that were met, unless it is there. Returns how many there are.

    Args:
        word: the board.
        count: how many were met.
        slots: a hash table of them, -1 where it is free; its length is a power of 2.
        boards: those that were met, in order.
        places: their slots.
    """
    at = place_of(word, slots)
    if slots[at] == word:
        return count
    slots[at] = word
    boards[count] = word
    places[count] = at
    return count + 1


@njit
def moves_of(
    word: int,
    most: int,
    cells: NDArray[np.int64],
    first: NDArray[np.int64],
    target: NDArray[np.int64],
    way: NDArray[np.int64],
    red: int,
    solved: int,
    slots: NDArray[np.int64],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Return the moves of a shortest solution; NONE if there is none of at most `most`, FULL without room.

    Args:
        word: the board, as of `kernels.words_of`.
        most: the moves.
        cells: the cells that pieces take, (lines, arrangements).
        first: the first move of an arrangement, (arrangements + 1,): its moves are those before the next's.
        target: the arrangement after each move.
        way: the cells that a move crosses or reaches, (lines, moves).
        red: the row of the red car.
        solved: the arrangement of that row that wins.
        slots: room, a power of 2, all -1 before and after.
        boards: room, (half of the slots,).
        places: room, (half of the slots,).
    """
    count = add(word, 0, slots, boards, places)
    found = NONE
    head = 0
    moves = 0
    beyond = 1
    while head < count:
        if head == beyond:
            moves += 1
            beyond = count
        board = boards[head]
        head += 1
        lying = (board >> (5 * red)) & 31
        if lying == solved:
            found = moves
            break
        taken = taken_by(board, cells)
        if moves < most:
            for move in range(first[lying], first[lying + 1]):
                if target[move] == solved and way[red, move] & taken == 0:
                    found = moves + 1
            if found != NONE:
                break
        if moves + 1 >= most:  # a board after one more move would have none left
            continue
        for line in range(cells.shape[0]):
            lying = (board >> (5 * line)) & 31
            for move in range(first[lying], first[lying + 1]):
                if way[line, move] & taken == 0 and count < boards.size:
                    next_board = board + ((target[move] - lying) << (5 * line))
                    count = add(next_board, count, slots, boards, places)
        if count == boards.size:
            found = FULL
            break
    for at in range(count):
        slots[places[at]] = -1
    return found


@njit
def idle_piece(
    word: int,
    moves: int,
    begin: int,
    cells: NDArray[np.int64],
    first: NDArray[np.int64],
    target: NDArray[np.int64],
    way: NDArray[np.int64],
    fewer: NDArray[np.int64],
    red: int,
    solved: int,
    slots: NDArray[np.int64],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
) -> int:
    """Return a piece without which a board takes as many moves: twice its line, and 1 for the line's second.

    NONE if there is none but the red car, FULL if there is no room for the boards that one leads to.

    Args: as of `moves_of`; and
        moves: the moves that the board takes.
        begin: the piece that is tried first.
        fewer: the arrangement without its first and without its second piece; -1 for none, (arrangements, 2).
    """
    many = 2 * cells.shape[0]
    for nth in range(many):
        number = (begin + nth) % many
        line = number >> 1
        lying = (word >> (5 * line)) & 31
        if line == red or fewer[lying, number & 1] < 0:
            continue
        if moves == 0:  # fewer pieces never take more moves
            return int(number)
        less = word + ((fewer[lying, number & 1] - lying) << (5 * line))
        found = moves_of(less, moves - 1, cells, first, target, way, red, solved, slots, boards, places)
        if found == FULL:
            return FULL
        if found == NONE:
            return int(number)
    return NONE


@njit
def are_minimal(
    words: NDArray[np.int64],
    done: int,
    cells: NDArray[np.int64],
    first: NDArray[np.int64],
    target: NDArray[np.int64],
    way: NDArray[np.int64],
    fewer: NDArray[np.int64],
    red: int,
    solved: int,
    slots: NDArray[np.int64],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
    minimal_out: NDArray[np.bool_],
    known_out: NDArray[np.bool_],
) -> int:
    """Write whether boards take another number of moves without any one piece but the red car.

    Returns how many are done; fewer than all if there is no room for the boards that one leads to.

    Args: as of `idle_piece`; and
        words: the boards, (n,).
        done: how many were done before.
        minimal_out: whether each piece matters, (n,).
        known_out: whether the board can be solved, (n,).
    """
    for at in range(done, words.size):
        word = words[at]
        moves = moves_of(word, 1 << 30, cells, first, target, way, red, solved, slots, boards, places)
        idle = NONE
        if moves >= 0:
            idle = idle_piece(
                word, moves, 0, cells, first, target, way, fewer, red, solved, slots, boards, places
            )
        if moves == FULL or idle == FULL:
            return at
        known_out[at] = moves != NONE
        minimal_out[at] = moves != NONE and idle == NONE
    return int(words.size)


@njit
def cluster_of(
    word: int,
    cells: NDArray[np.int64],
    first: NDArray[np.int64],
    target: NDArray[np.int64],
    way: NDArray[np.int64],
    red: int,
    solved: int,
    slots: NDArray[np.int64],
    boards: NDArray[np.int64],
    places: NDArray[np.int64],
    numbers: NDArray[np.int64],
    moves_out: NDArray[np.int64],
    queue: NDArray[np.int64],
) -> int:
    """Write the boards that one leads to, and the moves that each needs. Returns how many; FULL without room.

    Args: as of `moves_of`, `boards` being what is written; and
        numbers: room, (slots,).
        moves_out: the moves of a shortest solution of each board, -1 for none, (half of the slots,).
        queue: room, (half of the slots,).
    """
    count = add(word, 0, slots, boards, places)
    for side in range(2):  # from the board, to find them all; then from those that are solved
        head = 0
        tail = 0
        if side == 1:
            for at in range(count):
                numbers[places[at]] = at
                moves_out[at] = -1
                if (boards[at] >> (5 * red)) & 31 == solved:
                    moves_out[at] = 0
                    queue[tail] = at
                    tail += 1
        while head < (count if side == 0 else tail):
            own = head if side == 0 else queue[head]
            head += 1
            taken = taken_by(boards[own], cells)
            for line in range(cells.shape[0]):
                lying = (boards[own] >> (5 * line)) & 31
                for move in range(first[lying], first[lying + 1]):
                    if way[line, move] & taken != 0:
                        continue
                    after = boards[own] + ((target[move] - lying) << (5 * line))
                    if side == 0:
                        if count < boards.size:
                            count = add(after, count, slots, boards, places)
                        continue
                    other = numbers[place_of(after, slots)]
                    if moves_out[other] < 0:
                        moves_out[other] = moves_out[own] + 1
                        queue[tail] = other
                        tail += 1
            if count == boards.size:
                break
        if count == boards.size:
            break
    for at in range(count):
        slots[places[at]] = -1
    return FULL if count == boards.size else count
