"""The editor of boards: balls on the cells of a board of any size."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
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
_TEETH, _FUR, _SKIN = 40, (0.355, 0.42), 0.35
"""Of a ball's fur: the number of hairs, the radii between which they lie; and the radius of the skin."""
_EXAMPLES = {
    "Two flings": "....o o.... ..... ....o",
    "Five balls": "o.... ..o.o o.... ...o.",
    "One way through": "o..o. ..... ...oo o.... .....",
    "The best of six": "oo.o... ....... .....o. ....... o....o. ....... ....... .......",
}
"""Answers to questions: boards with one solution each. The last is, of all boards of six balls, the one on
which knowing that independent moves commute saves most."""
_KEYS = ("ArrowUp", "ArrowRight", "ArrowDown", "ArrowLeft")
_STEPS = ((0, -1), (1, 0), (0, 1), (-1, 0))


def new_board(columns: int, rows: int) -> str:
    """Return a board with two balls in its first row, or column if it has one."""
    shape = _shape(columns, rows)
    return format_board(shape, 1 | 1 << (shape.width - 1 or shape.cells - 1))


def examples() -> Mapping[str, str]:
    """Return boards to begin with, by title."""
    return {title: "\n".join(rows.split()) for title, rows in _EXAMPLES.items()}


def _disc(x: float, y: float, width: float, height: float) -> str:
    """Return the path of an ellipse with the middle (x, y)."""
    arc = f"A {width} {height} 0 1 1"
    return f"M {x + width:.4g} {y} {arc} {x - width:.4g} {y} {arc} {x + width:.4g} {y} Z"


def _fur() -> str:
    """Return the path of a star with a tooth for each hair."""
    points = (
        (radius * math.cos(angle), radius * math.sin(angle))
        for number in range(2 * _TEETH)
        for radius, angle in [(_FUR[number % 2], math.pi * number / _TEETH)]
    )
    return f"M {' L '.join(f'{x:.3f} {y:.3f}' for x, y in points)} Z"


_FACE = (
    ("#d9633a", _fur()),
    ("#ffa98a", _disc(0, 0, _SKIN, _SKIN)),
    ("#ffe0d4", _disc(-0.12, -0.2, 0.1, 0.055)),
    ("#2b2622", f"{_disc(-0.105, -0.03, 0.05, 0.05)} {_disc(0.105, -0.03, 0.05, 0.05)}"),
    ("#2b2622", "M -0.1 0.1 Q 0 0.22 0.1 0.1 L 0.085 0.09 Q 0 0.18 -0.085 0.09 Z"),
)
"""A ball as pictures draw it: fur, skin, shine, eyes, mouth."""


class BoardEditor:
    """Boards of one size. An action is a touch of the ball, then of the cell to which it begins to fly."""

    palette = (Mark(name=BALL, title="ball", colour="#d9633a", picture=_FACE, key="b"),)

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
