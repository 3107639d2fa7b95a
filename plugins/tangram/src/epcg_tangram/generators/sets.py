"""The generator `sets`: which choices of a game's pieces may fill its board, by their area.

A set has of each piece at most as many copies as there are.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ParamsError, RankError, UnknownNameError
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.design.multisets import ANY, SizedMultisets
from epcg_tangram.params import GameRef, SetsParams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen
class PieceSet:
    """Some of the pieces of a game, all of which are used."""

    game: GameRef
    pieces: tuple[int, ...]
    """Their numbers, ascending, each as often as there are copies of it in the set."""

    @property
    def copies(self) -> dict[int, int]:
        """The copies of each piece of the set, by its number, ascending."""
        return {number: self.pieces.count(number) for number in sorted(set(self.pieces))}


class Sets:
    """The sets of a game's pieces that have the area to be covered, in lexicographic order."""

    domain_attributes = ("params",)

    def __init__(self, params: SetsParams) -> None:
        self.params = params
        self._game = params.ref
        definition = params.definition
        for i, name in enumerate(params.always):
            if name not in definition.names:
                raise UnknownNameError("piece", name, definition.names, f"always {i + 1}")
        self._always = tuple(sorted(definition.names.index(name) for name in set(params.always)))
        sizes = [kind.size for kind in definition.pieces]
        if definition.empty is None:
            raise ParamsError(
                "sets: how many cells stay empty is not said, so neither is how many a set has: write "
                "empty = a number in [rules]."
            )
        area = len(definition.cells) - definition.empty - sum(sizes[n] for n in self._always)
        count = ANY if params.size is None else params.size - len(self._always)
        more = [kind.most - (n in self._always) for n, kind in enumerate(definition.pieces)]
        if min(more, default=0) < 0:
            name = definition.names[more.index(-1)]
            raise ParamsError(f"always: there is no copy of '{name}', so no set has it.")
        if count != ANY and not 0 <= count <= sum(more):
            raise ParamsError(
                f"size: a set of {params.size} pieces cannot be chosen from {sum(more) + len(self._always)}"
                + (f", {len(self._always)} of them always" if self._always else "")
                + f": ask for up to {sum(more) + len(self._always)} (--set generator.size=N)."
            )
        self._space = SizedMultisets(sizes, max(area, -1), count, more)
        if self._space.max_rank == 0:
            some = "a set" if count == ANY else f"{params.size} of the pieces"
            have = sorted(set(sizes))
            raise ParamsError(
                f"sets: no choice of {some} covers the {len(definition.cells) - definition.empty} cells of "
                "the board: "
                f"the pieces have {', '.join(map(str, have))} cells. Choose another size, or another board."
            )

    @property
    def setting(self) -> Layout:
        """The board without pieces."""
        return layout_of(self.params.definition)

    @property
    def max_rank(self) -> int:
        return self._space.max_rank

    def unrank(self, rank: int) -> PieceSet:
        """Return the set of a rank. Raises RankError."""
        return PieceSet(self._game, tuple(sorted((*self._always, *self._space.unrank(rank)))))

    def rank(self, state: PieceSet) -> int:
        """Return the rank of a set. Raises RankError if it is not one of the space."""
        if state.game != self._game or not set(self._always) <= set(state.pieces):
            raise RankError("The set is not one of this space.")
        chosen = list(state.pieces)
        for number in self._always:
            chosen.remove(number)
        return self._space.rank(chosen)

    def states_block(self, start: int, count: int) -> NDArray[np.uint16]:
        """Return how many copies of each piece each set has: (count, pieces) uint16."""
        return self._rows(range(start, start + count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint16]:
        """Return how many copies of each piece each set has: (n, pieces) uint16."""
        return self._rows(ranks.tolist())

    def _rows(self, ranks: range | list[int]) -> NDArray[np.uint16]:
        import numpy as np

        found = np.zeros((len(ranks), len(self.params.definition.pieces)), np.uint16)
        for row, rank in zip(found, ranks, strict=True):
            copies = self.unrank(rank).copies
            row[list(copies)] = list(copies.values())
        return found

    def parse(self, text: str) -> PieceSet:
        """Read the names of pieces, one for each copy, with commas between them. Raises UnknownNameError."""
        names = self.params.definition.names
        chosen = [name.strip() for name in text.split(",")]
        for name in chosen:
            if name not in names:
                raise UnknownNameError("piece", name, names, "set")
        return PieceSet(self._game, tuple(sorted(names.index(name) for name in chosen)))

    def format(self, state: PieceSet) -> str:
        """Write the names of the pieces, one for each copy, with commas between them."""
        names = self.params.definition.names
        return ", ".join(names[n] for n in state.pieces)


def sets(params: SetsParams) -> Sets:
    """Make the space of sets. Raises ParamsError if there are none."""
    return Sets(params)
