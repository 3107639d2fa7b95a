"""The rules of Fling! in plain Python: the reference that every compiled kernel is compared with.

A board is a set of cells, kept as an int whose bit `y * width + x` is set where a piece lies (row 0 on top).
A piece may be flung in a direction if the neighbouring cell there is empty and some piece lies further on.
It stops just before the piece it hits, which flies on in its turn; the last one leaves the board. So every
move removes exactly one piece, and a board is solved when one is left.
"""

from __future__ import annotations

from functools import cached_property
from itertools import pairwise
from typing import TypeAlias

import attrs

Move: TypeAlias = tuple[int, int]
"""(cell of the piece that is flung, direction)."""

UP, RIGHT, DOWN, LEFT = range(4)
DIRECTIONS = (UP, RIGHT, DOWN, LEFT)
DIRECTION_NAMES = ("up", "right", "down", "left")


@attrs.frozen
class BoardShape:
    """The size of a board; what all boards of a space share."""

    width: int
    height: int

    @property
    def cells(self) -> int:
        """The number of cells."""
        return self.width * self.height

    @property
    def full(self) -> int:
        """The board with a piece on every cell."""
        return (1 << self.cells) - 1

    @cached_property
    def lines(self) -> tuple[tuple[tuple[int, int], ...], ...]:
        """For each cell, by direction: the cell beside it, and all from there to the edge, as boards."""
        return tuple(
            tuple(
                (sum(1 << c for c in path[:1]), sum(1 << c for c in path))
                for path in (self.ahead(cell, direction) for direction in DIRECTIONS)
            )
            for cell in range(self.cells)
        )

    def ahead(self, cell: int, direction: int) -> range:
        """Return the cells that a piece flung from `cell` flies over, nearest first, up to the edge."""
        x = cell % self.width
        if direction == UP:
            return range(cell - self.width, -1, -self.width)
        if direction == RIGHT:
            return range(cell + 1, cell - x + self.width)
        if direction == DOWN:
            return range(cell + self.width, self.cells, self.width)
        return range(cell - 1, cell - x - 1, -1)


def cells_of(bits: int) -> list[int]:
    """Return the cells with a piece, in increasing order."""
    found = []
    while bits:
        lowest = bits & -bits
        found.append(lowest.bit_length() - 1)
        bits ^= lowest
    return found


def is_legal(shape: BoardShape, bits: int, move: Move) -> bool:
    """Return whether the move is legal: a piece is there, its neighbour cell is free and it hits a piece."""
    cell, direction = move
    beside, path = shape.lines[cell][direction]
    return bool(bits >> cell & 1 and not bits & beside and bits & path)


def legal_moves(shape: BoardShape, bits: int) -> list[Move]:
    """Return all legal moves, by cell, then by direction (up, right, down, left)."""
    lines = shape.lines
    return [
        (cell, direction)
        for cell in cells_of(bits)
        for direction, (beside, path) in enumerate(lines[cell])
        if not bits & beside and bits & path
    ]


def fling(shape: BoardShape, bits: int, move: Move) -> int:
    """Return the board after a legal move: one piece fewer."""
    cell, direction = move
    bits ^= 1 << cell
    before = cell
    for ahead in shape.ahead(cell, direction):
        if bits >> ahead & 1:
            bits ^= 1 << ahead | 1 << before
        before = ahead
    return bits


def successors(shape: BoardShape, bits: int) -> list[int]:
    """Return the distinct boards that one move leads to, in the order of the first move that reaches each."""
    return list(dict.fromkeys(fling(shape, bits, move) for move in legal_moves(shape, bits)))


def moved_pieces(shape: BoardShape, bits: int, move: Move) -> list[tuple[int, int]]:
    """Return (from, to) of every piece that a legal move sets in motion, the flung one first.

    Momentum passes from piece to piece, but each keeps its identity: the flung piece comes to rest just
    before the one it hit. The last one leaves the board and has no `to`, so it is not listed.
    """
    cell, direction = move
    path = shape.ahead(cell, direction)
    line = [cell, *(ahead for ahead in path if bits >> ahead & 1)]
    step = path[0] - cell
    return [(piece, hit - step) for piece, hit in pairwise(line)]


def independent(shape: BoardShape, before: int, first: Move, second: Move) -> bool:
    """Return whether two moves, both legal on board `before`, give the same board in either order.

    Then the second does not depend on the first, and a player who has considered one order need not
    consider the other (the inference of Sturtevant 2013). False if either order is illegal.
    """
    if not is_legal(shape, before, first) or not is_legal(shape, before, second):
        return False
    after_first, after_second = fling(shape, before, first), fling(shape, before, second)
    return (
        is_legal(shape, after_first, second)
        and is_legal(shape, after_second, first)
        and fling(shape, after_first, second) == fling(shape, after_second, first)
    )
