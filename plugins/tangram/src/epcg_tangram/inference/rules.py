"""The four general inference rules of an instance: two filters, and two answers about empty regions.

Of a piece in several parts some may lie in one region, and the others elsewhere. Where cells may stay empty
the rules 2 to 4 say nothing.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from functools import cache, lru_cache
from itertools import chain, combinations, product
from typing import Any

from epcg_core.plugin import Answer, NoParams
from epcg_tangram.design.layout import Layout
from epcg_tangram.design.shapes import regions
from epcg_tangram.lattices.lattice import Shape
from epcg_tangram.params import Branching, Ties
from epcg_tangram.rules.model import Position, fewest, placements_by_cell

FEW = 2
"""Rule 4 looks at regions that at most so many pieces can fill."""


class OnePlacement:
    """Rule 1, a filter: a piece with one legal placement is placed, the lowest such piece first."""

    def keep(self, state: Position, actions: Sequence[int]) -> Sequence[int]:
        """Keep the placement that is forced, or all."""
        if not state.all_must_be_placed:
            return actions
        counts = Counter(map(state.piece, actions))
        forced = min((piece for piece, count in counts.items() if count == 1), default=None)
        return actions if forced is None else [a for a in actions if state.piece(a) == forced]


class OnePiece:
    """Rule 2, a filter: a cell that only one piece can cover decides that piece.

    Of several cells those that have fewest placements, or the lowest (see `epcg_tangram.rules.model`).
    """

    def __init__(self, branching: Branching = "piece", ties: Ties = "all") -> None:
        self._ties = ties
        self._pieces_first = branching == "piece" and ties == "all"

    def keep(self, state: Position, actions: Sequence[int]) -> Sequence[int]:
        """Keep the placements of the deciding pieces that cover the cells, or all."""
        if state.may_leave_cells:
            return actions
        if self._pieces_first and len(forced := OnePlacement().keep(state, actions)) == 1:
            return forced
        covering = placements_by_cell(state, actions)
        decided = {cell: own for cell, own in covering.items() if len(set(map(state.piece, own))) == 1}
        if not decided:
            return actions
        return decided[min(decided)] if self._ties == "lowest" else fewest(decided, self._ties)


def region_size(state: Position, action: int) -> Answer:
    """Answer by rule 3: every empty region must have a size that some of the pieces left have together."""
    if state.may_leave_cells:
        return Answer.UNKNOWN
    after = state.after(action)
    possible = sums(after)
    return Answer.UNKNOWN if all(len(region) in possible for region in after.regions) else Answer.CANNOT


def region_shape(state: Position, action: int) -> Answer:
    """Answer by rule 4: an empty region that one or two pieces left must fill has a shape that they can make.

    Those are regions no larger than the largest piece of the game, whose size the pieces left have only as
    one of them or as two. The regions are those after the action.
    """
    if state.may_leave_cells:
        return Answer.UNKNOWN
    after = state.after(action)
    layout = after.instance.game.setting
    largest = max(kind.size for kind in layout.definition.pieces)
    possible = sums(after)
    for region in after.regions:
        if len(region) <= largest and possible.get(len(region), FEW + 1) <= FEW:
            left = after.copies
            fillings = small_fillings(layout).get(region, ())
            if not any(all(left[piece] >= n for piece, n in Counter(own).items()) for own in fillings):
                return Answer.CANNOT
    return Answer.UNKNOWN


def sums(state: Position) -> dict[int, int]:
    """Return the sizes that some of the pieces left, or parts of them, have together.

    Each has the most pieces that have it.
    """
    return _sums(state.copies, sizes_in_a_region(state.instance.game.setting))


@lru_cache(maxsize=4096)
def _sums(copies: tuple[int, ...], sizes_of_pieces: tuple[tuple[int, ...], ...]) -> dict[int, int]:
    """Return `sums`, once for many positions that leave the same copies; callers only read the dictionary."""
    found = {0: 0}
    for left, sizes in zip(copies, sizes_of_pieces, strict=True):
        for _ in range(left):
            for size, count in list(found.items()):
                for own in sizes:
                    found[size + own] = max(found.get(size + own, 0), count + 1)
    return found


@cache
def sizes_in_a_region(layout: Layout) -> tuple[tuple[int, ...], ...]:
    """Return for each piece how many cells of one region a copy can cover, besides none, ascending."""
    return tuple(
        tuple(sorted({sum(map(len, parts)) for parts in _some(regions(layout.lattice, kind.shape))}))
        for kind in layout.definition.pieces
    )


def _some(parts: Sequence[Shape]) -> Iterator[tuple[Shape, ...]]:
    """Yield every choice of at least one part."""
    return chain.from_iterable(combinations(parts, count) for count in range(1, len(parts) + 1))


def _parts_of_placements(layout: Layout) -> set[tuple[frozenset[int], int]]:
    """Return (cells, piece) of what placements can cover of a region: all of each, or some of its parts."""
    number, places = layout.number, layout.places
    return {
        (frozenset(number[place] for part in parts for place in part), placement.piece)
        for placement in layout.placements
        for parts in _some(regions(layout.lattice, [places[cell] for cell in placement.cells]))
    }


@cache
def small_fillings(layout: Layout) -> dict[frozenset[int], tuple[tuple[int, ...], ...]]:
    """Return the pieces that fill each region, up to the size of the largest, that one or two fill."""
    kinds = layout.definition.pieces
    largest = max(kind.size for kind in kinds)
    placements = _parts_of_placements(layout)
    found: dict[frozenset[int], set[tuple[int, ...]]] = {}
    for cells, piece in placements:
        found.setdefault(cells, set()).add((piece,))
    small = [(cells, piece) for cells, piece in placements if 2 * len(cells) <= largest]
    others = [(cells, piece) for cells, piece in placements if len(cells) < largest]
    for (one, a), (other, b) in product(small, others):
        if len(one) + len(other) <= largest and not one & other and _touch(layout, one, other):
            found.setdefault(one | other, set()).add((min(a, b), max(a, b)))
    return {cells: tuple(sorted(own)) for cells, own in found.items()}


def _touch(layout: Layout, one: frozenset[int], other: frozenset[int]) -> bool:
    return any(near in other for cell in one for near in layout.neighbours[cell])


def one_placement_rule(params: NoParams, generator: Any) -> OnePlacement:
    return OnePlacement()


def one_piece_rule(params: NoParams, generator: Any) -> OnePiece:
    model = generator.transition_model
    return OnePiece(model.branching, model.ties)


def region_size_rule(params: NoParams, generator: Any) -> Any:
    return region_size


def region_shape_rule(params: NoParams, generator: Any) -> Any:
    return region_shape
