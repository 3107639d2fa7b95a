"""Renderers: a Fling! board as SVG and as text.

`board_svg` numbers the pieces in the order of the solution (Sturtevant & Ota 2018, Figure 1), or draws a
board for each move if a piece is flung twice. `analysis_svg` shows what a designer can change (Sturtevant
2013, Figure 4).
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from epcg_core.plugin import svg
from epcg_fling.formats.boards import format_board
from epcg_fling.rendering import picture
from epcg_fling.rendering.animation import solution_svg
from epcg_fling.rules.moves import (
    DIRECTIONS,
    DOWN,
    LEFT,
    RIGHT,
    UP,
    BoardShape,
    Move,
    cells_of,
    fling,
    moved_pieces,
)
from epcg_fling.rules.solving import Solver, Verdict

VERDICTS: tuple[Verdict, ...] = ("unsolvable", "solvable", "unique")
VERDICT_WORDS: Mapping[str, str] = {
    "unsolvable": "not solvable",
    "solvable": "several solutions",
    "unique": "a unique solution",
}
VERDICT_SIGNS: Mapping[str, str] = {"unsolvable": "x", "solvable": "2", "unique": "1"}
_PLAIN_PIECES = 7
"""Boards of up to this number of pieces are solved by the plain search, which starts at once; the compiled
one finds the same solution."""
_FLUNG = {UP: "up", RIGHT: "to the right", DOWN: "down", LEFT: "to the left"}


def svg_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False, animate=False)`, which draws a board of `generator` as SVG.

    With `solution` every move of a solution is shown, if the board has one; with `animate` the picture plays
    them.
    """
    shape = generator.setting

    def render(state: int, *, solution: bool | Sequence[str] = False, animate: bool = False) -> str:
        if animate and (moves := solution_of(shape, state)):
            return solution_svg(shape, state, moves, _title(shape, state))
        return board_svg(shape, state, solution_of(shape, state) if solution else None)

    return render


def text_renderer(generator: Any) -> Callable[..., str]:
    """Make `render(state, *, solution=False)`, which writes a board of `generator` as rows of `o` and `.`.

    With `solution` the moves of a solution follow in words, or a line that says that there is none.
    """
    shape = generator.setting

    def render(state: int, *, solution: bool | Sequence[str] = False) -> str:
        lines = [format_board(shape, state)]
        if solution:
            moves = solution_of(shape, state)
            lines += ["No solution."] if moves is None else moves_in_words(shape, moves)
        return "\n".join([*lines, ""])

    return render


def solution_of(shape: BoardShape, bits: int) -> Sequence[Move] | None:
    """Return the moves of the first solution, none for a solved board; None if there is no solution."""
    if bits.bit_count() <= _PLAIN_PIECES:
        return Solver(shape).first_solution(bits)
    from epcg_fling.evaluation.analysis import first_solution
    from epcg_fling.search.solutions import SolutionSearch

    return first_solution(SolutionSearch(shape), bits)


def move_in_words(shape: BoardShape, move: Move) -> str:
    """Write 'fling the piece at column 3, row 2 to the right', counted from 1 at the top left."""
    y, x = divmod(move[0], shape.width)
    return f"fling the piece at column {x + 1}, row {y + 1} {_FLUNG[move[1]]}"


def moves_in_words(shape: BoardShape, moves: Sequence[Move]) -> list[str]:
    """Write a numbered line for each move."""
    return [f"{i}. {move_in_words(shape, move)}" for i, move in enumerate(moves, start=1)]


def board_text(shape: BoardShape, bits: int) -> str:
    """Write the rows of a board, `o` for a piece and `.` for an empty cell, each ended by a newline."""
    return format_board(shape, bits) + "\n"


def analysis_text(shape: BoardShape, bits: int, edits: Mapping[int, Verdict]) -> str:
    """Write the rows of a board, two characters a cell, each row ended by a newline.

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        edits: the verdicts of the cells whose change, a piece removed or added, makes the board another
            kind of board. The second character of such a cell is the verdict's sign (`VERDICT_SIGNS`).
    """
    signs = [VERDICT_SIGNS[edits[cell]] if cell in edits else " " for cell in range(shape.cells)]
    cells = [("o" if bits >> cell & 1 else ".") + signs[cell] for cell in range(shape.cells)]
    rows = [" ".join(cells[i : i + shape.width]).rstrip() for i in range(0, shape.cells, shape.width)]
    return "".join(row + "\n" for row in rows)


def positions(shape: BoardShape, bits: int, moves: Sequence[Move]) -> list[dict[int, int]]:
    """Return the position before each move and after the last: {cell of a piece: its cell at the start}."""
    home = {cell: cell for cell in cells_of(bits)}
    found = [home]
    for move in moves:
        arrived = {to: home[origin] for origin, to in moved_pieces(shape, bits, move)}
        bits = fling(shape, bits, move)
        home = {cell: arrived[cell] if cell in arrived else home[cell] for cell in cells_of(bits)}
        found.append(home)
    return found


