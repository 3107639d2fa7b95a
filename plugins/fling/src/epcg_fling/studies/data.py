"""The numbers behind Figures 5 to 8 of Sturtevant 2013."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import groupby
from math import comb, sqrt
from statistics import fmean
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import LIMIT, VALUE, Bits
from epcg_fling.evaluation.analysis import SearchTooLargeError, reachable_states
from epcg_fling.formats.levels import Level
from epcg_fling.rules.moves import BoardShape
from epcg_fling.search.endgame import FIRST_TABLE
from epcg_fling.search.kernels import Memo
from epcg_fling.search.measure_kernels import list_edits, measure_solvable
from epcg_fling.search.solutions import SolutionSearch

Advance = Callable[[int], None]
"""Told how many boards have been done since the last call."""

TABLE_PIECES = (6, 8, 10)
"""The endgame tables whose saving Figure 7 shows; the papers' largest has 10 pieces."""

_NORMAL_95 = 1.959963984540054
_SAMPLE_BLOCK = 16


@attrs.frozen
class LevelBoard:
    """A board of a level (Figures 5 and 6)."""

    level: str
    number: int
    """From 1, within the level."""
    bitboard: int
    pieces: int
    reachable_states: int
    solvable: bool
    unique: bool


@attrs.frozen
class Saving:
    """The saving by the table of `table_pieces` when boards of `pieces` are analyzed (Figure 7)."""

    pieces: int
    table_pieces: int
    boards: int
    states: float
    """Boards searched to judge a board and all its edits, by search alone: the mean."""
    states_with_table: float
    """The same when a search ends at boards of `table_pieces`, which are looked up."""

    @property
    def factor(self) -> float:
        """The number of boards searched without the table over that with it."""
        return self.states / self.states_with_table


@attrs.frozen
class Solvable:
    """The numbers of solvable boards by their number of pieces (Figure 8)."""

    pieces: int
    boards: int
    """All there are."""
    examined: int
    solvable: int
    undecided: int
    """Boards examined whose search was too large: the interval allows for both answers."""
    exact: bool
    """All boards were examined."""

    @property
    def share(self) -> float:
        """Solvable boards among those that were decided."""
        return self.solvable / (self.examined - self.undecided) if self.examined > self.undecided else 0.0

    @property
    def low(self) -> float:
        """The lower end of the 95 % confidence interval; the share itself if all were examined."""
        return self.share if self.exact else wilson(self.solvable, self.examined)[0]

    @property
    def high(self) -> float:
        """The upper end of the 95 % confidence interval; the share itself if all were examined."""
        return self.share if self.exact else wilson(self.solvable + self.undecided, self.examined)[1]


def wilson(successes: int, trials: int) -> tuple[float, float]:
    """Return the 95 % confidence interval of a proportion (Wilson 1927), which is sound near 0 and 1 too."""
    if trials == 0:
        return 0.0, 1.0
    z2 = _NORMAL_95**2
    share = successes / trials
    centre = share + z2 / (2 * trials)
    spread = _NORMAL_95 * sqrt(share * (1 - share) / trials + z2 / (4 * trials * trials))
    scale = 1 + z2 / trials
    return max(0.0, (centre - spread) / scale), min(1.0, (centre + spread) / scale)


def study_levels(
    shape: BoardShape, levels: Sequence[Level], advance: Advance
) -> tuple[list[LevelBoard], list[Saving]]:
    """Return every board of the levels, in order, and what endgame tables save on it."""
    search = SolutionSearch(shape)
    boards: list[LevelBoard] = []
    searched: list[tuple[int, NDArray[np.int64]]] = []
    for level in levels:
        for number, bits in enumerate(level.boards, start=1):
            solvable, unique, by_pieces = searched_states(search, bits)
            states = reachable_states(shape, bits)
            if states is None:
                raise SearchTooLargeError(bits)
            boards.append(LevelBoard(level.name, number, bits, bits.bit_count(), states, solvable, unique))
            searched.append((bits.bit_count(), by_pieces))
            advance(1)
    return boards, savings(searched)


def searched_states(search: SolutionSearch, bits: int) -> tuple[bool, bool, NDArray[np.int64]]:
    """Judge a board and its edits; return (solvable, unique, boards searched by number of pieces).

    The counts are (66,) int64. Boards of up to two pieces, and those that `search` finds in its tables, are
    not searched. A search is depth first and its course depends on verdicts only, so with the table of j
    pieces it visits exactly those of these boards that have more than j: one search tells what every table
    saves. Raises SearchTooLargeError.
    """
    memos: list[Memo] = []

    def judge(*arguments: Any) -> int:
        memos[:] = [argument for argument in arguments if isinstance(argument, Memo)]
        return list_edits(*arguments)

    columns = 2 * search.shape.cells + 2
    out, status = search.run(judge, np.array([bits], dtype=np.uint64), columns)
    if status[0] == LIMIT:
        raise SearchTooLargeError(bits)
    keys = memos[0].keys
    by_pieces = np.bincount(np.bitwise_count(keys[keys != 0]), minlength=66).astype(np.int64)
    return bool(out[-2, 0]), bool(out[-1, 0]), by_pieces


def savings(
    searched: Iterable[tuple[int, NDArray[np.int64]]], tables: Sequence[int] = TABLE_PIECES
) -> list[Saving]:
    """Return the savings by number of pieces and by table, for tables of fewer pieces than the boards.

    `searched` holds for each board its pieces and what `searched_states` counted.
    """
    found = []
    ordered = sorted(searched, key=lambda item: item[0])
    for pieces, group in groupby(ordered, key=lambda item: item[0]):
        counts = [by_pieces for _, by_pieces in group]
        for table in tables:
            if FIRST_TABLE <= table < pieces:
                without = fmean(int(c.sum()) for c in counts)
                with_table = fmean(int(c[table + 1 :].sum()) for c in counts)
                found.append(Saving(pieces, table, len(counts), without, with_table))
    return found


def recorded_solvable(tables: Mapping[int, tuple[Bits, Bits]]) -> list[Solvable]:
    """Return the exact numbers of the recorded layers, by pieces."""
    return [
        Solvable(layer, bits.count, bits.count, int(np.bitwise_count(bits.data).sum()), 0, exact=True)
        for layer, (bits, _) in sorted(tables.items())
    ]


def sampled_solvable(
    shape: BoardShape,
    pieces: int,
    count: int,
    seed: int,
    advance: Advance,
) -> Solvable:
    """Count the solvable boards among random boards (all equally likely, drawn independently).

    The boards depend on `seed` and `pieces` only.

    Args:
        shape: the boards' size.
        pieces: the pieces of each board.
        count: the number of boards.
        seed: the seed of the generator of random numbers.
        advance: called with the number of boards that were judged since the last call.
    """
    random = np.random.default_rng([seed, pieces])
    search = SolutionSearch(shape)
    solvable = undecided = 0
    for start in range(0, count, _SAMPLE_BLOCK):
        block = [random_board(random, shape, pieces) for _ in range(min(_SAMPLE_BLOCK, count - start))]
        out, status = search.run(measure_solvable, np.array(block, dtype=np.uint64), 1)
        solvable += int(out[0].sum())
        undecided += int((status != VALUE).sum())
        advance(len(block))
    return Solvable(pieces, comb(shape.cells, pieces), count, solvable, undecided, exact=False)


def random_board(random: np.random.Generator, shape: BoardShape, pieces: int) -> int:
    """Draw a board of a number of pieces, all equally likely."""
    cells = random.choice(shape.cells, size=pieces, replace=False)
    return sum(1 << int(cell) for cell in cells)
