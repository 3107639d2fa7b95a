"""What stands around the edge that a move draws: the windows of local patterns on panels.

A window is turned so that the move leads up, and lies on the middle of its edge: the six cells beside it,
what is ahead, and the edges at the head. Colours are told apart, shapes of pieces are not.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache
from typing import Any

from epcg_core.plugin import Answer, PatternRule, PatternsParams
from epcg_witness.rules.grid import Grid
from epcg_witness.rules.model import Action, PanelModel, PartialPath
from epcg_witness.rules.panel import COLOURS, Eraser, Panel, Polyomino, Square, Star, Triangles

CELLS = (
    "outside", "empty", "1 triangle", "2 triangles", "3 triangles", "4 triangles", "piece", "hollow piece",
    *(f"{colour} {kind}" for kind in ("square", "star", "eraser") for colour in COLOURS),
)  # fmt: skip
EDGES = ("outside", "open", "drawn", "dot", "gap")
VERTICES = ("outside", "open", "drawn", "dot", "end")
PLACES: tuple[tuple[str, str, float, float, tuple[str, ...]], ...] = (
    ("cell ahead left", "cell", -1, -2, CELLS),
    ("cell ahead right", "cell", 1, -2, CELLS),
    ("cell left", "cell", -1, 0, CELLS),
    ("cell right", "cell", 1, 0, CELLS),
    ("cell behind left", "cell", -1, 2, CELLS),
    ("cell behind right", "cell", 1, 2, CELLS),
    ("point two ahead", "corner", 0, -3, VERTICES),
    ("point ahead left", "corner", -2, -1, VERTICES),
    ("point ahead", "corner", 0, -1, VERTICES),
    ("point ahead right", "corner", 2, -1, VERTICES),
    ("edge", "edge", 0, 0, EDGES),
    ("far edge left", "edge", -2, 0, EDGES),
    ("far edge right", "edge", 2, 0, EDGES),
    ("edge at the head left", "edge", -1, 1, EDGES),
    ("edge at the head right", "edge", 1, 1, EDGES),
    ("edge behind", "edge", 0, 2, EDGES),
)
"""(name, kind, x to the right, y down, values), in half cells from the middle of the edge."""


def patterns_rule(params: PatternsParams, generator: Any) -> PatternRule:
    """Make the rule `patterns`. Raises ParamsError or UnknownNameError for a pattern."""
    return PatternRule(AroundTheMove(), params)


class AroundTheMove:
    """The windows around moves (`PatternView`)."""

    places = PLACES
    conclusions = ("cannot", "must")
    target = (0.0, 0.0)
    transition_model = PanelModel()
    images = tuple(
        tuple(
            next(m for m, own in enumerate(PLACES) if own[2:4] == (side * x, y)) for _, _, x, y, _ in PLACES
        )
        for side in (1, -1)
    )

    def answer(self, conclusion: int, state: PartialPath, action: Action) -> Answer:
        """Return what a conclusion says about a move."""
        return (Answer.CANNOT, Answer.MUST)[conclusion]

    def rows(self, state: PartialPath, action: Action) -> Iterator[list[int]]:
        """Yield the window around a move from a vertex; none around a start, an end, or on a pillar."""
        panel = state.panel
        if action.kind != "move" or not state.vertices or panel.pillar:
            return
        places = _numbers(panel.grid, state.vertices[-1], action.vertex)
        cells, edges, vertices = _values(panel)
        row = []
        for (_, kind, *_), own in zip(PLACES, places, strict=True):
            if own < 0:
                row.append(0)
            elif kind == "cell":
                row.append(cells[own])
            elif kind == "edge":
                row.append(2 if own in state.edges else edges[own])
            else:
                row.append(2 if own in state.vertices else vertices[own])
        yield row


@lru_cache(maxsize=4096)
def _numbers(grid: Grid, head: int, to: int) -> tuple[int, ...]:
    """Return the number of the cell, edge or vertex at each place of a window; -1 outside the panel."""
    (x, y), (to_x, to_y) = grid.vertex_at(head), grid.vertex_at(to)
    ahead_x, ahead_y = to_x - x, to_y - y
    found = []
    for _, kind, right, down, _ in PLACES:
        # twice the coordinates: vertices are even, cells are odd; to the right of (a, b) lies (b, -a)
        at_x = int(x + to_x + right * ahead_y - down * ahead_x)
        at_y = int(y + to_y - right * ahead_x - down * ahead_y)
        if not (0 <= at_x <= 2 * grid.width and 0 <= at_y <= 2 * grid.height):
            found.append(-1)
        elif kind == "cell":
            found.append(grid.cell(at_x // 2, at_y // 2))
        elif kind == "corner":
            found.append(grid.vertex(at_x // 2, at_y // 2))
        elif at_x % 2:
            found.append(grid.horizontal_edge(at_x // 2, at_y // 2))
        else:
            found.append(grid.vertical_edge(at_x // 2, at_y // 2))
    return tuple(found)


@lru_cache(maxsize=64)
def _values(panel: Panel) -> tuple[list[int], list[int], list[int]]:
    """Return the value of each cell, edge and vertex of a panel on which nothing is drawn."""
    grid = panel.grid
    cells = [1] * grid.cells
    for cell, symbol in panel.symbols:
        if isinstance(symbol, Triangles):
            name = CELLS[1 + symbol.count]
        elif isinstance(symbol, Polyomino):
            name = "hollow piece" if symbol.negative else "piece"
        else:
            assert isinstance(symbol, Square | Star | Eraser)
            name = f"{symbol.colour} {type(symbol).__name__.lower()}"
        cells[cell] = CELLS.index(name)
    edges = [1] * grid.edges
    vertices = [4 if vertex in panel.ends else 1 for vertex in range(grid.vertices)]
    for location in panel.dots:
        if location < grid.edges:
            edges[location] = 3
        else:
            vertices[location - grid.edges] = 3
    for edge in (*panel.gaps, *panel.missing):
        edges[edge] = 4
    return cells, edges, vertices
