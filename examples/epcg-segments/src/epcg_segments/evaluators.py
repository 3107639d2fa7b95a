"""Evaluators of a level: whether it can be passed, by how many jumps, and how exactly they must be timed."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from epcg_core.plugin import NONE, VALUE, Evaluation, NoParams
from epcg_segments.metrics import ENTRIES, EXITS, JUMPS, PASSABLE, TIGHTEST
from epcg_segments.passing import Passing
from epcg_segments.rules import Level

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Passable:
    """Whether the last column can be reached from where play begins, and at how many heights.

    A level can be entered at the heights at which the player can stand in its first column, and left at
    those at which it can stand in the last. `entries` counts the heights from which there is a way, `exits`
    those to which there is one from the lowest entry, where play begins; `passable` says whether there is
    any.
    """

    metrics = (PASSABLE, ENTRIES, EXITS)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None: ...

    def evaluate(self, state: Level) -> tuple[bool, int, int]:
        passing = Passing(state)
        exits = [len(passing.fewest_jumps(entry)) for entry in passing.entries]
        return bool(exits and exits[0]), sum(map(bool, exits)), exits[0] if exits else 0

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        entries, exits, jumps, _ = _measured(states)
        return Evaluation([jumps >= 0, entries, exits])


class Jumps:
    """The fewest jumps of a way from where play begins to the last column; None without a way."""

    metrics = (JUMPS,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None: ...

    def evaluate(self, state: Level) -> tuple[int | None]:
        passing = Passing(state)
        fewest = passing.fewest_jumps(passing.entries[0]) if passing.entries else {}
        return (min(fewest.values(), default=None),)

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        return with_none(_measured(states)[2])


class Tightest:
    """The margin of the most forgiving way from where play begins (see `Passing.margin`).

    0: on each way, some jump has to be made in one certain tick. None for a level that cannot be passed,
    and for one that needs no jump.
    """

    metrics = (TIGHTEST,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None: ...

    def evaluate(self, state: Level) -> tuple[int | None]:
        passing = Passing(state)
        margin = passing.margin(passing.entries[0]) if passing.entries else -1
        return (int(margin) if 0 <= margin < math.inf else None,)

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        import numpy as np

        from epcg_segments.kernels import ENDLESS, NEVER

        margin = _measured(states)[3]
        return with_none(np.where(margin == ENDLESS, NEVER, margin))


def with_none(values: NDArray[np.int64]) -> Evaluation:
    """Return values of which the negative ones are none."""
    import numpy as np

    return Evaluation([np.maximum(values, 0)], np.where(values < 0, NONE, VALUE).astype(np.uint8))


def _measured(states: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Return the (4, n) values of `measure_levels`."""
    import numpy as np

    from epcg_core.plugin import read_only
    from epcg_segments.kernels import measure_levels

    values = np.empty((len(states), 4), np.int64)
    measure_levels(read_only(states), values)
    return values.T.copy()


def jumps_solutions(params: NoParams, generator: Any) -> Callable[[Level], list[list[str]]]:
    """Make the function from levels to a way with the fewest jumps, as actions; none without a way."""

    def solutions(level: Level) -> list[list[str]]:
        way = Passing(level).easiest_way()
        return [] if way is None else [way]

    return solutions
