"""The generator `starts`: all placements of some objects on a level."""

from __future__ import annotations

import math
from collections.abc import Sequence
from functools import cached_property, reduce
from operator import or_
from typing import TYPE_CHECKING

import attrs

from epcg_core.plugin import Combinations, ParamsError, RankError
from epcg_puzzlescript.formats.files import check_digest, game_files
from epcg_puzzlescript.formats.text import format_level, level_of, parse_level, read_game_text
from epcg_puzzlescript.language.files import read_text
from epcg_puzzlescript.language.habits import habits_of
from epcg_puzzlescript.language.problems import quoted
from epcg_puzzlescript.language.roles import goal_bits, moving_bits
from epcg_puzzlescript.params import StartsParams
from epcg_puzzlescript.rules.level import Level
from epcg_puzzlescript.rules.model import PuzzleScriptModel

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

    from epcg_puzzlescript.rules.batches import Levels

_MOST_IN_ARRAYS = 2**62


def moving_objects(level: Level) -> tuple[str, ...]:
    """Return the names of the objects of a level that the player or a rule moves."""
    return _present(level, moving_bits(level.game))


def goal_objects(level: Level) -> tuple[str, ...]:
    """Return the names of the goals of a level, which conditions to win name and no rule looks at."""
    return _present(level, goal_bits(level.game))


def _present(level: Level, bits: int) -> tuple[str, ...]:
    here = reduce(or_, level.cells, 0) & bits
    return tuple(thing.name for thing in level.game.objects if here >> thing.number & 1)


def _level_of_game(params: StartsParams) -> Level:
    files = game_files(params.game, only=True)
    check_digest(files, params.sha256, params.game)
    game = read_game_text(read_text(files[0]))
    if params.level > len(game.maps):
        raise ParamsError(f"level: the game has {len(game.maps)} maps, so there is no level {params.level}.")
    return level_of(game, params.level - 1)


@attrs.frozen
class _Placed:
    """An object that is placed anew."""

    bit: int
    layer: int
    count: int


class Starts:
    """The ways to put the chosen objects of a level elsewhere, as many of each as it has.

    An object goes wherever its layer is empty without the chosen ones, or only to the floor there; those of
    one layer exclude each other. Ranks are products of combinations: the first object varies slowest. Cells
    count column by column.
    """

    domain_attributes = ("placed",)

    def __init__(self, params: StartsParams) -> None:
        self._original = parse_level(params.content) if params.content else _level_of_game(params)
        self._placed = [self._object(name) for name in params.objects or moving_objects(self._original)]
        if not self._placed or len({placed.bit for placed in self._placed}) < len(self._placed):
            raise ParamsError("objects: name one or more objects that the level has, each once.")
        lifted = sum(1 << placed.bit for placed in self._placed)
        self._bare = [cell & ~lifted for cell in self._original.cells]
        floors = self._floors(lifted) if params.on_floor else None
        self._free = {placed.layer: self._free_cells(placed.layer, floors) for placed in self._placed}
        self._choices = []
        taken = dict.fromkeys(self._free, 0)
        for placed in self._placed:
            left = len(self._free[placed.layer]) - taken[placed.layer]
            self._choices.append(Combinations(left, placed.count))
            taken[placed.layer] += placed.count
        self.transition_model = PuzzleScriptModel()
        self.reading = self._original.reading_of_others

    def _object(self, name: str) -> _Placed:
        game = self._original.game
        entry = game.entries.get(name.lower())
        if entry is None or entry.kind != "object":
            names = ", ".join(thing.name for thing in game.objects)
            raise ParamsError(f"objects: {quoted(name)} is not an object of the game; it has {names}.")
        bit = entry.members[0]
        count = sum(cell >> bit & 1 for cell in self._original.cells)
        if not count:
            raise ParamsError(f"objects: the level has no {quoted(name)}, so none can be put elsewhere.")
        return _Placed(bit, game.objects[bit].layer, count)

    @property
    def _above(self) -> int:
        """Return what may lie on a floor, which is one without it: what moves, and goals."""
        return moving_bits(self._original.game) | goal_bits(self._original.game)

    def _floors(self, lifted: int) -> frozenset[int]:
        """Return what lies in cells of a floor: in the game's levels, or below what is lifted."""
        own = self._original
        above = self._above
        below = [bare for cell, bare in zip(own.cells, self._bare, strict=True) if cell & lifted]
        return frozenset(floor & ~above for floor in (*habits_of(own.game).floors, *below))

    def _free_cells(self, layer: int, floors: frozenset[int] | None) -> list[int]:
        mask, above = sum(1 << number for number in self._original.game.layers[layer]), self._above
        return [
            index for index, cell in enumerate(self._bare)
            if not cell & mask and (floors is None or cell & ~above in floors)
        ]  # fmt: skip

    @property
    def max_rank(self) -> int:
        """The number of placements."""
        return math.prod(choice.max_rank for choice in self._choices)

    def unrank(self, rank: int) -> Level:
        """Return the level with placement `rank`. Raises RankError if there is none."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no placement {rank}: there are {self.max_rank}.")
        digits = []
        for choice in reversed(self._choices):
            rank, digit = divmod(rank, choice.max_rank)
            digits.append(digit)
        cells = list(self._bare)
        free = {layer: list(indices) for layer, indices in self._free.items()}
        for placed, choice, digit in zip(self._placed, self._choices, reversed(digits), strict=True):
            chosen = [free[placed.layer][index] for index in choice.unrank(digit)]
            for index in chosen:
                cells[index] |= 1 << placed.bit
                free[placed.layer].remove(index)
        return attrs.evolve(self._original, cells=tuple(cells))

    @property
    def placed(self) -> Sequence[tuple[int, int]]:
        """The objects that are placed anew, by number, and in how many ways each of them."""
        return [
            (placed.bit, choice.max_rank) for placed, choice in zip(self._placed, self._choices, strict=True)
        ]

    def rank(self, level: Level) -> int:
        """Return the rank of a level. Raises RankError if it is not a placement."""
        if not self._same_but_placed(level):
            raise RankError("The level differs from the original in more than where the chosen objects lie.")
        free = {layer: list(indices) for layer, indices in self._free.items()}
        rank = 0
        for placed, choice in zip(self._placed, self._choices, strict=True):
            chosen = [index for index, cell in enumerate(level.cells) if cell >> placed.bit & 1]
            here = free[placed.layer]
            if len(chosen) != placed.count or not set(chosen) <= set(here):
                raise RankError("The level has another number of the chosen objects, or they share cells.")
            places: Sequence[int] = tuple(here.index(index) for index in chosen)
            rank = rank * choice.max_rank + choice.rank(places)
            free[placed.layer] = [index for index in here if index not in set(chosen)]
        return rank

    def _same_but_placed(self, level: Level) -> bool:
        own = self._original
        lifted = sum(1 << placed.bit for placed in self._placed)
        return (
            level.rules == own.rules
            and (level.width, level.height) == (own.width, own.height)
            and [cell & ~lifted for cell in level.cells] == self._bare
        )

    def parse(self, text: str) -> Level:
        """Read the first level of a game's text."""
        return parse_level(text)

    def format(self, level: Level) -> str:
        """Write the level's game with the level as its only one."""
        return format_level(level)


