"""Panels as text: a drawing, and a line for each symbol that it uses. People and `parse_panel` can read it.

    +---+---+-*-E      vertices: + plain, * dot, S start, E end, s and e with a dot
    | a |   : b |      edges: --- and | plain, -*- and * dot, - - and : gap, ... and . missing
    +---*---+---+      cells: three places, blank or a name
    | a |   |   |
    S---+- -+---+
    a: square black
    b: polyomino ##/#. free

Starts and ends in the middle of an edge are -S- and -E-, or S and E. Dots that one of two lines must cover
are 1 and 2 instead of *, T and t with a start, F and f with an end.

A line 'symmetry: horizontal' (or vertical, rotational, on a pillar also parallel) makes it a panel of two
lines. A line 'shape: pillar' wraps it round a cylinder; its right border repeats the left one. A line
'variant: game' names the answers to questions that the rules leave open (see
`epcg_witness.rules.variants`). Lines that begin with # and blank lines mean nothing. The lines of the
drawing must be complete; blanks at their ends may be missing.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from functools import lru_cache
from typing import Literal, TypeAlias, TypeVar, get_args

import attrs

from epcg_witness.formats.symbols import format_symbol, parse_cell_symbol
from epcg_witness.rules.grid import LARGEST_PILLAR, LARGEST_SIDE, Grid, PanelError, grid_of
from epcg_witness.rules.panel import PILLAR_SYMMETRIES, SYMMETRIES, CellSymbol, Panel, Symmetry
from epcg_witness.rules.reference import both_lines
from epcg_witness.rules.variants import DEFAULT, Variant, parse_variant

Content: TypeAlias = Literal["", "dot", "first", "second", "gap", "missing"]
Terminal: TypeAlias = Literal["", "S", "E"]
_MARKS: Mapping[str, tuple[Terminal, Content]] = {
    "*": ("", "dot"), "1": ("", "first"), "2": ("", "second"),
    "S": ("S", ""), "s": ("S", "dot"), "T": ("S", "first"), "t": ("S", "second"),
    "E": ("E", ""), "e": ("E", "dot"), "F": ("E", "first"), "f": ("E", "second"),
}  # fmt: skip
_VERTEX: Mapping[str, tuple[Terminal, Content]] = {"+": ("", ""), **_MARKS}
_HORIZONTAL: Mapping[str, tuple[Terminal, Content]] = {
    "---": ("", ""), "- -": ("", "gap"), "...": ("", "missing"),
    **{f"-{m}-": held for m, held in _MARKS.items()},
}  # fmt: skip
_VERTICAL: Mapping[str, tuple[Terminal, Content]] = {
    "|": ("", ""), ":": ("", "gap"), ".": ("", "missing"), **_MARKS,
}  # fmt: skip
_BARS = "|:*."
"""Characters with which only a line of cells begins."""
_DRAWN_ACROSS, _DRAWN_MARK = "===", "H"
_NAME = re.compile(r"[A-Za-z0-9?]{1,3}")
_LEGEND = re.compile(r"\s*([A-Za-z0-9?]{1,3})\s*[:=]\s*(.*)")
_VERTEX_LINE = re.compile(r"\s*[+*SEseTtFf12](---|-[*SEseTtFf12]-|- -|-|\.\.\.)")
_SETTING = re.compile(r"\s*(symmetry|shape|variant)\s*[:=]\s*(.*)")
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


def draws_panel(text: str) -> bool:
    """Return whether a text of several lines begins as a drawing does, which may yet have mistakes."""
    lines = [line for line in text.splitlines() if line.strip() and not line.lstrip().startswith("#")]
    body = [line for line in lines if _SETTING.fullmatch(line) is None]
    return len(lines) > 1 and bool(body) and _VERTEX_LINE.match(body[0]) is not None


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
    rows, legend, settings = _split(text)
    if not rows:
        raise DrawingError(1, 1, "there is no drawing; its first line looks like '+---+---E'")
    return _Reader(rows, legend, settings).drawing()


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


@attrs.define
class _Settings:
    """The content of the lines about the whole panel."""

    symmetry: Symmetry | None = None
    pillar: bool = False
    variant: Variant = DEFAULT

    def read(self, name: str, value: str) -> None:
        """Take what a line says. Raises PanelError."""
        symmetries: dict[str, Symmetry] = {known: known for known in PILLAR_SYMMETRIES}
        if name == "symmetry" and value not in symmetries:
            raise PanelError(
                f"one line says 'symmetry: ' and {', '.join(SYMMETRIES[:-1])} or {SYMMETRIES[-1]}, or on a "
                "pillar parallel"
            )
        if name == "shape" and value not in ("flat", "pillar"):
            raise PanelError("one line says 'shape: pillar', or 'shape: flat', which is so without it")
        if name == "symmetry":
            self.symmetry = symmetries[value]
        elif name == "shape":
            self.pillar = value == "pillar"
        else:
            self.variant = parse_variant(value)


def _split(text: str) -> tuple[list[_Row], dict[str, tuple[CellSymbol, int]], _Settings]:
    """Return the lines of the drawing, the symbols by name with the line that defines each, the settings."""
    rows: list[_Row] = []
    settings, said = _Settings(), set()
    legend: dict[str, tuple[CellSymbol, int]] = {}
    for number, line in enumerate(text.splitlines(), start=1):
        body = line.strip()
        if not body or body.startswith("#"):
            continue
        column = len(line) - len(line.lstrip()) + 1
        if _VERTEX_LINE.match(line) or (rows and len(rows) % 2 and _is_cell_row(body, rows[0].text)):
            if legend:
                raise DrawingError(number, column, "the drawing ends where the names of symbols begin")
            rows.append(_Row(number, column, line[column - 1 :].rstrip()))
            continue
        match = _SETTING.fullmatch(line)
        if match is not None:
            try:
                if match[1] in said:
                    raise PanelError(f"only one line begins with '{match[1]}'")
                settings.read(match[1], match[2].strip())
            except PanelError as error:
                raise DrawingError(number, match.start(2) + 1, str(error)) from None
            said.add(match[1])
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
            fault = "stands for a cell to be filled" if name == BLANK else "is named twice"
            raise DrawingError(number, column, f"'{name}' {fault}")
        try:
            legend[name] = parse_cell_symbol(match[2]), number
        except PanelError as error:
            raise DrawingError(number, match.start(2) + 1, str(error)) from None
    return rows, legend, settings


def _is_cell_row(body: str, first: str) -> bool:
    """Return whether a line is one of cells: letters and digits can begin that of a symbol, too."""
    return body[0] in _BARS or (len(body) == len(first) and all(mark in _VERTICAL for mark in body[::4]))


class _Reader:
    """Takes a drawing apart."""

    def __init__(
        self, rows: list[_Row], legend: Mapping[str, tuple[CellSymbol, int]], settings: _Settings
    ) -> None:
        self.rows = rows
        self.settings = settings
        self.legend = legend
        self.grid = self._size()
        self.symbols: dict[int, CellSymbol] = {}
        self.blanks: list[int] = []
        self.marks: dict[str, list[int]] = {name: [] for name in ("S", "E", *get_args(Content))}
        self.used: set[str] = set()

    def _size(self) -> Grid:
        first, last = self.rows[0], self.rows[-1]
        width, rest = divmod(len(first.text) - 1, 4)
        height = len(self.rows) // 2
        widest = LARGEST_PILLAR if self.settings.pillar else LARGEST_SIDE
        if rest or not 1 <= width <= widest:
            raise DrawingError(
                first.line,
                first.column,
                f"a line of vertices is 4W + 1 characters long for W = 1 to {widest} cells, not "
                f"{len(first.text)}",
            )
        if len(self.rows) % 2 == 0 or not 1 <= height <= LARGEST_SIDE:
            raise DrawingError(
                last.line,
                last.column,
                f"a drawing has 2H + 1 lines for H = 1 to {LARGEST_SIDE} cells, and this is line "
                f"{len(self.rows)} of it",
            )
        return grid_of(width, height, self.settings.pillar)

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
        edges = self.grid.edges
        panel = Panel(
            width=self.grid.width,
            height=self.grid.height,
            pillar=self.settings.pillar,
            symbols=self.symbols,
            dots=self.marks["dot"] + self.marks["first"] + self.marks["second"],
            gaps=self.marks["gap"],
            starts=[place - edges for place in self.marks["S"] if place >= edges],
            ends=[place - edges for place in self.marks["E"] if place >= edges],
            symmetry=self.settings.symmetry,
            missing=self.marks["missing"],
            edge_starts=[place for place in self.marks["S"] if place < edges],
            edge_ends=[place for place in self.marks["E"] if place < edges],
            first_dots=self.marks["first"],
            second_dots=self.marks["second"],
            variant=self.settings.variant,
        )
        return Drawing(panel, tuple(sorted(self.blanks)))

    def _vertex_row(self, row: _Row, y: int) -> None:
        for x in range(self.grid.width + 1):
            at = 4 * x
            held = self._known(row, at, row.text[at], _VERTEX, "vertex")
            if x < self.grid.columns:
                self._take(self.grid.vertex_location(self.grid.vertex(x, y)), held)
            else:
                self._check_seam(row, at)
            if x < self.grid.width:
                held = self._known(row, at + 1, row.text[at + 1 : at + 4], _HORIZONTAL, "horizontal edge")
                self._take(self.grid.horizontal_edge(x, y), held)

    def _take(self, location: int, held: tuple[Terminal, Content]) -> None:
        """Note what lies on an edge or a vertex."""
        for name in held:
            if name:
                self.marks[name].append(location)

    def _check_seam(self, row: _Row, at: int) -> None:
        if row.text[at] != row.text[0]:
            raise DrawingError(
                row.line,
                row.column + at,
                f"the right border of a pillar is its left one, so '{row.text[0]}' is to be repeated here, "
                f"not '{row.text[at]}'",
            )

    def _cell_row(self, row: _Row, y: int) -> None:
        for x in range(self.grid.width + 1):
            at = 4 * x
            held = self._known(row, at, row.text[at], _VERTICAL, "vertical edge")
            if x < self.grid.columns:
                self._take(self.grid.vertical_edge(x, y), held)
            else:
                self._check_seam(row, at)
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
    lines += ["shape: pillar"] if panel.pillar else []
    lines += [f"variant: {panel.variant.words()}"] if panel.variant != DEFAULT else []
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
            put_around(2 * x, 2 * y + 1, upright)

    def put_around(column: int, row: int, text: str) -> None:
        """Put a character, on a pillar's left border on the right one, too."""
        put(column, row, text)
        if grid.pillar and column == 0:
            put(2 * grid.width, row, text)

    edge_marks, vertex_marks = _marks_of(panel)
    for edge in panel.gaps:
        put_on_edge(edge, "- -", ":")
    for edge in panel.missing:
        put_on_edge(edge, "...", ".")
    for edge, mark in edge_marks.items():
        put_on_edge(edge, f"-{mark}-", mark)
    for edge in drawn:
        end = edge_marks.get(edge, "*")
        held = _MARKS[end][0]
        put_on_edge(edge, f"={end}=" if held else _DRAWN_ACROSS, end if held else _DRAWN_MARK)
    for vertex, mark in vertex_marks.items():
        x, y = grid.vertex_at(vertex)
        put_around(2 * x, 2 * y, mark)
    for cell, symbol in panel.symbols:
        x, y = grid.cell_at(cell)
        put(2 * x + 1, 2 * y + 1, f" {names[symbol]:<2}")
    return map("".join, lines)


