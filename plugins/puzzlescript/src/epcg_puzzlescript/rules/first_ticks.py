"""Whether a restart can cut short the ticks of 'again' that come before a level's first key.

A restart while ticks run first goes back to the board before the last key, and so does undo after it. Only
before the first key there is none: then undo after the restart goes back to the board between two ticks,
which is at rest from then on (found by experiment with the reference engine).
"""

from __future__ import annotations

from collections.abc import Callable

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.language.problems import GameError
from epcg_puzzlescript.rules.chance import Draws
from epcg_puzzlescript.rules.plain import PlainEngine
from epcg_puzzlescript.rules.session import Play
from epcg_puzzlescript.rules.turn import Cells

_MOST = 200
"""Boards of the clock, and draws of a turn, that are tried; where there are more, ticks are expected."""


def rests_at_first(game: Game, width: int, height: int, cells: Cells) -> bool:
    """Return whether no tick of 'again' follows the rules of a level's start, and those of its clock."""
    chance = Draws()
    engine = PlainEngine(game, width, height, chance)

    def after(board: Cells, act: Callable[[Play], None]) -> set[Cells] | None:
        """Return the boards to which all draws of a turn lead; None if ticks follow."""
        found = set()
        for _ in range(_MOST):
            play = Play(game, engine, board)
            play.restart_cells = cells
            act(play)
            if play.again:
                return None
            if not play.won:
                found.add(play.cells)
            if not chance.next():
                return found
        return None

    try:
        waiting, seen = after(cells, Play.first_turn), set[Cells]()
        while waiting and game.real_time and len(seen) < _MOST:
            board = waiting.pop()
            seen.add(board)
            later = after(board, Play.tick)
            if later is None:
                return False
            waiting |= later - seen
    except GameError:  # a turn that cannot be played
        return False
    return waiting is not None and not (waiting and game.real_time)
