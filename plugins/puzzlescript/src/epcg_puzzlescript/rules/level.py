"""A level of a game, and a position of its play."""

from __future__ import annotations

import attrs

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.turn import Cells


@attrs.frozen(repr=False)
class Level:
    """A level: equal to others of the same size and content in games of the same rules."""

    game: Game = attrs.field(eq=False)
    width: int
    height: int
    cells: Cells
    """A mask of objects for each cell; the cell (x, y) has the index x * height + y."""
    rules: str = attrs.field(init=False)
    """The identity of the game."""

    @rules.default
    def _rules(self) -> str:
        return self.game.identity

    def __repr__(self) -> str:
        return f"Level({self.game.title!r}, {self.width} by {self.height}, {hash(self.cells):x})"


@attrs.frozen(repr=False)
class Position:
    """A position of play of a level."""

    level: Level
    cells: Cells
    won: bool = False
    checkpoint: Cells | None = None
    """The board of the last checkpoint, if the game keeps checkpoints, and a restart may lead elsewhere."""
    restarts: bool = False
    """Whether a restart by the player leads to a board that was not seen when the checkpoint was set."""

    def __repr__(self) -> str:
        return f"Position({self.level!r}, {hash(self.cells):x}, won={self.won})"
