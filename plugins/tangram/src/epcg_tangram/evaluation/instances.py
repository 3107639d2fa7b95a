"""The evaluator `instance`: what an instance shows, and what completes it."""

from __future__ import annotations

from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from epcg_core.plugin import Evaluation, Value
from epcg_tangram import metrics
from epcg_tangram.evaluation.by_game import by_game
from epcg_tangram.generators.instances import Instances
from epcg_tangram.rules.boards import Board, piece_texts
from epcg_tangram.rules.instance import Instance

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray


class InstanceFacts:
    """`given`, `completions`, `unique`, `board`."""

    domain_attributes = ("generator",)

    metrics = (metrics.GIVEN, metrics.COMPLETIONS, metrics.UNIQUE, metrics.BOARD)

    def __init__(self, generator: Any) -> None:
        self.generator = generator

    def evaluate(self, state: Instance) -> tuple[Value | None, ...]:
        """Evaluate an instance; `board` has no value if the instance was not made from one."""
        found = len(state.game.completing(state.shown, state.excluded))
        board = int(state.game.numbers([state.board])[0]) if state.board else None
        return len(state.shown), found, found == 1, board


class ListedInstanceFacts(InstanceFacts):
    """The same of the instances of a list, in arrays."""

    generator: Instances

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows of `Instances.rows`."""
        import numpy as np

        found = self.generator.completions(states)
        given = np.bitwise_count(states[:, 1]).astype(np.int64)
        board = self.generator.game.distinct_numbers[states[:, 0]]
        return Evaluation([given, found, found == 1, board])


@by_game
def instance_facts(params: Any, generator: Any, tables: Any = None) -> InstanceFacts:
    """Make the evaluator `instance`."""
    return ListedInstanceFacts(generator) if isinstance(generator, Instances) else InstanceFacts(generator)


def instance_solutions(params: Any, generator: Any) -> Callable[[Instance], list[list[str]]]:
    """Make the writer of solutions for kept instances: for each completion the pieces to place."""

    def solutions(state: Instance) -> list[list[str]]:
        hidden = [tuple(n for n in own if n not in state.shown) for own in state.completions()]
        return [piece_texts(Board(state.ref, placements)) for placements in hidden]

    return solutions
