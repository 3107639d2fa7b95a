"""Solved boards: all covers of a hexagon by the pieces, and the partial boards that lead to them."""

from __future__ import annotations

import math
import re
from functools import cache, cached_property
from typing import TYPE_CHECKING

import attrs

from epcg_core.errors import ParamsError, RankError, UnknownNameError
from epcg_core.search.exact_cover.problem import CoverProblem
from epcg_tangram.params import COMPOUNDS, BoardsParams, PartialBoardsParams
from epcg_tangram.rules.geometry import PIECE_ORDER, Geometry, geometry

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.search.exact_cover.solver import PartialCovers

SEARCH_LIMIT = 1e9
"""Partial boards that are searched at once: about a minute."""
SEARCHED_A_SECOND = 1e7
BOARDS_LIMIT = 1_000_000
"""Boards that a process keeps."""
USUAL_CELLS = 54
USUAL_PIECES = 11


@attrs.frozen
class Board:
    """Pieces on a hexagon, all cells covered or not."""

    side: int
    placements: tuple[int, ...]
    """Numbers in `geometry(side).placements`."""

    @property
    def pieces(self) -> tuple[tuple[str, tuple[int, ...]], ...]:
        """(name, cells) of each piece."""
        known = geometry(self.side).placements
        return tuple((PIECE_ORDER[known[n].piece], known[n].cells) for n in self.placements)


def format_board(board: Board) -> str:
    """'side 3; Line 0 1 2 3 4 5; ...', each piece with its cells, row by row from the top."""
    return "; ".join([f"side {board.side}", *piece_texts(board)])


def piece_texts(board: Board) -> list[str]:
    """'Line 0 1 2 3 4 5', ...: each piece with its cells."""
    return [f"{name} {' '.join(map(str, cells))}" for name, cells in board.pieces]


def parse_board(text: str) -> Board:
    """The board that `format_board` wrote. Raises ParamsError."""
    head, *parts = [part.strip() for part in text.split(";")]
    match = re.fullmatch(r"side (\d+)", head)
    if match is None or not 1 <= int(match[1]) <= 12:
        raise ParamsError(f"A board begins with its side, as in 'side 3', not '{head}'.")
    side = int(match[1])
    numbers = {(p.piece, p.cells): number for number, p in enumerate(geometry(side).placements)}
    found = []
    covered: set[int] = set()
    for part in parts:
        name, *cells = part.split()
        if name not in PIECE_ORDER:
            raise UnknownNameError("piece", name, PIECE_ORDER, "board")
        if not all(cell.isdecimal() for cell in cells):
            raise ParamsError(f"Cells of a board are numbers, not '{' '.join(cells)}'.")
        own = tuple(sorted(map(int, cells)))
        number = numbers.get((PIECE_ORDER.index(name), own))
        if number is None:
            raise ParamsError(
                f"The piece {name} cannot lie on the cells {' '.join(cells)} of a board of side {side}."
            )
        if covered.intersection(own):
            raise ParamsError(f"The piece {name} lies on cells that are covered already.")
        covered.update(own)
        found.append(number)
    return Board(side, tuple(found))


