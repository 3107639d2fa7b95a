"""Evaluators of sets of pieces and of boards: how many solved boards there are."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import Evaluation, NoParams, ParamsError
from epcg_tangram import metrics
from epcg_tangram.design.layout import Layout
from epcg_tangram.generators.sets import PieceSet, Sets
from epcg_tangram.generators.variants import BoardShape, BoardVariants
from epcg_tangram.params import SolutionsParams
from epcg_tangram.rules.covers import count_boards, problem_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SetSolutions:
    """`solutions`, `fewest_placements` of a set: solved boards that use all of its pieces.

    They are counted modulo the symmetries that keep the pieces of the set, whatever other pieces there are.
    """

    domain_attributes = ("layout",)

    metrics = (metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS)

    def __init__(self, generator: Sets) -> None:
        self.layout = generator.setting
        self._placements = Counter(placement.piece for placement in self.layout.placements)

    def evaluate(self, state: PieceSet) -> tuple[int, int]:
        fewest = min((self._placements[n] for n in state.pieces), default=0)
        if not fewest:
            return 0, 0
        copies = state.copies
        return count_boards(self._game_of(list(copies)), [(n, n) for n in copies.values()]), fewest

    def _game_of(self, pieces: Sequence[int]) -> Layout:
        """Return the layout of the game that has some of the pieces only."""
        definition = self.layout.definition
        return Layout(attrs.evolve(definition, pieces=tuple(definition.pieces[n] for n in pieces)))


class CompiledSetSolutions(SetSolutions):
    """The same of many sets at once, whose searches share what they have in common."""

    def _ordered(self, states: NDArray[np.uint16]) -> NDArray[np.uint16]:
        """Return as good sets: of pieces that lie alike the first have most copies."""
        import numpy as np

        found = states.copy()
        for own in self.layout.alike:
            found[:, own] = -np.sort(-states[:, own].astype(np.int64), axis=1)
        return found

    def _images(self, targets: Sequence[int]) -> list[int]:
        """Return the image of each piece under a symmetry, by the order of those that lie alike; or -1."""
        alike = self.layout.alike
        found = [-1] * len(self.layout.definition.pieces)
        for own, target in zip(alike, targets, strict=True):
            for piece, other in zip(own, alike[target] if target >= 0 else (), strict=False):
                found[piece] = other
        return found

    def evaluate_states(self, states: NDArray[np.uint16]) -> Evaluation:
        """Evaluate how many copies of each piece each set has: (n, pieces) uint16."""
        import numpy as np

        from epcg_core.plugin import count_covers

        chosen = states > 0
        kinds = states.shape[1]
        places = np.array([self._placements[n] for n in range(kinds)], np.int64)
        most = np.iinfo(np.int64).max
        fewest = np.where(chosen, places, most).min(axis=1, initial=most)
        fewest[~chosen.any(axis=1)] = 0
        found = np.zeros(len(states), np.int64)
        symmetries = self.layout.board_symmetries
        states = self._ordered(states)
        chosen = states > 0
        images = np.array([self._images(targets) for _, _, targets in symmetries], np.int64)
        moved = np.where(images >= 0, states[:, images], 0)  # (sets, symmetries, pieces)
        kept = ((moved == states[:, None, :]) | ~chosen[:, None, :]).all(axis=2)
        groups, numbers = np.unique(kept, axis=0, return_inverse=True)
        for number, group in enumerate(groups):
            there = (numbers.reshape(-1) == number) & (fewest > 0)
            # the pieces that all of these symmetries keep together
            pieces = np.flatnonzero((images[group] >= 0).all(axis=0)).tolist()
            if there.any():
                rows = np.ascontiguousarray(states[there][:, pieces])
                copies = [(0, most) for most in rows.max(axis=0).tolist()]
                keeping = {number for (number, _, _), keeps in zip(symmetries, group, strict=True) if keeps}
                game = self._game_of(pieces)
                own = [each for each in game.symmetries_with(copies) if each.number in keeping]
                problem = problem_of(game, copies, own)
                found[there] = count_covers(problem, rows, rows)
        return Evaluation([found, fewest])


class BoardSolutions:
    """`solutions`, `fewest_placements` of a board: solved boards with the game's pieces."""

    domain_attributes = ("params",)

    metrics = (metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS)

    def __init__(self, params: SolutionsParams, generator: BoardVariants) -> None:
        self.params = params
        self._definition = generator.params.definition

    def evaluate(self, state: BoardShape) -> tuple[int, int]:
        layout = Layout(state.definition)
        placements = Counter(placement.piece for placement in layout.placements)
        kinds = self._definition.pieces
        fewest = min((placements[n] for n, kind in enumerate(kinds) if kind.least), default=0)
        fewest = fewest if any(kind.least for kind in kinds) else min(placements.values(), default=0)
        copies = [(kind.least, kind.most) for kind in kinds]
        return count_boards(layout, copies, self.params.boards), fewest


def set_solutions(params: NoParams, generator: Any, tables: Any = None) -> SetSolutions:
    """Make the evaluator `set`. Raises ParamsError for other generators."""
    if not isinstance(generator, Sets):
        raise ParamsError("Sets of pieces are measured here: choose the generator sets.")
    return CompiledSetSolutions(generator)


def board_solutions(params: SolutionsParams, generator: Any, tables: Any = None) -> BoardSolutions:
    """Make the evaluator `solutions`. Raises ParamsError for other generators."""
    if not isinstance(generator, BoardVariants):
        raise ParamsError("Boards are measured here: choose the generator boards.")
    return BoardSolutions(params, generator)
