"""Fling! boards as layers for retrograde analysis: a board of k pieces is solved from those of k - 1.

Sturtevant & Ota 2018, Algorithm 5 (with the counters reset once a board). How it is computed is told in
`layer_kernels` (64 boards at a time) and `layer_direct` (board by board).
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Mapping
from functools import cache
from math import comb
from typing import Any, Literal

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.combinatorics.kernels import binomial_table, unrank_combination_bits
from epcg_core.compiled import read_only
from epcg_core.domain import Bits
from epcg_core.errors import ParamsError
from epcg_fling import layer_direct, layer_kernels, layer_lists
from epcg_fling.layer_bits import HALF_CELLS, rank_table

Method = Literal["bit-sliced", "direct"]
Allocate = Callable[[str, int], NDArray[np.uint64]]

_LISTED = 2**21
"""The most configurations of the lower half that are worth lists; boards of longer rows are solved one by one."""
_BLOCKS: dict[Method, int] = {"bit-sliced": 2**28, "direct": 2**22}
"""The most ranks a call: about a second of work. Bit slices gain from large blocks, which have more rows."""
_BLOCKS_A_LAYER = 16
"""So many at least, for workers to share; not below _SMALLEST_BLOCK."""
_SMALLEST_BLOCK = 2**20
_SPARE_WORDS = 2**20
"""Rows are padded to whole words; so many more than twice the bits are too many, and boards go one by one."""


@attrs.frozen
class BoardLayers:
    """The layers 1 .. `pieces` of the boards of one size: `LayeredSpace` and `CompiledLayers`."""

    width: int
    height: int
    pieces: int
    method: Method | None = None
    """How layers are solved; None chooses the fastest that suits the board."""

    @property
    def layers(self) -> range:
        """The numbers of pieces, 1 first."""
        return range(1, self.pieces + 1)

    def params(self, layer: int) -> Any:
        """The params of the generator of boards with `layer` pieces."""
        from epcg_fling.params import BoardsParams

        return BoardsParams(width=self.width, height=self.height, pieces=layer)

    def block_size(self, layer: int) -> int:
        """Ranks that one call solves in about a second or less: a multiple of 2^20."""
        share = comb(self.width * self.height, layer) // _BLOCKS_A_LAYER // _SMALLEST_BLOCK * _SMALLEST_BLOCK
        return min(_BLOCKS[self._plan(layer).method], max(_SMALLEST_BLOCK, share))

    def working_tables(self, layer: int, lower: Mapping[str, Bits], allocate: Allocate) -> None:
        """Lay the table of the layer below out for the kernels; see `CompiledLayers`.

        `table` holds its bits: bit-sliced, a row of solvable and a row of unique bits for each configuration of
        the upper half, in whole words; direct, one table after the other, by rank. `moves_q` holds the moves of
        q pieces in the lower half.
        """
        if layer == 1:
            return
        plan = self._plan(layer)
        solvable, unique = lower["solvable"], lower["unique"]
        table = allocate("table", plan.table_words)
        if plan.method == "direct":
            half = plan.table_words // 2
            table[:half].view(np.uint8)[: solvable.data.size] = solvable.data
            table[half:].view(np.uint8)[: unique.data.size] = unique.data
            return
        sources = (*_words_and_tail(solvable), *_words_and_tail(unique))
        for held in plan.blocks_below:
            layer_kernels.fill_rows(
                held,
                layer - 1,
                plan.cells,
                plan.top,
                int(plan.layout[held, layer_direct.BASE]) // 64,
                plan.binomials,
                plan.ranks,
                *sources,
                table,
            )
        for below in plan.listed:
            counts = np.zeros(1 + self.width, dtype=np.int64)
            layer_lists.count_moves_below(
                below, self.width, plan.bottom_lines, plan.configurations(below), counts
            )
            sections = _Sections(self.width, plan.configurations(below), counts)
            sections.fill(allocate(f"moves_{below}", sections.words), below, plan)

    def solve_block(
        self, layer: int, tables: Mapping[str, NDArray[np.uint64]], start: int, count: int, uniqueness: str
    ) -> tuple[Bits, Bits]:
        """(solvable, unique) of ranks start .. start + count - 1 of `layer`.

        `uniqueness` is "successors" (distinct successors are counted) or "moves". Raises ParamsError for
        another one and for ranks outside of the layer.
        """
        if uniqueness not in ("successors", "moves"):
            raise ParamsError(f"uniqueness is 'successors' or 'moves', not '{uniqueness}'.")
        if start < 0 or count < 0 or start + count > comb(self.width * self.height, layer):
            raise ParamsError(f"Ranks {start} to {start + count - 1} are not all in layer {layer}.")
        solvable = np.zeros(-(-count // 64) + 1, dtype=np.uint64)
        unique = np.zeros_like(solvable)
        if layer == 1:
            layer_kernels.set_bits(solvable, count)
            layer_kernels.set_bits(unique, count)
        else:
            plan = self._plan(layer)
            table = read_only(tables["table"])
            distinct = int(uniqueness == "successors")
            for held in plan.blocks:
                self._solve_rows(plan, held, table, tables, start, count, distinct, solvable, unique)
        return _bits(solvable, count), _bits(unique, count)

    def _plan(self, layer: int) -> _Plan:
        return _plan(self.width, self.height, layer, self.method)

    def _solve_rows(
        self,
        plan: _Plan,
        held: int,
        table: NDArray[np.uint64],
        tables: Mapping[str, NDArray[np.uint64]],
        start: int,
        count: int,
        distinct: int,
        solvable: NDArray[np.uint64],
        unique: NDArray[np.uint64],
    ) -> None:
        """Solve the boards of a range that have `held` pieces in the upper half."""
        below = plan.pieces - held
        if plan.method == "direct":
            first_row, last_row = start, start + count
        else:
            first_row, last_row = layer_kernels.rows_of_ranks(
                start, count, held, plan.pieces, plan.cells, plan.top, plan.binomials, plan.ranks
            )
        if below not in plan.listed:
            layer_direct.solve_boards(
                first_row,
                last_row,
                held,
                start,
                count,
                plan.pieces,
                distinct,
                self.width,
                plan.top,
                plan.lines,
                plan.layout,
                plan.binomials,
                plan.ranks,
                plan.top_ranks,
                plan.bottom_ranks,
                table,
                solvable,
                unique,
            )
            return
        moves = tables[f"moves_{below}"]
        sections = _Sections(self.width, plan.configurations(below), moves[: 1 + self.width].astype(np.int64))
        layer_kernels.solve_rows(
            first_row,
            last_row,
            held,
            start,
            count,
            plan.pieces,
            distinct,
            self.width,
            plan.cells,
            plan.top,
            plan.lines,
            plan.layout,
            plan.binomials,
            plan.ranks,
            plan.top_ranks,
            table,
            sections.ends,
            *(read_only(part) for part in sections.parts(moves)),
            _scratch(
                layer_kernels.scratch_words(plan.configurations(below), plan.configurations(below - 1))
            ),
            solvable,
            unique,
        )


@attrs.frozen(eq=False)
class _Plan:
    """How a layer is cut and where the kernels find things."""

    pieces: int
    method: Method
    cells: int
    top: int
    """Cells of the upper half; of the whole board where boards are solved directly."""
    layout: NDArray[np.int64]
    """(pieces + 1, 3): a row for each number of pieces in the upper half of the layer below, see `layer_direct`;
    the last one is where rows of zeros are."""
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
        """How many ways there are to have `below` pieces in the lower half."""
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
def _plan(width: int, height: int, pieces: int, method: Method | None) -> _Plan:
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
        layout[pieces - 1, layer_direct.UNIQUE] = 64 * plane
        table_words = 2 * plane
    bottom = cells - top
    below = range(1, min(pieces - 1, bottom) + 1)
    binomials = binomial_table(64)
    return _Plan(
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
    """The layout of a bit-sliced table, and its words."""
    layout = np.zeros((pieces + 1, 3), dtype=np.int64)
    end = longest = 0
    for held in range(pieces):
        words = -(-comb(cells - top, pieces - 1 - held) // 64)
        layout[held] = (64 * end, 128 * words, 64 * words)
        end += comb(top, held) * 2 * words
        longest = max(longest, words)
    layout[pieces, layer_direct.BASE] = 64 * end
    return layout, end + 2 * longest


def _lines(width: int, cells: int) -> NDArray[np.uint64]:
    """The row and the column of each cell as bitboards: (2, cells) uint64."""
    lines = np.zeros((2, cells), dtype=np.uint64)
    for cell in range(cells):
        first = cell // width * width
        lines[0, cell] = sum(1 << c for c in range(first, first + width))
        lines[1, cell] = sum(1 << c for c in range(cell % width, cells, width))
    return read_only(lines)


class _Sections:
    """Where the lists of moves of one number of pieces in the lower half lie in an array of words.

    A header (the inner moves, then the end of each column's `up` entries), then the arrays in the order in
    which `layer_kernels.solve_rows` takes them, each from a word's beginning.
    """

    def __init__(self, width: int, configurations: int, header: NDArray[np.int64]) -> None:
        self.ends = read_only(header[1:])
        self._header = header
        words = -(-configurations // 64)
        self._shapes: tuple[tuple[type[np.unsignedinteger[Any]], tuple[int, ...]], ...] = (
            (np.uint32, (2 * configurations + 1,)),
            (np.uint32, (int(header[0]),)),
            (np.uint32, (3 * int(header[-1]),)),
            (np.uint8, (width, words)),
            (np.uint32, (width, configurations)),
            (np.uint64, (width, words)),
        )

    @property
    def words(self) -> int:
        """The size of all."""
        return self._header.size + sum(self._sizes())

    def _sizes(self) -> list[int]:
        return [-(-int(np.prod(shape)) * np.dtype(kind).itemsize // 8) for kind, shape in self._shapes]

    def parts(self, words: NDArray[np.uint64]) -> list[NDArray[Any]]:
        """The arrays, as views of `words`."""
        found: list[NDArray[Any]] = []
        at = self._header.size
        for (kind, shape), size in zip(self._shapes, self._sizes(), strict=True):
            found.append(words[at : at + size].view(kind)[: int(np.prod(shape))].reshape(shape))
            at += size
        return found

    def fill(self, words: NDArray[np.uint64], below: int, plan: _Plan) -> None:
        """Write header and lists of `below` pieces in the lower half."""
        words[: self._header.size] = self._header
        offsets, targets, entries, entered, down, occupied = self.parts(words)
        width, configurations = self.ends.size, plan.configurations(below)
        common = (below, width, plan.bottom_lines, configurations, plan.binomials, plan.bottom_ranks)
        layer_lists.list_inner(*common, offsets, targets)
        starts = np.concatenate([[0], self.ends[:-1]])
        layer_lists.list_up(*common, starts, entries, entered)
        layer_lists.list_down(*common, down, occupied)


_kept = threading.local()


def _scratch(words: int) -> NDArray[np.uint64]:
    """Working memory of this thread, kept from call to call: fresh pages cost more than the work in them."""
    kept: NDArray[np.uint64] | None = getattr(_kept, "words", None)
    if kept is None or kept.size < words:
        kept = _kept.words = np.empty(words, dtype=np.uint64)
    return kept[:words]


def _words_and_tail(bits: Bits) -> tuple[NDArray[np.uint64], np.uint64]:
    """Bits as whole words, and what is left of them as one more."""
    data = np.ascontiguousarray(bits.data).view(np.ndarray)
    whole = data.size // 8 * 8
    words = data[:whole]
    if words.ctypes.data % 8:
        words = words.copy()
    return read_only(words.view(np.uint64)), np.uint64(int.from_bytes(data[whole:].tobytes(), "little"))


def _bits(words: NDArray[np.uint64], count: int) -> Bits:
    return Bits(words.view(np.uint8)[: -(-count // 8)], count)
