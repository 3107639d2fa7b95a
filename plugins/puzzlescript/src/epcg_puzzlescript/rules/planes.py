"""The engine of bit planes: one compiled interpreter for all games, on boards of any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules import columns as at, plane_kernels as kernels
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.tables import FIRST_ROOM, Tables, make_tables
from epcg_puzzlescript.rules.turn import (
    MOST_AGAIN,
    Cells,
    EndlessError,
    RandomError,
    Turn,
    UndefinedMoveError,
)

_MOST_ROOM = 2**24
_GIVEN = {"up": 0, "down": 1, "left": 2, "right": 3, "action": 4}
_COMMANDS = (
    *((bit, word) for word, bit in at.COMMAND_BITS.items()),
    *((1 << at.FIRST_SOUND + number, f"sfx{number}") for number in range(at.MOST_SOUNDS)),
)


class PlaneEngine:
    """An engine (`Engine`) on bit planes. It is not for several threads at once.

    Args:
        game: the game.
        width: of the board.
        height: of the board.
        chance: where random numbers come from; None if nothing is to be drawn.
        tables: those of `make_tables` for the game and this size, if they are at hand.
    """

    def __init__(
        self, game: Game, width: int, height: int, chance: Chance | None = None, tables: Tables | None = None
    ) -> None:
        self._game, self._chance = game, chance
        self._room = FIRST_ROOM
        self._take(tables or make_tables(game, width, height))

    def _take(self, tables: Tables) -> None:
        self.tables = tables
        head = tables.table
        self.planes = np.zeros(int(head[at.PLANES_SIZE]), np.uint64)
        self.state = np.zeros(int(head[at.STATE_SIZE]), np.int64)
        valid = int(head[at.VALID])
        everywhere = np.ones((1, len(tables.places)), np.uint8)
        self.planes[valid : valid + tables.words] = tables.spread(everywhere)[0]

    def turn(self, cells: Cells, given: str | None) -> Turn:
        """Return what an input or a tick makes of a board (`Engine.turn`)."""
        chance = self._chance
        if chance is None and self._game.draws:
            raise RandomError()
        while True:
            self.load(cells)
            state = self.state
            self._part(at.FIRED, at.ENDLESS_GROUPS)[:] = 0
            self._part(at.ENDLESS_GROUPS, at.SEEN)[:] = 0
            if chance is not None:
                self._part(at.CHANCE, at.FIRED)[:] = chance.state
            kernels.turn(self.tables.table, self.planes, state, -1 if given is None else _GIVEN[given])
            if not self.grow():
                break
        self.check()
        if chance is not None:
            chance.state = self._part(at.CHANCE, at.FIRED).tolist()
        undone, queue = bool(state[at.UNDONE]), int(state[at.QUEUE])
        fired = np.flatnonzero(self._part(at.FIRED, at.ENDLESS_GROUPS))
        endless = np.flatnonzero(self._part(at.ENDLESS_GROUPS, at.SEEN))
        return Turn(
            cells if undone else self.tables.cells_of(self._things()[:, : self.tables.words]),
            () if undone else tuple(word for bit, word in _COMMANDS if queue & bit),
            undone,
            frozenset(self.tables.lines[rule] for rule in fired),
            frozenset(self.tables.group_lines[group] for group in endless),
        )

    def _part(self, first: int, last: int) -> NDArray[np.int64]:
        """Return the part of the state between two places."""
        return self.state[self.tables.table[first] : self.tables.table[last]]

    def _things(self) -> NDArray[np.uint64]:
        """Return the planes of the objects, with what each has beside its words."""
        head = self.tables.table
        return self.planes[: int(head[at.MOVES])].reshape(-1, int(head[at.SIZE]))

    def load(self, cells: Cells) -> None:
        """Put a board on the planes, without movements."""
        words = self.tables.words
        things = self._things()
        things[:, :words] = self.tables.planes_of(cells)
        things[:, words] = things[:, :words].any(axis=1)
        self.planes[int(self.tables.table[at.MOVES]) : int(self.tables.table[at.VALID])] = 0
        self._part(at.SEEN, at.MATCHED)[:] = 0

    def grow(self) -> bool:
        """Make more room for matches if there was not enough; return whether to play again."""
        if self.state[at.ERROR] != at.NO_ROOM or self._room >= _MOST_ROOM:
            return False
        self._room *= 8
        kept, tables = self.planes, self.tables
        self._take(make_tables(tables.game, tables.width, tables.height, self._room))
        things = int(tables.table[at.MOVES])
        self.planes[:things] = kept[:things]
        return True

    def check(self) -> None:
        """Raise the error of the last turn, if there was one."""
        error = int(self.state[at.ERROR])
        self.state[at.ERROR] = at.FINE
        if error == at.FINE:
            return
        head = self.tables.table
        self.planes[int(head[at.MOVES]) : int(head[at.VALID])] = 0
        self._part(at.SEEN, at.MATCHED)[:] = 0
        if error == at.UNDEFINED_MOVE:
            raise UndefinedMoveError()
        if error == at.ENDLESS:
            raise EndlessError(
                f"The game does not come to rest: more than {MOST_AGAIN} ticks follow one input ('again')."
            )
        raise EndlessError("A rule matches in too many ways at once; give it fewer rows or ellipses.")


def plane_engines(game: Game, chance: Chance | None = None) -> Callable[[int, int], PlaneEngine]:
    """Return a maker of engines for boards of a width and a height, which keeps the tables of each size."""
    kept: dict[tuple[int, int], Tables] = {}

    def make(width: int, height: int) -> PlaneEngine:
        tables = kept.get((width, height))
        if tables is None:
            tables = kept[width, height] = make_tables(game, width, height)
        return PlaneEngine(game, width, height, chance, tables)

    return make