def first_flings(shape: BoardShape, bits: int, moves: Sequence[Move]) -> dict[int, tuple[int, int]]:
    """Return {cell of a piece on the first board: (number of its first fling, direction)}.

    Moves count from 1. Pieces are followed as momentum carries them; those that are only hit are left out.
    """
    found: dict[int, tuple[int, int]] = {}
    before = positions(shape, bits, moves)
    for count, ((cell, direction), home) in enumerate(zip(moves, before, strict=False), start=1):
        found.setdefault(home[cell], (count, direction))
    return found


def board_svg(shape: BoardShape, bits: int, moves: Sequence[Move] | None = None) -> str:
    """Draw a board as an SVG document.

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        moves: a solution. If it flings no piece twice, each flung piece carries the number of its move and an
            arrow for its direction. Otherwise there is a board for each move.
    """
    title = _title(shape, bits)
    if moves:
        title = " ".join([title + ":", *(step + ";" for step in moves_in_words(shape, moves))])[:-1]
    flings = first_flings(shape, bits, moves or ())
    colours = {cell: picture.COLOURS[i % len(picture.COLOURS)] for i, cell in enumerate(cells_of(bits))}
    edge = 2 * picture.MARGIN
    width, height = shape.width * picture.CELL + edge, shape.height * picture.CELL + edge
    if moves is None or len(flings) == len(moves):
        at_rest = {cell: cell for cell in colours}
        return svg.document(width, height, title, _board(picture.Board(shape), at_rest, flings, colours))
    columns = _columns(len(moves), width, height)
    parts = []
    before = positions(shape, bits, moves)
    for i, (move, home) in enumerate(zip(moves, before, strict=False)):
        row, column = divmod(i, columns)
        left, top = column * width + picture.MARGIN, row * height + picture.MARGIN
        parts += _board(picture.Board(shape, left, top), home, {move[0]: (i + 1, move[1])}, colours)
    return svg.document(columns * width, -(-len(moves) // columns) * height, title, parts)


def _board(
    board: picture.Board,
    home: Mapping[int, int],
    flings: Mapping[int, tuple[int, int]],
    colours: Mapping[int, picture.Fur],
) -> list[str]:
    """Draw a position; the pieces on the cells of `flings` carry a number, and an arrow leads from each."""
    parts = board.grid()
    for cell in sorted(home):
        inside = picture.face()
        if cell in flings:
            inside = picture.label(str(flings[cell][0]))
        parts.append(board.ball(cell, colours[home[cell]], inside))
    return parts + [board.pointer(cell, direction) for cell, (_, direction) in sorted(flings.items())]


def _columns(boards: int, width: float, height: float) -> int:
    """Return the columns of boards of a size whose picture is nearest to a square."""

    def longest(columns: int) -> float:
        return max(columns * width, -(-boards // columns) * height)

    return min(range(1, boards + 1), key=longest)


def analysis_svg(
    shape: BoardShape, bits: int, winning_moves: Sequence[Move], edits: Mapping[int, Verdict]
) -> str:
    """Draw a board with its analysis as an SVG document, with a legend of what occurs.

    Args:
        shape: the board's size.
        bits: the board, as a bitboard.
        winning_moves: the moves after which the board is still solvable, drawn as arrows on the pieces.
        edits: the cells whose change makes it another kind of board (see `analysis_text`).
    """
    legend = [verdict for verdict in VERDICTS if verdict in edits.values()]
    lines = len(legend) + bool(winning_moves)
    width = max(shape.width * picture.CELL, _LEGEND_WIDTH if lines else 0)
    board = picture.Board(shape, left=picture.MARGIN + (width - shape.width * picture.CELL) / 2)
    parts = board.grid()
    for cell in range(shape.cells):
        if cell in edits:
            parts.append(board.tint(cell, picture.MARKS[edits[cell]].tint))
    for cell in range(shape.cells):
        if bits >> cell & 1:
            arrows = [picture.arrow(d) for d in DIRECTIONS if (cell, d) in winning_moves]
            parts.append(board.ball(cell, picture.PLAIN, "".join(arrows)))
            if cell in edits:
                x, y = board.corner(cell)
                parts.append(picture.sign_badge(edits[cell], x + picture.CELL - 9, y + 9))
        elif cell in edits:
            parts.append(board.ghost(cell))
            parts.append(picture.sign(edits[cell], *board.centre(cell)))
    top = board.top + board.height + picture.MARGIN + 4
    if winning_moves:
        parts.append(picture.legend_arrow(picture.MARGIN + 10, top + 9))
        parts.append(_legend(top + 14, "a winning move"))
        top += _LEGEND_LINE
    for verdict in legend:
        parts.append(picture.legend_mark(verdict, picture.MARGIN + 10, top + 9))
        parts.append(_legend(top + 14, f"changed here: {VERDICT_WORDS[verdict]}"))
        top += _LEGEND_LINE
    height = top - 4 if lines else board.top + board.height + picture.MARGIN
    width += 2 * picture.MARGIN
    return svg.document(width, height, _title(shape, bits), [picture.paper(width, height), *parts])


_LEGEND_WIDTH = 230
_LEGEND_LINE = 25


def _legend(y: float, words: str) -> str:
    return svg.text(picture.MARGIN + 28, y, 15, words, anchor="start")


def _title(shape: BoardShape, bits: int) -> str:
    pieces = bits.bit_count()
    return f"Fling! board {bits} of {shape.width} by {shape.height} with {pieces} piece{'s' * (pieces != 1)}"
