"""Exact cover: cells that placements of pieces must cover, each cell exactly once.

A *placement* is a piece on a set of cells; a *cover* is a set of placements that leaves no cell empty but
optional ones, and uses every piece as often as it must and may. Copies of a piece are identical, so a cover
counts once. Light: neither numpy nor numba is imported.
"""

from __future__ import annotations

import reprlib
from collections.abc import Iterable, Sequence
from functools import cached_property

import attrs

from epcg_core.base.errors import ParamsError

GROUP_LIMIT = 10_000


def _cells(values: Iterable[int]) -> frozenset[int]:
    return frozenset(values)


def _integers(values: Iterable[int]) -> tuple[int, ...]:
    return tuple(values)


def _placements(values: Iterable[tuple[int, Iterable[int]]]) -> tuple[tuple[int, tuple[int, ...]], ...]:
    return tuple((piece, tuple(sorted(cells))) for piece, cells in values)


def _permutations(values: Iterable[Sequence[int]]) -> tuple[tuple[int, ...], ...]:
    return tuple(tuple(value) for value in values)


@attrs.frozen
class CoverProblem:
    """A problem of exact cover. Raises ParamsError if it is malformed.

    Partial covers fill the cells in their order, so neighbours should have numbers close to each other.
    Whole covers are searched in that order, or in another one that takes less.
    """

    cells: int
    """Cells are 0 .. cells - 1."""
    placements: tuple[tuple[int, tuple[int, ...]], ...] = attrs.field(converter=_placements, repr=False)
    """(piece, its cells) each; a cover names them by their number in this order."""
    least: tuple[int, ...] = attrs.field(converter=_integers)
    """For each piece, 0 .. pieces - 1, how many copies a cover has at least."""
    most: tuple[int, ...] = attrs.field(converter=_integers)
    """For each piece how many copies a cover has at most."""
    optional: frozenset[int] = attrs.field(default=frozenset(), converter=_cells)
    """Cells that may stay empty."""
    empty: int | None = attrs.field(default=None, kw_only=True)
    """How many of them stay empty in a cover; None for any number."""
    unused: int | None = attrs.field(default=None, kw_only=True)
    """The most copies, of all pieces together, that a cover does without; None for any number."""
    symmetries: tuple[tuple[int, ...], ...] = attrs.field(default=(), converter=_permutations, repr=False)
    """Permutations of the cells (cell c goes to s[c]) that change nothing: placements become placements of
    the same piece. One that exchanges pieces with the same copies, such as mirror images of each other, has
    after the cells a permutation of the pieces (piece p goes to s[cells + p]). They generate the group under
    which covers are counted; without any, all count."""

    def __attrs_post_init__(self) -> None:
        if self.cells < 1:
            raise ParamsError(f"An exact cover needs cells, not {self.cells}.")
        if len(self.least) != len(self.most) or not all(
            0 <= least <= most for least, most in zip(self.least, self.most, strict=True)
        ):
            raise ParamsError(
                f"Every piece needs a least and a most number of copies, with 0 <= least <= most, not "
                f"{reprlib.repr(self.least)} and {reprlib.repr(self.most)}."
            )
        if not all(0 <= cell < self.cells for cell in self.optional):
            raise ParamsError(f"The optional cells are not all from 0 to {self.cells - 1}.")
        if self.empty is not None and self.empty < 0:
            raise ParamsError(f"empty: 0 cells or more are expected, not {self.empty}.")
        if self.unused is not None and self.unused < 0:
            raise ParamsError(f"unused: 0 copies or more are expected, not {self.unused}.")
        seen = set()
        for number, placement in enumerate(self.placements):
            piece, cells = placement
            if not 0 <= piece < self.pieces:
                raise ParamsError(
                    f"Placement {number} is of piece {piece}; pieces are 0 to {self.pieces - 1}."
                )
            if not cells or not 0 <= cells[0] <= cells[-1] < self.cells or len(set(cells)) != len(cells):
                raise ParamsError(
                    f"Placement {number} covers {cells}: some different cells from 0 to {self.cells - 1} "
                    "are expected."
                )
            if placement in seen:
                raise ParamsError(f"Placement {number} is listed twice: piece {piece} on {cells}.")
            seen.add(placement)
        for symmetry in self.symmetries:
            cells, pieces = symmetry[: self.cells], symmetry[self.cells :]
            if sorted(cells) != list(range(self.cells)):
                raise ParamsError(f"{reprlib.repr(symmetry)} is not a permutation of {self.cells} cells.")
            if pieces and sorted(pieces) != list(range(self.pieces)):
                raise ParamsError(f"{reprlib.repr(pieces)} is not a permutation of {self.pieces} pieces.")
            for piece, other in enumerate(pieces):
                if (self.least[piece], self.most[piece]) != (self.least[other], self.most[other]):
                    raise ParamsError(
                        f"A symmetry exchanges the pieces {piece} and {other}, which have other copies."
                    )

    @property
    def pieces(self) -> int:
        """Number of kinds of pieces."""
        return len(self.most)

    @cached_property
    def group(self) -> tuple[tuple[int, ...], ...]:
        """All products of the symmetries, the identity first: the cells' images, and then the pieces'.

        Raises ParamsError beyond 10,000 of them.
        """
        symmetries = [  # as permutations of the cells and, numbered on, the pieces
            (*own[: self.cells], *(self.cells + piece for piece in own[self.cells :] or range(self.pieces)))
            for own in self.symmetries
        ]
        found = {tuple(range(self.cells + self.pieces)): None}
        frontier = list(found)
        while frontier:
            products = [
                tuple(symmetry[place] for place in known) for known in frontier for symmetry in symmetries
            ]
            frontier = []
            for product in products:
                if product not in found:
                    found[product] = None
                    frontier.append(product)
            if len(found) > GROUP_LIMIT:
                raise ParamsError(f"The symmetries generate a group of more than {GROUP_LIMIT:,}.")
        return tuple(
            (*own[: self.cells], *(piece - self.cells for piece in own[self.cells :])) for own in found
        )

    @property
    def areas(self) -> range:
        """How many cells a cover may cover."""
        if self.empty is not None:
            return range(self.cells - self.empty, self.cells - self.empty + 1)
        return range(self.cells - len(self.optional), self.cells + 1)

    def may_be_left(self, most: Sequence[int]) -> int | None:
        """Return how many of `most` copies of the pieces a cover may do without; None if any number.

        `most` is used in place of the problem's own: copies that are missing there are not used either.
        """
        return None if self.unused is None else self.unused - (sum(self.most) - sum(most))

    @cached_property
    def kept_pieces(self) -> frozenset[int]:
        """The pieces that no symmetry exchanges for another."""
        return frozenset(
            piece
            for piece in range(self.pieces)
            if all(own[self.cells + piece] == piece for own in self.group)
        )

    @cached_property
    def images(self) -> tuple[tuple[int, ...], ...]:
        """For each element of `group`, the number of each placement's image.

        Raises ParamsError if an image is not a placement, or if an optional cell is mapped to a cell that is
        not.
        """
        numbers = {placement: number for number, placement in enumerate(self.placements)}
        rows = []
        for symmetry in self.group:
            if {symmetry[cell] for cell in self.optional} != self.optional:
                raise ParamsError("A symmetry moves an optional cell to one that is not.")
            row = []
            for number, (piece, cells) in enumerate(self.placements):
                there = tuple(sorted(symmetry[cell] for cell in cells))
                image = numbers.get((symmetry[self.cells + piece], there))
                if image is None:
                    raise ParamsError(f"A symmetry makes no placement of placement {number}.")
                row.append(image)
            rows.append(tuple(row))
        return tuple(rows)

    def impossible(self, most: Sequence[int] | None = None) -> str | None:
        """Return a sentence if the pieces' sizes alone rule out every cover; else None.

        `most` is used in place of the problem's own, for a part of the search.
        """
        if self.empty is not None and self.empty > len(self.optional):
            return f"{self.empty} cells must stay empty, and {len(self.optional)} may."
        sizes: list[set[int]] = [set() for _ in range(self.pieces)]
        for piece, cells in self.placements:
            sizes[piece].add(len(cells))
        limits = self.most if most is None else most
        for piece, (least, own) in enumerate(zip(self.least, sizes, strict=True)):
            if least > limits[piece] or (least and not own):
                return f"Piece {piece} must be used and has no placement."
        sums = {0}
        for least, limit, own in zip(self.least, limits, sizes, strict=True):
            for copy in range(min(limit, self.cells) if own else 0):
                added = {total + size for total in sums for size in own if total + size <= self.cells}
                sums = added if copy < least else sums | added
        areas = self.areas
        if any(total in areas for total in sums):
            return None
        area = f"{areas[0]}" if len(areas) == 1 else f"{areas[0]} to {areas[-1]}"
        nearest = f": {max(sums)} at most" if sums and len(areas) == 1 else ""
        return f"No choice of the pieces has an area of {area} cells{nearest}."
