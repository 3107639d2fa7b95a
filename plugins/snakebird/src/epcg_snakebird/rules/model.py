"""The transition model of levels: the rules as searches ask for them, plain and compiled."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from itertools import compress
from typing import TYPE_CHECKING, Any

from epcg_snakebird.rules.level import Cells, Level
from epcg_snakebird.rules.moves import Move, Position, as_text, start, successors
from epcg_snakebird.rules.variants import GAME, PAPER, Rules

if TYPE_CHECKING:
    from epcg_snakebird.rules.packed import PackedLevel

_KEPT = 4
"""Packed levels that differ in more than tiles, those used last."""


class SnakebirdModel:
    """The transition model of levels (`epcg_core.domain.TransitionModel`).

    Its actions are the legal moves by which no snake dies, so no dead state is ever reached.
    """

    domain_attributes = ("rules", "solution_text")

    def __init__(self, rules: Rules = PAPER) -> None:
        self.rules = rules
        self._expanded: tuple[Position, dict[Move, Position]] | None = None
        self._packed: OrderedDict[Hashable, PackedLevel] = OrderedDict()

    @property
    def play_identity(self) -> Rules:
        """The rules, by which models differ."""
        return self.rules

    def initial(self, level: Level) -> Position:
        """Return the level's first position."""
        return start(level)

    def actions(self, position: Position) -> Iterator[Move]:
        """Return the actions: snakes by index, then down, up, right, left."""
        return iter(self._successors(position))

    def apply(self, position: Position, move: Move) -> Position:
        """Return the next position. Raises ValueError for a move that is not one of the actions."""
        after = self._successors(position).get(move)
        if after is None:
            raise ValueError(f"The move {move} is not one of the actions here.")
        return after

    def is_goal(self, position: Position) -> bool:
        """Return whether all snakes are out."""
        return position.solved

    def key(self, position: Position) -> tuple[tuple[Cells, ...], Cells, Cells]:
        return position.snakes, position.objects, position.fruit

    def things(self, level: Level) -> list[str]:
        """Return the fruit, the objects, and the snakes if there are several."""
        snakes = range(1, len(level.snakes) + 1) if len(level.snakes) > 1 else ()
        objects = range(1, len(level.objects) + 1)
        return [
            *(["fruit"] if level.fruit else []),
            *(f"snake {number}" for number in snakes),
            *(f"object {number}" for number in objects),
        ]

    def forget(self, level: Level, things: Collection[str]) -> Callable[[Position], Hashable]:
        """Return the function from positions to their key without the places of some things."""
        snakes = [f"snake {number + 1}" not in things for number in range(len(level.snakes))]
        objects = [f"object {number + 1}" not in things for number in range(len(level.objects))]
        sees_fruit = "fruit" not in things
        return lambda position: (
            tuple(compress(position.snakes, snakes)),
            tuple(compress(position.objects, objects)),
            position.fruit if sees_fruit else (),
        )

    def solution_text(self, level: Level, moves: Sequence[Move]) -> str:
        """Write a solution of a level as it is recorded."""
        return as_text(moves)

    def packed(self, level: Level) -> PackedLevel:
        """Return the compiled form for one level (`epcg_core.domain.PackedModel`)."""
        # Variants of a level share all but their tiles, and those that differ in more come between them.
        from epcg_snakebird.rules.packed import PackedLevel, but_tiles

        key = but_tiles(level)
        kept = self._packed.pop(key, None)
        found = None if kept is None else kept.with_tiles_of(level)
        self._packed[key] = found = found or PackedLevel(level, self.rules)
        if len(self._packed) > _KEPT:
            self._packed.popitem(last=False)
        return found

    def _successors(self, position: Position) -> dict[Move, Position]:
        """Return successors by move, in order; keep the last position's, because each action comes next."""
        kept = self._expanded
        if kept is not None and kept[0] is position:
            return kept[1]
        found = dict(successors(position, self.rules))
        self._expanded = position, found
        return found


def model_of(generator: Any) -> SnakebirdModel:
    """Return the transition model of a generator; that of the game if it has none."""
    model = getattr(generator, "transition_model", None)
    return model if isinstance(model, SnakebirdModel) else SnakebirdModel(GAME)