class ArrayStarts(Starts):
    """Starts as arrays, too (`epcg_puzzlescript.rules.batches`)."""

    @cached_property
    def setting(self) -> Levels:
        """The levels' common properties, for all starts."""
        from epcg_puzzlescript.rules.batches import Levels

        level = self._original
        return Levels(level.game, level.width, level.height)

    @cached_property
    def _bare_row(self) -> NDArray[np.uint64]:
        return self.setting.row(attrs.evolve(self._original, cells=tuple(self._bare)))

    def states_block(self, start: int, count: int) -> NDArray[np.uint64]:
        """Return the starts of ranks start .. start + count - 1 as rows."""
        import numpy as np

        return self.states_at(np.arange(start, start + count, dtype=np.int64))

    def states_at(self, ranks: NDArray[np.int64]) -> NDArray[np.uint64]:
        """Return the starts of (n,) ranks as rows."""
        import numpy as np

        levels = self.setting
        found = np.tile(self._bare_row, (len(ranks), 1))
        digits = []
        rest = ranks
        for choice in reversed(self._choices):
            rest, digit = np.divmod(rest, choice.max_rank)
            digits.append(digit)
        words = levels.tables.words
        places = levels.tables.places
        taken: dict[int, list[NDArray[np.int64]]] = {layer: [] for layer in self._free}
        lines = np.arange(len(ranks))
        for placed, choice, digit in zip(self._placed, self._choices, reversed(digits), strict=True):
            if not placed.count:
                continue
            free = np.array(self._free[placed.layer], np.int64)
            chosen = list(choice.states_at(digit).T.astype(np.int64))
            for index in chosen:
                # The numbers are those of cells that are still free; what others took lies below or not.
                if taken[placed.layer]:
                    for other in np.sort(np.array(taken[placed.layer]), axis=0):
                        index += index >= other
                bits = places[free[index]]
                found[lines, placed.bit * words + (bits >> 6)] |= np.uint64(1) << (bits & 63).astype(
                    np.uint64
                )
            taken[placed.layer] += chosen
        return found


def make_starts(params: StartsParams) -> Starts:
    """Return the space of placements, with arrays unless there are too many for numbers of 64 bits."""
    found = ArrayStarts(params)
    return found if found.max_rank < _MOST_IN_ARRAYS else Starts(params)
