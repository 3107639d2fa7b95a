"""Panels as text: a drawing, and a line for each symbol that it uses. People and `parse_panel` can read it.

    +---+---+-*-E      vertices: + plain, * dot, S start, E end, s and e with a dot
    | a |   : b |      edges: --- and | plain, -*- and * dot, - - and : gap
    +---*---+---+      cells: three places, blank or a name
    | a |   |   |
    S---+- -+---+
    a: square black
    b: polyomino ##/#. free

A line 'symmetry: horizontal' (or vertical, rotational) makes it a panel of two lines. Lines that begin with #
and blank lines mean nothing. The lines of the drawing must be complete; blanks at their ends may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import TypeVar

import attrs

from epcg_witness.formats.symbols import format_symbol, parse_cell_symbol
from epcg_witness.rules.grid import LARGEST_SIDE, Grid, PanelError, grid_of
from epcg_witness.rules.panel import SYMMETRIES, CellSymbol, Panel, Symmetry
from epcg_witness.rules.reference import both_lines

_DOT_ACROSS, _GAP_ACROSS, _DRAWN_ACROSS = "-*-", "- -", "==="
_DOT_MARK, _GAP_MARK, _DRAWN_MARK = "*", ":", "H"
_HORIZONTAL: Mapping[str, str | None] = {"---": None, _DOT_ACROSS: "dot", _GAP_ACROSS: "gap"}
_VERTICAL: Mapping[str, str | None] = {"|": None, _DOT_MARK: "dot", _GAP_MARK: "gap"}
_VERTEX = {"+": ("", False), "*": ("", True), "S": ("S", False), "E": ("E", False), "s": ("S", True),
           "e": ("E", True)}  # fmt: skip
_NAME = re.compile(r"[A-Za-z0-9?]{1,3}")
_LEGEND = re.compile(r"\s*([A-Za-z0-9?]{1,3})\s*[:=]\s*(.*)")
_VERTEX_LINE = re.compile(r"\s*[+*SEse](---|-\*-|- -|-)")
_SYMMETRY = re.compile(r"\s*symmetry\s*[:=]\s*(.*)")
_LETTERS = "abcdefghijklmnopqrstuvwxyzABCDFGHIJKLMNOPQRTUVWXYZ"
Meaning = TypeVar("Meaning")
BLANK = "?"
"""The name of a cell that a generator fills."""


@attrs.frozen
class Drawing:
    """A panel and the cells that are left to be filled."""

    panel: Panel
    blanks: tuple[int, ...] = ()


class DrawingError(PanelError):
    """A string that does not draw a panel; the message begins with the line and the column."""

    def __init__(self, line: int, column: int, message: str) -> None:
        super().__init__(f"line {line}, column {column}: {message}{'' if message.endswith('.') else '.'}")
        self.line, self.column = line, column

    def __reduce__(self) -> tuple[object, ...]:
        message = str(self).partition(": ")[2]
        return (type(self), (self.line, self.column, message))


def parse_panel(text: str) -> Panel:
    """Read the panel that `text` draws. Raises DrawingError, with line and column, or PanelError."""
    drawing = parse_drawing(text)
    if drawing.blanks:
        raise PanelError(
            f"The panel has {len(drawing.blanks)} cells marked '{BLANK}', which only a generator can fill."
        )
    return drawing.panel


def parse_drawing(text: str) -> Drawing:
    """Read the panel that `text` draws, with its cells marked '?'. Raises DrawingError or PanelError."""
    rows, legend, symmetry = _split(text)
    if not rows:
        raise DrawingError(1, 1, "there is no drawing; its first line looks like '+---+---E'")
    return _Reader(rows, legend, symmetry).drawing()


def format_panel(panel: Panel) -> str:
    """Draw a panel with its legend, which `parse_panel` reads."""
    return _write(panel, frozenset())


def draw_solution(panel: Panel, path: tuple[int, ...]) -> str:
    """Draw a panel with a path, with symmetry both lines, as '===' and 'H', and the legend; for people."""
    return _write(panel, frozenset(both_lines(panel, path)[0]))


@attrs.frozen
class _Row:
    """A line of the drawing, without the blanks before it."""

    line: int
    column: int
    """The column of the row's first character, from 1."""
    text: str


