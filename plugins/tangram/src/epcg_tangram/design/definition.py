"""What defines a game of pieces: a lattice, a board, pieces, and what may be asked of a solution.

A definition is what a game's text says (see `epcg_tangram.texts.game_text`), without any search. Light: no
numpy.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping
from functools import cached_property

import attrs

from epcg_tangram.design.shapes import group_of, orientations
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import Shape, difference

MOST_CELLS, MOST_KINDS, MOST_COPIES = 1_000, 250, 1_000
"""The largest board, the most kinds of pieces, and the most copies of one."""


@attrs.frozen
class Paint:
    """A colour of pieces."""

    name: str
    face: str
    """'#rrggbb', as CSS and SVG have it."""
    edge: str
    """The colour of its outline."""


PALETTE = {
    paint.name: paint
    for paint in (
        Paint("yellow", "#f3c64f", "#8f6c0f"),
        Paint("blue", "#5a9fd6", "#1f557f"),
        Paint("green", "#72b872", "#2d652f"),
        Paint("red", "#e4745f", "#8c2c1d"),
        Paint("purple", "#a886cc", "#573582"),
        Paint("orange", "#f0994a", "#8f4a0c"),
        Paint("teal", "#57b5b1", "#1d6663"),
        Paint("pink", "#dd84b4", "#86305f"),
        Paint("olive", "#948f6c", "#514d33"),
        Paint("brown", "#b58560", "#664022"),
        Paint("grey", "#a5a8ad", "#55585e"),
        Paint("navy", "#5d6fae", "#2a3768"),
    )
}
"""The colours that have a name in every game, in the order in which pieces get them."""


def darker(face: str) -> str:
    """Return the colour of the outline around a face, both '#rrggbb'."""
    return "#" + "".join(f"{int(face[at : at + 2], 16) * 9 // 20:02x}" for at in (1, 3, 5))


@attrs.frozen(order=True)
class CellColour:
    """The colour of the cells that have a sign in the drawing of a piece."""

    sign: str
    """One letter or digit."""
    front: str
    back: str
    """What one sees if the piece is turned over."""


@attrs.frozen(cache_hash=True)
class PieceKind:
    """A kind of piece."""

    name: str
    shape: Shape
    lattice: Lattice = attrs.field(repr=False)
    least: int = 1
    """The copies that every solution uses at least."""
    most: int = 1
    """The copies that there are."""
    colour: str = ""
    """The name of its colour."""
    turn: bool = True
    """Whether it may be turned."""
    flip: bool = True
    """Whether it may be turned over."""
    marks: tuple[tuple[Cell, CellColour], ...] = ()
    """(cell, its colour) of cells that have another colour than the piece, ascending."""

    @cached_property
    def colours(self) -> tuple[str, ...]:
        """The names of the colours that one can see on it, its own first."""
        own = [colour for _, mark in self.marks for colour in (mark.front, mark.back)]
        return tuple(dict.fromkeys([self.colour, *own]))

    @property
    def two_sided(self) -> bool:
        """Whether its back, which it may show, looks another way than its front."""
        return self.flip and any(mark.front != mark.back for _, mark in self.marks)

    def colours_under(self, symmetry: int) -> dict[Cell, str]:
        """Return the cells and their colours after a symmetry of the lattice, at the origin."""
        over, marks = self.lattice.is_mirrored(symmetry), dict(self.marks)
        moved = {self.lattice.image(cell, symmetry): marks.get(cell) for cell in self.shape}
        corner = self.lattice.corner(moved)
        return {
            difference(cell, corner): self.colour if mark is None else mark.back if over else mark.front
            for cell, mark in moved.items()
        }

    def looks(self, symmetry: int = 0) -> frozenset[frozenset[tuple[Cell, str]]]:
        """Return each way to lie with the colours of its cells, all of them moved by a symmetry."""
        found = set()
        for number in group_of(self.lattice, self.turn, self.flip):
            own = self.colours_under(number)
            moved = {self.lattice.image(cell, symmetry): colour for cell, colour in own.items()}
            corner = self.lattice.corner(moved)
            found.add(frozenset((difference(cell, corner), colour) for cell, colour in moved.items()))
        return frozenset(found)

    @property
    def size(self) -> int:
        """The number of its cells."""
        return len(self.shape)

    @cached_property
    def orientations(self) -> Mapping[Shape, tuple[int, ...]]:
        """Each way in which it can lie, with all symmetries that make it, their numbers ascending."""
        return orientations(self.lattice, self.shape, group_of(self.lattice, self.turn, self.flip))


@attrs.frozen(order=True)
class Place:
    """What is asked of the cells that have a sign in the drawing of the board."""

    sign: str
    """One letter or digit."""
    colours: tuple[str, ...] = ()
    """The colours of which a piece on it must be one; any if there are none."""
    optional: bool = False
    """Whether it may stay empty."""

    @property
    def meaning(self) -> tuple[tuple[str, ...], bool]:
        """What does not depend on the sign: cells that mean the same are told apart by no symmetry."""
        return tuple(sorted(self.colours)), self.optional


@attrs.frozen
class Back:
    """The back of the board, where bumps must meet holes in the pieces."""

    bumps: int
    """The class of the cells with a bump (see `Lattice.kinds`)."""
    split: bool = False
    """Whether half of the pieces without symmetries have one side closed, and the other half none."""


@attrs.frozen(cache_hash=True, kw_only=True)
class Definition:
    """A game of pieces."""

    lattice: Lattice
    cells: tuple[Cell, ...]
    """The cells of the board, in reading order."""
    pieces: tuple[PieceKind, ...]
    title: str = ""
    sizes: tuple[tuple[str, int], ...] = attrs.field(default=(), eq=False)
    """(name, cells) of each size of a board that is of a family."""
    family: str = attrs.field(default="", eq=False)
    """The name of that family."""
    colours: tuple[Paint, ...] = ()
    """The colours of the pieces, in the order in which constraints number them."""
    labels: tuple[tuple[str, tuple[str, ...]], ...] = ()
    """(sign, labels of the cells with it in reading order) of signs whose cells have names, as dates have."""
    places: frozenset[Place] = frozenset()
    """What the signs ask that the text explains, whether the board has such cells or not."""
    marks: tuple[tuple[int, Place], ...] = ()
    """(cell, its place of `places`) of cells with a sign of their own, by the numbers of cells."""
    unused: int | None = 0
    """The most copies that may stay in the box; None for any number."""
    empty: int | None = 0
    """The number of cells that stay empty; None for any number of those that may."""
    back: Back | None = None

    @cached_property
    def names(self) -> tuple[str, ...]:
        """The names of the pieces, in their order."""
        return tuple(kind.name for kind in self.pieces)

    @cached_property
    def paints(self) -> tuple[Paint, ...]:
        """The colour of each piece."""
        return tuple(self.paint_of[kind.colour] for kind in self.pieces)

    @cached_property
    def paint_of(self) -> Mapping[str, Paint]:
        """The colours by their names."""
        return {paint.name: paint for paint in self.colours}

    @cached_property
    def colour_numbers(self) -> tuple[int, ...]:
        """The number of each piece's colour in `colours`."""
        names = [paint.name for paint in self.colours]
        return tuple(names.index(kind.colour) for kind in self.pieces)

    @cached_property
    def signs(self) -> Mapping[str, Place]:
        """What each sign of the board asks, by sign."""
        return {place.sign: place for place in sorted(self.places)}

    @cached_property
    def label_of(self) -> Mapping[int, str]:
        """The labels of cells, by their numbers."""
        found: dict[int, str] = {}
        for sign, labels in self.labels:
            cells = [cell for cell, place in self.marks if place.sign == sign]
            found |= dict(zip(cells, labels, strict=False))
        return dict(sorted(found.items()))

    @cached_property
    def coloured(self) -> bool:
        """Whether cells want a colour."""
        return any(place.colours for _, place in self.marks)

    @cached_property
    def colours_used(self) -> frozenset[str]:
        """The names of the colours of pieces, and of those that cells want."""
        wanted = (colour for _, place in self.marks for colour in place.colours)
        return frozenset([*wanted, *(colour for kind in self.pieces for colour in kind.colours)])

    @cached_property
    def optional(self) -> tuple[int, ...]:
        """The numbers of the cells that may stay empty: those that say so, or all if some are to be empty."""
        if any(place.optional for place in self.places):
            return tuple(cell for cell, place in self.marks if place.optional)
        return tuple(range(len(self.cells) if self.empty else 0))

    @property
    def most_empty(self) -> int:
        """How many cells may stay empty at most."""
        return len(self.optional) if self.empty is None else self.empty

    def may_stay_empty(self, cells: Collection[int]) -> bool:
        """Return whether a solution may leave just these cells empty."""
        return self.empty in (None, len(cells)) and set(cells) <= set(self.optional)

    def usual_least(self, most: int) -> int:
        """Return the fewest copies that solutions use of a piece of which a text names one number."""
        return most if self.unused == 0 else 0

    @property
    def least_area(self) -> int:
        """The cells that the pieces cover at least if each is used as often as it must be."""
        return sum(kind.least * kind.size for kind in self.pieces)

    @property
    def most_area(self) -> int:
        """The cells that all copies of all pieces cover."""
        return sum(kind.most * kind.size for kind in self.pieces)
