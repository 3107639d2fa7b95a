"""Puzzles of The Windmill, a public puzzle-sharing site: reading and writing its `contents` strings.

URL-safe base64 of a protocol-buffer message, and the suffix `_0`. The message holds the stored width 2W + 1
and a run-length coded list of (2W + 1)(2H + 1) entities, the top row first: vertices, edges and cells as they
lie. Whatever does not fit exactly is refused with an error that names the puzzle.

An edge of type 'none' is missing. Starts and ends may lie on edges. The format has no pillars, no dots for
one of two lines, and no variant: a puzzle is read under the default one, which answers as The Windmill does.
"""

from __future__ import annotations

import base64
import binascii
import re
from collections.abc import Iterator, Mapping

import attrs

from epcg_witness.formats.wire import WireError, bytes_field, fields, number_field, numbers
from epcg_witness.rules.grid import LARGEST_SIDE, Grid, PanelError, grid_of
from epcg_witness.rules.panel import (
    COLOURS,
    CellSymbol,
    Eraser,
    Panel,
    Polyomino,
    Square,
    Star,
    Symmetry,
    Triangles,
)
from epcg_witness.rules.variants import DEFAULT

SUFFIX = "_0"
_TYPES = (
    "empty", "none", "basic", "start", "end", "gap", "dot", "square", "star", "polyomino", "eraser",
    "triangle",
)  # fmt: skip
EMPTY, NONE, BASIC, START, END, GAP, DOT, SQUARE, STAR, POLYOMINO, ERASER, TRIANGLE = range(len(_TYPES))
_SYMMETRIES: Mapping[int, Symmetry] = {2: "horizontal", 3: "vertical", 4: "rotational"}
_LARGEST_SHAPE = 16
"""Columns of the grid in which a piece is drawn."""


@attrs.frozen
class _Entity:
    """The stored values of one vertex, edge or cell."""

    type: int = EMPTY
    colour: int = 0
    shape: Polyomino | None = None
    count: int = 1


def read_windmill(contents: str, name: str = "the puzzle") -> Panel:
    """Read the panel of a `contents` string.

    Raises PanelError, which begins with `name`, if the string is damaged, or the puzzle has
    anything that a panel here cannot have.
    """
    try:
        return _panel(_message(contents))
    except (PanelError, WireError) as error:
        text = str(error)
        ending = "" if text.endswith(".") else "."
        raise PanelError(f"{name}: {text}{ending}") from None


def _message(contents: str) -> bytes:
    if not isinstance(contents, str):
        raise PanelError(f"the contents are {type(contents).__name__}, not a string")
    text = contents.strip()
    if not text.endswith(SUFFIX):
        raise PanelError(f"the contents do not end with '{SUFFIX}', so they are cut off or not a puzzle")
    body = text.removesuffix(SUFFIX)
    match = re.fullmatch(r"([A-Za-z0-9_-]+)(={0,2})", body)
    if match is None:
        raise PanelError("the contents hold characters other than letters, digits, '-' and '_'")
    digits, padding = match.groups()
    missing = -len(digits) % 4
    if missing == 3 or (padding and len(padding) != missing):
        raise PanelError("the contents are cut off: their length is not possible for base64")
    try:
        message = base64.urlsafe_b64decode(digits + "=" * missing)
    except binascii.Error as error:  # pragma: no cover - the pattern above admits only valid text
        raise PanelError(f"the contents are not base64: {error}") from None
    if base64.urlsafe_b64encode(message).rstrip(b"=").decode() != digits:
        raise PanelError("the contents are damaged: the last character has bits that mean nothing")
    return message


