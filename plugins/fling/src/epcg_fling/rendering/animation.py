"""A solution as a moving picture: SVG with SMIL animations, which browsers play without a script."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from epcg_core.plugin import number, svg
from epcg_fling.rendering import picture
from epcg_fling.rules.moves import DOWN, LEFT, RIGHT, UP, BoardShape, Move, cells_of

MOVE_S, PAUSE_S = 1.2, 0.5
"""Seconds that a move and the pause after it take."""
_STEPS = {UP: (0, -1), RIGHT: (1, 0), DOWN: (0, 1), LEFT: (-1, 0)}
Moment: TypeAlias = tuple[float, tuple[float, float]]
"""(second, where the centre of a ball is)."""


def solution_svg(shape: BoardShape, bits: int, moves: Sequence[Move], title: str) -> str:
    """Draw a board that plays a solution again and again."""
    board = picture.Board(shape)
    paths, length = travels(board, bits, moves)
    parts = board.grid()
    for i, (cell, path) in enumerate(paths.items()):
        times = ";".join(f"{second / length:.4f}" for second, _ in path)
        values = ";".join(f"{number(x)} {number(y)}" for _, (x, y) in path)
        motion = (
            f'<animateTransform attributeName="transform" type="translate" dur="{length:.1f}s" '
            f'repeatCount="indefinite" keyTimes="{times}" values="{values}"/>'
        )
        ball = board.ball(cell, picture.COLOURS[i % len(picture.COLOURS)], picture.face() + motion)
        parts.append(ball)
    edge = 2 * picture.MARGIN
    return svg.document(board.width + edge, board.height + edge, title, parts)


def travels(board: picture.Board, bits: int, moves: Sequence[Move]) -> tuple[dict[int, list[Moment]], float]:
    """Return where each ball, named by its first cell, is at which second, and how long it all takes.

    The balls that a move sets in motion move one after another, as momentum passes on.
    """
    shape, now = board.shape, 2 * PAUSE_S
    away = max(board.width, board.height) + picture.CELL  # out of the picture
    lies = {cell: cell for cell in cells_of(bits)}
    found: dict[int, list[Moment]] = {ball: [(0.0, board.centre(ball))] for ball in lies}
    for cell, direction in moves:
        ball_at = {at: ball for ball, at in lies.items()}
        line = [cell, *(ahead for ahead in shape.ahead(cell, direction) if ahead in ball_at)]
        x, y = _STEPS[direction]
        for i, start in enumerate(line):
            ball = ball_at[start]
            if i + 1 < len(line):
                lies[ball] = line[i + 1] - y * shape.width - x
                end = board.centre(lies[ball])
            else:
                del lies[ball]
                centre = board.centre(start)
                end = centre[0] + away * x, centre[1] + away * y
            then = now + MOVE_S / len(line)
            found[ball] += [(now, found[ball][-1][1]), (then, end)]
            now = then
        now += PAUSE_S
    length = now + 3 * PAUSE_S
    return {ball: [*path, (length, path[-1][1])] for ball, path in found.items()}, length
