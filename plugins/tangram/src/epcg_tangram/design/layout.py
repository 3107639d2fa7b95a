"""A game laid out: the cells of its board by number, and every placement of every piece. Light: no numpy."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache, cached_property
from typing import Literal

import attrs

from epcg_tangram.design.definition import Definition
from epcg_tangram.lattices import Cell
from epcg_tangram.lattices.lattice import difference, total

Boards = Literal["distinct", "turned", "all"]
"""How solved boards are counted: modulo all symmetries, modulo turns, or each."""


@attrs.frozen
class Placement:
    """A piece somewhere on a board."""

    piece: int
    """Its number among the pieces of the game."""
    cells: tuple[int, ...]
    """The cells that it covers, ascending."""
    symmetry: int
    """The first symmetry of the lattice that turns the piece as it lies here."""
    shift: Cell
    """By what the turned piece, at the origin, is moved."""
    seen: int
    """The first symmetry with which the colours of its cells are those that the board's cells want."""


@attrs.frozen
class BoardSymmetry:
    """A symmetry of the lattice, with a shift, that keeps a board and all its pieces together."""

    number: int
    """Its number among those of the lattice."""
    cells: tuple[int, ...]
    """The image of each cell."""
    pieces: tuple[int, ...]
    """The image of each piece: itself, or one that it is exchanged for, such as its mirror image."""


