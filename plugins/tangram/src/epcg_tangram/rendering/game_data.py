"""Puzzles and their solutions as data for games."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from epcg_tangram.design.layout import Layout
from epcg_tangram.rendering.renderers import puzzle_of
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import BumpPattern
from epcg_tangram.rules.instance import Instance


class TangramData:
    """Pieces that lie on the board, and those to place (`epcg_core.domain.GameData`).

    A cell is [which of its row from the left, row], in layers [which of its row, row, layer from the top]. Of
    a piece whose cells have colours, `colours` are those, in the order of its cells. A bump pattern is an
    empty board.
    """

    def __init__(self, generator: Any) -> None:
        self._generator = generator

    def layout(self, state: Any) -> dict[str, Any]:
        if isinstance(state, Board):
            return _layout(state, {})
        if not isinstance(state, Instance):
            return _layout(Board(self._generator.params.ref, ()), {"rules": {"holes": _holes(state)}})
        puzzle = puzzle_of(state)
        rules: dict[str, Any] = {
            "to_place": [kind.name for kind in puzzle.to_place],
            "all_needed": not puzzle.spare,
        }
        if puzzle.relation is not None:
            colours = [puzzle.definition.colours[colour].name for colour in puzzle.colours]
            rules["constraint"] = {"relation": puzzle.relation, "colours": colours}
        if puzzle.pattern is not None:
            rules["holes"] = _holes(puzzle.pattern)
        return _layout(puzzle.given, {"rules": rules})

    def moves(self, state: Any, actions: Sequence[str] | None) -> list[dict[str, Any]] | None:
        solution = puzzle_of(state).solution if isinstance(state, Instance) else None
        if solution is None:
            return None
        left = Board(state.ref, tuple(n for n in solution.placements if n not in state.shown))
        names = left.layout.definition.names
        return [
            {"kind": "place", "piece": names[piece], "cells": _places(left.layout, cells)}
            for piece, cells in left.pieces
        ]


def _layout(board: Board, more: dict[str, Any]) -> dict[str, Any]:
    layout = board.layout
    definition, rows = layout.definition, layout.rows
    items = [
        {
            "kind": "piece",
            "name": definition.names[piece],
            "colour": definition.paints[piece].name,
            "cells": _places(layout, cells),
            **({"colours": list(layout.colours_of(number))} if definition.pieces[piece].marks else {}),
        }
        for number, (piece, cells) in zip(board.placements, board.pieces, strict=True)
    ]
    size = {"grid": layout.lattice.name, "columns": max(map(len, rows)), "rows": len(rows)}
    if layout.lattice.layered:
        layers = _layers(layout)
        size |= {"rows": max(layers.count(layer) for layer in layers), "layers": max(layers)}
    return {**size, "items": items, **more}


def _layers(layout: Layout) -> list[int]:
    """Return the layer of each row, from 1 at the top."""
    found = [layout.lattice.in_plane(layout.places[row.start])[0] for row in layout.rows]
    return [layer - min(found) + 1 for layer in found]


def _holes(pattern: BumpPattern) -> dict[str, list[str]]:
    return {name: [front, back] for name, front, back in pattern.sides}


def _places(layout: Layout, cells: Iterable[int]) -> list[list[int]]:
    found = {cell: [cell - row.start + 1, n] for n, row in enumerate(layout.rows, 1) for cell in row}
    if layout.lattice.layered:
        layers = _layers(layout)
        for place in found.values():
            layer = layers[place[1] - 1]
            place[:] = [place[0], place[1] - layers.index(layer), layer]
    return [found[cell] for cell in cells]
