"""The editor: pieces are put where they begin, at their left or upper end."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from epcg_core.plugin import (
    ERASE,
    Cast,
    Gesture,
    Mark,
    Path,
    RankError,
    Scene,
    UnknownNameError,
    square_cells,
)
from epcg_rushhour.cells import KINDS, digits_of
from epcg_rushhour.render import ACROSS, CAR, DOWN
from epcg_rushhour.rules import (
    RED,
    SIZES,
    Board,
    Cells,
    RushHour,
    is_across,
    lettered,
    mirrored,
    parse,
    pieces,
    place,
    red_row,
    size_of,
)

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

CAR_MARK = "red car"
SHAPES = {CAR_MARK: (True, 2), **dict(zip(("across 2", "across 3", "down 2", "down 3"), KINDS, strict=True))}
"""Whether a mark's piece lies across, and its length."""
_KEYS = {CAR_MARK: "r", "across 2": "a", "across 3": "s", "down 2": "d", "down 3": "f"}


def new_board(columns: int, rows: int) -> str:
    """Return a board with nothing but the red car. Raises RankError for an impossible size."""
    if columns != rows or columns not in SIZES:
        raise RankError(
            f"There is no board of {columns} x {rows}: boards are squares of 4, 5 or 6 cells a side."
        )
    return lettered(columns, [(red_row(columns) * columns, red_row(columns) * columns + 1)])


def examples() -> dict[str, str]:
    """Return boards to begin with, by their titles."""
    return {
        "Seven moves": SEVEN,
        "Fifty-one moves": parse("BCDDE.BCF.EGB.FAAGHHHI.G..JIKKLLJMM."),
    }


SEVEN = "BB.FAA.FECCCE.DD"


class BoardEditor:
    """Boards of one size. Pieces may fill a line; boards of the generators have none that do."""

    def __init__(self, text: str) -> None:
        self.content = parse(text)
        self._size = size_of(self.content)
        self.transition_model = RushHour()
        self._sites = square_cells(self._size, self._size)
        self._cells = {site.id: number for number, site in enumerate(self._sites)}
        self._ids = [site.id for site in self._sites]
        self.palette = tuple(
            Mark(
                name=name,
                key=_KEYS[name],
                colour=_colour(name == CAR_MARK, across),
                outline=_outline(across, length),
            )
            for name, (across, length) in SHAPES.items()
        )

    def parse(self, text: str) -> Board:
        return parse(text, self._size)

    def format(self, state: Board) -> str:
        return state

    def scene(self, state: Board) -> Scene:
        """Show a mark where each piece begins, and a line over all its cells."""
        marks, paths = {}, []
        for letter, cells in pieces(state).items():
            shape = (is_across(cells), len(cells))
            names = [name for name, each in SHAPES.items() if each == shape and name != CAR_MARK]
            marks[self._ids[cells[0]]] = (CAR_MARK if letter == RED else names[0],)
            ends = [divmod(cell, self._size) for cell in (cells[0], cells[-1])]
            points = [(column + 0.5, row + 0.5) for row, column in ends]
            paths.append(Path(points, _colour(letter == RED, shape[0]), 0.7, title=letter))
        return Scene(self._sites, marks, tuple(paths))

    def put(self, state: Board, site: str, mark: str) -> Board:
        at = self._cells[site]
        lying = pieces(state)
        if mark == ERASE:
            if state[at] == RED:
                raise RankError("The red car stays on the board: put it elsewhere in its row.")
            return lettered(self._size, (cells for cells in lying.values() if at not in cells))
        cells = self._cast(at, mark)
        if cells is None:
            raise RankError(f"{place(self._size, at)}: the piece would stand over the edge.")
        in_red_row = SHAPES[mark][0] and at // self._size == red_row(self._size)
        if in_red_row != (mark == CAR_MARK) and (in_red_row or mark == CAR_MARK):
            raise RankError(
                f"The red car lies in row {red_row(self._size) + 1}, and no other piece lies across there."
            )
        leaves = self._leaves(lying, at, mark)
        if leaves == RED and mark != CAR_MARK:
            raise RankError("The red car stays on the board: put it elsewhere in its row.")
        others = [own for letter, own in lying.items() if letter != leaves]
        for own in others:
            for cell in set(own) & set(cells):
                raise RankError(f"{place(self._size, cell)}: another piece lies there. Remove it first.")
        return lettered(self._size, [*others, cells])

    def casts(self, state: Board, mark: str) -> Mapping[str, Cast]:
        if mark not in SHAPES:
            raise UnknownNameError("mark", mark, list(SHAPES))
        found = {}
        for site, at in self._cells.items():
            cells = self._cast(at, mark)
            if cells is not None:
                try:
                    self.put(state, site, mark)
                    fits = True
                except RankError:
                    fits = False
                found[site] = Cast(tuple(self._ids[cell] for cell in cells), fits)
        return found

    def position_scene(self, content: Board, position: Board) -> Scene:
        return self.scene(position)

    def gesture(self, content: Board, position: Board, action: str) -> Gesture:
        """Touch the end of the piece that goes first, and the cell to which that end goes."""
        letter = action.split()[0]
        before = pieces(position)[letter]
        after = pieces(self.transition_model.apply(position, action))[letter]
        end = 0 if after[0] < before[0] else -1
        return Gesture((self._ids[before[end]], self._ids[after[end]]), (), f"piece {action}")

    def packed(self, states: Sequence[Board]) -> NDArray[np.int64]:
        import numpy as np

        return np.array([digits_of(state) for state in states], np.int64).reshape(-1, self._size**2)

    def images(self, state: Board) -> list[Board]:
        return [state, mirrored(state)] if self._size % 2 else [state]

    def _leaves(self, lying: Mapping[str, Cells], at: int, mark: str) -> str | None:
        """Return the piece that leaves for a mark: the red car for itself, and one that begins there."""
        if mark == CAR_MARK:
            return RED
        return next((letter for letter, cells in lying.items() if cells[0] == at), None)

    def _cast(self, at: int, mark: str) -> Cells | None:
        """Return the cells of a mark; None if it would stand over the edge."""
        across, length = SHAPES[mark]
        row, column = divmod(at, self._size)
        if (column if across else row) + length > self._size:
            return None
        step = 1 if across else self._size
        return tuple(range(at, at + length * step, step))


def _colour(car: bool, across: bool) -> str:
    return CAR if car else ACROSS if across else DOWN


def _outline(across: bool, length: int) -> str:
    """Draw a bar, so long as the piece is."""
    half, thin = (0.45, 0.12) if length == 3 else (0.3, 0.12)
    x, y = (half, thin) if across else (thin, half)
    return f"M{-x} {-y}H{x}V{y}H{-x}Z"
