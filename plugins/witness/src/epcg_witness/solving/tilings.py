"""All ways in which pieces of a library fill a region: which pieces, whatever lies where.

`tiling_kernels` tells whether given pieces fill a region; here all selections that do are listed, for
libraries of fixed, positive pieces. What fills a region is what fills its rest once a piece lies on its
lowest cell, so the rests that regions have in common are looked at once.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property, lru_cache
from itertools import groupby, permutations
from typing import TypeAlias

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError, read_only
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import Polyomino
from epcg_witness.solving.regions import piece_rows

Multiset: TypeAlias = tuple[int, ...]
"""Numbers of pieces, ascending."""
Pattern: TypeAlias = tuple[int, ...]
"""How often the different pieces of a multiset occur."""

MOST_ORDERS = 2**25
"""Orders of pieces in one region that are listed, a byte a piece."""


class Tilings:
    """The selections of up to `most` pieces that fill the regions of a grid.

    Pieces are numbers in the library; a piece may be used any number of times. Regions are sets of cells in
    one word, bit y * W + x.
    """

    def __init__(self, grid: Grid, library: Sequence[Polyomino], most: int) -> None:
        self._pieces = piece_rows(grid, tuple(library))
        self._most = most
        self._largest = max((piece.area for piece in library), default=0)
        self._found: dict[tuple[int, int], frozenset[Multiset]] = {}
        self._orders: dict[tuple[int, int], NDArray[np.uint8]] = {}

    @cached_property
    def _lain(self) -> list[list[tuple[int, int]]]:
        """For each cell, (piece, the cells it covers) of the pieces whose first cell can lie there."""
        rows = self._pieces.lain.tolist()
        return [
            [(piece, row[cell]) for piece, row in enumerate(rows) if row[cell]]
            for cell in range(self._pieces.width * self._pieces.height)
        ]

    def selections(self, region: int, count: int) -> frozenset[Multiset]:
        """Return the selections of `count` pieces that fill a region.

        Args:
            region: the cells of the region.
            count: how many pieces.

        Returns:
            The selections, each ascending; one without pieces for a region without cells.
        """
        cells = region.bit_count()
        if not count or not count <= cells <= count * self._largest:
            return frozenset([()] if not cells and not count else [])
        known = self._found.get((region, count))
        if known is None:
            lowest = (region & -region).bit_length() - 1
            known = self._found[region, count] = frozenset(
                tuple(sorted((piece, *others)))
                for piece, covered in self._lain[lowest]
                if not covered & ~region
                for others in self.selections(region & ~covered, count - 1)
            )
        return known

    def ways(self, region: int, count: int) -> int:
        """Return in how many orders `count` pieces fill a region, equal pieces not told apart."""
        return sum(len(_orders_of(_pattern(chosen))) for chosen in self.selections(region, count))

    def orders(self, region: int, count: int) -> NDArray[np.uint8]:
        """Return all orders of `count` pieces that fill a region: (ways, count) uint8, always in one order.

        Raises ParamsError if they are more than MOST_ORDERS.
        """
        known = self._orders.get((region, count))
        if known is None:
            ways = self.ways(region, count)
            if ways > MOST_ORDERS:
                raise ParamsError(
                    f"pieces: {count} pieces fill a region of {region.bit_count()} cells in {ways:,} orders, "
                    f"and at most {MOST_ORDERS:,} are listed: set fewer pieces, or a smaller panel."
                )
            alike: dict[Pattern, list[Multiset]] = {}
            for chosen in sorted(self.selections(region, count)):
                alike.setdefault(_pattern(chosen), []).append(chosen)
            tables = [
                np.array(rows, np.uint8)[:, _orders_of(pattern)].reshape(-1, count)
                for pattern, rows in sorted(alike.items())
            ]
            table = np.concatenate([np.zeros((0, count), np.uint8), *tables])
            known = self._orders[region, count] = read_only(table)
        return known


def _pattern(chosen: Multiset) -> Pattern:
    """Return how often each different piece occurs, in their order."""
    return tuple(len(list(same)) for _, same in groupby(chosen))


@lru_cache
def _orders_of(pattern: Pattern) -> NDArray[np.int64]:
    """Return the different orders of a multiset as positions in it: (orders, pieces) int64."""
    kinds = [kind for kind, times in enumerate(pattern) for _ in range(times)]
    first = [kinds.index(kind) for kind in kinds]
    orders = sorted(set(permutations(first)))
    return read_only(np.array(orders, np.int64).reshape(len(orders), len(kinds)))
