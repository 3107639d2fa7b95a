"""Evaluators that search for solutions: solvable, unique, winning_moves, edit_effect and solution.

Each has a plain form, which is the definition and uses no table, and a compiled one, which uses the endgame
tables that are at hand. They agree on every board.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any, ClassVar

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LIMIT, NONE, VALUE, Bits, EpcgError, Evaluation, Metric, NoParams, Value
from epcg_fling import metrics
from epcg_fling.params import UniquenessParams
from epcg_fling.rules.moves import BoardShape, fling, legal_moves
from epcg_fling.rules.solving import Solver, moves_touching_disturbed, piece_switches


class _SearchEvaluator:
    """The common part of these evaluators: the shape, a plain solver and a compiled search."""

    domain_attributes: ClassVar[tuple[str, ...]] = ("shape",)

    metrics: Sequence[Metric]

    def __init__(
        self, params: NoParams | UniquenessParams, generator: Any, tables: Mapping[str, Bits] | None = None
    ) -> None:
        from epcg_fling.search.solutions import SolutionSearch

        uniqueness = params.uniqueness if isinstance(params, UniquenessParams) else "successors"
        self.shape: BoardShape = generator.setting
        self._uniqueness = uniqueness
        self._search = SolutionSearch(self.shape, tables, uniqueness)

    def _solver(self) -> Solver:
        return Solver(self.shape, self._uniqueness)


class Solvable(_SearchEvaluator):
    """`solvable`: whether some sequence of moves leaves one piece."""

    metrics = (metrics.SOLVABLE,)

    def evaluate(self, state: int) -> tuple[Value, ...]:
        return (self._solver().solvable(state),)

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.search.measure_kernels import measure_solvable

        out, status = self._search.run(measure_solvable, states, 1)
        return Evaluation([out[0] != 0], status)


class Unique(_SearchEvaluator):
    """`unique`: whether the solution is unique, except for the last move, by the convention of the params."""

    metrics = (metrics.UNIQUE,)

    def evaluate(self, state: int) -> tuple[Value, ...]:
        return (self._solver().unique(state),)

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.search.measure_kernels import measure_unique

        out, status = self._search.run(measure_unique, states, 1)
        return Evaluation([out[0] != 0], status)


class WinningMoves(_SearchEvaluator):
    """`winning_moves`: the legal moves after which the board is still solvable (Sturtevant 2013)."""

    metrics = (metrics.WINNING_MOVES,)

    def evaluate(self, state: int) -> tuple[Value, ...]:
        return (len(self._solver().winning_moves(state)),)

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.search.measure_kernels import measure_winning_moves

        out, status = self._search.run(measure_winning_moves, states, 1)
        return Evaluation([out[0]], status)


@attrs.frozen
class CellEdit:
    """The solvability of a board when one cell is edited."""

    cell: int
    adds: bool
    """A piece is added; otherwise the piece there is removed."""
    solvable: bool
    """After the edit."""
    unique: bool
    """After the edit."""
    changes_solvability: bool
    changes_uniqueness: bool


class EditEffect(_SearchEvaluator):
    """The number of cells that change solvability, and uniqueness, by one edit (Sturtevant 2013).

    An edit removes the piece of a cell or adds one. The board without pieces is not solvable.
    """

    domain_attributes = ("edits",)

    metrics = metrics.EDIT_METRICS

    def evaluate(self, state: int) -> tuple[Value, ...]:
        solver = self._solver()
        solvable, unique = solver.solvable(state), solver.unique(state)
        edited = [state ^ 1 << cell for cell in range(self.shape.cells)]
        return (
            sum(solver.solvable(board) != solvable for board in edited),
            sum(solver.unique(board) != unique for board in edited),
        )

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.search.measure_kernels import measure_edits

        out, status = self._search.run(measure_edits, states, 2)
        return Evaluation([out[0], out[1]], status)

    def edits(self, state: int) -> list[CellEdit]:
        """Say for each cell what its edit does. Raises EpcgError if the search runs out of memory."""
        from epcg_fling.search.measure_kernels import list_edits
        from epcg_fling.search.solutions import single

        out, status = self._search.run(list_edits, single(state), 2 * self.shape.cells + 2)
        if status[0] == LIMIT:
            raise EpcgError(
                f"The board {state} has too many boards below it to judge its edits: record the endgame "
                "table of a layer below it first."
            )
        verdicts = out.reshape(-1, 2) != 0
        solvable, unique = verdicts[-1]
        return [
            CellEdit(
                cell,
                not state >> cell & 1,
                bool(after[0]),
                bool(after[1]),
                bool(after[0] != solvable),
                bool(after[1] != unique),
            )
            for cell, after in enumerate(verdicts[:-1])
        ]


class Solution(_SearchEvaluator):
    """Measures of the first solution in the order of `legal_moves`; none for boards without one."""

    metrics = metrics.SOLUTION_METRICS

    def evaluate(self, state: int) -> tuple[Value, ...] | None:
        solution = self._solver().first_solution(state)
        if solution is None:
            return None
        branches, board = 0, state
        for move in solution:
            branches += len(legal_moves(self.shape, board))
            board = fling(self.shape, board, move)
        return (
            len(solution),
            piece_switches(self.shape, state, solution),
            moves_touching_disturbed(self.shape, state, solution),
            branches / len(solution) if solution else 0.0,
        )

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        from epcg_fling.search.measure_kernels import measure_solutions

        out, status = self._search.run(measure_solutions, states, 5)
        solvable, length, switches, touching, branches = out
        status[(status == VALUE) & (solvable == 0)] = NONE
        branching = np.zeros(length.size, dtype=np.float64)
        np.divide(branches, length, out=branching, where=length > 0)
        return Evaluation([length, switches, touching, branching], status)
