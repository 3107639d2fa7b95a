"""Panels and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import attrs

from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.rendering.renderers import first_solution
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles
from epcg_witness.rules.variants import DEFAULT

_KINDS: dict[type[CellSymbol], str] = {
    Square: "square", Star: "star", Triangles: "triangles", Polyomino: "polyomino", Eraser: "eraser",
}  # fmt: skip
_DIRECTIONS = {"R": "right", "L": "left", "U": "up", "D": "down"}


class PanelData:
    """Symbols, and the line (`epcg_core.domain.GameData`).

    Points are vertices. The items of a set of panels bear the panel's number.
    """

    def __init__(self, generator: Any) -> None:
        pass

    def layout(self, state: Panel | SubPanels) -> dict[str, Any]:
        if isinstance(state, SubPanels):
            first = self.layout(state.panels[0])
            items = [
                {**item, "panel": i} for i, panel in enumerate(state.panels, 1) for item in _items(panel)
            ]
            return {**first, "items": items, "rules": {"panels": len(state.panels)}}
        own: dict[str, Any] = {
            "symmetry": state.symmetry,
            "pillar": state.pillar,
            "variant": attrs.asdict(state.variant) if state.variant != DEFAULT else None,
        }
        own = {name: value for name, value in own.items() if value}
        rules = {"rules": own} if own else {}
        grid = {"grid": "squares", "columns": state.width, "rows": state.height}
        return {**grid, "items": list(_items(state)), **rules}

    def moves(self, state: Panel | SubPanels, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        panel = state.panels[0] if isinstance(state, SubPanels) else state
        path = state.joint_solution() if isinstance(state, SubPanels) else first_solution(state)
        if path is None:
            return None
        grid, middles = panel.grid, panel.grid.vertices
        location = grid.vertex_location(path[0]) if path[0] < middles else path[0] - middles
        begin = _points(panel, location)
        steps: list[dict[str, Any]] = [
            {"kind": "draw", "direction": _DIRECTIONS[letter]} for letter in grid.path_letters(path)
        ]
        for end, step in ((path[0], steps[0]), (path[-1], steps[-1])):
            if end >= middles:
                step["half"] = True
        return [{"kind": "begin", **({"point": begin[0]} if len(begin) == 1 else {"points": begin})}, *steps]


def _items(panel: Panel) -> Iterator[dict[str, Any]]:
    grid = panel.grid
    for kind, vertices, edges in (
        ("start", panel.starts, panel.edge_starts),
        ("end", panel.ends, panel.edge_ends),
    ):
        for location in (*map(grid.vertex_location, vertices), *edges):
            yield {"kind": kind, "points": _points(panel, location)}
    for kind, locations in (("dot", panel.dots), ("gap", panel.gaps), ("missing", panel.missing)):
        for location in locations:
            line = {"line": 1} if location in panel.first_dots else {"line": 2}
            coloured = kind == "dot" and location in {*panel.first_dots, *panel.second_dots}
            yield {"kind": kind, "points": _points(panel, location), **(line if coloured else {})}
    for cell, symbol in panel.symbols:
        y, x = divmod(cell, panel.width)
        item: dict[str, Any] = {"kind": _KINDS[type(symbol)], "cells": [[x + 1, panel.height - y]]}
        item["colour"] = symbol.colour
        if isinstance(symbol, Triangles):
            item["count"] = symbol.count
        if isinstance(symbol, Polyomino):
            item |= {"shape": symbol.rows().split("/"), "free": symbol.free, "negative": symbol.negative}
        yield item


def _points(panel: Panel, location: int) -> list[list[int]]:
    """Return the vertices of a location: one of a vertex, two of an edge."""
    grid = panel.grid
    if location >= grid.edges:
        return [_point(panel, *grid.vertex_at(location - grid.edges))]
    x, y = grid.edge_at(location)
    across = grid.is_horizontal(location)
    return [_point(panel, x, y), _point(panel, x + across, y + (not across))]


def _point(panel: Panel, x: int, y: int) -> list[int]:
    return [x + 1, panel.height + 1 - y]
