"""The parts' params."""

from __future__ import annotations

import attrs

from epcg_core.plugin import ParamsError, param

MOST_CELLS = 60
"""Cells of a content: they fit into the bits of one word."""


@attrs.frozen
class SizeParams:
    """The size of a content."""

    rows: int = param(4, minimum=1, maximum=12, help="cells from top to bottom")
    columns: int = param(4, minimum=1, maximum=12, help="cells in a row")

    def __attrs_post_init__(self) -> None:
        if self.rows * self.columns > MOST_CELLS:
            raise ParamsError(
                f"rows, columns: {self.rows} x {self.columns} cells are more than {MOST_CELLS}: choose fewer."
            )


@attrs.frozen
class RoomParams(SizeParams):
    """The size of a content, and how many enemies are asked for."""

    rows: int = param(3, minimum=1, maximum=12, help="cells from top to bottom")
    columns: int = param(3, minimum=1, maximum=12, help="cells in a row")
    enemies: int = param(1, minimum=0, help="enemies; a quarter more or less, at least one, will do")


@attrs.frozen
class CrateParams(SizeParams):
    """The size of a content, without the solid border around it."""

    rows: int = param(3, minimum=1, maximum=12, help="cells from top to bottom, inside the border")
    columns: int = param(3, minimum=1, maximum=12, help="cells in a row, inside the border")


@attrs.frozen
class EnemiesParams:
    """For the evaluator `zelda`."""

    enemies: int = param(1, minimum=0, help="enemies; a quarter more or less, at least one, will do")


@attrs.frozen
class DifficultyParams:
    """For the evaluator `sokoban`."""

    difficulty: int = param(1, minimum=1, help="a good content needs as many times rows + columns moves")


def allowed(enemies: int, cells: int) -> tuple[int, int]:
    """Return the fewest and the most enemies that will do."""
    off = max(1, enemies // 4)
    return max(0, enemies - off), min(cells, enemies + off)
