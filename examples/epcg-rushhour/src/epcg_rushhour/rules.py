"""The rules: boards as texts, and the moves that slide a piece along its line.

A board is a text of its cells, row after row: '.' is empty, A is the red car, and other letters are other
pieces. Their letters follow from where they lie: first the pieces that lie across, row by row from the left,
then those that lie down, column by column from the top. Pieces of a line cannot pass each other, so a move
changes no letter.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator
from itertools import groupby
from math import isqrt
from string import ascii_uppercase

from epcg_core.plugin import RankError

Board = str
Cells = tuple[int, ...]
"""The cells of a piece, from the left or from the top, counted along the rows."""

SIZES = (4, 5, 6)
EMPTY, RED = ".", "A"
ACROSS, DOWN = ("left", "right"), ("up", "down")
"""The directions in which pieces slide: back, and forth."""


def size_of(board: Board) -> int:
    return isqrt(len(board))


def red_row(size: int) -> int:
    """Return the row of the red car, counted from 0."""
    return (size - 1) // 2


def pieces(board: Board) -> dict[str, Cells]:
    """Return the cells of each piece, by its letter in alphabetical order."""
    found = sorted((letter, cell) for cell, letter in enumerate(board) if letter != EMPTY)
    return {letter: tuple(cell for _, cell in of) for letter, of in groupby(found, lambda each: each[0])}


def is_across(cells: Cells) -> bool:
    return cells[1] - cells[0] == 1


def lettered(size: int, lying: Iterable[Cells]) -> Board:
    """Return the board of some pieces that do not overlap; the one across in the red row is the red car."""

    def order(cells: Cells) -> tuple[bool, bool, int, int]:
        row, column = divmod(cells[0], size)
        across = is_across(cells)
        return (
            not (across and row == red_row(size)),
            not across,
            *((row, column) if across else (column, row)),
        )

    board = [EMPTY] * (size * size)
    for letter, cells in zip(ascii_uppercase, sorted(lying, key=order), strict=False):
        for cell in cells:
            board[cell] = letter
    return "".join(board)


def fills_a_line(board: Board) -> bool:
    """Return whether pieces across fill a row, or pieces down a column: they can never move."""
    size = size_of(board)
    filled = Counter(
        (is_across(cells), cells[0] // size if is_across(cells) else cells[0] % size)
        for cells in pieces(board).values()
        for _ in cells
    )
    return size in filled.values()


def without(board: Board, letter: str) -> Board:
    """Return the board without a piece."""
    return lettered(size_of(board), (cells for name, cells in pieces(board).items() if name != letter))


def mirrored(board: Board) -> Board:
    """Return the board upside down: boards of an even size have no red car in its row then."""
    size = size_of(board)
    return lettered(
        size,
        (
            tuple(sorted((size - 1 - cell // size) * size + cell % size for cell in cells))
            for cells in pieces(board).values()
        ),
    )


def parse(text: str, size: int | None = None) -> Board:
    """Read a board: its cells row after row, in one line or several. Any letter but A may be any other piece.

    Args:
        text: the text.
        size: the cells in a row; None for any size.

    Raises:
        RankError: if the text is not a board, or one of another size.
    """
    read = "".join(text.replace("/", " ").split())
    found = size_of(read)
    if found not in SIZES or found * found != len(read) or (size or found) != found:
        wanted = f"{size * size} cells" if size else "16, 25 or 36 cells"
        raise RankError(f"{text!r} is not a board: expected {wanted}, row after row, and read {len(read)}.")
    wrong = sorted(set(read) - set(ascii_uppercase) - {EMPTY})
    if wrong:
        raise RankError(
            f"{place(found, read.index(wrong[0]))}: {wrong[0]!r} is no piece: write a letter from A to Z, "
            "or '.' for an empty cell."
        )
    lying = pieces(read)
    for letter, cells in lying.items():
        across = cells[0] // found == cells[-1] // found
        if len(cells) not in (2, 3) or cells != tuple(range(cells[0], cells[-1] + 1, 1 if across else found)):
            raise RankError(
                f"{place(found, cells[0])}: piece {letter} is not two or three cells in a straight line."
            )
        if is_across(cells) and cells[0] // found == red_row(found) and letter != RED:
            raise RankError(f"{place(found, cells[0])}: piece {letter} lies across in the red car's row.")
    car = lying.get(RED, ())
    if len(car) != 2 or not is_across(car) or car[0] // found != red_row(found):
        raise RankError(
            f"The red car, A, is two cells across in row {red_row(found) + 1} of a board of {found} rows."
        )
    return lettered(found, lying.values())


def place(size: int, cell: int) -> str:
    """Return where a cell lies, for messages."""
    return f"column {cell % size + 1}, row {cell // size + 1}"


class RushHour:
    """The transition model. An action is a letter, a direction and a number of cells, as 'B right 2'."""

    reversible = True

    def initial(self, content: Board) -> Board:
        return content

    def actions(self, state: Board) -> Iterator[str]:
        size = size_of(state)
        for letter, cells in pieces(state).items():
            across = is_across(cells)
            step = 1 if across else size
            at = cells[0] % size if across else cells[0] // size
            back, forth = ACROSS if across else DOWN
            for far in range(1, at + 1):
                if state[cells[0] - far * step] != EMPTY:
                    break
                yield f"{letter} {back} {far}"
            for far in range(1, size - at - len(cells) + 1):
                if state[cells[-1] + far * step] != EMPTY:
                    break
                yield f"{letter} {forth} {far}"

    def apply(self, state: Board, action: str) -> Board:
        letter, direction, far = action.split()
        step = (1 if direction in ACROSS else size_of(state)) * int(far)
        if direction in (ACROSS[0], DOWN[0]):
            step = -step
        board = [EMPTY if each == letter else each for each in state]
        for cell, each in enumerate(state):
            if each == letter:
                board[cell + step] = letter
        return "".join(board)

    def is_goal(self, state: Board) -> bool:
        """Return whether the red car touches the right edge."""
        size = size_of(state)
        return state[red_row(size) * size + size - 1] == RED

    def key(self, state: Board) -> Board:
        return state

    def things(self, content: Board) -> list[str]:
        """Return the pieces but the red car."""
        return [f"piece {letter}" for letter in pieces(content) if letter != RED]

    def forget(self, content: Board, things: Collection[str]) -> Callable[[Board], Board]:
        """Return the function that takes some pieces off the board; the others keep their letters."""
        empty = str.maketrans(dict.fromkeys((name.removeprefix("piece ") for name in things), EMPTY))
        return lambda board: board.translate(empty)

    def without(self, content: Board, things: Collection[str]) -> Board:
        return self.forget(content, things)(content)
