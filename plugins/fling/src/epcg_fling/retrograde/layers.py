"""Fling! boards as layers for retrograde analysis: a board of k pieces is solved from those of k - 1.

Sturtevant & Ota 2018, Algorithm 5 (with the counters reset once a board). How it is computed is told in
`kernels` (64 boards at a time) and `direct` (board by board).
"""

from __future__ import annotations

import threading
from collections.abc import Mapping
from math import comb
from typing import Any

import attrs
import numpy as np
from numpy.typing import NDArray

from epcg_core.plugin import Allocate, Bits, ParamsError, read_only, release_pages
from epcg_fling.retrograde import direct, kernels, rows
from epcg_fling.retrograde.plan import Method, MoveLists, Plan, fill_lists, list_sizes, plan_of

_BLOCKS: dict[Method, int] = {"bit-sliced": 2**26, "direct": 2**22}
"""Ranks that take about half a second."""
_LARGEST_BLOCK = 2**29
"""Two to three seconds' work, and 128 MB of bits."""
_BLOCKS_A_LAYER = 64
"""This number is enough; in a large layer, larger blocks have more rows with many pieces in the lower half,
of which 64 are solved at a time: four times the block halves the time of a layer of ten pieces."""
_RELEASED = 2**28
"""Bits of the layer below that are laid out before their memory is given back."""


@attrs.frozen
class BoardLayers:
    """The layers 1 .. `pieces` of the boards of one size: `LayeredSpace` and `CompiledLayers`."""

    width: int
    height: int
    pieces: int
    method: Method | None = None
    """The way to solve layers; None chooses the fastest that suits the board."""

    @property
    def layers(self) -> range:
        """The numbers of pieces, 1 first."""
        return range(1, self.pieces + 1)

    def params(self, layer: int) -> Any:
        """Return the params of the generator of boards with `layer` pieces."""
        from epcg_fling.params import BoardsParams

        return BoardsParams(width=self.width, height=self.height, pieces=layer)

    def block_size(self, layer: int) -> int:
        """Return the ranks that one call solves in about half a second: a multiple of 2^20."""
        usual = _BLOCKS[self._plan(layer).method]
        if usual == _BLOCKS["direct"]:
            return usual
        share = comb(self.width * self.height, layer) // _BLOCKS_A_LAYER // 2**20 * 2**20
        return min(_LARGEST_BLOCK, max(usual, share))

    def working_bytes(self, layer: int) -> int:
        """Return the bytes of the tables of `working_tables`; see `SizedLayers`."""
        if layer == 1:
            return 0
        plan = self._plan(layer)
        lists = (_list_words(plan, below) for below in plan.listed)
        return 8 * (plan.table_words + (sum(lists) if plan.method == "bit-sliced" else 0))

    def working_tables(self, layer: int, lower: Mapping[str, Bits], allocate: Allocate) -> None:
        """Lay the table of the layer below out for the kernels; see `CompiledLayers`.

        `table` holds its bits: bit-sliced, a row of solvable and a row of unique bits for each configuration
        of the upper half, in whole words; direct, one table after the other, by rank. `moves_q` holds the
        moves of q pieces in the lower half.
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
            every = comb(plan.top, held)
            step = max(1, _RELEASED // plan.configurations(layer - 1 - held))
            for first in range(0, every, step):
                rows.fill_rows(
                    held,
                    first,
                    min(every, first + step),
                    layer - 1,
                    plan.cells,
                    plan.top,
                    int(plan.layout[held, direct.BASE]) // 64,
                    plan.binomials,
                    plan.ranks,
                    *sources,
                    table,
                )
                for array in (solvable.data, unique.data, table):
                    release_pages(array)
        for below in plan.listed:
            words = allocate(f"moves_{below}", _list_words(plan, below))
            fill_lists(words, list_sizes(plan, below), plan, below)

    def solve_block(
        self, layer: int, tables: Mapping[str, NDArray[np.uint64]], start: int, count: int, uniqueness: str
    ) -> tuple[Bits, Bits]:
        """Return (solvable, unique) of ranks start .. start + count - 1 of `layer`.

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
            rows.set_bits(solvable, count)
            rows.set_bits(unique, count)
        else:
            plan = self._plan(layer)
            table = read_only(tables["table"])
            distinct = int(uniqueness == "successors")
            for held in plan.blocks:
                self._solve_rows(plan, held, table, tables, start, count, distinct, solvable, unique)
        return _bits(solvable, count), _bits(unique, count)

    def _plan(self, layer: int) -> Plan:
        return plan_of(self.width, self.height, layer, self.method)

    def _solve_rows(
        self,
        plan: Plan,
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
        first_row, last_row = start, start + count
        if plan.method == "bit-sliced":
            first_row, last_row = map(
                int,
                rows.rows_of_ranks(
                    start, count, held, plan.pieces, plan.cells, plan.top, plan.binomials, plan.ranks
                ),
            )
        if below not in plan.listed:
            direct.solve_boards(
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
        lists = MoveLists.stored(read_only(tables[f"moves_{below}"]), self.width, plan.configurations(below))
        kernels.solve_rows(
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
            lists.up_ends,
            lists.inner_offsets,
            lists.inner_targets,
            lists.up_entries,
            lists.entered,
            lists.down_targets,
            lists.occupied,
            _scratch(kernels.scratch_words(plan.configurations(below), plan.configurations(below - 1))),
            solvable,
            unique,
        )


def _list_words(plan: Plan, below: int) -> int:
    """Return the 64-bit words of the lists of moves of `below` pieces in the lower half."""
    return MoveLists.words(list_sizes(plan, below), plan.configurations(below))


_kept = threading.local()


def _scratch(words: int) -> NDArray[np.uint64]:
    """Keep the working memory of this thread from call to call: fresh pages cost more than the work."""
    kept: NDArray[np.uint64] | None = getattr(_kept, "words", None)
    if kept is None or kept.size < words:
        kept = _kept.words = np.empty(words, dtype=np.uint64)
    return kept[:words]


def _words_and_tail(bits: Bits) -> tuple[NDArray[np.uint64], np.uint64]:
    """Return bits as whole words, and what is left of them as one more."""
    data = np.ascontiguousarray(bits.data).view(np.ndarray)
    whole = data.size // 8 * 8
    words = data[:whole]
    if words.ctypes.data % 8:
        words = words.copy()
    return read_only(words.view(np.uint64)), np.uint64(int.from_bytes(data[whole:].tobytes(), "little"))


def _bits(words: NDArray[np.uint64], count: int) -> Bits:
    return Bits(words.view(np.uint8)[: -(-count // 8)], count)
