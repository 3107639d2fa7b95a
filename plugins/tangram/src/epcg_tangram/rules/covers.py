"""All covers of a board by the pieces of its game: the search for them, and their numbers."""

from __future__ import annotations

import math
import re
from collections.abc import Iterable, Sequence
from contextlib import suppress
from functools import cache, cached_property
from typing import TYPE_CHECKING, ClassVar

from epcg_core.plugin import CoverProblem, EpcgError, ParamsError, RankError, UnknownNameError
from epcg_tangram.design.definition import MOST_COPIES
from epcg_tangram.design.layout import Boards, BoardSymmetry, Layout, layout_of
from epcg_tangram.params import BoardsParams, GameRef
from epcg_tangram.rules.boards import Board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

SEARCH_LIMIT = 1e9
"""Partial boards that are searched at once: about a minute."""


SEARCHED_A_SECOND = 2e7


BOARDS_LIMIT = 1_000_000
"""Boards that a process keeps."""


MOST_STATES = 1_000_000
"""Partial boards that differ, of a count without a list: some 4 CPU seconds and 300 MiB."""


FEW_STATES = 100_000
"""Partial boards that differ, of a count that is tried before a search of many pieces."""


USUAL_CELLS, USUAL_PIECES = 60, 12
"""Boards up to this size are searched without an estimate."""


def ranges(params: BoardsParams) -> tuple[tuple[int, int], ...]:
    """Return the (fewest, most) copies of each piece. Raises UnknownNameError or ParamsError."""
    kinds = params.definition.pieces
    names = params.definition.names
    found = {kind.name: (kind.least, kind.most) for kind in kinds}
    for i, text in enumerate(params.copies):
        match = re.fullmatch(r"(.+?) +([0-9]{1,6})(?: to ([0-9]{1,6}))?", text.strip())
        if match is None:
            raise ParamsError(
                f"copies {i + 1}: write the name of a piece and a number, as in 'corner 2', not '{text}'."
            )
        if match[1] not in names:
            raise UnknownNameError("piece", match[1], names, f"copies {i + 1}")
        least, most = int(match[2]), int(match[3] or match[2])
        if match[3] is None and params.definition.unused != 0:
            least = 0
        if not least <= most <= MOST_COPIES:
            raise ParamsError(
                f"copies {i + 1}: copies go from a smaller to a larger number, at most {MOST_COPIES:,}."
            )
        found[match[1]] = (least, most)
    for i, name in enumerate(params.without):
        if name not in names:
            raise UnknownNameError("piece", name, names, f"without {i + 1}")
        found[name] = (0, 0)
    return tuple(found[name] for name in names)


def problem_of(
    layout: Layout, copies: Sequence[tuple[int, int]], symmetries: Iterable[BoardSymmetry] = ()
) -> CoverProblem:
    """Make the exact-cover problem of a board; placements are numbered as in its layout.

    Args:
        layout: the board with its placements.
        copies: the fewest and most copies of each piece.
        symmetries: those modulo which to count (see `Layout.symmetries_with`).
    """
    return CoverProblem(
        cells=layout.cells,
        placements=tuple((p.piece, p.cells) for p in layout.placements),
        least=tuple(least for least, _ in copies),
        most=tuple(most for _, most in copies),
        optional=layout.definition.optional,
        empty=layout.definition.empty,
        unused=layout.definition.unused or None,
        symmetries=[(*own.cells, *own.pieces) for own in symmetries],
    )


