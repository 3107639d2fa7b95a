"""Evaluators of a board: the distance of its tiles from home, its shortest solutions and their number."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Evaluation, NoParams, ParamsError, TableNeed, plain, read_only
from epcg_sliding.boards import Boards
from epcg_sliding.kernels import manhattan
from epcg_sliding.metrics import MANHATTAN, MOVES, SOLUTIONS, UNIQUE_MOVES
from epcg_sliding.params import BoardsParams
from epcg_sliding.rules import Board


class Manhattan:
    """The sum of the tiles' distances: a lower bound of the moves."""

    metrics = (MANHATTAN,)

    def __init__(self, params: NoParams, generator: Boards, tables: Mapping[str, Any]) -> None:
        self._model = generator.transition_model

    def evaluate(self, state: Board) -> tuple[int]:
        return (self._model.manhattan(state),)

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        found = np.empty(len(states), np.int64)
        manhattan(read_only(states), self._model.columns, found)
        return Evaluation([found])


def depth_table(params: NoParams, generator: Boards) -> list[TableNeed]:
    """Name the depths that breadth-first search records; they are computed first if they are missing.

    Raises ParamsError for a generator that does not list all boards of a frame.
    """
    if not isinstance(generator, Boards):
        raise ParamsError(
            "Recorded depths are those of the generator boards: use it, or the evaluator shortest_solution."
        )
    frame = plain(BoardsParams(generator.rows, generator.columns))
    return [TableNeed("depth", "boards", frame, "breadth_first", {}, "depth", required=True, kind="values")]


class ShortestSolutions:
    """Reads the moves from the recorded depths, and counts the ways down: each move leads one layer lower."""

    metrics = (MOVES, SOLUTIONS, UNIQUE_MOVES)

    def __init__(self, params: NoParams, generator: Boards, tables: Mapping[str, Any]) -> None:
        self._depth: NDArray[np.int8] = tables["depth"]
        self._generator = generator
        self._graph = generator.ranked_graph

    def evaluate(self, state: Board) -> tuple[int, int, int | None]:
        """Evaluate state by state, in plain Python."""
        model = self._generator.transition_model
        moves = int(self._depth[self._generator.rank(state)])
        ways = {state: 1}
        for depth in range(moves - 1, -1, -1):
            below: dict[Board, int] = {}
            for board, number in ways.items():
                for action in model.actions(board):
                    successor = model.apply(board, action)
                    if self._depth[self._generator.rank(successor)] == depth:
                        below[successor] = below.get(successor, 0) + number
            ways = below
        solutions = sum(ways.values())
        return moves, solutions, moves if solutions == 1 else None

    def evaluate_block(self, start: int, count: int) -> Evaluation:
        """Evaluate all boards of a block: down layer by layer to collect what they meet, and up to count."""
        ranks = np.arange(start, start + count, dtype=np.int64)
        if not count:
            self._graph.successor_ranks(ranks)
            none = np.zeros(0, np.int64)
            return Evaluation([none, none, none])
        moves = self._depth[start : start + count].astype(np.int64)
        met, successors = self._collect(ranks, moves)
        ways = np.ones(len(met[0]), np.int64)
        solutions = np.zeros(count, np.int64)
        solutions[moves == 0] = 1
        for depth in range(1, len(met)):
            onward = successors[depth]
            there = onward >= 0
            places = np.searchsorted(met[depth - 1], np.where(there, onward, 0))
            places = np.minimum(places, len(met[depth - 1]) - 1)
            ways = (ways[places] * there).sum(axis=1)
            mine = np.flatnonzero(moves == depth)
            solutions[mine] = ways[np.searchsorted(met[depth], ranks[mine])]
        status = np.zeros((3, count), np.uint8)
        status[2] = solutions != 1
        return Evaluation([moves, solutions, np.where(solutions == 1, moves, 0)], status)

    def _collect(
        self, ranks: NDArray[np.int64], moves: NDArray[np.int64]
    ) -> tuple[list[NDArray[np.int64]], list[NDArray[np.int64]]]:
        """Return by depth the ranks on shortest solutions and their successors one lower, or -1."""
        deepest = int(moves.max())
        met = [np.zeros(0, np.int64)] * (deepest + 1)
        successors = [np.zeros((0, 4), np.int64)] * (deepest + 1)
        above = np.zeros(0, np.int64)
        for depth in range(deepest, -1, -1):
            met[depth] = np.union1d(ranks[moves == depth], above)
            if depth:
                found = self._graph.successor_ranks(met[depth])
                lower = (found >= 0) & (self._depth[np.maximum(found, 0)] == depth - 1)
                successors[depth] = np.where(lower, found, -1)
                above = np.unique(found[lower])
        return met, successors
