"""The evaluator of a board's pieces."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, NoParams
from epcg_rushhour.cells import MORE, NOTHING
from epcg_rushhour.metrics import PIECES
from epcg_rushhour.rules import Board, pieces


class Pieces:
    """How many pieces lie on the board."""

    metrics = (PIECES,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Any]) -> None:
        pass

    def evaluate(self, state: Board) -> tuple[int]:
        return (len(pieces(state)),)

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        return Evaluation([((states > NOTHING) & (states < MORE)).sum(axis=1)])
