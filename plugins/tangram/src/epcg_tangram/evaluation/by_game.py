"""Evaluators of instances of several games: each instance is measured by the evaluator of its own game."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import wraps
from typing import TYPE_CHECKING, Any, Protocol

from epcg_core.plugin import NONE, VALUE, CompiledEvaluator, Evaluation, Metric, ParamsError, Value

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_tangram.rules.instance import Instance

Factory = Callable[..., Any]


class SeveralGames(Protocol):
    """A generator of instances of several games."""

    games: Sequence[Any]
    """The instances of each game."""

    def game_of(self, state: Instance) -> int:
        """Return the number of the game of an instance."""


class ByGame:
    """An evaluator made of one for each game."""

    domain_attributes = ("generator",)

    def __init__(self, generator: SeveralGames, evaluators: Sequence[Any]) -> None:
        self.generator = generator
        self.metrics: Sequence[Metric] = evaluators[0].metrics
        self._evaluators = evaluators

    def evaluate(self, state: Instance) -> Sequence[Value | None] | None:
        """Return the values that the evaluator of the state's game gives."""
        own = self._evaluators[self.generator.game_of(state)]
        found: Sequence[Value | None] | None = own.evaluate(state)
        return found

    def plain(self) -> ByGame:
        """Return the plain forms of the games' evaluators."""
        plain = [own.plain() if isinstance(own, CompiledEvaluator) else own for own in self._evaluators]
        return ByGame(self.generator, plain)


class ListedByGame(ByGame):
    """The evaluator of several games in arrays, if every game's evaluator takes arrays."""

    def evaluate_states(self, states: NDArray[np.int64]) -> Evaluation:
        """Evaluate rows: the number of the game, then the columns of that game's own instances."""
        import numpy as np

        values: list[NDArray[Any]] = []
        status = np.full((len(self.metrics), len(states)), NONE, np.uint8)
        for number in np.unique(states[:, 0]).tolist() or [0]:
            there = states[:, 0] == number
            found: Evaluation = self._evaluators[number].evaluate_states(states[there, 1:])
            if not values:
                values = [np.zeros(len(states), np.asarray(column).dtype) for column in found.values]
            for column, own in zip(values, found.values, strict=True):
                column[there] = own
            status[:, there] = VALUE if found.status is None else found.status
        return Evaluation(values, status if status.any() else None)


def by_game(factory: Factory) -> Factory:
    """Make a factory of evaluators of instances that takes those of several games, too.

    It raises ParamsError for a generator of other states.
    """

    @wraps(factory)
    def made(params: Any, generator: Any, tables: Any = None) -> Any:
        games = getattr(generator, "games", None)
        if games is None:
            if generator.max_rank and not hasattr(generator.unrank(0), "completions"):
                raise ParamsError("Instances are measured here: choose the generator instances.")
            return factory(params, generator, tables)
        evaluators = [factory(params, own, tables) for own in games]
        listed = all(hasattr(own, "evaluate_states") for own in evaluators)
        return (ListedByGame if listed else ByGame)(generator, evaluators)

    return made
