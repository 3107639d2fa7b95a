"""The editor of boards: balls on the cells of a board of any size."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import ERASE, Gesture, Mark, Scene, Words, cell, square_cells
from epcg_fling.formats.boards import drawn_rows, format_board, parse_board
from epcg_fling.params import BoardsParams
from epcg_fling.rules import symmetry
from epcg_fling.rules.model import FlingModel
from epcg_fling.rules.moves import DIRECTION_NAMES, BoardShape, Move, cells_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

BALL = "ball"
_DISC = "M 0.34 0 A 0.34 0.34 0 1 1 -0.34 0 A 0.34 0.34 0 1 1 0.34 0 Z"
_KEYS = ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def new_board(columns: int, rows: int) -> str:
    """Return a board with two balls in its first row, or column if it has one."""
    shape = _shape(columns, rows)
    return format_board(shape, 1 | 1 << (shape.width - 1 or shape.cells - 1))


def examples() -> dict[str, str]:
    """Return boards that can be solved in one way, by their titles."""
    return {
        "Five balls": ".....\noo..o\no....\n..o..",
        "Six balls": "...o.\n..o..\n.o..o\n.....\n....o\n.o...",
        "Eight balls": "..o.o..\n.......\n....o.o\n.......\n......o\n.......\n.o...oo\n.......",
    }


class BoardEditor:
    """Boards of one size. An action is a touch of the ball, then of the cell to which it begins to fly."""

    palette = (Mark(name=BALL, title="ball", colour="#d9633a", outline=_DISC, key="b"),)

    def __init__(self, text: str) -> None:
        rows = drawn_rows(text)
        self.setting = _shape(len(rows[0]), len(rows)) if rows else _shape()
        self.transition_model = FlingModel(self.setting)
        self._ids = [site.id for site in square_cells(self.setting.width, self.setting.height)]
        self._numbers = {name: number for number, name in enumerate(self._ids)}
        self.content = self.parse(text)

    def parse(self, text: str) -> int:
        return parse_board(self.setting, text)

    def format(self, state: int) -> str:
        return format_board(self.setting, state)

    def scene(self, state: int) -> Scene:
        return Scene(
            square_cells(self.setting.width, self.setting.height),
            {self._ids[number]: (BALL,) for number in cells_of(state)},
        )

    def put(self, state: int, site: str, mark: str) -> int:
        bit = 1 << self._numbers[site]
        return state & ~bit if mark == ERASE else state | bit

    def resized(self, state: int, columns: int, rows: int) -> str:
        shape, width = _shape(columns, rows), self.setting.width
        kept = [(n % width, n // width) for n in cells_of(state) if n % width < columns and n // width < rows]
        return format_board(shape, sum(1 << y * columns + x for x, y in kept))

    def position_scene(self, content: int, position: int) -> Scene:
        return self.scene(position)

    def gesture(self, content: int, position: int, action: Move) -> Gesture:
        number, direction = action
        x, y = number % self.setting.width, number // self.setting.width
        dx, dy = _STEPS[direction]
        words = f"the ball in column {x + 1}, row {y + 1} flies {DIRECTION_NAMES[direction]}"
        return Gesture((self._ids[number], cell(x + dx, y + dy)), (_KEYS[direction],), words)

    def images(self, state: int) -> Sequence[int]:
        return sorted(symmetry.images(self.setting, state))

    def filling(self, empty: int, places: Sequence[tuple[str, Sequence[str]]]) -> tuple[BoardShape, Words]:
        import numpy as np

        shares = np.zeros((len(places), max(len(marks) for _, marks in places)), np.uint64)
        for own, (site, marks) in zip(shares, places, strict=True):
            own[: len(marks)] = [self.put(empty, site, mark) ^ empty for mark in marks]
        return self.setting, Words(empty, shares)

    def packed(self, states: Sequence[int]) -> NDArray[np.uint64]:
        import numpy as np

        return np.array(states, np.uint64)


def _shape(columns: int = BoardsParams().width, rows: int = BoardsParams().height) -> BoardShape:
    BoardsParams(columns, rows, 1)  # an impossible size raises ParamsError
    return BoardShape(columns, rows)
