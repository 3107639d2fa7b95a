"""The editor: tiles change places, so that the board can still be solved."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import ERASE, Gesture, Mark, RankError, Scene, cell, square_cells, structure
from epcg_sliding.boards import Boards
from epcg_sliding.params import BoardsParams
from epcg_sliding.rules import Board

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

HOLE = "hole"
_KEYS = {"up": "ArrowUp", "down": "ArrowDown", "left": "ArrowLeft", "right": "ArrowRight"}


def new_board(columns: int, rows: int) -> str:
    """Return a board in order. Raises ParamsError for an impossible frame."""
    boards = Boards(structure(BoardsParams, {"rows": rows, "columns": columns}, "frame"))
    return boards.format(boards.transition_model.solved)


def examples() -> dict[str, str]:
    """Return boards to begin with, by their titles."""
    return {"Thirteen moves": "1 2 3 / 4 8 0 / 5 7 6", "As far as it goes": "8 6 7 / 2 5 4 / 3 0 1"}


class BoardEditor:
    """Boards of one frame. A tile changes places with the one that lay there, and two others may too."""

    def __init__(self, text: str) -> None:
        rows = text.strip().replace("\n", "/").split("/")
        frame = {"rows": len(rows), "columns": len(rows[0].split())}
        self._boards = Boards(structure(BoardsParams, frame, "frame"))
        self.transition_model = self._boards.transition_model
        self.parse, self.format = self._boards.parse, self._boards.format
        self.content = self.parse(text)
        self._sites = square_cells(self._boards.columns, self._boards.rows)
        self._cells = {site.id: number for number, site in enumerate(self._sites)}
        tiles = range(1, self._boards.cells)
        self.palette = (
            Mark(name=HOLE, key="0", colour="#3a3a3a", fills=True),
            *(Mark(name=str(t), key=str(t) if t < 10 else "", colour="#7a4a1e", glyph=str(t)) for t in tiles),
        )

    def scene(self, state: Board) -> Scene:
        marks = {name: (str(state[number] or HOLE),) for name, number in self._cells.items()}
        return Scene(self._sites, marks)

    def put(self, state: Board, site: str, mark: str) -> Board:
        if mark == ERASE:
            raise RankError("Every cell holds a tile or the hole: put another one there.")
        at, board = self._cells[site], list(state)
        before = state.index(0 if mark == HOLE else int(mark))
        board[at], board[before] = board[before], board[at]
        others = [number for number, tile in enumerate(board) if tile and number not in (at, before)][-2:]
        if not self._boards.can_be_solved(tuple(board)) and len(others) == 2:
            one, other = others
            board[one], board[other] = board[other], board[one]
        self._boards.rank(tuple(board))
        return tuple(board)

    def position_scene(self, content: Board, position: Board) -> Scene:
        return self.scene(position)

    def gesture(self, content: Board, position: Board, action: str) -> Gesture:
        tile = self.transition_model.apply(position, action).index(0)
        row, column = divmod(tile, self._boards.columns)
        return Gesture((cell(column, row),), (_KEYS[action],), f"tile {position[tile]} slides {action}")

    def packed(self, states: Sequence[Board]) -> NDArray[np.uint8]:
        import numpy as np

        return np.array(states, np.uint8).reshape(len(states), self._boards.cells)
