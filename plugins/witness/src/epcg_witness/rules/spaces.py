"""Sets of panels as packed arrays: a base that all share, and entries that each panel adds.

This is the `setting` of the generators. A packed panel is a row of int32 entries, `site * symbols + symbol`,
-1 for none: sites are the cells by number, then the locations (edges, then vertices); symbols are numbered as
in `PanelSpace.alphabet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import attrs

from epcg_core.errors import RankError
from epcg_witness.rules.panel import CellSymbol, Panel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LineSymbol(Enum):
    """The contents of an edge or a vertex."""

    DOT = "dot"
    GAP = "gap"


SiteSymbol: TypeAlias = CellSymbol | LineSymbol


@attrs.frozen
class PanelSpace:
    """Panels that add entries to a base."""

    base: Panel
    alphabet: tuple[SiteSymbol, ...]
    """The symbols of the entries, each once."""

    @cached_property
    def all_symbols(self) -> tuple[SiteSymbol, ...]:
        """The alphabet, and behind it the other symbols of the base."""
        found = dict.fromkeys(self.alphabet)
        found.update(dict.fromkeys(symbol for _, symbol in _sites(self.base)))
        return tuple(found)

    @cached_property
    def base_entries(self) -> tuple[tuple[int, SiteSymbol], ...]:
        """(site, symbol) of everything on the base."""
        return tuple(_sites(self.base))

    def panel(self, entries: Iterable[tuple[int, SiteSymbol]]) -> Panel:
        """Return the base with (site, symbol) entries. Raises PanelError if one does not fit."""
        cells = self.base.grid.cells
        symbols = list(self.base.symbols)
        dots, gaps = list(self.base.dots), list(self.base.gaps)
        for site, symbol in entries:
            if symbol is LineSymbol.DOT:
                dots.append(site - cells)
            elif symbol is LineSymbol.GAP:
                gaps.append(site - cells)
            elif not isinstance(symbol, LineSymbol):
                symbols.append((site, symbol))
        return attrs.evolve(self.base, symbols=symbols, dots=dots, gaps=gaps)

    def entries(self, panel: Panel) -> list[tuple[int, SiteSymbol]]:
        """Return the (site, symbol) that `panel` adds to the base. Raises RankError if that is not all."""
        found, base = dict(_sites(panel)), dict(self.base_entries)
        same = (panel.width, panel.height, panel.starts, panel.ends, panel.symmetry) == (
            self.base.width,
            self.base.height,
            self.base.starts,
            self.base.ends,
            self.base.symmetry,
        )
        if not same or any(found.get(site) != symbol for site, symbol in base.items()):
            raise RankError("The panel differs from the base of this space.")
        return [(site, symbol) for site, symbol in found.items() if site not in base]

    def unpack(self, row: Sequence[int] | NDArray[np.int32]) -> Panel:
        """Return the panel of a packed row."""
        size = len(self.all_symbols)
        return self.panel(
            (int(entry) // size, self.all_symbols[int(entry) % size]) for entry in row if entry >= 0
        )


def panel_alone(panel: Panel) -> PanelSpace:
    """Return the space of one panel, which is its base."""
    return PanelSpace(panel, ())


def panels_together(panels: Sequence[Panel]) -> tuple[PanelSpace, NDArray[np.int32]]:
    """Return a space of panels of one size, starts, ends and symmetry, and their packed rows."""
    import numpy as np

    entries = [list(_sites(panel)) for panel in panels]
    alphabet = tuple(dict.fromkeys(symbol for row in entries for _, symbol in row))
    numbers, size = {symbol: i for i, symbol in enumerate(alphabet)}, len(alphabet)
    rows = np.full((len(panels), max(map(len, entries), default=0)), -1, np.int32)
    for row, own in zip(rows, entries, strict=True):
        row[: len(own)] = [site * size + numbers[symbol] for site, symbol in own]
    base = attrs.evolve(panels[0], symbols=(), dots=(), gaps=())
    return PanelSpace(base, alphabet), rows


def _sites(panel: Panel) -> Iterable[tuple[int, SiteSymbol]]:
    cells = panel.grid.cells
    yield from panel.symbols
    for dot in panel.dots:
        yield cells + dot, LineSymbol.DOT
    for gap in panel.gaps:
        yield cells + gap, LineSymbol.GAP
