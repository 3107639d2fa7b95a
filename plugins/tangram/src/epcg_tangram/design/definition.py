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
from epcg_tangram.lattices.lattice import Shape

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
        by_name = {paint.name: paint for paint in self.colours}
        return tuple(by_name[kind.colour] for kind in self.pieces)

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
    def coloured(self) -> bool:
        """Whether cells want a colour."""
        return any(place.colours for _, place in self.marks)

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
