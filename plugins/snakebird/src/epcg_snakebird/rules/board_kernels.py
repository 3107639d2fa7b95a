"""The board that compiled rules work on, and what all of them do with it.

The grid is padded: cell (y + 1) * stride + x with stride = width + 1, so that a column and two rows of wall
surround it and a step is one addition. The board is one 64-bit word a cell: a bit for each entity (the
snakes, then the objects), and the bits below for everything else.

Scratch arrays of an expansion, made once for a block of positions:
  cells (entities, longest + 2): those of entity e are cells[e, first[e] : first[e] + length[e]], a snake's
    from the head on. first is 1 in the position itself, and 0 once a snake has moved.
  status (4,): which entities are in play, which have changed, which may have lost their support, and how many
    fruit are left.
  foot: the footprint, a bit for each feature, and one word more for the cells that cannot be edited; then the
    same again for what counts only if no snake dies.
"""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import bare_njit, bit_index

MOST_ENTITIES = 56
"""More than a level can have."""
ENTITIES = np.uint64(2**MOST_ENTITIES - 1)
EXIT = np.uint64(1 << 56)
PORTAL = np.uint64(1 << 57)
FRUIT = np.uint64(1 << 58)
WALL = np.uint64(1 << 59)
SPIKES_BIT = np.uint64(1 << 60)
GROUND_BIT = np.uint64(1 << 61)
SOLID = WALL | SPIKES_BIT | GROUND_BIT
HOLDS_SNAKES = GROUND_BIT | FRUIT
HOLDS_OBJECTS = GROUND_BIT | FRUIT | SPIKES_BIT
ZERO = np.uint64(0)
ONE = np.uint64(1)

# Entries of `header`.
SNAKES, OBJECTS, FRUITS, STRIDE, WIDTH, HEIGHT, EXIT_CELL, PORTAL_A, PORTAL_B = range(9)
MAY_FALL_OUT, TAIL_LEAVES, CELL_BITS, FRUIT_OFFSET = range(9, 13)
HEADER_SIZE = 13

# Entries of `status`.
PRESENT, CHANGED, SUSPECT, FRUIT_LEFT = range(4)
STATUS_SIZE = 4

Integers = NDArray[np.int64]
Words = NDArray[np.uint64]
Index = int | np.int64


@bare_njit
def touch(foot: Words, feature: int) -> None:
    """Add a feature to the footprint."""
    # Cells without features have one past the end, so that there is no branch.
    foot[feature >> 6] |= ONE << np.uint64(feature & 63)


@bare_njit
def above(
    board: Words, cells: Integers, first: Integers, length: Integers, e: Index, stride: int
) -> np.uint64:
    """Return the entities with a cell right above one of entity `e`, itself included."""
    # An or over the cells.
    found = ZERO
    for i in range(first[e], first[e] + length[e]):
        found |= board[cells[e, i] - stride]
    return np.uint64(found & ENTITIES)


@bare_njit
def clear(board: Words, cells: Integers, first: Integers, length: Integers, e: Index) -> None:
    """Take entity `e` off the board."""
    # Its bit alone.
    keep = ~(ONE << np.uint64(e))
    for i in range(first[e], first[e] + length[e]):
        board[cells[e, i]] &= keep


@bare_njit
def shift(
    board: Words, cells: Integers, first: Integers, length: Integers, which: np.uint64, by: int
) -> None:
    """Move all entities of a set by the same number of cells, at once."""
    # All leave the board before the first comes back, so they may follow each other.
    rest = which
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        clear(board, cells, first, length, bit_index(bit))
    rest = which
    while rest != ZERO:
        bit = rest & (~rest + ONE)
        rest ^= bit
        e = bit_index(bit)
        for i in range(first[e], first[e] + length[e]):
            cells[e, i] += by
            board[cells[e, i]] |= bit


@bare_njit
def take_out(
    board: Words, cells: Integers, first: Integers, length: Integers, status: Words, e: Index, stride: int
) -> None:
    """Take entity `e` out of the world; what it held up is suspect."""
    # The cells stay in `cells`, because those of an entity that is not present are never read.
    bit = ONE << np.uint64(e)
    status[SUSPECT] |= above(board, cells, first, length, e, stride)
    clear(board, cells, first, length, e)
    status[PRESENT] &= ~bit
    status[CHANGED] |= bit


@bare_njit
def let_out(
    header: Integers, board: Words, cells: Integers, first: Integers, length: Integers, status: Words
) -> bool:
    """Take out every snake whose head is on the exit, if all fruit is eaten; whether there was one."""
    # Only snakes that have a cell there are looked at.
    left = False
    if status[FRUIT_LEFT] == ZERO:
        rest = board[header[EXIT_CELL]] & ((ONE << np.uint64(header[SNAKES])) - ONE)
        while rest != ZERO:
            bit = rest & (~rest + ONE)
            rest ^= bit
            s = bit_index(bit)
            if cells[s, first[s]] == header[EXIT_CELL]:
                take_out(board, cells, first, length, status, s, header[STRIDE])
                left = True
    return left
