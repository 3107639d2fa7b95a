"""Divisions of a board into connected regions, or into rectangles: all of them, in a fixed order.

The first cell that is in no region yet begins the next one, so every division comes once. A set of cells is
an integer, one bit for each cell of `Board.cells`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

import attrs

from epcg_core.plugin import ParamsError
from epcg_deduction.model.boards import Board

MOST_DIVISIONS = 400_000
"""Divisions that are listed."""


@attrs.frozen
class Limits:
    """What regions there may be.

    Args:
        rectangles: whether each is a rectangle, or only connected.
        fewest: of the regions.
        most: of the regions; None: any number.
        smallest: the fewest cells of a region.
        largest: the most cells of a region; None: any number.
    """

    rectangles: bool = False
    fewest: int = 1
    most: int | None = None
    smallest: int = 1
    largest: int | None = None


def divisions(board: Board, limits: Limits) -> Iterator[tuple[tuple[int, ...], ...]]:
    """Yield all divisions of the cells of a board: the squares of each region, regions by their first cell.

    Raises ParamsError when there are more than can be listed.
    """
    for number, sets in enumerate(_Divider(board, limits).all()):
        if number == MOST_DIVISIONS:
            raise ParamsError(
                f"The board has more than {MOST_DIVISIONS:,} divisions into such regions, which is too much "
                "for a list: choose a smaller board, or say how many regions there are and how large."
            )
        yield tuple(tuple(board.cells[bit] for bit in _members(own)) for own in sets)


def _members(cells: int) -> Iterator[int]:
    while cells:
        low = cells & -cells
        yield low.bit_length() - 1
        cells ^= low


class _Divider:
    """The search for the divisions of one board."""

    def __init__(self, board: Board, limits: Limits) -> None:
        number = {cell: bit for bit, cell in enumerate(board.cells)}
        self.limits, self.every = limits, (1 << len(number)) - 1
        self.largest = len(number) if limits.largest is None else limits.largest
        self.most = len(number) if limits.most is None else limits.most
        self._near = [0] * len(number)
        for one, other in board.borders:
            self._near[number[one]] |= 1 << number[other]
            self._near[number[other]] |= 1 << number[one]
        self._rectangles = self._all_rectangles(board, number) if limits.rectangles else {}
        self.regions = lru_cache(maxsize=4096)(self._regions)

    def _all_rectangles(self, board: Board, number: dict[int, int]) -> dict[int, list[int]]:
        """Return the rectangles of cells by their first cell."""
        found: dict[int, list[int]] = {}
        for first in board.cells:
            y, x = divmod(first, board.width)
            for height in range(1, board.height - y + 1):
                for width in range(1, board.width - x + 1):
                    inside = [board.at(x + dx, y + dy) for dy in range(height) for dx in range(width)]
                    if all(cell in number for cell in inside):
                        own = sum(1 << number[cell] for cell in inside)
                        found.setdefault(number[first], []).append(own)
        return found

    def all(self) -> Iterator[tuple[int, ...]]:
        """Yield the regions of each division, as sets."""
        if self.every == 0:
            return
        yield from self._rest(self.every, 0)

    def _rest(self, free: int, made: int) -> Iterator[tuple[int, ...]]:
        """Yield the divisions of free cells, after some regions are made."""
        if free == 0:
            if made >= self.limits.fewest:
                yield ()
            return
        left = free.bit_count()
        room = self.most - made
        if room * self.largest < left or left < max(self.limits.fewest - made, 1) * self.limits.smallest:
            return
        for own in self.regions(free):
            for others in self._rest(free ^ own, made + 1):
                yield (own, *others)

    def _regions(self, free: int) -> tuple[int, ...]:
        """Return the regions that free cells allow and that have the first of them, ascending."""
        first = (free & -free).bit_length() - 1
        if self.limits.rectangles:
            found = [own for own in self._rectangles[first] if own & free == own]
        else:
            found = list(self._grown(1 << first, self._near[first] & free, free ^ (1 << first)))
        fitting = (own for own in found if self.limits.smallest <= own.bit_count() <= self.largest)
        return tuple(sorted(fitting))

    def _grown(self, own: int, rim: int, free: int) -> Iterator[int]:
        """Yield a connected set and all that grow from it: each cell of the rim is taken, or never."""
        yield own
        if own.bit_count() == self.largest:
            return
        while rim:
            cell = rim & -rim
            rim ^= cell
            free ^= cell
            yield from self._grown(own | cell, rim | (self._near[cell.bit_length() - 1] & free), free)
