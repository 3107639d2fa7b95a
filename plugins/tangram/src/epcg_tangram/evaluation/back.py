"""Evaluators of bump patterns: what they allow on the back of the board."""

from __future__ import annotations

from collections.abc import Sequence
from functools import cached_property
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import EpcgError, Evaluation, Metric, NoParams, ParamsError
from epcg_tangram import metrics
from epcg_tangram.generators.boards import SolvedBoards
from epcg_tangram.generators.bumps import BumpPatterns
from epcg_tangram.params import BackParams, GameRef
from epcg_tangram.rules.boards import Board
from epcg_tangram.rules.bumps import BumpPattern, class_bits, is_legal, placement_classes
from epcg_tangram.rules.games import turns_with_bumps

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class Back:
    """`back_solutions`: how many solved boards a pattern allows.

    All their orientations count, over the turns that keep the bumps.
    """

    domain_attributes = ("boards",)

    metrics: Sequence[Metric] = (metrics.BACK_SOLUTIONS,)

    def __init__(self, boards: SolvedBoards) -> None:
        self.boards = boards
        # Of boards that count in every orientation already, all are taken as they are.
        self._images = self.boards.cover_problem.images
        self._turns = len(turns_with_bumps(boards.setting))

    def evaluate(self, state: BumpPattern) -> tuple[int, ...]:
        game, covers = self.boards.params.ref, self.boards.covers.tolist()
        totals = [0] * self._puzzles.shape[1]
        for row, puzzles in zip(covers, self._puzzles.tolist(), strict=True):
            placed = [number for number in row if number >= 0]
            turned = (Board(game, tuple(image[number] for number in placed)) for image in self._images)
            legal = sum(is_legal(board, state) for board in turned)
            totals = [total + legal * count for total, count in zip(totals, puzzles, strict=True)]
        return self._values(tuple(self._over_turns(total) for total in totals))

    def _values(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        """Return the metrics of a pattern that allows so many puzzles of each kind."""
        return counts

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        """Evaluate allowed classes as bits, (n,) uint64."""
        return Evaluation(list(self._counts(states).T.copy()))

    def _counts(self, states: NDArray[np.uint64]) -> NDArray[np.int64]:
        """Return how many puzzles each pattern allows: (n, kinds)."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_tangram.evaluation.back_kernels import count_legal

        needed, weights = self._needs
        legal = np.zeros((len(states), weights.shape[1]), np.int64)
        count_legal(read_only(states), needed, weights, legal)
        if (legal % self._turns).any():
            raise EpcgError(_UNEVEN)
        return legal // self._turns

    def _over_turns(self, legal: int) -> int:
        if legal % self._turns:
            raise EpcgError(_UNEVEN)
        return legal // self._turns

    @cached_property
    def _puzzles(self) -> NDArray[np.int64]:
        """(boards, kinds): how many puzzles of each kind a board is: one."""
        import numpy as np

        return np.ones((len(self.boards.covers), 1), np.int64)

    @cached_property
    def _needs(self) -> tuple[NDArray[np.uint64], NDArray[np.int64]]:
        """The sets of classes that boards need, in all their orientations, and how many puzzles need each.

        Returns (m,) uint64 and (m, kinds) int64.
        """
        import numpy as np

        from epcg_core.plugin import read_only

        board = self.boards.setting
        known = placement_classes(board)
        bits = [class_bits(board.definition, p.piece, [known[n]]) for n, p in enumerate(board.placements)]
        covers = self.boards.covers
        needs = []
        for image in self._images:
            of = np.array([*(bits[number] for number in image), 0], np.uint64)  # -1 needs nothing
            needs.append(np.bitwise_or.reduce(of[covers], axis=1))
        needed, numbers = np.unique(np.concatenate(needs), return_inverse=True)
        weights = np.zeros((len(needed), self._puzzles.shape[1]), np.int64)
        np.add.at(weights, numbers.reshape(-1), np.tile(self._puzzles, (len(self._images), 1)))
        return read_only(needed.astype(np.uint64)), read_only(weights)


class BackChapters(Back):
    """The puzzles of each type of constraint on the back, and the fewest of them.

    A solved board is a puzzle for every choice of colours that it satisfies.
    """

    metrics = (*metrics.CHAPTERS, metrics.SMALLEST_CHAPTER)

    def _values(self, counts: tuple[int, ...]) -> tuple[int, ...]:
        return (*counts, min(counts))

    def evaluate_states(self, states: NDArray[np.uint64]) -> Evaluation:
        """Evaluate allowed classes as bits, (n,) uint64."""
        counts = self._counts(states)
        return Evaluation([*counts.T.copy(), counts.min(axis=1)])

    @cached_property
    def _puzzles(self) -> NDArray[np.int64]:
        """(boards, 6): one without colours, and for each type of constraint the choices of its colours."""
        import numpy as np

        from epcg_tangram.evaluation.boards import Colours

        covers = self.boards.covers
        met = Colours(NoParams(), self.boards, {}).evaluate_states(covers).values
        columns = [np.ones(len(covers), np.int64), *(np.asarray(column) for column in met)]
        return np.stack(columns, axis=1).astype(np.int64)


_UNEVEN = "Some boards look the same after a turn that keeps the bumps, so they cannot be counted by turns."


def _patterns_only(params: BackParams, generator: Any) -> SolvedBoards:
    """Return the boards of an evaluator, which measures patterns. Raises ParamsError for other generators."""
    if not isinstance(generator, BumpPatterns):
        raise ParamsError("Patterns of bumps are measured here: choose the generator bump_patterns.")
    own = generator.params.ref
    boards = params.boards
    if boards.ref == GameRef():  # not said: those of the patterns' game
        boards = attrs.evolve(boards, game=own.game, sizes=own.sizes, sha256=own.sha256)
    if boards.definition.pieces != generator.definition.pieces:
        raise ParamsError("boards: the solved boards have other pieces than the bump patterns.")
    return SolvedBoards(boards)


def make_back(params: BackParams, generator: BumpPatterns, tables: Any) -> Back:
    """Make the evaluator `back`. Raises ParamsError for boards that cannot be covered."""
    return Back(_patterns_only(params, generator))


def make_back_chapters(params: BackParams, generator: BumpPatterns, tables: Any) -> BackChapters:
    """Make the evaluator `back_chapters`. Raises ParamsError for boards that cannot be covered."""
    return BackChapters(_patterns_only(params, generator))