def _split(text: str) -> tuple[list[_Row], dict[str, tuple[CellSymbol, int]], Symmetry | None]:
    """Return the lines of the drawing, the symbols by name with the line that defines each, the symmetry."""
    rows: list[_Row] = []
    symmetry: Symmetry | None = None
    legend: dict[str, tuple[CellSymbol, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        column = len(line) - len(line.lstrip()) + 1
        if _VERTEX_LINE.match(line) or (rows and len(rows) % 2 and body[0] in _VERTICAL):
            if legend:
                raise DrawingError(number, column, "the drawing ends where the names of symbols begin")
            rows.append(_Row(number, column, line[column - 1 :].rstrip()))
            continue
        match = _SYMMETRY.fullmatch(line)
        if match is not None:
            known: dict[str, Symmetry] = {name: name for name in SYMMETRIES}
            if symmetry is not None or match[1].strip() not in known:
                raise DrawingError(
                    number,
                    match.start(1) + 1,
                    "one line says 'symmetry: ' and " + ", ".join(SYMMETRIES[:-1]) + f" or {SYMMETRIES[-1]}",
                )
            symmetry = known[match[1].strip()]
            continue
        match = _LEGEND.fullmatch(line)
        if match is None:
            raise DrawingError(
                number,
                column,
                f"'{body}' is neither a line of a drawing nor a name such as 'a: square black'",
            )
        name = match[1]
        if name in legend or name == BLANK:
            said = "stands for a cell to be filled" if name == BLANK else "is named twice"
            raise DrawingError(number, column, f"'{name}' {said}")
        try:
            legend[name] = parse_cell_symbol(match[2]), number
        except PanelError as error:
            raise DrawingError(number, match.start(2) + 1, str(error)) from None
    return rows, legend, symmetry


class _Reader:
    """Takes a drawing apart."""

    def __init__(
        self, rows: list[_Row], legend: Mapping[str, tuple[CellSymbol, int]], symmetry: Symmetry | None
    ) -> None:
        self.rows = rows
        self.symmetry = symmetry
        self.legend = legend
        self.grid = self._size()
        self.symbols: dict[int, CellSymbol] = {}
        self.blanks: list[int] = []
        self.marks: dict[str, list[int]] = {"dot": [], "gap": [], "S": [], "E": []}
        self.used: set[str] = set()

    def _size(self) -> Grid:
        first, last = self.rows[0], self.rows[-1]
        width, rest = divmod(len(first.text) - 1, 4)
        height = len(self.rows) // 2
        if rest or not 1 <= width <= LARGEST_SIDE:
            raise DrawingError(
                first.line,
                first.column,
                f"a line of vertices is 4W + 1 characters long for W = 1 to {LARGEST_SIDE} cells, not "
                f"{len(first.text)}",
            )
        if len(self.rows) % 2 == 0 or not 1 <= height <= LARGEST_SIDE:
            raise DrawingError(
                last.line,
                last.column,
                f"a drawing has 2H + 1 lines for H = 1 to {LARGEST_SIDE} cells, and this is line "
                f"{len(self.rows)} of it",
            )
        return grid_of(width, height)

    def drawing(self) -> Drawing:
        """Return what the drawing shows."""
        for index, row in enumerate(self.rows):
            y = self.grid.height - (index + 1) // 2
            expected = 4 * self.grid.width + 1
            if len(row.text) != expected:
                raise DrawingError(
                    row.line,
                    row.column + min(len(row.text), expected),
                    f"the line is {len(row.text)} characters long, and the first one is {expected}",
                )
            if index % 2:
                self._cell_row(row, y)
            else:
                self._vertex_row(row, y)
        for name, (_, line) in self.legend.items():
            if name not in self.used:
                raise DrawingError(line, 1, f"'{name}' does not occur in the drawing")
        for mark, word in (("S", "start"), ("E", "end")):
            if not self.marks[mark]:
                raise PanelError(f"The panel has no {word}: mark a vertex with {mark}.")
        panel = Panel(
            width=self.grid.width,
            height=self.grid.height,
            symbols=self.symbols,
            dots=self.marks["dot"],
            gaps=self.marks["gap"],
            starts=self.marks["S"],
            ends=self.marks["E"],
            symmetry=self.symmetry,
        )
        return Drawing(panel, tuple(sorted(self.blanks)))

    def _vertex_row(self, row: _Row, y: int) -> None:
        for x in range(self.grid.width + 1):
            at = 4 * x
            terminal, dot = self._known(row, at, row.text[at], _VERTEX, "vertex")
            vertex = self.grid.vertex(x, y)
            if terminal:
                self.marks[terminal].append(vertex)
            if dot:
                self.marks["dot"].append(self.grid.vertex_location(vertex))
            if x < self.grid.width:
                mark = self._known(row, at + 1, row.text[at + 1 : at + 4], _HORIZONTAL, "horizontal edge")
                if mark:
                    self.marks[mark].append(self.grid.horizontal_edge(x, y))

    def _cell_row(self, row: _Row, y: int) -> None:
        for x in range(self.grid.width + 1):
            at = 4 * x
            mark = self._known(row, at, row.text[at], _VERTICAL, "vertical edge")
            if mark:
                self.marks[mark].append(self.grid.vertical_edge(x, y))
            if x == self.grid.width:
                break
            name = row.text[at + 1 : at + 4].strip()
            cell = self.grid.cell(x, y)
            if name == BLANK:
                self.blanks.append(cell)
            elif name in self.legend:
                self.symbols[cell] = self.legend[name][0]
                self.used.add(name)
            elif name:
                column = row.column + at + 1 + row.text[at + 1 : at + 4].index(name[0])
                what = (
                    f"add a line '{name}: ...'" if _NAME.fullmatch(name) else "names are letters and digits"
                )
                raise DrawingError(row.line, column, f"'{name}' is not a symbol here: {what}")

    def _known(self, row: _Row, at: int, text: str, known: Mapping[str, Meaning], what: str) -> Meaning:
        if text not in known:
            raise DrawingError(
                row.line,
                row.column + at,
                f"'{text}' is not a {what}; write {' or '.join(repr(k) for k in known)}",
            )
        return known[text]


def _write(panel: Panel, drawn: frozenset[int]) -> str:
    names: dict[CellSymbol, str] = {}
    for _, symbol in panel.symbols:
        if symbol not in names:
            names[symbol] = _name(len(names))
    lines = list(_lines(panel, names, drawn))
    lines += [f"{name}: {format_symbol(symbol)}" for symbol, name in names.items()]
    lines += [f"symmetry: {panel.symmetry}"] if panel.symmetry is not None else []
    return "\n".join(lines) + "\n"


def _name(index: int) -> str:
    return _LETTERS[index] if index < len(_LETTERS) else str(index)


def _lines(panel: Panel, names: Mapping[CellSymbol, str], drawn: frozenset[int]) -> Iterator[str]:
    """Return the lines of the drawing: those of an empty panel, changed wherever the panel has something."""
    grid = panel.grid
    lines = [list(line) for line in _empty(grid)]

    def put(column: int, row: int, text: str) -> None:
        """Put a character; `column` and `row` count vertices, edges and cells from the lower left."""
        at = 4 * (column // 2) + column % 2
        lines[2 * grid.height - row][at : at + len(text)] = text

    def put_on_edge(edge: int, across: str, upright: str) -> None:
        x, y = grid.edge_at(edge)
        if grid.is_horizontal(edge):
            put(2 * x + 1, 2 * y, across)
        else:
            put(2 * x, 2 * y + 1, upright)

    for edge in panel.edge_dots:
        put_on_edge(edge, _DOT_ACROSS, _DOT_MARK)
    for edge in panel.gaps:
        put_on_edge(edge, _GAP_ACROSS, _GAP_MARK)
    for edge in drawn:
        put_on_edge(edge, _DRAWN_ACROSS, _DRAWN_MARK)
    dots = panel.vertex_dots
    for vertex in dots:
        x, y = grid.vertex_at(vertex)
        put(2 * x, 2 * y, _DOT_MARK)
    for vertices, mark in ((panel.starts, "S"), (panel.ends, "E")):
        for vertex in vertices:
            x, y = grid.vertex_at(vertex)
            put(2 * x, 2 * y, mark.lower() if vertex in dots else mark)
    for cell, symbol in panel.symbols:
        x, y = grid.cell_at(cell)
        put(2 * x + 1, 2 * y + 1, f" {names[symbol]:<2}")
    return map("".join, lines)


@lru_cache(maxsize=LARGEST_SIDE**2)
def _empty(grid: Grid) -> list[str]:
    """Return the lines of an empty panel without start and end."""
    vertices, cells = "+---" * grid.width + "+", "|   " * grid.width + "|"
    return [vertices, cells] * grid.height + [vertices]


def path_in_words(grid: Grid, path: tuple[int, ...]) -> str:
    """Write 'from column 1, row 4: URDR, 4 edges', counted from 1 at the top left."""
    return f"from {grid.vertex_in_words(path[0])}: {grid.path_letters(path)}, {len(path) - 1} edges"
