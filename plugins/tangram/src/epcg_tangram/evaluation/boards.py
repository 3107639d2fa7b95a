"""Evaluators of solved boards: how their pieces touch, and the colour constraints that they meet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, Metric, NoParams, ParamsError, Value
from epcg_tangram import metrics
from epcg_tangram.generators.boards import SolvedBoards
from epcg_tangram.rules.adjacency import (
    COLOUR_OF,
    COLOURS,
    EDGE,
    RELATIONS,
    constraints_met,
    shared,
    shared_table,
)
from epcg_tangram.rules.boards import Board, excluded_piece
from epcg_tangram.rules.geometry import PIECE_ORDER, TRAPEZOID, geometry


class _BoardEvaluator:
    """The common part of evaluators of boards: the boards' side, and the packed form."""

    domain_attributes = ("side",)

    metrics: Sequence[Metric]

    def __init__(self, params: NoParams, generator: SolvedBoards, tables: Any) -> None:
        if not isinstance(generator, SolvedBoards):
            raise ParamsError("Solved boards are measured here: choose the generator solved_boards.")
        self.side = generator.params.side

    def _pieces(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the piece of each placement, -1 behind the last: (n, width)."""
        numbers = np.array([*(p.piece for p in geometry(self.side).placements), -1], np.int64)
        return numbers[states]

    def _shared(self, states: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Return what each two placements share, anything if there is none: (n, width, width)."""
        return shared_table(self.side)[states[:, :, None], states[:, None, :]]


class BoardFacts(_BoardEvaluator):
    """`excluded_piece`, `trapezoids`, `touching_pairs`."""

    metrics = (metrics.EXCLUDED_PIECE, metrics.TRAPEZOIDS, metrics.TOUCHING_PAIRS)

    def evaluate(self, state: Board) -> tuple[Value | None, ...]:
        names = [name for name, _ in state.pieces]
        pairs = combinations(range(len(names)), 2)
        touching = sum(shared(state, one, other) == EDGE for one, other in pairs)
        return excluded_piece(state), names.count(TRAPEZOID), touching

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        absent = np.stack([(pieces != number).all(axis=1) for number in range(len(PIECE_ORDER))], axis=1)
        excluded = np.argmax(absent, axis=1) if len(states) else np.zeros(0, np.int64)
        trapezoids = (pieces == PIECE_ORDER.index(TRAPEZOID)).sum(axis=1)
        both = (pieces[:, :, None] >= 0) & (pieces[:, None, :] >= 0)
        touching = np.triu((self._shared(states) == EDGE) & both, 1).sum(axis=(1, 2))
        status = np.zeros((3, len(states)), np.uint8)
        status[0] = ~absent.any(axis=1)  # NONE if no piece is absent
        return Evaluation(
            [excluded.astype(np.int64), trapezoids.astype(np.int64), touching.astype(np.int64)],
            status if status.any() else None,
        )


class Colours(_BoardEvaluator):
    """The number of colour constraints of each type that a board meets."""

    metrics = metrics.COLOURS

    def evaluate(self, state: Board) -> tuple[Value, ...]:
        met = constraints_met(state)
        single = [sum(r == relation and len(c) == 1 for r, c in met) for relation in RELATIONS]
        return (*single, sum(len(c) == 2 for _, c in met))

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        colours = np.array([*COLOUR_OF, -1], np.int64)[pieces]
        kinds = np.int64(1) << self._shared(states).astype(np.int64)
        upper = np.triu(np.ones(kinds.shape[1:], np.bool_), 1)
        counts = np.zeros((len(RELATIONS) + 1, len(states)), np.int64)
        for one in range(len(COLOURS)):
            for other in range(one, len(COLOURS)):
                pairs = (colours == one)[:, :, None] & (colours == other)[:, None, :]
                if one == other:
                    pairs &= upper
                seen = np.bitwise_or.reduce(np.where(pairs, kinds, 0), axis=(1, 2))
                for row, relation in enumerate(RELATIONS):
                    allowed = sum(1 << kind for kind in relation.shared)
                    holds = (seen != 0) & (seen & ~allowed == 0)
                    counts[row if one == other else -1] += holds
        return Evaluation(list(counts))


def board_facts(params: NoParams, generator: SolvedBoards, tables: Any) -> BoardFacts:
    return BoardFacts(params, generator, tables)


def colours(params: NoParams, generator: SolvedBoards, tables: Any) -> Colours:
    return Colours(params, generator, tables)
