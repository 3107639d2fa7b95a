"""Evaluators of a board: its pieces, and whether each of them matters."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, NoParams, shortest_path
from epcg_rushhour.cells import MORE, NOTHING
from epcg_rushhour.metrics import MINIMAL, PIECES
from epcg_rushhour.rules import RED, Board, RushHour, pieces, without


class Pieces:
    """How many pieces lie on the board."""

    metrics = (PIECES,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        pass

    def evaluate(self, state: Board) -> tuple[int]:
        return (len(pieces(state)),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation([((states > NOTHING) & (states < MORE)).sum(axis=1)])


class Minimal:
    """Whether the number of moves differs without any one piece but the red car."""

    metrics = (MINIMAL,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        self._model = RushHour()

    def evaluate(self, state: Board) -> tuple[bool | None]:
        moves = self._moves(state)
        if moves is None:
            return (None,)
        return (
            all(letter == RED or self._moves(without(state, letter)) != moves for letter in pieces(state)),
        )

    def _moves(self, board: Board) -> int | None:
        return shortest_path(self._model, board).length
