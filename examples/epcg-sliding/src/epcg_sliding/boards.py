"""The generator: all boards of a frame that can be solved, by rank.

A horizontal move leaves the order in which the tiles are read as it is; a vertical one passes a tile over
columns - 1 others. So the hole's row says whether that order is even or odd, and the last two tiles follow
from the others: a board is a cell for the hole and an ordered choice of all but two of the tiles. Its rank is
that of the choice times the number of cells, plus the hole's cell, so that horizontal neighbours have
neighbouring ranks.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from epcg_core.plugin import KPermutations, RankError
from epcg_sliding.params import BoardsParams
from epcg_sliding.rules import Board, Sliding, is_even, parse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Boards:
    """All solvable boards. Packed, a board is a row of its tiles, cell by cell, uint8."""

    domain_attributes = ("can_be_solved", "cells", "choices", "columns", "rows")

    def __init__(self, params: BoardsParams) -> None:
        self.rows = params.rows
        self.columns = params.columns
        self.cells = params.rows * params.columns
        self.choices = KPermutations(self.cells - 1, self.cells - 3)
        self.max_rank = self.choices.max_rank * self.cells
        self.transition_model = Sliding(params.rows, params.columns)
        self.starts = (self.cells - 1,)
        """The solved board, from which breadth-first search measures distances."""
        if params.rows == params.columns:
            self.canonical_rank = self._canonical_rank

    def unrank(self, rank: int) -> Board:
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no rank {rank} among {self.max_rank} boards, ranks from 0.")
        choice, hole = divmod(rank, self.cells)
        first = self.choices.unrank(choice)
        low, high = sorted(set(range(self.cells - 1)).difference(first))
        order = (*first, low, high)
        if is_even(order) != self._even(hole):
            order = (*first, high, low)
        board = [tile + 1 for tile in order]
        board.insert(hole, 0)
        return tuple(board)

    def rank(self, state: Board) -> int:
        """Return the rank of a board. Raises RankError if it cannot be solved or does not fit the frame."""
        if sorted(state) != list(range(self.cells)):
            raise RankError(f"{state} is not a board of {self.rows} x {self.columns}.")
        if not self.can_be_solved(state):
            raise RankError(
                f"The board {self.format(state)!r} cannot be solved: two tiles have changed places."
            )
        order = tuple(tile - 1 for tile in state if tile)
        return self.choices.rank(order[:-2]) * self.cells + state.index(0)

    def can_be_solved(self, state: Board) -> bool:
        """Return whether moves lead from a board to the one in order."""
        return is_even(tuple(tile - 1 for tile in state if tile)) == self._even(state.index(0))

    def parse(self, text: str) -> Board:
        """Read a board. Raises RankError if the string does not show one, or the board cannot be solved."""
        board = parse(text, self.rows, self.columns)
        self.rank(board)
        return board

    def format(self, state: Board) -> str:
        return " / ".join(
            " ".join(map(str, state[row * self.columns : (row + 1) * self.columns]))
            for row in range(self.rows)
        )

    def _even(self, hole: int) -> bool:
        """Return whether the tiles' order is even with the hole in a cell."""
        return (self.rows - 1 - hole // self.columns) * (self.columns - 1) % 2 == 0

    def _canonical_rank(self, rank: int) -> int:
        """Return the lower rank of a board and its mirror image at the diagonal, which keeps the goal."""
        board = self.unrank(rank)
        turned = [0] * self.cells
        for cell, tile in enumerate(board):
            turned[self._mirrored(cell)] = self._mirrored(tile - 1) + 1 if tile else 0
        return min(rank, self.rank(tuple(turned)))

    def _mirrored(self, cell: int) -> int:
        row, column = divmod(cell, self.columns)
        return column * self.columns + row

    def states_block(self, start: int, count: int) -> NDArray[np.uint8]:
        import numpy as np

        return self.states_at(np.arange(start, start + count, dtype=np.int64))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_sliding.kernels import boards_at

        boards = np.empty((len(ranks), self.cells), np.uint8)
        boards_at(read_only(ranks), self.rows, self.columns, boards)
        return boards

    @property
    def ranked_graph(self) -> BoardGraph:
        return BoardGraph(self)


class BoardGraph:
    """The moves between boards, as edges between ranks."""

    reversible = True

    def __init__(self, boards: Boards) -> None:
        self._boards = boards
        self.starts = boards.starts

    def successor_ranks(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return (n, 4) ranks: where the hole goes left, right, up and down; -1 if it cannot."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_sliding.kernels import successors

        found = np.empty((len(ranks), 4), np.int64)
        successors(read_only(ranks), self._boards.rows, self._boards.columns, found)
        return found
