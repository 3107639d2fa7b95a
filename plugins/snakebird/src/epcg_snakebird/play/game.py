"""A game of Snakebird: positions, undo and hints, without a terminal."""

from __future__ import annotations

from collections.abc import Sequence

from epcg_snakebird.rules.level import Level
from epcg_snakebird.rules.moves import Move, Position, legal_moves, play, start
from epcg_snakebird.rules.solving import shortest_solution
from epcg_snakebird.rules.variants import GAME, Rules

HINT_EXPANSIONS = 300_000
"""The expansions that a hint may take: about a second if the solver is compiled."""
DIRECTION_WORDS = {"D": "down", "U": "up", "R": "right", "L": "left"}


class Game:
    """A level that is played. Every command leaves a sentence in `message`, or nothing."""

    def __init__(self, level: Level, rules: Rules = GAME) -> None:
        self.level = level
        self.rules = rules
        self.selected = 0
        """The snake that the arrow keys move."""
        self.message = ""
        self._positions = [start(level)]
        self._solutions: dict[Position, tuple[Move, ...]] = {}
        """The first shortest solution from each position of those that hints have found."""

    @property
    def position(self) -> Position:
        """The position now."""
        return self._positions[-1]

    @property
    def moves(self) -> int:
        """The number of moves made."""
        return len(self._positions) - 1

    def move(self, direction: str) -> None:
        """Move the selected snake; a move that is not possible, or deadly, is not made."""
        self.message = ""
        move = Move(self.selected, direction)
        if self.position.solved:
            self.message = "The level is solved."
        elif move not in legal_moves(self.position, self.rules):
            self.message = f"Snake {self.selected + 1} cannot go {DIRECTION_WORDS[direction]}."
        elif (after := play(self.position, move, self.rules)) is None:
            self.message = f"{DIRECTION_WORDS[direction].capitalize()} is deadly: the move is not made."
        else:
            self._positions.append(after)
            self._select_one_in_play()
            if after.solved:
                self.message = f"Solved in {self.moves} move{'s' * (self.moves != 1)}.{self._shortest()}"

    def select(self, snake: int) -> None:
        """Choose the snake that moves."""
        self.message = ""
        if not 0 <= snake < len(self.level.snakes):
            self.message = f"There is no snake {snake + 1}."
        elif not self.position.snakes[snake]:
            self.message = f"Snake {snake + 1} is out."
        else:
            self.selected = snake

    def select_next(self) -> None:
        """Choose the next snake that is in play."""
        self.message = ""
        self._select_one_in_play(1)

    def undo(self) -> None:
        """Take the last move back."""
        self.message = "" if self.moves else "There is nothing to undo."
        if self.moves:
            self._positions.pop()
        self._select_one_in_play()

    def restart(self) -> None:
        """Begin again."""
        self.message = ""
        self._positions = self._positions[:1]
        self._select_one_in_play()

    def hint(self) -> None:
        """Say the next move of a shortest solution from here."""
        if self.position.solved:
            self.message = "The level is solved."
            return
        if self.position not in self._solutions:
            found = shortest_solution(self.position, HINT_EXPANSIONS, self.rules)
            self._remember(found.actions)
        if moves := self._solutions.get(self.position):
            snake, direction = moves[0]
            self.message = f"Hint: snake {snake + 1} {DIRECTION_WORDS[direction]}, {len(moves)} to go."
        elif found.exhausted:
            self.message = "There is no way out from here: undo (u) or restart (r)."
        else:
            self.message = f"No solution within {HINT_EXPANSIONS:,} positions from here."

    def _remember(self, moves: Sequence[Move]) -> None:
        """Note a first shortest solution from here: what is left of it is that of each position on it."""
        position: Position | None = self.position
        for made, move in enumerate(moves):
            assert position is not None
            self._solutions[position] = tuple(moves[made:])
            position = play(position, move, self.rules)

    def _shortest(self) -> str:
        found = shortest_solution(start(self.level), HINT_EXPANSIONS, self.rules)
        if found.length is None:
            return ""
        return " No solution is shorter." if found.length == self.moves else f" {found.length} would do."

    def _select_one_in_play(self, step: int = 0) -> None:
        """Go on to the next snake, from the selected one on, that is not out; `step` 1: after it."""
        snakes = self.position.snakes
        order = [(self.selected + step + i) % len(snakes) for i in range(len(snakes))]
        self.selected = next((snake for snake in order if snakes[snake]), self.selected)
