"""The generators: all boards, packed ones, those with the car at the exit, the hardest of each cluster."""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING

from epcg_core.plugin import RankError
from epcg_rushhour.cells import board_of, digits_of, walk
from epcg_rushhour.params import BoardsParams
from epcg_rushhour.rules import EMPTY, RED, SIZES, Board, RushHour, fills_a_line, mirrored, parse, size_of

if TYPE_CHECKING:
    from pathlib import Path

    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.plugin import ArrayWalk
    from epcg_rushhour.clusters import Cluster
    from epcg_rushhour.graph import BoardGraph
    from epcg_rushhour.packed import PackedBoards


class Boards:
    """All boards without a line that its own pieces fill. Arrays hold the digits of `epcg_rushhour.cells`.

    Upside down a board of odd size is one, too.
    """

    domain_attributes = ("size",)

    _what = "its own pieces fill a line"

    def __init__(self, params: BoardsParams) -> None:
        self.size = params.size
        self._walk = self._made()
        self.max_rank = self._walk.max_rank
        self.transition_model = RushHour()
        if params.size % 2 and self._turns:
            self.canonical_rank = self._canonical_rank

    _turns = True
    """Whether the boards upside down are those of the space."""

    def _made(self) -> ArrayWalk | PackedBoards:
        return walk(self.size)

    def unrank(self, rank: int) -> Board:
        return board_of(self._walk.unrank(rank), self.size)

    def rank(self, state: Board) -> int:
        """Return the rank of a board. Raises RankError for one that the walk does not accept."""
        try:
            return self._walk.rank(digits_of(state))
        except RankError:
            raise RankError(f"The board {state!r} is none of this space: {self._what}.") from None

    def _canonical_rank(self, rank: int) -> int:
        return min(rank, self.rank(mirrored(self.unrank(rank))))

    def format(self, state: Board) -> str:
        return state

    def parse(self, text: str) -> Board:
        return parse(text, self.size)

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        return self._walk.states_block(start, count)

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        return self._walk.states_at(ranks)


class Every(Boards):
    """Boards with the red car anywhere: all positions of play."""

    @property
    def position_graph(self) -> BoardGraph:
        from epcg_rushhour.graph import BoardGraph

        return BoardGraph(self.size)


class Exits(Boards):
    """Boards with the red car at the exit."""

    _what = "the red car is not at the right edge, or pieces fill their line"

    def _made(self) -> ArrayWalk:
        return walk(self.size, at_exit=True)


class Packed(Boards):
    """Boards on which no piece can move left or up. Each cluster has one at least."""

    _turns = False
    _what = "a piece can move left or up, or pieces fill their line"

    def _made(self) -> PackedBoards:
        from epcg_rushhour.packed import PackedBoards

        return PackedBoards(self.size)

    @property
    def position_graph(self) -> BoardGraph:
        from epcg_rushhour.graph import BoardGraph

        return BoardGraph(self.size, self._made())

    @property
    def closed_graph(self) -> PackedBoards:
        return self._made()


class Hardest:
    """The hardest board of each cluster, at the ranks of the cluster's packed boards.

    Of several hardest boards it is the first in alphabetical order, '.' before letters. For a cluster without
    a solved board its packed board of lowest rank stands. The canonical rank is the lowest of the cluster,
    and, for odd sizes, of the cluster upside down: so `distinct` keeps one board a cluster. A board has
    several ranks here, so there is no `rank`.
    """

    domain_attributes = ("cluster", "size")

    def __init__(self, params: BoardsParams) -> None:
        self.size = params.size
        self.transition_model = RushHour()
        self._boards = Packed(params)
        self._graph = self._boards.position_graph
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


def finds(text: str, path: Path | None) -> tuple[dict[str, int], int] | None:
    """Return which board of which size a text shows; None if it shows none, or a line is full.

    Raises RankError for a text that looks like a board, and is none.
    """
    cells = "".join(text.replace("/", " ").split())
    if len(cells) not in {size * size for size in SIZES} or RED not in cells or EMPTY not in cells:
        return None
    board = parse(text)
    if fills_a_line(board):
        return None
    size = size_of(board)
    return {"size": size}, Every(BoardsParams(size)).rank(board)


def upside_down(generator: Boards, state: Board) -> list[Board]:
    """Return the boards that are equal by symmetry, for `epcg check`."""
    return [state, mirrored(state)] if generator.size % 2 else [state]