def cover_problem(params: BoardsParams) -> CoverProblem:
    """Make the exact-cover problem of a game's board; placements are numbered as in its layout.

    Raises UnknownNameError or ParamsError if the pieces are malformed or cannot cover the board.
    """
    layout = layout_of(params.definition)
    copies = ranges(params)
    definition = layout.definition
    symmetries = layout.symmetries_for(params.boards, copies)
    problem = problem_of(layout, copies, symmetries)
    area, least = layout.cells - (definition.empty or 0), layout.cells - definition.most_empty
    most = sum(most * kind.size for (_, most), kind in zip(copies, definition.pieces, strict=True))
    if most < least:
        wanted = f"{least} of its {layout.cells} cells are to be covered"
        raise ParamsError(
            f"The pieces cannot cover the board: "
            f"{wanted if definition.most_empty else f'it has {area} cells'}, "
            f"and all of them together cover {most}. Allow more copies or pieces, or choose a smaller board."
        )
    placed = {placement.piece for placement in layout.placements}
    for number, ((least, _), kind) in enumerate(zip(copies, definition.pieces, strict=True)):
        if least and number not in placed:
            raise ParamsError(
                f"The piece '{kind.name}' must be used, and does not fit on the board anywhere."
            )
    if problem.impossible() is not None:
        raise ParamsError(
            "The pieces cannot cover the board: no choice of them has "
            f"{area if area == least else f'{least} to {area}'} cells. Allow other copies, or "
            "change the board or the pieces."
        )
    return problem


def check_size(problem: CoverProblem) -> None:
    """Raise ParamsError, with an estimate, if a search would take longer than a minute or so."""
    if problem.cells <= USUAL_CELLS and sum(problem.most) <= USUAL_PIECES:
        return
    from epcg_core.plugin import estimate_cost

    nodes = estimate_cost(problem)
    if nodes > SEARCH_LIMIT:
        hours, size = nodes / SEARCHED_A_SECOND / 3600, round(math.log10(nodes))
        time = "more than a million" if hours > 1e6 else f"some {max(1, round(hours)):,}"
        raise ParamsError(
            f"A board of {problem.cells} cells with these pieces has about 10^{size} partial boards, {time} "
            "CPU hours of search: choose a smaller board or fewer pieces, or search a range of "
            "'partial_boards' by 'exact_cover', which can be resumed."
        )


@cache
def solved_covers(params: BoardsParams) -> NDArray[np.int32]:
    """Return the covers of a board, computed once in a process."""
    from epcg_core.plugin import read_only, solve

    problem = cover_problem(params)
    check_size(problem)
    return read_only(solve(problem, limit=BOARDS_LIMIT).covers)


def count_boards(layout: Layout, copies: Sequence[tuple[int, int]], boards: Boards = "distinct") -> int:
    """Return the number of solved boards with these copies of each piece: modulo symmetry, or all.

    Boards too many for a list are counted without one. Raises ParamsError or EpcgError if these are too
    many, too, or would take longer than a minute or so.
    """
    from epcg_core.plugin import count_by_states, solve

    problem = problem_of(layout, copies, layout.symmetries_for(boards, copies))
    if problem.impossible() is not None:
        return 0
    if sum(problem.most) > USUAL_PIECES:
        with suppress(EpcgError):
            return count_by_states(problem, limit=FEW_STATES).distinct
    try:
        check_size(problem)
        return len(solve(problem, limit=BOARDS_LIMIT).covers)
    except EpcgError as error:
        try:
            return count_by_states(problem, limit=MOST_STATES).distinct
        except EpcgError:
            raise error from None


class Covers:
    """All solved boards by rank, in the lexicographic order of their placements.

    Of boards that a symmetry makes equal it is the first, with `boards = "turned"` of those that a turn makes
    equal; with "all" every one counts.
    """

    domain_attributes: ClassVar[tuple[str, ...]] = ("cover_problem", "covers", "params")

    def __init__(self, params: BoardsParams) -> None:
        self.params = params
        self.cover_problem = cover_problem(params)
        self._game: GameRef = params.ref

    @cached_property
    def setting(self) -> Layout:
        """The board without pieces."""
        return layout_of(self.params.definition)

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
        return Board(self._game, tuple(n for n in self.covers[rank].tolist() if n >= 0))

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        return {tuple(n for n in row if n >= 0): rank for rank, row in enumerate(self.covers.tolist())}

    def rank(self, state: Board) -> int:
        """Return the rank of a board, which may be turned. Raises RankError if it is not in this space."""
        rank = None
        if state.game == self._game:
            images = self.cover_problem.images
            smallest = min(tuple(sorted(image[n] for n in state.placements)) for image in images)
            rank = self._ranks.get(smallest)
        if rank is None:
            raise RankError("The board is not one of this space.")
        return rank
