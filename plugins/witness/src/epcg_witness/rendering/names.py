"""Symbols and places as people call them: 'black square', 'S-tetromino', 'edge above column 2, row 1'.

Pictures of panels number columns and rows of cells at their rim, so edges and vertices are told by those.
"""

from __future__ import annotations

from collections.abc import Iterable
from functools import cache

from epcg_witness.rules.grid import Grid
from epcg_witness.rules.panel import CellSymbol, Eraser, Polyomino, Square, Star, Triangles

_Cells = frozenset[tuple[int, int]]
_TURNS = ("", " turned right", " upside down", " turned left")
_NAMED = {
    "monomino": "#", "domino": "##", "I-tromino": "###", "L-tromino": "#./##", "I-tetromino": "####",
    "O-tetromino": "##/##", "T-tetromino": "###/.#.", "S-tetromino": ".##/##.", "Z-tetromino": "##./.##",
    "L-tetromino": "#./#./##", "J-tetromino": ".#/.#/##", "F-pentomino": ".##/##./.#.",
    "I-pentomino": "#####", "L-pentomino": "#./#./#./##", "N-pentomino": ".#/.#/##/#.",
    "P-pentomino": "##/##/#.", "T-pentomino": "###/.#./.#.", "U-pentomino": "#.#/###",
    "V-pentomino": "#../#../###", "W-pentomino": "#../##./.##", "X-pentomino": ".#./###/.#.",
    "Y-pentomino": ".#/##/.#/.#", "Z-pentomino": "##./.#./.##",
}  # fmt: skip
"""Polyominoes of up to five squares, by the letters that they resemble (Golomb, 1994)."""


def symbol_in_words(symbol: CellSymbol) -> str:
    """Return what people call a symbol of a cell; its colour is told if it is not the usual one."""
    if isinstance(symbol, Square):
        return f"{symbol.colour} square"
    if isinstance(symbol, Star):
        return f"{symbol.colour} star"
    if isinstance(symbol, Triangles):
        words = f"{symbol.count} triangle{'s' * (symbol.count != 1)}"
        return words if symbol == Triangles(symbol.count) else f"{symbol.colour} {words}"
    if isinstance(symbol, Eraser):
        return "eraser" if symbol == Eraser() else f"{symbol.colour} eraser"
    name, turn = _shapes().get(frozenset(symbol.cells), (f"polyomino of {len(symbol.cells)} squares", ""))
    words = f"{name} that may be turned" if symbol.free else f"{name}{turn}"
    usual = Polyomino(symbol.cells, negative=symbol.negative).colour
    colour = "" if symbol.colour == usual else f"{symbol.colour} "
    return f"{'negative ' if symbol.negative else ''}{colour}{words}"


def vertex_by_cells(grid: Grid, vertex: int) -> str:
    """Return where a vertex lies: 'upper left corner of column 1, row 1'."""
    x, y = grid.vertex_at(vertex)
    column, row = min(x, grid.width - 1), min(grid.height - y, grid.height - 1)
    across, down = "left" if x == column else "right", "upper" if grid.height - y == row else "lower"
    return f"{down} {across} corner of {_cell(column, row)}"


def edge_by_cells(grid: Grid, edge: int) -> str:
    """Return where an edge lies: 'edge above column 1, row 1', 'edge right of column 3, row 2'."""
    x, y = grid.edge_at(edge)
    if grid.is_horizontal(edge):
        row = min(grid.height - y, grid.height - 1)
        return f"edge {'above' if grid.height - y == row else 'below'} {_cell(x, row)}"
    column = min(x, grid.width - 1)
    return f"edge {'left' if x == column else 'right'} of {_cell(column, grid.height - y - 1)}"


def _cell(column: int, row: int) -> str:
    return f"column {column + 1}, row {row + 1}"


@cache
def _shapes() -> dict[_Cells, tuple[str, str]]:
    """Map each orientation of the polyominoes that have a name to the name, and how it is turned."""
    found: dict[_Cells, tuple[str, str]] = {}
    for mirrored in (False, True):  # L and J, S and Z have names of their own
        for name, rows in _NAMED.items():
            cells = Polyomino.parse(rows).cells
            if mirrored:
                cells = _moved((-x, y) for x, y in cells)
            for turn in _TURNS:
                found.setdefault(frozenset(cells), (f"mirrored {name}" if mirrored else name, turn))
                cells = _moved((y, -x) for x, y in cells)
    return found


def _moved(cells: Iterable[tuple[int, int]]) -> tuple[tuple[int, int], ...]:
    return Polyomino(tuple(cells)).cells
