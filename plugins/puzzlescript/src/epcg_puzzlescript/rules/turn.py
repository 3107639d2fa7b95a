"""Inputs and outcomes of a turn, for all engines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol

import attrs

from epcg_core.plugin import LimitReachedError
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.problems import GameError

TICK = "tick"
"""The input of a real-time game that its clock gives: a turn without a movement."""
RESTART = "restart"
"""The player's restart, an input where it can lead from a checkpoint to a board that was not seen."""
INPUTS = ("up", "left", "down", "right", "action", TICK, RESTART)
"""The inputs in the order of their numbers."""
INPUT_BITS = {"up": 1, "left": 4, "down": 2, "right": 8, "action": 16}
MOST_PASSES = 200
"""So many passes a group, and jumps of loops a list, are made."""
MOST_RIGID_ROUNDS = 50
MOST_COMBINATIONS = 20_000_000
"""So many combinations of matches of one rule are visited at one time."""
MOST_AGAIN = 500
"""So many ticks may follow one input."""

Cells = tuple[int, ...]


class EndlessError(GameError, LimitReachedError):
    """A game that does not come to rest: for evaluators a limit that was reached."""

    values = None


class UndefinedMoveError(GameError):
    """Rules that move something in two directions at once, which the language does not define."""

    def __init__(self) -> None:
        super().__init__(
            "A rule moves an object in two directions at once, which the language does not define; name one "
            "direction for each object of a cell."
        )


class RandomError(GameError):
    """A game that draws random numbers where none can be had."""

    def __init__(self) -> None:
        super().__init__(
            "The game draws random numbers ('random', 'randomdir'), so its positions do not tell what an "
            "input does; it can be played with a seed, but not be searched."
        )


def input_numbers(game: Game) -> tuple[int, ...]:
    """Return the numbers of the inputs that a game takes."""
    left_out = {"action"} if game.says("noaction") else set()
    if not game.real_time:
        left_out.add(TICK)
    if not (game.keeps_checkpoints and game.player_restarts):
        left_out.add(RESTART)
    return tuple(number for number, given in enumerate(INPUTS) if given not in left_out)


@attrs.frozen
class Turn:
    """The result of steps 1 to 7 of a turn: rules and movement, without commands."""

    cells: Cells
    queue: tuple[str, ...] = ()
    """The commands, in order."""
    undone: bool = False
    """No player moved, in a game that requires it."""
    fired: frozenset[int] = frozenset()
    """The lines of the rules that changed something."""
    endless: frozenset[int] = frozenset()
    """The lines of groups and loops that were stopped after their 200 passes."""


class Engine(Protocol):
    """Plays turns on boards of one size."""

    def turn(self, cells: Cells, given: str | None) -> Turn:
        """Return what an input ('up', 'action', ...) or a tick (None) makes of a board.

        Raises UndefinedMoveError.
        """


def has_won(game: Game, cells: Sequence[int]) -> bool:
    """Return whether there are conditions and all hold."""
    if not game.conditions:
        return False
    for condition in game.conditions:
        what, on = condition.what, condition.on
        if condition.quantifier == "all":
            holds = all((on.lies_in(cell) if on else cell != 0) for cell in cells if what.lies_in(cell))
        else:
            some = any(what.lies_in(cell) and (on is None or on.lies_in(cell)) for cell in cells)
            holds = some == (condition.quantifier == "some")
        if not holds:
            return False
    return True
