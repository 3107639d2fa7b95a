"""The entropy that the paper's program computed for its Table 3: another recursion than the paper's words.

- The value of a state is 0 if all is placed, and infinite if a piece that is left has no placement.
- The first piece of the game's text, other than a trapezoid, with exactly one placement is placed at no cost.
- Otherwise placements are struck that rules 3 and 4 call a dead end. The piece with the fewest placements
  left, but more than none, is chosen; ties go by NUMBERS. A trapezoid's placements count twice. The value
  is log2 of their number plus the least value after one of them.
- Rule 2 is not applied, and on boards without trapezoids the Snake is never chosen.
"""

from __future__ import annotations

from collections.abc import Sequence
from math import inf, log2
from typing import TYPE_CHECKING, Any

import attrs

from epcg_core.plugin import NONE, Answer, Evaluation, Metric, ParamsError
from epcg_tangram import metrics
from epcg_tangram.evaluation.by_game import by_game
from epcg_tangram.generators.instances import Instances
from epcg_tangram.inference.rules import region_shape, region_size
from epcg_tangram.params import BoardsParams, GameParams, PublishedEntropyParams
from epcg_tangram.rules.games import Game
from epcg_tangram.rules.instance import Instance
from epcg_tangram.rules.model import Position
from epcg_tangram.texts.game_files import USUAL, definition_of

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

NUMBERS = (3, 4, 5, 6, 7, 9, 0, 2, 1, 8)
"""The number that the published program gives each piece of the game's text."""
_PIECES = definition_of(USUAL).names
_TRAPEZOID, _SNAKE = _PIECES.index("Trapezoid"), _PIECES.index("Snake")
WEIGHTS = {"twice": (0, 2, 2), "twice while both are left": (0, 1, 2), "once": (0, 1, 1)}
"""How often a trapezoid's placement counts, by the trapezoids that are left."""


def plain(instance: Instance, weights: Sequence[int]) -> float:
    """Return the entropy of an instance in bits; infinite if no solution is found."""
    never = _SNAKE if _TRAPEZOID in instance.excluded else None

    def value(position: Position) -> float:
        if not position.empty:
            return 0.0
        legal: dict[int, list[int]] = {piece: [] for piece, left in enumerate(position.copies) if left}
        for action in position.legal:
            legal[position.piece(action)].append(action)
        if not all(legal.values()):
            return inf
        for piece, actions in legal.items():
            if len(actions) == 1 and piece != _TRAPEZOID:
                return value(position.after(actions[0]))
        counts = {}
        for piece in set(legal) - {never}:
            legal[piece] = [action for action in legal[piece] if not is_dead(position, action)]
            weight = weights[position.copies[piece]] if piece == _TRAPEZOID else 1
            if legal[piece]:
                counts[piece] = weight * len(legal[piece])
        if not counts:
            return inf
        fewest = min(counts, key=lambda piece: (counts[piece], NUMBERS[piece]))
        return log2(counts[fewest]) + min(value(position.after(action)) for action in legal[fewest])

    return value(Position(instance))


def is_dead(position: Position, action: int) -> bool:
    """Return whether an action leaves a region that rule 3 or 4 says the pieces left cannot fill."""
    return Answer.CANNOT in (region_size(position, action), region_shape(position, action))


class PublishedEntropy:
    """The evaluator `published_entropy`; no value if the recursion finds no solution."""

    domain_attributes = ("generator", "params")

    metrics: Sequence[Metric] = (metrics.PUBLISHED_ENTROPY,)

    def __init__(self, params: PublishedEntropyParams, generator: Any) -> None:
        self.params = params
        self.generator = generator
        self._weights = WEIGHTS[params.trapezoids]

    def evaluate(self, state: Instance) -> tuple[float] | None:
        """Return the entropy in bits, by the plain recursion."""
        found = plain(state, self._weights)
        return None if found == inf else (found,)


class ListedPublishedEntropy(PublishedEntropy):
    """The same of a list of instances, compiled."""

    generator: Instances

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows of `Instances.rows`."""
        import numpy as np

        from epcg_core.plugin import read_only
        from epcg_tangram.evaluation.entropy import logarithms, tiles
        from epcg_tangram.studies import published_kernels as kernels

        own: Game = self.generator.game
        table = tiles(own.params)
        masks = np.append(table.masks, np.uint64(0))
        shown = [self.generator.state(row) for row in states]
        values = np.zeros(len(states))
        kernels.measure_all(
            table,
            own.setting.cells,
            read_only(np.array([np.bitwise_or.reduce(masks[[*i.shown, -1]]) for i in shown], np.uint64)),
            read_only(np.array([i.copies for i in shown], np.int64).reshape(len(shown), len(_PIECES))),
            read_only(np.array([_SNAKE if _TRAPEZOID in i.excluded else -1 for i in shown], np.int64)),
            _TRAPEZOID,
            read_only(np.array(NUMBERS, np.int64)),
            read_only(np.array(self._weights, np.int64)),
            logarithms(2 * len(own.pieces)),
            values,
        )
        found = np.isfinite(values)
        status = None if found.all() else np.where(found, 0, NONE).astype(np.uint8)[None]
        return Evaluation([np.where(found, values, 0.0)], status)


@by_game
def published_entropy(params: PublishedEntropyParams, generator: Any, tables: Any = None) -> PublishedEntropy:
    """Make the evaluator `published_entropy`. Raises ParamsError for other games than that of chapter 1."""
    if not isinstance(generator, Instances) or generator.params.excluded == "unknown":
        raise ParamsError("published_entropy measures instances whose excluded piece is known: use those.")
    usual = attrs.asdict(BoardsParams(boards=generator.rules.boards))
    if generator.rules != GameParams(**usual):
        raise ParamsError(
            "published_entropy is known for the front of the board of side 3 with the usual pieces and "
            "without colours: leave the other params out."
        )
    return ListedPublishedEntropy(params, generator)
