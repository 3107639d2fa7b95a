"""Boards that are the same puzzle: images under mirrors, half turns and, on square boards, quarter turns.

A move's legality and effect are unchanged by these and by translating all the pieces.
"""

from __future__ import annotations

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
