"""Solved boards: all covers of a board by the pieces, and the partial boards that lead to them."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

from epcg_core.plugin import RankError
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.formats.boards import board_of, format_board
from epcg_tangram.params import BoardsParams, PartialBoardsParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.covers import Covers, cover_problem

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.plugin import PartialCovers


class SolvedBoards(Covers):
    """The generator `solved_boards`: the covers of `Covers`, as arrays and as text."""

    def states_block(self, start: int, count: int) -> NDArray[np.int32]:
        """Return numbers of placements, -1 behind the last: (count, pieces) int32."""
        return self.covers[start : start + count]

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return numbers of placements, -1 behind the last: (n, pieces) int32."""
        return self.covers[ranks]

    def parse(self, text: str) -> Board:
        return board_of(self.params.ref, text)

    def format(self, state: Board) -> str:
        return format_board(state)


class PartialBoards:
    """The partial boards of so many pieces, as the search of `exact_cover` meets them."""

    domain_attributes = ("cover_problem", "params")

    def __init__(self, params: PartialBoardsParams) -> None:
        self.params = params
        self.cover_problem = cover_problem(params)
        self._game = params.ref

    @property
    def setting(self) -> Layout:
        """The board without pieces."""
        return layout_of(self.params.definition)

    @cached_property
    def partial_covers(self) -> PartialCovers:
        """The frontier that the exact-cover search ranges over."""
        from epcg_core.plugin import PartialCovers

        return PartialCovers(self.cover_problem, self.params.depth)

    @property
    def max_rank(self) -> int:
        return self.partial_covers.max_rank

    def unrank(self, rank: int) -> Board:
        """Return the partial board of `rank`. Raises RankError."""
        return Board(self._game, self.partial_covers.unrank(rank))

    def rank(self, state: Board) -> int:
        """Return the rank of a partial board, its pieces in the order of the search. Raises RankError."""
        if state.game != self._game:
            raise RankError("The board is of another game, or of another size.")
        return self.partial_covers.rank(state.placements)

    def parse(self, text: str) -> Board:
        return board_of(self.params.ref, text)

    def format(self, state: Board) -> str:
        return format_board(state)


def solved_boards(params: BoardsParams) -> SolvedBoards:
    """Make the space of solved boards. Raises ParamsError if there are none, or too many."""
    return SolvedBoards(params)


def partial_boards(params: PartialBoardsParams) -> PartialBoards:
    """Make the frontier of the search for solved boards. Raises ParamsError if there cannot be one."""
    return PartialBoards(params)
