"""Bumps on the back of the board: which patterns of holes the pieces can have, and what they allow.

The back has a bump on every cell of one class (see `Lattice.kinds`). What matters of how a piece lies is its
*way*: which side faces the board, and which class of the piece's own cells, as it is drawn, lies on the
bumps. Of a piece with symmetries several ways are the same placement: what a pattern can forbid are these
*classes* of ways.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import ClassVar

import attrs

from epcg_core.plugin import MixedRadix, ParamsError, RankError
from epcg_tangram.design.definition import Definition, PieceKind
from epcg_tangram.design.layout import Layout, Placement
from epcg_tangram.lattices import Cell, Lattice
from epcg_tangram.lattices.lattice import difference, total
from epcg_tangram.params import BumpParams
from epcg_tangram.rules.boards import Board

Way = tuple[bool, int]
"""(turned over, the class of the piece's own cells on the bumps; FREE if it has no cell there)."""
FREE = -1
Holes = str
"""The holes of a side: 'odd' where the piece's own cells are of the first class, 'even' of the second,
'third' of the third; 'blocked' nowhere, so that bumps cannot be under it; 'none' everywhere, so that nothing
is constrained."""
Sides = tuple[Holes, Holes]

CLASSES = ("odd", "even", "third")
"""The holes of a side by the class of the cells that have them."""
HOLES: tuple[Holes, ...] = ("none", *CLASSES, "blocked")


def holes_for(definition: Definition) -> tuple[Holes, ...]:
    """Return the holes that a side can have on the lattice of a game."""
    return ("none", *CLASSES[: len(definition.lattice.kinds)], "blocked")


@cache
def _own_class(lattice: Lattice, symmetry: int, shift: Cell, bumps: int) -> int:
    """Return the class of own cells that lies on cells of a class after a symmetry and a shift."""
    front, seen = [lattice.first], set()
    while front:
        cell = front.pop(0)
        if cell not in seen:
            seen.add(cell)
            if lattice.kind(total(lattice.image(cell, symmetry), shift)) == bumps:
                return lattice.kind(cell)
            front += lattice.neighbours(cell)
    raise AssertionError("every class has cells")


def _ways(kind: PieceKind, symmetries: Sequence[int], shift: Cell, bumps: int) -> frozenset[Way]:
    """Return all ways of a placement: its symmetries, and by what the turned piece at the origin is moved."""
    lattice = kind.lattice
    found = set()
    for symmetry in symmetries:
        moved = lattice.moved(kind.shape, symmetry)
        own = _own_class(lattice, symmetry, difference(shift, lattice.corner(moved)), bumps)
        on_bumps = any(lattice.kind(cell) == own for cell in kind.shape)
        found.add((lattice.is_mirrored(symmetry), own if on_bumps else FREE))
    return frozenset(found)


def _bumps(definition: Definition) -> int:
    """Return the class of cells with bumps. Raises ParamsError if the game has no back."""
    if definition.back is None:
        raise ParamsError(
            "This game has no bumps: its text needs [back] with bumps = the name of a class of cells."
        )
    return definition.back.bumps


@cache
def classes(definition: Definition, piece: int) -> tuple[frozenset[Way], ...]:
    """Return the ways in which a piece can lie, grouped by placement."""
    kind, bumps, step = definition.pieces[piece], _bumps(definition), definition.lattice.step
    shifts = [(step * n, 0) for n in range(len(definition.lattice.kinds))]
    found = {
        _ways(kind, symmetries, shift, bumps) for symmetries in kind.orientations.values() for shift in shifts
    }
    return tuple(sorted(found, key=sorted))


@cache
def placement_classes(layout: Layout) -> tuple[int, ...]:
    """Return in which of its piece's `classes` each placement is."""
    definition = layout.definition
    bumps = _bumps(definition)
    return tuple(_class_of(definition, placement, bumps) for placement in layout.placements)


def _class_of(definition: Definition, placement: Placement, bumps: int) -> int:
    kind = definition.pieces[placement.piece]
    symmetries = next(own for own in kind.orientations.values() if own[0] == placement.symmetry)
    ways = _ways(kind, symmetries, placement.shift, bumps)
    return classes(definition, placement.piece).index(ways)


def fits(holes: Holes, own: int) -> bool:
    """Return whether bumps under one of the piece's own classes meet holes of the side on the board."""
    return own == FREE or holes == "none" or holes == CLASSES[own]


@cache
def allowed(definition: Definition, piece: int, sides: Sides) -> frozenset[int]:
    """Return the classes of a piece that are legal on the back, by their numbers in `classes`."""
    return frozenset(
        i
        for i, ways in enumerate(classes(definition, piece))
        if any(fits(sides[side], own) for side, own in ways)
    )


@cache
def constrained(definition: Definition) -> tuple[int, ...]:
    """Return the pieces that holes can constrain: not every placement has an equivalent for each class."""
    return tuple(n for n in range(len(definition.pieces)) if len(classes(definition, n)) > 1)


@cache
def asymmetric(definition: Definition) -> tuple[int, ...]:
    """Return the pieces without symmetries: each way to lie is a placement of its own."""
    every = 2 * len(definition.lattice.kinds)
    return tuple(n for n in range(len(definition.pieces)) if len(classes(definition, n)) == every)


def choices(
    definition: Definition, piece: int, group_one: bool | None = None, closed: Holes = "blocked"
) -> tuple[Sides, ...]:
    """Return the different patterns of a piece, one pair of sides for each.

    A piece that is its own mirror image lies the same with either side down, so both sides must allow the
    same placements, and some; a piece whose turns exchange its classes of cells can only have a side blocked
    or not. Of a game that splits its pieces without symmetries into two groups, those of the first
    (`group_one`) have one side `closed` and holes for one class on the other, and those of the second holes
    for one class on either.
    """
    letters = CLASSES[: len(definition.lattice.kinds)]
    if group_one is not None:
        if group_one:
            return (*((x, closed) for x in letters), *((closed, x) for x in letters))
        return tuple(product(letters, letters))
    mirror = any(
        turned
        for ways in classes(definition, piece)
        for turned, _ in ways
        if len({side for side, _ in ways}) == 2
    )
    found: dict[frozenset[int], Sides] = {}
    for front, back in product(holes_for(definition), repeat=2):
        one = allowed(definition, piece, (front, "blocked"))
        other = allowed(definition, piece, ("blocked", back))
        legal = one | other
        if legal and (not mirror or one == other):
            found.setdefault(legal, (front, back))
    return tuple(found.values())


@attrs.frozen
class BumpPattern:
    """The holes of every piece that can be constrained."""

    sides: tuple[tuple[str, Holes, Holes], ...]
    """(name of the piece, holes of its front, holes of its back), in the order of the pieces."""

    def holes(self, name: str) -> Sides | None:
        """Return the sides of a piece; None if it is not constrained."""
        return next(((front, back) for own, front, back in self.sides if own == name), None)


class Patterns:
    """All patterns by rank: which pieces without symmetries are of group 1, then each piece's choice."""

    domain_attributes: ClassVar[tuple[str, ...]] = (
        "choices_of", "definition", "names", "params", "pieces", "space", "splits",
    )  # fmt: skip

    def __init__(self, params: BumpParams) -> None:
        self.params = params
        definition = self._definition = params.definition
        self._pieces = constrained(definition)
        self.names = tuple(definition.names[piece] for piece in self._pieces)
        back = definition.back
        lone = asymmetric(definition) if back is not None and back.split else ()
        self.splits = tuple(combinations(lone, len(lone) // 2))
        self._lone = frozenset(lone)
        self._choices = {
            (piece, group): choices(definition, piece, group, params.group_one)
            for piece in self._pieces
            for group in ((True, False) if piece in lone else (None,))
        }
        sizes = [len(self.choices_of(piece, 0)) for piece in self._pieces]
        self.space = MixedRadix((len(self.splits), *sizes))

    def choices_of(self, piece: int, split: int) -> tuple[Sides, ...]:
        """Return the choices of a piece if `splits[split]` are the pieces of group 1."""
        return self._choices[piece, piece in self.splits[split] if piece in self._lone else None]

    @property
    def max_rank(self) -> int:
        return self.space.max_rank

    @property
    def pieces(self) -> tuple[int, ...]:
        """The pieces that holes can constrain, by their numbers."""
        return self._pieces

    @property
    def definition(self) -> Definition:
        """The game."""
        return self._definition

    def unrank(self, rank: int) -> BumpPattern:
        """Return the pattern of `rank`. Raises RankError."""
        split, *digits = self.space.unrank(rank)
        return BumpPattern(
            tuple(
                (name, *self.choices_of(piece, split)[digit])
                for name, piece, digit in zip(self.names, self._pieces, digits, strict=True)
            )
        )

    def rank(self, state: BumpPattern) -> int:
        """Return the rank of a pattern. Raises RankError if the pattern is not in this space."""
        if tuple(name for name, _, _ in state.sides) == self.names:
            for split in range(len(self.splits)):
                own = [self.choices_of(piece, split) for piece in self._pieces]
                wanted = [(front, back) for _, front, back in state.sides]
                if all(sides in choice for sides, choice in zip(wanted, own, strict=True)):
                    digits = [choice.index(sides) for sides, choice in zip(wanted, own, strict=True)]
                    return self.space.rank((split, *digits))
        raise RankError("The bump pattern is not one of this space.")


@cache
def _first_bits(definition: Definition) -> dict[int, int]:
    """Return the bit of its first class for each constrained piece."""
    found, bit = {}, 0
    for piece in constrained(definition):
        found[piece] = bit
        bit += len(classes(definition, piece))
    return found


def class_bits(definition: Definition, piece: int, numbers: Sequence[int] | frozenset[int]) -> int:
    """Return classes of a piece as bits; 0 for a piece that cannot be constrained."""
    first = _first_bits(definition).get(piece)
    return 0 if first is None else sum(1 << (first + number) for number in numbers)


def is_legal(board: Board, pattern: BumpPattern) -> bool:
    """Return whether a board, turned as it is, can be laid on the bumps."""
    layout = board.layout
    known = placement_classes(layout)
    for number in board.placements:
        piece = layout.placements[number].piece
        sides = pattern.holes(layout.definition.names[piece])
        if sides is not None and known[number] not in allowed(layout.definition, piece, sides):
            return False
    return True
