"""The engine of bit planes: one compiled interpreter for all games, on boards of any size."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from epcg_puzzlescript.language.game import Game
from epcg_puzzlescript.rules import columns as at
from epcg_puzzlescript.rules import plane_kernels as kernels
from epcg_puzzlescript.rules.chance import Chance
from epcg_puzzlescript.rules.plain import RandomError
from epcg_puzzlescript.rules.tables import Tables, make_tables
from epcg_puzzlescript.rules.turn import MOST_AGAIN, Cells, EndlessError, Turn, UndefinedMoveError

_FIRST_ROOM = 4096
_MOST_ROOM = 2**24
_GIVEN = {"up": 0, "down": 1, "left": 2, "right": 3, "action": 4}


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
        self.tables = tables or make_tables(game, width, height)
        self._room = _FIRST_ROOM
        self._commands = _command_words()
        self.work = self._work()
        self.game_tables = (
            self.tables.header, self.tables.groups, self.tables.rules, self.tables.rows, self.tables.cells,
            self.tables.conditions, self.tables.data,
        )  # fmt: skip

    def _work(self) -> tuple[NDArray[np.generic], ...]:
        tables = self.tables
        most_rows = max((int(r[at.ROW_END] - r[at.ROW]) for r in tables.rules), default=0)
        bits = 64 * tables.words if tables.header[at.RIGID_GROUPS] else 1
        layers = len(self._game.layers)
        planes = np.zeros((tables.planes, tables.words), np.uint64)
        everywhere = np.zeros(64 * tables.words, np.uint8)
        everywhere[tables.places] = 1
        planes[-1] = np.packbits(everywhere, bitorder="little").view("<u8")
        return (
            planes,
            np.zeros(tables.planes, np.uint8),
            np.zeros((kernels.SCRATCH + 3 * most_rows, tables.words), np.uint64),
            np.zeros((tables.planes if tables.header[at.RIGID_GROUPS] else 1, tables.words), np.uint64),
            np.zeros((len(tables.changing), tables.words), np.uint64),
            np.zeros(3 * self._room, np.int64),
            np.zeros(most_rows + 1, np.int64),
            np.zeros((bits, layers), np.int64),
            np.zeros(len(tables.lines), np.uint8),
            np.zeros(258, np.int64),
            np.zeros(at.STATUS_SIZE, np.int64),
            np.zeros((bits, layers), np.int64),
            np.zeros(most_rows + 1, np.int64),
            np.zeros(len(tables.group_lines), np.uint8),
        )

    def turn(self, cells: Cells, given: str | None) -> Turn:
        """Return what an input or a tick makes of a board (`Engine.turn`)."""
        chance = self._chance
        if chance is None and self._game.draws:
            raise RandomError(
                "The game draws random numbers; it can be played with a seed, but not be searched."
            )
        while True:
            planes, *_ = self.load(cells)
            _, _, _, _, _, _, _, _, fired, numbers, status, _, _, endless = self.work
            fired[:] = 0
            endless[:] = 0
            if chance is not None:
                numbers[:] = chance.state
            kernels.turn(self.game_tables, self.work, -1 if given is None else _GIVEN[given])
            if not self.grow():
                break
        self.check()
        if chance is not None:
            chance.state = numbers.tolist()
        undone = bool(status[at.UNDONE])
        found = self.tables.cells_of(planes[: len(self._game.objects)])
        queue = int(status[at.QUEUE])
        return Turn(
            cells if undone else found,
            () if undone else tuple(word for bit, word in self._commands if queue & bit),
            undone,
            frozenset(self.tables.lines[rule] for rule in np.flatnonzero(fired)),
            tuple(self.tables.group_lines[group] for group in np.flatnonzero(endless)),
        )

    def load(self, cells: Cells) -> tuple[NDArray[np.generic], ...]:
        """Put a board on the planes, without movements; return the work."""
        planes, live = self.work[:2]
        planes[:-1] = 0
        planes[: len(self._game.objects)] = self.tables.planes_of(cells)
        live[:] = planes.any(axis=1)
        return self.work

    def grow(self) -> bool:
        """Make more room for matches if there was not enough; return whether to play again."""
        status = self.work[10]
        if status[at.ERROR] != at.NO_ROOM:
            return False
        if self._room >= _MOST_ROOM:
            raise EndlessError("A rule matches in too many ways at once; give it fewer rows or ellipses.")
        self._room *= 8
        kept = self.work
        self.work = self._work()
        self.work[0][:] = kept[0]
        return True

    def check(self) -> None:
        """Raise the error of the last turn, if there was one."""
        status = self.work[10]
        error = int(status[at.ERROR])
        status[at.ERROR] = at.FINE
        if error == at.FINE:
            return
        self.work[0][len(self._game.objects) : -1] = 0
        self.work[1][len(self._game.objects) :] = 0
        if error == at.UNDEFINED_MOVE:
            raise UndefinedMoveError(
                "A rule moves an object in two directions at once, which the language does not define."
            )
        if error == at.ENDLESS:
            raise EndlessError(
                f"The game does not come to rest: more than {MOST_AGAIN} ticks follow one input ('again')."
            )
        raise EndlessError("A rule matches in too many ways at once; give it fewer rows or ellipses.")


def _command_words() -> list[tuple[int, str]]:
    """Return the bits of commands and a word for each."""
    sounds = [(1 << at.FIRST_SOUND + number, f"sfx{number}") for number in range(at.MOST_SOUNDS)]
    return [*((bit, word) for word, bit in at.COMMAND_BITS.items()), *sounds]


def plane_engines(game: Game, chance: Chance | None = None) -> Callable[[int, int], PlaneEngine]:
    """Return a maker of engines for boards of a width and a height, which keeps the tables of each size."""
    kept: dict[tuple[int, int], Tables] = {}

    def make(width: int, height: int) -> PlaneEngine:
        tables = kept.get((width, height))
        if tables is None:
            tables = kept[width, height] = make_tables(game, width, height)
        return PlaneEngine(game, width, height, chance, tables)

    return make

