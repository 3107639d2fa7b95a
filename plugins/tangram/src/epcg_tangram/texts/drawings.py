"""Drawings of cells as text: boards and pieces as one sees them.

Squares are signs in rows; triangles are A (pointing up) and V (pointing down), which alternate in a row and
meet base to base between rows; of hexagons every other row is shifted by one place, so that neighbours lie
two places apart. The quarters of a square stand around its middle, and point to it:

    ##.     AVA       # # #      V
    .##     VAV      # # # #    > <
                                 A

A dot or a blank is not a cell. Other letters are cells too if the text explains them.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence

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
    down, right = _shift(lattice, found, known)
    cells: dict[Cell, str] = {}
    for row, column, sign in found:
        place = written[row, column]
        cell = lattice.signs.cell(row + down, column + right)
        if cell is None:
            faults.append((row, place, lattice.signs.misplaced))
            continue
        if known[sign] not in (-1, lattice.signs.of(cell)):
            other, kind = lattice.signs.usual[lattice.signs.of(cell)], lattice.cell_word[0]
            order = lattice.signs.order
            faults.append((row, place, f"Here lies a {kind} '{other}', not '{sign}': {order}."))
        cells[cell] = sign
    if not cells:
        return Drawn({}, tuple(sorted(faults)))
    origin = _origin(lattice, cells)
    moved = {(a - origin[0], b - origin[1]): sign for (a, b), sign in cells.items()}
    return Drawn(moved, tuple(sorted(faults)))


def _shift(
    lattice: Lattice, found: Sequence[tuple[int, int, str]], known: Mapping[str, int]
) -> tuple[int, int]:
    """Return the (rows, columns) to move a drawing by so that most of its signs mean what they say."""

    def meant(by: tuple[int, int]) -> int:
        places = ((lattice.signs.cell(row + by[0], column + by[1]), known[s]) for row, column, s in found)
        return sum(cell is not None and sign in (-1, lattice.signs.of(cell)) for cell, sign in places)

    return max(lattice.signs.shifts, key=meant)


def _origin(lattice: Lattice, cells: Iterable[Cell]) -> Cell:
    cells = tuple(cells)
    step = lattice.step
    return min(a for a, _ in cells) // step * step, min(b for _, b in cells) // step * step


def _signs(lattice: Lattice, more: Iterable[str]) -> str:
    signs = lattice.signs
    usual = [f"{sign} is {word}" for sign, word in zip(signs.usual, signs.words, strict=True)]
    return ", ".join([*usual, *(f"{sign} a cell too" for sign in more), "a dot is not"])


def draw(lattice: Lattice, cells: Mapping[Cell, str] | Iterable[Cell]) -> str:
    """Write a drawing that `read_drawing` reads, each line with its end; an empty sign is the usual one."""
    signs = cells if isinstance(cells, Mapping) else dict.fromkeys(cells, "")
    places = {
        lattice.signs.at(cell): sign or lattice.signs.usual[lattice.signs.of(cell)]
        for cell, sign in signs.items()
    }
    rows, columns = ([place[axis] for place in places] for axis in (0, 1))
    top, left = min(rows), min(columns)
    if len(lattice.signs.usual) > 1 and lattice.signs.read.keys().isdisjoint(places.values()):
        top, left = _telling(lattice, next(iter(signs)), top, left)
    framed = lattice.signs.framed or top < min(rows)
    lines = []
    for row in range(top, max(rows) + 1):
        line = ""
        for column in range(left, max(columns) + 1):
            free = " " if lattice.signs.cell(row, column) is None else "."
            line += places.get((row, column), free)
        lines.append(line.replace(" ", ".") if framed else _outside_blank(line))
    return "".join(line + "\n" for line in lines)


def _telling(lattice: Lattice, cell: Cell, top: int, left: int) -> tuple[int, int]:
    """Return where a drawing begins whose signs do not tell which cells they are, but their places do."""
    row, column = lattice.signs.at(cell)
    for down, right in lattice.signs.shifts:
        read = lattice.signs.cell(row - top + down, column - left + right)
        if read and not any((a - b) % lattice.step for a, b in zip(read, cell, strict=True)):
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
        raise ParamsError(f"row {row + 1}, column {column + 1}: {message}")
    return drawn.cells
