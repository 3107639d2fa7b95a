"""Retrograde analysis in bit slices: 64 boards at a time.

The board is cut into an upper and a lower half. In lexicographic order all boards with the same
configuration P of the upper half are consecutive, in the order of their lower halves Q. So for each number j
of pieces in the upper half, a layer is a bit matrix with a row for each P and a column for each Q.

A board's successors are accumulated as two bits: s, some successor is solvable, and u, exactly one is and it
is unique. A successor's own bits (s', u') come in as u = (u ^ u') & ~(s & s'), s = s | s'. In the end (s, u)
are the board's own bits. All of this is bitwise: one word instruction serves 64 boards.

- Moves in the upper half that leave Q alone combine whole rows of words.
- All others are done for 64 rows at a time, transposed: one word for each Q, with a bit for each of the 64 P.
  What Q becomes is the same for all 64, so a look-up is a look-up of a word (see `layer_lists`), and what the
  P become is a choice of 64 rows of the table below, gathered and transposed 64 by 64 bits.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import bit_count, increment_combination_bits, unrank_combination_bits
from epcg_core.compiled import njit
from epcg_fling.layer_bits import fling_back, fling_on, rank_board, rank_half, read_run, two_apart, write_run
from epcg_fling.layer_lists import CLASS_SHIFT, EMPTY, place, space

_ONE = np.uint64(1)
_ZERO = np.uint64(0)
_ALL = np.uint64(2**64 - 1)

_M32 = np.uint64(0x00000000FFFFFFFF)
_M16 = np.uint64(0x0000FFFF0000FFFF)
_M8 = np.uint64(0x00FF00FF00FF00FF)
_M4 = np.uint64(0x0F0F0F0F0F0F0F0F)
_M2 = np.uint64(0x3333333333333333)
_M1 = np.uint64(0x5555555555555555)
_S32, _S16, _S8, _S4, _S2, _S1 = (np.uint64(s) for s in (32, 16, 8, 4, 2, 1))


@njit
def _swap(a: np.uint64, b: np.uint64, shift: np.uint64, mask: np.uint64) -> tuple[np.uint64, np.uint64]:
    """Exchange the high fields of `a` with the low fields of `b`."""
    difference = ((a >> shift) ^ b) & mask
    return a ^ (difference << shift), b ^ difference


@njit
def transpose(tile: NDArray[np.uint64]) -> None:
    """Transpose 64 by 64 bits in place: bit c of word r and bit r of word c change places."""
    # Six rounds of exchanges, three at a time in eight registers.
    for i in range(8):
        a, b, c, d = tile[i], tile[i + 8], tile[i + 16], tile[i + 24]
        e, f, g, h = tile[i + 32], tile[i + 40], tile[i + 48], tile[i + 56]
        a, e = _swap(a, e, _S32, _M32)
        b, f = _swap(b, f, _S32, _M32)
        c, g = _swap(c, g, _S32, _M32)
        d, h = _swap(d, h, _S32, _M32)
        a, c = _swap(a, c, _S16, _M16)
        b, d = _swap(b, d, _S16, _M16)
        e, g = _swap(e, g, _S16, _M16)
        f, h = _swap(f, h, _S16, _M16)
        a, b = _swap(a, b, _S8, _M8)
        c, d = _swap(c, d, _S8, _M8)
        e, f = _swap(e, f, _S8, _M8)
        g, h = _swap(g, h, _S8, _M8)
        tile[i], tile[i + 8], tile[i + 16], tile[i + 24] = a, b, c, d
        tile[i + 32], tile[i + 40], tile[i + 48], tile[i + 56] = e, f, g, h
    for i in range(0, 64, 8):
        a, b, c, d = tile[i], tile[i + 1], tile[i + 2], tile[i + 3]
        e, f, g, h = tile[i + 4], tile[i + 5], tile[i + 6], tile[i + 7]
        a, e = _swap(a, e, _S4, _M4)
        b, f = _swap(b, f, _S4, _M4)
        c, g = _swap(c, g, _S4, _M4)
        d, h = _swap(d, h, _S4, _M4)
        a, c = _swap(a, c, _S2, _M2)
        b, d = _swap(b, d, _S2, _M2)
        e, g = _swap(e, g, _S2, _M2)
        f, h = _swap(f, h, _S2, _M2)
        a, b = _swap(a, b, _S1, _M1)
        c, d = _swap(c, d, _S1, _M1)
        e, f = _swap(e, f, _S1, _M1)
        g, h = _swap(g, h, _S1, _M1)
        tile[i], tile[i + 1], tile[i + 2], tile[i + 3] = a, b, c, d
        tile[i + 4], tile[i + 5], tile[i + 6], tile[i + 7] = e, f, g, h


# --- the table of the layer below ------------------------------------------------------------------------


@njit
def fill_rows(
    held: int,
    pieces: int,
    cells: int,
    top: int,
    base: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
    solvable: NDArray[np.uint64],
    solvable_tail: np.uint64,
    unique: NDArray[np.uint64],
    unique_tail: np.uint64,
    table: NDArray[np.uint64],
) -> None:
    """Write the rows of `held` pieces in the upper half into `table` from word `base` on.

    Each row is a whole number of words of solvable bits, then as many of unique bits.
    """
    # The bits of a row are consecutive in the tables by rank: shift each run to a word's beginning.
    below = pieces - held
    length = binomials[cells - top, below]
    words = (length + 63) // 64
    lowest = ((_ONE << np.uint64(below)) - _ONE) << np.uint64(top)
    upper = unrank_combination_bits(0, top, held, binomials)
    for _ in range(binomials[top, held]):
        rank = rank_board(upper | lowest, binomials[cells, pieces] - 1, ranks)
        read_run(solvable, solvable_tail, rank, length, table, base)
        read_run(unique, unique_tail, rank, length, table, base + words)
        base += 2 * words
        upper = increment_combination_bits(upper, top)


@njit
def rows_before(
    rank: int,
    held: int,
    pieces: int,
    cells: int,
    top: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> np.int64:
    """How many rows of `held` pieces in the upper half begin before `rank`."""
    # Rows of one block lie in rank order: bisection.
    low, high = np.int64(0), np.int64(binomials[top, held])
    lowest = ((_ONE << np.uint64(pieces - held)) - _ONE) << np.uint64(top)
    while low < high:
        middle = (low + high) // 2
        board = unrank_combination_bits(middle, top, held, binomials) | lowest
        if rank_board(board, binomials[cells, pieces] - 1, ranks) < rank:
            low = middle + 1
        else:
            high = middle
    return low


@njit
def rows_of_ranks(
    start: int,
    count: int,
    held: int,
    pieces: int,
    cells: int,
    top: int,
    binomials: NDArray[np.int64],
    ranks: NDArray[np.int64],
) -> tuple[np.int64, np.int64]:
    """The rows first .. last - 1 that have boards of ranks start .. start + count - 1."""
    # A row's ranks are consecutive.
    length = binomials[cells - top, pieces - held]
    first = rows_before(start - length + 1, held, pieces, cells, top, binomials, ranks)
    if count == 0:
        return first, first
    return first, rows_before(start + count, held, pieces, cells, top, binomials, ranks)


@njit
def set_bits(words: NDArray[np.uint64], count: int) -> None:
    """Set the first `count` bits."""
    # Whole words, then the rest.
    words[: count >> 6] = _ALL
    if count & 63 != 0:
        words[count >> 6] = _ALL >> np.uint64(64 - (count & 63))


# --- one group of 64 rows ----------------------------------------------------------------------------------

_NO_MASK = -1
_PLACE = np.uint64((1 << CLASS_SHIFT) - 1)
_CLASS = np.uint64(CLASS_SHIFT)
_IN_PLACE = np.uint64(EMPTY - 1)
_FLAG = np.uint64(31)
_UNIQUE = np.uint64(64)
_TWO, _THREE = np.uint64(2), np.uint64(3)


@njit
def gather(
    table: NDArray[np.uint64], rows: NDArray[np.uint64], words: int, out: NDArray[np.uint64], at: int
) -> None:
    """Transpose 64 rows of the table, given by their first words, into `out` from word `at` on."""
    # Tile by tile, first the solvable, then the unique bits, each transposed where it will stay.
    for word in range(words):
        for plane in range(2):
            column = np.uint64(word + plane * words)
            first = at + 128 * word + 64 * plane
            tile = out[first : first + 64]
            for i in range(64):
                tile[i] = table[rows[i] + column]
            transpose(tile)


@njit
def gather_some(
    table: NDArray[np.uint64],
    rows: NDArray[np.uint64],
    words: int,
    wanted: NDArray[np.uint8],
    out: NDArray[np.uint64],
) -> None:
    """`gather` to the beginning of `out`, but only the tiles of the `wanted` words."""
    for word in range(words):
        if wanted[word] == 0:
            continue
        for plane in range(2):
            column = np.uint64(word + plane * words)
            first = 128 * word + 64 * plane
            tile = out[first : first + 64]
            for i in range(64):
                tile[i] = table[rows[i] + column]
            transpose(tile)


@njit
def combine_inner(
    offsets: NDArray[np.uint32],
    targets: NDArray[np.uint32],
    configurations: int,
    distinct: int,
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves within the lower half into entries that were empty."""
    # Entries of `source` are those of the same 64 rows with one piece less below.
    skip = 1 if distinct != 0 else 2
    for index in range(configurations):
        some = _ZERO
        one = _ZERO
        for move in range(np.int64(offsets[2 * index]), np.int64(offsets[2 * index + skip])):
            at = np.uint64(targets[move])
            s = source[at]
            one = (one ^ source[at + _UNIQUE]) & ~(some & s)
            some |= s
        to = np.uint64(place(index))
        out[to] = some
        out[to + _UNIQUE] = one


