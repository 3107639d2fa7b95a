"""The generator `layouts`: the boards of a genre, by regions or by walls; and the boards of other spaces."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from functools import cached_property, lru_cache
from itertools import combinations
from typing import Protocol

import attrs

from epcg_core.plugin import ParamsError, RankError
from epcg_deduction.formats.own import format_puzzle, parse_puzzle
from epcg_deduction.generators.divisions import Limits, divisions
from epcg_deduction.model.boards import CELL, WALL, Board
from epcg_deduction.model.puzzles import Clue, Puzzle, Value
from epcg_deduction.model.sites import admits, places_of, values_at
from epcg_deduction.params import LayoutsParams, least_most
from epcg_deduction.states.changes import with_clues
from epcg_deduction.states.play import PlayModel

MOST_SQUARES = 20
"""Squares of a board of which every set may be walls, or hold a clue."""


class HasRegions(Protocol):
    """Params that limit regions."""

    @property
    def regions(self) -> tuple[int, ...]:
        """How many regions: the fewest and the most."""

    @property
    def cells(self) -> tuple[int, ...]:
        """The cells of each: the fewest and the most."""


def boards_of(params: HasRegions, base: Puzzle, boards: str, kinds: Sequence[str] = ()) -> Iterator[Puzzle]:
    """Yield the boards of a space.

    Args:
        params: the limits of regions.
        base: the puzzle whose board it is; its clues stay but for those of `kinds`.
        boards: "given", "regions", "rectangles", "walls", or a kind of clues at every set of places.
        kinds: kinds of clues that the space chooses.

    Returns:
        The boards, always in the same order.

    Raises:
        ParamsError: for a word that is none of these, and for too many boards.
    """
    base = with_clues(base, [clue for clue in base.clues if clue.kind not in kinds])
    if boards == "given":
        yield base
    elif boards in base.genre.clues:
        yield from _placed(base, boards)
    elif boards in ("regions", "rectangles", "walls"):
        own = _walled(base) if boards == "walls" else _divided(params, base.board, boards)
        clues = _kept(base, boards)
        yield from (with_clues(attrs.evolve(base, board=board), clues) for board in own)
    else:
        known = ["given", "regions", "rectangles", "walls", *base.genre.clues]
        raise ParamsError(f"boards: '{boards}' is not one of {', '.join(known)}.")


def _kept(base: Puzzle, boards: str) -> list[Clue]:
    """Return the clues of a puzzle that have a place on every board of a space."""
    gone = ("cells", "walls", "borders", "stretches") if boards == "walls" else ("regions",)
    return [clue for clue in base.clues if base.genre.clues[clue.kind].on not in gone]


def _divided(params: HasRegions, board: Board, boards: str) -> Iterator[Board]:
    area = len(board.cells)
    fewest, most = least_most("regions", params.regions, area)
    smallest, largest = least_most("cells", params.cells, area)
    limits = Limits(boards == "rectangles", max(fewest, 1), most, max(smallest, 1), largest)
    for regions in divisions(board, limits):
        names = tuple(letter_of(number) for number in range(len(regions)))
        yield attrs.evolve(board, regions=regions, names=names)


def letter_of(number: int) -> str:
    """Return the name of a region: a letter."""
    letters = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
    if number >= len(letters):
        raise ParamsError(f"A board drawn with letters has at most {len(letters)} regions.")
    return letters[number]


def _squares(count: int, what: str) -> None:
    if count > MOST_SQUARES:
        raise ParamsError(
            f"boards: {what} on each set of {count} squares are more boards than can be tried; at most "
            f"{MOST_SQUARES} squares are possible."
        )


def _walled(base: Puzzle) -> Iterator[Board]:
    if not base.genre.walls:
        raise ParamsError(f"boards: {base.genre.title} has no walls; its text would name their signs.")
    squares = [square for square, kind in enumerate(base.board.kinds) if kind in (CELL, WALL)]
    _squares(len(squares), "walls")
    for count in range(len(squares) + 1):
        for walls in combinations(squares, count):
            kinds = bytearray(base.board.kinds)
            for square in squares:
                kinds[square] = WALL if square in walls else CELL
            yield attrs.evolve(base.board, kinds=bytes(kinds))


def _placed(base: Puzzle, name: str) -> Iterator[Puzzle]:
    """Yield the board with clues of a kind at every set of places: their one value, or without a number."""
    kind = base.genre.clues[name]
    others = [clue for clue in base.clues if clue.kind != name]
    places = places_of(base.board, kind.on)
    _squares(len(places), f"clues '{name}'")
    values: dict[int, Value] = {}
    for place in places:
        own = values_at(base, kind, place)
        if own is not None and len(own) == 1:
            values[place] = own[0]
        elif admits(base, kind, place, None):
            values[place] = None
        else:
            raise ParamsError(
                f"boards: clues '{name}' have several values: place them with the generator clues."
            )
    for count in range(len(places) + 1):
        for chosen in combinations(places, count):
            more = [Clue(name, place, values[place]) for place in chosen]
            yield with_clues(attrs.evolve(base, title=""), [*others, *more])


class Layouts:
    """The boards of a genre by rank."""

    domain_attributes = ("params",)
    transition_model = PlayModel()

    def __init__(self, params: LayoutsParams) -> None:
        self.params = params

    @property
    def setting(self) -> Puzzle:
        """The board of the text."""
        return self.params.base

    @cached_property
    def _listed(self) -> tuple[Board, ...]:
        return _listed(self.params)

    @cached_property
    def _ranks(self) -> dict[Board, int]:
        return {board: rank for rank, board in enumerate(self._listed)}

    @property
    def max_rank(self) -> int:
        return len(self._listed)

    def unrank(self, rank: int) -> Puzzle:
        """Return the board of a rank. Raises RankError."""
        if not 0 <= rank < self.max_rank:
            raise RankError(f"There is no board {rank}: there are {self.max_rank:,}, ranks from 0.")
        return self._with(self._listed[rank])

    def _with(self, board: Board) -> Puzzle:
        """Return the puzzle of a board: with the clues of the text that it has a place for."""
        base = self.setting
        return with_clues(attrs.evolve(base, board=board), _kept(base, self.params.boards))

    def rank(self, state: Puzzle) -> int:
        """Return the rank of a board. Raises RankError if it is not one of the space."""
        rank = self._ranks.get(state.board)
        if rank is None or self._with(state.board) != state:
            raise RankError("The board is not one of this space.")
        return rank

    def parse(self, text: str) -> Puzzle:
        return parse_puzzle(text)

    def format(self, state: Puzzle) -> str:
        return format_puzzle(state)


@lru_cache(maxsize=2)
def _listed(params: LayoutsParams) -> tuple[Board, ...]:
    base = params.base.board
    own = _walled(params.base) if params.boards == "walls" else _divided(params, base, params.boards)
    return tuple(own)


def layouts(params: LayoutsParams) -> Layouts:
    """Make the space of boards. Raises ParamsError."""
    return Layouts(params)