def _marks_of(panel: Panel) -> tuple[dict[int, str], dict[int, str]]:
    """Return the marks of dots, starts and ends on edges and on vertices."""
    names: dict[tuple[Terminal, Content], str] = {held: mark for mark, held in _MARKS.items()}
    edges = panel.grid.edges
    contents: dict[int, Content] = dict.fromkeys(panel.dots, "dot")
    contents.update((dot, "first") for dot in panel.first_dots)
    contents.update((dot, "second") for dot in panel.second_dots)
    ends: dict[int, Terminal] = dict.fromkeys((*panel.edge_starts, *(edges + v for v in panel.starts)), "S")
    ends |= dict.fromkeys((*panel.edge_ends, *(edges + v for v in panel.ends)), "E")
    found = {place: names[ends.get(place, ""), contents.get(place, "")] for place in {**contents, **ends}}
    on_edges = {place: mark for place, mark in found.items() if place < edges}
    return on_edges, {place - edges: mark for place, mark in found.items() if place >= edges}


@lru_cache(maxsize=2 * LARGEST_PILLAR**2)
def _empty(grid: Grid) -> list[str]:
    """Return the lines of an empty panel without start and end."""
    vertices, cells = "+---" * grid.width + "+", "|   " * grid.width + "|"
    return [vertices, cells] * grid.height + [vertices]


def path_in_words(grid: Grid, path: tuple[int, ...]) -> str:
    """Write 'from column 1, row 4: URDR, 4 edges', counted from 1 at the top left."""
    return (
        f"from {grid.point_in_words(path[0])}: {grid.path_letters(path)}, {len(grid.path_edges(path))} edges"
    )
