"""Evaluators of sets of pieces and of boards: how many solved boards there are."""

from __future__ import annotations

from collections import Counter
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import Evaluation, NoParams, ParamsError
from epcg_tangram import metrics
from epcg_tangram.design.layout import Layout
from epcg_tangram.generators.sets import PieceSet, Sets
from epcg_tangram.generators.variants import BoardShape, BoardVariants, cells_of
from epcg_tangram.rules.covers import count_boards, problem_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class SetSolutions:
    """`solutions`, `fewest_placements` of a set: solved boards with each of its pieces once."""

    domain_attributes = ("layout",)

    metrics = (metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS)

    def __init__(self, generator: Sets) -> None:
        self.layout = generator.setting
        self._placements = Counter(placement.piece for placement in self.layout.placements)

    def evaluate(self, state: PieceSet) -> tuple[int, int]:
        chosen = set(state.pieces)
        copies = [(int(n in chosen),) * 2 for n in range(len(self.layout.definition.pieces))]
        fewest = min((self._placements[n] for n in chosen), default=0)
        return count_boards(self.layout, copies) if fewest else 0, fewest


class CompiledSetSolutions(SetSolutions):
    """The same of many sets at once, whose searches share what they have in common."""

    def evaluate_states(self, states: NDArray[np.uint8]) -> Evaluation:
        """Evaluate which pieces each set has: (n, pieces) uint8."""
        import numpy as np

        from epcg_core.plugin import count_covers

        kinds = len(self.layout.definition.pieces)
        places = np.array([self._placements[n] for n in range(kinds)], np.int64)
        fewest = np.where(states > 0, places, np.iinfo(np.int64).max).min(
            axis=1, initial=np.iinfo(np.int64).max
        )
        fewest[~(states > 0).any(axis=1)] = 0
        found = np.zeros(len(states), np.int64)
        problem = problem_of(self.layout, [(0, 1)] * kinds, True)
        placed = fewest > 0
        found[placed] = count_covers(problem, states[placed], states[placed])
        return Evaluation([found, fewest])


class BoardSolutions:
    """`solutions`, `fewest_placements` of a board: solved boards with the game's pieces, modulo symmetry."""

    metrics = (metrics.SOLUTIONS, metrics.FEWEST_PLACEMENTS)

    def __init__(self, generator: BoardVariants) -> None:
        self._definition = generator.params.definition

    def evaluate(self, state: BoardShape) -> tuple[int, int]:
        layout = Layout(attrs.evolve(self._definition, cells=cells_of(state), wants=(), sizes=()))
        placements = Counter(placement.piece for placement in layout.placements)
        kinds = self._definition.pieces
        fewest = min((placements[n] for n, kind in enumerate(kinds) if kind.least), default=0)
        fewest = fewest if any(kind.least for kind in kinds) else min(placements.values(), default=0)
        copies = [(kind.least, kind.most) for kind in kinds]
        return count_boards(layout, copies), fewest


def set_solutions(params: NoParams, generator: Any, tables: Any = None) -> SetSolutions:
    """Make the evaluator `set`. Raises ParamsError for other generators."""
    if not isinstance(generator, Sets):
        raise ParamsError("Sets of pieces are measured here: choose the generator sets.")
    compiled = not generator.params.definition.empty  # else covers that leave other cells empty are left out
    return (CompiledSetSolutions if compiled else SetSolutions)(generator)


def board_solutions(params: NoParams, generator: Any, tables: Any = None) -> BoardSolutions:
    """Make the evaluator `solutions`. Raises ParamsError for other generators."""
    if not isinstance(generator, BoardVariants):
        raise ParamsError("Boards are measured here: choose the generator boards.")
    return BoardSolutions(generator)
