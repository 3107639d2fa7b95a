"""The transition model of levels: the rules as searches ask for them, plain and compiled."""

from __future__ import annotations

from collections.abc import Callable, Collection, Hashable, Iterator, Sequence
from functools import reduce
from operator import or_
from typing import TYPE_CHECKING

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules.changes import Changes
from epcg_puzzlescript.rules.level import Level, Position
from epcg_puzzlescript.rules.living import Life, Living
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import (
    INPUTS,
    RESTART,
    TICK,
    Cells,
    Engine,
    RandomError,
    input_numbers,
)

if TYPE_CHECKING:
    from epcg_puzzlescript.rules.checkpoints import CheckpointLevel
    from epcg_puzzlescript.rules.packed import PackedLevel
    from epcg_puzzlescript.rules.tables import Tables

_KEPT = 8
LARGE = 100
"""Games of more cells of elementary rules, times the words of a board, are reduced to what a level needs."""
MOST_LIVES = 8
"""Levels with further sets of objects have the tables of the whole game: spaces of levels share them."""
_Key = tuple[str, int, int]
LETTERS = {"up": "u", "left": "l", "down": "d", "right": "r", "action": "a", TICK: "t", RESTART: "c"}


class PuzzleScriptModel:
    """The transition model of levels (`epcg_core.domain.TransitionModel`).

    An action is an input, with all ticks that follow it ('again'). A real-time game has one more: the tick
    of its clock, which may come after any number of other inputs, or before them. The player's restart is one
    if the last checkpoint was set where it leads to a board that was not seen. Inputs that change nothing are
    not actions. Undo is left out, and so are keys that are pressed before the ticks of an input end.
    """

    domain_attributes = ("inputs", "packed_anywhere", "played", "restarted", "solution_text", "tables")
    play_identity = "rules"
    """All models play alike: the rules are the level's own."""

    def __init__(self, engine: Engine | None = None) -> None:
        """Make a model; with an `engine`, one for boards of the game and size of that."""
        self._own = engine
        self._expanded: tuple[Position, dict[str, Position]] | None = None
        self._engines: dict[_Key, PlainEngine] = {}
        self._living: dict[_Key, Living | None] = {}
        self._tables: dict[_Key, dict[Life | None, Tables]] = {}

    def initial(self, level: Level) -> Position:
        """Return the first position, after the rules that run at the start; their ticks can win the level.

        Raises RandomError if chance may decide on the level, and EndlessError if it
        does not come to rest.
        """
        level = level.searched
        if level.game.draws:
            raise RandomError()
        play = Play(level.game, self._engine(level), level.cells)
        play.checkpoints = level.game.keeps_checkpoints
        play.start()
        return self._rest(Position(level, level.cells), play)

    def inputs(self, game: Game) -> tuple[str, ...]:
        """Return the inputs that a game takes."""
        return tuple(INPUTS[number] for number in input_numbers(game))

    def actions(self, position: Position) -> Iterator[str]:
        """Return the inputs that change something: up, left, down, right, action, tick, restart."""
        return iter(self._successors(position))

    def apply(self, position: Position, given: str) -> Position:
        """Return the next position. Raises ValueError for an input that is not one of the actions."""
        after = self._successors(position).get(given)
        if after is None:
            raise ValueError(f"The input {given} is not one of the actions here.")
        return after

    def is_goal(self, position: Position) -> bool:
        """Return whether the level is won."""
        return position.won

    def key(self, position: Position) -> tuple[Hashable, ...]:
        return position.cells, position.won, position.checkpoint, position.restarts

    def things(self, level: Level) -> list[str]:
        """Return the objects of a level that can move or change, by their names."""
        level = level.searched
        there = reduce(or_, level.cells, 0) & Changes(level.game).objects & ~level.game.background_layer
        return [thing.name for thing in level.game.objects if there >> thing.number & 1]

    def forget(self, level: Level, things: Collection[str]) -> Callable[[Position], Cells]:
        """Return the function from positions to boards without some objects."""
        kept = ~sum(1 << thing.number for thing in level.searched.game.objects if thing.name in things)
        return lambda position: tuple(cell & kept for cell in position.cells)

    def action_text(self, given: str) -> str:
        """Return an input in words."""
        return given

    def solution_text(self, level: Level, inputs: Sequence[str]) -> str:
        """Write a solution as it is recorded: a letter for each input."""
        return "".join(LETTERS[given] for given in inputs)

    def played(self, position: Position, given: str) -> Play:
        """Return the play of a position after an input. Raises EndlessError."""
        level = position.level
        play = Play(level.game, self._engine(level), position.cells)
        play.restart_cells = position.checkpoint or level.cells
        play.checkpoints = level.game.keeps_checkpoints
        if given == RESTART:
            play.restart()
        else:
            play.input(None if given == TICK else given)
        return play

    def _rest(self, before: Position, play: Play) -> Position:
        """Return the position in which a play came to rest. Raises EndlessError."""
        level, game = before.level, before.level.game
        if not game.keeps_checkpoints or play.won:
            return Position(level, play.cells, play.won)
        if not play.checkpointed:
            return Position(level, play.cells, False, before.checkpoint, before.restarts)
        checkpoint = play.restart_cells
        again = Play(game, play.engine, level.cells)
        again.restart_cells = checkpoint
        again.restart()
        came_back = not again.won and (again.cells, again.restart_cells) == (play.cells, checkpoint)
        restarts = game.player_restarts and not came_back
        kept = checkpoint if restarts or "restart" in game.commands else None
        return Position(level, play.cells, False, kept, restarts)

    def restarted(self, level: Level) -> tuple[Cells, bool]:
        """Return the board after a restart, and whether ticks follow."""
        level = level.searched
        play = Play(level.game, self._engine(level), level.cells)
        play.restart_board()
        return play.cells, play.again

    def packed(self, level: Level) -> PackedLevel | CheckpointLevel:
        """Return the compiled form for one level (`epcg_core.domain.PackedModel`).

        Rules of a large game that cannot match on this level are not looked at. If the game keeps
        checkpoints, only turns are compiled.
        """
        level = level.searched
        if level.game.keeps_checkpoints:
            from epcg_puzzlescript.rules.checkpoints import CheckpointLevel
            from epcg_puzzlescript.rules.planes import PlaneEngine

            tables = self._tables_for(level, 0)
            engine = PlaneEngine(level.game, level.width, level.height, tables=tables)
            return CheckpointLevel(level, tables, PuzzleScriptModel(engine))
        return self._packed(level, 0)

    def packed_anywhere(self, level: Level, anywhere: int) -> PackedLevel:
        """Return the compiled form for a level and others in which objects of a mask lie elsewhere."""
        return self._packed(level, anywhere)

    def _packed(self, level: Level, anywhere: int) -> PackedLevel:
        from epcg_puzzlescript.rules.packed import PackedLevel

        first, (restart, again) = self.initial(level).cells, self.restarted(level)
        objects = 0
        if not anywhere:
            for cells in (first, level.cells, restart):
                objects |= reduce(or_, cells)
        return PackedLevel(level, first, restart, again, self._tables_for(level, objects), anywhere)

    def tables(self, level: Level) -> Tables:
        """Return the tables by which searches of a level play."""
        level = level.searched
        return self._tables_for(level, reduce(or_, level.cells, 0))

    def _tables_for(self, level: Level, objects: int) -> Tables:
        """Return the tables for a level with a mask of objects; those of the whole game for 0."""
        from epcg_puzzlescript.rules.tables import make_tables

        key = self._key(level)
        if key not in self._tables:
            while len(self._tables) >= _KEPT:
                old = next(iter(self._tables))
                del self._tables[old], self._living[old]
            self._tables[key] = {}
            self._living[key] = Living(level.game) if is_large(level) else None
        kept, living = self._tables[key], self._living[key]
        life = living.life(objects) if living is not None and objects else None
        if life not in kept and len(kept) >= MOST_LIVES:
            life = None
        if life not in kept:
            game = level.game if living is None or life is None else living.game(life)
            kept[life] = make_tables(game, level.width, level.height)
        return kept[life]

    @staticmethod
    def _key(level: Level) -> _Key:
        return level.rules, level.width, level.height

    def _engine(self, level: Level) -> Engine:
        if self._own is not None:
            return self._own
        key = self._key(level)
        engine = self._engines.get(key)
        if engine is None:
            while len(self._engines) >= _KEPT:
                self._engines.pop(next(iter(self._engines)))
            engine = self._engines[key] = PlainEngine(level.game, level.width, level.height)
        return engine

    def _successors(self, position: Position) -> dict[str, Position]:
        """Return successors by input; keep the last position's, because each action comes next."""
        kept = self._expanded
        if kept is not None and kept[0] is position:
            return kept[1]
        found = {}
        for given in self.inputs(position.level.game):
            if given == RESTART and not position.restarts:
                continue
            after = self._rest(position, self.played(position, given))
            if after.won or self.key(after) != self.key(position):
                found[given] = after
        self._expanded = position, found
        return found


def is_large(level: Level) -> bool:
    """Return whether a game is large for boards of a size."""
    game, words = level.game, -(-level.width * (level.height + 1) // 64)
    rules = (rule for part in (game.normal, game.late) for group in part.groups for rule in group.rules)
    return words * sum(len(rule.patterns) for rule in rules) > LARGE
