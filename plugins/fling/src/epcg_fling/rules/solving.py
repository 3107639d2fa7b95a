"""Solvability, unique solutions and trees of a board in plain Python: the definitions.

The compiled evaluators are compared with these. They are meant to be read, and serve boards of a few pieces;
endgame tables are not used.
"""

from __future__ import annotations

from collections import deque
from typing import Literal, TypeAlias

from epcg_core.plugin import LimitReachedError
from epcg_fling.rules.moves import BoardShape, Move, fling, independent, legal_moves, moved_pieces, successors

Verdict: TypeAlias = Literal["unsolvable", "solvable", "unique"]
"""A verdict on a board; `solvable` means in more ways than one."""


class Solver:
    """Judges boards of a shape by recursion, never the same board twice."""

    def __init__(self, shape: BoardShape, uniqueness: str = "successors") -> None:
        self.shape = shape
        self._by_moves = uniqueness == "moves"
        self._solvable: dict[int, bool] = {}

    def solvable(self, bits: int) -> bool:
        """Return whether some sequence of moves leaves one piece."""
        if bits.bit_count() <= 1:
            return bits != 0
        if bits not in self._solvable:
            self._solvable[bits] = any(self.solvable(after) for after in successors(self.shape, bits))
        return self._solvable[bits]

    def unique(self, bits: int) -> bool:
        """Return whether there is one way to go on at every step, except for the last move.

        A way is a legal move to a solvable board or, by successors, a solvable board that a move leads to.
        Every solvable board of two pieces counts as unique (Sturtevant & Ota 2018, Algorithm 5).
        """
        if bits.bit_count() <= 2:
            return self.solvable(bits)
        if self._by_moves:
            ways = [fling(self.shape, bits, move) for move in self.winning_moves(bits)]
        else:
            ways = [after for after in successors(self.shape, bits) if self.solvable(after)]
        return len(ways) == 1 and self.unique(ways[0])

    def winning_moves(self, bits: int) -> list[Move]:
        """Return the legal moves after which the board is still solvable (Sturtevant 2013), in order."""
        return [
            move for move in legal_moves(self.shape, bits) if self.solvable(fling(self.shape, bits, move))
        ]

    def first_solution(self, bits: int) -> list[Move] | None:
        """Return the first solution in the order of `legal_moves`; None if there is none."""
        if not self.solvable(bits):
            return None
        solution = []
        while bits.bit_count() > 1:
            move = self.winning_moves(bits)[0]
            solution.append(move)
            bits = fling(self.shape, bits, move)
        return solution


def reachable(shape: BoardShape, bits: int, limit: int) -> set[int]:
    """Return the distinct boards that legal moves lead to, the board itself included (Sturtevant 2013).

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        limit: the most boards to look at.

    Raises:
        LimitReachedError: for more than `limit` boards.
    """
    found = {bits}
    queue = deque([bits])
    while queue:
        for after in successors(shape, queue.popleft()):
            if after not in found:
                found.add(after)
                queue.append(after)
        if len(found) > limit:
            raise LimitReachedError
    return found


def dead_ends(shape: BoardShape, bits: int, limit: int) -> tuple[int, int, int]:
    """Count the legal moves of a board, and the boards reachable from it, after which nothing can be won.

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        limit: the most boards to look at.

    Returns:
        The losing moves, the reachable boards that are not solvable, and all reachable boards.

    Raises:
        LimitReachedError: for more than `limit` boards.
    """
    boards, solver = reachable(shape, bits, limit), Solver(shape)
    losing = sum(not solver.solvable(fling(shape, bits, move)) for move in legal_moves(shape, bits))
    return losing, sum(not solver.solvable(board) for board in boards), len(boards)


def tree_size(shape: BoardShape, bits: int, limit: int, expert: bool = False) -> int:
    """Count the nodes of the tree of all moves, root and leaves included, without duplicate detection.

    The expert skips a move that does not depend on the one before it: it was legal before that one, and both
    orders lead to the same board (Sturtevant & Ota 2018, "Evaluating selected boards"). Raises
    LimitReachedError for more than `limit` nodes.
    """
    size = 0
    nodes: list[tuple[int, int, Move | None]] = [(bits, 0, None)]
    while nodes:
        board, before, last = nodes.pop()
        size += 1
        if size > limit:
            raise LimitReachedError
        for move in legal_moves(shape, board):
            if expert and last is not None and independent(shape, before, last, move):
                continue
            nodes.append((fling(shape, board, move), board, move))
    return size


def piece_switches(shape: BoardShape, bits: int, moves: list[Move]) -> int:
    """Count how often the flung piece is not the one that was flung before.

    Pieces keep their identity: a flung piece rests just before the one it hit, and the one it hit flies on.
    So the player stays with a piece by flinging it again from where it came to rest.
    """
    switches = 0
    resting = None
    for move in moves:
        switches += resting is not None and move[0] != resting
        resting = moved_pieces(shape, bits, move)[0][1]
        bits = fling(shape, bits, move)
    return switches


def moves_touching_disturbed(shape: BoardShape, bits: int, moves: list[Move]) -> int:
    """Count the moves that set a piece in motion that the move before had set in motion."""
    touching = 0
    disturbed: set[int] = set()
    for move in moves:
        cell, direction = move
        on_the_way = {ahead for ahead in shape.ahead(cell, direction) if bits >> ahead & 1}
        touching += not disturbed.isdisjoint({cell} | on_the_way)
        disturbed = {rest for _, rest in moved_pieces(shape, bits, move)}
        bits = fling(shape, bits, move)
    return touching
