"""Evaluators of solved boards: how their pieces touch, and the colour constraints that they meet."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, Metric, NoParams, ParamsError, Value
from epcg_tangram import metrics
from epcg_tangram.design.faults import crossed_lines, straight_lines
from epcg_tangram.generators.boards import SolvedBoards
from epcg_tangram.rules.adjacency import EDGE, RELATIONS, constraints_met, shared, shared_table
from epcg_tangram.rules.boards import Board, excluded_piece


class _BoardEvaluator:
    """The common part of evaluators of boards: the game's layout, and the packed form."""

    domain_attributes = ("layout",)

    metrics: Sequence[Metric]

    def __init__(self, params: NoParams, generator: SolvedBoards, tables: Any) -> None:
        if not isinstance(generator, SolvedBoards):
            raise ParamsError("Solved boards are measured here: choose the generator solved_boards.")
        self.layout = generator.setting

    def _pieces(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the piece of each placement, -1 behind the last: (n, width)."""
        numbers = np.array([*(p.piece for p in self.layout.placements), -1], np.int64)
        return numbers[states]

    def _shared(self, states: NDArray[np.int32]) -> NDArray[np.uint8]:
        """Return what each two placements share, anything if there is none: (n, width, width)."""
        return shared_table(self.layout)[states[:, :, None], states[:, None, :]]


class BoardFacts(_BoardEvaluator):
    """`excluded_piece`, `pieces`, `touching_pairs`, `same_colour_pairs`, `fault_lines`."""

    metrics = metrics.BOARD_FACTS

    def evaluate(self, state: Board) -> tuple[Value | None, ...]:
        pieces = [piece for piece, _ in state.pieces]
        colours = self.layout.definition.colour_numbers
        touching = [
            (one, other)
            for one, other in combinations(range(len(pieces)), 2)
            if shared(state, one, other) == EDGE
        ]
        same = sum(colours[pieces[one]] == colours[pieces[other]] for one, other in touching)
        return excluded_piece(state), len(pieces), len(touching), same, self._faults(state)

    def _faults(self, state: Board) -> int:
        owner = {cell: number for number, (_, cells) in enumerate(state.pieces) for cell in cells}
        return sum(all(owner.get(a) != owner.get(b) for a, b in line) for line in straight_lines(self.layout))

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        kinds = len(self.layout.definition.pieces)
        absent = np.stack([(pieces != number).all(axis=1) for number in range(kinds)], axis=1)
        excluded = np.argmax(absent, axis=1) if len(states) else np.zeros(0, np.int64)
        both = (pieces[:, :, None] >= 0) & (pieces[:, None, :] >= 0)
        touching = np.triu((self._shared(states) == EDGE) & both, 1)
        colours = np.array([*self.layout.definition.colour_numbers, -1], np.int64)[pieces]
        same = touching & (colours[:, :, None] == colours[:, None, :])
        columns = [
            excluded,
            (pieces >= 0).sum(axis=1),
            touching.sum(axis=(1, 2)),
            same.sum(axis=(1, 2)),
            self._fault_counts(states),
        ]
        status = np.zeros((len(columns), len(states)), np.uint8)
        status[0] = ~absent.any(axis=1)  # NONE if no piece is absent
        return Evaluation([column.astype(np.int64) for column in columns], status if status.any() else None)

    def _fault_counts(self, states: NDArray[np.int32]) -> NDArray[np.int64]:
        """Return the lines of fault of each board: (n,)."""
        crossed = crossed_lines(self.layout)
        crossed = np.vstack([crossed, np.zeros((1, crossed.shape[1]), np.bool_)])  # of -1, behind the last
        found = np.zeros((len(states), crossed.shape[1]), np.bool_)
        for column in states.T:
            found |= crossed[column]
        counts: NDArray[np.int64] = (~found).sum(axis=1)
        return counts


class Colours(_BoardEvaluator):
    """The number of colour constraints of each type that a board meets."""

    metrics = metrics.COLOURS

    def evaluate(self, state: Board) -> tuple[Value, ...]:
        met = constraints_met(state)
        single = [sum(r == relation and len(c) == 1 for r, c in met) for relation in RELATIONS]
        return (*single, sum(len(c) == 2 for _, c in met))

    def evaluate_states(self, states: NDArray[np.int32]) -> Evaluation:
        pieces = self._pieces(states)
        definition = self.layout.definition
        colours = np.array([*definition.colour_numbers, -1], np.int64)[pieces]
        kinds = np.int64(1) << self._shared(states).astype(np.int64)
        upper = np.triu(np.ones(kinds.shape[1:], np.bool_), 1)
        counts = np.zeros((len(RELATIONS) + 1, len(states)), np.int64)
        for one in range(len(definition.colours)):
            for other in range(one, len(definition.colours)):
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
