"""Drawings of cells as text: boards and pieces as one sees them.

Squares are signs in rows; triangles are A (pointing up) and V (pointing down), which alternate in a row and
meet base to base between rows; of hexagons every other row is shifted by one place, so that neighbours lie
two places apart:

    ##.     AVA       # # #
    .##     VAV      # # # #

A dot or a blank is not a cell. Other letters are cells too if the text explains them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping

import attrs

from epcg_core.plugin import ParamsError
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import Shape

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
    known = {**lattice.signs.read, **dict.fromkeys(signs, -1)}
    found: list[tuple[int, int, str]] = []
    faults: list[tuple[int, int, str]] = []
    written: dict[tuple[int, int], int] = {}
    for row, line in enumerate(text.split("\n")):
        column = 0
        for place, sign in enumerate(line.rstrip("\r")):
            if sign == "\t":
                column += _TAB - column % _TAB
                continue
            if sign in known:
                found.append((row, column, sign))
                written[row, column] = place
            elif sign not in OUTSIDE:
                faults.append((row, place, f"'{sign}' is not a sign of a drawing: {_signs(lattice, signs)}."))
            column += 1
    if not found:
        return Drawn({}, (*faults, (0, 0, f"A drawing needs a cell: {_signs(lattice, signs)}.")))
    shift = _shift(lattice, found)
    cells: dict[Cell, str] = {}
    for row, column, sign in found:
        if lattice.signs.parity and (row + column + shift) % 2:
            faults.append((row, written[row, column], _UNSHIFTED))
            continue
        cell = lattice.signs.cell(row, column + shift)
        if known[sign] not in (-1, lattice.kind(cell)):
            other = lattice.signs.usual[lattice.kind(cell)]
            kind = lattice.cell_word[0]
            place = written[row, column]
            faults.append((row, place, f"Here lies a {kind} '{other}', not '{sign}': they alternate."))
        cells[cell] = sign
    origin = _origin(lattice, cells)
    moved = {(a - origin[0], b - origin[1]): sign for (a, b), sign in cells.items()}
    return Drawn(moved, tuple(sorted(faults)))


_UNSHIFTED = (
    "A hexagon lies between two of the row above: shift every other row by one place, and leave a place free "
    "between two hexagons of a row."
)


def _shift(lattice: Lattice, found: Iterable[tuple[int, int, str]]) -> int:
    """Return by how many places to move a drawing so that most of its signs mean what they say."""
    if lattice.signs.parity:
        odd = [(row + column) % 2 for row, column, _ in found]
    else:
        odd = [
            (row + column + kind) % 2
            for row, column, sign in found
            if (kind := lattice.signs.read.get(sign, -1)) >= 0
        ]
    return int(2 * sum(odd) > len(odd))


def _origin(lattice: Lattice, cells: Iterable[Cell]) -> Cell:
    cells = tuple(cells)
    step = lattice.step
    return min(a for a, _ in cells) // step * step, min(b for _, b in cells) // step * step


def _signs(lattice: Lattice, more: Iterable[str]) -> str:
    usual = [f"{own} is a cell" for own in dict.fromkeys(lattice.signs.usual)]
    if len(usual) > 1:
        usual = [
            f"{sign} is a {lattice.cell_word[0]} that points {kind}"
            for sign, kind in zip(lattice.signs.usual, lattice.kinds, strict=True)
        ]
    return ", ".join([*usual, *(f"{sign} a cell too" for sign in more), "a dot is not"])


def draw(lattice: Lattice, cells: Mapping[Cell, str] | Iterable[Cell]) -> str:
    """Write a drawing that `read_drawing` reads, each line with its end; an empty sign is the usual one."""
    signs = cells if isinstance(cells, Mapping) else dict.fromkeys(cells, "")
    places = {
        lattice.signs.at(cell): sign or lattice.signs.usual[lattice.kind(cell)]
        for cell, sign in signs.items()
    }
    rows, columns = ([place[axis] for place in places] for axis in (0, 1))
    left = min(columns)
    if len(set(lattice.signs.usual)) > 1 and lattice.signs.read.keys().isdisjoint(places.values()):
        left -= (min(rows) + left) % 2  # no sign tells of which class the first cell is, but its place does
    lines = []
    for row in range(min(rows), max(rows) + 1):
        line = ""
        for column in range(left, max(columns) + 1):
            free = " " if lattice.signs.parity and (row + column) % 2 else "."
            line += places.get((row, column), free)
        lines.append(line if lattice.signs.framed else _outside_blank(line))
    return "".join(line + "\n" for line in lines)


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
        raise ParamsError(f"row {row + 1}, column {column + 1}: {message}")
    return drawn.cells