def _panel(message: bytes) -> Panel:
    width: int | None = None
    symmetry = 0
    entities: list[_Entity] = []
    for field, value in fields(message):
        if field == 1 and isinstance(value, int) and width is None:
            width = value
        elif field == 2 and isinstance(value, bytes):
            entity, run = _entity(value)
            if len(entities) + run > (2 * LARGEST_SIDE + 1) ** 2:
                raise PanelError(
                    f"it is larger than {LARGEST_SIDE} by {LARGEST_SIDE} cells, or a run length is damaged"
                )
            entities += [entity] * run
        elif field == 3 and isinstance(value, int) and symmetry == 0:
            symmetry = value
        else:
            raise PanelError(f"the message has an unexpected field {field}")
    if symmetry not in (0, 1, *_SYMMETRIES):
        raise PanelError(f"it is a puzzle with unknown symmetry (number {symmetry}); symmetries are 0 to 4")
    grid = _grid(width, len(entities))
    columns, rows = 2 * grid.width + 1, 2 * grid.height + 1
    parts = _Parts(grid)
    for index, entity in enumerate(entities):
        row, column = divmod(index, columns)
        parts.add(column, rows - 1 - row, entity)
    return parts.panel(_SYMMETRIES.get(symmetry))


def _grid(width: int | None, count: int) -> Grid:
    if width is None:
        raise PanelError("the message does not say how wide the puzzle is")
    if width % 2 == 0 or not 3 <= width <= 2 * LARGEST_SIDE + 1:
        raise PanelError(
            f"the stored width {width} is not possible: it is 2W + 1 for W = 1 to {LARGEST_SIDE} cells"
        )
    height, rest = divmod(count, width)
    if rest or height % 2 == 0 or not 3 <= height <= 2 * LARGEST_SIDE + 1:
        raise PanelError(
            f"{count} entities do not fill a grid {width} wide, so some are missing or left over"
        )
    return grid_of(width // 2, height // 2)


def _entity(message: bytes) -> tuple[_Entity, int]:
    """Read an entity and how often it is repeated."""
    found: dict[int, int | bytes] = {}
    for field, value in fields(message):
        expected = bytes if field in (3, 4) else int
        if field not in range(1, 7) or field in found or not isinstance(value, expected):
            raise PanelError(f"an entity has an unexpected field {field}")
        found[field] = value
    type_, colour, run, count = (_number(found, field) for field in (1, 2, 5, 6))
    if type_ >= len(_TYPES):
        raise PanelError(f"an entity has the unknown type {type_}")
    if colour > len(COLOURS):
        raise PanelError(
            f"a {_TYPES[type_]} has the unknown colour {colour}; colours are 1 to {len(COLOURS)}"
        )
    if 3 in found:
        _check_orientation(found[3])
    shape = None
    if type_ == POLYOMINO:
        if 4 not in found:
            raise PanelError("a polyomino has no shape")
        shape = _shape(found[4], colour)
    elif 4 in found:
        raise PanelError(f"an entity of type {_TYPES[type_]} has a shape")
    if 6 in found and type_ != TRIANGLE:
        raise PanelError(f"an entity of type {_TYPES[type_]} has a number of triangles")
    return _Entity(type_, colour, shape, count or 1), run or 1


def _number(found: dict[int, int | bytes], field: int) -> int:
    value = found.get(field, 0)
    assert isinstance(value, int)
    return value


def _check_orientation(message: int | bytes) -> None:
    """Read an orientation, which means nothing here, so that a damaged one is noticed."""
    assert isinstance(message, bytes)
    for field, value in fields(message):
        if field not in (1, 2) or not isinstance(value, int):
            raise PanelError(f"an orientation has an unexpected field {field}")


def _shape(message: int | bytes, colour: int) -> Polyomino:
    assert isinstance(message, bytes)
    settings = {1: 0, 3: 0, 4: 0}
    marks: list[int] = []
    for field, value in fields(message):
        if field == 2:  # a list of numbers may be stored packed or one by one
            marks += numbers(value) if isinstance(value, bytes) else [value]
        elif field in settings and isinstance(value, int):
            settings[field] = value
        else:
            raise PanelError(f"the shape of a polyomino has an unexpected field {field}")
    columns, free, negative = settings.values()
    if not 1 <= columns <= _LARGEST_SHAPE or not marks or len(marks) % columns:
        raise PanelError(f"{len(marks)} marks do not fill the shape of a polyomino {columns} wide")
    if set(marks) - {0, 1} or {free, negative} - {0, 1}:
        raise PanelError("the shape of a polyomino has a mark that is neither 0 nor 1")
    top = len(marks) // columns - 1
    cells = [(i % columns, top - i // columns) for i, mark in enumerate(marks) if mark]
    options = {"colour": COLOURS[colour - 1]} if colour else {}
    return Polyomino(cells, free=bool(free), negative=bool(negative), **options)


class _Parts:
    """Collects what the entities say about a panel."""

    def __init__(self, grid: Grid) -> None:
        self.grid = grid
        self.symbols: dict[int, CellSymbol] = {}
        self.dots: list[int] = []
        self.gaps: list[int] = []
        self.missing: list[int] = []
        self.bare: list[int] = []
        """Vertices of type 'none', which have no edges."""
        self.starts: list[int] = []
        self.ends: list[int] = []
        self.edge_starts: list[int] = []
        self.edge_ends: list[int] = []

    def add(self, column: int, row: int, entity: _Entity) -> None:
        """Take the entity at `column` and `row` of the doubled grid, both from the lower left."""
        x, y = column // 2, row // 2
        if column % 2 and row % 2:
            self._cell(x, y, entity)
        elif column % 2:
            self._edge(self.grid.horizontal_edge(x, y), entity)
        elif row % 2:
            self._edge(self.grid.vertical_edge(x, y), entity)
        else:
            self._vertex(self.grid.vertex(x, y), entity)

    def _vertex(self, vertex: int, entity: _Entity) -> None:
        if entity.type == START:
            self.starts.append(vertex)
        elif entity.type == END:
            self.ends.append(vertex)
        elif entity.type == DOT:
            self.dots.append(self.grid.vertex_location(vertex))
        elif entity.type == NONE:
            self.bare.append(vertex)
        elif entity.type not in (EMPTY, BASIC):
            raise _misplaced(entity, f"the vertex in {self.grid.vertex_in_words(vertex)}")

    def _edge(self, edge: int, entity: _Entity) -> None:
        if entity.type == DOT:
            self.dots.append(edge)
        elif entity.type == GAP:
            self.gaps.append(edge)
        elif entity.type == NONE:
            self.missing.append(edge)
        elif entity.type == START:
            self.edge_starts.append(edge)
        elif entity.type == END:
            self.edge_ends.append(edge)
        elif entity.type not in (EMPTY, BASIC):
            raise _misplaced(entity, f"the edge {self.grid.edge_in_words(edge)}")

    def _cell(self, x: int, y: int, entity: _Entity) -> None:
        where = f"the cell in {self.grid.cell_in_words(self.grid.cell(x, y))}"
        if entity.type in (SQUARE, STAR) and not entity.colour:
            raise PanelError(f"the {_TYPES[entity.type]} in {where} has no colour")
        symbol = _symbol(entity)
        if symbol is not None:
            self.symbols[self.grid.cell(x, y)] = symbol
        elif entity.type not in (EMPTY, NONE):
            raise _misplaced(entity, where)

    def panel(self, symmetry: Symmetry | None) -> Panel:
        for vertex in self.bare:
            if not all(edge in self.missing for _, edge in self.grid.neighbours[vertex]):
                where = f"the vertex in {self.grid.vertex_in_words(vertex)}"
                raise PanelError(f"{where} is of type 'none', and an edge leads to it that is not")
        return Panel(
            width=self.grid.width,
            height=self.grid.height,
            symbols=self.symbols,
            dots=self.dots,
            gaps=self.gaps,
            starts=self.starts,
            ends=self.ends,
            symmetry=symmetry,
            missing=self.missing,
            edge_starts=self.edge_starts,
            edge_ends=self.edge_ends,
        )


def _symbol(entity: _Entity) -> CellSymbol | None:
    colour = COLOURS[entity.colour - 1] if entity.colour else None
    if entity.type == SQUARE and colour is not None:
        return Square(colour)
    if entity.type == STAR and colour is not None:
        return Star(colour)
    if entity.type == TRIANGLE:
        return Triangles(entity.count) if colour is None else Triangles(entity.count, colour)
    if entity.type == ERASER:
        return Eraser() if colour is None else Eraser(colour)
    return entity.shape


def _misplaced(entity: _Entity, where: str) -> PanelError:
    return PanelError(f"{where} holds an entity of type '{_TYPES[entity.type]}', which cannot be there")


def write_windmill(panel: Panel) -> str:
    """Write the `contents` string of a panel, which `read_windmill` reads.

    Raises PanelError for what the format cannot hold: a dot on a start or an end, a pillar, dots for one
    of two lines, a variant.
    """
    unknown = {
        "a pillar": panel.pillar,
        "dots for one of two lines": panel.first_dots or panel.second_dots,
        f"the variant '{panel.variant.words()}'": panel.variant != DEFAULT,
    }
    for what, present in unknown.items():
        if present:
            raise PanelError(
                f"The panel has {what}, which The Windmill's format cannot express; write a drawing."
            )
    message = number_field(1, 2 * panel.width + 1)
    for entity, run in _runs(panel):
        message += bytes_field(2, entity + (number_field(5, run) if run > 1 else b""))
    message += b"".join(number_field(3, n) for n, name in _SYMMETRIES.items() if name == panel.symmetry)
    return base64.urlsafe_b64encode(message).rstrip(b"=").decode() + SUFFIX


def _runs(panel: Panel) -> Iterator[tuple[bytes, int]]:
    """Yield the entities, each with the number of times that it follows itself."""
    stored = list(_stored(panel))
    first = 0
    for index in range(1, len(stored) + 1):
        if index == len(stored) or stored[index] != stored[first]:
            yield stored[first], index - first
            first = index


def _stored(panel: Panel) -> Iterator[bytes]:
    grid = panel.grid
    for row in range(2 * grid.height, -1, -1):
        for column in range(2 * grid.width + 1):
            x, y = column // 2, row // 2
            if column % 2 and row % 2:
                yield _stored_symbol(panel.symbol_at.get(grid.cell(x, y)))
            elif column % 2:
                yield _stored_edge(panel, grid.horizontal_edge(x, y))
            elif row % 2:
                yield _stored_edge(panel, grid.vertical_edge(x, y))
            else:
                yield _stored_vertex(panel, grid.vertex(x, y))


def _stored_vertex(panel: Panel, vertex: int) -> bytes:
    dot = vertex in panel.vertex_dots
    terminal = START if vertex in panel.starts else END if vertex in panel.ends else EMPTY
    if dot and terminal:
        raise PanelError(
            f"The vertex in {panel.grid.vertex_in_words(vertex)} is a {_TYPES[terminal]} and holds a dot, "
            "which The Windmill's format cannot express; take the dot away."
        )
    return number_field(1, terminal or DOT) if dot or terminal else b""


def _stored_edge(panel: Panel, edge: int) -> bytes:
    held = {
        START: panel.edge_starts, END: panel.edge_ends, DOT: panel.dots, GAP: panel.gaps, NONE: panel.missing,
    }  # fmt: skip
    kinds = [kind for kind, edges in held.items() if edge in edges]
    if len(kinds) > 1:
        raise PanelError(
            f"The edge {panel.grid.edge_in_words(edge)} is a {_TYPES[kinds[0]]} and holds a dot, which The "
            "Windmill's format cannot express; take the dot away."
        )
    return number_field(1, kinds[0]) if kinds else b""


def _stored_symbol(symbol: CellSymbol | None) -> bytes:
    if symbol is None:
        return b""
    colour = number_field(2, COLOURS.index(symbol.colour) + 1)
    if isinstance(symbol, Square):
        return number_field(1, SQUARE) + colour
    if isinstance(symbol, Star):
        return number_field(1, STAR) + colour
    if isinstance(symbol, Eraser):
        return number_field(1, ERASER) + colour
    if isinstance(symbol, Triangles):
        count = number_field(6, symbol.count) if symbol.count > 1 else b""
        return number_field(1, TRIANGLE) + colour + count
    marks = bytes(mark == "#" for mark in symbol.rows() if mark != "/")
    shape = number_field(1, symbol.width) + bytes_field(2, marks)
    for field, setting in ((3, symbol.free), (4, symbol.negative)):
        shape += number_field(field, 1) if setting else b""
    return number_field(1, POLYOMINO) + colour + bytes_field(4, shape)
