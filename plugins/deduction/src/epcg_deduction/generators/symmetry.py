"""Turns and mirrors of boards: which places of clues go together."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from epcg_core.plugin import ParamsError
from epcg_deduction.model.boards import Board
from epcg_deduction.model.sites import squares_at

Map = Callable[[int, int, int, int], tuple[int, int]]
"""(x, y, width, height) -> the image of a square."""
_MAPS: dict[str, tuple[Map, ...]] = {
    "none": (),
    "half_turn": (lambda x, y, w, h: (w - 1 - x, h - 1 - y),),
    "quarter_turn": (lambda x, y, w, h: (h - 1 - y, x),),
    "left_right": (lambda x, y, w, h: (w - 1 - x, y),),
    "top_bottom": (lambda x, y, w, h: (x, h - 1 - y),),
    "both_mirrors": (lambda x, y, w, h: (w - 1 - x, y), lambda x, y, w, h: (x, h - 1 - y)),
}


def orbits(board: Board, places: Sequence[tuple[str, int]], symmetry: str) -> list[list[int]]:
    """Return which places go together under a symmetry, by their positions in a list.

    A place is known by the squares that its clue is about. One whose image is none of the places goes alone.

    Args:
        board: the board.
        places: for each its word of `PLACES` and its number.
        symmetry: its name, as params have it.

    Returns:
        Positions in `places`, each once, the orbits by their first.

    Raises:
        ParamsError: if a quarter turn is asked of a board that is not a square.
    """
    if symmetry == "quarter_turn" and board.width != board.height:
        raise ParamsError("symmetry: a quarter turn keeps boards that have as many columns as rows only.")
    known = {(on, squares_at(board, on, place)): at for at, (on, place) in enumerate(places)}
    loose = {(on, frozenset(squares)): at for (on, squares), at in known.items()}
    images: list[list[int]] = [[] for _ in places]
    for at, (on, place) in enumerate(places):
        for image in _MAPS[symmetry]:
            squares = tuple(_image(board, square, image) for square in squares_at(board, on, place))
            other = known.get((on, squares), None if on == "sides" else loose.get((on, frozenset(squares))))
            if other is not None:
                images[at].append(other)
                images[other].append(at)
    found, seen = [], set[int]()
    for at in range(len(places)):
        if at not in seen:
            own, front = {at}, [at]
            while front:
                for other in images[front.pop()]:
                    if other not in own:
                        own.add(other)
                        front.append(other)
            seen |= own
            found.append(sorted(own))
    return found


def _image(board: Board, square: int, image: Map) -> int:
    y, x = divmod(square, board.width)
    return board.at(*image(x, y, board.width, board.height))