class Layout:
    """The board of a game: its cells in reading order, and what lies where on it."""

    def __init__(self, definition: Definition) -> None:
        self.definition = definition
        self.lattice = definition.lattice
        self.places = definition.cells

    @property
    def cells(self) -> int:
        return len(self.places)

    @cached_property
    def number(self) -> dict[Cell, int]:
        """The number of each cell."""
        return {place: cell for cell, place in enumerate(self.places)}

    @cached_property
    def drawn(self) -> tuple[Cell, ...]:
        """The cell of the flat lattice that shows each cell in a picture of the board."""
        shown = self.lattice.unfolded(self.places)
        return tuple(shown[place] for place in self.places)

    @cached_property
    def _packed(self) -> dict[int, int]:
        """The number of each cell, by the cell as one integer: sums of these are those of shifts."""
        return {_packed(place): cell for cell, place in enumerate(self.places)}

    @cached_property
    def rows(self) -> tuple[range, ...]:
        """The cells of each row, from the top; a row without cells is left out."""
        rows = [self.lattice.reading(place)[:-1] for place in self.places]
        starts = [cell for cell in range(self.cells) if cell == 0 or rows[cell] != rows[cell - 1]]
        return tuple(
            range(start, stop) for start, stop in zip(starts, [*starts[1:], self.cells], strict=True)
        )

    @cached_property
    def kinds(self) -> tuple[int, ...]:
        """The class of each cell (see `Lattice.kinds`)."""
        return tuple(map(self.lattice.kind, self.places))

    @cached_property
    def neighbours(self) -> tuple[tuple[int, ...], ...]:
        """The cells that share an edge with each cell, ascending."""
        return tuple(
            tuple(
                sorted(self.number[other] for other in self.lattice.neighbours(place) if other in self.number)
            )
            for place in self.places
        )

    @cached_property
    def edge_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of cells that share an edge."""
        return tuple(
            (cell, other) for cell, near in enumerate(self.neighbours) for other in near if cell < other
        )

    @cached_property
    def corner_pairs(self) -> tuple[tuple[int, int], ...]:
        """The pairs of cells that share a vertex of the lattice but no edge."""
        at: dict[Cell, list[int]] = {}
        for cell, place in enumerate(self.places):
            for vertex in self.lattice.corners(place):
                at.setdefault(vertex, []).append(cell)
        pairs = {(one, other) for cells in at.values() for one in cells for other in cells if one < other}
        return tuple(sorted(pairs - {*self.edge_pairs}))

    @cached_property
    def placements(self) -> tuple[Placement, ...]:
        """Every placement of every piece, by piece and then by cells."""
        return tuple(
            placement for piece in range(len(self.definition.pieces)) for placement in self._placements(piece)
        )

    def _placements(self, piece: int) -> list[Placement]:
        """Return where a piece can lie; ways to lie that cover the same cells are one."""
        lattice, packed, kind = self.lattice, self._packed, self.definition.pieces[piece]
        wants = {cell: place.colours for cell, place in self.definition.marks if place.colours}
        found = []
        for shape, symmetries in kind.orientations.items():
            anchor = min(shape)
            steps = [_packed(cell) - _packed(anchor) for cell in shape]
            colours = [[kind.colours_under(n)[cell] for cell in shape] for n in symmetries if kind.marks]
            colours = colours or [[kind.colour] * len(shape)]
            for place in self.places:
                at = _packed(place)
                cells = [packed.get(at + step, -1) for step in steps]
                if min(cells) < 0:
                    continue
                meets = (
                    all(own in wants.get(cell, (own,)) for cell, own in zip(cells, each, strict=True))
                    for each in colours
                )
                seen = next((number for number, good in zip(symmetries, meets, strict=False) if good), -1)
                shift = difference(place, anchor)
                if seen >= 0 and lattice.is_shift(shift):
                    found.append(Placement(piece, tuple(sorted(cells)), symmetries[0], shift, seen))
        return sorted(found, key=lambda placement: placement.cells)

    def colours_of(self, placement: int) -> tuple[str, ...]:
        """Return the colours that one sees on the cells of a placement, by its number, in their order."""
        own = self.placements[placement]
        kind = self.definition.pieces[own.piece]
        if not kind.marks:
            return (kind.colour,) * len(own.cells)
        seen = kind.colours_under(own.seen)
        return tuple(seen[difference(self.places[cell], own.shift)] for cell in own.cells)

    @cached_property
    def symmetries(self) -> tuple[BoardSymmetry, ...]:
        """The symmetries that keep the board, what its cells want, and the pieces; the identity first.

        If a piece may not be turned over, say, those that turn it over do not keep it, unless its mirror
        image is a piece of the game, too: then they exchange them.
        """
        return self.symmetries_with([(kind.least, kind.most) for kind in self.definition.pieces])

    def symmetries_for(
        self, boards: Boards, copies: Sequence[tuple[int, int]] | None = None
    ) -> tuple[BoardSymmetry, ...]:
        """Return the symmetries modulo which boards are counted; of "turned" those that turn nothing over."""
        own = self.symmetries if copies is None else self.symmetries_with(copies)
        mirrored = self.lattice.is_mirrored
        return tuple(
            each for each in own if boards == "distinct" or (boards == "turned" and not mirrored(each.number))
        )

    def symmetries_with(self, copies: Sequence[tuple[int, int]]) -> tuple[BoardSymmetry, ...]:
        """Return the symmetries if there are other copies of the pieces, (fewest, most) of each.

        They exchange only pieces that have the same copies; of pieces that lie alike, those that do.
        """
        found = []
        for number, cells, targets in self.board_symmetries:
            pieces = [-1] * len(copies)
            for own, target in zip(self.alike, targets, strict=True):
                others = () if target < 0 else self.alike[target]
                pairs = zip(
                    sorted(own, key=copies.__getitem__), sorted(others, key=copies.__getitem__), strict=False
                )
                for piece, other in zip(own, own, strict=True) if own == others else pairs:
                    pieces[piece] = other if copies[piece] == copies[other] else -1
            if -1 not in pieces:
                found.append(BoardSymmetry(number, cells, tuple(pieces)))
        return tuple(found)

    @cached_property
    def alike(self) -> tuple[tuple[int, ...], ...]:
        """The pieces that can lie in the same places, ascending, by the first of them."""
        return tuple(map(tuple, self._by_places.values()))

    @cached_property
    def _by_places(self) -> dict[frozenset[tuple[int, ...]], list[int]]:
        lying: list[set[tuple[int, ...]]] = [set() for _ in self.definition.pieces]
        for placement in self.placements:
            lying[placement.piece].add(placement.cells)
        found: dict[frozenset[tuple[int, ...]], list[int]] = {}
        for piece, places in enumerate(lying):
            found.setdefault(frozenset(places), []).append(piece)
        return found

    @cached_property
    def board_symmetries(self) -> tuple[tuple[int, tuple[int, ...], tuple[int, ...]], ...]:
        """The symmetries that keep the board and what its cells want, whatever pieces there are.

        For each its number, the image of each cell, and of each of `alike` which of them is its image, -1 if
        none is. Of a game with a back none is another one's, as their other sides may differ.
        """
        marks = {(cell, place.meaning) for cell, place in self.definition.marks}
        numbers = {places: number for number, places in enumerate(self._by_places)}
        found = []
        for number in range(len(self.lattice.symmetries)):
            cells = self.images_under(number)
            if cells is None or {(cells[cell], meaning) for cell, meaning in marks} != marks:
                continue
            targets = [
                numbers.get(frozenset(tuple(sorted(cells[c] for c in each)) for each in places), -1)
                for places in self._by_places
            ]
            if self.definition.back is not None:
                targets = [to if to == own else -1 for own, to in enumerate(targets)]
            found.append((number, cells, tuple(targets)))
        return tuple(found)

    def images_under(self, number: int) -> tuple[int, ...] | None:
        """Return the image of each cell under a symmetry of the lattice; None if the board is not kept."""
        lattice = self.lattice
        home, moved = lattice.at_origin(self.places), lattice.moved(self.places, number)
        if lattice.at_origin(moved) != home:
            return None
        by = difference(lattice.corner(self.places), lattice.corner(moved))
        return tuple(self.number[total(lattice.image(place, number), by)] for place in self.places)


def _packed(cell: Cell) -> int:
    """Return a cell, or the shift between two, as one integer."""
    found = 0
    for own in cell:
        found = (found << 16) + own
    return found


@cache
def layout_of(definition: Definition) -> Layout:
    """Return the layout of a game, made once in a process."""
    return Layout(definition)
