"""The rules: boards as tuples, and the moves that slide a tile into the hole."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator

from epcg_core.plugin import RankError

Board = tuple[int, ...]
"""The tiles cell by cell, row after row; 0 is the hole."""

BLANK = -1
"""A tile whose number is forgotten."""

MOVES = ("up", "down", "left", "right")
"""The directions in which a tile slides."""


class Sliding:
    """The transition model of one frame. An action is one of `MOVES`; every one can be taken back."""

    domain_attributes = ("columns", "manhattan", "rows", "solved")

    reversible = True

    def __init__(self, rows: int, columns: int) -> None:
        self.rows = rows
        self.columns = columns
        self.solved: Board = (*range(1, rows * columns), 0)
        """Tile 1 in the first cell, the hole in the last."""

    def initial(self, content: Board) -> Board:
        return content

    def actions(self, state: Board) -> Iterator[str]:
        row, column = divmod(state.index(0), self.columns)
        if row < self.rows - 1:
            yield "up"
        if row > 0:
            yield "down"
        if column < self.columns - 1:
            yield "left"
        if column > 0:
            yield "right"

    def apply(self, state: Board, action: str) -> Board:
        hole = state.index(0)
        tile = hole + {"up": self.columns, "down": -self.columns, "left": 1, "right": -1}[action]
        board = list(state)
        board[hole], board[tile] = board[tile], 0
        return tuple(board)

    def is_goal(self, state: Board) -> bool:
        if BLANK not in state:
            return state == self.solved
        cells = zip(state, self.solved, strict=True)
        return all(tile == own or (tile == BLANK and own) for tile, own in cells)

    def key(self, state: Board) -> Board:
        return state

    def action_text(self, action: str) -> str:
        return action

    def things(self, content: Board) -> list[str]:
        """Return the tiles, whose numbers can be forgotten."""
        return [f"tile {tile}" for tile in sorted(content) if tile > 0]

    def forget(self, content: Board, things: Collection[str]) -> Callable[[Board], Board]:
        """Return the function that makes the numbers of some tiles blank."""
        blank = {int(name.removeprefix("tile ")) for name in things}
        return lambda board: tuple(BLANK if tile in blank else tile for tile in board)

    def without(self, content: Board, things: Collection[str]) -> Board:
        return self.forget(content, things)(content)

    def manhattan(self, state: Board) -> int:
        """Return how many cells the tiles are away from their own: no solution has fewer moves."""
        total = 0
        for cell, tile in enumerate(state):
            if tile:
                row, column = divmod(cell, self.columns)
                own_row, own_column = divmod(tile - 1, self.columns)
                total += abs(row - own_row) + abs(column - own_column)
        return total


def is_even(order: tuple[int, ...]) -> bool:
    """Return whether an even number of pairs stands in the wrong order."""
    wrong = sum(order[i] > order[j] for i in range(len(order)) for j in range(i + 1, len(order)))
    return wrong % 2 == 0


def parse(text: str, rows: int, columns: int) -> Board:
    """Read a board.

    Args:
        text: the tiles in reading order, separated by blanks or line ends; 0, _ or . is the hole.
        rows: the rows of the frame.
        columns: the columns of the frame.

    Raises:
        RankError: if they are not the tiles of the frame.
    """
    words = ["0" if word in ("_", ".") else word for word in text.replace("/", " ").split()]
    numbers = [int(word) if word.isdecimal() and len(word) < 9 else -1 for word in words]
    if sorted(numbers) != list(range(rows * columns)):
        raise RankError(
            f"{text!r} is not a board of {rows} x {columns}: expected the numbers 1 to {rows * columns - 1}, "
            "each once, and 0 for the hole."
        )
    return tuple(numbers)
