"""Compiled boards and moves. A board is one word: five bits for each line, its rows before its columns.

The bits say how the line's own pieces lie in it (see `epcg_rushhour.graph`): pieces across in a row, down in
a column. Sets of cells are words, too. All words here have less than 63 bits and are int64.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import njit


@njit
def words_of(
    digits: NDArray[np.int64], size: int, arrangement: NDArray[np.int64], words_out: NDArray[np.int64]
) -> None:
    """Write the words of boards.

    Args:
        digits: the boards, (n, cells), as `epcg_rushhour.cells` has them.
        size: the cells in a row.
        arrangement: the arrangement of a line, by its cells as digits to the base of 3.
        words_out: the words, (n,).
    """
    for board in range(digits.shape[0]):
        word = 0
        for line in range(size):
            across = 0
            down = 0
            for place in range(size):
                digit = digits[board, line * size + place]
                across = 3 * across + (digit if digit <= 2 else 0)
                digit = digits[board, place * size + line]
                down = 3 * down + (digit - 2 if 3 <= digit <= 4 else 0)
            word += arrangement[across] << (5 * line)
            word += arrangement[down] << (5 * (size + line))
        words_out[board] = word


@njit
def digits_of_words(
    words: NDArray[np.int64], size: int, kinds: NDArray[np.int64], digits_out: NDArray[np.int64]
) -> None:
    """Write the digits of boards.

    Args:
        words: the boards, (n,).
        size: the cells in a row.
        kinds: what each cell of a line holds, (arrangements, size): 0, 1 or 2 as the beginning, or 5.
        digits_out: the digits, (n, cells).
    """
    for board in range(words.size):
        for cell in range(size * size):
            digits_out[board, cell] = 0
        for line in range(size):
            across = (words[board] >> (5 * line)) & 31
            down = (words[board] >> (5 * (size + line))) & 31
            for place in range(size):
                kind = kinds[across, place]
                if kind > 0:
                    digits_out[board, line * size + place] = kind
                kind = kinds[down, place]
                if kind > 0:
                    digits_out[board, place * size + line] = kind if kind == 5 else kind + 2


@njit
def are_packed(
    words: NDArray[np.int64],
    cells: NDArray[np.int64],
    before: NDArray[np.int64],
    packed_out: NDArray[np.bool_],
) -> None:
    """Write whether no piece can move left or up.

    Args:
        words: the boards, (n,).
        cells: the cells that pieces take, (lines, arrangements).
        before: the cells before pieces that are not taken by the same line, (lines, arrangements); cells
            beyond the edge do not count.
        packed_out: whether all cells before pieces are taken, (n,).
    """
    for board in range(words.size):
        word = words[board]
        taken = 0
        needed = 0
        for line in range(cells.shape[0]):
            lying = (word >> (5 * line)) & 31
            taken |= cells[line, lying]
            needed |= before[line, lying]
        packed_out[board] = needed & ~taken == 0


@njit
def taken_by(word: int, cells: NDArray[np.int64]) -> int:
    """Return the cells that the pieces of a board take; `cells` as of `are_packed`."""
    taken = 0
    for line in range(cells.shape[0]):
        taken |= cells[line, (word >> (5 * line)) & 31]
    return taken


@njit
def successors(
    words: NDArray[np.int64],
    cells: NDArray[np.int64],
    first: NDArray[np.int64],
    target: NDArray[np.int64],
    way: NDArray[np.int64],
    words_out: NDArray[np.int64],
    counts_out: NDArray[np.int64],
) -> int:
    """Write the boards after one move, those of the first board first. Returns how many there are.

    Args:
        words: the boards, (n,).
        cells: the cells that pieces take, (lines, arrangements).
        first: the first move of an arrangement, (arrangements + 1,): its moves are those before the next's.
        target: the arrangement after each move.
        way: the cells that a move crosses or reaches, (lines, moves).
        words_out: the boards after the moves, with room for all.
        counts_out: how many moves each board has, (n,).
    """
    found = 0
    for board in range(words.size):
        word = words[board]
        taken = taken_by(word, cells)
        begun = found
        for line in range(cells.shape[0]):
            lying = (word >> (5 * line)) & 31
            for move in range(first[lying], first[lying + 1]):
                if way[line, move] & taken == 0:
                    words_out[found] = word + ((target[move] - lying) << (5 * line))
                    found += 1
        counts_out[board] = found - begun
    return found
