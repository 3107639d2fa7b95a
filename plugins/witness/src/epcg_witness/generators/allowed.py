"""The ways that a line allows to lay a number of polyominoes into its regions so that the line solves them.

The line decides the regions, and the pieces of a region must fill it exactly, so the ways are a disjoint
union, over how many pieces lie in which region, of products: cells for the pieces of each region, times
orders of pieces that fill it. Nothing is tried out, and the number of ways is exact at any size.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import lru_cache
from math import comb, prod
from typing import Any, TypeAlias

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Combinations, FactoredSpace, Listed, Product
from epcg_witness.rules.panel import Polyomino
from epcg_witness.rules.spaces import PanelSpace
from epcg_witness.solving.tilings import Tilings

Regions: TypeAlias = tuple[int, ...]
"""The regions of a line, as sets of cells in one word each, ascending."""
Distribution: TypeAlias = tuple[tuple[int, int], ...]
"""(region, pieces in it) of the regions that hold pieces."""

_KEPT = 4096
"""The spaces of regions that are kept; each is small."""


class AllowedPieces:
    """What lines allow on the panels of a space whose alphabet are fixed, positive pieces.

    A way to lay them is a packed panel (see `epcg_witness.rules.spaces`), its entries ascending.
    """

    def __init__(self, setting: PanelSpace, pieces: int) -> None:
        self._pieces = pieces
        library = [symbol for symbol in setting.alphabet if isinstance(symbol, Polyomino)]
        self._symbols = len(setting.all_symbols)
        self._tilings = Tilings(setting.base.grid, library, pieces)
        self._ways: dict[tuple[int, int], int] = {}
        self.space = lru_cache(_KEPT)(self._space)
        """The function from the regions of a line to what it allows, ranked."""

    def size(self, regions: Regions) -> int:
        """Return how many ways the regions of a line allow."""
        # The coefficient of x^pieces in the product of the regions' polynomials.
        found = [1] + [0] * self._pieces
        for region in regions:
            own = [self._count(region, count) for count in range(self._pieces + 1)]
            found = [sum(found[i] * own[n - i] for i in range(n + 1)) for n in range(self._pieces + 1)]
        return found[self._pieces]

    def _count(self, region: int, count: int) -> int:
        """Count the ways to lay a number of pieces into a region."""
        if count == 0:
            return 1
        known = self._ways.get((region, count))
        if known is None:
            ways = self._tilings.ways(region, count)
            known = self._ways[region, count] = comb(region.bit_count(), count) * ways
        return known

    def _space(self, regions: Regions) -> FactoredSpace:
        return FactoredSpace(
            tuple(self._distributions(regions, self._pieces)),
            additions=self._product,
            size=lambda distribution: prod(self._count(region, count) for region, count in distribution),
        )

    def _distributions(self, regions: Regions, left: int) -> Iterator[Distribution]:
        if not regions:
            if left == 0:
                yield ()
            return
        for count in range(left + 1):
            if self._count(regions[0], count):
                held = ((regions[0], count),) if count else ()
                for others in self._distributions(regions[1:], left - count):
                    yield held + others

    def _product(self, distribution: Distribution) -> Product:
        """Make the cells of the pieces of each region, and behind them the number of their order in each."""
        cells = [Combinations(region.bit_count(), count) for region, count in distribution]
        orders = [Listed(range(len(self._tilings.orders(*held)))) for held in distribution]
        return Product((*cells, *orders))

    def block(self, space: FactoredSpace, start: int, count: int) -> NDArray[np.int32]:
        """Return the ways of ranks start .. start + count - 1 of a `space`: (count, pieces) int32."""
        out = np.empty((count, self._pieces), np.int32)
        row = 0
        for part in space.parts(start, count):
            states = part.additions.states_block(part.start, part.count)
            out[row : row + part.count] = self._packed(part.base, states)
            row += part.count
        return out

    def at(self, space: FactoredSpace, ranks: NDArray[np.int64]) -> NDArray[np.int32]:
        """Return the ways of the (n,) ranks of a `space`: (n, pieces) int32."""
        out = np.empty((len(ranks), self._pieces), np.int32)
        for part in space.parts_at(ranks):
            out[part.rows] = self._packed(part.base, part.additions.states_at(part.ranks))
        return out

    def _packed(self, distribution: Distribution, states: NDArray[np.int64]) -> NDArray[np.int32]:
        out = np.empty((len(states), self._pieces), np.int32)
        column = 0
        for number, (region, count) in enumerate(distribution):
            own = slice(column, column + count)
            cells = np.array(_cells(region), np.int32)[states[:, own]]
            orders = self._tilings.orders(region, count)[states[:, self._pieces + number]]
            out[:, own] = cells * self._symbols + orders
            column += count
        out.sort(axis=1)
        return out

    def entries(self, state: tuple[Distribution, Any]) -> list[tuple[int, int]]:
        """Return the (cell, number of the piece) of a state of a `space`."""
        distribution, chosen = state
        held = len(distribution)
        found: list[tuple[int, int]] = []
        for (region, count), places, number in zip(distribution, chosen[:held], chosen[held:], strict=True):
            cells = _cells(region)
            order = self._tilings.orders(region, count)[number].tolist()
            found += [(cells[place], piece) for place, piece in zip(places, order, strict=True)]
        return sorted(found)

    def state(self, regions: Regions, entries: Sequence[tuple[int, int]]) -> tuple[Distribution, Any] | None:
        """Return the state of a `space` with these entries, ascending; None if the line does not allow them.

        Args:
            regions: the regions of the line.
            entries: (cell, number of the piece) of each piece.
        """
        distribution, places, numbers = [], [], []
        for region in regions:
            own = [(cell, piece) for cell, piece in entries if region >> cell & 1]
            if not own:
                continue
            order = [piece for _, piece in own]
            if tuple(sorted(order)) not in self._tilings.selections(region, len(own)):
                return None
            cells = _cells(region)
            distribution.append((region, len(own)))
            places.append(tuple(cells.index(cell) for cell, _ in own))
            rows = self._tilings.orders(region, len(own)) == np.array(order, np.uint8)
            numbers.append(int(np.flatnonzero(rows.all(axis=1))[0]))
        return tuple(distribution), (*places, *numbers)


def _cells(region: int) -> list[int]:
    return [cell for cell in range(region.bit_length()) if region >> cell & 1]
