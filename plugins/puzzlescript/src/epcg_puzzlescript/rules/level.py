"""A level of a game, and a position of its play."""

from __future__ import annotations

from functools import cached_property, reduce
from operator import or_

import attrs

from epcg_core.plugin import Reading
from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.metrics import CHANCE, RESTARTS
from epcg_puzzlescript.rules.first_ticks import rests_at_first
from epcg_puzzlescript.rules.turn import Cells
from epcg_puzzlescript.rules.without_chance import WithoutChance, without_chance


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

    @cached_property
    def without_chance(self) -> WithoutChance | None:
        """The game without its random rules, if it has some and they do not matter here; else None."""
        return without_chance(self.game, reduce(or_, self.cells, 0)) if self.game.draws else None

    @cached_property
    def searched(self) -> Level:
        """The level as searches play it: without random rules that do not matter, and decoration."""
        found = self.without_chance
        if found is None:
            return self
        cells = tuple(cell & ~found.decoration for cell in self.cells)
        return Level(found.game, self.width, self.height, cells)

    @property
    def reading(self) -> Reading:
        """How the level's text was read, and what searches of this level leave out."""
        found = self.reading_of_others
        if RESTARTS not in found.unsearched or not self._rests_at_first:
            return found
        return _without(found, RESTARTS)

    @property
    def reading_of_others(self) -> Reading:
        """The same of levels that are made of this one, which may begin in another way."""
        found = self.game.reading
        return found if self.without_chance is None else _without(found, CHANCE)

    @cached_property
    def _rests_at_first(self) -> bool:
        """Whether a restart before the first key can cut nothing short, in a game without checkpoints."""
        level = self.searched
        if "checkpoint" in level.game.commands:
            return False
        return rests_at_first(level.game, level.width, level.height, level.cells)

    def __repr__(self) -> str:
        return f"Level({self.game.title!r}, {self.width} by {self.height}, {hash(self.cells):x})"


def _without(reading: Reading, reason: str) -> Reading:
    return attrs.evolve(reading, unsearched=tuple(each for each in reading.unsearched if each != reason))


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
