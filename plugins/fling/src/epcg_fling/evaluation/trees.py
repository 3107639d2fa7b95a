"""Evaluators that walk through all moves, without tables: reachable_states, dead_ends, expert_ratio."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LIMIT, VALUE, Bits, Evaluation, Value
from epcg_fling import metrics
from epcg_fling.params import ReachableParams, TreeParams
from epcg_fling.rules.moves import BoardShape
from epcg_fling.rules.solving import dead_ends, reachable, tree_size

_FIRST_QUEUE = 1 << 14


class ReachableStates:
    """`reachable_states`: the distinct boards that legal moves lead to, start and end included."""

    domain_attributes = ("limit", "shape")

    metrics = (metrics.REACHABLE_STATES,)

    def __init__(
        self, params: ReachableParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self.shape: BoardShape = generator.setting
        self.limit = params.limit

    def evaluate(self, state: int) -> tuple[Value, ...]:
        return (len(reachable(self.shape, state, self.limit)),)

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.rules.move_kernels import geometry
        from epcg_fling.search.solutions import packed
        from epcg_fling.search.tree_kernels import OVER_LIMIT, count_reachable

        boards = packed(states)
        out = np.zeros(boards.size, dtype=np.int64)
        table, room, row = geometry(self.shape), _FIRST_QUEUE, 0
        while True:
            keys = np.zeros(2 * room, dtype=np.uint64)
            slots = np.zeros(room, dtype=np.int64)
            queue = np.zeros(room, dtype=np.uint64)
            row = count_reachable(table, boards, row, self.limit, keys, slots, queue, out)
            if row == boards.size:
                break
            room *= 2
        status = np.where(out == OVER_LIMIT, LIMIT, VALUE).astype(np.uint8)
        return Evaluation([np.maximum(out, 0)], status)


class DeadEnds:
    """Losing moves, dead boards among the reachable ones, and their share."""

    domain_attributes = ("limit", "shape")

    metrics = metrics.DEAD_END_METRICS

    def __init__(
        self, params: ReachableParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        self.shape: BoardShape = generator.setting
        self.limit = params.limit

    def evaluate(self, state: int) -> tuple[Value, ...]:
        losing, dead, boards = dead_ends(self.shape, state, self.limit)
        return losing, dead, dead / boards

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.rules.move_kernels import geometry
        from epcg_fling.search.solutions import packed
        from epcg_fling.search.tree_kernels import OVER_LIMIT, count_dead_ends

        boards = packed(states)
        out = np.zeros((3, boards.size), dtype=np.int64)
        table, room, row = geometry(self.shape), _FIRST_QUEUE, 0
        while True:
            keys, verdicts = np.zeros(2 * room, dtype=np.uint64), np.zeros(2 * room, dtype=np.uint8)
            slots, queue = np.zeros(room, dtype=np.int64), np.zeros(room, dtype=np.uint64)
            row = count_dead_ends(table, boards, row, self.limit, keys, verdicts, slots, queue, out)
            if row == boards.size:
                break
            room *= 2
        over = out[2] == OVER_LIMIT
        losing, dead, reached = out
        reached = np.where(over, 1, reached)
        return Evaluation([losing, dead, dead / reached], np.where(over, LIMIT, VALUE).astype(np.uint8))


class ExpertRatio:
    """F / K: the tree of all moves over the tree of an expert.

    An expert skips a move that does not depend on the one before it (Sturtevant & Ota 2018, "Evaluating
    selected boards").
    """

    domain_attributes = ("limit", "shape")

    metrics = metrics.EXPERT_METRICS

    def __init__(self, params: TreeParams, generator: Any, tables: Mapping[str, Bits] | None = None) -> None:
        self.shape: BoardShape = generator.setting
        self.limit = params.limit

    def evaluate(self, state: int) -> tuple[Value, ...]:
        full = tree_size(self.shape, state, self.limit)
        expert = tree_size(self.shape, state, self.limit, expert=True)
        return full, expert, full / expert

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.rules.move_kernels import geometry
        from epcg_fling.search.kernels import new_frames
        from epcg_fling.search.solutions import packed
        from epcg_fling.search.tree_kernels import OVER_LIMIT, tree_sizes

        boards = packed(states)
        out = np.zeros((2, boards.size), dtype=np.int64)
        tree_sizes(geometry(self.shape), boards, self.limit, new_frames(), out)
        over = out[0] == OVER_LIMIT
        full, expert = np.where(over, 1, out)
        # Both are below 2^53, so this division rounds exactly as Python's does.
        return Evaluation([full, expert, full / expert], np.where(over, LIMIT, VALUE).astype(np.uint8))
