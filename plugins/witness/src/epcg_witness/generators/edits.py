"""The generator `edits`: all panels that differ from a given one in a few symbols."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import attrs

from epcg_core.plugin import Edit, EditedSpace, ParamsError
from epcg_witness.formats.drawing import format_panel, parse_panel
from epcg_witness.formats.symbols import format_symbol, parse_cell_symbol
from epcg_witness.params import EditsParams
from epcg_witness.rules.grid import PanelError
from epcg_witness.rules.model import PanelModel
from epcg_witness.rules.panel import CellSymbol, Panel
from epcg_witness.rules.spaces import dot_symbol

_LINES = ("dots", "gaps", "missing", "first_dots", "second_dots")
"""Symbols on edges and vertices that can be taken away. No location has two of the first three."""


class EditedPanels(EditedSpace[Panel]):
    """The panels made from one by editing a number of cells, edges or vertices.

    A cell's symbol is removed or becomes another of the `symbols` (by default those on the panel), a dot or a
    gap is removed, a missing edge is put back; with `add`, empty cells get symbols too. Raises ParamsError
    for symbols that cells cannot hold.
    """

    transition_model = PanelModel()

    def __init__(self, params: EditsParams) -> None:
        panel = parse_panel(params.panel)
        symbols = _symbols(params.symbols) or tuple(dict.fromkeys(symbol for _, symbol in panel.symbols))
        edits = (*cell_edits(panel, symbols, params.add), *line_edits(panel))
        super().__init__(panel, edits, edited, at_most=params.edits, at_least=params.fewest)

    def parse(self, text: str) -> Panel:
        """Read the panel that `text` draws (see `epcg_witness.formats.drawing`). Raises PanelError."""
        return parse_panel(text)

    def format(self, state: Panel) -> str:
        """Draw the panel as text, which `parse` reads."""
        return format_panel(state)


def cell_edits(panel: Panel, symbols: tuple[CellSymbol, ...], add: bool) -> Iterator[Edit]:
    """Yield by cell every other symbol, then none."""
    for cell in range(panel.grid.cells):
        before = panel.symbol_at.get(cell)
        if before is None and not add:
            continue
        for after in (*symbols, None):
            if after != before:
                words = format_symbol(before), format_symbol(after)
                yield Edit(
                    ("cell", cell),
                    f"{panel.grid.cell_in_words(cell)}: {words[0]} to {words[1]}",
                    {"cell": cell, "from": words[0], "to": words[1]},
                )


def line_edits(panel: Panel) -> Iterator[Edit]:
    """Yield the removal of every dot, then of every gap, then of what says that an edge is missing."""
    for usual, locations in (("", panel.dots), ("gap", panel.gaps), ("missing", panel.missing)):
        for location in locations:
            kind = usual or dot_symbol(panel, location).value
            vertex = location - panel.grid.edges
            if vertex < 0:
                where = f"edge {panel.grid.edge_in_words(location)}"
            else:
                where = f"vertex {panel.grid.vertex_in_words(vertex)}"
            yield Edit(
                ("line", location),
                f"{where}: {kind} to none",
                {"location": location, "from": kind, "to": "none"},
            )


def edited(panel: Panel, edits: tuple[Edit, ...]) -> Panel:
    """Return the panel after edits."""
    symbols = dict(panel.symbols)
    lines: dict[str, Any] = {name: set(getattr(panel, name)) for name in _LINES}
    for edit in edits:
        change = edit.change
        if "location" in change:
            for locations in lines.values():
                locations.discard(change["location"])
        elif change["to"] == "none":
            del symbols[change["cell"]]
        else:
            symbols[change["cell"]] = parse_cell_symbol(change["to"])
    return attrs.evolve(panel, symbols=symbols, **lines)


def _symbols(texts: tuple[str, ...]) -> tuple[CellSymbol, ...]:
    found: list[CellSymbol] = []
    for i, text in enumerate(texts):
        try:
            symbol = parse_cell_symbol(text)
        except PanelError as error:
            raise ParamsError(f"symbols {i + 1}: {error}") from None
        if symbol in found:
            raise ParamsError(f"symbols {i + 1}: '{text}' is named twice.")
        found.append(symbol)
    return tuple(found)
