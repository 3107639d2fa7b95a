"""The shortest solutions of levels, of whole arrays of them by the game's own kernel."""

from __future__ import annotations

import threading
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import (
    LIMIT,
    NONE,
    VALUE,
    Bits,
    Evaluation,
    LimitReachedError,
    PathParams,
    ShortestSolution,
)
from epcg_puzzlescript.rules.batches import BatchSearch, Levels
from epcg_puzzlescript.rules.solver_source import ELSEWHERE, EXHAUSTED, LIMITED


class LevelSolution(ShortestSolution):
    """`shortest_solution`, which also takes arrays of levels (`epcg_puzzlescript.rules.batches`)."""

    def __init__(self, params: PathParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        super().__init__("max", params, generator, tables)
        found = getattr(generator, "setting", None)
        self._levels = found if isinstance(found, Levels) else None
        self._searches = threading.local()

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        """Search levels given as rows; those that need it one by one. Raises GameError as play does."""
        levels = self._levels
        assert levels is not None
        search: BatchSearch | None = getattr(self._searches, "own", None)
        if search is None:
            search = self._searches.own = BatchSearch(levels)
        found = search.search(states, self._limit)
        if found is None:
            found = np.full((len(states), 3), ELSEWHERE, np.int64)
        moves, expansions = found[:, 1].copy(), found[:, 2].copy()
        status = np.full((2, len(states)), VALUE, np.uint8)
        status[0, found[:, 0] == EXHAUSTED] = NONE
        status[:, found[:, 0] == LIMITED] = LIMIT
        for number in np.flatnonzero(found[:, 0] == ELSEWHERE).tolist():
            try:
                values = self.evaluate(levels.level(states[number]))
            except LimitReachedError as error:
                values = getattr(error, "values", None) or (None, None)
                status[:, number] = LIMIT
            if values[0] is None and status[0, number] == VALUE:
                status[0, number] = NONE
            moves[number], expansions[number] = values[0] or 0, values[1] or 0
        return Evaluation([moves, expansions], status)
