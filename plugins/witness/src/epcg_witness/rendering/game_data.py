"""Panels and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import Any

from epcg_witness.joint_panels.state import SubPanels
from epcg_witness.rendering.renderers import first_solution
from epcg_witness.rules.panel import CellSymbol, Eraser, Panel, Polyomino, Square, Star, Triangles

_KINDS: dict[type[CellSymbol], str] = {
    Square: "square", Star: "star", Triangles: "triangles", Polyomino: "polyomino", Eraser: "eraser",
}  # fmt: skip
_DIRECTIONS = {(1, 0): "right", (-1, 0): "left", (0, 1): "up", (0, -1): "down"}


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
        rules = {} if state.symmetry is None else {"rules": {"symmetry": state.symmetry}}
        grid = {"grid": "squares", "columns": state.width, "rows": state.height}
        return {**grid, "items": list(_items(state)), **rules}

    def moves(self, state: Panel | SubPanels, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        panel = state.panels[0] if isinstance(state, SubPanels) else state
        path = state.joint_solution() if isinstance(state, SubPanels) else first_solution(state)
        if path is None:
            return None
        places = [_vertex(panel, vertex) for vertex in path]
        steps = [
            {"kind": "draw", "direction": _DIRECTIONS[x - a, b - y]} for (a, b), (x, y) in pairwise(places)
        ]
        return [{"kind": "begin", "point": places[0]}, *steps]


def _items(panel: Panel) -> Iterator[dict[str, Any]]:
    for kind, vertices in (("start", panel.starts), ("end", panel.ends)):
        for vertex in vertices:
            yield {"kind": kind, "points": [_vertex(panel, vertex)]}
    for kind, locations in (("dot", panel.dots), ("gap", panel.gaps)):
        for location in locations:
            yield {"kind": kind, "points": _points(panel, location)}
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
        return [_vertex(panel, location - grid.edges)]
    if location < grid.horizontal_edges:
        y, x = divmod(location, panel.width)
        ends = grid.vertex(x, y), grid.vertex(x + 1, y)
    else:
        x, y = divmod(location - grid.horizontal_edges, panel.height)
        ends = grid.vertex(x, y), grid.vertex(x, y + 1)
    return [_vertex(panel, vertex) for vertex in ends]


def _vertex(panel: Panel, vertex: int) -> list[int]:
    y, x = divmod(vertex, panel.width + 1)
    return [x + 1, panel.height + 1 - y]
