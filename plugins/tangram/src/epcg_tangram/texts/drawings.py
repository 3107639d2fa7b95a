"""Drawings of cells as text: boards and pieces as one sees them.

Squares are signs in rows; triangles are A (pointing up) and V (pointing down), which alternate in a row and
meet base to base between rows; of hexagons every other row is shifted by one place, so that neighbours lie
two places apart. The quarters of a square stand around its middle, and point to it:

    ##.     AVA       # # #      V
    .##     VAV      # # # #    > <
                                 A

Cubes are squares in layers, the topmost first, with a blank line between. All layers begin at the same place.

A dot or a blank is not a cell. Other letters are cells too if the text explains them.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.lattices import Cell, Flat, Lattice
from epcg_tangram.lattices.lattice import Shape, difference

OUTSIDE = ". "
"""The signs of places that are not cells."""
_TAB = 8


@attrs.frozen
class Drawn:
    """A drawing that was read."""

    cells: Mapping[Cell, str]
    """The cells, each with its sign; shifted to the origin."""
    faults: tuple[tuple[int, int, str], ...] = ()
    """(row, place in the row, sentence), the first being (0, 0); a tab is one place."""


def read_drawing(lattice: Lattice, text: str, signs: Iterable[str] = ()) -> Drawn:
    """Read a drawing; `signs` are letters that stand for cells besides the lattice's own.

    All faults are told, and what can be read is read all the same.
    """
    flat = lattice.flat
    known = {**flat.signs.read, **dict.fromkeys(signs, -1)}
    found: list[_Sign] = []
    faults: list[tuple[int, int, str]] = []
    for row, (layer, down, line) in enumerate(_in_layers(lattice, text)):
        column = 0
        for place, sign in enumerate(line.rstrip("\r")):
            if sign == "\t":
                column += _TAB - column % _TAB
                continue
            if sign in known:
                found.append(_Sign(sign, (row, place), layer, down, column))
            elif sign not in OUTSIDE:
                faults.append((row, place, f"'{sign}' is not a sign of a drawing: {_signs(flat, signs)}."))
            column += 1
    if not found:
        return Drawn({}, (*faults, (0, 0, f"A drawing needs a cell: {_signs(flat, signs)}.")))
    down, right = _shift(flat, found, known)
    cells: dict[Cell, str] = {}
    for own in found:
        cell = flat.signs.cell(own.row + down, own.column + right)
        if cell is None:
            faults.append((*own.written, flat.signs.misplaced))
            continue
        if known[own.sign] not in (-1, flat.signs.of(cell)):
            other, kind = flat.signs.usual[flat.signs.of(cell)], flat.cell_word[0]
            said = f"Here lies a {kind} '{other}', not '{own.sign}': {flat.signs.order}."
            faults.append((*own.written, said))
        cells[lattice.in_layer(own.layer, cell)] = own.sign
    if not cells:
        return Drawn({}, tuple(sorted(faults)))
    corner = lattice.corner(cells)
    moved = {difference(cell, corner): sign for cell, sign in cells.items()}
    return Drawn(moved, tuple(sorted(faults)))


@attrs.frozen
class _Sign:
    """A sign of a drawing that stands for a cell."""

    sign: str
    written: tuple[int, int]
    """(row, place in the row) of the text."""
    layer: int
    row: int
    """The row of its layer."""
    column: int
    """Its place in the row, tabs being wider."""


def _in_layers(lattice: Lattice, text: str) -> Iterator[tuple[int, int, str]]:
    """Yield the (layer, row of the layer, line) of each line; a blank line parts layers, if there are any."""
    layer = row = 0
    for line in text.split("\n"):
        blank = lattice.layered and not line.strip()
        if blank and row:
            layer, row = layer + 1, 0
        yield layer, row, line
        row += not blank


def _shift(flat: Flat, found: Sequence[_Sign], known: Mapping[str, int]) -> tuple[int, int]:
    """Return the (rows, columns) to move a drawing by so that most of its signs mean what they say."""

    def meant(by: tuple[int, int]) -> int:
        places = ((flat.signs.cell(own.row + by[0], own.column + by[1]), known[own.sign]) for own in found)
        return sum(cell is not None and sign in (-1, flat.signs.of(cell)) for cell, sign in places)

    return max(flat.signs.shifts, key=meant)


def _signs(flat: Flat, more: Iterable[str]) -> str:
    signs = flat.signs
    usual = [f"{sign} is {word}" for sign, word in zip(signs.usual, signs.words, strict=True)]
    return ", ".join([*usual, *(f"{sign} a cell too" for sign in more), "a dot is not"])


def draw(lattice: Lattice, cells: Mapping[Cell, str] | Iterable[Cell]) -> str:
    """Write a drawing that `read_drawing` reads, each line with its end; an empty sign is the usual one.

    A blank line stands between layers.
    """
    written = cells if isinstance(cells, Mapping) else dict.fromkeys(cells, "")
    flat, layers = lattice.flat, dict[int, dict[tuple[int, int], str]]()
    for cell, sign in written.items():
        layer, own = lattice.in_plane(cell)
        places = layers.setdefault(layer, {})
        places[flat.signs.at(own)] = sign or flat.signs.usual[flat.signs.of(own)]
    signs = {sign for places in layers.values() for sign in places.values()}
    rows, columns = ([place[axis] for places in layers.values() for place in places] for axis in (0, 1))
    top, left = min(rows), min(columns)
    if len(flat.signs.usual) > 1 and flat.signs.read.keys().isdisjoint(signs):
        top, left = _telling(flat, lattice.in_plane(next(iter(written)))[1], top, left)
    framed = flat.signs.framed or top < min(rows)
    blocks = []
    for layer in range(min(layers), max(layers) + 1):
        lines = []
        for row in range(top, max(rows) + 1):
            line = ""
            for column in range(left, max(columns) + 1):
                free = " " if flat.signs.cell(row, column) is None else "."
                line += layers.get(layer, {}).get((row, column), free)
            lines.append(line.replace(" ", ".") if framed else _outside_blank(line))
        blocks.append("".join(line + "\n" for line in lines))
    return "\n".join(blocks)


def _telling(flat: Flat, cell: Cell, top: int, left: int) -> tuple[int, int]:
    """Return where a drawing begins whose signs do not tell which cells they are, but their places do."""
    row, column = flat.signs.at(cell)
    for down, right in flat.signs.shifts:
        read = flat.signs.cell(row - top + down, column - left + right)
        if read and flat.is_shift(difference(read, cell)):
            return top - down, left - right
    raise AssertionError("a shift makes every place that of its cell")


def _outside_blank(line: str) -> str:
    """Make blanks of what is left of the first cell, and nothing of what is right of the last."""
    own = line.strip(OUTSIDE)
    return " " * (len(line) - len(line.lstrip(OUTSIDE))) + own


def draw_in_line(lattice: Lattice, cells: Mapping[Cell, str] | Iterable[Cell]) -> str:
    """Write a drawing in one line, its rows divided by strokes: '##/#.'; an empty sign is the usual one."""
    return "/".join(draw(lattice, cells).replace(" ", ".").splitlines())


def read_in_line(lattice: Lattice, text: str) -> Shape:
    """Read a drawing in lines, or in one line with strokes. Raises ParamsError with the place of a fault."""
    return frozenset(read_signs_in_line(lattice, text))


def read_signs_in_line(lattice: Lattice, text: str, signs: Iterable[str] = ()) -> Mapping[Cell, str]:
    """Read the sign of each cell like `read_in_line`; `signs` are letters that stand for cells, too."""
    drawn = read_drawing(lattice, text.replace("/", "\n"), signs)
    if drawn.faults:
        row, column, message = drawn.faults[0]
        raise ParamsError(f"column {column + 1}, row {row + 1}: {message}")
    return drawn.cells
