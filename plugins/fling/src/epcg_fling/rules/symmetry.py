"""Boards that are the same puzzle: images under mirrors, half turns and, on square boards, quarter turns.

A move's legality and effect are unchanged by these and by translating all the pieces.
"""

from __future__ import annotations

from collections.abc import Collection
from functools import cache

from epcg_fling.rules.moves import BoardShape, cells_of


@cache
def symmetries(shape: BoardShape) -> tuple[tuple[int, ...], ...]:
    """Return the image of every cell for each symmetry, the identity first: 4, or 8 on a square."""
    width, height = shape.width, shape.height
    places = [(cell % width, cell // width) for cell in range(shape.cells)]
    right, bottom = width - 1, height - 1
    images = [
        [(x, y) for x, y in places],
        [(right - x, y) for x, y in places],
        [(x, bottom - y) for x, y in places],
        [(right - x, bottom - y) for x, y in places],
    ]
    if width == height:
        images += [[(y, x) for x, y in image] for image in images]
    return tuple(tuple(y * width + x for x, y in image) for image in images)


NAMES = ("mirror", "turn", "shift")
"""Mirrors at the axes; half turns, and quarter turns of squares; translations."""
_MIRRORS, _TURNS = (0, 1, 2, 3), (0, 3, 5, 6)


def symmetries_by(shape: BoardShape, names: Collection[str]) -> list[tuple[int, ...]]:
    """Return the symmetries of the cells that some of the `NAMES` make together, the identity first."""
    every = symmetries(shape)
    chosen: Collection[int] = range(len(every)) if {"mirror", "turn"} <= {*names} else (0,)
    if len(chosen) == 1 and ("mirror" in names or "turn" in names):
        chosen = _MIRRORS if "mirror" in names else _TURNS
    return [every[i] for i in chosen if i < len(every)]


def images_by(shape: BoardShape, bits: int, names: Collection[str]) -> set[int]:
    """Return the distinct boards that some of the `NAMES` together make of a board, itself included.

    Mirrors and turns together are all symmetries of the cells.
    """
    cells = cells_of(bits)
    found = {sum(1 << image[cell] for cell in cells) for image in symmetries_by(shape, names)}
    return {moved for image in found for moved in shifts(shape, image)} if "shift" in names else found


def shifts(shape: BoardShape, bits: int) -> set[int]:
    """Return the boards on which all pieces lie moved together, the board itself included."""
    corner = to_corner(shape, bits)
    cells = cells_of(corner)
    width = max((cell % shape.width for cell in cells), default=0) + 1
    height = max((cell // shape.width for cell in cells), default=0) + 1
    return {
        corner << (y * shape.width + x)
        for y in range(shape.height - height + 1)
        for x in range(shape.width - width + 1)
    }


def images(shape: BoardShape, bits: int) -> set[int]:
    """Return the distinct boards that the symmetries make of a board, itself included."""
    cells = cells_of(bits)
    return {sum(1 << symmetry[cell] for cell in cells) for symmetry in symmetries(shape)}


def to_corner(shape: BoardShape, bits: int) -> int:
    """Return the board with all pieces moved up and to the left as far as they go together."""
    cells = cells_of(bits)
    if not cells:
        return 0
    column = min(cell % shape.width for cell in cells)
    return bits >> (cells[0] // shape.width * shape.width + column)


def normal_form(shape: BoardShape, bits: int) -> int:
    """Return one board for all that are equal up to symmetry and translation: the smallest in the corner."""
    return min(to_corner(shape, image) for image in images(shape, bits))
