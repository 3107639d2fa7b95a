"""The generator `sets`: which choices of a game's pieces may fill its board, by their area."""

from __future__ import annotations

from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ParamsError, RankError, UnknownNameError
from epcg_tangram.design.layout import Layout, layout_of
from epcg_tangram.design.subsets import ANY, SizedSubsets
from epcg_tangram.params import GameRef, SetsParams

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


@attrs.frozen
class PieceSet:
    """Some of the pieces of a game, each used once."""

    game: GameRef
    pieces: tuple[int, ...]
    """Their numbers, ascending."""


class Sets:
    """The sets of a game's pieces that have the area to be covered, in lexicographic order."""

    domain_attributes = ("params",)

    def __init__(self, params: SetsParams) -> None:
        self.params = params
        self._game = params.ref
        definition = params.definition
        for i, name in enumerate(params.always):
            if name not in definition.names:
                raise UnknownNameError("piece", name, definition.names, f"always[{i}]")
        self._always = tuple(sorted(definition.names.index(name) for name in set(params.always)))
        self._others = tuple(n for n in range(len(definition.pieces)) if n not in self._always)
        sizes = [kind.size for kind in definition.pieces]
        area = len(definition.cells) - definition.empty - sum(sizes[n] for n in self._always)
        count = ANY if params.size is None else params.size - len(self._always)
        if count != ANY and not 0 <= count <= len(self._others):
            raise ParamsError(
                f"size: a set of {params.size} pieces cannot be chosen from {len(sizes)}"
                + (f", {len(self._always)} of them always." if self._always else ".")
            )
        self._space = SizedSubsets([sizes[n] for n in self._others], max(area, -1), count)
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
        chosen = (self._others[n] for n in self._space.unrank(rank))
        return PieceSet(self._game, tuple(sorted((*self._always, *chosen))))

    def rank(self, state: PieceSet) -> int:
        """Return the rank of a set. Raises RankError if it is not one of the space."""
        if state.game != self._game or not set(self._always) <= set(state.pieces):
            raise RankError("The set is not one of this space.")
        return self._space.rank([self._others.index(n) for n in state.pieces if n not in self._always])

    def states_block(self, start: int, count: int) -> NDArray[np.uint8]:
        """Return which pieces each set has: (count, pieces) uint8."""
        return self._rows(range(start, start + count))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint8]:
        """Return which pieces each set has: (n, pieces) uint8."""
        return self._rows(ranks.tolist())

    def _rows(self, ranks: range | list[int]) -> NDArray[np.uint8]:
        import numpy as np

        found = np.zeros((len(ranks), len(self.params.definition.pieces)), np.uint8)
        for row, rank in zip(found, ranks, strict=True):
            row[list(self.unrank(rank).pieces)] = 1
        return found

    def parse(self, text: str) -> PieceSet:
        """Read the names of pieces, with commas between them. Raises UnknownNameError."""
        names = self.params.definition.names
        chosen = [name.strip() for name in text.split(",")]
        for name in chosen:
            if name not in names:
                raise UnknownNameError("piece", name, names, "set")
        return PieceSet(self._game, tuple(sorted({names.index(name) for name in chosen})))

    def format(self, state: PieceSet) -> str:
        """Write the names of the pieces, with commas between them."""
        names = self.params.definition.names
        return ", ".join(names[n] for n in state.pieces)


def sets(params: SetsParams) -> Sets:
    """Make the space of sets. Raises ParamsError if there are none."""
    return Sets(params)
