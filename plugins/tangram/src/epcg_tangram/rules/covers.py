"""All covers of a hexagon by the pieces: the search for them, and their numbers."""

from __future__ import annotations

import math
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar

from epcg_core.plugin import CoverProblem, ParamsError, RankError, UnknownNameError
from epcg_tangram.params import BoardsParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.geometry import COMPOUNDS, geometry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


SEARCH_LIMIT = 1e9
"""Partial boards that are searched at once: about a minute."""


SEARCHED_A_SECOND = 1e7


BOARDS_LIMIT = 1_000_000
"""Boards that a process keeps."""


USUAL_CELLS = 54


USUAL_PIECES = 11


def cover_problem(params: BoardsParams) -> CoverProblem:
    """Make the exact-cover problem of a board; placements are numbered as in its geometry.

    Raises UnknownNameError or ParamsError if the pieces are malformed or cannot cover the board.
    """
    for i, name in enumerate(params.without):
        if name not in COMPOUNDS:
            raise UnknownNameError("piece", name, COMPOUNDS, f"without[{i}]")
    board = geometry(params.side)
    most = [0 if name in params.without else params.copies for name in COMPOUNDS] + [params.trapezoids]
    problem = CoverProblem(
        cells=board.cells,
        placements=tuple((p.piece, p.cells) for p in board.placements),
        least=(0,) * len(most),
        most=most,
        symmetries=board.symmetries if params.boards == "distinct" else (),
    )
    if problem.impossible() is not None:
        area = 6 * sum(most[:-1]) + 3 * params.trapezoids
        raise ParamsError(
            f"The pieces cannot cover a board of side {params.side}: it has {board.cells} cells, and all of "
            f"them together cover {area}. Allow more copies or trapezoids, or choose a smaller side."
            if area < board.cells
            else f"The pieces cannot cover a board of side {params.side}: no choice of them has "
            f"{board.cells} cells."
        )
    return problem


def check_size(problem: CoverProblem, side: int) -> None:
    """Raise ParamsError, with an estimate, if a search would take longer than a minute or so."""
    if problem.cells <= USUAL_CELLS and sum(problem.most) <= USUAL_PIECES:
        return
    from epcg_core.plugin import estimate_nodes

    nodes = estimate_nodes(problem, probes=2000)
    if nodes > SEARCH_LIMIT:
        hours, size = nodes / SEARCHED_A_SECOND / 3600, round(math.log10(nodes))
        time = "more than a million" if hours > 1e6 else f"some {max(1, round(hours)):,}"
        raise ParamsError(
            f"A board of side {side} with these pieces has about 10^{size} partial boards, {time} CPU hours "
            "of search: choose a smaller side or fewer pieces, or search a range of 'partial_boards' by "
            "'exact_cover', which can be resumed."
        )


@cache
def solved_covers(params: BoardsParams) -> NDArray[np.int32]:
    """Return the covers of a board, computed once in a process."""
    from epcg_core.plugin import read_only, solve

    problem = cover_problem(params)
    check_size(problem, params.side)
    return read_only(solve(problem, limit=BOARDS_LIMIT).covers)


class Covers:
    """All solved boards by rank, in the lexicographic order of their placements.

    Of boards that a symmetry makes equal it is the first; with `boards = "all"` every one counts.
    """

    domain_attributes: ClassVar[tuple[str, ...]] = ("cover_problem", "covers", "params")

    def __init__(self, params: BoardsParams) -> None:
        self.params = params
        self.cover_problem = cover_problem(params)

    @cached_property
    def covers(self) -> NDArray[np.int32]:
        """(boards, pieces) int32 numbers of placements, -1 behind the last."""
        return solved_covers(self.params)

    @property
    def max_rank(self) -> int:
        return len(self.covers)

    def unrank(self, rank: int) -> Board:
        """Return the board of `rank`. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no board {rank}: ranks are 0 to {self.max_rank - 1}.")
        return Board(self.params.side, tuple(n for n in self.covers[rank].tolist() if n >= 0))

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        return {tuple(n for n in row if n >= 0): rank for rank, row in enumerate(self.covers.tolist())}

    def rank(self, state: Board) -> int:
        """Return the rank of a board, which may be turned. Raises RankError if it is not in this space."""
        rank = None
        if state.side == self.params.side:
            images = self.cover_problem.images
            smallest = min(tuple(sorted(image[n] for n in state.placements)) for image in images)
            rank = self._ranks.get(smallest)
        if rank is None:
            raise RankError("The board is not one of this space.")
        return rank
