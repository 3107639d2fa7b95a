"""The generator `boards`: all boards of one size with one number of pieces, by their lexicographic rank."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import cached_property
from typing import TYPE_CHECKING

from epcg_core.plugin import Combinations, EpcgError, prefixes
from epcg_fling.formats.boards import format_board, parse_board
from epcg_fling.params import BoardsParams
from epcg_fling.rules import symmetry
from epcg_fling.rules.model import FlingModel
from epcg_fling.rules.moves import BoardShape, cells_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_core.plugin import LayeredSpace, PrefixSpace

_AT_ONCE = 1 << 15
"""Boards whose images are made together: their arrays stay in the processor's cache."""


class Boards:
    """C(cells, pieces) boards as combinations of cells (Sturtevant & Ota 2018, Algorithms 2 to 4).

    A state is a bitboard: an int whose bit y * width + x is set where a piece lies. Packed arrays are (n,)
    uint64. Satisfies `Generator` and `ArrayGenerator` of `epcg_core.domain`, with all optional capabilities.
    """

    domain_attributes = ("normal_form", "params", "pieces")

    def __init__(self, params: BoardsParams) -> None:
        self.params = params
        self.setting = BoardShape(params.width, params.height)
        self.pieces = params.pieces
        self._combinations = Combinations(self.setting.cells, params.pieces)

    @property
    def max_rank(self) -> int:
        """The number of boards."""
        return self._combinations.max_rank

    def unrank(self, rank: int) -> int:
        """Return the board of `rank`. Raises RankError if there is none."""
        return _bits(self._combinations.unrank(rank))

    def rank(self, state: int) -> int:
        """Return the rank of a board. Raises RankError if the board is not in this space."""
        return self._combinations.rank(tuple(cells_of(state)))

    def increment(self, state: int) -> int | None:
        """Return the board of the next rank; None after the last."""
        following = self._combinations.increment(tuple(cells_of(state)))
        return None if following is None else _bits(following)

    def canonical_rank(self, rank: int) -> int:
        """Return the lowest rank of the board's images: mirrors, half turns and (square) quarter turns."""
        return min(self.rank(image) for image in symmetry.images(self.setting, self.unrank(rank)))

    @property
    def prefixes(self) -> PrefixSpace:
        """The cells of the pieces, from the first one on."""
        return prefixes(self._combinations)

    symmetries = symmetry.NAMES

    def canonical_rank_by(self, names: Sequence[str]) -> Callable[[int], int]:
        """Return the function from a rank to the lowest rank of its board's images under some symmetries."""
        return lambda rank: min(map(self.rank, symmetry.images_by(self.setting, self.unrank(rank), names)))

    def canonical_ranks(
        self, ranks: NDArray[np.int64], names: Sequence[str] | None = None
    ) -> NDArray[np.int64]:
        """Return `canonical_rank`, or what `canonical_rank_by(names)` gives, of (n,) ranks: (n,) int64."""
        import numpy as np

        from epcg_core.plugin import combination_ranks_of
        from epcg_fling.rules.symmetry_arrays import images_of

        lowest = np.array(ranks, dtype=np.int64)
        found = np.empty(_AT_ONCE, np.int64)
        for start in range(0, len(lowest), _AT_ONCE):
            some = lowest[start : start + _AT_ONCE]
            for image in images_of(self.setting, self.states_at(some), names):
                out = found[: len(image)]
                combination_ranks_of(image, self.setting.cells, self.pieces, self._binomials, out)
                np.minimum(some, out, out=some)
        return lowest

    def normal_form(self, state: int) -> int:
        """Return the same board for all boards that are equal up to symmetry and translation."""
        return symmetry.normal_form(self.setting, state)

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        """Return the boards of ranks start .. start + count - 1: (count,) uint64."""
        import numpy as np

        from epcg_core.plugin import combination_bits_block

        out = np.zeros(count, dtype=np.uint64)
        combination_bits_block(start, count, self.setting.cells, self.pieces, self._binomials, out)
        return out

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the boards of the (n,) ranks: (n,) uint64."""
        import numpy as np

        from epcg_core.plugin import combination_bits_at, read_only

        out = np.zeros(len(ranks), dtype=np.uint64)
        at = read_only(np.asarray(ranks, dtype=np.int64))
        combination_bits_at(at, self.setting.cells, self.pieces, self._binomials, out)
        return out

    @cached_property
    def _binomials(self) -> NDArray[np.int64]:
        from epcg_core.plugin import binomial_table

        return binomial_table(self.setting.cells)

    @cached_property
    def transition_model(self) -> FlingModel:
        """The transition model of the boards."""
        return FlingModel(self.setting)

    @cached_property
    def layered_space(self) -> LayeredSpace:
        """The layers of 1 up to `pieces` pieces, for retrograde analysis."""
        from epcg_fling.retrograde.layers import BoardLayers

        return BoardLayers(self.setting.width, self.setting.height, self.pieces)

    def parse(self, text: str) -> int:
        """Read the board that `text` shows (see `parse_board`). Raises EpcgError for one of another space."""
        state = parse_board(self.setting, text)
        if state.bit_count() != self.pieces:
            raise EpcgError(
                f"The board has {state.bit_count()} pieces, but the boards of this space have {self.pieces}: "
                f"set pieces = {state.bit_count()}."
            )
        return state

    def format(self, state: int) -> str:
        """Write the board as rows of 'o' and '.', which `parse` reads."""
        return format_board(self.setting, state)


def _bits(cells: tuple[int, ...]) -> int:
    bits = 0
    for cell in cells:
        bits |= 1 << cell
    return bits


def orbit(generator: Boards, state: int) -> set[int]:
    """Return the boards that are equal up to symmetry."""
    return symmetry.images(generator.setting, state)
