"""The relation of neighbours in a chain: where a segment is left, the next is entered."""

from __future__ import annotations

from collections.abc import Mapping
from functools import cached_property, lru_cache
from typing import TYPE_CHECKING, Any

from epcg_core.plugin import BlockResult, Cutoff, Evaluation, NoParams, ParamsError, Prunings
from epcg_segments.chains import Chains, split
from epcg_segments.evaluators import with_none
from epcg_segments.metrics import CHAIN_JUMPS
from epcg_segments.passing import Passing
from epcg_segments.rules import ROWS, Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

MOST_COMPILED = 2**63
"""Chains of which fewer are searched by the kernel: ranks have 64 bits there."""

Costs = tuple[tuple[int, int], ...]
"""Heights at which the player can stand, ascending, and the fewest jumps on the way there."""

Begun = tuple[int, Costs | None]
"""How many segments there are, and where the last one can be left; None before the first."""


class ChainJumps:
    """The fewest jumps through a chain, segment by segment.

    Play begins in the first segment as in any level. The next one is entered at a height at which that
    before is left, by one step on the ground: the player stands in the last column of the one, and at the
    same height in the first column of the other. A jump over the joint is no way here. So a chain with a
    value can be passed, and one without may still be passed by such a jump.
    """

    metrics = (CHAIN_JUMPS,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        if not isinstance(getattr(generator, "setting", None), int):
            raise ParamsError(
                "chain_jumps measures levels whose generator says how broad a segment is: use chains."
            )
        self._columns: int = generator.setting
        if isinstance(generator, Chains):
            self._offer_bounds(generator)

    def evaluate(self, state: Level) -> tuple[int | None]:
        costs: Costs | None = None
        for segment in split(state, self._columns):
            costs = _onward(costs, ways(segment))
        return (min((jumps for _, jumps in costs or ()), default=None),)

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_segments.kernels import measure_chains

        jumps = np.empty(len(states), np.int64)
        measure_chains(read_only(states), self._columns, jumps)
        return with_none(jumps)

    # --- search, item by item --------------------------------------------------------------------------

    def _offer_bounds(self, chains: Chains) -> None:
        self._length = chains.length
        self._ways = [ways(segment) for segment in chains.library]
        self._most = self._most_jumps()
        self.empty, self.extend = self._empty, self._extend
        self.bound, self.value = self._bound, self._value
        if chains.max_rank < MOST_COMPILED:
            self.search_block = self._search_block

    def _most_jumps(self) -> list[dict[int, int]]:
        """Return, for each number of segments to come, the most jumps that a way from a height can need.

        A height is left out if no chain of that length can be passed from it. No chain needs more,
        because the fewest jumps through it are those of one of these ways.
        """
        found = [dict.fromkeys(range(ROWS), 0)]
        for _ in range(self._length):
            after, before = found[-1], dict[int, int]()
            for segment in self._ways:
                for entry, exits in segment.items():
                    most = max(
                        (jumps + after[height] for height, jumps in exits if height in after), default=-1
                    )
                    if most >= 0:
                        before[entry] = max(before.get(entry, 0), most)
            found.append(before)
        return found

    def _empty(self) -> Begun:
        return 0, None

    def _extend(self, partial: Begun, item: int) -> Begun:
        return partial[0] + 1, _onward(partial[1], self._ways[item])

    def _bound(self, partial: Begun) -> int | None:
        number, costs = partial
        most = self._most[self._length - number]
        if costs is None:
            return max(most.values(), default=None)
        return max((jumps + most[height] for height, jumps in costs if height in most), default=None)

    def _value(self, complete: Begun) -> int | None:
        return min((jumps for _, jumps in complete[1] or ()), default=None)

    def _search_block(self, start: int, count: int, incumbent: Cutoff) -> BlockResult:
        import numpy as np

        from epcg_segments.kernels import NEVER, search_chains

        first, ways, most = self._tables
        best = NEVER if incumbent.value is None else int(incumbent.value)
        room = max(1024, count // 8)
        while True:
            ranks, values, starts, counts = (np.empty(room, np.int64) for _ in range(4))
            bounds, reasons, used = np.empty(room), np.empty(room, np.uint8), np.empty(3, np.int64)
            search_chains(
                start, count, first, ways, most, best, incumbent.ties_to, int(incumbent.fixed),
                ranks, values, starts, counts, bounds, reasons, used,
            )  # fmt: skip
            evaluated, found, prunings = used.tolist()
            if max(found, prunings) <= room:
                break
            room *= 4
        pruned = Prunings(starts[:prunings], counts[:prunings], bounds[:prunings], reasons[:prunings])
        return BlockResult(evaluated, ranks[:found], values[:found], pruned)

    @cached_property
    def _tables(self) -> tuple[NDArray[np.int64], NDArray[np.int64], NDArray[np.int64]]:
        """The ways of the segments as the kernel takes them."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_segments.kernels import NEVER

        first = np.full((len(self._ways), ROWS), NEVER, np.int64)
        ways = np.full((len(self._ways), ROWS, ROWS), NEVER, np.int64)
        most = np.full((self._length + 1, ROWS), NEVER, np.int64)
        for number, segment in enumerate(self._ways):
            for height, jumps in _onward(None, segment):
                first[number, height] = jumps
            for entry, exits in segment.items():
                for height, jumps in exits:
                    ways[number, entry, height] = jumps
        for number, heights in enumerate(self._most):
            for height, jumps in heights.items():
                most[number, height] = jumps
        return read_only(first), read_only(ways), read_only(most)


@lru_cache(maxsize=10_000)
def ways(segment: Level) -> dict[int, Costs]:
    """Return by entry, the lowest first, the exits of a segment with the fewest jumps to each."""
    passing = Passing(segment)
    return {entry: tuple(sorted(passing.fewest_jumps(entry).items())) for entry in passing.entries}


def _onward(costs: Costs | None, segment: dict[int, Costs]) -> Costs:
    """Return the exits of a segment that is entered where the one before is left; None: where play begins."""
    if costs is None:
        return next(iter(segment.values()), ())
    fewest: dict[int, int] = {}
    for entry, before in costs:
        for height, jumps in segment.get(entry, ()):
            fewest[height] = min(fewest.get(height, before + jumps), before + jumps)
    return tuple(sorted(fewest.items()))
