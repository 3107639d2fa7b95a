"""The evaluator `legal_moves`. It needs no tables and searches nothing."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import VALUE, Bits, Evaluation, NoParams, Value
from epcg_fling import metrics
from epcg_fling.rules.moves import BoardShape, legal_moves


class LegalMoves:
    """`legal_moves`: how many moves a board has. Two of them may lead to the same board."""

    domain_attributes = ("shape",)

    metrics = (metrics.LEGAL_MOVES,)

    def __init__(self, params: NoParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        self.shape: BoardShape = generator.setting

    def evaluate(self, state: int) -> tuple[Value, ...]:
        return (len(list(legal_moves(self.shape, state))),)

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.rules.move_kernels import count_moves_of_states, geometry
        from epcg_fling.search.solutions import packed

        boards = packed(states)
        out = np.zeros(boards.size, dtype=np.int64)
        count_moves_of_states(geometry(self.shape), boards, out)
        return Evaluation([out], np.full(boards.size, VALUE, dtype=np.uint8))
