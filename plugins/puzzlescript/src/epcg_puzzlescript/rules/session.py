"""Play of a whole game: levels, ticks, undo, restart, checkpoints (sections 11, 12 and 14 of the rules)."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.levels import Map
from epcg_puzzlescript.language.prelude import START_TICK
from epcg_puzzlescript.rules.turn import MOST_AGAIN, Cells, EndlessError, Engine, has_won


@attrs.define
class Play:
    """One level that is played, with all that a turn's commands do.

    Args:
        game: the game.
        engine: plays turns on boards of the level's size.
        cells: the level.
    """

    game: Game
    engine: Engine
    cells: Cells
    restart_cells: Cells = attrs.field(init=False)
    undo_stack: list[Cells] = attrs.field(factory=list, init=False)
    won: bool = attrs.field(default=False, init=False)
    again: bool = attrs.field(default=False, init=False)
    """A tick is to follow."""
    wins: bool = attrs.field(default=True, init=False)
    """Winning is tested."""
    checkpoints: bool = attrs.field(default=True, init=False)
    """Checkpoints change what a restart goes back to."""
    checkpointed: bool = attrs.field(default=False, init=False)
    """A checkpoint was set."""
    fired: set[int] = attrs.field(factory=set, init=False)
    """The lines of the rules that changed something, in turns that stand."""
    endless: set[int] = attrs.field(factory=set, init=False)
    """The lines of groups that ran into their limit."""
    boards: list[Cells] = attrs.field(factory=list, init=False)
    """The boards after the turns of the last input, in order."""

    def __attrs_post_init__(self) -> None:
        self.restart_cells = self.cells

    def start(self) -> None:
        """Run the rules before the first input, if the game says so, and the ticks that follow."""
        self.first_turn()
        self.settle()

    def first_turn(self) -> None:
        """Run the rules before the first input, if the game says so, without the ticks that follow."""
        if self.game.says(START_TICK):
            self._process(None, starts=True)

    def turn(self, given: str | None) -> None:
        """Play an input, or a tick, without the ticks that follow."""
        self.again = False
        self._process(given)

    def tick(self) -> None:
        """Play a tick, without those that follow."""
        self.turn(None)

    def settle(self) -> None:
        """Run the ticks that are to follow. Raises EndlessError."""
        for _ in range(MOST_AGAIN):
            if not self.again or self.won:
                return
            self.tick()
        if self.again:
            raise EndlessError(
                f"The game does not come to rest: more than {MOST_AGAIN} ticks follow one input ('again')."
            )

    def input(self, given: str | None) -> None:
        """Play an input or a tick, and the ticks that follow. Raises EndlessError."""
        self.boards.clear()
        self.turn(given)
        self.settle()

    def undo(self) -> None:
        """Go back to before the last input that changed something, if the game allows it."""
        if self.game.says("noundo"):
            return
        while self.undo_stack and self.undo_stack[-1] == self.cells:
            self.undo_stack.pop()
        if self.undo_stack:
            self.cells = self.undo_stack.pop()
        self.again = False

    def restart(self) -> None:
        """Go back to the restart state, if the game allows it."""
        if self.game.says("norestart"):
            return
        self.again = False
        self.boards.clear()
        self.undo_stack.append(self.cells)
        self.restart_board()
        self.settle()

    def restart_board(self) -> None:
        """Put the restart state on the board, and run the rules of the start, which cannot restart."""
        self.cells = self.restart_cells
        if self.game.says(START_TICK):
            self._process(None, starts=True, restarting=True)

    def _process(
        self, given: str | None, starts: bool = False, trial: bool = False, restarting: bool = False
    ) -> bool:
        """Play one turn; return whether a trial says that a tick would do something.

        If the rules of a level's start run, nothing is won; if they run after a restart, they do not restart.
        """
        before = self.cells
        turn = self.engine.turn(before, given)
        self.endless |= turn.endless
        queue = turn.queue
        if turn.undone:
            return False
        if "cancel" in queue:
            return len(queue) > 1
        if not trial:
            self.fired |= turn.fired
        self.cells = turn.cells
        if "restart" in queue and (trial or not restarting):
            if trial:
                return True
            self.undo_stack.append(before)
            self.restart_board()
            queue = ()
        if trial and "win" in queue:
            return True
        modified = self.cells != before
        if modified:
            if trial:
                return True
            self.boards.append(self.cells)
            if given is not None:
                self.undo_stack.append(before)
        if not starts and not trial and self.wins and ("win" in queue or has_won(self.game, self.cells)):
            self.won = True
            return False
        if "checkpoint" in queue and self.checkpoints:
            self.restart_cells, self.checkpointed = self.cells, True
        if "again" in queue and modified:
            kept = self.cells
            self.again = self._process(None, starts=starts, trial=True)
            self.cells = kept
        return False


class Recorded:
    """Play of a whole game as the reference's tests are recorded: winning goes to the next level at once.

    Args:
        game: the game.
        make: makes an engine for a width and a height.
        level: the index of the level to begin with, over all levels.
    """

    def __init__(self, game: Game, make: Callable[[int, int], Engine], level: int = 0) -> None:
        self._game, self._make = game, make
        self.level = level
        self._wins = True
        self._load(level)
        self._advance()

    def _load(self, level: int) -> None:
        found = self._game.levels[level]
        if isinstance(found, Map):
            self.width, self.height = found.width, found.height
            self.play = Play(self._game, self._make(found.width, found.height), found.cells)
            self.play.wins = self._wins
            self.play.start()

    def give(self, given: Any) -> None:
        """Play an input: 0 to 4 (up, left, down, right, action), "undo", "restart" or "tick"."""
        if given == "undo":
            self.play.undo()
        elif given == "restart":
            self.play.restart()
        elif given == "tick":
            self.play.input(None)
        else:
            self.play.input(("up", "left", "down", "right", "action")[given])
        self._advance()

    def _advance(self) -> None:
        """Go on while the level is won; ticks of its start may win the next one too."""
        while self.play.won:
            self._next()

    def _next(self) -> None:
        self.play.won = self.play.again = False
        if self.level + 1 < len(self._game.levels):
            self.level += 1
            self._load(self.level)
        else:
            self.level, self._wins = 0, False
            self.play.wins = False

    def text(self) -> str:
        """Return the board as the tests write it."""
        return board_text(self._game, self.width, self.height, self.play.cells)


def board_text(game: Game, width: int, height: int, cells: Sequence[int]) -> str:
    """Return cells in the order of their index, wrapped at the width: sets of names, each numbered once."""
    numbers: dict[int, int] = {}
    rows = []
    for y in range(height):
        row = []
        for cell in cells[y * width : (y + 1) * width]:
            if cell in numbers:
                row.append(f"{numbers[cell]},")
            else:
                numbers[cell] = len(numbers)
                names = sorted(thing.name for thing in game.objects if cell >> thing.number & 1)
                row.append(f"{' '.join(names)}:{numbers[cell]},")
        rows.append("".join(row) + "\n")
    return "".join(rows)
