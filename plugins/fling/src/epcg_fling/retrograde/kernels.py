"""Retrograde analysis in bit slices: 64 boards at a time.

The board is cut into an upper and a lower half. In lexicographic order all boards with the same
configuration P of the upper half are consecutive, in the order of their lower halves Q. So for each number j
of pieces in the upper half, a layer is a bit matrix with a row for each P and a column for each Q. How the
successors of 64 boards are combined by word instructions is told in `slices`.

- Moves in the upper half that leave Q alone combine whole rows of words.
- All others are done for 64 rows at a time, transposed: one word for each Q, with a bit for each of the 64 P.
  What Q becomes is the same for all 64, so a look-up is a look-up of a word (see `move_lists`), and what the
  P become is a choice of 64 rows of the table below, gathered and transposed 64 by 64 bits.

The limit, for 7 by 8 cells, 7 pieces, 3 of them above: 4096 boards take about 29 transpositions (for each
column the rows that moves from below and from above reach, solvable and unique) of 1152 word operations, four
to a vector, with 64 loads and stores: 130 cycles each, 0.9 a board. For each Q some 15 words are combined (2
moves inside, 3.5 up, 9 down) with 6 memory accesses and 6 operations: 5 cycles for 64 boards each, 1.2 a
board. Rows add 0.1. That is 2.2 cycles or 0.7 ns a board, reading 3.6 bytes of the table and 11 of working
arrays that fit the second cache. Measured: 1.2 to 1.6 ns, twice the limit (the loads of 64 distant rows, and
the second half of a transposition, which is not vector code). A whole layer takes 4 ns: rows of fewer than 64
boards waste words, few rows waste bits of words, and the hundredth of the boards with an empty half costs
120 ns each in `direct`.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import increment_combination_bits, njit, unrank_combination_bits
from epcg_fling.retrograde.bits import fling_back, fling_on, rank_board, rank_half, two_apart
from epcg_fling.retrograde.move_lists import space
from epcg_fling.retrograde.slices import (
    combine_down,
    combine_inner,
    combine_rows,
    combine_up,
    gather,
    gather_some,
    transpose,
    write_rows,
)

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ALL = np.uint64(2**64 - 1)
_NO_MASK = -1


@njit
def choose_rows(
    upper: np.uint64,
    size: int,
    held: int,
    width: int,
    height: int,
    lines: NDArray[np.uint64],
    distinct: int,
    fewer_base: int,
    fewer_stride: int,
    same_base: int,
    same_stride: int,
    binomials: NDArray[np.int64],
    top_ranks: NDArray[np.int64],
    up_rows: NDArray[np.uint64],
    down_rows: NDArray[np.uint64],
    masks: NDArray[np.uint64],
    beyond: NDArray[np.uint64],
    used: NDArray[np.bool_],
    inner: NDArray[np.int64],
    counts: NDArray[np.int64],
) -> None:
    """Note what the pieces of the upper half do in a group of `size` rows, from the one of `upper` on.

    `fewer` is the block with one piece less above, `same` that with one piece less below. Into
    up_rows[x, 0] and [x, 1] go the rows that a move of column x from below reaches, without and with a piece
    that passes down; into down_rows[2 * slot, x] and the next those of the slot-th piece of column x that can
    be flung down, without and with one that passes up; into `inner` the row, and the column to mask, of the
    moves that leave the lower half alone. Bits of `masks` answer for each column: is it occupied; are its
    pieces two apart up to the last row but one; up to the last row.
    """
    # Row by row, column by column, piece by piece: a new bitboard for each move, ranked by table.
    top = width * height
    fewer_last = binomials[top, held - 1] - 1
    same_last = binomials[top, held] - 1
    step = np.uint64(width)
    for bit in range(size):
        mine = _ONE << np.uint64(bit)
        moves = 0
        for x in range(width):
            line = lines[1, x]
            along = upper & line
            exit_cell = _ONE << np.uint64(top - width + x)
            if along == _ZERO:
                up_rows[x, 0, bit] = same_base + same_stride * rank_half(upper, same_last, top_ranks)
                continue
            masks[x, 0] |= mine
            if two_apart(along, step):
                if along & exit_cell != _ZERO:
                    masks[x, 2] |= mine
                elif along & (exit_cell >> step) != _ZERO:
                    masks[x, 1] |= mine
            if along & exit_cell != _ZERO:
                reached = (upper & ~line) | ((along ^ exit_cell) << step)
                up_rows[x, 1, bit] = fewer_base + fewer_stride * rank_half(reached, fewer_last, top_ranks)
            else:
                reached = (upper & ~line) | (along << step)
                up_rows[x, 0, bit] = same_base + same_stride * rank_half(reached, same_last, top_ranks)
            slot = 0
            rest = along
            while rest != _ZERO:
                piece = rest & (~rest + _ONE)
                rest ^= piece
                before = along & (piece - _ONE)
                if before != _ZERO and before & (piece >> step) == _ZERO:
                    duplicate = rest == _ZERO and two_apart(along, step)
                    reached = fling_back(upper, piece, line, step)
                    inner[bit, 2 * moves] = fewer_base + fewer_stride * rank_half(
                        reached, fewer_last, top_ranks
                    )
                    inner[bit, 2 * moves + 1] = x if distinct != 0 and duplicate else _NO_MASK
                    moves += 1
                if piece == exit_cell or upper & (piece << step) == _ZERO:
                    reached = fling_on(upper, piece, line, step)
                    down_rows[2 * slot, x, bit] = fewer_base + fewer_stride * rank_half(
                        reached, fewer_last, top_ranks
                    )
                    if piece != exit_cell:
                        down_rows[2 * slot + 1, x, bit] = same_base + same_stride * rank_half(
                            reached | exit_cell, same_last, top_ranks
                        )
                    used[slot, x] = True
                    if rest != _ZERO:
                        beyond[slot, x] |= mine
                    slot += 1
        for y in range(height):
            line = lines[0, y * width]
            across = upper & line
            rest = across
            while rest != _ZERO:
                piece = rest & (~rest + _ONE)
                rest ^= piece
                before = across & (piece - _ONE)
                if rest != _ZERO and rest & (piece << _ONE) == _ZERO:
                    reached = fling_on(upper, piece, line, _ONE)
                    inner[bit, 2 * moves] = fewer_base + fewer_stride * rank_half(
                        reached, fewer_last, top_ranks
                    )
                    inner[bit, 2 * moves + 1] = _NO_MASK
                    moves += 1
                if before != _ZERO and before & (piece >> _ONE) == _ZERO:
                    if distinct != 0 and rest == _ZERO and two_apart(across, _ONE):
                        continue
                    reached = fling_back(upper, piece, line, _ONE)
                    inner[bit, 2 * moves] = fewer_base + fewer_stride * rank_half(
                        reached, fewer_last, top_ranks
                    )
                    inner[bit, 2 * moves + 1] = _NO_MASK
                    moves += 1
        counts[bit] = moves
        upper = increment_combination_bits(upper, top)


@njit
def class_masks(masks: NDArray[np.uint64], x: int, distinct: int, out: NDArray[np.uint64]) -> None:
    """Write for each class of `up` moves in column x the rows of the group that have such a move."""
    # The first piece of a column needs one above; the last of a line two apart doubles the first one's move.
    occupied = masks[x, 0]
    out[0] = _ALL
    out[1] = occupied & ~masks[x, 1]
    out[2] = occupied & ~masks[x, 2]
    out[3] = occupied
    if distinct == 0:
        out[1] = out[2] = out[3] = _ALL
    for kind in range(4):
        out[4 + kind] = out[kind] & occupied


def scratch_words(configurations: int, with_one_less: int) -> int:
    """Return the size of `solve_rows`'s scratch, in 64-bit words, for configurations of the lower half."""
    here, there = (-(-number // 64) * 128 for number in (configurations, with_one_less))
    return 3 * here + 2 * there + 128


@njit
def solve_rows(
    first_row: int,
    last_row: int,
    held: int,
    start: int,
    count: int,
    pieces: int,
    distinct: int,
    width: int,
    cells: int,
    top: int,
    lines: NDArray[np.uint64],
    layout: NDArray[np.int64],
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    top_ranks: NDArray[np.int64],
    table: NDArray[np.uint64],
    up_ends: NDArray[np.int64],
    inner_offsets: NDArray[np.uint32],
    inner_targets: NDArray[np.uint32],
    up_entries: NDArray[np.uint32],
    entered: NDArray[np.uint8],
    down_targets: NDArray[np.uint32],
    occupied: NDArray[np.uint64],
    scratch: NDArray[np.uint64],
    solvable: NDArray[np.uint64],
    unique: NDArray[np.uint64],
) -> None:
    """Set the bits of the boards of some rows that lie in ranks start .. start + count - 1.

    The rows are those of `held` pieces in the upper half, first_row .. last_row - 1 in rank order; there are
    pieces in both halves. Bit 0 of `solvable` and `unique` belongs to rank `start`. The lists are those of
    `move_lists` for pieces - held pieces. `scratch` has `scratch_words` words, of any content.
    """
    # 64 rows at a time: the moves that change the lower half, transposed; then back, and the rest row by row.
    if last_row <= first_row:
        return
    below = pieces - held
    length = binomials[cells - top, below]
    words = (length + 63) // 64
    fewer_base, fewer_stride = layout[held - 1, 0] >> 6, layout[held - 1, 1] >> 6
    same_base, same_stride = layout[held, 0] >> 6, layout[held, 1] >> 6
    same_words = same_stride // 2
    here = space(length)
    there = space(binomials[cells - top, below - 1])
    nothing = np.uint64(layout[pieces, 0] >> 6)
    height = top // width
    slots = (height + 1) // 2
    accumulated = scratch[:here]
    unmoved = scratch[here : here + there]
    moved = scratch[here + there : 2 * here + 2 * there + 128]
    moved[here + there :] = 0
    solved = scratch[2 * here + 2 * there + 128 :]
    own_rows = np.empty(64, dtype=np.uint64)
    up_rows = np.empty((width, 2, 64), dtype=np.uint64)
    down_rows = np.empty((2 * slots, width, 64), dtype=np.uint64)
    masks = np.empty((width, 3), dtype=np.uint64)
    beyond = np.empty((slots, width), dtype=np.uint64)
    used = np.empty((slots, width), dtype=np.bool_)
    classes = np.empty(8, dtype=np.uint64)
    inner = np.empty((64, 6 * top), dtype=np.int64)
    counts = np.empty(64, dtype=np.int64)
    first_ranks = np.empty(64, dtype=np.int64)
    lowest = ((_ONE << np.uint64(below)) - _ONE) << np.uint64(top)
    upper = unrank_combination_bits(first_row, top, held, binomials)
    for group in range(first_row, last_row, 64):
        size = min(64, last_row - group)
        own_rows[:] = nothing
        up_rows[:] = nothing
        down_rows[:] = nothing
        masks[:] = 0
        beyond[:] = 0
        used[:] = False
        ahead = upper
        for bit in range(size):
            own_rows[bit] = same_base + same_stride * (group + bit)
            first_ranks[bit] = rank_board(ahead | lowest, binomials[cells, pieces] - 1, ranks)
            ahead = increment_combination_bits(ahead, top)
        choose_rows(
            upper,
            size,
            held,
            width,
            height,
            lines,
            distinct,
            fewer_base,
            fewer_stride,
            same_base,
            same_stride,
            binomials,
            top_ranks,
            up_rows,
            down_rows,
            masks,
            beyond,
            used,
            inner,
            counts,
        )
        upper = ahead

        gather(table, own_rows, same_words, unmoved, np.int64(0))
        accumulated[here - 128 :] = 0
        combine_inner(inner_offsets, inner_targets, length, distinct, unmoved, accumulated)
        for x in range(width):
            class_masks(masks, x, distinct, classes)
            gather(table, up_rows[x, 0], same_words, moved, here)
            gather_some(table, up_rows[x, 1], words, entered[x], moved)
            combine_up(up_entries, up_ends[x - 1] if x > 0 else 0, up_ends[x], classes, moved, accumulated)
            for slot in range(slots):
                if not used[slot, x]:
                    break
                gather(table, down_rows[2 * slot, x], words, moved, np.int64(0))
                gather(table, down_rows[2 * slot + 1, x], same_words, moved, here)
                combine_down(down_targets[x], length, beyond[slot, x], moved, accumulated)

        for word in range(words):
            for plane in range(2):
                first = 128 * word + 64 * plane
                tile = accumulated[first : first + 64]
                transpose(tile)
                for i in range(size):
                    solved[(2 * i + plane) * words + word] = tile[i]
        combine_rows(table, inner, counts, size, words, occupied, solved)
        write_rows(solved, first_ranks, size, length, words, start, count, pieces, solvable, unique)
