"""Shortest solutions of single boards, and the command that shows one move by move."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import PathResult, shortest_path
from epcg_sliding.rules import Board, Sliding

if TYPE_CHECKING:
    import click

EXPANSIONS = 200_000


def solution(model: Sliding, board: Board, limit: int = EXPANSIONS) -> PathResult:
    """Find a shortest solution by A* with the Manhattan distance.

    Args:
        model: the transition model of the frame.
        board: the board to solve.
        limit: the most boards to expand.
    """
    return shortest_path(model, board, limit, heuristic=model.manhattan)


def in_words(found: PathResult) -> str:
    """Write '6 moves: up, left, ...', or that none was found."""
    if found.length is None:
        return f"No solution within {found.expansions - 1:,} expansions."
    return moves_in_words(found.actions)


def moves_in_words(moves: Sequence[str]) -> str:
    """Write '6 moves: up, left, ...'."""
    if not moves:
        return "It is solved."
    number = "1 move" if len(moves) == 1 else f"{len(moves)} moves"
    return f"{number}: {', '.join(moves)}"


def command() -> click.Command:
    import click

    @click.command("solve")
    @click.argument("board")
    @click.option(
        "--columns", type=click.IntRange(2, 5), default=3, show_default=True, help="Cells in a row."
    )
    @click.option("--limit", type=click.IntRange(1), default=EXPANSIONS, show_default=True)
    def solve(board: str, columns: int, limit: int) -> None:
        """Solve BOARD, its tiles in reading order and 0 for the hole: "1 2 3 / 4 5 6 / 0 7 8"."""
        from epcg_core.plugin import ParamsError
        from epcg_sliding.boards import Boards
        from epcg_sliding.params import BoardsParams
        from epcg_sliding.render import board_text

        number = len(board.replace("/", " ").split())
        rows, rest = divmod(number, columns)
        if rest or not 2 <= rows <= 5:
            raise ParamsError(f"{number} tiles do not fill a frame with {columns} columns and 2 to 5 rows.")
        boards = Boards(BoardsParams(rows, columns))
        state, model = boards.parse(board), boards.transition_model
        found = solution(model, state, limit)
        click.echo(board_text(model, state))
        for move, action in enumerate(found.actions, 1):
            state = model.apply(state, action)
            click.echo(f"{move}. {action}\n{board_text(model, state)}")
        click.echo(in_words(found))

    return solve
