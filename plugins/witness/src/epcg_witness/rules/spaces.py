"""Sets of panels as packed arrays: a base that all share, and entries that each panel adds.

This is the `setting` of the generators. A packed panel is a row of int32 entries, `site * symbols + symbol`,
-1 for none: sites are the cells by number, then the locations (edges, then vertices); symbols are numbered as
in `PanelSpace.alphabet`.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, TypeAlias

import attrs

from epcg_core.plugin import RankError
from epcg_witness.rules.panel import MOST_TRIANGLES, CellSymbol, Panel, Triangles

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class LineSymbol(Enum):
    """The contents of an edge or a vertex."""

    DOT = "dot"
    GAP = "gap"
    FIRST_DOT = "dot first"
    """A dot for the first of two lines."""
    SECOND_DOT = "dot second"
    MISSING = "missing"
    """An edge that is not there."""


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
        lines: dict[LineSymbol, list[int]] = {}
        for site, symbol in entries:
            if isinstance(symbol, LineSymbol):
                lines.setdefault(symbol, []).append(site - cells)
            else:
                symbols.append((site, symbol))
        return with_lines(attrs.evolve(self.base, symbols=symbols), lines)

    def entries(self, panel: Panel) -> list[tuple[int, SiteSymbol]]:
        """Return the (site, symbol) that `panel` adds to the base. Raises RankError if that is not all."""
        found, base = dict(_sites(panel)), dict(self.base_entries)
        if shared(panel) != shared(self.base) or any(
            found.get(site) != symbol for site, symbol in base.items()
        ):
            raise RankError("The panel differs from the base of this space.")
        return [(site, symbol) for site, symbol in found.items() if site not in base]

    def unpack(self, row: Sequence[int] | NDArray[np.int32]) -> Panel:
        """Return the panel of a packed row."""
        size = len(self.all_symbols)
        return self.panel(
            (int(entry) // size, self.all_symbols[int(entry) % size]) for entry in row if entry >= 0
        )


def with_lines(panel: Panel, lines: Mapping[LineSymbol, Sequence[int]]) -> Panel:
    """Return the panel with further contents of edges and vertices, by their locations. Raises PanelError."""
    first, second = lines.get(LineSymbol.FIRST_DOT, ()), lines.get(LineSymbol.SECOND_DOT, ())
    return attrs.evolve(
        panel,
        dots=(*panel.dots, *lines.get(LineSymbol.DOT, ()), *first, *second),
        gaps=(*panel.gaps, *lines.get(LineSymbol.GAP, ())),
        missing=(*panel.missing, *lines.get(LineSymbol.MISSING, ())),
        first_dots=(*panel.first_dots, *first),
        second_dots=(*panel.second_dots, *second),
    )


def without_contents(panel: Panel) -> Panel:
    """Return the panel without symbols in cells and contents of edges and vertices, starts and ends apart."""
    return attrs.evolve(panel, symbols=(), dots=(), gaps=(), missing=(), first_dots=(), second_dots=())


def shared(panel: Panel) -> tuple[object, ...]:
    """Return what panels of one space have in common."""
    return (
        panel.grid,
        panel.starts,
        panel.ends,
        panel.symmetry,
        panel.edge_starts,
        panel.edge_ends,
        panel.variant,
    )


def symbol_departure(symbol: SiteSymbol) -> str:
    """Return what sets panels with a symbol apart (see `Panel.departure`), or nothing."""
    if isinstance(symbol, Triangles) and symbol.count == MOST_TRIANGLES:
        return "four triangles in a cell"
    if symbol is LineSymbol.MISSING:
        return "missing edges"
    return "dots of one line" if symbol in (LineSymbol.FIRST_DOT, LineSymbol.SECOND_DOT) else ""


def panel_alone(panel: Panel) -> PanelSpace:
    """Return the space of one panel, which is its base."""
    return PanelSpace(panel, ())


def panels_together(panels: Sequence[Panel]) -> tuple[PanelSpace, NDArray[np.int32]]:
    """Return a space of panels that agree in what is `shared`, and their packed rows."""
    import numpy as np

    entries = [list(_sites(panel)) for panel in panels]
    alphabet = tuple(dict.fromkeys(symbol for row in entries for _, symbol in row))
    numbers, size = {symbol: i for i, symbol in enumerate(alphabet)}, len(alphabet)
    rows = np.full((len(panels), max(map(len, entries), default=0)), -1, np.int32)
    for row, own in zip(rows, entries, strict=True):
        row[: len(own)] = [site * size + numbers[symbol] for site, symbol in own]
    return PanelSpace(without_contents(panels[0]), alphabet), rows


def _sites(panel: Panel) -> Iterable[tuple[int, SiteSymbol]]:
    cells = panel.grid.cells
    yield from panel.symbols
    for dot in panel.dots:
        yield cells + dot, dot_symbol(panel, dot)
    for gap in panel.gaps:
        yield cells + gap, LineSymbol.GAP
    for edge in panel.missing:
        yield cells + edge, LineSymbol.MISSING


def dot_symbol(panel: Panel, dot: int) -> LineSymbol:
    """Return which of the three kinds of dots lies at a location."""
    if dot in panel.first_dots:
        return LineSymbol.FIRST_DOT
    return LineSymbol.SECOND_DOT if dot in panel.second_dots else LineSymbol.DOT
