"""Images of many boards at once, as arrays of bitboards."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from functools import cache

import numpy as np
from numpy.typing import NDArray

from epcg_fling.rules import symmetry
from epcg_fling.rules.moves import BoardShape

_BYTES = 8


def images_of(
    shape: BoardShape, boards: NDArray[np.uint64], names: Collection[str] | None = None
) -> Iterator[NDArray[np.uint64]]:
    """Yield (n,) images of (n,) boards for each symmetry, the boards themselves among them.

    Args:
        shape: the boards' shape.
        boards: (n,) bitboards.
        names: some of `symmetry.NAMES`; None for all mirrors and turns. With 'shift' each image lies in the
            upper left corner: of the boards on which its pieces lie moved together, that has the lowest rank.
    """
    images = symmetry.symmetries(shape) if names is None else symmetry.symmetries_by(shape, names)
    for image in images:
        moved = _permuted(boards, image)
        yield _to_corner(shape, moved) if names is not None and "shift" in names else moved


@cache
def _tables(image: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return where the bits of each byte go: (8, 256) uint64."""
    tables = np.zeros((_BYTES, 256), np.uint64)
    values = np.arange(256)
    for cell, to in enumerate(image):
        tables[cell // 8][values >> cell % 8 & 1 == 1] |= np.uint64(1 << to)
    return tables


def _permuted(boards: NDArray[np.uint64], image: tuple[int, ...]) -> NDArray[np.uint64]:
    """Return the boards with the piece of each cell on the cell's image."""
    moved = np.zeros(len(boards), np.uint64)
    low = np.uint64(255)
    for byte, table in enumerate(_tables(image)[: (len(image) + 7) // 8]):
        moved |= table[(boards >> np.uint64(8 * byte)) & low]
    return moved


def _to_corner(shape: BoardShape, boards: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Return the boards with all pieces moved up and to the left as far as they go together."""
    top = np.uint64(sum(1 << cell for cell in range(shape.width)))
    left = np.uint64(sum(1 << cell for cell in range(0, shape.cells, shape.width)))
    for edge, step, times in ((top, shape.width, shape.height), (left, 1, shape.width)):
        for _ in range(times - 1):
            free = np.where(boards & edge == 0, np.uint64(step), np.uint64(0))
            boards = boards >> free
    return boards
