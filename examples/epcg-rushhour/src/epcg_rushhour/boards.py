"""The generators: packed boards, boards with the car at the exit, and the hardest board of each cluster."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, ClassVar

from epcg_core.plugin import RankError
from epcg_rushhour.cells import board_of, digits_of, walk
from epcg_rushhour.params import BoardsParams
from epcg_rushhour.rules import Board, RushHour, mirrored, parse

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_rushhour.clusters import Cluster
    from epcg_rushhour.graph import BoardGraph


class Boards:
    """Boards that a walk over the cells accepts. Arrays of them hold the digits of `epcg_rushhour.cells`."""

    domain_attributes = ("size",)

    _packed: ClassVar[bool]
    _what: ClassVar[str]

    def __init__(self, params: BoardsParams) -> None:
        self.size = params.size
        self._walk = walk(params.size, self._packed)
        self.max_rank = self._walk.max_rank
        self.transition_model = RushHour()

    def unrank(self, rank: int) -> Board:
        return board_of(self._walk.unrank(rank), self.size)

    def rank(self, state: Board) -> int:
        """Return the rank of a board. Raises RankError for one that the walk does not accept."""
        try:
            return self._walk.rank(digits_of(state))
        except RankError:
            raise RankError(f"The board {state!r} is none of this space: {self._what}.") from None

    def format(self, state: Board) -> str:
        return state

    def parse(self, text: str) -> Board:
        return parse(text, self.size)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return self._walk.states_block(start, count)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._walk.states_at(ranks)


class Packed(Boards):
    """Boards on which no piece can move left or up. Each cluster has one at least."""

    _packed = True
    _what = "a piece can move left or up, or fills its line with others"

    @property
    def position_graph(self) -> BoardGraph:
        from epcg_rushhour.graph import BoardGraph

        return BoardGraph(self.size)


class Exits(Boards):
    """Boards with the red car at the exit. Upside down a board of odd size is one, too."""

    _packed = False
    _what = "the red car is not at the right edge, or pieces fill their line"

    def __init__(self, params: BoardsParams) -> None:
        super().__init__(params)
        if params.size % 2:
            self.canonical_rank = self._canonical_rank

    def _canonical_rank(self, rank: int) -> int:
        return min(rank, self.rank(mirrored(self.unrank(rank))))


class Hardest:
    """The hardest board of each cluster, at the ranks of the cluster's packed boards.

    Of several hardest boards it is the first in alphabetical order, '.' before letters. For a cluster without
    a solved board its packed board of lowest rank stands. The canonical rank is the lowest of the cluster,
    and, for odd sizes, of the cluster upside down: so `distinct` keeps one board a cluster. A board has
    several ranks here, so there is no `rank`.
    """

    domain_attributes = ("cluster", "size")

    def __init__(self, params: BoardsParams) -> None:
        from epcg_rushhour.graph import BoardGraph

        self.size = params.size
        self.transition_model = RushHour()
        self._boards = Packed(params)
        self._graph = BoardGraph(params.size)
        self.max_rank = self._boards.max_rank
        self.cluster = lru_cache(1 << 14)(self._cluster)

    def unrank(self, rank: int) -> Board:
        found = self.cluster(self._boards.unrank(rank))
        return found.hardest or self._boards.unrank(found.lowest)

    def canonical_rank(self, rank: int) -> int:
        board = self.unrank(rank)
        found = self.cluster(board).lowest
        return min(found, self.cluster(mirrored(board)).lowest) if self.size % 2 else found

    def format(self, state: Board) -> str:
        return state

    def parse(self, text: str) -> Board:
        return parse(text, self.size)

    def _cluster(self, board: Board) -> Cluster:
        """Explore the cluster of a board. Raises RankError if its own pieces fill a line of the board."""
        from epcg_rushhour.clusters import explore

        return explore(self._graph, self._graph.word_of(board))


def upside_down(generator: Exits, state: Board) -> list[Board]:
    """Return the boards that are equal to one with the car at the exit, for `epcg check`."""
    return [state, mirrored(state)] if generator.size % 2 else [state]
