"""Puzzle instances: some pieces of a solved board are shown, and the rest is to be found.

A subset of a board's pieces is a proper instance if exactly one solution of the game has all of them, in all
orientations, without the pieces that the board does without if those are known to be excluded. Subsets are
taken in lexicographic order of the game's pieces, of two copies first the one whose placement is the lower.
Of subsets that a symmetry makes equal, because it keeps the board, the first counts.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from functools import cache, cached_property
from math import comb
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import ParamsError, RankError
from epcg_tangram.formats.instances import format_instance, format_whole, parse_instance
from epcg_tangram.params import GameParams, InstancesParams
from epcg_tangram.rules.games import game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import TangramModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_tangram.design.layout import Layout

MOST_PIECES = 62
"""The pieces of a board whose choices are the bits of one integer."""
MOST_SUBSETS = 50_000_000
"""The choices of one board's pieces that are kept while it is looked at: 400 MB."""


class Instances:
    """Instances by rank: by board, by the number of pieces shown, then in lexicographic order."""

    domain_attributes = (
        "bases",
        "completions",
        "families",
        "game",
        "params",
        "proper",
        "rows",
        "rules",
        "state",
    )

    def __init__(self, params: InstancesParams) -> None:
        if params.completions == "any" and params.size is None:
            raise ParamsError('size: with completions = "any", say how many pieces are shown.')
        self.params = params
        self.rules = GameParams(**{name: getattr(params, name) for name in attrs.fields_dict(GameParams)})
        self.game = game(self.rules)

    @property
    def setting(self) -> Layout:
        """The board without pieces."""
        return self.game.setting

    @cached_property
    def transition_model(self) -> TangramModel:
        """The transition model of the instances, by pieces (see `epcg_tangram.rules.model`)."""
        return TangramModel(self.setting, measures=False)

    @cached_property
    def rows(self) -> NDArray[np.int64]:
        """(n, 2): of each instance its board, a row of `game.distinct`, and its positions there as bits."""
        return _listed(self.params)

    @cached_property
    def families(self) -> tuple[NDArray[np.int64], tuple[tuple[int, ...], ...]]:
        """The number of its family for each board, and the excluded pieces for each family."""
        import numpy as np

        boards = self.game.distinct
        if self.params.excluded == "unknown":
            return np.zeros(len(boards), np.int64), ((),)
        pieces = np.array([*self.game.pieces, -1], np.int64)[boards]
        absent = np.stack(
            [(pieces != kind).all(axis=1) for kind in range(len(self.setting.definition.pieces))], axis=1
        )
        found, numbers = np.unique(absent, axis=0, return_inverse=True)
        return numbers.reshape(-1), tuple(tuple(np.flatnonzero(row).tolist()) for row in found)

    @cached_property
    def bases(self) -> NDArray[np.uint64]:
        """(families, words): the solutions of each family as bits."""
        import numpy as np

        from epcg_core.plugin import read_only

        found = [self.game.without(excluded) for excluded in self.families[1]]
        return read_only(np.array(found, np.uint64).reshape(len(found), self.game.bits.shape[1]))

    @property
    def max_rank(self) -> int:
        return len(self.rows)

    def unrank(self, rank: int) -> Instance:
        """Return the instance of `rank`. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no instance {rank}: there are {self.max_rank}, ranks from 0.")
        return self.state(self.rows[rank])

    def state(self, row: NDArray[np.int64]) -> Instance:
        """Return the instance of a row of `rows`."""
        board, mask = row.tolist()
        placed = tuple(n for n in self.game.distinct[board].tolist() if n >= 0)
        shown = tuple(n for position, n in enumerate(placed) if mask >> position & 1)
        numbers, excluded = self.families
        return Instance(self.rules, shown, excluded[numbers[board]], placed)

    def completions(self, states: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return how many solutions complete each of some rows: (n,)."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_tangram.generators.instance_kernels import completions

        found = np.zeros(len(states), np.int64)
        working = np.zeros(self.bases.shape[1], np.uint64)
        numbers = read_only(self.families[0])
        completions(
            self.game.bits, self.bases, numbers, self.game.distinct, read_only(states), working, found
        )
        return found

    def proper(self, states: NDArray[np.int64]) -> NDArray[np.bool_]:
        """Return which of some rows exactly one solution completes: (n,)."""
        import numpy as np

        if self.params.completions == "one":
            return np.ones(len(states), np.bool_)
        found: NDArray[np.bool_] = self.completions(states) == 1
        return found

    @cached_property
    def _ranks(self) -> dict[tuple[int, ...], int]:
        """The rank of each of `rows`."""
        return {tuple(row): rank for rank, row in enumerate(self.rows.tolist())}

    @cached_property
    def _boards(self) -> dict[tuple[int, ...], int]:
        """The number of each board, by its placements."""
        rows = self.game.distinct.tolist()
        return {tuple(n for n in row if n >= 0): number for number, row in enumerate(rows)}

    def rank(self, state: Instance) -> int:
        """Return the rank of an instance. Raises RankError if the instance is not in this space."""
        found = None
        if state.rules == self.rules and state.shown == tuple(n for n in state.board if n in state.shown):
            board = self._boards.get(state.board, -1)
            positions = [position for position, n in enumerate(state.board) if n in state.shown]
            images = [[own[at] for at in positions] for own in self.game.stabilisers.get(board, ())]
            first = min(map(sorted, images), default=positions)
            found = self._ranks.get((board, sum(1 << position for position in first)))
        if found is None:
            raise RankError("The instance is not one of this space.")
        return found

    def states_block(self, start: int, count: int) -> NDArray[np.int64]:
        """Return rows as in `rows`: (count, 2) int64."""
        return self.rows[start : start + count]

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.int64]:
        """Return rows as in `rows`: (n, 2) int64."""
        return self.rows[ranks]

    def opened(self, state: Instance) -> str:
        """Write an instance with the constraint in force, which `format` leaves to the params."""
        return format_whole(state)

    def parse(self, text: str) -> Instance:
        return parse_instance(self.rules, text)

    def format(self, state: Instance) -> str:
        return format_instance(state)


@cache
def _listed(params: InstancesParams) -> NDArray[np.int64]:
    """Return the rows of a space, found once in a process."""
    import numpy as np

    from epcg_core.plugin import read_only
    from epcg_tangram.generators.listing import Listing

    space = Instances(params)
    boards = space.game.distinct
    if not len(boards):
        return read_only(np.zeros((0, 2), np.int64))
    width = boards.shape[1]
    sizes_asked = range(width + 1)
    if params.size is not None:
        sizes_asked = range(min(params.size, width), min(params.size + params.larger, width) + 1)
    most = 1 if params.keep == "first" else max(comb(width, size) for size in sizes_asked)
    if width > MOST_PIECES or most > MOST_SUBSETS:
        raise ParamsError(
            f"instances: solved boards have up to {width} pieces, of which up to {most:,} choices are "
            f"shown: at most {MOST_PIECES} pieces and {MOST_SUBSETS:,} choices are possible. Set `size` to "
            'a smaller number, or keep = "first", or choose a game of fewer pieces.'
        )
    listing = Listing(space.game.bits, space.bases, params.completions == "one", params.keep == "first", most)

    def rows(numbers: NDArray[np.int64], size: int) -> NDArray[np.int64]:
        """Return the rows of some boards, of `size` pieces, or if -1 of the fewest that are enough."""
        found = listing.rows(boards[numbers], space.families[0][numbers], size)
        found[:, 0] = numbers[found[:, 0]]
        return found

    every = np.arange(len(boards))
    found = [rows(every, -1 if params.size is None else params.size)]
    if params.size is None:
        fewest = np.zeros(len(boards), np.int64)
        fewest[found[0][:, 0]] = np.bitwise_count(found[0][:, 1])
    else:
        fewest = np.full(len(boards), params.size)
    for more in range(1, params.larger + 1):
        sizes = np.unique(fewest)
        found += [rows(every[fewest == size], int(size) + more) for size in sizes[sizes + more <= width]]
    listed = np.concatenate(found)
    shown = np.bitwise_count(listed[:, 1])
    listed = listed[np.lexsort((shown, listed[:, 0]))]
    return read_only(np.ascontiguousarray(listed[_first(listed, space.game.stabilisers, width)]))


def _first(
    listed: NDArray[np.int64], stabilisers: Mapping[int, Sequence[Sequence[int]]], width: int
) -> NDArray[np.bool_]:
    """Return which rows are the first of those that a symmetry of their board makes equal: (n,)."""
    import numpy as np

    first = np.ones(len(listed), np.bool_)
    for board, symmetries in stabilisers.items():
        start, stop = np.searchsorted(listed[:, 0], [board, board + 1])
        masks = listed[start:stop, 1]
        shown = [(masks >> position & 1) for position in range(len(symmetries[0]))]
        own = sum(bit << (width - 1 - position) for position, bit in enumerate(shown))  # earlier is greater
        for moved in symmetries:
            image = sum(bit << (width - 1 - to) for bit, to in zip(shown, moved, strict=True))
            first[start:stop] &= own >= image
    return first


def instances(params: InstancesParams) -> Instances:
    """Make the instances of a game. Raises ParamsError if there cannot be any."""
    return Instances(params)
