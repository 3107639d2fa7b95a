"""Fields of packed rows: what is where, and reading and writing it.

A position is one string of bits, cut into 64-bit words, lowest bits first; fields may lie across two words:
  each snake: where its head is (0: the snake is out), then from segment to segment the direction, 2 bits
    each, for the longest that it can get, then how much it has grown (no bits if only one snake can eat);
  each object: where its first cell in reading order is (0: it fell out of the world);
  each fruit: whether it is eaten.
Bits that mean nothing are 0, so equal positions have equal rows.
"""

from __future__ import annotations

import numpy as np

from epcg_core.plugin import bare_njit
from epcg_snakebird.rules.board_kernels import (
    CELL_BITS,
    FRUIT,
    FRUIT_LEFT,
    FRUIT_OFFSET,
    FRUITS,
    OBJECTS,
    ONE,
    PRESENT,
    SNAKES,
    STRIDE,
    ZERO,
    Integers,
    Words,
)

# Columns of `fields`, a row for each entity.
PLACE, BODY, BODY_BITS, GROWTH, GROWTH_BITS, SIZE = range(6)
"""Offsets and widths in bits; SIZE: the cells of an object, or of a snake at the start."""
FIELDS_SIZE = 6

_ALL = np.uint64(2**64 - 1)
_WORD = np.uint64(64)
_TWO = np.uint64(2)
_THREE = np.uint64(3)


@bare_njit
def get(rows: Words, row: int, offset: int, width: int) -> np.uint64:
    """Return the field of 1 to 64 bits at `offset` in row `row` of (n, words) `rows`."""
    # A second word only where the field goes on there.
    word, at = offset >> 6, np.uint64(offset & 63)
    value = rows[row, word] >> at
    if (offset & 63) + width > 64:
        value |= rows[row, word + 1] << (_WORD - at)
    return np.uint64(value & (_ALL >> np.uint64(64 - width)))


@bare_njit
def put(rows: Words, row: int, offset: int, width: int, value: np.uint64) -> None:
    """Write a field of 1 to 64 bits."""
    # The same two words as in `get`.
    word, at = offset >> 6, np.uint64(offset & 63)
    ones = _ALL >> np.uint64(64 - width)
    rows[row, word] = (rows[row, word] & ~(ones << at)) | (value << at)
    if (offset & 63) + width > 64:
        rows[row, word + 1] = (rows[row, word + 1] & ~(ones >> (_WORD - at))) | (value >> (_WORD - at))


@bare_njit
def put_zeros(rows: Words, row: int, offset: int, width: int) -> None:
    """Clear a field of any width."""
    # In pieces of a word.
    for done in range(0, width, 64):
        put(rows, row, offset + done, min(64, width - done), ZERO)


@bare_njit
def prepend_direction(
    rows: Words, row: int, offset: int, width: int, direction: np.uint64, segments: int
) -> None:
    """Shift a body by one segment and put a direction first; `segments` directions are left."""
    # One shift of the whole field; what a segment too many would need is cut off.
    if width <= 64:
        body = (get(rows, row, offset, width) << _TWO) | direction
        put(rows, row, offset, width, body & (_ALL >> np.uint64(64 - 2 * segments)))
        return
    carry = direction
    for done in range(0, width, 64):
        part = min(64, width - done)
        body = get(rows, row, offset + done, part)
        put(rows, row, offset + done, part, ((body << _TWO) | carry) & (_ALL >> np.uint64(64 - part)))
        carry = body >> np.uint64(62)
    if 2 * segments < width:
        put(rows, row, offset + 2 * segments, 2, ZERO)


@bare_njit
def unpack_row(
    header: Integers, fields: Integers, shapes: Integers, fruit: Integers, steps: Integers, rows: Words,
    row: int, board: Words, cells: Integers, first: Integers, length: Integers, status: Words,
) -> None:  # fmt: skip
    """Put everything that a row says onto the board and into the scratch arrays."""
    # Fruit first, because a lone snake is as long as the fruit it has eaten makes it.
    snakes = header[SNAKES]
    cell_bits = header[CELL_BITS]
    origin = header[STRIDE] - 1
    present = ZERO
    left = header[FRUITS]
    for done in range(0, header[FRUITS], 64):
        part = min(64, header[FRUITS] - done)
        eaten = get(rows, row, header[FRUIT_OFFSET] + done, part)
        for f in range(part):
            if (eaten >> np.uint64(f)) & ONE == ZERO:
                board[fruit[done + f]] |= FRUIT
            else:
                left -= 1
    status[FRUIT_LEFT] = np.uint64(left)
    for e in range(snakes):
        length[e] = 0
        first[e] = 1
        place = np.int64(get(rows, row, fields[e, PLACE], cell_bits))
        if place == 0:
            continue
        bit = ONE << np.uint64(e)
        present |= bit
        size = fields[e, SIZE]
        if fields[e, GROWTH_BITS] > 0:
            size += np.int64(get(rows, row, fields[e, GROWTH], fields[e, GROWTH_BITS]))
        elif snakes == 1:
            size += header[FRUITS] - left
        length[e] = size
        cell = place + origin
        cells[e, 1] = cell
        board[cell] |= bit
        body = ZERO
        for i in range(size - 1):
            if i & 31 == 0:
                body = get(rows, row, fields[e, BODY] + 2 * i, min(64, fields[e, BODY_BITS] - 2 * i))
            cell += steps[np.int64(body & _THREE)]
            body >>= _TWO
            cells[e, i + 2] = cell
            board[cell] |= bit
    for e in range(snakes, snakes + header[OBJECTS]):
        length[e] = 0
        first[e] = 1
        place = np.int64(get(rows, row, fields[e, PLACE], cell_bits))
        if place == 0:
            continue
        bit = ONE << np.uint64(e)
        present |= bit
        length[e] = fields[e, SIZE]
        for i in range(length[e]):
            cell = place + origin + shapes[e - snakes, i]
            cells[e, i + 1] = cell
            board[cell] |= bit
    status[PRESENT] = present


@bare_njit
def wipe(
    header: Integers, fruit: Integers, tiles: Words, board: Words, cells: Integers, length: Integers
) -> None:
    """Take a position that `unpack_row` put there off the board."""
    # Only the cells that it changed.
    for e in range(header[SNAKES] + header[OBJECTS]):
        for i in range(1, length[e] + 1):
            board[cells[e, i]] = tiles[cells[e, i]]
    for f in range(header[FRUITS]):
        board[fruit[f]] = tiles[fruit[f]]
