"""The plan of a layer: its halves, the places of its tables, and the layout of the lists of moves."""

from __future__ import annotations

from functools import cache
from math import comb, prod
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import ParamsError, binomial_table, read_only
from epcg_fling.retrograde import direct, move_lists
from epcg_fling.retrograde.bits import HALF_CELLS, rank_table
from epcg_fling.retrograde.move_lists import CLASS_SHIFT

Method = Literal["bit-sliced", "direct"]

_LISTED = 2 ** (CLASS_SHIFT - 1)
"""The most configurations of the lower half that lists can name; longer rows go board by board."""
_SPARE_WORDS = 2**20
"""Rows are padded to whole words. If that makes a table so much longer, boards are solved directly."""


@attrs.frozen(eq=False)
class Plan:
    """The halves of a layer, and the places of the kernels' tables."""

    width: int
    pieces: int
    method: Method
    cells: int
    top: int
    """Cells of the upper half; of the whole board if boards are solved directly."""
    layout: NDArray[np.int64]
    """(pieces + 1, 3): for each number of pieces in the upper half of a board of the layer below, where its
    block is (see `direct`); last, where rows of zeros are."""
    table_words: int
    listed: tuple[int, ...]
    """The numbers of pieces in the lower half whose moves are listed."""
    lines: NDArray[np.uint64]
    bottom_lines: NDArray[np.uint64]
    binomials: NDArray[np.int64]
    ranks: NDArray[np.int64]
    top_ranks: NDArray[np.int64]
    bottom_ranks: NDArray[np.int64]

    @property
    def bottom(self) -> int:
        """Cells of the lower half."""
        return self.cells - self.top

    def configurations(self, below: int) -> int:
        """Return the number of ways to have `below` pieces in the lower half."""
        return comb(self.bottom, below)

    @property
    def blocks(self) -> range:
        """The numbers of pieces that the upper half of a board of this layer can hold."""
        return range(max(0, self.pieces - self.bottom), min(self.pieces, self.top) + 1)

    @property
    def blocks_below(self) -> range:
        """The same of the layer below."""
        return range(max(0, self.pieces - 1 - self.bottom), min(self.pieces - 1, self.top) + 1)


