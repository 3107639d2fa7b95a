"""The evaluator of whole spaces of starts: all solved at once, backwards from the won positions."""

from __future__ import annotations

from collections.abc import Mapping
from copy import copy
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.domain import Bits
from epcg_core.errors import ParamsError
from epcg_core.search.shortest_path.solver import shortest_path
from epcg_puzzlescript import metrics
from epcg_puzzlescript.evaluation.graph import UNREACHED, explore
from epcg_puzzlescript.generators.starts import Starts
from epcg_puzzlescript.params import PositionsParams
from epcg_puzzlescript.rules.level import Level


class StartMoves:
    """`start_moves`: the inputs of a shortest solution of each start.

    The graph of the positions that any start reaches is explored once, and solved by retrograde analysis: a
    breadth-first search from the won positions, against the inputs. The first evaluation does all of it.
    """

    metrics = (metrics.START_MOVES,)

    def __init__(
        self, params: PositionsParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        if not isinstance(generator, Starts):
            raise ParamsError("start_moves measures the generator 'starts' only; choose shortest_solution.")
        self._limit, self._generator = params.limit, generator
        self._moves: NDArray[np.int32] | None = None
        self._plain = False

    def plain(self) -> StartMoves:
        """Return an evaluator that searches each start by itself, in plain positions."""
        found = copy(self)
        found._plain = True
        return found

    def evaluate(self, level: Level) -> tuple[int | None]:
        """Evaluate a start. Raises LimitReachedError if the starts reach more positions than the limit."""
        if self._plain:
            return (shortest_path(self._generator.transition_model, level, self._limit, plain=True).length,)
        if self._moves is None:
            self._moves = self._solved()
        moves = int(self._moves[self._generator.rank(level)])
        return (None if moves == UNREACHED else moves,)

    def _solved(self) -> NDArray[np.int32]:
        """Return the moves of each start, by rank."""
        generator, model = self._generator, self._generator.transition_model
        packed = model.packed(generator.unrank(0))
        levels = map(generator.unrank, range(generator.max_rank))
        firsts = np.array([packed.pack(model.initial(level)) for level in levels], np.uint64)
        distinct, numbers = np.unique(firsts, axis=0, return_inverse=True)
        distances = explore(packed, np.ascontiguousarray(distinct), self._limit).distances()
        found: NDArray[np.int32] = distances[numbers.reshape(-1)]
        return found