@njit
def combine_up(
    entries: NDArray[np.uint32],
    first: int,
    last: int,
    masks: NDArray[np.uint64],
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves of a column towards the upper half; `masks` says for each class which rows have it."""
    # For a row either no piece comes down, or one does: of two entries one has its bit, so OR joins them.
    for entry in range(np.uint64(first), np.uint64(last)):
        packed = np.uint64(entries[_THREE * entry])
        mask = masks[packed >> _CLASS]
        to = packed & _PLACE
        without = np.uint64(entries[_THREE * entry + _ONE])
        entering = np.uint64(entries[_THREE * entry + _TWO])
        s = (source[without] | source[entering]) & mask
        u = (source[without + _UNIQUE] | source[entering + _UNIQUE]) & mask
        some = out[to]
        out[to + _UNIQUE] = (out[to + _UNIQUE] ^ u) & ~(some & s)
        out[to] = some | s


@njit
def combine_down(
    targets: NDArray[np.uint32],
    configurations: int,
    beyond: np.uint64,
    source: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine a move of a column of the upper half towards the lower one.

    Where that column is empty below, only the rows `beyond` have a piece to hit.
    """
    # The flag of an empty column, 0 or 1, less 1 is the mask that lets all rows through.
    for index in range(configurations):
        target = np.uint64(targets[index])
        mask = beyond | ((target >> _FLAG) - _ONE)
        at = target & _IN_PLACE
        to = np.uint64(place(index))
        s = source[at] & mask
        u = source[at + _UNIQUE] & mask
        some = out[to]
        out[to + _UNIQUE] = (out[to + _UNIQUE] ^ u) & ~(some & s)
        out[to] = some | s


@njit
def combine_rows(
    table: NDArray[np.uint64],
    inner: NDArray[np.int64],
    counts: NDArray[np.int64],
    size: int,
    words: int,
    occupied: NDArray[np.uint64],
    out: NDArray[np.uint64],
) -> None:
    """Combine the moves that leave the lower half alone into `size` rows of `out`.

    Row r has counts[r] moves, each two numbers of `inner[r]`: a row of the table, and a column, or -1; only
    where that column is occupied below the move counts.
    """
    # Whole rows, word by word: vector code.
    for row in range(size):
        some = out[2 * words * row : 2 * words * row + words]
        one = out[2 * words * row + words : 2 * words * row + 2 * words]
        for move in range(counts[row]):
            first = inner[row, 2 * move]
            column = inner[row, 2 * move + 1]
            solvable = table[first : first + words]
            unique = table[first + words : first + 2 * words]
            if column < 0:
                for word in range(words):
                    s = solvable[word]
                    one[word] = (one[word] ^ unique[word]) & ~(some[word] & s)
                    some[word] |= s
            else:
                for word in range(words):
                    mask = occupied[column, word]
                    s = solvable[word] & mask
                    one[word] = (one[word] ^ (unique[word] & mask)) & ~(some[word] & s)
                    some[word] |= s


@njit
def write_rows(
    solved: NDArray[np.uint64],
    first_ranks: NDArray[np.int64],
    size: int,
    length: int,
    words: int,
    start: int,
    count: int,
    pieces: int,
    solvable: NDArray[np.uint64],
    unique: NDArray[np.uint64],
) -> None:
    """Write the bits of `size` rows that lie in ranks start .. start + count - 1 to their ranks."""
    # Every solvable board of two pieces counts as unique: "excepting the last move".
    unique_at = 0 if pieces == 2 else words
    for row in range(size):
        at = 2 * words * row
        position = first_ranks[row] - start
        low = max(np.int64(0), -position)
        high = min(length, count - position)
        write_run(solved, at, low, high, solvable, position + low)
        write_run(solved, at + unique_at, low, high, unique, position + low)


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

    `fewer` is the block with one piece less above, `same` that with one piece less below. Into up_rows[x, 0 or
    1] go the rows that a move of column x from below reaches (without and with a piece that passes down), into
    down_rows[2 * slot, x] and the next those of the slot-th piece of column x that can be flung down, without
    and with one that passes up; into `inner` row and column mask of the moves that leave the lower half alone.
    """
    # Set bits of `masks` for the column's three questions: occupied; two apart up to the last row but one; up
    # to the last row.
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
    """For each class of `up` moves in column x, the rows of the group that have the move as one of its own."""
    # The first piece of a column needs one above it; the last of a line two apart doubles the first one's move.
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
    """The working memory of `solve_rows`, in words, for so many configurations of the lower half."""
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
    `layer_lists` for pieces - held pieces. `scratch` has `scratch_words` words, of any content.
    """
    # A group of 64 rows at a time: the moves that change the lower half transposed, then back, then row by row.
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

        gather(table, own_rows, same_words, unmoved, 0)
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
                gather(table, down_rows[2 * slot, x], words, moved, 0)
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
