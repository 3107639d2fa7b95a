"""Boards as text: a line around every piece, its two letters in each of its cells.

Empty cells hold a dot, or an o for a bump.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import pairwise

from epcg_tangram.design.definition import Definition
from epcg_tangram.design.layout import Layout
from epcg_tangram.lattices import Cell, Lattice

EMPTY, BUMP = ". ", "o "
_REST = " abcdefghijklmnopqrstuvwxyz0123456789"


def codes(names: Sequence[str]) -> dict[str, str]:
    """Return two signs for each name: its first two, or the first and a later one that no other name has.

    A name that ends with a digit has its last digit, if it can.
    """
    found: dict[str, str] = {}
    for name in names:
        plain = [sign for sign in name if sign.isalnum()] or ["?"]
        first = plain[0].upper()
        rest = [*(sign for sign in plain[-1:] if sign.isdecimal()), *plain[1:], *_REST]
        taken = set(found.values())
        found[name] = next((first + other for other in rest if first + other not in taken), f"{first}?")
    return found


def draw_cells(lattice: Lattice, cells: Iterable[Cell]) -> str:
    """Draw cells by themselves: a shape, or a board without pieces."""
    places = tuple(sorted(cells, key=lattice.reading))
    return draw(Layout(Definition(lattice=lattice, cells=places, pieces=())), [])


def draw(layout: Layout, placed: Iterable[tuple[int, Sequence[int]]], bumps: bool = False) -> str:
    """Draw a board with pieces, by their numbers, on it, and with `bumps` its back."""
    lattice, names = layout.lattice.flat, layout.definition.names
    letters = codes(names)
    owner: dict[int, int] = {}
    shown: list[str] = []
    for number, (piece, cells) in enumerate(placed):
        shown.append(letters[names[piece]])
        owner.update(dict.fromkeys(cells, number))
    signs: dict[tuple[int, int], str] = {}
    strokes = []
    for cell, place in enumerate(layout.drawn):
        corners = lattice.corners(place)
        beside = {
            frozenset(corners) & frozenset(lattice.corners(layout.drawn[other])): other
            for other in layout.neighbours[cell]
        }
        for one, two in pairwise((*corners, corners[0])):
            other = beside.get(frozenset((one, two)))
            if (
                other is None
                or owner.get(cell) != owner.get(other)
                or (cell not in owner and other not in owner)
            ):
                strokes.append(list(lattice.strokes(one, two)))
    # Floors first: slanted lines run through their ends.
    for stroke in sorted(strokes, key=lambda own: own[0][2] not in "_-+"):
        signs |= {(line, column): sign for line, column, sign in stroke}
    back = layout.definition.back
    for cell, place in enumerate(layout.drawn):
        bump = bumps and back is not None and layout.kinds[cell] == back.bumps
        text = shown[owner[cell]] if cell in owner else BUMP if bump else EMPTY
        line, column = lattice.letters_at(place)
        signs |= {(line, column): text[0], (line, column + 1): text[1]}
    lines, columns = ([place[axis] for place in signs] for axis in (0, 1))
    return "".join(
        "".join(signs.get((line, column), " ") for column in range(min(columns), max(columns) + 1)).rstrip()
        + "\n"
        for line in range(min(lines), max(lines) + 1)
    )
