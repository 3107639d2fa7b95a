"""Bumps on the back of the board: which patterns of holes the pieces can have, and what they allow.

The back has a bump on every cell of one orientation (up). What matters of how a piece lies is two bits:
which side faces the board, and whether the piece's own up triangles lie on the board's up cells (parity 0) or
not (parity 1). Both are homomorphisms of the lattice's symmetries, so of the four ways those are the same
placement that differ by a symmetry of the piece itself: what a pattern can forbid are these *classes*.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache
from itertools import combinations, product
from typing import ClassVar, Literal

import attrs

from epcg_core.plugin import MixedRadix, RankError
from epcg_tangram.params import BumpParams
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.geometry import (
    PIECE_ORDER,
    Placement,
    geometry,
    is_mirrored,
    piece,
    pieces,
    swaps_up_and_down,
)

Way = tuple[bool, bool]
"""(turned over, parity)."""
Holes = Literal["odd", "even", "blocked", "none"]
"""The holes of a side: where the piece's own up triangles are (odd), or its down triangles (even), bumps
everywhere (blocked), holes everywhere (none)."""
Sides = tuple[Holes, Holes]

HOLES: tuple[Holes, ...] = ("none", "odd", "even", "blocked")


def way(symmetry: int) -> Way:
    """Return how a piece lies that is turned by one of SYMMETRIES."""
    return is_mirrored(symmetry), swaps_up_and_down(symmetry)


@cache
def classes(name: str) -> tuple[frozenset[Way], ...]:
    """Return the ways in which a piece can lie, grouped by placement."""
    own = {way(symmetry) for symmetry in piece(name).stabilizer}
    every = product((False, True), repeat=2)
    found = {frozenset((side ^ s, parity ^ p) for s, p in own) for side, parity in every}
    return tuple(sorted(found, key=sorted))


def class_of(placement: Placement) -> int:
    """Return in which of its piece's `classes` a placement is."""
    own = way(placement.symmetry)
    return next(i for i, ways in enumerate(classes(PIECE_ORDER[placement.piece])) if own in ways)


def fits(holes: Holes, parity: bool) -> bool:
    """Return whether every bump under a piece meets a hole of the side that faces the board."""
    return holes == "none" or holes == ("even" if parity else "odd")


@cache
def allowed(name: str, sides: Sides) -> frozenset[int]:
    """Return the classes of a piece that are legal on the back, by their numbers in `classes`."""
    return frozenset(
        i for i, ways in enumerate(classes(name)) if any(fits(sides[side], parity) for side, parity in ways)
    )


def constrained() -> tuple[str, ...]:
    """Return the pieces that holes can constrain: not every placement has an equivalent for each parity."""
    return tuple(own.name for own in pieces() if len(classes(own.name)) > 1)


def asymmetric() -> tuple[str, ...]:
    """Return the pieces without symmetries: each way to lie is a placement of its own."""
    return tuple(own.name for own in pieces() if len(classes(own.name)) == 4)


def choices(name: str, group_one: bool | None = None, closed: Holes = "blocked") -> tuple[Sides, ...]:
    """Return the different patterns of a piece, one pair of sides for each.

    A piece that is its own mirror image lies the same with either side down, so both sides must allow the
    same placements, and some; a piece that a half turn keeps has no parity, so a side is blocked or not;
    pieces without symmetries are of two groups: one side `closed` and the other odd or even, or both odd or
    even.
    """
    if group_one is not None:
        letters: tuple[Holes, ...] = ("odd", "even")
        if group_one:
            return (*((x, closed) for x in letters), *((closed, x) for x in letters))
        return tuple((x, y) for x in letters for y in letters)
    mirror = any(turned for ways in classes(name) for turned, _ in ways if len({s for s, _ in ways}) == 2)
    found: dict[frozenset[int], Sides] = {}
    for front, back in product(HOLES, HOLES):
        one, other = allowed(name, (front, "blocked")), allowed(name, ("blocked", back))
        legal = one | other
        if legal and (not mirror or one == other):
            found.setdefault(legal, (front, back))
    return tuple(found.values())


@attrs.frozen
class BumpPattern:
    """The holes of every piece that can be constrained."""

    sides: tuple[tuple[str, Holes, Holes], ...]
    """(piece, holes of its front, holes of its back), in the order of the pieces."""

    def holes(self, name: str) -> Sides | None:
        """Return the sides of a piece; None if it is not constrained."""
        return next(((front, back) for own, front, back in self.sides if own == name), None)


class Patterns:
    """All patterns by rank: which two asymmetric pieces are of group 1, then each piece's choice."""

    domain_attributes: ClassVar[tuple[str, ...]] = ("choices_of", "names", "params", "space", "splits")

    def __init__(self, params: BumpParams) -> None:
        self.params = params
        self.names = constrained()
        lone = asymmetric()
        self.splits = tuple(combinations(lone, len(lone) // 2))
        self._choices = {
            (name, group): choices(name, group, params.group_one)
            for name in self.names
            for group in ((True, False) if name in lone else (None,))
        }
        sizes = [len(self.choices_of(name, 0)) for name in self.names]
        self.space = MixedRadix((len(self.splits), *sizes))

    def choices_of(self, name: str, split: int) -> tuple[Sides, ...]:
        """Return the choices of a piece if `splits[split]` are the asymmetric pieces of group 1."""
        return self._choices[name, name in self.splits[split] if name in asymmetric() else None]

    @property
    def max_rank(self) -> int:
        return self.space.max_rank

    def unrank(self, rank: int) -> BumpPattern:
        """Return the pattern of `rank`. Raises RankError."""
        split, *digits = self.space.unrank(rank)
        return BumpPattern(
            tuple(
                (name, *self.choices_of(name, split)[digit])
                for name, digit in zip(self.names, digits, strict=True)
            )
        )

    def rank(self, state: BumpPattern) -> int:
        """Return the rank of a pattern. Raises RankError if the pattern is not in this space."""
        if tuple(name for name, _, _ in state.sides) == self.names:
            for split in range(len(self.splits)):
                own = [self.choices_of(name, split) for name in self.names]
                wanted = [(front, back) for _, front, back in state.sides]
                if all(sides in choice for sides, choice in zip(wanted, own, strict=True)):
                    digits = [choice.index(sides) for sides, choice in zip(wanted, own, strict=True)]
                    return self.space.rank((split, *digits))
        raise RankError("The bump pattern is not one of this space.")


@cache
def _first_bits() -> dict[str, int]:
    """Return the bit of its first class for each constrained piece."""
    found, bit = {}, 0
    for name in constrained():
        found[name] = bit
        bit += len(classes(name))
    return found


def class_bits(name: str, numbers: Sequence[int] | frozenset[int]) -> int:
    """Return classes of a piece as bits; 0 for a piece that cannot be constrained."""
    first = _first_bits().get(name)
    return 0 if first is None else sum(1 << (first + number) for number in numbers)


def is_legal(board: Board, pattern: BumpPattern) -> bool:
    """Return whether a board, turned as it is, can be laid on the bumps."""
    known = _named_classes(board.side)
    for name, number in (known[placement] for placement in board.placements):
        sides = pattern.holes(name)
        if sides is not None and number not in allowed(name, sides):
            return False
    return True


@cache
def _named_classes(side: int) -> tuple[tuple[str, int], ...]:
    """Return the piece and the class of each placement."""
    return tuple((PIECE_ORDER[own.piece], class_of(own)) for own in geometry(side).placements)
