"""How Fling! is played, for booklets."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_core.plugin import Instruction
from epcg_fling.rendering.renderers import board_svg
from epcg_fling.rules.moves import RIGHT, BoardShape, fling

_SHAPE = BoardShape(6, 1)
_BOARD = 0b011001
"""A ball, two empty cells, and two balls that touch."""


def how_to_play(states: Sequence[int]) -> list[Instruction]:
    """Explain the game, with one move as an example."""
    return [
        Instruction(
            "Fling a ball to the left, to the right, up or down at another ball in its row or column. At "
            "least one empty cell must lie between the two, and a ball cannot be flung off the board "
            "itself."
        ),
        Instruction(
            "It stops just before the ball that it hits, and that one flies on: to the next ball, which "
            "flies on in its turn, and the last one flies off the board. Here the ball on the left is "
            "flung to the right:",
            board_svg(_SHAPE, _BOARD),
        ),
        Instruction(
            "The other two touched, so that only the last one moved. One ball less is left:",
            board_svg(_SHAPE, fling(_SHAPE, _BOARD, (0, RIGHT))),
        ),
        Instruction("You have won when one ball is left."),
    ]