@cache
def plan_of(width: int, height: int, pieces: int, method: Method | None) -> Plan:
    cells = width * height
    top = width * ((height + 1) // 2)
    layout, table_words = _row_layout(top, cells, pieces)
    if method is None:
        fits = table_words <= _SPARE_WORDS + 4 * comb(cells, pieces - 1) // 64
        method = "bit-sliced" if fits and height > 1 and top <= HALF_CELLS else "direct"
    if method == "bit-sliced" and (height == 1 or top > HALF_CELLS):
        raise ParamsError(f"A board of {width} by {height} cannot be halved for bit slices.")
    if method == "direct":
        top = cells
        plane = -(-comb(cells, pieces - 1) // 64)
        layout = np.zeros((pieces + 1, 3), dtype=np.int64)
        layout[pieces - 1, direct.UNIQUE] = 64 * plane
        table_words = 2 * plane
    bottom = cells - top
    below = range(1, min(pieces - 1, bottom) + 1)
    binomials = binomial_table(64)
    return Plan(
        width=width,
        pieces=pieces,
        method=method,
        cells=cells,
        top=top,
        layout=read_only(layout),
        table_words=table_words,
        listed=tuple(q for q in below if pieces - q <= top and comb(bottom, q) <= _LISTED),
        lines=_lines(width, cells),
        bottom_lines=_lines(width, bottom),
        binomials=binomials,
        ranks=rank_table(cells, pieces),
        top_ranks=rank_table(top, pieces),
        bottom_ranks=rank_table(bottom, pieces),
    )


def _row_layout(top: int, cells: int, pieces: int) -> tuple[NDArray[np.int64], int]:
    """Return the layout of a bit-sliced table, and its size in 64-bit words."""
    layout = np.zeros((pieces + 1, 3), dtype=np.int64)
    end = longest = 0
    for held in range(pieces):
        words = -(-comb(cells - top, pieces - 1 - held) // 64)
        layout[held] = (64 * end, 128 * words, 64 * words)
        end += comb(top, held) * 2 * words
        longest = max(longest, words)
    layout[pieces, direct.BASE] = 64 * end
    return layout, end + 2 * longest


def _lines(width: int, cells: int) -> NDArray[np.uint64]:
    """Return the row and the column of each cell as bitboards: (2, cells) uint64."""
    lines = np.zeros((2, cells), dtype=np.uint64)
    for cell in range(cells):
        first = cell // width * width
        lines[0, cell] = sum(1 << c for c in range(first, first + width))
        lines[1, cell] = sum(1 << c for c in range(cell % width, cells, width))
    return read_only(lines)


@attrs.frozen(eq=False)
class MoveLists:
    """The moves of one number of pieces in the lower half, as `kernels.solve_rows` takes them.

    In an array of words they stand one after the other, each from a word's beginning, after a header: the
    number of inner moves, then `up_ends`.
    """

    up_ends: NDArray[np.int64]
    inner_offsets: NDArray[np.uint32]
    inner_targets: NDArray[np.uint32]
    up_entries: NDArray[np.uint32]
    entered: NDArray[np.uint8]
    down_targets: NDArray[np.uint32]
    occupied: NDArray[np.uint64]

    @staticmethod
    def _shapes(header: NDArray[np.int64], configurations: int) -> list[tuple[Any, tuple[int, ...]]]:
        width, words = header.size - 1, -(-configurations // 64)
        return [
            (np.uint32, (2 * configurations + 1,)),
            (np.uint32, (int(header[0]),)),
            (np.uint32, (3 * int(header[-1]),)),
            (np.uint8, (width, words)),
            (np.uint32, (width, configurations)),
            (np.uint64, (width, words)),
        ]

    @staticmethod
    def words(header: NDArray[np.int64], configurations: int) -> int:
        """Return the size of all lists, in 64-bit words."""
        return header.size + sum(_words_of(*each) for each in MoveLists._shapes(header, configurations))

    @classmethod
    def stored(cls, words: NDArray[np.uint64], width: int, configurations: int) -> MoveLists:
        """View the lists in an array of 64-bit words that begins with a header."""
        header = words[: 1 + width].astype(np.int64)
        found: list[NDArray[Any]] = [read_only(header[1:])]
        at = header.size
        for kind, shape in cls._shapes(header, configurations):
            size = _words_of(kind, shape)
            part = words[at : at + size].view(kind)[: prod(shape)].reshape(shape)
            found.append(part if part.flags.writeable else read_only(part))
            at += size
        return cls(*found)


def _words_of(kind: Any, shape: tuple[int, ...]) -> int:
    return -(-prod(shape) * int(np.dtype(kind).itemsize) // 8)


def list_sizes(plan: Plan, below: int) -> NDArray[np.int64]:
    """Return the header of the lists of `below` pieces in the lower half."""
    return _list_sizes(plan.width, plan.bottom, below)


@cache
def _list_sizes(width: int, cells: int, below: int) -> NDArray[np.int64]:
    header = np.zeros(1 + width, dtype=np.int64)
    move_lists.count_moves_below(below, width, _lines(width, cells), comb(cells, below), header)
    return read_only(header)


def fill_lists(words: NDArray[np.uint64], header: NDArray[np.int64], plan: Plan, below: int) -> None:
    """Write the lists of `below` pieces in the lower half into an array of words."""
    words[: header.size] = header.view(np.uint64)
    configurations = plan.configurations(below)
    lists = MoveLists.stored(words, plan.width, configurations)
    common = (below, plan.width, plan.bottom_lines, configurations, plan.binomials, plan.bottom_ranks)
    move_lists.list_inner(*common, lists.inner_offsets, lists.inner_targets)
    move_lists.list_up(*common, np.concatenate([[0], lists.up_ends[:-1]]), lists.up_entries, lists.entered)
    move_lists.list_down(*common, lists.down_targets, lists.occupied)