def cover_problem(params: BoardsParams) -> CoverProblem:
    """The exact-cover problem of a board; placements are numbered as in its geometry.

    Raises UnknownNameError or ParamsError where the pieces are malformed or cannot cover the board.
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
    """Raises ParamsError, with an estimate, where a search would take longer than a minute or so."""
    if problem.cells <= USUAL_CELLS and sum(problem.most) <= USUAL_PIECES:
        return
    from epcg_core.search.exact_cover.solver import estimate_nodes

    nodes = estimate_nodes(problem, probes=2000)
    if nodes > SEARCH_LIMIT:
        hours, size = nodes / SEARCHED_A_SECOND / 3600, round(math.log10(nodes))
        time = "more than a million" if hours > 1e6 else f"some {max(1, round(hours)):,}"
        raise ParamsError(
            f"A board of side {side} with these pieces has about 10^{size} partial boards, {time} CPU hours "
            "of search: choose a smaller side or fewer pieces, or search a range of 'partial_boards' by "
            "'exact_cover', which can be resumed."
        )


class SolvedBoards:
    """All solved boards by rank, in the lexicographic order of their placements.

    Of boards that a symmetry makes equal it is the first; with `boards = "all"` every one counts.
    """

    def __init__(self, params: BoardsParams) -> None:
        self.params = params
        self.cover_problem = cover_problem(params)

    @property
    def setting(self) -> Geometry:
        """The board without pieces."""
        return geometry(self.params.side)

    @cached_property
    def covers(self) -> NDArray[np.int32]:
        """(boards, pieces) int32 numbers of placements, -1 behind the last."""
        return _solved(self.params)

    @property
    def max_rank(self) -> int:
        return len(self.covers)

    def unrank(self, rank: int) -> Board:
        """The board of `rank`. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no board {rank}: ranks are 0 to {self.max_rank - 1}.")
        return Board(self.params.side, tuple(n for n in self.covers[rank].tolist() if n >= 0))

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        return {tuple(n for n in row if n >= 0): rank for rank, row in enumerate(self.covers.tolist())}

    def rank(self, state: Board) -> int:
        """The rank of a board, which may be turned. Raises RankError where it is none of these."""
        rank = None
        if state.side == self.params.side:
            images = self.cover_problem.images
            smallest = min(tuple(sorted(image[n] for n in state.placements)) for image in images)
            rank = self._ranks.get(smallest)
        if rank is None:
            raise RankError("The board is not one of this space.")
        return rank

    def states_block(self, start: int, count: int) -> NDArray[np.int32]:
        """(count, pieces) int32 numbers of placements, -1 behind the last."""
        return self.covers[start : start + count]

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """(n, pieces) int32 numbers of placements, -1 behind the last."""
        return self.covers[ranks]

    def parse(self, text: str) -> Board:
        return parse_board(text)

    def format(self, state: Board) -> str:
        return format_board(state)


class PartialBoards:
    """The partial boards of so many pieces, as the search of `exact_cover` meets them."""

    def __init__(self, params: PartialBoardsParams) -> None:
        self.params = params
        self.cover_problem = cover_problem(params)

    @property
    def setting(self) -> Geometry:
        """The board without pieces."""
        return geometry(self.params.side)

    @cached_property
    def partial_covers(self) -> PartialCovers:
        """The frontier that the exact-cover search ranges over."""
        from epcg_core.search.exact_cover.solver import PartialCovers

        return PartialCovers(self.cover_problem, self.params.depth)

    @property
    def max_rank(self) -> int:
        return self.partial_covers.max_rank

    def unrank(self, rank: int) -> Board:
        """The partial board of `rank`. Raises RankError."""
        return Board(self.params.side, self.partial_covers.unrank(rank))

    def rank(self, state: Board) -> int:
        """The rank of a partial board, its pieces in the order of the search. Raises RankError."""
        if state.side != self.params.side:
            raise RankError(f"The board has side {state.side}, not {self.params.side}.")
        return self.partial_covers.rank(state.placements)

    def parse(self, text: str) -> Board:
        return parse_board(text)

    def format(self, state: Board) -> str:
        return format_board(state)


@cache
def _solved(params: BoardsParams) -> NDArray[np.int32]:
    """The covers of a board, computed once in a process."""
    from epcg_core.compiled import read_only
    from epcg_core.search.exact_cover.solver import solve

    problem = cover_problem(params)
    check_size(problem, params.side)
    return read_only(solve(problem, limit=BOARDS_LIMIT).covers)


def solved_boards(params: BoardsParams) -> SolvedBoards:
    """All solved boards. Raises ParamsError where there can be none, or too many."""
    return SolvedBoards(params)


def partial_boards(params: PartialBoardsParams) -> PartialBoards:
    """The frontier of the search for solved boards. Raises ParamsError where there can be none."""
    return PartialBoards(params)


def excluded_piece(board: Board) -> int | None:
    """The number of the first piece that a board does without; None where it has all."""
    present = {name for name, _ in board.pieces}
    return next((number for number, name in enumerate(PIECE_ORDER) if name not in present), None)
