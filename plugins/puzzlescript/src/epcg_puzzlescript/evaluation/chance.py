"""The measures of levels on which chance decides: every draw of every turn is tried.

A level is a Markov decision process: in each position the player chooses an input, and then a position is
drawn. All positions that some draws reach are found, turn by turn, in plain Python. The best chance of a
win is a maximal reachability probability (Baier, Katoen: Principles of Model Checking, 2008, section 10.6).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable
from operator import methodcaller
from typing import Any

import attrs

from epcg_core.plugin import LimitReachedError
from epcg_puzzlescript import metrics
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.params import ChanceParams
from epcg_puzzlescript.rules.chance import Draws
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import INPUTS, TICK, Cells, input_numbers

_NEAR = 1e-12
"""Sweeps of values end when none changes by more."""
_MOST_SWEEPS = 100_000

Outcomes = dict[tuple[Cells, bool], float]
"""(the board, whether it is won) -> its probability."""


@attrs.frozen
class Process:
    """All that can happen on a level."""

    first: dict[int, float]
    """The positions in which play begins, each with its probability: rules at the start may draw."""
    turns: list[list[dict[int, float]]]
    """For each position the outcomes of each input: the probability of each next position."""
    won: list[bool]

    def lucky(self) -> int | None:
        """Return the fewest inputs that win for some draws; None if none do."""
        found = dict.fromkeys(self.first, 0)
        waiting = deque(found)
        while waiting:
            position = waiting.popleft()
            if self.won[position]:
                return found[position]
            for outcomes in self.turns[position]:
                for after in outcomes:
                    if after not in found:
                        found[after] = found[position] + 1
                        waiting.append(after)
        return None

    def sure(self) -> int | None:
        """Return the number of inputs within which a win can be had for all draws; None if there is none."""
        found = {position: 0 for position, won in enumerate(self.won) if won}
        before: list[list[tuple[int, int]]] = [[] for _ in self.turns]
        left = [[len(outcomes) for outcomes in turns] for turns in self.turns]
        for position, turns in enumerate(self.turns):
            for number, outcomes in enumerate(turns):
                for after in outcomes:
                    before[after].append((position, number))
        waiting = deque(found)
        while waiting:  # the last of an input's outcomes to come here is the longest
            after = waiting.popleft()
            for position, number in before[after]:
                left[position][number] -= 1
                if not left[position][number] and position not in found:
                    found[position] = found[after] + 1
                    waiting.append(position)
        if not all(position in found for position in self.first):
            return None
        return max(found[position] for position in self.first)

    def certain(self) -> set[int]:
        """Return the positions from which the best play wins with probability 1, found without arithmetic.

        The largest set in which each position has an input that stays in the set and can come nearer to a win
        (Baier, Katoen, algorithm 45).
        """
        found = set(range(len(self.won)))
        while True:
            near = {position for position in found if self.won[position]}
            grows = True
            while grows:
                before = len(near)
                near |= {
                    position
                    for position in found - near
                    if any(found >= turn.keys() and near & turn.keys() for turn in self.turns[position])
                }
                grows = len(near) > before
            if near == found:
                return found
            found = near

    def chance(self) -> float:
        """Return the probability of a win by the best play.

        It is 1 exactly if a win is certain. Other values rise from 0 by sweeps until none changes by more
        than 1e-12: where chance moves slowly they stay below the truth.

        Raises LimitReachedError if that takes too many sweeps.
        """
        certain = self.certain()
        value = [1.0 if position in certain else 0.0 for position in range(len(self.won))]
        order = [position for position, turns in enumerate(self.turns) if turns and position not in certain]
        order.reverse()
        for _ in range(_MOST_SWEEPS):
            most = 0.0
            for position in order:
                best = max(
                    sum(probability * value[after] for after, probability in outcomes.items())
                    for outcomes in self.turns[position]
                )
                most = max(most, best - value[position])
                value[position] = max(best, value[position])
            if most <= _NEAR:
                return min(1.0, sum(share * value[position] for position, share in self.first.items()))
        raise LimitReachedError(f"{_MOST_SWEEPS:,} sweeps of values were not enough.")


def process_of(level: Level, most: int, draws: int) -> Process:
    """Find all that can happen on a level.

    Args:
        level: the level.
        most: the number of positions.
        draws: the number of draws of one turn.

    Raises:
        GameError: if the game keeps checkpoints.
        EndlessError: if a turn does not come to rest.
        LimitReachedError: if there are more positions or draws.
    """
    level = level.searched
    game = level.game
    if game.keeps_checkpoints:
        raise GameError("A game that keeps checkpoints is not played with all draws.")
    chance = Draws()
    engine = PlainEngine(game, level.width, level.height, chance)

    def outcomes(cells: Cells, act: Callable[[Play], None]) -> Outcomes:
        found: Outcomes = {}
        for number in range(draws + 1):
            if number == draws:
                raise LimitReachedError(f"One turn has more than {draws:,} outcomes.")
            play = Play(game, engine, cells)
            play.restart_cells, play.checkpoints = level.cells, False
            act(play)
            after = play.cells, play.won
            found[after] = found.get(after, 0.0) + chance.probability
            if not chance.next():
                break
        return found

    numbers: dict[tuple[Cells, bool], int] = {}
    turns: list[list[dict[int, float]]] = []
    won: list[bool] = []
    waiting: deque[Cells] = deque()

    def numbered(found: Outcomes) -> dict[int, float]:
        for board in found:
            if board not in numbers:
                if len(numbers) == most:
                    raise LimitReachedError(f"Draws lead to more than {most:,} positions.")
                numbers[board] = len(numbers)
                won.append(board[1])
                waiting.append(board[0]) if not board[1] else None
        return {numbers[board]: probability for board, probability in found.items()}

    first = numbered(outcomes(level.cells, Play.start))
    inputs = [INPUTS[number] for number in input_numbers(game)]
    given = [None if each == TICK else each for each in inputs]
    of_cells: dict[int, list[dict[int, float]]] = {}
    while waiting:
        cells = waiting.popleft()
        place = numbers[cells, False]
        found = [numbered(outcomes(cells, methodcaller("input", each))) for each in given]
        of_cells[place] = [each for each in found if each.keys() != {place}]
    turns = [of_cells.get(position, []) for position in range(len(won))]
    return Process(first, turns, won)


class ChanceMeasures:
    """`lucky_moves`, `sure_moves`, `win_chance`, `chance_positions`."""

    metrics = (metrics.LUCKY_MOVES, metrics.SURE_MOVES, metrics.WIN_CHANCE, metrics.CHANCE_POSITIONS)

    def __init__(self, params: ChanceParams, generator: Any = None, tables: Any = None) -> None:
        self._params = params

    def evaluate(self, level: Level) -> tuple[int | float | None, ...]:
        """Evaluate a level. Raises LimitReachedError, and GameError as play does."""
        found = process_of(level, self._params.limit, self._params.draws)
        return found.lucky(), found.sure(), found.chance(), len(found.won)
